"""Forces at a position on the constraints: what multipliers leave is the unbalanced force r.

The multipliers are those of least squares (scaled: lengths over L, W = diag(1/L², 1)),

    [W    C_qᵀ] [d]   [f ]
    [C_q  0   ] [γ] = [−C],        r = C_qᵀγ − f,    d: the way back to C = 0,

and the Newton step (with μ: of relaxation) is, K_c included (Peng et al. 2024),

    [K(γ) + μM̂  C_qᵀ] [δ ]     [r]
    [C_q        0   ] [Δγ] = − [0]

It balances where |r| ≤ tolerance · F, F the forces at work before they cancel, or where positions
are not known well enough to tell: |r| ≤ 16 ε |K| max(1, |r_b|/L), so that nothing at work is no
obstacle; each equation of a vector node has its own |K|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.analysis.projection import REFINED, Projection
from linkwork.analysis.scales import CLOSED
from linkwork.analysis.statics.bristles_at_rest import Bristles
from linkwork.analysis.statics.forces_at_work import forces_at_work
from linkwork.analysis.statics.rolled import Slip
from linkwork.analysis.statics.rotation import Rotation
from linkwork.analysis.statics.slender import SlenderParts
from linkwork.linear_algebra import SingularMatrix, linear_solver
from linkwork.system.data import Data
from linkwork.system.matrices import Evaluation
from linkwork.system.state import State

TURN = 0.7  # rad, the most a body turns in one step
OPEN = 0.25  # how far a step may open the joints (lengths over L) before it counts as too long
REGULAR = 1e-12  # of the stiffness: keeps free motions without force from wandering
KNOWN = 16 * float(np.finfo(float).eps)  # of its distance from the origin: where a point is
LOOSE = 1e8  # a step this long (in L or rad) means that nothing holds the mechanism
ROUND_OFF = 1e-15  # of the forces at work


@dataclass(frozen=True)
class Point:
    """A position that satisfies the joints: γ of least squares, and the unbalanced force.

    force : r in scaled units (times L for forces), N m;   scale : the forces at work there, N m
    """

    state: State
    gamma: np.ndarray
    force: np.ndarray
    scale: float

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.force))

    @property
    def largest(self) -> float:
        return float(np.abs(self.force).max(initial=0.0))


class Lost(Exception):
    """An attempt ended without an equilibrium; `point` is the best position it had."""

    def __init__(
        self, point: Point, loose: bool = False, iterations: int = 0, slow: bool = False
    ) -> None:
        super().__init__()
        self.point, self.loose, self.iterations, self.slow = point, loose, iterations, slow


class Balance:
    """Forces at positions that satisfy a fixed choice of independent rows, all in scaled units."""

    def __init__(self, data: Data, tolerance: float, constraint_stiffness: bool) -> None:
        system = data.system
        self.data, self.tolerance = data, tolerance
        self.constraint_stiffness = constraint_stiffness
        self.n, self.rigid, self.L = system.motions, system.layout.rigid, system.length
        self.projection, self.tangent = Projection(data), linear_solver(data.pattern)
        p = self.projection
        self.column, self.row, self.weight = p.column, p.row, p.weight
        self.body, self.diagonal = p.body, p.diagonal
        self.side = self.column.copy()  # what equations are multiplied with
        self.unit = 0.0  # N m, what counts as large among the equations of vector nodes
        self.hold = np.zeros(self.n)  # what is held of the unbalanced force, N m
        self.friction = Bristles(data)
        self.slender = SlenderParts(data)
        self.slip = Slip(data)
        self.senses_reactions = bool(len(data.tables.sensors))
        self.loads: np.ndarray | None = None  # multipliers (of all rows) for friction and sensors
        self.rotation: Rotation | None = None  # of the frame in which it rests

    def moving(self, state: State) -> State:
        """The state with velocities and accelerations of a steady rotation, if there is one."""
        return state if self.rotation is None else self.rotation.of(state)

    def measure_nodes(self, state: State) -> None:
        """Multiply the equations of vector nodes so that a change of a value by its size counts as
        much as the forces at work; their units may be any.

        What constraints hold is balanced by their multipliers, as forces are: it stays as it is.
        """
        if self.data.system.held_values.all():
            return
        point = self.settle(state, far=True)
        K = abs(self.tangent_of(state, True).stiffness)
        stiff = self.column[: self.rigid] * (K[: self.rigid] @ self.column)
        stiffest = stiff.max(initial=0.0)
        at_work = 0.0 if point is None else point.scale
        if at_work <= KNOWN * stiffest:  # round-off
            at_work = stiffest
        self.unit = at_work or 1.0
        size = (K[self.rigid :] @ self.column).ravel()
        side = self.unit / np.where(size > 0, size, 1.0)
        held = self.data.system.held_values
        self.side[self.rigid :] = np.where(held, self.column[self.rigid :], side)
        p = self.data.pattern
        rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
        equations = np.concatenate([self.side, self.row])
        unknowns = np.concatenate([self.column, self.row])
        self.weight = equations[rows] * unknowns[p.indices]

    def settle(
        self, state: State, far: bool = False, since: State | None = None
    ) -> Point | None:
        """The point of the constraints near a state; None where it is too far or not finite.

        since : a position from which it is reached without slip, by what rolls
        """
        for _ in range(25):
            e = self.data.evaluate(
                replace(self.moving(state), gamma=self.loads), constraint_stiffness=False
            )
            C = self.gap(e, state, since)
            error = float(np.abs(C).max(initial=0.0))
            if not np.isfinite(error + np.abs(e.residual).max()) or (error > OPEN and not far):
                return None
            try:
                values = e.matrix.data
                self.projection.factorise(values, straight=error >= CLOSED)
            except SingularMatrix:
                return None
            if error < CLOSED:
                return self.unbalanced(state, e.residual)
            way, _ = self.projection.solve(bottom=-C)
            if np.abs(way).max() > TURN and not far:
                return None
            state = state.moved(self.column * way)
        return None

    def gap(self, e: Evaluation, state: State, since: State | None) -> np.ndarray:
        """C, scaled, with the slip since a position that it is to be reached from."""
        if since is not None and self.slip:
            return self.row * (e.C + self.slip.between(since, state))
        return self.row * e.C

    def unbalanced(self, state: State, f: np.ndarray) -> Point | None:
        """Multipliers of least squares at a state whose projection is factorised."""
        reached = self.friction.reached(state)
        if reached is None:
            return None
        loads = self.side * f - self.hold
        force, gamma = self.projection.solve(top=-loads)
        force = -force
        if self.loads is not None:  # they were in f
            gamma = gamma + self.loads[self.data.kept] / self.row
        gravity = np.linalg.norm(self.data.tables.gravity)
        weights = self.data.system.inertias[:, 0].max(initial=0.0) * gravity * self.L
        reactions = np.abs(gamma).max(initial=0.0)
        sizes = forces_at_work(self.data, self.moving(state)).ravel()
        at_work = self.column[: self.rigid] * sizes
        scale = max(weights, at_work.max(initial=0.0), reactions, self.unit)
        return Point(reached, self.row * gamma, force, float(scale))

    def stiffness(self, point: Point, *, exact: bool = False) -> np.ndarray:
        """Values of the scaled saddle matrix with K at a point; with K_c anyway where `exact`."""
        state = self.loaded(point)
        e = self.tangent_of(state, exact)
        if self.rotation is None:
            return self.weight * e.matrix.data
        return self.weight * (e.matrix.data + self.inertia_stiffness(self.rotation, state))

    def tangent_of(self, state: State, exact: bool) -> Evaluation:
        return self.data.evaluate(state, constraint_stiffness=exact or self.constraint_stiffness)

    def loaded(self, point: Point) -> State:
        """The state at a point with its multipliers, and with its motion where it rotates."""
        return replace(self.moving(point.state), gamma=self.data.all_gamma(point.gamma))

    def inertia_stiffness(self, rotation: Rotation, state: State) -> np.ndarray:
        """What a rotation adds to the values of the matrix: D diag(Ω̃, ω̃) + M diag(Ω̃², 0)."""
        velocity, acceleration, _ = rotation.turns(self.data, state)
        D = sp.csr_array(self.data.evaluate(state, cK=0.0, cD=1.0).stiffness)
        change = sp.csr_array(
            D @ velocity + sp.csr_array(self.data.mass_matrix(state)) @ acceleration
        )
        p, values = self.data.pattern, np.zeros(len(self.body))
        rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
        values[self.body] = np.asarray(change[rows[self.body], p.indices[self.body]]).ravel()
        return values

    def damping(self, point: Point) -> tuple[sp.csr_array, sp.csr_array]:
        """M, and D of small motions from a point, in the rotating frame where there is one."""
        state = self.loaded(point)
        M = sp.csr_array(self.data.mass_matrix(state))
        D = sp.csr_array(self.data.evaluate(state, cK=0.0, cD=1.0).stiffness)
        if self.rotation is not None:
            D = D + M @ self.rotation.turns(self.data, state)[2]
        return M, sp.csr_array(D)

    def direction(
        self, point: Point, mu: float = 0.0, regular: float = REGULAR
    ) -> np.ndarray | None:
        """The Newton step (with μ: of relaxation) in scaled units; None where it is singular."""
        vals = self.stiffness(point)
        scale = max(point.scale, 1e-200 * float(np.abs(vals[self.body]).max(initial=0.0)), 1e-300)
        vals[self.body] /= scale
        largest = max(1.0, float(np.abs(vals[self.body]).max(initial=0.0)))
        if not self.slender:  # whose softest motions are as soft as that
            vals[self.diagonal] += regular * largest
        if mu:
            masses, places = self.mass
            vals[places] += mu * masses
            vals[self.diagonal[self.rigid :]] += mu  # as if each value had a time constant
        try:
            self.tangent.factorise(vals)
        except SingularMatrix:
            return None
        rhs = np.concatenate([-point.force / scale, np.zeros(self.data.rows)])
        step = self.tangent.solve(rhs, refined=REFINED)[: self.n]
        return step if np.abs(step).max(initial=0.0) < LOOSE else None

    @cached_property
    def mass(self) -> tuple[np.ndarray, np.ndarray]:
        """M̂ over m L², regularised: blocks of bodies, and their places among the values."""
        data, p = self.data, self.data.pattern
        scale = self.column[:6] / np.sqrt(data.system.mass) / self.L
        blocks = []
        for row in data.system.inertias:
            block = la.block_diag(row[0] * np.eye(3), row[1:].reshape(3, 3))
            blocks.append(block * scale * scale[:, None] + 1e-3 * np.eye(6))
        rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
        mine = self.body & (rows < self.rigid) & (p.groups[rows] == p.groups[p.indices])
        places = np.flatnonzero(mine)
        return np.array(blocks).reshape(-1, 6, 6), places.reshape(-1, 6, 6)

    def enough(self, point: Point) -> bool:
        """Whether what is unbalanced is small against the forces at work, or round-off."""
        if point.largest <= self.tolerance * point.scale:
            return True
        values = point.state.values[0] / self.column[self.rigid :]
        away = np.append(point.state.positions.ravel() / self.L, values)
        known = KNOWN * max(1.0, float(np.abs(away).max(initial=0.0)))
        return bool((np.abs(point.force) <= known * self.stiffness_of_rows(point)).all())

    def stiffness_of_rows(self, point: Point) -> np.ndarray:
        """The sums of rows of |K|; the largest for all that multipliers balance together."""
        p, vals = self.data.pattern, np.abs(self.stiffness(point))
        vals[~self.body] = 0.0
        rows = np.add.reduceat(vals, p.indptr[: self.n])
        together = np.append(np.ones(self.rigid, bool), self.data.system.held_values)
        rows[together] = rows.max(initial=0.0, where=together)
        return rows
