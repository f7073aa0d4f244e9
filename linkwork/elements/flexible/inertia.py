"""Inertia, gravity and elasticity of flexible links, in the axes of their floating frame F.

With b = Rᵀ(r̈ − g), A = ω̇~ + ω~ω~, places ρ = ρ0 + Φ q and the sums of modal.py,

    s = s0 + N_j q_j,   W_i = Σ m ρ Φ_iᵀ = W0_i + G_ji q_j,   P = Σ m ρ ρᵀ = P0 + q_j (W0_jᵀ + W_j)
    force   m b + A s + 2 ω × N_j q̇_j + N_j q̈_j
    moment  s × b + Σ m ρ × A ρ + 2 Σ m ρ × (ω × Φ_j) q̇_j + Σ m ρ × Φ_j q̈_j
            + J̄ ω̇ + H q̈ + ω × (J̄ ω + H q̇)
    modal   N_i·b + tr(A W_i) + 2 tr(ω~ Ẇ_i) + tr G_ij q̈_j + (Hᵀω̇ + E q̈ + K q + D q̇)_i

(d'Alembert's principle on r_F + R ρ; Shabana 2020, chapter 5, in other words).  All is a polynomial
of degree two in q, q̇, ω, which the tangent differentiates term by term.  Σ m ρ × Aρ = crossed(P Aᵀ)
where crossed(X) = Σ a × b of X = Σ a bᵀ, and the other sums alike.

`link_matrices` serves every formulation; `inertia_kernel` adds to the residual and the blocks of F
and q.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    BY_RATE, BY_SECOND, BY_VALUE, CD, CK, CM, GRAVITY, OMEGA, OUT, POS, RATE, ROT, SECOND, STRIDE,
    TANGENT, VALUE, VEL, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at9, cc, cross, dot, madd, mc, mscale, mt, mv, nine, scale,
    skew, sub, three, transpose, tv,
)  # fmt: skip
from linkwork.model.outputs import MASS_OUTPUTS
from linkwork.model.registry import Entry, Family, Mass

MOST = 24  # amplitudes of a link

# reals of a link with m shapes: mass, s0, P0, J̄, then N, W0, G, H by shapes, and tr G + E, K, D
MASS, S0, P0, JBAR, FIRST = record(mass=1, s0=3, p0=9, jbar=9, first=0)
# reals of an element: those of the link, and room: its matrix, sums of the shapes, vectors
# ints: F, q, blocks of both, how far back a link with the same numbers is, m
F, Q, FF, FQ, QF, QQ, SAME = range(7)
WIDE = 32  # room that holds the matrix of any link
AT_W, AT_WDOT, SUMS = 0, 9, 18  # in a row of the sums


def constant_count(m: int) -> int:
    """Reals of a link with m shapes."""
    return FIRST + 15 * m + 12 * m * m


def room_count(m: int) -> int:
    """Numbers that its kernel works with: matrix and sums, q, q̇, q̈, bias and accelerations."""
    return (6 + m) * (6 + m) + SUMS * m + 3 * m + 2 * (6 + m)


def link_reals(modal: Any) -> np.ndarray:
    """The constants of a link as its kernel wants them."""
    mobile = np.einsum("ijaa->ij", modal.G) + modal.E
    parts = [
        [modal.mass], modal.s0, modal.P0, modal.Jbar, modal.N, modal.W0, modal.G, modal.H.T,
        mobile, modal.K, modal.D,
    ]  # fmt: skip
    return np.concatenate([np.ravel(part) for part in parts])


@inlined
def crossed(X):
    """Σ a × b of X = Σ a bᵀ."""
    return (X[5] - X[7], X[6] - X[2], X[1] - X[3])


@inlined
def tr(X, Y):
    """tr(X Y)."""
    return (
        X[0] * Y[0] + X[1] * Y[3] + X[2] * Y[6]
        + X[3] * Y[1] + X[4] * Y[4] + X[5] * Y[7]
        + X[6] * Y[2] + X[7] * Y[5] + X[8] * Y[8]
    )  # fmt: skip


@inlined
def mixed(c, p, m, k, q):
    """Σ_j G_jk q_j, with G from place p on."""
    X = mscale(q[0], nine(c, p + 9 * k))
    for j in range(1, m):
        X = madd(X, mscale(q[j], nine(c, p + 9 * (j * m + k))))
    return X


@inlined
def put9(array, k, c, X):
    for i in range(9):
        array[k, c + i] = X[i]


@inlined
def summed(c, p, m, x):
    """Σ_j x_j v_j of vectors from place p on."""
    v = scale(x[0], three(c, p))
    for j in range(1, m):
        v = add(v, scale(x[j], three(c, p + 3 * j)))
    return v


@inlined
def link_matrices(c, o, m, R, w, q, q1, g, sums, mass, bias):
    """Mass matrix (6 + m)² and bias of one link, for accelerations (Rᵀr̈, ω̇, q̈).

    c, o  : reals and where those of the link begin;   m : shapes;   R, w : of F, w in its axes
    q, q1 : amplitudes and their rates;   g : gravity, a tuple in world axes
    sums  : (m, 18) for W_i and Ẇ_i;   mass, bias : what is filled, mass · acceleration + bias being
            [force, moment, modal] in the axes of F
    """
    n0, w0, g0 = o + FIRST, o + FIRST + 3 * m, o + FIRST + 12 * m
    h0 = g0 + 9 * m * m
    e0 = h0 + 3 * m
    total, J = c[o + MASS], nine(c, o + JBAR)
    s, n, h = add(three(c, o + S0), summed(c, n0, m, q)), summed(c, n0, m, q1), summed(c, h0, m, q1)
    P, B = nine(c, o + P0), mscale(0.0, IDENTITY)
    for k in range(m):
        W = nine(c, w0 + 9 * k)
        now = madd(W, mixed(c, g0, m, k, q))
        put9(sums, k, AT_W, now)
        put9(sums, k, AT_WDOT, mixed(c, g0, m, k, q1))
        P = madd(P, mscale(q[k], madd(transpose(W), now)))
        B = madd(B, mscale(q1[k], now))
    b, A = scale(-1.0, tv(R, g)), cc(w, w)
    force = add(add(scale(total, b), mv(A, s)), scale(2.0, cross(w, n)))
    moment = add(cross(s, b), crossed(mt(P, A)))
    moment = sub(moment, scale(2.0, crossed(mc(B, w))))
    moment = add(moment, cross(w, add(mv(J, w), h)))
    I = madd(J, madd(mscale(P[0] + P[4] + P[8], IDENTITY), mscale(-1.0, P)))
    S = skew(s)
    for i in range(3):
        bias[i], bias[3 + i] = force[i], moment[i]
        for j in range(3):
            mass[i, j] = total * IDENTITY[3 * i + j]
            mass[i, 3 + j], mass[3 + i, j] = -S[3 * i + j], S[3 * i + j]
            mass[3 + i, 3 + j] = I[3 * i + j]
    for k in range(m):
        W, N = at9(sums, k, AT_W), three(c, n0 + 3 * k)
        turn = add(crossed(W), three(c, h0 + 3 * k))
        load = dot(N, b) + tr(A, W) + 2.0 * dot(w, crossed(at9(sums, k, AT_WDOT)))
        for i in range(3):
            mass[i, 6 + k] = mass[6 + k, i] = N[i]
            mass[3 + i, 6 + k] = mass[6 + k, 3 + i] = turn[i]
        for j in range(m):
            p = e0 + k * m + j
            mass[6 + k, 6 + j] = c[p]
            load += c[p + m * m] * q[j] + c[p + 2 * m * m] * q1[j]
        bias[6 + k] = load


@inlined
def turn_columns(c, o, m, w, b, force, q1, sums, S, T, cM, cD, cK):
    """Columns of rotations: cM M + cD D by ω, taken through T = T(x)⁻¹, and cK K by θ, into S."""
    n0, h0 = o + FIRST, o + FIRST + 12 * m + 9 * m * m
    J, total = nine(c, o + JBAR), c[o + MASS]
    n, h = summed(c, n0, m, q1), summed(c, h0, m, q1)
    s = (S[5, 1], S[3, 2], S[4, 0])  # of s~, before it is scaled
    B = mscale(0.0, IDENTITY)
    I = (
        S[3, 3] - J[0], S[3, 4] - J[1], S[3, 5] - J[2], S[4, 3] - J[3], S[4, 4] - J[4],
        S[4, 5] - J[5], S[5, 3] - J[6], S[5, 4] - J[7], S[5, 5] - J[8],
    )  # fmt: skip
    P = madd(mscale(0.5 * (I[0] + I[4] + I[8]), IDENTITY), mscale(-1.0, I))
    for k in range(m):
        B = madd(B, mscale(q1[k], at9(sums, k, AT_W)))
    spin = add(mv(J, w), h)
    for j in range(3):
        e = (IDENTITY[j], IDENTITY[3 + j], IDENTITY[6 + j])
        dA = madd(cc(e, w), cc(w, e))
        f = add(mv(dA, s), scale(2.0, cross(e, n)))
        t = sub(crossed(mt(P, dA)), scale(2.0, crossed(mc(B, e))))
        t = add(t, add(cross(e, spin), cross(w, mv(J, e))))
        for i in range(3):
            S[i, 3 + j] = cM * S[i, 3 + j] + cD * f[i]
            S[3 + i, 3 + j] = cM * S[3 + i, 3 + j] + cD * t[i]
        for k in range(m):
            y = tr(dA, at9(sums, k, AT_W)) + 2.0 * dot(e, crossed(at9(sums, k, AT_WDOT)))
            S[6 + k, 3 + j] = cM * S[6 + k, 3 + j] + cD * y
    rest = sub(scale(total, b), force)
    for i in range(6 + m):
        row = tv(T, (S[i, 3], S[i, 4], S[i, 5]))
        if i < 3:
            a = (IDENTITY[3 * i], IDENTITY[3 * i + 1], IDENTITY[3 * i + 2])
            y = cross(a, rest)  # a·(rest × θ) = (a × rest)·θ
        elif i < 6:
            a = (IDENTITY[3 * i - 9], IDENTITY[3 * i - 8], IDENTITY[3 * i - 7])
            y = cross(cross(a, s), b)  # a·(s × (b × θ)) = ((a × s) × b)·θ
        else:
            y = cross(three(c, n0 + 3 * (i - 6)), b)
        for j in range(3):
            S[i, 3 + j] = row[j] + cK * y[j]


@inlined
def shape_columns(c, o, m, w, wdot, b, q2, sums, S, cM, cD, cK):
    """Columns of amplitudes: cM M + cD D + cK K."""
    n0, g0 = o + FIRST, o + FIRST + 12 * m
    h0 = g0 + 9 * m * m
    e0 = h0 + 3 * m
    A = madd(cc(w, w), skew(wdot))
    for k in range(m):
        W, Wdot = at9(sums, k, AT_W), at9(sums, k, AT_WDOT)
        N, H = three(c, n0 + 3 * k), three(c, h0 + 3 * k)
        f = add(scale(2.0 * cD, cross(w, N)), scale(cK, mv(A, N)))
        t = add(cross(N, b), crossed(mt(madd(W, transpose(W)), A)))
        t = sub(t, scale(2.0, crossed(mc(transpose(Wdot), w))))
        t = sub(t, crossed(mixed(c, g0, m, k, q2)))  # crossed(Xᵀ) = −crossed(X)
        d = sub(cross(w, H), scale(2.0, crossed(mc(W, w))))
        for i in range(3):
            S[i, 6 + k] = cM * S[i, 6 + k] + f[i]
            S[3 + i, 6 + k] = cM * S[3 + i, 6 + k] + cD * d[i] + cK * t[i]
        for i in range(m):
            p, G = e0 + i * m + k, nine(c, g0 + 9 * (k * m + i))
            S[6 + i, 6 + k] = (
                cM * S[6 + i, 6 + k]
                + cD * (2.0 * dot(w, crossed(G)) + c[p + 2 * m * m])
                + cK * (tr(A, G) + c[p + m * m])
            )


@inlined
def add_block(vals, base, width, S, i0, rows, j0, columns):
    for i in range(rows):
        for j in range(columns):
            vals[base + width * i + j] += S[i0 + i, j0 + j]


@inlined
def scatter(ints, l, m, R, S, vals):
    """The link's matrix into its blocks, forces and displacements of F in world axes."""
    n, width = 6 + m, STRIDE * ((m + STRIDE - 1) // STRIDE)
    for j in range(n):
        y = mv(R, (S[0, j], S[1, j], S[2, j]))
        S[0, j], S[1, j], S[2, j] = y
    for i in range(n):
        y = mv(R, (S[i, 0], S[i, 1], S[i, 2]))
        S[i, 0], S[i, 1], S[i, 2] = y
    add_block(vals, ints[l, FF], STRIDE, S, 0, 6, 0, 6)
    add_block(vals, ints[l, FQ], width, S, 0, 6, 6, m)
    add_block(vals, ints[l, QF], STRIDE, S, 6, m, 0, 6)
    add_block(vals, ints[l, QQ], width, S, 6, m, 6, m)


@inlined
def link_outputs(c, m, r, R, v, w, q, q1, g, M, y):
    """Energies and momenta of a link with its mass matrix M; y is room for its velocities."""
    n, u = 6 + m, tv(R, v)
    for i in range(3):
        y[i], y[3 + i] = u[i], w[i]
    stiffness, stored = FIRST + 15 * m + 10 * m * m, 0.0
    for i in range(m):
        y[6 + i] = q1[i]
        for j in range(m):
            stored += 0.5 * q[i] * c[stiffness + i * m + j] * q[j]
    s = add(three(c, S0), summed(c, FIRST, m, q))
    stored -= dot(g, add(scale(c[MASS], r), mv(R, s)))
    p, l, kinetic = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for j in range(n):
        p = add(p, scale(y[j], (M[0, j], M[1, j], M[2, j])))
        l = add(l, scale(y[j], (M[3, j], M[4, j], M[5, j])))
        for i in range(n):
            kinetic += 0.5 * y[i] * M[i, j] * y[j]
    p, l = mv(R, p), mv(R, l)
    return (kinetic, stored) + p + add(cross(r, p), l)


def inertia_kernel(ints, reals, motion, loads):
    nodes, vdot, x, values, coef = motion.nodes, motion.vdot, motion.x, motion.values, motion.coef
    f, balance, vals, power = loads.f, loads.balance, loads.vals, loads.power
    g, cM, o = three(coef, GRAVITY), coef[CM], 0
    m = ints[0, ints.shape[1] - 1] if ints.shape[0] > 0 else 0
    n, room = 6 + m, FIRST + 15 * m + 12 * m * m
    last = room + n * n + SUMS * m
    c = reals[0]  # all links work with the room of the first
    S = c[room : room + n * n].reshape(n, n)
    sums = c[room + n * n : last].reshape(m, SUMS)
    q, q1, q2 = c[last : last + m], c[last + m : last + 2 * m], c[last + 2 * m : last + 3 * m]
    bias, y = c[last + 3 * m : last + 3 * m + n], c[last + 3 * m + n : last + 3 * m + 2 * n]
    for l in range(ints.shape[0]):
        c, body, first = reals[l - ints[l, SAME]], ints[l, F], ints[l, Q]
        for k in range(m):
            q[k], q1[k] = values[VALUE, first + k], values[RATE, first + k]
            q2[k] = values[SECOND, first + k]
        R, w = at9(nodes, body, ROT), at(nodes, body, OMEGA)
        link_matrices(c, o, m, R, w, q, q1, g, sums, S, bias)
        if coef[OUT] != 0.0:
            r, v = at(nodes, body, POS), at(nodes, body, VEL)
            write(loads.out, l, link_outputs(c, m, r, R, v, w, q, q1, g, S, y))
        a, wdot = tv(R, at(vdot, body, 0)), at(vdot, body, 3)
        for k in range(3):
            y[k], y[3 + k] = a[k], wdot[k]
        for k in range(m):
            y[6 + k] = q2[k]
        for i in range(n):
            for j in range(n):
                bias[i] += S[i, j] * y[j]
        force = (bias[0], bias[1], bias[2])
        accumulate(f, body, 0, mv(R, force))
        accumulate(f, body, 3, (bias[3], bias[4], bias[5]))
        damping = o + FIRST + 15 * m + 11 * m * m
        for k in range(m):
            balance[first + k] += bias[6 + k]
            for j in range(m):
                power[0] += q1[k] * c[damping + k * m + j] * q1[j]
        if coef[TANGENT] != 0.0:
            b = sub(a, tv(R, g))
            T = inverse_tangent(at(x, body, 3))
            turn_columns(c, o, m, w, b, force, q1, sums, S, T, cM, coef[CD], coef[CK])
            shape_columns(
                c, o, m, w, wdot, b, q2, sums, S, values[BY_SECOND, first], values[BY_RATE, first],
                values[BY_VALUE, first],
            )  # fmt: skip
            for i in range(n):
                for j in range(3):
                    S[i, j] *= cM
            scatter(ints, l, m, R, S, vals)


KERNEL = Kernel(inertia_kernel)


def mass_of_frame(integers: np.ndarray, reals: np.ndarray) -> list[Mass]:
    """Of a straight link, in the axes of F."""
    c = reals[0]
    mass, P, J = c[MASS], c[P0 : P0 + 9].reshape(3, 3), c[JBAR : JBAR + 9].reshape(3, 3)
    centre = c[S0 : S0 + 3] / mass
    about = J + np.trace(P) * np.eye(3) - P  # the origin
    shift = centre @ centre * np.eye(3) - np.outer(centre, centre)
    return [Mass(np.array([mass]), centre[None], (about - mass * shift)[None])]


@cache
def inertia_family(amplitudes: int) -> Family:
    """The family of links with so many amplitudes; all share one kernel."""
    return Family(
        f"link{amplitudes}", KERNEL, bodies=2, inertial=True, masses=mass_of_frame,
        shares=True, integers=1, outputs=MASS_OUTPUTS,
        reals=constant_count(amplitudes) + room_count(amplitudes),
    )  # fmt: skip


def inertia_entry(frame: Any, amplitudes: Any, modal: Any) -> Entry:
    """Inertia, weight and elasticity of a link, on its frame and its amplitudes."""
    m = len(modal.K)
    reals = np.concatenate([link_reals(modal), np.zeros(room_count(m))])
    return Entry(inertia_family(m), (frame, amplitudes), reals, integers=(m,))
