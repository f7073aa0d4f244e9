"""A node with five or six rows: a hinge, a slide, a weld, a motor.

At most one unknown x_F of the body is free, so that everything that goes along with a row, the
neighbour's six unknowns, the right-hand side and the free unknown, is one vector of eight:

    P = [D | d | E]     rows x_P = d − D x_p − E x_F of the joint
    T = [S_p | r | S_F] equations of the body and of its neighbour

The steps are those of `node`.  Gauss-Jordan takes place within C_b: where a column is done, one of
G comes to stand, so a row is two vectors, P and G, and λ = Gᵀ λ' is ordered by the pivots' columns.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.compiled import fused_inlined
from linkwork.math.eights import lane8, load8, put8, spread8, store8, sum8
from linkwork.system.elimination.rows import FADED, LOST, SMALL, choose_pivots, load_rows
from linkwork.system.elimination.tables import (
    BB,
    BODY,
    BP,
    FREE,
    LEFT,
    NODE_INTS,
    PARENT,
    PB,
    PP,
    RHS,
    ROW,
    ROW_B,
    ROW_INTS,
    ROW_P,
    ROWS,
    STORE,
    UNKNOWN,
    unit,
)  # fmt: skip

WIDTH = 2 * STRIDE  # of a row: P and G


@fused_inlined
def columns(e, n0):
    """The pivots' columns; the last is that of the free unknown where there are five rows."""
    c = e.pivot_col
    return c[n0], c[n0 + 1], c[n0 + 2], c[n0 + 3], c[n0 + 4], c[n0 + 5]


@fused_inlined
def beside(e, k):
    """Unit vectors of the right-hand side and of the free unknown (zeros where there is none)."""
    return unit(e.units, RHS), unit(e.units, FREE + k - 5)


@fused_inlined
def loaded(e, vals, rhs, row, last, k, shift):
    """A row's C_b and [C_p | c | C_F]."""
    u, i = e.rows[row + UNKNOWN], e.rows[row + ROW_B] + shift
    side, free = beside(e, k)
    c = vals[i + RHS]
    if u < e.unknowns:
        c += rhs[u]
    p = load8(vals, e.rows[row + ROW_P] + shift) + side * c + free * vals[i + last]
    return load8(vals, i), p


@fused_inlined
def scaled(row, c, verdict, weights, scale):
    """The row divided by its pivot in column c; the verdict on it, and weights without c."""
    s = 1.0 / lane8(row[0], c)
    b, w = row[0] * s, scale[STRIDE + c]
    x, y = b * weights * w, s * w
    verdict = verdict[0] + x * x, verdict[1] + y * y
    return (put8(b, c, s), row[1] * s), verdict, put8(weights, c, spread8(0.0))


@fused_inlined
def less(row, pivot, given, c):
    """The row less `given` in column c times a row that is done."""
    s = lane8(given, c)
    return row[0] - pivot[0] * s, row[1] - pivot[1] * s


@fused_inlined
def cleared(row, pivot, c):
    """The row without column c, where that of G comes to stand."""
    return less((put8(row[0], c, spread8(0.0)), row[1]), pivot, row[0], c)


@fused_inlined
def stored(store, at_, row):
    store8(store, at_, row[1])
    store8(store, at_ + STRIDE, row[0])


