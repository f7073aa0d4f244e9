"""Newton's method for one implicit step: residual, corrections, and when they are small enough.

The equations, and what convergence means, are in `stepping`.
"""

from __future__ import annotations

from linkwork.elements.layout import (
    ACCEPT, CD, CK, FIRST, KC, OMEGA, RATES, SIX, STRIDE, TANGENT, VEL, WRITTEN,
)  # fmt: skip
from linkwork.integrators.second_order.placing import placing, predicting
from linkwork.integrators.second_order.stepper import (
    CA, CV, DIVERGED, DONE, GROWTH, LEARN, LENGTH, MASS, MAX_ITERATIONS, MEMORY, MOVING, NOISE,
    NO_CONVERGENCE, PIVOTS, STEP, STIFFNESS, TOLERANCE, VIOLATED,
)  # fmt: skip
from linkwork.integrators.values import INVERSE, move_values
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined, spliced
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import mv
from linkwork.linear_algebra.along_mechanism import solution, solve
from linkwork.system.evaluate import fill, velocity_of
from linkwork.linear_algebra.low_rank import answer_sensors

ROUND_OFF = 2.0**-53
SMOOTH = 4  # corrections before they may be restrained, and how many times as many are then made
# 56 ropes (4 to 100 segments): one fails, of bisection alone 15; from 5 on brakes need no repairs
MAX_KEPT_DIRECTION = 7
FAR = 0.3  # a correction (lengths over L, radians) that must shrink
SURE = 0.1  # of the tolerance: what a correction with the last matrix may be expected to leave


@spliced
def residual_side(stepper, tables, work):
    """Right-hand side −r/(m ca), −C."""
    nb = stepper.p.shape[0]
    scale = -1.0 / (stepper.settings[CA] * stepper.settings[MASS])
    rhs, f, C, n = borrow(stepper.rhs), borrow(work.f), borrow(work.C), tables.motions[0]
    for i in range(SIX * nb):
        rhs[i] = scale * f[i]
    for i in range(stepper.flow.shape[1]):
        rhs[SIX * nb + i] = scale * work.balance[i]
    for e in range(stepper.rhs.shape[0] - n):
        rhs[n + e] = -C[e]


@spliced
def move_multipliers(stepper, tables, work):
    """γ += Δγ, of which the solution has Δγ/(m ca)."""
    gamma, solution, n = borrow(work.gamma), borrow(stepper.rhs), tables.motions[0]
    ca, m = stepper.settings[CA], stepper.settings[MASS]
    for e in range(stepper.rhs.shape[0] - n):
        gamma[e] += solution[n + e] * ca * m


@spliced
def increment_body(b, s, x, t, move, turned):
    """t += T⁻¹ θ of one body; the largest displacement and turn so far."""
    i, j = STRIDE * b, SIX * b
    t[i] += s[j]
    t[i + 1] += s[j + 1]
    t[i + 2] += s[j + 2]
    move = max(move, abs(s[j]), abs(s[j + 1]), abs(s[j + 2]))
    d = mv(inverse_tangent((x[i + 3], x[i + 4], x[i + 5])), (s[j + 3], s[j + 4], s[j + 5]))
    t[i + 3] += d[0]
    t[i + 4] += d[1]
    t[i + 5] += d[2]
    return move, max(turned, abs(d[0]), abs(d[1]), abs(d[2]))


@spliced
def apply_increment(stepper, solution, turns, target):
    """target += T⁻¹ θ; returns the size of the correction (lengths over L, angles)."""
    move = turned = 0.0
    x, t, s = borrow(turns), borrow(target), borrow(solution)
    for b in range(stepper.p.shape[0]):
        move, turned = increment_body(b, s, x, t, move, turned)
    other = move_values(stepper.flow, solution, SIX * stepper.p.shape[0])
    return max(move / stepper.settings[LENGTH], turned, other)


