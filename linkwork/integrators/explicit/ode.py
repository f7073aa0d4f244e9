"""The augmented equations as an ordinary differential equation, with Baumgarte stabilisation.

Tasora and Righettini 1999, equation (27): at every motion (q, v) solve

    [M    C_qᵀ] [v̇]   [f − f_g                          ]
    [C_q  0   ] [γ ] = [Q_c − 2α (C_q v + C_t) − β² C   ],     ṙ = v,  ρ̇ = ½ ρ (0, ω)

and integrate y = (r, ρ, v, ω) of all bodies, then q and q̇ of values of vector nodes: with the
classic Runge-Kutta method (compiled) or any of SciPy's.  Of values of first order q alone is
integrated; their rates, and values of order zero, are unknowns beside v̇ and γ.  Since equations may
contain them nonlinearly, all are then found by Newton's method.  `augmented` has the compiled part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import BY_VALUE, COEFS, QUAT, VEL
from linkwork.errors import ModelError, SingularError
from linkwork.integrators.contract import (
    BEGIN, BasicRun, Run, StepFailure, StepRows, steps_at,
)  # fmt: skip
from linkwork.integrators.blocked import COMPARE, blocked_motion, no_accelerations
from linkwork.kernels.compiled import announce
from linkwork.linear_algebra.along_mechanism.kept_pivots import kept_pivots, pivots_to_keep
from linkwork.model import checks
from linkwork.model.signals.held import due_at
from linkwork.model.written import Written
from linkwork.integrators.friction import refuse_bristles, refuse_loads
from linkwork.integrators.explicit.augmented import (
    ALPHA, BETA, MASS, MEMORY, MOTION, QUIET, SETTINGS, STEP, ExplicitSteps, derivative, record,
    rk4,
)  # fmt: skip
from linkwork.integrators.explicit.scipy_numbers import give_numbers, numbers_of
from linkwork.system.initial_conditions.accelerations import (
    accelerations,
    factorise,
    factorise_again,
)  # fmt: skip
from linkwork.system.evaluate import evaluate
from linkwork.system.initial_conditions.consistent import highest_derivatives
from linkwork.system.state import State
from linkwork.system.data import Data

SOLVERS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")


@dataclass(frozen=True, repr=False)
class RK4(Written):
    """The classic explicit method of order four on the augmented equations.

    baumgarte: (α, β) in 1/s, how fast a violation of the constraints dies out; by default both 5,
    or 1/(10h) for steps above 0.02 s, which could not follow that.  They must not grow as h
    shrinks, or the method loses its order.
    """

    baumgarte: tuple[float, float] | None = None

    order = 4
    drifts = 1e-4  # joints are kept closed by Baumgarte's terms alone (motion.open_joints)
    updates = True  # numbers that follow distant bodies need no blocks (system.far_feedback)

    def __post_init__(self) -> None:
        _parameters(self.baumgarte, 1.0)

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        return RungeKuttaRun(self, full, data, state, h, _parameters(self.baumgarte, h))


@dataclass(frozen=True, repr=False)
class ODE(Written):
    """A SciPy integrator on the augmented equations: "RK45", "DOP853", "Radau", "BDF", "LSODA".

    rtol, atol are SciPy's; baumgarte as in RK4.
    """

    solver: str = "DOP853"
    rtol: float = 1e-8
    atol: float = 1e-10
    baumgarte: tuple[float, float] | None = None

    drifts = 1e-4
    updates = True

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise ModelError(
                f"solver of ODE must be one of {', '.join(SOLVERS)}, found {self.solver!r}"
            )
        checks.number(self.rtol, "rtol of ODE", positive=True)
        checks.number(self.atol, "atol of ODE", positive=True)
        _parameters(self.baumgarte, 1.0)

    def run(self, full: Data, data: Data, state: State, h: float) -> Run:
        system = full.system
        system.refuse_held("lw.ODE, whose steps follow its own error,", samples=True)
        refuse_loads(system, "ODE")
        refuse_bristles(system, "lw.ODE", "lw.RK4() or lw.GeneralizedAlpha()")
        return ScipyRun(self, full, data, state, h, _parameters(self.baumgarte, 0.02))


def _parameters(given: tuple[float, float] | None, h: float) -> tuple[float, float]:
    """α and β for steps of length h."""
    if given is None:
        rate = min(5.0, 0.1 / h)
        return rate, rate
    alpha, beta = checks.vector(given, "baumgarte (α, β)", length=2)
    return (
        checks.number(alpha, "α of baumgarte", minimum=0),
        checks.number(beta, "β of baumgarte", minimum=0),
    )


class OdeRun(BasicRun):
    """What the two runs share: the motion y, the factorisation, multipliers and work."""

    _record: ExplicitSteps | None = None
    quiet = 1e-6  # parts of a value in a step: what rates below that are is round-off

    def __init__(
        self, method: Any, full: Data, data: Data, state: State, h: float,
        parameters: tuple[float, float],
    ) -> None:  # fmt: skip
        system = data.system
        self.begun = begun = state.restart  # of an earlier run: this one goes on with its digits
        if begun:
            keep = np.asarray(begun["keep"], bool)
            data = full if keep.all() else full.restricted(keep)
        self.method, self.data, self.time, self.h = method, data, state.time, h
        self.origin = float(begun["origin"]) if begun else state.time
        self.alpha, self.beta = parameters
        self.work_done, self.powers = np.zeros(2), np.zeros(2)
        self.repairs = self.iterations = 0
        self.y = np.concatenate([state.motion.ravel(), state.values[0], state.values[1]])
        self.rhs = np.zeros(data.unknowns)
        self.rate, self.stages = np.zeros_like(self.y), np.zeros((5, *self.y.shape))
        refuse_loads(system, type(method).__name__)
        found = accelerations(data, state)  # raises where the equations are singular
        self.algebraic = MOTION * system.bodies + np.flatnonzero(system.layout.order == 0)
        if not begun:
            self.y[self.algebraic] = found.values[0, system.layout.order == 0]
        self.pivot(begun)
        announce(derivative, "accelerations for explicit steps", 4)
        self._evaluate(self.time, self.y)
        w = data.work
        self.powers[:] = w.power[0], w.power[1] + w.gamma @ w.Ct
        if begun:
            self.work_done[:], self.powers[:] = np.reshape(begun["work"], (2, 2))

    @property
    def _compiled(self) -> ExplicitSteps:
        """The run as compiled functions take it."""
        if self._record is None or self._record.factors is not self.lu:
            data, settings = self.data, np.zeros(SETTINGS)
            layout = data.system.layout
            settings[[ALPHA, BETA, MASS, MEMORY]] = (
                self.alpha, self.beta, data.system.mass, data.part.remembers
            )  # fmt: skip
            self._record = ExplicitSteps(
                self.lu, self.rhs, self.y, self.rate, self.stages, layout.order,
                layout.value_scale, self.work_done, self.powers, settings, data.kept,
            )  # fmt: skip
        settings = self._record.settings
        settings[STEP], settings[QUIET] = self.h, self.quiet / self.h
        return self._record

    def pivot(self, begun: dict[str, Any] | None = None) -> None:
        """Choose pivots, or take those of an earlier run."""
        data = self.data
        data.load(self.state_at(self.time, self.y))
        data.work.coef[:COEFS] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        by = highest_derivatives(data.system) / data.system.mass
        data.work.values[BY_VALUE:, : data.system.layout.values] = by
        evaluate(data.equations, self.time, 1.0 / data.system.mass)
        try:
            self.lu = factorise(data, kept_pivots(begun or {}))
        except SingularError as error:
            if not data.system.layout.values:
                raise
            raise SingularError(
                f"lw.{type(self.method).__name__} finds no rates in model "
                f"'{data.system.model.name}': "
                "its equations hold values to each other, as a source holds a capacitor; use "
                "lw.GeneralizedAlpha() or another implicit method"
            ) from error

    def _evaluate(self, time: float, y: np.ndarray) -> np.ndarray:
        """dy/dt, with new pivots where the old ones have gone bad."""
        s = self.data
        for _ in range(2):
            s.set_time(time)
            self.stages[4] = y
            good = derivative(s.equations, self._compiled, time)
            y[self.algebraic] = self.stages[4, self.algebraic]
            if good and np.all(np.isfinite(self.rate)):
                return self.rate
            self.repairs += 1
            if not np.all(np.isfinite(s.work.vals)):
                break
            self._choose_pivots_again(time)
        raise self._failure(time)

    def _choose_pivots_again(self, time: float) -> None:
        """For the matrix at hand; where there are none, at the start a message names a joint, but
        here the motion has led to it."""
        try:
            self.lu = factorise_again(self.data, time, 1.0 / self.data.system.mass)
        except SingularError:
            raise self._failure(time) from None

    def _failure(self, time: float) -> StepFailure:
        return StepFailure(
            time, 1, float("nan"), "the equations of motion", no_accelerations(self.data, time)
        )

    def parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Motion of bodies (bodies, 13), values and rates of vector nodes, or what changes them."""
        places = MOTION * self.data.system.bodies, self.data.system.layout.values
        motion, values, rates = np.split(y, np.cumsum(places))
        return motion.reshape(-1, MOTION), values, rates

    def state_at(self, time: float, y: np.ndarray) -> State:
        memory = self.data.memory
        motion, values, rates = self.parts(y)
        return State(
            time, self.data.system.names, motion.copy(), memory=memory,
            values=np.stack([values, rates, np.zeros_like(rates)]),
        )  # fmt: skip

    def state(self) -> State:
        self._evaluate(self.time, self.y.copy())
        gamma = self.data.all_gamma(self.data.work.gamma)
        memory = self.data.memory
        motion, values, _ = self.parts(self.y)
        change, rates, second = self.parts(self.rate)
        return State(
            self.time, self.data.system.names, motion.copy(), change[:, VEL:].copy(), gamma, memory,
            self.restart(), np.stack([values, rates, second]),
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        return pivots_to_keep(self.lu) | {
            "work": np.concatenate([self.work_done, self.powers]),
            "memory": self.data.memory,
            "keep": self.data.keep.copy(), "origin": np.array(self.origin),
            "method": np.frombuffer(repr(self.method).encode(), np.uint8).copy(),
        }  # fmt: skip

    def set_step(self, h: float) -> None:
        self.h = h

    def snapshot(self) -> tuple:
        return (
            self.time, self.h, self.y.copy(), self.work_done.copy(), self.powers.copy(),
            self.data.numbers, self.lu, [a.copy() for a in self.lu.chosen],
            self.repairs,
        )  # fmt: skip

    def recover(self, snapshot: tuple) -> None:
        self.time, self.h, y, total, powers, reals, self.lu, chosen, self.repairs = snapshot
        self.y[:], self.work_done[:], self.powers[:] = y, total, powers
        self.data.numbers = reals
        for mine, copy in zip(self.lu.chosen, chosen, strict=True):
            mine[:] = copy

    def _save(self, row: int, out: StepRows) -> None:
        motion, values, _ = self.parts(self.y)
        change, rates, second = self.parts(self.rate)
        out.motion[row], out.acceleration[row] = motion, change[:, VEL:]
        out.values[row] = values, rates, second
        out.gamma[row] = self.data.all_gamma(self.data.work.gamma)
        out.work[row] = self.work_done

    def _count_work(self, h: float) -> None:
        s = self.data
        record(s.equations, self._compiled, h, self.time)


class RungeKuttaRun(OdeRun):
    """Compiled Runge-Kutta steps."""

    turns = 0.5, 3.0  # radians in a step that are told of, and refused (motion.turns)

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        announce(rk4, "Runge-Kutta steps", 8)
        s = self.data
        begins = np.concatenate([[self.time], times[:-1]])
        half = np.empty(2 * len(times) + 1)
        half[0], half[1::2], half[2::2] = self.time, (begins + times) / 2, times
        laws = s.schedule(half)
        steps = steps_at(times, laws, saved)
        done = tries = 0
        while done < len(times):
            before = done
            rk4(s.equations, self._compiled, steps, out)
            done = int(steps.range[BEGIN])
            if done > before:
                self.time, tries = float(times[done - 1]), 0
            if done < len(times):
                tries += 1
                if tries > 1:
                    raise self._failure(float(times[done]))
                self.repairs += 1
                if np.all(np.isfinite(s.work.vals)):
                    self._choose_pivots_again(float(times[done]))


class ScipyRun(OdeRun):
    """Steps of a SciPy integrator, with its dense output at the times asked for."""

    quiet = 1.0  # stiff integrators damp round-off of rates
    solver: Any = None
    bound = np.inf  # s: its steps end there, as loads jump behind it

    def end_before(self, time: float) -> None:
        self.bound = time
        if self.solver is not None and self.solver.t > time:
            self.solver = None  # it has looked behind the jump, in a run that was to end before it
        if self.solver is not None:
            self.solver.t_bound = time

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        due = due_at(self.data.system.sample_times, self.time, times)
        for time, row, sampled in zip(times, saved, due, strict=True):
            began = self.time
            self._reach(float(time))
            self._evaluate(self.time, self.y)
            self._count_work(self.time - began)
            if row >= 0:
                self._save(int(row), out)
            if sampled:
                self.solver = None  # it begins anew with what is held from now on

    def _reach(self, time: float) -> None:
        if self.solver is None or self.solver.t < self.time:
            self._start()
        while self.solver.t < time and self.solver.status != "finished":  # at its bound
            message = self.solver.step()
            if self.solver.status == "failed":
                cause = blocked_motion(self.data)
                message = f"{cause}: {COMPARE}" if cause else message
                raise StepFailure(
                    self.time, 1, float("nan"), "SciPy's integrator",
                    f"could not go on at t = {self.time:.6g}: {message}",
                )  # fmt: skip
        known = self.y[self.algebraic].copy()
        self.y[:] = self.solver.dense_output()(time) if self.solver.t > time else self.solver.y
        self.y[self.algebraic] = known
        quaternions = self.parts(self.y)[0][:, QUAT : QUAT + 4]
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        self.time = time

    def _start(self) -> None:
        import scipy.integrate

        def function(t: float, y: np.ndarray) -> np.ndarray:
            y = np.array(y)
            y[self.algebraic] = self.y[self.algebraic]
            return self._evaluate(t, y).copy()

        self.solver = getattr(scipy.integrate, self.method.solver)(
            function, self.time, self.y.copy(), self.bound,
            rtol=self.method.rtol, atol=self.method.atol, first_step=min(self.h, 1e-3),
        )  # fmt: skip
        give_numbers(self.solver, self.begun)
        self.begun = {}
        self.solver.t_bound = self.bound

    def restart(self) -> dict[str, Any]:
        return super().restart() | numbers_of(self.solver)

    def recover(self, snapshot: tuple) -> None:
        super().recover(snapshot)
        self.solver = None
