"""How far a run can be believed: the same run with h, h/2 and h/4.

With d₁(t) the difference of the runs with h and h/2, and d₂(t) that of h/2 and h/4, each the
largest one until t:

    error with h  ≈ d₁² / (d₁ − d₂)                 (Richardson, without an assumed order)
    order         p = log₂(d₁/d₂)

A motion is known with an accuracy ε until the time at which the error reaches ε.  In a regular
motion errors grow like a low power of time, and a step that is small enough follows from the order.
In a chaotic one they grow like 2^(t/T) whatever the step: half of it divides them by 2^p, and makes
the motion known for p T longer, no more.  Which of the two it is shows the better of two straight
lines through log d₂ while it grows to ε, over t or over log t, and whether half the step gains the
time that a power says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.comparison.differences import apart_over_time, told_once
from linkwork.analysis.motion.transient import transient
from linkwork.integrators.contract import MethodLike
from linkwork.integrators.second_order.methods import default_method
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.results.result import Result

ROUND_OFF = 1e-9  # differences below it say nothing about the step
SHRINKS = 0.6  # d₂ over d₁ below which half the step makes the run better
LOST = 0.3  # a difference (of the mechanism's size, rad) beyond which orders mean nothing
RANGE = 1e-3  # of the accuracy: where errors begin that show how they grow
GAINS = 0.5  # of the time that half the step should gain where errors grow like a power of time
HIGHEST = 4.0  # power of time: phases err like t and t², a little more beside other motion
CAUTION = 0.9  # of the step that would just do


@explained
def convergence(
    model: Model, t: float, h: float, method: MethodLike | None = None, *,
    accuracy: float = 0.01, every: int = 1, start: StateLike | None = None,
) -> Convergence:  # fmt: skip
    """Run the model with h, h/2 and h/4, and say how accurate the run with h is, and until when.

    accuracy : the error that you accept: of positions over the size of the mechanism, of
               orientations in radians, of pressures, currents and states over their size
    every    : compare every so many steps
    method, start : as in `transient`

    The result prints a sentence.  `.verdict` is "accurate", "coarse" (a smaller step will do:
    `.step`), "chaotic" (errors double every `.doubling_time` seconds: believe the run until
    `.known_until`) or "not converging".

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> found = lw.convergence(m, t=2, h=0.02, accuracy=1e-3)
    >>> found.verdict
    'coarse'
    >>> lw.convergence(m, t=2, h=found.step, accuracy=1e-3).verdict
    'accurate'
    """
    h = checks.number(h, "h, the step,", positive=True)
    accuracy = checks.number(accuracy, "accuracy of convergence", positive=True)
    every = checks.count(every, "every")
    method = default_method(model) if method is None else method
    with told_once():
        runs = [
            transient(model, t, h / n, method, every=n * every, start=start, progress=False)
            for n in (1, 2, 4)
        ]
    time, first = apart_over_time(runs[0], runs[1])
    finer_time, second = apart_over_time(runs[1], runs[2])
    second = np.interp(time, finer_time, np.maximum.accumulate(second))
    return Convergence(
        model.name, h, accuracy, time, np.maximum.accumulate(first), second, runs
    )  # fmt: skip


class Growth(NamedTuple):
    """Two ways to describe growing errors, and whether the first one does it better."""

    doublings: float  # per second
    power: float  # of time
    exponential: bool


@dataclass
class Convergence:
    """What halving the step of a run twice has shown.

    time   : times that were compared, s
    first  : largest difference of the runs with h and h/2 until then
    second : the same of h/2 and h/4
    runs   : the results with h, h/2 and h/4
    """

    model: str
    h: float
    accuracy: float
    time: np.ndarray
    first: np.ndarray
    second: np.ndarray
    runs: list[Result]

    @property
    def error(self) -> np.ndarray:
        """Estimated error of the run with h over time; the difference itself where runs part."""
        shrinks = self.second < SHRINKS * self.first
        rest = np.where(shrinks, self.first - self.second, 1.0)
        return np.where(shrinks, self.first**2 / rest, self.first)

    @property
    def known_until(self) -> float:
        """The last time until which the run with h has the accuracy, s."""
        return self._until(self.error)

    def _until(self, error: np.ndarray) -> float:
        beyond = np.flatnonzero(error > self.accuracy)
        if not len(beyond):
            return float(self.time[-1])
        return float(self.time[max(beyond[0] - 1, 0)])

    @property
    def order(self) -> float:
        """log₂(d₁/d₂) while the motion is known; not a number where only round-off is left."""
        k = max(int(np.searchsorted(self.time, self.known_until, side="right")) - 1, 0)
        if self.first[k] < ROUND_OFF or self.second[k] == 0.0:
            return float("nan")
        return float(np.log2(self.first[k] / self.second[k]))

    @property
    def growth(self) -> Growth:
        """How errors grow while they are small."""
        known = (self.second > max(RANGE * self.accuracy, ROUND_OFF)) & (self.time > self.time[0])
        known &= self.second < self.accuracy
        if known.sum() < 3:
            return Growth(0.0, 0.0, exponential=False)
        grown, t = np.log2(self.second[known]), self.time[known] - self.time[0]
        lines = [np.polyfit(x, grown, 1) for x in (t, np.log2(t))]
        left = [np.sum((np.polyval(c, x) - grown) ** 2) for c, x in zip(lines, (t, np.log2(t)))]
        doublings, power = (max(float(line[0]), 0.0) for line in lines)
        return Growth(doublings, power, bool(left[0] < left[1] or power > HIGHEST))

    @property
    def verdict(self) -> str:
        """ "accurate", "coarse", "chaotic" or "not converging"."""
        if self.error[-1] <= self.accuracy:
            return "accurate"
        if self.second[-1] < SHRINKS * self.first[-1] and self.first[-1] < LOST:
            return "coarse"
        if not self.order > 0.5:
            return "not converging"
        growth = self.growth
        if growth.power == 0.0:
            return "not converging"
        return "chaotic" if growth.exponential or not self._gains_as(growth.power) else "coarse"

    def _gains_as(self, power: float) -> bool:
        """Whether half the step makes the motion known for as much longer as a power of time says:
        2^(p/power) times as long."""
        first, second = (self._until(d) - self.time[0] for d in (self.first, self.second))
        expected = min(first * 2.0 ** (self.order / power), self.time[-1] - self.time[0])
        return bool(second - first > GAINS * (expected - first))

    @property
    def step(self) -> float:
        """The step with which the run should have the accuracy until its end; not a number where
        no step is seen to reach it."""
        if self.verdict == "accurate":
            return self.h
        if self.verdict != "coarse":
            return float("nan")
        error, order = self.error[-1], self.order
        if self.first[-1] < LOST:
            order = float(np.log2(self.first[-1] / self.second[-1]))
        else:  # as the error would have grown on
            passed, whole = self.known_until - self.time[0], self.time[-1] - self.time[0]
            error = self.accuracy * (whole / passed) ** self.growth.power if passed > 0 else np.inf
        return float(CAUTION * self.h * (self.accuracy / error) ** (1.0 / order))

    @property
    def doubling_time(self) -> float:
        """The time in which errors double in a chaotic motion, s; not a number in others."""
        return 1.0 / self.growth.doublings if self.verdict == "chaotic" else float("nan")

    def __str__(self) -> str:
        head = (
            f"'{self.model}' until t = {self.time[-1]:g} with h = {self.h:g}: {self.verdict}, "
            f"error about {self.error[-1]:.1e} at the end"
        )
        seen = "" if np.isnan(self.order) else f", order {self.order:.2f}"
        if self.verdict == "accurate":
            return f"{head}{seen}"
        known = f"; known to {self.accuracy:g} until t = {self.known_until:.4g}{seen}"
        if self.verdict == "coarse":
            return f"{head}{known}; take h = {self.step:.2g}"
        if self.verdict == "chaotic":
            gained = self.order * self.doubling_time
            return (
                f"{head}{known}; errors double every {self.doubling_time:.2g} s, so that half the "
                f"step adds about {gained:.2g} s"
            )
        return (
            f"{head}{known}; half the step does not make it better: look for what the step does "
            "not resolve (an impact, a switch, a vibration), or for a position in which the "
            "mechanism can go on in two ways"
        )

    def plot(self, ax: Any = None) -> Any:
        """Differences over time, logarithmic, with the accuracy; returns the axes."""
        import matplotlib.pyplot as plt

        from linkwork.results.plots import COLOURS, GREY, legend, style, title

        if ax is None:
            figure, ax = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
            title(figure, f"'{self.model}': {self.verdict}, h = {self.h:g}")
        curves = ((self.first, "h and h/2"), (self.second, "h/2 and h/4"))
        for (curve, label), colour in zip(curves, COLOURS, strict=False):
            seen = curve > 0  # a logarithm has no zero
            ax.plot(self.time[seen], curve[seen], label=label, color=colour, linewidth=1.4)
        ax.axhline(self.accuracy, color=GREY, linewidth=0.8, linestyle="--")
        ax.set_yscale("log")
        ax.set_xlabel("time (s)")
        ax.set_ylabel("largest difference until then")
        style(ax)
        legend(ax)
        return ax
