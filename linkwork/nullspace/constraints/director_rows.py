"""Rows in directors as numbers: Φ = ½ xᵀH x + g·x + c of x = q[columns], with a constant H.

The entries of the Jacobian are linear in q, those of Σ λ D²Φ in λ, and where they stand never
changes: both are sums over the entries of H that are not zero.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linkwork.elements.layout import SIX
from linkwork.nullspace.constraints.rows import KIND, OF_ELEMENT, gradients
from linkwork.nullspace.motion import Parts


class Quadratic:
    """Rows Φ = ½ xᵀH x + g·x + c of x = q[columns], the ground's q being part of q.

    row, column : of the entries of the Jacobian, those of the ground included
    entry, by   : which entry changes with which number of q, and by `slope` times that number
    """

    def __init__(self, H: np.ndarray, g: np.ndarray, c: np.ndarray, columns: np.ndarray) -> None:
        """H (m, w, w), g (m, w), c (m,), columns (m, w)."""
        there = (H != 0).any(axis=2) | (g != 0)
        self.row, place = np.nonzero(there)
        self.column, self.start, self.c = columns[there], g[there], c
        own = H[self.row, place]  # (entries, w)
        self.entry, other = np.nonzero(own)
        self.by, self.slope = columns[self.row[self.entry], other], own[self.entry, other]

    def entries(self, q: np.ndarray) -> np.ndarray:
        """The entries of the Jacobian."""
        moved = np.bincount(self.entry, self.slope * q[self.by], minlength=len(self.row))
        return moved + self.start

    def value(self, q: np.ndarray) -> np.ndarray:
        parts = 0.5 * (self.entries(q) + self.start) * q[self.column]
        return np.bincount(self.row, parts, minlength=len(self.c)) + self.c

    def jacobian(self, q: np.ndarray, n: int) -> sp.csr_array:
        """Over the first n coordinates."""
        inside = self.column < n
        places = self.row[inside], self.column[inside]
        return sp.csr_array((self.entries(q)[inside], places), (len(self.c), n))

    def second(self, multiplier: np.ndarray) -> np.ndarray:
        """The parts of Σ λ D²Φ, at (column[entry], by)."""
        return multiplier[self.row[self.entry]] * self.slope


def internal_rows(bodies: int) -> Quadratic:
    """½ (d_I·d_I − 1) and d_I·d_J of every body."""
    H, c = np.zeros((6, 12, 12)), np.zeros(6)
    for r, (i, j) in enumerate([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]):
        for k in range(3):
            H[r, 3 + 3 * i + k, 3 + 3 * j + k] = H[r, 3 + 3 * j + k, 3 + 3 * i + k] = 1.0
    c[:3] = -0.5
    columns = (12 * np.arange(bodies)[:, None] + np.arange(12))[:, None].repeat(6, axis=1)
    return Quadratic(
        np.tile(H, (bodies, 1, 1)), np.zeros((SIX * bodies, 12)), np.tile(c, bodies),
        columns.reshape(-1, 12),
    )  # fmt: skip


def external_rows(parts: Parts) -> Quadratic:
    """The joints' rows in the equations; H and g from gradients, which are linear in q."""
    ints, reals = parts.rows
    m = len(ints)
    H, g, c = np.zeros((m, 24, 24)), np.zeros((m, 24)), np.zeros(m)
    columns = np.zeros((m, 24), np.int64)
    for r in range(m):
        kind = int(ints[r, KIND])

        def at(x: np.ndarray, kind=kind, r=r) -> tuple[float, np.ndarray]:
            value, ga, gb = gradients(kind, reals[r], x[:12], x[12:])
            return value, np.concatenate([ga, gb])

        c[r], g[r] = at(np.zeros(24))
        for j in range(24):
            H[r, :, j] = at(np.eye(24)[j])[1] - g[r]
        a, b = ints[r, OF_ELEMENT : OF_ELEMENT + 2]
        columns[r] = np.concatenate([12 * a + np.arange(12), 12 * b + np.arange(12)])
    return Quadratic(H, g, c, columns)
