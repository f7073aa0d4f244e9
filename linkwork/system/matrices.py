"""What an evaluation gives: the residual, C, C_t, Q_c, and the matrix

    [cM M + cD D + cK K   C_qᵀ]
    [C_q                  0   ]

of which the values in the order of the pattern are kept, and the parts made when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra.pattern import Pattern
from linkwork.linear_algebra.sparse_rows import SparseRows


@dataclass(frozen=True)
class Evaluation:
    """Residuals and matrices at one state, in plain numpy and scipy.

    f (bodies, 6), balance of the vector nodes, C, Ct, Qc per row; M, D, K (n × n, n motions) and
    Cq (rows × n) sparse, when asked for, from the values that belong to the pattern.
    """

    f: np.ndarray
    balance: np.ndarray
    C: np.ndarray
    Ct: np.ndarray
    Qc: np.ndarray
    power: np.ndarray
    values: np.ndarray
    pattern: Pattern

    @property
    def residual(self) -> np.ndarray:
        """Of all equations of motion, in the order of the unknowns."""
        return np.concatenate([self.f.ravel(), self.balance])

    @cached_property
    def matrix(self) -> sp.csr_matrix:
        p = self.pattern
        return sp.csr_matrix(
            (self.values, p.indices.copy(), p.indptr.copy()), shape=(p.unknowns, p.unknowns)
        )

    @property
    def stiffness(self) -> sp.csr_matrix:
        n = self.pattern.motions
        return self.matrix[:n, :n]

    @property
    def Cq(self) -> sp.csr_matrix:
        n = self.pattern.motions
        return self.matrix[n:, :n]

    @property
    def jacobian(self) -> SparseRows:
        """C_q in plain numpy."""
        p, n = self.pattern, self.pattern.motions
        first = p.indptr[n]
        return SparseRows(
            self.values[first:], p.indices[first:], p.indptr[n:] - first, (p.unknowns - n, n)
        )
