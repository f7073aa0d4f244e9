"""The implicit step on the Lie group, compiled: many steps of any linear method per call.

A method moves every body by q₁ = q₀ exp(x) and ties velocity and acceleration to x linearly,

    v₁ = cv x + Σ kv_j H_j,     v̇₁ = ca x + Σ ka_j H_j,     a₁ = cα x + Σ kα_j H_j,

with the history H = (v, v̇, a, x of the last step, v before, v̇ before); a is the algorithmic
acceleration of generalized-alpha (Brüls, Cardona, Arnold 2012).  Newton's method solves, scaled
with 1/ca and the mass m so that the matrix has a limit as h → 0 (Bottasso's scaling),

    [M T⁻¹ + cv/ca D T⁻¹ + K/ca   C_qᵀ] [θ          ]     [r/ca]
    [C_q                           0   ] [Δγ/(m ca) ] = − [C   ]      (first row divided by m)

for increments θ in body axes, δx = T(x)⁻¹ θ.

Stabilised (Gear, Gupta, Leimkuhler 1985; for this family Arnold, Brüls, Cardona 2015): velocities
satisfy C_q v + C_t = 0 and positions C = 0, by an extra displacement p in the span of M⁻¹C_qᵀ:
q₁ = q₀ exp(x + p).  Both use the same factorisation.

Convergence: Newton's error after a correction of size δ (radians, lengths over L) is about κ δ²,
with κ measured whenever two corrections are made, and what the elimination loses of δ; a step is
accepted when that is below tolerance × h² × (largest acceleration), so that accelerations and
multipliers are right, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, NODE, POS, QUAT, RATES, ROT, STRIDE, TANGENT, VEL,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean, spliced
from linkwork.math.eights import larger8, load8, spread8, store6, store8
from linkwork.math.rotations import inverse_tangent, qexp, qmul, rotation_matrix
from linkwork.math.vectors import mv
from linkwork.system.elimination import factor_nodes, solve, solve_nodes
from linkwork.system.evaluate import evaluate, fill

# history
V, VDOT, ALG, XPREV, VPREV, VDOTPREV, HISTORY = 0, 1, 2, 3, 4, 5, 6
ROUND_OFF = 2.0**-53
# status of a call
DONE, NO_CONVERGENCE, PIVOTS, NOT_FINITE = 0, 1, 2, 3
# settings
(CA, CV, CALPHA, STEP, TOLERANCE, MAX_ITERATIONS, LENGTH, MASS, STABILIZED, MEMORY, MOVING,
 GROWTH, STIFFNESS, LEARN, SETTINGS) = range(15)  # fmt: skip


class Stepper(NamedTuple):
    """Everything a run carries from step to step."""

    base: np.ndarray  # (bodies + 1, NODE) accepted motion
    history: np.ndarray  # (HISTORY, bodies, 8), six in use, as in the next two
    gamma: np.ndarray  # (2, rows + 1) multipliers now and a step before
    p: np.ndarray  # (bodies, 8) stabilising displacement
    affine: np.ndarray  # (2, bodies, 8) constant parts of v and v̇
    rhs: np.ndarray  # (unknowns,)
    theta: np.ndarray  # (unknowns,) first of two solutions of the stabilised step
    weights: np.ndarray  # (3, HISTORY) rows kv, ka, kα
    settings: np.ndarray  # (SETTINGS,)
    work: np.ndarray  # (4,) dissipated, supplied work; the powers at the last step
    kappa: np.ndarray  # (1,) Newton's constant
    report: np.ndarray  # (5,) iterations, last correction, worst unknown, its residual, the test's
    kept: np.ndarray  # numbers of the rows in the equations among all rows
    six: np.ndarray  # six ones and two zeros


class Output(NamedTuple):
    """Where stored steps go: one row each."""

    motion: np.ndarray
    acceleration: np.ndarray
    gamma: np.ndarray
    work: np.ndarray
    iterations: np.ndarray
    own: np.ndarray  # what only this method knows: the columns of its run's `own`


@inlined
def turn_body(base, nodes, q, turn):
    """Orientation q₀ exp(turn) of the body whose numbers begin at q, and its rotation matrix."""
    r = q + QUAT
    e = qmul((base[r], base[r + 1], base[r + 2], base[r + 3]), qexp(turn))
    nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3] = e
    R = rotation_matrix(e)
    r = q + ROT
    nodes[r], nodes[r + 1], nodes[r + 2] = R[0], R[1], R[2]
    nodes[r + 3], nodes[r + 4], nodes[r + 5] = R[3], R[4], R[5]
    nodes[r + 6], nodes[r + 7], nodes[r + 8] = R[6], R[7], R[8]


@spliced
def placing(stepper, work, p_on):
    """Motion of all bodies at the end of the step from x (and p), v and v̇ by the method."""
    ca, cv = stepper.settings[CA], stepper.settings[CV]
    x, p, nodes, vdot = borrow(work.x), borrow(stepper.p), borrow(work.nodes), borrow(work.vdot)
    affine, base, bodies = borrow(stepper.affine), borrow(stepper.base), stepper.p.shape[0]
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        move = load8(x, i)
        store8(nodes, q + VEL, move * cv + load8(affine, i))  # the rotation matrix comes behind
        store8(vdot, i, move * ca + load8(affine, STRIDE * bodies + i))
        nodes[q + POS] = base[q + POS] + x[i] + p_on * p[i]
        nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1] + p_on * p[i + 1]
        nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2] + p_on * p[i + 2]
        turn = x[i + 3] + p_on * p[i + 3], x[i + 4] + p_on * p[i + 4], x[i + 5] + p_on * p[i + 5]
        turn_body(base, nodes, q, turn)


@lean
def place_bodies(stepper, work, p_on):
    placing(stepper, work, p_on)


@spliced
def predicting(stepper, work):
    """Affine parts of the method, and x for linearly continued accelerations and multipliers."""
    k, bodies = stepper.weights, stepper.p.shape[0]
    n = STRIDE * bodies
    H, x, p = borrow(stepper.history), borrow(work.x), borrow(stepper.p)
    affine = borrow(stepper.affine)
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
        store8(p, i, spread8(0.0))
        squares = larger8(squares, vdot * vdot)
    store8(x, n, squares)  # behind the bodies, as scratch
    largest = max(max(x[n], x[n + 1], x[n + 2]) ** 0.5 * length,
                  max(x[n + 3], x[n + 4], x[n + 5]) ** 0.5)  # fmt: skip
    store8(x, n, spread8(0.0))
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
    """Right-hand side −r/(m ca), −C (or the velocity residual in the stabilised form)."""
    nb = stepper.p.shape[0]
    scale = -1.0 / (stepper.settings[CA] * stepper.settings[MASS])
    rhs = stepper.rhs
    for b in range(nb):
        for i in range(6):
            rhs[6 * b + i] = scale * work.f[b, i]
    n = 6 * nb
    if stepper.settings[STABILIZED] == 0.0:
        for e in range(n, rhs.shape[0]):
            rhs[e] = -work.C[e - n]
    else:
        for e in range(n, rhs.shape[0]):
            s = work.Ct[e - n]
            for p in range(tables.indptr[e], tables.indptr[e + 1]):
                c = tables.indices[p]
                s += work.vals[tables.places[p]] * work.nodes[c // 6, VEL + c % 6]
            rhs[e] = -s / stepper.settings[CV]


@inlined
def position_side(stepper, tables, work):
    """Right-hand side of the stabilising displacement: 0, −(C + C_q θ)."""
    n = 6 * stepper.p.shape[0]
    stepper.rhs[:n] = 0.0
    for e in range(n, stepper.rhs.shape[0]):
        s = work.C[e - n]
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            s += work.vals[tables.places[p]] * stepper.theta[tables.indices[p]]
        stepper.rhs[e] = -s


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
    return max(move / stepper.settings[LENGTH], turned)


@inlined
def worst_residual(stepper, work):
    """Where a failed step hurts most: the worst constraint row, else the worst equation."""
    worst, place = -1.0, 0
    nb = stepper.p.shape[0]
    for e in range(stepper.rhs.shape[0] - 6 * nb):
        if not abs(work.C[e]) <= worst:
            worst, place = abs(work.C[e]), 6 * nb + e
    if worst < 1e-10:
        scale = 1.0 / (stepper.settings[CA] * stepper.settings[MASS])
        for b in range(nb):
            for i in range(6):
                if not abs(work.f[b, i]) * scale <= worst:
                    worst, place = abs(work.f[b, i]) * scale, 6 * b + i
    stepper.report[2] = place
    stepper.report[3] = worst


@spliced
def newton(kernels, tables, lu, work, stepper, time):
    """Solve one step; status DONE, NO_CONVERGENCE, PIVOTS or NOT_FINITE."""
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
    n = 6 * stepper.p.shape[0]
    before = 0.0
    stabilized = s[STABILIZED] != 0.0
    for iteration in range(int(s[MAX_ITERATIONS])):
        placing(stepper, work, 1.0)
        fill(kernels, tables, work, time, 1.0 / m)
        residual_side(stepper, tables, work)
        growth = factor_nodes(lu, work.vals, stepper.rhs)
        if not growth < s[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        solve_nodes(lu, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        if stabilized:
            for e in range(stepper.rhs.shape[0]):
                stepper.theta[e] = stepper.rhs[e]
            position_side(stepper, tables, work)
            solve(lu, work.vals, stepper.rhs)
            size = apply_increment(stepper, stepper.rhs, work.x, stepper.p)
            size = max(size, apply_increment(stepper, stepper.theta, work.x, work.x))
        else:
            size = apply_increment(stepper, stepper.rhs, work.x, work.x)
        stepper.report[0] = iteration + 1
        stepper.report[1] = size
        if not size < 1e10:
            worst_residual(stepper, work)
            return NOT_FINITE
        if iteration > 0 and before > 1e-12:
            measured = max(size - 1e-12, 0.0) / (before * before)  # less what is round-off
            stepper.kappa[0] = max(measured, 0.5 * stepper.kappa[0], 1.0)
        # corrections that no longer shrink and are tiny are round-off: nothing is left to gain
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        before = size
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * size + ROUND_OFF * growth) * size
        if error <= tolerance or size <= tolerance or exhausted:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE


@inlined
def accept(kernels, tables, work, stepper, time):
    """Take over the solution of a step: motion, history, multipliers, work done."""
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    if s[MEMORY] != 0.0:
        place_bodies(stepper, work, 1.0)  # for those that keep something of the step
    H, x, p, base = borrow(stepper.history), borrow(work.x), borrow(stepper.p), borrow(stepper.base)
    affine, n, six = borrow(stepper.affine), STRIDE * bodies, load8(stepper.six, 0)
    ca, cv, calpha = s[CA], s[CV], s[CALPHA]
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        r = q + QUAT
        move, extra = load8(x, i), load8(p, i)
        base[q + POS] += x[i] + p[i]
        base[q + POS + 1] += x[i + 1] + p[i + 1]
        base[q + POS + 2] += x[i + 2] + p[i + 2]
        turn = x[i + 3] + p[i + 3], x[i + 4] + p[i + 4], x[i + 5] + p[i + 5]
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
        store8(H, XPREV * n + i, move + extra)
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


@lean
def store(stepper, out, row):
    nb = stepper.p.shape[0]
    motion, base = borrow(out.motion), borrow(stepper.base)
    acceleration, H = borrow(out.acceleration), borrow(stepper.history)
    m, a, n = row * nb * 13, row * nb * 6, VDOT * nb * STRIDE
    for b in range(nb):
        q, i = NODE * b, n + STRIDE * b
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


@lean
def advance(kernels, tables, lu, work, stepper, times, schedule, saved, out, first, last):
    """Steps `first` … `last` − 1; those with saved[k] ≥ 0 are stored in that row.

    Returns (status, steps done in all).  After a failure the stepper still holds the last good
    step, so the caller may repair the factorisation or the step size and go on.
    """
    for k in range(first, last):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        status = newton(kernels, tables, lu, work, stepper, times[k])
        if status != DONE:
            return status, k
        accept(kernels, tables, work, stepper, times[k])
        if saved[k] >= 0:
            store(stepper, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
    return DONE, last
