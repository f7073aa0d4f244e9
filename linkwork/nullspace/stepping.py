"""The reduced step, compiled: Newton's method in joint coordinates, linear in the number of bodies.

The reduced equations are P(q₀, q₁)ᵀ R(q₁) = 0 with q₁ = F(u) and P the discrete null space matrix,
range P = null G(q̄) ([B] section 2.2.2).  Newton's direction Δu satisfies Pᵀ(K F' Δu + R) = 0.  As
the rows of G(q̄) span what P leaves out, this is the same as

    [P_int(q̄)ᵀ K P_int(q₁)   G̃(q̄)ᵀ] [t]     [P_int(q̄)ᵀ R]
    [G̃(q₁)                    0     ] [μ] = − [Φ(q₁)      ],     t = (δφ, θ) = twist increments

with G̃ = G P_int, whose first part is t = F' Δu: tree joints are satisfied exactly by F, so only
closures of loops have Φ ≠ 0 on the right.  The matrix is sparse and solved in linear time along
chains; Δu is read off from t and all bodies are placed anew along the tree.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwork.elements.layout import ACCEPT, OMEGA, POS, ROT, SIX, VEL
from linkwork.integrators.contract import BEGIN, END, StepRows, Steps
from linkwork.integrators.second_order.recovery import OTHER_ROWS
from linkwork.integrators.second_order.stepper import DIVERGED, DONE, NO_CONVERGENCE, PIVOTS
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import stored
from linkwork.kernels.vectors import at, at9, cross, mm, tv
from linkwork.linear_algebra.along_mechanism import solution, solve
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.nullspace.assembly import (
    GROWTH,
    LENGTH,
    MAX_ITERATIONS,
    STEP,
    TOLERANCE,
    Motion,
    Scheme,
    assemble_forces,
    assemble_step,
    axial,
    spring_forces,
)  # fmt: skip
from linkwork.nullspace.constraints.quadratic import largest_error
from linkwork.nullspace.constraints.tree import (
    Tree,
    joint_increment,
    move_coordinates,
    place,
    read,
    unwind,
)  # fmt: skip
from linkwork.nullspace.prediction import (
    COUNT,
    SAFE,
    is_plain,
    learn,
    left_over,
    predict_coordinates,
    predict_multipliers,
    remember_increments,
)  # fmt: skip
from linkwork.system.evaluate import Equations, Rows

SLOW = 0.1  # a factor of convergence above which the matrix is computed anew
LOOSE = 1e-10  # error of a row left out of the equations, lengths over L
FAR = 1e-3  # a correction above which it is, too
FARTHEST = 0.5  # angle by which a correction may turn a body
NEAR = 1e-6  # a first correction below which the second is the last
TINY = 1e-12  # a correction that may be round-off
BLURRED = 1e-6  # near singular positions, one that may be where the residual is round-off
ROUND_OFF = 1.5e-14  # some 64 times the spacing of numbers near one


@inlined
def copied(to, of):
    """to = of, without an array in between."""
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            to[i, j] = of[i, j]


@inlined
def correct(tree, n, m):
    """Apply the solution in m.rhs; the sizes of increments, lengths over L and angles, and of
    multipliers, which begin at n.  Where a body would turn too far the direction alone is taken."""
    nb, size, turn, load, L = m.euler.shape[0], 0.0, 0.0, 0.0, m.settings[LENGTH]
    for b in range(nb):
        for i in range(6):
            step = abs(m.rhs[SIX * b + i])
            if i >= 3:
                turn = max(turn, step)
            if not size >= (step / L if i < 3 else step):
                size = step / L if i < 3 else step
    part = min(1.0, FARTHEST / turn) if turn > 0.0 else 1.0
    for b in range(nb):
        for i in range(6):
            m.delta[b, i] = part * m.rhs[SIX * b + i]
    for e in range(m.rhs.shape[0] - n):
        m.mu[0, e] += part * m.rhs[n + e]
        load = max(load, abs(m.rhs[n + e]))
    for i in range(tree.ints.shape[0]):
        joint_increment(tree, i, m.end, m.delta, m.rate)
    move_coordinates(tree, m.coordinate, m.trial, m.rate)
    place(tree, m.trial, m.end)
    return size, load


@inlined
def worst_residual(kernels, forces, rows, tables, work, m, time):
    """Largest residual at the poses m.end and its place into the report; whether all of them are
    round-off of the positions they are differences of."""
    assemble_step(kernels, forces, rows, tables, work, m, time, m.settings[STEP] < 0.0)
    nb, L = m.euler.shape[0], m.settings[LENGTH]
    reach = L
    for b in range(nb):
        for i in range(3):
            reach = max(reach, abs(m.end[b, POS + i]))
    worst, place, relative = -1.0, 0, 0.0
    for e in range(m.rhs.shape[0]):
        size = abs(m.rhs[e])
        if not size <= worst:
            worst, place = size, e
        if e >= tables.motions[0]:
            unit = max(1.0, reach)
        else:
            unit = reach if e % SIX < 3 else reach * L
        relative = max(relative, size / unit)
    m.report[2], m.report[3] = place, worst
    return relative < ROUND_OFF


@inlined
def rates(tree, m):
    """Rates of the joint coordinates from the velocities, for the first prediction."""
    for b in range(m.euler.shape[0]):
        spin = axial(at9(m.base, b, ROT), at9(m.velocity, b, 3))
        for i in range(3):
            m.delta[b, i] = m.velocity[b, i]
            m.delta[b, 3 + i] = 0.5 * spin[i]
    for i in range(tree.ints.shape[0]):
        joint_increment(tree, i, m.base, m.delta, m.rate)


@inlined
def begin(tree, m):
    """Predicted coordinates, poses and multipliers."""
    copied(m.trial, m.coordinate)
    if m.learned[COUNT] == 0.0:
        rates(tree, m)
    predict_coordinates(tree, m.trial, m.past, m.learned, m.rate, m.settings[STEP])
    place(tree, m.trial, m.end)


@c_function(Tree, Motion, returns=None)
def begin_step(tree, m):
    """`begin` for Python."""
    begin(tree, m)


@inlined
def newton(kernels, forces, rows, tree, tables, lu, work, m, time):
    """One step: the matrix at the prediction, again only where convergence is slow."""
    begin(tree, m)
    s, learned = m.settings, m.learned
    plain = is_plain(learned)
    predict_multipliers(m.mu, learned)
    # no literal True or False: numba would compile everything once for each
    before, load, rate = 1e300, 0.0, 1e300
    fresh = before > 0.0
    for iteration in range(int(s[MAX_ITERATIONS])):
        assemble_step(kernels, forces, rows, tables, work, m, time, fresh)
        m.report[0] = iteration + 1
        if fresh:
            if not solution(lu, work.vals, m.rhs) < s[GROWTH]:
                worst_residual(kernels, forces, rows, tables, work, m, time)
                return PIVOTS
        else:
            solve(lu, work.vals, m.rhs)
        loaded = load
        size, load = correct(tree, tables.motions[0], m)
        m.report[1] = size
        if not size < 1e10:
            return DIVERGED
        if iteration == 1 and plain:
            learn(learned, size, before, loaded)
        ratio = size / before
        # what is left after this correction: the last ratio goes on, if the first was small enough
        # for the matrix at the prediction to hold
        finished = iteration > 0 and ratio < 1.0 and ratio * size < s[TOLERANCE]
        finished = finished and (iteration > 1 or before < NEAR)
        if iteration == 0 and not plain:
            rate = SAFE * left_over(learned, size, load) / size if size > 0.0 else 0.0
        # tiny corrections are round-off, and so is their ratio; those that no longer shrink end it
        if iteration == 0 or size < TINY:
            finished = finished or rate * size < s[TOLERANCE]
        if not finished and iteration > 1 and ratio > 0.3 and size < BLURRED:
            finished = size < TINY or worst_residual(
                kernels, forces, rows, tables, work, m, time
            )
        if finished:
            # the work of the forces belongs to where the step ends
            assemble_forces(kernels, forces, tables, work, m, time, size < 0.0)
            return DONE
        fresh = size > FAR or (iteration > 0 and ratio > SLOW)
        before = size
    worst_residual(kernels, forces, rows, tables, work, m, time)
    return NO_CONVERGENCE


@c_function(Equations, Scheme, returns=None)
def accept_poses(equations, scheme):
    """Accept poses that another solver has put into m.end."""
    tree, forces, m = scheme.tree, scheme.forces, scheme.motion
    reals = equations.tables.reals
    copied(m.trial, m.coordinate)
    read(tree, m.end, m.trial)
    accept(tree, forces, reals, equations.tables.memory, m)


@inlined
def accept(tree, forces, reals, memory, m):
    """v₁ = 2 (q₁ − q₀)/h − v₀, and the step's work."""
    h = m.settings[STEP]
    for b in range(m.euler.shape[0]):
        for i in range(3):
            move = m.end[b, POS + i] - m.base[b, POS + i]
            m.velocity[b, i] = 2.0 * move / h - m.velocity[b, i]
        for i in range(9):
            move = m.end[b, ROT + i] - m.base[b, ROT + i]
            m.velocity[b, 3 + i] = 2.0 * move / h - m.velocity[b, 3 + i]
        for i in range(m.base.shape[1]):
            m.base[b, i] = m.end[b, i]
    remember_increments(
        tree, m.coordinate, m.trial, m.past, m.learned, m.rate, m.settings[LENGTH]
    )
    copied(m.coordinate, m.trial)
    unwind(tree, m.coordinate)
    for e in range(m.mu.shape[1]):
        m.mu[4, e], m.mu[3, e], m.mu[2, e] = m.mu[3, e], m.mu[2, e], m.mu[1, e]
        m.mu[1, e] = m.mu[0, e]
    m.work[0] += m.taken[0]
    m.work[1] += m.taken[1]
    if forces.springs.shape[0] > 0:
        m.delta[:] = 0.0
        m.delta[0, ACCEPT] = 1.0
        spring_forces(forces, reals, memory, m, m.delta[0], forces.nothing)


