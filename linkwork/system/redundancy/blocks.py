"""Sparse rows into dense blocks: A[rows of one component, their bodies], (g, m, n) of equal shape.

Components of equal shape are stacked, so that one call of LAPACK through numpy serves them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.layout import SIX
from linkwork.system.redundancy.rows import Floats, Ints, Mask, row_of, vertex_of


@dataclass(frozen=True, eq=False)
class Batch:
    """Blocks of equal shape: ``rows`` (g, m) are the model's; the ``last`` ones come last."""

    rows: Ints
    last: int
    shape: tuple[int, int, int]
    source: Ints
    target: Ints

    def dense(self, data: Floats) -> Floats:
        block = np.zeros(self.shape)
        block.reshape(-1)[self.target] = data[self.source]
        return block


def batches(A: SparseRows, label: Ints, *, last: Mask | None = None) -> list[Batch]:
    """Dense blocks of the rows of equal label (a negative label is left out), by shape."""
    last = np.zeros(label.size, bool) if last is None else last
    order = np.lexsort((last, label))
    order = order[label[order] >= 0]
    if not order.size:
        return []
    _, start, group, m = np.unique(
        label[order], return_index=True, return_inverse=True, return_counts=True
    )
    group_of, local = np.full(label.size, -1, np.intp), np.zeros(label.size, np.intp)
    group_of[order], local[order] = group, np.arange(order.size) - start[group]

    row, nb = row_of(A), max(A.shape[1] // SIX, 1)
    entry = np.flatnonzero(group_of[row] >= 0)
    row, column = row[entry], A.indices[entry].astype(np.intp)
    pair, slot = np.unique(group_of[row] * nb + vertex_of(column), return_inverse=True)
    slot -= np.searchsorted(pair, np.arange(m.size) * nb)[group_of[row]]
    n = SIX * np.maximum(np.bincount(pair // nb, minlength=m.size), 1)
    k = np.bincount(group, last[order], m.size).astype(np.intp)

    kinds, kind = np.unique(np.stack([m, n, k], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)  # numpy 2.0 alone keeps the axis
    by_kind = np.argsort(kind[group_of[row]], kind="stable")
    cuts = np.searchsorted(kind[group_of[row]][by_kind], np.arange(len(kinds) + 1))
    place = np.empty(m.size, np.intp)
    result = []
    for number, (mk, nk, kk) in enumerate(kinds.tolist()):
        groups = np.flatnonzero(kind == number)
        place[groups] = np.arange(groups.size)
        mine = by_kind[cuts[number] : cuts[number + 1]]
        r = row[mine]
        target = (place[group_of[r]] * mk + local[r]) * nk + SIX * slot[mine] + column[mine] % SIX
        members = order[start[groups][:, None] + np.arange(mk)]
        result.append(Batch(members, kk, (groups.size, mk, nk), entry[mine], target))
    return result
