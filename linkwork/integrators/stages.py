"""The staged step, compiled: multistep and multistage formulas for ẏ on positions and velocities.

A stage is a formula for first-order equations, used for positions and velocities alike:

    x = c_x + h g ẋ,   c_x = Σ α_j x_j + h Σ β_j ẋ_j        (slots j: the past, earlier stages)
    v = c_v + h g v̇,   c_v = Σ α_j v_j + h Σ β_j v̇_j

x are the coordinates of the body in the chart q = q₀ exp(x) around the last step, so its rate is
exact: v = ẋ in displacements, ω = T(x) ẋ in rotations.  With x as the unknown, v and v̇ follow,
and Newton's method is that of the one-step methods (stepping.py) with ca = 1/(h g)², cv = 1/(h g):

    [M B + h g D + (h g)² K   C_qᵀ] [θ           ]     [(h g)² r]
    [C_q                      0   ] [Δγ (h g)²/m ] = − [C       ]     (first row divided by m)

where δω = B θ/(h g), and B = T⁻¹(h g ẋ) up to the square of the turn in a step (exact for implicit
Euler).  A filter (ss2, ss3, ss4) has x = h w with w the filtered body rates, without T, which is
right to its second order.

Projected (`stabilized`): the stages satisfy C_q v̇ = Q_c instead of C = 0, as the motion on the
constraints does, so that a formula has its full order; staging.py brings the end of the step back
to C = 0 and C_q v + C_t = 0.  These rows are not differentiated, so Newton's method converges
linearly then, by about h g |ω| per iteration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, CD, CK, KC, NODE, OMEGA, POS, RATES, STRIDE, TANGENT, VEL,
)  # fmt: skip
from linkwork.integrators.convergence import residual_measure
from linkwork.integrators.stepping import (
    CA, CV, DONE, GROWTH, LEARN, LENGTH, MASS, MAX_ITERATIONS, MOVING, NO_CONVERGENCE, NOT_FINITE,
    PIVOTS, SETTINGS, STEP, STIFFNESS, TOLERANCE, VDOTPREV, apply_increment, residual_side,
    turn_body, worst_residual,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean
from linkwork.math.eights import larger8, load8, spread8, store8
from linkwork.math.rotations import tangent_times
from linkwork.system.elimination import factor_nodes, solve_nodes
from linkwork.system.evaluate import evaluate

# rows of the memory
X, XDOT, SPEED, RATE = 0, 1, 2, 3
# kinds of formulas
STAGES, STEPS, FILTER = 0, 1, 2
FAR = 0.2  # lengths over L, or radians
UNCORRECTED = 1e-3  # of the tolerance, for the residual of a step that is predicted alone
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
    """Constant parts c_x and c_v of stage i, and x for extrapolated accelerations.

    Where accelerations would move a body far from where its velocity leads it (FAR lengths or
    radians), the motion is not resolved by the step, and extrapolating it is worse than nothing.
    """
    bodies, slots = stepper.p.shape[0], stages.memory.shape[1]
    n = STRIDE * bodies
    row = slots * n
    known = int(stepper.settings[FIRST]) + i
    M, H = borrow(stages.memory), borrow(stepper.history)
    x, affine = borrow(stepper.p), borrow(stepper.affine)
    hg, squares, aside = stages.hg[f, i], spread8(0.0), spread8(0.0)
    ahead = stages.nodes[f, i] * stepper.settings[STEP]
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
        there = cx + (cv + a * hg) * hg
        store8(x, k, there)
        off, rate = there - load8(M, 2 * row + k) * ahead, load8(M, 3 * row + k)
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
        for k in range(0, n, STRIDE):
            store8(x, k, load8(M, 2 * row + k) * ahead)
        for e in range(rows):
            gamma[e] = 0.0
    return size_of(work, stepper, squares)


@inlined
def size_of(work, stepper, squares):
    """The larger of lengths over L and angles, from the squares of six numbers."""
    y, n = borrow(work.x), STRIDE * stepper.p.shape[0]
    store8(y, n, squares)  # behind the bodies, as scratch
    largest = max(max(y[n], y[n + 1], y[n + 2]) ** 0.5 / stepper.settings[LENGTH],
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
    nodes[q + POS] = base[q + POS] + x[i]
    nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1]
    nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2]
    turn_body(base, nodes, q, turn)


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
def at_round_off(iteration, size, before):
    """Whether corrections are as small as they get: no residual can be asked to be smaller."""
    return iteration > 1 and size < 1e-10 and size > 0.3 * before


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
    error = kappa[0] * size if linear else kappa[0] * size * size
    return error <= tolerance or size <= tolerance or at_round_off(iteration, size, before)


@inlined
def solve_stage(kernels, tables, lu, work, stepper, stages, f, i, time):
    """Newton's method for stage i; status DONE, NO_CONVERGENCE, PIVOTS or NOT_FINITE."""
    s, hg = stepper.settings, stages.hg[f, i]
    s[CA], s[CV] = 1.0 / (hg * hg), 1.0 / hg
    ca, m = s[CA], s[MASS]
    largest = prepare(stepper, stages, work, f, i)
    tolerance = s[TOLERANCE] * s[STEP] * s[STEP] * largest + 1e-14
    projected = s[PROJECTED] != 0.0
    coef, n, before, exhausted = work.coef, 6 * stepper.p.shape[0], 0.0, False
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
            found = residual_measure(
                kernels, tables, work, stepper, stages, time, s[TEST], projected
            )
            if found <= s[TOLERANCE] * (UNCORRECTED if iteration == 0 else 1.0) or exhausted:
                stepper.report[4] = max(stepper.report[4], found)
                return DONE
        if not factor_nodes(lu, work.vals, stepper.rhs) < s[GROWTH]:
            worst_residual(stepper, work)
            return PIVOTS
        solve_nodes(lu, stepper.rhs)
        for e in range(n, stepper.rhs.shape[0]):
            work.gamma[e - n] += stepper.rhs[e] * ca * m
        size = apply_increment(stepper, stepper.rhs, stepper.p, stepper.p)
        stepper.report[0] = max(stepper.report[0], iteration + 1.0)
        stepper.report[1] = size
        if not size < 1e10:
            worst_residual(stepper, work)
            return NOT_FINITE
        converged = enough(stepper, iteration, size, before, tolerance)
        exhausted = at_round_off(iteration, size, before)
        before = size
        if s[TEST] == 0.0 and iteration + 1 >= s[LEARN] and converged:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE
