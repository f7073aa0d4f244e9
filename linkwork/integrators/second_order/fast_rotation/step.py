"""The implicit step for bodies that turn fast, compiled: GGL constraints, and the loop over steps.

The unknowns are those of momenta.py.  Positions satisfy C = 0 and velocities C_q v + C_t = 0 (Gear,
Gupta, Leimkuhler 1985; for this family Arnold, Brüls, Cardona 2015).  The step moves a body by
d = (Δr, x); the velocities that follow from it are corrected by −cv p, their rates by −ca p, p of
the third order in h, in the span of S⁻¹C_qᵀ, so that the relations of the method hold for y less p.
With S the upper left part of the matrix, u the velocities without p, π the change of p and r_p
that of the residual with it, an iteration of Newton's method is

    [S    C_qᵀ] [p]   [0                   ]        [S    C_qᵀ] [δ ]     [r + r_p π]
    [C_q  0   ] [·] = [(C_q u + C_t)/cv − C],       [C_q  0   ] [Δγ] = − [C        ]

for p and the change δ of d: one factorisation, two right-hand sides.  Both are predicted: p goes on
linearly, and what d has beside h v + ½ h² v̇ stays, in axes that turn with the body.

Index 3 with rates in body axes and translation in fixed axes, which costs half as much, multiplies
the energy of a rod on a pin from 0.3 rad per step on, and a top errs twenty times as much.
"""

