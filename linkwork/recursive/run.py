"""A run in joint coordinates: reads them from the assembled state, steps, stores, restarts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.failures import raise_if_failed
from linkwork.errors import SingularError
from linkwork.integrators.contract import (
    BEGIN, BasicRun, StepFailure, StepRows, step_rows,
)  # fmt: skip
from linkwork.integrators.friction import refuse_bristles
from linkwork.integrators.blocked import COMPARE, blocked_motion, no_accelerations
from linkwork.kernels.compiled import announce
from linkwork.model.signals.held import due_at
from linkwork.recursive.loops import closing as cl
from linkwork.recursive.stepping import dormand_prince as dp
from linkwork.recursive.stepping import runge_kutta as rk
from linkwork.recursive.stepping.dormand_prince import TOO_SMALL
from linkwork.recursive.stepping.brakes import ROOM, brake_table
from linkwork.recursive.stepping.implicit import (
    NO_CONVERGENCE, StiffTree, advance_implicit, weights_of,
)  # fmt: skip
from linkwork.recursive.stepping.runs import TreeRun, TreeSteps
from linkwork.recursive.tree.contrast import judge_contrast
from linkwork.recursive.tree.layout import BALL, BODY, IV, TURN
from linkwork.recursive.tree.parts import Parts, Settings
from linkwork.recursive.reactions import TreeReactions
from linkwork.recursive.sampled_sensors import SampledSensors, steps_together
from linkwork.system.sensor_nodes import unsolved
from linkwork.system.state import State
from linkwork.system.data import Data

CARRIED = ("q", "v", "a", "work")
OPENING = 1000.0  # steps in which a rate may open a loop by the tolerance
STIFF_TOLERANCE = 1e-11  # of accelerations, relative


def settings_of(method: Any, h: float) -> Settings:
    corrections = {
        None: cl.NONE, "semi-analytic": cl.SEMI_ANALYTIC, "direct": cl.DIRECT,
        "baumgarte": cl.BAUMGARTE,
    }  # fmt: skip
    return Settings(
        corrections[method.correction], cl.PLAIN if method.metric == "plain" else cl.MASS,
        tuple(method.baumgarte) if method.correction == "baumgarte" else (0.0, 0.0),
        method.tolerance, method.max_iterations, OPENING * h,
    )  # fmt: skip


class RecursiveRun(BasicRun):
    """Steps of Recursive; `data` has the rows whose multipliers it computes."""

    # radians in a step of a body on a ball that are told of, and refused (motion.turns)
    turns = 0.5, 3.0

    def __init__(self, method: Any, full: Data, data: Data, state: State, h: float) -> None:
        self.method, self.full, self.h = method, full, h
        self.time = self.origin = state.time
        self.repairs = 0
        keep = state.restart["keep"] if state.restart else None
        self.parts = Parts(full, state, method.cuts, settings_of(method, h), keep)
        announce(rk.advance_rk4[self.parts.closed], "dynamics in joint coordinates", 7)
        self.data = self.parts.data
        self.reactions = TreeReactions(full, self.parts.topology)
        self.sensors: SampledSensors | None = None
        if self.parts.sensors:
            self.sensors = SampledSensors(full, self.parts.follows_sensors)
        self.motion = self.parts.motion()
        self._room()
        if state.memory is not None and state.memory.size:
            self.memory = state.memory
        if state.restart:
            for name, array in self.carried().items():
                array[:] = state.restart[name]
            self.origin, self.h = float(state.restart["origin"]), float(state.restart["h"])
            self.parts.set_time(self.time)
        else:
            self.motion.q[:], self.motion.v[:] = self.parts.read(state)
            self._begin()
            self._prepare()
        self.h = h

    def _room(self) -> None:
        """Arrays that a method needs besides those of every run."""

    def _prepare(self) -> None:
        """What a method begins with, after the accelerations at the start."""

    def carried(self) -> dict[str, np.ndarray]:
        """The arrays that go on from step to step."""
        arrays = {name: getattr(self.motion, name) for name in CARRIED}
        return {**arrays, "largest": self.parts.loops.largest, **self._sensed()}

    def _sensed(self) -> dict[str, np.ndarray]:
        """What is known of sensors that loads follow."""
        if not self.parts.follows_sensors:
            return {}
        return {"sensed": self.parts.loops.room, "shown": self.parts.outer.work.values}

    def _begin(self) -> None:
        """Accelerations at the start."""
        system = self.full.system
        m = self.motion
        self.parts.set_time(self.time)
        self._balance(m, step_rows(system, 0), -1)
        if not np.all(np.isfinite(m.a)):
            raise_if_failed(self.full.system)  # a function of the user
            if self.parts.loops.report[cl.UNSOLVED]:
                text = unsolved(system, self.time)
                raise SingularError(f"model '{system.model.name}' {text}")
            raise SingularError(self._massless())
        judge_contrast(self.parts.tree.ints, self.parts.sweep.sweep, system.names)

    @property
    def watched_bodies(self) -> np.ndarray:
        """Bodies that turn freely about a point: a step sees their rotation up to terms of h⁵."""
        ints = self.parts.tree.ints
        return ints[ints[:, TURN] == BALL, BODY]

    def _massless(self) -> str:
        bad = np.flatnonzero(~np.isfinite(self.motion.a))
        name, ints = self.parts.coordinates.velocity_names[int(bad[0])], self.parts.tree.ints
        body = int(ints[np.flatnonzero(ints[:, IV] <= bad[0]).max(), BODY])
        return (
            f"the equations are singular: body '{self.full.system.names[body]}' "
            f"(coordinate {name}) has "
            "no inertia and no joint that gives it one; give it mass and inertia, or a joint that "
            "ties it to a body that has"
        )

    # --------------------------------------------------------------------------------- stepping
    @property
    def memory(self) -> np.ndarray:
        return self.parts.outer.memory

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        self.parts.outer.memory = values

    @property
    def work_done(self) -> np.ndarray:
        return self.motion.work[:2]

    @property
    def iterations(self) -> float:
        return float(self.motion.counted[1] - self.motion.counted[0])

    @property
    def own(self) -> dict[str, int]:
        """The smallest pivot of the loops' equations, 0 where a row was left out (closing)."""
        return {} if not self.parts.closed else {"loop_pivot": 1}

    def own_now(self) -> np.ndarray:
        return self.parts.loops.report[[cl.PIVOT]][: len(self.own)]

    def set_step(self, h: float) -> None:
        self.h = h

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """All steps at `times`, spaced by h; stores those with saved ≥ 0.  Raises StepFailure."""
        rows = int(saved.max(initial=-1)) + 1
        p = self.parts
        self.motion = self.motion._replace(
            wrench=np.zeros((rows, len(p.tree.ints), 6)), gamma=np.zeros((rows, p.outer.rows))
        )
        done = 0
        try:
            march = self._march if self.sensors is None else self._march_to_samples
            status, done = march(times, saved, out)
            if status != rk.FINE:
                raise self._failure(status, float(times[done]))
        finally:
            if done:
                self.time = float(times[done - 1])
                kept = saved[:done][saved[:done] >= 0]
                self._multipliers(times[:done][saved[:done] >= 0], out, len(kept))

    def _march(self, times: np.ndarray, saved: np.ndarray, out: StepRows) -> tuple[int, int]:
        """Classic Runge-Kutta steps."""
        p = self.parts
        begins = np.concatenate([[self.time], times[:-1]])
        half = np.empty(2 * len(times) + 1)
        half[0], half[1::2], half[2::2] = self.time, (begins + times) / 2, times
        run = TreeRun(p.mechanism, self.motion)
        return self._take_steps(rk.advance_rk4, run, times, half, saved, out)

    def _take_steps(
        self, advance: Any, run: Any, times: np.ndarray, stages: np.ndarray, saved: np.ndarray,
        out: StepRows,
    ) -> tuple[int, int]:  # fmt: skip
        """Compiled steps with the laws at some stages: the status, and how many are done."""
        p, span = self.parts, np.array([0, len(times)])
        steps = TreeSteps(
            times, p.outer.schedule(stages), p.own_laws(stages), saved, span, self.h
        )
        return advance[p.closed](p.outer.equations, run, steps, out), int(span[BEGIN])

    def _march_to_samples(
        self, times: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> tuple[int, int]:
        """Steps with sensors: those that end at a sample are accepted when these are known."""
        due, done = due_at(self.full.system.sample_times, self.time, times), 0
        settings = self.parts.loops.settings
        usual = float(settings[cl.MEMORY])
        while done < len(times):
            part = slice(done, done + steps_together(due, done))
            settings[cl.MEMORY] = 0.0 if due[done] else usual
            status, taken = self._march(times[part], saved[part], out)
            settings[cl.MEMORY] = usual
            done += taken
            if taken:
                self.time = float(times[done - 1])
            if status != rk.FINE:
                return status, done
            if due[done - 1]:
                self._take_samples()
        return rk.FINE, done

    def _take_samples(self) -> None:
        """Accept the last step with what sensors show; accelerations jump with what is held."""
        state, before = self.state(), self.motion.a.copy()
        self.parts.outer.remember(replace(state, acceleration=None, gamma=None))
        self._balance(self.motion, step_rows(self.full.system, 0), -1)
        self._jump(self.motion.a - before)

    def _jump(self, change: np.ndarray) -> None:
        """What a method carries on besides accelerations that have jumped."""

    def _balance(self, motion: Any, out: StepRows, row: int) -> None:
        """Accelerations and powers at the motion's q and v, stored as a row if there is one."""
        p, now = self.parts, np.array([self.time])
        steps = TreeSteps(
            now, p.outer.schedule(now), p.own_laws(now), np.array([row]), np.array([0, 1]), 0.0
        )
        run = TreeRun(p.mechanism, motion)
        rk.advance_rk4[p.closed](p.outer.equations, run, steps, out)

    def _multipliers(self, times: np.ndarray, out: StepRows, rows: int) -> None:
        """Multipliers of all rows of the stored steps."""
        if not rows:
            return
        p, m = self.parts, self.motion
        out.gamma[:rows, p.outer.kept] = m.gamma[:rows]
        self.reactions(times, out.motion[:rows], m.wrench[:rows], out.gamma[:rows])
        if self.sensors is not None:
            self.sensors.fill(times, out, rows, self.memory)

    def _failure(self, status: int, time: float) -> StepFailure:
        loops = self.parts.loops
        if status == rk.NOT_CLOSED:
            row = int(np.argmax(np.abs(self.parts.outer.work.C[: self.parts.outer.rows])))
            where = str(self.parts.outer.kept_rows[row])
            off = float(loops.report[cl.OFF])
            what = f"could not close its loops at t = {time:.6g}"
            if blocked := blocked_motion(self.full):
                what += f"; {blocked}: {COMPARE}"
            else:
                what += (
                    f": {where} was off by {off:.2g} and Newton's method did not bring it back; "
                    "the mechanism may be in a singular position, or the step is too large"
                )
            return StepFailure(time, int(loops.settings[cl.ITERATIONS]), off, where, what)
        if status == NO_CONVERGENCE:
            cause = (
                "something else than the modes of flexible links, torsion springs and brakes about "
                "hinges is stiff here; try a smaller step, or lw.GeneralizedAlpha()"
            )
            if blocked := blocked_motion(self.full):
                cause = f"{blocked}: {COMPARE}; or {cause}"
            return StepFailure(
                time, self.method.max_iterations, float("nan"), "the accelerations",
                f"did not converge at t = {time:.6g} after {self.method.max_iterations} "
                f"iterations; {cause}",
            )  # fmt: skip
        if status == TOO_SMALL:
            return StepFailure(
                time, 1, float("nan"), "the step",
                f"needs steps below round-off near t = {time:.6g} to meet rtol and atol: the "
                "motion may have a jump or a singular position there",
            )  # fmt: skip
        if loops.report[cl.UNSOLVED]:
            loops.report[cl.UNSOLVED] = 0.0
            return StepFailure(
                time, 1, float("nan"), "the sensors", unsolved(self.full.system, time)
            )
        return StepFailure(
            time, 1, float("nan"), "the accelerations", no_accelerations(self.full, time)
        )

    # ------------------------------------------------------------------------ states, restart
    def snapshot(self) -> tuple:
        arrays = {name: array.copy() for name, array in self.carried().items()}
        counts = self.parts.loops.report.copy(), self.motion.counted.copy()
        return arrays, self.memory, self.time, self.h, counts

    def recover(self, snapshot: tuple) -> None:
        arrays, self.memory, self.time, self.h, (report, counted) = snapshot
        for name, array in self.carried().items():
            array[:] = arrays[name]
        self.parts.loops.report[:], self.motion.counted[:] = report, counted

    def state(self) -> State:
        """The last good step."""
        p = self.parts
        o = p.outer
        out = step_rows(self.full.system, 1)
        p.set_time(self.time)
        sensed = {name: array.copy() for name, array in self._sensed().items()}
        scratch = self.motion._replace(
            a=self.motion.a.copy(), work=self.motion.work.copy(), counted=np.zeros(2),
            wrench=np.zeros((1, len(p.tree.ints), 6)), gamma=np.zeros((1, o.rows)),
        )  # fmt: skip
        self._balance(scratch, out, 0)
        kept, self.motion = self.motion, scratch
        self._multipliers(np.array([self.time]), out, 1)
        self.motion = kept
        for name, array in self._sensed().items():
            array[:] = sensed[name]
        return State(
            self.time, self.full.system.names, out.motion[0], out.acceleration[0], out.gamma[0],
            self.memory, self.restart(), out.values[0],
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        out: dict[str, Any] = {name: array.copy() for name, array in self.carried().items()}
        out["keep"] = self.parts.keep.copy()
        out["method"] = np.frombuffer(repr(self.method).encode(), np.uint8).copy()
        out["origin"], out["h"] = np.array(self.origin), np.array(self.h)
        out["memory"] = self.memory
        return out


class AdaptiveRun(RecursiveRun):
    """Steps as long as the tolerance allows; `ahead` is where they stand, past the run's time."""

    turns = np.inf, np.inf

    def _room(self) -> None:
        refuse_bristles(
            self.full.system, "lw.Recursive('dormand-prince')",
            "lw.Recursive() or lw.GeneralizedAlpha()",
        )
        self.ahead = self.parts.motion()
        self.grid = np.zeros(dp.GRID)

    def carried(self) -> dict[str, np.ndarray]:
        names = ("q", "v", "a", "q0", "v0", "stages", "rates")
        ahead = {f"ahead_{name}": getattr(self.ahead, name) for name in names}
        return {**super().carried(), **ahead, "grid": self.grid}

    def _prepare(self) -> None:
        g, method = self.grid, self.method
        g[dp.NOW], g[dp.NEXT], g[dp.GROWTH] = self.time, self.h, 5.0
        g[dp.RTOL], g[dp.ATOL] = method.rtol, method.atol
        for name in ("q", "v", "a"):
            getattr(self.ahead, name)[:] = getattr(self.motion, name)

    def _march(self, times: np.ndarray, saved: np.ndarray, out: StepRows) -> tuple[int, int]:
        p = self.parts
        o = p.outer
        moving = bool(o.laws) or bool(p.driven)
        stages, span = np.zeros(0), np.array([0, len(times)])
        run = dp.AdaptiveTree(
            p.mechanism, self.motion, self.ahead, self.grid, np.array([self.time]),
            dp.A, dp.E, dp.C, dp.D, moving,
        )  # fmt: skip
        while True:
            done = int(span[BEGIN])
            if moving:  # the laws at the times of the next step, and at the time asked for
                stages = np.append(self.grid[dp.NOW] + dp.C * self.grid[dp.NEXT], times[done])
            steps = TreeSteps(
                times, o.schedule(stages), p.own_laws(stages), saved, span, self.h
            )
            status = dp.advance_adaptive[p.closed](o.equations, run, steps, out)
            done = int(span[BEGIN])
            if status != dp.REJECTED or not moving:
                return status, done

class StiffRun(RecursiveRun):
    """Steps of generalized-alpha in joint coordinates."""

    def _room(self) -> None:
        p, method = self.parts, self.method
        self.algorithmic = np.zeros((2, p.coordinates.nv))
        self.weights = weights_of(method.rho, STIFF_TOLERANCE, method.max_iterations)
        self.stiffness, self.brakes = p.stiffness(), brake_table(p)
        self.tried = np.zeros((len(self.brakes), ROOM))

    def carried(self) -> dict[str, np.ndarray]:
        return {**super().carried(), "algorithmic": self.algorithmic}

    def _prepare(self) -> None:
        self.algorithmic[:] = self.motion.a

    def _jump(self, change: np.ndarray) -> None:
        self.algorithmic += change

    def _march(self, times: np.ndarray, saved: np.ndarray, out: StepRows) -> tuple[int, int]:
        run = StiffTree(
            self.parts.mechanism, self.motion, self.weights, self.stiffness, self.algorithmic,
            self.brakes, self.tried,
        )  # fmt: skip
        return self._take_steps(advance_implicit, run, times, times, saved, out)


RUNS = {"rk4": RecursiveRun, "dormand-prince": AdaptiveRun, "implicit": StiffRun}
