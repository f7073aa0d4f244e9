"""The staged step, compiled: multistep and multistage formulas for ẏ on positions and velocities.

A stage is a formula for first-order equations, used for positions and velocities alike:

    x = c_x + h g ẋ,   c_x = Σ α_j x_j + h Σ β_j ẋ_j        (slots j: the past, earlier stages)
    v = c_v + h g v̇,   c_v = Σ α_j v_j + h Σ β_j v̇_j

x are the coordinates of the body in the chart q = q₀ exp(x) around the last step, so its rate is
exact: v = ẋ in displacements, ω = T(x) ẋ in rotations.  With x as the unknown, v and v̇ follow,
and Newton's method is that of the one-step methods (stepping.py) with ca = 1/(h g)², cv = 1/(h g):

    [M B + h g D + (h g)² K   C_qᵀ] [θ           ]     [(h g)² r]
    [C_q                      0   ] [Δγ (h g)²/m ] = − [C       ]     (first row divided by m)

B = ∂ω/∂ω̇… is T⁻¹(h g ẋ) to second order in the turn of a step.  A filter (ss2, ss3, ss4) has
x = h w with w the filtered body rates, without T, which is right to its second order.

Projected (`stabilized`): the stages satisfy C_q v̇ = Q_c, as the motion on the constraints does,
so that a formula has its full order; at the end of the step positions go back to C = 0 and
velocities to C_q v + C_t = 0, in the metric of the iteration matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, NODE, OMEGA, POS, QUAT, RATES, ROT, STRIDE, TANGENT, VEL,
)  # fmt: skip
from linkwork.integrators.convergence import residual_measure
from linkwork.integrators.stepping import (
    CA, CV, DONE, GROWTH, LEARN, LENGTH, MASS, MAX_ITERATIONS, MEMORY, MOVING, NO_CONVERGENCE,
    NOT_FINITE, PIVOTS, SETTINGS, STEP, STIFFNESS, TOLERANCE, VDOT, VDOTPREV, V, VPREV,
    apply_increment, residual_side, store, worst_residual,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean
from linkwork.math.eights import larger8, load8, spread8, store8
from linkwork.math.rotations import (
    inverse_tangent, qconj, qexp, qlog, qmul, rotation_matrix, tangent_times,
)  # fmt: skip
from linkwork.math.vectors import mv
from linkwork.system.elimination import refactor, solve, sweep_back
from linkwork.system.evaluate import evaluate

# rows of the memory
X, XDOT, SPEED, RATE = 0, 1, 2, 3
# kinds of formulas
STAGES, STEPS, FILTER = 0, 1, 2
# more settings
KIND, FIRST, PROJECTED, TEST, ALL_SETTINGS = range(SETTINGS, SETTINGS + 5)


class Stages(NamedTuple):
    """The formulas of a call and what they remember; f counts formulas, i stages, j slots."""

    memory: np.ndarray  # (4, slots, bodies, 8): x, ẋ, v, v̇; slot 0 is the last step
    gamma: np.ndarray  # (stages, rows + 1)
    alpha: np.ndarray  # (formulas, stages, slots)
    beta: np.ndarray  # likewise, times h
    hg: np.ndarray  # (formulas, stages)
    guess: np.ndarray  # (formulas, stages, 1 + slots) of v̇ and γ a step before, and of the slots
    quadrature: np.ndarray  # (formulas, 1 + stages) of powers, times h
    nodes: np.ndarray  # (formulas, stages) time of a stage in steps
    filters: np.ndarray  # (formulas, 2, order + 1) numerator and denominator of a filter
    power: np.ndarray  # (1 + stages, 2)
    sums: np.ndarray  # (bodies + 1, 6) absolute contributions to the equations of motion
    scratch: np.ndarray  # (bodies + 1, 6)
    ends: np.ndarray  # (elements, most bodies) of each element, behind all for none
    angles: np.ndarray  # 1 for a constraint row in angles


@lean
def prepare(stepper, stages, work, f, i):
    """Constant parts c_x and c_v of stage i, and x for extrapolated accelerations."""
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row = slots * n
    known = int(stepper.settings[FIRST]) + i
    M, H = borrow(stages.memory), borrow(stepper.history)
    x, affine = borrow(stepper.p), borrow(stepper.affine)
    hg, squares = stages.hg[f, i], spread8(0.0)
    for k in range(0, n, STRIDE):
        cx = cv = spread8(0.0)
        a = load8(H, VDOTPREV * n + k) * stages.guess[f, i, 0]
        for j in range(known):
            alpha, beta, at_ = stages.alpha[f, i, j], stages.beta[f, i, j], j * n + k
            rate = load8(M, 3 * row + at_)
            cx = cx + load8(M, at_) * alpha + load8(M, row + at_) * beta
            cv = cv + load8(M, 2 * row + at_) * alpha + rate * beta
            a = a + rate * stages.guess[f, i, 1 + j]
        store8(affine, k, cx)
        store8(affine, n + k, cv)
        store8(x, k, cx + (cv + a * hg) * hg)
        rate = load8(M, 3 * row + k)
        squares = larger8(squares, rate * rate)
    gamma, past, earlier = borrow(work.gamma), borrow(stepper.gamma), borrow(stages.gamma)
    rows, first = work.gamma.shape[0], int(stepper.settings[FIRST])
    for e in range(rows):
        value = stages.guess[f, i, 0] * past[rows + e] + stages.guess[f, i, 1] * past[e]
        for j in range(i):
            value += stages.guess[f, i, 1 + first + j] * earlier[j * rows + e]
        gamma[e] = value
    y, length = borrow(work.x), 1.0 / stepper.settings[LENGTH]
    store8(y, n, squares)  # behind the bodies, as scratch
    largest = max(max(y[n], y[n + 1], y[n + 2]) ** 0.5 * length,
                  max(y[n + 3], y[n + 4], y[n + 5]) ** 0.5)  # fmt: skip
    store8(y, n, spread8(0.0))
    return largest


@lean
def place(stepper, work):
    """Motion of all bodies in a stage from x: q = q₀ exp(x), v and v̇ by its formula."""
    s, bodies = stepper.settings, stepper.p.shape[0]
    rate, plain, n = s[CV], s[KIND] == FILTER, STRIDE * bodies
    x, y, nodes, vdot = borrow(stepper.p), borrow(work.x), borrow(work.nodes), borrow(work.vdot)
    affine, base = borrow(stepper.affine), borrow(stepper.base)
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        move = load8(x, i)
        gone = move - load8(affine, i)  # h g ẋ
        speed = gone * rate
        store8(nodes, q + VEL, speed)
        turn = x[i + 3], x[i + 4], x[i + 5]
        if plain:
            gone = move
        else:
            p = q + OMEGA
            w = tangent_times(turn, (nodes[p], nodes[p + 1], nodes[p + 2]))
            nodes[p], nodes[p + 1], nodes[p + 2] = w
            speed = load8(nodes, q + VEL)
        store8(y, i, gone)
        store8(vdot, i, (speed - load8(affine, n + i)) * rate)
        place_body(base, nodes, q, x, i, turn)


@inlined
def place_body(base, nodes, q, x, i, turn):
    """Position and orientation q₀ exp(x) of the body whose numbers begin at q and i."""
    r = q + QUAT
    nodes[q + POS] = base[q + POS] + x[i]
    nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1]
    nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2]
    e = qmul((base[r], base[r + 1], base[r + 2], base[r + 3]), qexp(turn))
    nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3] = e
    R = rotation_matrix(e)
    r = q + ROT
    nodes[r], nodes[r + 1], nodes[r + 2] = R[0], R[1], R[2]
    nodes[r + 3], nodes[r + 4], nodes[r + 5] = R[3], R[4], R[5]
    nodes[r + 6], nodes[r + 7], nodes[r + 8] = R[6], R[7], R[8]


@inlined
def row_product(tables, work, e, values, column):
    """Row e of C_q times the vectors of the bodies, which begin at `column`."""
    s = 0.0
    for p in range(tables.indptr[e], tables.indptr[e + 1]):
        c = tables.indices[p]
        s += work.vals[tables.places[p]] * values[c // 6, column + c % 6]
    return s


@inlined
def acceleration_side(stepper, tables, work):
    """Right-hand side −r/(m ca), −(C_q v̇ − Q_c)/ca."""
    bodies, scale = stepper.p.shape[0], 1.0 / stepper.settings[CA]
    n, rhs = 6 * bodies, stepper.rhs
    for b in range(bodies):
        for i in range(6):
            rhs[6 * b + i] = -scale / stepper.settings[MASS] * work.f[b, i]
    for e in range(n, rhs.shape[0]):
        rhs[e] = scale * (work.Qc[e - n] - row_product(tables, work, e, work.vdot, 0))


@inlined
def enough(stepper, iteration, size, before, tolerance):
    """Whether Newton's method has converged after a correction of this size.

    Its error after that is κ δ², or κ δ where the rows of C_q v̇ = Q_c are not differentiated.
    """
    s, kappa = stepper.settings, stepper.kappa
    linear = s[PROJECTED] != 0.0
    if iteration > 0 and before > 1e-12:
        left = max(size - 1e-12, 0.0)  # less what is round-off
        if linear:
            kappa[0] = min(max(left / before, 0.5 * kappa[0]), 1.0)
        else:
            kappa[0] = max(left / (before * before), 0.5 * kappa[0], 1.0)
    exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
    error = kappa[0] * size if linear else kappa[0] * size * size
    return error <= tolerance or size <= tolerance or exhausted


@inlined
def solve_stage(kernels, tables, lu, work, stepper, stages, f, i, time):
    """Newton's method for stage i; status DONE, NO_CONVERGENCE, PIVOTS or NOT_FINITE."""
    s, hg = stepper.settings, stages.hg[f, i]
    s[CA], s[CV] = 1.0 / (hg * hg), 1.0 / hg
    ca, m = s[CA], s[MASS]
    largest = prepare(stepper, stages, work, f, i)
    tolerance = s[TOLERANCE] * s[STEP] * s[STEP] * largest + 1e-14
    projected = s[PROJECTED] != 0.0
    coef, n, before = work.coef, 6 * stepper.p.shape[0], 0.0
    coef[CK], coef[CD], coef[ACCEPT], coef[KC] = 1.0 / (ca * m), s[CV] / (ca * m), 0.0, s[STIFFNESS]
    coef[TANGENT], coef[RATES] = 1.0, 1.0 if projected else s[MOVING]
    for iteration in range(int(s[MAX_ITERATIONS])):
        place(stepper, work)
        evaluate(kernels, tables, work, time, 1.0 / m)
        if projected:
            acceleration_side(stepper, tables, work)
        else:
            residual_side(stepper, tables, work)
        if s[TEST] != 0.0:
            found = residual_measure(kernels, tables, work, stepper, stages, time, s[TEST])
            if found <= s[TOLERANCE]:
                return DONE
        if not refactor(lu, work.vals, stepper.rhs) < s[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        sweep_back(lu, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        size = apply_increment(stepper, stepper.rhs, stepper.p, stepper.p)
        stepper.report[0] = max(stepper.report[0], iteration + 1.0)
        stepper.report[1] = size
        if not size < 1e10:
            worst_residual(stepper, work)
            return NOT_FINITE
        converged = enough(stepper, iteration, size, before, tolerance)
        before = size
        if s[TEST] == 0.0 and iteration + 1 >= s[LEARN] and converged:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE


@inlined
def keep_stage(stepper, stages, work, slot):
    """Remember a solved stage: its motion in the slot, its multipliers and powers."""
    place(stepper, work)
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    M, rate, six = borrow(stages.memory), stepper.settings[CV], load8(stepper.six, 0)
    x, affine, nodes = borrow(stepper.p), borrow(stepper.affine), borrow(work.nodes)
    vdot = borrow(work.vdot)
    for b in range(bodies):
        i = STRIDE * b
        at_, move = slot * n + i, load8(x, i)
        store8(M, at_, move)
        store8(M, slots * n + at_, (move - load8(affine, i)) * rate)
        store8(M, 2 * slots * n + at_, load8(nodes, NODE * b + VEL) * six)
        store8(M, 3 * slots * n + at_, load8(vdot, i))
    stage = slot - int(stepper.settings[FIRST])
    supplied = work.power[1]
    for e in range(work.gamma.shape[0]):
        stages.gamma[stage, e] = work.gamma[e]
        if stepper.settings[MOVING] != 0.0:
            supplied += work.gamma[e] * work.Ct[e]
    stages.power[1 + stage, 0] = work.power[0]
    stages.power[1 + stage, 1] = supplied


@inlined
def place_positions(stepper, stages, work, slot):
    """Bodies at q₀ exp(x) with the velocities remembered in the slot."""
    x, base, nodes = borrow(stepper.p), borrow(stepper.base), borrow(work.nodes)
    for b in range(stepper.p.shape[0]):
        i, q = STRIDE * b, NODE * b
        for k in range(6):
            nodes[q + VEL + k] = stages.memory[SPEED, slot, b, k]
        place_body(base, nodes, q, x, i, (x[i + 3], x[i + 4], x[i + 5]))


@inlined
def project(kernels, tables, lu, work, stepper, stages, time, slot):
    """Bring positions to C = 0, then the velocities in the slot to C_q v + C_t = 0."""
    coef, rhs, n = work.coef, stepper.rhs, 6 * stepper.p.shape[0]
    m, length = stepper.settings[MASS], stepper.settings[LENGTH]
    if rhs.shape[0] == n:
        return DONE
    coef[TANGENT], coef[RATES] = 0.0, 1.0
    for _ in range(4):
        place_positions(stepper, stages, work, slot)
        evaluate(kernels, tables, work, time, 1.0 / m)
        worst = 0.0
        rhs[:n] = 0.0
        for e in range(n, rhs.shape[0]):
            rhs[e] = -work.C[e - n]
            worst = max(worst, abs(work.C[e - n]))
        if not worst > 1e-14 * max(1.0, length):
            break
        solve(lu, work.vals, rhs)
        apply_increment(stepper, rhs, stepper.p, stepper.p)
    coef[TANGENT] = 1.0
    evaluate(kernels, tables, work, time, 1.0 / m)
    rhs[:n] = 0.0
    for e in range(n, rhs.shape[0]):
        rhs[e] = -work.Ct[e - n] - row_product(tables, work, e, work.nodes, VEL)
    if not refactor(lu, work.vals, rhs) < stepper.settings[GROWTH]:
        worst_residual(stepper, work)
        return PIVOTS
    sweep_back(lu, rhs)
    for b in range(stepper.p.shape[0]):
        for k in range(6):
            stages.memory[SPEED, slot, b, k] += rhs[6 * b + k]
            work.nodes[b, VEL + k] = stages.memory[SPEED, slot, b, k]
    return DONE


@inlined
def rebased(move, x, j):
    """Rotation of slot coordinates x[j …] in the chart around q₀ exp(move)."""
    here = qconj(qexp(move))
    return qlog(qmul(here, qexp((x[j], x[j + 1], x[j + 2]))))


@inlined
def shift_steps(stepper, stages, first):
    """Every remembered step one slot on, in the chart around the new position."""
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row, M, x = slots * n, borrow(stages.memory), borrow(stepper.p)
    for k in range(0, n, STRIDE):
        move, turn = load8(x, k), (x[k + 3], x[k + 4], x[k + 5])
        for j in range(first - 1, 0, -1):
            to, from_ = j * n + k, (j - 1) * n + k
            back = load8(M, from_) - move
            if j > 1:
                there = rebased(turn, M, from_ + 3)
            else:
                there = -turn[0], -turn[1], -turn[2]
            speed = load8(M, 2 * row + from_)
            store8(M, to, back)
            M[to + 3], M[to + 4], M[to + 5] = there
            store8(M, 2 * row + to, speed)
            store8(M, 3 * row + to, load8(M, 3 * row + from_))
            store8(M, row + to, speed)
            at_, w = row + to + 3, 2 * row + to + 3
            rate = mv(inverse_tangent(there), (M[w], M[w + 1], M[w + 2]))
            M[at_], M[at_ + 1], M[at_ + 2] = rate


@inlined
def shift_filter(stepper, stages, f, first):
    """s_i ← b_i u − a_i w + s_{i+1} with input u = ẏ and output w = Δy/h (transposed form II)."""
    bodies, order, h = stepper.p.shape[0], stages.filters.shape[2] - 1, stepper.settings[STEP]
    M, slot = stages.memory, first
    for b in range(bodies):
        for k in range(6):
            w, a = M[X, slot, b, k] / h, (M[SPEED, slot, b, k] - M[SPEED, 0, b, k]) / h
            for i in range(1, order + 1):
                more, less = stages.filters[f, 0, i], stages.filters[f, 1, i]
                p = more * M[SPEED, slot, b, k] - less * w
                q = more * M[RATE, slot, b, k] - less * a
                if i < order:
                    p, q = p + M[XDOT, i + 1, b, k], q + M[RATE, i + 1, b, k]
                M[XDOT, i, b, k], M[RATE, i, b, k] = p, q


@inlined
def accept(kernels, tables, work, stepper, stages, f, time):
    """Take over the end of a step: motion, memory, multipliers, work done."""
    s, bodies, last = stepper.settings, stepper.p.shape[0], stages.memory.shape[1] - 1
    first, count = int(s[FIRST]), stages.hg.shape[1]
    if s[KIND] == STEPS:
        shift_steps(stepper, stages, first)
    elif s[KIND] == FILTER:
        shift_filter(stepper, stages, f, first)
    n, six = STRIDE * bodies, load8(stepper.six, 0)
    row = (last + 1) * n
    M, H, nodes, base = (borrow(stages.memory), borrow(stepper.history), borrow(work.nodes),
                         borrow(stepper.base))  # fmt: skip
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        r, end = q + QUAT, last * n + i
        e = nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3]
        size = 1.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]) ** 0.5
        nodes[r], nodes[r + 1], nodes[r + 2] = e[0] * size, e[1] * size, e[2] * size
        nodes[r + 3] = e[3] * size
        for j in range(QUAT + 4):
            base[q + j] = nodes[q + j]
        speed, rate = load8(M, 2 * row + end) * six, load8(M, 3 * row + end)
        store8(base, q + VEL, speed)
        store8(H, VPREV * n + i, load8(H, V * n + i))
        store8(H, VDOTPREV * n + i, load8(H, VDOT * n + i))
        store8(H, V * n + i, speed)
        store8(H, VDOT * n + i, rate)
        store8(M, i, spread8(0.0))
        store8(M, row + i, speed)
        store8(M, 2 * row + i, speed)
        store8(M, 3 * row + i, rate)
    for e in range(work.gamma.shape[0]):
        stepper.gamma[1, e] = stepper.gamma[0, e]
        stepper.gamma[0, e] = work.gamma[e]
    stages.power[0, 0], stages.power[0, 1] = stepper.work[2], stepper.work[3]
    for j in range(count + 1):
        stepper.work[0] += stages.quadrature[f, j] * stages.power[j, 0]
        stepper.work[1] += stages.quadrature[f, j] * stages.power[j, 1]
    stepper.work[2], stepper.work[3] = stages.power[count, 0], stages.power[count, 1]
    if s[MEMORY] != 0.0:
        work.coef[ACCEPT], work.coef[TANGENT] = 1.0, 0.0
        evaluate(kernels, tables, work, time, 0.0)


