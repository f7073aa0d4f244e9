"""A run with Moreau's time stepping.

    q_m = q₀ exp(h v₀/2)                                       gaps and frames of contacts at q_m
    M (v₁ − v₀) + C_qᵀ λ = h f(q_m, v₀) + Hᵀ r,   C_q v₁ + C_t = 0,   contact laws for r and H v₁
    q₁ = q_m exp(h v₁/2)

(M. Jean, Comput. Methods Appl. Mech. Engrg. 177, 1999).  What contacts do is r·H (v₀ + v₁)/2, which
is what the energy account subtracts.  Afterwards positions are corrected without velocities: those
of joints to C = 0, those of contacts by a part of their depth.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkwork.elements.layout import COEFS, POS, QUAT, RATES, ROT, TANGENT
from linkwork.errors import ModelError
from linkwork.integrators.contract import BasicRun, StepRows, StepFailure
from linkwork.integrators.nonsmooth import impulses as im
from linkwork.integrators.nonsmooth.active_set import MOST, solve_active_set
from linkwork.integrators.nonsmooth.candidates import Candidates, sweep
from linkwork.integrators.nonsmooth.collide import (
    BODY_I, CONTACT, GAP, INTS, KEY, REALS, SIDE, WAY, WHERE, collide,
)  # fmt: skip
from linkwork.math import rotations
from linkwork.system.consistency.accelerations import accelerations, factorise
from linkwork.system.elimination import refactor, solve, sweep_back
from linkwork.system.evaluate import evaluate, set_rotations
from linkwork.system.state import State
from linkwork.system.system import System

GROWTH = 1e8
SLOP, SHARE = 2e-4, 0.2  # depth over the smallest shape that is left, and share corrected a step
COLUMNS = 8  # of every contact: force on b, where, normal force, number of points
DEEPEST = 0.05  # depth over the smallest shape that is refused at the start
FEW = 30  # sweeps before the active set is asked


class MoreauRun(BasicRun):
    """Steps bodies with hard contacts, with or without joints."""

    turns = 0.5, 3.0
    iterations = 0.0

    def __init__(self, method: Any, full: System, system: System, state: State, h: float) -> None:
        self.method, self.full = method, full
        refuse_what_it_cannot(full)
        begun = state.restart
        if begun:
            keep = np.asarray(begun["keep"], bool)
            system = full if keep.all() else full.with_rows(keep)
        self.system, self.time, self.h = system, state.time, h
        self.origin = float(begun["origin"]) if begun else state.time
        self.repairs = 0
        self.work_done, self.powers = np.zeros(2), np.zeros(2)
        self.candidates = Candidates(system)
        n = len(self.candidates.shapes.body)
        self.centres, self.sorted = np.zeros((n, 3)), np.arange(n)
        self.pairs = np.zeros((64 + 8 * n, 2), np.int64)
        self.ints = np.zeros((64 + 16 * n, INTS), np.int64)
        self.reals = np.zeros((64 + 16 * n, REALS))
        self.keys, self.before = np.zeros(0, np.int64), np.zeros((0, 3))
        self.motion = state.motion.copy()
        self.v = np.zeros((system.bodies + 1, 6))  # world axes
        self.inverse = np.zeros((system.bodies + 1, 10))
        known = state if begun else accelerations(system, state)
        assert known.acceleration is not None
        self.acceleration = known.acceleration.copy()
        self.gamma = system.all_gamma(np.zeros(system.rows))
        if known.gamma is not None:
            self.gamma = known.gamma.copy()
        self.lu: Any = None
        self.contact_rows = np.zeros(COLUMNS * len(self.candidates.contacts))
        gravity = float(np.linalg.norm(system.tables.gravity))
        self.scale = gravity if gravity > 0 else system.length  # an acceleration
        if begun:
            self.work_done[:], self.powers[:] = np.reshape(begun["work"], (2, 2))
            self.keys, self.before = np.asarray(begun["keys"]), np.asarray(begun["impulses"])
            self.sorted = np.asarray(begun["sorted"]).copy()
            self.contact_rows = np.asarray(begun["contacts"]).copy()
        else:
            self._place(self.motion)
            self._forces(self.time)
            self.powers[:] = system.work.power
            self._refuse_overlaps()

    def _refuse_overlaps(self) -> None:
        """Shapes that lie in each other where the run begins."""
        points = self._find()
        gaps = self.reals[:points, GAP]
        if points and gaps.min() < -DEEPEST * self.candidates.size:
            k = int(np.argmin(gaps))
            n = self.system.bodies
            one, two = (
                f"body '{self.system.names[b]}'" if b < n else "the ground"
                for b in self.ints[k, :2]
            )
            raise ModelError(
                f"{self.candidates.contacts[self.ints[k, CONTACT]].label}: {one} and {two} overlap "
                f"by {-gaps[k]:.3g} m at t = {self.time:g}; move them apart, or look for a shape "
                "that is too large"
            )

    # ------------------------------------------------------------------------------------- steps
    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        for time, row in zip(times, saved, strict=True):
            self._step(float(time))
            if row >= 0:
                out.motion[row], out.acceleration[row] = self.motion, self.acceleration
                out.gamma[row], out.work[row] = self.gamma, self.work_done
                out.iterations[row] = self.iterations
                out.own[row] = self.own_now()

    def _step(self, time: float) -> None:
        system, h = self.system, time - self.time
        middle = moved(self.motion, 0.5 * h, self.motion[:, 7:])
        self._place(middle)
        system.set_time(self.time + 0.5 * h)
        self._forces(self.time + 0.5 * h)
        points = self._find()
        v0 = self.motion[:, 7:].copy()
        v1, impulses, self.gamma = (self._free if not system.rows else self._held)(h, v0, points)
        if not np.all(np.isfinite(v1)):
            raise StepFailure(
                time, int(self.iterations), float("nan"), "the equations of motion",
                f"has no finite velocities at t = {time:.6g}: forces are explicit in lw.Moreau; "
                "take a smaller step, or softer springs",
            )  # fmt: skip
        power = system.work.power.copy()
        middle[:, 7:] = v1
        self.motion = moved(middle, 0.5 * h, v1)
        self.acceleration = (v1 - v0) / h
        self._account(h, power, v0, v1, points, impulses)
        self._close_joints(time)
        self.time = time

    def _place(self, motion: np.ndarray) -> None:
        w = self.system.work
        w.nodes[: self.system.bodies, :13] = motion
        set_rotations(w.nodes)

    def _forces(self, time: float) -> None:
        """Residual without accelerations and multipliers, matrix of masses and joints."""
        system = self.system
        w = system.work
        w.vdot[:], w.x[:], w.gamma[:], w.Ct[:] = 0.0, 0.0, 0.0, 0.0
        w.coef[:COEFS] = 0.0
        w.coef[TANGENT], w.coef[RATES] = float(system.rows > 0), float(system.moving)
        evaluate(system.kernels, system.tables, w, time, 1.0 / system.mass)

    def _find(self) -> int:
        """Points of contact at the positions in the work arrays; how many."""
        c, nodes = self.candidates, self.system.work.nodes
        if not len(c.shapes.body):
            return 0
        while True:
            count = sweep(c.shapes, c.table, nodes, self.centres, self.sorted, self.pairs)
            if count <= len(self.pairs):
                break
            self.pairs = np.zeros((2 * count, 2), np.int64)
        while True:
            points, i, j = collide(
                c.shapes, c.table, c.first, c.rows, nodes, self.pairs, count, c.active, self.ints,
                self.reals,
            )  # fmt: skip
            if i >= 0:
                c.learn(i, j)
            elif points > len(self.ints):
                self.ints = np.zeros((2 * points, INTS), np.int64)
                self.reals = np.zeros((2 * points, REALS))
            else:
                return points

    def _start(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the points for the iteration, and the impulses it begins with."""
        contacts = self.candidates.contacts
        own, r = np.zeros((points, im.SOLVE)), np.zeros((points, 3))
        im.warm_start(self.ints, r, points, self.keys, self.before, len(self.keys))
        of = self.ints[:points, CONTACT]
        own[:, im.FRICTION] = np.array([c.coefficient() for c in contacts])[of]
        return own, r

    def _bounce(self, points: int, own: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Newton's rule into `own`; the restitution of points under Poisson's rule, 0 elsewhere."""
        contacts, of = self.candidates.contacts, self.ints[:points, CONTACT]
        e = np.array([c.restitution or 0.0 for c in contacts])[of]
        poisson = np.array([c.impact == "poisson" for c in contacts])[of]
        own[:, im.BOUNCE] = np.where(poisson, 0.0, e * np.minimum(before, 0.0))
        fast = before < -2 * self.scale * self.h  # what rests does not rebound
        return np.where(poisson & fast, e, 0.0)

    def _keep(self, points: int, r: np.ndarray) -> None:
        order = np.argsort(self.ints[:points, KEY])
        self.keys, self.before = self.ints[:points, KEY][order].copy(), r[order].copy()

    # --------------------------------------------------------------------- bodies without joints
    def _free(self, h: float, v0: np.ndarray, points: int) -> tuple[np.ndarray, ...]:
        """Velocities after the step, and the impulses."""
        system, nodes = self.system, self.system.work.nodes
        R, n = rotation_of(nodes, system.bodies), system.bodies
        im.inverse_inertias(system.tables.bodies, nodes, self.inverse)
        f = system.work.f[:n]
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
        n = self.system.bodies
        H, q = np.zeros((3 * points, self.system.layout.rigid)), np.zeros((points, 3))
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
        if not points or deep.min() >= 0 or self.system.rows:
            return
        nodes, n = self.system.work.nodes, self.system.bodies
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

    # ------------------------------------------------------------------------ bodies with joints
    def _held(self, h: float, v0: np.ndarray, points: int) -> tuple[np.ndarray, ...]:
        """Velocities after the step, impulses, and multipliers (over h) of the joints."""
        self.lifted = None
        system, mass, n = self.system, self.system.mass, self.system.motions
        w = system.work
        velocity = v0.ravel()
        first, C = system.pattern.indptr[n], system.rows
        Cq = w.vals[system.pattern.places[first:]]
        rows = np.repeat(np.arange(C), np.diff(system.pattern.indptr[n:]))
        columns = system.pattern.indices[first:]
        rate = np.bincount(rows, Cq * velocity[columns], C) + w.Ct[:C]
        rhs = np.concatenate([-h * w.f[: system.bodies].ravel() / mass, -rate])
        change = self._solve(rhs)
        v1, gamma = velocity + change[:n], change[n:]
        H = np.zeros((3 * points, n))
        im.columns_of_points(self.ints, self.reals, points, w.nodes, H)
        own, r = self._start(points)
        self.iterations = 0.0
        if points:
            moves = np.array([self._again(np.concatenate([x, np.zeros(C)]) / mass) for x in H])
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
        return v1.reshape(-1, 6), r, system.all_gamma(gamma * mass / h)

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
        vals = self.system.work.vals
        if self.lu is None:
            self.lu = factorise(self.system)
        kept, x = vals.copy(), rhs.copy()
        if not refactor(self.lu, vals, x) < GROWTH:
            vals[:] = kept
            self.repairs += 1
            self.lu = factorise(self.system)
            x[:] = rhs
            refactor(self.lu, vals, x)
        sweep_back(self.lu, vals, x)
        return x

    def _again(self, rhs: np.ndarray) -> np.ndarray:
        solve(self.lu, self.system.work.vals, rhs)
        return rhs

    def _close_joints(self, time: float) -> None:
        """Correct positions: those of joints to C = 0, those of contacts by a part of the depth."""
        system = self.system
        if self.lifted is not None:
            kept = self.motion[:, 7:].copy()
            self.motion = moved(self.motion, self.h, self.lifted)
            self.motion[:, 7:] = kept
        if not system.rows:
            return
        self._place(self.motion)
        system.set_time(time)
        self._forces(time)
        rhs = np.concatenate([np.zeros(system.motions), -system.work.C[: system.rows]])
        step = self._solve(rhs)[: system.motions].reshape(-1, 6)
        kept = self.motion[:, 7:].copy()
        self.motion = moved(self.motion, 1.0, step)
        self.motion[:, 7:] = kept

    # ------------------------------------------------------------------------------ what results
    def _account(
        self, h: float, power: np.ndarray, v0: np.ndarray, v1: np.ndarray, points: int,
        r: np.ndarray,
    ) -> None:  # fmt: skip
        """Work of the step, and what contacts have done."""
        rows, n = self.contact_rows, self.system.bodies
        rows[:] = 0.0
        self.work_done += h * power
        if not points:
            return
        nodes = self.system.work.nodes
        R, mean = rotation_of(nodes, n), np.zeros((n + 1, 6))
        half = 0.5 * (v0 + v1)
        mean[:n, :3], mean[:n, 3:] = half[:, :3], np.einsum("bij,bj->bi", R, half[:, 3:])
        u = np.zeros((points, 3))
        im.relative_all(self.ints, self.reals, points, nodes, mean, u)
        self.work_done[0] -= float(np.sum(r * u))
        way, side = self.reals[:points, WAY : WAY + 3], self.reals[:points, SIDE : SIDE + 3]
        other = np.cross(way, side)
        force = (r[:, :1] * way + r[:, 1:2] * side + r[:, 2:] * other) / h
        of = self.ints[:points, CONTACT]
        force[~self._firsts[of, self.ints[:points, BODY_I]]] *= -1.0  # on bodies of b
        for k in range(len(self.candidates.contacts)):
            mine, to = of == k, rows[COLUMNS * k : COLUMNS * (k + 1)]
            load = r[mine, 0] / h
            to[:3], to[6], to[7] = force[mine].sum(axis=0), load.sum(), (load > 0).sum()
            if load.sum() > 0:
                to[3:6] = load @ self.reals[:points][mine, WHERE : WHERE + 3] / load.sum()

    @cached_property
    def _firsts(self) -> np.ndarray:
        """(contacts, bodies + 1): whether a body is one of `a`."""
        numbers = {id(body): i for i, body in enumerate(self.system.items)}
        found = np.zeros((len(self.candidates.contacts), self.system.bodies + 1), bool)
        for k, contact in enumerate(self.candidates.contacts):
            for body in contact.a if isinstance(contact.a, (list, tuple)) else [contact.a]:
                found[k, numbers.get(id(body), self.system.bodies)] = True
        return found

    @property
    def own(self) -> dict[str, int]:
        return {f"contact_{c.name}": COLUMNS for c in self.candidates.contacts}

    def own_now(self) -> np.ndarray:
        return self.contact_rows

    def set_step(self, h: float) -> None:
        self.h = h

    def snapshot(self) -> tuple:
        return (
            self.time, self.h, self.motion.copy(), self.acceleration.copy(), self.gamma.copy(),
            self.work_done.copy(), self.keys, self.before, self.contact_rows.copy(),
            self.sorted.copy(),
        )  # fmt: skip

    def recover(self, snapshot: tuple) -> None:
        (self.time, self.h, motion, acceleration, gamma, work, self.keys, self.before, rows,
         order) = snapshot  # fmt: skip
        self.motion, self.acceleration = motion.copy(), acceleration.copy()
        self.gamma = gamma.copy()
        self.work_done[:], self.contact_rows[:], self.sorted[:] = work, rows, order

    def state(self) -> State:
        system = self.system
        return State(
            self.time, system.names, self.motion.copy(), self.acceleration.copy(),
            self.gamma.copy(), system.tables.reals[system.memory_places].copy(), self.restart(),
            np.zeros((3, 0)),
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on."""
        return {
            "work": np.concatenate([self.work_done, self.powers]), "keys": self.keys.copy(),
            "impulses": self.before.copy(), "keep": self.system.keep.copy(),
            "sorted": self.sorted.copy(), "contacts": self.contact_rows.copy(),
            "origin": np.array(self.origin), "memory": np.zeros(0),
            "method": np.frombuffer(repr(self.method).encode(), np.uint8).copy(),
        }  # fmt: skip


def refuse_what_it_cannot(system: System) -> None:
    """lw.Moreau knows rigid bodies, joints and explicit forces."""
    system.refuse_nodes("lw.Moreau")
    system.refuse_held("lw.Moreau")
    for e in system.elements:
        family, label = e.entry.family, system.model[e.owner].label
        if family.memory and not family.counts_turns:
            raise ModelError(
                f"lw.Moreau cannot treat {label}, which remembers its path; use "
                "lw.GeneralizedAlpha(), or hard=True where it is a contact"
            )
        if family.inertial or family.velocity:
            raise ModelError(
                f"lw.Moreau cannot treat {label}, since it knows rigid bodies and holonomic joints "
                "alone; use lw.GeneralizedAlpha()"
            )
    for body in system.items:
        J = np.asarray(body.inertia)
        flat = np.linalg.det(J / max(np.abs(J).max(), 1e-300)) <= 0
        if not system.rows and (body.mass <= 0 or flat):
            raise ModelError(
                f"lw.Moreau needs a mass and an inertia of {body.label}, on which impulses act; "
                "give it both"
            )


def rotation_of(nodes: np.ndarray, bodies: int) -> np.ndarray:
    """Rotation matrices (bodies, 3, 3)."""
    return nodes[:bodies, ROT : ROT + 9].reshape(-1, 3, 3)


def moved(motion: np.ndarray, h: float, velocities: np.ndarray) -> np.ndarray:
    """Every body moved with given velocities for a time."""
    out = motion.copy()
    out[:, POS : POS + 3] += h * velocities[:, :3]
    q = rotations.multiply(motion[:, QUAT : QUAT + 4], rotations.exponential(h * velocities[:, 3:]))
    out[:, QUAT : QUAT + 4] = q / np.linalg.norm(q, axis=1, keepdims=True)
    return out
