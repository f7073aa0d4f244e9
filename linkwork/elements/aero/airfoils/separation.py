"""Separation of the flow from static lift, by Kirchhoff's flow past a plate, for dynamic stall.

With the slope a₀ of attached lift and the angle α₀ without lift, and f the part of the chord along
which the flow is attached,

    c_l = a₀ (α − α₀) ((1 + √f)/2)²,   f = (2 √r − 1)²,   r = c_l/(a₀ (α − α₀))

f is one where r is above one, and stays zero from where r first falls below a quarter.  What lift
gains as the flow attaches, D = a₀ (α − α₀) − c_fs with the lift c_fs of separated flow for which
c_l = f a₀ (α − α₀) + (1 − f) c_fs, is a₀ (α − α₀) (1 + √r)/(4 √r), and a₀ (α − α₀) − c_l where f is
zero (M. H. Hansen, M. Gaunaa, H. A. Madsen: A Beddoes-Leishman type dynamic stall model in
state-space and indicial formulations, Risø-R-1354, 2004).  Attached lift is linear up to 30° from
α₀, and goes to zero at 90°.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

LINEAR, NONE = math.radians(30.0), math.radians(90.0)
FINE = math.radians(1.0)  # spacing of the angles, beside those of the table
SEPARATED = 0.25  # r below which nothing is attached


class Separation(NamedTuple):
    """Over angles: f and D; the angle without lift, the drag there."""

    alpha: np.ndarray
    attached: np.ndarray
    gain: np.ndarray
    zero: float
    drag: float


def attached_lift(slope: float, away: np.ndarray) -> np.ndarray:
    """Lift of attached flow at angles from α₀."""
    size = np.abs(away)
    fading = LINEAR * np.clip((NONE - size) / (NONE - LINEAR), 0.0, 1.0)
    return slope * np.sign(away) * np.where(size <= LINEAR, size, fading)


def zero_lift(alpha: np.ndarray, lift: np.ndarray) -> float:
    """The angle nearest to zero at which lift changes its sign; zero where it never does."""
    if len(alpha) == 1:
        return 0.0
    found = [float(a) for a, c in zip(alpha, lift) if c == 0.0]
    for i in range(len(alpha) - 1):
        if lift[i] * lift[i + 1] < 0:
            part = lift[i] / (lift[i] - lift[i + 1])
            found.append(float(alpha[i] + part * (alpha[i + 1] - alpha[i])))
    return min(found, key=abs, default=0.0)


def outwards(away: np.ndarray, r: np.ndarray) -> np.ndarray:
    """f at angles that go away from α₀ on one side."""
    f = np.where(r >= 1, 1.0, (2 * np.sqrt(np.clip(r, SEPARATED, 1.0)) - 1) ** 2)
    over = (r < SEPARATED) | (np.abs(away) >= NONE)
    first = int(np.argmax(over)) if over.any() else len(f)
    f[first:] = 0.0
    return f


def separation(
    alpha: np.ndarray, lift: np.ndarray, drag: tuple[np.ndarray, np.ndarray], slope: float
) -> Separation:
    """From a column of lift and of drag (angles, values)."""
    zero = zero_lift(alpha, lift)
    near = np.arange(-NONE, NONE + FINE / 2, FINE) + zero
    angles = np.unique(np.concatenate([alpha, near[np.abs(near) <= math.pi]]))
    cl = np.interp(angles, alpha, lift)
    away = angles - zero
    L = attached_lift(slope, away)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(np.abs(L) > 1e-9, cl / L, 1.0)
    r = np.where(np.abs(away) >= NONE, 0.0, r)
    f = np.zeros(len(angles))
    right = away >= 0
    f[right] = outwards(away[right], r[right])
    f[~right] = outwards(away[~right][::-1], r[~right][::-1])[::-1]
    root = np.sqrt(np.clip(r, SEPARATED, 1.0))
    gain = np.where(f > 0, L * (1 + root) / (4 * root), L - cl)
    gain[np.abs(away) >= NONE] = 0.0
    at_zero = float(np.interp(zero, *drag))
    return Separation(angles, f, gain, zero, at_zero)
