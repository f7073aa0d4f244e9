"""A sparse matrix by rows in plain numpy: what small models need of it, without scipy.

Entry k of a row i, indptr[i] ≤ k < indptr[i + 1], stands in column indices[k] and is data[k].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.kernels import sparse as sp


class SparseRows(NamedTuple):
    """The numbers of a matrix as scipy's csr_array has them (rows sorted, no entry twice)."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]

    @property
    def csr(self) -> Any:
        """The same in scipy."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=self.shape)

    @property
    def row(self) -> np.ndarray:
        """Row number of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def times(self, x: np.ndarray) -> np.ndarray:
        """The product with a vector."""
        return np.bincount(self.row, self.data * x[self.indices], minlength=self.shape[0])
