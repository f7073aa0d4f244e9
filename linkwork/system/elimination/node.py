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
from linkwork.math.compiled import compiled, inlined
from linkwork.math.eights import load8, max8, spread8, store8, sum8, top8
from linkwork.system.sparse_lu import LU

# ints of a node: bodies, numbers of rows, pivots and vectors of G per row; where its blocks are
# (S_bb, S_bp, S_pb, S_pp), its first row, and where its factors are
(BODY, PARENT, ROWS, PIVOTS, WIDE, BB, BP, PB, PP, ROW, STORE, NODE_INTS) = range(12)
# ints of a row: where its parts of body and neighbour are, its unknown
ROW_B, ROW_P, UNKNOWN, ROW_INTS = range(4)
RHS = 6  # the column of the right-hand side
MOST_ROWS = 16
WEAK = 1e-5  # a smaller pivot, relative to its row, is none
LOST = 1e7  # growth beyond which a new node is none
fused = compiled(fastmath={"contract"})
fused_inlined = inlined(fastmath={"contract"})


class Elimination(NamedTuple):
    """Nodes, their factors, and the sparse LU of the core; all arrays, for compiled loops."""

    unknowns: int
    nodes: np.ndarray  # (nodes, NODE_INTS), neighbours after their nodes
    rows: np.ndarray  # (rows of nodes, ROW_INTS)
    pivot_row: np.ndarray  # six per node
    pivot_col: np.ndarray  # six per node: pivots, then the free unknowns
    limit: np.ndarray  # of |E| per node, before its pivots are chosen anew
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
        nodes = self.nodes[:, BODY].copy(), self.pivot_row.copy(), self.pivot_col.copy()
        return (*nodes, self.limit.copy(), *self.lu.pivots)


class Borrowed(NamedTuple):
    """The arrays of an elimination for the loops over nodes (linkwork.math.borrowed)."""

    unknowns: int
    nodes: np.ndarray
    rows: np.ndarray
    pivot_row: np.ndarray
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
        e.unknowns, borrow(e.nodes), borrow(e.rows), borrow(e.pivot_row), borrow(e.pivot_col),
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


@fused_inlined
def load_rows(rows, r0, m, wide, unknowns, vals, rhs, units, store, at_):
    """Rows [C_b c | C_p | 1] of a node into its store."""
    for r in range(m):
        u = rows[r0 + UNKNOWN]
        c = rhs[u] if u < unknowns else 0.0
        store8(store, at_, load8(vals, rows[r0 + ROW_B]) + unit(units, RHS) * c)
        store8(store, at_ + STRIDE, load8(vals, rows[r0 + ROW_P]))
        for w in range(wide):
            store8(store, at_ + (2 + w) * STRIDE, unit(units, r - STRIDE * w))
        at_ += (2 + wide) * STRIDE
        r0 += ROW_INTS


@fused_inlined
def gauss_jordan(store, at_, m, wide, r, c):
    """A pivot in row r and column c: scale its row, clear the others; the inverse pivot."""
    width = (2 + wide) * STRIDE
    q = at_ + r * width
    inverse = 1.0 / store[q + c]
    b = load8(store, q) * inverse
    p = load8(store, q + STRIDE) * inverse
    g = load8(store, q + 2 * STRIDE) * inverse
    h = load8(store, q + (1 + wide) * STRIDE) * inverse
    for other in range(m):
        o = at_ + other * width
        s = store[o + c]
        store8(store, o, load8(store, o) - b * s)
        store8(store, o + STRIDE, load8(store, o + STRIDE) - p * s)
        store8(store, o + 2 * STRIDE, load8(store, o + 2 * STRIDE) - g * s)
        if wide > 1:
            store8(store, o + 3 * STRIDE, load8(store, o + 3 * STRIDE) - h * s)
    store8(store, q, b)
    store8(store, q + STRIDE, p)
    store8(store, q + 2 * STRIDE, g)
    if wide > 1:
        store8(store, q + 3 * STRIDE, h)
    return inverse


@fused_inlined
def reduce_rows(store, at_, m, wide, k, pivot_row, pivot_col, n0, scale):
    """Echelon form with the stored pivots; the largest |E| in scaled unknowns, inf where none."""
    product = 1.0
    for t in range(k):
        product *= gauss_jordan(store, at_, m, wide, pivot_row[n0 + t], pivot_col[n0 + t])
    if not 0.0 < abs(product) < np.inf:
        return np.inf
    weights, peak = load8(scale, 0), spread8(0.0)
    for t in range(k):
        q = at_ + pivot_row[n0 + t] * (2 + wide) * STRIDE
        peak = top8(load8(store, q) * weights * scale[STRIDE + pivot_col[n0 + t]], peak)
    return max8(peak)


