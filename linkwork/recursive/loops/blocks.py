"""Which loops touch each other: the blocks of c_q M⁻¹ c_qᵀ.

M⁻¹ couples the velocities of one branch of the tree, from the ground on, and a row of a cut joint
couples the branches of its bodies.  So loops on separate branches have a block of their own, which
is factored for itself: the cost is linear in the number of separate mechanisms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.math.memory.records import Ints, stored

from linkwork.recursive.loops.loop_jacobian import EQ, PLACE, ROWS
from linkwork.recursive.tree.layout import DOF, IV, PARENT


@stored
class Blocks(NamedTuple):
    """Rows and velocities, block by block, each in ascending order."""

    rows: Ints
    row_begins: Ints  # (blocks + 1,)
    velocities: Ints  # of branches that rows act on
    velocity_begins: Ints  # (blocks + 1,)
    owner: Ints  # (all velocities,) the block, −1: none


def find_blocks(ints: np.ndarray, ends: np.ndarray, count: int, velocities: int) -> Blocks:
    """Of `count` rows with these ends on the bodies of a tree."""
    n = len(ints)
    group = np.arange(n + count)  # of bodies, then rows: another one of the same block

    def first(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    for i in range(n):
        if ints[i, PARENT] < n:
            group[first(i)] = first(ints[i, PARENT])
    for end in ends:
        for row in range(end[EQ], end[EQ] + end[ROWS]):
            if end[PLACE] < n:
                group[first(n + row)] = first(end[PLACE])
    _, block = np.unique([first(n + row) for row in range(count)], return_inverse=True)
    number = {first(n + row): int(block[row]) for row in range(count)}
    owner = np.full(velocities, -1, np.int64)
    for i in range(n):
        owner[ints[i, IV] : ints[i, IV] + ints[i, DOF]] = number.get(first(i), -1)
    order = np.argsort(owner, kind="stable")
    every = np.arange(len(number) + 1)
    return Blocks(
        np.argsort(block, kind="stable"), np.searchsorted(np.sort(block), every),
        order[np.count_nonzero(owner < 0) :], np.searchsorted(np.sort(owner[owner >= 0]), every),
        owner,
    )  # fmt: skip
