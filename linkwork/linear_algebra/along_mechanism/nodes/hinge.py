"""A node with five or six rows: a hinge, a slide, a weld, a motor.

At most one unknown x_F of the body is free, so that everything that goes along with a row, the
neighbour's six unknowns, the right-hand side and the free unknown, is one vector of eight:

    P = [D | d | E]     rows x_P = d − D x_p − E x_F of the joint
    T = [S_p | r | S_F] equations of the body and of its neighbour

The steps are those of `node`.  Rows are reduced within C_b (`echelon`, `straight`): a row is two
vectors, P and G, and λ = Gᵀ λ' is ordered by the pivots' columns.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import fused_inlined, fused_spliced
from linkwork.kernels.registers.eights import (
    any8, item8, lane8, load8, put8, spread8, store6, store8, sum8,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.echelon import (
    WIDTH, columns, reduce_rows, reduced,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.rows import (
    FADED, SMALL, choose_pivots, load_rows,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.straight import choose_straight, reduce_straight
from linkwork.linear_algebra.along_mechanism.tables import (
    BB, BODY, BP, FREE, LEFT, LOST, NODE_INTS, PARENT, PB, PP, RHS, ROW, ROW_INTS, ROWS, STORE,
    UNKNOWN, unit,
)  # fmt: skip

KEPT, STRAIGHT, LARGEST = range(3)  # pivots: as they were, those of `straight`, the largest entries


@fused_inlined
def leverage(P, cols, scale):
    """Σ D² in scaled unknowns: Dᵀ S D goes to the neighbour, and its round-off too."""
    w = load8(scale, 0)
    x, y = P[0] * scale[STRIDE + cols[0]], P[1] * scale[STRIDE + cols[1]]
    squares, z = x * x + y * y, P[2] * scale[STRIDE + cols[2]]
    x, y = P[3] * scale[STRIDE + cols[3]], P[4] * scale[STRIDE + cols[4]]
    squares = squares + z * z + x * x
    x = P[5] * scale[STRIDE + cols[5]]
    return sum8((squares + y * y + x * x) * (w * w))


@fused_inlined
def inserted(row, P, cols, vals, place, k):
    """An equation with the pivot unknowns inserted."""
    row = row - P[0] * vals[place + cols[0]] - P[1] * vals[place + cols[1]]
    row = row - P[2] * vals[place + cols[2]] - P[3] * vals[place + cols[3]]
    row = row - P[4] * vals[place + cols[4]]
    if k > 5:
        row = row - P[5] * vals[place + cols[5]]
    return row


@fused_inlined
def equation(e, i, P, cols, vals, bb, bp, rhs, b0, k):
    """Equation i of the body, [S_p | r | S_F], with the pivot unknowns inserted."""
    side, free, place = unit(e.units, RHS), unit(e.units, FREE + k - 5), bb + i * STRIDE
    row = load8(vals, bp + i * STRIDE) + side * (vals[place + RHS] + rhs[b0 + i])
    return inserted(row + free * vals[place + cols[5]], P, cols, vals, place, k)


@fused_inlined
def without_multipliers(row, T, store, left, k):
    """An equation from which the multipliers go by the map transposed; `left`: its entry in P."""
    row = row - T[0] * store[left] - T[1] * store[left + WIDTH]
    row = row - T[2] * store[left + 2 * WIDTH] - T[3] * store[left + 3 * WIDTH]
    row = row - T[4] * store[left + 4 * WIDTH]
    if k > 5:
        row = row - T[5] * store[left + 5 * WIDTH]
    return row


@fused_inlined
def new_pivots(e, number, vals, rhs, attempt):
    """Choose pivots in one of two ways; False where there are none."""
    node, ints = NODE_INTS * number, e.nodes
    k, at_ = ints[node + ROWS], ints[node + STORE]
    r0, o0, n0 = ROW_INTS * ints[node + ROW], ints[node + ROW], SIX * number
    e.straight[number] = 0
    if attempt == STRAIGHT:
        if e.left != 0 or not choose_straight(e, vals, r0, o0, k, n0):
            return False
        e.straight[number] = 1
        return True
    load_rows(e, vals, rhs, r0, o0, k, 1, at_, 0 * e.left)
    return choose_pivots(e, k, 1, k, o0, n0, at_)


@fused_spliced
def reduce_hinge(e, number, vals, rhs, fresh):
    """The rows of a node in echelon form; False when they have no pivots.

    fresh: choose pivots now.
    """
    node, ints = NODE_INTS * number, e.nodes
    k, at_ = ints[node + ROWS], ints[node + STORE]
    r0, o0, n0 = ROW_INTS * ints[node + ROW], ints[node + ROW], SIX * number
    here = 0 * e.left  # no literal 0: numba would compile everything once more for it
    attempt = STRAIGHT if fresh else KEPT
    while attempt <= LARGEST:
        if attempt == KEPT or new_pivots(e, number, vals, rhs, attempt):
            if e.straight[number] != 0:
                ratio, faded = reduce_straight(e, vals, rhs, r0, o0, k, n0, at_)
            else:
                ratio, faded = reduce_rows(e, vals, rhs, r0, o0, k, n0, at_, here)
            if ratio <= SMALL and (attempt > KEPT or faded <= e.limit[number]):
                if attempt > KEPT:
                    e.limit[number] = FADED * faded
                break
        attempt += 1
    if attempt <= LARGEST and e.left > 0:  # the same pivots for the columns, nearly the rows
        ratio, faded = reduce_rows(e, vals, rhs, r0, o0, k, n0, ints[node + LEFT], e.left)
        return ratio <= 4.0 * SMALL and faded <= 4.0 * e.limit[number]
    return attempt <= LARGEST


@fused_spliced
def factor_hinge(e, number, vals, rhs, fresh):
    """Eliminate a node; the growth squared, infinite when it has no pivots.

    fresh: choose pivots now.
    """
    node, ints = NODE_INTS * number, e.nodes
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    n0 = SIX * number
    if not reduce_hinge(e, number, vals, rhs, fresh):
        return np.inf
    P = reduced(e.store, at_, k)
    cols, store, scale = columns(e, n0), e.store, e.scale
    growth = leverage(P, cols, scale)
    if e.left > 0:
        growth *= leverage(reduced(store, left, k), cols, scale)
    else:
        growth *= growth
    tail, bb, bp, b0 = at_ + k * WIDTH, ints[node + BB], ints[node + BP], SIX * ints[node + BODY]
    one = equation(e, cols[0], P, cols, vals, bb, bp, rhs, b0, k)
    two = equation(e, cols[1], P, cols, vals, bb, bp, rhs, b0, k)
    three = equation(e, cols[2], P, cols, vals, bb, bp, rhs, b0, k)
    four = equation(e, cols[3], P, cols, vals, bb, bp, rhs, b0, k)
    five = equation(e, cols[4], P, cols, vals, bb, bp, rhs, b0, k)
    six = equation(e, cols[5], P, cols, vals, bb, bp, rhs, b0, k)
    T = one, two, three, four, five, six
    if k == 5:
        six = without_multipliers(six, T, store, left + FREE, k)
        inverse = 1.0 / item8(six, FREE)
        six = six * inverse
        x = six * load8(scale, 0) * scale[STRIDE + cols[5]]
        growth += 1.0 + sum8(x * x)
        store8(store, tail + 5 * STRIDE, put8(six, FREE, spread8(inverse)))
    else:
        store8(store, tail + 5 * STRIDE, six)
    if not growth < (LOST if fresh else np.inf):
        return np.inf
    store8(store, tail, one)
    store8(store, tail + STRIDE, two)
    store8(store, tail + 2 * STRIDE, three)
    store8(store, tail + 3 * STRIDE, four)
    store8(store, tail + 4 * STRIDE, five)
    if ints[node + PARENT] >= 0:
        pb, pp, free = ints[node + PB], ints[node + PP], unit(e.units, FREE + k - 5)
        x, y, z = load8(vals, pb), load8(vals, pb + STRIDE), load8(vals, pb + 2 * STRIDE)
        forces = any8(x * x + y * y + z * z)  # not where the neighbour is a joint's first body
        for i in range(6):
            row = load8(vals, pp + i * STRIDE)
            if i > 2 or forces:
                row = row + free * vals[pb + i * STRIDE + cols[5]]
                row = inserted(row, P, cols, vals, pb + i * STRIDE, k)
            row = without_multipliers(row, T, store, left + i, k)
            if k == 5:
                row = row - six * lane8(row, FREE)
            store8(vals, pp + i * STRIDE, row)
    return growth


@fused_spliced
def pivot_row(store, row, equation, left, known, free, loads):
    """A pivot's unknown, and what its multiplier adds to the loads in the rows' axes."""
    x = sum8(load8(store, row) * known) + store[row + FREE] * free
    load = sum8(load8(store, equation) * known) + store[equation + FREE] * free
    return -x, loads - load8(store, left + STRIDE) * load


@fused_spliced
def solve_hinge(e, number):
    """Increments and multipliers of a node from those of its neighbour, in e.x and e.out."""
    node, ints = NODE_INTS * number, e.nodes
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    store, x, out, n0, tail = e.store, e.x, e.out, SIX * number, at_ + k * WIDTH
    cols, p, b = columns(e, n0), ints[node + PARENT], STRIDE * ints[node + BODY]
    known = -unit(e.units, RHS)
    if p >= 0:
        known = known + load8(x, STRIDE * p)
    # of five rows the last equation is that of the free unknown, of six that of the last pivot
    last = sum8(load8(store, tail + 5 * STRIDE) * known)
    free = -last if k == 5 else 0.0
    one, loads = pivot_row(store, at_, tail, left, known, free, spread8(0.0))
    two, loads = pivot_row(store, at_ + WIDTH, tail + STRIDE, left + WIDTH, known, free, loads)
    three, loads = pivot_row(
        store, at_ + 2 * WIDTH, tail + 2 * STRIDE, left + 2 * WIDTH, known, free, loads
    )
    four, loads = pivot_row(
        store, at_ + 3 * WIDTH, tail + 3 * STRIDE, left + 3 * WIDTH, known, free, loads
    )
    five, loads = pivot_row(
        store, at_ + 4 * WIDTH, tail + 4 * STRIDE, left + 4 * WIDTH, known, free, loads
    )
    six = free
    if k > 5:
        six = sum8(load8(store, at_ + 5 * WIDTH) * known)
        loads = loads - load8(store, left + 5 * WIDTH + STRIDE) * last
        six = -six
    mine = unit(e.units, cols[0]) * one + unit(e.units, cols[1]) * two
    more = unit(e.units, cols[2]) * three + unit(e.units, cols[3]) * four
    mine = mine + more + (unit(e.units, cols[4]) * five + unit(e.units, cols[5]) * six)
    store8(x, b, mine)
    store6(out, SIX * ints[node + BODY], mine)
    store8(e.spare, 0, loads)
    o0 = ints[node + ROW]
    for t in range(k):
        row = ROW_INTS * (o0 + e.order[o0 + t]) + UNKNOWN
        out[e.rows[row]] = e.spare[e.pivot_col[n0 + t]]


@fused_spliced
def forward_hinge(e, number, vals, b):
    """The way of a right-hand side through a node: into its store, and on to the neighbour."""
    ints, node = e.nodes, NODE_INTS * number
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    o0, n0, store, col, spare = ints[node + ROW], SIX * number, e.store, e.pivot_col, e.spare
    tail, bb, parent = at_ + k * WIDTH, ints[node + BB], ints[node + PARENT]
    given = inserted = spread8(0.0)
    for t in range(k):
        row = ROW_INTS * (o0 + e.order[o0 + t]) + UNKNOWN
        given = given + unit(e.units, col[n0 + t]) * b[e.rows[row]]
    for t in range(k):
        s = sum8(load8(store, at_ + t * WIDTH + STRIDE) * given)
        store[at_ + t * WIDTH + RHS] = s
        inserted = inserted + unit(e.units, col[n0 + t]) * s  # d, where it stands among the six
    j = SIX * ints[node + BODY]
    for t in range(6):
        i = col[n0 + t]
        r = b[j + i] - sum8(load8(vals, bb + i * STRIDE) * inserted)
        spare[t] = store[tail + t * STRIDE + RHS] = r
    free = 0.0
    if k == 5:
        free = spare[5]
        for t in range(k):
            free -= store[left + t * WIDTH + FREE] * spare[t]
        free *= store[tail + 5 * STRIDE + FREE]
        store[tail + 5 * STRIDE + RHS] = free
    if parent < 0:
        return
    pb, moved = ints[node + PB], spread8(0.0)
    x = inserted + unit(e.units, col[n0 + 5]) * free
    for t in range(k):
        x = x - unit(e.units, col[n0 + t]) * (store[at_ + t * WIDTH + FREE] * free)
        load = spare[t] - store[tail + t * STRIDE + FREE] * free
        moved = moved + load8(store, left + t * WIDTH) * load
    store8(spare, STRIDE, moved)
    j = SIX * parent
    for i in range(6):
        b[j + i] -= sum8(load8(vals, pb + i * STRIDE) * x) + spare[STRIDE + i]
