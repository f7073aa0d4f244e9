"""One run of a driven mechanism: steps in chunks, halves where they fail, results.

A step h whose positions are not found, or are found elsewhere than the motion leads, is taken as
h/2, h/4, … down to a thousandth of what moves bodies by half a radian or half of the mechanism's
size; where that does not help either the mechanism locks.  A step that ends on another branch and
has no such parts passes a singular position, and is taken as it is.  Where rows left out as
redundant are violated, the choice is made again.  Supplied and dissipated work are ∫ (γ·C_t +
loads) dt and ∫ (dampers) dt by the trapezoidal rule.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analysis.driven.steps import (
    DONE,
    JAMMED,
    LOST,
    OTHER,
    PIVOTS,
    REACH,
    Motion,
    drive_steps,
)
from linkwork.analysis.progress import Progress, next_chunk
from linkwork.analysis.projection import Projection
from linkwork.elements.failures import raise_if_failed
from linkwork.elements.layout import SIX, VEL
from linkwork.errors import AssemblyError, ConvergenceError, ModelError
from linkwork.integrators.blocked import blocked_motion
from linkwork.integrators.contract import BEGIN, StepRows, step_rows, steps_at
from linkwork.kernels.compiled import announce
from linkwork.linear_algebra import SingularMatrix
from linkwork.results.outputs.violation import violations
from linkwork.results.result import Result
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.independence import choose_rows, constraint_rows
from linkwork.system.initial_conditions.positions import close_joints
from linkwork.system.redundancy import MinimumNorm, Redundancy
from linkwork.system.state import State

HALVINGS = 10  # of a step that fails and in which bodies move by no more than REACH
PART = 0.47  # of a step that is halved: singular positions lie at even fractions of steps
MOST = 1024  # times REACH that bodies may move in a step that fails


class Unreachable(Exception):
    """No position at that time; `what` is wrong there."""

    def __init__(self, time: float, what: str) -> None:
        super().__init__()
        self.time, self.what = time, what


class Driven:
    """One run: the mechanism with its independent rows, where it is, and what was stored."""

    def __init__(
        self, full: Data, redundancy: Redundancy, data: Data, state: State, h: float,
        every: int,
    ) -> None:  # fmt: skip
        announce(drive_steps, "the steps of driven mechanisms", 9)
        self.full, self.h, self.every = full, h, every
        self.begin = state.time
        self.angles: dict[str, float] = {}  # turns counted before this run
        self.scale = row_scale(full.kept_rows, full.system.length)
        self.first = redundancy, data, state
        self.work, self.powers, self.until = np.zeros(2), np.zeros(2), state.time
        self.stored: list[tuple[np.ndarray, StepRows]] = []
        self.steps, self.status, self.what = 0, DONE, ""
        self.clock = clock.perf_counter()

    def use_rows(self, redundancy: Redundancy, data: Data, state: State) -> None:
        """Take these rows, at a state (with its accelerations, where they are known)."""
        self.data = data
        self.projection = p = Projection(data, compiled=True)
        data.load(replace(state, gamma=None))
        self.motion = Motion(
            factors=p.solver.tables, nodes=data.work.nodes.copy(),
            vdot=data.work.vdot[: data.system.bodies, :6].copy(),
            time=np.array([state.time]), column=p.column, row=p.row, weight=p.weight, body=p.body,
            diagonal=p.diagonal, columns=p.columns, last=np.zeros(len(p.weight)),
            vals=np.zeros(len(p.weight)), rhs=np.zeros(data.unknowns),
            rest=np.zeros(data.unknowns), kept=data.kept.astype(np.int64),
            memory=data.part.remembers, keeps=True,
            loaded=any(x.entry.reads for x in data.system.elements),
            report=np.zeros(2),
        )  # fmt: skip
        self.least: MinimumNorm | None = None
        if not data.keep.all():
            self.least = MinimumNorm(constraint_rows(self.full, state), redundancy)
        e = data.evaluate(replace(state, gamma=None, acceleration=None))
        self.motion.last[:] = p.weight * e.matrix.data
        try:
            p.factorise(e.matrix.data)
        except SingularMatrix:
            raise Unreachable(state.time, "its position is singular") from None

    @property
    def time(self) -> float:
        return float(self.motion.time[0])

    @property
    def state(self) -> State:
        """The last good motion."""
        data, m = self.data, self.motion
        return State(
            self.time, data.system.names, m.nodes[: data.system.bodies, :13].copy(), m.vdot.copy(),
            memory=data.memory,
        )  # fmt: skip

    # --------------------------------------------------------------------------------- running
    def go(self, end: float, progress: bool) -> Result:
        model = self.full.system.model
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
                raise_if_failed(model)
                raise self.locked(failure) from None
        raise_if_failed(model)
        return self.result()

    def next_chunk(self, size: int, spent: float) -> int:
        if self.least is not None and self.data.part.remembers:  # a step must not be taken back
            return 1
        return next_chunk(size, spent, 5000)

    def advance(self, times: np.ndarray, wanted: np.ndarray) -> None:
        """Steps at these times, storing those wanted; a step that fails is taken in halves."""
        first = 0
        while first < len(times):
            out, good = self.run(times[first:])
            if not good:
                out, good = self.reach(float(times[first]), self.halvings(float(times[first]))), 1
            part = slice(first, first + good)
            self.keep(times[part], out, wanted[part])
            first += good

    def halvings(self, time: float) -> int:
        """How often a step to this time may be halved."""
        system = self.full.system
        m, h = self.motion, time - self.time
        moved = h * np.abs(m.nodes[:-1, VEL : VEL + SIX] / m.column.reshape(-1, SIX)).max(axis=1)
        parts = float(moved.max(initial=0.0)) / REACH
        if parts > MOST:
            raise ModelError(
                f"body '{system.names[int(moved.argmax())]}' moves by {REACH * parts:.2g} rad "
                f"or lengths of '{system.model.name}' in a step of {h:.3g} s at t = "
                f"{self.time:.6g}, too far to know which of its positions the mechanism takes: "
                f"take h = {h * MOST / parts:.2g} s or less"
            )
        return HALVINGS + math.ceil(math.log2(max(1.0, parts)))

    def reach(self, time: float, halvings: int) -> StepRows:
        """One step in as many pieces as it takes."""
        out, good = self.run(np.array([time]))
        if good:
            return out
        if not halvings or time == self.begin:
            return self.pass_singular(time, Unreachable(time, self.what))
        crosses, before = self.status == OTHER, self.snapshot()
        middle = self.time + PART * (time - self.time)
        try:
            self.keep(np.array([middle]), self.reach(middle, halvings - 1), np.array([False]))
            return self.reach(time, halvings - 1)
        except Unreachable as failure:
            if not crosses:
                raise
            self.restore(before)
            return self.pass_singular(time, failure)

    def pass_singular(self, time: float, failure: Unreachable) -> StepRows:
        """One step that may end on another branch."""
        out, good = self.run(np.array([time]), keeps=False)
        if not good:
            raise failure
        return out

    def snapshot(self) -> tuple[Any, ...]:
        """What a step changes but for what it stores."""
        m = self.motion
        numbers = m.nodes.copy(), m.vdot.copy(), m.time.copy(), m.last.copy()
        rows = self.data, self.projection, self.motion, self.least
        return rows, numbers, self.data.memory, (self.work, self.powers, self.until, self.steps)

    def restore(self, before: tuple[Any, ...]) -> None:
        rows, numbers, memory, sums = before
        self.data, self.projection, self.motion, self.least = rows
        m = self.motion
        for mine, kept in zip((m.nodes, m.vdot, m.time, m.last), numbers, strict=True):
            mine[:] = kept
        self.data.memory = memory
        self.work, self.powers, self.until, self.steps = sums

    def run(self, times: np.ndarray, keeps: bool = True) -> tuple[StepRows, int]:
        """As many steps as go well, and their number; keeps: those on the branch of the last."""
        before, data = self.state, self.data
        out, done, tried = step_rows(self.full.system, len(times)), 0, -1
        steps = steps_at(times, data.schedule(times), np.zeros(0, np.int64))
        while True:
            motion = self.motion._replace(factors=self.projection.solver.tables, keeps=keeps)
            status = drive_steps(data.equations, motion, steps, out)
            done = int(steps.range[BEGIN])
            if status != PIVOTS or done == tried or not self.new_pivots():
                break
            tried = done
        self.status, self.what = status, self.explain(status)
        good = self.satisfied(times[:done], out, before.memory)
        if good < done:
            self.other_rows(before, times, out, good)
        return out, good

    def new_pivots(self) -> bool:
        """Pivots for the matrix that the compiled loop stopped at, unless it is singular."""
        try:
            self.projection.solver.factorise(self.motion.vals.copy(), anew=True)
        except SingularMatrix:
            return False
        return True

    def explain(self, status: int) -> str:
        if status == LOST:
            error, row = self.motion.report
            return f"largest residual {error:.2g} in {self.data.kept_rows[int(row)]}"
        if status == PIVOTS:
            return "its position is singular"
        if status == JAMMED:
            return "it jams: friction grows with the reactions that it makes"
        return "the position found lies elsewhere than the motion leads to"

    def satisfied(self, times: np.ndarray, out: StepRows, memory: np.ndarray | None) -> int:
        """How many of these steps satisfy also the rows that are not in the equations."""
        system = self.full.system
        if self.least is None or not len(times):
            return len(times)
        turns = None if memory is None else memory[None]
        parts = violations(system, times, out.motion[: len(times)], turns)
        C = np.concatenate([np.zeros((0, len(system.all_rows))), *(C for _, C, _ in parts)])
        bad = np.abs(self.scale * C).max(axis=1) > 1e-8
        return int(np.argmax(bad)) if bad.any() else len(times)

    def other_rows(self, before: State, times: np.ndarray, out: StepRows, good: int) -> None:
        """Back to the last good step, with rows that are independent where the next one leads."""
        full = self.full
        if good:
            before = replace(
                before, time=float(times[good - 1]), motion=out.motion[good - 1],
                acceleration=out.acceleration[good - 1],
            )  # fmt: skip
        ahead = replace(before, time=float(times[good]), motion=out.motion[good], acceleration=None)
        rows = self.first[0], self.data
        try:
            ahead = close_joints(full, ahead)
            found = choose_rows(full, ahead, warn=False)
            if found[1].rows == full.system.layout.rigid:
                rows = found
        except AssemblyError:
            self.what = "not all joints can be satisfied there"
        self.use_rows(*rows, before)

    # --------------------------------------------------------------------------------- results
    def keep(self, times: np.ndarray, out: StepRows, wanted: np.ndarray) -> None:
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
        part = StepRows(*(values[rows] for values in out._replace(work=work)))
        if self.least is not None:
            self.least_norm(times[rows], part)
        self.stored.append((times[rows], part))

    def least_norm(self, times: np.ndarray, part: StepRows) -> None:
        """Multipliers over all rows instead of the independent ones."""
        assert self.least is not None
        self.least.over(self.joints, times, part.motion, part.gamma)

    @cached_property
    def joints(self) -> Data:
        return self.full.system.data(elements=self.full.system.holding)

    def result(self) -> Result:
        time = np.concatenate([times for times, _ in self.stored])
        out = StepRows(*(np.concatenate(parts) for parts in zip(*(o for _, o in self.stored))))
        info = {
            "method": "kinematics", "h": self.h, "every": self.every, "steps": self.steps - 1,
            "seconds": clock.perf_counter() - self.clock, "angles": self.angles,
        }  # fmt: skip
        restart = {"memory": self.state.memory} if self.data.part.remembers else {}
        return Result(
            self.full.system, time, out.motion, out.acceleration, out.gamma, out.work,
            {"iterations": out.iterations}, info, restart,
        )  # fmt: skip

    def locked(self, failure: Unreachable) -> ConvergenceError:
        """One sentence about a position that cannot be reached."""
        cause = (
            f"{failure.what}; the mechanism locks here, or a drive asks for the impossible"
        )
        if blocked := blocked_motion(self.full):
            cause = f"{blocked}: its range ends here ({failure.what})"
        there = "the position at the start cannot be reached"
        if self.stored:
            there = (
                f"the results until t = {self.stored[-1][0][-1]:.6g} are in the attribute .result "
                "of this error"
            )
        return ConvergenceError(
            f"kinematics of '{self.full.system.model.name}' did not converge at t = "
            f"{failure.time:.6g}, "
            f"also with the step cut to pieces; {cause}, or a stored time falls on a singular "
            f"position, which another h avoids; {there}",
            time=failure.time, state=self.state if self.stored else None,
            result=self.result() if self.stored else None,
        )  # fmt: skip
