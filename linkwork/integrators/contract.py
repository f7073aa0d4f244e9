"""The contract between the time loop and a run.

A *method* is a frozen description (lw.GeneralizedAlpha, lw.RK4, …); a *run* steps one system with
it.  The time loop (analysis/motion) sees a run through `Run` alone: it reads these members, calls
these functions, and writes into none of a run's attributes.  mypy checks both sides.

    run = method.run(full, system, state, h)
    while run.time < end:
        run.advance(times, system.schedule(times), saved, out)      # raises StepFailure
    run.state(), run.restart()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from linkwork.kernels.memory.records import Floats, Floats2, Floats3, Ints, stored

from linkwork.system.state import State
from linkwork.system.data import Data
from linkwork.system.system import System

if TYPE_CHECKING:
    from linkwork.integrators.first_order.methods import StagedMethod
    from linkwork.integrators.second_order.methods import LinearMethod


class StepFailure(Exception):
    """A step that could not be taken: where Newton's method stood."""

    def __init__(self, time: float, iterations: int, residual: float, where: str, what: str):
        super().__init__(what)
        self.time, self.iterations, self.residual, self.where = time, iterations, residual, where
        self.what = what


@stored
class StepRows(NamedTuple):
    """Where stored steps go: one row each."""

    motion: Floats3
    acceleration: Floats3
    gamma: Floats2
    work: Floats2
    iterations: Floats
    values: Floats3  # (rows, 3, values) of vector nodes: value, rate, second derivative
    own: Floats2  # what only this method knows: the columns of its run's `own`


BEGIN, END = 0, 1  # of Steps.range


@stored
class Steps(NamedTuple):
    """Steps for a compiled loop, which returns how it ended and says in `range` where."""

    times: Floats
    schedule: Floats2  # what motion laws give: a row for each step, or more
    saved: Ints  # the row where a step is stored; negative: it is not
    range: Ints  # (2,) the next step, and the one after the last


def steps_at(
    times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, first: int = 0,
    last: int | None = None,
) -> Steps:  # fmt: skip
    """Steps `first` … `last` − 1 (all) of those at these times."""
    end = len(times) if last is None else last
    return Steps(times, schedule, saved, np.array([first, end], np.int64))


def step_rows(system: System, rows: int, own: int = 0) -> StepRows:
    """Room for stored steps, with `own` columns of the method's own."""
    return StepRows(
        motion=np.zeros((rows, system.bodies, 13)),
        acceleration=np.zeros((rows, system.bodies, 6)),
        gamma=np.zeros((rows, len(system.all_rows))),
        work=np.zeros((rows, 2)),
        iterations=np.zeros(rows),
        values=np.zeros((rows, 3, system.layout.values)),
        own=np.zeros((rows, own)),
    )


class Run(Protocol):
    """What the time loop may ask of a run; all members but `memory` are read-only for it."""

    @property
    def data(self) -> Data:
        """The system whose rows are solved for; another one after rows were chosen anew."""

    @property
    def time(self) -> float:
        """The time of the last good step."""

    @property
    def h(self) -> float:
        """The size of the next step in s."""

    @property
    def origin(self) -> float:
        """Steps are taken at the times origin + k h, also across restarts."""

    @property
    def iterations(self) -> float:
        """Newton's iterations in the last step; 0 for methods without them."""

    @property
    def repairs(self) -> int:
        """Failed attempts at steps so far."""

    @property
    def pieces(self) -> int:
        """Steps that were taken in pieces so far."""

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and supplied work in J since the start, (2,)."""

    @property
    def memory(self) -> np.ndarray:
        """What elements remember after the last good step, a copy."""

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        """Change it."""

    @property
    def constraint_stiffness(self) -> bool:
        """Whether K_c is part of Newton's matrix."""

    @property
    def turns(self) -> tuple[float, float]:
        """Turns of a body in one step, in radians, from which on they are warned of and refused."""

    @property
    def free_turn(self) -> float:
        """The turn in one step from which on it is warned of where the axis of rotation of a body
        moves that no joint guides: turns about a fixed axis are resolved further."""

    @property
    def watched_bodies(self) -> slice | np.ndarray:
        """The bodies whose turns count for `turns`, as an index."""

    @property
    def reach(self) -> float:
        """How far behind its beginning a step evaluates loads, in steps: one, or a little more
        where a stage lies behind its end."""

    @property
    def own(self) -> dict[str, int]:
        """Names and widths of the diagnostics that only this method has."""

    def own_now(self) -> np.ndarray:
        """The numbers of `own` at the last good step."""

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """Take the steps to `times`, spaced by h, and store step k in row saved[k] of `out` if
        saved[k] ≥ 0; `schedule` is system.schedule(times).  Raises StepFailure, after which `time`
        is that of the last good step."""

    def set_step(self, h: float) -> None:
        """Change the size of the next steps."""

    def ask_before_repair(self, hopeless: Callable[[], bool]) -> None:
        """Where this is true after a step has failed, StepFailure is raised at once."""

    def end_before(self, time: float) -> None:
        """Loads jump behind this time: steps until then must not know what comes after it."""

    def count_from(self, origin: float) -> None:
        """Count steps from this time on: they are taken at origin + k h."""

    def follow(self, before: Run) -> None:
        """Go on with what an earlier run has counted: work, steps that failed, where steps are."""

    def snapshot(self) -> tuple:
        """Everything that a step changes."""

    def recover(self, snapshot: tuple) -> None:
        """Return to a snapshot."""

    def state(self) -> State:
        """Motion, accelerations and multipliers at the last good step."""

    def restart(self) -> dict[str, Any]:
        """The numbers from which a later run continues with the same digits."""


@runtime_checkable
class ControlledRun(Run, Protocol):
    """A run that estimates the error of its steps, for `transient(tolerance=)`."""

    def marker(self) -> Any:
        """What `local_error` and `alternates` must know of the beginning of a step."""

    def local_error(self, before: Any) -> float:
        """The estimated error of the last step, in lengths over L and in radians; before: its
        marker."""

    def alternates(self, before: Any) -> bool:
        """Whether accelerations only went back in the last step to where they were before."""

    def settle(self) -> None:
        """Start anew from the motion at the last good step."""

    def velocities_and_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations (bodies, 6) at the last good step."""


class RunMethod(Protocol):
    """A method that makes its own run; implicit methods in absolute coordinates are given theirs
    (analysis/motion/beginning.py)."""

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        """A run of `system`, whose rows are independent in `state`; `full` has all rows."""


MethodLike: TypeAlias = "LinearMethod | StagedMethod | RunMethod"


class BasicRun:
    """What most runs have in common: members of `Run` for methods that need nothing special."""

    data: Data
    time: float
    h: float
    origin: float
    repairs: int
    pieces = 0
    hopeless: Callable[[], bool] | None = None
    constraint_stiffness = True
    turns = np.inf, np.inf
    free_turn = np.inf
    reach = 1.0

    @property
    def memory(self) -> np.ndarray:
        return self.data.memory

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        self.data.memory = values

    @property
    def watched_bodies(self) -> slice | np.ndarray:
        return slice(None)

    @property
    def own(self) -> dict[str, int]:
        return {}

    def own_now(self) -> np.ndarray:
        return np.zeros(0)

    def ask_before_repair(self, hopeless: Callable[[], bool]) -> None:
        self.hopeless = hopeless

    def end_before(self, time: float) -> None:
        pass

    def count_from(self, origin: float) -> None:
        self.origin = origin

    def follow(self: Any, before: Run) -> None:
        self.work_done[:] = before.work_done
        self.origin, self.repairs, self.pieces = before.origin, before.repairs, before.pieces