@inlined
def energy_and_momentum(base, velocity, euler, out):
    """Kinetic energy and angular momentum of (q, q̇): ½ q̇ᵀM q̇ and Σ φ × m φ̇ + d_I × E_IJ ḋ_J."""
    out[:4] = 0.0
    for b in range(euler.shape[0]):
        v, V, E = at(velocity, b, 0), at9(velocity, b, 3), at9(euler, b, 1)
        p = (euler[b, 0] * v[0], euler[b, 0] * v[1], euler[b, 0] * v[2])
        W = mm(V, E)
        energy = p[0] * v[0] + p[1] * v[1] + p[2] * v[2]
        for i in range(9):
            energy += W[i] * V[i]
        out[0] += 0.5 * energy
        L = cross(at(base, b, POS), p)
        S = axial(at9(base, b, ROT), W)
        for i in range(3):
            out[1 + i] += L[i] + S[i]


@c_function(Motion, Rows, returns=None)
def own_numbers(m, rows):
    """`energy_and_momentum` for Python, in the first row."""
    energy_and_momentum(m.base, m.velocity, m.euler, rows.numbers[0])


@inlined
def store(m, out, row):
    for b in range(m.euler.shape[0]):
        spin = tv(at9(m.base, b, ROT), axial(at9(m.base, b, ROT), at9(m.velocity, b, 3)))
        for i in range(7):
            out.motion[row, b, i] = m.base[b, i]
        for i in range(3):
            out.motion[row, b, VEL + i] = m.velocity[b, i]
            out.motion[row, b, OMEGA + i] = 0.5 * spin[i]
    out.work[row, 0] = m.work[0]
    out.work[row, 1] = m.work[1]
    out.iterations[row] = m.report[0]
    energy_and_momentum(m.base, m.velocity, m.euler, out.own[row])


