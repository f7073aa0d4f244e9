"""Small motions in world axes, y = (δr, φ) with δR = φ̃ R.

C_q is constant in these about a spinning rotor, and not in body axes.  θ = Rᵀφ, δω = Rᵀφ̇,
δω̇ = Rᵀ(φ̈ − ω_w × φ̇), and with T = diag(I, R)

    M ← T M Tᵀ,   D ← T D Tᵀ − M diag(0, ω̃_w),   K ← T K Tᵀ,   C = C_q Tᵀ
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.system.data import Data
from linkwork.system.layout import SIX
from linkwork.system.state import State
from linkwork.system.system import System

LARGEST = 1e100  # of a coefficient: products of three are still numbers


def body_blocks(
    upper: np.ndarray, lower: np.ndarray, others: int = 0, value: float = 0.0
) -> sp.csr_array:
    """Block diagonal matrix with diag(upper, lower), each (bodies, 3, 3), for every body.

    others : so many further unknowns, of vector nodes, with `value` on the diagonal
    """
    n = len(upper)
    blocks = np.zeros((n, 6, 6))
    blocks[:, :3, :3], blocks[:, 3:, 3:] = upper, lower
    rigid = sp.csr_array(
        sp.bsr_array((blocks, np.arange(n), np.arange(n + 1)), shape=(SIX * n, SIX * n))
    )
    if not others:
        return rigid
    return sp.csr_array(sp.block_diag([rigid, value * sp.eye_array(others)]))


def world_axes(state: State) -> tuple[np.ndarray, sp.csr_array]:
    """R of all bodies, and T = diag(I, R)."""
    R = rotations.matrix(state.orientations)
    others = state.values.shape[1]
    return R, body_blocks(np.broadcast_to(np.eye(3), R.shape), R, others, 1.0)


def world_matrices(
    data: Data, state: State, constraint_stiffness: bool = True
) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array, sp.csr_array]:
    """M, D, K, C for small motions in world axes."""
    R, T = world_axes(state)
    e = data.evaluate(state, cK=1.0, constraint_stiffness=constraint_stiffness)
    D = data.evaluate(state, cK=0.0, cD=1.0).stiffness
    spin = rotations.tilde(np.einsum("bij,bj->bi", R, state.velocities[:, 3:]))
    M = sp.csr_array(T @ sp.csr_array(data.mass_matrix(state)) @ T.T)
    D = T @ sp.csr_array(D) @ T.T - M @ body_blocks(np.zeros_like(R), spin, len(state.values[0]))
    K = T @ sp.csr_array(e.stiffness) @ T.T
    return M, sp.csr_array(D), sp.csr_array(K), sp.csr_array(sp.csr_array(e.Cq) @ T.T)


def refuse_overflow(system: System, *matrices: sp.csr_array) -> None:
    """An error where products of the matrices' numbers would not be finite."""
    size = np.max([abs(A).max(axis=0).toarray().ravel() for A in matrices if A.shape[0]], axis=0)
    size = np.where(np.isfinite(size), size, np.inf)
    worst = int(np.argmax(size))
    if size[worst] > LARGEST:
        raise ModelError(
            f"the equations of {system.layout.owner(worst)} have coefficients of "
            f"{size[worst]:.3g}, and beyond {LARGEST:g} small motions cannot be computed; "
            "give smaller masses, stiffnesses and speeds, or other units"
        )
