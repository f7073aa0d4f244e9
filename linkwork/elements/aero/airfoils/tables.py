"""Coefficients of airfoils as numbers of an element, and their lookup.

A table is three grids, of c_l, c_d and c_m, over the angle of attack and the Mach (or Reynolds)
number, linear in both between the entries.  Outside of a grid the last entries hold on.

For dynamic stall two more grids, of the attached part of the chord and of the gain in lift
(airfoils.separation), follow over the angle alone, and for apparent mass one of the slope of c_l at
no angle over the columns alone.

reals of a table: [axis, slope of the first column, places of c_l, c_d, c_m, of the attached part,
of the gain and of the slope, angle without lift, drag there] and for each of the grids
    [angles n, columns m][m Mach or Reynolds numbers][n angles (rad)][n × m coefficients]
places count from the table's beginning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.math.compiled import inlined

MACH, REYNOLDS = 0.0, 1.0
AXIS, SLOPE, CL, CD, CM, SEPARATION, GAIN, SLOPES, ZERO, DRAG0, HEAD = range(11)


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
def grid(reals, k, p, x, y):
    """A coefficient at angle x and column number y, with its slopes by both."""
    n, m = int(reals[k, p]), int(reals[k, p + 1])
    j, s, ds = place_between(reals, k, p + 2, m, y)
    i, t, dt = place_between(reals, k, p + 2 + m, n, x)
    base = p + 2 + m + n + i * m + j
    right = 1 if m > 1 else 0
    down = m if n > 1 else 0
    a, b = reals[k, base], reals[k, base + right]
    c, d = reals[k, base + down], reals[k, base + down + right]
    upper, lower = a + s * (b - a), c + s * (d - c)
    by_y = ds * ((b - a) + t * ((d - c) - (b - a)))
    return upper + t * (lower - upper), dt * (lower - upper), by_y


@inlined
def coefficients(reals, k, table, alpha, y):
    """c_l, c_d, c_m, each with its slopes by angle and by column."""
    a = grid(reals, k, table + int(reals[k, table + CL]), alpha, y)
    b = grid(reals, k, table + int(reals[k, table + CD]), alpha, y)
    c = grid(reals, k, table + int(reals[k, table + CM]), alpha, y)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


def grid_numbers(alpha: np.ndarray, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A grid as numbers; alpha in rad, values (angles, columns)."""
    head = np.array([len(alpha), len(columns)], float)
    return np.concatenate([head, columns, alpha, values.ravel()])


def table_numbers(axis: float, slopes: np.ndarray, grids: list[Any], apart: Any) -> np.ndarray:
    """A table from its three grids (alpha, columns, values), the slopes of c_l in its columns and a
    Separation."""
    more = [(apart.alpha, np.zeros(1), x[:, None]) for x in (apart.attached, apart.gain)]
    more.append((np.zeros(1), grids[0][1], slopes[None]))
    parts = [grid_numbers(*grid) for grid in (*grids, *more)]
    places = HEAD + np.concatenate([[0], np.cumsum([len(part) for part in parts])[:-1]])
    head = [axis, slopes[0], *places.astype(float), apart.zero, apart.drag]
    return np.concatenate([head, *parts])
