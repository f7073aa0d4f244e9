"""Columns of an element's numbers: the one place where the layout of its row is written.

    SPRING = record(LINE, stiffness=1, damping=1)       after the columns of another record
    STIFFNESS, DAMPING = SPRING                         the first column of each
    SPRING.end                                          the column after the last

Kernels index rows by the constants, which are ordinary integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """Named columns from `start` to `end`; iteration gives the first column of each name."""

    start: int  # where the row of numbers begins that `end` counts from
    first: dict[str, int]
    end: int

    def __iter__(self) -> Iterator[int]:
        return iter(self.first.values())

    @property
    def width(self) -> int:
        """Numbers of the record and of those before it in the same row."""
        return self.end - self.start


def record(before: Record | int = 0, **widths: int) -> Record:
    """A record of columns, each with its width, after those of another one or after a column."""
    start, end = (before.start, before.end) if isinstance(before, Record) else (before, before)
    first = {}
    for name, width in widths.items():
        first[name] = end
        end += width
    return Record(start, first, end)
