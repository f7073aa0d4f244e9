"""A run whose step has two forms: for smooth motion, and for fast rotation (fast_rotation/).

Both forms are compiled loops over steps (stepping.py, fast_rotation/step.py).  The first returns
when the effective turn of a body in a step (spinning.py) is more than TURN radians, or when
velocities violate the constraints, and the second when none has been half of that for PATIENCE
steps (after a violation it stays); `form` of the method may fix one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import VEL
from linkwork.integrators.contract import BEGIN, StepRows, steps_at
from linkwork.integrators.second_order.fast_rotation import momenta as fr
from linkwork.integrators.second_order import stepper as sp
from linkwork.integrators.second_order import stepping as st
from linkwork.integrators import values as vl
from linkwork.integrators.second_order.fast_rotation.change_over import (
    PATIENCE, TURN, fast_rotation, spin_rates, to_momenta, to_rates,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.step import advance_fast
from linkwork.integrators.second_order.methods import Coefficients, LinearMethod
from linkwork.integrators.second_order.recovery import RepairedRun
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.kernels.compiled import announce
from linkwork.system.state import State
from linkwork.system.data import Data

TAKEN_BACK = 0.9  # of the square of a change: what the next one has taken back
# over a restart
KEPT_LIMITS = [
    fr.QUIET, fr.PATIENCE, fr.LARGEST, fr.WHOSE, fr.FOLLOWS, fr.LEADS, fr.EVEN, fr.SLOPE,
]  # fmt: skip


class TwoForms(RepairedRun):
    """The form in use, the change to the other, and what both need around a step."""

    method: LinearMethod
    data: Data
    stepper: Stepper
    coefficients: Coefficients
    previous: float | None
    spacing: float
    _record: Any = None  # the parts of the run, and the record that compiled steps take
    fast: Any = None  # what the form for fast rotation needs, where a method has it
    turning = False  # that form is in use
    changes = 0  # of the form
    lu: Any  # the elimination of the step's matrix
    stays = False  # the form for fast rotation is needed for other reasons, and not left again

    def _allocate_fast(self, offset: float) -> None:
        """Room for fast rotation; offset: α_m − α_f of the method."""
        self.fast = fast_rotation(self.data, not self._multistep, offset)
        self._allow_changes(True)

    @property
    def _multistep(self) -> bool:
        """Whether the method remembers displacements, whose axes cannot turn."""
        return bool(self.method.coefficients(self.h, self.h).weights[:, vl.XPREV].any())

    def _compiled_steps(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows,
        done: int, last: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps from `done` to `last` in the form in use; the status and how many are done in all.
        """
        data = self.data
        march = advance_fast if self.turning else st.advance
        announce(march, "steps for fast rotation" if self.turning else "implicit steps", 6)
        parts = self.lu, self.stepper, self.fast if self.turning else None
        if self._record is None or any(a is not b for a, b in zip(self._record[0], parts)):
            run: Any = sp.SmoothSteps(self.lu, self.stepper, self._vdot)
            if self.turning:
                run = fr.FastSteps(self.lu, self.stepper, self.fast)
            self._record = parts, run
        steps = steps_at(times, schedule, saved, done, last)
        status = march(data.equations, self._record[1], steps, out)
        return status, int(steps.range[BEGIN])

    def _allow_changes(self, allowed: bool) -> None:
        """Of the form of the step, by themselves."""
        if self.fast is None:
            return
        free = allowed and self.method.form is None
        self.stepper.settings[sp.MOST_TURN] = TURN if free else np.inf
        self.fast.limits[fr.PATIENCE] = PATIENCE if free and not self.stays else np.inf

    def _change_form(self, begins: bool = False) -> None:
        """From the form for smooth motion to that for fast rotation, or back."""
        if self.turning:
            to_rates(self.stepper, self.fast, self.h)
        else:
            to_momenta(self.stepper, self.fast, self.h, begins)
        self.turning = not self.turning
        self.changes += 1

    @property
    def _vdot(self) -> np.ndarray:
        """Accelerations (bodies, 8) at the last good step."""
        return self.fast.vdot if self.turning else self.stepper.history[vl.VDOT]

    def velocities_and_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations (bodies, 6) at the last good step."""
        n = self.data.system.bodies
        return self.stepper.base[:n, VEL : VEL + 6], self._vdot[:n, :6]

    def _other_form(self) -> bool:
        """The form for fast rotation, where a run may change by itself."""
        if self.fast is None or self.turning or self.method.form is not None:
            return False
        self._change_form(begins=self.previous is None)
        return True

    def _begin_pieces(self) -> tuple:
        """Motion, accelerations and multipliers at the beginning of a step; its form stays."""
        self._allow_changes(False)
        s, data = self.stepper, self.data
        start = State(
            self.time, data.system.names, s.base[: data.system.bodies, :13].copy(),
            values=vl.stored_values(s.flow),
        )  # fmt: skip
        return start, self._vdot.copy(), data.all_gamma(s.gamma[0])

    def _join_pieces(self, begin: tuple) -> None:
        """A history as if one step had led here, so that nothing is extrapolated from pieces."""
        start, vdot, gamma = begin
        self._allow_changes(True)
        s, end, now = self.stepper, self.state(), self._vdot.copy()
        h, H = self.time - start.time, s.history
        H[:] = 0.0
        H[vl.V, :, :6], H[vl.VPREV, :, :6] = end.velocities, start.velocities
        H[vl.VDOT], H[vl.VDOTPREV] = now, vdot
        H[vl.ALG] = now + self.coefficients.offset * (now - vdot)
        H[vl.XPREV, :, :6] = end.difference(start)
        s.gamma[1, : self.data.rows] = gamma[self.data.kept]
        if s.flow.size:
            late = self.coefficients.offset, self.method.first_order(h, self.previous).offset
            vl.join_values(s.flow, start.values, end.values, *late)
        self.previous = self.spacing = h
        if self.turning:
            to_momenta(s, self.fast, h, begins=False)

    @property
    def _quiet(self) -> np.ndarray:
        """Steps without fast rotation, how many end this form, the largest turn, and whose; how
        much p follows corrections and leads to them; steps in a row that
        were even, and what of a prediction goes on."""
        return self.fast.limits[KEPT_LIMITS]

    def _load_fast(self, shares: np.ndarray, moves: np.ndarray, quiet: np.ndarray) -> None:
        self.fast.spins[:, fr.SHARE] = shares
        self.fast.move[:], self.fast.vdot[:] = moves[:2]
        self.fast.past[: len(moves) - 2] = moves[2:]  # older files have none
        self.fast.limits[KEPT_LIMITS[: len(quiet)]] = quiet
        self.stays = bool(np.isinf(quiet[1]))

    def marker(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        """What `local_error` and `alternates` must know of the beginning of a step."""
        H, flow = self.stepper.history, self.stepper.flow
        return self.changes, H[vl.ALG].copy(), flow[vl.ALG].copy(), H[vl.VDOT] - H[vl.VDOTPREV]

    def _scaled(self, change: np.ndarray) -> np.ndarray:
        """A change of accelerations in the history (bodies, 8) in lengths over L and angles."""
        change = change.copy()
        if self.turning:
            change[:, 3:6] = spin_rates(self.stepper, self.fast, change[:, 3:6])
        change[:, :3] /= self.data.system.length
        return change

    def local_error(self, before: tuple[int, np.ndarray, np.ndarray, np.ndarray]) -> float:
        """Estimated error of the last step in lengths over L and angles; before: its marker."""
        changes, alg, flow, _ = before
        H = self.stepper.history
        change = H[vl.ALG] - alg
        # ALG may have other axes and units now, or have jumped with a sample
        if self.turning or changes != self.changes or self.data.system.sample_times:
            change = H[vl.VDOT] - H[vl.VDOTPREV]
        change = np.abs(self._scaled(change))
        other = vl.change_of_values(self.stepper.flow, flow, self.h)
        return float(self.coefficients.error * self.h**2 * max(change.max(initial=0.0), other))

    def alternates(self, before: tuple[int, np.ndarray, np.ndarray, np.ndarray]) -> bool:
        """Whether the last step took back the change of accelerations of the one before."""
        if before[0] != self.changes:
            return False
        H = self.stepper.history
        last, now = self._scaled(before[3]), self._scaled(H[vl.VDOT] - H[vl.VDOTPREV])
        return float((last * now).sum()) < -TAKEN_BACK * max((last**2).sum(), (now**2).sum())
