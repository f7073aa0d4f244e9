"""Joints of any number of degrees of freedom: where they put their body, and their elimination.

From marker S on the parent, with free translations t along its axes and a free rotation R_f, and
with the motion laws r_t, ρ_t of the lock joint,

    P = P_S + R_S (t + r_t),        R = R_S R_f R(ρ_t)
    ω = ω_p + w_f + w_t,            w_f = Σ S_j v_j,   w_t = R ω_t
    bias:  angular  ω_p × w_f + b_f + ω × w_t + R ω̇_t
           linear   ω_p × (ω_p × u) + 2 ω_p × R_S (ṫ + ṙ_t) + R_S r̈_t

R_f and the columns S of its velocities v are

    about z   (cos q/2, 0, 0, sin q/2)         e_z of S
    ball      unit quaternion q                axes of the turned frame; q̇ = ½ q v
    cross     about x by q₁, then y by q₂      e_x of S and the turned e_y;  b_f = e_x q̇₁ × e_y q̇₂
    swing     rotation vector (q₁, q₂, 0)      T e_j in the turned frame (swing)

Elimination with U = I S and D = Sᵀ I S = L Lᵀ:  I ← I − U D⁻¹ Uᵀ, as for a hinge.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.rotations import qconj, qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import add, column, cross, dot, four, mv, nine, scale, three
from linkwork.recursive.sweeps.swing import functions, turn_bias, turn_rate
from linkwork.recursive.tree.layout import (
    ABOUT_Z, BALL, BASE, BIAS, CA, CQ, CROSS, DOF, FREE, INTS, IQ, IV, LAW, OMEGA, PARENT, QUAT,
    REALS, RECORD, ROT, SLIDE, SWING, TURN, B, J, M, U, put3, put4, put9,
)  # fmt: skip

LAW_REALS = 21
ZERO = (0.0, 0.0, 0.0)


@fused_inlined
def law_place(base, k):
    """Where a joint with k degrees of freedom keeps the velocity that its motion law makes."""
    return base + (16 * k + k * k + k + 7) // 8 * 8


@fused_inlined
def put_column(columns, p, angular, linear):
    put3(columns, p, angular)
    put3(columns, p + 3, linear)


def place_general(tree, s, i, q, v):
    """Record and columns S of a body behind a general joint."""
    K, w, ints = borrow(tree.reals), borrow(s.sweep), borrow(tree.ints)
    cs, x_, v_, S = borrow(s.halves), borrow(q), borrow(v), borrow(s.columns)
    n, k, x = INTS * i, REALS * i, RECORD * i
    p = RECORD * ints[n + PARENT]
    iq, iv, base = ints[n + IQ], ints[n + IV], ints[n + BASE]
    law_column = law_place(base, ints[n + DOF])
    qS = qmul(four(w, p + QUAT), four(K, k + CQ))
    RS = rotation_matrix(qS)
    wp = three(w, p + OMEGA)
    # translation
    t, rate, more = ZERO, ZERO, ZERO
    law = ints[n + LAW]
    if law >= 0:
        laws = borrow(s.laws)
        l = LAW_REALS * law
        t, rate, more = three(laws, l), three(laws, l + 7), three(laws, l + 14)
    t, rate, more = mv(RS, t), mv(RS, rate), mv(RS, more)
    if law >= 0:
        put3(S, law_column + 3, rate)
    for j in range(3):
        if ints[n + FREE] >> j & 1:
            e = column(RS, j)
            put_column(S, base, ZERO, e)
            base += 8
            t = add(t, scale(x_[iq], e))
            rate = add(rate, scale(v_[iv], e))
            iq += 1
            iv += 1
    u = add(mv(nine(w, p + ROT), three(K, k + CA)), t)
    linear = add(cross(wp, add(cross(wp, u), scale(2.0, rate))), more)
    put3(w, x + U, u)
    put3(w, x + SLIDE, rate)
    # rotation
    qf, wf, bias = qS, ZERO, ZERO
    turn = ints[n + TURN]
    if turn == ABOUT_Z:
        qf = qmul(qS, (cs[2 * iq], 0.0, 0.0, cs[2 * iq + 1]))
        e = column(RS, 2)
        put_column(S, base, e, ZERO)
        wf = scale(v_[iv], e)
    elif turn == BALL:
        qf = qmul(qS, four(x_, iq))
        R = rotation_matrix(qf)
        for j in range(3):
            e = column(R, j)
            put_column(S, base + 8 * j, e, ZERO)
            wf = add(wf, scale(v_[iv + j], e))
    elif turn == CROSS:
        qm = qmul(qS, (cs[2 * iq], cs[2 * iq + 1], 0.0, 0.0))
        qf = qmul(qm, (cs[2 * iq + 2], 0.0, cs[2 * iq + 3], 0.0))
        e, f = column(RS, 0), column(rotation_matrix(qm), 1)
        put_column(S, base, e, ZERO)
        put_column(S, base + 8, f, ZERO)
        first, second = scale(v_[iv], e), scale(v_[iv + 1], f)
        wf, bias = add(first, second), cross(first, second)
    elif turn == SWING:
        theta, d = (x_[iq], x_[iq + 1], 0.0), (v_[iv], v_[iv + 1], 0.0)
        c, half, twice, a1, b1 = functions(dot(theta, theta))
        qf = qmul(qS, (c, half * theta[0], half * theta[1], 0.0))
        R = rotation_matrix(qf)
        for j in range(2):
            e = mv(R, turn_rate(theta, half, twice, (1.0 - j, 1.0 * j, 0.0)))
            put_column(S, base + 8 * j, e, ZERO)
            wf = add(wf, scale(v_[iv + j], e))
        bias = mv(R, turn_bias(theta, twice, a1, b1, d))
    omega = add(wp, wf)
    bias = add(cross(wp, wf), bias)
    if law >= 0:
        laws = borrow(s.laws)
        l = LAW_REALS * law
        qt, q1, q2 = four(laws, l + 3), four(laws, l + 10), four(laws, l + 17)
        qf = qmul(qf, qt)
        R = rotation_matrix(qf)
        a, b = qmul(qconj(qt), q1), qmul(qconj(qt), q2)
        wt = mv(R, (2.0 * a[1], 2.0 * a[2], 2.0 * a[3]))
        omega = add(omega, wt)
        put3(S, law_column, wt)
        bias = add(bias, add(cross(omega, wt), mv(R, (2.0 * b[1], 2.0 * b[2], 2.0 * b[3]))))
    size = 1.5 - 0.5 * (qf[0] * qf[0] + qf[1] * qf[1] + qf[2] * qf[2] + qf[3] * qf[3])
    qf = qscale(size, qf)  # errors would grow along a chain
    put4(w, x + QUAT, qf)
    put9(w, x + ROT, rotation_matrix(qf))
    put3(w, x + OMEGA, omega)
    put3(w, x + BIAS, bias)
    put3(w, x + BIAS + 3, linear)


@fused_inlined
def inertia_times(w, x, a, l):
    """Moment and force of the inertia in a record for accelerations (a, l)."""
    J0, J1, J2 = three(w, x + J)
    J3, J4, J5 = three(w, x + J + 3)
    b0, b1, b2 = three(w, x + B)
    b3, b4, b5 = three(w, x + B + 3)
    b6, b7, b8 = three(w, x + B + 6)
    m0, m1, m2 = three(w, x + M)
    m3, m4, m5 = three(w, x + M + 3)
    a0, a1, a2 = a
    l0, l1, l2 = l
    return (
        J0 * a0 + J1 * a1 + J2 * a2 + b0 * l0 + b1 * l1 + b2 * l2,
        J1 * a0 + J3 * a1 + J4 * a2 + b3 * l0 + b4 * l1 + b5 * l2,
        J2 * a0 + J4 * a1 + J5 * a2 + b6 * l0 + b7 * l1 + b8 * l2,
    ), (
        b0 * a0 + b3 * a1 + b6 * a2 + m0 * l0 + m1 * l1 + m2 * l2,
        b1 * a0 + b4 * a1 + b7 * a2 + m1 * l0 + m3 * l1 + m4 * l2,
        b2 * a0 + b5 * a1 + b8 * a2 + m2 * l0 + m4 * l1 + m5 * l2,
    )


@fused_inlined
def six_dot(S, p, a, l):
    return (
        S[p] * a[0] + S[p + 1] * a[1] + S[p + 2] * a[2] + S[p + 3] * l[0] + S[p + 4] * l[1]
        + S[p + 5] * l[2]
    )  # fmt: skip


@fused_inlined
def cholesky(D, p, k):
    """D = L Lᵀ in place (lower part, the diagonal inverted); k × k from p on."""
    for j in range(k):
        for i in range(j, k):
            sum_ = D[p + i * k + j]
            for m in range(j):
                sum_ -= D[p + i * k + m] * D[p + j * k + m]
            if i == j:
                D[p + j * k + j] = 1.0 / sum_**0.5
            else:
                D[p + i * k + j] = sum_ * D[p + j * k + j]


@fused_inlined
def half_solve(D, p, k, y, r):
    """L⁻¹ y in place; y from r on."""
    for i in range(k):
        sum_ = y[r + i]
        for m in range(i):
            sum_ -= D[p + i * k + m] * y[r + m]
        y[r + i] = sum_ * D[p + i * k + i]


@fused_inlined
def other_half(D, p, k, y, r):
    """L⁻ᵀ y in place."""
    for i in range(k - 1, -1, -1):
        sum_ = y[r + i]
        for m in range(i + 1, k):
            sum_ -= D[p + m * k + i] * y[r + m]
        y[r + i] = sum_ * D[p + i * k + i]
