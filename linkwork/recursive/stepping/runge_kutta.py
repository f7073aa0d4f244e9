"""The classic method of Runge and Kutta in joint coordinates, many steps per call.

    q̇ = v (unit quaternions: ½ q v),   v̇ = forward(q, v, t)

The accelerations at the end of a step are the first stage of the next, so a step costs four
evaluations, and stored steps cost no more.  Work is the integral of the powers of the stages, of
order four too.  After a step the cut joints are corrected.
"""

from __future__ import annotations

from linkwork.elements import layout as el
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined, inlined, lean, spliced
from linkwork.system.evaluate import Work
from linkwork.recursive.tree.layout import Tree
from linkwork.system.evaluate import Tables
from linkwork.recursive.tree.layout import Sweep
from linkwork.recursive.tree.parts import Motion
from linkwork.recursive.loops.closing import Loops
from linkwork.integrators.contract import StepRows
from linkwork.kernels.memory.records import by_address, record_at
from linkwork.kernels.rotations import qmul, qscale
from linkwork.kernels.vectors import four
from linkwork.recursive.loops.closing import (
    CORRECTION, DIRECT, LAWS, MADE, MEMORY, PIVOT, SAMPLES, SEMI_ANALYTIC, TRIED, accelerations,
    correct, elements, enforce_loops, forward,
)  # fmt: skip
from linkwork.recursive.tree.layout import put4
from linkwork.recursive.sweeps.nodes import (
    body_accelerations, fill_nodes, fill_values,
)  # fmt: skip
from linkwork.recursive.sweeps.sensing import X
from linkwork.recursive.sweeps.wrenches import damping_power, joint_wrenches, law_power

FINE, NOT_FINITE, NOT_CLOSED = range(3)


@fused_inlined
def coordinate_rates(loops, q, v, out):
    """q̇ of joint velocities v."""
    for i in range(q.shape[0]):
        j = loops.velocity_of[i]
        out[i] = v[j] if j >= 0 else 0.0
    Q, o = borrow(q), borrow(out)
    for k in range(loops.balls.shape[0]):
        i, j = loops.balls[k, 0], loops.balls[k, 1]
        put4(o, i, qscale(0.5, qmul(four(Q, i), (0.0, v[j], v[j + 1], v[j + 2]))))


@fused_inlined
def unit_quaternions(loops, q):
    for k in range(loops.balls.shape[0]):
        i = loops.balls[k, 0]
        size = (q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2) ** 0.5
        for j in range(4):
            q[i + j] /= size


@spliced
def set_laws(tables, s, schedule, own, row):
    """Motion laws of the elements and of the tree's joints at one time."""
    for j in range(tables.targets.shape[0]):
        tables.reals[tables.targets[j]] = schedule[row, j]
    for j in range(s.laws.shape[0]):
        for i in range(21):
            s.laws[j, i] = own[row, 21 * j + i]


@fused_inlined
def stage(y, h, k, out):
    for i in range(y.shape[0]):
        out[i] = y[i] + h * k[i]


@fused_inlined
def copy(a, out):
    for i in range(a.shape[0]):
        out[i] = a[i]


