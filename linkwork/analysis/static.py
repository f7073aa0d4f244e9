"""Statics: where all forces balance, C_qᵀγ = f(q), C(q, t) = 0, with nothing moving and t frozen.

Every iterate lies on the constraints.  There the multipliers are those of least squares, and what
they leave is the unbalanced force (scaled: lengths over L, W = diag(1/L², 1)),

    [W    C_qᵀ] [d]   [f ]
    [C_q  0   ] [γ] = [−C],        r = C_qᵀγ − f,    d: the way back to C = 0.

Newton's method with the exact tangent, K_c included (Peng et al. 2024),

    [K(γ)  C_qᵀ] [δ ]     [r]
    [C_q   0   ] [Δγ] = − [0],     |θ| ≤ 0.7, then back to C = 0, and halved until |r| falls.

It finds the equilibrium nearest in its sense, stable or not.  Where it fails:

1. load steps: the unbalanced force r₀ of the start is held by a dead load and let go in steps,
   r(λ) = r − (1 − λ) r₀, so that a load on an unloaded structure grows from nothing;
2. relaxation: [[K + μM̂, C_qᵀ], [C_q, 0]] with M̂ the regularised mass matrix, steps of implicit
   Euler on damped motion; μ falls while the forces do the work expected of them and rises where
   they do not, so that it goes downhill and ends in a stable equilibrium.

Stability: with C_q N = 0, the symmetric NᵀKN must have no negative eigenvalue; where forces are not
conservative, no s of (s² NᵀMN + s NᵀDN + NᵀKN) u = 0 may have a positive real part.
"""

from __future__ import annotations

import sys
import time as clock
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from linkwork.analysis.assemble import (
    Scale,
    assemble_model,
    choose_rows,
    constraint_rows,
    is_angle,
    solve_positions,
)
from linkwork.elements.layout import ACCEPT, TANGENT
from linkwork.errors import ConvergenceError, LinkworkError, ModelError, SingularError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.results.views import View
from linkwork.system.evaluate import evaluate
from linkwork.system.redundancy import MinimumNorm, independent_rows
from linkwork.system.sparse_lu import SingularMatrix, analyse, refactor, solve
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

TURN = 0.7  # rad, the most a body turns in one step
OPEN = 0.25  # how far a step may open the joints (lengths over L) before it counts as too long
CLOSED = 1e-12  # constraint error of an iterate, lengths over L and quaternion parts
REGULAR = 1e-12  # of the stiffness: keeps free motions without force from wandering
ROUND_OFF = 1e-15  # of the forces at work
LOOSE = 1e8  # a step this long (in L or rad) means that nothing holds the mechanism
GROWTH = 1e6  # in the elimination, before pivots are chosen anew
DENSE = 250  # degrees of freedom up to which stability is found from dense matrices
AXES = ("x", "y", "z", "rx", "ry", "rz")


# ----------------------------------------------------------------------------- the user's words


@dataclass(frozen=True)
class Equilibrium:
    """A position in which all forces balance.

    state : positions, zero velocities, multipliers of all rows;   stable : whether it returns to
    it after a small push (a free motion without stiffness does not count as unstable);
    eq["pin"].force : what a result has, for the one position;   report : how it was found.
    residual : largest unbalanced force, N (torques over L);   stiffness : the smallest eigenvalue
    of the stiffness of free motions, N m (displacements over L, rotations in rad)
    """

    state: State
    stable: bool
    report: str
    system: System = field(repr=False)
    method: str = "newton"
    iterations: int = 0
    residual: float = 0.0
    stiffness: float = np.inf

    @cached_property
    def result(self) -> Result:
        """The equilibrium as a result of one time."""
        return Result.of_state(self.system, self.state)

    def __getitem__(self, name: str) -> View:
        return self.result[name]

    def __repr__(self) -> str:
        return self.report


