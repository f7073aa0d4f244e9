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
fast_rotation.py, which the functions below serve too, when a body turns by more than a limit in one
step (status TURNS), or when velocities begin to violate the constraints (WILD): that is where the
instability grows, while positions hold.

Convergence: Newton's error after a correction of size δ (radians, lengths over L) is about κ δ²,
with κ measured whenever two corrections are made, as far as the second is not the round-off of
positions (`System.round_off`), and what the elimination loses of δ; a step is
accepted when that is below tolerance × h² × (largest acceleration), so that accelerations and
multipliers are right, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, NODE, POS, QUAT, RATE, RATES, ROT, SECOND, STRIDE, TANGENT, VALUE, VEL,
    WRITTEN,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean, spliced
from linkwork.math.eights import larger8, load8, spread8, store6, store8
from linkwork.math.rotations import inverse_tangent, qexp, qmul, rotation_matrix
from linkwork.math.vectors import mv
from linkwork.system.elimination import factor_nodes, solve, solve_nodes
from linkwork.integrators.values import (
    ALG, BASE, HISTORY, VDOT, VDOTPREV, VPREV, XPREV, V, accept_values, move_values, place_values,
    predict_values,
)  # fmt: skip
from linkwork.system.evaluate import evaluate, fill, velocity_of

ROUND_OFF = 2.0**-53
# status of a call
DONE, NO_CONVERGENCE, PIVOTS, DIVERGED = 0, 1, 2, 3
TURNS = 5  # done, and a body turned by more than this form of the step is meant for
WILD = 7  # done, and velocities violate the constraints by more than this form leaves
LOOK, OFF = 16, 0.02  # steps between looks at that; the violation over the largest velocity
FAR = 0.3  # a correction (lengths over L, radians) that must shrink
# settings
(CA, CV, CALPHA, STEP, TOLERANCE, MAX_ITERATIONS, LENGTH, MASS, MOST_TURN, MEMORY, MOVING,
 GROWTH, STIFFNESS, LEARN, NOISE, SAMPLED, SETTINGS) = range(17)  # fmt: skip


# report: iterations, last correction, worst unknown, its residual, the residual of a test, the
# violation of velocities over the largest velocity
(ITERATIONS, CORRECTION, WORST, RESIDUAL, TESTED, VIOLATED, REPORT) = range(7)


class Stepper(NamedTuple):
    """Everything a run carries from step to step."""

    base: np.ndarray  # (bodies + 1, NODE) accepted motion
    history: np.ndarray  # (HISTORY, bodies, 8), six in use, as in the next two
    gamma: np.ndarray  # (2, rows + 1) multipliers now and a step before
    p: np.ndarray  # (bodies, 8) displacement beside the method's own (fast_rotation.py, stages.py)
    affine: np.ndarray  # (2, bodies, 8) constant parts of v and v̇
    rhs: np.ndarray  # (unknowns,)
    flow: np.ndarray  # (FLOW, values) of vector nodes (values.py)
    weights: np.ndarray  # (WEIGHTS, HISTORY) rows kv, ka, kα, then of first order
    settings: np.ndarray  # (SETTINGS,)
    work: np.ndarray  # (4,) dissipated, supplied work; the powers at the last step
    kappa: np.ndarray  # (1,) Newton's constant
    report: np.ndarray  # (REPORT,), see below
    kept: np.ndarray  # numbers of the rows in the equations among all rows
    six: np.ndarray  # six ones and two zeros


@inlined
def turn_body(base, nodes, q, turn):
    """Orientation q₀ exp(turn) of the body whose numbers begin at q, and its rotation matrix;
    returns exp(turn)."""
    r, g = q + QUAT, qexp(turn)
    e = qmul((base[r], base[r + 1], base[r + 2], base[r + 3]), g)
    nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3] = e
    R = rotation_matrix(e)
    r = q + ROT
    nodes[r], nodes[r + 1], nodes[r + 2] = R[0], R[1], R[2]
    nodes[r + 3], nodes[r + 4], nodes[r + 5] = R[3], R[4], R[5]
    nodes[r + 6], nodes[r + 7], nodes[r + 8] = R[6], R[7], R[8]
    return g


@spliced
def placing(stepper, work):
    """Motion of all bodies at the end of the step from x, v and v̇ by the method."""
    ca, cv = stepper.settings[CA], stepper.settings[CV]
    x, nodes, vdot = borrow(work.x), borrow(work.nodes), borrow(work.vdot)
    affine, base, bodies = borrow(stepper.affine), borrow(stepper.base), stepper.p.shape[0]
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        move = load8(x, i)
        store8(nodes, q + VEL, move * cv + load8(affine, i))  # the rotation matrix comes behind
        store8(vdot, i, move * ca + load8(affine, STRIDE * bodies + i))
        nodes[q + POS] = base[q + POS] + x[i]
        nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1]
        nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2]
        turn_body(base, nodes, q, (x[i + 3], x[i + 4], x[i + 5]))
    place_values(stepper.flow, work.values, 1.0 / (ca * stepper.settings[MASS]))


