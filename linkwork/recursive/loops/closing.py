"""Loops: the forces of the cut joints, and the correction of what violates them.

On the acceleration level, with q̈₀ of the tree alone and X = M⁻¹ c_qᵀ from `responses`,

    c_q q̈ + … = Q_c   ⇒   (c_q X) γ = C_q a₀ − Q_c,      q̈ = q̈₀ − X γ

where C_q a₀ are the rows at the bodies' accelerations, and Q_c may contain Baumgarte's
−2α (C_q v + C_t) − β² C.  After a step Newton's method puts positions and then velocities right,

    Δq = −W⁻¹ c_qᵀ (c_q W⁻¹ c_qᵀ)⁻¹ c,        Δv = −W⁻¹ c_qᵀ (c_q W⁻¹ c_qᵀ)⁻¹ (C_q v + C_t)

the least motion in the metric W: the mass matrix or the identity.  The accelerations of the last
stage of a step have left X and the factors of c_q X at nearly the same place, and these serve for
all corrections (simplified Newton iteration); they are computed anew where violations fall slowly.
The iteration ends with an evaluation that the accelerations at the new place go on from.
Violations of lengths are counted in lengths of links, and rates of all in what opens them within a
thousand steps (the setting TIME), so that units make no difference.

Rows that depend on others in a singular position are left out by pivots p of the Cholesky
factorisation.  Beside it a violation ε moves the mechanism by ε/√p, which is a part ε/p of the
distance to the singular position; so much do velocities and accelerations turn away from where
they should point, and reactions, which grow like 1/√p, are lost.  Hence violations are kept below
tolerance · (p/p₀)² there, p₀ = 0.01, and velocities are corrected after positions.  Centrifugal
forces are then off by the same part of themselves, and accelerations by ε/p^1.5: for p < ε^⅔ by
more than if nothing held them, and the row is left out, with others that are little better (those
of a row of loops lose their rank together).  What the mechanism then moves too far where nothing
holds it the correction takes away.  Of corrections rows are left out for p < 100 ε, where Newton's
method need not find the nearest branch.
"""

from __future__ import annotations

import math
from typing import NamedTuple


from linkwork.kernels.memory.records import Floats, Floats2, Ints, Ints2, stored

from linkwork.elements import layout as el
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined, inlined, spliced
from linkwork.kernels.registers.eights import load8, spread8, store8
from linkwork.kernels.rotations import qexp, qmul
from linkwork.kernels.vectors import four
from linkwork.recursive.tree.layout import BODY, put4
from linkwork.recursive.loops.blocks import (
    BLOCK, EQ, IN_A, IN_J, IN_X, LANES, PLACE, ROW, ROWS, VELOCITY, Blocks,
)  # fmt: skip
from linkwork.recursive.sweeps.nodes import add_forces, body_accelerations, fill_nodes
from linkwork.recursive.sweeps.sensing import ROUNDS
from linkwork.system.evaluate import call_families

# settings
(CORRECTION, METRIC, ALPHA, BETA, TOLERANCE, ITERATIONS, MEMORY, LAWS, CLOSED, TIME,
 SETTINGS) = range(11)  # fmt: skip
NONE, SEMI_ANALYTIC, DIRECT, BAUMGARTE = range(4)  # CORRECTION
SAMPLES = 2.0  # MEMORY: also of samples, with which accelerations jump
MASS, PLAIN = range(2)  # METRIC
MADE, OFF, FAST, TRIED, PIVOT, UNSOLVED, REPORT = range(7)  # report
SMALLEST, SMALL, LARGE = 1e-11, 1e-5, 1e-3  # pivots never used; always in accelerations; always
WIDE = 1e3  # times the pivot that is too small: others beside it that are left out as well
NEAR = 1e-2  # smallest pivot below which violations are kept smaller
LEAST = 1e-5  # of the tolerance
SLOW = 0.1  # a factor of convergence above which c_q and its factors are computed anew


