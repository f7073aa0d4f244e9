"""A body without rows that has one neighbour, or two that are joined to each other already.

    S_bb x_b + S_bp x_p + S_bq x_q = r_b

It leaves the equations and no new block appears:

    x_b = y − X_p x_p − X_q x_q,      [y  X_p  X_q] = S_bb⁻¹ [r_b  S_bp  S_bq]
    S_ij ← S_ij − S_ib X_j,    r_i ← r_i − S_ib y,      i, j = p, q

Such is the middle node of a beam element on three nodes: with the middle nodes gone, a beam is a
chain of bodies without rows.  S_bb⁻¹ is found by Gauss and Jordan with the largest diagonal
entries, in scaled unknowns, first.  What is kept comes to stand in the body's own blocks, which
nothing needs any more: S_bb⁻¹ in that of S_bb, X_p and X_q in those of S_bp and S_bq, rows in the
order of the pivots; y stands where x_b will.  So a long beam moves little more than its matrix.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import far, fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import (
    fetch8, item8, lane8, load8, put8, spread8, store8, sum8,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import BACK, FRESH, LOST, OTHER, RHS
from linkwork.linear_algebra.pattern import Pattern

# ints of a body: it and its neighbours (the second −1 where there is one); its blocks, those of the
# neighbours against it, and those of the neighbours
(BODY, P, Q, BB, BP, BQ, PB, QB, PP, PQ, QP, QQ, INTS) = range(13)
POWERS = SIX ** np.arange(SIX)
AHEAD = 4  # bodies for whose blocks memory is asked before they are solved
ONE, TWO = False, True  # whether a body has two neighbours


def encoded(order: np.ndarray) -> int:
    """An order of pivots as one number."""
    return int(order @ POWERS)


def decoded(code: int) -> np.ndarray:
    """The order of pivots that a number stands for."""
    return code // POWERS % SIX


def numbers_of(p: Pattern, b: int, near: list[int]) -> list[int]:
    """The ints of a body with one or two neighbours."""
    if len(near) == 1:
        (i,) = near
        pb = p.blocks
        return [b, i, -1, pb[b, b], pb[b, i], 0, pb[i, b], 0, pb[i, i], 0, 0, 0]
    i, j = near
    pairs = [(b, b), (b, i), (b, j), (i, b), (j, b), (i, i), (i, j), (j, i), (j, j)]
    return [b, i, j, *(p.blocks[pair] for pair in pairs)]


@far
def leave_between(c, vals, rhs, x, out, begin, end, task):
    """A task for the bodies from `begin` to `end`; the growth squared where they are factorised."""
    t, order, v, b = borrow(c.ints), borrow(c.order), borrow(vals), borrow(rhs)
    scale, units, growth = borrow(c.scale), borrow(c.units), 0.0
    if task == BACK:
        for k in range(end - 1, begin - 1, -1):
            if k >= begin + AHEAD:
                fetch_back(t, INTS * (k - AHEAD), v)
            go_back(t, INTS * k, order, SIX * k, v, borrow(x), borrow(out))
    elif task == OTHER:
        for k in range(begin, end):
            if k + AHEAD < end:
                fetch_forward(t, INTS * (k + AHEAD), v)
            go_forward(t, INTS * k, order, SIX * k, v, b, borrow(x), units)
    else:
        for k in range(begin, end):
            if task == FRESH:
                choose_order(t, INTS * k, order, SIX * k, borrow(c.room), v, scale)
            if k + 1 < end:
                fetch_all(t, INTS * (k + 1), v)
            most, y = LOST if task == FRESH else np.inf, borrow(x)
            if t[INTS * k + Q] >= 0:
                grown = leave(t, INTS * k, order, SIX * k, v, b, y, scale, most, TWO)
            else:
                grown = leave(t, INTS * k, order, SIX * k, v, b, y, scale, most, ONE)
            if not grown < np.inf:
                return np.inf
            growth = max(growth, grown)
    return growth


@fused_inlined
def fetch(vals, block):
    """Ask memory for a block."""
    for i in range(6):
        fetch8(vals, block + STRIDE * i)


@fused_inlined
def fetch_back(t, k, vals):
    fetch(vals, t[k + BP])
    if t[k + Q] >= 0:
        fetch(vals, t[k + BQ])


@fused_inlined
def fetch_forward(t, k, vals):
    fetch(vals, t[k + BB])
    fetch(vals, t[k + PB])
    if t[k + Q] >= 0:
        fetch(vals, t[k + QB])


@fused_inlined
def fetch_all(t, k, vals):
    for i in range(BB, INTS):
        fetch(vals, t[k + i])


@fused_inlined
def choose_order(t, k, order, o, s, vals, scale):
    """The order of pivots, largest diagonal entries in scaled unknowns first; s is room."""
    bb = t[k + BB]
    for i in range(6):
        order[o + i] = i
        store8(s, STRIDE * i, load8(vals, bb + STRIDE * i))
    for f in range(6):
        best, chosen = -1.0, f
        for g in range(f, 6):
            i = order[o + g]
            size = abs(s[STRIDE * i + i]) * scale[i] * scale[i]
            if size > best:
                best, chosen = size, g
        order[o + f], order[o + chosen] = order[o + chosen], order[o + f]
        i = order[o + f]
        pivot = load8(s, STRIDE * i) * (1.0 / s[STRIDE * i + i])
        for g in range(f + 1, 6):
            j = order[o + g]
            row = load8(s, STRIDE * j)
            store8(s, STRIDE * j, row - pivot * s[STRIDE * j + i])


@fused_inlined
def loaded(t, k, vals, rhs, i, two):
    """Row i of [S_bb, r_b | S_bp | S_bq]."""
    d, bb = STRIDE * i, t[k + BB]
    side = spread8(vals[bb + d + RHS] + rhs[SIX * t[k + BODY] + i])
    a, p = put8(load8(vals, bb + d), RHS, side), load8(vals, t[k + BP] + d)
    return a, p, load8(vals, t[k + BQ] + d) if two else p


@fused_inlined
def divided(row, c, two):
    """A row over its pivot in column c, where the inverse comes to stand."""
    inverse = 1.0 / item8(row[0], c)
    a, p = put8(row[0] * inverse, c, spread8(inverse)), row[1] * inverse
    return a, p, row[2] * inverse if two else p


@fused_inlined
def cleared(row, pivot, c, two):
    """A row without column c, where that of the inverse comes to stand."""
    f = lane8(row[0], c)
    a, p = put8(row[0], c, spread8(0.0)) - pivot[0] * f, row[1] - pivot[1] * f
    return a, p, row[2] - pivot[2] * f if two else p


@fused_inlined
def squares_of(found, row, c, own, weights, scale, two):
    """Squares of a row that was divided by its pivot, in scaled unknowns, added to those found;
    own: the weights, those of columns in which the inverse takes shape over 1/L²."""
    w = weights * scale[STRIDE + c]
    a, p = put8(row[0], c, spread8(1.0)) * own * scale[STRIDE + c], row[1] * w
    found = found + a * a + p * p
    if two:
        q = row[2] * w
        found = found + q * q
    return found, put8(own, c, spread8(scale[0] * scale[0] * scale[STRIDE + c]))


@fused_inlined
def jordan(rows, c, two):
    """The step of Gauss and Jordan with the first row, which comes to be the last."""
    p = divided(rows[0], c, two)
    return (
        cleared(rows[1], p, c, two), cleared(rows[2], p, c, two), cleared(rows[3], p, c, two),
        cleared(rows[4], p, c, two), cleared(rows[5], p, c, two), p,
    )  # fmt: skip


@fused_inlined
def solved(t, k, vals, rhs, order, o, scale, two):
    """The rows solved for the body's unknowns, in the order of the pivots; the sum of squares of
    rows over pivots, scaled."""
    c = (order[o], order[o + 1], order[o + 2], order[o + 3], order[o + 4], order[o + 5])
    rows = (
        loaded(t, k, vals, rhs, c[0], two), loaded(t, k, vals, rhs, c[1], two),
        loaded(t, k, vals, rhs, c[2], two), loaded(t, k, vals, rhs, c[3], two),
        loaded(t, k, vals, rhs, c[4], two), loaded(t, k, vals, rhs, c[5], two),
    )  # fmt: skip
    weights = load8(scale, 0)
    rows = jordan(rows, c[0], two)
    squares, own = squares_of(spread8(0.0), rows[5], c[0], weights, weights, scale, two)
    rows = jordan(rows, c[1], two)
    squares, own = squares_of(squares, rows[5], c[1], own, weights, scale, two)
    rows = jordan(rows, c[2], two)
    squares, own = squares_of(squares, rows[5], c[2], own, weights, scale, two)
    rows = jordan(rows, c[3], two)
    squares, own = squares_of(squares, rows[5], c[3], own, weights, scale, two)
    rows = jordan(rows, c[4], two)
    squares, own = squares_of(squares, rows[5], c[4], own, weights, scale, two)
    rows = jordan(rows, c[5], two)
    squares, own = squares_of(squares, rows[5], c[5], own, weights, scale, two)
    return rows, sum8(squares)


@fused_inlined
def put_row(t, k, vals, n, row, two):
    """Row n of what is kept, into the body's blocks."""
    store8(vals, t[k + BB] + STRIDE * n, row[0])
    store8(vals, t[k + BP] + STRIDE * n, row[1])
    if two:
        store8(vals, t[k + BQ] + STRIDE * n, row[2])


