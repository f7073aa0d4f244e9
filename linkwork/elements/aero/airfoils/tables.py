"""Coefficients of airfoils as numbers of an element, and their lookup.

A table is three grids, of c_l, c_d and c_m, over the angle of attack and the Mach (or Reynolds)
number, linear in both between the entries.  Outside of a grid the last entries hold on.

For dynamic stall two more grids, of the attached part of the chord and of the gain in lift
(airfoils.separation), follow over the angle alone, and for apparent mass one of the slope of c_l at
no angle over the columns alone.

reals of a table: slope of the first column, angle without lift, drag there, and of each grid
    [m Mach or Reynolds numbers][n angles (rad)][n × m coefficients]
integers: which number the columns are of, the column of the reals, and of each of the grids its
angles n, columns m and the column of its reals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record

MACH, REYNOLDS = range(2)
SLOPE, ZERO, DRAG0, GRIDS = record(slope=1, zero=1, drag0=1, grids=0)
TABLE_CODES = record(axis=1, reals=1, cl=3, cd=3, cm=3, separation=3, gain=3, slopes=3)
AXIS, REALS, CL, CD, CM, SEPARATION, GAIN, SLOPES = TABLE_CODES
GRID = 3  # integers


@inlined
def interval(reals, k, first, n, x):
    """The interval of n rising numbers that x lies in."""
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < reals[k, first + middle]:
            high = middle
        else:
            low = middle
    return low


@inlined
def place_between(reals, k, first, n, x):
    """Interval, part of it from 0 to 1, and the slope of that part (0 outside)."""
    if n == 1:
        return 0, 0.0, 0.0
    i = interval(reals, k, first, n, x)
    a, b = reals[k, first + i], reals[k, first + i + 1]
    t = (x - a) / (b - a)
    if t < 0.0:
        return i, 0.0, 0.0
    if t > 1.0:
        return i, 1.0, 0.0
    return i, t, 1.0 / (b - a)


@inlined
def grid(codes, reals, k, g, x, y):
    """A coefficient at angle x and column number y, with its slopes by both; g: the grid's first
    integer."""
    n, m, p = codes[k, g], codes[k, g + 1], codes[k, g + 2]
    j, s, ds = place_between(reals, k, p, m, y)
    i, t, dt = place_between(reals, k, p + m, n, x)
    base = p + m + n + i * m + j
    right = 1 if m > 1 else 0
    down = m if n > 1 else 0
    a, b = reals[k, base], reals[k, base + right]
    c, d = reals[k, base + down], reals[k, base + down + right]
    upper, lower = a + s * (b - a), c + s * (d - c)
    by_y = ds * ((b - a) + t * ((d - c) - (b - a)))
    return upper + t * (lower - upper), dt * (lower - upper), by_y


@inlined
def coefficients(codes, reals, k, table, alpha, y):
    """c_l, c_d, c_m, each with its slopes by angle and by column."""
    a = grid(codes, reals, k, table + CL, alpha, y)
    b = grid(codes, reals, k, table + CD, alpha, y)
    c = grid(codes, reals, k, table + CM, alpha, y)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


def table_numbers(
    axis: int, slopes: np.ndarray, grids: list[Any], apart: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The reals and integers of a table from its three grids (alpha, columns, values), the slopes
    of c_l in its columns and a Separation."""
    more = [(apart.alpha, np.zeros(1), x[:, None]) for x in (apart.attached, apart.gain)]
    more.append((np.zeros(1), grids[0][1], slopes[None]))
    reals, codes, size = [np.array([slopes[0], apart.zero, apart.drag])], [axis, 0], GRIDS
    for alpha, columns, values in (*grids, *more):
        reals += [columns, alpha, values.ravel()]
        codes += [len(alpha), len(columns), size]
        size += len(columns) + len(alpha) + values.size
    return np.concatenate(reals), np.array(codes, np.int64)


def shifted(codes: np.ndarray, columns: int) -> np.ndarray:
    """The integers of tables, one after the other, whose reals begin so many columns later."""
    found = codes.reshape(-1, TABLE_CODES.width).copy()
    found[:, [REALS, *range(CL + GRID - 1, TABLE_CODES.width, GRID)]] += columns
    return found.ravel()
