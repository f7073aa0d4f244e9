"""Linearised equations in which bodies without mass make M singular.

In coordinates of the possible motions, x = N (W₂ z + W₁ y) with W₁ spanning the null space of
NᵀMN, those of y are of first order:

    M₂ z̈ + D₂₂ ż + D₂₁ ẏ + K₂₂ z + K₂₁ y = 0
            D₁₂ ż + D₁₁ ẏ + K₁₂ z + K₁₁ y = 0

    E ẇ = A w  with  w = (z, ż, y),  whose finite eigenvalues are those of the mechanism
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import scipy.linalg as la

from linkwork.analysis.linear.equations.pencil import Pencil
from linkwork.errors import ModelError, SingularError

EPS = np.finfo(float).eps
NONE = 1e-12  # of the largest inertia: none
ZERO = 1e-7  # of the largest rate: double zeros, of what nothing holds, are only so sharp


@dataclass(frozen=True)
class FirstOrder:
    """E ẇ = A w, and the motions W₂ and W₁."""

    E: np.ndarray
    A: np.ndarray
    W2: np.ndarray
    W1: np.ndarray
    K: np.ndarray  # NᵀKN in the order (z, y)

    @property
    def moves(self) -> np.ndarray:
        """x = moves w"""
        return np.hstack([self.W2, np.zeros_like(self.W2), self.W1])


def massless(p: Pencil, N: np.ndarray) -> bool:
    """Whether some possible motion has no inertia."""
    if N.shape[1] == 0:
        return False
    M = inertias(p, N)
    masses = la.eigvalsh((M + M.T) / 2)
    return bool(masses[0] <= NONE * max(masses[-1], 1e-300))


def inertias(p: Pencil, N: np.ndarray) -> np.ndarray:
    """Nᵀ M N for columns that move something by its size (lengths L, angles 1), in any units."""
    size = np.abs(N / p.scale[:, None]).max(axis=0)
    return (N / size).T @ (p.M @ (N / size))


def first_order_form(p: Pencil, N: np.ndarray) -> FirstOrder:
    """E and A for the possible motions N."""
    M = N.T @ (p.M @ N)
    masses, W = la.eigh((M + M.T) / 2)
    slow = masses <= NONE * max(masses[-1], 1e-300)
    return in_motions(p, N @ W[:, ~slow], N @ W[:, slow])


def in_motions(p: Pencil, W2: np.ndarray, W1: np.ndarray) -> FirstOrder:
    both, z = np.hstack([W2, W1]), W2.shape[1]
    D, K = (both.T @ (X @ both) for X in (p.D, p.K))
    n = both.shape[1]
    E, A = np.zeros((2, n + z, n + z))
    E[:z, :z] = A[:z, z : 2 * z] = np.eye(z)
    E[z : 2 * z, z : 2 * z] = W2.T @ (p.M @ W2)
    E[z:, 2 * z :] = D[:, z:]
    A[z:, z : 2 * z] = -D[:, :z]
    A[z:, :z], A[z:, 2 * z :] = -K[:, :z], -K[:, z:]
    return FirstOrder(E, A, W2, W1, K)


def mixed_space(
    p: Pencil, N: np.ndarray, F: np.ndarray, Cu: np.ndarray, Jp: np.ndarray, Jv: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], list[tuple[int, bool]]]:
    """A, B, C, D for forces F and outputs Jp x + Jv ẋ; which column of N each state is.

    Velocities of motions without inertia are no states.
    """
    name = p.data.system.model.name
    if np.any(Cu):
        raise ModelError(
            f"model '{name}' has bodies without mass, or values without (of circuits, controllers, "
            "readings of reactions), and then inputs of linearize must be forces, not motion laws; "
            "move the mechanism by a Force, Torque or JointTorque"
        )
    M = np.abs(inertias(p, N))
    slow = M.max(axis=0) <= NONE * M.max()
    form = in_motions(p, N[:, ~slow], N[:, slow])
    z = form.W2.shape[1]
    forces = np.vstack([np.zeros((z, F.shape[1])), form.W2.T @ F, form.W1.T @ F])
    states, G, Gu = without_algebraic(form, forces, name)
    E, A = form.E[:, states], form.A @ G
    A, B = (_solved(E, X) for X in (A, forces + form.A @ Gu))
    full = np.zeros((2, len(form.A), len(form.A)))  # rates of all w; of algebraic ones none
    rates_A, rates_B = full[0][:, : len(states)], full[1][:, : B.shape[1]]
    rates_A[states], rates_B[states] = A, B
    rates = np.hstack([form.W2, form.W1])  # ẋ = rates (ż, ẏ)
    moved = np.r_[0:z, 2 * z : len(form.A)]
    C = Jp @ form.moves @ G + Jv @ rates @ rates_A[moved]
    D = Jp @ form.moves @ Gu + Jv @ rates @ rates_B[moved]
    heavy, light = np.flatnonzero(~slow).tolist(), np.flatnonzero(slow).tolist()
    places = [(j, False) for j in heavy] + [(j, True) for j in heavy] + [(j, False) for j in light]
    return (A, B, C, D), [places[i] for i in states]


def without_algebraic(
    form: FirstOrder, forces: np.ndarray, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The states x among w, and w = G x + G_u u, where some w have no rates in any equation.

    With U₂ such that U₂ᵀE = 0, the equations without rates, 0 = U₂ᵀ(A w + F u), give these w.
    """
    E, size = form.E, np.abs(form.E).max()
    rows = np.maximum(np.abs(E).max(axis=1), np.abs(form.A).max(axis=1))[:, None]
    algebraic = np.abs(E / rows).max(axis=0) <= 1e-300
    states = np.flatnonzero(~algebraic)
    G, Gu = np.zeros((len(E), len(states))), np.zeros_like(forces)
    G[states, np.arange(len(states))] = 1.0
    E = E[:, states]
    columns = np.maximum(np.abs(E).max(axis=0), 1e-300 * size)
    U, s, _ = la.svd(E / rows / columns)
    if len(s) < len(states) or s.min(initial=1.0) < 1e-14 * s.max(initial=1.0):
        _refuse(name)
    if algebraic.any():
        U2 = U[:, len(states) :].T / rows.T
        own = U2 @ form.A[:, algebraic]
        if condition(own) > 1e14:
            _refuse(name)
        G[algebraic] = -la.solve(own, U2 @ form.A[:, states])
        Gu[algebraic] = -la.solve(own, U2 @ forces)
    return states, G, Gu


