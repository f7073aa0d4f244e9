"""The rows in the reduced step, compiled: residual, Jacobians at q̄ and q₁, second derivatives.

For a row with multiplier μ the residual takes μ ∇Φ(q̄), the columns of μ take P_int(q̄)ᵀ∇Φ(q̄) and
the row itself ∇Φ(q₁) P_int(q₁); the stiffness is P_int(q̄)ᵀ (μ D²Φ/2) P_int(q₁), exact because Φ is
quadratic.  s = D u arms, m = D c axes; a bar means q̄, no bar q₁; blocks in world-axis increments:

    ALONG      F_b = μ m̄;  d̄ of the axis' own body a: torque m̄ × (d̄ + s̄_a) with −F
    DISTANCE   the same with m̄ = d̄/L, without the axis' part
    AXES       torque μ ē_a × ē_b on a, the opposite on b
"""

from __future__ import annotations

from linkwork.elements.layout import (
    AA, AB, AT, BA, BB, BT, CA, CB, POS, ROT, SA, SB, SC, add33,
)  # fmt: skip
from linkwork.math.compiled import inlined
from linkwork.math.vectors import (
    IDENTITY, add, at, at9, cc, cross, dot, mscale, mv, scale, skew, sub,
)  # fmt: skip
from linkwork.nullspace.rows import (
    A1, A2, ALONG, AXES, B1, B2, DISTANCE, J, KIND, LENGTH, OF_ELEMENT,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)


@inlined
def add_outer(N, b, c, g, u):
    """N_D += c g uᵀ, the part of the residual that belongs to the directors (from column 3)."""
    for i in range(3):
        for j in range(3):
            N[b, 3 + 3 * i + j] += c * g[i] * u[j]


@inlined
def put_column(vals, base, stride, j, force, torque):
    p = base + j
    for i in range(3):
        vals[p + i * stride] = force[i]
        vals[p + (3 + i) * stride] = torque[i]


@inlined
def put_line(vals, base, stride, j, force, torque):
    p = base + j * stride
    for i in range(3):
        vals[p + i] = force[i]
        vals[p + 3 + i] = torque[i]


@inlined
def put_gradients(vals, x, j, mid_a, mid_b, end_a, end_b):
    """A row's wrenches at q̄ into its column, at q₁ into its line; x the ints of its element."""
    put_column(vals, x[AT], x[SA], j, mid_a[0], mid_a[1])
    put_column(vals, x[BT], x[SB], j, mid_b[0], mid_b[1])
    put_line(vals, x[CA], x[SC], j, end_a[0], end_a[1])
    put_line(vals, x[CB], x[SC], j, end_b[0], end_b[1])


@inlined
def axes_row(x, j, reals, e, end, mean, mu, N, C, vals, tangent):
    a, b = x[0], x[1]
    ta, tb, ua, ub = ZERO, ZERO, ZERO, ZERO
    Ma, Mb, Ea, Eb = at9(mean, a, 3), at9(mean, b, 3), at9(end, a, ROT), at9(end, b, ROT)
    C[e] = 0.0
    for term in range(2):
        w = 1.0 - 2.0 * term
        ca, cb = at(reals, e, A1 + term * (A2 - A1)), at(reals, e, B1 + term * (B2 - B1))
        ma, mb, ea, eb = mv(Ma, ca), mv(Mb, cb), mv(Ea, ca), mv(Eb, cb)
        C[e] += w * dot(ea, eb)
        add_outer(N, a, w * mu, mb, ca)
        add_outer(N, b, w * mu, ma, cb)
        if tangent:
            n = scale(w, cross(ma, mb))
            ta, tb = add(ta, n), sub(tb, n)
            n = scale(w, cross(ea, eb))
            ua, ub = add(ua, n), sub(ub, n)
            c = -0.5 * w * mu
            add33(vals, x[AB], x[SA], 3, 3, c, cc(ma, eb))
            add33(vals, x[BA], x[SB], 3, 3, c, cc(mb, ea))
    if tangent:
        put_gradients(vals, x, j, (ZERO, ta), (ZERO, tb), (ZERO, ua), (ZERO, ub))


