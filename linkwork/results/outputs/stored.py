"""What the stored arrays say about one element: its bodies' motion, its numbers, its reaction."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.signals.history import signal_history
from linkwork.errors import LinkworkWarning, users_line
from linkwork.model.drives import Drive
from linkwork.model.drives.base import held_in, leaves_that_follow
from linkwork.model.signals.held import NEVER, is_sampled, sampled_at
from linkwork.model.signals.programs import translate
from linkwork.model.signals.signal import Signal
from linkwork.results.outputs.turns import unwrap
from linkwork.system.layout import REFERENCE_END
from linkwork.system.compilation.numbering import Element
from linkwork.system.system import System

if TYPE_CHECKING:
    from linkwork.results.result import Result


class Motion(NamedTuple):
    """One body over time: r (T, 3), q (T, 4), v (T, 3) in world axes, w (T, 3) in body axes."""

    r: np.ndarray
    q: np.ndarray
    v: np.ndarray
    w: np.ndarray


def body_motion(result: Result, b: int) -> Motion:
    """Motion of body number b (−1: the ground) over the stored times."""
    T = len(result.time)
    if b < 0:
        still = np.zeros((T, 3))
        return Motion(still, np.tile([1.0, 0.0, 0.0, 0.0], (T, 1)), still, still)
    m = result.motion[:, b]
    return Motion(m[:, :3], m[:, 3:7], m[:, 7:10], m[:, 10:13])


def memory_place(system: System, e: Element) -> slice:
    """Where in `State.memory` an element has its numbers."""
    return system.memories[id(e)][1]


def memory_at_start(result: Result) -> np.ndarray | None:
    """What elements remembered at the first time; None where it was not kept."""
    return result.restart.get("memory" if result.single else "first_memory")


def signal_values(result: Result, drive: Drive, rows: np.ndarray | None = None) -> np.ndarray:
    """A drive at stored times (all, or those of `rows`), also where it follows the motion."""
    times = result.time if rows is None else result.time[rows]
    drive = result.system.model.own(drive)
    if not leaves_that_follow(drive):
        return drive.values(times)
    signal = signal_of(result, drive)
    program = translate(signal)
    if program is not None and program.memory:  # what it holds comes from the times before
        warn_of_steps_left_out(result, drive)
        found, _ = signal_over_time(result, drive)
        return found if rows is None else found[rows]
    motion = result.motion if rows is None else np.asarray(result.motion)[rows]
    values = result.values if rows is None else np.asarray(result.values)[rows]
    x = signal.measured(motion, body_numbers(result), values, node_places(result))
    return signal_history(signal, times, x)[0]


def signal_of(result: Result, drive: Drive) -> Signal:
    """A drive that follows the motion; its controllers answer from the record of this run."""
    signals = [e.entry for e in result.system.elements if e.entry.family.signal]
    return Signal(drive, [callback for entry in signals for callback in entry.keep[1]])


def warn_of_steps_left_out(result: Result, drive: Drive) -> None:
    """Say so where a drive holds what happened at steps that are not stored."""
    h, every = result.info.get("h"), result.info.get("every", 1)
    parts = held_in(drive)
    if not parts or not isinstance(h, float) or every == 1 or result.single:
        return
    apart = [
        number for start, period in sampled_at([drive])
        for number in (period / (every * h), (start - result.time[0]) / (every * h))
    ]  # fmt: skip
    if all(is_sampled(x) for x in parts) and all(abs(x - round(x)) < 1e-6 for x in apart):
        return
    warnings.warn(
        f"{drive.label} holds what happened at steps that are not stored, because every = {every}, "
        "so that its values in results are approximate (the motion is not); store all steps, or "
        "those at its samples",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def signal_over_time(result: Result, drive: Drive) -> tuple[np.ndarray, np.ndarray]:
    """Values (T,) of a drive that follows the motion, and its memory (T, n)."""
    signal, begin, known = signal_of(result, drive), None, memory_at_start(result)
    for e in memory_elements(result.system) if known is not None else ():
        if e.entry.family.signal and e.entry.acts_on[1].signal is drive:
            begin = np.asarray(known, float)[memory_place(result.system, e)]
    number = body_numbers(result)
    x = signal.measured(result.motion, number, result.values, node_places(result))
    program = translate(signal)
    for place, i in program.turns if program is not None else ():
        known_start = begin is not None and begin[place] > NEVER / 2
        start = begin[place] if known_start else signal.readings[i].start  # type: ignore[index]
        rate = signal.rates(i, result.motion, number)
        x[:, i] = unwrap(result.time, x[:, i], rate, start)
    return signal_history(signal, result.time, x, begin)


def body_numbers(result: Result) -> Callable[[Any], int]:
    """The number of a body, −1 of the ground."""
    number = {id(body): i for i, body in enumerate(result.system.items)}
    own = result.system.model.own
    return lambda body: number.get(id(own(body)), -1)


def node_places(result: Result) -> Callable[[Any], int]:
    """The first value of a vector node."""
    layout = result.system.layout
    place = {id(node): int(first) for node, first in zip(layout.nodes, layout.first)}
    own = result.system.model.own
    return lambda node: place[id(own(node))]


def memory_elements(system: System) -> list[Element]:
    """The elements that remember, in the order of `State.memory`."""
    return [e for e, _ in system.memories.values()]


class NodeValues(NamedTuple):
    """Values of a vector node over the stored times, (T, n), with their derivatives."""

    value: np.ndarray
    rate: np.ndarray
    second: np.ndarray


def all_ends(result: Result, e: Element) -> list[Any]:
    """The motion of its bodies and the values of its vector nodes, in its order."""
    layout = result.system.layout
    ends: list[Any] = []
    for end in e.ends:
        if end == REFERENCE_END:
            ends.append(NodeValues(*np.zeros((3, len(result.time), 1))))
        elif end < len(layout.bodies):
            ends.append(body_motion(result, end))
        else:
            first = layout.first[end - len(layout.bodies) :]
            part = np.asarray(result.values[:, :, first[0] : first[1]])
            ends.append(NodeValues(part[:, 0], part[:, 1], part[:, 2]))
    return ends


def drive_power(result: Result, elements: list[Element]) -> np.ndarray:
    """γᵀ C_t: the power that the motion laws of a joint supply."""
    rows = [r for e in elements for r in e.rows]
    return np.einsum("ti,ti->t", result.gamma[:, rows], result.law_rates(rows))
