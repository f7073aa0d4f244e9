"""Blocks between readings and loads.

    saturate      min(max(x, low), high)            dead zone   max(x − w, 0) + min(x + w, 0)
    lookup        a table of x                      sample and hold   drives.sampled
    rate limit    y = min(max(x, y₀ − r τ), y₀ + r τ),   τ = t − t₀
    integral      y = y₀ + τ (x₀ + x)/2, the trapezoidal rule from step to step
    delay         y(t) = x(t − d): samples of x every d/n, straight lines between them

with t₀, x₀ and y₀ of the last accepted step.  The slope of y by the motion is exact, also of the
integral within a step: (τ/2) ∂x.  Of methods with stages (RK4), the integral is of order two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.kernels import programs as ops
from linkwork.model import checks
from linkwork.model.control.clock import NEVER, counter
from linkwork.model.drives.base import Drive, _check_drives, leaves_that_follow
from linkwork.model.drives.formulas.formula import formula
from linkwork.model.drives.pieces import Chain
from linkwork.model.drives.sampled import SampleAndHold
from linkwork.model.drives.simple import Constant
from linkwork.model.drives.table import table
from linkwork.model.drives.words import finite, is_number, shown
from linkwork.model.given import VectorLike

if TYPE_CHECKING:
    from linkwork.model.signals.programs import Translator

MOST_SAMPLES, LONGEST = 200, 1e9  # of a delay (s)


@dataclass(frozen=True)
class Block(Drive):
    """What blocks with a memory share: they follow the motion, and have no value without it."""

    holds: ClassVar[bool] = True
    remembers: ClassVar[bool] = True
    word: ClassVar[str] = ""

    def _detail(self) -> str:
        return self.word or super()._detail()

    def _need_motion(self, *parts: Drive) -> None:
        _check_drives(self, *parts)
        if not any(leaves_that_follow(part) for part in parts):
            raise DriveError(
                f"{self.label}: expected a reading of the motion (lw.reads) among its parts, found "
                "functions of time alone"
            )

    def _positive(self, name: str) -> None:
        self._set_numbers(name)
        if getattr(self, name) <= 0:
            raise DriveError(
                f"{self.label}: expected a positive {name}, found {getattr(self, name):g}"
            )

    def _jet(self, t: np.ndarray) -> np.ndarray:
        raise DriveError(
            f"{self.label}: expected to be part of a load's drive, found it asked for at times; it "
            "has a value only while the model moves"
        )


@dataclass(frozen=True)
class RateLimit(Block):
    """See `rate_limit`."""

    x: Drive
    rate: float
    word: ClassVar[str] = "rate limit"

    def __post_init__(self) -> None:
        self._need_motion(self.x)
        self._positive("rate")


@dataclass(frozen=True)
class TimeIntegral(Block):
    """See `integral`."""

    x: Drive
    value: float = 0.0
    word: ClassVar[str] = "integral"

    def __post_init__(self) -> None:
        self._need_motion(self.x)
        self._set_numbers("value")


@dataclass(frozen=True)
class Delay(Block):
    """See `delay`."""

    x: Drive
    time: float
    samples: int = 20
    word: ClassVar[str] = "delay"

    def __post_init__(self) -> None:
        self._need_motion(self.x)
        self._positive("time")
        if self.time > LONGEST:
            raise DriveError(f"{self.label}: expected a time of at most {LONGEST:g} s, found "
                             f"{self.time:g}")  # fmt: skip
        samples = finite(self.samples)
        if not (samples is not None and samples == int(samples)
                and 1 <= self.samples <= MOST_SAMPLES):  # fmt: skip
            raise DriveError(
                f"{self.label}: expected samples between 1 and {MOST_SAMPLES}, found "
                f"{shown(self.samples)}"
            )


# ------------------------------------------------------------------------------- as programs


def since_last_step(writer: Translator) -> tuple[int, int]:
    """Registers: the time since the last accepted step, and whether there was none."""
    last = writer.recall(NEVER, lambda: writer.time)
    fresh = writer.do(ops.LESS, last, writer.constant(NEVER / 2))
    past = writer.do(ops.SUB, writer.time, last)
    return writer.do(ops.PICK, fresh, writer.constant(0.0), past), fresh


def rate_limit_program(writer: Translator, drive: RateLimit) -> int:
    do = writer.do
    x = writer.drive(drive.x)
    tau, fresh = since_last_step(writer)
    before = writer.recall(0.0, lambda: y)
    most = do(ops.MUL, writer.constant(drive.rate), tau)
    low, high = do(ops.SUB, before, most), do(ops.ADD, before, most)
    limited = writer.rule("min", [do(ops.MAX, x, low), high])
    y = do(ops.PICK, fresh, x, limited)
    return y


def integral_program(writer: Translator, drive: TimeIntegral) -> int:
    return integral_of(writer, drive, writer.drive(drive.x), drive.value, None)


def integral_of(writer: Translator, drive: Drive, x: int, value: float, stopped: Any) -> int:
    """The register of the ∫x dt of a drive; `stopped` makes one that says where nothing is added,
    or is None."""
    do = writer.do
    tau, fresh = since_last_step(writer)
    before = writer.recall(0.0, lambda: x)

    def kept() -> int:
        return y if stopped is None else do(ops.PICK, stopped(), total, y)

    writer.totals.append((drive, len(writer.memory)))
    total = writer.recall(value, kept)
    mean = do(ops.MUL, writer.constant(0.5), do(ops.ADD, before, x))
    y = do(ops.PICK, fresh, total, do(ops.ADD, total, do(ops.MUL, tau, mean)))
    return y


def delay_program(writer: Translator, drive: Delay) -> int:
    """Newest sample s_0 at t_k, k the last step stored: x(t − n T) lies between s_n and s_{n−1}, or
    behind s_{n−1} where t_{k+1} lies within the step."""
    do, constant = writer.do, writer.constant
    zero, one = constant(0.0), constant(1.0)
    x, n = writer.drive(drive.x), int(drive.samples)
    step = drive.time / n
    now, last = counter(writer, 0.0, step)
    due, fresh = do(ops.LESS, last, now), do(ops.LESS, last, constant(NEVER / 2))
    tau, _ = since_last_step(writer)
    before = writer.recall(0.0, lambda: x)
    past: list[int] = []

    def sample() -> int:
        """x at the time of the sample, on the line from the last step to this one."""
        beyond = do(ops.SUB, writer.time, do(ops.MUL, now, constant(step)))
        part = do(ops.DIV, beyond, do(ops.MAX, tau, constant(1e-9 * step)))
        met = do(ops.SUB, x, do(ops.MUL, part, do(ops.SUB, x, before)))
        return do(ops.PICK, fresh, x, met)

    def moved(i: int) -> int:
        newer = sample() if i == 0 else do(ops.PICK, fresh, x, past[i - 1])
        return do(ops.PICK, due, newer, past[i])

    def within(part: int) -> int:
        return writer.rule("min", [do(ops.MAX, part, zero), one])

    for i in range(n + 1):
        past.append(writer.recall(0.0, lambda i=i: moved(i)))  # type: ignore[misc]
    reached = do(ops.SUB, writer.time, do(ops.MUL, last, constant(step)))
    reached = do(ops.DIV, reached, constant(step))
    line = do(ops.ADD, past[n], do(ops.MUL, within(reached), do(ops.SUB, past[n - 1], past[n])))
    further, newer = do(ops.SUB, reached, one), x if n == 1 else past[n - 2]
    if n == 1:
        further = do(ops.DIV, further, do(ops.MAX, reached, one))
    behind = do(ops.MUL, within(further), do(ops.SUB, newer, past[n - 1]))
    return do(ops.PICK, fresh, x, do(ops.ADD, line, behind))


# ----------------------------------------------------------------------------- what users say


def block_input(x: Any, what: str) -> Drive:
    """A drive, or a number as a constant one."""
    if isinstance(x, Drive):
        return x
    if is_number(x):
        return Constant(number(x, what))
    raise DriveError(f"{what}: expected a reading or another drive, found {shown(x)}")


def number(x: Any, what: str) -> float:
    y = finite(x)
    if y is None:
        raise DriveError(f"{what}: expected a finite number, found {shown(x)}")
    return y


def limits_of(low: Any, high: Any, what: str) -> tuple[float, float]:
    low, high = number(low, f"low of {what}"), number(high, f"high of {what}")
    if not low < high:
        raise DriveError(f"{what}: expected low below high, found {low:g} and {high:g}")
    return low, high


def saturate(x: Drive | float, low: float, high: float) -> Drive:
    """x within the limits low and high.

    Example: ``lw.saturate(-50 * lw.reads(pin, "angle"), -10, 10)``
    """
    low, high = limits_of(low, high, "saturate")
    return formula("min(max(x, a), b)", x=block_input(x, "saturate"), a=low, b=high)


def dead_zone(x: Drive | float, width: float) -> Drive:
    """0 where |x| ≤ width, x less the width beyond it.

    Example: ``100 * lw.dead_zone(lw.reads(rail, "displacement"), 0.01)``
    """
    width = number(width, "width of dead_zone")
    if width < 0:
        raise DriveError(f"dead_zone: expected a width of at least 0, found {width:g}")
    return formula("max(x - w, 0) + min(x + w, 0)", x=block_input(x, "dead_zone"), w=width)


def lookup(
    x: Drive | float, at: VectorLike, values: VectorLike, *, smooth: bool = False,
    outside: str = "hold",
) -> Drive:  # fmt: skip
    """A table of x: values at increasing places `at`, straight lines (or a smooth curve) between.

    outside: what holds beyond the table: "hold", "extend" or "error".

    Example: ``lw.lookup(lw.reads(pin, "rate"), [0, 10, 20], [5, 4, 0])``
    """
    kind, x = "cubic" if smooth else "linear", block_input(x, "lookup")
    places = []
    for name, given in (("places at", at), ("values", values)):
        found = checks.array(given)
        if found is None or found.ndim != 1 or not np.isfinite(found).all():
            raise DriveError(
                f"lookup: expected a list of finite numbers as {name}, found {shown(given)}"
            )
        places.append(found)
    rows, least = [len(found) for found in places], 4 if smooth else 2
    if rows[0] != rows[1] or rows[0] < least:
        raise DriveError(
            f"lookup: expected as many values as places at, {least} or more, found {rows[0]} "
            f"places and {rows[1]} values"
        )
    back = np.flatnonzero(np.diff(places[0]) <= 0)
    if len(back):
        i = int(back[0])
        raise DriveError(
            f"lookup: expected increasing places at, found {places[0][i]:g} before "
            f"{places[0][i + 1]:g}; sort them with their values, each place once"
        )
    return Chain(table(at, values, kind=kind, outside=outside), x)


def rate_limit(x: Drive | float, rate: float) -> Drive:
    """x, but changing by at most `rate` per second; it begins at x.

    Example: ``lw.rate_limit(-50 * lw.reads(pin, "angle"), 200)``
    """
    return RateLimit(block_input(x, "rate_limit"), rate)


def integral(x: Drive | float, value: float = 0.0) -> Drive:
    """The integral of x over time, from `value` at the start of the run (trapezoidal rule).

    Example: ``-20 * lw.integral(lw.reads(pin, "angle"))``
    """
    return TimeIntegral(block_input(x, "integral"), value)


def delay(x: Drive | float, time: float, samples: int = 20) -> Drive:
    """x as it was `time` seconds ago, and before that as it was at the start.

    x is sampled every time/samples seconds, with straight lines between; runs refuse steps that are
    longer than that, and steps that a strategy chooses are not.

    Example: ``-50 * lw.delay(lw.reads(pin, "angle"), 0.02)``
    """
    return Delay(block_input(x, "delay"), time, samples)


def sample_hold(x: Drive | float, every: float, start: float = 0.0) -> Drive:
    """x at the last of the times start, start + every, …, held until the next one.

    Example: ``lw.sample_hold(-50 * lw.reads(pin, "angle"), every=0.01)``
    """
    every = number(every, "every of sample_hold")
    if every <= 0:
        raise DriveError(f"sample_hold: expected a positive sample time every=, found {every:g}")
    return SampleAndHold(block_input(x, "sample_hold"), Constant(1.0), every, start)


RULES = {
    RateLimit: rate_limit_program, TimeIntegral: integral_program, Delay: delay_program,
}  # fmt: skip