def static(
    model: Model, *, at: Any = None, time: float | None = None, loads: int = 1,
    tolerance: float = 1e-10, max_iterations: int = 60, progress: bool = True,
    constraint_stiffness: bool = True, line_search: bool = True,
) -> Equilibrium:  # fmt: skip
    """A position in which all forces balance, found from the described one (or from `at`).

    at             : a State, Result or Equilibrium to start from; it is assembled otherwise
    time           : at which drives are frozen (default: that of `at`, or 0)
    loads          : let the unbalanced force of the start act in so many equal steps
    tolerance      : largest unbalanced force, relative to the forces at work
    max_iterations : of each attempt (Newton's method, every load step, relaxation five times that)
    constraint_stiffness=False leaves K_c out, line_search=False takes full Newton steps in
    positions and multipliers, both without any fallback: to compare, not to use.

    Velocities are ignored and dampers do nothing.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(0.6, 0, -0.8)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> eq = lw.static(m)
    >>> eq.stable, [round(float(x), 6) + 0.0 for x in eq["bob"].position]
    (True, [0.0, 0.0, -1.0])
    """
    if not isinstance(loads, int) or loads < 1:
        raise ModelError(f"loads must be a whole number of at least 1, but {loads!r} was given")
    if not isinstance(max_iterations, int) or max_iterations < 1:
        raise ModelError(
            f"max_iterations must be a whole number of at least 1, but {max_iterations!r} was given"
        )
    tolerance = checks.number(tolerance, "tolerance", positive=True)
    if time is not None:
        time = checks.number(time, "time")
    full, system, state = beginning(model, at, time)
    talk = Talk(f"statics of '{model.name}'", progress)
    try:
        for _ in range(4):
            problem = Statics(
                full, system, tolerance, max_iterations, constraint_stiffness, line_search, talk
            )
            point, system, state = attempt(problem, state, loads)
            if point is not None:
                return problem.equilibrium(point)
    finally:
        raise_user_failure(model)
    raise ConvergenceError(
        f"statics of '{model.name}' ends in a position where the number of independent joint rows "
        "changes; start from another position (at=) or remove redundant rows", state=state,
    )  # fmt: skip


def beginning(model: Model, at: Any, time: float | None) -> tuple[System, System, State]:
    """All rows, independent rows, and where to start, at rest."""
    if at is None:
        assembled = assemble_model(model, time=0.0 if time is None else time)
        return assembled.full, assembled.system, at_rest(assembled.state)
    full = compile_model(model)
    state = at_rest(given_state(full, at, "at"))
    if time is not None:
        state = replace(state, time=time)
    state, _ = solve_positions(full, Scale(full, {}, []), state)
    return full, choose_rows(full, state)[1], state


def given_state(full: System, given: Any, word: str) -> State:
    """The state in a State, Result or Equilibrium, checked against the model."""
    state = given.state() if isinstance(given, Result) else getattr(given, "state", given)
    if not isinstance(state, State):
        raise ModelError(
            f"{word} must be a State or a Result, but {type(given).__name__} was given"
        )
    if state.bodies != full.names:
        raise ModelError(
            f"{word} has the bodies {list(state.bodies)}, but model '{full.model.name}' has "
            f"{list(full.names)}"
        )
    return replace(state, memory=full.described_state().memory) if state.memory is None else state


def at_rest(state: State) -> State:
    still = state.with_velocities(np.zeros(6 * len(state.bodies)))
    return replace(still, acceleration=None, gamma=None, restart={})


def attempt(
    problem: Statics, state: State, loads: int
) -> tuple[Point | None, System, State]:  # fmt: skip
    """An equilibrium; or None with other rows to try, where those left out do not hold."""
    full, system = problem.full, problem.system
    try:
        point = problem.find(state, loads)
    except ConvergenceError as error:
        if system.keep.all():
            raise
        other = choose_rows(full, error.state, warn=False)[1]
        if np.array_equal(other.keep, system.keep):
            raise
        return None, other, error.state
    if left_out_rows_hold(full, system, point.state):
        return point, system, point.state
    state, _ = solve_positions(full, Scale(full, {}, []), point.state)
    return None, choose_rows(full, state, warn=False)[1], state


def left_out_rows_hold(full: System, system: System, state: State) -> bool:
    """Whether the rows that are not in the equations are satisfied, too."""
    if system.keep.all():
        return True
    C = full.evaluate(state, tangent=False).C
    return bool(np.abs(row_scale(full) * C).max() < 1e-8)


