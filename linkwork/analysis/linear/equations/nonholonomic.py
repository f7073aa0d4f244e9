"""Linearised equations with rows on velocities (rolling, skates): A(q) v + c = 0.

Small motions η = N z with C η = 0 satisfy (pencil)

    M_r z̈ + D_r ż + K_r z + S_rᵀ δγ = NᵀF u,     S_r ż + H_r z = 0,     M_r = NᵀMN, S_r = S N …

S is A in the axes of the pencil and H says how the condition changes with positions.  φᵢ = Aᵢ(q) v
and the reaction Aᵢᵀ of that row belong together: H = ∂(A v)/∂q is vᵀ ∂(Aᵢᵀγᵢ)/∂q for γᵢ = 1, the
product of v and the constraint stiffness of a unit reaction.  With the possible rates P, S_r P = 0,
and any G with S_r G = H_r,

    ż = P ζ − G z
    ζ̇ = −m⁻¹Pᵀ[(D_r − M_r G) ż + K_r z − NᵀF u],     m = PᵀM_rP

There are as many ζ fewer than z as there are rows.  Positions that no condition determines (where a
wheel has rolled to) are eigenvalues zero, several to one eigenvector where one drifts with another;
they are taken out exactly, stage by stage: W ↦ W/ker 𝒜.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.errors import ModelError, SingularError
from linkwork.system.data import Data
from linkwork.system.state import State

if TYPE_CHECKING:
    from linkwork.analysis.linear.equations.pencil import Pencil

ZERO = 1e-11  # singular values of the scaled 𝒜 that are none


def change_of_rows(data: Data, state: State, rows: np.ndarray) -> sp.csr_array:
    """∂(A v)/∂q at fixed velocities, in the unknowns of the system: vᵀ K_c of each unit reaction.

    rows : which of the rows in the equations are on velocities
    """
    v = state.rates
    base = data.evaluate(state).stiffness
    size = max(float(abs(base).max()), 1.0)  # K_c of a reaction as large as all other stiffness
    found = np.zeros((len(rows), data.system.motions))
    assert state.gamma is not None
    for i, row in enumerate(rows):
        gamma = state.gamma.copy()
        gamma[data.kept[row]] += size
        found[i] = v @ (data.evaluate(replace(state, gamma=gamma)).stiffness - base) / size
    return sp.csr_array(found)


def refuse_slip(data: Data, state: State, rows: np.ndarray) -> None:
    """An error where the velocities of a state do not satisfy rows on velocities."""
    e = data.evaluate(state, rates=True)
    slip = np.abs(e.Cq @ state.rates + e.Ct)[rows]
    size = np.abs(e.Cq)[rows] @ np.abs(state.rates)
    if np.any(slip > 1e-6 * size):
        row = data.kept_rows[int(rows[np.argmax(slip - 1e-6 * size)])]
        raise ModelError(
            f"the velocities at t = {state.time:g} do not satisfy {row}, which is off by "
            f"{slip.max():.3g}; give a state from lw.assemble or a run of this model"
        )


@dataclass(frozen=True)
class Rolled:
    """ż = P ζ − G z and ζ̇ = −Q ż − R z + B u in coordinates z."""

    P: np.ndarray
    G: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    mass: np.ndarray

    @property
    def A(self) -> np.ndarray:
        """Of the states (z, ζ)."""
        return np.block([[-self.G, self.P], [self.Q @ self.G - self.R, -self.Q @ self.P]])


def rolled(p: Pencil, N: np.ndarray, P: np.ndarray, G: np.ndarray) -> Rolled:
    M, D, K = (N.T @ (X @ N) for X in (p.M, p.D, p.K))
    mass = P.T @ M @ P
    try:
        factor = la.cho_factor((mass + mass.T) / 2)
    except la.LinAlgError:
        raise SingularError(
            "some motion has no inertia beside rows on velocities, so the eigenvalues are not "
            "defined; give every body mass and inertia"
        ) from None

    def solve(X: np.ndarray) -> np.ndarray:
        return la.cho_solve(factor, P.T @ X) if len(mass) else np.zeros((0, X.shape[1]))

    return Rolled(P, G, solve(D - M @ G), solve(K), mass)


def nonholonomic_modes(p: Pencil) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (one of each conjugate pair; zero once for each free position) and shapes."""
    N = p.null_space / np.sqrt(max(abs(p.M).max(), 1e-300))
    S, H = p.S @ N, p.H @ N
    Q, R, _ = la.qr(S.T, pivoting=True)
    k = int(np.sum(np.abs(np.diag(R)) > 1e-12 * np.abs(R).max(initial=0.0)))
    form = rolled(p, N, Q[:, k:], la.lstsq(S, H)[0])
    f, A = N.shape[1], form.A
    if len(form.mass):  # unit masses: ζ ← Lᵀ ζ
        L = la.cholesky((form.mass + form.mass.T) / 2, lower=True)
        A[f:] = L.T @ A[f:]
        A[:, f:] = la.solve_triangular(L, A[:, f:].T, lower=True).T
    sizes = [la.norm(X, 2) if X.size else 0.0 for X in (A[f:, :f], A[f:, f:], form.G)]
    rate = max(np.sqrt(sizes[0]), *sizes[1:], 1e-300)
    A[f:, :f], A[:f, f:] = A[f:, :f] / rate, A[:f, f:] * rate  # ζ ← ζ/rate
    free, values, w = without_zeros(A / rate)
    free = free[:f]
    kept = np.linalg.norm(free, axis=0) > 1e-9
    upper = values.imag >= 0
    shapes = np.hstack([N @ free[:, kept], N @ w[:f, upper]])
    return np.concatenate([np.zeros(kept.sum()), rate * values[upper]]), shapes.astype(complex)


def without_zeros(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The null space of A, its eigenvalues other than zero, and their eigenvectors.

    ker A is taken out: A acts on the quotient, whose kernel is taken out again, until it has none.
    """
    _, s, right = la.svd(A)
    null = s <= ZERO * max(s.max(initial=0.0), 1e-300)
    free, others = right[null].T, right[~null].T
    if not null.any():
        values, w = la.eig(A)
        return free, values, w
    _, values, y = without_zeros(others.T @ A @ others)
    return free, values, A @ (others @ y) / values


def nonholonomic_space(
    p: Pencil, N: np.ndarray, F: np.ndarray, Cu: np.ndarray, Jp: np.ndarray, Jv: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """A, B, C, D for forces F and outputs Jp y + Jv ẏ; which columns of N have rates as states."""
    if np.any(Cu):
        raise ModelError(
            f"model '{p.data.system.model.name}' has rows on velocities, and then "
            "inputs of linearize "
            "must be forces, not motion laws; move the mechanism by a Force, Torque or JointTorque"
        )
    S, H = p.S @ N, p.H @ N
    k, f = S.shape
    _, _, order = la.qr(S * np.linalg.norm(N / p.scale[:, None], axis=0) ** -1, pivoting=True)
    bound, chosen = order[:k], np.sort(order[k:])
    P, G = np.zeros((f, f - k)), np.zeros((f, f))
    P[chosen] = np.eye(f - k)
    P[bound] = -la.solve(S[:, bound], S[:, chosen])
    G[bound] = la.solve(S[:, bound], H)
    form = rolled(p, N, P, G)
    B = np.zeros((2 * f - k, F.shape[1]))
    if f > k:
        B[f:] = la.solve(form.mass, P.T @ (N.T @ F), assume_a="pos")
    C = np.hstack([Jp @ N - Jv @ N @ G, Jv @ N @ P])
    return (form.A, B, C, np.zeros((len(Jp), F.shape[1]))), chosen