@lean
def place_bodies(stepper, work):
    placing(stepper, work)


@spliced
def predicting(stepper, work):
    """Affine parts of the method, and x for linearly continued accelerations and multipliers."""
    k, bodies = stepper.weights, stepper.p.shape[0]
    n = STRIDE * bodies
    H, x, affine = borrow(stepper.history), borrow(work.x), borrow(stepper.affine)
    inverse, length = 1.0 / stepper.settings[CA], 1.0 / stepper.settings[LENGTH]
    squares = spread8(0.0)
    for i in range(0, n, STRIDE):
        v0 = a0 = spread8(0.0)
        for j in range(HISTORY):
            past = load8(H, j * n + i)
            v0 = v0 + past * k[0, j]
            a0 = a0 + past * k[1, j]
        store8(affine, i, v0)
        store8(affine, n + i, a0)
        vdot = load8(H, VDOT * n + i)
        store8(x, i, (vdot * 2.0 - load8(H, VDOTPREV * n + i) - a0) * inverse)
        squares = larger8(squares, vdot * vdot)
    store8(x, n, squares)  # behind the bodies, as scratch
    largest = max(max(x[n], x[n + 1], x[n + 2]) ** 0.5 * length,
                  max(x[n + 3], x[n + 4], x[n + 5]) ** 0.5)  # fmt: skip
    store8(x, n, spread8(0.0))
    if stepper.flow.shape[1] > 0:
        ahead = predict_values(stepper.flow, k, stepper.settings[CA], stepper.settings[STEP])
        largest = max(largest, ahead)
    gamma, past = borrow(work.gamma), borrow(stepper.gamma)
    rows = work.gamma.shape[0]
    for e in range(rows):
        gamma[e] = 2.0 * past[e] - past[rows + e]
    return largest


@lean
def predict(stepper, work):
    return predicting(stepper, work)


@spliced
def residual_side(stepper, tables, work):
    """Right-hand side −r/(m ca), −C."""
    nb = stepper.p.shape[0]
    scale = -1.0 / (stepper.settings[CA] * stepper.settings[MASS])
    rhs = stepper.rhs
    for b in range(nb):
        for i in range(6):
            rhs[6 * b + i] = scale * work.f[b, i]
    for i in range(stepper.flow.shape[1]):
        rhs[6 * nb + i] = scale * work.balance[i]
    n = tables.motions[0]
    for e in range(n, rhs.shape[0]):
        rhs[e] = -work.C[e - n]


@inlined
def apply_increment(stepper, solution, turns, target):
    """target += T⁻¹ θ; returns the size of the correction (lengths over L, angles)."""
    move = turned = 0.0
    x, t, s = borrow(turns), borrow(target), borrow(solution)
    for b in range(stepper.p.shape[0]):
        i, j = STRIDE * b, 6 * b
        t[i] += s[j]
        t[i + 1] += s[j + 1]
        t[i + 2] += s[j + 2]
        move = max(move, abs(s[j]), abs(s[j + 1]), abs(s[j + 2]))
        d = mv(inverse_tangent((x[i + 3], x[i + 4], x[i + 5])), (s[j + 3], s[j + 4], s[j + 5]))
        t[i + 3] += d[0]
        t[i + 4] += d[1]
        t[i + 5] += d[2]
        turned = max(turned, abs(d[0]), abs(d[1]), abs(d[2]))
    other = move_values(stepper.flow, solution, 6 * stepper.p.shape[0])
    return max(move / stepper.settings[LENGTH], turned, other)


@inlined
def worst_residual(stepper, work):
    """Location of the largest residual: the worst constraint row, else the worst equation."""
    worst, place = -1.0, 0
    nb = stepper.p.shape[0]
    n = 6 * nb + stepper.flow.shape[1]
    for e in range(stepper.rhs.shape[0] - n):
        if not abs(work.C[e]) <= worst:
            worst, place = abs(work.C[e]), n + e
    if worst < 1e-10:
        scale = 1.0 / (stepper.settings[CA] * stepper.settings[MASS])
        for b in range(nb):
            for i in range(6):
                if not abs(work.f[b, i]) * scale <= worst:
                    worst, place = abs(work.f[b, i]) * scale, 6 * b + i
        for i in range(stepper.flow.shape[1]):
            if not abs(work.balance[i]) * scale <= worst:
                worst, place = abs(work.balance[i]) * scale, 6 * nb + i
    stepper.report[2] = place
    stepper.report[3] = worst


