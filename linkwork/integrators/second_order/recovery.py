"""Recovery from failed steps.

    diverged      Newton's method went astray: the step is taken in 2, 4, … 256 pieces
    pivots        the elimination loses too many digits: new pivots, then other rows, then pieces
    no agreement  Newton's method ends without converging: as for pivots; independent rows can
                  change in singular positions

Before it goes to pieces, a run may have another way to solve the equations of the same step.
An implicit run that steps in the form for smooth motion first tries the form for fast rotation.
When nothing helps the run ends with the cause, as far as it shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from linkwork.errors import SingularError
from linkwork.integrators.blocked import COMPARE, blocked_motion
from linkwork.integrators.contract import BasicRun, StepFailure
from linkwork.integrators.second_order.stepper import DIVERGED, DONE, PIVOTS
from linkwork.system.state import State
from linkwork.system.data import Data

OTHER_ROWS = 4  # a status beside those of `stepping`: only another choice of rows helps
FAR_OFF = 1e6  # m, positions whose round-off may be what is left of a residual
GONE = 1e6  # times the size of a mechanism, a path that is none of its motion
SMALLEST = 8  # a failing step is halved at most this often
TOO_FAR = 1.0  # turn of a body in a step, radians, that explains a failure


class RepairedRun(BasicRun, ABC):
    """A run that recovers from failed steps; what differs from method to method is abstract."""

    @property
    @abstractmethod
    def _solving(self) -> tuple[Data, np.ndarray]:
        """The system that is solved, and the report of the last solution: iterations, last
        correction, worst unknown, its residual."""

    @abstractmethod
    def _new_pivots(self, time: float) -> None:
        """Choose pivots for the matrix where the step to `time` failed."""

    @abstractmethod
    def _other_rows(self) -> None:
        """Look again which rows are independent at the last good step."""

    @abstractmethod
    def _take(self, times: np.ndarray) -> tuple[int, int]:
        """Steps to given times, of which none is stored; the status, and the iterations of those
        that were taken."""

    @abstractmethod
    def pivot(self) -> None:
        """Choose pivots for the matrix of the next step."""

    @abstractmethod
    def set_step(self, h: float) -> None:
        """Change the size of the next steps."""

    @abstractmethod
    def snapshot(self) -> tuple:
        """Everything that a step changes."""

    @abstractmethod
    def recover(self, snapshot: tuple) -> None:
        """Return to a snapshot."""

    @abstractmethod
    def state(self) -> State:
        """The last good step."""

    def _other_form(self) -> bool:
        """Change to a form of the step that can do more; false where there is none."""
        return False

    def _solve_otherwise(self, time: float) -> bool:
        """Take the step to `time` by another way to solve it; false where none succeeds."""
        return False

    def _begin_pieces(self) -> Any:
        """What `_join_pieces` must know of the beginning of the step."""

    def _join_pieces(self, begin: Any) -> None:
        """The history for the next whole step, after this one was taken in pieces."""

    def _repair(self, status: int, tried: int, time: float) -> bool:
        """Remove what made the step to `time` fail, after `tried` attempts from the same
        beginning; true when it has been taken, in another way or in pieces."""
        rows_alone = status == OTHER_ROWS
        self.repairs += 1
        if self.hopeless is not None and self.hopeless():
            self._give_up(time)
        if tried == 1 and not rows_alone and status != PIVOTS and self._other_form():
            return False
        if status != DIVERGED:
            try:
                if not rows_alone and (tried == 1 or (tried == 2 and status == PIVOTS)):
                    self._new_pivots(time)
                    return False
            except SingularError:
                tried = 3
            try:
                if tried <= (2 if rows_alone else 3):
                    self._other_rows()
                    return False
            except SingularError:
                pass
        if rows_alone or not self._solve_otherwise(time):
            self._substeps(time)
        return True

    def _substeps(self, time: float) -> None:
        """Take the step in 2, 4, … pieces; with other rows where that does not help."""
        begin, h = self.time, self.h
        joints = self._begin_pieces()
        for attempt in range(2):
            for halvings in range(1, SMALLEST + 1):
                pieces = 2**halvings
                snapshot = self.snapshot()
                self.set_step(h / pieces)
                try:
                    self.pivot()
                    parts = begin + (time - begin) * np.arange(1, pieces + 1) / pieces
                    status = self._pieces(parts)
                except SingularError:
                    status = PIVOTS
                if status == DONE:
                    self.time = time
                    self.pieces += 1
                    self._join_pieces(joints)
                    self.set_step(h)
                    self.pivot()
                    return
                report = self._solving[1].copy()
                self.recover(snapshot)
                self._solving[1][:] = report
            try:
                if attempt == 0:
                    self._other_rows()
            except SingularError:
                break
        self._give_up(time)

    def _pieces(self, times: np.ndarray) -> int:
        """Steps to given times; new pivots, then other rows, then another way to solve, where the
        old ones do not serve.  The report counts the iterations of all."""
        tried = total = 0
        status = DONE
        while len(times):
            status, iterations = self._take(times)
            total += iterations
            if status == DONE:
                break
            left = times[times > self.time]
            tried = tried + 1 if len(left) == len(times) else 1
            if status not in (PIVOTS, OTHER_ROWS) or tried > 2:
                if status == OTHER_ROWS or not self._solve_otherwise(float(left[0])):
                    return status
                total += int(self._solving[1][0])
                left, tried, status = left[1:], 0, DONE
            elif status == PIVOTS and tried == 1:
                self._new_pivots(float(left[0]))
            else:
                self._other_rows()
            times = left
        self._solving[1][0] = total
        return status

    def _give_up(self, time: float) -> None:
        data, (iterations, _, place, residual) = self._solving
        place, n = int(place), data.system.motions
        if place >= n:
            where = str(data.kept_rows[place - n])
        else:
            where = f"the equations of {data.system.layout.describe(place)}"
        state = self.state()
        reach = float(np.abs(state.motion[:, :3]).max(initial=0.0))
        if far := run_away(data, state):
            what = f"could not go on at t = {time:.6g}: {far}"
            raise StepFailure(time, int(iterations), float(residual), where, what)
        if reach > FAR_OFF and residual < 64 * np.finfo(float).eps * reach:
            raise StepFailure(
                time, int(iterations), float(residual), where,
                f"did not converge at t = {time:.6g}: the residual {residual:.2g} left in {where} "
                f"is round-off of positions of {reach:.2g} m; place the origin near the parts that "
                "move, or simulate parts of such different lengths apart",
            )  # fmt: skip
        # which joint of a blocked loop stays open depends on the method: the motor is the cause
        open_ = f"largest residual {residual:.2g} in {where}; "
        open_ = "" if place >= n and blocked_motion(data) else open_
        raise StepFailure(
            time, int(iterations), float(residual), where,
            f"did not converge at t = {time:.6g} after {int(iterations)} iterations, also with the "
            f"step cut to 1/{2**SMALLEST}; {open_}{probable_cause(data, state, self.h)}",
        )  # fmt: skip


def probable_cause(data: Any, state: Any, h: float) -> str:
    """Why a step fails, as far as the last good one tells, and what to do."""
    spins = np.linalg.norm(state.velocities[:, 3:], axis=1)
    b = int(np.argmax(spins)) if len(spins) else 0
    if len(spins) and spins[b] * h > TOO_FAR:
        return (
            f"body '{data.system.names[b]}' turns by {spins[b] * h:.3g} rad in a step "
            f"of {h:g} s, more "
            f"than a step resolves: take h = {0.1 / spins[b]:.1g} s or less, and if that speed is "
            "not meant, look for what drives it"
        )
    if blocked := blocked_motion(data):
        return f"{blocked}: {COMPARE}"
    return (
        "the mechanism may lock here, two forces may balance only for smaller steps, or a force "
        "may jump: try a smaller step"
    )


def run_away(data: Any, state: Any) -> str:
    """Which body has left the mechanism far behind, and why; empty where none has."""
    begin = data.system.described_state().motion[:, :3]
    gone = np.linalg.norm(state.motion[: len(begin), :3] - begin, axis=1)
    size = max(data.system.length, float(np.abs(begin).max(initial=0.0)))
    if not len(gone) or np.all(gone <= GONE * size):
        return ""
    b = int(np.argmax(np.where(np.isnan(gone), np.inf, gone)))
    return (
        f"body '{data.system.names[b]}' has gone off by {gone[b]:.2g} m, and the "
        "mechanism has a size "
        f"of {size:.2g} m: something drives it ever faster; look for a force or a controller that "
        "pushes further instead of back (the sign of a stiffness, a damping or a gain)"
    )