def row_scale(system: System) -> np.ndarray:
    """1/L for rows that measure a length, 1 for the others."""
    return np.array([1.0 if is_angle(r.name) else 1 / system.length for r in system.kept_rows])


def raise_user_failure(model: Model) -> None:
    """A user's function that raised is the cause to report, not its consequences."""
    from linkwork.elements.user_force import raise_if_failed

    raise_if_failed(model)


class Talk:
    """A line now and then about a search that takes longer than a second."""

    def __init__(self, title: str, shown: bool) -> None:
        self.title, self.shown, self.next = title, shown, clock.perf_counter() + 1.0

    def say(self, method: str, iteration: int, residual: float) -> None:
        if self.shown and clock.perf_counter() > self.next:
            self.next = clock.perf_counter() + 2.0
            print(
                f"{self.title}: {method}, iteration {iteration}, largest unbalanced force "
                f"{residual:.2g} N", file=sys.stderr, flush=True,
            )  # fmt: skip


# ------------------------------------------------------------------------------ linear equations


class Saddle:
    """Solves [[A, C_qᵀ], [C_q, 0]] for a pattern that stays, choosing pivots anew where needed."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.lu: Any = None
        self.matrix: Any = None

    def factorise(self, vals: np.ndarray) -> None:
        """Raises SingularMatrix."""
        p = self.system.pattern
        self.matrix = sp.csr_matrix((vals, p.indices, p.indptr), shape=(p.unknowns,) * 2)
        if self.lu is not None and refactor(self.lu, vals) < GROWTH:
            return
        self.lu = analyse(p.indptr, p.indices, vals, p.groups, self.system.bodies)
        if not np.isfinite(refactor(self.lu, vals)):
            self.lu = None
            raise SingularMatrix("a pivot vanishes")

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        y = rhs.copy()
        solve(self.lu, y)
        for _ in range(2):
            correction = rhs - self.matrix @ y
            solve(self.lu, correction)
            y += correction
        return y


class Projection:
    """[[W, C_qᵀ], [C_q, 0]] in scaled unknowns: lengths over L, W = 1, multipliers in N m.

    column, row : what scaled displacements and multipliers are multiplied with;   weight : the
    same for the values of the matrix;   body : which of them belong to bodies
    """

    def __init__(self, system: System) -> None:
        L, p = system.length, system.pattern
        self.n = 6 * system.bodies
        self.column = np.tile([L] * 3 + [1.0] * 3, system.bodies)
        self.row = row_scale(system)
        rows, cols = np.repeat(np.arange(p.unknowns), np.diff(p.indptr)), p.indices
        scale = np.concatenate([self.column, self.row])
        self.weight = scale[rows] * scale[cols]
        self.body = (rows < self.n) & (cols < self.n)
        self.diagonal = np.flatnonzero(self.body & (rows == cols))
        self.saddle = Saddle(system)

    def factorise(self, values: np.ndarray) -> None:
        """From the values of any matrix of the system.  Raises SingularMatrix."""
        vals = self.weight * values
        vals[self.body] = 0.0
        vals[self.diagonal] = 1.0
        self.saddle.factorise(vals)

    def solve(self, top: Any = 0.0, bottom: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Scaled displacements and multipliers."""
        rhs = np.empty(self.n + len(self.row))
        rhs[: self.n], rhs[self.n :] = top, bottom
        y = self.saddle.solve(rhs)
        return y[: self.n], y[self.n :]


def remember(system: System, state: State) -> State:
    """Lets elements with a memory (turns of springs) know that the state was reached."""
    if not system.memory:
        return state
    system.load(state)
    system.work.coef[TANGENT], system.work.coef[ACCEPT] = 0.0, 1.0
    evaluate(system.kernels, system.tables, system.work, state.time, 0.0)
    system.work.coef[ACCEPT] = 0.0
    return replace(state, memory=system.tables.reals[system.memory_places].copy())


# ------------------------------------------------------------------------------------ the search


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

    def __init__(self, point: Point, loose: bool = False) -> None:
        super().__init__()
        self.point, self.loose = point, loose