def _refuse(name: str) -> NoReturn:
    raise SingularError(
        f"model '{name}' has bodies without mass that share a motion with others or that "
        "nothing damps, so that they are no states; give them masses or dampers"
    )


def _solved(E: np.ndarray, X: np.ndarray) -> np.ndarray:
    """E ẋ = X, whose equations are consistent, with rows and columns of size one."""
    if not X.size:  # no inputs
        return np.zeros((E.shape[1], X.shape[1]))
    rows = np.maximum(np.abs(E).max(axis=1, keepdims=True), 1e-300)
    columns = np.abs(E / rows).max(axis=0)
    return la.lstsq(E / rows / columns, X / rows)[0] / columns[:, None]


def condition(E: np.ndarray) -> float:
    """The condition of a matrix whose rows, and then columns, are scaled to size one: masses,
    compressible volumes and time constants are of very different sizes."""
    for _ in range(2):
        E = E / np.maximum(np.abs(E).max(axis=1, keepdims=True), 1e-300)
        E = E / np.maximum(np.abs(E).max(axis=0, keepdims=True), 1e-300)
    return float(np.linalg.cond(E))


def mixed_modes(p: Pencil, N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (one of each conjugate pair) and shapes as columns."""
    form = first_order_form(p, N)
    rows = np.maximum(np.abs(form.E).max(axis=1), np.abs(form.A).max(axis=1))
    if rows.min(initial=1.0) == 0.0:
        raise SingularError(
            "some motion has no inertia, and nothing holds or damps it, so the eigenvalues are not "
            "defined; give every body mass and inertia, or joints that tie it to one that has"
        )
    (alpha, beta), w = la.eig(form.A / rows[:, None], form.E / rows[:, None],
                              homogeneous_eigvals=True)  # fmt: skip
    finite = np.abs(beta) > 100 * EPS * np.hypot(np.abs(alpha), np.abs(beta))
    values, w = alpha[finite] / beta[finite], w[:, finite]
    zero = np.abs(values) <= ZERO * np.abs(values).max(initial=0.0)
    _, s, right = la.svd(form.K)
    free = right[s <= 1e-12 * s.max(initial=0.0)].conj().T
    keep = ~zero & (values.imag >= 0)
    shapes = np.hstack([np.hstack([form.W2, form.W1]) @ free, form.moves @ w[:, keep]])
    return np.concatenate([np.zeros(free.shape[1]), values[keep]]), shapes.astype(complex)
