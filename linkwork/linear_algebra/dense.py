"""LU factors of a small matrix by LAPACK, for which nothing has to be compiled.

Rows and columns are scaled with powers of two first, and a pivot below VANISHING is none.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linkwork.linear_algebra.solver import LinearSolver
from linkwork.math.sparse import dense as la
from linkwork.system.sparse_lu import SingularMatrix
from linkwork.system.sparse_lu.analysis import equilibrate
from linkwork.system.sparse_lu.pivots import VANISHING


class Dense(LinearSolver):
    """Pivots are chosen in every factorisation: there are no tables."""

    lu: Any = None

    def analyse(self, vals: np.ndarray, known: tuple | None = None) -> None:
        rows, cols, n = self.row, self.pattern.indices, self.pattern.unknowns
        if not np.all(np.isfinite(vals)):
            where = int(rows[np.argmin(np.isfinite(vals))])
            raise SingularMatrix(f"the row of unknown {where} is not finite", where)
        self.row_scale, self.column_scale = equilibrate(rows, cols, vals, n)

    def _factorise(self, vals: np.ndarray, rhs: np.ndarray | None) -> float:
        rows, cols, n = self.row, self.pattern.indices, self.pattern.unknowns
        dense = np.zeros((n, n))
        dense[rows, cols] = vals * self.row_scale[rows] * self.column_scale[cols]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LinAlgWarning)
            self.lu = la.lu_factor(dense, check_finite=False)
        pivots = np.abs(np.diag(self.lu[0]))
        if n and not pivots.min() > VANISHING:
            where = int(np.argmin(pivots))
            raise SingularMatrix(f"the matrix is singular: no pivot for unknown {where}", where)
        if rhs is not None:
            rhs[:] = self._solve(rhs)
        return 1.0

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        scaled = la.lu_solve(self.lu, self.row_scale * rhs, check_finite=False)
        return self.column_scale * scaled

    def twin(self) -> Dense:
        return Dense(self.pattern)
