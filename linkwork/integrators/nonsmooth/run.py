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

from linkwork.integrators.blocked import COMPARE, blocked_motion
from linkwork.integrators.contract import StepFailure, StepRows
from linkwork.integrators.nonsmooth import impulses as im
from linkwork.integrators.nonsmooth.collide import BODY_I, CONTACT, SIDE, WAY, WHERE
from linkwork.integrators.nonsmooth.free_bodies import FreeBodies
from linkwork.integrators.nonsmooth.hard_contacts import COLUMNS, moved, rotation_of
from linkwork.integrators.nonsmooth.jointed_bodies import JointedBodies
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.state import State


OPEN = 1e-3  # of joints before a correction, beyond which it is looked at what is left
CORRECTIONS = 10


class MoreauRun(FreeBodies, JointedBodies):
    """Steps bodies with hard contacts, with or without joints."""

    turns = 0.5, 3.0

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
        data, h = self.data, time - self.time
        middle = moved(self.motion, 0.5 * h, self.motion[:, 7:])
        self._place(middle)
        data.set_time(self.time + 0.5 * h)
        self._forces(self.time + 0.5 * h)
        points = self._find()
        v0 = self.motion[:, 7:].copy()
        v1, impulses, self.gamma = (self._free if not data.rows else self._held)(h, v0, points)
        if not np.all(np.isfinite(v1)):
            raise StepFailure(
                time, int(self.iterations), float("nan"), "the equations of motion",
                f"has no finite velocities at t = {time:.6g}: forces are explicit in lw.Moreau; "
                "take a smaller step, or softer springs",
            )  # fmt: skip
        power = data.work.power.copy()
        middle[:, 7:] = v1
        self.motion = moved(middle, 0.5 * h, v1)
        self.acceleration = (v1 - v0) / h
        self._account(h, power, v0, v1, points, impulses)
        self._close_joints(time)
        self.time = time

    def _close_joints(self, time: float) -> None:
        """Correct positions: those of joints to C = 0, those of contacts by a part of the depth."""
        data = self.data
        if self.lifted is not None:
            kept = self.motion[:, 7:].copy()
            self.motion = moved(self.motion, self.h, self.lifted)
            self.motion[:, 7:] = kept
        if not data.rows:
            return
        if self._correct(time) > OPEN:
            self._close_widely_open(time)

    def _correct(self, time: float) -> float:
        """One correction of positions; how far joints were open (lengths over the mechanism's)."""
        data = self.data
        self._evaluate(time)
        C = data.work.C[: data.rows]
        found = float(np.abs(C * self.row_sizes).max())
        step = self._solve(np.concatenate([np.zeros(data.system.motions), -C]))
        kept = self.motion[:, 7:].copy()
        self.motion = moved(self.motion, 1.0, step[: data.system.motions].reshape(-1, 6))
        self.motion[:, 7:] = kept
        return found

    def _evaluate(self, time: float) -> None:
        self._place(self.motion)
        self.data.set_time(time)
        self._forces(time)

    def _close_widely_open(self, time: float) -> None:
        """Correct further where one correction was not enough, or end the run."""
        data = self.data
        for _ in range(CORRECTIONS):
            self._evaluate(time)
            C = data.work.C[: data.rows] * self.row_sizes
            if not np.all(np.isfinite(C)):
                break
            if np.abs(C).max() < 0.1 * OPEN:
                return
            self._correct(time)
        where = str(data.kept_rows[int(np.argmax(np.nan_to_num(np.abs(C), nan=np.inf)))])
        cause = blocked_motion(data)
        raise StepFailure(
            time, CORRECTIONS, float(np.abs(C).max()), where,
            f"could not close its joints at t = {time:.6g}; " + (
                f"{cause}: {COMPARE}" if cause else f"{where} stays open: take a smaller step"),
        )  # fmt: skip

    @cached_property
    def row_sizes(self) -> np.ndarray:
        """What makes the rows numbers without units."""
        return row_scale(self.data.kept_rows, self.data.system.length)

    # ------------------------------------------------------------------------------ what results
    def _account(
        self, h: float, power: np.ndarray, v0: np.ndarray, v1: np.ndarray, points: int,
        r: np.ndarray,
    ) -> None:  # fmt: skip
        """Work of the step, and what contacts have done."""
        rows, n = self.contact_rows, self.data.system.bodies
        rows[:] = 0.0
        self.work_done += h * power
        if not points:
            return
        nodes = self.data.work.nodes
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
        system = self.data.system
        numbers = {id(body): i for i, body in enumerate(system.items)}
        found = np.zeros((len(self.candidates.contacts), system.bodies + 1), bool)
        for k, contact in enumerate(self.candidates.contacts):
            for body in contact.a if isinstance(contact.a, (list, tuple)) else [contact.a]:
                found[k, numbers.get(id(body), system.bodies)] = True
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
            self.sorted.copy(), self.repairs, self.solver.tables,
            [] if self.solver.tables is None else [a.copy() for a in self.solver.tables.chosen],
        )  # fmt: skip

    def recover(self, snapshot: tuple) -> None:
        (self.time, self.h, motion, acceleration, gamma, work, self.keys, self.before, rows,
         order, self.repairs, tables, chosen) = snapshot  # fmt: skip
        self.solver.tables = tables
        for mine, copy in zip([] if tables is None else tables.chosen, chosen, strict=True):
            mine[:] = copy
        self.motion, self.acceleration = motion.copy(), acceleration.copy()
        self.gamma = gamma.copy()
        self.work_done[:], self.contact_rows[:], self.sorted[:] = work, rows, order

    def state(self) -> State:
        data = self.data
        return State(
            self.time, data.system.names, self.motion.copy(), self.acceleration.copy(),
            self.gamma.copy(), data.memory, self.restart(),
            np.zeros((3, 0)),
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on."""
        return {
            "work": np.concatenate([self.work_done, self.powers]), "keys": self.keys.copy(),
            "impulses": self.before.copy(), "keep": self.data.keep.copy(),
            "sorted": self.sorted.copy(), "contacts": self.contact_rows.copy(),
            "origin": np.array(self.origin), "memory": np.zeros(0),
            "method": np.frombuffer(repr(self.method).encode(), np.uint8).copy(),
        }  # fmt: skip