@stored
class ReducedSteps(NamedTuple):
    """A run in joint coordinates."""

    scheme: Scheme
    factors: Elimination


@c_function(Motion, StepRows, int, returns=None)
def store_row(m, out, row):
    """`store` for Python."""
    store(m, out, row)


@c_function(Equations, ReducedSteps, Steps, StepRows)
def advance(equations, run, steps, out):
    """Steps in their range; schedule holds the laws at their middles.  Returns the status."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    scheme, factors = run.scheme, run.factors
    forces, rows, left, tree, m = (
        scheme.forces, scheme.rows, scheme.left, scheme.tree, scheme.motion
    )  # fmt: skip
    h, times, schedule, saved = m.settings[STEP], steps.times, steps.schedule, steps.saved
    for k in range(steps.range[BEGIN], steps.range[END]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        status = newton(
            kernels, forces, rows, tree, tables, factors, work, m, times[k] - 0.5 * h
        )
        if status == DONE and largest_error(left, m.end, m.settings[LENGTH]) > LOOSE:
            status = OTHER_ROWS
        if status != DONE:
            for e in range(m.mu.shape[1]):
                m.mu[0, e] = m.mu[1, e]
            return status
        accept(tree, forces, tables.reals, tables.memory, m)
        steps.range[BEGIN] = k + 1
        if saved[k] >= 0:
            store(m, out, saved[k])
    return DONE
