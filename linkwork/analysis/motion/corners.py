"""Corners of motion laws: times at which an imposed velocity jumps.

There the force is infinite for an instant, and neither its work nor the velocities within the step
are known; positions follow the law.  With the rates c and their derivatives ċ at two neighbouring
steps, a law has a corner between them where

    |c₁ − c₀| > 4 h max(|ċ₀|, |ċ₁|)

and the change is a part of its largest rate.  A value that jumps is a corner, too.
"""

from __future__ import annotations

import numpy as np

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
            at = np.zeros(len(times) - 1, bool)
            for level in range(levels - 1):  # values that jump, and their rates
                at |= jumps(numbers[:, level], numbers[:, level + 1], h, ROUND_OFF * level)
            found += [(float(t), element.owner) for t in times[1:][at]]
    return sorted(set(found))


def jumps(y: np.ndarray, slope: np.ndarray, h: np.ndarray, part: float = 0.0) -> np.ndarray:
    """Between which rows of y (T, n) one of the n numbers changes by more than its slope says, and
    by more than a part of its largest size."""
    change = np.abs(np.diff(y, axis=0))
    steepest = np.maximum(np.abs(slope[1:]), np.abs(slope[:-1]))
    size = np.abs(y - y[0]).max(axis=0) + np.abs(slope * h.max()).max(axis=0)
    least = part * np.abs(y).max(axis=0)
    return np.any(change > 4 * h * steepest + PART * size + least, axis=1)
