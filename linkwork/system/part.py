"""Some elements of a system: a view of its tables that an evaluation goes through alone.

The tables hold the elements family by family, so a part is a list of runs of neighbours,

    directory row: [slot, elements, first int, ints each, first real, reals each, first of the
    memory, memory each]

with the motion laws, signals and sensors of these elements.  No table is copied or built anew.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.model.registry import Law
from linkwork.system.compilation.numbering import Element
from linkwork.system.evaluate import DIRECTORY_COLUMNS, NUMBER, REAL, Tables

if TYPE_CHECKING:
    from linkwork.system.system import System

SENSOR_REAL = 1  # column of Tables.sensors: where a sensor's slopes are among the reals


@dataclass(frozen=True)
class Part:
    """The elements that take part in an evaluation, and their places in the tables."""

    numbers: tuple[int, ...]  # among the elements of the system
    elements: tuple[Element, ...]
    places: tuple[slice, ...]  # of their numbers in the reals
    laws: tuple[tuple[int, Law], ...]  # their motion laws, with the numbers of their elements
    directory: np.ndarray
    signal_families: int  # runs of signals, the first of the directory
    whole: bool  # every element of the system

    @cached_property
    def remembers(self) -> bool:
        """Whether one of them must know that a step is accepted."""
        return any(e.entry.family.memory.moves for e in self.elements)

    @cached_property
    def moving(self) -> bool:
        """Whether a motion law drives one of their constraints."""
        return any(e.entry.rows and e.entry.laws for e in self.elements)

    def rows(self, count: int) -> np.ndarray:
        """Which of so many constraint rows are theirs."""
        if self.whole:
            return np.ones(count, bool)
        mask = np.zeros(count, bool)
        mask[[row for e in self.elements for row in e.rows]] = True
        return mask

    def tables(self, tables: Tables) -> Tables:
        """The tables of the system, seen from these elements alone; shared numbers are unshared in
        its ints, which are those of the caller."""
        if self.whole:
            return tables
        starts = {place.start for place in self.places}
        signals = [row[NUMBER] in starts and row[REAL] in starts for row in tables.signals.tolist()]
        answering = {
            place.start + e.entry.family.answers
            for e, place in zip(self.elements, self.places) if e.entry.family.answers >= 0
        }  # fmt: skip
        sensors = [row[SENSOR_REAL] in answering for row in tables.sensors.tolist()]
        start = {i: place.start for i, place in zip(self.numbers, self.places)}
        targets = [start[i] + law.column + np.arange(law.length) for i, law in self.laws]
        return tables._replace(
            directory=self.directory,
            signals=tables.signals[np.array(signals, bool)],
            signal_family_count=np.array([self.signal_families]),
            targets=np.concatenate([np.zeros(0, np.int64), *targets]).astype(np.int64),
            sensors=tables.sensors[np.array(sensors, bool)],
        )


def part_of(system: System, numbers: Collection[int] | None = None) -> Part:
    """The part with the elements of these numbers; None for all of them."""
    everyone = range(len(system.elements))
    chosen = tuple(everyone if numbers is None else sorted(numbers))
    whole = len(chosen) == len(everyone)
    elements = tuple(system.elements[i] for i in chosen)
    if whole:
        directory = system.tables.directory
        signals = int(system.tables.signal_family_count[0])
        return Part(chosen, elements, system.places, system.laws, directory, signals, True)
    within: dict[object, list[int]] = {}
    first = {f: row for f, row in zip(system.families, system.tables.directory.tolist())}
    for e, i in zip(elements, chosen):
        row = first[e.entry.family]
        within.setdefault(e.entry.family, []).append((system.places[i].start - row[4]) // row[5])
    runs: list[list[int]] = []
    signals = 0
    for family, (slot, _, i0, wi, r0, wr, m0, wm) in first.items():
        places = np.array(within.get(family, ()), np.int64)
        starts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
        for a, b in zip(starts, [*starts[1:], len(places)]):
            k = int(places[a])
            runs.append(
                [slot, int(b - a), i0 + k * wi, wi, r0 + k * wr, wr, m0 + k * wm, wm]
            )
            signals += family.signal
    inside = set(chosen)
    return Part(
        chosen, elements, tuple(system.places[i] for i in chosen),
        tuple(law for law in system.laws if law[0] in inside),
        np.array(runs, np.int64).reshape(-1, DIRECTORY_COLUMNS), signals, False,
    )  # fmt: skip
