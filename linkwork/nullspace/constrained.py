"""The constrained step: Newton's method for (q₁, λ), 12 + 6 unknowns per body and all rows.

    R = 2/h M (q₁ − q₀) − 2 M v₀ + h ∇̄V − h f̄ + h G(q̄)ᵀ λ = 0,   Φ(q₁) = 0        ([B] (10))

    [2/h M + h/2 Σ λ D²Φ + …   h G(q̄)ᵀ] [Δq]     [R]
    [G(q₁)                     0       ] [Δλ] = − [Φ]

Every row, the six internal ones of each body ([B] (24)) included, is Φ = ½ qᵀH q + gᵀq + c with a
constant H.  This is the scheme as the document writes it; its matrix degenerates as h shrinks,
which the reduced scheme cures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.elements.layout import POS, QUAT, ROT, SIX
from linkwork.integrators.second_order.stepper import DIVERGED, DONE, NO_CONVERGENCE
from linkwork.math import rotations
from linkwork.nullspace import assembly as asm
from linkwork.nullspace.constraints.rows import KIND, OF_ELEMENT, gradients
from linkwork.nullspace.motion import Parts
from linkwork.nullspace.stepping import BLURRED, ROUND_OFF, TINY
from linkwork.system.evaluate import set_rotations

FLAT = 1e-12  # determinant of mean directors that do not span space


@dataclass(frozen=True)
class Quadratic:
    """Rows Φ = ½ xᵀH x + g·x + c of x = q[columns], the ground's q being part of q."""

    H: np.ndarray  # (m, w, w)
    g: np.ndarray  # (m, w)
    c: np.ndarray  # (m,)
    columns: np.ndarray  # (m, w)

    def jacobian(self, q: np.ndarray, n: int) -> sp.csr_array:
        values = np.einsum("mij,mj->mi", self.H, q[self.columns]) + self.g
        return _sparse(values, self.columns, n)

    def value(self, q: np.ndarray) -> np.ndarray:
        x = q[self.columns]
        return np.einsum("mi,mi->m", 0.5 * np.einsum("mij,mj->mi", self.H, x) + self.g, x) + self.c

    def hessian(self, multiplier: np.ndarray, n: int) -> sp.csr_array:
        """Σ λ D²Φ over the first n coordinates."""
        w = self.columns.shape[1]
        i, j = np.repeat(self.columns, w, axis=1), np.tile(self.columns, (1, w))
        values = (multiplier[:, None, None] * self.H).reshape(len(self.c), w * w)
        inside = (i < n) & (j < n)
        return sp.csr_array((values[inside], (i[inside], j[inside])), (n, n))


def _sparse(values: np.ndarray, columns: np.ndarray, n: int) -> sp.csr_array:
    m, w = columns.shape
    rows = np.repeat(np.arange(m), w)
    inside = columns.ravel() < n
    return sp.csr_array(
        (values.ravel()[inside], (rows[inside], columns.ravel()[inside])), (m, n)
    )


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


