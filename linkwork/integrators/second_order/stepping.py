"""The implicit step on the Lie group, compiled: many steps of any linear method per call.

A method moves every body by q₁ = q₀ exp(x) and ties velocity and acceleration to x linearly,

    v₁ = cv x + Σ kv_j H_j,     v̇₁ = ca x + Σ ka_j H_j,     a₁ = cα x + Σ kα_j H_j,

with the history H = (v, v̇, a, x of the last step, v before, v̇ before); a is the algorithmic
acceleration of generalized-alpha (Brüls, Cardona, Arnold 2012).  Newton's method solves, scaled
with 1/ca and the mass m so that the matrix has a limit as h → 0 (Bottasso's scaling),

    [M T⁻¹ + cv/ca D T⁻¹ + K/ca   C_qᵀ] [θ          ]     [r/ca]
    [C_q                           0   ] [Δγ/(m ca) ] = − [C   ]      (first row divided by m)

for increments θ in body axes, δx = T(x)⁻¹ θ.

This form, with positions alone in the constraints (index 3), is for smooth motion: it is cheap, and
unstable where bodies turn fast or thin ones are loaded.  A run therefore leaves it, for the form of
fast_rotation/, which the functions below serve too, when a body turns by more than a limit in one
step or spins (status TURNS, spinning.py), or when velocities begin to violate the constraints
(WILD): that is where the instability grows, while positions hold.

Convergence: Newton's error after a correction of size δ (radians, lengths over L) is about κ δ²,
with κ measured whenever two corrections are made, as far as the second is not the round-off of
positions (`System.round_off`), and what the elimination loses of δ; a step is
accepted when that is below tolerance × h² × (largest acceleration), so that accelerations and
multipliers are right, too.  A correction with the matrix of the one before it, δ₀, leaves 2 κ δ₀ δ;
where that will be enough, a second correction is made this way (the chord method), which costs a
residual and a solution instead of a matrix and its factors.
"""

from __future__ import annotations

