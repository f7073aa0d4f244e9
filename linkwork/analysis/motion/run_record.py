"""Where a run stands and what it has stored: what becomes its result, its file and its restart.

The time loop (motion.time_loop) moves it on.
"""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analysis.motion.checks.lowest_values import LowestValues
from linkwork.analysis.motion.checks.turns import TurnWatch
from linkwork.analysis.motion.continuing import Earlier
from linkwork.analysis.motion.ending import Signals
from linkwork.analysis.motion.events import Event
from linkwork.analysis.motion.jumps import Anew
from linkwork.analysis.motion.step_control.strategies import (
    Control,
    Strategy,
    kept_control,
    strategy_parameters,
)
from linkwork.analysis.motion.storing import Storage
from linkwork.integrators.contract import MethodLike, Run, StepFailure, StepRows, step_rows
from linkwork.results.result import Result
from linkwork.system.data import Data


class RunRecord:
    """One run so far: its method and model, counters, stored rows, and how it can be continued."""

    def __init__(
        self, full: Data, run: Run, method: MethodLike, end: float, h: float, every: int,
        events: list[Event], strategy: Strategy | None, storage: Storage, turns: TurnWatch,
        jumps: Sequence[float] | None, anew: Anew,
    ) -> None:  # fmt: skip
        self.full, self.run, self.method = full, run, method
        self.begin, self.end, self.h, self.every = run.time, end, h, every
        # steps that differ by less end at the same time: as many digits as times have
        self.slack = max(1e-6, 4 * float(np.spacing(max(abs(self.begin), abs(end)))) / h)
        self.events, self.strategy = events, strategy
        self.storage, self.turns = storage, turns
        self.jumps, self.anew = list(jumps or ()), anew  # when loads jump, still ahead
        self.meets_jumps = jumps is not None
        self.lowest = LowestValues(full.system)
        self.signals = Signals(storage.path is not None)
        self.steps = 0
        self.rejected = 0  # steps that a strategy did not keep
        self.ended_by: str | None = None
        self.angles: dict[str, float] = {}  # turns counted before this run
        families = {e.entry.family for e in full.system.elements if e.entry.family.memory.size}
        self.first: dict[str, np.ndarray] = {}  # what friction and signals remembered at the start
        if any(family.reads or family.signal or family.memory.touches for family in families):
            memory = run.state().memory
            assert memory is not None  # of a state that a run gives
            self.first["first_memory"] = memory
        self.control: Control | None = None
        self.remembered: np.ndarray | None = None  # of a strategy, by the run before
        self.earlier: Earlier | None = None
        self._start_clocks()

    def begin_from(
        self, start: Any, remembered: np.ndarray | None, earlier: Earlier | None
    ) -> None:
        """Store the start; continue what runs before have counted, and what their file holds."""
        if isinstance(start, Result):
            self.angles = start.angles() if earlier is None else earlier.angles
        self.remembered, self.earlier = remembered, earlier
        if earlier is None:
            self._store_now(0.0)
        elif "first_memory" in earlier.result.restart:
            self.first["first_memory"] = earlier.result.restart["first_memory"]
        self.storage.begin(*self._here())

    @property
    def _begins_short(self) -> bool:
        """Whether the next step is one whose first piece is shorter (step_control.first_steps)."""
        short = self.strategy is None and self.run.h < (1 - self.slack) * self.h
        return short and bool(np.any(self.full.system.layout.order == 1))

    def _start_clocks(self) -> None:
        self.started, self.started_cpu = clock.perf_counter(), clock.process_time()

    def _here(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
        """How the run went so far, from where it goes on, and that row where it is not stored."""
        last = None
        if self.run.time > self.storage.last:
            last = self.storage.complete(self.run.time, self.run.h, self._row(self._output(1)))
        return self._info(between=last is not None), self._restart(), last

    def _store_now(self, step: float) -> None:
        self._row(self.storage.room(1))
        self.storage.keep(np.array([self.run.time]), np.array([step]))

    def _row(self, out: StepRows) -> StepRows:
        """Fill a row with the last good step."""
        state = self.run.state()
        out.motion[0], out.gamma[0] = state.motion, state.gamma
        out.acceleration[0], out.values[0] = state.acceleration, state.values
        out.work[0] = self.run.work_done
        out.iterations[0] = self.run.iterations
        if self.storage.own:
            out.own[0] = self.run.own_now()
        return out

    def _output(self, rows: int) -> StepRows:
        return step_rows(self.full.system, rows, sum(self.storage.own.values()))

    def _restart(self) -> dict[str, Any]:
        """All numbers from which the run goes on, and of which model they are."""
        begins = {"first_piece": np.array(self.run.h)} if self._begins_short else {}
        return {
            **self.run.restart(), **self.first, **begins,
            **kept_control(self.strategy, self.control),
            "model": self.storage.model_identity,
        }  # fmt: skip

    def _info(self, between: bool = False) -> dict[str, Any]:
        """How the run went so far; between: its last row is not one of every so many steps."""
        info = {
            "model": self.full.system.model.name,
            "method": repr(self.method),
            "h": self.h,
            "every": self.every,
            "steps": self.steps,
            "repairs": self.run.repairs + self.rejected,
            "steps_in_pieces": self.run.pieces,
            "constraint_stiffness": self.run.constraint_stiffness,
            "seconds": clock.perf_counter() - self.started,
            "cpu_seconds": clock.process_time() - self.started_cpu,
            "ended_by": self.ended_by or "",
            "angles": self.angles,
            "end": self.end,
            "between": between,
            "stop": [event.label for event in self.events],
            "meets_jumps": self.meets_jumps,
            **strategy_parameters(self.strategy),
        }
        return info if self.earlier is None else self.earlier.added_to(info)

    def result(self, torn: bool = False) -> Result:
        """What was stored so far, and where the run stands; torn: it stands within a step."""
        if torn:
            return self.storage.before(self._info())
        between = self.run.time > self.storage.last
        if between:
            try:
                self._store_now(self.run.h)
            except StepFailure:  # numbers that are no longer finite
                return self.storage.before(self._info())
        return self.storage.result(self._info(between), self._restart())
