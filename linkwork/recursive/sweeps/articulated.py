"""Articulated bodies: from the tips to the base, and the accelerations back out.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7, in world axes about each body's
reference point and with the accelerations of points.  A body with everything behind it answers the
acceleration A = (α, a) of its P with the wrench  I A + p.  With A = X A_p + c + S q̈ and the joint's
own forces τ = Sᵀ(I A + p):

    U = I S,  D = Sᵀ U,  q̈ = D⁻¹ (τ − Sᵀp − Uᵀ(X A_p + c))
    I' = I − U D⁻¹ Uᵀ,  p' = p + I' c + U D⁻¹ (τ − Sᵀp)

and the parent's I and p grow by Xᵀ I' X and Xᵀ p', X the shift by u:

    B_p += B' + ũ M',   J_p += J' − B' ũ + ũ (B' + ũ M')ᵀ,   n_p += n' + u × f'

A flexible link (bending.py) has amplitudes that enter its inertia too: C couples them with A, E
with each other, and r is their bias; U = I S + C, D = Sᵀ U + Cᵀ S + E.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.vectors import add, cross, scale, three
from linkwork.recursive.sweeps import slots
from linkwork.recursive.sweeps.general_joint import (
    cholesky, half_solve, inertia_times, other_half, six_dot,
)  # fmt: skip
from linkwork.recursive.tree.layout import (
    BASE, BENDING, BIAS, DOF, HINGE, HINGE_JOINT, INTS, IV, KIND, PARENT, RECORD, ROT, SECTION,
    WRENCH, B, J, M, U, add3, put3,
)  # fmt: skip


@fused_inlined
def hand_down(w, p, u, Jm, Bm, Mm, n, f):
    """Add articulated inertia and bias wrench at distance u to the parent's record."""
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = Bm
    m0, m1, m2, m3, m4, m5 = Mm
    u0, u1, u2 = u
    c0, c1, c2 = b0 - u2 * m1 + u1 * m2, b1 - u2 * m3 + u1 * m4, b2 - u2 * m4 + u1 * m5
    c3, c4, c5 = b3 + u2 * m0 - u0 * m2, b4 + u2 * m1 - u0 * m4, b5 + u2 * m2 - u0 * m5
    c6, c7, c8 = b6 - u1 * m0 + u0 * m1, b7 - u1 * m1 + u0 * m3, b8 - u1 * m2 + u0 * m4
    j = p + J
    w[j] += Jm[0] - (b1 * u2 - b2 * u1) + (u1 * c2 - u2 * c1)
    w[j + 1] += Jm[1] - (b2 * u0 - b0 * u2) + (u1 * c5 - u2 * c4)
    w[j + 2] += Jm[2] - (b0 * u1 - b1 * u0) + (u1 * c8 - u2 * c7)
    w[j + 3] += Jm[3] - (b5 * u0 - b3 * u2) + (u2 * c3 - u0 * c5)
    w[j + 4] += Jm[4] - (b3 * u1 - b4 * u0) + (u2 * c6 - u0 * c8)
    w[j + 5] += Jm[5] - (b6 * u1 - b7 * u0) + (u0 * c7 - u1 * c6)
    add3(w, p + B, (c0, c1, c2))
    add3(w, p + B + 3, (c3, c4, c5))
    add3(w, p + B + 6, (c6, c7, c8))
    add3(w, p + M, (m0, m1, m2))
    add3(w, p + M + 3, (m3, m4, m5))
    add3(w, p + WRENCH, add(n, cross(u, f)))
    add3(w, p + WRENCH + 3, f)


