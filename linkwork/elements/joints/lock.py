"""The lock joint: one constraint between two markers, from which every joint and motor is made.

Main marker S on body a, driven marker P on body b (F₂ and F₁ in Peng, Tasora, Fusai, Mangoni, CMAME
419, 2024, called [P] below; the joint itself is that of Tasora and Righettini 1999, called [T]):

    C_x = R_Sᵀ (r_P − r_S) − r_t                          rows x y z, in the main marker's axes
    C_θ = Im(ρ),  ρ = ρ_S* ρ_P ρ_t*                       rows rx ry rz

r_t, ρ_t are the motion laws of the relative motion; the markers' places u_S, q_S, u_P, q_P on
their bodies may be laws too.  With F = R_S γ_f, G = R_S P(ρ) γ_m, P(ρ) = (s I + ṽ)/2,
l = s_S + d, d = r_P − r_S and s_S, s_P the arms in world axes,

    C_qᵀγ:  body b  F, R_bᵀ(s_P × F + G);   body a  −F, −R_aᵀ(l × F + G)

    K_c (δ(C_qᵀγ), world-axis rotations φ = R θ; [P] (45), (49), rederived):
            r_a    φ_a              r_b    φ_b
      r_a   0      F̃               0      0
      φ_a  −F̃     F̃l̃ + H          F̃    −F̃s̃_P − H
      r_b   0     −F̃               0      0
      φ_b   0     −s̃_P F̃ − G̃ − H  0      s̃_P F̃ + G̃ + H
    H = R_S g(ρ, γ_m) R_P◇ᵀ,  g = −(γ_m vᵀ + γ̃_m (s I + ṽ))/4,  R_P◇ = R_S R(ρ)
      = −G̃/2 − (γ_m·v)/4 I        since (s I + ṽ) R(ρ)ᵀ = s I − ṽ and R(ρ) v = v

Time derivatives follow [T]: every factor of ρ and of C_x is carried with its first two
derivatives and multiplied by the product rule.
"""

from __future__ import annotations

import math

from linkwork.elements.layout import (
    AA, AB, BA, BB, CA, CB, CK, EQ, KC, NODE, OMEGA, OUT, OWN, POS, QUAT, RATES, ROT, ROWS, SIX,
    TANGENT, VEL, A, B, M, write,
)  # fmt: skip
from linkwork.elements.joints.lock_tangent import (
    lock_rows,
    lock_stiffness,
    no_stiffness,
    rotation_rows,
)
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qadd, qconj, qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import (
    add, at, at4, at9, cross, dot, four, gather, mv, nine, scale, sub, three, tv,
)  # fmt: skip
from linkwork.model.outputs import REACTION, Output
from linkwork.model.registry import Family

# reals: value, first and second time derivative (LEVEL apart) of
RT, QT, UA, QA, UB, QB, LEVEL = record(rt=3, qt=4, ua=3, qa=4, ub=3, qb=4, level=0)
# 1 where a motion law is at work
MOVING, REALS = record(3 * LEVEL, moving=1, reals=0)
SLOTS = ROWS + 6  # in ints: the multiplier of each of the six rows
COORDINATES = sum(output.size for output in REACTION)  # where they begin among the outputs
TURN = 2 * math.pi
LEAST = 1e-30  # of s² + v_z², the squared cosine of half the swing


@inlined
def turn(q, q1, q2, z, z1, z2):
    """q* z q with first and second derivative, z a vector."""
    z, z1, z2 = (0.0, z[0], z[1], z[2]), (0.0, z1[0], z1[1], z1[2]), (0.0, z2[0], z2[1], z2[2])
    p, p1, p2 = qconj(q), qconj(q1), qconj(q2)
    y = qmul(p, z)
    y1 = qadd(qmul(p1, z), qmul(p, z1))
    y2 = qadd(qadd(qmul(p2, z), qscale(2.0, qmul(p1, z1))), qmul(p, z2))
    c1 = qadd(qmul(y1, q), qmul(y, q1))
    c2 = qadd(qadd(qmul(y2, q), qscale(2.0, qmul(y1, q1))), qmul(y, q2))
    return (c1[1], c1[2], c1[3]), (c2[1], c2[2], c2[3])