@fused_inlined
def reduce_rows(e, vals, rhs, r0, o0, k, n0, at_, shift):
    """Echelon form with the stored pivots: P of all rows, and the verdict, two sums of squares."""
    order, scale, store = e.order, e.scale, e.store
    i, j, l, m, n, o = columns(e, n0)
    zero = spread8(0.0)
    verdict, w = (zero, zero), load8(scale, 0)
    a = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0], o, k, shift)
    b = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 1], o, k, shift)
    c = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 2], o, k, shift)
    d = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 3], o, k, shift)
    f = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 4], o, k, shift)
    a, verdict, w = scaled(a, i, verdict, w, scale)
    b, c, d, f = cleared(b, a, i), cleared(c, a, i), cleared(d, a, i), cleared(f, a, i)
    b, verdict, w = scaled(b, j, verdict, w, scale)
    a, c, d, f = cleared(a, b, j), cleared(c, b, j), cleared(d, b, j), cleared(f, b, j)
    c, verdict, w = scaled(c, l, verdict, w, scale)
    a, b, d, f = cleared(a, c, l), cleared(b, c, l), cleared(d, c, l), cleared(f, c, l)
    d, verdict, w = scaled(d, m, verdict, w, scale)
    a, b, c, f = cleared(a, d, m), cleared(b, d, m), cleared(c, d, m), cleared(f, d, m)
    f, verdict, w = scaled(f, n, verdict, w, scale)
    a, b, c, d = cleared(a, f, n), cleared(b, f, n), cleared(c, f, n), cleared(d, f, n)
    g = zero, zero
    if k > 5:
        g = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 5], o, k, shift)
        given = g[0]
        g = put8(put8(put8(put8(put8(given, i, zero), j, zero), l, zero), m, zero), n, zero), g[1]
        g = less(less(less(g, a, given, i), b, given, j), c, given, l)
        g = less(less(g, d, given, m), f, given, n)
        g, verdict, w = scaled(g, o, verdict, w, scale)
        a, b, c, d = cleared(a, g, o), cleared(b, g, o), cleared(c, g, o), cleared(d, g, o)
        f = cleared(f, g, o)
        stored(store, at_ + 5 * WIDTH, g)
    stored(store, at_, a)
    stored(store, at_ + WIDTH, b)
    stored(store, at_ + 2 * WIDTH, c)
    stored(store, at_ + 3 * WIDTH, d)
    stored(store, at_ + 4 * WIDTH, f)
    return (a[1], b[1], c[1], d[1], f[1], g[1]), (sum8(verdict[0]), sum8(verdict[1]))


@fused_inlined
def leverage(P, cols, scale):
    """Σ D² in scaled unknowns: Dᵀ S D goes to the neighbour, and its round-off too."""
    w = load8(scale, 0)
    x, y, z = P[0] * w * scale[STRIDE + cols[0]], P[1] * w * scale[STRIDE + cols[1]], P[2] * w
    squares, z = x * x + y * y, z * scale[STRIDE + cols[2]]
    x, y = P[3] * w * scale[STRIDE + cols[3]], P[4] * w * scale[STRIDE + cols[4]]
    squares = squares + z * z + x * x
    x = P[5] * w * scale[STRIDE + cols[5]]
    return sum8(squares + y * y + x * x)


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
    (side, free), place = beside(e, k), bb + i * STRIDE
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
def factor_hinge(e, number, vals, rhs, fresh):
    """Eliminate a node; the growth squared, infinite when it has no pivots.

    fresh: choose pivots now.
    """
    node, ints = NODE_INTS * number, e.nodes
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    r0, o0, n0 = ROW_INTS * ints[node + ROW], ints[node + ROW], 6 * number
    here = 0 * e.left  # no literal 0: numba would compile everything once more for it
    anew, good = fresh, False
    while not good:
        if anew:
            load_rows(e, vals, rhs, r0, o0, k, 1, at_, here)
            if not choose_pivots(e, k, 1, k, o0, n0, at_):
                return np.inf
        P, (ratio, faded) = reduce_rows(e, vals, rhs, r0, o0, k, n0, at_, here)
        good = ratio <= SMALL
        if anew:
            if not good:
                return np.inf
            e.limit[number] = FADED * faded
        else:
            good = good and faded <= e.limit[number]
        anew = True
    cols, store, scale = columns(e, n0), e.store, e.scale
    growth = leverage(P, cols, scale)
    if e.left > 0:  # the same pivots for the columns, which are nearly the rows
        L, (ratio, faded) = reduce_rows(e, vals, rhs, r0, o0, k, n0, left, e.left)
        if not (ratio <= 4.0 * SMALL and faded <= 4.0 * e.limit[number]):
            return np.inf
        growth *= leverage(L, cols, scale)
    else:
        growth *= growth
    tail, bb, bp, b0 = at_ + k * WIDTH, ints[node + BB], ints[node + BP], 6 * ints[node + BODY]
    one = equation(e, cols[0], P, cols, vals, bb, bp, rhs, b0, k)
    two = equation(e, cols[1], P, cols, vals, bb, bp, rhs, b0, k)
    three = equation(e, cols[2], P, cols, vals, bb, bp, rhs, b0, k)
    four = equation(e, cols[3], P, cols, vals, bb, bp, rhs, b0, k)
    five = equation(e, cols[4], P, cols, vals, bb, bp, rhs, b0, k)
    six = equation(e, cols[5], P, cols, vals, bb, bp, rhs, b0, k)
    T = one, two, three, four, five, six
    if k == 5:
        six = without_multipliers(six, T, store, left + FREE, k)
        inverse = 1.0 / lane8(six, FREE)
        six = six * inverse
        x = six * load8(scale, 0) * scale[STRIDE + cols[5]]
        growth += 1.0 + sum8(x * x)
        store8(store, tail + 5 * STRIDE, put8(six, FREE, inverse))
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
        pb, pp, (_, free) = ints[node + PB], ints[node + PP], beside(e, k)
        for i in range(6):
            row = load8(vals, pp + i * STRIDE) + free * vals[pb + i * STRIDE + cols[5]]
            row = inserted(row, P, cols, vals, pb + i * STRIDE, k)
            row = without_multipliers(row, T, store, left + i, k)
            if k == 5:
                row = row - six * lane8(row, FREE)
            store8(vals, pp + i * STRIDE, row)
    return growth


