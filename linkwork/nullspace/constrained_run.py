"""A run with constrained steps: directors and multipliers in place of joint coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.integrators.contract import StepRows
from linkwork.integrators.second_order.stepper import DONE
from linkwork.nullspace import stepping as ns
from linkwork.nullspace.constrained import Solution, solve_step, with_tangent
from linkwork.nullspace.constraints.null_space import condition, constrained_matrix
from linkwork.nullspace.run import ReducedRun
from linkwork.system.data import Data
from linkwork.system.state import State


class ConstrainedRun(ReducedRun):
    """Steps for directors and multipliers; poses, forces and storing are those of the other."""

    def _prepare(self, stepping: Data, motion: np.ndarray, memory: np.ndarray | None) -> None:
        super()._prepare(stepping, motion, memory)
        self.multiplier = np.zeros(self.directors.rows)

    def _restart_from(self, state: State) -> None:
        super()._restart_from(state)
        self.multiplier[:] = state.restart["multiplier"]

    def _last_multipliers(self, time: float) -> np.ndarray:
        return self.multiplier

    def _keep_multipliers(self, multiplier: np.ndarray) -> None:
        self.multiplier = multiplier

    def _tested_matrix(self, solution: Solution) -> np.ndarray:
        return constrained_matrix(self.directors, solution, self.h)

    def snapshot(self) -> tuple:
        return super().snapshot(), self.multiplier.copy()

    def recover(self, snapshot: tuple) -> None:
        before, multiplier = snapshot
        super().recover(before)
        self.multiplier = multiplier.copy()

    def restart(self) -> dict[str, Any]:
        return {**super().restart(), "multiplier": self.multiplier.copy()}

    def _steps(
        self, times: np.ndarray, saved: np.ndarray, out: StepRows, done: int, last: int
    ) -> tuple[int, int]:
        p, s = self.parts, self.parts.data
        m = p.motion
        for k in range(done, last):
            middle = float(times[k]) - self.h / 2
            s.set_time(middle)
            ns.begin_step(p.tree, m)
            status, step = solve_step(self.matrix, self.multiplier, middle)
            if step is None:
                return status, k
            self.multiplier = step.multiplier
            if self.method.condition_number and self._is_looked_at(k, saved):
                solution = with_tangent(self.matrix, step)
                self.condition = condition(self._tested_matrix(solution))
            ns.accept_poses(p.tree, p.forces, s.tables.reals, s.tables.memory, m)
            self.time = float(times[k])
            self._store(out, int(saved[k]))
        return DONE, last