@stored
class Loops(NamedTuple):
    """The cut joints and room for their equations (m rows)."""

    ends: Ints2  # (ends, 5)
    J: Floats  # c_q, block by block (rows, velocities)
    X: Floats  # M⁻¹ c_qᵀ, block by block (eights of rows, velocities, 8)
    A: Floats  # c_q X, and its Cholesky factor, block by block (rows, rows)
    scale: Floats2  # (2, m) of the rows of A, and of the violation
    largest: Floats2  # (2, m) diagonal of A in each metric
    order: Ints  # (m,) pivots
    ranks: Ints  # (blocks + 1,) and their sum
    blocks: Blocks
    rhs: Floats2  # (2, m)
    gamma: Floats  # (m,)
    derivatives: Floats  # of direct differentiation
    acceleration: Floats2  # (bodies + 1, 6)
    settings: Floats
    balls: Ints2  # (balls, 2) where quaternions begin in q and v
    swings: Ints2  # (swings, 2) where swings begin in q and v
    velocity_of: Ints  # velocity that belongs to each coordinate, −1 in quaternions
    report: Floats  # corrections made, worst violations before them, iterations of implicit
    # steps, smallest pivot of the last accelerations, whether sensors were not found
    sensors: Ints2  # (sensors, …) of sweeps.sensing, with their reals, their room and the
    sensor_reals: Floats2  # tree's wrenches
    room: Floats2
    wrench: Floats2


@inlined
def elements(kernels, tables, work, time):
    """Forces and rows of all elements: work.f, C, Ct, Qc, vals, power."""
    work.f[:] = 0.0
    work.balance[:] = 0.0
    work.power[:] = 0.0
    if work.coef[el.TANGENT] != 0.0:
        work.sums[:] = 0.0
    call_families(kernels, tables, work, time)


@spliced
def evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, rows):
    """Place the tree and evaluate the elements; rows: whether those of cut joints are wanted."""
    sweeps.outward(sweeps.others, tree, s, q, v)
    if tables.directory.shape[0] > 0:
        fill_nodes(tree, s, work.nodes)
        wanted = 1.0 if rows and loops.gamma.shape[0] > 0 else 0.0
        work.coef[:] = 0.0
        work.coef[el.TANGENT] = wanted
        work.coef[el.RATES] = wanted
        elements(kernels, tables, work, time)


@fused_inlined
def blocks_times(tree, ends, vals, motion, out):
    """out += C_q times the motion (bodies, 6) of the bodies."""
    v = borrow(vals)
    for e in range(ends.shape[0]):
        b = tree.ints[ends[e, PLACE], BODY]
        for j in range(ends[e, ROWS]):
            at = ends[e, BLOCK] + el.STRIDE * j
            total = 0.0
            for i in range(6):
                total += v[at + i] * motion[b, i]
            out[ends[e, EQ] + j] += total


@fused_inlined
def row_rates(tree, loops, work, out):
    """C_q v + C_t of the cut joints' rows."""
    for r in range(out.shape[0]):
        out[r] = work.Ct[r]
    v = borrow(work.vals)
    for e in range(loops.ends.shape[0]):
        b = tree.ints[loops.ends[e, PLACE], BODY]
        for j in range(loops.ends[e, ROWS]):
            at = loops.ends[e, BLOCK] + el.STRIDE * j
            total = 0.0
            for i in range(6):
                total += v[at + i] * work.nodes[b, el.VEL + i]
            out[loops.ends[e, EQ] + j] += total


@spliced
def jacobian(sweeps, tree, s, loops, work, how):
    """c_q at the motion that was seen last."""
    J, blocks = loops.J, loops.blocks
    J[:] = 0.0
    if how == DIRECT:
        sweeps.direct(tree, s, work.nodes, work.vals, loops.ends, J, blocks, loops.derivatives)
    else:
        sweeps.semi_analytic(
            tree, s, work.nodes, work.vals, loops.ends, J, blocks, loops.derivatives
        )


@fused_inlined
def factorise(sweeps, tree, s, loops, metric, drop):
    """X = W⁻¹ c_qᵀ and the pivoted Cholesky factor of c_q X.

    Rows are scaled with the largest diagonal they have had, so that a row that vanishes in a
    singular position shows as a small pivot.
    """
    blocks, A, order = loops.blocks, loops.A, loops.order
    table, rows = blocks.table, blocks.rows
    for k in range(table.shape[0] - 1):
        transpose(loops, blocks, k)
    if metric == MASS:
        sweeps.respond(tree, s, loops.X, blocks)
    loops.ranks[-1] = 0
    for k in range(table.shape[0] - 1):
        first, m = table[k, ROW], table[k + 1, ROW] - table[k, ROW]
        at = table[k, IN_A]
        multiply(loops, blocks, k)
        for p in range(m):
            r = rows[first + p]
            largest = max(loops.largest[metric, r], A[at + m * p + p], 1e-300)
            loops.largest[metric, r] = largest
            loops.scale[0, r] = 1.0 / largest**0.5
            order[first + p] = r
        for p in range(m):
            for c in range(m):
                both = loops.scale[0, rows[first + p]] * loops.scale[0, rows[first + c]]
                A[at + m * p + c] *= both
        loops.ranks[k] = pivoted_cholesky(A, at, m, order, first, drop)
        loops.ranks[-1] += loops.ranks[k]


