"""From the stages of a step to the next step, compiled: projection, memory, work done, the loop.

The past of a multistep method is kept in the chart around the last step.  When that moves on by
x, a remembered step is at

    x_j ← log(exp(−x) exp(x_j)),     ẋ_j = T(x_j)⁻¹ ω_j

so that the formula always sees coordinates of one chart, in which it has its full order.
"""

from __future__ import annotations

from linkwork.elements.layout import ACCEPT, NODE, QUAT, RATES, STRIDE, TANGENT, VEL
from linkwork.integrators.stages import (
    FILTER, FIRST, KIND, PROJECTED, RATE, SPEED, STEPS, TEST, XDOT, X, place, place_body,
    row_product, solve_stage,
)  # fmt: skip
from linkwork.integrators.stepping import (
    CV, DONE, GROWTH, LENGTH, MASS, MEMORY, MOVING, PIVOTS, STEP, VDOT, VDOTPREV, VPREV, V,
    apply_increment, store, worst_residual,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean
from linkwork.math.eights import load8, spread8, store8
from linkwork.math.rotations import inverse_tangent, qconj, qexp, qlog, qmul
from linkwork.math.vectors import mv
from linkwork.system.elimination import refactor, solve, sweep_back
from linkwork.system.evaluate import evaluate


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
def position_side(stepper, work):
    """Right-hand side 0, −C; returns the largest |C|."""
    rhs, n, worst = stepper.rhs, 6 * stepper.p.shape[0], 0.0
    for e in range(n):
        rhs[e] = 0.0
    for e in range(n, rhs.shape[0]):
        rhs[e] = -work.C[e - n]
        worst = max(worst, abs(work.C[e - n]))
    return worst


@inlined
def project(kernels, tables, lu, work, stepper, stages, time, slot):
    """Bring positions to C = 0, then the velocities in the slot to C_q v + C_t = 0.

    Both corrections are in the span of A⁻¹C_qᵀ, A the upper left part of the iteration matrix:
    the first with the factors of the last stage (a residual test ends without any), the others
    with those of the end of the step.
    """
    coef, rhs, n = work.coef, stepper.rhs, 6 * stepper.p.shape[0]
    m, small = stepper.settings[MASS], 1e-12 * stepper.settings[LENGTH]
    if rhs.shape[0] == n:
        return DONE
    coef[TANGENT], coef[RATES] = 0.0, 0.0
    evaluate(kernels, tables, work, time, 1.0 / m)
    if position_side(stepper, work) > small and stepper.settings[TEST] == 0.0:
        solve(lu, work.vals, rhs)
        apply_increment(stepper, rhs, stepper.p, stepper.p)
    coef[TANGENT], coef[RATES] = 1.0, stepper.settings[MOVING]
    for attempt in range(4):
        place_positions(stepper, stages, work, slot)
        evaluate(kernels, tables, work, time, 1.0 / m)
        closed = not position_side(stepper, work) > small or attempt == 3
        if closed:
            for e in range(n, rhs.shape[0]):
                rhs[e] = -work.Ct[e - n] - row_product(tables, work, e, work.nodes, VEL)
        if not refactor(lu, work.vals, rhs) < stepper.settings[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        sweep_back(lu, rhs)
        if closed:
            break
        apply_increment(stepper, rhs, stepper.p, stepper.p)
    for b in range(stepper.p.shape[0]):
        for k in range(6):
            stages.memory[SPEED, slot, b, k] += rhs[6 * b + k]
            work.nodes[b, VEL + k] = stages.memory[SPEED, slot, b, k]
    return DONE


@inlined
def near_exp(x):
    """Unit quaternion of a rotation vector, by a series where it is short."""
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    if p2 > 1e-2:
        return qexp(x)
    s = 0.5 - p2 * (1.0 / 48.0 - p2 * (1.0 / 3840.0 - p2 / 645120.0))
    c = 1.0 - p2 * (0.125 - p2 * (1.0 / 384.0 - p2 * (1.0 / 46080.0 - p2 / 10321920.0)))
    return (c, s * x[0], s * x[1], s * x[2])


@inlined
def shift_steps(stepper, stages, first):
    """Every remembered step one slot on, in the chart around the new position."""
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row, M, x = slots * n, borrow(stages.memory), borrow(stepper.p)
    for k in range(0, n, STRIDE):
        move, turn = load8(x, k), (x[k + 3], x[k + 4], x[k + 5])
        back = qconj(near_exp(turn))
        for j in range(first - 1, 0, -1):
            to, from_ = j * n + k, (j - 1) * n + k
            gone = load8(M, from_) - move
            if j > 1:
                there = qlog(qmul(back, near_exp((M[from_ + 3], M[from_ + 4], M[from_ + 5]))))
            else:
                there = -turn[0], -turn[1], -turn[2]
            speed = load8(M, 2 * row + from_)
            store8(M, to, gone)
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
    stepper.report[0] = stepper.report[4] = 0.0
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


@inlined
def own_numbers(stepper, own):
    """The last correction, and the residual where it was tested."""
    own[0] = stepper.report[1]
    if stepper.settings[TEST] != 0.0:
        own[1] = stepper.report[4]


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
            own_numbers(stepper, out.own[saved[k]])
    return DONE, last
