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
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

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
from linkwork.results.violation import constraints_alone, violations
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
    run = Driven(full, redundancy, system, state, h, every)
    run.angles = start.angles() if isinstance(start, Result) else {}
    return run.go(t, progress)


def beginning(model: Model, start: Any) -> tuple[System, Redundancy, System, State]:
    """All rows, what is redundant among them, independent rows, and where to start."""
    if start is None:
        a = assemble_model(model)
        return a.full, a.redundancy, a.system, a.state
    full = compile_model(model)
    state = given_state(full, start, "start")
    state = replace(state, gamma=None, acceleration=None, restart={})
    state, _ = solve_positions(full, Scale(full, {}, []), state)
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
        status, out.iterations[k] = find_position(kernels, tables, lu, work, motion, times[k], near)
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


@compiled
def row_values(kernels, tables, work, times, motion, schedule, values):
    """The values of C_q at stored motions, one row of `values` each."""
    begin = tables.indptr[6 * motion.shape[1]]
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    for k in range(times.shape[0]):
        for b in range(motion.shape[1]):
            for i in range(13):
                work.nodes[b, i] = motion[k, b, i]
            set_rotation(work.nodes, b)
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        evaluate(kernels, tables, work, times[k], 0.0)
        for p in range(values.shape[1]):
            values[k, p] = work.vals[begin + p]


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
        self.begin = state.time
        self.angles: dict[str, float] = {}  # turns counted before this run
        self.scale = row_scale(full)
        self.first = redundancy, system, state
        self.work, self.powers, self.until = np.zeros(2), np.zeros(2), state.time
        self.stored: list[tuple[np.ndarray, Output]] = []
        self.steps, self.what = 0, ""
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
            raise Unreachable(state.time, "its position is singular") from None

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
                self.use_rows(*self.first)
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
        """Steps at these times, storing those wanted; a step that fails is taken in halves."""
        first = 0
        while first < len(times):
            out, good = self.run(times[first:])
            if not good:
                out, good = self.reach(float(times[first]), HALVINGS), 1
            part = slice(first, first + good)
            self.keep(times[part], out, wanted[part])
            first += good

    def reach(self, time: float, halvings: int) -> Output:
        """One step in as many pieces as it takes."""
        out, good = self.run(np.array([time]))
        if good:
            return out
        if not halvings or time == self.begin:
            raise Unreachable(time, self.what)
        middle = (self.time + time) / 2
        self.keep(np.array([middle]), self.reach(middle, halvings - 1), np.array([False]))
        return self.reach(time, halvings - 1)

    def run(self, times: np.ndarray) -> tuple[Output, int]:
        """As many steps as go well, and their number."""
        before, system = self.state, self.system
        out, done, tried = make_output(self.full, len(times)), 0, -1
        schedule = system.schedule(times)
        while True:
            status, done = drive_steps(
                system.kernels, system.tables, self.projection.saddle.lu, system.work, self.motion,
                times, schedule, out, done,
            )  # fmt: skip
            if status != PIVOTS or done == tried or not self.new_pivots():
                break
            tried = done
        self.what = self.explain(status)
        good = self.satisfied(times[:done], out)
        if good < done:
            self.other_rows(before, times, out, good)
        return out, good

    def new_pivots(self) -> bool:
        """Pivots for the matrix that the compiled loop stopped at, unless it is singular."""
        saddle = self.projection.saddle
        kept, saddle.lu = saddle.lu, None
        try:
            saddle.factorise(self.motion.vals.copy())
        except SingularMatrix:
            saddle.lu = kept
            return False
        return True

    def explain(self, status: int) -> str:
        if status == LOST:
            error, row = self.motion.report
            return f"largest residual {error:.2g} in {self.system.kept_rows[int(row)]}"
        if status == PIVOTS:
            return "its position is singular"
        return "the position found lies elsewhere than the motion leads to"

    def satisfied(self, times: np.ndarray, out: Output) -> int:
        """How many of these steps satisfy also the rows that are not in the equations."""
        if self.least is None or not len(times):
            return len(times)
        C, _ = violations(self.full, times, out.motion[: len(times)])
        bad = np.abs(self.scale * C).max(axis=1) > 1e-8
        return int(np.argmax(bad)) if bad.any() else len(times)

    def other_rows(self, before: State, times: np.ndarray, out: Output, good: int) -> None:
        """Back to the last good step, with rows that are independent where the next one leads."""
        full = self.full
        if good:
            before = replace(
                before, time=float(times[good - 1]), motion=out.motion[good - 1],
                acceleration=out.acceleration[good - 1],
            )  # fmt: skip
        ahead = replace(before, time=float(times[good]), motion=out.motion[good], acceleration=None)
        rows = self.first[0], self.system
        try:
            ahead, _ = solve_positions(full, Scale(full, {}, []), ahead)
            found = choose_rows(full, ahead, warn=False)
            if found[1].rows == 6 * full.bodies:
                rows = found
        except AssemblyError:
            self.what = "not all joints can be satisfied there"
        self.use_rows(*rows, before)

    # --------------------------------------------------------------------------------- results
    def keep(self, times: np.ndarray, out: Output, wanted: np.ndarray) -> None:
        """Add up the work of these steps and store those wanted."""
        n = len(times)
        steps = np.diff(times, prepend=self.until)[:, None]
        powers = np.vstack([self.powers, out.work[:n]])
        work = self.work + np.cumsum(steps / 2 * (powers[1:] + powers[:-1]), axis=0)
        self.work, self.powers, self.until = work[-1], powers[-1], float(times[-1])
        self.steps += n
        rows = np.flatnonzero(wanted)
        if not len(rows):
            return
        part = Output(*(values[rows] for values in out._replace(work=work)))
        if self.least is not None:
            self.least_norm(times[rows], part)
        self.stored.append((times[rows], part))

    def least_norm(self, times: np.ndarray, part: Output) -> None:
        """Multipliers over all rows instead of the independent ones."""
        s = self.joints
        p, begin = s.pattern, int(s.pattern.indptr[6 * s.bodies])
        values = np.zeros((len(times), p.spare - begin))
        motion = np.ascontiguousarray(part.motion)
        row_values(s.kernels, s.tables, s.work, times, motion, s.schedule(times), values)
        pattern = p.indices[begin:], p.indptr[6 * s.bodies :] - begin
        shape = s.rows, 6 * s.bodies
        for gamma, data in zip(part.gamma, values, strict=True):
            gamma[:] = self.least(sp.csr_array((data, *pattern), shape=shape), gamma)  # type: ignore[misc]

    @cached_property
    def joints(self) -> System:
        return constraints_alone(self.full)

    def result(self) -> Result:
        time = np.concatenate([times for times, _ in self.stored])
        out = Output(*(np.concatenate(parts) for parts in zip(*(o for _, o in self.stored))))
        info = {
            "method": "kinematics", "h": self.h, "every": self.every, "steps": self.steps - 1,
            "seconds": clock.perf_counter() - self.clock, "angles": self.angles,
        }  # fmt: skip
        restart = {"memory": self.state.memory} if self.system.memory else {}
        return Result(
            self.full, time, out.motion, out.acceleration, out.gamma, out.work,
            {"iterations": out.iterations}, info, restart,
        )  # fmt: skip

    def locked(self, failure: Unreachable) -> ConvergenceError:
        """One sentence about a position that cannot be reached."""
        there = "the position at the start cannot be reached"
        if self.stored:
            there = (
                f"the results until t = {self.stored[-1][0][-1]:.6g} are in the attribute .result "
                "of this error"
            )
        return ConvergenceError(
            f"kinematics of '{self.full.model.name}' did not converge at t = {failure.time:.6g}, "
            f"also with the step cut to 1/{2**HALVINGS}; {failure.what}; the mechanism locks or "
            f"passes a singular position here, or a drive asks for the impossible; {there}",
            time=failure.time, state=self.state if self.stored else None,
            result=self.result() if self.stored else None,
        )  # fmt: skip
