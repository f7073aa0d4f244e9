"""A run with an implicit method: sets up the compiled stepper, restarts from a saved state.

It has two forms of the step, for smooth motion and for fast rotation, and changes over by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.layout import COEFS
from linkwork.errors import SingularError
from linkwork.integrators.contract import StepRows, step_rows
from linkwork.integrators.left_out import watch_left_out_rows
from linkwork.integrators.second_order.fast_rotation import step as fr
from linkwork.integrators.second_order import stepper as sp
from linkwork.integrators.second_order import stepping as st
from linkwork.integrators.second_order.placing import guess
from linkwork.integrators import values as vl
from linkwork.integrators.second_order.fast_rotation.change_over import TURN
from linkwork.integrators.second_order.methods import LinearMethod
from linkwork.integrators.second_order.fast_rotation.momenta import SHARE
from linkwork.integrators.second_order.fast_rotation.spinning import (
    keeps_spinning, turns_fast,
)  # fmt: skip
from linkwork.integrators.second_order.start import make_stepper, rates_of_start
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.integrators.second_order.two_forms import TwoForms
from linkwork.linear_algebra.along_mechanism.kept_pivots import kept_pivots, pivots_to_keep
from linkwork.system.initial_conditions.accelerations import factorise, factorise_again
from linkwork.system.evaluate import evaluate
from linkwork.system.redundancy.full_rank import RowSpace
from linkwork.system.state import State
from linkwork.system.data import Data

# growth of round-off in the elimination before pivots are chosen anew: so much of a correction is
# lost, times 1e-16, that the next one makes up for it
GROWTH = 1e10
SHORTEST, LONGEST = 16, 1024  # steps between trials of new pivots
# of the stepper, over a restart
REMEMBERED = ("base", "history", "flow", "gamma", "work", "kappa", "p")


class ImplicitRun(TwoForms):
    """Steps a system with a linear method.

    choose_rows(state) gives a system with the rows that are independent in that state; full is
    the system with all rows, to watch those left out.
    """

    turns = 1.05, 3.0  # radians in a step that are told of, and refused (motion.turns)
    free_turn = 0.5  # a top's precession and nutation err by some φ²/1000 of their frequencies

    def __init__(
        self, data: Data, method: LinearMethod, state: State, h: float, choose_rows: Any,
        constraint_stiffness: bool = True, full: Data | None = None,
    ) -> None:  # fmt: skip
        self.method, self.full = method, full
        self.choose_rows = choose_rows
        self.constraint_stiffness = constraint_stiffness
        self.time = state.time
        self.h = self.spacing = h  # of the next step; of the past that the history describes
        self.previous: float | None = None
        self.origin = state.time  # steps are taken at origin + k h
        self.taken: tuple[float, np.ndarray, np.ndarray] | None = None  # at a step with samples
        self.repairs = 0  # failed attempts at steps, told in the result's info
        self.core = 2**62  # the fewest unknowns so far that went to the sparse part
        self.pause = self.wait = SHORTEST  # steps before new pivots are tried, and those to go
        if state.restart:
            self._restart_from(data, state)
        else:
            self._begin(data, state)

    # ------------------------------------------------------------------------------- beginnings
    def _allocate(self, data: Data) -> None:
        self.data = data
        self._allocate_stepper(data, sp.SETTINGS)
        self._allocate_fast(self.method.coefficients(self.h, None).offset)

    def _allocate_stepper(self, data: Data, settings: int) -> None:
        self.stepper = make_stepper(data, settings)
        s = self.stepper.settings
        s[sp.TOLERANCE], s[sp.MAX_ITERATIONS] = self.method.tolerance, self.method.max_iterations
        s[sp.MOST_TURN], s[sp.GROWTH] = np.inf, GROWTH
        s[sp.STIFFNESS], s[sp.LEARN] = self.constraint_stiffness, 2.0

    def _begin(self, data: Data, state: State) -> None:
        """From a state without a past: accelerations, their rate, and the first factorisation."""
        self._allocate(data)
        jerk = self._load_start(data, state)
        c = self.method.coefficients(self.h, None)
        H = self.stepper.history[..., :6]
        # generalized-alpha keeps it at t + (α_m − α_f) h (Arnold, Brüls, Cardona 2015)
        H[vl.ALG] += c.offset * self.h * jerk
        if self.stepper.flow.size:
            first = self.method.first_order(self.h, None)
            vl.start_algorithmic(self.stepper.flow, c.offset, first.offset)
        if self.method.form or (self.method.form is None and self._starts_fast()):
            self._change_form(begins=True)
        self.set_step(self.h)
        self._set_powers()
        self.pivot()

    def settle(self) -> None:
        """Start anew from the motion: its own accelerations and multipliers, without a past."""
        done = self.stepper.work[:2].copy()
        self.turning, self.previous = False, None
        self._begin(self.data, replace(self.state(), acceleration=None, gamma=None, restart={}))
        self.stepper.work[:2] = done

    def _starts_fast(self) -> bool:
        """Whether a body turns fast or spins at the start."""
        s = self.stepper
        spins = keeps_spinning(s.history, s.p, self.h, 1.0)
        s.p[:] = 0.0
        return bool(spins or turns_fast(s.history, self.data.tables.bodies, self.h, TURN))

    def _load_start(self, data: Data, state: State) -> np.ndarray:
        """Motion, accelerations, multipliers and the predictor's past; returns v̈."""
        start = rates_of_start(data, state, self.h)
        self._load(start.now, start.acceleration, start.gamma)
        H = self.stepper.history[..., :6]
        vl.past_of_start(
            self.stepper.flow, start.now.values, start.ahead.values, start.epsilon, self.h
        )
        H[vl.VDOTPREV] = start.acceleration - self.h * start.jerk
        H[vl.VPREV] = start.now.velocities - self.h * start.acceleration
        self.stepper.gamma[1, : data.rows] -= self.h * start.gamma_rate
        return start.jerk

    def _load(self, state: State, acceleration: np.ndarray, gamma: np.ndarray) -> None:
        data, s = self.data, self.stepper
        data.load(replace(state, acceleration=acceleration, gamma=gamma))
        s.base[:] = data.work.nodes
        H = s.history[..., :6]
        H[vl.V] = state.velocities
        H[vl.VDOT] = H[vl.ALG] = acceleration
        vl.load_values(s.flow, state.values)
        s.gamma[:, : data.rows] = gamma[data.kept]

    def _set_powers(self) -> None:
        """Dissipated and supplied power at the start."""
        w, s = self.data.work, self.stepper
        w.gamma[:] = s.gamma[0]
        w.coef[:COEFS] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        w.Ct[:] = 0.0
        evaluate(self.data.equations, self.time, 0.0)
        s.work[2] = w.power[0]
        s.work[3] = w.power[1] + float(s.gamma[0] @ w.Ct)

    def _restart_from(self, data: Data, state: State) -> None:
        """From the numbers of an earlier run: goes on with the same digits."""
        r = state.restart
        self._load_restart(data, state)
        h, self.h = self.h, float(r["h"])
        self.spacing = self.h
        self.set_step(self.h, fresh=False)
        self._stored_pivots(r)
        if h != self.h:
            self.set_step(h)

    def _load_restart(self, data: Data, state: State) -> None:
        """The stepper as it was at the end of the earlier run, with the rows kept there."""
        r = state.restart
        keep = np.asarray(r["keep"], bool)
        self._allocate(data if np.array_equal(keep, data.keep) else data.restricted(keep))
        acceleration = np.asarray(r["history"])[vl.VDOT, :, :6]
        self._load(state, acceleration, self.data.all_gamma(np.asarray(r["gamma"])[0]))
        for name in REMEMBERED:
            getattr(self.stepper, name)[:] = r[name]
        self.turning = "shares" in r
        if self.turning:
            self._load_fast(r["shares"], r["moves"], r["quiet"])
        self.stepper.settings[sp.LEARN] = float(r["learn"])
        self.previous, self.origin = float(r["previous"]) or None, float(r["origin"])

    # --------------------------------------------------------------------------------- stepping
    def set_step(self, h: float, fresh: bool = True) -> None:
        """Coefficients for the next step; a change of step moves the algorithmic acceleration."""
        s = self.stepper
        if fresh and h != self.spacing:
            H, ratio = s.history, h / self.spacing
            H[vl.ALG] = H[vl.VDOT] + (H[vl.ALG] - H[vl.VDOT]) * ratio
            H[vl.VDOTPREV] = H[vl.VDOT] - (H[vl.VDOT] - H[vl.VDOTPREV]) * ratio
            s.gamma[1] = s.gamma[0] - (s.gamma[0] - s.gamma[1]) * ratio
            vl.change_step(s.flow, ratio)
            self.spacing = h
        c = self.method.coefficients(h, self.previous)
        self.follows = self.previous
        s.weights[: vl.FIRST_RATE] = c.weights
        if s.flow.size:
            first = self.method.first_order(h, self.previous)
            s.weights[vl.FIRST_RATE :] = first.weights
            vl.set_relations(s.flow, c, first, h)
        s.settings[sp.CA], s.settings[sp.CV], s.settings[sp.CALPHA] = c.ca, c.cv, c.calpha
        s.settings[sp.STEP] = h
        self.h = h
        self.coefficients = c

    def pivot(self) -> None:
        """Choose pivots for the matrix of the next step."""
        self.lu = self._factorise()
        self.core = min(self.core, len(self.lu.core))

    def _stored_pivots(self, restart: dict[str, Any]) -> None:
        """Take up the pivots of an earlier run."""
        self.lu = self._factorise(kept_pivots(restart))
        self.core, self.pause, self.wait = (int(n) for n in restart["trials"])

    def _until_trial(self) -> int:
        """So many steps before new pivots are tried: after singular positions, where much goes to
        the sparse part that goes elsewhere later."""
        return self.wait if len(self.lu.core) > self.core else 2**62

    def _after(self, steps: int) -> None:
        """Try new pivots when it is time."""
        if len(self.lu.core) <= self.core:
            return
        self.wait -= steps
        if self.wait > 0:
            return
        try:
            lu = self._factorise()
        except SingularError:
            lu = self.lu
        better = len(lu.core) < len(self.lu.core)
        self.lu, self.pause = lu, SHORTEST if better else min(2 * self.pause, LONGEST)
        self.wait = self.pause

    def _factorise(self, pivots: tuple | None = None) -> Any:
        """Factors of the matrix at the predicted end of the next step."""
        data, s = self.data, self.stepper
        self._guess()
        set_coefficients(s, data.work, self.turning)
        evaluate(data.equations, self.time, 1 / s.settings[sp.MASS])
        return factorise(data, pivots)

    def _guess(self) -> None:
        """Put the prediction of the next step into the work arrays."""
        if self.turning:
            fr.guess_fast(self.data.equations, self.stepper, self.fast)
        else:
            guess(self.data.equations, self.stepper)

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """All steps at `times`, spaced by h; stores those with saved ≥ 0.  Raises StepFailure."""
        done = tried = 0
        while done < len(times):
            before = done
            status, done = self._march(times, schedule, saved, out, done)
            if status != sp.DONE:
                tried = 1 if done > before else tried + 1
                if self._repair(status, tried, float(times[done])):
                    if saved[done] >= 0:
                        self._store_repaired(out, int(saved[done]))
                        out.iterations[saved[done]] = self.iterations
                    done += 1
                    tried = 0
        watch_left_out_rows(self.full, self.data, self.state)

    def _store_repaired(self, out: StepRows, row: int) -> None:
        """A step that was not taken by the compiled loop, before samples let it jump."""
        st.store_row(sp.SmoothSteps(self.lu, self.stepper, self._vdot), out, row)
        if self.taken is not None and self.taken[0] == self.time:
            _, out.acceleration[row], out.gamma[row] = self.taken

    def _march(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows, done: int
    ) -> tuple[int, int]:
        """Compiled steps from number `done` on, until one fails or all are done."""
        status = sp.DONE
        while done < len(times) and status == sp.DONE:
            if self.follows != self.previous:  # multistep coefficients know the step before
                self.set_step(self.h, fresh=False)
            before, last = done, len(times) if self.previous == self.h else done + 1
            last = min(last, done + self._until_trial())
            status, done = self._compiled_steps(times, schedule, saved, out, done, last)
            if done > before:
                self.time, self.previous = float(times[done - 1]), self.h
                self._after(done - before)
            if status in (sp.TURNS, sp.WILD, fr.CALM):
                self._change_form()
                if status == sp.WILD:
                    self.stays = True
                    self._allow_changes(True)
                status = sp.DONE
        return status, done

    # --------------------------------------------------------------------------------- recovery
    @property
    def _solving(self) -> tuple[Data, np.ndarray]:
        return self.data, self.stepper.report[:4]

    def _new_pivots(self, time: float) -> None:
        if self.turning:  # the bodies' part of the matrix was used up
            fr.place_fast(self.data.equations, self.stepper, self.fast)
        self.lu = factorise_again(self.data, time, 1.0 / self.stepper.settings[sp.MASS])

    def _take(self, times: np.ndarray) -> tuple[int, int]:
        out = step_rows(self.data.system, len(times))
        laws = self.data.schedule(times)
        status, done = self._march(times, laws, np.arange(len(times)), out, 0)
        if status == sp.DONE and self.data.system.sample_times:
            self.taken = self.time, out.acceleration[done - 1], out.gamma[done - 1]
        return status, int(out.iterations[:done].sum())

    def _other_rows(self) -> None:
        """Look again which rows are independent at the last good position."""
        old, s = self.data, self.stepper
        state = self.state()
        data = self.choose_rows(state)
        if np.array_equal(data.keep, old.keep):
            self.pivot()
            return
        forces = old.evaluate(replace(state, acceleration=None)).Cq.T @ s.gamma[0, : old.rows]
        Cq = data.evaluate(replace(state, acceleration=None, gamma=None)).Cq
        gamma = RowSpace(Cq).coefficients(forces)
        kept, fast, self.core = s, self.fast, 2**62
        self._allocate(data)
        for name in ("base", "history", "flow", "work", "kappa", "p"):
            getattr(self.stepper, name)[:] = getattr(kept, name)
        of_rows = {name: getattr(self.fast, name) for name in ("holds", "starts", "blocks")}
        self.fast = fast._replace(**of_rows)
        self.stepper.gamma[:, : data.rows] = gamma
        self.set_step(self.h, fresh=False)
        self.pivot()

    # ------------------------------------------------------------------------------------ state
    @property
    def iterations(self) -> int:
        """Newton's iterations in the last step."""
        return int(self.stepper.report[0])

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and supplied work since the start."""
        return self.stepper.work[:2]

    def snapshot(self) -> tuple:
        """All that a step changes (also the choice of rows and pivots, when it is repaired)."""
        arrays = [np.copy(a) for a in (*self.stepper, *self.fast, *self.lu.chosen)]
        parts = self.data, self.stepper, self.fast, self.turning, self.lu
        trials = self.core, self.pause, self.wait, self.stays
        return (
            parts, arrays, self.data.numbers, self.time, self.h,
            (self.previous, self.follows, self.spacing), trials, (self.repairs, self.pieces),
        )  # fmt: skip

    def recover(self, snapshot: tuple) -> None:
        parts, arrays, reals, self.time, self.h, steps, trials, counts = snapshot
        self.repairs, self.pieces = counts
        self.core, self.pause, self.wait, self.stays = trials
        self.previous, self.follows, self.spacing = steps
        self.data, self.stepper, self.fast, self.turning, self.lu = parts
        changing = (*self.stepper, *self.fast, *self.lu.chosen)
        for mine, copy in zip(changing, arrays, strict=True):
            mine[:] = copy
        self.data.numbers = reals
        self.coefficients = self.method.coefficients(self.h, self.follows)

    def state(self) -> State:
        """The last good step."""
        data, s = self.data, self.stepper
        return State(
            self.time, data.system.names, s.base[: data.system.bodies, :13].copy(),
            self._vdot[:, :6].copy(), data.all_gamma(s.gamma[0]),
            data.memory, self.restart(),
            vl.stored_values(s.flow),
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        s = self.stepper
        out: dict[str, Any] = {name: getattr(s, name).copy() for name in REMEMBERED}
        out["keep"] = self.data.keep.copy()
        out["method"] = np.frombuffer(repr(self.method).encode(), np.uint8).copy()
        out["origin"] = np.array(self.origin)
        out["memory"] = self.data.memory
        out["learn"] = np.array(s.settings[sp.LEARN])
        out["h"] = np.array(self.h)
        out["previous"] = np.array(self.previous or 0.0)
        out["trials"] = np.array([self.core, self.pause, self.wait])
        if self.turning:
            out["shares"], out["quiet"] = self.fast.spins[:, SHARE].copy(), self._quiet.copy()
            out["moves"] = np.stack([self.fast.move, self.fast.vdot, *self.fast.past])
        return out | pivots_to_keep(self.lu)


def set_coefficients(stepper: Stepper, work: Any, turning: bool) -> None:
    s = stepper.settings
    scale = s[sp.CA] * s[sp.MASS]
    work.coef[:COEFS] = (
        1.0 / scale, s[sp.CV] / scale, 1.0, s[sp.MOVING], 0.0, s[sp.STIFFNESS], turning
    )  # fmt: skip
