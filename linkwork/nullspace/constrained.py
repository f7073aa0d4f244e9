"""The constrained step: Newton's method for (q₁, λ), 12 + 6 unknowns per body and all rows.

    R = 2/h M (q₁ − q₀) − 2 M v₀ + h ∇̄V − h f̄ + h G(q̄)ᵀ λ = 0,   Φ(q₁) = 0        ([B] (10))

    [2/h M + h/2 Σ λ D²Φ + …   h G(q̄)ᵀ] [Δq]     [R]
    [G(q₁)                     0       ] [Δλ] = − [Φ]

Every row, the six internal ones of each body ([B] (24)) included, is Φ = ½ qᵀH q + gᵀq + c with a
constant H.  This is the scheme as the document writes it; its matrix degenerates as h shrinks,
which the reduced scheme cures.  Where its entries stand is found once, their values by a few sums
over arrays in every iteration; `linear_algebra.general` solves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkwork.integrators.second_order.stepper import DIVERGED, DONE, NO_CONVERGENCE
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.nullspace import assembly as asm
from linkwork.nullspace.directors import Directors
from linkwork.nullspace.stepping import BLURRED, ROUND_OFF, TINY

FLAT = 1e-12  # determinant of mean directors that do not span space
# how far rows yield to a multiplier, over that of a body of the characteristic mass: one after the
# other is tried
SOFT = (1e-12, 1e-10, 1e-8)
WANDERS = 1e-2  # corrections that round-off may explain there, lengths over L and radians
DIVERGES = 1e10  # those of a step that goes astray


class StepMatrix:
    """The matrix of Newton's method with its columns in order: where its entries are, and values.

    Unknowns are Δq and h²/2 Δλ, and the first row is that above times h/2, or the smallest steps
    would be singular.
    """

    def __init__(self, directors: Directors) -> None:
        self.directors = d = directors
        n, rows = d.n, (d.internal, d.external)
        first = n, n + len(d.internal.c)
        self.moving = [r.column < n for r in rows]
        self.curved = [(r.column[r.entry] < n) & (r.by < n) for r in rows]
        body, i, j = np.nonzero(d.inertia)
        self.inertia, own = d.inertia[body, i, j], (12 * body + i, 12 * body + j)
        pairs = dense_blocks(d.pairs)
        second = [
            (r.column[r.entry][inside], r.by[inside])
            for r, inside in zip(rows, self.curved, strict=True)
        ]
        below = [
            (begin + r.row[inside], r.column[inside])
            for r, inside, begin in zip(rows, self.moving, first, strict=True)
        ]
        diagonal = np.arange(n, n + d.rows)
        places = [
            own, pairs, *second, *((j, i) for i, j in below), *below, (diagonal, diagonal)
        ]  # fmt: skip
        i, j = (np.concatenate(part) for part in zip(*places, strict=True))
        self.size = n + d.rows
        key, self.place = np.unique(j * self.size + i, return_inverse=True)
        self.indices = (key % self.size).astype(np.int32)
        counts = np.bincount(key // self.size, minlength=self.size)
        self.indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self.stiff = len(own[0]) + len(pairs[0]) + sum(len(i) for i, _ in second)

    def _of_motion(self, h: float, multiplier: np.ndarray, force: np.ndarray) -> list[np.ndarray]:
        """h/2 K, entry by entry, K = 2/h M + h/2 Σ λ D²Φ + h ∂(−f̄)/∂q₁."""
        d, k = self.directors, len(self.directors.internal.c)
        parts = (d.internal, multiplier[:k]), (d.external, multiplier[k:])
        second = [
            h * h / 4 * r.second(mine)[inside]
            for (r, mine), inside in zip(parts, self.curved, strict=True)
        ]
        blocks = force if len(force) else np.zeros((len(d.pairs), 12, 12))
        return [self.inertia, h * h / 2 * blocks.ravel(), *second]

    def matrix(
        self, h: float, multiplier: np.ndarray, force: np.ndarray, mean: np.ndarray,
        q1: np.ndarray, soft: float,
    ) -> sp.csc_matrix:  # fmt: skip
        """[h/2 K  G(q̄)ᵀ; G(q₁)  −soft I]."""
        rows = self.directors.internal, self.directors.external
        held = [
            r.entries(q)[inside]
            for q in (mean, q1) for r, inside in zip(rows, self.moving, strict=True)
        ]  # fmt: skip
        yields = np.full(self.directors.rows, -soft)
        parts = np.concatenate([*self._of_motion(h, multiplier, force), *held, yields])
        data = np.bincount(self.place, parts, minlength=len(self.indices))
        return sp.csc_matrix((data, self.indices, self.indptr), (self.size, self.size))

    def tangent(self, h: float, multiplier: np.ndarray, force: np.ndarray) -> sp.csr_array:
        """K by itself."""
        parts = np.concatenate(self._of_motion(h, multiplier, force))
        data = np.bincount(self.place[: self.stiff], parts, minlength=len(self.indices))
        whole = sp.csc_array((data, self.indices, self.indptr), (self.size, self.size))
        n = self.directors.n
        return sp.csr_array(2 / h * whole[:n, :n])


def dense_blocks(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of all entries of blocks (12 × 12) of pairs of bodies."""
    i = 12 * pairs[:, 0, None, None] + np.arange(12)[:, None] + np.zeros((1, 12), np.int64)
    j = 12 * pairs[:, 1, None, None] + np.arange(12)[None, :] + np.zeros((12, 1), np.int64)
    return i.ravel(), j.ravel()


