"""A run with energy-momentum steps: takes them, stores them, restarts from a saved state."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import ROT
from linkwork.integrators.contract import BEGIN, StepRows, step_rows, steps_at
from linkwork.integrators.left_out import watch_left_out_rows
from linkwork.integrators.second_order.recovery import RepairedRun
from linkwork.integrators.second_order.stepper import DONE, NO_CONVERGENCE
from linkwork.kernels.compiled import announce
from linkwork.linear_algebra.along_mechanism.kept_pivots import kept_pivots, pivots_to_keep
from linkwork.model.signals.held import due_at
from linkwork.nullspace import assembly as asm
from linkwork.nullspace import stepping as ns
from linkwork.nullspace.balance import Balance
from linkwork.nullspace.constrained import (
    Solution,
    StepMatrix,
    first_multipliers,
    has_mean_axes,
    solve_with_soft_rows,
    with_tangent,
)  # fmt: skip
from linkwork.nullspace.constraints.null_space import condition, reduced_matrix
from linkwork.nullspace.constraints.rows import choose_rows, constraint_rows, refuse_unknown
from linkwork.nullspace.directors import Directors
from linkwork.nullspace.motion import Parts
from linkwork.nullspace.prediction import COUNT
from linkwork.nullspace.sensing import ROUNDS, Sensing
from linkwork.system.data import Data
from linkwork.system.evaluate import Rows
from linkwork.system.initial_conditions.accelerations import factorise
from linkwork.system.redundancy import independent_rows
from linkwork.system.sensor_nodes import followed_at_all_times
from linkwork.system.state import State

CARRIED = ("base", "velocity", "coordinate", "past", "learned", "work", "mu")


class ReducedRun(RepairedRun):
    """Steps in joint coordinates; `system` keeps linkwork's rows, `parts` those of the scheme."""

    # radians in a step that are told of, and refused (motion.turns): by 2 atan(φ/2), not φ, the
    # scheme goes on turning at any speed, as the top of [B] does in steps of 7 rad
    turns = 0.5, 10.0

    def __init__(self, method: Any, full: Data, data: Data, state: State, h: float) -> None:
        self.method, self.full, self.h = method, full, h
        refuse_unknown(full.system)
        self.time = self.origin = state.time
        self.repairs = 0
        announce(ns.advance, "energy-momentum steps", 18)
        self.sensing = Sensing(full, state) if followed_at_all_times(full.system) else None
        self.condition = np.nan
        if state.restart:
            self._restart_from(state)
        else:
            self.data = data
            self._prepare(choose_rows(full, data, state), state.motion, state.memory)
            self.balance = Balance(data, state)
            self.pivot()

    def _prepare(self, stepping: Data, motion: np.ndarray, memory: np.ndarray | None) -> None:
        """Rows, forces, tree and arrays of the system to step with, from given poses."""
        if memory is not None and memory.size:
            stepping.memory = memory
        self.parts = Parts(stepping, motion, self.h, self.method)
        self._matrix: StepMatrix | None = None

    def _restart_from(self, state: State) -> None:
        """From the numbers of an earlier run: goes on with the same digits."""
        r = state.restart
        keep, own = np.asarray(r["keep"], bool), np.asarray(r["own_keep"], bool)
        self.data = self.full if keep.all() else self.full.restricted(keep)
        stepping = self.data if np.array_equal(own, keep) else self.full.restricted(own)
        self.origin = float(r["origin"])
        h, self.h = self.h, float(r["h"])
        self._prepare(stepping, state.motion, state.memory)
        m = self.parts.motion
        for name in CARRIED:
            getattr(m, name)[:] = r[name]
        if self.sensing is not None:
            self.sensing.recover(r)
        self.balance = Balance(self.data, state, r)
        self.pivot(kept_pivots(r))
        if h != self.h:
            self.set_step(h)

    # --------------------------------------------------------------------------------- stepping
    @property
    def work_done(self) -> np.ndarray:
        return self.parts.motion.work

    @property
    def iterations(self) -> float:
        return float(self.parts.motion.report[0])

    @property
    def own(self) -> dict[str, int]:
        tested = {"condition_number": 1} if self.method.condition_number else {}
        return {"kinetic_energy": 1, "angular_momentum": 3, **tested}

    @property
    def matrix(self) -> StepMatrix:
        """That of steps in directors, made when it is first used."""
        if self._matrix is None:
            self._matrix = StepMatrix(Directors(self.parts))
        return self._matrix

    @property
    def directors(self) -> Directors:
        return self.matrix.directors

    def set_step(self, h: float) -> None:
        m = self.parts.motion
        if h != self.h:
            m.learned[COUNT] = 0.0  # increments of another step predict nothing
            m.mu[:] *= (h / self.h) ** 2
        self.h = m.settings[asm.STEP] = h

    def pivot(self, pivots: tuple | None = None) -> None:
        """Choose pivots for the matrix of the next step."""
        p, s = self.parts, self.parts.data
        s.set_time(self.time + self.h / 2)
        ns.begin_step(p.tree, p.motion)
        self._assemble(self.time + self.h / 2)
        self.lu = factorise(s, pivots, two_sided=True)

    def _assemble(self, time: float) -> None:
        p, s = self.parts, self.parts.data
        if self.sensing is not None:
            self.sensing.put(s.work)
        asm.assemble_step_of(s.equations, p.scheme, time, True)

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """All steps at `times`, spaced by h; stores those with saved ≥ 0.  Raises StepFailure."""
        done = tried = 0
        due = due_at(self.full.system.sample_times, self.time, times)
        try:
            while done < len(times):
                before = done
                last = len(times)
                # reactions of a stored step need its turn counts
                if self.parts.data.part.remembers:
                    stops = (saved[done:-1] >= 0) | due[done:-1]
                    last = done + int(np.argmax([*stops, True])) + 1
                status, done = self._march(times, saved, out, done, last)
                if status != DONE:
                    tried = 1 if done > before else tried + 1
                    if self._repair(status, tried, float(times[done])):
                        self._store(out, int(saved[done]))
                        done += 1
                        tried = 0
                if self.parts.data.part.remembers:
                    self._balance(times, saved, out, before, done)
                if done > before and due[done - 1]:
                    self.parts.data.remember(self.state())
        finally:
            if not self.parts.data.part.remembers:
                self._balance(times, saved, out, 0, done)
        watch_left_out_rows(self.full, self.parts.data, self.state)

    def _march(
        self, times: np.ndarray, saved: np.ndarray, out: StepRows, done: int, last: int
    ) -> tuple[int, int]:
        """Steps from number `done` on, until one fails or `last` is reached."""
        if self.sensing is None:
            return self._steps(times, saved, out, done, last)
        for k in range(done, last):
            status = self._sensed_step(times[k : k + 1], out)
            if status != DONE:
                return status, k
            self._store(out, int(saved[k]))
        return DONE, last

    def _sensed_step(self, time: np.ndarray, out: StepRows) -> int:
        """One step under loads that follow sensors (nullspace.sensing)."""
        assert self.sensing is not None
        before, base = self.snapshot(), self.parts.motion.base.copy()
        self.sensing.begin()
        status = NO_CONVERGENCE
        for number in range(ROUNDS):
            self.sensing.put(self.parts.data.work)
            status, _ = self._steps(time, np.array([-1]), out, 0, 1)
            if status != DONE:
                break
            shown = self.sensing.shown(
                self.balance, base, self.parts.motion.base, self.h, float(time[0]) - self.h / 2,
                self.memory,
            )  # fmt: skip
            agrees = self.sensing.agrees(shown, number)
            if agrees:
                self.sensing.accept()
                return DONE
            report = self.parts.motion.report.copy()
            self.recover(before)
            self.parts.motion.report[:] = report
            status = NO_CONVERGENCE
            if agrees is None:
                break
        return status

    def _steps(
        self, times: np.ndarray, saved: np.ndarray, out: StepRows, done: int, last: int
    ) -> tuple[int, int]:
        """`_march` under loads that follow no sensors, or with what these show known."""
        p, s = self.parts, self.parts.data
        laws, run = s.schedule(times - self.h / 2), ns.ReducedSteps(p.scheme, self.lu)
        if not self.method.condition_number:
            steps = steps_at(times, laws, saved, done, last)
            status = ns.advance(s.equations, run, steps, out)
            now = int(steps.range[BEGIN])
            if now > done:
                self.time = float(times[now - 1])
            return status, now
        for k in range(done, last):
            q0, v0 = self.directors.q(p.motion.base), self.directors.v(p.motion.velocity)
            steps = steps_at(times, laws, np.full(len(times), -1), k, k + 1)
            status = ns.advance(s.equations, run, steps, out)
            if status != DONE:
                return status, k
            if self._is_looked_at(k, saved):
                solution = self._solution(q0, v0, float(times[k]) - self.h / 2)
                self.condition = condition(self._tested_matrix(solution))
            self.time = float(times[k])
            self._store(out, int(saved[k]))
        return DONE, last

    @staticmethod
    def _is_looked_at(k: int, saved: np.ndarray) -> bool:
        """Whether a step is stored, or the last before the run itself is asked for its numbers."""
        return bool(saved[k] >= 0) or k == len(saved) - 1

    def _solution(self, q0: np.ndarray, v0: np.ndarray, time: float) -> Solution:
        """The step just taken in directors, the internal multipliers from its residual."""
        d, h = self.directors, self.h
        q1 = d.q(self.parts.motion.base)
        base = self.parts.motion.base.copy()
        d.place(q0, self.parts.motion.base)
        f, force = d.forces(q0, q1, time)
        self.parts.motion.base[:] = base
        G = d.jacobian(0.5 * (q0 + q1))
        R = d.inertial(2 / h * (q1 - q0)[: d.n] - 2 * v0) + h * (f - d.weight)
        multiplier = np.linalg.lstsq(h * G.T.toarray(), -R, rcond=None)[0]
        return Solution(q0, q1, multiplier, self.matrix.tangent(h, multiplier, force))

    def _store(self, out: StepRows, row: int) -> None:
        if row >= 0:
            ns.store_row(self.parts.motion, out, row)
            if self.method.condition_number:
                out.own[row, 4] = self.condition

    def _balance(self, times: np.ndarray, saved: np.ndarray, out: StepRows, a: int, b: int) -> None:
        """Accelerations and multipliers of the steps a … b − 1 that were stored."""
        rows = saved[a:b][saved[a:b] >= 0]
        if len(rows):
            part = slice(int(rows[0]), int(rows[-1]) + 1)
            self.balance(
                times[a:b][saved[a:b] >= 0], out.motion[part], out.acceleration[part],
                out.gamma[part], self.memory, out.values[part],
            )  # fmt: skip

    @property
    def memory(self) -> np.ndarray:
        return self.parts.data.memory

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        self.parts.data.memory = values

    # ------------------------------------------------------------------------------- recovery
    @property
    def _solving(self) -> tuple[Data, np.ndarray]:
        return self.parts.data, self.parts.motion.report

    def _new_pivots(self, time: float) -> None:
        self._assemble(time - self.h / 2)
        self.lu = factorise(self.parts.data, two_sided=True)

    def _take(self, times: np.ndarray) -> tuple[int, int]:
        out = step_rows(self.full.system, len(times), sum(self.own.values()))
        status, done = self._march(times, np.arange(len(times)), out, 0, len(times))
        return status, int(out.iterations[:done].sum())

    def _solve_otherwise(self, time: float) -> bool:
        """The same step in directors and multipliers with rows that yield a little, for steps that
        end where rows of loops depend on each other; only close to the prediction."""
        if self.sensing is not None or not self.parts.data.rows:
            return False
        p, m, d, taken = self.parts, self.parts.motion, self.directors, self.snapshot()
        middle = time - self.h / 2
        p.data.set_time(middle)
        ns.begin_step(p.tree, m)
        predicted = m.end.copy()
        if not has_mean_axes(d.q(m.base), d.q(m.end)):
            self.recover(taken)
            return False
        status, step = solve_with_soft_rows(self.matrix, self._last_multipliers(middle), middle)
        off = np.abs(m.end - predicted)[:, :ROT]
        off[:, :3] /= m.settings[asm.LENGTH]
        if status != DONE or step is None or off.max() > ns.FAR:
            self.recover(taken)
            return False
        self._keep_multipliers(step.multiplier)
        if self.method.condition_number:
            self.condition = condition(self._tested_matrix(with_tangent(self.matrix, step)))
        ns.accept_poses(p.data.equations, p.scheme)
        self.time = time
        self.pivot()
        return True

    def _last_multipliers(self, time: float) -> np.ndarray:
        """λ of all rows in directors with which the step begins."""
        m = self.parts.motion
        joints = m.mu[1, :-1] * 2 * m.settings[asm.MASS] / self.h**2
        return first_multipliers(self.directors, joints, time)

    def _keep_multipliers(self, multiplier: np.ndarray) -> None:
        """Go on from the λ of a step in directors."""
        m, first = self.parts.motion, len(multiplier) - self.parts.data.rows
        m.mu[0, :-1] = multiplier[first:] * self.h**2 / (2 * m.settings[asm.MASS])

    def _tested_matrix(self, solution: Solution) -> np.ndarray:
        """The matrix whose condition number is asked for."""
        return reduced_matrix(self.directors, solution)

    def _other_rows(self) -> None:
        """Look again which rows are independent at the last good position."""
        state = self.state()
        keep = independent_rows(constraint_rows(self.full.system, state)).keep
        stepping = self.full if keep.all() else self.full.restricted(keep)
        old = self.parts.motion
        if not np.array_equal(stepping.keep, self.parts.data.keep):
            self._prepare(stepping, state.motion, self.memory)
            for name in set(CARRIED) - {"mu"}:
                getattr(self.parts.motion, name)[:] = getattr(old, name)
        self.parts.motion.learned[COUNT] = 0.0
        self.pivot()

    # ------------------------------------------------------------------------ states, restart
    def snapshot(self) -> tuple:
        arrays = [np.copy(a) for a in (*self.parts.motion, *self.lu.chosen)]
        reals = self.parts.data.numbers
        past = None if self.sensing is None else self.sensing.past
        counts = self.repairs, self.pieces, self.balance.snapshot()
        return self.parts, self.lu, arrays, reals, self.time, self.h, self.condition, past, counts

    def recover(self, snapshot: tuple) -> None:
        parts, self.lu, arrays, reals, self.time, self.h, self.condition, past, counts = snapshot
        self.repairs, self.pieces, balance = counts
        self.balance.recover(balance)
        if self.sensing is not None:
            self.sensing.past = past
        if parts is not self.parts:
            self.parts, self._matrix = parts, None
        for mine, copy in zip((*self.parts.motion, *self.lu.chosen), arrays, strict=True):
            mine[:] = copy
        self.parts.data.numbers = reals

    def own_now(self) -> np.ndarray:
        """The columns of `own` at the last good step."""
        out = np.full(sum(self.own.values()), self.condition)
        ns.own_numbers(self.parts.motion, Rows(out[None]))
        return out

    def state(self) -> State:
        """The last good step."""
        out = step_rows(self.full.system, 1, sum(self.own.values()))
        ns.store_row(self.parts.motion, out, 0)
        self.balance.now(self.time, out, self.memory)
        return State(
            self.time, self.data.system.names, out.motion[0], out.acceleration[0], out.gamma[0],
            self.memory, self.restart(), values=out.values[0],
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        m = self.parts.motion
        out: dict[str, Any] = {name: getattr(m, name).copy() for name in CARRIED}
        out["keep"], out["own_keep"] = self.data.keep.copy(), self.parts.data.keep.copy()
        out["method"] = np.frombuffer(repr(self.method).encode(), np.uint8).copy()
        out["origin"], out["h"] = np.array(self.origin), np.array(self.h)
        out["memory"] = self.memory
        if self.sensing is not None:
            out |= self.sensing.restart()
        return out | pivots_to_keep(self.lu) | self.balance.restart()
