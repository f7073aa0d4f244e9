"""Rows of a node of five or six in echelon form, with G in place of what is done (`hinge`).

    G [C_b | C_p  c  C_F] = [1 | D  d  E]

A row is two vectors: C_b, where column after column gives way to one of G, and P = [D | d | E].
Pivots are judged when their turn comes, as in `rows`.
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import (
    item8, lane8, last8, load8, put8, spread8, store8, sum8,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import RHS, ROW_B, ROW_INTS, ROW_P, UNKNOWN

WIDTH = 2 * STRIDE  # of a row: P and G


@fused_inlined
def columns(e, n0):
    """The pivots' columns; the last is that of the free unknown where there are five rows."""
    c = e.pivot_col
    return c[n0], c[n0 + 1], c[n0 + 2], c[n0 + 3], c[n0 + 4], c[n0 + 5]


@fused_inlined
def loaded(e, vals, rhs, row, last, k, shift):
    """A row's C_b and [C_p | c | C_F]."""
    u, i = e.rows[row + UNKNOWN], e.rows[row + ROW_B] + shift
    c = vals[i + RHS]
    if u < e.unknowns:
        c += rhs[u]
    free = vals[i + last] if k == 5 else 0.0
    return load8(vals, i), last8(load8(vals, e.rows[row + ROW_P] + shift), c, free)


@fused_inlined
def scaled(row, c, verdict, weights, scale):
    """The row divided by its pivot in column c; the verdict on it, and weights without c."""
    s = 1.0 / item8(row[0], c)
    w = s * scale[STRIDE + c]
    x = row[0] * weights * w
    verdict = verdict[0] + x * x, verdict[1] + w * w
    return (put8(row[0] * s, c, spread8(s)), row[1] * s), verdict, put8(weights, c, spread8(0.0))


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
def stored_five(store, at_, a, b, c, d, f):
    stored(store, at_, a)
    stored(store, at_ + WIDTH, b)
    stored(store, at_ + 2 * WIDTH, c)
    stored(store, at_ + 3 * WIDTH, d)
    stored(store, at_ + 4 * WIDTH, f)


@fused_inlined
def reduced(store, at_, k):
    """P of all rows."""
    last = spread8(0.0)
    if k > 5:
        last = load8(store, at_ + 5 * WIDTH)
    return (
        load8(store, at_), load8(store, at_ + WIDTH), load8(store, at_ + 2 * WIDTH),
        load8(store, at_ + 3 * WIDTH), load8(store, at_ + 4 * WIDTH), last,
    )  # fmt: skip


@fused_inlined
def reduce_rows(e, vals, rhs, r0, o0, k, n0, at_, shift):
    """Echelon form with the stored pivots; the verdict on them, two sums of squares."""
    order, scale, store = e.order, e.scale, e.store
    i, j, l, m, n, o = columns(e, n0)
    zero = spread8(0.0)
    verdict, w = (zero, 0.0), load8(scale, 0)
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
    stored_five(store, at_, a, b, c, d, f)
    return sum8(verdict[0]), verdict[1]