@inlined
def step(kernels, tables, lu, work, stepper, stages, f, time, schedule, k):
    """One step: its stages, the projection, and the end of it taken over."""
    s, count = stepper.settings, stages.hg.shape[1]
    first = int(s[FIRST])
    stepper.report[0] = 0.0
    for i in range(count):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k * count + i, j]
        now = time - (1.0 - stages.nodes[f, i]) * s[STEP]
        status = solve_stage(kernels, tables, lu, work, stepper, stages, f, i, now)
        if status != DONE:
            return status
        keep_stage(stepper, stages, work, first + i)
    if s[PROJECTED] != 0.0:
        status = project(kernels, tables, lu, work, stepper, stages, time, first + count - 1)
        if status != DONE:
            return status
    accept(kernels, tables, work, stepper, stages, f, time)
    return DONE


@lean
def advance_stages(
    kernels, tables, lu, work, stepper, stages, which, times, schedule, saved, out, first, last
):
    """Steps `first` … `last` − 1 with the formulas which[k]; as stepping.advance."""
    for k in range(first, last):
        status = step(
            kernels, tables, lu, work, stepper, stages, which[k], times[k], schedule, k
        )
        if status != DONE:
            return status, k
        if saved[k] >= 0:
            store(stepper, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
    return DONE, last
