"""Flexible links in the tree: entered through one of their ends, left through the others.

The floating frame F deforms by amplitudes q; an end has the place ρ = ρ0 + Φ_u q in F and the turn
with the quaternion (w, ε), ε = ½ Φ_θ q, w = √(1 − ε²) (elements.flexible).  The end's turn has, in
its own axes, the velocity Σ a_j q̇_j and the acceleration Σ a_j q̈_j + b,

    a_j = 2 (w ψ_j + (ε·ψ_j) ε/w − ε × ψ_j),   ψ_j = ½ Φ_θj,   b = 2 (ε̇² + ẇ²) ε/w

An end T that hangs on F (`leave_link`), u = R_F ρ:

    S_j = (R_T a_j, R_F Φ_uj),   bias  ω_F × w_s + R_T b,   ω_F × (ω_F × u) + 2 ω_F × R_F Φ_u q̇

F that hangs on its end R (`enter_link`), l = −R_F ρ and d from R's reference point to the end,
u = d + l, everything the other way round:

    S_j = (−R_R a_j, S_ang × l − R_F Φ_uj)
    bias  β = −ω_R × w_s − R_R b,   β × l + ω_F × (ω_F × l) − 2 ω_F × R_F Φ_u q̇ + ω_R × (ω_R × d)

The inertia of F and q (elements.flexible.inertia) goes to F's record and, for the amplitudes, to
the coupling C, the matrix E and the bias r behind its columns.
"""

from __future__ import annotations

from linkwork.elements.flexible.inertia import link_matrices
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined, inlined
from linkwork.kernels.rotations import qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import add, cross, dot, four, mv, nine, scale, sub, three, tv
from linkwork.recursive.tree.layout import (
    BASE, BIAS, BQ, COM, DOF, INTS, IQ, IV, LINK, OMEGA, PARENT, QUAT, REALS, RECORD, ROT, SLIDE,
    WRENCH, B, J, M, U, put3, put4, put9,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)
CONSTANTS, END, MODES = range(3)  # places: where a link's constants and an end's shapes begin


@fused_inlined
def section_place(c, p, m, q, iq):
    """ρ and ε of an end; its numbers from p on: ρ0, then Φ_uj and ψ_j."""
    rho, eps = three(c, p), ZERO
    for j in range(m):
        rho = add(rho, scale(q[iq + j], three(c, p + 3 + 6 * j)))
        eps = add(eps, scale(q[iq + j], three(c, p + 6 + 6 * j)))
    return rho, eps


@fused_inlined
def turn_column(w, eps, psi):
    return scale(2.0, sub(add(scale(w, psi), scale(dot(eps, psi) / w, eps)), cross(eps, psi)))


def leave_link(tree, s, i, q, v):
    """Record and columns of an end that hangs on its floating frame."""
    w, ints, S, c = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(tree.links)
    x_, v_ = borrow(q), borrow(v)
    n, x = INTS * i, RECORD * i
    parent = ints[n + PARENT]
    p, iq, iv = RECORD * parent, ints[INTS * parent + IQ], ints[INTS * parent + IV]
    end, m = tree.places[ints[n + LINK], END], tree.places[ints[n + LINK], MODES]
    rho, eps = section_place(c, end, m, x_, iq)
    cosine = max(1.0 - dot(eps, eps), 1e-300) ** 0.5
    RF, wF = nine(w, p + ROT), three(w, p + OMEGA)
    qT = qmul(four(w, p + QUAT), (cosine, eps[0], eps[1], eps[2]))
    RT = rotation_matrix(qT)
    spin, move, rate = ZERO, ZERO, ZERO
    for j in range(m):
        psi, phi = three(c, end + 6 + 6 * j), mv(RF, three(c, end + 3 + 6 * j))
        a = mv(RT, turn_column(cosine, eps, psi))
        put3(S, ints[n + BASE] + 8 * j, a)
        put3(S, ints[n + BASE] + 8 * j + 3, phi)
        spin, move = add(spin, scale(v_[iv + j], a)), add(move, scale(v_[iv + j], phi))
        rate = add(rate, scale(v_[iv + j], psi))
    u, dw = mv(RF, rho), dot(eps, rate) / cosine
    b = mv(RT, scale(2.0 * (dot(rate, rate) + dw * dw) / cosine, eps))
    size = 1.5 - 0.5 * (qT[0] * qT[0] + qT[1] * qT[1] + qT[2] * qT[2] + qT[3] * qT[3])
    put4(w, x + QUAT, qscale(size, qT))
    put9(w, x + ROT, RT)
    put3(w, x + U, u)
    put3(w, x + SLIDE, move)
    put3(w, x + OMEGA, add(wF, spin))
    put3(w, x + BIAS, add(cross(wF, spin), b))
    put3(w, x + BIAS + 3, cross(wF, add(cross(wF, u), scale(2.0, move))))