@fused_inlined
def leave(t, k, order, o, vals, rhs, x, scale, most, two):
    """A body leaves; its growth squared, infinite beyond `most`."""
    rows, grown = solved(t, k, vals, rhs, order, o, scale, two)
    if not grown < most:
        return np.inf
    put_row(t, k, vals, 0, rows[0], two)
    put_row(t, k, vals, 1, rows[1], two)
    put_row(t, k, vals, 2, rows[2], two)
    put_row(t, k, vals, 3, rows[3], two)
    put_row(t, k, vals, 4, rows[4], two)
    put_row(t, k, vals, 5, rows[5], two)
    body = STRIDE * t[k + BODY]
    for n in range(6):
        x[body + order[o + n]] = vals[t[k + BB] + STRIDE * n + RHS]
    y, xp, xq = t[k + BB], t[k + BP], t[k + BQ]
    for half in range(2):
        r = half * 3 * STRIDE
        take_own(order, o, vals, y, xp, t[k + PB] + r, t[k + PP] + r)
        if two:
            take_own(order, o, vals, y, xq, t[k + QB] + r, t[k + QQ] + r)
            take_other(order, o, vals, xq, t[k + PB] + r, t[k + PQ] + r)
            take_other(order, o, vals, xp, t[k + QB] + r, t[k + QP] + r)
    return grown