@fused_inlined
def inward_hinge(w, x, p, tau, stiff):
    """Eliminate a hinge's acceleration; all in registers."""
    e0, e1, e2 = w[x + ROT + 2], w[x + ROT + 5], w[x + ROT + 8]
    xx, xy, xz = three(w, x + J)
    yy, yz, zz = three(w, x + J + 3)
    b0, b1, b2 = three(w, x + B)
    b3, b4, b5 = three(w, x + B + 3)
    b6, b7, b8 = three(w, x + B + 6)
    m0, m1, m2 = three(w, x + M)
    m3, m4, m5 = three(w, x + M + 3)
    n, f = three(w, x + WRENCH), three(w, x + WRENCH + 3)
    A0, A1, A2 = (
        xx * e0 + xy * e1 + xz * e2, xy * e0 + yy * e1 + yz * e2, xz * e0 + yz * e1 + zz * e2,
    )  # fmt: skip
    D0, D1, D2 = (
        b0 * e0 + b3 * e1 + b6 * e2, b1 * e0 + b4 * e1 + b7 * e2, b2 * e0 + b5 * e1 + b8 * e2,
    )  # fmt: skip
    inverse = 1.0 / (A0 * e0 + A1 * e1 + A2 * e2 + stiff)
    rest = tau - (e0 * n[0] + e1 * n[1] + e2 * n[2])
    put3(w, x + HINGE, (A0, A1, A2))
    put3(w, x + HINGE + 3, (D0, D1, D2))
    w[x + HINGE + 6], w[x + HINGE + 7] = inverse, rest
    a0, a1, a2 = A0 * inverse, A1 * inverse, A2 * inverse
    d0, d1, d2 = D0 * inverse, D1 * inverse, D2 * inverse
    xx, xy, xz = xx - A0 * a0, xy - A0 * a1, xz - A0 * a2
    yy, yz, zz = yy - A1 * a1, yz - A1 * a2, zz - A2 * a2
    b0, b1, b2 = b0 - A0 * d0, b1 - A0 * d1, b2 - A0 * d2
    b3, b4, b5 = b3 - A1 * d0, b4 - A1 * d1, b5 - A1 * d2
    b6, b7, b8 = b6 - A2 * d0, b7 - A2 * d1, b8 - A2 * d2
    m0, m1, m2 = m0 - D0 * d0, m1 - D0 * d1, m2 - D0 * d2
    m3, m4, m5 = m3 - D1 * d1, m4 - D1 * d2, m5 - D2 * d2
    c0, c1, c2 = three(w, x + BIAS)
    l0, l1, l2 = three(w, x + BIAS + 3)
    n = (
        n[0] + xx * c0 + xy * c1 + xz * c2 + b0 * l0 + b1 * l1 + b2 * l2 + a0 * rest,
        n[1] + xy * c0 + yy * c1 + yz * c2 + b3 * l0 + b4 * l1 + b5 * l2 + a1 * rest,
        n[2] + xz * c0 + yz * c1 + zz * c2 + b6 * l0 + b7 * l1 + b8 * l2 + a2 * rest,
    )  # fmt: skip
    f = (
        f[0] + b0 * c0 + b3 * c1 + b6 * c2 + m0 * l0 + m1 * l1 + m2 * l2 + d0 * rest,
        f[1] + b1 * c0 + b4 * c1 + b7 * c2 + m1 * l0 + m3 * l1 + m4 * l2 + d1 * rest,
        f[2] + b2 * c0 + b5 * c1 + b8 * c2 + m2 * l0 + m4 * l1 + m5 * l2 + d2 * rest,
    )  # fmt: skip
    hand_down(
        w, p, three(w, x + U), (xx, xy, xz, yy, yz, zz), (b0, b1, b2, b3, b4, b5, b6, b7, b8),
        (m0, m1, m2, m3, m4, m5), n, f,
    )  # fmt: skip


@fused_inlined
def hand_down_record(w, x, p):
    """The same from a record whose joint has been eliminated in place."""
    n, f = inertia_times(w, x, three(w, x + BIAS), three(w, x + BIAS + 3))
    j, b, m = x + J, x + B, x + M
    hand_down(
        w, p, three(w, x + U), (w[j], w[j + 1], w[j + 2], w[j + 3], w[j + 4], w[j + 5]),
        (w[b], w[b + 1], w[b + 2], w[b + 3], w[b + 4], w[b + 5], w[b + 6], w[b + 7], w[b + 8]),
        (w[m], w[m + 1], w[m + 2], w[m + 3], w[m + 4], w[m + 5]),
        add(n, three(w, x + WRENCH)), add(f, three(w, x + WRENCH + 3)),
    )  # fmt: skip


