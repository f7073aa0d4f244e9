"""The tree of bodies and its joint coordinates: q₁ = F(u), every tree joint satisfied exactly.

A spanning tree of the joints, those with most rows first, hangs all bodies on the ground; joints
outside it close loops and are cut.  A body without a joint hangs on the ground freely.  Along a
tree joint (main marker S on a, driven marker P on b, m its main marker's axes)

    p_b = p_a + Σ u_i m_i                                 over the free rows among x y z
    R_b P = R_a S,  = R_a S exp(α k̃),  or R_b free        FIXED, AXIS (k free), FREE

so the child's pose follows from its parent's: rotation first, then position, in either direction
of the joint ([B] (95), (118), (126), (136), (154), (188), (189)).  u and α are kept as whole
coordinates, their change over a step are the incremental unknowns of [B].

Increments read off from those of the bodies (δφ, θ in world axes):

    δu_i = m_i·(δp_b − δp_a − θ_a × d),   δα = m_k·(θ_b − θ_a),   or θ of the child
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.elements.joints import lock
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.layout import NODE, POS, QUAT, ROT
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats2, Ints, Ints2, stored
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import add, at, at4, at9, column, cross, dot, mv, sub
from linkwork.system.evaluate import set_rotation, set_rotations
from linkwork.system.system import System

FIXED, AXIS, FREE = 0, 1, 2
# ints of a tree joint: child, parent, whether the child is a, how it turns, about what, free x y z
CHILD, PARENT, FLIP, TURN, ABOUT, X, INTS = 0, 1, 2, 3, 4, 5, 8
UA, QA, UB, QB, SA = 0, 3, 7, 10, 14  # SA: the axes of the main marker, the matrix of QA
# coordinates of a body: u, α, quaternion; increments: u, α, rotation
U, ANGLE, Q, COORDINATES = 0, 3, 4, 8
TURNED = 4


@stored
class Tree(NamedTuple):
    """Tree joints, parents before children; `element` is the number of each one's element."""

    ints: Ints2
    reals: Floats2
    element: Ints


@stored
class Poses(NamedTuple):
    """Joint coordinates of all bodies, and where these are."""

    coordinate: Floats2  # (bodies, COORDINATES)
    nodes: Floats2  # (bodies + 1, NODE)


def make_tree(system: System) -> Tree:
    """A spanning tree of the lock joints, preferring those with most rows, then the earliest."""
    n = system.bodies
    joints = [i for i, e in enumerate(system.elements) if e.entry.family is LOCK]
    joints.sort(key=lambda i: -len(system.elements[i].entry.rows))
    root = list(range(n + 1))

    def find(b: int) -> int:
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        return b

    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n + 1)]
    for i in joints:
        a, b = (end % (n + 1) for end in system.elements[i].ends)  # the ground, −1, becomes n
        if find(a) != find(b):
            root[find(a)] = find(b)
            neighbours[a].append((i, b))
            neighbours[b].append((i, a))
    ints, reals, element, seen = [], [], [], {n}

    def hang(start: int) -> None:
        queue = [start]
        for parent in queue:
            for i, child in neighbours[parent]:
                if child not in seen:
                    seen.add(child)
                    queue.append(child)
                    x, y = tree_joint(system, i, child, parent)
                    ints.append(x)
                    reals.append(y)
                    element.append(i)

    hang(n)
    for b in range(n):  # free bodies, and what hangs on them
        if b not in seen:
            seen.add(b)
            ints.append([b, n, 0, FREE, 0, 1, 1, 1])
            marker = np.array([0.0, 0, 0, 1, 0, 0, 0])
            reals.append(np.concatenate([marker, marker, np.eye(3).ravel()]))
            element.append(-1)
            hang(b)
    return Tree(np.array(ints, np.int64), np.array(reals), np.array(element, np.int64))


def tree_joint(system: System, i: int, child: int, parent: int) -> tuple[list[int], np.ndarray]:
    e = system.elements[i]
    x, rows = np.asarray(e.entry.reals, float), e.entry.rows
    axes = rotations.matrix(x[lock.QA : lock.QA + 4])
    reals = np.concatenate([x[lock.UA : lock.UA + 7], x[lock.UB : lock.UB + 7], axes.ravel()])
    turns = [r - 3 for r in rows if r >= 3]
    kind, about = FREE, 0
    if len(turns) == 3:
        kind = FIXED
    elif len(turns) == 2:
        kind, about = AXIS, ({0, 1, 2} - set(turns)).pop()
    flip = int(e.ends[0] % (system.bodies + 1) == child)
    free = [int(r not in rows) for r in range(3)]
    return [child, parent, flip, kind, about, *free], reals


