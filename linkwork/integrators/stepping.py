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
with κ measured whenever two corrections are made; a step is accepted when that is below
tolerance × h² × (largest acceleration), so that accelerations and multipliers are right, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, POS, QUAT, RATES, TANGENT, VEL,
)  # fmt: skip
from linkwork.math.compiled import compiled, inlined
from linkwork.math.rotations import inverse_tangent, qexp, qmul
from linkwork.math.vectors import at, at4, mv
from linkwork.system.evaluate import evaluate, set_rotation
from linkwork.system.sparse_lu import refactor, solve

# history
V, VDOT, ALG, XPREV, VPREV, VDOTPREV, HISTORY = 0, 1, 2, 3, 4, 5, 6
# status of a call
DONE, NO_CONVERGENCE, PIVOTS, NOT_FINITE = 0, 1, 2, 3
# settings
(CA, CV, CALPHA, STEP, TOLERANCE, MAX_ITERATIONS, LENGTH, MASS, STABILIZED, MEMORY, MOVING,
 GROWTH, STIFFNESS, LEARN, SETTINGS) = range(15)  # fmt: skip


class Stepper(NamedTuple):
    """Everything a run carries from step to step."""

    base: np.ndarray  # (bodies + 1, NODE) accepted motion
    history: np.ndarray  # (HISTORY, bodies, 6)
    gamma: np.ndarray  # (2, rows + 1) multipliers now and a step before
    p: np.ndarray  # (bodies, 6) stabilising displacement
    affine: np.ndarray  # (2, bodies, 6) constant parts of v and v̇
    rhs: np.ndarray  # (unknowns,)
    theta: np.ndarray  # (unknowns,) first of two solutions of the stabilised step
    weights: np.ndarray  # (3, HISTORY) rows kv, ka, kα
    settings: np.ndarray  # (SETTINGS,)
    work: np.ndarray  # (4,) dissipated, supplied work; the powers at the last step
    kappa: np.ndarray  # (1,) Newton's constant
    report: np.ndarray  # (4,) iterations, last correction, worst unknown, its residual
    kept: np.ndarray  # numbers of the rows in the equations among all rows


class Output(NamedTuple):
    """Where stored steps go: one row each."""

    motion: np.ndarray
    acceleration: np.ndarray
    gamma: np.ndarray
    work: np.ndarray
    iterations: np.ndarray
    own: np.ndarray  # what only this method knows: the columns of its run's `own`


@compiled
def place_bodies(stepper, work, p_on):
    """Motion of all bodies at the end of the step from x (and p), v and v̇ by the method."""
    ca, cv = stepper.settings[CA], stepper.settings[CV]
    for b in range(stepper.p.shape[0]):
        for i in range(6):
            x = work.x[b, i]
            work.nodes[b, VEL + i] = cv * x + stepper.affine[0, b, i]
            work.vdot[b, i] = ca * x + stepper.affine[1, b, i]
        for i in range(3):
            work.nodes[b, POS + i] = (
                stepper.base[b, POS + i] + work.x[b, i] + p_on * stepper.p[b, i]
            )
        turn = (
            work.x[b, 3] + p_on * stepper.p[b, 3],
            work.x[b, 4] + p_on * stepper.p[b, 4],
            work.x[b, 5] + p_on * stepper.p[b, 5],
        )
        q = qmul(at4(stepper.base, b, QUAT), qexp(turn))
        for i in range(4):
            work.nodes[b, QUAT + i] = q[i]
        set_rotation(work.nodes, b)


@compiled
def predict(stepper, work):
    """Affine parts of the method, and x for linearly continued accelerations and multipliers."""
    k, H = stepper.weights, stepper.history
    ca = stepper.settings[CA]
    largest = 0.0
    for b in range(stepper.p.shape[0]):
        for i in range(6):
            v0 = a0 = 0.0
            for j in range(HISTORY):
                v0 += k[0, j] * H[j, b, i]
                a0 += k[1, j] * H[j, b, i]
            stepper.affine[0, b, i] = v0
            stepper.affine[1, b, i] = a0
            guess = 2.0 * H[VDOT, b, i] - H[VDOTPREV, b, i]
            work.x[b, i] = (guess - a0) / ca
            stepper.p[b, i] = 0.0
            size = abs(H[VDOT, b, i])
            if i < 3:
                size /= stepper.settings[LENGTH]
            largest = max(largest, size)
    for e in range(work.gamma.shape[0]):
        work.gamma[e] = 2.0 * stepper.gamma[0, e] - stepper.gamma[1, e]
    return largest


