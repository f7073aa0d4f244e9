"""Multipliers of the lock joints from the wrenches in the tree.

A joint of the tree puts the wrench (n, f) on its body.  Seen from the lock joint's second body b,
about the driven marker P and in the main marker's axes S (elements.joints.lock),

    γ_f = −R_Sᵀ f_b,      P(ρ) γ_m = −R_Sᵀ n_b,   P(ρ) = (s I + ṽ)/2

over the active rows.  A universal joint's row is a torque about the normal of its arms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.elements.joints.lock import LEVEL, LOCK, QA, QB, QT, REALS, UB
from linkwork.elements.joints.orthogonal import EA, EB, ORTHOGONAL
from linkwork.kernels import rotations
from linkwork.model.registry import Entry
from linkwork.recursive.tree.tables import markers
from linkwork.recursive.tree.topology import Step, Topology
from linkwork.system.compilation.numbering import Element
from linkwork.system.data import Data
from linkwork.system.system import System


PLAIN = Entry(LOCK, (), np.zeros(REALS), tuple(range(6)))
PLAIN.reals[[QT, QA, QB]] = 1.0


class TreeReactions:
    """Gathers the joints of the tree once, so that all of them are computed together."""

    def __init__(self, full: Data, topology: Topology) -> None:
        system = full.system
        self.full = full
        locks, crosses = [], []
        for i, step in enumerate(topology.steps):
            if step.edge is None:
                continue
            for number in step.edge.elements:
                element = system.elements[number]
                if element.entry.family is LOCK:
                    locks.append((i, step, element))
                elif element.entry.family is ORTHOGONAL:
                    crosses.append((i, step, element))
                elif step.link is not None:  # rows as of a lock joint, at the origins of both
                    locks.append((i, step, replace(element, entry=PLAIN, ends=element.ends[:2])))
        self.locks, self.crosses = Gathered(system, locks), Gathered(system, crosses)
        self.ends = np.array([e.entry is PLAIN for _, _, e in locks], bool)
        self.driven = [(j, e) for j, (_, _, e) in enumerate(locks) if e.entry.laws]
        self.active = np.zeros((len(locks), 6), bool)
        self.rows = np.zeros((len(locks), 6), int)
        for j, (_, _, e) in enumerate(locks):
            for k, row in enumerate(e.entry.rows):
                self.active[j, row], self.rows[j, row] = True, e.first_row + k

    def __call__(
        self, times: np.ndarray, motion: np.ndarray, wrench: np.ndarray, gamma: np.ndarray
    ) -> None:
        """Fill gamma (T, all rows) from wrenches (T, bodies of the tree, 6) about their P."""
        known = ground_behind(motion)
        if self.locks.count:
            self._locks(times, known, wrench, gamma)
        if self.crosses.count:
            c = self.crosses
            n, _ = c.on_second(known, wrench)
            ea = turned(known[:, c.a, 3:7], c.reals[:, EA : EA + 3])
            eb = turned(known[:, c.b, 3:7], c.reals[:, EB : EB + 3])
            normal = np.cross(ea, eb)
            gamma[:, c.first] = np.sum(n * normal, 2) / np.sum(normal**2, 2)

    def _locks(self, times, known, wrench, gamma) -> None:
        c = self.locks
        n, f = c.on_second(known, wrench)
        qS = rotations.multiply(known[:, c.a, 3:7], c.reals[None, :, QA : QA + 4])
        qP = rotations.multiply(known[:, c.b, 3:7], c.reals[None, :, QB : QB + 4])
        rho = rotations.multiply(rotations.conjugate(qS), qP)
        flip = self.ends & (rho[..., 0] < 0)  # their rows take the quaternion of the smaller turn
        rho[flip] *= -1
        for j, element in self.driven:
            (law,) = element.entry.laws
            qt = law.values(times).reshape(len(times), 3, LEVEL)[:, 0, QT : QT + 4]
            rho[:, j] = rotations.multiply(rho[:, j], rotations.conjugate(qt))
        RS = rotations.matrix(qS)
        force = -np.einsum("tjba,tjb->tja", RS, f)
        moment = -np.einsum("tjba,tjb->tja", RS, n)
        P = 0.5 * (rho[..., :1, None] * np.eye(3) + rotations.tilde(rho[..., 1:]))
        held = self.active[None, :, 3:]
        P = P * held[:, :, None, :]
        normal = np.einsum("tjba,tjbc->tjac", P, P) + (~held)[..., None] * np.eye(3)
        right = np.einsum("tjba,tjb->tja", P, moment)
        torque = np.linalg.solve(normal, right[..., None])[..., 0]
        for part, first in ((force, 0), (torque, 3)):
            for i in range(3):
                which = self.active[:, first + i]
                gamma[:, self.rows[which, first + i]] = part[:, which, i]


class Gathered:
    """Joints of one family: their bodies, numbers, and places in the tree."""

    def __init__(self, system: System, joints: list[tuple[int, Step, Element]]) -> None:
        self.count = len(joints)
        self.place = np.array([i for i, _, _ in joints], int)
        ground = system.bodies
        ends = [[b if b >= 0 else ground for b in e.ends] for _, _, e in joints]
        self.a, self.b = np.array(ends, int).reshape(-1, 2).T
        self.turned = np.array([step.turned for _, step, _ in joints], bool)
        self.reals = np.array([e.entry.reals for _, _, e in joints])
        self.first = np.array([e.first_row for _, _, e in joints], int)
        there = [markers(step, step.motion)[1].position for _, step, _ in joints]
        self.point = np.array(there).reshape(-1, 3)  # P on the body of the tree
        self.lock = bool(joints) and joints[0][2].entry.family is LOCK

    def on_second(self, known: np.ndarray, wrench: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Moment about the driven marker and force on the joint's second body, world axes."""
        n, f = wrench[:, self.place, :3], wrench[:, self.place, 3:]
        if self.lock:
            child = np.where(self.turned, self.a, self.b)
            P = known[:, child, :3] + turned(known[:, child, 3:7], self.point)
            driven = known[:, self.b, :3] + turned(
                known[:, self.b, 3:7], self.reals[:, UB : UB + 3]
            )
            n = n + np.cross(P - driven, f)
        sign = np.where(self.turned, -1.0, 1.0)[None, :, None]
        return sign * n, sign * f


def ground_behind(motion: np.ndarray) -> np.ndarray:
    """Positions and orientations with the ground as the last body."""
    out = np.zeros((motion.shape[0], motion.shape[1] + 1, 7))
    out[:, :-1] = motion[:, :, :7]
    out[:, -1, 3] = 1.0
    return out


def turned(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Vectors u (J, 3) of bodies in world axes, at orientations q (T, J, 4)."""
    return np.einsum("tjab,jb->tja", rotations.matrix(q), u)
