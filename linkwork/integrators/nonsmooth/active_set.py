"""Impulses of hard contacts by Newton's method on the active set, for some dozens of points.

Points bear or not, stick or slip.  With that assumed, the impulses solve linear equations,

    bears    (W r + q)_n = −b      else  r_n = l
    sticks   (W r + q)_t = 0       slips r_t = μ r_n d,   d the direction of r_t − ρ u_t

whose solution says which assumptions were wrong (P. Alart, A. Curnier, Comput. Methods Appl. Mech.
Engrg. 92, 1991).  Where a body touches in more points than hold it, W is singular though the
velocities are unique; a term ε (r − r₀), r₀ the last iterate, chooses among the impulses.
"""

from __future__ import annotations

import numpy as np

from linkwork.integrators.nonsmooth.impulses import BOUNCE, FRICTION, LEAST, WNN, WTT
from linkwork.kernels.compiled import compiled

MOST = 60  # points
ROUNDS = 15
PROXIMAL = 1e-6  # ε over the diagonal of W


@compiled
def solve_dense(A, b):
    """Solves A x = b in place by elimination with row pivots; False where A is singular.

    A few hundred unknowns: threads of a library would take longer to start.
    """
    n = b.size
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 0.0:
            return False
        if pivot != k:
            for j in range(k, n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total -= A[k, j] * b[j]
        b[k] = total / A[k, k]
    return True


def solve_active_set(
    W: np.ndarray, q: np.ndarray, own: np.ndarray, r: np.ndarray, tolerance: float
) -> tuple[np.ndarray, float]:
    """Impulses (points, 3) from those in r, and how far the laws of contact are violated (m/s)."""
    points = len(r)
    n = 3 * np.arange(points)
    wn, wt, mu = own[:, WNN], own[:, WTT], own[:, FRICTION]
    pull = PROXIMAL * np.diag(W)
    best, least = r.copy(), violation(W, q, own, r)
    r = r.copy()
    for _ in range(ROUNDS):
        u = (q + W @ r.ravel()).reshape(-1, 3)
        trial = r[:, 0] - wn * (u[:, 0] + own[:, BOUNCE])
        bears = trial > own[:, LEAST]
        most = mu * np.maximum(trial, own[:, LEAST])
        way = r[:, 1:] - wt[:, None] * u[:, 1:]
        size = np.linalg.norm(way, axis=1)
        slips = size >= np.maximum(most, 1e-300)
        d = way / np.where(size > 0, size, 1.0)[:, None]
        A, rhs = W + np.diag(pull), pull * r.ravel() - q
        rhs[n] -= own[:, BOUNCE]
        free = n[~bears]
        A[free], rhs[free] = 0.0, own[~bears, LEAST]
        A[free, free] = 1.0
        for c in (0, 1):
            rows = n[slips] + 1 + c
            A[rows] = 0.0
            A[rows, rows] = 1.0
            A[rows, n[slips]] = -mu[slips] * d[slips, c]
            rhs[rows] = 0.0
        if not solve_dense(A, rhs):
            break
        r = rhs.reshape(-1, 3).copy()
        error = violation(W, q, own, r)
        if error < least:
            best, least = r.copy(), error
        if error <= tolerance:
            break
    return best, least


def violation(W: np.ndarray, q: np.ndarray, own: np.ndarray, r: np.ndarray) -> float:
    """How much a sweep of projections would change velocities."""
    u = (q + W @ r.ravel()).reshape(-1, 3)
    wn, wt = own[:, WNN], own[:, WTT]
    normal = np.maximum(own[:, LEAST], r[:, 0] - wn * (u[:, 0] + own[:, BOUNCE]))
    way = r[:, 1:] - wt[:, None] * u[:, 1:]
    size = np.linalg.norm(way, axis=1)
    most = own[:, FRICTION] * normal
    way *= np.where(size > most, most / np.where(size > 0, size, 1.0), 1.0)[:, None]
    found = np.abs(normal - r[:, 0]) / wn, np.abs(way - r[:, 1:]).sum(axis=1) / wt
    return float(max(x.max(initial=0.0) for x in found))
