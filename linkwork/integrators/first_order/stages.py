"""The staged step, compiled: multistep and multistage formulas for ẏ on positions and velocities.

A stage is a formula for first-order equations, used for positions and velocities alike:

    x = c_x + h g ẋ,   c_x = Σ α_j x_j + h Σ β_j ẋ_j        (slots j: the past, earlier stages)
    v = c_v + h g v̇,   c_v = Σ α_j v_j + h Σ β_j v̇_j

In place of angular velocities stands the angular momentum in world axes, which is smooth where the
rates in body axes of a top oscillate with its spin; Ĵ is the body's inertia (change_over.py; any
constant matrix gives a method of the same order):

    L = R₁Ĵω,   L̇ = (L − c_L)/(h g),   ω̇ = Ĵ⁻¹(R₁ᵀL̇ − ω × Ĵω)

Rotations have coordinates of one of two kinds.  Runge-Kutta stages have x of the chart around the
last step, R₁ = R₀ exp(x), whose rate is exact, ω = T(x) ẋ.  Multistep formulas and filters, all of
second order, have the integral of the momentum by the trapezoidal rule, whose rate is L:

    y = ½ (R₀ + R₁) (Ĵx − x × D(x × Ĵx)),   y = c_y + h g L

additive like L, so that the past needs no change of chart, and exact for uniform rotation.  With x
as the unknown all motion follows, and Newton's method is that of the one-step methods (stepping.py)
with ca = 1/(h g)², cv = 1/(h g):

    [M̂ + h g D + (h g)² K   C_qᵀ] [θ           ]     [(h g)² r]
    [C_q                    0   ] [Δγ (h g)²/m ] = − [C       ]      (first row divided by m)

M̂ is (h g)² times the tangent of the inertia, for Ĵ = J in rotations, with B = (h g) ∂ω/∂θ,

    J B − h g (R₁ᵀc_L)~,  B = I + h g ∂(T(x) ẋ)/∂x T(x)⁻¹               of a chart
    (h g)² (R₁ᵀL̇)~ + N,   N = ½ [(I + R₁ᵀR₀) J T(x)⁻¹ − (Jx)~]          of the others

Projected (`stabilized`): the stages satisfy C_q v̇ = Q_c instead of C = 0, as the motion on the
constraints does, so that a formula has its full order; advance.py brings the end of the step back
to C = 0 and C_q v + C_t = 0.  These rows are not differentiated, so Newton's method converges
linearly then, by about h g |ω| per iteration.
"""

from __future__ import annotations

from typing import NamedTuple


