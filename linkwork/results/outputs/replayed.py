"""Outputs of elements over the stored times, asked from their kernels (system/replay.py)."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.failures import forget_failures
from linkwork.elements.layout import SIX
from linkwork.kernels.rotations import rotate, rotate_back
from linkwork.model.outputs import REACTION, Output, Role
from linkwork.results.files.file_array import BLOCK
from linkwork.results.files.memory import share
from linkwork.results.outputs.stored import (
    memory_at_start, memory_elements, memory_place, warn_of_steps_left_out,
)  # fmt: skip
from linkwork.results.outputs.turns import TURN, unwrap
from linkwork.system.compilation.numbering import Element
from linkwork.system.part import part_of
from linkwork.system.replay import Asked, Replay, Rows

if TYPE_CHECKING:
    from linkwork.results.result import Result

ONE_AT_A_TIME = RLock()  # the replays of a result share its arrays
HALF_TURN = 0.499 * TURN  # of friction between stored times, at most
CHUNK = 4096  # times per call: bounds the table of the motion laws


class Remembered(NamedTuple):
    """What elements remember at the stored times: where among all memory, and what; paths begin
    with `first` and move on by themselves."""

    columns: np.ndarray
    values: np.ndarray  # (T, columns)
    first: np.ndarray | None


NOTHING = Remembered(np.zeros(0, np.int64), np.zeros((0, 0)), None)


def replay(
    result: Result, numbers: Collection[int], each: bool = False, forces: bool = False,
    turns: bool = True, rows: np.ndarray | None = None, accelerated: bool = True,
) -> tuple[Replay, Iterator[tuple[slice, Asked]]]:  # fmt: skip
    """Some elements of a result, and their answers a part of the times at a time.

    each  : whether the power of each element is wanted;   forces : their forces on bodies
    turns : whether angles are counted over turns, else they are those within half a turn of where
            they were described
    rows  : which of the stored times; all of them, as elements that remember a path need
    accelerated : whether bodies have their accelerations, else none
    """
    asked = Replay(result.data, part_of(result.system, numbers), each, forces)
    known = remembered(result, asked) if turns else NOTHING
    return asked, answers(result, asked, known, rows, accelerated)


def answers(
    result: Result, asked: Replay, known: Remembered, rows: np.ndarray | None, accelerated: bool
) -> Iterator[tuple[slice, Asked]]:
    system, T = result.system, len(result) if rows is None else len(rows)
    each = 13 * system.bodies + 3 * system.layout.values + asked.width + asked.ends.size * SIX
    size = max(1, min(CHUNK, share(BLOCK) // (8 * max(each, 1))))
    with ONE_AT_A_TIME:
        asked.data.memory = system.tables.memory if known.first is None else known.first
        for first in range(0, T, size):
            part = slice(first, min(first + size, T))
            some: Any = part if rows is None else np.asarray(rows)[part].tolist()
            memory = known.values[some] if known.columns.size else known.values
            numbers = (result.motion, result.acceleration, result.gamma, result.values)
            motion, acceleration, gamma, values = (
                np.ascontiguousarray(x[some], float) for x in numbers
            )
            acceleration = acceleration if accelerated else np.zeros_like(acceleration)
            time, memory = np.ascontiguousarray(result.time[some]), np.ascontiguousarray(memory)
            states = Rows(time, motion, acceleration, gamma, values, asked.schedule(time), memory)
            yield part, asked.over(states, known.columns)
    forget_failures(system.model)


def remembered(result: Result, asked: Replay) -> Remembered:
    """What the elements of a replay remember.

    A signal at a stored time acts with what it held before.
    """
    some = set(map(id, asked.elements))
    remembering = [e for e in memory_elements(result.system) if id(e) in some]
    if not remembering:
        return NOTHING
    first, known = result.system.tables.memory.copy(), memory_at_start(result)
    columns, values = [], []
    before = np.maximum(np.arange(len(result.time)) - 1, 0)
    for e in remembering:
        family, place = e.entry.family, memory_place(result.system, e)
        if family.signal:
            warn_of_steps_left_out(result, e.entry.acts_on[1].signal)
        if family.signal or family.memory.turns:
            rows = result.memory[:, place]
            columns.append(np.arange(place.start, place.stop))
            values.append(rows[before] if family.signal else rows)
        elif known is not None and not np.isnan(known[place]).any():
            first[place] = np.asarray(known, float)[place]
        path = path_before(result, e, first[place.start])
        if path is not None:
            columns.append(np.arange(place.start, place.start + 1))
            values.append(path[:, None])
    if not columns:
        return Remembered(NOTHING.columns, NOTHING.values, first)
    return Remembered(np.concatenate(columns), np.concatenate(values, axis=1), first)


def path_before(result: Result, e: Element, first: float) -> np.ndarray | None:
    """The path of friction at the last stored time before each, where its surfaces turn so far
    between these that one row alone does not say which way; `first` before the first.

    A step is half a turn at most, far beyond what bristles bend.
    """
    if not any(x.name == "_path" for x in e.entry.family.outputs):
        return None
    spin = sum(
        np.linalg.norm(result.motion[:, b, 10:13], axis=1) for b in e.ends
        if 0 <= b < result.system.bodies
    )  # fmt: skip
    if np.max(np.maximum(spin[1:], spin[:-1]) * np.diff(result.time), initial=0.0) < TURN / 4:
        return None
    (found,) = element_outputs(result, [e], turns=False)
    radius = found["_radius"][0]
    if radius == 0.0:
        return None
    angle = found["_path"] / radius
    angle = angle - TURN * np.round(angle / TURN)
    counted = unwrap(result.time, angle, found["_path_rate"] / radius, angle[0])
    steps = np.clip(np.diff(counted), -HALF_TURN, HALF_TURN)
    return np.concatenate([[first], radius * (angle[1:] - steps)])


class ItemOutputs:
    """All outputs of the elements of one item, computed when the first of them is asked for."""

    def __init__(self, result: Result, owner: str) -> None:
        self.result = result
        elements = enumerate(result.system.elements)
        self.numbers = [i for i, e in elements if e.owner == owner]
        self.of: dict[str, list[tuple[Element, slice | int]]] = {}
        self.declared: dict[str, Output] = {}
        self.table: np.ndarray | None = None

    @property
    def names(self) -> list[str]:
        """What the elements declare."""
        return list(dict.fromkeys(x.name for e in self.elements for x in e.entry.family.outputs))

    @property
    def elements(self) -> list[Element]:
        """In their order in the item."""
        return [self.result.system.elements[i] for i in self.numbers]

    def every(self, name: str) -> np.ndarray:
        """An output of every element that has it, (elements, T) or (elements, T, components)."""
        return np.stack([self._table()[:, place] for _, place in self.places(name)])

    def __getitem__(self, name: str) -> np.ndarray:
        """(T,) or (T, components): the sum over the elements, or that of the last."""
        places = self.places(name)
        found = [self._table()[:, place] for _, place in places]
        values = np.sum(found, axis=0) if self.declared[name].adds else found[-1].copy()
        return values - values[0] if self.declared[name].change else values

    def places(self, name: str) -> list[tuple[Element, slice | int]]:
        """The elements that have an output, and their columns of the table."""
        self._table()
        return self.of[name]

    def _table(self) -> np.ndarray:
        if self.table is None:
            asked, parts = replay(self.result, self.numbers)
            number = {id(e): k for k, e in enumerate(asked.elements)}
            for e in self.elements:
                for output in e.entry.family.outputs:
                    column = asked.column(number[id(e)], output)
                    self.of.setdefault(output.name, []).append((e, column))
                    self.declared[output.name] = output
            found = [answer for _, answer in parts]
            self.table = np.concatenate([answer.out for answer in found])
        return self.table


def element_outputs(
    result: Result, elements: Sequence[Element], turns: bool = True, rows: np.ndarray | None = None
) -> list[dict[str, np.ndarray]]:
    """All outputs of some elements by their names, (T,) or (T, components)."""
    number = {id(e): i for i, e in enumerate(result.system.elements)}
    asked, parts = replay(result, [number[id(e)] for e in elements], turns=turns, rows=rows)
    table = np.concatenate([answer.out for _, answer in parts])
    place = {id(e): k for k, e in enumerate(asked.elements)}
    return [
        {x.name: table[:, asked.column(place[id(e)], x)] for x in e.entry.family.outputs}
        for e in elements
    ]


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


def has_reaction(elements: Sequence[Element]) -> bool:
    """Whether the families of all of them write a reaction."""
    return all(REACTION[0] in e.entry.family.outputs for e in elements)


def reaction(result: Result, elements: Sequence[Element]) -> Wrench:
    """Reaction of a joint on its second body, about its first element's point, in its axes."""
    return reactions(result, [elements])[0]


