"""The augmented equations in compiled form: derivatives of a motion, and steps of Runge and Kutta.

`ode` has the equations.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwork.elements.layout import (
    ACCEPT, BY_RATE, BY_SECOND, BY_VALUE, OMEGA, POS, QUAT, RATE, RATES, SECOND, SIX, TANGENT,
    VALUE, VEL,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, Floats2, Ints, stored
from linkwork.kernels.rotations import qmul, qscale
from linkwork.kernels.vectors import at4
from linkwork.linear_algebra.along_mechanism import solution
from linkwork.system.evaluate import (
    Equations, acceleration_of, refill, set_rotation, velocity_of,
)  # fmt: skip
from linkwork.linear_algebra.low_rank import answer_sensors

GROWTH = 1e8
DONE, PIVOTS = 0, 2  # status of a call
MOTION = 13  # numbers of a body's motion
# of Newton's method for rates and values without any: the last correction, that where they no
# longer shrink, and how many
CLOSE, ENOUGH, MOST = 1e-11, 1e-7, 30


# settings
STEP, QUIET, ALPHA, BETA, MASS, MEMORY, SETTINGS = range(7)


@stored
class ExplicitSteps(NamedTuple):
    """A run that differentiates a motion y."""

    factors: Elimination
    rhs: Floats
    y: Floats
    rate: Floats  # dy/dt
    stages: Floats2  # (5, numbers of y)
    order: Ints  # of the equations of vector nodes
    scale: Floats  # sizes of their values
    total: Floats  # dissipated and supplied work
    powers: Floats  # the same per second, at the last step
    settings: Floats
    kept: Ints  # numbers of the rows in the equations among all rows


@inlined
def solve_once(kernels, tables, lu, work, rhs, time, alpha, beta, mass):
    """A correction of accelerations, rates and multipliers over the mass in rhs; False: pivots are
    bad."""
    nb, nv = tables.bodies.shape[0], work.balance.shape[0] - 1
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    work.coef[RATES] = 1.0
    refill(kernels, tables, work, time, 1.0 / mass)
    rigid, n = SIX * nb, tables.motions[0]
    for b in range(nb):
        for i in range(6):
            rhs[SIX * b + i] = -work.f[b, i] / mass
    for i in range(nv):
        rhs[rigid + i] = -work.balance[i] / mass
    for e in range(n, rhs.shape[0]):
        rate, known = work.Ct[e - n], 0.0
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            entry = work.vals[tables.places[p]]
            rate += entry * velocity_of(work, tables.indices[p])
            known += entry * acceleration_of(work, tables.indices[p])
        rhs[e] = work.Qc[e - n] - 2.0 * alpha * rate - beta * beta * work.C[e - n] - known
    if not solution(lu, work.vals, rhs) < GROWTH:
        return False
    answer_sensors(lu, tables, work, rhs)
    return True


@inlined
def correct(tables, work, rhs, order, scale, quiet, mass):
    """Add a correction; the largest change of what Newton's method finds, relative.

    Rates of first order count over the largest of them, values of order zero over the largest of
    them or their size, all in sizes of the values: one alone may vanish.  Where all rates vanish,
    what is left of them is round-off of the values: they count over `quiet` (1/s) times those.
    """
    nb, nv, n = tables.bodies.shape[0], work.balance.shape[0] - 1, tables.motions[0]
    for b in range(nb):
        for i in range(6):
            work.vdot[b, i] += rhs[SIX * b + i]
    moved, changed, rate, turned, size = 1.0, 0.0, 1e-300, 0.0, 0.0
    for i in range(nv):
        change = rhs[SIX * nb + i]
        if order[i] == 0:
            work.values[VALUE, i] += change
            moved = max(moved, abs(work.values[VALUE, i]) / scale[i])
            changed = max(changed, abs(change) / scale[i])
        elif order[i] == 1:
            work.values[RATE, i] += change
            rate = max(rate, abs(work.values[RATE, i]) / scale[i])
            size = max(size, abs(work.values[VALUE, i]) / scale[i])
            turned = max(turned, abs(change) / scale[i])
        else:
            work.values[SECOND, i] += change
    for e in range(n, rhs.shape[0]):
        work.gamma[e - n] += rhs[e] * mass
    return max(changed / moved, turned / max(rate, quiet * max(size, moved)))


@inlined(_nrt=True)
def differentiate(
    kernels, tables, lu, work, rhs, y, order, scale, quiet, time, alpha, beta, mass, out
):
    """out = dy/dt of y; multipliers stay in work.gamma.  False: pivots are bad.

    Values of order zero in y are where Newton's method begins, and then what it has found.
    tables, lu, work: references.
    """
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
    slow, before = False, 1e300
    for i in range(nv):
        work.values[VALUE, i] = y[q + i]
        if order[i] == 0:
            slow, work.values[BY_VALUE, i] = True, 1.0 / mass
        elif order[i] == 1:
            slow, work.values[BY_RATE, i] = True, 1.0 / mass
        else:
            work.values[RATE, i], work.values[BY_SECOND, i] = y[q + nv + i], 1.0 / mass
    work.vdot[:] = 0.0
    work.x[:] = 0.0
    work.gamma[:] = 0.0
    for attempt in range(MOST):  # one is enough where all enter linearly: accelerations do
        if not solve_once(kernels, tables, lu, work, rhs, time, alpha, beta, mass):
            return False
        off = correct(tables, work, rhs, order, scale, quiet, mass)
        if not slow or off <= CLOSE or (off <= ENOUGH and off > 0.5 * before):
            break
        if attempt == MOST - 1 or not off < 1e300:
            return False
        before = off
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
        if order[i] == 0:
            y[q + i] = work.values[VALUE, i]
    return True


@c_function(Equations, ExplicitSteps, float, allocates=True)
def derivative(equations, run, time):
    """`differentiate` for Python, of the motion in stages[4]."""
    s = run.settings
    return differentiate(
        equations.kernels, equations.tables, run.factors, equations.work, run.rhs, run.stages[4],
        run.order, run.scale, s[QUIET], time, s[ALPHA], s[BETA], s[MASS], run.rate,
    )  # fmt: skip


@inlined
def set_laws(tables, schedule, row):
    for j in range(tables.targets.shape[0]):
        tables.reals[tables.targets[j]] = schedule[row, j]


@c_function(Equations, ExplicitSteps, float, float, returns=None, allocates=True)
def record(equations, run, h, time):
    """`count_work` for Python."""
    count_work(
        equations.kernels, equations.tables, equations.work, run.total, run.powers, h, time,
        run.settings[MEMORY] != 0.0,
    )  # fmt: skip


@inlined(_nrt=True)
def count_work(kernels, tables, work, total, powers, h, time, memory):
    """Work done over the step by the trapezoidal rule; memory of elements."""
    supplied = work.power[1]
    for e in range(work.gamma.shape[0]):
        supplied += work.gamma[e] * work.Ct[e]
    total[0] += 0.5 * h * (powers[0] + work.power[0])
    total[1] += 0.5 * h * (powers[1] + supplied)
    powers[0], powers[1] = work.power[0], supplied
    if memory:
        driven = supplied - work.power[1]
        work.coef[ACCEPT] = 1.0
        work.coef[TANGENT] = 0.0
        refill(kernels, tables, work, time, 0.0)
        work.coef[ACCEPT] = 0.0
        refill(kernels, tables, work, time, 0.0)  # with what samples hold from now on
        powers[0], powers[1] = work.power[0], driven + work.power[1]


@c_function(Equations, ExplicitSteps, Steps, StepRows, allocates=True)
def rk4(equations, run, steps, out):
    """Steps of the classic method in their range; schedule holds half steps."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    factors, rhs, y, order, scale, kept = (
        run.factors, run.rhs, run.y, run.order, run.scale, run.kept
    )  # fmt: skip
    stages, total, powers, s = run.stages, run.total, run.powers, run.settings
    h, quiet, alpha, beta, mass, memory = (
        s[STEP], s[QUIET], s[ALPHA], s[BETA], s[MASS], s[MEMORY] != 0.0
    )  # fmt: skip
    times, schedule, saved = steps.times, steps.schedule, steps.saved
    nb, nv = tables.bodies.shape[0], work.balance.shape[0] - 1
    trial, k, q = stages[4], stages, MOTION * nb
    placed, motion = trial[:q].reshape(nb, MOTION), y[:q].reshape(nb, MOTION)
    change = k[0][:q].reshape(nb, MOTION)
    weights = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
    for step in range(steps.range[BEGIN], steps.range[END]):
        start = times[step] - h
        for s in range(4):
            row = 2 * step + (0 if s == 0 else (2 if s == 3 else 1))
            set_laws(tables, schedule, row)
            trial[:] = y
            if s > 0:
                trial += (h if s == 3 else 0.5 * h) * k[s - 1]
            t = start + (0.0 if s == 0 else (h if s == 3 else 0.5 * h))
            if not differentiate(
                kernels, tables, factors, work, rhs, trial, order, scale, quiet, t, alpha, beta,
                mass, k[s],
            ):
                return PIVOTS
        trial[:] = y
        for s in range(4):
            trial += h * weights[s] * k[s]
        for b in range(nb):
            e = at4(placed, b, QUAT)
            size = (e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + e[3] ** 2) ** 0.5
            for i in range(4):
                placed[b, QUAT + i] /= size
        set_laws(tables, schedule, 2 * step + 2)
        if not differentiate(
            kernels, tables, factors, work, rhs, trial, order, scale, quiet, times[step], alpha,
            beta, mass, k[0],
        ):
            return PIVOTS  # y is still the last good step
        y[:] = trial
        count_work(kernels, tables, work, total, powers, h, times[step], memory)
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
        steps.range[BEGIN] = step + 1
    return DONE