class Statics:
    """One search with a fixed choice of independent rows; see the equations above."""

    def __init__(
        self, full: System, system: System, tolerance: float, max_iterations: int,
        constraint_stiffness: bool, line_search: bool, talk: Talk,
    ) -> None:  # fmt: skip
        self.full, self.system, self.talk = full, system, talk
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.constraint_stiffness, self.line_search = constraint_stiffness, line_search
        self.n, self.L = 6 * system.bodies, system.length
        self.projection, self.tangent = Projection(system), Saddle(system)
        p = self.projection
        self.column, self.row, self.weight = p.column, p.row, p.weight
        self.body, self.diagonal = p.body, p.diagonal
        self.hold = np.zeros(self.n)  # what is held of the unbalanced force, N m
        self.iterations = 0
        self.method = "newton"

    # --------------------------------------------------------------------------- one position
    def settle(self, state: State, far: bool = False) -> Point | None:
        """The point of the constraints near a state; None where it is too far or not finite."""
        for _ in range(25):
            e = self.system.evaluate(state, constraint_stiffness=False)
            C = self.row * e.C
            error = float(np.abs(C).max(initial=0.0))
            if not np.isfinite(error + np.abs(e.f).max()) or (error > OPEN and not far):
                return None
            try:
                self.projection.factorise(e.matrix.data)  # type: ignore[union-attr]
            except SingularMatrix:
                return None
            if error < CLOSED:
                return self.balance(state, e.f)
            way, _ = self.projection.solve(bottom=-C)
            if np.abs(way).max() > TURN and not far:
                return None
            state = state.moved(self.column * way)
        return None

    def balance(self, state: State, f: np.ndarray) -> Point:
        """Multipliers of least squares at a state whose projection is factorised."""
        loads = self.column * f.ravel() - self.hold
        force, gamma = self.projection.solve(top=-loads)
        force = -force
        gravity = np.linalg.norm(self.system.tables.gravity)
        weights = self.system.tables.bodies[:, 0].max() * gravity * self.L
        reactions = np.abs(gamma).max(initial=0.0)
        scale = max(weights, np.abs(self.column * f.ravel()).max(), reactions)
        return Point(remember(self.system, state), self.row * gamma, force, float(scale))

    def stiffness(self, point: Point) -> np.ndarray:
        """Values of the scaled saddle matrix with K at a point."""
        gamma = self.system.all_gamma(point.gamma)
        e = self.system.evaluate(
            replace(point.state, gamma=gamma), constraint_stiffness=self.constraint_stiffness
        )
        return self.weight * e.matrix.data  # type: ignore[union-attr]

    def direction(self, point: Point, mu: float = 0.0) -> np.ndarray | None:
        """The Newton step (with μ: of relaxation) in scaled units; None where it is singular."""
        vals = self.stiffness(point)
        scale = max(point.scale, 1e-300)
        vals[self.body] /= scale
        largest = max(1.0, float(np.abs(vals[self.body]).max(initial=0.0)))
        vals[self.diagonal] += REGULAR * largest
        if mu:
            masses, places = self.mass
            vals[places] += mu * masses
        try:
            self.tangent.factorise(vals)
        except SingularMatrix:
            return None
        rhs = np.concatenate([-point.force / scale, np.zeros(self.system.rows)])
        step = self.tangent.solve(rhs)[: self.n]
        return step if np.abs(step).max(initial=0.0) < LOOSE else None

    @cached_property
    def mass(self) -> tuple[np.ndarray, np.ndarray]:
        """M̂ over m L², regularised: blocks of bodies, and their places among the values."""
        system, p = self.system, self.system.pattern
        scale = self.column[:6] / np.sqrt(system.mass) / self.L
        blocks, places = [], []
        for b, row in enumerate(system.tables.bodies):
            block = la.block_diag(row[0] * np.eye(3), row[1:].reshape(3, 3))
            blocks.append(block * scale * scale[:, None] + 1e-3 * np.eye(6))
            base, stride = p.block(b, b)
            places.append(base + stride * np.arange(6)[:, None] + np.arange(6))
        return np.array(blocks), np.array(places)

    def enough(self, point: Point) -> bool:
        """Whether what is unbalanced is small against the forces at work, or round-off."""
        if point.largest <= self.tolerance * point.scale:
            return True
        if point.largest > 1e-6 * point.scale and point.scale > 0:
            return False
        stiffest = float(np.abs(self.stiffness(point)[self.body]).max(initial=0.0))
        return point.largest <= 1e-14 * stiffest

    # ------------------------------------------------------------------------------- attempts
    def find(self, state: State, loads: int) -> Point:
        """Newton's method, then load steps, then relaxation."""
        start = self.settle(state, far=True)
        if start is None:
            self.refuse_start(state)
        assert start is not None
        if not self.line_search:
            return self.plain_newton(start)
        try:
            return self.newton(start) if loads == 1 else self.load_steps(start, loads)
        except Lost as lost:
            if not self.constraint_stiffness:
                raise self.failure(lost, fallback=False) from None
        if loads == 1:
            try:
                return self.load_steps(start, 4)
            except Lost:
                pass
        try:
            return self.stable_rest(start)
        except Lost as lost:
            raise self.failure(lost) from None

    def newton(self, point: Point) -> Point:
        """Damped Newton steps until the residual is small and no step makes it smaller still."""
        for _ in range(self.max_iterations):
            self.talk.say(self.method, self.iterations, point.largest / self.L)
            done = self.enough(point)
            if done and point.largest <= ROUND_OFF * point.scale:
                return point
            step = self.direction(point)
            if step is None:
                if done:
                    return point
                raise Lost(point, loose=True)
            self.iterations += 1
            trial = self.search(point, step, 1 if done else 9)
            if done and (trial is None or trial.size > 0.5 * point.size):
                return point
            if trial is None:
                raise Lost(point)
            point = trial
        if self.enough(point):
            return point
        raise Lost(point)

    def search(self, point: Point, step: np.ndarray, halvings: int) -> Point | None:
        """The point at the longest of the steps 1, ½, ¼ … that reduces the unbalanced force."""
        factor = min(1.0, TURN / max(self.turn(step), 1e-300))
        for _ in range(halvings):
            trial = self.settle(point.state.moved(factor * self.column * step))
            if trial is not None and trial.size < (1 - 1e-4 * factor) * point.size:
                return trial
            factor /= 2
        return None

    @staticmethod
    def turn(step: np.ndarray) -> float:
        return float(np.abs(step.reshape(-1, 6)[:, 3:]).max(initial=0.0))

    def load_steps(self, start: Point, loads: int) -> Point:
        """The unbalanced force of the start is let go in steps, halved where Newton fails."""
        self.method = "newton with load steps"
        held, done, width = start.force.copy(), 0.0, 1.0 / loads
        point = start
        try:
            while done < 1.0:
                share = min(1.0, done + width)
                self.hold = (1.0 - share) * held
                eased = self.settle(point.state)
                try:
                    if eased is None:
                        raise Lost(point)
                    point = self.newton(eased)
                except Lost:
                    width /= 2
                    if width < 1.0 / (16 * loads):
                        raise
                    continue
                done = share if share < 1 - 1e-12 else 1.0
        finally:
            self.hold = np.zeros(self.n)
        return point

    def stable_rest(self, start: Point) -> Point:
        """Relaxation, started again with a push wherever it comes to rest without stability."""
        self.method = "relaxation"
        point = self.relax(start)
        for _ in range(5):
            found = stability(self, point)
            if found.stable or found.direction is None:
                break
            push = 0.05 * found.direction / np.abs(found.direction).max()
            pushed = self.settle(point.state.moved(self.column * push))
            if pushed is None:
                break
            point = self.relax(pushed)
        return point

    def relax(self, point: Point) -> Point:
        """Implicit Euler steps of damped motion, ever longer: downhill to a stable equilibrium."""
        mu, began = 10.0 * point.largest / max(point.scale, 1e-300), point
        for _ in range(5 * self.max_iterations):
            self.talk.say(self.method, self.iterations, point.largest / self.L)
            if self.enough(point):
                return self.newton(point)
            self.iterations += 1
            step = self.direction(point, mu)
            if step is None or self.turn(step) > TURN or step @ point.force >= 0:
                mu *= 4.0
                continue
            trial = self.settle(point.state.moved(self.column * step))
            gain = 0.0 if trial is None else self.work_ratio(point, trial, step, mu)
            if trial is None or gain < 0.1:
                mu *= 4.0
                continue
            point = trial
            mu *= 0.15 if gain > 0.7 else 0.5
            if np.abs(point.state.positions - began.state.positions).max() > 1e3 * self.L:
                raise Lost(point, loose=True)
        raise Lost(point)

    def work_ratio(self, point: Point, trial: Point, step: np.ndarray, mu: float) -> float:
        """Work of the unbalanced forces along the step over the work expected of them."""
        moved = trial.state.difference(point.state).ravel() / self.column
        done = 0.5 * float((point.force + trial.force) @ moved)
        s = step.reshape(-1, 6)
        inertia = float(np.einsum("bi,bij,bj->", s, self.mass[0], s))
        expected = 0.5 * float(point.force @ step) - 0.5 * mu * point.scale * inertia
        return done / expected if expected < 0 else 0.0

    def plain_newton(self, point: Point) -> Point:
        """Newton's method as in the textbook: full steps in positions and multipliers."""
        self.method = "newton without line search"
        state, gamma, system = point.state, point.gamma, self.system
        for _ in range(self.max_iterations):
            e = system.evaluate(
                replace(state, gamma=system.all_gamma(gamma)),
                constraint_stiffness=self.constraint_stiffness,
            )
            vals = self.weight * e.matrix.data  # type: ignore[union-attr]
            vals[self.body] /= point.scale
            r = np.concatenate([self.column * e.f.ravel() / point.scale, self.row * e.C])
            if np.abs(r).max() < self.tolerance:
                settled = self.settle(state)
                if settled is not None and self.enough(settled):
                    return settled
            self.iterations += 1
            try:
                self.tangent.factorise(vals)
            except SingularMatrix:
                raise self.failure(Lost(point, loose=True), fallback=False) from None
            y = self.tangent.solve(-r)
            if not np.abs(y).max() < LOOSE:
                raise self.failure(Lost(point, loose=True), fallback=False)
            state = state.moved(self.column * y[: self.n])
            gamma = gamma + point.scale * self.row * y[self.n :]
        raise self.failure(Lost(point), fallback=False)

    # ------------------------------------------------------------------------------ the answer
    def equilibrium(self, point: Point) -> Equilibrium:
        """The state with multipliers of all rows, its stability, and the report."""
        gamma = self.system.all_gamma(point.gamma)
        if not self.system.keep.all():
            rows = constraint_rows(self.full, point.state)
            gamma = MinimumNorm(rows, independent_rows(rows))(rows.Cq, gamma)
        state = replace(
            point.state, gamma=gamma, acceleration=np.zeros((self.system.bodies, 6)), restart={}
        )
        found = stability(self, point)
        residual = point.largest / self.L
        lines = [
            f"equilibrium of '{self.system.model.name}' at t = {state.time:g}: "
            f"{'stable' if found.stable else 'UNSTABLE'}{found.words}",
            f"  method      {self.method}, {self.iterations} iterations",
            f"  residual    {residual:.2g} N, against forces of {point.scale / self.L:.3g} N",
            f"  stability   {found.report}",
        ]
        return Equilibrium(
            state, found.stable, "\n".join(lines), self.full, self.method, self.iterations,
            residual, found.smallest,
        )  # fmt: skip

    def refuse_start(self, state: State) -> None:
        e = self.system.evaluate(state)
        if not np.all(np.isfinite(e.f)):
            body = self.system.names[int(np.argmin(np.isfinite(e.f).all(axis=1)))]
            raise ConvergenceError(
                f"statics of '{self.system.model.name}' cannot start: a force on body '{body}' is "
                "not a finite number", state=state,
            )  # fmt: skip
        raise SingularError(
            f"statics of '{self.system.model.name}' cannot start: in the given position the "
            "independent rows of its joints are too close to dependent; start from another one"
        )

    def failure(self, lost: Lost, fallback: bool = True) -> LinkworkError:
        """One sentence: what is unbalanced and where, and what to do."""
        point, name = lost.point, self.system.model.name
        b, i = divmod(int(np.argmax(np.abs(point.force))), 6)
        unit, over = ("N", self.L) if i < 3 else ("N m", 1.0)
        amount = f"{abs(point.force[6 * b + i]) / over:.2g} {unit}"
        body, axis = self.system.names[b], AXES[i]
        if lost.loose or self.direction(point) is None:
            if not self.constraint_stiffness:
                return SingularError(
                    f"statics of '{name}' without constraint stiffness is singular: no element has "
                    f"a stiffness that could balance {amount} on body '{body}' ({axis}); leave out "
                    "constraint_stiffness=False"
                )
            motion = f"along {axis}" if i < 3 else f"about {axis[1]}"
            return SingularError(
                f"statics of '{name}' has no answer: nothing holds body '{body}' {motion}, where "
                f"{amount} is unbalanced; add a joint, a spring or a balancing force"
                + ("" if fallback else ", or leave out line_search=False")
            )
        tried = ", also with load steps and relaxation" if fallback else ""
        return ConvergenceError(
            f"statics of '{name}' did not converge after {self.iterations} iterations{tried}; "
            f"largest residual {amount} in body '{body}', {axis}; start nearer to the equilibrium "
            "(at=), or raise loads or max_iterations",
            time=point.state.time, state=point.state,
        )  # fmt: skip


