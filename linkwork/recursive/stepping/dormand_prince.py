"""Dormand and Prince's method of order five, error controlled, with dense output.

J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980); step control and the continuous
extension of order four from E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential
Equations I (1993), II.4 to II.6.  Steps are as long as the tolerance allows; the times asked for
lie within them.  Loops are corrected after every step and at every time asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.kernels.compiled import fused_inlined, spliced
from linkwork.recursive.sweeps import slots
from linkwork.recursive.stepping.runs import Motion, for_trees_and_loops
from linkwork.recursive.loops.closing import Mechanism
from linkwork.integrators.contract import BEGIN, END
from linkwork.kernels.memory.records import Floats, Floats2, stored
from linkwork.recursive.loops.closing import (
    CORRECTION, DIRECT, MADE, SEMI_ANALYTIC, accelerations, correct, forward,
)  # fmt: skip
from linkwork.recursive.stepping.runge_kutta import (
    FINE, NOT_CLOSED, NOT_FINITE, coordinate_rates, copy, finish, finite, set_laws,
    unit_quaternions,
)  # fmt: skip

REJECTED, TOO_SMALL = 10, 11
# grid: time now, next step, last step, rtol, atol, factor allowed, steps taken, rejected
NOW, NEXT, LAST, RTOL, ATOL, GROWTH, TAKEN, REJECTIONS, GRID = range(9)
C = np.array([0.0, 0.2, 0.3, 0.8, 8 / 9, 1.0, 1.0])
A = np.zeros((7, 7))
A[1, :1] = 1 / 5
A[2, :2] = 3 / 40, 9 / 40
A[3, :3] = 44 / 45, -56 / 15, 32 / 9
A[4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
A[5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
A[6, :6] = 35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
E = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
D = np.array([
    -12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072,
    701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
])  # fmt: skip


@fused_inlined
def combine(y, h, weights, k, count, out):
    """out = y + h Σ weights k."""
    for i in range(y.shape[0]):
        total = 0.0
        for j in range(count):
            total += weights[j] * k[j, i]
        out[i] = y[i] + h * total


@fused_inlined
def error_square(y, new, h, weights, k, rtol, atol):
    total = 0.0
    for i in range(y.shape[0]):
        e = 0.0
        for j in range(7):
            e += weights[j] * k[j, i]
        size = atol + rtol * max(abs(y[i]), abs(new[i]))
        total += (h * e / size) ** 2
    return total


@fused_inlined
def dense(y0, y1, h, k, weights, part, out):
    """The continuous extension at y0 + part of the step."""
    rest = 1.0 - part
    for i in range(y0.shape[0]):
        total = 0.0
        for j in range(7):
            total += weights[j] * k[j, i]
        difference = y1[i] - y0[i]
        bend = h * k[0, i] - difference
        twist = difference - h * k[6, i] - bend
        out[i] = y0[i] + part * (difference + rest * (bend + part * (twist + rest * h * total)))


@spliced
def try_step(
    sweeps, kernels, tables, work, tree, s, loops, cut, run, ahead, grid, schedule, own, a, e, c
):  # fmt: skip
    """One step from `ahead` (q, v, and their first rates); schedules: at its seven times."""
    k, l = ahead.stages, ahead.rates
    time, h = grid[NOW], grid[NEXT]
    slots.leave_turns(sweeps, loops.swings, ahead.q, ahead.v, ahead.a, ahead.d)
    copy(ahead.a, k[0])
    coordinate_rates(loops, ahead.q, ahead.v, l[0])
    for j in range(1, 7):
        combine(ahead.q, h, a[j], l, j, ahead.qs)
        combine(ahead.v, h, a[j], k, j, ahead.vs)
        unit_quaternions(loops, ahead.qs)
        set_laws(tables, s, schedule, own, j)
        coordinate_rates(loops, ahead.qs, ahead.vs, l[j])
        forward(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            time + c[j] * h, ahead.qs, ahead.vs, run.tau,
            run.stiff, k[j],
        )  # fmt: skip
    total = error_square(ahead.q, ahead.qs, h, e, l, grid[RTOL], grid[ATOL])
    total += error_square(ahead.v, ahead.vs, h, e, k, grid[RTOL], grid[ATOL])
    error = (total / (ahead.q.shape[0] + ahead.v.shape[0])) ** 0.5
    status = FINE
    if not (finite(k[6]) and error <= 1.0):
        factor = 0.2
        if error < 1e300:
            factor = min(0.9, max(0.2, 0.9 * error**-0.2))
        grid[REJECTIONS] += 1.0
        grid[NEXT], grid[GROWTH] = h * factor, 1.0
        status = REJECTED
    else:
        grid[NEXT] = h * min(grid[GROWTH], max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
        grid[GROWTH], grid[LAST] = 5.0, h
        copy(ahead.q, ahead.q0)
        copy(ahead.v, ahead.v0)
        copy(ahead.qs, ahead.q)
        copy(ahead.vs, ahead.v)
        copy(k[6], ahead.a)
        grid[NOW] = time + h
        grid[TAKEN] += 1.0
    return status


@spliced
def close_again(sweeps, kernels, tables, work, tree, s, loops, cut, run, ahead, grid):
    """Loops after a step, and the accelerations where that changed something."""
    status = FINE
    corrects = loops.settings[CORRECTION] == SEMI_ANALYTIC or loops.settings[CORRECTION] == DIRECT
    if cut is not None and corrects:
        done = loops.report[MADE]
        if not correct(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            grid[NOW], ahead.q, ahead.v, ahead.d, run.tau,
            run.stiff,
        ):
            status = NOT_CLOSED
        elif loops.report[MADE] != done:
            if loops.sensors.shape[0] == 0:
                accelerations(
                    sweeps, tables, work, tree, s, loops, cut, run.tau, run.stiff, ahead.a
                )
            else:
                forward(
                    sweeps, kernels, tables, work, tree, s, loops, cut,
                    grid[NOW], ahead.q, ahead.v, run.tau, run.stiff, ahead.a,
                )  # fmt: skip
            if not finite(ahead.a):
                status = NOT_FINITE
    return status


@fused_inlined
def look(loops, run, ahead, grid, time, d):
    """q and v of `run` at a time within the last step."""
    h = grid[LAST]
    if h == 0.0 or time == grid[NOW]:
        copy(ahead.q, run.q)
        copy(ahead.v, run.v)
    else:
        part = (time - (grid[NOW] - h)) / h
        dense(ahead.q0, ahead.q, h, ahead.rates, d, part, run.q)
        dense(ahead.v0, ahead.v, h, ahead.stages, d, part, run.v)
        unit_quaternions(loops, run.q)


@stored
class AdaptiveTree(NamedTuple):
    """A mechanism, its motion, and the method."""

    mechanism: Mechanism
    motion: Motion
    ahead: Motion  # where its steps stand
    grid: Floats
    begin: Floats  # (1,) the last time reached
    a: Floats2
    e: Floats
    c: Floats
    d: Floats
    moving: bool  # motion laws, which are known for one step


@for_trees_and_loops(AdaptiveTree)
def advance_adaptive(equations, run_, steps, out, cut):
    """Reach the times in their range; with motion laws try one step at most.

    Returns the status (REJECTED: call again).
    """
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    sweeps, tree, s, loops = (
        run_.mechanism.sweeps, run_.mechanism.tree, run_.mechanism.sweep, run_.mechanism.loops
    )  # fmt: skip
    run, ahead, grid = run_.motion, run_.ahead, run_.grid
    times, schedule, own, saved = steps.times, steps.schedule, steps.own, steps.saved
    a, e, c, d, moving = run_.a, run_.e, run_.c, run_.d, run_.moving != 0
    first, tried = steps.range[BEGIN], False
    for step in range(first, steps.range[END]):
        while grid[NOW] < times[step]:
            if moving and tried:
                return REJECTED
            if not grid[NEXT] > 1e-14 * max(abs(grid[NOW]), 1e-300):
                return TOO_SMALL
            tried = True
            status = try_step(
                sweeps, kernels, tables, work, tree, s, loops, cut,
                run, ahead, grid, schedule, own, a, e, c,
            )
            if status == FINE:
                status = close_again(
                    sweeps, kernels, tables, work, tree, s, loops, cut, run, ahead, grid
                )
                if status != FINE:
                    return status
        if moving and step > first:  # its laws are not at hand
            return REJECTED
        look(loops, run, ahead, grid, times[step], d)
        set_laws(tables, s, schedule, own, 7)
        status = finish(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            run, times[step], times[step] - run_.begin[0], out,
            saved[step],
        )  # fmt: skip
        if status != FINE:
            return status
        run_.begin[0] = times[step]
        steps.range[BEGIN] = step + 1
    return FINE
