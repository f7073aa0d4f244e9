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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import fused_inlined
from linkwork.math.eights import lane8, load8, spread8, store8, sum8
from linkwork.system.sparse_lu import LU

# ints of a node: bodies, numbers of rows, pivots and vectors of G per row; where its blocks are
# (S_bb, S_bp, S_pb, S_pp), its first row, and where its factors are
(BODY, PARENT, ROWS, PIVOTS, WIDE, BB, BP, PB, PP, ROW, STORE, NODE_INTS) = range(12)
# ints of a row: where its parts of body and neighbour are, its unknown
ROW_B, ROW_P, UNKNOWN, ROW_INTS = range(4)
RHS = 6  # the column of the right-hand side
MOST_ROWS = 16
WEAK = 1e-5  # a smaller pivot, relative to its row, is none
LOST = 1e14  # growth beyond which a new node is none


class Elimination(NamedTuple):
    """Nodes, their factors, and the sparse LU of the core; all arrays, for compiled loops."""

    unknowns: int
    nodes: np.ndarray  # (nodes, NODE_INTS), neighbours after their nodes
    rows: np.ndarray  # (rows of nodes, ROW_INTS)
    order: np.ndarray  # of the rows in their node: those with pivots first
    pivot_col: np.ndarray  # six per node: pivots, then the free unknowns
    limit: np.ndarray  # of Σ E² per node, before its pivots are chosen anew
    late_at: np.ndarray  # first delayed row of each node
    late_place: np.ndarray  # where delayed rows go in the values ...
    late_unknown: np.ndarray  # ... and their unknowns, behind the others
    core: np.ndarray  # unknowns of the core
    core_place: np.ndarray  # where nodes leave their right-hand sides for them, or −1
    core_rhs: np.ndarray
    lu: LU
    store: np.ndarray  # factors of the nodes
    x: np.ndarray  # eight numbers per body: the solution
    out: np.ndarray  # solution by unknowns, delayed rows behind
    spare: np.ndarray
    scale: np.ndarray  # eight sizes of unknowns, and their inverses
    units: np.ndarray  # unit vectors between zeros

    @property
    def pivots(self) -> tuple[np.ndarray, ...]:
        """What `analyse(..., pivots=)` needs to reproduce this elimination digit by digit."""
        nodes = self.nodes[:, BODY].copy(), self.order.copy(), self.pivot_col.copy()
        return (*nodes, self.limit.copy(), *self.lu.pivots)


class Borrowed(NamedTuple):
    """The arrays of an elimination for the loops over nodes (linkwork.math.borrowed)."""

    unknowns: int
    nodes: np.ndarray
    rows: np.ndarray
    order: np.ndarray
    pivot_col: np.ndarray
    limit: np.ndarray
    late_at: np.ndarray
    late_place: np.ndarray
    late_unknown: np.ndarray
    store: np.ndarray
    x: np.ndarray
    out: np.ndarray
    spare: np.ndarray
    scale: np.ndarray
    units: np.ndarray


@fused_inlined
def borrowed(e):
    return Borrowed(
        e.unknowns, borrow(e.nodes), borrow(e.rows), borrow(e.order), borrow(e.pivot_col),
        borrow(e.limit), borrow(e.late_at), borrow(e.late_place), borrow(e.late_unknown),
        borrow(e.store), borrow(e.x), borrow(e.out), borrow(e.spare), borrow(e.scale),
        borrow(e.units),
    )  # fmt: skip


def store_size(rows: int, wide: int) -> int:
    """Numbers that a node keeps: rows [E D G], then T."""
    return rows * (2 + wide) * STRIDE + 6 * 2 * STRIDE


@fused_inlined
def unit(units, i):
    """The eight numbers with a one at place i (zeros where there is no such place)."""
    return load8(units, STRIDE * (i + STRIDE))


# -------------------------------------------------------------- a row: its three vectors [E D G]