@dataclass
class Solution:
    """A converged step: both ends, multipliers, and K at the end."""

    q0: np.ndarray
    q1: np.ndarray
    multiplier: np.ndarray
    K: sp.csr_array


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
    R = directors.inertial(2 / h * (q1 - q0)[:n] - 2 * directors.v(m.velocity)) / h
    R = R + f - directors.weight + directors.external.jacobian(q, n).T @ joints
    G = directors.internal.jacobian(q, n)
    return np.concatenate([SparseFactors(G @ G.T).solve(-(G @ R)), joints])


@dataclass
class Step:
    """A converged step: both ends and the multipliers."""

    q0: np.ndarray
    q1: np.ndarray
    multiplier: np.ndarray
    time: float


@np.errstate(over="ignore", invalid="ignore")  # of steps that diverge
def solve_step(
    matrix: StepMatrix, multiplier: np.ndarray, time: float, soft: float = 0.0
) -> tuple[int, Step | None]:
    """Newton's method from the predicted poses in motion.end; (status, solution).

    soft: rows yield by soft Δλ h²/2 in the matrix, not in the equations.  Where G(q₁) loses rank,
    what Φ = 0 tells only to second order then stays as predicted.
    """
    directors = matrix.directors
    m, n = directors.parts.motion, directors.n
    h, L = m.settings[asm.STEP], m.settings[asm.LENGTH]
    q0, q1, v0 = directors.q(m.base), directors.q(m.end), directors.v(m.velocity)
    multiplier, before = multiplier.copy(), np.inf
    scale = np.tile(np.repeat([L, 1.0], [3, 9]), n // 12)
    for iteration in range(int(m.settings[asm.MAX_ITERATIONS])):
        if not has_mean_axes(q0, q1):
            return DIVERGED, None
        f, force = directors.forces(q0, q1, time)
        mean = 0.5 * (q0 + q1)
        R = directors.inertial(2 / h * (q1 - q0)[:n] - 2 * v0) + h * (f - directors.weight)
        R = R + h * directors.pull(mean, multiplier)
        b = np.concatenate([-h / 2 * R, -directors.value(q1)])
        if soft and iteration > 0 and is_round_off(directors, b, q1):
            directors.place(q1, m.end)
            return DONE, Step(q0, q1, multiplier, time)
        try:
            A = matrix.matrix(h, multiplier, force, mean, q1, soft)
            factors = SparseFactors(A)
            x = factors.solve(b)
            x += factors.solve(b - A @ x)  # beside flat positions A is nearly singular
        except SingularMatrix:
            return DIVERGED, None
        q1[:n] += x[:n]
        multiplier += x[n:] * 2 / h**2
        size = float(np.abs(x[:n] / scale).max())
        m.report[0], m.report[1] = iteration + 1, size
        if not size < DIVERGES:
            return DIVERGED, None
        done = iteration > 0 and size < before and size * size / before < m.settings[asm.TOLERANCE]
        stuck = iteration > 1 and size > 0.3 * before  # round-off, which grows near singularities
        if done or (stuck and (size < TINY or (size < BLURRED and is_round_off(directors, b, q1)))):
            directors.forces(q0, q1, time, tangent=False)  # their work belongs to where it ends
            directors.place(q1, m.end)
            return DONE, Step(q0, q1, multiplier, time)
        before = size
    m.report[2], m.report[3] = 0, float(np.abs(b).max())
    return NO_CONVERGENCE, None


def solve_with_soft_rows(
    matrix: StepMatrix, multiplier: np.ndarray, time: float
) -> tuple[int, Step | None]:
    """`solve_step` for steps that end where G(q₁) loses rank, as in flat positions.

    There Φ = 0 is quadratic in what it holds elsewhere, ε, and with the round-off η of the
    positions may have no solution: for ε² = −η Newton's method wanders over |ε| ~ √η for ever.  A
    correction of ε by G(q̄) Φ over soft M + G(q̄) G(q₁) is small against that if rows are soft
    enough.  The step ends where all equations hold to round-off, whatever the next correction: by
    ε ← (ε − η/ε)/2 that is as large as chance has it.
    """
    status, step = NO_CONVERGENCE, None
    m = matrix.directors.parts.motion
    for soft in SOFT:
        status, step = solve_step(matrix, multiplier, time, soft / m.settings[asm.MASS])
        if step is not None or status == DIVERGED or m.report[1] > WANDERS:
            break
    return status, step


def with_tangent(matrix: StepMatrix, step: Step) -> Solution:
    """The matrix K of a converged step beside it; before the step is accepted."""
    d = matrix.directors
    h = d.parts.motion.settings[asm.STEP]
    force = d.forces(step.q0, step.q1, step.time)[1]
    K = matrix.tangent(h, step.multiplier, force)
    return Solution(step.q0, step.q1, step.multiplier, K)
