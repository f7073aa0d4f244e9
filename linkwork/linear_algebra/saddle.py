"""Factors of saddle matrices, of least changes x that satisfy J x = c:

    [W   Jᵀ] [x]   [f]
    [J  −ε ] [y] = [c]

Small ones, as numpy arrays, by LAPACK; sparse ones of scipy by SparseFactors.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.kernels.sparse import dense as la
from linkwork.linear_algebra.core import SingularMatrix
from linkwork.linear_algebra.general import SparseFactors


class Saddle:
    def __init__(self, W: Any, J: Any, epsilon: float = 0.0) -> None:
        m, self.n = J.shape
        if not isinstance(W, np.ndarray):
            rows = -epsilon * sp.eye_array(m) if epsilon else None
            self.solve_all: Any = SparseFactors(sp.block_array([[W, J.T], [J, rows]])).solve
            return
        A = np.zeros((self.n + m, self.n + m))
        A[: self.n, : self.n], A[: self.n, self.n :], A[self.n :, : self.n] = W, J.T, J
        A[np.arange(self.n, self.n + m), np.arange(self.n, self.n + m)] = -epsilon
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LinAlgWarning)
            lu = la.lu_factor(A, overwrite_a=True, check_finite=False)
        if not np.diagonal(lu[0]).all():
            raise SingularMatrix("the matrix is singular to all digits")
        self.solve_all = lambda rhs: la.lu_solve(lu, rhs, check_finite=False)

    def solve(self, f: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and y."""
        found = self.solve_all(np.concatenate([f, c]))
        return found[: self.n], found[self.n :]
