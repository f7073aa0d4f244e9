"""What a compiled model numbers: elements, each with its bodies and rows, and rows in words."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.model.registry import Entry


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


@dataclass(frozen=True)
class Row:
    """A constraint row in words."""

    owner: str
    name: str
    index: int  # 0 … 5 within its family
    driven: bool
    element: int

    @property
    def is_angle(self) -> bool:
        """Whether it measures a rotation, not a length."""
        return self.name.startswith("r") or self.name == "perpendicular"

    def __str__(self) -> str:
        return f"joint '{self.owner}', row {self.name}"
