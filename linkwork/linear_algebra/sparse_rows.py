"""A sparse matrix by rows in plain numpy: what small models need of it, without scipy.

Entry k of a row i, indptr[i] ≤ k < indptr[i + 1], stands in column indices[k] and is data[k].

Arrays of few columns are dense ones of numpy, others sparse ones of scipy; A @ B, A.T, A + B and
A * row mean the same for both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.kernels import sparse as sp

SMALL = 150  # columns up to which arrays are dense


def array_of(data: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> Any:
    """A matrix with these entries, those of one place added."""
    if shape[1] > SMALL:
        return sp.csr_array((data, (row, column)), shape=shape)
    dense = np.zeros(shape)
    np.add.at(dense, (row, column), data)
    return dense


def diagonal(data: np.ndarray) -> Any:
    return np.diag(data) if len(data) <= SMALL else sp.diags_array(data, format="csr")


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
    def array(self) -> Any:
        return array_of(self.data, self.row, self.indices, self.shape)

    def scaled(self, left: np.ndarray, right: np.ndarray) -> SparseRows:
        """Rows times `left`, columns times `right`."""
        return self._replace(data=left[self.row] * self.data * right[self.indices])

    @property
    def row(self) -> np.ndarray:
        """Row number of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def times(self, x: np.ndarray) -> np.ndarray:
        """The product with a vector."""
        return np.bincount(self.row, self.data * x[self.indices], minlength=self.shape[0])
