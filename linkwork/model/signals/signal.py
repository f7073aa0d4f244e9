"""Signals: drives with readings among their parts, y(t, x₁ … x_m).

The value of a signal and its derivatives by the x_i come from the jets of `model.drives`: with
x_i' = 1 and t' = 1 the first derivative of a jet is ∂y/∂t + ∂y/∂x_i, and with t' = 1 alone it is
∂y/∂t.  Signals that hold something from step to step, angles over turns among them, have a value as
programs alone (model.signals.programs); Python then only says why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives import Chain, Drive
from linkwork.model.drives.base import held_in, leaves_that_follow, parts_of
from linkwork.model.signals.held import sampled_at
from linkwork.model.signals.load_readings import resolved
from linkwork.model.signals.readings import HALF_TURN, Reading
from linkwork.model.signals.value_readings import ValueReading

PORTION = 4096  # stored steps that are measured at a time


class HeldError(DriveError):
    """A drive that holds something of the motion has no number, and the message says what to do."""


class Now:
    """The values of a signal's readings, and whether derivatives by them are wanted."""

    def __init__(self, m: int) -> None:
        self.x = np.zeros(m)
        self.seeded = False


@dataclass(frozen=True)
class Slot(Drive):
    """Stands for the k-th reading of a signal."""

    now: Any
    k: int

    def _jet(self, t: np.ndarray) -> np.ndarray:
        jet = np.zeros((t.size, 3))
        jet[:, 0] = self.now.x[self.k]
        if self.now.seeded:
            if t.size != len(self.now.x) + 1:
                raise DriveError("a drive that reads the motion is asked for other times than now")
            jet[self.k + 1, 1] = 1.0
        return jet


@dataclass(frozen=True)
class Watched(Drive):
    """Stands for what holds one of its parts: the first of them, once all have values."""

    parts: tuple[Drive, ...]

    def _jet(self, t: np.ndarray) -> np.ndarray:
        first, *_ = [part.jet(t) for part in self.parts]
        return first


