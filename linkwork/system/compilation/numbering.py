"""What a compiled model numbers: elements, each with its bodies and rows, and rows in words."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.model.nodes import Node
from linkwork.model.registry import Entry, Family
from linkwork.model.signals.held import read_between_samples
from linkwork.model.signals.value_readings import ValueReading


@dataclass(frozen=True)
class Element:
    """An entry with its owner and numbering: `ends` body numbers (ground −1), `rows` full rows."""

    owner: str
    entry: Entry
    ends: tuple[int, ...]
    first_row: int  # in the numbering of all rows

    @property
    def rows(self) -> range:
        return range(self.first_row, self.first_row + len(self.entry.rows))


def families_of(elements: Iterable[Element]) -> list[Family]:
    """Families in the order in which they are evaluated: signals, inertia, the others."""
    found = dict.fromkeys(e.entry.family for e in elements)
    return sorted(found, key=lambda family: (not family.signal, not family.inertial))


def signal_pairs(
    elements: Iterable[Element], stepping: bool, apart: Container[int] = ()
) -> Iterator[tuple[int, int]]:
    """Pairs of ends that numbers which follow the motion join: what they act on, what they read.

    stepping : without bodies, and nodes with rates, that they read at samples alone
    apart    : signals that join nothing, because they have rank-one updates (system.far_feedback)
    """
    for i, e in enumerate(elements):
        if not e.entry.family.signal or i in apart:
            continue
        _, law, loaded = e.entry.acts_on
        ends = list(zip(e.ends, e.entry.bodies, strict=True))
        if stepping:
            known = {id(end) for leaf in read_between_samples(law.signal) for end in ends_of(leaf)}
            ends = [
                (group, end) for i, (group, end) in enumerate(ends)
                if i < loaded or id(end) in known
                or (isinstance(end, Node) and end.kind.order == 0)
            ]  # fmt: skip
        yield from ((e.ends[k], group) for k in range(loaded) for group, _ in ends)


def ends_of(reading: Any) -> list[Any]:
    """The bodies or the node that a reading reads."""
    if isinstance(reading, ValueReading):
        return [reading.node]
    return [frame.body for frame in reading.frames]


@dataclass(frozen=True)
class Row:
    """A constraint row in words."""

    owner: str
    name: str
    index: int  # 0 … 5 within its family
    driven: bool
    element: int
    is_angle: bool  # whether it measures a rotation, not a length

    def __str__(self) -> str:
        return f"joint '{self.owner}', row {self.name}"


def row_scale(rows: Iterable[Row], length: float) -> np.ndarray:
    """1/L for rows that measure a length, 1 for the others."""
    return np.array([1.0 if row.is_angle else 1 / length for row in rows], float)