from __future__ import annotations

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import (
    ACCEPT, CD, CK, FIRST, KC, NODE, OMEGA, QUAT, RATES, ROT, SIX, STRIDE, TANGENT, VEL, WRITTEN,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.history import accept
from linkwork.integrators.second_order.fast_rotation.momenta import (
    AHEAD, BEFORE, ENOUGH, EVEN, FEW, FOLLOWS, LARGEST, LAST, LEADS, MISSED, MISSED_BEFORE,
    PATIENCE, QUIET, SHARE, SLOPE, SPIN, SPIN_INVERSE, SPINS, WHOLE, ZERO, gyroscopic, place_bodies,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.momentum_integral import (
    BENT, COURSE, bend, missed_by_trapezoids, turn_with_momentum,
)  # fmt: skip
from linkwork.integrators.second_order.newton import (
    FAR, ROUND_OFF, SMOOTH, SURE, apply_increment, diverges, largest_residual, measure_kappa,
    move_multipliers, residual_side, restrain, value_residual, worst_residual,
)  # fmt: skip
from linkwork.integrators.second_order.placing import continue_multipliers, largest_rate
from linkwork.integrators.second_order.sampled_jumps import (
    let_history_jump, let_values_jump, sampled_jump,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import (
    CA, CV, DIVERGED, DONE, GROWTH, JUMPS, LEARN, LENGTH, MASS, MAX_ITERATIONS, MEMORY, MOVING,
    NOISE, NO_CONVERGENCE, PIVOTS, SAMPLED, STEP, STIFFNESS, TOLERANCE,
)  # fmt: skip
from linkwork.integrators.second_order.stepping import store
from linkwork.integrators.values import (
    HISTORY, V, VDOT, VDOTPREV, correct_rates, free_rates, predict_values,
)  # fmt: skip
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined, fused_spliced, inlined
from linkwork.kernels.registers.eights import larger8, load8, six8, spread8, store8, sum8, triples8
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.integrators.second_order.fast_rotation.momenta import FastRotation, FastSteps
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.rotations import rotation_matrix, tangent
from linkwork.kernels.vectors import (
    add, at9, cross, four, gather, mv, nine, scale, sub, three, tv,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism import solution, solve
from linkwork.system.evaluate import Equations, refill
from linkwork.linear_algebra.low_rank import answer_sensors

CALM = 6  # a status: no body has turned fast for a while
DRIFT = 1e3  # error of p over that of the step: velocities violate joints by 1e-5 h v̇ at most
# p is as large as the step's own error.  Over p and the tolerance, what may be left of d and of p
# that follows d closely, and of p that follows it by less than DAMPED: usually 1e-4 and 1e-2 of p
BELOW, PART = 1e4, 1e6
NOTHING = 0.1  # of the tolerance: p that is none, as of a body on a fixed pin
DAMPED = 0.05  # of a correction that p follows: what is left of p dies away from step to step
SEEN = 1e-3  # of round-off: the square of a correction from which κ is measured
RELEARN = 256  # steps between those that have two iterations
LOOK = 8  # steps between those after which bodies that turn fast are looked for


@fused_inlined
def move_with_momenta(spins, base, b, y, guess):
    """d of body b that has the integral y of its momentum and its velocity; guess: its turn."""
    push, momentum = triples8(y)
    J, inverse = nine(spins, SPINS * b + SPIN), nine(spins, SPINS * b + SPIN_INVERSE)
    R0, s = rotation_matrix(four(base, NODE * b + QUAT)), spins[SPINS * b + SHARE]
    turn = turn_with_momentum(J, inverse, R0, guess, momentum)
    if s != 0.0:
        push = tv(tangent(scale(s, mv(R0, turn))), push)
    return six8(push, turn)


@fused_spliced
def predict(stepper, fast, work):
    """Affine parts, d and p of the next step; the largest acceleration, and the largest p (lengths
    over L, angles).

    p goes on linearly; d has beside h v + ½ h² v̇ what it had in the step before, which goes on
    linearly where there is no p.  After steps that took many iterations, or where forces may jump,
    d is that of rates of momenta that go on linearly.
    """
    k, bodies, h = stepper.weights, stepper.p.shape[0], stepper.settings[STEP]
    n = STRIDE * bodies
    H, p, affine = borrow(stepper.history), borrow(stepper.p), borrow(stepper.affine)
    known = borrow(fast.past)
    d, vdot, spins, base = (borrow(fast.move), borrow(fast.vdot), borrow(fast.spins),
                            borrow(stepper.base))  # fmt: skip
    ca, cv, course = stepper.settings[CA], stepper.settings[CV], borrow(fast.course)
    inverse, length = 1.0 / ca, 1.0 / stepper.settings[LENGTH]
    even, slope = fast.limits[EVEN] >= ENOUGH, fast.limits[SLOPE]
    squares = corrections = spread8(0.0)
    six = load8(stepper.six, 0)
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        v0 = a0 = spread8(0.0)
        for j in range(HISTORY):
            past = load8(H, j * n + i)
            v0 = v0 + past * k[0, j]
            a0 = a0 + past * k[1, j]
        now = load8(vdot, i)
        squares = larger8(squares, now * now)
        y = (load8(H, VDOT * n + i) * 2.0 - load8(H, VDOTPREV * n + i) - a0) * inverse
        flown = load8(base, q + VEL) * six * h + now * (0.5 * h * h)
        if course[COURSE * b + BENT] != 0.0:
            R0, guess = rotation_matrix(four(base, q + QUAT)), triples8(flown)[1]
            J, J_inverse = nine(spins, SPINS * b + SPIN), nine(spins, SPINS * b + SPIN_INVERSE)
            change = scale(h, sub(triples8(v0)[1], three(H, V * n + i + 3)))
            B, more = missed_by_trapezoids(J, J_inverse, R0, guess, change)
            y = y - six8(ZERO, add(scale(h * cv, mv(B, triples8(y)[1])), more))
            more = bend(course, COURSE * b, cv, h, B, more)
            v0 = v0 + six8(ZERO, scale(cv, more))
            a0 = a0 + six8(ZERO, scale(ca, more))
        store8(affine, i, v0)
        store8(affine, n + i, a0)
        store8(known, AHEAD * n + i, flown)
        missed = load8(known, MISSED * n + i)
        ahead = flown + missed + (missed - load8(known, MISSED_BEFORE * n + i)) * slope
        if not even:
            ahead = move_with_momenta(spins, base, b, y, triples8(flown)[1])
        store8(d, i, ahead)
        correction = load8(known, LAST * n + i) * 2.0 - load8(known, BEFORE * n + i)
        corrections = larger8(corrections, correction * correction)
        store8(p, i, correction)
    largest = largest_rate(squares, length)
    if stepper.flow.shape[1] > 0:
        ahead = predict_values(stepper.flow, k, stepper.settings[CA], h)
        largest = max(largest, ahead)
    continue_multipliers(stepper, work)
    return largest, largest_rate(corrections, length)


@fused_spliced
def velocity_side(stepper, fast, tables, work):
    """Right-hand side of p: 0, (C_q u + C_t)/cv − C, with u the velocities without p; its size
    (lengths over L, angles)."""
    n, side, cv, bodies = tables.motions[0], stepper.rhs, stepper.settings[CV], stepper.p.shape[0]
    inverse, rigid = 1.0 / cv, SIX * bodies
    free_rates(stepper.flow, work.values, side, rigid)
    vals, u, starts, blocks = (borrow(work.vals), borrow(fast.free), borrow(fast.starts),
                               borrow(fast.blocks))  # fmt: skip
    Ct, C, holds, out = borrow(work.Ct), borrow(work.C), borrow(fast.holds), borrow(side)
    sizes = borrow(stepper.sizes)
    k, most, values = starts[0], 0.0, stepper.flow.shape[1] > 0
    for e in range(side.shape[0] - n):
        row, end = spread8(0.0), starts[e + 1]
        while k < end:
            row = row + load8(vals, blocks[2 * k]) * load8(u, blocks[2 * k + 1])
            k += 1
        s = Ct[e] + sum8(row)
        if values:
            for j in range(tables.indptr[n + e], tables.indptr[n + e + 1]):
                if tables.indices[j] >= rigid:
                    s += vals[tables.places[j]] * side[tables.indices[j]]
        s = holds[e] * (s * inverse - C[e])
        out[n + e], most = s, max(most, abs(s) * sizes[e])
    for e in range(n):
        out[e] = 0.0
    return most


@fused_spliced
def correct_velocities(stepper, fast, tables, work):
    """Take the solution for p, and add r_p π for its change π to the residual; the size of π.

    π changes v by −cv π and ω by −cv π alike; v̇ and ω̇ follow from momenta that change by −ca Ĵπ,
    so that J ω̇ + ω × Jω = R₁ᵀL̇ changes by −ca Jπ where Ĵ = J
    """
    ca, cv, largest = stepper.settings[CA], stepper.settings[CV], spread8(0.0)
    p, rhs, nodes, f = borrow(stepper.p), borrow(stepper.rhs), borrow(work.nodes), borrow(work.f)
    spins, inertia = borrow(fast.spins), borrow(tables.bodies)
    for b in range(stepper.p.shape[0]):
        j, i, q, k, c = SIX * b, STRIDE * b, NODE * b, SPINS * b, BODY_REALS * b
        new = six8(three(rhs, j), three(rhs, j + 3))
        change = new - load8(p, i)
        store8(p, i, new)
        largest = larger8(largest, change * change)
        push, spin = triples8(change)
        s, J = spins[k + SHARE], nine(inertia, c + INERTIA)
        force, torque = scale(-ca, push), scale(-ca, mv(J, spin))
        if s != 0.0:
            v, w, R = three(nodes, q + VEL), three(nodes, q + OMEGA), nine(nodes, q + ROT)
            side = add(cross(mv(R, spin), v), cross(mv(R, w), push))
            force = add(force, scale(-cv * s, side))
        if spins[k + WHOLE] == 0.0:
            w, dw = three(nodes, q + OMEGA), scale(-cv, spin)
            more = mv(nine(spins, k + SPIN_INVERSE), mv(gyroscopic(nine(spins, k + SPIN), w), dw))
            torque = add(torque, sub(mv(gyroscopic(J, w), dw), mv(J, more)))
        gather(f, j, scale(inertia[c], force), torque)
    other = correct_rates(stepper.flow, stepper.rhs, SIX * stepper.p.shape[0])
    return max(largest_rate(largest, 1.0 / stepper.settings[LENGTH]), other)


@fused_spliced
def solve_step(kernels, tables, lu, work, stepper, fast, time):
    """Solve one step; status DONE, NO_CONVERGENCE, PIVOTS or DIVERGED.

    What an iteration leaves: κ δ², p that does not follow δ yet (some h ω of it), and of δ what
    forces that depend on velocities would add for π, which r_p does not have.  Both shares are
    measured whenever there is a second iteration, at least every RELEARN steps; where forces may
    jump with what is remembered (contact, friction), p itself must have converged.
    """
    s = stepper.settings
    if int(time / s[STEP] + 0.5) % RELEARN == 0:
        s[LEARN] = 2.0
    ca, m, h = s[CA], s[MASS], s[STEP]
    largest, predicted = predict(stepper, fast, work)
    tolerance = s[TOLERANCE] * h * h * largest + 1e-14
    if fast.limits[EVEN] >= ENOUGH:
        tolerance = max(tolerance, BELOW * s[TOLERANCE] * predicted)
    allowed = DRIFT * s[TOLERANCE] * h * h * largest + 1e-14  # of p
    allowed = max(allowed, PART * s[TOLERANCE] * predicted)
    nothing = NOTHING * s[TOLERANCE] * h * h * largest  # not of round-off, which p keeps from v̇
    coef = work.coef
    coef[CK], coef[CD], coef[KC] = 1.0 / (ca * m), s[CV] / (ca * m), s[STIFFNESS]
    coef[TANGENT], coef[RATES], coef[ACCEPT], coef[WRITTEN] = 1.0, s[MOVING], 0.0, 1.0
    rhs, before, cap, kept, growth, limits = stepper.rhs, 0.0, 1e300, 0, 1.0, fast.limits
    drift, chord, guessed = 0.0, False, False
    smooth = s[JUMPS] == 0.0 and stepper.flow.shape[1] == 0
    free = 0  # corrections that count: pressures are restrained over many decades
    for iteration in range(SMOOTH * int(s[MAX_ITERATIONS])):
        if free >= s[MAX_ITERATIONS] and cap == 1e300:
            break
        changed = drift
        place_bodies(stepper, fast, tables, work, not chord)
        coef[TANGENT] = 0.0 if chord else 1.0
        coef[FIRST] = 1.0 if iteration == 0 and s[MEMORY] != 0.0 else 0.0
        refill(kernels, tables, work, time, 1.0 / m)
        elsewhere = coef[FIRST] == 2.0
        coef[FIRST] = 0.0
        rest = value_residual(stepper, tables, work) if cap < 1e300 else 0.0
        exact = not chord and velocity_side(stepper, fast, tables, work) <= nothing
        exact = exact and predicted <= nothing
        if not chord:
            limits[SLOPE] = 1.0 if exact else 0.0
        if not chord and not exact:
            growth = solution(lu, work.vals, rhs)
            if not growth < s[GROWTH]:
                worst_residual(stepper, work)
                return DIVERGED if before > FAR else PIVOTS
            drift, predicted = correct_velocities(stepper, fast, tables, work), 1e300
            if iteration > 0 and before > s[NOISE]:
                limits[FOLLOWS] = max(drift / before, 0.5 * limits[FOLLOWS])
        residual_side(stepper, tables, work)
        if cap < 1e300 and max(rest, largest_residual(stepper, tables)) <= tolerance:
            return DONE
        if exact:
            growth, drift = solution(lu, work.vals, rhs), 0.0
            if not growth < s[GROWTH]:
                worst_residual(stepper, work)
                return DIVERGED if before > FAR else PIVOTS
        else:
            solve(lu, work.vals, rhs)
        answer_sensors(lu, tables, work, rhs)
        if iteration >= SMOOTH - 1:
            cap, kept = restrain(stepper, iteration, cap, kept)
        size = apply_increment(stepper, rhs, fast.move, fast.move)
        move_multipliers(stepper, tables, work)
        stepper.report[0], stepper.report[1] = iteration + 1, size
        if diverges(stepper, iteration, size, before):
            worst_residual(stepper, work)
            return DIVERGED
        if cap == 1e300 or stepper.flow.shape[1] == 0:
            free += 1
        if cap < 1e300:
            before, chord = size, False
            continue
        if elsewhere:  # its size says nothing of those that follow
            before, guessed = size, True
            continue
        if iteration > 0 and not guessed:
            own = stepper.kappa[0] * before * before
            if changed > s[NOISE]:
                limits[LEADS] = max((size - own) / changed, 0.25 * limits[LEADS])
            if before * before > SEEN * s[NOISE]:  # else what is measured is not of second order
                measure_kappa(stepper, size, before)
        guessed = False
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        # what is left: of the correction's own square, or with the matrix of the one before
        left = 2.0 * before if chord else size
        moved = max(before, size) if chord else size  # since p was found
        before = size
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * left + ROUND_OFF * growth) * size
        quadratic = s[STIFFNESS] != 0.0
        done = (quadratic and error <= tolerance) or size <= tolerance
        follows = limits[FOLLOWS] * moved <= (allowed if limits[FOLLOWS] <= DAMPED else tolerance)
        share = limits[LEADS] if smooth else max(limits[LEADS], 1.0)
        leads = chord or share * drift <= tolerance
        if (done and follows and leads) or exhausted:
            s[LEARN] = 1.0
            return DONE
        ahead = stepper.kappa[0] * size * size  # the next correction
        chord = quadratic and follows and not chord
        ahead = max(ahead, share * drift)
        chord = chord and 2.0 * stepper.kappa[0] * size * ahead <= SURE * tolerance
    worst_residual(stepper, work)
    return NO_CONVERGENCE


@inlined
def take_up_samples(kernels, tables, lu, work, stepper, fast, time):
    """The next step begins with what samples hold from now on; turning, ΔL̇ = R Ĵ Δω̇."""
    if not sampled_jump(kernels, tables, lu, work, stepper, time, work.x):
        return
    rhs = stepper.rhs
    for b in range(stepper.p.shape[0]):
        j = SIX * b
        for i in range(6):
            fast.vdot[b, i] += rhs[j + i]
        own = mv(nine(borrow(fast.spins), SPINS * b + SPIN), (rhs[j + 3], rhs[j + 4], rhs[j + 5]))
        torque = mv(at9(work.nodes, b, ROT), own)
        for i in range(3):
            let_history_jump(stepper, b, i, rhs[j + i])
            let_history_jump(stepper, b, 3 + i, torque[i])
    let_values_jump(stepper.flow, stepper.settings[STEP], rhs, SIX * stepper.p.shape[0])


@c_function(Equations, Stepper, FastRotation, returns=None)
def guess_fast(equations, stepper, fast):
    """The motion of all bodies at the predicted end of the next step, for Python."""
    predict(stepper, fast, equations.work)
    place_bodies(stepper, fast, equations.tables, equations.work, True)


@c_function(Equations, Stepper, FastRotation, returns=None)
def place_fast(equations, stepper, fast):
    """The motion of all bodies and the tangent of their inertia, for Python."""
    place_bodies(stepper, fast, equations.tables, equations.work, True)


@c_function(Equations, FastSteps, Steps, StepRows)
def advance_fast(equations, run, steps, out):
    """Steps in their range; as stepping.advance.  CALM where nothing turns fast any more."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    factors, stepper, fast = run.factors, run.stepper, run.fast
    times, schedule, saved = steps.times, steps.schedule, steps.saved
    limits = fast.limits
    for k in range(steps.range[BEGIN], steps.range[END]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        status = solve_step(kernels, tables, factors, work, stepper, fast, times[k])
        if status != DONE:
            return status
        steps.range[BEGIN] = k + 1
        look = limits[PATIENCE] < 1e10 and int(times[k] / stepper.settings[STEP] + 0.5) % LOOK == 0
        turn, busy = accept(kernels, tables, work, stepper, fast, times[k], look)
        even = stepper.report[0] <= FEW and stepper.settings[JUMPS] == 0.0
        limits[EVEN] = limits[EVEN] + 1.0 if even else 0.0
        limits[LARGEST] = max(limits[LARGEST], turn)
        limits[FOLLOWS] = max(limits[FOLLOWS], turn)
        if saved[k] >= 0:
            store(stepper, fast.vdot, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
        if stepper.settings[SAMPLED] != 0.0:
            take_up_samples(kernels, tables, factors, work, stepper, fast, times[k])
        if look:
            limits[QUIET] = 0.0 if busy else limits[QUIET] + LOOK
            if limits[QUIET] >= limits[PATIENCE]:
                return CALM
    return DONE
