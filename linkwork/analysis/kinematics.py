"""Kinematics: the motion of a mechanism whose drives leave it no freedom, and what they must give.

At every time, with as many independent rows as unknowns,

    C(q, t) = 0        Newton's method from q₀ exp(h v + h²/2 v̇)
    C_q v  = −C_t      velocities
    C_q v̇  = Q_c       accelerations
    C_qᵀγ  = f − f_g − M v̇   multipliers: reactions and drive forces, of least norm over all rows

all by one factorisation of [[W, C_qᵀ], [C_q, 0]], which for a square C_q gives C_q⁻¹ and C_q⁻ᵀ,
in one compiled loop.  Supplied and dissipated work are the powers γ·C_t + (loads) and (dampers) by
the trapezoidal rule.  A step whose positions are not found, or are found elsewhere than the motion
leads, is taken in halves; where that does not help either the mechanism locks.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la

from linkwork.analysis.assemble import (
    Scale,
    assemble_model,
    choose_rows,
    constraint_rows,
    solve_positions,
    start_entries,
)
from linkwork.analysis.progress import Progress
from linkwork.analysis.static import (
    CLOSED,
    GROWTH,
    Projection,
    given_state,
    raise_user_failure,
    row_scale,
)
from linkwork.elements.body import INERTIA, MASS
from linkwork.elements.joints import ROW_NAMES, Joint
from linkwork.elements.layout import ACCEPT, CD, CK, KC, POS, QUAT, RATES, TANGENT, VEL
from linkwork.errors import AssemblyError, ConvergenceError, ModelError
from linkwork.integrators.implicit import make_output
from linkwork.integrators.stepping import Output
from linkwork.math.compiled import compiled
from linkwork.math.rotations import qexp, qmul
from linkwork.math.vectors import at4
from linkwork.model import checks
from linkwork.model.drives import polynomial
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.results.violation import violations
from linkwork.system.evaluate import evaluate, set_rotation
from linkwork.system.redundancy import MinimumNorm, Redundancy
from linkwork.system.sparse_lu import SingularMatrix, refactor, solve
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

CHUNK = 0.1  # seconds of computing between looks at the keyboard and the progress bar
HALVINGS = 10  # of a step that fails
NEAR = 0.05  # rad or L: corrections of the predicted position up to this are never a jump
ITERATIONS = 20


def kinematics(
    model: Model, t: float, h: float, *, start: Any = None, every: int = 1, progress: bool = True
) -> Result:
    """Positions, velocities, accelerations and drive forces of a fully driven mechanism.

    t, h  : end time and step (of output: the motion itself has no integration error)
    start : a State or Result that says where to begin (the model is assembled otherwise)
    every : store every so many steps; the start and the end are always stored

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(2, 0, 0)))
    >>> motor = m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 0, 1), angle=lw.ramp(3)))
    >>> kin = lw.kinematics(m, t=1, h=0.1, progress=False)
    >>> round(float(kin["arm"].velocity[0, 1]), 9)
    6.0
    """
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    if not isinstance(every, int) or every < 1:
        raise ModelError(f"every must be a whole number of at least 1, but {every!r} was given")
    full, redundancy, system, state = beginning(model, start)
    if t <= state.time:
        raise ModelError(
            f"t must be later than the start time {state.time:g}, but t = {t:g} was given"
        )
    require_driven(full, redundancy, state)
    return Driven(full, redundancy, system, state, h, every).go(t, progress)


def beginning(model: Model, start: Any) -> tuple[System, Redundancy, System, State]:
    """All rows, what is redundant among them, independent rows, and where to start."""
    if start is None:
        a = assemble_model(model)
        return a.full, a.redundancy, a.system, a.state
    full = compile_model(model)
    state = given_state(full, start, "start")
    angles = state.restart.get("angles")
    state = replace(state, gamma=None, acceleration=None)
    state, _ = solve_positions(full, Scale(full, {}, []), state)
    state = replace(state, restart={"angles": angles} if angles else {})
    return full, *choose_rows(full, state), state


def require_driven(full: System, redundancy: Redundancy, state: State) -> None:
    """Refuse a mechanism that its drives do not move completely."""
    free = 6 * full.bodies - redundancy.rank
    if not free:
        return
    found = moving_joints(full, state)
    where = f": drive for example {', '.join(found[:6])}" if found else ""
    raise ModelError(
        f"kinematics of '{full.model.name}' needs every motion driven, but {free} degree"
        f"{'s' * (free > 1)} of freedom {'are' if free > 1 else 'is'} not{where}; replace free "
        "joints by Motor or Actuator or give Lock a drive, or use lw.transient"
    )


def moving_joints(full: System, state: State) -> list[str]:
    """Free rows of joints that can move, as words: joint 'slider' (z)."""
    if full.bodies > 200:
        return []
    model = full.model
    free = {
        name: {row: polynomial([0.0]) for i, row in enumerate(ROW_NAMES) if i not in item.active}
        for name, item in model.items.items() if isinstance(item, Joint) and len(item.active) < 6
    }  # fmt: skip
    extended = compile_model(model, start_entries(model, free))
    Cq = extended.evaluate(replace(state, gamma=None, acceleration=None)).Cq.toarray()
    Cq *= np.tile([full.length] * 3 + [1.0] * 3, full.bodies)
    m = len(full.all_rows)
    N = la.null_space(Cq[:m], rcond=1e-9) if m else np.eye(6 * full.bodies)
    moves = np.abs(Cq[m:] @ N).max(axis=1, initial=0.0) > 1e-6
    rows: dict[str, list[str]] = {}
    for row, moving in zip(extended.all_rows[m:], moves, strict=True):
        if moving:
            rows.setdefault(row.owner, []).append(row.name)
    words = [f"joint '{name}' ({' '.join(names)})" for name, names in rows.items()]
    tied = {e for element in full.elements for e in element.ends if element.entry.rows}
    return words + [f"body '{n}'" for b, n in enumerate(full.names) if b not in tied]


# ------------------------------------------------------------------------------ compiled steps

DONE, LOST, PIVOTS, JUMP = 0, 1, 2, 3


class Motion(NamedTuple):
    """What the compiled loop carries from step to step."""

    nodes: np.ndarray  # (bodies + 1, NODE) the last good motion
    vdot: np.ndarray  # (bodies, 6)
    time: np.ndarray  # (1,)
    column: np.ndarray  # scales, as in Projection
    row: np.ndarray
    weight: np.ndarray
    body: np.ndarray
    diagonal: np.ndarray
    vals: np.ndarray  # the scaled matrix now factorised
    rhs: np.ndarray
    rest: np.ndarray
    kept: np.ndarray  # numbers of the rows in the equations among all rows
    memory: bool
    report: np.ndarray  # (2,) largest residual and its row, of the best iterate


@compiled
def move_bodies(nodes, start, step, factor):
    """nodes = start moved by factor × step, both by bodies; the same array is allowed."""
    size = 0.0
    for b in range(nodes.shape[0] - 1):
        for i in range(3):
            nodes[b, POS + i] = start[b, POS + i] + factor[6 * b + i] * step[6 * b + i]
        turn = (
            factor[6 * b + 3] * step[6 * b + 3],
            factor[6 * b + 4] * step[6 * b + 4],
            factor[6 * b + 5] * step[6 * b + 5],
        )
        q = qmul(at4(start, b, QUAT), qexp(turn))
        norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) ** 0.5
        for i in range(4):
            nodes[b, QUAT + i] = q[i] / norm
        set_rotation(nodes, b)
        for i in range(6):
            size = max(size, abs(step[6 * b + i]))
    return size


@compiled
def scaled_matrix(motion, vals):
    """motion.vals = [[1, C_qᵀ], [C_q, 0]], scaled."""
    for p in range(motion.weight.shape[0]):
        motion.vals[p] = 0.0 if motion.body[p] else motion.weight[p] * vals[p]
    for p in motion.diagonal:
        motion.vals[p] = 1.0


@compiled
def solve_refined(lu, tables, motion):
    """Solve for motion.rhs, which becomes the solution, with one step of refinement."""
    rest, y = motion.rest, motion.rhs
    rest[:] = y
    solve(lu, y)
    for e in range(y.shape[0]):
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            rest[e] -= motion.vals[p] * y[tables.indices[p]]
    solve(lu, rest)
    for e in range(y.shape[0]):
        y[e] += rest[e]


@compiled
def right_side(motion, C, factor):
    n = motion.column.shape[0]
    motion.rhs[:n] = 0.0
    for e in range(motion.row.shape[0]):
        motion.rhs[n + e] = factor * motion.row[e] * C[e]


@compiled
def find_position(kernels, tables, lu, work, motion, time, near):
    """Newton's method for C = 0 from work.nodes: status, and how many iterations it took."""
    best, travelled = np.inf, 0.0
    work.gamma[:] = 0.0
    work.vdot[:] = 0.0
    work.coef[CK] = work.coef[CD] = work.coef[ACCEPT] = work.coef[KC] = 0.0
    work.coef[TANGENT] = work.coef[RATES] = 1.0
    for iteration in range(ITERATIONS):
        work.Ct[:] = 0.0
        evaluate(kernels, tables, work, time, 0.0)
        error, worst = 0.0, 0
        for e in range(motion.row.shape[0]):
            size = motion.row[e] * abs(work.C[e])
            if not size <= error:
                error, worst = size, e
        if error < best:
            best = error
            motion.report[0], motion.report[1] = abs(work.C[worst]), worst
        if not error < 1e10:
            return LOST, iteration
        scaled_matrix(motion, work.vals)
        if not refactor(lu, motion.vals) < GROWTH:
            return PIVOTS, iteration
        if error < CLOSED:
            return (DONE if travelled <= near else JUMP), iteration
        right_side(motion, work.C, -1.0)
        solve_refined(lu, tables, motion)
        size = move_bodies(work.nodes, work.nodes, motion.rhs, motion.column)
        travelled += size
        if not size < 2.0:
            return LOST, iteration
    return LOST, ITERATIONS


