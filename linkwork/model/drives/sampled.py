"""Drives that live on the steps of a run: t_k = start + k step, constant from one step to the next.

They have no slope, so they serve as loads rather than as motion laws.  Sample and hold, discrete
filter and switch may follow the motion too (signals.readings); they are then updated when a step of
the run is accepted, the first at or behind each t_k.

    sample and hold    y_k = f(t_j), j the last step before k with trigger(t_j) ≠ 0, from t_{k−1} on
    discrete filter    y_k = Σ a_i y_{k−i} + Σ b_i u_{k−i}, nothing before the start
    random             y = mean + amplitude u, u uniform in [−1, 1), drawn anew every so many steps
    meter              1 at every n-th step, 0 between
    switch             1 from a step with on(t_k) ≠ 0 until one with off(t_k) ≠ 0, else 0; where it
                       follows the motion, from behind that step
    closest next       1 at the first step on or after each of start, start + increment, …
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives, folded

REACHED = 1e-6  # of a step: so much before it counts as reached
ROUND_OFF = 2 * float(np.finfo(float).eps)  # of the time


def reached(t: Any, step: float) -> Any:
    """How much before it a step counts as reached, in steps: more where times are rounded more."""
    return np.maximum(REACHED, ROUND_OFF * np.abs(t) / step)


@dataclass(frozen=True)
class Stepped(Drive):
    """What drives on steps share: the number of the step at a time, and no slope."""

    remembers: ClassVar[bool] = True

    def _on_steps(self, k: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _number(self, t: np.ndarray, start: float, step: float) -> np.ndarray:
        """The last step that has been reached."""
        return np.floor((t - start) / step + reached(t, step)).astype(np.int64)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        y = self._values(t)
        return np.column_stack((y, np.zeros((t.size, 2))))

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return folded(self._values(t))

    def _positive(self, name: str) -> None:
        self._set_numbers(name)
        if getattr(self, name) <= 0:
            raise DriveError(
                f"{self.label}: expected a positive {name}, found {getattr(self, name):g}"
            )


@dataclass(frozen=True)
class SampleAndHold(Stepped):
    """y = the value that `f` had at the last step at which `trigger` was not zero.

    step is the time between two steps and start the first; value holds before the first sample,
    where it is given.

    Example: a controller that samples a position every 10 ms,

    >>> import linkwork as lw
    >>> from linkwork.model.drives import SampleAndHold
    >>> cart = lw.Body(2, (1, 1, 1))
    >>> control = SampleAndHold(-50 * lw.reads(cart, "position", "x"), lw.constant(1), 0.01)
    >>> actuator = lw.Force(cart, (1, 0, 0), drive=control)
    """

    f: Drive
    trigger: Drive
    step: float
    start: float = 0.0
    value: float | None = None
    holds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_drives(self, self.f, self.trigger)
        self._positive("step")
        self._set_numbers("start", *(() if self.value is None else ("value",)))

    def _values(self, t: np.ndarray) -> np.ndarray:
        n = np.ceil((t - self.start) / self.step - reached(t, self.step)).astype(np.int64)
        times = self.start + self.step * np.arange(max(int(n.max(initial=0)), 1))
        begin = float(self.f.values(times[:1])[0]) if self.value is None else self.value
        on = np.flatnonzero(self.trigger.values(times) != 0)
        held = np.concatenate([[begin], self.f.values(times[on])]) if on.size else np.array([begin])
        return held[np.searchsorted(on, n, side="left")]


@dataclass(frozen=True)
class DiscreteFilter(Stepped):
    """y_k = Σ a_i y_{k−i} + Σ b_i u_{k−i}, i from 1 in a and from 0 in b."""

    u: Drive
    a: tuple[float, ...]
    b: tuple[float, ...]
    step: float
    start: float = 0.0
    holds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_drives(self, self.u)
        self._positive("step")
        self._set_numbers("start")
        self._set_list("a", 0)
        self._set_list("b", 1)

    def _values(self, t: np.ndarray) -> np.ndarray:
        from scipy.signal import lfilter

        n = self._number(t, self.start, self.step)
        times = self.start + self.step * np.arange(max(int(n.max(initial=0)), 0) + 1)
        y = lfilter(self.b, np.array([1.0, *(-x for x in self.a)]), self.u.values(times))
        return np.where(n < 0, 0.0, y[np.maximum(n, 0)])


@dataclass(frozen=True)
class Random(Stepped):
    """Uniform numbers in [mean − amplitude, mean + amplitude), each held for `hold` seconds.

    Only between start and end, else the mean.  A seed gives the same numbers on every machine.
    """

    amplitude: float
    mean: float
    start: float
    end: float | None
    hold: float
    seed: int = 0

    def __post_init__(self) -> None:
        self._set_numbers("amplitude", "mean", "start", *(() if self.end is None else ("end",)))
        self._positive("hold")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise DriveError(
                f"{self.label}: expected a whole number of at least 0 as seed, found {self.seed!r}"
            )

    def _values(self, t: np.ndarray) -> np.ndarray:
        n = self._number(t, self.start, self.hold)
        numbers = np.random.Generator(np.random.Philox(self.seed))
        u = numbers.uniform(-1, 1, max(int(n.max(initial=0)), 0) + 1)
        end = np.inf if self.end is None else self.end
        inside = (n >= 0) & (t <= end)
        return self.mean + np.where(inside, self.amplitude * u[np.maximum(n, 0)], 0.0)


@dataclass(frozen=True)
class Ticks(Stepped):
    """What is 1 at some steps of the run, t_k = origin + k step, until `end`, and else 0."""

    start: float = field(kw_only=True)
    end: float | None = field(kw_only=True)
    step: float = field(kw_only=True)
    origin: float = field(kw_only=True, default=0.0)

    def __post_init__(self) -> None:
        self._set_numbers("start", "origin", *(() if self.end is None else ("end",)))
        self._positive("step")

    def _ticks(self, n: np.ndarray) -> np.ndarray:
        """Whether it is 1 at step n."""
        raise NotImplementedError

    def _values(self, t: np.ndarray) -> np.ndarray:
        end = np.inf if self.end is None else self.end
        on = self._ticks(self._number(t, self.origin, self.step))
        return (on & (t <= end + reached(t, self.step) * self.step)).astype(float)


@dataclass(frozen=True)
class Meter(Ticks):
    """y = 1 at every `steps`-th step of the run from `start` until `end`, 0 at the others."""

    steps: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("steps")

    def _ticks(self, n: np.ndarray) -> np.ndarray:
        first = (self.start - self.origin) / self.step
        n = n - np.ceil(first - reached(self.start, self.step))
        return (n >= 0) & (np.mod(n, self.steps) == 0)


@dataclass(frozen=True)
class Switch(Stepped):
    """y = 1 while switched on: on at a step with `on` not zero, off again at one with `off`."""

    on: Drive
    off: Drive
    step: float
    start: float = 0.0
    active: bool = False
    holds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_drives(self, self.on, self.off)
        self._positive("step")
        self._set_numbers("start")

    def _values(self, t: np.ndarray) -> np.ndarray:
        n = np.maximum(self._number(t, self.start, self.step), 0)
        times = self.start + self.step * np.arange(n.max(initial=0) + 1)
        on, off = (np.flatnonzero(d.values(times) != 0) for d in (self.on, self.off))
        active, k, last = self.active, 0, times.size
        states = np.empty(last)
        while k < last:  # from one change to the next
            wanted = off if active else on
            i = int(np.searchsorted(wanted, k))
            change = int(wanted[i]) if i < wanted.size else last
            states[k:change] = active
            active = active != (change < last)
            if change < last:
                states[change] = active
            k = change + 1
        return states[n]


@dataclass(frozen=True)
class ClosestNext(Ticks):
    """y = 1 at the first step of the run on or after each of start + k increment, 0 between."""

    increment: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("increment")

    def _ticks(self, n: np.ndarray) -> np.ndarray:
        times = [self.origin + k * self.step for k in (n, n - 1)]
        passed = [
            np.floor((t - self.start) / self.increment + reached(t, self.increment)) for t in times
        ]
        return (passed[0] >= 0) & (np.maximum(passed[1], -1) < passed[0])
