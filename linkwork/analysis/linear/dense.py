"""Eigenvalues of small systems, all of them, from dense matrices.

With N spanning the null space of C (QR), NᵀMN = L Lᵀ, D̂ = L⁻¹NᵀDN L⁻ᵀ, K̂ likewise and the scale
α = √‖K̂‖ of λ, (λ² M + λ D + K) x + Cᵀ g = 0 with C x = 0 becomes

    λ/α [z ]   [ 0       I   ] [z ]
        [ζ ] = [−K̂/α²  −D̂/α] [ζ ]            (companion form; K̂ z = −λ² z where D̂ = 0)

The null space of K̂, motions that nothing holds, is taken out first: their λ = 0 would be double
and defective.  Where bodies without mass make NᵀMN singular, see linear.first_order; with rows on
velocities linear.nonholonomic.  L is that of the symmetric part of M where M is not symmetric
(beams of consistent inertia), and what is left of L⁻¹NᵀMN L⁻ᵀ is solved for.

Very small inertias make ‖K̂‖ so large that low frequencies are lost in its round-off.  Where K
itself is not singular, with its rows and columns scaled to a unit diagonal, the low ones come from
the inverse problem, in which they are the largest numbers:

    (K⁻¹M + κ K⁻¹D + κ² I) z = 0,    κ = 1/λ
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from linkwork.analysis.linear.equations.first_order import massless, mixed_modes
from linkwork.analysis.linear.equations.nonholonomic import nonholonomic_modes
from linkwork.analysis.linear.equations.pencil import Pencil
from linkwork.analysis.linear.equations.steady import motion_rate
from linkwork.analysis.linear.modes import DEFECTIVE
from linkwork.errors import SingularError

EPS = np.finfo(float).eps
NOTHING = 1e-13  # of the largest stiffness: none
SINGULAR = 1e-11  # least singular value of K, scaled to a unit diagonal: motions that are free
ROUGH = 1e6  # times its round-off: what is not known to six digits


def dense_modes(p: Pencil) -> tuple[np.ndarray, np.ndarray, bool]:
    """All eigenvalues, shapes as columns, and whether the system is stable."""
    N = p.null_space
    if N.shape[1] == 0:
        return np.zeros(0, complex), np.zeros((N.shape[0], 0), complex), True
    if not p.holonomic or massless(p, N):
        values, shapes = mixed_modes(p, N) if p.holonomic else nonholonomic_modes(p)
        growth = 1e-12 * np.abs(values).max(initial=0.0) + DEFECTIVE * np.abs(values)
        return values, shapes, bool(np.all(values.real <= growth))
    reduced = Reduced(p, N)
    D, K = reduced.D, reduced.K
    size = np.sqrt(la.norm(K, 2))
    if la.norm(D, 2) <= 1e-13 * size and la.norm(K - K.T, 2) <= 1e-9 * size**2:
        values, z = undamped(reduced)
    else:
        values, z = damped(reduced)
    shapes = reduced.motions(z)
    if np.any(values == 0):
        values, shapes = low_modes(p, N, values, shapes, size)
    growth = 1e-12 * max(la.norm(D, 2), size) + DEFECTIVE * np.abs(values)
    return values, shapes, bool(np.all(values.real <= growth))


class Reduced:
    """z̈ + D ż + K z = 0 in coordinates with unit mass: x = N L⁻ᵀ z, NᵀMN = L Lᵀ."""

    def __init__(self, p: Pencil, N: np.ndarray) -> None:
        M, D, K = (N.T @ (A @ N) for A in (p.M, p.D, p.K))
        try:
            L = la.cholesky((M + M.T) / 2, lower=True)
        except la.LinAlgError:
            raise SingularError(
                "some motion has no inertia, so the eigenvalues are not defined; give every body "
                "mass and inertia, or joints that tie it to one that has"
            ) from None
        self.basis = la.solve_triangular(L, N.T, lower=True).T
        self.D, self.K = (self._unit_mass(L, A) for A in (D, K))
        if la.norm(M - M.T) > 1e-12 * la.norm(M):
            unit = la.lu_factor(self._unit_mass(L, M))
            self.D, self.K = (la.lu_solve(unit, A) for A in (self.D, self.K))
        speed = motion_rate(p.data.system, p.state)
        self.entries = abs(p.D) + speed * abs(p.M), abs(p.K) + speed**2 * abs(p.M)

    @staticmethod
    def _unit_mass(L: np.ndarray, A: np.ndarray) -> np.ndarray:
        half = la.solve_triangular(L, A, lower=True)
        return la.solve_triangular(L, half.T, lower=True).T

    def motions(self, z: np.ndarray) -> np.ndarray:
        return self.basis @ z

    def noise(self, z: np.ndarray, order: int) -> np.ndarray:
        """What round-off may make of D z (order 0) or K z (order 1), for each unit column.

        That of the numbers a small inertia divides, and of finding z itself.
        """
        error = np.abs(self.basis).T @ (self.entries[order] @ np.abs(self.motions(z)))
        size = la.norm((self.D, self.K)[order], 2)
        return 100 * EPS * (np.linalg.norm(error, axis=0) + size)


def low_modes(
    p: Pencil, N: np.ndarray, values: np.ndarray, shapes: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Values and shapes with the lowest ones from the inverse problem, if K allows it."""
    M, D, K = (N.T @ (A @ N) for A in (p.M, p.D, p.K))
    held = np.abs(np.diag(K))
    if held.min() <= NOTHING * held.max():  # round-off scaled to one would look like stiffness
        return values, shapes
    S = 1 / np.sqrt(held)
    M, D, K = (S[:, None] * A * S for A in (M, D, K))
    stiff = la.svdvals(K)
    if stiff[-1] <= SINGULAR * stiff[0]:
        return values, shapes
    lu, n = la.lu_factor(K), len(S)
    A, B = la.lu_solve(lu, M), la.lu_solve(lu, D)
    tau = np.sqrt(la.norm(A, 2)) + la.norm(B, 2)
    both = np.block([[np.zeros((n, n)), np.eye(n)], [-A / tau**2, -B / tau]])
    kappa, X = la.eig(both)
    order = np.argsort(-np.abs(kappa), kind="stable")
    order = order[kappa.imag[order] <= 1e-12 * np.abs(kappa[order])]  # λ with Im λ ≥ 0
    count = int((np.abs(values) ** 2 <= ROUGH * 100 * EPS * size**2).sum())
    chosen = order[: min(count, len(order))]
    found = 1 / (tau * kappa[chosen])
    rest = np.argsort(np.abs(values), kind="stable")[len(chosen) :]
    z = N @ (S[:, None] * X[:n, chosen])
    return np.concatenate([found, values[rest]]), np.hstack([z, shapes[:, rest]])