@inlined
def diverges(iteration, size, before):
    """Whether Newton's method has lost its way: corrections that are not finite, or large ones
    that grow."""
    return not size < 1e10 or (iteration > 0 and size > FAR and size > 2.0 * before)


@inlined
def measure_kappa(stepper, size, before):
    """Newton's constant from two corrections, the second less what is round-off."""
    noise = stepper.settings[NOISE]
    if before > noise:
        measured = max(size - noise, 0.0) / (before * before)
        stepper.kappa[0] = max(measured, 0.5 * stepper.kappa[0], 1.0)


@lean
def velocity_violation(stepper, tables, work):
    """The largest |C_q v + C_t| over the largest velocity, where that is more than round-off."""
    n, bodies = tables.motions[0], stepper.p.shape[0]
    most, worst = 1e-9 * stepper.settings[LENGTH] / stepper.settings[STEP], 0.0
    for b in range(bodies):
        for c in range(6):
            most = max(most, abs(work.nodes[b, VEL + c]))
    for e in range(n, stepper.rhs.shape[0]):
        s = work.Ct[e - n] if stepper.settings[MOVING] != 0.0 else 0.0
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            s += work.vals[tables.places[p]] * velocity_of(work, tables.indices[p])
        worst = max(worst, abs(s))
    return worst / most


@spliced
def newton(kernels, tables, lu, work, stepper, time, look):
    """Solve one step; status DONE, NO_CONVERGENCE, PIVOTS or DIVERGED."""
    s = stepper.settings
    ca, m = s[CA], s[MASS]
    h = s[STEP]
    largest = predicting(stepper, work)
    tolerance = s[TOLERANCE] * h * h * largest + 1e-14
    coef = work.coef
    coef[CK] = 1.0 / (ca * m)
    coef[CD] = s[CV] / (ca * m)
    coef[TANGENT] = 1.0
    coef[RATES] = s[MOVING]
    coef[ACCEPT] = 0.0
    coef[KC] = s[STIFFNESS]
    coef[WRITTEN] = 0.0
    n = tables.motions[0]
    before = 0.0
    for iteration in range(int(s[MAX_ITERATIONS])):
        placing(stepper, work)
        fill(kernels, tables, work, time, 1.0 / m)
        if iteration == 0 and look:
            stepper.report[VIOLATED] = velocity_violation(stepper, tables, work)
        residual_side(stepper, tables, work)
        growth = factor_nodes(lu, work.vals, stepper.rhs)
        if not growth < s[GROWTH]:
            worst_residual(stepper, work)
            return DIVERGED if before > FAR else PIVOTS
        solve_nodes(lu, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        size = apply_increment(stepper, stepper.rhs, work.x, work.x)
        stepper.report[0] = iteration + 1
        stepper.report[1] = size
        if diverges(iteration, size, before):
            worst_residual(stepper, work)
            return DIVERGED
        if iteration > 0:
            measure_kappa(stepper, size, before)
        # corrections that no longer shrink and are tiny are round-off: nothing is left to gain
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        before = size
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * size + ROUND_OFF * growth) * size
        # without K_c the corrections shrink by a factor, and the last one says what is left
        quadratic = s[STIFFNESS] != 0.0
        if (quadratic and error <= tolerance) or size <= tolerance or exhausted:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE


@inlined
def accept(kernels, tables, work, stepper, time):
    """Take over the solution of a step: motion, history, multipliers, work done.

    Returns the largest component of a turn in it.
    """
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    if s[MEMORY] != 0.0:
        place_bodies(stepper, work)  # for those that keep something of the step
    H, x, base = borrow(stepper.history), borrow(work.x), borrow(stepper.base)
    affine, n, six = borrow(stepper.affine), STRIDE * bodies, load8(stepper.six, 0)
    ca, cv, calpha, squares = s[CA], s[CV], s[CALPHA], spread8(0.0)
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        r = q + QUAT
        move = load8(x, i)
        squares = larger8(squares, move * move)
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
    store8(x, n, squares)  # behind the bodies, as scratch
    turn = max(x[n + 3], x[n + 4], x[n + 5]) ** 0.5
    store8(x, n, spread8(0.0))
    if stepper.flow.shape[1] > 0:
        accept_values(stepper.flow, k)
    gather_work(kernels, tables, work, stepper, time)
    return turn


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
        evaluate(kernels, tables, work, time, 0.0)