@fused_inlined
def choose_pivots(store, at_, m, wide, k, pivot_row, pivot_col, n0, scale, spare):
    """Choose pivots, the largest entry in scaled unknowns each time, in rows scaled to one.

    Behind them in pivot_col: the columns that are no pivots.  False where there are too few.
    """
    width = (2 + wide) * STRIDE
    for r in range(m):
        largest = 0.0
        for c in range(6):
            largest = max(largest, abs(store[at_ + r * width + c]) * scale[c])
        if not largest > 0.0:
            return False
        spare[r] = 1.0 / largest
    for t in range(k):
        best, row, col = WEAK, -1, -1
        for r in range(m):
            for c in range(6):
                size = abs(store[at_ + r * width + c]) * scale[c] * spare[r]
                if size > best:
                    best, row, col = size, r, c
        if row < 0:
            return False
        pivot_row[n0 + t], pivot_col[n0 + t] = row, col
        spare[row] = 0.0  # not again
        gauss_jordan(store, at_, m, wide, row, col)
    f = k
    for c in range(6):
        used = False
        for t in range(k):
            used = used or pivot_col[n0 + t] == c
        if not used:
            pivot_col[n0 + f] = c
            f += 1
    return True


@fused_inlined
def insert_pivots(
    store, at_, tail, wide, k, pivot_row, pivot_col, n0, vals, bb, bp, rhs, b0, units
):
    """T = S_b: with the pivot unknowns inserted, the right-hand side in its column."""
    for i in range(6):
        b = load8(vals, bb + i * STRIDE) + unit(units, RHS) * rhs[b0 + i]
        p = load8(vals, bp + i * STRIDE)
        for t in range(k):
            q = at_ + pivot_row[n0 + t] * (2 + wide) * STRIDE
            s = vals[bb + i * STRIDE + pivot_col[n0 + t]]
            b = b - load8(store, q) * s
            p = p - load8(store, q + STRIDE) * s
        store8(store, tail + i * 2 * STRIDE, b)
        store8(store, tail + i * 2 * STRIDE + STRIDE, p)


@fused_inlined
def eliminate_free(store, at_, tail, wide, k, pivot_row, pivot_col, n0, scale, units):
    """Rows of the free unknowns solved for them: [M⁻¹ | M⁻¹ T_p]; the largest number, scaled."""
    for f in range(k, 6):
        i = pivot_col[n0 + f]
        u = tail + i * 2 * STRIDE
        b, p = load8(store, u), load8(store, u + STRIDE)
        for t in range(k):
            s = store[at_ + pivot_row[n0 + t] * (2 + wide) * STRIDE + i]
            v = tail + pivot_col[n0 + t] * 2 * STRIDE
            b = b - load8(store, v) * s
            p = p - load8(store, v + STRIDE) * s
        store8(store, u, b)
        store8(store, u + STRIDE, p)
    peak, weights = spread8(0.0), load8(scale, 0)
    for f in range(k, 6):
        i = pivot_col[n0 + f]
        u = tail + i * 2 * STRIDE
        inverse = 1.0 / store[u + i]
        if not abs(inverse) < np.inf:
            return np.inf
        b, p = load8(store, u) * inverse, load8(store, u + STRIDE) * inverse
        peak = top8(b * weights * scale[STRIDE + i], peak)
        peak = top8(p * weights * scale[STRIDE + i], peak)
        one = unit(units, i)
        store8(store, u, b + one * (inverse - 1.0))
        store8(store, u + STRIDE, p)
        b = b + one * inverse
        for g in range(k, 6):
            if g != f:
                v = tail + pivot_col[n0 + g] * 2 * STRIDE
                s = store[v + i]
                store8(store, v, load8(store, v) - b * s)
                store8(store, v + STRIDE, load8(store, v + STRIDE) - p * s)
    return max8(peak)


@fused_inlined
def add_to_parent(store, at_, tail, wide, k, pivot_row, pivot_col, n0, vals, pb, pp, units, spare):
    """What remains for the neighbour: to its diagonal block, right-hand side in its column."""
    for i in range(6):
        b = load8(vals, pb + i * STRIDE)
        p = load8(vals, pp + i * STRIDE)
        for t in range(k):
            q = at_ + pivot_row[n0 + t] * (2 + wide) * STRIDE
            c = pivot_col[n0 + t]
            s = vals[pb + i * STRIDE + c]
            b = b - load8(store, q) * s
            p = p - load8(store, q + STRIDE) * s
            s = store[q + STRIDE + i]
            v = tail + c * 2 * STRIDE
            b = b - load8(store, v) * s
            p = p - load8(store, v + STRIDE) * s
        if k < 6:
            store8(spare, 0, b)
            for f in range(k, 6):
                c = pivot_col[n0 + f]
                v = tail + c * 2 * STRIDE
                s = spare[c]
                b = b - unit(units, RHS) * (s * store[v + RHS])
                p = p - load8(store, v + STRIDE) * s
        store8(vals, pp + i * STRIDE, p + b * unit(units, RHS))


@fused_inlined
def is_pivot(pivot_row, n0, k, r):
    found = False
    for t in range(k):
        found = found or pivot_row[n0 + t] == r
    return found


