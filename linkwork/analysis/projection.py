"""The nearest way back to the constraints, and the multipliers of least squares:

    [W    C_qᵀ] [x]   [a]
    [C_q  0   ] [y] = [b]

for a square C_q its inverse and that of C_qᵀ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analysis.scales import column_scale
from linkwork.linear_algebra import linear_solver
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data

STRAIGHT = 1e8  # W of amplitudes of flexible links: the square of how much less they move
REFINED = 2  # corrections of a solution by its residual


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
        self.solver = linear_solver(p, compiled)
        self.resistance = np.ones(self.n)
        for link in system.flexible:
            self.resistance[system.layout.rigid :][link.places] = STRAIGHT

    def factorise(self, values: np.ndarray, straight: bool = False) -> None:
        """From the values of any matrix of the system.  Raises SingularMatrix."""
        vals = self.weight * values
        vals[self.body] = 0.0
        vals[self.diagonal] = self.resistance if straight else 1.0
        self.solver.factorise(vals)

    def solve(self, top: Any = 0.0, bottom: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Scaled displacements and multipliers."""
        rhs = np.empty(self.n + len(self.row))
        rhs[: self.n], rhs[self.n :] = top, bottom
        y = self.solver.solve(rhs, refined=REFINED)
        return y[: self.n], y[self.n :]
