"""Impulses of bodies with joints: those of the joints follow from the matrix of the mechanism.

    [M  C_qᵀ] [v₁ − v₀]   [h f + Hᵀ r ]
    [C_q   0] [λ      ] = [−C_q v₀ − C_t],     W = H (that matrix)⁻¹ Hᵀ

with one solution per point and direction.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.integrators.nonsmooth import impulses as im
from linkwork.integrators.nonsmooth.active_set import MOST, solve_active_set
from linkwork.integrators.nonsmooth.hard_contacts import FEW, HardContacts
from linkwork.system.initial_conditions.accelerations import explained

GROWTH = 1e8


class JointedBodies(HardContacts):
    """A step of bodies that joints hold."""

    def _held(self, h: float, v0: np.ndarray, points: int) -> tuple[np.ndarray, ...]:
        """Velocities after the step, impulses, and multipliers (over h) of the joints."""
        self.lifted = None
        data, mass, n = self.data, self.data.system.mass, self.data.system.motions
        w = data.work
        velocity = v0.ravel()
        first, C = data.pattern.indptr[n], data.rows
        Cq = w.vals[data.pattern.places[first:]]
        rows = np.repeat(np.arange(C), np.diff(data.pattern.indptr[n:]))
        columns = data.pattern.indices[first:]
        Ct = w.Ct[:C].copy()
        rate = np.bincount(rows, Cq * velocity[columns], C) + Ct
        rhs = np.concatenate([-h * w.f[: data.system.bodies].ravel() / mass, -rate])
        change = self._solve(rhs)
        v1, gamma = velocity + change[:n], change[n:]
        H = np.zeros((3 * points, n))
        im.columns_of_points(self.ints, self.reals, points, w.nodes, H)
        own, r = self._start(points)
        self.iterations = 0.0
        if points:
            sides = (np.concatenate([x, np.zeros(C)]) / mass for x in H)
            moves = np.array([self.solver.solve(side) for side in sides])
            W = H @ moves[:, :n].T
            diagonal = np.diag(W).reshape(-1, 3)
            own[:, im.WNN], own[:, im.WTT] = 1 / diagonal[:, 0], 1 / diagonal[:, 1:].max(axis=1)
            second = self._bounce(points, own, (H @ velocity)[::3])
            limit = self.method.tolerance * self.scale * h
            self._iterate_matrix(W, H @ v1, own, r, limit)
            if second.any():
                own[:, im.LEAST], own[:, im.BOUNCE] = (1 + second) * r[:, 0], 0.0
                self._iterate_matrix(W, H @ v1, own, r, limit)
            total = r.ravel() @ moves
            v1, gamma = v1 + total[:n], gamma + total[n:]
        self._keep(points, r)
        # what motors do: −λ·C_q (v₀ + v₁)/2 of the driven rows, with C_q v₁ = −C_t
        self.work_done[1] -= mass * float(gamma[self._driven] @ (rate / 2 - Ct)[self._driven])
        return v1.reshape(-1, 6), r, data.all_gamma(gamma * mass / h)

    @cached_property
    def _driven(self) -> np.ndarray:
        return np.array([row.driven for row in self.data.kept_rows], bool)

    def _iterate_matrix(
        self, W: np.ndarray, q: np.ndarray, own: np.ndarray, r: np.ndarray, limit: float
    ) -> None:
        """Impulses r of points whose velocities are q + W r."""
        points = len(r)
        first = self.method.sweeps if points > MOST else min(FEW, self.method.sweeps)
        u = q + W @ r.ravel()
        rounds, change = im.sweep_matrix(W, u, own, r, points, first, limit)
        if change > limit and points <= MOST:
            r[:], change = solve_active_set(W, q, own, r, limit)
            if change > limit:
                u = q + W @ r.ravel()
                more, _ = im.sweep_matrix(W, u, own, r, points, self.method.sweeps, limit)
                rounds += more
        self.iterations = float(rounds)

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        """Solution with the matrix in the work arrays, which is factorised."""
        data, before, x = self.data, self.solver.tables, rhs.copy()
        vals = data.work.vals[data.pattern.places]
        with explained(data, vals):
            self.solver.factorise(vals, x, GROWTH)
        self.repairs += before is not None and self.solver.tables is not before
        return x
