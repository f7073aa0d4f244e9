"""A model in directors: q = (φ, d₁, d₂, d₃) body by body, the ground last, with M, rows and forces.

Forces on a body are known as a wrench at its centre of mass, and their derivatives by twists.  On
the directors act forces f_I = c × d̄_I with the same resultant torque Σ d̄_I × f_I; the twist of a
change of q₁ is (δφ, ½ Σ d_I × δd_I).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linkwork.elements.layout import POS, QUAT, ROT, SIX, STRIDE
from linkwork.kernels import rotations
from linkwork.nullspace import assembly as asm
from linkwork.nullspace.constraints.director_rows import external_rows, internal_rows
from linkwork.nullspace.motion import Parts
from linkwork.system.evaluate import set_rotations

NO_BLOCKS = np.zeros((0, 12, 12))
TILDE = rotations.tilde(np.eye(3)).reshape(3, 9)  # ã = a @ TILDE, row by row
INSIDE = STRIDE * np.arange(SIX)[:, None] + np.arange(SIX)  # of a block of two bodies


class Directors:
    """The constrained system in directors: constant matrices, and the poses it shares with Parts.

    n of the coordinates q move.  Derivatives of forces are blocks (12 × 12) of the bodies `pairs`.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        data, euler = parts.data, parts.motion.euler
        bodies = data.system.bodies
        self.n = 12 * bodies
        self.internal, self.external = internal_rows(bodies), external_rows(parts)
        self.rows = len(self.internal.c) + len(self.external.c)
        four = np.zeros((bodies, 4, 4))
        four[:, 0, 0], four[:, 1:, 1:] = euler[:, 0], euler[:, 1:].reshape(-1, 3, 3)
        self.inertia = np.einsum("bij,kl->bikjl", four, np.eye(3)).reshape(-1, 12, 12)
        self.M = sp.csr_array(sp.block_diag(self.inertia, format="csr"))
        weight = np.zeros((bodies, 12))
        weight[:, :3] = euler[:, :1] * data.tables.gravity
        self.weight = weight.ravel()
        self.forced = len(parts.forces.springs) > 0 or len(parts.forces.tables.directory) > 0
        blocks = data.pattern.blocks.items() if self.forced else ()
        known = [(*pair, base) for pair, base in blocks if max(pair) < bodies]
        found = np.array(known, np.int64).reshape(-1, 3)
        self.pairs, self.bases = found[:, :2], found[:, 2]

    def q(self, nodes: np.ndarray) -> np.ndarray:
        D = np.swapaxes(nodes[:, ROT : ROT + 9].reshape(-1, 3, 3), 1, 2)
        return np.concatenate([nodes[:, POS : POS + 3], D.reshape(-1, 9)], axis=1).ravel()

    def v(self, velocity: np.ndarray) -> np.ndarray:
        V = np.swapaxes(velocity[:-1, 3:].reshape(-1, 3, 3), 1, 2)
        return np.concatenate([velocity[:-1, :3], V.reshape(-1, 9)], axis=1).ravel()

    def place(self, q: np.ndarray, nodes: np.ndarray) -> None:
        """Poses whose rotations are nearest to the directors."""
        x = q.reshape(-1, 4, 3)[:-1]
        U, _, W = np.linalg.svd(np.swapaxes(x[:, 1:], 1, 2))
        quaternion = rotations.from_matrices(U @ W)
        before = nodes[: len(x), QUAT : QUAT + 4]
        away = np.einsum("bi,bi->b", quaternion, before) < 0
        quaternion[away] *= -1.0
        nodes[: len(x), POS : POS + 3], nodes[: len(x), QUAT : QUAT + 4] = x[:, 0], quaternion
        set_rotations(nodes)

    def jacobian(self, q: np.ndarray) -> sp.csr_array:
        parts = self.internal.jacobian(q, self.n), self.external.jacobian(q, self.n)
        return sp.csr_array(sp.vstack(parts, format="csr"))

    def value(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.internal.value(q), self.external.value(q)])

    def pull(self, q: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        """G(q)ᵀ λ."""
        k = len(self.internal.c)
        out = np.zeros(len(q))
        for rows, mine in ((self.internal, multiplier[:k]), (self.external, multiplier[k:])):
            parts = rows.entries(q) * mine[rows.row]
            out += np.bincount(rows.column, parts, minlength=len(q))
        return out[: self.n]

    def inertial(self, x: np.ndarray) -> np.ndarray:
        """M x."""
        return np.einsum("bij,bj->bi", self.inertia, x.reshape(-1, 12)).ravel()

    def forces(
        self, q0: np.ndarray, q1: np.ndarray, time: float, tangent: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Residual −f̄ of all forces but weight, in directors, and the blocks of its derivative by
        q₁ where these are wanted."""
        p, data = self.parts, self.parts.data
        m, h = p.motion, p.motion.settings[asm.STEP]
        if not self.forced:
            return np.zeros(self.n), NO_BLOCKS
        self.place(q1, m.end)
        m.mean[:, :3] = 0.5 * (m.base[:, :3] + m.end[:, :3])
        asm.assemble_forces_of(data.equations, p.scheme, time, tangent)
        scale = 2.0 * m.settings[asm.MASS] / h**2
        lift = lifted(0.5 * (q0 + q1)[: self.n].reshape(-1, 4, 3))
        f = np.einsum("bij,bj->bi", lift, scale * m.wrench[:-1]).ravel()
        if not tangent:
            return f, NO_BLOCKS
        blocks = scale * data.work.vals[self.bases[:, None, None] + INSIDE]
        read = twist_of(q1[: self.n].reshape(-1, 4, 3))
        return f, lift[self.pairs[:, 0]] @ blocks @ read[self.pairs[:, 1]]


def lifted(x: np.ndarray) -> np.ndarray:
    """(bodies, 12, 6): forces on directors f_I = c × d_I with the given torque Σ d_I × f_I."""
    D = x[:, 1:]
    J = np.einsum("bIi,bIi->b", D, D)[:, None, None] * np.eye(3) - np.swapaxes(D, 1, 2) @ D
    out = np.zeros((len(x), 12, 6))
    out[:, :3, :3] = np.eye(3)
    out[:, 3:, 3:] = -(D @ TILDE).reshape(-1, 9, 3) @ np.linalg.inv(J)
    return out


def twist_of(x: np.ndarray) -> np.ndarray:
    """(bodies, 6, 12): the twist (δφ, θ) of changes of q at orthonormal directors, with
    θ = ½ Σ d_I × δd_I."""
    out = np.zeros((len(x), 6, 12))
    out[:, :3, :3] = np.eye(3)
    out[:, 3:, 3:] = 0.5 * np.swapaxes((x[:, 1:] @ TILDE).reshape(-1, 3, 3, 3), 1, 2).reshape(
        -1, 3, 9
    )
    return out