@fused_inlined
def solve_hinge(e, number):
    """Increments and multipliers of a node from those of its neighbour, in e.x and e.out."""
    node, ints = NODE_INTS * number, e.nodes
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    store, x, out, n0, tail = e.store, e.x, e.out, 6 * number, at_ + k * WIDTH
    cols, p, b = columns(e, n0), ints[node + PARENT], STRIDE * ints[node + BODY]
    side, free = beside(e, k)
    known = -side
    if p >= 0:
        known = known + load8(x, STRIDE * p)
    if k == 5:
        value = -sum8(load8(store, tail + 5 * STRIDE) * known)
        known = known + free * value
        x[b + cols[5]] = value
    loads = spread8(0.0)
    for t in range(k):
        q = at_ + t * WIDTH
        x[b + e.pivot_col[n0 + t]] = -sum8(load8(store, q) * known)
        load = sum8(load8(store, tail + t * STRIDE) * known)
        loads = loads - load8(store, left + t * WIDTH + STRIDE) * load
    store8(e.spare, 0, loads)
    j = 6 * ints[node + BODY]
    for i in range(6):
        out[j + i] = x[b + i]
    o0 = ints[node + ROW]
    for t in range(k):
        row = ROW_INTS * (o0 + e.order[o0 + t]) + UNKNOWN
        out[e.rows[row]] = e.spare[e.pivot_col[n0 + t]]


@fused_inlined
def forward_hinge(e, number, vals, b):
    """The way of a right-hand side through a node: into its store, and on to the neighbour."""
    ints, node = e.nodes, NODE_INTS * number
    k, at_, left = ints[node + ROWS], ints[node + STORE], ints[node + LEFT]
    o0, n0, store, col, spare = ints[node + ROW], 6 * number, e.store, e.pivot_col, e.spare
    tail, bb, parent = at_ + k * WIDTH, ints[node + BB], ints[node + PARENT]
    given = inserted = spread8(0.0)
    for t in range(k):
        row = ROW_INTS * (o0 + e.order[o0 + t]) + UNKNOWN
        given = given + unit(e.units, col[n0 + t]) * b[e.rows[row]]
    for t in range(k):
        s = sum8(load8(store, at_ + t * WIDTH + STRIDE) * given)
        store[at_ + t * WIDTH + RHS] = s
        inserted = inserted + unit(e.units, col[n0 + t]) * s  # d, where it stands among the six
    j = 6 * ints[node + BODY]
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
    j = 6 * parent
    for i in range(6):
        b[j + i] -= sum8(load8(vals, pb + i * STRIDE) * x) + spare[STRIDE + i]