def reactions(result: Result, joints: Sequence[Sequence[Element]]) -> list[Wrench]:
    """Those of several joints, each with its elements."""
    found = iter(element_outputs(result, [e for elements in joints for e in elements]))
    out = []
    for elements in joints:
        parts = [
            Wrench(x["force"], x["torque"], x["_axes"].reshape(-1, 3, 3), x["_point"])
            for x in itertools.islice(found, len(elements))
        ]
        out.append(functools.reduce(operator.add, parts))
    return out


def totals(result: Result, wanted: Collection[int] | None = None) -> dict[Role, np.ndarray]:
    """Sums over all elements, or those of these numbers, of the outputs that have a role, (T,) or
    (T, 3)."""
    T = len(result.time)
    sums = {
        role: np.zeros((T, 3) if role in (Role.MOMENTUM, Role.ANGULAR_MOMENTUM) else T)
        for role in Role
    }
    elements = result.system.elements
    wanted = range(len(elements)) if wanted is None else wanted
    numbers = [i for i in wanted if any(x.role for x in elements[i].entry.family.outputs)]
    if not numbers:
        return sums
    asked, parts = replay(result, numbers)
    places: dict[Role, list[int]] = {role: [] for role in Role}
    for k, e in enumerate(asked.elements):
        for output in e.entry.family.outputs:
            if output.role is not None:
                place = asked.column(k, output)
                first = place.start if isinstance(place, slice) else place
                places[output.role] += range(first, first + output.size)
    for part, answer in parts:
        for role, columns in places.items():
            if columns:
                shape = (len(answer.out), -1, 3) if sums[role].ndim == 2 else (len(answer.out), -1)
                sums[role][part] = answer.out[:, columns].reshape(shape).sum(axis=1)
    return sums
