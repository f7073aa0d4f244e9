"""Forces of actuators for a motion: directions ϑ_q, and the balance

    [φ_q; ϑ_q]ᵀ (λ, c) = f − f_g − M v̇

with φ the rows that hold without a drive.  At one state by least squares; over a whole motion of a
mechanism that is driven in all its freedom, whose multipliers γ are known, from C_qᵀγ, which is the
same right-hand side: equations of the size of the mechanism for all times at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.forces import torsion_spring as ts
from linkwork.elements.forces.stop import moves
from linkwork.elements.joints.joints import Joint
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.results.result import Result
from linkwork.system.data import Data
from linkwork.system.initial_conditions.agreement import agreement
from linkwork.system.initial_conditions.independence import choose_rows, constraint_rows
from linkwork.system.redundancy import MinimumNorm
from linkwork.system.state import State
from linkwork.system.system import System

TIGHT = 1e-8  # what the forces may leave of the equations of motion, relative
LARGE = 1e8  # forces over what they balance: their directions nearly depend on each other
DENSE = 1 << 20  # numbers of matrices that are made at once


class Actuators:
    """Directions ϑ_q of the actuators: names, units, and the forces for a motion."""

    def __init__(
        self, full: Data, names: Sequence[str] | None, driven: np.ndarray, loose: np.ndarray
    ) -> None:
        system = full.system
        if names is not None and not len(names):
            raise ModelError(
                "actuators of inverse is an empty list; name the joints that push, or leave it "
                "out, and those that are driven push themselves"
            )
        self.full, self.passive = full, ~(driven | loose)
        self.rows = np.zeros_like(driven)  # that actuators push along
        self.loaded = any(e.entry.reads for e in system.elements)  # friction depends on multipliers
        if names is None:
            self.rows = loose if loose.any() else driven
        self.joints: list[tuple[Any, str] | int] = []  # a joint and how it moves, or a driven row
        labels, units = [], []
        if names is None:
            rows = [(r, system.all_rows[r]) for r in np.flatnonzero(self.rows)]
            owners = [row.owner for _, row in rows]
            several = {name for name in owners if owners.count(name) > 1}
            for r, row in rows:
                item, kind = system.model[row.owner], {"rz": "turn", "z": "slide"}.get(row.name, "")
                plain = isinstance(item, Joint) and kind and not item.laws().get("a")
                plain = plain and (kind == "slide" or alone(rows, row))
                self.joints.append((item, kind) if plain else int(r))
                labels.append(f"{row.owner} {row.name}" if row.owner in several else row.owner)
                units.append("N m" if row.is_angle else "N")
        else:
            for name in names:
                joint = system.model[name]
                if not isinstance(joint, Joint):
                    raise ModelError(f"actuators of inverse must be joints; {joint.label} is none")
                motion = moves(joint, None, "an actuator of inverse")
                self.joints.append((joint, motion))
                labels.append(name)
                units.append("N m" if motion == "turn" else "N")
        self.names, self.units = tuple(labels), tuple(units)

    def share(self, state: State) -> None:
        """Which rows bear the loads of friction where joints repeat each other, and what spreads
        the reactions of the others: those of runs (system.initial_conditions.independence)."""
        held = self.passive | self.rows
        part = self.full if held.all() else self.full.restricted(held)
        redundancy, chosen = choose_rows(part, state, warn=False)
        self.bearing = chosen.keep
        self.spread = MinimumNorm(constraint_rows(part, state), redundancy)

    def driven_scale(self, row: int) -> float:
        """Of a driven row of C_q; one of a rotation is Im ρ, half of its angle."""
        return 2.0 if self.full.system.all_rows[row].is_angle else 1.0

    def forces(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """On second bodies: −c of the smallest (λ, c) that balance the motion; all multipliers."""
        values, gamma = self.balance(state, None)
        if not self.loaded:
            return values, gamma
        # friction under these loads, and what then loads it
        loads = agreement(lambda gamma: self.balance(state, gamma)[1], gamma)
        if loads is None:
            raise ModelError(
                f"'{self.full.system.model.name}' jams at t = {state.time:g}: "
                "friction grows with the "
                "reactions that it makes; look for a coefficient or a radius that is too large"
            )
        values, gamma = self.balance(state, loads)
        held = self.passive | self.rows
        Cq = self.full.evaluate(replace(state, gamma=None, acceleration=None)).Cq
        gamma[held] = self.spread(Cq[held], gamma[held])
        return values, gamma

    def balance(self, state: State, loads: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """`forces`, with friction under these multipliers."""
        system = self.full.system
        e = self.full.evaluate(replace(state, gamma=loads, acceleration=state.acceleration))
        J = e.Cq.toarray()
        if loads is not None:
            e.f.ravel()[:] -= J.T @ loads
        rows = np.array([
            self.driven_scale(x) * J[x] if isinstance(x, int)
            else direction(system, *x, state.motion[None])[0]
            for x in self.joints
        ])  # fmt: skip
        A = np.concatenate([J[self.passive], rows])
        y, *_ = np.linalg.lstsq(A.T, -e.f.ravel(), rcond=1e-11)
        left = np.abs(A.T @ y + e.f.ravel()).max()
        if left > TIGHT * max(1.0, np.abs(e.f).max()):
            raise ModelError(
                f"the actuators {', '.join(self.names)} cannot give '{system.model.name}' its "
                f"motion at t = {state.time:g}: {left:.3g} of the forces needed act where they do "
                "not; add actuators, or prescribe less"
            )
        gamma, held = np.zeros(len(J)), self.passive | self.rows
        if self.rows.any():
            gamma[held] = np.linalg.lstsq(J[held].T, -e.f.ravel(), rcond=1e-11)[0]
        else:
            gamma[held] = y[: len(A) - len(self.joints)]
        if self.loaded:
            force, gamma = J.T @ gamma, np.zeros(len(J))
            gamma[self.bearing] = np.linalg.lstsq(J[self.bearing].T, force, rcond=1e-11)[0]
        return -y[len(A) - len(self.joints) :], gamma

    def over(self, run: Result) -> tuple[np.ndarray, np.ndarray]:
        """`forces` at all stored times of a run of `kinematics`, whose multipliers it has."""
        system = self.full.system
        alone, n = system.data(elements=system.holding), system.layout.rigid
        values, gamma = np.zeros((len(run), len(self.joints))), np.zeros_like(run.gamma)
        square = int(self.passive.sum()) + len(self.joints) == n
        size = max(1, DENSE // (n * n))
        for first in range(0, len(run), size):
            part = slice(first, min(first + size, len(run)))
            sure = np.zeros(len(run.time[part]), bool)
            if square:
                J = alone.dense_jacobians(run.time[part], run.motion[part])
                sure = self.solved(J, run.motion[part], run.gamma[part], values[part], gamma[part])
            for k in first + np.flatnonzero(~sure):
                values[k], gamma[k] = self.forces(run.state(int(k)))
        return values, gamma

    def solved(
        self, J: np.ndarray, motion: np.ndarray, given: np.ndarray, values: np.ndarray,
        gamma: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Forces and multipliers into `values` and `gamma`; where they are beyond doubt."""
        rows = [
            self.driven_scale(x) * J[:, x] if isinstance(x, int)
            else direction(self.full.system, *x, motion)
            for x in self.joints
        ]
        A = np.concatenate([J[:, self.passive], np.stack(rows, axis=1)], axis=1).swapaxes(1, 2)
        loads = np.matmul(given[:, None], J)[:, 0]
        try:
            y = np.linalg.solve(A, loads[..., None])[..., 0]
        except np.linalg.LinAlgError:
            return np.zeros(len(J), bool)
        size = np.abs(loads).max(axis=1)
        left = np.abs(np.matmul(A, y[..., None])[..., 0] - loads).max(axis=1)
        passive = y.shape[1] - len(self.joints)
        values[:] = -y[:, passive:]
        if self.rows.any():
            gamma[:] = given
        else:
            gamma[:, self.passive] = y[:, :passive]
        sure = (left <= TIGHT * np.maximum(1.0, size)) & (np.abs(y).max(axis=1) <= LARGE * size)
        return np.asarray(sure | (size == 0.0))


