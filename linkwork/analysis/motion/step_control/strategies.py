"""How the step changes during a run: by its error, by Newton's iterations, or by a drive.

A strategy judges every step that was taken: whether it is kept, and how long the next one is.

    error       h ← h · 0.9 (tolerance/error)^(1/(order + 1)), within 0.2 and 2   (`tolerance=`),
                the error that of positions or of the energy (energy_error.py)
    factor      h ← reduction · h after hard steps, h ← growth · h after easy ones
    change      h = drive(t)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from linkwork.analysis.motion.step_control.energy_error import HIGHEST, EnergyError
from linkwork.errors import ModelError
from linkwork.integrators.contract import ControlledRun, MethodLike, Run
from linkwork.model import checks
from linkwork.model.drives import as_drive, drive_from_dict
from linkwork.model.given import DriveLike

ALTERNATIONS = 8  # steps in a row after which accelerations are taken from the motion itself


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

    def control(self, run: Run, method: MethodLike) -> Control:
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

    step: DriveLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", as_drive(self.step, "step of ChangeStrategy"))

    def control(self, run: Run, method: MethodLike) -> Control:
        return ChangeControl(self)


@dataclass(frozen=True)
class ErrorStrategy:
    """Steps whose estimated error stays below a tolerance; what `transient(tolerance=)` uses."""

    tolerance: float

    def control(self, run: Run, method: Any) -> Control:
        if not isinstance(run, ControlledRun):
            raise ModelError(
                f"{method!r} has no error estimate to control the step with; leave out "
                "tolerance=, or use lw.GeneralizedAlpha()"
            )
        energy = EnergyError(run, self.tolerance) if method.order <= HIGHEST else None
        return ErrorControl(run, self.tolerance, 1 / (method.order + 1), energy)


class Strategy(Protocol):
    """A way to change the step during a run."""

    def control(self, run: Run, method: MethodLike) -> Control:
        """What the strategy remembers during one run."""


class Control:
    """What a strategy remembers during one run: the size of the next step, and how many there were.
    """

    next: float = 0.0
    steps: int = 0
    waited: int = 0  # steps since the last change
    limits_turns = False  # whether steps follow how fast bodies turn

    def numbers(self) -> np.ndarray:
        """From which it goes on with the same digits."""
        return np.array([self.next, self.steps, self.waited])

    def remember(self, numbers: np.ndarray) -> None:
        self.next, self.steps, self.waited = float(numbers[0]), int(numbers[1]), int(numbers[2])

    def first(self, time: float, h: float) -> float:
        """The first step, when the user asked for h."""
        return h

    def before(self, run: Run) -> None:
        """A step is about to be taken."""

    def judge(self, run: Run, step: float) -> tuple[bool, float]:
        """Whether the step just taken is kept, and the size of the next."""
        raise NotImplementedError


class ErrorControl(Control):
    """Rejected steps are taken again, smaller; `waited` counts those whose accelerations alternate.
    """

    limits_turns = True

    def __init__(
        self, run: ControlledRun, tolerance: float, power: float, energy: EnergyError | None
    ) -> None:
        self.run, self.tolerance, self.power, self.energy = run, tolerance, power, energy

    def numbers(self) -> np.ndarray:
        own = [] if self.energy is None else [self.energy.largest, self.energy.floor]
        return np.append(super().numbers(), own)

    def remember(self, numbers: np.ndarray) -> None:
        super().remember(numbers)
        if self.energy is not None and len(numbers) > 3:  # older files have three
            self.energy.largest, self.energy.floor = map(float, numbers[3:5])

    def before(self, run: Run) -> None:
        self.run = cast(ControlledRun, run)  # another one behind a jump of a load
        self.begin = self.run.marker()
        if self.energy is not None:
            self.energy.before(self.run)

    def judge(self, run: Run, step: float) -> tuple[bool, float]:
        error = self.run.local_error(self.begin) / self.tolerance
        if self.energy is not None:
            error = max(error, self.energy.of_step(self.run, step))
        # a uniform rotation has no error, but beyond half a turn nobody could count it
        error = max(error, (turn_of_step(self.run, step) / self.run.turns[0]) ** (1 / self.power))
        factor = min(2.0, max(0.2, 0.9 * error ** (-self.power))) if error > 0 else 2.0
        if error > 1:
            return False, step * min(factor, 0.9)
        if self.energy is not None:
            self.energy.accept(self.run)
        # a method without damping keeps what a sudden change has left in its accelerations
        self.waited = self.waited + 1 if self.run.alternates(self.begin) else 0
        if self.waited >= ALTERNATIONS:
            self.run.settle()
            self.waited = 0
        # small changes are not worth their disturbance
        return True, step * factor if factor > 1.2 or factor < 1 else 0.0


def turn_of_step(run: ControlledRun, step: float) -> float:
    """Radians by which the fastest body turns in a step."""
    spins = run.velocities_and_rates()[0][:, 3:]
    return step * float(np.sqrt((spins**2).sum(axis=1).max(initial=0.0)))


class FactorControl(Control):
    """Counts the steps since the last change."""

    def __init__(self, strategy: FactorStrategy) -> None:
        self.strategy, self.repairs = strategy, 0

    def first(self, time: float, h: float) -> float:
        return min(max(h, self.strategy.smallest), self.strategy.largest)

    def before(self, run: Run) -> None:
        self.repairs = run.repairs

    def judge(self, run: Run, step: float) -> tuple[bool, float]:
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
        self.drive = as_drive(strategy.step)

    def first(self, time: float, h: float) -> float:
        h = float(self.drive(time))
        if not h > 0:
            raise ModelError(
                f"step of ChangeStrategy must be positive, but it is {h:g} at t = {time:g}"
            )
        return h

    def judge(self, run: Run, step: float) -> tuple[bool, float]:
        return True, self.first(run.time, step)


def as_strategy(strategy: Strategy | None, tolerance: float | None) -> Strategy | None:
    """The strategy of a run, from two parameters of `transient`; None for equal steps."""
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


# ------------------------------------------------------------------------ across files and restarts


def strategy_parameters(strategy: Any) -> dict[str, Any]:
    """A strategy as plain data, for `lw.resume`; of drives that a file cannot keep, their sentence.
    """
    if strategy is None:
        return {}
    if isinstance(strategy, ErrorStrategy):
        return {"tolerance": strategy.tolerance}
    if isinstance(strategy, FactorStrategy):
        return {"strategy": {"FactorStrategy": vars(strategy)}}
    if isinstance(strategy, ChangeStrategy):
        try:
            return {"strategy": {"ChangeStrategy": as_drive(strategy.step).to_dict()}}
        except ModelError as error:
            return {"strategy": str(error)}
    return {"strategy": repr(strategy)}


def strategy_from_parameters(info: dict[str, Any]) -> dict[str, Any]:
    """The parameters of `transient` for the strategy of a stored run."""
    if "tolerance" in info:
        return {"tolerance": info["tolerance"]}
    stored = info.get("strategy")
    if stored is None:
        return {}
    if isinstance(stored, dict) and "FactorStrategy" in stored:
        return {"strategy": FactorStrategy(**stored["FactorStrategy"])}
    if isinstance(stored, dict) and "ChangeStrategy" in stored:
        return {"strategy": ChangeStrategy(drive_from_dict(stored["ChangeStrategy"]))}
    raise ModelError(
        f"the stored run changed its step by a strategy that a file cannot keep ({stored}); give "
        "it again with strategy="
    )


def kept_control(strategy: Any, control: Control | None) -> dict[str, np.ndarray]:
    """What a restart needs of a controlled run."""
    if control is None:
        return {}
    text = repr(strategy_parameters(strategy)).encode()
    return {"control": control.numbers(), "strategy": np.frombuffer(text, np.uint8).copy()}


def stored_control(strategy: Any, restart: dict[str, Any]) -> np.ndarray | None:
    """The numbers of a controlled run that this one goes on with; None where it is another."""
    if strategy is None or "control" not in restart:
        return None
    same = restart["strategy"].tobytes().decode() == repr(strategy_parameters(strategy))
    return np.asarray(restart["control"]) if same else None