@inlined
def lock_derivatives(reals, k, nodes, a, b, moving):
    """dC/dt and d²C/dt² of all six rows at zero accelerations; moving = 0: bodies at rest (C_t)."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    wa, wb = scale(moving, at(nodes, a, OMEGA)), scale(moving, at(nodes, b, OMEGA))
    v = scale(moving, sub(at(nodes, b, VEL), at(nodes, a, VEL)))
    ub, ub1, ub2 = at(reals, k, UB), at(reals, k, UB + LEVEL), at(reals, k, UB + 2 * LEVEL)
    # y = R_aᵀ (r_b + R_b u_b − r_a), the driven marker seen from body a
    y = tv(Ra, add(sub(at(nodes, b, POS), at(nodes, a, POS)), mv(Rb, ub)))
    p1 = tv(Ra, add(v, mv(Rb, add(cross(wb, ub), ub1))))
    y1 = sub(p1, cross(wa, y))
    coriolis = add(add(cross(wb, cross(wb, ub)), scale(2.0, cross(wb, ub1))), ub2)
    y2 = sub(sub(tv(Ra, mv(Rb, coriolis)), cross(wa, p1)), cross(wa, y1))
    qa, qa1, qa2 = at4(reals, k, QA), at4(reals, k, QA + LEVEL), at4(reals, k, QA + 2 * LEVEL)
    x1, x2 = turn(
        qa, qa1, qa2,
        sub(y, at(reals, k, UA)),
        sub(y1, at(reals, k, UA + LEVEL)),
        sub(y2, at(reals, k, UA + 2 * LEVEL)),
    )  # fmt: skip
    x1 = sub(x1, at(reals, k, RT + LEVEL))
    x2 = sub(x2, at(reals, k, RT + 2 * LEVEL))
    # ρ = q_S* p w with p = q_a* q_b and w = q_P ρ_t*
    pa, pb = (0.0, wa[0], wa[1], wa[2]), (0.0, wb[0], wb[1], wb[2])
    p = qmul(qconj(at4(nodes, a, QUAT)), at4(nodes, b, QUAT))
    d1 = qscale(0.5, qadd(qmul(p, pb), qscale(-1.0, qmul(pa, p))))
    d2 = qscale(0.5, qadd(qmul(d1, pb), qscale(-1.0, qmul(pa, d1))))
    qb, qb1, qb2 = at4(reals, k, QB), at4(reals, k, QB + LEVEL), at4(reals, k, QB + 2 * LEVEL)
    qt, qt1 = qconj(at4(reals, k, QT)), qconj(at4(reals, k, QT + LEVEL))
    qt2 = qconj(at4(reals, k, QT + 2 * LEVEL))
    w = qmul(qb, qt)
    w1 = qadd(qmul(qb1, qt), qmul(qb, qt1))
    w2 = qadd(qadd(qmul(qb2, qt), qscale(2.0, qmul(qb1, qt1))), qmul(qb, qt2))
    s, s1, s2 = qconj(qa), qconj(qa1), qconj(qa2)
    m = qmul(s, p)
    m1 = qadd(qmul(s1, p), qmul(s, d1))
    m2 = qadd(qadd(qmul(s2, p), qscale(2.0, qmul(s1, d1))), qmul(s, d2))
    r1 = qadd(qmul(m1, w), qmul(m, w1))
    r2 = qadd(qadd(qmul(m2, w), qscale(2.0, qmul(m1, w1))), qmul(m, w2))
    return (x1[0], x1[1], x1[2], r1[1], r1[2], r1[3]), (x2[0], x2[1], x2[2], r2[1], r2[2], r2[3])


@inlined
def lock_rates(ints, reals, nodes, k, Ct, Qc):
    """C_t and Q_c of the active rows ([T] (32), (43), (51), (53))."""
    a, b, eq = ints[k, A], ints[k, B], ints[k, EQ]
    _, second = lock_derivatives(reals, k, nodes, a, b, 1.0)
    for j in range(ints[k, M]):
        Qc[eq + j] = -second[ints[k, ROWS + j]]
    if reals[k, MOVING] != 0.0:
        first, _ = lock_derivatives(reals, k, nodes, a, b, 0.0)
        for j in range(ints[k, M]):
            Ct[eq + j] = first[ints[k, ROWS + j]]


@inlined
def marker(reals, k, nodes, vdot, body, u, q):
    """A marker whose place and axes begin at u and q in the reals: position, velocity, quaternion,
    its angular velocity in its own axes and the rate of that.

    ω = R_qᵀ ω_body + m,   m = 2 Im(q* q̇),   ω̇ = R_qᵀ ω̇_body + (R_qᵀ ω_body) × m + 2 Im(q* q̈)
    """
    R, w = at9(nodes, body, ROT), at(nodes, body, OMEGA)
    arm, own, back = at(reals, k, u), at4(reals, k, q), qconj(at4(reals, k, q))
    r = add(at(nodes, body, POS), mv(R, arm))
    v = add(at(nodes, body, VEL), mv(R, add(cross(w, arm), at(reals, k, u + LEVEL))))
    m = qmul(back, qscale(2.0, at4(reals, k, q + LEVEL)))
    n = qmul(back, qscale(2.0, at4(reals, k, q + 2 * LEVEL)))
    A_, m, n = rotation_matrix(own), (m[1], m[2], m[3]), (n[1], n[2], n[3])
    seen = tv(A_, w)
    change = add(add(tv(A_, at(vdot, body, 3)), cross(seen, m)), n)
    return r, v, qmul(at4(nodes, body, QUAT), own), add(seen, m), change


@inlined
def pure(u):
    """The quaternion (0, u)."""
    return (0.0, u[0], u[1], u[2])


@inlined
def lock_coordinates(reals, k, nodes, vdot, a, b, out):
    """x = R_Sᵀ (r_P − r_S), ẋ; of ρ = ρ_S* ρ_P = (s, v) the twist about z with two derivatives,

        φ = 2 atan2(v_z, s),   p φ̇ = 2 (s v̇_z − v_z ṡ),   p = s² + v_z²,
        p φ̈ = 2 (s v̈_z − v_z s̈) − ṗ φ̇

    The angle is within half a turn; where a half turn of swing leaves it undefined the rate is 0.
    """
    rS, vS, qS, wS, aS = marker(reals, k, nodes, vdot, a, UA, QA)
    rP, vP, qP, wP, aP = marker(reals, k, nodes, vdot, b, UB, QB)
    S = rotation_matrix(qS)
    x = tv(S, sub(rP, rS))
    x1 = sub(tv(S, sub(vP, vS)), cross(wS, x))
    rho, wS, wP = qmul(qconj(qS), qP), pure(wS), pure(wP)
    d = qscale(0.5, qadd(qmul(rho, wP), qscale(-1.0, qmul(wS, rho))))
    dd = qscale(0.5, qadd(
        qadd(qmul(d, wP), qmul(rho, pure(aP))),
        qscale(-1.0, qadd(qmul(pure(aS), rho), qmul(wS, d))),
    ))  # fmt: skip
    p = rho[0] * rho[0] + rho[3] * rho[3]
    angle, rate, bend = 2.0 * math.atan2(rho[3], rho[0]), 0.0, 0.0
    angle -= TURN * math.floor(angle / TURN + 0.5)
    if p > LEAST:
        rate = 2.0 * (rho[0] * d[3] - rho[3] * d[0]) / p
        grows = 2.0 * (rho[0] * d[0] + rho[3] * d[3])
        bend = (2.0 * (rho[0] * dd[3] - rho[3] * dd[0]) - grows * rate) / p
    numbers = x + x1 + (angle, rate, bend)
    for i in range(len(numbers)):
        out[k, COORDINATES + i] = numbers[i]


def lock_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Ct, Qc, vals = loads.f, loads.C, loads.Ct, loads.Qc, loads.vals
    ground, width = nodes.shape[0] - 1, ints.shape[1]
    n, x, g, residual, given, values = (
        borrow(nodes), borrow(reals), borrow(gamma), borrow(C), borrow(ints), borrow(vals)
    )  # fmt: skip
    forces = borrow(f)
    for k in range(ints.shape[0]):
        i, p = k * width, k * REALS
        a, b, eq, m = given[i + A], given[i + B], given[i + EQ], given[i + M]
        pa, pb = a * NODE, b * NODE
        Ra, Rb = nine(n, pa + ROT), nine(n, pb + ROT)
        qS = qmul(four(n, pa + QUAT), four(x, p + QA))
        S = rotation_matrix(qS)
        qP = qmul(qmul(four(n, pb + QUAT), four(x, p + QB)), qconj(four(x, p + QT)))
        rho = qmul(qconj(qS), qP)
        s, v = rho[0], (rho[1], rho[2], rho[3])
        sb = mv(Rb, three(x, p + UB))
        l = sub(add(three(n, pb + POS), sb), three(n, pa + POS))
        gap = sub(tv(S, sub(l, mv(Ra, three(x, p + UA)))), three(x, p + RT))
        # every row, active or not: the multiplier behind all is zero, and its row is not read
        i += SLOTS
        c0, c1, c2 = given[i], given[i + 1], given[i + 2]
        c3, c4, c5 = given[i + 3], given[i + 4], given[i + 5]
        i -= SLOTS
        residual[c0], residual[c1], residual[c2] = gap
        residual[c3], residual[c4], residual[c5] = v
        gm = (g[c3], g[c4], g[c5])
        F = mv(S, (g[c0], g[c1], g[c2]))
        G = mv(S, scale(0.5, add(scale(s, gm), cross(v, gm))))
        gather(forces, SIX * b, F, tv(Rb, add(cross(sb, F), G)))
        gather(forces, SIX * a, scale(-1.0, F), scale(-1.0, tv(Ra, add(cross(l, F), G))))

        if coef[TANGENT] != 0.0:
            moves_a, moves_b = a < ground, b < ground
            rows = (
                min(c0 - eq, m), min(c1 - eq, m), min(c2 - eq, m),
                min(c3 - eq, m), min(c4 - eq, m), min(c5 - eq, m),
            )  # fmt: skip
            A_, B_ = rotation_rows(n, pa + ROT), rotation_rows(n, pb + ROT)
            if moves_a:
                lock_rows(values, given[i + CA], rows, -1.0, S, s, v, l, A_)
            if moves_b:
                lock_rows(values, given[i + CB], rows, 1.0, S, s, v, sb, B_)
            if coef[KC] != 0.0:
                cK = coef[CK]
                lock_stiffness(
                    values, given[i + AA], given[i + AB], given[i + BA], given[i + BB],
                    given[i + OWN], Ra, Rb, A_, B_, l, sb, scale(cK, F), scale(cK, G),
                    0.25 * cK * dot(gm, v), moves_a, moves_b,
                )  # fmt: skip
            elif given[i + OWN] != 0:  # nobody else clears its blocks
                no_stiffness(values, given[i + AB], given[i + BA])
        if coef[RATES] != 0.0:
            lock_rates(ints, reals, nodes, k, Ct, Qc)
        if coef[OUT] != 0.0:
            torque = scale(-0.5, add(scale(s, gm), cross(v, gm)))
            point = add(three(n, pb + POS), sb)
            write(loads.out, k, (-g[c0], -g[c1], -g[c2]) + torque + S + point)
            lock_coordinates(reals, k, nodes, motion.vdot, a, b, loads.out)


LOCK = Family(
    "lock", Kernel(lock_kernel), bodies=2, rows=6, angles=(3, 4, 5), reals=REALS, whole=True,
    outputs=(
        *REACTION, Output("_position", "m", "xyz"), Output("_velocity", "m/s", "xyz"),
        Output("_angle", "rad"), Output("_rate", "rad/s"), Output("_rate_change", "rad/s²"),
    ),
)  # fmt: skip