@fused_inlined
def finite(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * 0.0
    return total == 0.0


@fused_inlined
def powers(tree, s, loops, work, v):
    """Dissipated and supplied power at the last evaluation."""
    supplied = work.power[1]
    if s.loads.shape[0] > 0:
        for i in range(v.shape[0]):
            supplied += s.drives[i] * v[i]
    if loops.settings[LAWS] != 0.0:
        supplied += law_power(tree, s)
        for r in range(loops.gamma.shape[0]):
            supplied += loops.gamma[r] * work.Ct[r]
    return work.power[0] + damping_power(tree, v), supplied


@inlined
def close_step(sweeps, kernels, tables, work, tree, s, loops, cut, run, time):
    """Correction and accelerations of a mechanism with cut joints."""
    how = loops.settings[CORRECTION]
    if how in (SEMI_ANALYTIC, DIRECT) and not correct(
        sweeps, kernels, tables, work, tree, s, loops, cut,
        time, run.q, run.v, run.d, run.tau, run.stiff,
    ):  # fmt: skip
        return NOT_CLOSED
    if how in (SEMI_ANALYTIC, DIRECT) and loops.sensors.shape[0] == 0:
        accelerations(sweeps, tables, work, tree, s, loops, cut, run.tau, run.stiff, run.a)
    else:
        forward(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            time, run.q, run.v, run.tau, run.stiff, run.a,
        )  # fmt: skip
    return FINE


@spliced
def store(tree, s, loops, work, run, out, row):
    """Motion, accelerations and wrenches of the last evaluation as row `row`."""
    fill_nodes(tree, s, work.nodes)
    fill_values(tree, out.values[row], run.q, run.v, run.a)
    for b in range(out.motion.shape[1]):
        for i in range(13):
            out.motion[row, b, i] = work.nodes[b, i]
    body_accelerations(tree, s, work.nodes, loops.acceleration)
    for b in range(out.motion.shape[1]):
        for i in range(6):
            out.acceleration[row, b, i] = loops.acceleration[b, i]
    joint_wrenches(tree, s, run.a, run.wrench[row])
    for r in range(loops.gamma.shape[0]):
        run.gamma[row, r] = loops.gamma[r]
    for k in range(loops.sensors.shape[0]):
        i = loops.sensors[k, X]
        out.values[row, el.VALUE, i] = work.values[el.VALUE, i]
    out.work[row, 0], out.work[row, 1] = run.work[0], run.work[1]
    out.iterations[row] = run.counted[1] - run.counted[0]
    if out.own.shape[1] > 0:
        out.own[row, 0] = loops.report[PIVOT]


@inlined
def begin_at(sweeps, kernels, tables, work, tree, s, loops, cut, run, time, out, row):
    """Accelerations and powers at the run's q and v; stored as row `row`, if there is one."""
    forward(
        sweeps, kernels, tables, work, tree, s, loops, cut,
        time, run.q, run.v, run.tau, run.stiff, run.a,
    )  # fmt: skip
    if cut is not None:
        enforce_loops(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            time, run.q, run.v, run.tau, run.stiff, run.d,
        )  # fmt: skip
    if row >= 0:
        store(tree, s, loops, work, run, out, row)
    run.work[2], run.work[3] = powers(tree, s, loops, work, run.v)


@spliced
def finish(sweeps, kernels, tables, work, tree, s, loops, cut, run, time, h, out, saved):
    """What follows the new q, v: correction, accelerations, balance of work, storing.

    Work is summed by the trapezoidal rule over h; 0 where the method has its own sum.
    """
    if cut is None:
        forward(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            time, run.q, run.v, run.tau, run.stiff, run.a,
        )  # fmt: skip
    else:
        status = close_step(sweeps, kernels, tables, work, tree, s, loops, cut, run, time)
        if status != FINE:
            return status
    if not finite(run.a):
        return NOT_FINITE
    if cut is not None and (saved >= 0 or loops.settings[LAWS] != 0.0):
        enforce_loops(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            time, run.q, run.v, run.tau, run.stiff, run.d,
        )  # fmt: skip
    run.counted[0] = run.counted[1]
    run.counted[1] = loops.report[MADE] + loops.report[TRIED]
    lost, supplied = powers(tree, s, loops, work, run.v)
    run.work[0] += 0.5 * h * (run.work[2] + lost)
    run.work[1] += 0.5 * h * (run.work[3] + supplied)
    run.work[2], run.work[3] = lost, supplied
    if loops.settings[MEMORY] != 0.0:
        work.coef[:] = 0.0
        work.coef[el.ACCEPT] = 1.0
        elements(kernels, tables, work, time)
    if saved >= 0:
        store(tree, s, loops, work, run, out, saved)
    if loops.settings[MEMORY] == SAMPLES:  # the next step begins with what they hold now
        # no literal −1: numba would compile everything once more for it
        begin_at(sweeps, kernels, tables, work, tree, s, loops, cut, run, time, out, 0 * saved - 1)
    return FINE


@by_address
@lean
def advance_rk4(
    sweeps, kernels, tables, work, tree, s, loops, cut, run, times, h, schedule, own, saved, out
):  # fmt: skip
    """Steps at `times`; schedules hold half steps.  Returns (status, steps done).

    h = 0: no step, but the accelerations at the run's q and v, everything stored as row saved[0] if
    that is not negative.
    """
    tables, work = record_at(Tables, tables), record_at(Work, work)
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    loops = record_at(Loops, loops)
    run, out = record_at(Motion, run), record_at(StepRows, out)
    if h == 0.0:
        begin_at(
            sweeps, kernels, tables, work, tree, s, loops, cut, run, times[0], out, saved[0]
        )
        return FINE, 1
    k, l, total = run.stages, run.rates, run.total
    moving = loops.settings[LAWS] != 0.0
    for step in range(times.shape[0]):
        begin = times[step] - h
        sweeps.leave_turns(loops.swings, run.q, run.v, run.a, run.d)
        copy(run.a, k[0])
        coordinate_rates(loops, run.q, run.v, l[0])
        total[0], total[1] = h / 6.0 * run.work[2], h / 6.0 * run.work[3]
        for j in range(1, 4):
            part = h if j == 3 else 0.5 * h
            stage(run.q, part, l[j - 1], run.qs)
            stage(run.v, part, k[j - 1], run.vs)
            unit_quaternions(loops, run.qs)
            set_laws(tables, s, schedule, own, 2 * step + (2 if j == 3 else 1))
            coordinate_rates(loops, run.qs, run.vs, l[j])
            forward(
                sweeps, kernels, tables, work, tree, s, loops, cut,
                begin + part, run.qs, run.vs, run.tau,
                run.stiff, k[j],
            )  # fmt: skip
            if cut is not None and moving:
                enforce_loops(
                    sweeps, kernels, tables, work, tree, s, loops, cut,
                    begin + part, run.qs, run.vs, run.tau,
                    run.stiff, run.d,
                )  # fmt: skip
            lost, supplied = powers(tree, s, loops, work, run.vs)
            total[0] += (h / 6.0 if j == 3 else h / 3.0) * lost
            total[1] += (h / 6.0 if j == 3 else h / 3.0) * supplied
        copy(run.q, run.q0)
        copy(run.v, run.v0)
        copy(run.a, run.a0)
        run.work[0] += total[0]
        run.work[1] += total[1]
        for i in range(run.q.shape[0]):
            run.q[i] += h / 6.0 * (l[0, i] + 2.0 * (l[1, i] + l[2, i]) + l[3, i])
        for i in range(run.v.shape[0]):
            run.v[i] += h / 6.0 * (k[0, i] + 2.0 * (k[1, i] + k[2, i]) + k[3, i])
        unit_quaternions(loops, run.q)
        status = finish(
            sweeps, kernels, tables, work, tree, s, loops, cut,
            run, times[step], 0.0, out, saved[step],
        )  # fmt: skip
        if status != FINE:
            copy(run.q0, run.q)
            copy(run.v0, run.v)
            copy(run.a0, run.a)
            run.work[0] -= total[0]
            run.work[1] -= total[1]
            return status, step
    return FINE, times.shape[0]
