"""Large fronts by panels: what P pivots change in all columns behind them, at once.

    U = L11⁻¹ F12,    F22 ← F22 − L21 U        L21: m×P, stays in the cache;  U: P×4 at a time

Sixteen rows of four columns are kept in registers while the pivots of the panel pass: every number
of F22 is read and written once for P pivots instead of once for four.  Operations and their order
are those of `eliminate_columns`, so the digits are the same.
"""

from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import load8, store8
from linkwork.linear_algebra.core.lanes import LANES, update

PANEL = 48  # pivots, a multiple of LANES
ROWS, COLUMNS = 16, 4  # of what is kept in registers


@fused_inlined
def update_others(front, remainder, first, end, k, r, lead):
    """What the pivots from `first` to `end` change in the columns behind them."""
    for c in range(end, k + r):
        solve_upper(front, c * lead if c < k else k * lead + (c - k) * k, first, end, lead)
    for c in range(end, k, COLUMNS):
        at_ = c * lead
        subtract(front, at_, lead, end, lead, front, at_, lead, first, end, lead, COLUMNS)
    for c in range(k, k + r, COLUMNS):
        u, v = k * lead + (c - k) * k, (c - k) * (lead - k) - k
        count = min(COLUMNS, k + r - c)
        subtract(front, u, k, end, k, front, u, k, first, end, lead, count)
        subtract(remainder, v, lead - k, k, lead, front, u, k, first, end, lead, count)


@fused_inlined
def solve_upper(front, column, first, end, lead):
    """The rows of U in one column, which begins at `column`."""
    for j in range(first, end, LANES):
        d, u = j * lead + j, column + j
        u0 = front[u]
        u1 = front[u + 1] - front[d + 1] * u0
        u2 = front[u + 2] - front[d + 2] * u0 - front[d + lead + 2] * u1
        u3 = front[u + 3] - front[d + 3] * u0 - front[d + lead + 3] * u1
        u3 -= front[d + 2 * lead + 3] * u2
        front[u + 1], front[u + 2], front[u + 3] = u1, u2, u3
        for i in range(j + LANES, end, LANES):
            update(front, column + i, front, j * lead + i, lead, u0, u1, u2, u3, 1.0)


@fused_inlined
def subtract(y, at_, step, top, bottom, front, u, width, first, end, lead, count):
    """y −= L U in the rows from `top` to `bottom` of `count` columns, which begin at `at_` and are
    `step` apart; those of U begin at `u` and are `width` apart."""
    i = top
    if count == COLUMNS:
        while i + ROWS <= bottom:
            sixteen_rows(
                borrow(y), at_ + i, step, borrow(front), i, u, width, first, end, lead
            )
            i += ROWS
    while i < bottom:
        for q in range(count):
            for j in range(first, end, LANES):
                v = u + q * width + j
                update(
                    y, at_ + q * step + i, front, j * lead + i, lead, front[v], front[v + 1],
                    front[v + 2], front[v + 3], 1.0,
                )  # fmt: skip
        i += LANES


@fused_inlined
def sixteen_rows(y, at_, step, front, i, u, width, first, end, lead):
    """The same of sixteen rows and four columns, in registers."""
    p0, p1, p2, p3 = at_, at_ + step, at_ + 2 * step, at_ + 3 * step
    a, b, c, d = load8(y, p0), load8(y, p1), load8(y, p2), load8(y, p3)
    e, f, g, h = load8(y, p0 + 8), load8(y, p1 + 8), load8(y, p2 + 8), load8(y, p3 + 8)
    u1, u2, u3 = u + width, u + 2 * width, u + 3 * width
    for j in range(first, end):
        x, z = load8(front, j * lead + i), load8(front, j * lead + i + 8)
        s = front[u + j]
        a, e = a - x * s, e - z * s
        s = front[u1 + j]
        b, f = b - x * s, f - z * s
        s = front[u2 + j]
        c, g = c - x * s, g - z * s
        s = front[u3 + j]
        d, h = d - x * s, h - z * s
    store8(y, p0, a)
    store8(y, p1, b)
    store8(y, p2, c)
    store8(y, p3, d)
    store8(y, p0 + 8, e)
    store8(y, p1 + 8, f)
    store8(y, p2 + 8, g)
    store8(y, p3 + 8, h)
