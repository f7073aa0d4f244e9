"""Curves in the plane of a body, for cams, rollers, slots and teeth.

A curve is a closed or open row of points; through them goes the periodic or natural cubic spline by
chord length, which has tangents and curvatures everywhere.  Material lies on its left where it is
closed and runs against the clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks

ROWS = 8  # numbers of a piece: cubics of x and y over 0 … 1


def spline(points: Any, what: str, closed: bool = True) -> np.ndarray:
    """(n, 8) cubics x and y of every piece; what: for errors."""
    given = checks.array(points)
    if given is None or given.ndim != 2 or given.shape[1] != 2 or len(given) < 4:
        raise ModelError(f"{what} must be at least four points (x, y), but {checks.show(points)} "
                         "was given")  # fmt: skip
    if not np.isfinite(given).all():
        raise ModelError(f"{what} must have finite points")
    if closed and np.allclose(given[0], given[-1], atol=1e-12 * np.ptp(given)):
        given = given[:-1]
    if closed:
        x, y = given.T
        if np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) < 0:
            given = given[::-1]
        given = np.concatenate([given, given[:1]])
    chords = np.linalg.norm(np.diff(given, axis=0), axis=1)
    s = np.concatenate([[0.0], np.cumsum(chords)])
    if not (np.diff(s) > 0).all():
        raise ModelError(f"{what} has the same point twice in a row; leave one of them out")
    from scipy.interpolate import CubicSpline

    curve = CubicSpline(s, given, bc_type="periodic" if closed else "natural")
    out = np.zeros((len(chords), ROWS))
    for k, h in enumerate(chords):  # coefficients from the highest on, in s − s_k
        c = curve.c[:, k]
        for axis in range(2):
            out[k, 4 * axis : 4 * axis + 4] = [c[3, axis], c[2, axis] * h, c[1, axis] * h**2,
                                               c[0, axis] * h**3]  # fmt: skip
    return out
