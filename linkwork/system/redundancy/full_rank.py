"""Components that surely have full rank: σ_min(A) > 0, found without a basis of self-stresses."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.system.redundancy.rows import Floats, Ints, Mask

LARGE = 300  # rows of a component that are first looked at without a dense factorisation
SURE = 1e-6  # smallest singular value of normalised rows that are independent beyond doubt


def without_independent(A: sp.csr_array, label: Ints) -> tuple[Ints, float]:
    """Labels of rows, negative for large components that surely have full rank; their least σ."""
    number, count = np.unique(label[label >= 0], return_counts=True)
    label, smallest = label.copy(), 1.0
    for component in number[count > LARGE]:
        members = label == component
        sigma = smallest_singular_value(A[members])
        if sigma > SURE:
            label[members] = -1
            smallest = min(smallest, sigma)
    return label, smallest


def smallest_singular_value(A: sp.csr_array) -> float:
    """σ_min by inverse iteration on A Aᵀ through the sparse [[I, Aᵀ], [A, 0]]; 0 if singular."""
    A = A[:, np.unique(A.indices)]
    m, n = A.shape
    if m > n:
        return 0.0
    try:
        lu = splu(sp.block_array([[sp.eye_array(n), A.T], [A, None]]).tocsc())
    except RuntimeError:
        return 0.0
    y = np.cos(np.arange(m) ** 2.0)  # no pattern of the mechanism is orthogonal to this
    size = np.inf
    for _ in range(20):
        y = lu.solve(np.concatenate([np.zeros(n), y / np.linalg.norm(y)]))[n:]
        size = float(np.linalg.norm(y))
    return 1 / np.sqrt(size) if np.isfinite(size) and size > 0 else 0.0


def deficient(dense: Floats, tolerance: float) -> tuple[Mask, float]:
    """Which blocks of a stack lack full row rank; the smallest singular value of the others."""
    _, m, n = dense.shape
    if m > n:
        return np.ones(len(dense), bool), 1.0
    s = np.linalg.svd(dense, compute_uv=False)
    full = s[:, -1] > tolerance * np.sqrt(max(m, n)) * s[:, 0]
    return ~full, float(s[full, -1].min(initial=1.0))