class Directors:
    """The constrained system in directors: constant matrices, and the poses it shares with Parts.

    q is (φ, d₁, d₂, d₃) body by body, the ground last; n of its coordinates move.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        bodies = parts.system.bodies
        self.n = 12 * bodies
        self.internal, self.external = internal_rows(bodies), external_rows(parts)
        euler = parts.motion.euler
        blocks = [
            np.kron(np.block([
                [e[:1, None], np.zeros((1, 3))], [np.zeros((3, 1)), e[1:].reshape(3, 3)]
            ]), np.eye(3))
            for e in euler
        ]  # fmt: skip
        self.M = sp.csr_array(sp.block_diag(blocks, format="csr"))
        weight = np.zeros((bodies, 12))
        weight[:, :3] = euler[:, :1] * parts.system.tables.gravity
        self.weight = weight.ravel()

    def q(self, nodes: np.ndarray) -> np.ndarray:
        D = np.swapaxes(nodes[:, ROT : ROT + 9].reshape(-1, 3, 3), 1, 2)
        return np.concatenate([nodes[:, POS : POS + 3], D.reshape(-1, 9)], axis=1).ravel()

    def v(self, velocity: np.ndarray) -> np.ndarray:
        V = np.swapaxes(velocity[:-1, 3:].reshape(-1, 3, 3), 1, 2)
        return np.concatenate([velocity[:-1, :3], V.reshape(-1, 9)], axis=1).ravel()

    def place(self, q: np.ndarray, nodes: np.ndarray) -> None:
        """Poses whose rotations are nearest to the directors."""
        for b, x in enumerate(q.reshape(-1, 4, 3)[:-1]):
            U, _, W = np.linalg.svd(x[1:].T)
            quaternion = rotations.from_matrix(U @ W)
            before = nodes[b, QUAT : QUAT + 4]
            nodes[b, POS : POS + 3] = x[0]
            nodes[b, QUAT : QUAT + 4] = quaternion if quaternion @ before >= 0 else -quaternion
        set_rotations(nodes)

    def jacobian(self, q: np.ndarray) -> sp.csr_array:
        parts = self.internal.jacobian(q, self.n), self.external.jacobian(q, self.n)
        return sp.csr_array(sp.vstack(parts, format="csr"))

    def value(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.internal.value(q), self.external.value(q)])

    def hessian(self, multiplier: np.ndarray) -> sp.csr_array:
        k = len(self.internal.c)
        return self.internal.hessian(multiplier[:k], self.n) + self.external.hessian(
            multiplier[k:], self.n
        )

    # -------------------------------------------------------------------------------- forces
    def forces(self, q0: np.ndarray, q1: np.ndarray, time: float) -> tuple:
        """Residual −f̄ of all forces but weight, in directors, and its derivative by q₁."""
        p, system = self.parts, self.parts.system
        m, h = p.motion, p.motion.settings[asm.STEP]
        if not len(p.forces.springs) and not len(p.forces.tables.directory):
            return np.zeros(self.n), sp.csr_array((self.n, self.n))
        self.place(q1, m.end)
        m.mean[:, :3] = 0.5 * (m.base[:, :3] + m.end[:, :3])
        asm.assemble_forces(
            system.kernels, p.forces, system.tables, system.work, m, time, True
        )
        scale = 2.0 * m.settings[asm.MASS] / h**2
        n, pattern = system.layout.rigid, system.pattern
        values = system.work.vals[pattern.places]
        matrix = sp.csr_array((values, pattern.indices, pattern.indptr))[:n, :n]
        lift = sp.block_diag([lifted(x) for x in 0.5 * (q0 + q1)[: self.n].reshape(-1, 4, 3)])
        read = sp.block_diag([twist_of(x) for x in q1[: self.n].reshape(-1, 4, 3)])
        f = lift @ (scale * m.wrench[:-1].ravel())
        return f, sp.csr_array(lift @ (scale * matrix) @ read)


def lifted(x: np.ndarray) -> np.ndarray:
    """(12, 6): forces on directors f_I = c × d_I with the given resultant torque Σ d_I × f_I."""
    D = x[1:]
    J = np.sum(D * D) * np.eye(3) - D.T @ D
    out = np.zeros((12, 6))
    out[:3, :3] = np.eye(3)
    out[3:, 3:] = -rotations.tilde(D).reshape(9, 3) @ np.linalg.inv(J)
    return out


def twist_of(x: np.ndarray) -> np.ndarray:
    """(6, 12): the twist (δφ, θ) of changes of q at orthonormal directors, θ = ½ Σ d_I × δd_I."""
    out = np.zeros((6, 12))
    out[:3, :3] = np.eye(3)
    out[3:, 3:] = 0.5 * np.hstack(list(rotations.tilde(x[1:])))
    return out


@dataclass
class Solution:
    """A converged step: both ends, multipliers, and the matrix parts at the end."""

    q0: np.ndarray
    q1: np.ndarray
    multiplier: np.ndarray
    K: sp.csr_array


def tangent(directors: Directors, h: float, multiplier: np.ndarray, force: sp.csr_array):
    """K = 2/h M + h/2 Σ λ D²Φ + h ∂(−f̄)/∂q₁."""
    return 2 / h * directors.M + 0.5 * h * directors.hessian(multiplier) + h * force


def is_round_off(directors: Directors, b: np.ndarray, q: np.ndarray) -> bool:
    """Whether a residual, the first n of it times h/2, is no larger than that of the positions."""
    s, n = directors.parts.motion.settings, directors.n
    reach = max(s[asm.LENGTH], float(np.abs(q.reshape(-1, 12)[:, :3]).max()))
    units = np.full(len(b), max(1.0, reach))
    units[:n] = s[asm.MASS] * reach * np.tile(np.repeat([1.0, s[asm.LENGTH]], [3, 9]), n // 12)
    return bool(np.all(np.abs(b) < ROUND_OFF * units))


def has_mean_axes(q0: np.ndarray, q1: np.ndarray) -> bool:
    """Whether the mean directors of all bodies span space; those of half a turn do not."""
    axes = 0.5 * (q0 + q1).reshape(-1, 4, 3)[:, 1:]
    return bool(np.all(np.abs(np.linalg.det(axes)) > FLAT))


def first_multipliers(directors: Directors, joints: np.ndarray, time: float) -> np.ndarray:
    """Multipliers of all rows at the predicted poses, given those of the joints: the internal ones
    balance as much of the rest as they can."""
    m, n = directors.parts.motion, directors.n
    h, q0, q1 = m.settings[asm.STEP], directors.q(m.base), directors.q(m.end)
    q, f = 0.5 * (q0 + q1), directors.forces(q0, q1, time)[0]
    R = directors.M @ (2 / h * (q1 - q0)[:n] - 2 * directors.v(m.velocity)) / h
    R = R + f - directors.weight + directors.external.jacobian(q, n).T @ joints
    G = directors.internal.jacobian(q, n)
    return np.concatenate([splu(sp.csc_matrix(G @ G.T)).solve(-(G @ R)), joints])


def solve_step(
    directors: Directors, multiplier: np.ndarray, time: float, soft: float = 0.0
) -> tuple[int, Solution | None]:
    """Newton's method from the predicted poses in motion.end; (status, solution).

    soft: rows yield by soft Δλ h²/2 in the matrix, not in the equations.  Where G(q₁) loses rank,
    what Φ = 0 tells only to second order then stays as predicted.
    """
    m, n = directors.parts.motion, directors.n
    h, L = m.settings[asm.STEP], m.settings[asm.LENGTH]
    q0, q1, v0 = directors.q(m.base), directors.q(m.end), directors.v(m.velocity)
    multiplier, before = multiplier.copy(), np.inf
    scale = np.tile(np.repeat([L, 1.0], [3, 9]), n // 12)
    for iteration in range(int(m.settings[asm.MAX_ITERATIONS])):
        if not has_mean_axes(q0, q1):
            return DIVERGED, None
        f, force = directors.forces(q0, q1, time)
        G = directors.jacobian(0.5 * (q0 + q1))
        R = directors.M @ (2 / h * (q1 - q0)[:n] - 2 * v0) + h * (f - directors.weight)
        R = R + h * (G.T @ multiplier)
        K = tangent(directors, h, multiplier, force)
        # unknowns h²/2 λ and the first row times h/2, or the smallest steps would be singular
        A = sp.vstack([
            sp.hstack([h / 2 * K, G.T]),
            sp.hstack([directors.jacobian(q1), -soft * sp.eye_array(G.shape[0])]),
        ])  # fmt: skip
        b = np.concatenate([-h / 2 * R, -directors.value(q1)])
        try:
            x = splu(sp.csc_matrix(A)).solve(b)
        except RuntimeError:
            return DIVERGED, None
        if not np.all(np.isfinite(x)):
            return DIVERGED, None
        q1[:n] += x[:n]
        multiplier += x[n:] * 2 / h**2
        size = float(np.abs(x[:n] / scale).max())
        m.report[0], m.report[1] = iteration + 1, size
        done = iteration > 0 and size < before and size * size / before < m.settings[asm.TOLERANCE]
        stuck = iteration > 1 and size > 0.3 * before  # round-off, which grows near singularities
        if done or (stuck and (size < TINY or (size < BLURRED and is_round_off(directors, b, q1)))):
            f, force = directors.forces(q0, q1, time)
            directors.place(q1, m.end)
            return DONE, Solution(q0, q1, multiplier, tangent(directors, h, multiplier, force))
        before = size
    m.report[2], m.report[3] = 0, float(np.abs(b).max())
    return NO_CONVERGENCE, None
