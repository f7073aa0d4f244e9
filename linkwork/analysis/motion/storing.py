"""Where a run keeps its steps: in memory while they are few, in a file when they are many.

In memory all rows have their place from the beginning, so that nothing is moved at the end.  In a
file (results.recording) rows are collected in a block of some megabytes and appended.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analysis.independence import constraint_rows
from linkwork.errors import ModelError, ResultFileError
from linkwork.integrators.stepping import Output
from linkwork.results import file as result_file
from linkwork.results.recording import Recording
from linkwork.results.result import Result, snapshot
from linkwork.results.violation import constraints_alone
from linkwork.system.redundancy import MinimumNorm, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System


class DiskFull(Exception):
    """There is no room for more steps; those before are stored."""


class Reactions:
    """Multipliers over all rows; where rows repeat each other, those of least norm."""

    def __init__(self, full: System, run: Any) -> None:
        self.full, self.run = full, run
        self.first: State | None = None
        self.solver: MinimumNorm | None = None

    def __call__(self, times: np.ndarray, out: Output) -> np.ndarray:
        if self.first is None:
            self.first = State(float(times[0]), self.full.names, out.motion[0].copy())
        if self.solver is None:
            if self.run.system.keep.all():
                return out.gamma
            rows = constraint_rows(self.full, self.first)
            self.solver = MinimumNorm(rows, independent_rows(rows))
            self.alone = constraints_alone(self.full)
        jacobians = self.alone.jacobians(times, out.motion)
        for k, Cq in enumerate(jacobians):
            out.gamma[k] = self.solver(Cq, out.gamma[k])
        return out.gamma


class Storage:
    """Rows of a run: `room` for some, then `keep` those that were filled; at last the `result`.

    rows : how many are expected;   path : of a file to write them to, or None
    own  : names and widths of columns that only this method has
    """

    def __init__(
        self, full: System, reactions: Reactions, rows: float, path: Any = None,
        own: dict[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.full, self.reactions, self.path = full, reactions, path
        self.own = own or {}
        wide = 5 + sum(self.own.values())
        self.row_bytes = 8 * (19 * full.bodies + len(full.all_rows) + wide)
        self.recording: Recording | None = None
        self.finished: Result | None = None
        self.used, self.last = 0, -math.inf
        require_room(full, rows * self.row_bytes, path)
        if path is not None or rows * self.row_bytes > result_file.IN_MEMORY:
            self.recording = Recording(full, snapshot(full), path, self.own)
            rows = self.recording.block
        self._allocate(max(1, math.ceil(rows)))

    def _allocate(self, rows: int) -> None:
        """Room for so many rows; the memory itself is taken as they are filled."""
        full = self.full
        self.capacity = rows
        self.out = Output(
            motion=np.empty((rows, full.bodies, 13)), acceleration=np.empty((rows, full.bodies, 6)),
            gamma=np.empty((rows, len(full.all_rows))), work=np.empty((rows, 2)),
            iterations=np.empty(rows), own=np.empty((rows, sum(self.own.values()))),
        )  # fmt: skip
        self.times, self.steps = np.empty(rows), np.empty(rows)

    @property
    def most(self) -> int:
        """Rows to ask room for at once."""
        return self.capacity if self.recording is None else max(1, self.capacity // 2)

    # ---------------------------------------------------------------------------------- filling
    def room(self, rows: int) -> Output:
        """Where the next rows go."""
        if self.used + rows > self.capacity:
            self._make_room(rows)
        out = Output(*(part[self.used : self.used + rows] for part in self.out))
        for part in (out.gamma, out.work, out.iterations, out.own):  # methods fill what they have
            part[:] = 0.0
        return out

    def keep(self, times: np.ndarray, steps: np.ndarray) -> None:
        """So many of these rows are filled."""
        n = len(times)
        self.times[self.used : self.used + n], self.steps[self.used : self.used + n] = times, steps
        self.used += n
        if n:
            self.last = float(times[-1])

    def _make_room(self, rows: int) -> None:
        if self.recording is None:
            wanted = max(2 * self.capacity, self.used + rows)
            if wanted * self.row_bytes <= result_file.IN_MEMORY:
                self._grow(wanted)
                return
            self.recording = Recording(self.full, snapshot(self.full), None, self.own)
        self._append()
        if rows > self.capacity or self.capacity > 2 * self.recording.block:
            self._allocate(max(rows, self.recording.block))

    def _grow(self, rows: int) -> None:
        old, times, steps, n = self.out, self.times, self.steps, self.used
        self._allocate(rows)
        for new, part in zip((*self.out, self.times, self.steps), (*old, times, steps)):
            new[:n] = part[:n]

    def _rows(self) -> tuple[np.ndarray, Output]:
        """The filled rows, with the multipliers of all constraint rows."""
        times, out = self.times[: self.used], Output(*(part[: self.used] for part in self.out))
        self.reactions(times, out)
        return times, out

    def _append(self) -> None:
        assert self.recording is not None
        times, out = self._rows()
        values = {**out._asdict(), "time": times, "step": self.steps[: self.used]}
        values |= columns(self.own, out.own)
        self.used = 0  # stored, also when there is no room for more
        try:
            self.recording.append(values)
        except ResultFileError as error:
            raise DiskFull(str(error)) from None

    # --------------------------------------------------------------------------------- the end
    def result(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        """What was stored; the same again when it is asked for again."""
        if self.finished is None:
            if self.recording is None:
                self.finished = self._in_memory(info, restart)
            else:
                with contextlib.suppress(DiskFull):  # its rows are stored
                    self._append()
                self.finished = self.recording.finish(info, restart)
        return self.finished

    def _in_memory(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        times, out = self._rows()
        steps = self.steps[: self.used]
        if self.used < 0.9 * self.capacity:  # do not hold on to what was never used
            times, steps = times.copy(), steps.copy()
            out = Output(*(part.copy() for part in out))
        return Result(
            self.full, times, out.motion, out.acceleration, out.gamma, out.work,
            {"iterations": out.iterations, "step": steps, **columns(self.own, out.own)}, info,
            restart,
        )  # fmt: skip

    def discard(self) -> None:
        """The run ended without a result: leave no part of a file."""
        if self.recording is not None and self.finished is None:
            self.recording.discard()


def columns(own: dict[str, int], values: np.ndarray) -> dict[str, np.ndarray]:
    """The method's own columns by name; a single one without a second axis."""
    ends = np.cumsum(list(own.values()))
    return {
        name: values[:, end - 1] if width == 1 else values[:, end - width : end]
        for (name, width), end in zip(own.items(), ends, strict=True)
    }


def require_room(full: System, size: float, path: Any) -> None:
    """Refuse a run whose stored steps would not fit on the disk."""
    if path is None and size <= result_file.IN_MEMORY:
        return
    folder = tempfile.gettempdir() if path is None else result_file.check_writable(path).parent
    free = shutil.disk_usage(Path(folder)).free
    if size > free:
        raise ModelError(
            f"the run of '{full.model.name}' would store {size / 1e9:.3g} GB, more than the "
            f"{free / 1e9:.3g} GB free in '{folder}'; store fewer steps with every="
            f"{math.ceil(1.1 * size / max(free, 1))} or more, or give file= on a larger disk"
        )
