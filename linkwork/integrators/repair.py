"""What is tried when a step fails, in this order: new pivots; a new choice of independent rows,
which can change in singular positions; the step in 2, 4, … 256 pieces.  Then a run gives up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.joints import ROW_NAMES
from linkwork.errors import SingularError
from linkwork.integrators.stepping import DONE, PIVOTS

OTHER_ROWS = 4  # a status beside those of `stepping`: only another choice of rows helps
SMALLEST = 8  # a failing step is halved at most this often


class StepFailure(Exception):
    """A step that could not be taken: where Newton's method stood."""

    def __init__(self, time: float, iterations: int, residual: float, where: str, what: str):
        super().__init__(what)
        self.time, self.iterations, self.residual, self.where = time, iterations, residual, where
        self.what = what


class RepairedRun:
    """A run that mends its steps.  It brings what differs from method to method:

    _solving     the system it solves and its report (iterations, last correction, worst unknown,
                 its residual)
    _new_pivots  for the matrix where the step to a time failed
    _other_rows  looks again which rows are independent, at the last good step
    _take        steps to given times, storing none; the status
    and `pivot`, `set_step`, `snapshot` and `recover`, as for every method.
    """

    time: float
    h: float
    repairs: int
    _solving: Any
    _new_pivots: Any
    _other_rows: Any
    _take: Any
    pivot: Any
    set_step: Any
    snapshot: Any
    recover: Any

    def _repair(self, status: int, tried: int, time: float) -> bool:
        """Mend what made the step to `time` fail, after `tried` attempts from the same beginning;
        true when it has been taken in pieces."""
        rows_alone = status == OTHER_ROWS
        self.repairs += 1
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
        self._substeps(time)
        return True

    def _substeps(self, time: float) -> None:
        """Take the step in 2, 4, … pieces."""
        begin, h = self.time, self.h
        for halvings in range(1, SMALLEST + 1):
            pieces = 2**halvings
            snapshot = self.snapshot()
            self.set_step(h / pieces)
            try:
                self.pivot()
                status = self._pieces(begin + (time - begin) * np.arange(1, pieces + 1) / pieces)
            except SingularError:
                status = PIVOTS
            if status == DONE:
                self.time = time
                self.set_step(h)
                self.pivot()
                return
            report = self._solving[1].copy()
            self.recover(snapshot)
            self._solving[1][:] = report
        self._give_up(time)

    def _pieces(self, times: np.ndarray) -> int:
        """Steps to given times; new pivots, then other rows, where the old ones do not serve."""
        tried = 0
        while (status := self._take(times)) in (PIVOTS, OTHER_ROWS):
            left = times[times > self.time]
            tried = tried + 1 if len(left) == len(times) else 1
            if tried > 2:
                break
            if status == PIVOTS and tried == 1:
                self._new_pivots(float(left[0]))
            else:
                self._other_rows()
            times = left
        return status

    def _give_up(self, time: float) -> None:
        system, (iterations, _, place, residual) = self._solving
        place, n = int(place), 6 * system.bodies
        if place >= n:
            where = str(system.kept_rows[place - n])
        else:
            b, i = divmod(place, 6)
            where = f"the equations of body '{system.names[b]}' ({ROW_NAMES[i]})"
        raise StepFailure(
            time, int(iterations), float(residual), where,
            f"did not converge at t = {time:.6g} after {int(iterations)} iterations, also with the "
            f"step cut to 1/{2**SMALLEST}; largest residual {residual:.2g} in {where}; the "
            "mechanism may lock here, a drive may ask for the impossible, or the step may be too "
            "large",
        )  # fmt: skip
