"""How the step changes during a run: by its error, by Newton's iterations, or by a drive.

A strategy judges every step that was taken: whether it is kept, and how long the next one is.

    error       h ← h · 0.9 (tolerance/error)^(1/(order + 1)), within 0.2 and 2   (`tolerance=`)
    factor      h ← reduction · h after hard steps, h ← growth · h after easy ones
    change      h = drive(t)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.integrators.implicit import ImplicitRun
from linkwork.integrators.stepping import ALG
from linkwork.model import checks
from linkwork.model.drives import as_drive


@dataclass(frozen=True)
class FactorStrategy:
    """Shorter steps where Newton's method works hard, longer ones where it does not.

    reduction, growth     : factors of the step
    max_iterations        : a step that needs more, or has to be repaired, shortens the next one
    min_iterations        : a step that needs no more lengthens the next one
    steps_before_reduction, steps_before_growth : steps to wait after a change of either kind
    smallest, largest     : bounds of the step in s

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body(1, (1, 1, 1)))
    >>> easy = lw.FactorStrategy(growth=2, steps_before_growth=3, largest=0.05)
    >>> run = lw.transient(m, t=1, h=0.01, strategy=easy, progress=False)
    >>> round(float(run.diagnostics["step"].max()), 2)
    0.05
    """

    reduction: float = 0.5
    growth: float = 1.25
    max_iterations: int = 6
    min_iterations: int = 2
    steps_before_reduction: int = 1
    steps_before_growth: int = 5
    smallest: float = 0.0
    largest: float = float("inf")

    def __post_init__(self) -> None:
        for word in ("reduction", "growth"):
            checks.number(getattr(self, word), f"{word} of FactorStrategy", positive=True)
        for word in (
            "max_iterations", "min_iterations", "steps_before_reduction", "steps_before_growth"
        ):  # fmt: skip
            checks.count(getattr(self, word), f"{word} of FactorStrategy")
        if not self.reduction < 1 <= self.growth:
            raise ModelError(
                "FactorStrategy needs reduction < 1 ≤ growth, but "
                f"{self.reduction:g} and {self.growth:g} were given"
            )
        if not 0 <= self.smallest < self.largest:
            raise ModelError(
                "FactorStrategy needs 0 ≤ smallest < largest, but "
                f"{self.smallest!r} and {self.largest!r} were given"
            )
        if self.min_iterations >= self.max_iterations:
            raise ModelError(
                "FactorStrategy needs min_iterations < max_iterations, but "
                f"{self.min_iterations} and {self.max_iterations} were given"
            )

    def control(self, run: Any, method: Any) -> Control:
        return FactorControl(self)


@dataclass(frozen=True)
class ChangeStrategy:
    """The step is a drive: its value at the beginning of a step is that step's size in s.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body(1, (1, 1, 1)))
    >>> steps = lw.table([0, 0.5, 1], [0.01, 0.05, 0.05], kind="linear")
    >>> fine = lw.ChangeStrategy(steps)
    >>> run = lw.transient(m, t=1, h=0.01, strategy=fine, progress=False)
    >>> round(float(run["ball"].position[-1, 2]), 3)
    -4.905
    """

    step: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", as_drive(self.step, "step of ChangeStrategy"))

    def control(self, run: Any, method: Any) -> Control:
        return ChangeControl(self)


@dataclass(frozen=True)
class ErrorStrategy:
    """Steps whose estimated error stays below a tolerance; what `transient(tolerance=)` uses."""

    tolerance: float

    def control(self, run: Any, method: Any) -> Control:
        if not isinstance(run, ImplicitRun):
            raise ModelError(
                f"{method!r} has no error estimate to control the step with; leave out "
                "tolerance=, or use lw.GeneralizedAlpha()"
            )
        return ErrorControl(self.tolerance, 1 / (method.order + 1))


class Control:
    """What a strategy remembers during one run."""

    def first(self, time: float, h: float) -> float:
        """The first step, when the user asked for h."""
        return h

    def before(self, run: Any) -> None:
        """A step is about to be taken."""

    def judge(self, run: Any, step: float) -> tuple[bool, float]:
        """Whether the step just taken is kept, and the size of the next."""
        raise NotImplementedError


class ErrorControl(Control):
    """Rejected steps are taken again, smaller."""

    def __init__(self, tolerance: float, power: float) -> None:
        self.tolerance, self.power = tolerance, power

    def before(self, run: Any) -> None:
        self.alg = run.stepper.history[ALG].copy()

    def judge(self, run: Any, step: float) -> tuple[bool, float]:
        error = run.local_error(self.alg) / self.tolerance
        factor = min(2.0, max(0.2, 0.9 * error ** (-self.power))) if error > 0 else 2.0
        if error > 1:
            return False, step * min(factor, 0.9)
        # small changes are not worth their disturbance
        return True, step * factor if factor > 1.2 or factor < 1 else 0.0


class FactorControl(Control):
    """Counts the steps since the last change."""

    def __init__(self, strategy: FactorStrategy) -> None:
        self.strategy, self.waited, self.repairs = strategy, 0, 0

    def first(self, time: float, h: float) -> float:
        return min(max(h, self.strategy.smallest), self.strategy.largest)

    def before(self, run: Any) -> None:
        self.repairs = run.repairs

    def judge(self, run: Any, step: float) -> tuple[bool, float]:
        s = self.strategy
        self.waited += 1
        factor = 1.0
        hard = run.iterations > s.max_iterations or run.repairs > self.repairs
        if hard and self.waited >= s.steps_before_reduction:
            factor = s.reduction
        elif run.iterations <= s.min_iterations and self.waited >= s.steps_before_growth:
            factor = s.growth
        h = min(max(step * factor, s.smallest), s.largest)
        if h == step:
            return True, 0.0
        self.waited = 0
        return True, h


class ChangeControl(Control):
    """Asks the drive before every step."""

    def __init__(self, strategy: ChangeStrategy) -> None:
        self.drive = strategy.step

    def first(self, time: float, h: float) -> float:
        h = float(self.drive(time))
        if not h > 0:
            raise ModelError(
                f"step of ChangeStrategy must be positive, but it is {h:g} at t = {time:g}"
            )
        return h

    def judge(self, run: Any, step: float) -> tuple[bool, float]:
        return True, self.first(run.time, step)


def as_strategy(strategy: Any, tolerance: float | None) -> Any:
    """The strategy of a run, from the two words of `transient` for it; None for equal steps."""
    if tolerance is not None:
        tolerance = checks.number(tolerance, "tolerance", positive=True)
        if strategy is not None:
            raise ModelError(
                "tolerance= controls the step by its error and strategy= in another way; give one "
                "of them"
            )
        return ErrorStrategy(tolerance)
    if strategy is not None and not hasattr(strategy, "control"):
        raise ModelError(
            "strategy must be lw.FactorStrategy(...) or lw.ChangeStrategy(drive), but "
            f"{checks.show(strategy)} was given"
        )
    return strategy