@fused_inlined
def transpose(loops, blocks, k):
    """X = c_qᵀ of a block, in eights of rows."""
    table, x, J = blocks.table, borrow(loops.X), borrow(loops.J)
    m, n = table[k + 1, ROW] - table[k, ROW], table[k + 1, VELOCITY] - table[k, VELOCITY]
    at = table[k, IN_X]
    for begin in range(0, m, LANES):
        for i in range(n):
            row = table[k, IN_J] + n * begin + i
            for l in range(LANES):
                x[at + l] = J[row + n * l] if begin + l < m else 0.0
            at += LANES


@fused_inlined
def multiply(loops, blocks, k):
    """c_q X of a block."""
    table, x, J, A = blocks.table, borrow(loops.X), borrow(loops.J), borrow(loops.A)
    m, n = table[k + 1, ROW] - table[k, ROW], table[k + 1, VELOCITY] - table[k, VELOCITY]
    eight = borrow(loops.derivatives)
    for begin in range(0, m, LANES):
        at = table[k, IN_X] + n * begin
        for p in range(m):
            total, row = spread8(0.0), table[k, IN_J] + n * p
            for i in range(n):
                total = total + load8(x, at + LANES * i) * J[row + i]
            store8(eight, 0, total)
            row = table[k, IN_A] + m * p + begin
            for l in range(min(LANES, m - begin)):
                A[row + l] = eight[l]


@fused_inlined
def pivoted_cholesky(A, at, m, order, first, drop):
    """Factor the first columns of the m × m matrix at `at` in place with diagonal pivots: rank."""
    for k in range(m):
        best = k
        for r in range(k + 1, m):
            if A[at + m * r + r] > A[at + m * best + best]:
                best = r
        if not A[at + m * best + best] > drop:
            return k
        row, other = at + m * k, at + m * best
        if best != k:
            order[first + k], order[first + best] = order[first + best], order[first + k]
            for c in range(m):
                A[row + c], A[other + c] = A[other + c], A[row + c]
            for r in range(at, at + m * m, m):
                A[r + k], A[r + best] = A[r + best], A[r + k]
        d = A[row + k] ** 0.5
        A[row + k] = d
        for r in range(k + 1, m):
            A[at + m * r + k] /= d
        for c in range(k + 1, m):
            f = A[at + m * c + k]
            for r in range(c, m):
                A[at + m * r + c] -= A[at + m * r + k] * f
            for r in range(c, m):
                A[at + m * c + r] = A[at + m * r + c]
    return m