# ------------------------------------------------------------------------------------- stability


@dataclass(frozen=True)
class Stability:
    """stable; the smallest stiffness of free motions (N m) and its direction (scaled)."""

    stable: bool
    smallest: float
    direction: np.ndarray | None
    words: str
    report: str


def stability(problem: Statics, point: Point) -> Stability:
    """Whether free motions from an equilibrium come back."""
    free = problem.n - problem.system.rows
    if free <= 0:
        return Stability(True, np.inf, None, "", "nothing can move")
    n, vals, matrix = problem.n, *exact_tangent(problem, point)
    K, J = matrix[:n, :n], matrix[n:, :n]
    noise = 1e-9 * point.scale + 1e-12 * abs(K).max()
    if free > DENSE and conservative(problem, point, K, noise):
        return large_stability(problem, vals, K, noise, free)
    N = null_space(J.toarray(), n)
    Kr = N.T @ (K @ N)
    if np.abs(Kr - Kr.T).max() > max(1e-6 * np.abs(Kr).max(), noise):
        return unsymmetric_stability(problem, point, Kr, N, noise)
    values, vectors = la.eigh((Kr + Kr.T) / 2)
    return judged(problem, values, N @ vectors[:, 0], noise, free)


def exact_tangent(problem: Statics, point: Point) -> tuple[np.ndarray, sp.csr_matrix]:
    """The scaled saddle matrix with K_c, whatever the search left out: values, and as a matrix."""
    kept, problem.constraint_stiffness = problem.constraint_stiffness, True
    vals = problem.stiffness(point)
    problem.constraint_stiffness = kept
    p = problem.system.pattern
    return vals, sp.csr_matrix((vals, p.indices, p.indptr), shape=(p.unknowns,) * 2)


