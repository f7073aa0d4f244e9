"""The first speed at which something that was negative passes through zero.

Of quantities x that are followed over the speed (real parts of eigenvalues, a determinant), those
at the ends a, b and in the middle m of an interval tell that none of them passes through zero and
back where

    max(x_a, x_m, x_b) + |x_m − (x_a + x_b)/2| ≤ 0

Intervals are halved until that holds, so that the speed that is found does not depend on those at
which the search begins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NARROW = 1 / 256  # of all speeds: intervals without a passage are not halved any further
SHARP = 1e-9  # of the speed: width of a passage where nothing can be followed
STRAIGHT = 0.25  # of the change of x: how far its middle may lie from the chord of one passage


def first_passage(
    follow: Callable[[float, float, float], np.ndarray], passed: Callable[[float], bool],
    a: float, b: float, narrow: float,
) -> tuple[float, float] | None:  # fmt: skip
    """An interval between a, where nothing has passed, and b with the first passage alone.

    follow : x at three speeds, shape (3, n), with NaN where a quantity is lost
    passed : whether any of them is positive at a speed
    """
    m = 0.5 * (a + b)
    x = follow(a, m, b)
    x = x[:, np.isfinite(x).all(axis=0)]
    bend = np.abs(x[1] - 0.5 * (x[0] + x[2]))
    quiet = x.max(axis=0) + bend <= 0
    if passed(b):
        once = (x[0] < 0) & (x[2] > 0) & (bend <= STRAIGHT * (x[2] - x[0]))
        if (once.any() and (quiet | once).all()) or b - a <= SHARP * abs(b):
            return a, b
    elif quiet.all() or b - a <= narrow:
        return None
    before = first_passage(follow, passed, a, m, narrow)
    if before is not None or passed(m):
        return before
    return first_passage(follow, passed, m, b, narrow)
