"""Samples of controllers and the steps of a run.

Samples are taken at steps: fixed steps must divide the time between two samples, else the run says
how much too late they are; steps that a strategy chooses end at samples.  Delays keep samples of
their own, on the lines between steps: no step may be longer than the time between two.
"""

from __future__ import annotations

import math
import warnings

from linkwork.errors import LinkworkWarning, ModelError
from linkwork.model.control.blocks import Delay
from linkwork.model.drives.base import held_in
from linkwork.model.drives.sampled import reached
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


def delays(system: System) -> list[tuple[str, Delay]]:
    """The delays that loads follow, with the names of the loads."""
    return [
        (e.owner, part)
        for e in system.elements if e.entry.family.signal
        for part in held_in(e.entry.acts_on[1].signal) if isinstance(part, Delay)
    ]  # fmt: skip


def refuse_long_steps(system: System, h: float) -> None:
    """An error where fixed steps are longer than the time between two samples of a delay."""
    for owner, delay in delays(system):
        apart = delay.time / delay.samples
        if h > apart * (1 + NEAR):
            fewer = int(delay.time / h * (1 + NEAR))
            remedy = f"samples={fewer} in lw.delay, or " if fewer else ""
            raise ModelError(
                f"{system.model[owner].label} follows a delay of {delay.time:g} s with samples "
                f"every {apart:g} s, and steps of h = {h:g} s would leave some of them out; give "
                f"{remedy}steps of at most {apart:.6g} s"
            )


def next_sample(system: System, time: float) -> float:
    """The first sample after a time; infinite where there is none."""
    found = math.inf
    kept = [(0.0, delay.time / delay.samples) for _, delay in delays(system)]
    for start, period in (*system.sample_times, *kept):
        k = math.floor((time - start) / period + reached(time, period)) + 1
        found = min(found, start + max(k, 0) * period)
    return found