@inlined
def moved_line(vals, x, row, c, M, sa, sb, side):
    """c M δd with δd = δr_b + θ_b × s_b − δr_a − θ_a × s_a, into rows `row` of body a or b."""
    pa, pb, s = x[BA], x[BB], x[SB]
    if side == 0:
        pa, pb, s = x[AA], x[AB], x[SA]
    add33(vals, pb, s, row, 0, c, M)
    add33(vals, pa, s, row, 0, -c, M)
    add33(vals, pb, s, row, 3, -c, times_skew(M, sb))
    add33(vals, pa, s, row, 3, c, times_skew(M, sa))


@inlined
def times_skew(A, b):
    """A b̃."""
    return (
        A[1] * b[2] - A[2] * b[1], A[2] * b[0] - A[0] * b[2], A[0] * b[1] - A[1] * b[0],
        A[4] * b[2] - A[5] * b[1], A[5] * b[0] - A[3] * b[2], A[3] * b[1] - A[4] * b[0],
        A[7] * b[2] - A[8] * b[1], A[8] * b[0] - A[6] * b[2], A[6] * b[1] - A[7] * b[0],
    )  # fmt: skip


@inlined
def point_row(kind, x, j, reals, e, end, mean, mu, N, C, vals, tangent):
    a, b = x[0], x[1]
    u, w, c = at(reals, e, A1), at(reals, e, B1), at(reals, e, A2)
    Ma, Ea = at9(mean, a, 3), at9(end, a, ROT)
    sa, sb = mv(Ma, u), mv(at9(mean, b, 3), w)
    ta, tb = mv(Ea, u), mv(at9(end, b, ROT), w)
    d = sub(add(at(mean, b, 0), sb), add(at(mean, a, 0), sa))
    d1 = sub(add(at(end, b, POS), tb), add(at(end, a, POS), ta))
    m, m1, L = c, c, reals[e, LENGTH]
    if kind == ALONG:
        m, m1 = mv(Ma, c), mv(Ea, c)
    elif kind == DISTANCE:
        m, m1 = scale(1.0 / L, d), scale(1.0 / L, d1)
    C[e] = 0.5 * (dot(d1, d1) - L * L) / L if kind == DISTANCE else dot(m1, d1)
    for i in range(3):
        N[b, i] += mu * m[i]
        N[a, i] -= mu * m[i]
    add_outer(N, b, mu, m, w)
    add_outer(N, a, -mu, m, u)
    if kind == ALONG:
        add_outer(N, a, mu, d, c)
    if tangent:
        back, back1 = cross(m, sa), cross(m1, ta)
        if kind == ALONG:
            back, back1 = add(back, cross(m, d)), add(back1, cross(m1, d1))
        put_gradients(
            vals, x, j, (scale(-1.0, m), back), (m, cross(sb, m)),
            (scale(-1.0, m1), back1), (m1, cross(tb, m1)),
        )  # fmt: skip
        if kind == ALONG:
            X = mscale(-0.5 * mu, skew(m1))  # change of μ m̄ with θ_a
            add33(vals, x[BA], x[SB], 0, 3, 1.0, X)
            add33(vals, x[AA], x[SA], 0, 3, -1.0, X)
            add33(vals, x[BA], x[SB], 3, 3, -0.5 * mu, cc(sb, m1))
            add33(vals, x[AA], x[SA], 3, 3, 0.5 * mu, cc(sa, m1))
            moved_line(vals, x, 3, 0.5 * mu, skew(m), ta, tb, 0)
        elif kind == DISTANCE:
            k = 0.5 * mu / L
            moved_line(vals, x, 0, k, IDENTITY, ta, tb, 1)
            moved_line(vals, x, 0, -k, IDENTITY, ta, tb, 0)
            moved_line(vals, x, 3, k, skew(sb), ta, tb, 1)
            moved_line(vals, x, 3, -k, skew(sa), ta, tb, 0)


@inlined
def add_rows(rows, end, mean, mu, N, C, vals, tangent):
    """All rows: end are nodes at q₁, mean (bodies + 1, 12) is q̄, N the residual in (φ, D)."""
    for e in range(rows.ints.shape[0]):
        x, j = rows.ints[e, OF_ELEMENT:J], rows.ints[e, J]
        kind = rows.ints[e, KIND]
        if kind == AXES:
            axes_row(x, j, rows.reals, e, end, mean, mu[e], N, C, vals, tangent)
        else:
            point_row(kind, x, j, rows.reals, e, end, mean, mu[e], N, C, vals, tangent)

