"""The Jacobian of the cut joints by the joint coordinates, in two ways.

Zhang, Rui, Zhang, Wang, Gu, Zhang: A framework for establishing constraint Jacobian matrices of
planar rigid-flexible-multibody systems, here in space.  A cut joint's rows change with the motion
(δP, φ) of its two bodies, its base point and its moving point: c_q = Σ_ends [C_φ C_P] ∂(φ, P)/∂q.

*Semi-analytic* (Algorithm 1): from each end towards the root of the loop.  Group I is the row
itself, a wrench that is moved from joint to joint, (n, f) → (n + u × f, f); group II are the
columns S of the joint or link that it meets, ∂c/∂q_i = (n, f)·S_i.  The cost is the length of the
path.

*Direct differentiation* (Algorithm 2): for each coordinate q_i the derivatives ∂P/∂q_i, ∂A/∂q_i go
from the root through all bodies, ∂A = ∂A_p A_pᵀ A, ∂P = ∂P_p + ∂A_p A_pᵀ u, with the joint's own
∂A = S̃ A where it belongs to q_i; at the cut joint φ is the axial vector of ∂A Aᵀ.  The cost is
coordinates × bodies.
"""

from __future__ import annotations

from linkwork.elements import layout as el
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.vectors import add, cross, dot, mm, mt, mv, nine, three
from linkwork.recursive.loops.blocks import BLOCK, END, EQ, PLACE, ROOT, ROWS, TREE_BODY
from linkwork.recursive.sweeps.general_joint import six_dot
from linkwork.recursive.tree.layout import (
    BASE, BODY, COM, DOF, HINGE_JOINT, INTS, IV, KIND, PARENT, REALS, RECORD, ROT, SECTION, U,
    put3, put9,
)  # fmt: skip

DERIVATIVE = 16  # ∂A (9), ∂P (3) of a body


@fused_inlined
def row_at(tree, s, nodes, vals, place, base, j):
    """Row j of a block as a wrench about P of its body: moment and force."""
    w, K, N = borrow(s.sweep), borrow(tree.reals), borrow(nodes)
    b = tree.ints[place, BODY]
    at = base + el.STRIDE * j
    force = three(vals, at)
    c = mv(nine(w, RECORD * place + ROT), three(K, REALS * place + COM))
    moment = mv(nine(N, el.NODE * b + el.ROT), three(vals, at + 3))
    return add(moment, cross(c, force)), force


def semi_analytic(tree, s, nodes, vals, ends, J, blocks, derivatives):
    """J, block by block, by sweeping the paths of the loops; places off the paths stay zero."""
    w, ints, c = borrow(s.sweep), borrow(tree.ints), borrow(s.columns)
    values = borrow(vals)
    for e in range(ends.shape[0]):
        for j in range(ends[e, ROWS]):
            row = blocks.row_at[ends[e, EQ] + j]
            i = ends[e, PLACE]
            n, f = row_at(tree, s, nodes, values, i, ends[e, BLOCK], j)
            while i != ends[e, ROOT]:
                m, x = INTS * i, RECORD * i
                iv, kind = ints[m + IV], ints[m + KIND]
                if kind == HINGE_JOINT:
                    J[row + blocks.number[iv]] += (
                        n[0] * w[x + ROT + 2] + n[1] * w[x + ROT + 5] + n[2] * w[x + ROT + 8]
                    )
                else:
                    k = ints[m + DOF]
                    if kind == SECTION:
                        parent = ints[m + PARENT]
                        k, iv = ints[INTS * parent + DOF], ints[INTS * parent + IV]
                    at = row + blocks.number[iv] if k > 0 else row
                    for d in range(k):
                        J[at + d] += six_dot(c, ints[m + BASE] + 8 * d, n, f)
                n = add(n, cross(three(w, x + U), f))
                i = ints[m + PARENT]


def direct(tree, s, nodes, vals, ends, J, blocks, derivatives):
    """The same by differentiating the motion of a block's bodies by each of their coordinates."""
    for k in range(blocks.table.shape[0] - 1):
        begin, end = blocks.table[k, TREE_BODY], blocks.table[k + 1, TREE_BODY]
        for at in range(begin, end):
            i = blocks.bodies[at]
            for j in range(tree.ints[i, DOF]):
                set_to_zero(derivatives, tree.ints.shape[0])
                for t in range(begin, end):
                    set_to_zero(derivatives, blocks.bodies[t])
                for t in range(at, end):
                    move_body(tree, s, blocks.bodies[t], i, j, derivatives)
                column = blocks.number[tree.ints[i, IV] + j]
                for e in range(blocks.table[k, END], blocks.table[k + 1, END]):
                    move_rows(tree, s, nodes, vals, ends, e, J, blocks.row_at, column, derivatives)


@fused_inlined
def set_to_zero(derivatives, body):
    for b in range(DERIVATIVE * body, DERIVATIVE * (body + 1)):
        derivatives[b] = 0.0


@fused_inlined
def move_body(tree, s, b, i, k, derivatives):
    """∂A and ∂P of body b by the coordinate k of body i, after those of its parent."""
    w, ints, c, d = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(derivatives)
    m, x = INTS * b, RECORD * b
    parent = ints[m + PARENT]
    p, z = RECORD * parent, DERIVATIVE * parent
    turn = mt(nine(d, z), nine(w, p + ROT))  # ∂A_p A_pᵀ
    A = nine(w, x + ROT)
    dA, dP = mm(turn, A), add(three(d, z + 9), mv(turn, three(w, x + U)))
    if b == i or (ints[m + KIND] == SECTION and parent == i):
        at = ints[m + BASE] + 8 * k
        if ints[m + KIND] == HINGE_JOINT:
            e, l = (w[x + ROT + 2], w[x + ROT + 5], w[x + ROT + 8]), (0.0, 0.0, 0.0)
        else:
            e, l = three(c, at), three(c, at + 3)
        for q in range(3):
            turned = cross(e, (A[q], A[3 + q], A[6 + q]))
            d[DERIVATIVE * b + q] = dA[q] + turned[0]
            d[DERIVATIVE * b + 3 + q] = dA[3 + q] + turned[1]
            d[DERIVATIVE * b + 6 + q] = dA[6 + q] + turned[2]
        put3(d, DERIVATIVE * b + 9, add(dP, l))
    else:
        put9(d, DERIVATIVE * b, dA)
        put3(d, DERIVATIVE * b + 9, dP)


@fused_inlined
def move_rows(tree, s, nodes, vals, ends, e, J, row_begins, column, derivatives):
    """A column of the rows at end e, from the derivatives of its body's motion."""
    w, d, b = borrow(s.sweep), borrow(derivatives), ends[e, PLACE]
    if b == tree.ints.shape[0]:
        return
    X = mt(nine(d, DERIVATIVE * b), nine(w, RECORD * b + ROT))
    phi = (0.5 * (X[7] - X[5]), 0.5 * (X[2] - X[6]), 0.5 * (X[3] - X[1]))
    P = three(d, DERIVATIVE * b + 9)
    values = borrow(vals)
    for j in range(ends[e, ROWS]):
        moment, force = row_at(tree, s, nodes, values, b, ends[e, BLOCK], j)
        J[row_begins[ends[e, EQ] + j] + column] += dot(moment, phi) + dot(force, P)
