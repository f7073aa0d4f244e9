"""A run with a staged method: which formula each step takes, and what it remembers.

Repairs of failed steps, watching redundant rows and messages are those of ImplicitRun.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.integrators.contract import StepRows
from linkwork.integrators.second_order.fast_rotation import momenta as fr
from linkwork.integrators.first_order import stages as sg
from linkwork.integrators.second_order import stepper as sp
from linkwork.integrators.second_order.fast_rotation.change_over import (
    Spins, fast_rotation, spin_rates, times, to_momenta,
)  # fmt: skip
from linkwork.integrators.convergence import TESTS
from linkwork.integrators.first_order.formulas import Formula, filter_start
from linkwork.integrators.second_order.run import ImplicitRun
from linkwork.integrators.first_order.stages import RATE, SPEED, XDOT, Stages, X
from linkwork.integrators.first_order.values import begin_values, local_error
from linkwork.integrators.first_order.values import slopes as value_slopes
from linkwork.integrators import values as vl
from linkwork.integrators.first_order.methods import Past, StagedMethod
from linkwork.integrators.first_order.advance import advance_stages
from linkwork.kernels import rotations
from linkwork.kernels.compiled import announce
from linkwork.kernels.registers.eights import vectors
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.data import Data
from linkwork.system.system import System

MOST_GROWTH = 2.0  # of a step, over which what was a step before is extrapolated


class StagedRun(ImplicitRun):
    """Steps a system with a staged method."""

    method: StagedMethod  # type: ignore[assignment]
    turns = 0.5, 3.0

    @property
    def own(self) -> dict[str, int]:
        """What it knows of its steps: the last correction (lengths over L, radians), and the
        residual where that is tested."""
        tested = {} if self.method.test == "correction" else {"residual": 1}
        return {"correction": 1, **tested}

    def own_now(self) -> np.ndarray:
        """The columns of `own` at the last good step."""
        return self.stepper.report[[1, 4]][: len(self.own)]

    @property
    def reach(self) -> float:  # type: ignore[override]
        """The last of its stages, which may lie behind the end of the step."""
        return float(self.formula.nodes.max())

    @property
    def largest_turn(self) -> tuple[float, int]:
        """The largest turn of a body in one step so far (radians), and the body's number."""
        return float(self.fast.limits[fr.LARGEST]), int(self.fast.limits[fr.WHOSE])

    # ------------------------------------------------------------------------------- beginnings
    def _allocate(self, data: Data) -> None:
        system = data.system
        self.data = data
        n, method, values = system.bodies, self.method, system.layout.values
        self.equal, self.phase = 0, 0
        self.formula = method.formula(self.time, Past())
        slots, stages = method.past + self.formula.stages, self.formula.stages
        self._allocate_stepper(data, sg.ALL_SETTINGS)
        s = self.stepper.settings
        s[sg.KIND], s[sg.FIRST] = method.kind, method.past
        s[sg.PROJECTED], s[sg.TEST] = method.stabilized, TESTS[method.test]
        self.fast, self.turning = fast_rotation(data, False, 0.0, round_=True), True
        none = np.zeros((1, 1, 1))
        ends, spans = element_ends(system)
        self.stages = Stages(
            memory=vectors(4, slots, n), values=np.zeros((4, slots, values)),
            gamma=np.zeros((stages, data.rows + 1)), alpha=none, beta=none, hg=none[0],
            guess=none, quadrature=none[0], nodes=none[0], filters=none,
            power=np.zeros((1 + stages, 2)), sums=np.zeros((n + 1, 6)),
            scratch=np.zeros((n + 1, 6)), value_sums=np.zeros(values + 1),
            value_scratch=np.zeros(values + 1), ends=ends, spans=spans, sets=value_sets(system),
            angles=np.array([row.is_angle for row in data.kept_rows] + [False], float),
        )  # fmt: skip
        self.planned: tuple = ()

    def _begin(self, data: Data, state: State) -> None:
        """From a state without a past: accelerations, their rate, and the first factorisation."""
        self._allocate(data)
        jerk = self._load_start(data, state)
        M, H = self.stages.memory[..., :6], self.stepper.history[..., :6]
        resolved, chart = self._resolved(jerk), self.method.kind == sg.STAGES
        speeds, a = H[vl.V].copy(), H[vl.VDOT].copy()
        to_momenta(self.stepper, self.fast, self.h, begins=True)
        slope = np.zeros_like(jerk)  # v̈ and L̈
        if resolved:
            spins = Spins(self.stepper, self.fast)
            turning = spins.torque_rates(speeds[:, 3:], a[:, 3:], jerk[:, 3:])
            slope[:] = np.hstack([jerk[:, :3], turning])
        else:
            self.stepper.gamma[1] = self.stepper.gamma[0]
        H[vl.VDOTPREV] = H[vl.VDOT] - self.h * slope
        M[XDOT, 0], M[SPEED, 0], M[RATE, 0] = speeds if chart else H[vl.V], H[vl.V], H[vl.VDOT]
        begin_values(self.stepper.flow, self.stages.values, self.h)
        self._plan(np.array([self.time + self.h]))
        if self.method.kind == sg.FILTER:
            sigma, tau = filter_start(self.formula)
            self._move_filter(sigma, tau * self.h, slope)
        self.set_step(self.h)
        self._set_powers()
        self.pivot()

    def _resolved(self, jerk: np.ndarray) -> bool:
        """Whether v̈ says something about the first step: it changes v by less than v itself."""
        H, scale = self.stepper.history[..., :6], np.repeat([self.data.system.length, 1.0], 3)
        speed, rate, change = (np.abs(a / scale).max(initial=0.0) for a in (*H[:2], jerk))
        return bool(self.h**2 * change <= speed + self.h * rate)

    def remember(self, states: list[State]) -> None:
        """Take states one, two, … steps back as the past of a multistep method."""
        now, M, values = self.state(), self.stages.memory[..., :6], self.stages.values
        spins = Spins(self.stepper, self.fast)
        for j, old in enumerate(states, start=1):
            x, v = old.difference(now), old.velocities
            full = accelerations(self.data, replace(old, restart={}))
            a = full.acceleration
            assert a is not None
            values[X, j] = values[X, j - 1] + full.values[0] - now.values[0]
            values[XDOT, j] = values[SPEED, j] = full.values[1]
            values[RATE, j] = full.values[2]
            R = rotations.matrix(old.orientations)
            moved = times(R + spins.R, times(spins.J, x[:, 3:])) / 2
            M[X, j], M[SPEED, j], M[RATE, j] = M[X, j - 1] + x, v, a
            M[X, j, :, 3:] = M[X, j - 1, :, 3:] + moved
            M[SPEED, j, :, 3:], M[RATE, j, :, 3:] = spins.momenta(R, v[:, 3:], a[:, 3:])
            M[XDOT, j] = M[SPEED, j]
            now, spins.R = old, R
        self.stepper.history[vl.VDOTPREV, :, :6] = M[RATE, 1]
        flow = self.stepper.flow
        flow[vl.VPREV], flow[vl.VDOTPREV] = values[SPEED, 1], values[RATE, 1]
        flow[vl.XPREV] = -values[X, 1]
        self.previous, self.equal = self.h, len(states)
        self.pivot()

    def _restart_from(self, data: Data, state: State) -> None:
        """From the numbers of an earlier run: goes on with the same digits."""
        r = state.restart
        if "shares" not in r:  # written when the past was kept in rates: it begins anew
            self._begin(data.restricted(np.asarray(r["keep"], bool)), replace(state, restart={}))
            self.stepper.work[:2], self.origin = r["work"][:2], float(r["origin"])
            return
        self._load_restart(data, state)
        self.stages.memory[:] = r["memory_of_steps"]
        self.stages.values[:] = r.get("memory_of_values", 0.0)
        self.equal, self.phase = int(r["equal"]), int(r["phase"])
        h, self.h = self.h, float(r["h"])
        self._plan(np.array([self.time + self.h]))
        self._stored_pivots(r)
        if h != self.h:
            self.set_step(h)

    # -------------------------------------------------------------------------------- formulas
    def _past(self) -> Past:
        ratio = None if self.previous is None else self.h / self.previous
        return Past(self.equal if ratio == 1.0 else 0, ratio, self.phase)

    def _plan(self, times: np.ndarray) -> np.ndarray:
        """Formulas of steps that end at these times, all of size h; the number of each one's."""
        past, which, k = self._past(), np.zeros(len(times), np.int64), 0
        found: list[Formula] = []
        numbers: dict[int, int] = {}
        while k < len(times):
            formula = self.method.formula(float(times[k]), past)
            number = which[k] = numbers.setdefault(id(formula), len(found))
            if number == len(found):
                found.append(formula)
            after = Past(past.equal + 1, 1.0, self.method.next_phase(past))
            k += 1
            if not self.method.varying and after.equal > 2 * self.method.past:
                if after.phase == past.phase:  # it stays as it is
                    which[k:] = number
                    break
                if k >= 2 and which[k - 2] != which[k - 1]:  # it alternates
                    which[k:] = np.resize(which[k - 2 : k], len(times) - k)
                    break
            past = after
        self._load_formulas(found)
        self.formula = found[which[0]]
        return which

    def _load_formulas(self, found: list[Formula]) -> None:
        key = (self.h, *map(id, found))
        if self.planned == key:
            return
        h = self.h
        self.stages = self.stages._replace(
            alpha=np.stack([f.alpha for f in found]),
            beta=np.stack([h * f.beta for f in found]),
            hg=np.stack([h * f.g for f in found]),
            guess=np.stack([f.guess() for f in found]),
            quadrature=np.stack([h * f.quadrature for f in found]),
            nodes=np.stack([f.nodes for f in found]),
            filters=np.stack([f.filter for f in found]),
        )
        self.planned, self.found = key, found

    def set_step(self, h: float, fresh: bool = True) -> None:
        """The size of the next step; values a step before are moved to that distance."""
        s = self.stepper
        if fresh and h != self.h:
            H, ratio = s.history, min(h / self.h, MOST_GROWTH)
            if self.method.kind == sg.FILTER:
                rate = ((H[vl.VDOT] - H[vl.VDOTPREV]) / self.h)[:, :6]
                self._move_filter(0.0, filter_start(self.formula)[1] * (h - self.h), rate)
            H[vl.VDOTPREV] = H[vl.VDOT] - (H[vl.VDOT] - H[vl.VDOTPREV]) * ratio
            vl.change_step(s.flow, ratio)
            s.gamma[1] = s.gamma[0] - (s.gamma[0] - s.gamma[1]) * ratio
        s.settings[sp.STEP] = self.h = h
        self._plan(np.array([self.time + h]))

    def _move_filter(self, values: Any, slopes: np.ndarray, jerk: np.ndarray) -> None:
        """s_i += values_i ẏ + slopes_i ÿ, when the filter or its step changes."""
        M, H = self.stages.memory[..., :6], self.stepper.history[..., :6]
        own, flow = self.stages.values, self.stepper.flow
        second, third = value_slopes(flow, self.h)
        values = np.broadcast_to(values, slopes.shape)
        for i, (a, b) in enumerate(zip(values, slopes, strict=True), start=1):
            M[XDOT, i] += a * H[vl.V] + b * H[vl.VDOT]
            M[RATE, i] += a * H[vl.VDOT] + b * jerk
            own[XDOT, i] += a * flow[vl.V] + b * second
            own[RATE, i] += a * flow[vl.VDOT] + b * third

    # --------------------------------------------------------------------------------- stepping
    def _guess(self) -> None:
        """Put the guess of the next stage into the work arrays."""
        s, hg = self.stepper, self.stages.hg[0, 0]
        s.settings[sp.CA], s.settings[sp.CV], s.settings[sp.STEP] = 1 / hg**2, 1 / hg, self.h
        sg.prepare(s, self.stages, self.fast, self.data.work, 0, 0)
        sg.place(s, self.fast, self.data.tables, self.data.work, True)

    def _march(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows, done: int
    ) -> tuple[int, int]:
        """Compiled steps from number `done` on, until one fails or all are done."""
        status, data = sp.DONE, self.data
        single = self.method.kind == sg.FILTER and self.method.varying
        while done < len(times) and status == sp.DONE:
            last = done + 1 if single or self.previous != self.h else len(times)
            last = min(last, done + self._until_trial())
            if single:
                self._retune(float(times[done]))
            which = np.zeros(len(times), np.int64)
            which[done:last] = self._plan(times[done:last])
            stages = self.formula.stages
            laws = schedule if stages == 1 else self._stage_schedule(times, done, last)
            before = done
            announce(advance_stages, "implicit steps by formulas of first order", 8)
            status, done = advance_stages(
                data.kernels, data.tables, self.lu, data.work, self.stepper, self.stages,
                self.fast, which, times, laws, saved, out, done, last,
            )  # fmt: skip
            self._count(done - before)
            if done > before:
                self.time, self.previous = float(times[done - 1]), self.h
                self.formula = self.found[which[done - 1]]
                self._after(done - before)
        return status, done

    def _count(self, steps: int) -> None:
        """Count equal steps, as far as a formula may ask for, however many a call takes."""
        enough = 2 * self.method.past + 1
        for _ in range(min(steps, enough + 1 + steps % 2)):
            past = self._past()
            self.phase, self.equal = self.method.next_phase(past), min(past.equal + 1, enough)
            self.previous = self.h

    def _retune(self, time: float) -> None:
        """A filter whose rho changes: its memory for the new one."""
        old, H = self.formula, self.stepper.history
        new = self.method.formula(time, self._past())
        if new is not old:
            (s0, t0), (s1, t1) = filter_start(old), filter_start(new)
            rate = ((H[vl.VDOT] - H[vl.VDOTPREV]) / self.h)[:, :6]
            self._move_filter(s1 - s0, (t1 - t0) * self.h, rate)

    def _stage_schedule(self, times: np.ndarray, first: int, last: int) -> np.ndarray:
        """Motion laws at the stages of all steps, in rows step × stages + stage."""
        stages, targets = self.formula.stages, len(self.data.tables.targets)
        out = np.zeros((len(times) * stages, targets))
        if targets:
            nodes = self.stages.nodes[0]
            when = times[first:last, None] - (1 - nodes) * self.h
            when[:, -1] = times[first:last]
            out[first * stages : last * stages] = self.data.schedule(when.ravel())
        return out

    def _other_form(self) -> bool:
        """Staged methods have one form."""
        return False

    def _begin_pieces(self) -> tuple:
        return ()

    def _join_pieces(self, begin: tuple) -> None:
        """Formulas for unequal steps know what to do."""

    def _other_rows(self) -> None:
        """As in ImplicitRun, with the memory of the steps before."""
        memory, values = self.stages.memory, self.stages.values
        counts = self.equal, self.phase
        super()._other_rows()
        self.stages.memory[:], self.stages.values[:] = memory, values
        self.equal, self.phase = counts
        self.set_step(self.h, fresh=False)
        self.pivot()

    # ------------------------------------------------------------------------------------ state
    @property
    def _changing(self) -> tuple[np.ndarray, ...]:
        memory = self.stages.memory, self.stages.values
        return (*self.stepper, *self.fast, *memory, *self.lu.chosen)

    def snapshot(self) -> tuple:
        """All that a step changes."""
        arrays = [np.copy(a) for a in self._changing]
        parts = (self.data, self.stepper, self.fast, self.lu, self.stages, self.planned,
                 self.found)  # fmt: skip
        counts = (self.time, self.previous, self.h, self.equal, self.phase, self.formula,
                  self.core, self.pause, self.wait, self.repairs, self.pieces)  # fmt: skip
        return parts, arrays, self.data.numbers, counts

    def recover(self, snapshot: tuple) -> None:
        parts, arrays, reals, counts = snapshot
        (self.data, self.stepper, self.fast, self.lu, self.stages, self.planned,
         self.found) = parts  # fmt: skip
        (self.time, self.previous, self.h, self.equal, self.phase, self.formula,
         self.core, self.pause, self.wait, self.repairs, self.pieces) = counts  # fmt: skip
        for one, copy in zip(self._changing, arrays, strict=True):
            one[:] = copy
        self.data.numbers = reals

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        out = super().restart()
        out["memory_of_steps"] = self.stages.memory.copy()
        out["memory_of_values"] = self.stages.values.copy()
        out["equal"], out["phase"] = np.array(self.equal), np.array(self.phase)
        return out

    def alternates(self, before: Any) -> bool:
        """These formulas have no algorithmic accelerations."""
        return False

    def local_error(self, before: Any) -> float:
        """Estimated error of the last step in lengths over L and angles."""
        f, H, M = self.formula, self.stepper.history[..., :6], self.stages.memory[..., :6]
        weights = f.difference()
        change = weights[0] * H[vl.VDOTPREV]
        for i, weight in enumerate(weights[1:]):
            change = change + weight * M[RATE, f.past + i]
        change[:, 3:] = spin_rates(self.stepper, self.fast, change[:, 3:])
        change = np.abs(change)
        change[:, :3] /= self.data.system.length
        other = local_error(self.stepper.flow, self.stages.values, f, self.h)
        return max(float(f.error * self.h**2 * change.max(initial=0.0)), other)


def element_ends(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Body numbers of all elements in the order of the tables, the ground's behind all; and the
    first value of each of their vector nodes and the one behind it."""
    ordered = [e.ends for f in system.families for e in system.elements if e.entry.family == f]
    most, n, first = max(map(len, ordered), default=1), system.bodies, system.layout.first
    out, spans = np.full((len(ordered), most), n, np.int64), np.zeros((len(ordered), most, 2), int)
    for row, span, ends in zip(out, spans, ordered, strict=True):
        for k, group in enumerate(ends):
            if group >= n:
                span[k] = first[group - n : group - n + 2]
            elif group >= 0:
                row[k] = group
    return out, spans.astype(np.int64)


def value_sets(system: System) -> np.ndarray:
    """The number of each value's kind of node."""
    nodes = system.layout.nodes
    kinds = list(dict.fromkeys(node.kind for node in nodes))
    counts = [node.size for node in nodes]
    return np.repeat(np.array([kinds.index(node.kind) for node in nodes], np.int64), counts)

