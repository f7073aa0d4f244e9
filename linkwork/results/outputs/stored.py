"""What the stored arrays say about one element: its bodies' motion, its numbers, its reaction."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.signals.history import signal_history
from linkwork.errors import LinkworkWarning, users_line
from linkwork.model.drives import Drive
from linkwork.model.drives.base import held_in, leaves_that_follow
from linkwork.model.signals.held import NEVER, is_sampled, sampled_at
from linkwork.model.signals.programs import translate
from linkwork.model.signals.signal import Signal
from linkwork.results.outputs.relative import (
    TURN,
    Motion,
    doubtful,
    relative_place,
    relative_turn,
    rotate,
    rotate_back,
    turn_change,
    twist,
    twist_change,
    twist_rate,
    unwrap,
)  # fmt: skip
from linkwork.model.nodes import Node
from linkwork.system.layout import REFERENCE_END
from linkwork.system.compilation.numbering import Element
from linkwork.system.system import System

if TYPE_CHECKING:
    from linkwork.results.result import Result


def body_motion(result: Result, b: int) -> Motion:
    """Motion of body number b (−1: the ground) over the stored times."""
    T = len(result.time)
    if b < 0:
        still = np.zeros((T, 3))
        return Motion(still, np.tile([1.0, 0.0, 0.0, 0.0], (T, 1)), still, still)
    m = result.motion[:, b]
    return Motion(m[:, :3], m[:, 3:7], m[:, 7:10], m[:, 10:13])


def element_reals(result: Result, e: Element) -> np.ndarray:
    """The reals of an element and its memory at every stored time, (T, n): laws put in."""
    family, row = e.entry.family, e.entry.row
    reals = np.broadcast_to(row, (len(result.time), len(row)))
    if not e.entry.laws and not family.memory.moves:
        return reals
    reals = reals.copy()
    for law in e.entry.laws:
        if law.signal is not None:
            reals[:, law.column] = signal_values(result, law.signal)
        else:
            reals[:, law.column : law.column + law.length] = law.values(result.time)
    if family.memory.moves:
        reals[:, -family.memory.size :] = result.memory[:, memory_place(result.system, e)]
    return reals


def memory_place(system: System, e: Element) -> slice:
    """Where in `State.memory` an element has its numbers."""
    return system.memory_places[next(i for i, x in enumerate(system.elements) if x is e)]


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
    families = dict.fromkeys(e.entry.family for e in system.elements if e.entry.family.memory.size)
    return [e for f in families for e in system.elements if e.entry.family == f]


def memory_over_time(result: Result, e: Element, end: np.ndarray | None) -> np.ndarray:
    """What an element remembered at every stored time, (T, n).

    Angles are counted over turns from where the element was described, or to arrive at `end` where
    that is known.  Of signals the stored motion says them; notes of corners are known at the
    end of a run alone, else none, and what else is remembered likewise, else not a number.
    """
    family, memory = e.entry.family, e.entry.family.memory
    if family.signal:
        known = signal_over_time(result, e.entry.acts_on[1].signal)[1]
        if end is not None:
            known[-1] = end
        return known
    noted = np.zeros((len(result.time), memory.notes))
    if end is not None:
        noted[-1] = end[: memory.notes]
    if memory.path:
        known = np.full((len(result.time), memory.size), np.nan)
        if end is not None:
            known[-1] = end
        return known
    if not memory.turns:
        return noted
    reals = np.tile(e.entry.row, (len(result.time), 1))
    found = family.outputs(*e.entry.numbers_with(reals), *_ends(result, e))  # type: ignore[misc]
    columns = [noted]
    for k, name in enumerate(memory.turns, memory.notes):
        angle = found[name] - TURN * np.round(found[name] / TURN)
        rate = found[name.replace("angle", "rate")]
        counted = unwrap(result.time, angle, rate, e.entry.memory[k])
        if end is not None:
            counted += TURN * np.round((end[k] - counted[-1]) / TURN)
        columns.append(counted[:, None])
    return np.concatenate(columns, axis=1)


def _ends(result: Result, e: Element) -> list[list[np.ndarray]]:
    """Lists over the element's bodies: r, q, v, ω."""
    ends = [body_motion(result, b) for b in e.ends]
    return [list(part) for part in zip(*ends)]


def potential_energy(result: Result, e: Element) -> np.ndarray:
    """Potential energy of an element whose family has one, (T,)."""
    reals, (r, q, _, _) = element_reals(result, e), _ends(result, e)
    parts = [
        e.entry.family.potential(  # type: ignore[misc]
            *e.entry.numbers_with(reals[k]), [x[k] for x in r], [x[k] for x in q]
        )
        for k in _blocks(e, reals)
    ]
    return np.concatenate(parts)


