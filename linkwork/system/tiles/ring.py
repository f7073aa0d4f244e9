"""Where the values of the matrix are: in their places, or in a ring that stays in the cache.

Blocks of bodies and rows in one tile are needed from its evaluation to its elimination.  In a ring
of `slots` tiles they come to stand where those of an earlier tile were, so that two kilobytes a
body are never written to memory.  A kernel may rely on the zeros that it does not write; so a slot
has an area for each kind of block (the family that writes it, and which of its blocks it is), in
which only blocks of this kind stand one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.registers.eights import zeros8
from linkwork.system.elimination import Elimination
from linkwork.system.elimination.tables import BB, BP, PB, PP, ROW_B, ROW_P
from linkwork.system.pattern import BLOCK
from linkwork.system.system import System


@dataclass
class Moved:
    """Segments of the values, where they begin in the pattern and where they are now."""

    vals: np.ndarray
    slots: int  # tiles in the ring; 0 without one
    wipe: tuple[int, int]  # values to be cleared before all tiles
    begins: np.ndarray
    now: np.ndarray
    sums: tuple[int, int] = (0, 0)  # in a slot, values to be cleared with its tile
    length: int = 0  # of a slot
    first: int = 0  # where the ring begins

    def places(self, old: np.ndarray) -> np.ndarray:
        """Where values are that have these places in the pattern."""
        if not self.slots:
            return old.copy()
        segment = np.searchsorted(self.begins, old, side="right") - 1
        return self.now[segment] + (old - self.begins[segment])

    def clear(self, count: int) -> np.ndarray:
        """The values of each tile to be cleared before its evaluation."""
        if not self.slots:
            return np.zeros((count, 2), np.int64)
        slot = self.first + self.length * (np.arange(count) % self.slots)
        return slot[:, None] + np.array(self.sums)

    def elimination(self, e: Elimination) -> Elimination:
        """The same elimination with these places."""
        nodes, rows = e.nodes.copy(), e.rows.copy()
        for column in (BB, BP, PB, PP):
            nodes[:, column] = self.places(nodes[:, column])
        for column in (ROW_B, ROW_P):
            rows[:, column] = self.places(rows[:, column])
        return e._replace(nodes=nodes, rows=rows, late_place=self.places(e.late_place))


def in_place(system: System) -> Moved:
    """All values where the pattern has them."""
    p, none = system.pattern, np.zeros(1, np.int64)
    return Moved(system.work.vals, 0, (p.sums.start, p.sums.stop), none, none)


def block_table(system: System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of all blocks, in the order of their places: place, row group, column group."""
    blocks = system.pattern.blocks
    groups = np.array(list(blocks), np.int64).reshape(-1, 2)
    places = np.fromiter(blocks.values(), np.int64, len(blocks))
    order = np.argsort(places)
    return places[order], groups[order, 0], groups[order, 1]


def kinds_of_blocks(system: System) -> dict[int, int]:
    """Of the blocks of two bodies that one element writes: its family and which block it is."""
    found: dict[int, int] = {}
    for m, family in enumerate(system.families):
        if not family.whole:
            continue
        _, n, first, width, _, _ = system.tables.directory[m].tolist()
        ints = system.tables.ints[first : first + n * width].reshape(n, width)
        b = family.bodies
        for k in range(b * b):
            number = (m + 1) * 64 + k
            found.update(dict.fromkeys(ints[:, b + k].tolist(), number))
    return found


def in_ring(system: System, tile: np.ndarray, slots: int) -> Moved:
    """The values of tiles in a ring, all others behind one another before it."""
    p = system.pattern
    places, row, column = block_table(system)
    below = row >= p.moving
    group = np.where(below, -1, tile[np.minimum(row, p.bodies)])
    of_column = tile[column]
    # a constraint's blocks are in a tile if all of its bodies are
    low = np.full(len(p.first), np.iinfo(np.int64).max)
    high = np.full(len(p.first), -1)
    np.minimum.at(low, row[below], of_column[below])
    np.maximum.at(high, row[below], of_column[below])
    inner = np.where(below, low[row] == high[row], group == of_column)
    # area of each block in a slot: diagonal, one per kind, sums, constraint rows
    kinds = kinds_of_blocks(system)
    own = (places < p.sums.start) & (row != column)
    kind = np.array([kinds.get(x, 0) for x in places.tolist()], np.int64)
    area = np.where(below, 2**40, np.where(own, 1 + kind, np.where(row == column, 0, 2**30)))
    size = np.where(below, (np.diff(p.first)[np.where(below, row, 0)] + 1) * STRIDE, BLOCK)
    now = np.zeros(len(places), np.int64)
    at, sums = 0, (0, 0)
    for each in np.unique(area[inner]).tolist():
        mine = np.flatnonzero(inner & (area == each))
        mine = mine[np.argsort(of_column[mine], kind="stable")]
        ends = np.cumsum(size[mine])
        first = np.searchsorted(of_column[mine], of_column[mine])
        offset = ends - size[mine] - (ends[first] - size[mine][first])
        now[mine] = at + offset
        length = int((offset + size[mine]).max())
        if each == 2**30:
            sums = at, at + length
        at += length
    return _joined(system, places, inner, own, below, size, now, of_column, at, sums, slots)


def _joined(
    system: System, places: np.ndarray, inner: np.ndarray, own: np.ndarray, below: np.ndarray,
    size: np.ndarray, now: np.ndarray, tile: np.ndarray, length: int, sums: tuple[int, int],
    slots: int,
) -> Moved:  # fmt: skip
    """Fixed values first (blocks between tiles, and what is no block), then the ring."""
    p = system.pattern
    outer = np.flatnonzero(~inner)
    # those that several elements add to last, so that they are cleared together
    shared = ~(own | below)[outer]
    outer = np.concatenate([outer[~shared], outer[shared]])
    first = np.cumsum(size[outer]) - size[outer]
    now[outer] = first
    end = int(size[outer].sum())
    wipe = (int(first[(~shared).sum()]) if shared.any() else end, end)
    spare = end  # the ground's block
    rest = spare + BLOCK  # places of the elimination, and a block of zeros
    begin = rest + (p.nothing + BLOCK - p.delayed)
    begin += -begin % STRIDE
    now[inner] += begin + length * (tile[inner] % slots)
    begins = np.concatenate([places, [p.spare, p.delayed]])
    everything = np.concatenate([now, [spare, rest]])
    order = np.argsort(begins, kind="stable")
    vals = zeros8(begin + slots * length)
    return Moved(
        vals, slots, wipe, begins[order], everything[order], sums, length, begin
    )