@inlined
def sampled_jump(kernels, tables, lu, work, stepper, time, turns):
    """How accelerations and multipliers jump with what samples hold from this step on.

    The step's matrix says how they change with the forces: M Δv̇ + C_qᵀ Δγ = ΔF up to terms of h,
    which leaves the next step an error of h² ΔF.  The right-hand side has Δv̇ then; turns: the
    rotation vectors of the step.  Returns whether anything jumps.
    """
    s, bodies, rhs = stepper.settings, stepper.p.shape[0], stepper.rhs
    ca, scale = s[CA], -1.0 / (s[CA] * s[MASS])
    for b in range(bodies):
        for i in range(6):
            work.trial[b, i] = work.f[b, i]
    work.coef[ACCEPT] = 0.0
    evaluate(kernels, tables, work, time, 0.0)
    rhs[:] = 0.0
    jump = 0.0
    for b in range(bodies):
        for i in range(6):
            rhs[6 * b + i] = scale * (work.f[b, i] - work.trial[b, i])
            jump = max(jump, abs(rhs[6 * b + i]))
    if jump == 0.0:
        return False
    solve(lu, work.vals, rhs)
    for b in range(bodies):
        j, x = 6 * b, (turns[b, 3], turns[b, 4], turns[b, 5])
        d = mv(inverse_tangent(x), (rhs[j + 3], rhs[j + 4], rhs[j + 5]))
        for i in range(3):
            rhs[j + i] *= ca
            rhs[j + 3 + i] = ca * d[i]
    n, supplied = tables.motions[0], work.power[1]
    for e in range(n, rhs.shape[0]):
        change = rhs[e] * ca * s[MASS]
        stepper.gamma[0, e - n] += change
        stepper.gamma[1, e - n] += change
        if s[MOVING] != 0.0:
            supplied += stepper.gamma[0, e - n] * work.Ct[e - n]
    stepper.work[2], stepper.work[3] = work.power[0], supplied
    return True


@inlined
def let_history_jump(stepper, b, i, change):
    """A component of the acceleration, and what lies behind as if it had been so before, too:
    predictions and backward differences look back."""
    H, h = stepper.history, stepper.settings[STEP]
    H[VDOT, b, i] += change
    H[ALG, b, i] += change
    H[VDOTPREV, b, i] += change
    H[VPREV, b, i] -= h * change
    H[XPREV, b, i] -= 0.5 * h * h * change


@inlined
def take_up_samples(kernels, tables, lu, work, stepper, time):
    """The next step begins with what samples hold from now on."""
    if sampled_jump(kernels, tables, lu, work, stepper, time, work.x):
        for b in range(stepper.p.shape[0]):
            for i in range(6):
                let_history_jump(stepper, b, i, stepper.rhs[6 * b + i])


@lean
def store(stepper, out, row):
    store_row(stepper, stepper.history[VDOT], out, row)


@lean
def store_row(stepper, vdot, out, row):
    """The last good step, whose accelerations are given, into a row of the output."""
    nb = stepper.p.shape[0]
    motion, base = borrow(out.motion), borrow(stepper.base)
    acceleration, H = borrow(out.acceleration), borrow(vdot)
    m, a = row * nb * 13, row * nb * 6
    for b in range(nb):
        q, i = NODE * b, STRIDE * b
        store8(motion, m, load8(base, q))
        store8(motion, m + 5, load8(base, q + 5))  # thirteen numbers, three of them twice
        store6(acceleration, a, load8(H, i))
        m, a = m + 13, a + 6
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


@lean
def advance(kernels, tables, lu, work, stepper, times, schedule, saved, out, first, last):
    """Steps `first` … `last` − 1; those with saved[k] ≥ 0 are stored in that row.

    Returns (status, steps done in all).  After a failure the stepper still holds the last good
    step, so the caller may repair the factorisation or the step size and go on.
    """
    for k in range(first, last):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        look = stepper.settings[MOST_TURN] < 1e10  # not where this form was asked for
        look = look and int(times[k] / stepper.settings[STEP] + 0.5) % LOOK == 0
        stepper.report[VIOLATED] = 0.0
        status = newton(kernels, tables, lu, work, stepper, times[k], look)
        if status != DONE:
            return status, k
        turn = accept(kernels, tables, work, stepper, times[k])
        if saved[k] >= 0:
            store(stepper, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
        if stepper.settings[SAMPLED] != 0.0:
            take_up_samples(kernels, tables, lu, work, stepper, times[k])
        if turn > stepper.settings[MOST_TURN]:
            return TURNS, k + 1
        if stepper.report[VIOLATED] > OFF:
            return WILD, k + 1
    return DONE, last