@inlined
def worst_residual(stepper, work):
    """Location of the largest residual: the worst constraint row, else the worst equation.

    What compares has no unit: lengths over L, forces by m ca L.  What is reported has.
    """
    most, worst, place = -1.0, 0.0, 0
    nb, length = stepper.p.shape[0], stepper.settings[LENGTH]
    n = SIX * nb + stepper.flow.shape[1]
    for e in range(stepper.rhs.shape[0] - n):
        size = abs(work.C[e]) * stepper.sizes[e]
        if not size <= most:
            most, worst, place = size, abs(work.C[e]), n + e
    if most < 1e-10:
        scale = 1.0 / (stepper.settings[CA] * stepper.settings[MASS])
        for b in range(nb):
            for i in range(6):
                residual = abs(work.f[b, i]) * scale
                size = residual / (length if i < 3 else length * length)
                if not size <= most:
                    most, worst, place = size, residual, SIX * b + i
        for i in range(stepper.flow.shape[1]):
            residual = abs(work.balance[i]) * scale
            if not residual <= most:
                most, worst, place = residual, residual, SIX * nb + i
    stepper.report[2] = place
    stepper.report[3] = worst


@inlined
def diverges(stepper, iteration, size, before):
    """Whether Newton's method has lost its way: corrections that are not finite, or large ones
    that grow; a valve that opens lets pressures jump before corrections are restrained."""
    first = SMOOTH if stepper.flow.shape[1] > 0 else 1
    return not size < 1e10 or (iteration >= first and size > FAR and size > 2.0 * before)


@inlined
def value_residual(stepper, tables, work):
    """The largest residual of an equation of a value over what its values give it, each by its size
    (without any, what the bodies do by L): so much of its size a value is wrong by."""
    bodies, n = SIX * stepper.p.shape[0], tables.motions[0]
    scale = 1.0 / (stepper.settings[CA] * stepper.settings[MASS])
    length, worst = stepper.settings[LENGTH], 0.0
    for i in range(stepper.flow.shape[1]):
        own = moves = 0.0
        for p in range(tables.indptr[bodies + i], tables.indptr[bodies + i + 1]):
            j, slope = tables.indices[p], abs(work.vals[tables.places[p]])
            if j < bodies:
                moves += slope * (length if j % SIX < 3 else 1.0)
            elif j < n:
                own += slope / stepper.flow[INVERSE, j - bodies]
        size = own if own > 0.0 else moves
        residual = abs(work.balance[i]) * scale
        worst = max(worst, residual / size if size > 0.0 else residual)
    return worst


@inlined
def largest_residual(stepper, tables):
    """The largest number of the right-hand side of bodies and constraint rows: lengths over L,
    moments over m ca L², angles."""
    rhs, length, n = stepper.rhs, stepper.settings[LENGTH], tables.motions[0]
    moves = turns = other = 0.0
    for b in range(stepper.p.shape[0]):
        for i in range(3):
            moves = max(moves, abs(rhs[SIX * b + i]))
            turns = max(turns, abs(rhs[SIX * b + 3 + i]))
    for e in range(rhs.shape[0] - n):
        other = max(other, abs(rhs[n + e]) * stepper.sizes[e])
    return max(moves / length, turns / (length * length), other)


@inlined
def restrain(stepper, iteration, cap, kept):
    """Bounds corrections that turn back and forth across a corner of a force: friction that changes
    from sliding one way to sliding the other, a string that becomes slack.  After a reversal each
    is half as long as the one before, as in bisection, until one is shorter by itself.  Where
    several have kept their direction the corner is not in the interval, as with the many corners of
    a rope, and they grow again.  Returns the bound, 1e300 for none, and how many kept their
    direction.
    """
    rhs, last, n = stepper.rhs, stepper.last, SIX * stepper.p.shape[0]
    n += stepper.flow.shape[1]
    if iteration >= SMOOTH:
        along = full = before = 0.0
        for i in range(n):
            along += rhs[i] * last[i]
            full += rhs[i] * rhs[i]
            before += last[i] * last[i]
        full, before = full**0.5, before**0.5
        if along < 0.0 and full > 0.25 * before:
            cap, kept = 0.5 * before, 0
        elif cap < 1e300:
            kept += 1
            cap *= 0.5 if kept < MAX_KEPT_DIRECTION else 2.0
        if full > cap:
            for i in range(rhs.shape[0]):
                rhs[i] *= cap / full
        else:
            cap, kept = 1e300, 0
    if iteration >= SMOOTH - 1:
        for i in range(n):
            last[i] = rhs[i]
    return cap, kept


