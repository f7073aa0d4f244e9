"""The rows of a node in echelon form: Gauss-Jordan, G [C_b  C_p  c] = [1 E  D  d].

Rows are kept in the order of their pivots, those that will be delayed behind them.  A row is three
vectors, E with the right-hand side in column 6, D, and G, which takes two for more than eight rows.

`shift` is where in the values rows are taken from: 0, or for the columns of constraints, where
they differ from the rows, the elimination's `left`.

Pivots are judged when their turn comes, in unknowns of comparable size: a row much larger than
its pivot (SMALL), or a pivot much smaller than when it was chosen (FADED), and they are chosen
anew, the largest entries first.
"""

from __future__ import annotations

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import load8, spread8, store8, sum8
from linkwork.linear_algebra.along_mechanism.tables import (
    LOST, MOST_ROWS, RHS, ROW_B, ROW_INTS, ROW_P, UNKNOWN, unit,
)  # fmt: skip

WEAK = 1e-5  # a smaller pivot, relative to its row, is none
SMALL = SIX * 10.0**2  # Σ (row / pivot)²
FADED = 1e6  # (pivot when it was chosen / pivot)²


@fused_inlined
def judged(verdict, row, inverse, scale, c):
    """Adds (row / pivot)² and 1 / pivot² of a pivot row whose turn it is, in scaled unknowns."""
    x, s = row * load8(scale, 0) * scale[STRIDE + c], inverse * scale[STRIDE + c]
    return verdict[0] + x * x, verdict[1] + s * s


@fused_inlined
def load_rows(e, vals, rhs, r0, o0, m, wide, at_, shift):
    """Rows [C_b c | C_p | 1] of a node into its store, in their order."""
    for t in range(m):
        i = e.order[o0 + t]
        row = r0 + ROW_INTS * i
        u = e.rows[row + UNKNOWN]
        c = rhs[u] if u < e.unknowns else 0.0
        b = load8(vals, e.rows[row + ROW_B] + shift) + unit(e.units, RHS) * c
        store8(e.store, at_, b)
        store8(e.store, at_ + STRIDE, load8(vals, e.rows[row + ROW_P] + shift))
        store8(e.store, at_ + 2 * STRIDE, unit(e.units, i))
        if wide > 1:
            store8(e.store, at_ + 3 * STRIDE, unit(e.units, i - STRIDE))
        at_ += (2 + wide) * STRIDE


@fused_inlined
def clear_column(store, at_, m, wide, r, c):
    """A pivot in row r and column c: scale its row, clear the others; the row and 1/pivot."""
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
    return load8(store, q), spread8(inverse)


@fused_inlined
def choose_pivots(e, m, wide, k, o0, n0, at_):
    """Choose pivots, the largest entry in scaled unknowns each time, in rows scaled to one.

    Rows are exchanged so that those with pivots come first; behind the pivots in pivot_col stand
    the columns that are none.  False where there are too few: then the old columns stay.
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
        spare[MOST_ROWS + t] = col
        clear_column(store, at_, m, wide, t, col)
    for t in range(k):
        e.pivot_col[n0 + t] = int(spare[MOST_ROWS + t])
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
def reduce_rows(e, vals, rhs, r0, o0, m, wide, k, n0, at_, shift):
    """Echelon form with the stored pivots: the verdict on them, two sums of squares.

    Not finite where a pivot vanishes.  The final form hides pivots that were small when their
    turn came.
    """
    load_rows(e, vals, rhs, r0, o0, m, wide, at_, shift)
    verdict = spread8(0.0), spread8(0.0)
    for t in range(k):
        c = e.pivot_col[n0 + t]
        row, inverse = clear_column(e.store, at_, m, wide, t, c)
        verdict = judged(verdict, row, inverse, e.scale, c)
    return sum8(verdict[0]), sum8(verdict[1])


@fused_inlined
def leverage(e, at_, wide, k, n0):
    """Σ D² in scaled unknowns: Dᵀ S D goes to the neighbour, and its round-off too."""
    weights, squares = load8(e.scale, 0), spread8(0.0)
    for t in range(k):
        x = load8(e.store, at_ + t * (2 + wide) * STRIDE + STRIDE) * weights
        x = x * e.scale[STRIDE + e.pivot_col[n0 + t]]
        squares = squares + x * x
    return sum8(squares)


@fused_inlined
def delay_rows(e, number, m, wide, k, r0, at_, vals, shift):
    """Rows without a pivot, now rows of the neighbour alone, to where it finds them.

    False where one is a difference of equal rows: it repeats others.
    """
    slot, weights = e.late_at[number], load8(e.scale, 0)
    for t in range(k, m):
        q = at_ + t * (2 + wide) * STRIDE
        row, parts = load8(e.store, q + STRIDE), spread8(0.0)
        for j in range(m):
            part = load8(vals, e.rows[r0 + ROW_INTS * j + ROW_P] + shift) * weights
            part = part * e.store[q + 2 * STRIDE + j]
            parts = parts + part * part
        left = row * weights
        if not LOST * sum8(left * left) > sum8(parts):
            return False
        store8(vals, e.late_place[slot] + shift, row + unit(e.units, RHS) * e.store[q + RHS])
        slot += 1
    return True
