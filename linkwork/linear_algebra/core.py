"""The whole matrix by sparse factors: loops and grids, and compiled loops of any size.

What comes here with meshes: fronts ordered by nested dissection of nodes, large ones by BLAS, and
LDLᵀ for symmetric matrices, whose factors tell how many eigenvalues are negative.  This class is
their place; nothing else knows the tables' inside.
"""

from __future__ import annotations

import numpy as np

from linkwork.linear_algebra.solver import LinearSolver
from linkwork.system.sparse_lu import SingularMatrix, analyse, refactor, solve


class SparseCore(LinearSolver):
    """tables : of `system.sparse_lu`."""

    def analyse(self, vals: np.ndarray, known: tuple | None = None) -> None:
        p = self.pattern
        if self.active is None:
            self.tables = analyse(p.indptr, p.indices, vals, p.groups, p.motions, known)
            return
        unknowns, where = np.flatnonzero(self.takes_part), np.flatnonzero(self.inside)
        number = np.cumsum(self.takes_part) - 1
        count = np.bincount(number[self.row[where]], minlength=len(unknowns))
        indptr, indices = np.concatenate([[0], np.cumsum(count)]), number[p.indices[where]]
        if known is not None:
            known = (number[known[0]], number[known[1]], *known[2:])
        try:
            lu = analyse(indptr, indices, vals[where], p.groups[unknowns], p.motions, known)
        except SingularMatrix as error:
            if error.unknown is not None:
                error.unknown = int(unknowns[error.unknown])
            raise
        self.tables = lu._replace(
            row_perm=unknowns[lu.row_perm], col_perm=unknowns[lu.col_perm],
            source=where.astype(lu.source.dtype)[lu.source],
        )  # fmt: skip

    def _factorise(self, vals: np.ndarray, rhs: np.ndarray | None) -> float:
        growth = float(refactor(self.tables, vals))
        if rhs is not None and np.isfinite(growth):
            rhs[:] = self._solve(rhs)
        return growth

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        y = rhs.copy()
        solve(self.tables, y)
        return y

    def twin(self) -> SparseCore:
        return SparseCore(self.pattern, self.active)
