"""Self-stresses of one component: Cqᵀ y = 0, y = N z, and which rows to leave out for them.

With columns scaled (rotations by 1/L) and rows normalised, column-pivoted QR of Cqᵀ gives the rank
r and an orthonormal basis N of the self-stresses.  The rows to leave out, D, are chosen by
column-pivoted QR of (w N)ᵀ: the smallest singular value of the kept rows is at least
σ_r(Cq) σ_min(N[D]), so large pivots here are good conditioning there, and the weights w state a
preference at a bounded price.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.math.sparse import dense as la
from linkwork.system.redundancy.rows import Floats, Ints


@dataclass(frozen=True, eq=False)
class Component:
    """A part of the mechanism with more rows than its rank; row numbers are the model's.

    Pivots are of normalised rows: the smallest kept is a measure of conditioning (1 is perfect),
    the largest dropped is what was taken for zero (the error of assembly).
    """

    rows: Ints
    kept: Ints
    dropped: Ints
    smallest_kept: float
    largest_dropped: float


@dataclass(frozen=True, eq=False)
class SelfStress:
    """A component, a basis N (m, k) of its self-stresses, and the k rows to leave out."""

    rows: Ints
    N: Floats
    dropped: Ints  # positions in rows
    smallest_kept: float
    largest_dropped: float

    @classmethod
    def of(cls, A: Floats, rows: Ints, preference: Floats, tolerance: float) -> SelfStress:
        R, pivot = la.qr(A.T, mode="r", pivoting=True, check_finite=False)
        d = np.abs(np.diag(R))
        r = int(np.sum(d > tolerance * np.sqrt(max(A.shape)) * d[0]))
        m = len(rows)
        if r == m:
            return cls(rows, np.empty((m, 0)), np.empty(0, np.intp), float(d.min()), 0.0)
        N = np.zeros((m, m - r))
        N[pivot[:r]] = -la.solve_triangular(R[:r, :r], R[:r, r:m])
        N[pivot[r:], np.arange(m - r)] = 1
        N = np.linalg.qr(N)[0]
        dropped = well_conditioned_rows(N, preference[rows])
        left = np.delete(A, dropped, axis=0).T
        kept = np.abs(np.diag(la.qr(left, mode="r", pivoting=True, check_finite=False)[0]))
        return cls(rows, N, dropped, float(kept.min(initial=1.0)), float(d[r:].max(initial=0.0)))

    def component(self) -> Component:
        dropped = self.rows[self.dropped]
        kept = np.delete(self.rows, self.dropped)
        return Component(self.rows, kept, dropped, self.smallest_kept, self.largest_dropped)

    def coefficients(self, dropped: Ints) -> Floats:
        """(k, m) normalised row ``dropped[i]`` = Σ coefficients[i, j] row j, sizes only."""
        size = np.abs(np.linalg.solve(self.N[dropped].T, self.N.T))
        size[:, dropped] = 0
        return size


def well_conditioned_rows(N: Floats, weight: Floats) -> Ints:
    """As many rows of N as it has columns, with a well-conditioned N[rows]; in order."""
    _, pivot = la.qr((weight[:, None] * N).T, mode="r", pivoting=True, check_finite=False)
    return np.sort(pivot[: N.shape[1]])