from linkwork.elements.layout import (
    ACCEPT, NODE, POS, QUAT, RATE, SECOND, SIX, STRIDE, TANGENT, VALUE, VEL,
)  # fmt: skip
from linkwork.integrators.second_order.newton import newton
from linkwork.integrators.second_order.placing import place_again
from linkwork.integrators.second_order.sampled_jumps import take_up_samples
from linkwork.integrators.second_order.fast_rotation.spinning import (
    LOOKS, keeps_spinning, turns_fast,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import (
    CA, CALPHA, CV, DONE, MEMORY, MOST_TURN, MOVING, SAMPLED, STEP, TURNS, VIOLATED, WILD,
    SmoothSteps,
)  # fmt: skip
from linkwork.integrators.values import (
    ALG, BASE, HISTORY, V, VDOT, VDOTPREV, VPREV, XPREV, accept_values,
)  # fmt: skip
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined, spliced
from linkwork.kernels.registers.eights import larger8, load8, spread8, store6, store8
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.rotations import qexp, qmul
from linkwork.system.evaluate import Equations, refill

LOOK, OFF = 16, 0.02  # steps between looks at WILD; the violation over the largest velocity


@inlined
def accept(kernels, tables, work, stepper, time):
    """Take over the solution of a step: motion, history, multipliers, work done.

    Returns the largest component of a turn in it.
    """
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    if s[MEMORY] != 0.0:
        place_again(stepper, work)  # for those that keep something of the step
    H, x, base = borrow(stepper.history), borrow(work.x), borrow(stepper.base)
    affine, n, six = borrow(stepper.affine), STRIDE * bodies, load8(stepper.six, 0)
    ca, cv, calpha, squares = s[CA], s[CV], s[CALPHA], spread8(0.0)
    for b in range(bodies):
        move = accept_body(b, n, x, affine, base, H, k, ca, cv, calpha, six)
        squares = larger8(squares, move * move)
    store8(x, n, squares)  # behind the bodies, as scratch
    turn = max(x[n + 3], x[n + 4], x[n + 5]) ** 0.5
    store8(x, n, spread8(0.0))
    if stepper.flow.shape[1] > 0:
        accept_values(stepper.flow, k)
    gather_work(kernels, tables, work, stepper, time)
    return turn


@spliced
def accept_body(b, n, x, affine, base, H, k, ca, cv, calpha, six):
    """Take over the solution for one body; n: numbers of all bodies.  Its displacement."""
    q, i = NODE * b, STRIDE * b
    r = q + QUAT
    move = load8(x, i)
    base[q + POS] += x[i]
    base[q + POS + 1] += x[i + 1]
    base[q + POS + 2] += x[i + 2]
    turn = x[i + 3], x[i + 4], x[i + 5]
    e = qmul((base[r], base[r + 1], base[r + 2], base[r + 3]), qexp(turn))
    # 1/|e|, of a product of unit quaternions
    size = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    base[r], base[r + 1], base[r + 2] = e[0] * size, e[1] * size, e[2] * size
    base[r + 3] = e[3] * size
    a = move * calpha
    for j in range(HISTORY):
        a = a + load8(H, j * n + i) * k[2, j]
    now = (move * cv + load8(affine, i)) * six
    store8(base, q + VEL, now)
    store8(H, VPREV * n + i, load8(H, V * n + i))
    store8(H, VDOTPREV * n + i, load8(H, VDOT * n + i))
    store8(H, V * n + i, now)
    store8(H, VDOT * n + i, move * ca + load8(affine, n + i))
    store8(H, ALG * n + i, a)
    store8(H, XPREV * n + i, move)
    return move


@inlined
def gather_work(kernels, tables, work, stepper, time):
    """The end of an accepted step: multipliers, work done, and what elements remember."""
    s = stepper.settings
    supplied = work.power[1]
    for e in range(work.gamma.shape[0]):
        stepper.gamma[1, e] = stepper.gamma[0, e]
        stepper.gamma[0, e] = work.gamma[e]
        if s[MOVING] != 0.0:
            supplied += work.gamma[e] * work.Ct[e]
    stepper.work[0] += 0.5 * s[STEP] * (stepper.work[2] + work.power[0])
    stepper.work[1] += 0.5 * s[STEP] * (stepper.work[3] + supplied)
    stepper.work[2] = work.power[0]
    stepper.work[3] = supplied
    if s[MEMORY] != 0.0:
        work.coef[ACCEPT] = 1.0
        work.coef[TANGENT] = 0.0
        refill(kernels, tables, work, time, 0.0)


@c_function(SmoothSteps, StepRows, int, returns=None)
def store_row(run, out, row):
    """`store` for Python."""
    store(run.stepper, run.vdot, out, row)


@spliced
def store_body(b, base, H, motion, m, acceleration, a):
    """Motion and acceleration of a body, to places in the output."""
    q = NODE * b
    store8(motion, m, load8(base, q))
    store8(motion, m + 5, load8(base, q + 5))  # thirteen numbers, three of them twice
    store6(acceleration, a, load8(H, STRIDE * b))


@inlined
def store(stepper, vdot, out, row):
    """The last good step, whose accelerations are given, into a row of the output."""
    nb = stepper.p.shape[0]
    motion, base = borrow(out.motion), borrow(stepper.base)
    acceleration, H = borrow(out.acceleration), borrow(vdot)
    m, a = row * nb * 13, row * nb * SIX
    for b in range(nb):
        store_body(b, base, H, motion, m + 13 * b, acceleration, a + SIX * b)
    if stepper.kept.shape[0] == out.gamma.shape[1]:
        for e in range(out.gamma.shape[1]):
            out.gamma[row, e] = stepper.gamma[0, e]
    else:
        for e in range(stepper.kept.shape[0]):
            out.gamma[row, stepper.kept[e]] = stepper.gamma[0, e]
    out.work[row, 0] = stepper.work[0]
    out.work[row, 1] = stepper.work[1]
    for i in range(stepper.flow.shape[1]):
        out.values[row, VALUE, i] = stepper.flow[BASE, i]
        out.values[row, RATE, i] = stepper.flow[V, i]
        out.values[row, SECOND, i] = stepper.flow[VDOT, i]


@c_function(Equations, SmoothSteps, Steps, StepRows)
def advance(equations, run, steps, out):
    """Steps in their range; those with saved[k] ≥ 0 are stored in that row.  Returns the status.

    After a failure the stepper still holds the last good step, so the caller may repair the
    factorisation or the step size and go on.
    """
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    factors, stepper = run.factors, run.stepper
    times, schedule, saved = steps.times, steps.schedule, steps.saved
    for k in range(steps.range[BEGIN], steps.range[END]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        look = stepper.settings[MOST_TURN] < 1e10  # not where this form was asked for
        look = look and int(times[k] / stepper.settings[STEP] + 0.5) % LOOK == 0
        stepper.report[VIOLATED] = 0.0
        status = newton(kernels, tables, factors, work, stepper, times[k], look)
        if status != DONE:
            return status
        steps.range[BEGIN] = k + 1
        turn = accept(kernels, tables, work, stepper, times[k])
        if saved[k] >= 0:
            store(stepper, stepper.history[VDOT], out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
        if stepper.settings[SAMPLED] != 0.0:
            take_up_samples(kernels, tables, factors, work, stepper, times[k])
        most = stepper.settings[MOST_TURN]
        if turn > most and turns_fast(stepper.history, tables.bodies, stepper.settings[STEP], most):
            return TURNS
        if look and keeps_spinning(stepper.history, stepper.p, stepper.settings[STEP], LOOKS):
            return TURNS
        if stepper.report[VIOLATED] > OFF:
            return WILD
    return DONE
