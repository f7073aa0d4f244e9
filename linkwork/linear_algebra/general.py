"""Factors of sparse matrices that have not the pattern of a system, real or complex.

They are made for few solutions: projections and bordered matrices, pencils at a shift.  SuperLU
orders and factorises them in one; an analysis of the kind of `core` costs more than that here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra.core import SingularMatrix


class SparseFactors:
    """symmetric : the pattern is, and the diagonal has no zeros: less fill."""

    def __init__(self, matrix: Any, symmetric: bool = False) -> None:
        from scipy.sparse.linalg import splu  # slow to import

        order = "MMD_AT_PLUS_A" if symmetric else "COLAMD"
        try:
            self.lu = splu(sp.csc_matrix(matrix), permc_spec=order)
        except RuntimeError:
            raise SingularMatrix("the matrix is singular to all digits") from None

    def solve(self, rhs: np.ndarray, transposed: bool = False) -> np.ndarray:
        return self.lu.solve(rhs, "T" if transposed else "N")

    def smallest_pivot(self) -> float:
        """Over the largest pivot: near round-off the matrix is singular."""
        pivots = np.abs(self.lu.U.diagonal())
        return float(pivots.min(initial=np.inf) / pivots.max(initial=np.finfo(float).tiny))

    def determinant_sign(self) -> float:
        """The sign of det A from P A Q = L U with ones on the diagonal of L."""
        lu = self.lu
        negative = int(np.sum(lu.U.diagonal() < 0)) + odd(lu.perm_r) + odd(lu.perm_c)
        return -1.0 if negative % 2 else 1.0


def odd(order: np.ndarray) -> int:
    """Whether a permutation is one, from the lengths of its cycles."""
    left, exchanges = set(range(len(order))), 0
    while left:
        k = left.pop()
        while (k := int(order[k])) in left:
            left.remove(k)
            exchanges += 1
    return exchanges % 2