def coordinates(tree: Tree, motion: np.ndarray) -> np.ndarray:
    """Joint coordinates of given poses (bodies, 13)."""
    nodes = np.zeros((len(motion) + 1, NODE))
    nodes[:-1, :7], nodes[-1, QUAT] = motion[:, :7], 1.0
    set_rotations(nodes)
    out = np.zeros((len(motion), COORDINATES))
    read_coordinates(tree, Poses(out, nodes))
    return out

# --------------------------------------------------------------------------------- compiled


@inlined
def about_axis(k, angle):
    s = math.sin(0.5 * angle)
    return (
        math.cos(0.5 * angle), s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0,
    )  # fmt: skip


@inlined
def unwind(tree, coordinate):
    """Angles less two turns where they go beyond: after 1e4 turns they would be too coarse for
    Newton's tolerance.  (One turn would change the sign of quaternions.)"""
    for i in range(tree.ints.shape[0]):
        c = tree.ints[i, CHILD]
        if abs(coordinate[c, ANGLE]) > 2.0 * math.pi:
            coordinate[c, ANGLE] -= math.copysign(4.0 * math.pi, coordinate[c, ANGLE])


@inlined
def read(tree, nodes, coordinate):
    """Joint coordinates of given poses; angles are continued from those in `coordinate`."""
    for i in range(tree.ints.shape[0]):
        x, y = tree.ints[i], tree.reals
        c, p = x[CHILD], x[PARENT]
        a, b = p, c
        if x[FLIP] != 0:
            a, b = c, p
        qS = qmul(at4(nodes, a, QUAT), at4(y, i, QA))
        S, qP = rotation_matrix(qS), qmul(at4(nodes, b, QUAT), at4(y, i, QB))
        pa = add(at(nodes, a, POS), mv(at9(nodes, a, ROT), at(y, i, UA)))
        d = sub(add(at(nodes, b, POS), mv(at9(nodes, b, ROT), at(y, i, UB))), pa)
        rho = qmul(qconj(qS), qP)
        for j in range(3):
            coordinate[c, U + j] = dot(column(S, j), d) if x[X + j] != 0 else 0.0
        about = rho[1]
        if x[ABOUT] == 1:
            about = rho[2]
        elif x[ABOUT] == 2:
            about = rho[3]
        angle, turn = 2.0 * math.atan2(about, rho[0]), 2.0 * math.pi
        before = coordinate[c, ANGLE]
        coordinate[c, ANGLE] = angle + turn * math.floor((before - angle) / turn + 0.5)
        for j in range(4):
            coordinate[c, Q + j] = nodes[c, QUAT + j]


@inlined
def slides(x):
    """Whether one of the displacements of a tree joint is free."""
    return x[X] + x[X + 1] + x[X + 2] > 0


@inlined
def marker_axis(y, i, k):
    """Axis k of the main marker in the axes of its body."""
    return (y[i, SA + k], y[i, SA + 3 + k], y[i, SA + 6 + k])


@inlined
def unit_factor(square):
    """1/√square; products of unit quaternions are as near to one as the series needs."""
    if abs(square - 1.0) < 1e-9:
        return 1.5 - 0.5 * square
    return 1.0 / math.sqrt(square)


