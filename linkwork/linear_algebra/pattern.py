"""The iteration matrix as blocks: which blocks there are, and where each lies.

Unknowns come in groups: six increments per body, the values of every vector node, then the
multipliers of every constraint.  A block is the rows of one group against the columns of another,
stored by rows whose width is a multiple of eight numbers; against a body it is eight, of which six
are used, so that a row is one vector (elements.layout).  First come the diagonal blocks of bodies,
written by the bodies and added to by elements; then blocks of two bodies that one element writes,
and those that several add to, which are cleared before, with all blocks of vector nodes among them;
then the blocks of C_q, which stand for C_qᵀ too, and places for the elimination, a row per
constraint row.  All
from C_q on is there twice, for methods whose matrix has other columns than rows of constraints:
the second lies `left` further on.

The same matrix by rows (CSR) for everything else: `places` says where its entries lie.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.elements.layout import SIX, STRIDE, row_width

BLOCK = SIX * STRIDE  # of two bodies


@dataclass(frozen=True)
class Pattern:
    """Blocks and the CSR pattern; groups: group number of every unknown."""

    indptr: np.ndarray
    indices: np.ndarray
    places: np.ndarray  # of the CSR entries among the values
    groups: np.ndarray
    bodies: int  # groups of bodies
    moving: int  # groups of bodies and vector nodes; those of constraints follow
    first: np.ndarray  # first unknown of each group; one more follows the last
    blocks: dict[tuple[int, int], int]  # (row group, column group): where it begins; no C_qᵀ
    sums: slice  # values that elements add to and nothing writes before: to be cleared
    spare: int  # a block that nothing reads, for the ground
    delayed: int  # from here on places of the elimination
    nothing: int  # a block that stays zero
    left: int  # how far on C_q and what follows lies once more
    size: int

    @property
    def unknowns(self) -> int:
        return len(self.indptr) - 1

    @property
    def motions(self) -> int:
        """Unknowns of bodies and vector nodes; the multipliers follow."""
        return int(self.first[self.moving])

    @property
    def rows(self) -> int:
        """Constraint rows."""
        return self.unknowns - self.motions

    def width(self, group: int) -> int:
        """Numbers in a row of a block against the columns of a group."""
        return row_width(len(self.members(group)))

    def block(self, row: int, column: int) -> int:
        """Where the block of two groups begins; the ground (−1) has a spare one."""
        if row < 0 or column < 0:
            return self.spare
        return self.blocks[row, column]

    def block_or_spare(self, row: int, column: int) -> int:
        """The same, the spare one also for groups that nothing joins."""
        return self.blocks.get((row, column), self.spare)

    def own(self, *bodies: int) -> bool:
        """Whether one element alone writes the blocks of these two bodies."""
        return min(bodies) >= 0 and self.blocks[bodies[0], bodies[1]] < self.sums.start

    def members(self, group: int) -> range:
        """The unknowns of a group."""
        return range(int(self.first[group]), int(self.first[group + 1]))

    def restricted(
        self, keep: np.ndarray, dropped: Collection[tuple[int, int]] = ()
    ) -> Pattern:
        """The pattern of the same values in which only the constraint rows `keep` are equations,
        and without the blocks of the `dropped` pairs of groups.

        Blocks stay where they are; the active rows of a constraint fill the first of its block.
        """
        if keep.all() and not dropped:
            return self
        n, moving = self.motions, self.moving
        sizes = np.diff(self.first)
        sizes[moving:] = np.bincount(self.groups[n:] - moving, keep, len(sizes) - moving)
        inner = np.arange(self.unknowns) - self.first[self.groups]
        active = inner < sizes[self.groups]
        row = np.repeat(np.arange(self.unknowns), np.diff(self.indptr))
        stays = active[row] & active[self.indices]
        if dropped:
            codes = [i * moving + j for i, j in dropped]
            code = self.groups[row] * moving + self.groups[self.indices]
            inside = (self.groups[row] < moving) & (self.groups[self.indices] < moving)
            stays &= ~(inside & np.isin(code, codes))
        number = np.cumsum(active) - 1
        length = np.bincount(row[stays], minlength=self.unknowns)[active]
        used = (np.arange(len(sizes)) < moving) | (sizes > 0)
        group = np.cumsum(used) - 1
        kept = set(np.flatnonzero(used).tolist())
        return replace(
            self,
            indptr=np.concatenate([[0], np.cumsum(length)]),
            indices=number[self.indices[stays]],
            places=self.places[stays],
            groups=group[self.groups[active]],
            first=np.concatenate([[0], np.cumsum(sizes[used])]).astype(np.int64),
            blocks={
                (int(group[i]), j): base for (i, j), base in self.blocks.items()
                if i in kept and (i, j) not in dropped
            },
        )  # fmt: skip


def make_pattern(
    bodies: int, elements: list[tuple[tuple[int, ...], int, bool]], nodes: Sequence[int] = (),
    joined: Iterable[tuple[int, int]] = (), last: int = 0,
) -> tuple[Pattern, list[int]]:
    """Pattern of bodies and elements (groups they join, number of constraint rows, whole).

    nodes  : sizes of the vector nodes, whose groups follow the bodies';  ground is −1
    joined : further pairs of groups with blocks
    last   : so many elements, the last ones, add to the blocks of others before them
    Also returns the group number of each element that constrains (−1 for the others).
    """
    pairs: dict[tuple[int, int], bool] = {}  # whether one element alone writes its block
    rows_of: list[tuple[int, int]] = []  # (constraint group, body or node)
    sizes = [6] * bodies + list(nodes)
    moving = len(sizes)
    group_of: list[int] = []
    for k, (ends, rows, whole) in enumerate(elements):
        real = [b for b in ends if b >= 0]
        for i in real:
            for j in real:
                if i != j and not (k >= len(elements) - last and (i, j) in pairs):
                    pairs[i, j] = whole and (i, j) not in pairs
        if rows == 0:
            group_of.append(-1)
            continue
        group_of.append(len(sizes))
        rows_of += [(len(sizes), b) for b in dict.fromkeys(real)]
        sizes.append(rows)
    for i, j in joined:
        if i != j and min(i, j) >= 0:
            pairs[i, j] = pairs[j, i] = False
    for ends, rows, whole in elements:  # without rows: all of its blocks, or none
        mine = [(i, j) for i in ends for j in ends if i != j and min(i, j) >= 0]
        if whole and not rows and not (min(ends) >= 0 and all(pairs[pair] for pair in mine)):
            pairs.update(dict.fromkeys(mine, False))
    size = np.array(sizes, dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    own = [pair for pair, alone in pairs.items() if alone]
    shared = [pair for pair, alone in pairs.items() if not alone and max(pair) < bodies]
    keys = [*((b, b) for b in range(bodies)), *own, *shared]
    blocks = {key: BLOCK * i for i, key in enumerate(keys)}
    spare = BLOCK * len(keys)
    between = [pair for pair, alone in pairs.items() if not alone and max(pair) >= bodies]
    for i, j in [*((k, k) for k in range(bodies, moving)), *between]:
        blocks[i, j], spare = spare, spare + sizes[i] * row_width(sizes[j])
    largest = max([6, *nodes])
    end = spare + largest * row_width(largest)
    sums = slice(BLOCK * (bodies + len(own)), end)
    for g, b in rows_of:  # one more row for those that are not active
        blocks[g, b], end = end, end + (sizes[g] + 1) * row_width(sizes[b])
    indptr, indices, places = by_rows(blocks, moving, first, size)
    groups = np.repeat(np.arange(len(size)), size).astype(np.int64)
    nothing = end + STRIDE * int(size[moving:].sum())
    pattern = Pattern(
        indptr, indices, places, groups, bodies, moving, first, blocks, sums, spare, end, nothing,
        nothing + BLOCK - sums.stop, 2 * (nothing + BLOCK) - sums.stop,
    )  # fmt: skip
    return pattern, group_of


def by_rows(
    blocks: dict[tuple[int, int], int], moving: int, first: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row pointers, columns, and places of the entries of all blocks, row by row."""
    row, column = np.array(list(blocks), dtype=np.int64).reshape(-1, 2).T
    base = np.fromiter(blocks.values(), np.int64, len(blocks))
    below, one = row >= moving, np.ones_like(row)
    width = np.array([row_width(n) for n in size.tolist()], np.int64)[column]
    row, column, base = (  # C_q once more, transposed: the steps down and across change places
        np.concatenate([row, column[below]]), np.concatenate([column, row[below]]),
        np.concatenate([base, base[below]]),
    )  # fmt: skip
    down = np.concatenate([width, one[below]])
    across = np.concatenate([one, width[below]])
    # one piece per row of a block, sorted by unknown, then by column
    block = np.repeat(np.arange(len(row)), size[row])
    start = np.concatenate([[0], np.cumsum(size[row])])[:-1]
    inner = np.arange(len(block)) - start[block]
    unknown = first[row[block]] + inner
    piece = np.lexsort((column[block], unknown))
    block, inner, unknown = block[piece], inner[piece], unknown[piece]
    width = size[column[block]]
    offset = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    indices = np.repeat(first[column[block]], width) + offset
    places = np.repeat(base[block] + inner * down[block], width)
    places += np.repeat(across[block], width) * offset
    length = np.bincount(unknown, width, minlength=int(first[-1])).astype(np.int64)
    return np.concatenate([[0], np.cumsum(length)]), indices, places