def alone(rows: list, row: Any) -> bool:
    """Whether a row is its joint's only driven rotation: then there is one angle about its axis."""
    return sum(r.is_angle and r.owner == row.owner for _, r in rows) == 1


def direction(system: System, joint: Any, motion: str, stored: np.ndarray) -> np.ndarray:
    """∂ϑ/∂q of a joint's angle or displacement over stored motions (T, bodies, 13).

    Along body-axis increments of all bodies, (T, 6 bodies).
    """
    fa, fb = joint.frames
    number = {name: i for i, name in enumerate(system.names)}
    ends = [number.get(f.body.name, -1) for f in (fa, fb)]
    still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(stored), 1))
    a, b = (stored[:, i, :7] if i >= 0 else still for i in ends)
    out = np.zeros((len(stored), system.bodies + 1, 6))
    if motion == "turn":
        reals = np.zeros((1, ts.REALS))
        reals[0, :4], reals[0, 4:8] = fa.orientation, fb.orientation
        gP, gS = ts.quaternion_gradients(ts.relative_quaternion(reals, [a[:, 3:], b[:, 3:]]))
        out[:, ends[1], 3:] += gP @ rotations.matrix(fb.orientation).T
        out[:, ends[0], 3:] -= gS @ rotations.matrix(fa.orientation).T
    else:
        Ra, Rb = rotations.matrix(a[:, 3:]), rotations.matrix(b[:, 3:])
        e, sb = Ra @ rotations.matrix(fa.orientation)[:, 2], Rb @ fb.position
        arms = (b[:, :3] + sb - a[:, :3], Ra), (sb, Rb)
        for end, sign, (arm, R) in zip(ends, (-1.0, 1.0), arms, strict=True):
            out[:, end, :3] += sign * e
            out[:, end, 3:] += sign * np.einsum("tji,tj->ti", R, np.cross(arm, e))
    return out[:, :-1].reshape(len(stored), -1)