@compiled
def find_motion(kernels, tables, lu, work, motion, time):
    """Velocities, accelerations and multipliers at a position, into work and motion."""
    n = motion.column.shape[0]
    right_side(motion, work.Ct, -1.0)
    solve_refined(lu, tables, motion)
    for i in range(n):
        work.nodes[i // 6, VEL + i % 6] = motion.column[i] * motion.rhs[i]
    work.coef[TANGENT] = 0.0
    work.Qc[:] = 0.0
    evaluate(kernels, tables, work, time, 0.0)
    right_side(motion, work.Qc, 1.0)
    solve_refined(lu, tables, motion)
    for i in range(n):
        motion.vdot[i // 6, i % 6] = motion.column[i] * motion.rhs[i]
    motion.rhs[n:] = 0.0
    for b in range(motion.vdot.shape[0]):
        a, m = motion.vdot[b], tables.bodies[b]
        for i in range(3):
            j = INERTIA + 3 * i
            f = work.f[b, i] + m[MASS] * a[i]
            torque = work.f[b, 3 + i] + m[j] * a[3] + m[j + 1] * a[4] + m[j + 2] * a[5]
            motion.rhs[6 * b + i] = -motion.column[6 * b + i] * f
            motion.rhs[6 * b + 3 + i] = -motion.column[6 * b + 3 + i] * torque
    solve_refined(lu, tables, motion)
    for e in range(motion.row.shape[0]):
        work.gamma[e] = motion.row[e] * motion.rhs[n + e]
    if motion.memory:
        work.coef[ACCEPT] = 1.0
        evaluate(kernels, tables, work, time, 0.0)


@compiled
def drive_steps(kernels, tables, lu, work, motion, times, schedule, out, first):
    """Steps from number `first`; returns the status and how many are done in all."""
    step, one = np.zeros(motion.column.shape[0]), np.ones(motion.column.shape[0])
    for k in range(first, times.shape[0]):
        h = times[k] - motion.time[0]
        length = 0.0
        for i in range(step.shape[0]):
            b, j = i // 6, i % 6
            step[i] = h * motion.nodes[b, VEL + j] + h * h / 2 * motion.vdot[b, j]
            length = max(length, abs(step[i]) / motion.column[i])
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        work.nodes[:] = motion.nodes
        move_bodies(work.nodes, motion.nodes, step, one)
        near = max(NEAR, 0.5 * length) if h > 0.0 else np.inf
        status, out.iterations[k] = find_position(
            kernels, tables, lu, work, motion, times[k], near
        )
        if status != DONE:
            return status, k
        find_motion(kernels, tables, lu, work, motion, times[k])
        motion.nodes[:] = work.nodes
        motion.time[0] = times[k]
        out.work[k, 0], out.work[k, 1] = work.power[0], work.power[1]
        for e in range(motion.row.shape[0]):
            out.gamma[k, motion.kept[e]] = work.gamma[e]
            out.work[k, 1] += work.gamma[e] * work.Ct[e]
        for b in range(motion.vdot.shape[0]):
            for i in range(13):
                out.motion[k, b, i] = work.nodes[b, i]
            for i in range(6):
                out.acceleration[k, b, i] = motion.vdot[b, i]
    return DONE, times.shape[0]


# ------------------------------------------------------------------------------------- the run


class Unreachable(Exception):
    """No position at that time; `what` is wrong there."""

    def __init__(self, time: float, what: str) -> None:
        super().__init__()
        self.time, self.what = time, what


class Driven:
    """One run: the mechanism with its independent rows, where it is, and what was stored."""

    def __init__(
        self, full: System, redundancy: Redundancy, system: System, state: State, h: float,
        every: int,
    ) -> None:  # fmt: skip
        self.full, self.h, self.every = full, h, every
        self.begin, self.angles = state.time, state.restart.get("angles", {})
        self.scale = row_scale(full)
        self.use_rows(redundancy, system, state)
        self.work, self.powers = np.zeros(2), np.zeros(2)
        self.stored: list[tuple[np.ndarray, Output]] = []
        self.steps = 0
        self.clock = clock.perf_counter()

    def use_rows(self, redundancy: Redundancy, system: System, state: State) -> None:
        """Take these rows, at a state (with its accelerations, where they are known)."""
        self.system = system
        self.projection = p = Projection(system)
        system.load(replace(state, gamma=None))
        self.motion = Motion(
            nodes=system.work.nodes.copy(), vdot=system.work.vdot[: system.bodies].copy(),
            time=np.array([state.time]), column=p.column, row=p.row, weight=p.weight, body=p.body,
            diagonal=p.diagonal, vals=np.zeros(len(p.weight)), rhs=np.zeros(system.unknowns),
            rest=np.zeros(system.unknowns), kept=system.kept.astype(np.int64),
            memory=system.memory, report=np.zeros(2),
        )  # fmt: skip
        self.least: MinimumNorm | None = None
        if not system.keep.all():
            self.least = MinimumNorm(constraint_rows(self.full, state), redundancy)
        e = system.evaluate(replace(state, gamma=None, acceleration=None))
        try:
            p.factorise(e.matrix.data)  # type: ignore[union-attr]
        except SingularMatrix:
            raise self.singular(state.time) from None

    @property
    def time(self) -> float:
        return float(self.motion.time[0])

    @property
    def state(self) -> State:
        """The last good motion."""
        system, m = self.system, self.motion
        memory = system.tables.reals[system.memory_places].copy()
        return State(
            self.time, system.names, m.nodes[: system.bodies, :13].copy(), m.vdot.copy(),
            memory=memory,
        )  # fmt: skip

    # --------------------------------------------------------------------------------- running
    def go(self, end: float, progress: bool) -> Result:
        model = self.full.model
        steps = max(1, math.ceil((end - self.begin) / self.h - 1e-6))
        done, chunk = 0, 1
        with Progress(model.name, self.begin, end, progress) as bar:
            try:
                self.advance(np.array([self.begin]), np.array([True]))
                while done < steps:
                    k = np.arange(done + 1, min(done + chunk, steps) + 1)
                    began = clock.perf_counter()
                    times = np.where(k == steps, end, self.begin + k * self.h)
                    self.advance(times, (k % self.every == 0) | (k == steps))
                    spent = clock.perf_counter() - began
                    done += len(k)
                    chunk = self.next_chunk(len(k), spent)
                    bar.update(self.time, done)
            except Unreachable as failure:
                raise_user_failure(model)
                raise self.locked(failure) from None
        raise_user_failure(model)
        return self.result()

    def next_chunk(self, size: int, spent: float) -> int:
        if self.least is not None and self.system.memory:  # a step must not be taken back
            return 1
        return max(1, min(int(size * min(CHUNK / max(spent, 1e-6), 8.0)), 5000))

    def advance(self, times: np.ndarray, wanted: np.ndarray) -> None:
        """Steps at these times, storing those wanted; each is halved where it fails."""
        first = 0
        while first < len(times):
            out, good = self.attempt(times[first:])
            self.keep(times[first : first + good], out, wanted[first : first + good])
            first += good
            if first < len(times):
                self.halves(float(times[first]), HALVINGS)
                first_out, _ = self.again(float(times[first]))
                self.keep(times[first : first + 1], first_out, wanted[first : first + 1])
                first += 1

    def attempt(self, times: np.ndarray) -> tuple[Output, int]:
        """As many steps as go well, with all rows satisfied."""
        before = self.state
        out, done, tried = make_output(self.full, len(times)), 0, -1
        schedule = self.system.schedule(times)
        while True:
            lu = self.projection.saddle.lu
            status, done = drive_steps(
                self.system.kernels, self.system.tables, lu, self.system.work, self.motion,
                times, schedule, out, done,
            )  # fmt: skip
            if status != PIVOTS or done == tried or not self.new_pivots():
                break
            tried = done
        self.status = status
        good = self.satisfied(times[:done], out)
        if good < done:
            self.other_rows(before, times, out, good)
        return out, good