@inlined
def place(tree, coordinate, nodes):
    """Poses of all bodies from the joint coordinates, along the tree.

    A child waits for its parent, so what does not depend on it is computed apart from it.
    """
    for i in range(tree.ints.shape[0]):
        x, y = tree.ints[i], tree.reals
        c, p, turn = x[CHILD], x[PARENT], x[TURN]
        if turn == FREE:
            q = at4(coordinate, c, Q)
        else:
            rho = (1.0, 0.0, 0.0, 0.0)
            if turn == AXIS:
                rho = about_axis(x[ABOUT], coordinate[c, ANGLE])
            turned = qmul(qmul(at4(y, i, QA), rho), qconj(at4(y, i, QB)))
            if x[FLIP] != 0:
                turned = qconj(turned)
            q = qmul(at4(nodes, p, QUAT), turned)
        size = unit_factor(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        for j in range(4):
            nodes[c, QUAT + j] = size * q[j]
        set_rotation(nodes, c)
        a, b, sign = p, c, 1.0
        if x[FLIP] != 0:
            a, b, sign = c, p, -1.0
        Ra, Rb, root = at9(nodes, a, ROT), at9(nodes, b, ROT), at(y, i, UA)
        if slides(x):
            root = add(root, mv(at9(y, i, SA), at(coordinate, c, U)))
        arm = sub(mv(Ra, root), mv(Rb, at(y, i, UB)))
        for j in range(3):
            nodes[c, POS + j] = nodes[p, POS + j] + sign * arm[j]


@c_function(Tree, Poses, returns=None)
def read_coordinates(tree, poses):
    """`read` for Python."""
    read(tree, poses.nodes, poses.coordinate)


@c_function(Tree, Poses, returns=None)
def place_tree(tree, poses):
    """`place` for Python."""
    place(tree, poses.coordinate, poses.nodes)


@inlined
def joint_increment(tree, i, nodes, delta, target):
    """Increment of the coordinates of tree joint i from those of the bodies: 7 numbers, the last
    three the child's rotation in world axes if it is free."""
    x, y = tree.ints[i], tree.reals
    c, p = x[CHILD], x[PARENT]
    a, b = p, c
    if x[FLIP] != 0:
        a, b = c, p
    Ra, ta, tb = at9(nodes, a, ROT), at(delta, a, 3), at(delta, b, 3)
    for j in range(3):
        target[c, U + j] = 0.0
    if slides(x):
        sa, sb = mv(Ra, at(y, i, UA)), mv(at9(nodes, b, ROT), at(y, i, UB))
        d = sub(add(at(nodes, b, POS), sb), add(at(nodes, a, POS), sa))
        moved_a, moved_b = add(at(delta, a, 0), cross(ta, add(sa, d))), at(delta, b, 0)
        change = sub(add(moved_b, cross(tb, sb)), moved_a)
        for j in range(3):
            if x[X + j] != 0:
                target[c, U + j] = dot(mv(Ra, marker_axis(y, i, j)), change)
    target[c, ANGLE] = 0.0
    if x[TURN] == AXIS:
        target[c, ANGLE] = dot(mv(Ra, marker_axis(y, i, x[ABOUT])), sub(tb, ta))
    for j in range(3):
        target[c, TURNED + j] = delta[c, 3 + j] if x[TURN] == FREE else 0.0


@inlined
def twice_tan_half(angle):
    """2 tan(angle/2); a step turns little, where the series has all digits and is faster."""
    if abs(angle) < 0.02:
        s = 0.25 * angle * angle
        return angle * (1.0 + s * (1.0 / 3.0 + s * (2.0 / 15.0 + s * (17.0 / 315.0))))
    return 2.0 * math.tan(0.5 * angle)


@inlined
def twice_atan_half(x):
    """The angle with 2 tan(angle/2) = x."""
    if abs(x) < 0.02:
        s = 0.25 * x * x
        return x * (1.0 - s * (1.0 / 3.0 - s * (0.2 - s * (1.0 / 7.0 - s * (1.0 / 9.0)))))
    return 2.0 * math.atan(0.5 * x)


@inlined
def cayley_turn(x):
    """The unit quaternion along (1, x/2): a turn about x with 2 tan(angle/2) = |x|."""
    s = 1.0 / math.sqrt(1.0 + 0.25 * dot(x, x))
    return (s, 0.5 * s * x[0], 0.5 * s * x[1], 0.5 * s * x[2])


@inlined
def move_coordinates(tree, start, coordinate, increment):
    """Add increments to the coordinates of a step that began at `start`.

    Turns about an axis are moved in x = 2 tan(angle/2), in which the scheme is nearly linear and
    never reaches half a turn, where the mean directors would be singular: δx = (1 + x²/4) δα.
    Increments θ of a free rotation, in world axes, are turns that follow those before: in x, which
    is large after nearly half a turn, those across it would change the turn most of all.
    """
    for i in range(tree.ints.shape[0]):
        c = tree.ints[i, CHILD]
        for j in range(3):
            coordinate[c, j] += increment[c, j]
        if tree.ints[i, TURN] == AXIS:
            x = twice_tan_half(coordinate[c, ANGLE] - start[c, ANGLE])
            x += (1.0 + 0.25 * x * x) * increment[c, ANGLE]
            coordinate[c, ANGLE] = start[c, ANGLE] + twice_atan_half(x)
        elif tree.ints[i, TURN] == FREE:
            q = qmul(cayley_turn(at(increment, c, TURNED)), at4(coordinate, c, Q))
            for j in range(4):
                coordinate[c, Q + j] = q[j]
