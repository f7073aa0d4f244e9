"""Counting turns between stored times.

Turns are those nearest to the integral of the rate φ̇ of an angle, with φ̈ at both ends

    ∫ φ̇ dt = h (φ̇₀ + φ̇₁)/2 + δ + O(h⁵),   δ = h² (φ̈₀ − φ̈₁)/12

The error left, h⁵ φ⁽⁵⁾/720, is a sixtieth of the second difference of δ from one time to the next.
"""

from __future__ import annotations

import numpy as np

TURN = 2 * np.pi


def unwrap(
    time: np.ndarray, angle: np.ndarray, rate: np.ndarray, start: float,
    change: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The angle counted over turns: from the branch nearest to `start`, and between samples the
    number of turns nearest to the integral of the rate, however sparse they are."""
    expected, _ = expected_turn(time, rate, change)
    turns = np.round((expected - np.diff(angle)) / TURN)
    first = np.round((start - angle[0]) / TURN)
    return angle + TURN * np.concatenate([[first], first + np.cumsum(turns)])


def expected_turn(
    time: np.ndarray, rate: np.ndarray, change: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The integral of the rate between stored times, and how far it may be off (generously)."""
    h = np.diff(time)
    expected = h * (rate[1:] + rate[:-1]) / 2
    if len(h) < 3:
        return expected, np.zeros_like(expected)
    if change is None or not np.all(np.isfinite(change)):
        change = np.gradient(rate, time)
    delta = h**2 * (change[:-1] - change[1:]) / 12
    off = np.abs(delta[2:] - 2 * delta[1:-1] + delta[:-2]) / 10
    return expected + delta, np.concatenate([off[:1], off, off[-1:]])


def doubtful(
    time: np.ndarray, angle: np.ndarray, rate: np.ndarray, change: np.ndarray | None
) -> int | None:
    """The first stored time after which the number of turns is not certain; None where all are.

    angle is counted over turns: it differs from the integral of the rate by up to half a turn.
    """
    expected, off = expected_turn(time, rate, change)
    bad = np.maximum(np.abs(expected - np.diff(angle)), off) > TURN / 4
    return int(np.argmax(bad)) if bad.any() else None
