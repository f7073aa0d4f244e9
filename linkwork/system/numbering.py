"""What a compiled model numbers: elements, each with its bodies and rows, and rows in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from linkwork.model.registry import Entry, Family


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
