"""Corners of motion laws: times at which an imposed velocity jumps.

There the force is infinite for an instant, and neither its work nor the velocities within the step
are known; positions follow the law.  With the rates c and their derivatives ċ at two neighbouring
steps, a law has a corner between them where

    |c₁ − c₀| > 4 h max(|ċ₀|, |ċ₁|)

and the change is a part of its largest rate, and is still there when the time between is halved
again and again.  A value that jumps is a corner, too.
"""

from __future__ import annotations

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.jump_times import halved
from linkwork.model.registry import Law
from linkwork.system.system import System

PART = 1e-3  # of the largest rate of a law: smaller jumps are none
ROUND_OFF = 1e-6  # of rates: a function that is differentiated numerically has no jumps below it
MANY = 1_000_000  # steps that are looked at


def corners(system: System, times: np.ndarray) -> list[tuple[float, str]]:
    """Times before which a motion law has a corner, with the item whose law it is, in order."""
    found: list[tuple[float, str]] = []
    if not 2 <= len(times) <= MANY:
        return found
    h = np.diff(times)[:, None]
    for element in system.elements:
        if not element.entry.driven:
            continue
        for law in element.entry.laws:
            if law.signal is not None:
                continue
            numbers = law.values(times)
            levels = 2 if element.entry.family.velocity else 3
            numbers = numbers.reshape(len(times), levels, -1)
            for level in range(levels - 1):  # values that jump, and their rates
                at = jumps(numbers[:, level], numbers[:, level + 1], h, ROUND_OFF * level)
                at = still_there(law, times, level * numbers.shape[2], *at.nonzero())
                found += [(float(t), element.owner) for t in times[1:][at]]
    return sorted(set(found))


def still_there(
    law: Law, times: np.ndarray, first: int, steps: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Those of some steps in which a number of a law, counted from `first`, jumps, or has no value
    somewhere."""
    rows = np.arange(len(steps))

    def values(t: np.ndarray) -> np.ndarray:
        return law.values(t)[rows, first + columns]

    if not len(steps):
        return steps
    a, b = times[steps], times[steps + 1]
    change = np.abs(values(b) - values(a))
    try:
        return steps[halved(values, a, b)[2] > 1e-3 * change]
    except DriveError:
        return steps


def jumps(y: np.ndarray, slope: np.ndarray, h: np.ndarray, part: float = 0.0) -> np.ndarray:
    """Between which rows of y (T, n) which of the n numbers change by more than their slopes say,
    and by more than a part of their largest size."""
    change = np.abs(np.diff(y, axis=0))
    steepest = np.maximum(np.abs(slope[1:]), np.abs(slope[:-1]))
    size = np.abs(y - y[0]).max(axis=0) + np.abs(slope * h.max()).max(axis=0)
    least = part * np.abs(y).max(axis=0)
    return change > 4 * h * steepest + PART * size + least