@fused_inlined
def three(a, place):
    """Three rows of a block."""
    return load8(a, place), load8(a, place + STRIDE), load8(a, place + 2 * STRIDE)


@fused_inlined
def put_three(a, place, x, y, z):
    store8(a, place, x)
    store8(a, place + STRIDE, y)
    store8(a, place + 2 * STRIDE, z)


@fused_inlined
def take_own(order, o, vals, y, x, ib, ii):
    """S_ii −= S_ib X_i and r_i −= S_ib y, three rows; X_i is at x."""
    a, b, c = three(vals, ii)
    for n in range(6):
        m = ib + order[o + n]
        X = put8(load8(vals, x + STRIDE * n), RHS, load8(vals, y + STRIDE * n))
        a, b, c = a - X * vals[m], b - X * vals[m + STRIDE], c - X * vals[m + 2 * STRIDE]
    put_three(vals, ii, a, b, c)


@fused_inlined
def take_other(order, o, vals, x, ib, ij):
    """S_ij −= S_ib X_j, three rows; X_j is at x."""
    a, b, c = three(vals, ij)
    for n in range(6):
        X, m = load8(vals, x + STRIDE * n), ib + order[o + n]
        a, b, c = a - X * vals[m], b - X * vals[m + STRIDE], c - X * vals[m + 2 * STRIDE]
    put_three(vals, ij, a, b, c)


@fused_inlined
def go_forward(t, k, order, o, vals, b, x, units):
    """Another right-hand side: y = S_bb⁻¹ r_b, and on to the neighbours."""
    r0, i0, j0 = SIX * t[k + BODY], SIX * t[k + P], SIX * t[k + Q]
    r, y = spread8(0.0), spread8(0.0)
    for i in range(6):
        r = r + load8(units, STRIDE * i) * b[r0 + i]
    for n in range(6):
        value = sum8(load8(vals, t[k + BB] + STRIDE * n) * r)
        y = y + load8(units, STRIDE * order[o + n]) * value
    store8(x, STRIDE * t[k + BODY], y)
    for i in range(6):
        b[i0 + i] -= sum8(load8(vals, t[k + PB] + STRIDE * i) * y)
        if j0 >= 0:
            b[j0 + i] -= sum8(load8(vals, t[k + QB] + STRIDE * i) * y)


@fused_inlined
def go_back(t, k, order, o, vals, x, out):
    """x_b = y − X_p x_p − X_q x_q."""
    body, p = t[k + BODY], load8(x, STRIDE * t[k + P])
    two = t[k + Q] >= 0
    q = load8(x, STRIDE * t[k + Q]) if two else p
    for n in range(6):
        i, d = order[o + n], STRIDE * n
        part = load8(vals, t[k + BP] + d) * p
        if two:
            part = part + load8(vals, t[k + BQ] + d) * q
        value = x[STRIDE * body + i] - sum8(part)
        out[SIX * body + i] = value
        x[STRIDE * body + i] = value