@fused_inlined
def less_square(w, x, a, l):
    """Take (a, l)(a, l)ᵀ from the inertia of a record."""
    j, b, m = x + J, x + B, x + M
    w[j] -= a[0] * a[0]
    w[j + 1] -= a[0] * a[1]
    w[j + 2] -= a[0] * a[2]
    w[j + 3] -= a[1] * a[1]
    w[j + 4] -= a[1] * a[2]
    w[j + 5] -= a[2] * a[2]
    for r in range(3):
        w[b + r] -= a[0] * l[r]
        w[b + 3 + r] -= a[1] * l[r]
        w[b + 6 + r] -= a[2] * l[r]
        w[m + r] -= l[0] * l[r]
    w[m + 3] -= l[1] * l[1]
    w[m + 4] -= l[1] * l[2]
    w[m + 5] -= l[2] * l[2]


def inward_general(tree, s, i, tau, stiff):
    """Eliminate the accelerations of a joint with columns; leaves I' and p + U D⁻¹(τ − Sᵀp).

    stiff (coordinates) is added to D: the part of an implicit method.
    """
    w, ints, c, t = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(tau)
    extra = borrow(stiff)
    n, x = INTS * i, RECORD * i
    p, k, iv = RECORD * ints[n + PARENT], ints[n + DOF], ints[n + IV]
    bends = ints[n + KIND] == BENDING
    S = ints[n + BASE]
    Uc, D = S + 8 * k, S + 16 * k
    T = D + k * k
    C, E, r = T + k, T + 9 * k, T + 9 * k + k * k
    pn, pf = three(w, x + WRENCH), three(w, x + WRENCH + 3)
    for j in range(k):
        a, l = three(c, S + 8 * j), three(c, S + 8 * j + 3)
        mo, fo = inertia_times(w, x, a, l)
        rest = t[iv + j] + s.drives[iv + j] - six_dot(c, S + 8 * j, pn, pf)
        if bends:
            mo, fo = add(mo, three(c, C + 8 * j)), add(fo, three(c, C + 8 * j + 3))
            rest -= c[r + j]
        put3(c, Uc + 8 * j, mo)
        put3(c, Uc + 8 * j + 3, fo)
        c[T + j] = rest
        for m in range(j + 1):
            d = six_dot(c, S + 8 * m, mo, fo)
            if bends:
                d += six_dot(c, C + 8 * m, a, l) + c[E + j * k + m]
            c[D + j * k + m] = d
        c[D + j * k + j] += extra[iv + j] + tree.rotors[iv + j]
    cholesky(c, D, k)
    half_solve(c, D, k, c, T)
    for j in range(k):  # rows of L⁻¹ Uᵀ
        for m in range(j):
            for e in range(6):
                c[Uc + 8 * j + e] -= c[D + j * k + m] * c[Uc + 8 * m + e]
        for e in range(6):
            c[Uc + 8 * j + e] *= c[D + j * k + j]
        a, l = three(c, Uc + 8 * j), three(c, Uc + 8 * j + 3)
        less_square(w, x, a, l)
        add3(w, x + WRENCH, scale(c[T + j], a))
        add3(w, x + WRENCH + 3, scale(c[T + j], l))
    hand_down_record(w, x, p)


