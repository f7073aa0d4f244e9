"""The augmented equations as an ordinary differential equation, with Baumgarte stabilisation.

Tasora and Righettini 1999, equation (27): at every motion (q, v) solve

    [M    C_qᵀ] [v̇]   [f − f_g                          ]
    [C_q  0   ] [γ ] = [Q_c − 2α (C_q v + C_t) − β² C   ],     ṙ = v,  ρ̇ = ½ ρ (0, ω)

and integrate y = (r, ρ, v, ω) of all bodies, then q and q̇ of values of vector nodes: with the
classic Runge-Kutta method (compiled) or any of SciPy's.  Of values of first order q alone is
integrated; their rates are unknowns beside v̇ and γ, and since equations may contain them
nonlinearly, all are then found by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, BY_RATE, BY_SECOND, BY_VALUE, COEFS, OMEGA, POS, QUAT, RATE, RATES, SECOND, TANGENT,
    VALUE, VEL,
)  # fmt: skip
from linkwork.errors import ModelError, SingularError
from linkwork.integrators.contract import BasicRun, Output, Run, StepFailure
from linkwork.integrators.second_order.recovery import no_accelerations
from linkwork.math.compiled import compiled, inlined
from linkwork.math.rotations import qmul, qscale
from linkwork.math.vectors import at4
from linkwork.model import checks
from linkwork.model.written import Written
from linkwork.integrators.friction import refuse_bristles, refuse_loads
from linkwork.integrators.explicit.scipy_numbers import give_numbers, numbers_of
from linkwork.system.accelerations import accelerations, factorise, factorise_again
from linkwork.system.evaluate import acceleration_of, evaluate, set_rotation, velocity_of
from linkwork.system.elimination import factor_nodes, solve_nodes
from linkwork.system.consistent import highest_derivatives
from linkwork.system.state import State
from linkwork.system.system import System

GROWTH = 1e8
MOTION = 13  # numbers of a body's motion
CLOSE, MOST = 1e-11, 30  # of Newton's method for rates: the last correction, and how many
SOLVERS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")


@inlined
def solve_once(kernels, tables, lu, work, rhs, time, alpha, beta, mass):
    """A correction of accelerations, rates and multipliers over the mass in rhs; False: pivots are
    bad."""
    nb, nv = tables.bodies.shape[0], work.balance.shape[0] - 1
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    work.coef[RATES] = 1.0
    evaluate(kernels, tables, work, time, 1.0 / mass)
    rigid, n = 6 * nb, tables.motions[0]
    for b in range(nb):
        for i in range(6):
            rhs[6 * b + i] = -work.f[b, i] / mass
    for i in range(nv):
        rhs[rigid + i] = -work.balance[i] / mass
    for e in range(n, rhs.shape[0]):
        rate, known = work.Ct[e - n], 0.0
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            entry = work.vals[tables.places[p]]
            rate += entry * velocity_of(work, tables.indices[p])
            known += entry * acceleration_of(work, tables.indices[p])
        rhs[e] = work.Qc[e - n] - 2.0 * alpha * rate - beta * beta * work.C[e - n] - known
    if not factor_nodes(lu, work.vals, rhs) < GROWTH:
        return False
    solve_nodes(lu, rhs)
    return True


@inlined
def correct(tables, work, rhs, order, mass):
    """Add a correction; the largest change of a rate of first order, relative."""
    nb, nv, n = tables.bodies.shape[0], work.balance.shape[0] - 1, tables.motions[0]
    largest = 0.0
    for b in range(nb):
        for i in range(6):
            work.vdot[b, i] += rhs[6 * b + i]
    for i in range(nv):
        change = rhs[6 * nb + i]
        if order[i] == 1:
            work.values[RATE, i] += change
            largest = max(largest, abs(change) / (1e-300 + abs(work.values[RATE, i])))
        else:
            work.values[SECOND, i] += change
    for e in range(n, rhs.shape[0]):
        work.gamma[e - n] += rhs[e] * mass
    return largest


@compiled
def derivative(kernels, tables, lu, work, rhs, y, order, time, alpha, beta, mass, out):
    """out = dy/dt of y; multipliers stay in work.gamma.  False: pivots are bad."""
    nb, nv = tables.bodies.shape[0], work.balance.shape[0] - 1
    q = MOTION * nb  # where values of vector nodes begin
    motion, change = y[:q].reshape(nb, MOTION), out[:q].reshape(nb, MOTION)
    for b in range(nb):
        size = 0.0
        for i in range(4):
            size += motion[b, QUAT + i] ** 2
        size = size**0.5
        for i in range(MOTION):
            work.nodes[b, i] = motion[b, i] / size if QUAT <= i < QUAT + 4 else motion[b, i]
        set_rotation(work.nodes, b)
    work.values[:] = 0.0
    slow = False
    for i in range(nv):
        work.values[VALUE, i] = y[q + i]
        if order[i] == 1:
            slow, work.values[BY_RATE, i] = True, 1.0 / mass
        else:
            work.values[RATE, i], work.values[BY_SECOND, i] = y[q + nv + i], 1.0 / mass
    work.vdot[:] = 0.0
    work.x[:] = 0.0
    work.gamma[:] = 0.0
    for attempt in range(MOST):  # one is enough where all enter linearly: accelerations do
        if not solve_once(kernels, tables, lu, work, rhs, time, alpha, beta, mass):
            return False
        off = correct(tables, work, rhs, order, mass)
        if not slow or off <= CLOSE:
            break
        if attempt == MOST - 1 or not off < 1e300:
            return False
    for b in range(nb):
        w = (0.0, motion[b, OMEGA], motion[b, OMEGA + 1], motion[b, OMEGA + 2])
        dq = qscale(0.5, qmul(at4(motion, b, QUAT), w))
        for i in range(3):
            change[b, POS + i] = motion[b, VEL + i]
        for i in range(4):
            change[b, QUAT + i] = dq[i]
        for i in range(6):
            change[b, VEL + i] = work.vdot[b, i]
    for i in range(nv):
        out[q + i], out[q + nv + i] = work.values[RATE, i], work.values[SECOND, i]
    return True


@inlined
def set_laws(tables, schedule, row):
    for j in range(tables.targets.shape[0]):
        tables.reals[tables.targets[j]] = schedule[row, j]


@compiled
def record(kernels, tables, work, total, powers, h, time, memory):
    """Work done over the step by the trapezoidal rule; memory of elements."""
    supplied = work.power[1]
    for e in range(work.gamma.shape[0]):
        supplied += work.gamma[e] * work.Ct[e]
    total[0] += 0.5 * h * (powers[0] + work.power[0])
    total[1] += 0.5 * h * (powers[1] + supplied)
    powers[0], powers[1] = work.power[0], supplied
    if memory:
        work.coef[ACCEPT] = 1.0
        work.coef[TANGENT] = 0.0
        evaluate(kernels, tables, work, time, 0.0)


@compiled
def rk4(
    kernels, tables, lu, work, rhs, y, order, stages, total, powers, times, h, schedule, alpha,
    beta, mass, memory, saved, out, kept, first, last,
):  # fmt: skip
    """Steps `first` … `last` − 1 of the classic method; schedule holds half steps."""
    nb, nv = tables.bodies.shape[0], work.balance.shape[0] - 1
    trial, k, q = stages[4], stages, MOTION * nb
    placed, motion = trial[:q].reshape(nb, MOTION), y[:q].reshape(nb, MOTION)
    change = k[0][:q].reshape(nb, MOTION)
    weights = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
    for step in range(first, last):
        start = times[step] - h
        for s in range(4):
            row = 2 * step + (0 if s == 0 else (2 if s == 3 else 1))
            set_laws(tables, schedule, row)
            trial[:] = y
            if s > 0:
                trial += (h if s == 3 else 0.5 * h) * k[s - 1]
            t = start + (0.0 if s == 0 else (h if s == 3 else 0.5 * h))
            if not derivative(
                kernels, tables, lu, work, rhs, trial, order, t, alpha, beta, mass, k[s]
            ):
                return step
        trial[:] = y
        for s in range(4):
            trial += h * weights[s] * k[s]
        for b in range(nb):
            e = at4(placed, b, QUAT)
            size = (e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + e[3] ** 2) ** 0.5
            for i in range(4):
                placed[b, QUAT + i] /= size
        set_laws(tables, schedule, 2 * step + 2)
        if not derivative(
            kernels, tables, lu, work, rhs, trial, order, times[step], alpha, beta, mass, k[0]
        ):
            return step  # y is still the last good step
        y[:] = trial
        record(kernels, tables, work, total, powers, h, times[step], memory)
        if saved[step] >= 0:
            row = saved[step]
            out.motion[row] = motion
            out.acceleration[row] = change[:, VEL:]
            for i in range(nv):
                out.values[row, VALUE, i], out.values[row, RATE, i] = y[q + i], k[0][q + i]
                out.values[row, SECOND, i] = k[0][q + nv + i]
            for e in range(kept.shape[0]):
                out.gamma[row, kept[e]] = work.gamma[e]
            out.work[row] = total
    return last


@dataclass(frozen=True, repr=False)
class RK4(Written):
    """The classic explicit method of order four on the augmented equations.

    baumgarte: (α, β) in 1/s, how fast a violation of the constraints dies out; by default both 5.
    They must not grow as h shrinks, or the method loses its order.
    """

    baumgarte: tuple[float, float] | None = None

    order = 4
    drifts = 1e-4  # joints are kept closed by Baumgarte's terms alone (motion.open_joints)

    def __post_init__(self) -> None:
        _parameters(self.baumgarte)

    def run(self, full: System, system: System, state: State, h: float) -> Run:
        refuse_order_zero(full, "lw.RK4")
        return RungeKuttaRun(self, full, system, state, h, _parameters(self.baumgarte))


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

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise ModelError(
                f"solver of ODE must be one of {', '.join(SOLVERS)}, found {self.solver!r}"
            )
        checks.number(self.rtol, "rtol of ODE", positive=True)
        checks.number(self.atol, "atol of ODE", positive=True)
        _parameters(self.baumgarte)

    def run(self, full: System, system: System, state: State, h: float) -> Run:
        full.refuse_held("lw.ODE, whose steps follow its own error,")
        refuse_order_zero(full, "lw.ODE")
        refuse_loads(full, "ODE")
        refuse_bristles(full, "lw.ODE", "lw.RK4() or lw.GeneralizedAlpha()")
        return ScipyRun(self, full, system, state, h, _parameters(self.baumgarte))


def refuse_order_zero(full: System, what: str) -> None:
    """Explicit methods step equations with derivatives."""
    for node in full.layout.nodes:
        if node.kind.order == 0:
            raise ModelError(
                f"{what} knows equations of first and second order, but those of {node.label} in "
                f"model '{full.model.name}' have no derivatives; use lw.GeneralizedAlpha() or "
                "another implicit method"
            )


def _parameters(given: tuple[float, float] | None) -> tuple[float, float]:
    if given is None:
        return 5.0, 5.0
    alpha, beta = checks.vector(given, "baumgarte (α, β)", length=2)
    return (
        checks.number(alpha, "α of baumgarte", minimum=0),
        checks.number(beta, "β of baumgarte", minimum=0),
    )


class OdeRun(BasicRun):
    """What the two runs share: the motion y, the factorisation, multipliers and work."""

    def __init__(
        self, method: Any, full: System, system: System, state: State, h: float,
        parameters: tuple[float, float],
    ) -> None:  # fmt: skip
        self.begun = begun = state.restart  # of an earlier run: this one goes on with its digits
        if begun:
            keep = np.asarray(begun["keep"], bool)
            system = full if keep.all() else full.with_rows(keep)
        self.method, self.system, self.time, self.h = method, system, state.time, h
        self.origin = float(begun["origin"]) if begun else state.time
        self.alpha, self.beta = parameters
        self.work_done, self.powers = np.zeros(2), np.zeros(2)
        self.repairs = self.iterations = 0
        self.y = np.concatenate([state.motion.ravel(), state.values[0], state.values[1]])
        self.rhs = np.zeros(system.unknowns)
        self.rate = np.zeros_like(self.y)
        refuse_loads(system, type(method).__name__)
        accelerations(system, state)  # raises where the equations are singular
        self.pivot(begun)
        self._evaluate(self.time, self.y)
        w = system.work
        self.powers[:] = w.power[0], w.power[1] + w.gamma @ w.Ct
        if begun:
            self.work_done[:], self.powers[:] = np.reshape(begun["work"], (2, 2))

    def pivot(self, begun: dict[str, Any] | None = None) -> None:
        """Choose pivots, or take those of an earlier run."""
        system = self.system
        system.load(self.state_at(self.time, self.y))
        system.work.coef[:COEFS] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        by = highest_derivatives(system) / system.mass
        system.work.values[BY_VALUE:, : system.layout.values] = by
        evaluate(system.kernels, system.tables, system.work, self.time, 1.0 / system.mass)
        names = sorted(name for name in begun or {} if name.startswith("pivots"))
        pivots = tuple(np.asarray((begun or {})[name]) for name in names)
        self.lu = factorise(system, pivots or None)

    def _evaluate(self, time: float, y: np.ndarray) -> np.ndarray:
        """dy/dt, with new pivots where the old ones have gone bad."""
        s = self.system
        for _ in range(2):
            s.set_time(time)
            if derivative(
                s.kernels, s.tables, self.lu, s.work, self.rhs, y, s.layout.order, time, self.alpha,
                self.beta, s.mass, self.rate,
            ) and np.all(np.isfinite(self.rate)):  # fmt: skip
                return self.rate
            self.repairs += 1
            if not np.all(np.isfinite(s.work.vals)):
                break
            try:
                self.lu = factorise_again(s, time, 1.0 / s.mass)
            except SingularError:  # at the start it names a joint; here the motion has led to it
                break
        raise self._failure(time)

    def _failure(self, time: float) -> StepFailure:
        return StepFailure(
            time, 1, float("nan"), "the equations of motion", no_accelerations(self.system, time)
        )

    def parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Motion of bodies (bodies, 13), values and rates of vector nodes, or what changes them."""
        places = MOTION * self.system.bodies, self.system.layout.values
        motion, values, rates = np.split(y, np.cumsum(places))
        return motion.reshape(-1, MOTION), values, rates

    def state_at(self, time: float, y: np.ndarray) -> State:
        memory = self.system.tables.reals[self.system.memory_places].copy()
        motion, values, rates = self.parts(y)
        return State(
            time, self.system.names, motion.copy(), memory=memory,
            values=np.stack([values, rates, np.zeros_like(rates)]),
        )  # fmt: skip

    def state(self) -> State:
        self._evaluate(self.time, self.y)
        gamma = self.system.all_gamma(self.system.work.gamma)
        memory = self.system.tables.reals[self.system.memory_places].copy()
        motion, values, _ = self.parts(self.y)
        change, rates, second = self.parts(self.rate)
        return State(
            self.time, self.system.names, motion.copy(), change[:, VEL:].copy(), gamma, memory,
            self.restart(), np.stack([values, rates, second]),
        )  # fmt: skip

    def restart(self) -> dict[str, Any]:
        """All numbers needed to go on with the same digits."""
        out = {f"pivots{i}": np.array(part) for i, part in enumerate(self.lu.pivots)}
        return out | {
            "work": np.concatenate([self.work_done, self.powers]),
            "memory": self.system.tables.reals[self.system.memory_places].copy(),
            "keep": self.system.keep.copy(), "origin": np.array(self.origin),
            "method": np.frombuffer(repr(self.method).encode(), np.uint8).copy(),
        }  # fmt: skip

    def set_step(self, h: float) -> None:
        self.h = h

    def snapshot(self) -> tuple:
        return (
            self.time, self.h, self.y.copy(), self.work_done.copy(), self.powers.copy(),
            self.system.tables.reals.copy(),
        )  # fmt: skip

    def recover(self, snapshot: tuple) -> None:
        self.time, self.h, y, total, powers, reals = snapshot
        self.y[:], self.work_done[:], self.powers[:] = y, total, powers
        self.system.tables.reals[:] = reals

    def _save(self, row: int, out: Output) -> None:
        motion, values, _ = self.parts(self.y)
        change, rates, second = self.parts(self.rate)
        out.motion[row], out.acceleration[row] = motion, change[:, VEL:]
        out.values[row] = values, rates, second
        out.gamma[row] = self.system.all_gamma(self.system.work.gamma)
        out.work[row] = self.work_done

    def _record(self, h: float) -> None:
        s = self.system
        record(
            s.kernels, s.tables, s.work, self.work_done, self.powers, h, self.time, s.memory
        )


