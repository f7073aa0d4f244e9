"""The whole matrix by sparse factors: loops and grids, and compiled loops of any size.

What comes here with meshes: fronts ordered by nested dissection of nodes, large ones by BLAS, and
LDLᵀ for symmetric matrices, whose factors tell how many eigenvalues are negative.  This class is
their place; nothing else knows the tables' inside.
"""

from __future__ import annotations

import numpy as np

from linkwork.linear_algebra.core import analyse, refactor, solve
from linkwork.linear_algebra.solver import LinearSolver


class SparseCore(LinearSolver):
    """tables : of `linear_algebra.core`."""

    def analyse(self, vals: np.ndarray, known: tuple | None = None) -> None:
        p = self.pattern
        self.tables = analyse(p.indptr, p.indices, vals, p.groups, p.motions, known)

    def _factorise(self, vals: np.ndarray, rhs: np.ndarray | None) -> float:
        growth = float(refactor(self.tables, vals))
        if rhs is not None and np.isfinite(growth):
            solve(self.tables, rhs)
        return growth

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        y = rhs.copy()
        solve(self.tables, y)
        return y

    def twin(self) -> SparseCore:
        return SparseCore(self.pattern)
