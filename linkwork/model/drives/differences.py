"""First and second derivative of a function by differences on nine points of uneven spacing."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from linkwork.errors import DriveError

LEVELS = (*range(-6, -22, -2), -4, -2)  # steps 2^level, the one most functions like first
UNCERTAIN = 1e5  # times the accuracy aimed at: 1e-5 in y', 1e-3 in y''


def _weights(offsets: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of y' h and y'' h^2 from the first n points of a stencil (Lagrange polynomials)."""
    w1, w2 = np.zeros((2, offsets.size))
    for i in range(n):
        others = np.delete(offsets[:n], i)
        c = np.poly(others) / np.prod(offsets[i] - others)
        w1[i], w2[i] = c[-2], 2 * c[-3]
    return w1, w2


@functools.cache
def _stencils() -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
    """Central, forward and backward nine points; weights with 9, 7 and 5 of them.

    Equidistant points would see a sine of frequency 1/h as a constant; these distances, 0, 1 and
    sqrt(k^2 + 1), have no common measure, so no frequency hides.
    """
    a = np.array([0, 1, *(math.sqrt(k * k + 1) for k in range(2, 9))])
    central = np.array([0, *(x for b in a[1:5] for x in (b, -b))])
    sets = []
    for offsets in (central, a, -a):
        w1, w2 = zip(*(_weights(offsets, n) for n in (9, 7, 5)), strict=True)
        sets.append((offsets, np.array(w1), np.array(w2)))
    return tuple(sets)


def _error(d: np.ndarray) -> float:
    """Error of d[0] from the values with 9, 7 and 5 points, which converge geometrically."""
    fine, coarse = abs(d[0] - d[1]), abs(d[1] - d[2])
    return float(fine * min(1.0, max(fine / coarse, 1e-3)) if coarse > 0 else fine)


def differentiate(f: Callable[[float], float], t: float) -> tuple[float, float, float]:
    """First and second derivative of f at t from nine-point differences, and their quality.

    The step is 2^-6 (times |t| 2^-20 where that is larger than 1), and others between 2^-2 and
    2^-20 are tried while the estimated relative error (truncation and rounding) is above 1e-10
    in y' or 1e-8 in y''; the quality is that error over these bounds.  Where f has a corner or
    is not defined on one side, the differences are one-sided, those from the right first.
    """
    scale = 2.0 ** max(0, math.frexp(t)[1] - 20)
    best = (math.nan, math.nan, math.inf)
    failure: DriveError | None = None
    for offsets, w1, w2 in _stencils():
        for level in LEVELS:
            h = scale * 2.0**level
            try:
                y = np.array([f(x) for x in (t + h * offsets).tolist()])
            except DriveError as error:
                failure = failure or error
                continue
            d1, d2, size = w1 @ y / h, w2 @ y / h**2, float(abs(y).max())
            noise = 2.2e-16 * (size + abs(t * d1[0]))
            e1 = _error(d1) + noise * abs(w1[0]).sum() / h
            e2 = _error(d2) + noise * abs(w2[0]).sum() / h**2
            s1 = abs(d1[0]) + size + 1e-300
            quality = max(e1 / (1e-10 * s1), e2 / (1e-8 * (s1 + abs(d2[0]))))
            if quality < best[2]:
                best = float(d1[0]), float(d2[0]), float(quality)
            if quality <= 1:
                return best
        if best[2] <= 1e3:
            return best
    if best[2] == math.inf and failure is not None:
        raise failure
    return best
