"""Reactions and accelerations that loads follow, in joint coordinates.

Sensors (elements.signals.measured) show x = g, and g depends on the loads that follow x, an
algebraic loop in every evaluation of the accelerations.  With F(x) = x − g(x), from the last x and
with H ≈ (∂F/∂x)⁻¹, both kept from evaluation to evaluation,

    x ← x − H F,        H ← H + (Δx − H ΔF) ΔxᵀH/(ΔxᵀH ΔF)

(C. G. Broyden, Mathematics of Computation 19, 1965).  Loads that depend linearly on x leave nothing
after at most 2 n steps for n sensors (D. M. Gay, SIAM J. Numerical Analysis 16, 1979), and after
one or two where H is known.  Of joints of the tree the reaction is the wrench that the sweeps know,
of cut joints it follows from their multipliers; loads (signals.load_sensors) are asked themselves.
"""

from __future__ import annotations

from linkwork.elements import layout as el
from linkwork.elements.signals.measured import arm, normal
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import add, at, at4, at9, cross, dot, mv, scale, sub, tv
from linkwork.recursive.sweeps.nodes import body_accelerations
from linkwork.recursive.sweeps.wrenches import joint_wrenches

# integers of a sensor: what it shows, its value, bodies; of the tree's joint its place, and whether
# rows z and rz are free; of a cut joint three multipliers
KIND, X, A, B, PLACE, WITHOUT_Z, FREE_Z, GAMMA, CODES = record(
    kind=1, x=1, a=1, b=1, place=1, without_z=1, free_z=1, gamma=3, codes=0
)
# its reals: axis; marker S on a and P on b; of the tree's joint its sign and reference point; what
# is large
E, QA, QB, DRIVEN, SIGN, POINT, UNIT, COLUMNS = record(
    e=3, qa=4, qb=4, driven=3, sign=1, point=3, unit=1, columns=0
)
OF_CROSS = 2  # FREE_Z of the torque of a universal joint
FORCE, TORQUE, CUT_FORCE, CUT_TORQUE, ACCELERATION, SPIN, ANGLE, LOAD = range(8)  # KIND
# rows of the room beside the table; H follows
SHOWN, SIZE, LEFT, STEP, CHANGE, ALONG, H = range(7)
ROUNDS = 60  # evaluations
CLOSE, ENOUGH = 1e-13, 1e-10  # F over its size; the same where it no longer falls
FAR = 1e10  # of what is large: x that runs away, because F does not depend on it


@fused_inlined
def length(a):
    return dot(a, a) ** 0.5


@fused_inlined
def held(gamma, row):
    """A multiplier; zero where there is no such row."""
    return gamma[row] if row < gamma.shape[0] else 0.0


@fused_inlined
def reaction(nodes, wrench, gamma, codes, table, k, kind):
    """Force or torque on the second body of a joint, in the axes of the marker on its first."""
    a, b = codes[k, A], codes[k, B]
    qS = qmul(at4(nodes, a, el.QUAT), at4(table, k, QA))
    cross_normal = (0.0, 0.0, 0.0)
    if codes[k, FREE_Z] == OF_CROSS:
        cross_normal = normal(
            qmul(qconj(qS), qmul(at4(nodes, b, el.QUAT), at4(table, k, QB)))
        )
    if kind >= CUT_FORCE:
        g = (held(gamma, codes[k, GAMMA]), held(gamma, codes[k, GAMMA + 1]),
             held(gamma, codes[k, GAMMA + 2]))  # fmt: skip
        if kind == CUT_FORCE:
            return scale(-1.0, g)
        if codes[k, FREE_Z] == OF_CROSS:
            return scale(g[0], cross_normal)
        rho = (1.0, 0.0, 0.0, 0.0)
        if codes[k, FREE_Z] != 0:
            rho = qmul(qconj(qS), qmul(at4(nodes, b, el.QUAT), at4(table, k, QB)))
        return (
            dot(g, arm(rho, (1.0, 0.0, 0.0))), dot(g, arm(rho, (0.0, 1.0, 0.0))),
            dot(g, arm(rho, (0.0, 0.0, 1.0))),
        )  # fmt: skip
    i, sign = codes[k, PLACE], table[k, SIGN]
    n = (wrench[i, 0], wrench[i, 1], wrench[i, 2])
    f = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
    if kind == TORQUE:
        child = b if sign > 0.0 else a
        P = add(at(nodes, child, el.POS), mv(at9(nodes, child, el.ROT), at(table, k, POINT)))
        D = add(at(nodes, b, el.POS), mv(at9(nodes, b, el.ROT), at(table, k, DRIVEN)))
        f = add(n, cross(sub(P, D), f))
    shown = tv(rotation_matrix(qS), scale(sign, f))
    if codes[k, FREE_Z] == OF_CROSS:  # loads about the arms are in the wrench
        return scale(dot(cross_normal, shown) / dot(cross_normal, cross_normal), cross_normal)
    return (shown[0], shown[1], 0.0 if codes[k, WITHOUT_Z] != 0 else shown[2])


