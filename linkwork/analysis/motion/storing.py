"""Where a run keeps its steps: in memory while they are few, in a file when they are many.

In memory all rows have their place from the beginning, so that nothing is moved at the end.  For a
file that the user named, rows are collected in a block of some megabytes and go to its journal
(files.journal), with every flush together with the numbers from which the run goes on; at the
end the journal is joined to the file.  A temporary file (files.recording) is written at once.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
import time as clock
import uuid
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError, ResultFileError
from linkwork.integrators.contract import Run, StepRows
from linkwork.kernels.compiling.undisturbed import undisturbed
from linkwork.results.files import file as result_file
from linkwork.results.files import unfinished
from linkwork.results.files.journal import Journal
from linkwork.results.files.memory import kept_in_memory
from linkwork.results.files.model_file import identity
from linkwork.results.files.recording import Extent, Recording
from linkwork.results.result import Result, snapshot
from linkwork.system.data import Data
from linkwork.system.initial_conditions.independence import constraint_rows
from linkwork.system.redundancy import MinimumNorm, Redundancy, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System


class DiskFull(Exception):
    """There is no room for more steps; those before are stored."""


class Reactions:
    """Multipliers over all rows; where rows repeat each other, those of least norm.

    redundancy: as found at the start, where that is known
    """

    def __init__(self, full: Data, run: Run, redundancy: Redundancy | None = None) -> None:
        self.full, self.run, self.redundancy = full, run, redundancy
        self.first: State | None = None
        self.solver: MinimumNorm | None = None

    def begin_like(self, earlier: Result) -> None:
        """Choose the same rows as an earlier part of the run, for the same digits."""
        self.first = State(
            float(earlier.time[0]), self.full.system.names, earlier.motion[0].copy(),
            values=np.array(earlier.values[0]),
        )  # fmt: skip

    def __call__(self, times: np.ndarray, out: StepRows) -> np.ndarray:
        system = self.full.system
        if self.first is None:
            self.first = State(
                float(times[0]), system.names, out.motion[0].copy(),
                values=out.values[0].copy(),
            )  # fmt: skip
        if self.solver is None:
            if self.run.data.keep.all():
                return out.gamma
            rows = constraint_rows(self.full, self.first)
            self.solver = MinimumNorm(rows, self.redundancy or independent_rows(rows))
            self.alone = system.data(elements=system.holding)
        self.solver.over(self.alone, times, out.motion, out.gamma, out.values)
        return out.gamma

    @property
    def info(self) -> dict[str, float]:
        """What reactions of redundant rows have taken, in seconds, where there are such rows."""
        return {} if self.solver is None else {"reaction_seconds": self.solver.seconds}


@dataclass
class Plan:
    """How a run is to be stored.

    rows  : how many are expected;   path : of a file to write them to, or None
    own   : names and widths of columns that only this method has
    flush : seconds between pieces of the journal; None for none, only the end
    words : of the run, kept in the journal: method, h, every, end, …
    earlier, kept : a result in the same file, of which so many rows are the first of this run
    """

    rows: float
    path: Any = None
    own: dict[str, int] = field(default_factory=dict)
    flush: float | None = 1.0
    words: dict[str, Any] = field(default_factory=dict)
    earlier: Result | None = None
    kept: int = 0

    def row_bytes(self, system: System) -> int:
        numbers = 19 * system.bodies + 3 * system.layout.values + len(system.all_rows) + 5
        return 8 * (numbers + sum(self.own.values()))


class Storage:
    """Rows of a run: `room` for some, then `keep` those that were filled; at last the `result`."""

    def __init__(self, full: Data, reactions: Reactions, plan: Plan) -> None:
        system = full.system
        self.full, self.reactions, self.plan = full, reactions, plan
        self.path, self.own, rows = plan.path, plan.own, plan.rows
        self.row_bytes = plan.row_bytes(system)
        self.stored_model = snapshot(system)
        self.recording: Recording | None = None
        self.journal: Journal | None = None
        self.finished: Result | None = None
        self.used, self.done, self.last = 0, 0, -math.inf  # done: rows whose multipliers are all
        self.total = 0  # rows in the journal
        self.certain: tuple[dict[str, Any], dict[str, Any]] = {}, {}  # of the last flush
        self.flushed = clock.monotonic()
        if self.path is not None:
            result_file.warn_of_functions(self.path, self.stored_model)
        if self.path is not None and plan.flush is not None:
            self._open_journal()
            rows = self.block
        elif self.path is not None or rows * self.row_bytes > kept_in_memory():
            self.recording = Recording(system, self.stored_model, self.path, self.own)
            rows = self.recording.block
        self._allocate(max(1, math.ceil(rows)))

    def _open_journal(self) -> None:
        """The journal, with its head and the rows of an earlier part."""
        full, plan = self.full, self.plan
        self.target = result_file.check_writable(self.path)
        extent = Extent(full.system, self.stored_model, self.own)
        self.columns, self.block = extent.own, extent.block
        self.run_id = uuid.uuid4().hex
        reserve = extent.reserve + 2 * extent.block * extent.row_bytes
        self.journal = unfinished.new_journal(self.target, reserve, over=plan.earlier is not None)
        with self._removed_on_failure():
            self.journal.head({
                unfinished.RUN: self.run_id, "model": self.stored_model, "own": self.columns,
                "bodies": list(full.system.names), **plan.words,
                "constraints": [[row.owner, row.name] for row in full.system.all_rows],
            })  # fmt: skip
            if plan.earlier is not None:
                blocks = unfinished.rows_of(plan.earlier, plan.kept, self.columns, extent.block)
                for block in blocks:
                    self._to_journal(block)
                self.last = float(plan.earlier.time[plan.kept - 1])

    @contextlib.contextmanager
    def _removed_on_failure(self) -> Any:
        try:
            yield
        except BaseException as error:
            assert self.journal is not None
            self.journal.close(remove=True)
            if isinstance(error, OSError) and not isinstance(error, ResultFileError):
                raise result_file.cannot_write(self.path, error) from error
            raise

    def _allocate(self, rows: int) -> None:
        """Room for so many rows; the memory itself is taken as they are filled."""
        system, n = self.full.system, self.full.system.layout.values
        self.capacity, self.touched = rows, 0  # rows that may hold something from before
        self.out = StepRows(
            motion=np.empty((rows, system.bodies, 13)),
            acceleration=np.empty((rows, system.bodies, 6)),
            gamma=np.zeros((rows, len(system.all_rows))), work=np.zeros((rows, 2)),
            iterations=np.zeros(rows), values=np.zeros((rows, 3, n)),
            own=np.zeros((rows, sum(self.own.values()))),
        )  # fmt: skip
        self.times, self.steps = np.empty(rows), np.empty(rows)

    @property
    def most(self) -> int:
        """Rows to ask room for at once."""
        in_memory = self.recording is None and self.journal is None
        return self.capacity if in_memory else max(1, self.capacity // 2)

    # ---------------------------------------------------------------------------------- filling
    def room(self, rows: int) -> StepRows:
        """Where the next rows go."""
        if self.used + rows > self.capacity:
            self._make_room(rows)
        out = StepRows(*(part[self.used : self.used + rows] for part in self.out))
        for part in (out.gamma, out.work, out.iterations, out.values, out.own):
            part[: self.touched - self.used] = 0.0  # methods fill what they have
        self.touched = max(self.touched, self.used + rows)
        return out

    def keep(self, times: np.ndarray, steps: np.ndarray) -> None:
        """So many of these rows are filled."""
        n = len(times)
        self.times[self.used : self.used + n], self.steps[self.used : self.used + n] = times, steps
        self.used += n
        if n:
            self.last = float(times[-1])

    def _make_room(self, rows: int) -> None:
        if self.recording is None and self.journal is None:
            wanted = max(2 * self.capacity, self.used + rows)
            if wanted * self.row_bytes <= kept_in_memory():
                self._grow(wanted)
                return
            self.recording = Recording(self.full.system, self.stored_model, None, self.own)
        self._append()
        block = self.block if self.recording is None else self.recording.block
        if rows > self.capacity or self.capacity > 2 * block:
            self._allocate(max(rows, block))

    def _grow(self, rows: int) -> None:
        old, times, steps, n = self.out, self.times, self.steps, self.used
        self._allocate(rows)
        for new, part in zip((*self.out, self.times, self.steps), (*old, times, steps)):
            new[:n] = part[:n]
        self.touched = n

    def _rows(self) -> tuple[np.ndarray, StepRows]:
        """The filled rows, with the multipliers of all constraint rows."""
        new = slice(self.done, self.used)
        if self.done < self.used:
            self.reactions(self.times[new], StepRows(*(part[new] for part in self.out)))
        self.done = self.used
        return self.times[: self.used], StepRows(*(part[: self.used] for part in self.out))

    def _append(self) -> None:
        times, out = self._rows()
        values = {**out._asdict(), "time": times, "step": self.steps[: self.used]}
        values |= columns(self.own, out.own)
        self.used = self.done = 0  # stored, also when there is no room for more
        try:
            if self.journal is not None:
                self._to_journal(values)
            else:
                assert self.recording is not None
                self.recording.append(values)
        except (OSError, ResultFileError) as error:
            raise self._full(error) from None

    def _full(self, error: OSError) -> DiskFull:
        if not isinstance(error, ResultFileError):
            error = result_file.cannot_write(self.path, error)
        return DiskFull(str(error))

    @cached_property
    def model_identity(self) -> np.ndarray:
        """Of the model as it was when the run began."""
        return np.frombuffer(identity(self.full.system.model, self.stored_model), np.uint8).copy()

    # ------------------------------------------------------------------------------ the journal
    def _to_journal(self, values: dict[str, np.ndarray]) -> None:
        assert self.journal is not None
        names = ("time", "motion", "acceleration", "gamma", "work", "values", *self.columns)
        if len(values["time"]):
            self.total += len(values["time"])
            with undisturbed():
                self.journal.rows({name: values[name] for name in names})

    @property
    def due(self) -> bool:
        """Whether it is time to flush."""
        return self.journal is not None and (
            clock.monotonic() - self.flushed >= (self.plan.flush or 0.0)
        )

    def flush(
        self, info: dict[str, Any], restart: dict[str, Any], last: dict[str, Any] | None
    ) -> None:
        """All rows are in the journal, and the numbers from which the run goes on after them.

        last : the row where the run stands, if that is not among those stored
        """
        if self.journal is None:
            return
        self._append()
        self.certain = info, restart
        numbers = {f"restart.{k}": np.asarray(v) for k, v in restart.items()}
        for name in ("time", "motion", "acceleration", "gamma", "work", "values", *self.columns):
            if last is not None:
                numbers[f"last.{name}"] = last[name]
        time = self.last if last is None else float(last["time"][0])
        words = {"rows": self.total, "time": time, "info": result_file.plain_info(info)}
        try:
            with undisturbed():
                self.journal.restart(words, numbers)
        except OSError as error:
            raise self._full(error) from None
        finally:
            self.flushed = clock.monotonic()

    def complete(self, time: float, step: float, out: StepRows) -> dict[str, np.ndarray]:
        """All columns of a row that is not among those stored."""
        self.reactions(np.array([time]), out)
        values = {**out._asdict(), **columns(self.own, out.own)}
        return {**values, "time": np.array([time]), "step": np.array([step])}

    def begin(
        self, info: dict[str, Any], restart: dict[str, Any], last: dict[str, Any] | None
    ) -> None:
        """The start is on the disk before the first step."""
        self.certain = info, restart
        if self.journal is not None:
            with self._removed_on_failure():
                self.flush(info, restart, last)
                self.journal.confirm_start()

    # --------------------------------------------------------------------------------- the end
    def result(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        """What was stored; the same again when it is asked for again."""
        if self.finished is None:
            if self.journal is not None:
                with undisturbed():
                    self.finished = self._join(info, restart)
            elif self.recording is None:
                self.finished = self._in_memory(info, restart)
            else:
                with contextlib.suppress(DiskFull):  # its rows are stored
                    self._append()
                self.finished = self.recording.finish(info | self.reactions.info, restart)
        return self.finished

    def before(self, info: dict[str, Any]) -> Result:
        """What was stored before a step that was cut in two: all until the last flush, or all rows,
        from which a run goes on by their motion alone.
        """
        if self.finished is not None:
            return self.finished
        if self.journal is not None:
            with undisturbed():
                self.finished = self._joined(*self.certain)
            return self.finished
        at_start = self.recording is None and self.used == 1
        return self.result(*(self.certain if at_start else (info, {})))

    def _join(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        with contextlib.suppress(DiskFull):  # its rows are stored
            self.flush(info, restart, None)
        return self._joined(info, restart)

    def _joined(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        assert self.journal is not None
        info = {**info, **self.reactions.info, unfinished.RUN: self.run_id}
        return unfinished.finish(
            self.journal, self.full.system, self.stored_model, self.columns, self.target, self.path,
            info, restart,
        )  # fmt: skip

    def _in_memory(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        times, out = self._rows()
        steps = self.steps[: self.used]
        if self.used < 0.9 * self.capacity:  # do not hold on to what was never used
            times, steps = times.copy(), steps.copy()
            out = StepRows(*(part.copy() for part in out))
        return Result(
            self.full.system, times, out.motion, out.acceleration, out.gamma, out.work,
            {"iterations": out.iterations, "step": steps, **columns(self.own, out.own)},
            info | self.reactions.info, restart, stored_model=self.stored_model, values=out.values,
        )  # fmt: skip

    def discard(self) -> None:
        """The run ended without a result: leave no part of a file but what was flushed."""
        if self.recording is not None and self.finished is None:
            self.recording.discard()
        if self.journal is not None and self.finished is None:
            self.journal.close(remove=not self.journal.start_is_stored)


def columns(own: dict[str, int], values: np.ndarray) -> dict[str, np.ndarray]:
    """The method's own columns by name; a single one without a second axis."""
    ends = np.cumsum(list(own.values()))
    return {
        name: values[:, end - 1] if width == 1 else values[:, end - width : end]
        for (name, width), end in zip(own.items(), ends, strict=True)
    }


def require_room(full: Data, plan: Plan) -> None:
    """Refuse a run whose stored steps would not fit on the disk."""
    system = full.system
    size, path = (plan.rows + plan.kept) * plan.row_bytes(system), plan.path
    if path is None and size <= kept_in_memory():
        return
    folder = tempfile.gettempdir() if path is None else result_file.check_writable(path).parent
    free = shutil.disk_usage(Path(folder)).free
    twice = path is not None and plan.flush is not None  # the journal, and what it is joined to
    needed = 2 * size if twice else size
    if needed > free:
        both = f", and until its end needs {needed / 1e9:.3g} GB" if twice else ""
        remedy = ", or flush=None, which needs half" if twice else ""
        raise ModelError(
            f"the run of '{system.model.name}' would store {size / 1e9:.3g} GB{both}, "
            "more than the "
            f"{free / 1e9:.3g} GB free in '{folder}'; store fewer steps with every="
            f"{math.ceil(1.1 * needed / max(free, 1))} or more, or give file= on a larger disk"
            f"{remedy}"
        )
