"""One node of the elimination: a body b with its constraint rows leaves, its neighbour p remains.

    S_bb x_b + S_bp x_p + C_bᵀ λ = r_b        C_b x_b + C_p x_p = c
    S_pb x_b + S_pp x_p + C_pᵀ λ = r_p

1. Gauss-Jordan on the rows, G [C_b  C_p  c], with stored pivots: x_P = d − E x_F − D x_p gives the
   pivot unknowns of the body by its free ones and the neighbour's.  Rows beyond its six unknowns
   are left without the body and wait, as rows of the neighbour alone (delayed).
2. Columns: T = S_b: with x_P inserted.  The rows P of T are the multipliers λ' = G⁻ᵀ λ.
3. Rows: the same map transposed, −Eᵀ and −Dᵀ times the rows P, takes the multipliers out of the
   equations of the free unknowns and of the neighbour.
4. The free unknowns are eliminated, and what remains is added to the neighbour's S_pp.

The right-hand side goes along in column 6 of S_bb and C_b.  It is the idea of the articulated body
(Featherstone 1983) for the implicit step, S being the tangent of the step with K_c.

Where the columns of the constraints, B in place of Cᵀ, differ from the rows (energy-momentum), the
map of step 3 and G of the multipliers come from Bᵀ in the same way (`left`).
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import lane8, load8, put8, spread8, store8, sum8
from linkwork.linear_algebra.along_mechanism.nodes.rows import (
    FADED, SMALL, choose_pivots, delay_rows, leverage, load_rows, reduce_rows,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import (
    BB, BODY, BP, LEFT, LOST, NODE_INTS, PARENT, PB, PIVOTS, PP, RHS, ROW, ROW_INTS, ROWS, STORE,
    UNKNOWN, WIDE, unit,
)  # fmt: skip


@fused_inlined
def inserted(row_b, row_p, store, at_, wide, k, vals, place, col, n0):
    """Three rows of S from `place` on, with the pivot unknowns inserted."""
    (a, b, c), (x, y, z) = row_b, row_p
    for t in range(k):
        q = at_ + t * (2 + wide) * STRIDE
        E, D, i = load8(store, q), load8(store, q + STRIDE), place + col[n0 + t]
        s = vals[i]
        a, x = a - E * s, x - D * s
        s = vals[i + STRIDE]
        b, y = b - E * s, y - D * s
        s = vals[i + 2 * STRIDE]
        c, z = c - E * s, z - D * s
    return (a, b, c), (x, y, z)


@fused_inlined
def three(a, place):
    """Three rows of a block."""
    return load8(a, place), load8(a, place + STRIDE), load8(a, place + 2 * STRIDE)


@fused_inlined
def insert_pivots(e, at_, tail, wide, k, n0, vals, bb, bp, rhs, b0):
    """T = S_b: with the pivot unknowns inserted, the right-hand side in its column."""
    store, one = e.store, unit(e.units, RHS)
    for i in range(0, 6, 3):
        a, b, c = three(vals, bb + i * STRIDE)
        b0 += i
        given = a + one * rhs[b0], b + one * rhs[b0 + 1], c + one * rhs[b0 + 2]
        (a, b, c), (x, y, z) = inserted(
            given, three(vals, bp + i * STRIDE), store, at_, wide, k, vals, bb + i * STRIDE,
            e.pivot_col, n0,
        )  # fmt: skip
        v = tail + 2 * i * STRIDE
        store8(store, v, a)
        store8(store, v + STRIDE, x)
        store8(store, v + 2 * STRIDE, b)
        store8(store, v + 3 * STRIDE, y)
        store8(store, v + 4 * STRIDE, c)
        store8(store, v + 5 * STRIDE, z)


@fused_inlined
def eliminate_free(e, left, tail, wide, k, n0, fresh):
    """Rows of the free unknowns solved for them, [M⁻¹ | M⁻¹ T_p]; the sum of squares, scaled.

    Columns in which M⁻¹ takes shape have its units, and count over 1/L².
    fresh: choose their order, largest diagonal entries in scaled unknowns first.
    """
    store, scale, col = e.store, e.scale, e.pivot_col
    for f in range(k, 6):
        i = col[n0 + f]
        u = tail + i * 2 * STRIDE
        b, p = load8(store, u), load8(store, u + STRIDE)
        for t in range(k):
            s = store[left + t * (2 + wide) * STRIDE + i]
            v = tail + col[n0 + t] * 2 * STRIDE
            b, p = b - load8(store, v) * s, p - load8(store, v + STRIDE) * s
        store8(store, u, b)
        store8(store, u + STRIDE, p)
    squares, weights = spread8(0.0), load8(scale, 0)
    own = weights
    for f in range(k, 6):
        if fresh:
            best, chosen = -1.0, f
            for g in range(f, 6):
                i = col[n0 + g]
                size = abs(store[tail + i * 2 * STRIDE + i]) * scale[i] * scale[i]
                if size > best:
                    best, chosen = size, g
            col[n0 + f], col[n0 + chosen] = col[n0 + chosen], col[n0 + f]
        i = col[n0 + f]
        u = tail + i * 2 * STRIDE
        b, p = load8(store, u), load8(store, u + STRIDE)
        inverse = 1.0 / store[u + i]
        b, p = b * inverse, p * inverse
        x, y = b * own * scale[STRIDE + i], p * weights * scale[STRIDE + i]
        squares = squares + x * x + y * y
        own = put8(own, i, spread8(scale[0] * scale[0] * scale[STRIDE + i]))
        b = put8(b, i, spread8(inverse))
        store8(store, u, b)
        store8(store, u + STRIDE, p)
        for g in range(k, 6):
            if g != f:
                v = tail + col[n0 + g] * 2 * STRIDE
                s = store[v + i]
                store8(store, v, put8(load8(store, v), i, spread8(0.0)) - b * s)
                store8(store, v + STRIDE, load8(store, v + STRIDE) - p * s)
    return sum8(squares)


@fused_inlined
def add_to_parent(e, at_, left, tail, wide, k, n0, vals, pb, pp):
    """What remains for the neighbour: to its diagonal block, right-hand side in its column."""
    store, col, one = e.store, e.pivot_col, unit(e.units, RHS)
    for i in range(0, 6, 3):
        place = pp + i * STRIDE
        (a, b, c), (x, y, z) = inserted(
            three(vals, pb + i * STRIDE), three(vals, place), store, at_, wide, k, vals,
            pb + i * STRIDE, col, n0,
        )  # fmt: skip
        for t in range(k):
            d = left + t * (2 + wide) * STRIDE + STRIDE + i
            v = tail + col[n0 + t] * 2 * STRIDE
            B, P = load8(store, v), load8(store, v + STRIDE)
            s = store[d]
            a, x = a - B * s, x - P * s
            s = store[d + 1]
            b, y = b - B * s, y - P * s
            s = store[d + 2]
            c, z = c - B * s, z - P * s
        x, y, z = x + a * one, y + b * one, z + c * one
        for f in range(k, 6):
            j = col[n0 + f]
            v = tail + j * 2 * STRIDE
            P = load8(store, v + STRIDE) + one * store[v + RHS]
            x, y, z = x - P * lane8(a, j), y - P * lane8(b, j), z - P * lane8(c, j)
        store8(vals, place, x)
        store8(vals, place + STRIDE, y)
        store8(vals, place + 2 * STRIDE, z)


@fused_inlined
def factor_node(e, number, vals, rhs, fresh):
    """Eliminate a node that is no hinge; the growth squared, infinite when it has no pivots.

    fresh: choose pivots now.
    """
    node, ints = NODE_INTS * number, e.nodes
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    r0, o0, n0 = ROW_INTS * ints[node + ROW], ints[node + ROW], SIX * number
    tail, left, two = at_ + m * (2 + wide) * STRIDE, ints[node + LEFT], e.left > 0
    here = 0 * e.left  # no literal 0: numba would compile everything once more for it
    good = False
    if not fresh:
        ratio, faded = reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_, here)
        good = ratio <= SMALL and faded <= e.limit[number]
    if not good:
        load_rows(e, vals, rhs, r0, o0, m, wide, at_, here)
        if not choose_pivots(e, m, wide, k, o0, n0, at_):
            return np.inf
        ratio, faded = reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_, here)
        if not ratio <= SMALL:
            return np.inf
        e.limit[number] = FADED * faded
    if two:  # the same pivots for the columns, which are nearly the rows
        ratio, faded = reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, left, e.left)
        if not (ratio <= 4.0 * SMALL and faded <= 4.0 * e.limit[number]):
            return np.inf
    insert_pivots(
        e, at_, tail, wide, k, n0, vals, ints[node + BB], ints[node + BP], rhs,
        SIX * ints[node + BODY],
    )  # fmt: skip
    growth = leverage(e, at_, wide, k, n0) * leverage(e, left, wide, k, n0)
    if k < 6:
        growth += eliminate_free(e, left, tail, wide, k, n0, not good)
    if not growth < (LOST if fresh else np.inf):
        return np.inf
    if ints[node + PARENT] >= 0:
        # delayed rows first: a node that is refused leaves its neighbour as it was
        if m > k and not delay_rows(e, number, m, wide, k, r0, at_, vals, here):
            return np.inf
        if m > k and two and not delay_rows(e, number, m, wide, k, r0, left, vals, e.left):
            return np.inf
        add_to_parent(e, at_, left, tail, wide, k, n0, vals, ints[node + PB], ints[node + PP])
    return growth


@fused_inlined
def solve_node(e, number):
    """As `solve_hinge`, of a node that is no hinge."""
    node, ints = NODE_INTS * number, e.nodes
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    width, store, units, x, out = (2 + wide) * STRIDE, e.store, e.units, e.x, e.out
    col, n0 = e.pivot_col, SIX * number
    tail, left = at_ + m * width, ints[node + LEFT]
    b, p = ints[node + BODY], ints[node + PARENT]
    parent = load8(x, STRIDE * p) if p >= 0 else spread8(0.0)
    free = spread8(0.0)
    for f in range(k, 6):
        v = tail + col[n0 + f] * 2 * STRIDE
        value = store[v + RHS] - sum8(load8(store, v + STRIDE) * parent)
        free = free + unit(units, col[n0 + f]) * value
    mine, g, h = free, spread8(0.0), spread8(0.0)
    slot = e.late_at[number] - k
    for t in range(m):
        q = at_ + t * width
        if t < k:
            v = tail + col[n0 + t] * 2 * STRIDE
            part = load8(store, q) * free + load8(store, q + STRIDE) * parent
            mine = mine + unit(units, col[n0 + t]) * (store[q + RHS] - sum8(part))
            part = load8(store, v) * free + load8(store, v + STRIDE) * parent
            load = store[v + RHS] - sum8(part)
        else:
            load = out[e.late_unknown[slot + t]]
        q = left + t * width
        g = g + load8(store, q + 2 * STRIDE) * load
        h = h + load8(store, q + (1 + wide) * STRIDE) * load
    store8(x, STRIDE * b, mine)
    for i in range(6):
        out[SIX * b + i] = x[STRIDE * b + i]
    store8(e.spare, 0, g)
    store8(e.spare, STRIDE, h)
    row = ROW_INTS * ints[node + ROW] + UNKNOWN
    for r in range(m):
        out[e.rows[row]] = e.spare[r]
        row += ROW_INTS