def null_space(J: np.ndarray, n: int) -> np.ndarray:
    """Orthonormal basis of the motions that independent rows allow."""
    if not J.shape[0]:
        return np.eye(n)
    return la.qr(J.T)[0][:, J.shape[0] :]


def judged(
    problem: Statics, values: np.ndarray, direction: np.ndarray, noise: float, free: int
) -> Stability:
    """From eigenvalues of the symmetric stiffness, smallest first."""
    falling, neutral = int(np.sum(values < -noise)), int(np.sum(np.abs(values) <= noise))
    b, i = divmod(int(np.argmax(np.abs(direction))), 6)
    motion = f"body '{problem.system.names[b]}' " + (
        f"moving along {AXES[i]}" if i < 3 else f"turning about its {AXES[i][1]}"
    )
    words = f", mostly by {motion}" if falling else ""
    if neutral and not falling:
        words = f", with {neutral} free motion{'s' * (neutral > 1)} without stiffness ({motion})"
    report = (
        f"smallest stiffness {values[0]:.4g} N m of {free} (displacements over "
        f"L = {problem.L:.4g} m, rotations in rad), {motion}"
    )
    return Stability(falling == 0, float(values[0]), direction, words, report)


def unsymmetric_stability(
    problem: Statics, point: Point, Kr: np.ndarray, N: np.ndarray, noise: float
) -> Stability:
    """From the motion of the linearised system: forces that are not conservative."""
    system, c = problem.system, sp.diags(problem.column)
    gamma = system.all_gamma(point.gamma)
    D = system.evaluate(replace(point.state, gamma=gamma), cK=0.0, cD=1.0).stiffness
    Mr, Dr = (N.T @ (c @ A @ c @ N) for A in (system.mass_matrix(), D))
    k = len(Kr)
    one, nil = np.eye(k), np.zeros((k, k))
    s = la.eigvals(np.block([[nil, one], [-Kr, -Dr]]), la.block_diag(one, Mr))
    s = s[np.isfinite(s) & (np.abs(s) < 1e12)]
    growth = float(s.real.max(initial=0.0))
    values = la.eigvals(Kr)
    real = values[np.abs(values.imag) <= noise].real
    falling = bool(np.any(real < -noise))
    stable = not falling and growth <= 1e-6 * float(np.abs(s).max(initial=0.0))
    kind = "by falling away" if falling else "by growing oscillation"
    return Stability(
        stable, float(values.real.min()), None, "" if stable else f", {kind}",
        f"forces are not conservative; fastest growth {growth:.3g} 1/s, smallest stiffness "
        f"{values.real.min():.4g} N m",
    )  # fmt: skip