class RungeKuttaRun(OdeRun):
    """Compiled Runge-Kutta steps."""

    turns = 0.5, 3.0  # radians in a step that are told of, and refused (motion.turns)

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: Output
    ) -> None:
        s = self.system
        stages = np.zeros((5, *self.y.shape))
        begins = np.concatenate([[self.time], times[:-1]])
        half = np.empty(2 * len(times) + 1)
        half[0], half[1::2], half[2::2] = self.time, (begins + times) / 2, times
        laws = s.schedule(half)
        done = tries = 0
        while done < len(times):
            before = done
            done = rk4(
                s.kernels, s.tables, self.lu, s.work, self.rhs, self.y, s.layout.order, stages,
                self.work_done, self.powers, times, self.h, laws, self.alpha, self.beta, s.mass,
                s.memory, saved, out, s.kept, done, len(times),
            )  # fmt: skip
            if done > before:
                self.time, tries = float(times[done - 1]), 0
            if done < len(times):
                tries += 1
                if tries > 1:
                    raise self._failure(float(times[done]))
                self.repairs += 1
                if np.all(np.isfinite(s.work.vals)):
                    self.lu = factorise_again(s, float(times[done]), 1.0 / s.mass)


class ScipyRun(OdeRun):
    """Steps of a SciPy integrator, with its dense output at the times asked for."""

    solver: Any = None

    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: Output
    ) -> None:
        for time, row in zip(times, saved, strict=True):
            began = self.time
            self._reach(float(time))
            self._evaluate(self.time, self.y)
            self._record(self.time - began)
            if row >= 0:
                self._save(int(row), out)

    def _reach(self, time: float) -> None:
        if self.solver is None or self.solver.t < self.time:
            self._start()
        while self.solver.t < time:
            message = self.solver.step()
            if self.solver.status == "failed":
                raise StepFailure(
                    self.time, 1, float("nan"), "SciPy's integrator",
                    f"could not go on at t = {self.time:.6g}: {message}",
                )  # fmt: skip
        self.y[:] = self.solver.dense_output()(time) if self.solver.t > time else self.solver.y
        quaternions = self.parts(self.y)[0][:, QUAT : QUAT + 4]
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        self.time = time

    def _start(self) -> None:
        import scipy.integrate

        def function(t: float, y: np.ndarray) -> np.ndarray:
            return self._evaluate(t, np.ascontiguousarray(y)).copy()

        self.solver = getattr(scipy.integrate, self.method.solver)(
            function, self.time, self.y.copy(), np.inf,
            rtol=self.method.rtol, atol=self.method.atol, first_step=min(self.h, 1e-3),
        )  # fmt: skip
        give_numbers(self.solver, self.begun)
        self.begun = {}

    def restart(self) -> dict[str, Any]:
        return super().restart() | numbers_of(self.solver)

    def recover(self, snapshot: tuple) -> None:
        super().recover(snapshot)
        self.solver = None