@fused_inlined
def delay_rows(store, at_, m, wide, k, pivot_row, n0, late_place, slot, vals, units):
    """Rows without a pivot, now rows of the neighbour alone, to where it finds them."""
    for r in range(m):
        if not is_pivot(pivot_row, n0, k, r):
            q = at_ + r * (2 + wide) * STRIDE
            c = unit(units, RHS) * store[q + RHS]
            store8(vals, late_place[slot], load8(store, q + STRIDE) + c)
            slot += 1


@fused_inlined
def factor_node(e, number, vals, rhs, fresh):
    """Eliminate a node; the growth, infinite when it has no pivots.  fresh: choose pivots now."""
    node = NODE_INTS * number
    ints = e.nodes
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    rows, r0 = e.rows, ROW_INTS * ints[node + ROW]
    pivot_row, pivot_col, n0 = e.pivot_row, e.pivot_col, 6 * number
    store, units, scale, spare = e.store, e.units, e.scale, e.spare
    tail = at_ + m * (2 + wide) * STRIDE
    peak = np.inf
    if not fresh:
        load_rows(rows, r0, m, wide, e.unknowns, vals, rhs, units, store, at_)
        peak = reduce_rows(store, at_, m, wide, k, pivot_row, pivot_col, n0, scale)
    if not peak <= e.limit[number]:
        load_rows(rows, r0, m, wide, e.unknowns, vals, rhs, units, store, at_)
        if not choose_pivots(store, at_, m, wide, k, pivot_row, pivot_col, n0, scale, spare):
            return np.inf
        load_rows(rows, r0, m, wide, e.unknowns, vals, rhs, units, store, at_)
        peak = reduce_rows(store, at_, m, wide, k, pivot_row, pivot_col, n0, scale)
        e.limit[number] = max(10.0, 2.0 * peak)
    insert_pivots(
        store, at_, tail, wide, k, pivot_row, pivot_col, n0, vals, ints[node + BB],
        ints[node + BP], rhs, 6 * ints[node + BODY], units,
    )  # fmt: skip
    growth = 0.0
    if k < 6:
        growth = eliminate_free(store, at_, tail, wide, k, pivot_row, pivot_col, n0, scale, units)
        if not growth < (LOST if fresh else np.inf):
            return np.inf
    if ints[node + PARENT] >= 0:
        add_to_parent(
            store, at_, tail, wide, k, pivot_row, pivot_col, n0, vals, ints[node + PB],
            ints[node + PP], units, spare,
        )  # fmt: skip
        if m > k:
            slot = e.late_at[number]
            delay_rows(
                store, at_, m, wide, k, pivot_row, n0, e.late_place, slot, vals, units
            )
    return growth


@fused_inlined
def solve_node(e, number):
    """Increments and multipliers of a node from those of its neighbour, in e.x and e.out."""
    ints, node = e.nodes, NODE_INTS * number
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    width, store, units, x, out = (2 + wide) * STRIDE, e.store, e.units, e.x, e.out
    pivot_row, pivot_col, n0 = e.pivot_row, e.pivot_col, 6 * number
    tail = at_ + m * width
    b, p = ints[node + BODY], ints[node + PARENT]
    parent = load8(x, STRIDE * p) if p >= 0 else spread8(0.0)
    free = spread8(0.0)
    for f in range(k, 6):
        v = tail + pivot_col[n0 + f] * 2 * STRIDE
        value = store[v + RHS] - sum8(load8(store, v + STRIDE) * parent)
        free = free + unit(units, pivot_col[n0 + f]) * value
    mine, g, h = free, spread8(0.0), spread8(0.0)
    if m > k:
        slot = e.late_at[number]
        for r in range(m):
            if not is_pivot(pivot_row, n0, k, r):
                load = out[e.late_unknown[slot]]
                slot += 1
                g = g + load8(store, at_ + r * width + 2 * STRIDE) * load
                h = h + load8(store, at_ + r * width + (1 + wide) * STRIDE) * load
    for t in range(k):
        c = pivot_col[n0 + t]
        q, v = at_ + pivot_row[n0 + t] * width, tail + c * 2 * STRIDE
        part = load8(store, q) * free + load8(store, q + STRIDE) * parent
        mine = mine + unit(units, c) * (store[q + RHS] - sum8(part))
        part = load8(store, v) * free + load8(store, v + STRIDE) * parent
        load = store[v + RHS] - sum8(part)
        g = g + load8(store, q + 2 * STRIDE) * load
        h = h + load8(store, q + (1 + wide) * STRIDE) * load
    store8(x, STRIDE * b, mine)
    for i in range(6):
        out[6 * b + i] = x[STRIDE * b + i]
    store8(e.spare, 0, g)
    store8(e.spare, STRIDE, h)
    for r in range(m):
        out[e.rows[ROW_INTS * (ints[node + ROW] + r) + UNKNOWN]] = e.spare[r]