@inlined
def measure_kappa(stepper, size, before):
    """Newton's constant from two corrections, the second less what is round-off."""
    noise = stepper.settings[NOISE]
    if before > noise:
        measured = max(size - noise, 0.0) / (before * before)
        stepper.kappa[0] = max(measured, 0.5 * stepper.kappa[0], 1.0)


@inlined
def expects_enough(stepper, size, tolerance):
    """Whether a correction with the matrix of one of this size will leave little enough."""
    ahead = stepper.kappa[0] * size * size  # the next correction
    enough = 2.0 * stepper.kappa[0] * size * ahead <= SURE * tolerance
    return stepper.settings[STIFFNESS] != 0.0 and enough


@inlined
def velocity_violation(stepper, tables, work):
    """The largest |C_q v + C_t| over the largest velocity, where that is more than round-off."""
    worst = 0.0
    for e in range(stepper.rhs.shape[0] - tables.motions[0]):
        worst = max(worst, abs(row_rate(stepper, tables, work, e)) * stepper.sizes[e])
    return worst / largest_velocity(stepper, work)


@inlined
def row_rate(stepper, tables, work, e):
    """C_q v + C_t of row e."""
    n, s = tables.motions[0], work.Ct[e] if stepper.settings[MOVING] != 0.0 else 0.0
    for p in range(tables.indptr[n + e], tables.indptr[n + e + 1]):
        s += work.vals[tables.places[p]] * velocity_of(work, tables.indices[p])
    return s


@inlined
def largest_velocity(stepper, work):
    """The largest v/L and ω, in 1/s; at least what is round-off in a step."""
    moves, turns = 0.0, 1e-9 / stepper.settings[STEP]
    for b in range(stepper.p.shape[0]):
        for c in range(3):
            moves = max(moves, abs(work.nodes[b, VEL + c]))
            turns = max(turns, abs(work.nodes[b, OMEGA + c]))
    return max(moves / stepper.settings[LENGTH], turns)


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
    before, growth, chord, cap, kept, guessed = 0.0, 1.0, False, 1e300, 0, False
    free = 0  # corrections that count: pressures are restrained over many decades
    for iteration in range(SMOOTH * int(s[MAX_ITERATIONS])):
        if free >= s[MAX_ITERATIONS] and cap == 1e300:
            break
        placing(stepper, work)
        coef[TANGENT] = 0.0 if chord else 1.0
        coef[FIRST] = 1.0 if iteration == 0 and s[MEMORY] != 0.0 else 0.0
        fill(kernels, tables, work, time, 1.0 / m)
        elsewhere = coef[FIRST] == 2.0
        coef[FIRST] = 0.0
        if iteration == 0 and look:
            stepper.report[VIOLATED] = velocity_violation(stepper, tables, work)
        rest = value_residual(stepper, tables, work) if cap < 1e300 else 0.0
        residual_side(stepper, tables, work)
        if cap < 1e300 and max(rest, largest_residual(stepper, tables)) <= tolerance:
            return DONE
        if chord:
            solve(lu, work.vals, stepper.rhs)
        else:
            growth = solution(lu, work.vals, stepper.rhs)
            if not growth < s[GROWTH]:
                worst_residual(stepper, work)
                return DIVERGED if before > FAR else PIVOTS
        answer_sensors(lu, tables, work, stepper.rhs)
        if iteration >= SMOOTH - 1:
            cap, kept = restrain(stepper, iteration, cap, kept)
        move_multipliers(stepper, tables, work)
        size = apply_increment(stepper, stepper.rhs, work.x, work.x)
        stepper.report[0] = iteration + 1
        stepper.report[1] = size
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
            measure_kappa(stepper, size, before)
        guessed = False
        # corrections that no longer shrink and are tiny are round-off: nothing is left to gain
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        # what is left: of the correction's own square, or with the matrix of the one before
        left = 2.0 * before if chord else size
        before = size
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * left + ROUND_OFF * growth) * size
        # without K_c the corrections shrink by a factor, and the last one says what is left
        quadratic = s[STIFFNESS] != 0.0
        if (quadratic and error <= tolerance) or size <= tolerance or exhausted:
            s[LEARN] = 1.0
            return DONE
        chord = not chord and expects_enough(stepper, size, tolerance)
    worst_residual(stepper, work)
    return NO_CONVERGENCE