@fused_inlined
def loaded(e, vals, rhs, row, order):
    """Row [C_b c | C_p | 1], where G begins as a unit vector."""
    u = e.rows[row + UNKNOWN]
    c = rhs[u] if u < e.unknowns else 0.0
    b = load8(vals, e.rows[row + ROW_B]) + unit(e.units, RHS) * c
    return b, load8(vals, e.rows[row + ROW_P]), unit(e.units, order)


@fused_inlined
def scaled(row, c):
    """The row with a one in column c."""
    s = 1.0 / lane8(row[0], c)
    return row[0] * s, row[1] * s, row[2] * s


@fused_inlined
def cleared(row, pivot, c):
    """The row with a zero in column c, where `pivot` has a one."""
    s = lane8(row[0], c)
    return row[0] - pivot[0] * s, row[1] - pivot[1] * s, row[2] - pivot[2] * s


@fused_inlined
def stored(store, at_, row):
    store8(store, at_, row[0])
    store8(store, at_ + STRIDE, row[1])
    store8(store, at_ + 2 * STRIDE, row[2])


@fused_inlined
def reduce_few(e, vals, rhs, r0, o0, m, n0, at_):
    """Echelon form of up to six rows with the stored pivots, all rows in registers."""
    order, col = e.order, e.pivot_col
    zero = spread8(0.0)
    none = (zero, zero, zero)
    a = b = c = d = f = g = none
    if m > 0:
        i = order[o0]
        a = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 1:
        i = order[o0 + 1]
        b = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 2:
        i = order[o0 + 2]
        c = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 3:
        i = order[o0 + 3]
        d = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 4:
        i = order[o0 + 4]
        f = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 5:
        i = order[o0 + 5]
        g = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
    if m > 0:
        k = col[n0]
        a = scaled(a, k)
        b, c, d = cleared(b, a, k), cleared(c, a, k), cleared(d, a, k)
        f, g = cleared(f, a, k), cleared(g, a, k)
    if m > 1:
        k = col[n0 + 1]
        b = scaled(b, k)
        a, c, d = cleared(a, b, k), cleared(c, b, k), cleared(d, b, k)
        f, g = cleared(f, b, k), cleared(g, b, k)
    if m > 2:
        k = col[n0 + 2]
        c = scaled(c, k)
        a, b, d = cleared(a, c, k), cleared(b, c, k), cleared(d, c, k)
        f, g = cleared(f, c, k), cleared(g, c, k)
    if m > 3:
        k = col[n0 + 3]
        d = scaled(d, k)
        a, b, c = cleared(a, d, k), cleared(b, d, k), cleared(c, d, k)
        f, g = cleared(f, d, k), cleared(g, d, k)
    if m > 4:
        k = col[n0 + 4]
        f = scaled(f, k)
        a, b, c = cleared(a, f, k), cleared(b, f, k), cleared(c, f, k)
        d, g = cleared(d, f, k), cleared(g, f, k)
    if m > 5:
        k = col[n0 + 5]
        g = scaled(g, k)
        a, b, c = cleared(a, g, k), cleared(b, g, k), cleared(c, g, k)
        d, f = cleared(d, g, k), cleared(f, g, k)
    width, store = 3 * STRIDE, e.store
    if m > 0:
        stored(store, at_, a)
    if m > 1:
        stored(store, at_ + width, b)
    if m > 2:
        stored(store, at_ + 2 * width, c)
    if m > 3:
        stored(store, at_ + 3 * width, d)
    if m > 4:
        stored(store, at_ + 4 * width, f)
    if m > 5:
        stored(store, at_ + 5 * width, g)


# ------------------------------------------------------------------ more rows than six: in memory


@fused_inlined
def load_rows(e, vals, rhs, r0, o0, m, wide, at_):
    """Rows [C_b c | C_p | 1] of a node into its store, in their order."""
    for t in range(m):
        i = e.order[o0 + t]
        b, p, g = loaded(e, vals, rhs, r0 + ROW_INTS * i, i)
        stored(e.store, at_, (b, p, g))
        if wide > 1:
            store8(e.store, at_ + 3 * STRIDE, unit(e.units, i - STRIDE))
        at_ += (2 + wide) * STRIDE