@fused_inlined
def solve(loops, b, out, y):
    """y += −X out with (c_q X) out = b; dependent rows get nothing."""
    blocks, x = loops.blocks, borrow(loops.X)
    table, velocities = blocks.table, blocks.velocities
    for k in range(table.shape[0] - 1):
        first, m = table[k, ROW], table[k + 1, ROW] - table[k, ROW]
        begin, n = table[k, VELOCITY], table[k + 1, VELOCITY] - table[k, VELOCITY]
        solve_block(loops, table[k, IN_A], m, first, loops.ranks[k], b, out)
        for p in range(m):
            at = table[k, IN_X] + n * LANES * (p // LANES) + p % LANES
            for i in range(n):
                y[velocities[begin + i]] -= x[at + LANES * i] * out[blocks.rows[first + p]]


@fused_inlined
def solve_block(loops, at, m, first, rank, b, out):
    A, order, scale, z = loops.A, loops.order, loops.scale, loops.rhs
    for k in range(rank):
        r = order[first + k]
        total = b[r] * scale[0, r]
        for c in range(k):
            total -= A[at + m * k + c] * z[1, c]
        z[1, k] = total / A[at + m * k + k]
    for k in range(rank - 1, -1, -1):
        total = z[1, k]
        for r in range(k + 1, rank):
            total -= A[at + m * r + k] * z[1, r]
        z[1, k] = total / A[at + m * k + k]
    for k in range(m):
        r = order[first + k]
        out[r] = z[1, k] * scale[0, r] if k < rank else 0.0


@fused_inlined
def last_pivot(loops, k, rank):
    """The smallest pivot among the first ones of a block."""
    table = loops.blocks.table
    m = table[k + 1, ROW] - table[k, ROW]
    return loops.A[table[k, IN_A] + (m + 1) * (rank - 1)] ** 2


@fused_inlined
def leave_out(loops, least):
    """Leave out rows with pivots below `least`, which are the last ones of their blocks."""
    loops.ranks[-1] = 0
    for k in range(loops.ranks.shape[0] - 1):
        rank = loops.ranks[k]
        while rank > 0 and last_pivot(loops, k, rank) < least:
            rank -= 1
        loops.ranks[k] = rank
        loops.ranks[-1] += rank


@fused_inlined
def smallest_pivot(loops):
    """Of all rows; 0 where some are left out."""
    least = 1.0
    if loops.ranks[-1] < loops.gamma.shape[0]:
        return 0.0
    for k in range(loops.ranks.shape[0] - 1):
        least = min(least, last_pivot(loops, k, loops.ranks[k]))
    return least


@inlined
def forward(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out):
    """Joint accelerations `out` at (q, v, time); multipliers of the cut joints in loops.gamma.

    With the setting CLOSED the multipliers are known, and act as loads: accelerations of bodies
    and wrenches in the tree are then those of the closed mechanism.  Where loads follow sensors,
    what these show is found with the accelerations (sweeps.sensing).
    """
    m, closed = loops.gamma.shape[0], loops.settings[CLOSED]
    senses = loops.sensors.shape[0] > 0 and closed == 0.0
    passes = 2 if senses and m > 0 else 1  # sensors show the motion of the closed mechanism
    for k in range(ROUNDS if senses else 1):
        for part in range(passes):
            if part == 1:
                loops.settings[CLOSED] = 1.0
            for r in range(m):
                work.gamma[r] = loops.gamma[r] if loops.settings[CLOSED] != 0.0 else 0.0
            evaluate_constraints(
                sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, True
            )
            accelerations(sweeps, tables, work, tree, s, loops, cut, tau, stiff, out)
        loops.settings[CLOSED] = closed
        if not senses:
            return
        if sweeps.sense(tree, s, work.nodes, loops.acceleration, loops.gamma, loops.wrench, out,
                        loops.sensors, loops.sensor_reals, loops.room, work.values, work.balance,
                        k):  # fmt: skip
            return
    loops.report[UNSOLVED] = 1.0
    out[0] = math.nan


@inlined
def accelerations(sweeps, tables, work, tree, s, loops, cut, tau, stiff, out):
    """Joint accelerations `out` at the motion that was seen last."""
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
        drive_joints(tables, s)
    sweeps.inward(sweeps.others, tree, s, tau, stiff)
    sweeps.accelerate(tree, s, out)
    if cut is not None and loops.settings[CLOSED] == 0.0:
        close(sweeps, tree, s, loops, work, out)


@fused_inlined
def drive_joints(tables, s):
    """Forces of joint loads along the joints' velocities, from the numbers of their elements."""
    if s.loads.shape[0] > 0:
        s.drives[:] = 0.0
        for k in range(s.loads.shape[0]):
            s.drives[int(s.loads[k, 1])] += s.loads[k, 2] * tables.reals[int(s.loads[k, 0])]


@spliced
def close(sweeps, tree, s, loops, work, out):
    """Add the accelerations that the cut joints' forces make."""
    m = loops.gamma.shape[0]
    b = loops.rhs[0]
    alpha, beta = loops.settings[ALPHA], loops.settings[BETA]
    if alpha != 0.0 or beta != 0.0:
        row_rates(tree, loops, work, b)
        for r in range(m):
            b[r] = 2.0 * alpha * b[r] + beta * beta * work.C[r] - work.Qc[r]
    else:
        for r in range(m):
            b[r] = -work.Qc[r]
    body_accelerations(tree, s, work.nodes, loops.acceleration)
    blocks_times(tree, loops.ends, work.vals, loops.acceleration, b)
    jacobian(sweeps, tree, s, loops, work, SEMI_ANALYTIC)
    drop = min(SMALL, max(SMALLEST, worst(loops, work.C) ** (2.0 / 3.0)))
    factorise(sweeps, tree, s, loops, m * MASS, drop)
    if loops.ranks[-1] < m:
        leave_out(loops, min(SMALL, WIDE * drop))
    loops.report[PIVOT] = smallest_pivot(loops)
    solve(loops, b, loops.gamma, out)


@spliced
def enforce_loops(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out):
    """The tree once more with the multipliers just found."""
    loops.settings[CLOSED] = 1.0
    forward(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, tau, stiff, out)
    loops.settings[CLOSED] = 0.0


@fused_inlined
def move(loops, q, d):
    """q moved by joint velocities d over a unit of time."""
    for i in range(q.shape[0]):
        if loops.velocity_of[i] >= 0:
            q[i] += d[loops.velocity_of[i]]
    Q = borrow(q)
    for k in range(loops.balls.shape[0]):
        i, j = loops.balls[k, 0], loops.balls[k, 1]
        put4(Q, i, qmul(four(Q, i), qexp((d[j], d[j + 1], d[j + 2]))))


@fused_inlined
def worst(loops, C):
    """Largest violation among the cut joints' rows, lengths over those of links."""
    most = 0.0
    for r in range(loops.gamma.shape[0]):
        size = abs(C[r]) * loops.scale[1, r]
        if not size <= most:  # also when it is not a number
            most = size
    return most


@spliced
def factorise_anew(sweeps, tree, s, loops, work, tau, stiff, drop):
    """c_q and its factors at the motion that was seen last, for corrections."""
    metric = int(loops.settings[METRIC])
    jacobian(sweeps, tree, s, loops, work, int(loops.settings[CORRECTION]))
    if metric == MASS:
        sweeps.inward(sweeps.others, tree, s, tau, stiff)
    factorise(sweeps, tree, s, loops, metric, drop)


@inlined
def correct(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, d, tau, stiff):
    """Put q and v back on the constraints; false when Newton's method does not get there.

    The motion at the corrected q and v has been seen when it ends.
    """
    m, settings, b = loops.gamma.shape[0], loops.settings, loops.rhs[0]
    tolerance, pivot = settings[TOLERANCE], loops.report[PIVOT]
    wanted = tolerance * min(1.0, max(LEAST, (pivot / NEAR) ** 2))
    near = pivot < NEAR
    # the factors of the accelerations are those of the mass metric, with the semi-analytic Jacobian
    usable = settings[METRIC] == MASS and settings[CORRECTION] == SEMI_ANALYTIC
    placed, fresh = not near, False
    work.gamma[:] = 0.0
    off, fast, off_before, fast_before = 0.0, 0.0, 1e300, 1e300
    for k in range(int(settings[ITERATIONS]) + 1):
        evaluate_constraints(sweeps, kernels, tables, work, tree, s, loops, cut, time, q, v, True)
        row_rates(tree, loops, work, b)
        off, fast = worst(loops, work.C), worst(loops, b) * settings[TIME]
        if k == 0:
            loops.report[OFF], loops.report[FAST] = off, fast
        if off <= wanted and fast <= wanted:
            return True
        if not max(off, fast) < 1e300 or k == int(settings[ITERATIONS]):
            break
        moves = off > wanted and not (near and placed)
        stuck = near and fresh and (off > 0.5 * off_before if moves else fast > 0.5 * fast_before)
        if stuck and placed:
            break
        if not placed and (stuck or not moves):
            placed, moves, fast_before = True, False, 1e300
        slow = off > SLOW * off_before if moves else fast > SLOW * fast_before
        drop = min(LARGE, max(SMALLEST, 100.0 * off))
        if not usable or slow or pivot <= drop:
            factorise_anew(sweeps, tree, s, loops, work, tau, stiff, drop)
            usable, fresh, pivot = True, True, 1.0
        if moves:
            d[:] = 0.0
            solve(loops, work.C, loops.gamma, d)
            move(loops, q, d)
        if placed:
            solve(loops, b, loops.gamma, v)
        loops.report[MADE] += 1.0
        off_before, fast_before = off, 1e300 if moves else fast  # moving changes rates, too
    # in a singular position nothing else can be asked for than that violations do not grow
    singular = loops.ranks[-1] < m
    return (off <= tolerance and fast <= tolerance) or (singular and off <= 1e4 * tolerance)
