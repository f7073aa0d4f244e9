"""Programs of drives that hold something of the motion from step to step (drives.sampled).

With n the number of the last step of its own at a time, and n₀ that of the last one at which it
stored something,

    sample and hold    y = held;   held ← f where n > n₀ and trigger ≠ 0
    discrete filter    y = y₁ where n ≤ n₀, else b₀ u + Σ a_i y_i + Σ b_i u_i;   y, u ← moved on
    switch             y = s;      s ← (off = 0 if s else on ≠ 0) where n > n₀
    an angle           φ = x + 2π ⌊(φ₀ − x)/2π + ½⌋,   |φ − φ₀| ≤ 3.1 required;   φ₀ ← φ

The last is a reading x within half a turn of zero, counted over turns from near a start.  Arrows
say what happens when a step of the run is accepted.  Before the first, a sample is what it will be,
f, and a filter has nothing behind it.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.kernels import programs as ops
from linkwork.model.control import blocks, controller, pid
from linkwork.model.control.clock import NEVER, clock
from linkwork.model.drives.base import Drive, held_in, parts_of
from linkwork.model.drives.sampled import DiscreteFilter, SampleAndHold, Switch, reached
from linkwork.model.signals.readings import HALF_TURN

if TYPE_CHECKING:
    from linkwork.model.signals.programs import Translator

TURN = 2 * math.pi


def sample_and_hold(writer: Translator, drive: SampleAndHold) -> int:
    f, trigger = writer.drive(drive.f), writer.drive(drive.trigger)
    due, fresh = clock(writer, drive.start, drive.step)
    begin = f if drive.value is None else writer.constant(drive.value)

    def new() -> int:
        return writer.do(ops.PICK, writer.do(ops.AND, due, trigger), f, now)

    now = writer.do(ops.PICK, fresh, begin, writer.recall(0.0, new))
    return now


def discrete_filter(writer: Translator, drive: DiscreteFilter) -> int:
    do, constant = writer.do, writer.constant
    u = writer.drive(drive.u)
    due, _ = clock(writer, drive.start, drive.step)
    past: dict[str, list[int]] = {"y": [], "u": []}  # newest first; in front of them comes now

    def moved(name: str, i: int) -> int:
        return do(ops.PICK, due, now[name] if i == 0 else past[name][i - 1], past[name][i])

    for name, count in (("y", max(len(drive.a), 1)), ("u", len(drive.b) - 1)):
        for i in range(count):
            past[name].append(writer.recall(0.0, functools.partial(moved, name, i)))
    y = do(ops.MUL, constant(drive.b[0]), u)
    for weights, values in ((drive.a, past["y"]), (drive.b[1:], past["u"])):
        for weight, x in zip(weights, values):
            y = do(ops.ADD, y, do(ops.MUL, constant(weight), x))
    now = {"y": do(ops.PICK, due, y, past["y"][0]), "u": u}
    return now["y"]


def switch(writer: Translator, drive: Switch) -> int:
    do = writer.do
    on, off = writer.drive(drive.on), writer.drive(drive.off)
    due, _ = clock(writer, drive.start, drive.step)

    def new() -> int:
        begins = do(ops.UNEQUAL, on, writer.constant(0.0))
        return do(ops.PICK, due, do(ops.PICK, state, do(ops.NOT, off), begins), state)

    state = writer.recall(float(drive.active), new)
    return state


def counted(writer: Translator, x: int, start: float = 0.0) -> tuple[int, int]:
    """The register of an angle counted over turns from near `start`, its place in the memory."""
    do, constant = writer.do, writer.constant
    last = writer.recall(NEVER, lambda: phi)
    place = len(writer.memory) - 1
    fresh = do(ops.LESS, last, constant(NEVER / 2))
    before = do(ops.PICK, fresh, constant(start), last)
    turns = do(ops.DIV, do(ops.SUB, before, x), constant(TURN))
    whole = do(ops.FLOOR, do(ops.ADD, turns, constant(0.5)))
    phi = do(ops.ADD, x, do(ops.MUL, constant(TURN), whole))
    change = writer.rule("abs", [do(ops.SUB, phi, before)])
    sure = do(ops.OR, fresh, do(ops.AT_MOST, change, constant(HALF_TURN)))
    writer.write(ops.REQUIRE, sure, sure)
    return phi, place


HELD: dict[type, Any] = {
    SampleAndHold: sample_and_hold, DiscreteFilter: discrete_filter, Switch: switch,
    **blocks.RULES, pid.PIDControl: pid.pid_program,
    controller.ControllerOutput: controller.controller_program,
}  # fmt: skip


def is_sampled(part: Drive) -> bool:
    """Whether a drive changes at samples alone, once the first is taken."""
    if isinstance(part, pid.PIDControl):
        return part.every is not None
    return isinstance(part, (SampleAndHold, Switch, controller.ControllerOutput))


def read_between_samples(drive: Drive) -> list[Drive]:
    """The readings of the motion that a drive follows at all times, not at samples alone."""
    if drive.follows:
        return [drive]
    if is_sampled(drive):
        return []
    return [leaf for part in parts_of(drive) for leaf in read_between_samples(part)]


def due_at(samples: Any, before: float, times: np.ndarray) -> np.ndarray:
    """At which of the steps that end at `times` something with such starts and periods is due."""
    ends = np.concatenate([[before], times])
    found = np.zeros(len(times), bool)
    for start, period in samples:
        found |= np.diff(np.floor((ends - start) / period + reached(ends, period))) > 0
    return found


def sampled_at(drives: Any) -> tuple[tuple[float, float], ...]:
    """Start and period of all samples in drives that follow the motion, each pair once."""
    found: dict[tuple[float, float], None] = {}
    for part in (held for drive in drives for held in held_in(drive)):
        if isinstance(part, (SampleAndHold, DiscreteFilter, Switch)):
            found[part.start, part.step] = None
        elif isinstance(part, pid.PIDControl) and part.every is not None:
            found[part.start, part.every] = None
        elif isinstance(part, controller.ControllerOutput):
            found[part.controller.start, part.controller.every] = None
    return tuple(found)