@fused_inlined
def show(nodes, acceleration, wrench, gamma, codes, table, room, values, balance, k):
    """What sensor k shows, and the size of the vector that it is a component of."""
    kind, e = codes[k, KIND], at(table, k, E)
    if kind == LOAD:  # whose element was asked with the others, and left x − g
        i = codes[k, X]
        room[SHOWN, k] = values[el.VALUE, i] - balance[i]
        room[SIZE, k] = abs(room[SHOWN, k])
        return
    if kind <= CUT_TORQUE:
        x = reaction(nodes, wrench, gamma, codes, table, k, kind)
        room[SHOWN, k], room[SIZE, k] = dot(e, x), length(x)
        return
    a, b = codes[k, A], codes[k, B]
    turn, R = at(acceleration, b, 3), at9(nodes, b, el.ROT)
    if kind == ANGLE:
        m = tv(at9(nodes, a, el.ROT), mv(R, e))
        room[SHOWN, k] = dot(e, turn) - dot(m, at(acceleration, a, 3))
        room[SIZE, k] = length(turn) + length(at(acceleration, a, 3))
        return
    x = mv(R, turn)
    if kind == ACCELERATION:
        w, u = at(nodes, b, el.OMEGA), at(table, k, DRIVEN)
        x = add(at(acceleration, b, 0), mv(R, add(cross(turn, u), cross(w, cross(w, u)))))
    room[SHOWN, k], room[SIZE, k] = dot(mv(at9(nodes, a, el.ROT), e), x), length(x)


@fused_inlined
def improve(room, n):
    """H from the last change of x and F; CHANGE has ΔF, STEP Δx."""
    bottom = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += room[H + i, j] * room[CHANGE, j]
        room[ALONG, i] = total  # H ΔF
        bottom += room[STEP, i] * total
    if bottom == 0.0:
        return
    for i in range(n):
        room[ALONG, i] = (room[STEP, i] - room[ALONG, i]) / bottom
    for j in range(n):
        total = 0.0
        for i in range(n):
            total += room[STEP, i] * room[H + i, j]
        room[CHANGE, j] = total  # ΔxᵀH
    for i in range(n):
        for j in range(n):
            room[H + i, j] += room[ALONG, i] * room[CHANGE, j]


def sense(
    tree, s, nodes, acceleration, gamma, wrench, a, codes, table, room, values, balance, k
):  # fmt: skip
    """Look at the sensors after evaluation k: 1 where x = g; else 0, and x is moved on."""
    body_accelerations(tree, s, nodes, acceleration)
    joint_wrenches(tree, s, a, wrench)
    n, done, now, before, away = table.shape[0], True, 0.0, 0.0, False
    for i in range(n):
        show(nodes, acceleration, wrench, gamma, codes, table, room, values, balance, i)
        x = values[el.VALUE, codes[i, X]]
        size, left = table[i, UNIT] + room[SIZE, i] + abs(x), x - room[SHOWN, i]
        done, away = done and abs(left) <= CLOSE * size, away or abs(x) > FAR * table[i, UNIT]
        now, before = now + abs(left) / size, before + abs(room[LEFT, i]) / size
        room[CHANGE, i], room[LEFT, i] = left - room[LEFT, i], left
    if away or not now < 1e300:
        return 0
    if done or (k > 0 and now <= ENOUGH and now > 0.5 * before):
        return 1
    if k > 0:
        improve(room, n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total -= room[H + i, j] * room[LEFT, j]
        room[STEP, i] = total
        values[el.VALUE, codes[i, X]] += total
    return 0
