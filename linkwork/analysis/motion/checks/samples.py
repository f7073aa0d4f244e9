"""Samples of controllers and the steps of a run.

Samples are taken at steps: fixed steps must divide the time between two samples, else the run says
how much too late they are; steps that a strategy chooses end at samples.
"""

from __future__ import annotations

import math
import warnings

from linkwork.errors import LinkworkWarning
from linkwork.model.control.clock import REACHED
from linkwork.system.system import System

NEAR = 1e-6  # of a step, or of the time between two samples


def warn_of_late_samples(system: System, begin: float, h: float) -> None:
    """Say so when fixed steps from `begin` on miss samples."""
    for start, period in system.sample_times:
        apart, first = period / h, (start - begin) / h
        divides = round(apart) >= 1 and abs(apart - round(apart)) < NEAR * max(apart, 1.0)
        if divides and (first <= 0 or abs(first - round(first)) < NEAR * max(first, 1.0)):
            continue
        better = period / math.ceil(period / h)
        warnings.warn(
            f"model '{system.model.name}' has samples every {period:g} s from t = {start:g}, which "
            f"steps of h = {h:g} s do not meet: they are taken up to a step late, and the run is "
            f"of first order; take h = {better:.6g}",
            LinkworkWarning, stacklevel=4,
        )  # fmt: skip


def next_sample(system: System, time: float) -> float:
    """The first sample after a time; infinite where there is none."""
    found = math.inf
    for start, period in system.sample_times:
        k = math.floor((time - start) / period + REACHED) + 1
        found = min(found, start + max(k, 0) * period)
    return found