def family_outputs(result: Result, e: Element) -> dict[str, np.ndarray]:
    """What the element's family offers by itself: name → (T,) or (T, 3)."""
    reals, ends = element_reals(result, e), _ends(result, e)
    parts = [
        e.entry.family.outputs(  # type: ignore[misc]
            *e.entry.numbers_with(reals[k]), *([x[k] for x in part] for part in ends)
        )
        for k in _blocks(e, reals)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


class NodeValues(NamedTuple):
    """Values of a vector node over the stored times, (T, n), with their derivatives."""

    value: np.ndarray
    rate: np.ndarray
    second: np.ndarray


def circuit_outputs(result: Result, e: Element) -> dict[str, tuple[np.ndarray, str]]:
    """What the family of an element with vector nodes offers: name → (numbers (T,), unit)."""
    numbers = e.entry.numbers_with(element_reals(result, e))
    return e.entry.family.circuit(*numbers, all_ends(result, e))  # type: ignore[misc]


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


def _blocks(e: Element, reals: np.ndarray) -> list[slice]:
    """All times at once; or one by one where an element that remembers moves so far between them
    that it could not count turns by itself."""
    turns = len(e.entry.family.memory.turns)
    if turns == 1 and np.abs(np.diff(reals[:, -1])).max(initial=0.0) >= TURN / 2:
        return [slice(k, k + 1) for k in range(len(reals))]
    return [slice(None)]


def element_gamma(result: Result, e: Element) -> np.ndarray:
    """Multipliers over all rows its family can have, zero in those it has not, (T, rows)."""
    gamma = np.zeros((len(result.time), e.entry.family.rows))
    gamma[:, list(e.entry.rows)] = result.gamma[:, e.first_row : e.first_row + len(e.entry.rows)]
    return gamma


@dataclass(frozen=True)
class Wrench:
    """Force and torque about `point`, in the axes of `R` (world: R force)."""

    force: np.ndarray
    torque: np.ndarray
    R: np.ndarray
    point: np.ndarray

    def __add__(self, other: Wrench) -> Wrench:
        """Both together, about this one's point and in its axes."""
        force = rotate(other.R, other.force)
        torque = rotate(other.R, other.torque) + np.cross(other.point - self.point, force)
        return Wrench(
            self.force + rotate_back(self.R, force), self.torque + rotate_back(self.R, torque),
            self.R, self.point,
        )  # fmt: skip


def reaction(result: Result, elements: list[Element]) -> Wrench:
    """Reaction of a joint on its second body, about its first element's point, in its axes.

    Families with vector nodes among their ends compute it from the motion of all of them.
    """
    total = None
    for e in elements:
        numbers = e.entry.numbers_with(element_reals(result, e))
        if any(isinstance(end, Node) for end in e.entry.bodies):
            part = Wrench(*e.entry.family.reaction(  # type: ignore[misc]
                *numbers, element_gamma(result, e), all_ends(result, e)
            ))  # fmt: skip
            total = part if total is None else total + part
            continue
        a, b = (body_motion(result, end) for end in e.ends[:2])
        part = Wrench(*e.entry.family.reaction(  # type: ignore[misc]
            *numbers, element_gamma(result, e), a.r, a.q, b.r, b.q
        ))  # fmt: skip
        total = part if total is None else total + part
    assert total is not None
    return total


def lock_place(result: Result, e: Element) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the driven marker relative to the main one, in its axes."""
    a, b = (body_motion(result, end) for end in e.ends)
    return relative_place(element_reals(result, e), a, b)


def lock_turn(result: Result, e: Element) -> tuple[np.ndarray, np.ndarray]:
    """The angle about z, within half a turn, and its rate."""
    a, b = (body_motion(result, end) for end in e.ends)
    rho, rho1 = relative_turn(element_reals(result, e), a, b)
    return twist(rho), twist_rate(rho, rho1)


def lock_angle(result: Result, e: Element) -> np.ndarray:
    """The angle about z, counted over turns; a warning where stored times do not tell how many."""
    counted, doubt = counted_angle(result, e)
    if doubt is not None:
        warnings.warn(
            f"the turns of joint '{e.owner}' {doubt}; store more steps (every=)",
            LinkworkWarning, stacklevel=2,
        )  # fmt: skip
    return counted


def counted_angle(result: Result, e: Element) -> tuple[np.ndarray, str | None]:
    """The angle about z, counted over turns, and from when on and why that is not certain.

    A driven angle takes the turn of its law; else counting starts from the angle an earlier run
    ended with (info["angles"], not a number where that was not certain) or the joint was given, or
    within half a turn of zero.
    """
    angle, rate = lock_turn(result, e)
    item = result.system.model[e.owner]
    laws = item.laws().get("t", {}) if hasattr(item, "laws") else {}
    if 5 in e.entry.driven and "rz" in laws and not {"rx", "ry"} & set(laws):
        imposed = result.imposed(e.owner, laws["rz"])
        return angle + TURN * np.round((imposed - angle) / TURN), None
    given = item.start()[0].get("rz", 0.0) if hasattr(item, "start") else 0.0
    start, doubt = (result.info.get("angles") or {}).get(e.owner, given), None
    if np.isnan(start):
        start, doubt = given, "before this run are not certain: too few of its steps are stored"
    counted = unwrap(result.time, angle, rate, start)
    k = doubtful(result.time, counted, rate, None)
    if k is not None:  # accelerations say more than differences of rates
        change = lock_turn_change(result, e)
        counted = unwrap(result.time, angle, rate, start, change)
        k = doubtful(result.time, counted, rate, change)
    if k is not None:
        doubt = (
            f"after t = {result.time[k]:g} are not certain: it is stored only every "
            f"{result.time[k + 1] - result.time[k]:g} s there, and its rate changes too much in "
            "between to count them"
        )
    return counted, doubt


def lock_turn_change(result: Result, e: Element) -> np.ndarray | None:
    """The second derivative of the angle about z, where accelerations are known."""
    if result.acceleration is None or not len(result):
        return None
    a, b = (body_motion(result, end) for end in e.ends)
    still = np.zeros((len(result), 3))
    spins = [still if end < 0 else np.asarray(result.acceleration[:, end])[:, 3:] for end in e.ends]
    reals = element_reals(result, e)
    rho, rho1 = relative_turn(reals, a, b)
    return twist_change(rho, rho1, turn_change(reals, a, b, *spins))


def drive_power(result: Result, elements: list[Element]) -> np.ndarray:
    """γᵀ C_t: the power that the motion laws of a joint supply."""
    rows = [r for e in elements for r in e.rows]
    return np.einsum("ti,ti->t", result.gamma[:, rows], result.law_rates(rows))
