"""Which loops touch each other: the blocks of c_q M⁻¹ c_qᵀ.

M⁻¹ couples the velocities of one branch of the tree, from the ground on, and a row of a cut joint
couples the branches of its bodies.  So loops on separate branches have a block of their own, with
its own dense c_q (rows × velocities), X = M⁻¹ c_qᵀ (in eights of rows) and c_q X (rows × rows):
memory and cost are linear in the number of separate mechanisms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.math.memory.records import Ints, Ints2, stored
from linkwork.recursive.tree.layout import DOF, IV, PARENT

# ends of cut joints
EQ, ROWS, PLACE, BLOCK, ROOT, ENDS = range(6)
# columns of the table: the first of a block's rows, velocities, bodies and ends of cut joints, and
# where its c_q, X and c_q X begin; one more line has the ends of all
ROW, VELOCITY, TREE_BODY, END, IN_J, IN_X, IN_A, COLUMNS = range(8)
LANES = 8  # rows whose responses are computed at once


@stored
class Blocks(NamedTuple):
    """Rows, velocities and bodies, block by block, each in ascending order."""

    table: Ints2  # (blocks + 1, COLUMNS)
    rows: Ints
    velocities: Ints  # of branches that rows act on
    bodies: Ints  # of these branches
    row_at: Ints  # (rows,) where a row begins in c_q
    number: Ints  # (all velocities + 1,) within the block, −1: in none

    def jacobian(self, J: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, velocities and c_q of a block."""
        begin, end = self.table[k], self.table[k + 1]
        rows = self.rows[begin[ROW] : end[ROW]]
        velocities = self.velocities[begin[VELOCITY] : end[VELOCITY]]
        return rows, velocities, J[begin[IN_J] : end[IN_J]].reshape(len(rows), -1)

    def dense(self, J: np.ndarray) -> np.ndarray:
        """c_q (rows, all velocities)."""
        out = np.zeros((len(self.rows), len(self.number) - 1))
        for k in range(len(self.table) - 1):
            rows, velocities, part = self.jacobian(J, k)
            out[np.ix_(rows, velocities)] = part
        return out


def find_blocks(
    ints: np.ndarray, ends: np.ndarray, count: int, velocities: int
) -> tuple[Blocks, np.ndarray]:
    """Of `count` rows with these ends on the bodies of a tree; the ends, block by block."""
    n = len(ints)
    group = np.arange(n + count).tolist()  # of bodies, then rows: another one of the same block

    def first(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    for i, parent in enumerate(ints[:, PARENT].tolist()):
        if parent < n:
            group[first(i)] = first(parent)
    for eq, rows, place in ends[:, [EQ, ROWS, PLACE]].tolist():
        for row in range(eq, eq + rows):
            if place < n:
                group[first(n + row)] = first(place)
    every, block = np.unique([first(n + row) for row in range(count)], return_inverse=True)
    known = {int(root): k for k, root in enumerate(every)}
    body_block = np.array([known.get(first(i), -1) for i in range(n)], np.int64)
    owner = np.full(velocities, -1, np.int64)
    for begin, dof, k in zip(ints[:, IV].tolist(), ints[:, DOF].tolist(), body_block, strict=True):
        owner[begin : begin + dof] = k

    table = np.zeros((len(every) + 1, COLUMNS), np.int64)
    parts = []
    end_block = block[ends[:, EQ]] if count else np.zeros(0, np.int64)
    for column, owners in ((ROW, block), (VELOCITY, owner), (TREE_BODY, body_block),
                           (END, end_block)):  # fmt: skip
        members = np.argsort(owners, kind="stable")
        members = members[np.count_nonzero(owners < 0) :]
        parts.append(members)
        table[:, column] = np.searchsorted(owners[members], np.arange(len(every) + 1))
    rows, columns, bodies, order = parts
    m, v = np.diff(table[:, ROW]), np.diff(table[:, VELOCITY])
    for column, size in ((IN_J, m * v), (IN_X, -(-m // LANES) * LANES * v), (IN_A, m * m)):
        table[1:, column] = np.cumsum(size)
    number = np.full(velocities + 1, -1, np.int64)
    number[columns] = np.arange(len(columns)) - np.repeat(table[:-1, VELOCITY], v)
    row_at = np.zeros(count, np.int64)
    inside = np.arange(count) - np.repeat(table[:-1, ROW], m)
    row_at[rows] = np.repeat(table[:-1, IN_J], m) + inside * np.repeat(v, m)
    return Blocks(table, rows, columns, bodies, row_at, number), ends[order]
