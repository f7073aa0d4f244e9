"""Linear equations with constraints, for a pattern that stays and values that change:

    [A    C_qᵀ] [x]   [a]
    [C_q  0   ] [y] = [b]

`Saddle` has any A; `Projection` has A = W, which gives the nearest way back to the constraints,
the multipliers of least squares, and for a square C_q its inverse and that of C_qᵀ.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.linalg as la

from linkwork.analysis.scales import column_scale
from linkwork.math import sparse as sp
from linkwork.math.registers.eights import zeros8
from linkwork.system import elimination
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.sparse_lu import SingularMatrix, analyse, refactor, solve
from linkwork.system.sparse_lu.analysis import equilibrate
from linkwork.system.sparse_lu.pivots import VANISHING

SMALL = 64  # unknowns up to which factors are dense
LARGE = 1000  # unknowns from which equations are eliminated along the mechanism
GROWTH = 1e6  # in the elimination, before pivots are chosen anew
STRAIGHT = 1e8  # W of amplitudes of flexible links: the square of how much less they move


class DenseFactors:
    """LU factors of a small matrix by LAPACK, for which nothing has to be compiled.

    Rows and columns are scaled with powers of two first, and a pivot below VANISHING is none.
    """

    def __init__(self, indptr: np.ndarray, cols: np.ndarray, vals: np.ndarray) -> None:
        n = len(indptr) - 1
        rows = np.repeat(np.arange(n), np.diff(indptr))
        if not np.all(np.isfinite(vals)):
            where = int(rows[np.argmin(np.isfinite(vals))])
            raise SingularMatrix(f"the row of unknown {where} is not finite", where)
        self.row, self.col = equilibrate(rows, cols, vals, n)
        dense = np.zeros((n, n))
        dense[rows, cols] = vals * self.row[rows] * self.col[cols]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LinAlgWarning)
            self.lu = la.lu_factor(dense, check_finite=False)
        pivots = np.abs(np.diag(self.lu[0]))
        if n and not pivots.min() > VANISHING:
            where = int(np.argmin(pivots))
            raise SingularMatrix(f"the matrix is singular: no pivot for unknown {where}", where)

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        return self.col * la.lu_solve(self.lu, self.row * rhs, check_finite=False)


class Elimination:
    """The equations eliminated along the mechanism, whose cost is linear in its bodies.

    Values of the matrix are in scaled unknowns, and those of C_qᵀ are those of C_q.
    """

    def __init__(self, data: Data) -> None:
        self.pattern = data.pattern
        self.vals = zeros8(self.pattern.size)
        self.side = np.zeros(self.pattern.unknowns)
        self.parts: Any = None

    def factorise(self, vals: np.ndarray) -> None:
        """Raises SingularMatrix."""
        if self.parts is not None and self._refactor(vals) < GROWTH:
            return
        self._fill(vals)
        self.parts = elimination.analyse(self.pattern, self.vals, 1.0)
        if not np.isfinite(self._refactor(vals)):
            self.parts = None
            raise SingularMatrix("a pivot vanishes")

    def _fill(self, vals: np.ndarray) -> None:
        self.vals[:] = 0.0
        self.vals[self.pattern.places] = vals

    def _refactor(self, vals: np.ndarray) -> float:
        self._fill(vals)
        return float(elimination.refactor(self.parts, self.vals, self.side))

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        y = rhs.copy()
        elimination.solve(self.parts, self.vals, y)
        return y


class Saddle:
    """Solves [[A, C_qᵀ], [C_q, 0]] for a pattern that stays, choosing pivots anew where needed.

    compiled : its factors are for compiled loops, however small the system is
    """

    def __init__(self, data: Data, compiled: bool = False) -> None:
        self.data, self.compiled = data, compiled
        self.lu: Any = None
        self.own: DenseFactors | Elimination | None = None
        if data.pattern.unknowns >= LARGE and not compiled:
            self.own = Elimination(data)
        self.matrix: Any = None

    def factorise(self, vals: np.ndarray) -> None:
        """Raises SingularMatrix."""
        p = self.data.pattern
        self.matrix = sp.csr_matrix((vals, p.indices, p.indptr), shape=(p.unknowns,) * 2)
        if p.unknowns <= SMALL and not self.compiled:
            self.own = DenseFactors(p.indptr, p.indices, vals)
            return
        if isinstance(self.own, Elimination):
            self.own.factorise(vals)
            return
        if self.lu is not None and refactor(self.lu, vals) < GROWTH:
            return
        self.lu = analyse(p.indptr, p.indices, vals, p.groups, p.motions)
        if not np.isfinite(refactor(self.lu, vals)):
            self.lu = None
            raise SingularMatrix("a pivot vanishes")

    def solve(self, rhs: np.ndarray, refined: int = 2) -> np.ndarray:
        """The solution, with so many corrections by its residual."""
        y = self._solve(rhs)
        for _ in range(refined):
            y += self._solve(rhs - self.matrix @ y)
        return y

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        if self.own is not None:
            return self.own.solve(rhs)
        y = rhs.copy()
        solve(self.lu, y)
        return y


class Projection:
    """[[W, C_qᵀ], [C_q, 0]] in scaled unknowns: lengths over L, W = 1, multipliers in N m.

    With `straight` the amplitudes of flexible links have W = 1e8: links do not bend on the way.

    column, row : what scaled displacements and multipliers are multiplied with;   weight : the
    same for the values of the matrix;   body : which of them belong to bodies;   columns : which of
    them are C_qᵀ
    """

    def __init__(self, data: Data, compiled: bool = False) -> None:
        system = data.system
        p = data.pattern
        self.n = system.motions
        self.column = column_scale(system)
        self.row = row_scale(data.kept_rows, system.length)
        rows, cols = np.repeat(np.arange(p.unknowns), np.diff(p.indptr)), p.indices
        scale = np.concatenate([self.column, self.row])
        self.weight = scale[rows] * scale[cols]
        self.body = (rows < self.n) & (cols < self.n)
        self.diagonal = np.flatnonzero(self.body & (rows == cols))
        self.columns = (rows < self.n) & (cols >= self.n)
        self.saddle = Saddle(data, compiled)

        self.resistance = np.ones(self.n)
        for link in system.flexible:
            self.resistance[system.layout.rigid :][link.places] = STRAIGHT

    def factorise(self, values: np.ndarray, straight: bool = False) -> None:
        """From the values of any matrix of the system.  Raises SingularMatrix."""
        vals = self.weight * values
        vals[self.body] = 0.0
        vals[self.diagonal] = self.resistance if straight else 1.0
        self.saddle.factorise(vals)

    def solve(self, top: Any = 0.0, bottom: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Scaled displacements and multipliers."""
        rhs = np.empty(self.n + len(self.row))
        rhs[: self.n], rhs[self.n :] = top, bottom
        y = self.saddle.solve(rhs)
        return y[: self.n], y[self.n :]