@fused_inlined
def clear_column(store, at_, m, wide, r, c):
    """A pivot in row r and column c: scale its row, clear the others."""
    width = (2 + wide) * STRIDE
    q = at_ + r * width
    inverse = 1.0 / store[q + c]
    for v in range(0, width, STRIDE):
        store8(store, q + v, load8(store, q + v) * inverse)
    for other in range(m):
        if other != r:
            o = at_ + other * width
            s = store[o + c]
            for v in range(0, width, STRIDE):
                store8(store, o + v, load8(store, o + v) - load8(store, q + v) * s)


@fused_inlined
def choose_pivots(e, m, wide, k, o0, n0, at_):
    """Choose pivots, the largest entry in scaled unknowns each time, in rows scaled to one.

    Rows are exchanged so that those with pivots come first; behind the pivots in pivot_col stand
    the columns that are none.  False where there are too few.
    """
    width, store, scale, spare = (2 + wide) * STRIDE, e.store, e.scale, e.spare
    for r in range(m):
        largest = 0.0
        for c in range(6):
            largest = max(largest, abs(store[at_ + r * width + c]) * scale[c])
        if not largest > 0.0:
            return False
        spare[r] = 1.0 / largest
    for t in range(k):
        best, row, col = WEAK, -1, -1
        for r in range(t, m):
            for c in range(6):
                size = abs(store[at_ + r * width + c]) * scale[c] * spare[r]
                if size > best:
                    best, row, col = size, r, c
        if row < 0:
            return False
        e.order[o0 + t], e.order[o0 + row] = e.order[o0 + row], e.order[o0 + t]
        spare[t], spare[row] = spare[row], spare[t]
        for v in range(0, width, STRIDE):
            x, y = load8(store, at_ + t * width + v), load8(store, at_ + row * width + v)
            store8(store, at_ + t * width + v, y)
            store8(store, at_ + row * width + v, x)
        e.pivot_col[n0 + t] = col
        clear_column(store, at_, m, wide, t, col)
    f = k
    for c in range(6):
        used = False
        for t in range(k):
            used = used or e.pivot_col[n0 + t] == c
        if not used:
            e.pivot_col[n0 + f] = c
            f += 1
    return True


@fused_inlined
def reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_):
    """Echelon form with the stored pivots; Σ E² in scaled unknowns, not finite where none."""
    store, scale, col = e.store, e.scale, e.pivot_col
    if m <= 6:
        reduce_few(e, vals, rhs, r0, o0, m, n0, at_)
    else:
        load_rows(e, vals, rhs, r0, o0, m, wide, at_)
        for t in range(k):
            clear_column(store, at_, m, wide, t, col[n0 + t])
    weights, squares = load8(scale, 0), spread8(0.0)
    for t in range(k):
        x = load8(store, at_ + t * (2 + wide) * STRIDE) * weights * scale[STRIDE + col[n0 + t]]
        squares = squares + x * x
    return sum8(squares)


# --------------------------------------------------------------------------- the blocks of bodies


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
def eliminate_free(e, at_, tail, wide, k, n0):
    """Rows of the free unknowns solved for them, [M⁻¹ | M⁻¹ T_p]; the sum of squares, scaled."""
    store, scale, col = e.store, e.scale, e.pivot_col
    for f in range(k, 6):
        i = col[n0 + f]
        u = tail + i * 2 * STRIDE
        b, p = load8(store, u), load8(store, u + STRIDE)
        for t in range(k):
            s = store[at_ + t * (2 + wide) * STRIDE + i]
            v = tail + col[n0 + t] * 2 * STRIDE
            b, p = b - load8(store, v) * s, p - load8(store, v + STRIDE) * s
        store8(store, u, b)
        store8(store, u + STRIDE, p)
    squares, weights = spread8(0.0), load8(scale, 0)
    for f in range(k, 6):
        i = col[n0 + f]
        u = tail + i * 2 * STRIDE
        b, p = load8(store, u), load8(store, u + STRIDE)
        inverse = 1.0 / store[u + i]
        b, p = b * inverse, p * inverse
        x, y = b * weights * scale[STRIDE + i], p * weights * scale[STRIDE + i]
        squares = squares + x * x + y * y
        one = unit(e.units, i)
        store8(store, u, b + one * (inverse - 1.0))
        store8(store, u + STRIDE, p)
        b = b + one * inverse
        for g in range(k, 6):
            if g != f:
                v = tail + col[n0 + g] * 2 * STRIDE
                s = store[v + i]
                store8(store, v, load8(store, v) - b * s)
                store8(store, v + STRIDE, load8(store, v + STRIDE) - p * s)
    return sum8(squares)


