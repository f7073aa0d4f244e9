"""Left eigenvectors of the equations in first-order form, E ẏ + F y = 0 with y = (u, v, g):

    wᴴ(λ E + F) = 0,     E = diag(I, M, 0),   F = [0, −I, 0; K, D, Cᵀ; C, 0, 0]

Column by column, for w = (p, q, s) with conjugates p*, q*, s*:

    p* = (λ M + D)ᵀ q*,      (λ² M + λ D + K)ᵀ q* + Cᵀ s* = 0,     C q* = 0

so that q* and s* span the null space of a matrix that is regular a little beside λ: they are found
by inverse iteration, those of equal eigenvalues together.  They are also the left eigenvectors of
J₋ − Λ J₊, as LAPACK defines them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SparseFactors

EQUAL = 1e-8  # eigenvalues that are one, relative to the largest
BESIDE = 1e-9  # where the matrix is factorised, relative to the eigenvalue


def left_vectors(M: Any, D: Any, K: Any, C: Any, values: np.ndarray) -> np.ndarray:
    """w of every mode, of conjugate pairs both, as columns with a largest component of 1."""
    n, m = M.shape[0], C.shape[0]
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    found: list[np.ndarray] = []
    for k, value in enumerate(values):
        alike = np.flatnonzero(np.abs(values[:k] - value) <= EQUAL * size)
        together = np.flatnonzero(np.abs(values - value) <= EQUAL * size)
        space = null_space(M, D, K, C, value, len(together), size)
        y, s = space[:n, len(alike)], space[n:, len(alike)]
        p = value * (M.T @ y) + D.T @ y
        w = np.concatenate([p, y, s]).conj()
        w = w / w[np.argmax(np.abs(w))]
        found += [w] if value.imag == 0 else [w, w.conj()]
    return np.array(found).reshape(len(found), 2 * n + m).T


def null_space(
    M: Any, D: Any, K: Any, C: Any, value: complex, count: int, size: float
) -> np.ndarray:
    """(q*, s*), `count` of them as columns, q* orthonormal."""
    n, m = M.shape[0], C.shape[0]
    at = value + BESIDE * max(abs(value), size)
    A = (at**2 * M + at * D + K).T
    weight = float(abs(A).max()) or 1.0  # rows of C count as those of A
    none = sp.csr_array((m, m))
    factors = SparseFactors(sp.block_array([[A / weight, C.T], [C, none]]).astype(complex))
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n + m, count)) + 0j
    for _ in range(4):
        X[n:] = 0.0
        X = factors.solve(X)
        q, R = np.linalg.qr(X[:n])
        X = np.vstack([q, X[n:] @ np.linalg.inv(R)])
    X[n:] *= weight
    return X