def undamped(reduced: Reduced) -> tuple[np.ndarray, np.ndarray]:
    """λ² = −μ, K z = μ z with K symmetric."""
    mu, z = la.eigh((reduced.K + reduced.K.T) / 2)
    mu[np.abs(mu) <= reduced.noise(z, 1)] = 0.0
    root = np.sqrt(np.abs(mu))
    held, falling = mu >= 0, mu < 0
    values = np.concatenate([1j * root[held], root[falling], -root[falling]])
    return values, np.hstack([z[:, held], z[:, falling], z[:, falling]]).astype(complex)


def damped(reduced: Reduced) -> tuple[np.ndarray, np.ndarray]:
    """λ² z + λ D z + K z = 0 by the companion form, the null space of K taken out."""
    D, K = reduced.D, reduced.K
    _, s, Vt = la.svd(K)
    free = s <= reduced.noise(Vt.T, 1)
    alpha = max(float(np.sqrt(s[0])), la.norm(D, 2))
    Q = np.vstack([Vt[~free], Vt[free]]).T
    n, h = len(s), int((~free).sum())
    A = np.zeros((h + n, h + n))
    A[:h, h : 2 * h] = np.eye(h)
    A[h:, :h] = -(Q.T @ K @ Q[:, :h]) / alpha**2
    A[h:, h:] = -(Q.T @ D @ Q) / alpha
    scaled, X = la.eig(A)
    z = Q @ X[h:]
    zero = alpha * np.abs(scaled) <= 1e-12 * alpha + reduced.noise(z, 0)
    keep = (scaled.imag >= 0) & ~zero
    values = np.concatenate([np.zeros(n - h), alpha * scaled[keep]])
    return values, np.hstack([Q[:, h:], z[:, keep]])
