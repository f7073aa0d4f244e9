"""The sparsity pattern of the iteration matrix and the place of every block in it.

Unknowns come in groups: six increments per body, then the multipliers of every constraint.  Rows
of one group share their columns, so a block is described by where it starts and how far apart its
rows are (elements.layout).  The matrix is stored by rows (CSR) with a spare strip behind it that
takes what kernels write for the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SPARE = 8  # behind the strip, at least the longest row of a block


@dataclass(frozen=True)
class Pattern:
    """CSR pattern; groups: group number of every unknown; size: length of the value array."""

    indptr: np.ndarray
    indices: np.ndarray
    groups: np.ndarray
    bodies: int
    starts: list[dict[int, int]]  # per group: offset of each neighbour group in its rows
    first: np.ndarray  # first unknown of each group

    @property
    def unknowns(self) -> int:
        return len(self.indptr) - 1

    @property
    def spare(self) -> int:
        return len(self.indices)

    @property
    def size(self) -> int:
        """With the spare strip: kernels step through it with the stride of their other body."""
        longest = int(np.diff(self.indptr).max(initial=0))
        tallest = int(np.bincount(self.groups).max(initial=0)) if len(self.groups) else 0
        return len(self.indices) + tallest * longest + SPARE

    def block(self, row: int, column: int) -> tuple[int, int]:
        """Base and stride of the block of two groups; the ground (−1) lies in the spare strip."""
        if row < 0 or column < 0:
            return self.spare, 0
        u = self.first[row]
        return (
            int(self.indptr[u]) + self.starts[row][column],
            int(self.indptr[u + 1] - self.indptr[u]),
        )

    def stride(self, row: int) -> int:
        if row < 0:
            return 0
        u = self.first[row]
        return int(self.indptr[u + 1] - self.indptr[u])


def make_pattern(
    bodies: int, elements: list[tuple[tuple[int, ...], int]]
) -> tuple[Pattern, list[int]]:
    """Pattern of bodies and elements (bodies, number of constraint rows); ground is −1.

    Also returns the group number of each element that constrains (−1 for the others).
    """
    columns: list[set[int]] = [{b} for b in range(bodies)]
    sizes = [6] * bodies
    group_of: list[int] = []
    for ends, rows in elements:
        real = [b for b in ends if b >= 0]
        for b in real:
            columns[b].update(real)
        if rows == 0:
            group_of.append(-1)
            continue
        g = len(columns)
        group_of.append(g)
        columns.append(set(real))
        sizes.append(rows)
        for b in real:
            columns[b].add(g)
    size = np.array(sizes, dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    starts: list[dict[int, int]] = []
    lengths = np.zeros(len(size), dtype=np.int64)
    chunks: list[np.ndarray] = []
    spans = [np.arange(first[g], first[g + 1]) for g in range(len(size))]
    for g, neighbours in enumerate(columns):
        offset = 0
        place = {}
        order = sorted(neighbours)
        for h in order:
            place[h] = offset
            offset += sizes[h]
        starts.append(place)
        lengths[g] = offset
        row = np.concatenate([spans[h] for h in order]) if order else np.empty(0, np.int64)
        chunks.append(np.tile(row, sizes[g]))
    indptr = np.concatenate([[0], np.cumsum(np.repeat(lengths, size))]).astype(np.int64)
    indices = np.concatenate(chunks).astype(np.int64) if chunks else np.empty(0, np.int64)
    groups = np.repeat(np.arange(len(size)), size).astype(np.int64)
    return Pattern(indptr, indices, groups, bodies, starts, first), group_of