def enter_link(tree, s, i, q, v):
    """Record, columns and inertia of a floating frame that hangs on one of its ends."""
    w, ints, S, c = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(tree.links)
    x_, v_ = borrow(q), borrow(v)
    n, x = INTS * i, RECORD * i
    p, iq, iv, base = RECORD * ints[n + PARENT], ints[n + IQ], ints[n + IV], ints[n + BASE]
    end, m = tree.places[ints[n + LINK], END], tree.places[ints[n + LINK], MODES]
    rho, eps = section_place(c, end, m, x_, iq)
    cosine = max(1.0 - dot(eps, eps), 1e-300) ** 0.5
    K, k = borrow(tree.reals), REALS * ints[n + PARENT]
    qR, wR = qmul(four(w, p + QUAT), four(K, k + BQ)), three(w, p + OMEGA)
    RR = rotation_matrix(qR)
    qF = qmul(qR, (cosine, -eps[0], -eps[1], -eps[2]))
    RF = rotation_matrix(qF)
    u, d = scale(-1.0, mv(RF, rho)), mv(nine(w, p + ROT), three(K, k + COM))
    spin, move, slide, rate = ZERO, ZERO, ZERO, ZERO
    for j in range(m):
        psi, phi = three(c, end + 6 + 6 * j), mv(RF, three(c, end + 3 + 6 * j))
        a = scale(-1.0, mv(RR, turn_column(cosine, eps, psi)))
        l = sub(cross(a, u), phi)
        put3(S, base + 8 * j, a)
        put3(S, base + 8 * j + 3, l)
        spin, move = add(spin, scale(v_[iv + j], a)), add(move, scale(v_[iv + j], phi))
        slide, rate = add(slide, scale(v_[iv + j], l)), add(rate, scale(v_[iv + j], psi))
    dw = dot(eps, rate) / cosine
    b = mv(RR, scale(2.0 * (dot(rate, rate) + dw * dw) / cosine, eps))
    wF, bias = add(wR, spin), sub(cross(wR, spin), b)
    linear = sub(cross(wF, cross(wF, u)), scale(2.0, cross(wF, move)))
    size = 1.5 - 0.5 * (qF[0] * qF[0] + qF[1] * qF[1] + qF[2] * qF[2] + qF[3] * qF[3])
    put4(w, x + QUAT, qscale(size, qF))
    put9(w, x + ROT, RF)
    put3(w, x + U, add(d, u))
    put3(w, x + SLIDE, slide)
    put3(w, x + OMEGA, wF)
    put3(w, x + BIAS, bias)
    put3(w, x + BIAS + 3, add(add(cross(bias, u), linear), cross(wR, cross(wR, d))))
    link_inertia(tree, s, i, q, v, RF, tv(RF, wF))


@inlined
def link_inertia(tree, s, i, q, v, R, omega):
    """Inertia and bias of a link about the origin of F, in world axes (weight comes with A)."""
    w, ints, S = borrow(s.sweep), borrow(tree.ints), borrow(s.columns)
    n, x = INTS * i, RECORD * i
    iq, iv, k = ints[n + IQ], ints[n + IV], ints[n + DOF]
    A, bias = s.link_mass, s.link_bias
    link_matrices(
        tree.links, tree.places[ints[n + LINK], CONSTANTS], k, R, omega, q[iq : iq + k],
        v[iv : iv + k], ZERO, s.link_sums, A, bias,
    )  # fmt: skip
    for a in range(3):
        for b in range(a, 3):
            total = 0.0
            for e in range(3):
                for f in range(3):
                    total += R[3 * a + e] * A[3 + e, 3 + f] * R[3 * b + f]
            w[x + J + 3 * a - a * (a + 1) // 2 + b] = total
    c = mv(R, (A[5, 1], A[3, 2], A[4, 0]))
    m = A[0, 0]
    put9(w, x + B, (0.0, -c[2], c[1], c[2], 0.0, -c[0], -c[1], c[0], 0.0))
    put3(w, x + M, (m, 0.0, 0.0))
    put3(w, x + M + 3, (m, 0.0, m))
    put3(w, x + WRENCH, mv(R, (bias[3], bias[4], bias[5])))
    put3(w, x + WRENCH + 3, mv(R, (bias[0], bias[1], bias[2])))
    C = ints[n + BASE] + 17 * k + k * k
    E, r = C + 8 * k, C + 8 * k + k * k
    for j in range(k):
        put3(S, C + 8 * j, mv(R, (A[3, 6 + j], A[4, 6 + j], A[5, 6 + j])))
        put3(S, C + 8 * j + 3, mv(R, (A[0, 6 + j], A[1, 6 + j], A[2, 6 + j])))
        S[r + j] = bias[6 + j]
        for e in range(k):
            S[E + j * k + e] = A[6 + j, 6 + e]