from linkwork.kernels.memory.records import (
    Floats, Floats2, Floats3, Floats4, Ints, Ints2, Ints3, stored,
)  # fmt: skip

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, NODE, OMEGA, POS, QUAT, RATES, ROT, SIX, STRIDE, TANGENT, VEL, WRITTEN,
    put36,
)  # fmt: skip
from linkwork.integrators.convergence import residual_measure
from linkwork.integrators.first_order.rotation_tangents import (
    chart_tangents, inertia_tangent, round_tangents,
)  # fmt: skip
from linkwork.integrators.first_order.values import prepare_values
from linkwork.integrators.values import place_values
from linkwork.integrators.second_order.fast_rotation.momenta import (
    NONE, SPIN, SPIN_INVERSE, SPINS, WHOLE, put3,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.momentum_integral import (
    integral, integral_tangent, spun, spun_slope,
)  # fmt: skip
from linkwork.integrators.second_order.newton import FAR as FAR_OFF
from linkwork.integrators.second_order.newton import (
    apply_increment, diverges, measure_kappa, residual_side, worst_residual,
)  # fmt: skip
from linkwork.integrators.second_order.placing import turn_body
from linkwork.integrators.second_order.stepper import (
    CA, CV, DIVERGED, DONE, GROWTH, LEARN, LENGTH, MASS, MAX_ITERATIONS, MOVING, NOISE,
    NO_CONVERGENCE, PIVOTS, SETTINGS, STEP, STIFFNESS, TOLERANCE,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.integrators.second_order.fast_rotation.momenta import FastRotation
from linkwork.integrators.values import VDOTPREV
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import larger8, load8, six8, spread8, store8
from linkwork.kernels.rotations import (
    qexp, rotation_matrix, tangent_times,
)  # fmt: skip
from linkwork.kernels.vectors import (
    IDENTITY, add, cross, dot, four, mv, nine, scale, sub, three, tv,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism import solution
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.linear_algebra.low_rank import answer_sensors
from linkwork.system.evaluate import acceleration_of, refill

# rows of the memory
X, XDOT, SPEED, RATE = 0, 1, 2, 3
# kinds of formulas
STAGES, STEPS, FILTER = 0, 1, 2
FAR = 0.2  # lengths over L, or radians
# more settings
KIND, FIRST, PROJECTED, TEST, ALL_SETTINGS = range(SETTINGS, SETTINGS + 5)


@stored
class Stages(NamedTuple):
    """The formulas of a call and what they remember; f counts formulas, i stages, j slots."""

    memory: Floats4  # (4, slots, bodies, 8): x or y, its rate, v and L, v̇ and L̇; slot 0: now
    values: Floats3  # (4, slots, values) the same of vector nodes (values.py)
    gamma: Floats2  # (stages, rows + 1)
    alpha: Floats3  # (formulas, stages, slots)
    beta: Floats3  # likewise, times h
    hg: Floats2  # (formulas, stages)
    guess: Floats3  # (formulas, stages, 1 + slots) of v̇ and γ a step before, and of the slots
    quadrature: Floats2  # (formulas, 1 + stages) of powers, times h
    nodes: Floats2  # (formulas, stages) time of a stage in steps
    filters: Floats3  # (formulas, 2, order + 1) numerator and denominator of a filter
    power: Floats2  # (1 + stages, 2)
    sums: Floats2  # (bodies + 1, 6) absolute contributions to the equations of motion
    scratch: Floats2  # (bodies + 1, 6)
    value_sums: Floats  # (values + 1,) the same of vector nodes
    value_scratch: Floats  # (values + 1,)
    ends: Ints2  # (elements, most bodies) of each element, behind all for none
    spans: Ints3  # (elements, most nodes, 2) first values of each element's nodes, and behind
    sets: Ints  # (values,) which values are of one dimension
    angles: Floats  # 1 for a constraint row in angles


@stored
class StagedSteps(NamedTuple):
    """A run with formulas of first order."""

    factors: Elimination
    stepper: Stepper
    fast: FastRotation
    stages: Stages
    which: Ints  # the formula of each step


@inlined
def predicted_turn(base, spins, course, q, b, ahead, wdot, c, L, hg, chart):
    """x of a rotation whose momentum at the stage would be L, corrected from ω t + ω̇ t²/2.

    c: constant part of x or y.  2 (I + exp(x̃))⁻¹ = I − tan(|x|/2) x̃/|x|,  and likewise
    T(x)⁻¹ = I + x̃/2 + x̃²/12 + …
    """
    R, inverse = rotation_matrix(four(base, q + QUAT)), nine(spins, SPINS * b + SPIN_INVERSE)
    x = scale(ahead, add(three(base, q + OMEGA), scale(0.5 * ahead, wdot)))
    if chart:
        own = tv(R, L)
        for _ in range(2):
            g = qexp(x)
            u = (g[1], g[2], g[3])
            side = cross(u, own)
            w = mv(inverse, add(own, scale(2.0, sub(cross(u, side), scale(g[0], side)))))
            side = cross(x, w)
            w = add(w, add(scale(0.5, side), scale(1.0 / 12.0, cross(x, side))))
            x = add(c, scale(hg, w))
        return x
    y, half = tv(R, add(c, scale(hg, L))), 0.5 + dot(x, x) / 24.0
    J = nine(spins, SPINS * b + SPIN)
    y = sub(sub(y, scale(half, cross(x, y))), sub(spun(course, b, J, x), mv(J, x)))
    return mv(inverse, y)


@inlined
def prepare(stepper, stages, fast, work, f, i):
    """Constant parts c_x and c_v of stage i, and x for extrapolated rates of momenta.

    Where these would move a body far from where its velocity leads it (FAR lengths or radians),
    the motion is not resolved by the step, and extrapolating it is worse than nothing.
    """
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row = slots * n
    known, chart = int(stepper.settings[FIRST]) + i, stepper.settings[KIND] == STAGES
    M, H = borrow(stages.memory), borrow(stepper.history)
    x, affine, base = borrow(stepper.p), borrow(stepper.affine), borrow(stepper.base)
    spins, vdot, six = borrow(fast.spins), borrow(fast.vdot), load8(stepper.six, 0)
    course = borrow(fast.course)
    scratch = borrow(work.x)
    hg, squares, aside = stages.hg[f, i], spread8(0.0), spread8(0.0)
    ahead = stages.nodes[f, i] * stepper.settings[STEP]
    for b in range(bodies):
        k, q = STRIDE * b, NODE * b
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
        speed = cv + a * hg
        store8(scratch, k, speed)
        store8(x, k, cx + speed * hg)
        turn = predicted_turn(
            base, spins, course, q, b, ahead, three(vdot, k + 3), three(affine, k + 3),
            three(scratch, k + 3), hg, chart,
        )  # fmt: skip
        there = six8(three(x, k), turn)
        store8(x, k, there)
        off, rate = there - load8(base, q + VEL) * six * ahead, load8(vdot, k)
        aside = larger8(aside, off * off)
        squares = larger8(squares, rate * rate)
    gamma, past, earlier = borrow(work.gamma), borrow(stepper.gamma), borrow(stages.gamma)
    rows, first = work.gamma.shape[0], int(stepper.settings[FIRST])
    for e in range(rows):
        value = stages.guess[f, i, 0] * past[rows + e] + stages.guess[f, i, 1] * past[e]
        for j in range(i):
            value += stages.guess[f, i, 1 + first + j] * earlier[j * rows + e]
        gamma[e] = value
    if size_of(work, stepper, aside) > FAR:
        for b in range(bodies):
            store8(x, STRIDE * b, load8(base, NODE * b + VEL) * six * ahead)
        for e in range(rows):
            gamma[e] = 0.0
    largest = size_of(work, stepper, squares)
    if stepper.flow.shape[1] > 0:
        other = prepare_values(
            stepper.flow, stages.values, stages.alpha[f, i], stages.beta[f, i], stages.guess[f, i],
            hg, ahead, stepper.settings[STEP], known,
        )  # fmt: skip
        largest = max(largest, other)
    return largest


@inlined
def size_of(work, stepper, squares):
    """The larger of lengths over L and angles, from the squares of six numbers."""
    y, n = borrow(work.x), STRIDE * stepper.p.shape[0]
    store8(y, n, squares)  # behind the bodies, as scratch
    largest = max(max(y[n], y[n + 1], y[n + 2]) ** 0.5 / stepper.settings[LENGTH],
                  max(y[n + 3], y[n + 4], y[n + 5]) ** 0.5)  # fmt: skip
    store8(y, n, spread8(0.0))
    return largest


@inlined
def place(stepper, fast, tables, work, wanted):
    """Motion of all bodies in a stage from x: places, velocities and their rates by its formula;
    if wanted the tangent of their inertia, too."""
    s, bodies = stepper.settings, stepper.p.shape[0]
    rate, chart, n, cM = s[CV], s[KIND] == STAGES, STRIDE * bodies, 1.0 / s[MASS]
    x, z, nodes, vdot = borrow(stepper.p), borrow(work.x), borrow(work.nodes), borrow(work.vdot)
    affine, base, spins = borrow(stepper.affine), borrow(stepper.base), borrow(fast.spins)
    inertia, course, hg = borrow(tables.bodies), borrow(fast.course), 1.0 / rate
    for b in range(bodies):
        i, q, k = STRIDE * b, NODE * b, SPINS * b
        move = load8(x, i)
        speed = (move - load8(affine, i)) * rate
        store8(nodes, q + VEL, speed)
        store8(vdot, i, (speed - load8(affine, n + i)) * rate)
        store8(z, i, move * -1.0)
        turn = three(x, i + 3)
        g = place_body(base, nodes, q, x, i, turn)
        R, spin = nine(nodes, q + ROT), nine(spins, k + SPIN)
        inverse = nine(spins, k + SPIN_INVERSE)
        cL, xdot, Jx = tv(R, three(affine, n + i + 3)), three(nodes, q + OMEGA), turn
        if chart:
            w = tangent_times(turn, xdot)
            own = mv(spin, w)
        else:
            Jx = spun(course, b, spin, turn)
            own = scale(rate, sub(integral(g, Jx), tv(R, three(affine, i + 3))))
            w = mv(inverse, own)
        torque = scale(rate, sub(own, cL))
        put3(nodes, q + OMEGA, w)
        put3(vdot, i + 3, mv(inverse, sub(torque, cross(w, own))))
        if wanted:
            N, J, j = NONE, nine(inertia, BODY_REALS * b + INERTIA), spins[k + SPIN]
            whole = spins[k + WHOLE] != 0.0
            if chart:
                N, B = chart_tangents(spin, turn, xdot, cL, hg)
                if not whole:
                    N = inertia_tangent(J, j, N, B, w, hg)
            elif whole:
                slope = spun_slope(course, b, spin, turn)
                N = integral_tangent(slope, turn, g, Jx, torque, hg * hg)
            else:
                N, B = round_tangents(j, turn, w, torque, hg)
                N = inertia_tangent(J, j, N, B, w, hg)
            put36(work.vals, tables.blocks[b], cM * inertia[BODY_REALS * b], IDENTITY, NONE)
            put36(work.vals, tables.blocks[b] + 3 * STRIDE, cM, NONE, N)
    place_values(stepper.flow, work.values, hg * hg * cM)


@inlined
def place_body(base, nodes, q, x, i, turn):
    """Position and orientation q₀ exp(x) of the body whose numbers begin at q and i; exp(x)."""
    nodes[q + POS] = base[q + POS] + x[i]
    nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1]
    nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2]
    return turn_body(base, nodes, q, turn)


@inlined
def row_acceleration(tables, work, e):
    """Row e of C_q times the accelerations."""
    s = 0.0
    for p in range(tables.indptr[e], tables.indptr[e + 1]):
        s += work.vals[tables.places[p]] * acceleration_of(work, tables.indices[p])
    return s


@inlined
def acceleration_side(stepper, tables, work):
    """Right-hand side −r/(m ca), −(C_q v̇ − Q_c)/ca."""
    bodies, scale = stepper.p.shape[0], 1.0 / stepper.settings[CA]
    n, rhs, force = tables.motions[0], stepper.rhs, -scale / stepper.settings[MASS]
    for b in range(bodies):
        for i in range(6):
            rhs[SIX * b + i] = force * work.f[b, i]
    for i in range(stepper.flow.shape[1]):
        rhs[SIX * bodies + i] = force * work.balance[i]
    for e in range(n, rhs.shape[0]):
        rhs[e] = scale * (work.Qc[e - n] - row_acceleration(tables, work, e))


@inlined
def at_round_off(iteration, size, before):
    """Whether corrections are as small as they get: no residual can be asked to be smaller."""
    return iteration > 1 and size < 1e-10 and size > 0.3 * before


@inlined
def enough(stepper, iteration, size, before, tolerance):
    """Whether Newton's method has converged after a correction of this size.

    Its error after that is κ δ², or κ δ where the rows of C_q v̇ = Q_c are not differentiated or K_c
    is left out.
    """
    s, kappa = stepper.settings, stepper.kappa
    linear = s[PROJECTED] != 0.0 or s[STIFFNESS] == 0.0
    if iteration > 0:
        if not linear:
            measure_kappa(stepper, size, before)
        elif before > s[NOISE]:
            kappa[0] = min(max(size / before, 0.5 * kappa[0]), 1.0)
    error = kappa[0] * size if linear else kappa[0] * size * size
    return error <= tolerance or size <= tolerance or at_round_off(iteration, size, before)


@inlined
def solve_stage(kernels, tables, lu, work, stepper, stages, fast, f, i, time):
    """Newton's method for stage i; status DONE, NO_CONVERGENCE, PIVOTS or DIVERGED."""
    s, hg = stepper.settings, stages.hg[f, i]
    s[CA], s[CV] = 1.0 / (hg * hg), 1.0 / hg
    ca, m = s[CA], s[MASS]
    largest = prepare(stepper, stages, fast, work, f, i)
    tolerance = s[TOLERANCE] * s[STEP] * s[STEP] * largest + 1e-14
    projected = s[PROJECTED] != 0.0
    coef, n, before, exhausted = work.coef, tables.motions[0], 0.0, False
    coef[CK], coef[CD], coef[ACCEPT], coef[KC] = 1.0 / (ca * m), s[CV] / (ca * m), 0.0, s[STIFFNESS]
    coef[TANGENT], coef[RATES], coef[WRITTEN] = 1.0, 1.0 if projected else s[MOVING], 1.0
    for iteration in range(int(s[MAX_ITERATIONS])):
        place(stepper, fast, tables, work, True)
        refill(kernels, tables, work, time, 1.0 / m)
        if projected:
            acceleration_side(stepper, tables, work)
        else:
            residual_side(stepper, tables, work)
        if s[TEST] != 0.0:
            found = residual_measure(
                kernels, tables, work, stepper, stages, time, s[TEST], projected
            )
            corrected = iteration > 0 or found == 0.0
            if (found <= s[TOLERANCE] and corrected) or exhausted:
                stepper.report[4] = max(stepper.report[4], found)
                return DONE
        if not solution(lu, work.vals, stepper.rhs) < s[GROWTH]:
            worst_residual(stepper, work)
            return DIVERGED if before > FAR_OFF else PIVOTS
        answer_sensors(lu, tables, work, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        size = apply_increment(stepper, stepper.rhs, stepper.p, stepper.p)
        stepper.report[0] = max(stepper.report[0], iteration + 1.0)
        stepper.report[1] = size
        if diverges(stepper, iteration, size, before):
            worst_residual(stepper, work)
            return DIVERGED
        converged = enough(stepper, iteration, size, before, tolerance)
        exhausted = at_round_off(iteration, size, before)
        before = size
        if s[TEST] == 0.0 and iteration + 1 >= s[LEARN] and converged:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE
