"""Impulses of bodies without joints: sweeps over the points, each with the masses of two bodies.

    v = v_free + M⁻¹ Hᵀ r,     0 ≤ r_n ⊥ u_n⁺ + e u_n⁻ ≥ 0,   |r_t| ≤ μ r_n

Few points that sweeps do not settle are solved by Newton's method on the active set.
"""

from __future__ import annotations

import numpy as np

from linkwork.integrators.nonsmooth import impulses as im
from linkwork.integrators.nonsmooth.active_set import MOST, solve_active_set
from linkwork.integrators.nonsmooth.collide import GAP
from linkwork.integrators.nonsmooth.hard_contacts import FEW, HardContacts, rotation_of

SLOP, SHARE = 2e-4, 0.2  # depth over the smallest shape that is left, and share corrected a step


class FreeBodies(HardContacts):
    """A step of bodies that nothing joins."""

    def _free(self, h: float, v0: np.ndarray, points: int) -> tuple[np.ndarray, ...]:
        """Velocities after the step, and the impulses."""
        data, nodes = self.data, self.data.work.nodes
        R, n = rotation_of(nodes, data.system.bodies), data.system.bodies
        im.inverse_inertias(data.tables.bodies, nodes, self.inverse)
        f = data.work.f[:n]
        v = self.v
        v[:n, :3], v[:n, 3:] = v0[:, :3], np.einsum("bij,bj->bi", R, v0[:, 3:])
        own, r = self._start(points)
        args = self.ints, self.reals, points, nodes
        before = np.zeros((points, 3))
        im.relative_all(*args, v, before)
        v[:n, :3] -= h * self.inverse[:n, :1] * f[:, :3]
        turn = np.einsum("bij,bj->bi", self.inverse[:n, 1:].reshape(-1, 3, 3),
                         np.einsum("bij,bj->bi", R, f[:, 3:]))  # fmt: skip
        v[:n, 3:] -= h * turn
        self.iterations = 0.0
        if points:
            im.prepare(*args, self.inverse, own)
            second = self._bounce(points, own, before[:, 0])
            limit = self.method.tolerance * self.scale * h
            self._iterate_bodies(args, own, v, r, limit)
            if second.any():
                own[:, im.LEAST] = (1 + second) * r[:, 0]
                own[:, im.BOUNCE] = 0.0
                self._iterate_bodies(args, own, v, r, limit, begun=True)
        self._keep(points, r)
        self._lift(h, points, own)
        out = np.concatenate([v[:n, :3], np.einsum("bji,bj->bi", R, v[:n, 3:])], axis=1)
        return out, r, self.gamma

    def _iterate_bodies(
        self, args: tuple, own: np.ndarray, v: np.ndarray, r: np.ndarray, limit: float,
        begun: bool = False,
    ) -> None:  # fmt: skip
        """Impulses r, and the velocities v with them; begun: they are in v already."""
        points = args[2]
        first = self.method.sweeps if points > MOST else min(FEW, self.method.sweeps)
        if begun:
            im.start_bodies(*args, self.inverse, v, -r)
        free = v.copy()
        im.start_bodies(*args, self.inverse, v, r)
        rounds, change = im.sweep_bodies(*args, self.inverse, own, v, r, first, limit)
        self.iterations = float(rounds)
        if change <= limit or points > MOST:
            return
        n = self.data.system.bodies
        H, q = np.zeros((3 * points, self.data.system.layout.rigid)), np.zeros((points, 3))
        im.columns_in_world(*args, H)
        im.relative_all(*args, free, q)
        inverse = np.zeros((n, 6, 6))
        inverse[:, range(3), range(3)] = self.inverse[:n, :1]
        inverse[:, 3:, 3:] = self.inverse[:n, 1:].reshape(-1, 3, 3)
        moves = np.einsum("kbi,bij->kbj", H.reshape(3 * points, n, 6), inverse)
        W = H @ moves.reshape(H.shape).T
        r[:], change = solve_active_set(W, q.ravel(), own, r, limit)
        v[:] = free
        im.start_bodies(*args, self.inverse, v, r)
        if change > limit:
            rounds, _ = im.sweep_bodies(
                *args, self.inverse, own, v, r, self.method.sweeps, limit
            )
            self.iterations += float(rounds)

    def _lift(self, h: float, points: int, own: np.ndarray) -> None:
        """Velocities that take a part of the depth back, which positions alone follow."""
        self.lifted = None
        slop = SLOP * self.candidates.size
        deep = self.reals[:points, GAP] + slop
        if not points or deep.min() >= 0 or self.data.rows:
            return
        nodes, n = self.data.work.nodes, self.data.system.bodies
        v, r = np.zeros_like(self.v), np.zeros((points, 3))
        own = own.copy()
        own[:, im.LEAST] = own[:, im.FRICTION] = 0.0
        own[:, im.BOUNCE] = SHARE * np.minimum(deep, 0.0) / h
        limit = 1e-3 * SHARE * slop / h
        im.sweep_bodies(
            self.ints, self.reals, points, nodes, self.inverse, own, v, r, 50, limit
        )
        R = rotation_of(nodes, n)
        self.lifted = np.concatenate([v[:n, :3], np.einsum("bji,bj->bi", R, v[:n, 3:])], axis=1)
