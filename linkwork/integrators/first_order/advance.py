"""From the stages of a step to the next step, compiled: projection, memory, work done, the loop.

The past of a multistep method is kept relative to the last step: when that moves on by y, so do
the remembered places; momenta are in world axes and stay as they are.

Where samples let forces jump, so do the accelerations a, L̇ by Δ (stepping.sampled_jump).  The past
becomes that of the motion behind the jump, continued backwards, so that formulas keep their order:

    v̇(t − τ) += Δ,   v(t − τ) −= τ Δ,   x(t − τ) += ½ τ² Δ

and the memory of a filter becomes that of these inputs: a constant, and a ramp (filter_start).
"""

from __future__ import annotations

from linkwork.elements.bodies.body import INERTIA
from linkwork.elements.layout import (
    ACCEPT, NODE, OMEGA, QUAT, RATES, ROT, SIX, STRIDE, TANGENT, VEL, WRITTEN, put36,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.momenta import (
    LARGEST, NONE, SPIN, SPIN_INVERSE, SPINS, WHOSE, put3,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.momentum_integral import integral, spun
from linkwork.integrators.first_order.stages import (
    FILTER, FIRST, KIND, PROJECTED, RATE, SPEED, STAGES, STEPS, TEST, XDOT, X, place,
    place_body, prepare, solve_stage,
)  # fmt: skip
from linkwork.integrators.first_order.values import (
    accept_values, correct_values, filter_values, keep_values, let_memory_jump, place_projected,
    shift_values,
)  # fmt: skip
from linkwork.integrators.second_order.newton import apply_increment, worst_residual
from linkwork.integrators.second_order.sampled_jumps import sampled_jump
from linkwork.integrators.second_order.stepper import (
    CV, DONE, GROWTH, LENGTH, MASS, MEMORY, MOVING, PIVOTS, SAMPLED, STEP,
)  # fmt: skip
from linkwork.integrators.second_order.stepping import store
from linkwork.integrators.values import V, VDOT, VDOTPREV, VPREV
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import load8, six8, spread8, store8
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.integrators.first_order.stages import StagedSteps, Stages
from linkwork.integrators.second_order.fast_rotation.momenta import FastRotation
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.rotations import qexp
from linkwork.kernels.vectors import IDENTITY, add, at9, mv, nine, sub, three, tv
from linkwork.linear_algebra.along_mechanism import solution
from linkwork.system.evaluate import Equations, refill, velocity_of


@inlined
def momentum_change(nodes, spins, q, b, c):
    """R (Ĵω − Rᵀc): what the momentum L of a body has more than c.

    Added to c it gives L without the round-off of R, a rotation but for its length, which would
    multiply L in every step and make a spin that nothing acts on drift.
    """
    R, own = nine(nodes, q + ROT), mv(nine(spins, SPINS * b + SPIN), three(nodes, q + OMEGA))
    return mv(R, sub(own, tv(R, c)))


@inlined
def keep_stage(stepper, stages, fast, tables, work, slot):
    """Remember a solved stage: its motion in the slot, its multipliers and powers."""
    place(stepper, fast, tables, work, False)
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n, chart = STRIDE * bodies, stepper.settings[KIND] == STAGES
    M, rate = borrow(stages.memory), stepper.settings[CV]
    x, affine, nodes = borrow(stepper.p), borrow(stepper.affine), borrow(work.nodes)
    spins = borrow(fast.spins)
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        at_, move = slot * n + i, load8(x, i)
        now = 2 * slots * n + at_
        c = load8(affine, n + i)
        change = momentum_change(nodes, spins, q, b, three(affine, n + i + 3))
        gain = six8(sub(three(nodes, q + VEL), three(affine, n + i)), change)
        speed = c + gain
        store8(M, now, speed)
        store8(M, now + slots * n, gain * rate)
        if chart:
            store8(M, at_, move)
            store8(M, slots * n + at_, (move - load8(affine, i)) * rate)
        else:
            store8(M, at_, load8(affine, i) + speed * (1.0 / rate))
            store8(M, slots * n + at_, speed)
    keep_values(stepper.flow, work.values, stages.values, slot)
    stage = slot - int(stepper.settings[FIRST])
    supplied = work.power[1]
    for e in range(work.gamma.shape[0]):
        stages.gamma[stage, e] = work.gamma[e]
        if stepper.settings[MOVING] != 0.0:
            supplied += work.gamma[e] * work.Ct[e]
    stages.power[1 + stage, 0] = work.power[0]
    stages.power[1 + stage, 1] = supplied


@inlined
def place_positions(stepper, stages, fast, work, slot):
    """Bodies at q₀ exp(x) with the velocities and momenta remembered in the slot."""
    x, base, nodes = borrow(stepper.p), borrow(stepper.base), borrow(work.nodes)
    spins, M = borrow(fast.spins), borrow(stages.memory)
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        place_body(base, nodes, q, x, i, three(x, i + 3))
        own = tv(nine(nodes, q + ROT), three(M, STRIDE * bodies * (2 * slots + slot) + i + 3))
        put3(nodes, q + OMEGA, mv(nine(spins, SPINS * b + SPIN_INVERSE), own))
    hg = 1.0 / stepper.settings[CV]
    scale = hg * hg / stepper.settings[MASS]
    place_projected(stepper.flow, work.values, stages.values, slot, scale, hg)


@inlined
def position_side(stepper, tables, work):
    """Right-hand side 0, −C; returns the largest |C|."""
    rhs, n, worst = stepper.rhs, tables.motions[0], 0.0
    for e in range(n):
        rhs[e] = 0.0
    for e in range(n, rhs.shape[0]):
        rhs[e] = -work.C[e - n]
        worst = max(worst, abs(work.C[e - n]))
    return worst


@inlined
def row_velocity(tables, work, e):
    """Row e of C_q times the velocities."""
    s = 0.0
    for p in range(tables.indptr[e], tables.indptr[e + 1]):
        s += work.vals[tables.places[p]] * velocity_of(work, tables.indices[p])
    return s


@inlined
def write_inertia(tables, work, cM):
    """The mass matrix of every body as its block."""
    for b in range(tables.bodies.shape[0]):
        place, J = tables.blocks[b], at9(tables.bodies, b, INERTIA)
        put36(work.vals, place, cM * tables.bodies[b, 0], IDENTITY, NONE)
        put36(work.vals, place + 3 * STRIDE, cM, NONE, J)


@inlined
def project(kernels, tables, lu, work, stepper, stages, fast, time, slot):
    """Bring positions to C = 0, then velocities to C_q v + C_t = 0, and the slot to these.

    Both corrections are in the span of A⁻¹C_qᵀ, A = M + h g D + (h g)² K: impulses of the joints,
    which keep the momentum about a pin, as they do in the motion.  Values of vector nodes follow
    as their equations say: those of order zero still hold, to first order in the correction.
    """
    coef, rhs, n = work.coef, stepper.rhs, tables.motions[0]
    m, small = stepper.settings[MASS], 1e-12 * stepper.settings[LENGTH]
    if rhs.shape[0] == n:
        return DONE
    coef[TANGENT], coef[RATES], coef[WRITTEN] = 1.0, stepper.settings[MOVING], 1.0
    for attempt in range(5):
        place_positions(stepper, stages, fast, work, slot)
        write_inertia(tables, work, 1.0 / m)
        refill(kernels, tables, work, time, 1.0 / m)
        closed = not position_side(stepper, tables, work) > small or attempt == 4
        if closed:
            for e in range(n, rhs.shape[0]):
                rhs[e] = -work.Ct[e - n] - row_velocity(tables, work, e)
        if not solution(lu, work.vals, rhs) < stepper.settings[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        if closed:
            break
        apply_increment(stepper, rhs, stepper.p, stepper.p)
    correct_slot(stepper, stages, fast, work, slot)
    return DONE


@inlined
def correct_slot(stepper, stages, fast, work, slot):
    """Add the correction of velocities, and put the projected motion into the slot."""
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n, chart = STRIDE * bodies, stepper.settings[KIND] == STAGES
    nodes, spins, M = borrow(work.nodes), borrow(fast.spins), borrow(stages.memory)
    x, rhs = borrow(stepper.p), borrow(stepper.rhs)
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        at_ = slot * n + i
        now = 2 * slots * n + at_
        for k in range(6):
            nodes[q + VEL + k] += rhs[SIX * b + k]
        put3(M, now, three(nodes, q + VEL))
        L = three(M, now + 3)
        put3(M, now + 3, add(L, momentum_change(nodes, spins, q, b, L)))
        store8(M, at_, load8(x, i))
        if not chart:
            turn = three(x, i + 3)
            Jx = spun(borrow(fast.course), b, nine(spins, SPINS * b + SPIN), turn)
            put3(M, at_ + 3, mv(nine(nodes, q + ROT), integral(qexp(turn), Jx)))
    correct_values(stepper.flow, stages.values, slot, stepper.rhs, SIX * bodies)


@inlined
def shift_steps(stepper, stages, first):
    """Every remembered step one slot on, from the new position."""
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row, M = slots * n, borrow(stages.memory)
    for k in range(0, n, STRIDE):
        move = load8(M, first * n + k)
        for j in range(first - 1, 0, -1):
            to, from_ = j * n + k, (j - 1) * n + k
            speed = load8(M, 2 * row + from_)
            store8(M, to, load8(M, from_) - move)
            store8(M, row + to, speed)
            store8(M, 2 * row + to, speed)
            store8(M, 3 * row + to, load8(M, 3 * row + from_))


@inlined
def shift_filter(stepper, stages, f, first):
    """s_i ← b_i u − a_i w + s_{i+1} with input u = ẏ and output w = Δy/h (transposed form II).

    first places and integrals of momenta, then velocities and momenta
    """
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
def accept(kernels, tables, work, stepper, stages, fast, f, time):
    """Take over the end of a step: motion, memory, multipliers, work done."""
    s, bodies, last = stepper.settings, stepper.p.shape[0], stages.memory.shape[1] - 1
    first, count = int(s[FIRST]), stages.hg.shape[1]
    if s[KIND] == STEPS:
        shift_steps(stepper, stages, first)
        shift_values(stages.values, first)
    elif s[KIND] == FILTER:
        shift_filter(stepper, stages, f, first)
        filter_values(stages.values, stages.filters[f], first, s[STEP])
    n, six, chart = STRIDE * bodies, load8(stepper.six, 0), s[KIND] == STAGES
    row = (last + 1) * n
    M, H, nodes, base = (borrow(stages.memory), borrow(stepper.history), borrow(work.nodes),
                         borrow(stepper.base))  # fmt: skip
    held, vdot, x = borrow(fast.vdot), borrow(work.vdot), borrow(stepper.p)
    most, whose = fast.limits[LARGEST] ** 2, fast.limits[WHOSE]
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        r, end = q + QUAT, last * n + i
        e = nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3]
        # 1/|e|, of a product of unit quaternions
        size = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        nodes[r], nodes[r + 1], nodes[r + 2] = e[0] * size, e[1] * size, e[2] * size
        nodes[r + 3] = e[3] * size
        for j in range(QUAT + 4):
            base[q + j] = nodes[q + j]
        speed, rate = load8(M, 2 * row + end), load8(M, 3 * row + end)
        now = load8(nodes, q + VEL) * six
        store8(base, q + VEL, now)
        store8(held, i, load8(vdot, i))
        turn = x[i + 3] * x[i + 3] + x[i + 4] * x[i + 4] + x[i + 5] * x[i + 5]
        if turn > most:
            most, whose = turn, b
        store8(H, VPREV * n + i, load8(H, V * n + i))
        store8(H, VDOTPREV * n + i, load8(H, VDOT * n + i))
        store8(H, V * n + i, speed)
        store8(H, VDOT * n + i, rate)
        store8(M, i, spread8(0.0))
        store8(M, row + i, now if chart else speed)
        store8(M, 2 * row + i, speed)
        store8(M, 3 * row + i, rate)
    fast.limits[LARGEST], fast.limits[WHOSE] = most**0.5, whose
    accept_values(stepper.flow, stages.values, s[STEP])
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
        refill(kernels, tables, work, time, 0.0)


@inlined
def step(kernels, tables, lu, work, stepper, stages, fast, f, time, schedule, k):
    """One step: its stages, the projection, and the end of it taken over."""
    s, count = stepper.settings, stages.hg.shape[1]
    first = int(s[FIRST])
    stepper.report[0] = stepper.report[4] = 0.0
    for i in range(count):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k * count + i, j]
        now = time - (1.0 - stages.nodes[f, i]) * s[STEP]
        status = solve_stage(kernels, tables, lu, work, stepper, stages, fast, f, i, now)
        if status != DONE:
            return status
        keep_stage(stepper, stages, fast, tables, work, first + i)
    if s[PROJECTED] != 0.0:
        status = project(
            kernels, tables, lu, work, stepper, stages, fast, time, first + count - 1
        )
        if status != DONE:
            return status
    accept(kernels, tables, work, stepper, stages, fast, f, time)
    return DONE


@inlined
def filter_jump(filter_, i):
    """What state i of a filter changes by with a constant input of one, and a ramp of one step."""
    constant = ramp = 0.0
    for l in range(i, filter_.shape[1]):
        constant += filter_[0, l] - filter_[1, l]
        ramp += -filter_[0, l] * (l - i) + filter_[1, l] * (l - i + 0.5)
    return constant, ramp


@inlined
def take_up_samples(kernels, tables, lu, work, stepper, stages, fast, f, time):
    """The next step begins with what samples hold from now on; turning, ΔL̇ = R Ĵ Δω̇."""
    if not sampled_jump(kernels, tables, lu, work, stepper, time, stepper.p):
        return
    s, rhs, M, H = stepper.settings, stepper.rhs, stages.memory, stepper.history
    h, first, kind, bodies = s[STEP], int(s[FIRST]), s[KIND], stepper.p.shape[0]
    for b in range(bodies):
        j = SIX * b
        for i in range(6):
            fast.vdot[b, i] += rhs[j + i]
        own = mv(nine(borrow(fast.spins), SPINS * b + SPIN), (rhs[j + 3], rhs[j + 4], rhs[j + 5]))
        torque = mv(at9(work.nodes, b, ROT), own)
        for i in range(3):
            rhs[j + 3 + i] = torque[i]
        for i in range(6):
            d = rhs[j + i]
            H[VDOT, b, i] += d
            H[VDOTPREV, b, i] += d
            H[VPREV, b, i] -= h * d
            M[RATE, 0, b, i] += d
            if kind == STEPS:
                for k in range(1, first):
                    M[RATE, k, b, i] += d
                    M[SPEED, k, b, i] -= k * h * d
                    M[XDOT, k, b, i] -= k * h * d
                    M[X, k, b, i] += 0.5 * (k * h) ** 2 * d
            elif kind == FILTER:
                for k in range(1, stages.filters.shape[2]):
                    constant, ramp = filter_jump(stages.filters[f], k)
                    M[RATE, k, b, i] += constant * d
                    M[XDOT, k, b, i] += ramp * h * d
    for k in range(first if kind == STEPS else 1):
        let_memory_jump(stepper.flow, stages.values, k, h, rhs, SIX * bodies, 1.0, 0.0)
    if kind == FILTER:
        for k in range(1, stages.filters.shape[2]):
            constant, ramp = filter_jump(stages.filters[f], k)
            let_memory_jump(stepper.flow, stages.values, k, h, rhs, SIX * bodies, constant, ramp)


@inlined
def own_numbers(stepper, own):
    """The last correction, and the residual where it was tested."""
    own[0] = stepper.report[1]
    if stepper.settings[TEST] != 0.0:
        own[1] = stepper.report[4]


@c_function(Equations, Stepper, FastRotation, Stages, returns=None)
def guess_stage(equations, stepper, fast, stages):
    """The motion of all bodies at the guess of the next step's first stage, for Python."""
    prepare(stepper, stages, fast, equations.work, 0, 0)
    place(stepper, fast, equations.tables, equations.work, True)


@c_function(Equations, StagedSteps, Steps, StepRows)
def advance_stages(equations, run, steps, out):
    """Steps in their range with the formulas which[k]; as stepping.advance."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    factors, stepper, stages, fast = run.factors, run.stepper, run.stages, run.fast
    times, schedule, saved, which = steps.times, steps.schedule, steps.saved, run.which
    for k in range(steps.range[BEGIN], steps.range[END]):
        status = step(
            kernels, tables, factors, work, stepper, stages, fast, which[k], times[k], schedule, k
        )
        if status != DONE:
            return status
        steps.range[BEGIN] = k + 1
        if saved[k] >= 0:
            store(stepper, fast.vdot, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
            own_numbers(stepper, out.own[saved[k]])
        if stepper.settings[SAMPLED] != 0.0:
            take_up_samples(
                kernels, tables, factors, work, stepper, stages, fast, which[k], times[k]
            )
    return DONE