def conservative(problem: Statics, point: Point, K: sp.csr_matrix, noise: float) -> bool:
    """Whether NᵀKN is symmetric, by its effect on a random motion; factorises the projection."""
    problem.settle(point.state)
    x = np.random.default_rng(1).normal(size=problem.n)
    x, _ = problem.projection.solve(top=x)
    forth, _ = problem.projection.solve(top=K @ x)
    back, _ = problem.projection.solve(top=K.T @ x)
    return bool(np.abs(forth - back).max() <= max(1e-6 * np.abs(forth).max(), noise))


def large_stability(
    problem: Statics, vals: np.ndarray, K: sp.csr_matrix, noise: float, free: int
) -> Stability:
    """Extreme eigenvalues by Lanczos: of NᵀKN for large negative ones, of its inverse for small."""
    n, nil = problem.n, np.zeros(problem.system.rows)
    inverse, projection, S = Saddle(problem.system), problem.projection, (K + K.T) / 2
    vals = vals.copy()
    vals[problem.diagonal] += REGULAR * max(np.abs(vals[problem.body]).max(), 1e-300)
    inverse.factorise(vals)

    def stiff(x: np.ndarray) -> np.ndarray:
        return projection.solve(top=S @ projection.solve(top=x.ravel())[0])[0]

    def soft(x: np.ndarray) -> np.ndarray:
        return projection.solve(top=inverse.solve(np.concatenate([x.ravel(), nil]))[:n])[0]

    bound = float(abs(S).sum(axis=1).max())  # of all eigenvalues: beyond it lies round-off
    found = [extreme(stiff, n, "SA")]
    found += [(1 / v, u) for v, u in (extreme(soft, n, "SA"), extreme(soft, n, "LA")) if v != 0]
    found = sorted((f for f in found if -bound <= f[0] < -noise or f[0] > 0), key=lambda f: f[0])
    return judged(problem, np.array([v for v, _ in found]), found[0][1], noise, free)


def extreme(product: Any, n: int, which: str) -> tuple[float, np.ndarray]:
    """An end of the spectrum of a symmetric operator and its vector, as far as Lanczos comes."""
    operator = LinearOperator((n, n), product, dtype=float)
    start = np.random.default_rng(0).normal(size=n)
    try:
        values, vectors = eigsh(operator, k=1, which=which, tol=1e-3, maxiter=200, v0=start)
    except ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
        if not len(values):
            return 0.0, start
    return float(values[0]), vectors[:, 0]