@inlined
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
                s += work.vals[p] * work.nodes[c // 6, VEL + c % 6]
            rhs[e] = -s / stepper.settings[CV]


@inlined
def position_side(stepper, tables, work):
    """Right-hand side of the stabilising displacement: 0, −(C + C_q θ)."""
    n = 6 * stepper.p.shape[0]
    stepper.rhs[:n] = 0.0
    for e in range(n, stepper.rhs.shape[0]):
        s = work.C[e - n]
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            s += work.vals[p] * stepper.theta[tables.indices[p]]
        stepper.rhs[e] = -s


@inlined
def apply_increment(stepper, solution, turns, target):
    """target += T⁻¹ θ; returns the size of the correction (lengths over L, angles)."""
    size = 0.0
    L = stepper.settings[LENGTH]
    for b in range(stepper.p.shape[0]):
        for i in range(3):
            d = solution[6 * b + i]
            target[b, i] += d
            size = max(size, abs(d) / L)
        th = (solution[6 * b + 3], solution[6 * b + 4], solution[6 * b + 5])
        d3 = mv(inverse_tangent(at(turns, b, 3)), th)
        for i in range(3):
            target[b, 3 + i] += d3[i]
            size = max(size, abs(d3[i]))
    return size


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


@inlined
def newton(kernels, tables, lu, work, stepper, time):
    """Solve one step; status DONE, NO_CONVERGENCE, PIVOTS or NOT_FINITE."""
    s = stepper.settings
    ca, m = s[CA], s[MASS]
    h = s[STEP]
    largest = predict(stepper, work)
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
        place_bodies(stepper, work, 1.0)
        evaluate(kernels, tables, work, time, 1.0 / m)
        residual_side(stepper, tables, work)
        growth = refactor(lu, work.vals)
        if not growth < s[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        solve(lu, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        if stabilized:
            stepper.theta[:] = stepper.rhs
            position_side(stepper, tables, work)
            solve(lu, stepper.rhs)
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
        if stepper.kappa[0] * size * size <= tolerance or size <= tolerance or exhausted:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE


@inlined
def accept(kernels, tables, work, stepper, time):
    """Take over the solution of a step: motion, history, multipliers, work done."""
    place_bodies(stepper, work, 1.0)
    H, k, s = stepper.history, stepper.weights, stepper.settings
    nb = stepper.p.shape[0]
    for b in range(nb):
        q = at4(work.nodes, b, QUAT)
        size = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) ** 0.5
        for i in range(4):
            work.nodes[b, QUAT + i] /= size
        for i in range(13):
            stepper.base[b, i] = work.nodes[b, i]
        for i in range(6):
            x = work.x[b, i]
            a = s[CALPHA] * x
            for j in range(HISTORY):
                a += k[2, j] * H[j, b, i]
            H[VPREV, b, i] = H[V, b, i]
            H[VDOTPREV, b, i] = H[VDOT, b, i]
            H[V, b, i] = work.nodes[b, VEL + i]
            H[VDOT, b, i] = work.vdot[b, i]
            H[ALG, b, i] = a
            H[XPREV, b, i] = x + stepper.p[b, i]
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


@compiled
def store(stepper, out, row):
    nb = stepper.p.shape[0]
    for b in range(nb):
        for i in range(13):
            out.motion[row, b, i] = stepper.base[b, i]
        for i in range(6):
            out.acceleration[row, b, i] = stepper.history[VDOT, b, i]
    for e in range(stepper.kept.shape[0]):
        out.gamma[row, stepper.kept[e]] = stepper.gamma[0, e]
    out.work[row, 0] = stepper.work[0]
    out.work[row, 1] = stepper.work[1]


@compiled
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
