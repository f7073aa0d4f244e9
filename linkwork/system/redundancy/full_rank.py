"""Components that surely have full rank: σ_min(A) > 0, found without a basis of self-stresses."""

from __future__ import annotations

import contextlib
from functools import cached_property

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import Saddle, SingularMatrix
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.redundancy.rows import Floats, Ints, Mask

LARGE = 300  # rows of a component that are first looked at without a dense factorisation
DEPENDENT = 1e-6  # largest σ of rows that are taken to depend on each other in sums of rows
SURE = 1e-6  # smallest singular value of normalised rows that are independent beyond doubt


def without_independent(A: SparseRows, label: Ints, dense: int) -> tuple[Ints, float]:
    """Labels of rows, negative for large components that surely have full rank; their least σ."""
    label, smallest = label.copy(), 1.0
    for component in large_labels(label, dense):
        members = label == component
        sigma = RowSpace(A.csr[members]).smallest_singular_value()
        if sigma > SURE:
            label[members] = -1
            smallest = min(smallest, sigma)
    return label, smallest


def large_labels(label: Ints, dense: int) -> Ints:
    """Components of more rows than that, for which dense matrices are not the first thing."""
    number, count = np.unique(label[label >= 0], return_counts=True)
    return number[count > dense]


class RowSpace:
    """The rows of A through [[I, Aᵀ], [A, 0]]."""

    def __init__(self, A: sp.csr_array) -> None:
        self.used = np.unique(A.indices)
        self.A = A[:, self.used]
        self.m, self.n = self.A.shape
        self.factors: Saddle | None = None
        if self.m <= self.n:
            with contextlib.suppress(SingularMatrix):
                self.factors = Saddle(sp.eye_array(self.n), self.A)

    def smallest_singular_value(self) -> float:
        """σ_min by inverse iteration on A Aᵀ; 0 if singular."""
        if self.factors is None:
            return 0.0
        y = np.cos(np.arange(self.m) ** 2.0)  # no pattern of the mechanism is orthogonal to this
        size = np.inf
        for _ in range(20):
            y = self.factors.solve(np.zeros(self.n), y / np.linalg.norm(y))[1]
            size = float(np.linalg.norm(y))
        return 1 / np.sqrt(size) if np.isfinite(size) and size > 0 else 0.0

    def outside(self, x: Floats) -> Floats:
        """The part of x that no combination of the rows gives, x − A⁺A x."""
        if self.factors is None:
            return np.full_like(x, np.inf)
        rest = np.array(x, float)
        for _ in range(2):  # the second time removes round-off of the first
            rest[self.used] = self.factors.solve(rest[self.used], np.zeros(self.m))[0]
        return rest

    def coefficients(self, x: Floats) -> Floats:
        """y with Aᵀ y nearest to x; the least one where rows depend on each other."""
        return self._least_squares.solve(x[self.used], np.zeros(self.m))[1]

    @cached_property
    def _least_squares(self) -> Saddle:
        if self.factors is not None and self.smallest_singular_value() > DEPENDENT:
            return self.factors
        return Saddle(sp.eye_array(self.n), self.A, DEPENDENT**2)


def deficient(dense: Floats, tolerance: float) -> tuple[Mask, float]:
    """Which blocks of a stack lack full row rank; the smallest singular value of the others."""
    _, m, n = dense.shape
    if m > n:
        return np.ones(len(dense), bool), 1.0
    s = np.linalg.svd(dense, compute_uv=False)
    full = s[:, -1] > tolerance * np.sqrt(max(m, n)) * s[:, 0]
    return ~full, float(s[full, -1].min(initial=1.0))