class Signal:
    """A drive y(t, x) of time and of m readings x.

    called : callbacks of controllers, which its program has the addresses of; other controllers
             give theirs of now
    """

    def __init__(self, drive: Drive, called: Iterable[Any] = ()) -> None:
        self.called = list(called)
        self.drive = drive = resolved(drive)
        self.readings: list[Any] = []
        for leaf in leaves_that_follow(drive):
            if not any(same(leaf, known) for known in self.readings):
                self.readings.append(leaf)
        self.now = Now(len(self.readings))
        self.remembers = bool(held_in(drive))  # or counts angles as a program
        self.bound = self._bind(drive)

    def _bind(self, drive: Drive) -> Drive:
        if drive.follows:
            k = next(i for i, known in enumerate(self.readings) if same(drive, known))
            return Slot(self.now, k)
        if drive.holds and leaves_that_follow(drive):
            return Watched(tuple(self._bind(part) for part in parts_of(drive)))
        changed: dict[str, Any] = {}
        for f in fields(drive):
            value = getattr(drive, f.name)
            if isinstance(value, Drive):
                changed[f.name] = self._bind(value)
            elif isinstance(value, tuple) and any(isinstance(x, Drive) for x in value):
                changed[f.name] = tuple(self._bind(x) for x in value)
        return replace(drive, **changed) if changed else drive

    def refuse_chains(self) -> None:
        """An error where Python's jets would mix the slopes of an outer drive and its argument."""
        waiting = [self.drive]
        while waiting:
            drive = waiting.pop()
            waiting += parts_of(drive)
            if isinstance(drive, Chain) and leaves_that_follow(drive.outer):
                raise DriveError(
                    f"{self.drive.label}: expected drives that are all formulas, found a Python "
                    "function of the motion beside a drive that reads it and is taken at another; "
                    "write the function as lw.formula"
                )

    def value(self, t: float, x: np.ndarray) -> float:
        x = self._checked(x)
        self.now.x, self.now.seeded = x, False
        y = float(self.bound.values(np.array([t]))[0])
        self._refuse_held(t)
        return y

    def value_and_slopes(self, t: float, x: np.ndarray) -> tuple[float, np.ndarray]:
        """y and ∂y/∂x."""
        x = self._checked(x)
        self.now.x, self.now.seeded = x, True
        jet = self.bound.jet(np.full(len(x) + 1, t))
        self._refuse_held(t)
        return float(jet[0, 0]), jet[1:, 1] - jet[0, 1]

    def _refuse_held(self, t: float) -> None:
        for part in held_in(self.drive):
            if getattr(part, "trouble", ""):
                raise DriveError(f"{part.trouble}")  # type: ignore[attr-defined]
        if self.remembers:
            angles = any(reading.quantity == "angle" for reading in self.readings)
            more = ", from angles that change by less than half a turn within a step" * angles
            advice = ["take smaller steps"] * angles
            if samples := sampled_at([self.drive]):
                most = max(period for _, period in samples)
                advice.insert(0, "where its motion grows from sample to sample, its gains are too "
                              f"high for a sample time of {most:g} s: lower them or sample more "
                              "often")  # fmt: skip
            raise HeldError(
                f"{self.drive.label}: expected a finite number at t = {t:.6g}{more}; "
                + (", else ".join(advice) or "look for a number that is far too large")
            )

    def _checked(self, x: np.ndarray) -> np.ndarray:
        """The readings with angles near where they are counted from."""
        if self.remembers:
            return x
        x = np.array(x, float)
        for i, reading in enumerate(self.readings):
            if reading.quantity != "angle":
                continue
            x[i] = reading.near_start(x[i])
            if abs(x[i] - reading.start) > HALF_TURN:
                raise DriveError(
                    f"{reading._detail()} goes beyond half a turn, where angles are not counted on "
                    "for a Python function; read an angular velocity, or cosines"
                )
        return x

    def measured(
        self, motion: np.ndarray, number: Any, values: np.ndarray, place: Any
    ) -> np.ndarray:
        """The readings (T, m) of stored motions (T, bodies, 13) and values (T, 3, n) of nodes;
        number(body), −1: the ground;  place(node): its first value."""
        found = np.empty((len(motion), len(self.readings)))
        for i, reading in enumerate(self.readings):
            if isinstance(reading, ValueReading):
                row = int(reading.quantity == "rate")
                found[:, i] = values[:, row, place(reading.node) + reading.component]
        frames = [i for i, x in enumerate(self.readings) if isinstance(x, Reading)]
        of_frames = [self.readings[i] for i in frames]
        found[:, frames] = self._over_motions(Reading.measure, of_frames, motion, number)
        return found

    def rates(self, i: int, motion: np.ndarray, number: Any) -> np.ndarray:
        """The rate (T,) of the i-th reading, an angle."""
        return self._over_motions(Reading.rate, self.readings[i : i + 1], motion, number)[:, 0]

    def _over_motions(
        self, ask: Any, readings: list[Reading], motion: np.ndarray, number: Any
    ) -> np.ndarray:
        ground = np.zeros(13)
        ground[3] = 1.0
        places = [[number(f.body) for f in reading.frames] for reading in readings]
        found = np.empty((len(motion), len(readings)))
        for first in range(0, len(motion), PORTION):
            here = np.asarray(motion[first : first + PORTION])
            still = np.broadcast_to(ground, (len(here), 13))
            for i, (reading, place) in enumerate(zip(readings, places)):
                bodies = [still if b < 0 else here[:, b] for b in place]
                found[first : first + PORTION, i] = ask(reading, bodies)
        return found


def same(a: Drive, b: Drive) -> bool:
    """Whether two readings are of the same thing, whatever they are called."""
    if isinstance(a, ValueReading) or isinstance(b, ValueReading):
        return isinstance(a, ValueReading) and a.reads_the_same(b)
    words = ("quantity", "axis", "along", "start")
    if any(getattr(a, w) != getattr(b, w) for w in words):
        return False
    pairs = zip(a.frames, b.frames)  # type: ignore[attr-defined]
    return all(
        f is g or (f.body is g.body and np.array_equal(f.position, g.position)
                   and np.array_equal(f.orientation, g.orientation))
        for f, g in pairs
    )  # fmt: skip
