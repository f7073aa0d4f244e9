"""What Moreau's time stepping works with: motion, forces, points of contact and their impulses.

Points are found at the middle of a step (candidates, collide); impulses begin with those that the
same points had before, and bounce by Newton's or Poisson's rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import COEFS, POS, QUAT, RATES, ROT, TANGENT
from linkwork.errors import ModelError
from linkwork.integrators.contract import BasicRun
from linkwork.integrators.nonsmooth import impulses as im
from linkwork.integrators.nonsmooth.candidates import Candidates, sweep
from linkwork.integrators.nonsmooth.collide import CONTACT, GAP, INTS, KEY, REALS, collide
from linkwork.integrators.nonsmooth.refusals import refuse_what_it_cannot
from linkwork.kernels import rotations
from linkwork.linear_algebra import AlongMechanism
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.evaluate import evaluate, set_rotations
from linkwork.system.state import State
from linkwork.system.data import Data

COLUMNS = 8  # of every contact: force on b, where, normal force, number of points
DEEPEST = 0.05  # depth over the smallest shape that is refused at the start
FEW = 30  # sweeps before the active set is asked


class HardContacts(BasicRun):
    """Motion of the bodies, and the points at which they touch."""

    iterations = 0.0
    lifted: np.ndarray | None = None  # velocities that positions alone follow

    def __init__(self, method: Any, full: Data, data: Data, state: State, h: float) -> None:
        system = data.system
        self.method, self.full = method, full
        refuse_what_it_cannot(full)
        begun = state.restart
        if begun:
            keep = np.asarray(begun["keep"], bool)
            data = full if keep.all() else full.restricted(keep)
        self.data, self.time, self.h = data, state.time, h
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
        known = state if begun else accelerations(data, state)
        assert known.acceleration is not None
        self.acceleration = known.acceleration.copy()
        self.gamma = data.all_gamma(np.zeros(data.rows))
        if known.gamma is not None:
            self.gamma = known.gamma.copy()
        self.solver = AlongMechanism(data.pattern, system.length)  # where joints hold
        self.contact_rows = np.zeros(COLUMNS * len(self.candidates.contacts))
        gravity = float(np.linalg.norm(data.tables.gravity))
        self.scale = gravity if gravity > 0 else system.length  # an acceleration
        if begun:
            self.work_done[:], self.powers[:] = np.reshape(begun["work"], (2, 2))
            self.keys, self.before = np.asarray(begun["keys"]), np.asarray(begun["impulses"])
            self.sorted = np.asarray(begun["sorted"]).copy()
            self.contact_rows = np.asarray(begun["contacts"]).copy()
        else:
            self._place(self.motion)
            self._forces(self.time)
            self.powers[:] = data.work.power
            self._refuse_overlaps()

    def _refuse_overlaps(self) -> None:
        """Shapes that lie in each other where the run begins."""
        points = self._find()
        gaps = self.reals[:points, GAP]
        if points and gaps.min() < -DEEPEST * self.candidates.size:
            k = int(np.argmin(gaps))
            n = self.data.system.bodies
            one, two = (
                f"body '{self.data.system.names[b]}'" if b < n else "the ground"
                for b in self.ints[k, :2]
            )
            raise ModelError(
                f"{self.candidates.contacts[self.ints[k, CONTACT]].label}: {one} and {two} overlap "
                f"by {-gaps[k]:.3g} m at t = {self.time:g}; move them apart, or look for a shape "
                "that is too large"
            )

    def _place(self, motion: np.ndarray) -> None:
        w = self.data.work
        w.nodes[: self.data.system.bodies, :13] = motion
        set_rotations(w.nodes)

    def _forces(self, time: float) -> None:
        """Residual without accelerations and multipliers, matrix of masses and joints."""
        data = self.data
        w = data.work
        w.vdot[:], w.x[:], w.gamma[:], w.Ct[:] = 0.0, 0.0, 0.0, 0.0
        w.coef[:COEFS] = 0.0
        w.coef[TANGENT], w.coef[RATES] = float(data.rows > 0), float(data.part.moving)
        evaluate(data.equations, time, 1.0 / data.system.mass)

    def _find(self) -> int:
        """Points of contact at the positions in the work arrays; how many."""
        c, nodes = self.candidates, self.data.work.nodes
        if not len(c.shapes.body):
            return 0
        while True:
            count = sweep(c.shapes, c.table, nodes, self.centres, self.sorted, self.pairs)
            if count <= len(self.pairs):
                break
            self.pairs = np.zeros((2 * count, 2), np.int64)
        while True:
            points, i, j = collide(
                c.shapes, c.table, c.first, c.codes, c.rows, nodes, self.pairs, count, c.active,
                self.ints, self.reals,
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