@fused_inlined
def inward_section(tree, s, i):
    """An end of a flexible link: what it carries goes to the floating frame and the amplitudes."""
    w, ints, c = borrow(s.sweep), borrow(tree.ints), borrow(s.columns)
    n, x = INTS * i, RECORD * i
    parent = ints[n + PARENT]
    p, F = RECORD * parent, ints[n + BASE]
    k = ints[INTS * parent + DOF]
    T = ints[INTS * parent + BASE] + 16 * k + k * k
    C, E, r = T + k, T + 9 * k, T + 9 * k + k * k
    u = three(w, x + U)
    n0, f0 = inertia_times(w, x, three(w, x + BIAS), three(w, x + BIAS + 3))
    n0, f0 = add(n0, three(w, x + WRENCH)), add(f0, three(w, x + WRENCH + 3))
    for j in range(k):
        mo, fo = inertia_times(w, x, three(c, F + 8 * j), three(c, F + 8 * j + 3))
        c[r + j] += six_dot(c, F + 8 * j, n0, f0)
        for m in range(k):
            c[E + j * k + m] += six_dot(c, F + 8 * m, mo, fo)
        add3(c, C + 8 * j, add(mo, cross(u, fo)))
        add3(c, C + 8 * j + 3, fo)
    hand_down_record(w, x, p)


def inward(sweeps, tree, s, tau, stiff):
    """Articulated inertia and bias of all bodies; tau: the joints' forces, stiff: added to D.

    The forces of joint loads (s.drives) and the inertia of rotors add to both.
    """
    w, ints, t, extra = borrow(s.sweep), borrow(tree.ints), borrow(tau), borrow(stiff)
    for i in range(tree.ints.shape[0] - 1, -1, -1):
        n, x = INTS * i, RECORD * i
        kind = ints[n + KIND]
        if kind == HINGE_JOINT:
            iv = ints[n + IV]
            inward_hinge(
                w, x, RECORD * ints[n + PARENT], t[iv] + s.drives[iv], extra[iv] + tree.rotors[iv]
            )
        elif kind == SECTION:
            inward_section(tree, s, i)
        else:
            slots.eliminate(sweeps, tree, s, i, tau, stiff)


@fused_inlined
def accelerate_general(tree, s, i, out, bias):
    """Accelerations of a joint with columns, and of its body; bias: (α, a) of P without them."""
    w, ints, c, o = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(out)
    n, x = INTS * i, RECORD * i
    a, l = bias
    if ints[n + KIND] == SECTION:
        parent = ints[n + PARENT]
        k, iv = ints[INTS * parent + DOF], ints[INTS * parent + IV]
        S = ints[n + BASE]
    else:
        k, iv, S = ints[n + DOF], ints[n + IV], ints[n + BASE]
        Uc, D = S + 8 * k, S + 16 * k
        T = D + k * k
        for j in range(k):
            o[iv + j] = c[T + j] - six_dot(c, Uc + 8 * j, a, l)
        other_half(c, D, k, o, iv)
    for j in range(k):
        a = add(a, scale(o[iv + j], three(c, S + 8 * j)))
        l = add(l, scale(o[iv + j], three(c, S + 8 * j + 3)))
    put3(w, x + BIAS, a)
    put3(w, x + BIAS + 3, l)


def accelerate(tree, s, out):
    """Joint accelerations, and (α, a) of every P in place of the bias."""
    w, ints, o = borrow(s.sweep), borrow(tree.ints), borrow(out)
    g = borrow(tree.gravity)
    z = RECORD * tree.ints.shape[0] + BIAS
    put3(w, z, (0.0, 0.0, 0.0))
    put3(w, z + 3, (-g[0], -g[1], -g[2]))
    for i in range(tree.ints.shape[0]):
        n, x = INTS * i, RECORD * i
        p = RECORD * ints[n + PARENT] + BIAS
        a = three(w, p)
        l = add(three(w, p + 3), cross(a, three(w, x + U)))
        l = add(l, three(w, x + BIAS + 3))
        a = add(a, three(w, x + BIAS))
        if ints[n + KIND] == HINGE_JOINT:
            y = (w[x + HINGE + 7] - six_dot(w, x + HINGE, a, l)) * w[x + HINGE + 6]
            o[ints[n + IV]] = y
            e = (w[x + ROT + 2], w[x + ROT + 5], w[x + ROT + 8])
            put3(w, x + BIAS, add(a, scale(y, e)))
            put3(w, x + BIAS + 3, l)
        else:
            accelerate_general(tree, s, i, out, (a, l))
