"""Steps of a driven mechanism, compiled: with a square C_q,

    C(q, t) = 0        Newton's method from the screw motion of every body by h v + h²/2 v̇
    C_q v  = −C_t      velocities
    C_q v̇  = Q_c       accelerations
    C_qᵀγ  = f − f_g − M v̇   multipliers: reactions and drive forces

all by one factorisation of [[W, C_qᵀ], [C_q, 0]], which gives C_q⁻¹ and C_q⁻ᵀ.

A mechanism has several positions for one time (the elbow up or down), on branches that meet in
singular positions alone, where det C_q = 0.  A step that ends on another branch is noticed by its
sign: with C_q of the step's start in the columns of the matrix, C_q of its end in the rows,

    det [[1, C_q₀ᵀ], [C_q₁, 0]] = (−1)ⁿ det C_q₀ det C_q₁

is compared with (−1)ⁿ (det C_q₁)².  Such a step is taken in smaller ones; the sign may change in
the smallest, as it does where a parallelogram passes its flat position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.analysis.scales import CLOSED
from linkwork.elements.bodies.body import INERTIA, MASS
from linkwork.elements.layout import (
    ACCEPT,
    CD,
    CK,
    KC,
    OMEGA,
    POS,
    QUAT,
    RATES,
    ROT,
    SIX,
    TANGENT,
    VEL,
)  # fmt: skip
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Flags, Floats, Floats2, Ints, stored
from linkwork.kernels.rotations import qexp, qmul, tangent_times
from linkwork.kernels.vectors import add, at, at4, at9, cross, mv, scale, sub, tv
from linkwork.linear_algebra.core import LU, determinant_sign, refactor, solve
from linkwork.linear_algebra.solver import GROWTH
from linkwork.system.evaluate import Equations, refill, set_rotation

NEAR = 0.05  # rad or L: corrections of the predicted position up to this are never a jump
REACH = 0.5  # rad or L: beyond it a prediction must be exact, as that of a rotor is
EXACT = 1e-6  # of a longer step
SINGULAR = 1e6  # times as fast as before: in a singular position velocities are none
ITERATIONS = 20
LOAD_PASSES = 600  # of friction and its load, in which it may add up to 0.95 of itself to it
DONE, LOST, PIVOTS, JUMP, JAMMED, OTHER = 0, 1, 2, 3, 4, 5  # how steps ended


@stored
class Motion(NamedTuple):
    """What the compiled loop carries from step to step."""

    factors: LU
    nodes: Floats2  # (bodies + 1, NODE) the last good motion
    vdot: Floats2  # (bodies, 6)
    time: Floats  # (1,)
    column: Floats  # scales, as in Projection
    row: Floats
    weight: Floats
    body: Flags
    diagonal: Ints
    columns: Flags  # which of the matrix are columns of multipliers, C_qᵀ
    last: Floats  # the scaled matrix of the last good motion
    vals: Floats  # the scaled matrix now factorised
    rhs: Floats
    rest: Floats
    kept: Ints  # numbers of the rows in the equations among all rows
    memory: bool
    keeps: bool  # a step that ends on another branch is refused
    loaded: bool  # friction depends on the multipliers
    report: Floats  # (2,) largest residual and its row, of the best iterate


@inlined
def move_bodies(nodes, start, step, factor):
    """nodes = start moved by factor × step, both by bodies; the same array is allowed."""
    size = 0.0
    for b in range(nodes.shape[0] - 1):
        for i in range(3):
            nodes[b, POS + i] = start[b, POS + i] + factor[SIX * b + i] * step[SIX * b + i]
        turn = (
            factor[SIX * b + 3] * step[SIX * b + 3],
            factor[SIX * b + 4] * step[SIX * b + 4],
            factor[SIX * b + 5] * step[SIX * b + 5],
        )
        q = qmul(at4(start, b, QUAT), qexp(turn))
        norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) ** 0.5
        for i in range(4):
            nodes[b, QUAT + i] = q[i] / norm
        set_rotation(nodes, b)
        for i in range(6):
            size = max(size, abs(step[SIX * b + i]))
    return size


@inlined
def predict(step, nodes, vdot, b, h):
    """The displacement of a body that goes on with its twist and the rate of that:

        θ = h ω + h²/2 ω̇,   u = h v + h²/2 (v̇ − ω×v),   r − r₀ = R V(θ) Rᵀu

    with V(θ) = T(−θ).  A body on an axis that does not move stays on its circle.
    """
    R, v, w = at9(nodes, b, ROT), at(nodes, b, VEL), at(nodes, b, OMEGA)
    half = h * h / 2
    theta = add(scale(h, w), scale(half, at(vdot, b, 3)))
    u = add(scale(h, v), scale(half, sub(at(vdot, b, 0), cross(mv(R, w), v))))
    moved = mv(R, tangent_times(scale(-1.0, theta), tv(R, u)))
    for i in range(3):
        step[SIX * b + i], step[SIX * b + 3 + i] = moved[i], theta[i]


@inlined
def scaled_matrix(motion, places, vals):
    """motion.vals = [[1, C_qᵀ], [C_q, 0]], scaled."""
    for p in range(motion.weight.shape[0]):
        motion.vals[p] = 0.0 if motion.body[p] else motion.weight[p] * vals[places[p]]
    for p in motion.diagonal:
        motion.vals[p] = 1.0


@inlined
def sign_from_last(lu, motion):
    """The sign of det C_q₀ det C_q₁, and of what depends on the order of elimination alone."""
    for p in range(motion.columns.shape[0]):
        if motion.columns[p]:
            motion.vals[p] = motion.last[p]
    return determinant_sign(lu) if refactor(lu, motion.vals) < np.inf else 0.0


@inlined
def solve_refined(lu, tables, motion):
    """Solve for motion.rhs, which becomes the solution, with one step of refinement."""
    rest, y = motion.rest, motion.rhs
    for e in range(y.shape[0]):
        rest[e] = y[e]
    solve(lu, y)
    for e in range(y.shape[0]):
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            rest[e] -= motion.vals[p] * y[tables.indices[p]]
    solve(lu, rest)
    for e in range(y.shape[0]):
        y[e] += rest[e]


@inlined
def right_side(motion, C, factor):
    n = motion.column.shape[0]
    motion.rhs[:n] = 0.0
    for e in range(motion.row.shape[0]):
        motion.rhs[n + e] = factor * motion.row[e] * C[e]


@inlined
def find_position(kernels, tables, lu, work, motion, time, near, keeps):
    """Newton's method for C = 0 from work.nodes: status, and how many iterations it took.

    keeps: whether the branch of the last good motion is kept.
    """
    best, travelled, sign = np.inf, 0.0, 0.0
    work.gamma[:] = 0.0
    work.vdot[:] = 0.0
    work.coef[CK] = work.coef[CD] = work.coef[ACCEPT] = work.coef[KC] = 0.0
    work.coef[TANGENT] = work.coef[RATES] = 1.0
    for iteration in range(ITERATIONS):
        work.Ct[:] = 0.0
        refill(kernels, tables, work, time, 0.0)
        error, worst = 0.0, 0
        for e in range(motion.row.shape[0]):
            size = motion.row[e] * abs(work.C[e])
            if not size <= error:
                error, worst = size, e
        if error < best:
            best = error
            motion.report[0], motion.report[1] = abs(work.C[worst]), worst
        if not error < 1e10:
            return LOST, iteration
        closed = error < CLOSED
        if closed and keeps:
            scaled_matrix(motion, tables.places, work.vals)
            sign = sign_from_last(lu, motion)
        scaled_matrix(motion, tables.places, work.vals)
        if not refactor(lu, motion.vals) < GROWTH:
            return PIVOTS, iteration
        if closed:
            if travelled > near:
                return JUMP, iteration
            return (OTHER if keeps and sign != determinant_sign(lu) else DONE), iteration
        right_side(motion, work.C, -1.0)
        solve_refined(lu, tables, motion)
        size = move_bodies(work.nodes, work.nodes, motion.rhs, motion.column)
        travelled += size
        if not size < 2.0:
            return LOST, iteration
    return LOST, ITERATIONS


@inlined
def find_motion(kernels, tables, lu, work, motion, time, fastest):
    """Velocities, accelerations and multipliers at a position, into work and motion; the status.

    JAMMED: friction and the reactions that load it do not come to agree; PIVOTS: velocities above
    `fastest`, in which round-off is divided by zero.
    """
    n = motion.column.shape[0]
    right_side(motion, work.Ct, -1.0)
    solve_refined(lu, tables, motion)
    for i in range(n):
        work.nodes[i // SIX, VEL + i % SIX] = motion.column[i] * motion.rhs[i]
        if not abs(motion.rhs[i]) <= fastest:
            return PIVOTS
    work.coef[TANGENT] = 0.0
    work.Qc[:] = 0.0
    refill(kernels, tables, work, time, 0.0)
    right_side(motion, work.Qc, 1.0)
    solve_refined(lu, tables, motion)
    for i in range(n):
        motion.vdot[i // SIX, i % SIX] = motion.column[i] * motion.rhs[i]
    agree = not motion.loaded
    for sweep in range(LOAD_PASSES if motion.loaded else 1):
        if sweep > 0:  # friction under the multipliers of the last pass
            refill(kernels, tables, work, time, 0.0)
        motion.rhs[n:] = 0.0
        for b in range(motion.vdot.shape[0]):
            a, m = motion.vdot[b], tables.bodies[b]
            for i in range(3):
                j = INERTIA + 3 * i
                f = work.f[b, i] + m[MASS] * a[i]
                torque = work.f[b, 3 + i] + m[j] * a[3] + m[j + 1] * a[4] + m[j + 2] * a[5]
                motion.rhs[SIX * b + i] = -motion.column[SIX * b + i] * f
                motion.rhs[SIX * b + 3 + i] = -motion.column[SIX * b + 3 + i] * torque
        solve_refined(lu, tables, motion)
        change, size = 0.0, 0.0
        for e in range(motion.row.shape[0]):
            work.gamma[e] += motion.row[e] * motion.rhs[n + e]
            change = max(change, abs(motion.rhs[n + e]))
            size = max(size, abs(work.gamma[e] / motion.row[e]))
        if change <= 1e-12 * size:
            agree = True
            break
    if motion.memory:
        work.coef[ACCEPT] = 1.0
        refill(kernels, tables, work, time, 0.0)
    return DONE if agree else JAMMED


@c_function(Equations, Motion, Steps, StepRows, allocates=True)
def drive_steps(equations, motion, steps, out):
    """Steps in their range; returns the status."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    lu, times, schedule = motion.factors, steps.times, steps.schedule
    step, one = np.zeros(motion.column.shape[0]), np.ones(motion.column.shape[0])
    for k in range(steps.range[BEGIN], steps.range[END]):
        h = times[k] - motion.time[0]
        length, speed = 0.0, 0.0
        for b in range(motion.vdot.shape[0]):
            predict(step, motion.nodes, motion.vdot, b, h)
        for i in range(step.shape[0]):
            length = max(length, abs(step[i]) / motion.column[i])
            speed = max(speed, abs(motion.nodes[i // SIX, VEL + i % SIX]) / motion.column[i])
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        work.nodes[:] = motion.nodes
        move_bodies(work.nodes, motion.nodes, step, one)
        near = max(NEAR, 0.5 * length) if length <= REACH else EXACT * length
        if h == 0.0:
            near = np.inf
        status, out.iterations[k] = find_position(
            kernels, tables, lu, work, motion, times[k], near, motion.keeps and h > 0.0
        )
        if status != DONE:
            return status
        fastest = SINGULAR * (speed + REACH / h) if h > 0.0 else np.inf
        status = find_motion(kernels, tables, lu, work, motion, times[k], fastest)
        if status != DONE:
            return status
        motion.last[:] = motion.vals
        motion.nodes[:] = work.nodes
        motion.time[0] = times[k]
        out.work[k, 0], out.work[k, 1] = work.power[0], work.power[1]
        for e in range(motion.row.shape[0]):
            out.gamma[k, motion.kept[e]] = work.gamma[e]
            out.work[k, 1] += work.gamma[e] * work.Ct[e]
        for b in range(motion.vdot.shape[0]):
            for i in range(13):
                out.motion[k, b, i] = work.nodes[b, i]
            for i in range(6):
                out.acceleration[k, b, i] = motion.vdot[b, i]
        steps.range[BEGIN] = k + 1
    return DONE