@fused_inlined
def add_to_parent(e, at_, tail, wide, k, n0, vals, pb, pp):
    """What remains for the neighbour: to its diagonal block, right-hand side in its column."""
    store, col, one = e.store, e.pivot_col, unit(e.units, RHS)
    for i in range(0, 6, 3):
        place = pp + i * STRIDE
        (a, b, c), (x, y, z) = inserted(
            three(vals, pb + i * STRIDE), three(vals, place), store, at_, wide, k, vals,
            pb + i * STRIDE, col, n0,
        )  # fmt: skip
        for t in range(k):
            d = at_ + t * (2 + wide) * STRIDE + STRIDE + i
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
def delay_rows(e, number, m, wide, k, at_, vals):
    """Rows without a pivot, now rows of the neighbour alone, to where it finds them."""
    slot = e.late_at[number]
    for t in range(k, m):
        q = at_ + t * (2 + wide) * STRIDE
        c = unit(e.units, RHS) * e.store[q + RHS]
        store8(vals, e.late_place[slot], load8(e.store, q + STRIDE) + c)
        slot += 1


@fused_inlined
def factor_node(e, number, vals, rhs, fresh):
    """Eliminate a node; the growth, infinite when it has no pivots.  fresh: choose pivots now."""
    node, ints = NODE_INTS * number, e.nodes
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    r0, o0, n0 = ROW_INTS * ints[node + ROW], ints[node + ROW], 6 * number
    tail = at_ + m * (2 + wide) * STRIDE
    size = np.inf
    if not fresh:
        size = reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_)
    if not size <= e.limit[number]:
        load_rows(e, vals, rhs, r0, o0, m, wide, at_)
        if not choose_pivots(e, m, wide, k, o0, n0, at_):
            return np.inf
        size = reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_)
        e.limit[number] = max(100.0, 4.0 * size)
    insert_pivots(
        e, at_, tail, wide, k, n0, vals, ints[node + BB], ints[node + BP], rhs,
        6 * ints[node + BODY],
    )  # fmt: skip
    growth = 0.0
    if k < 6:
        growth = eliminate_free(e, at_, tail, wide, k, n0)
        if not growth < (LOST if fresh else np.inf):
            return np.inf
    if ints[node + PARENT] >= 0:
        add_to_parent(e, at_, tail, wide, k, n0, vals, ints[node + PB], ints[node + PP])
        if m > k:
            delay_rows(e, number, m, wide, k, at_, vals)
    return growth


@fused_inlined
def solve_node(e, number):
    """Increments and multipliers of a node from those of its neighbour, in e.x and e.out."""
    node, ints = NODE_INTS * number, e.nodes
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    width, store, units, x, out = (2 + wide) * STRIDE, e.store, e.units, e.x, e.out
    col, n0 = e.pivot_col, 6 * number
    tail = at_ + m * width
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
        g = g + load8(store, q + 2 * STRIDE) * load
        h = h + load8(store, q + (1 + wide) * STRIDE) * load
    store8(x, STRIDE * b, mine)
    for i in range(6):
        out[6 * b + i] = x[STRIDE * b + i]
    store8(e.spare, 0, g)
    store8(e.spare, STRIDE, h)
    row = ROW_INTS * ints[node + ROW] + UNKNOWN
    for r in range(m):
        out[e.rows[row]] = e.spare[r]
        row += ROW_INTS
