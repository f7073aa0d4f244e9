"""Loops: the forces of the cut joints, and the correction of what violates them.

On the acceleration level, with q̈₀ of the tree alone and X = M⁻¹ c_qᵀ from `responses`,

    c_q q̈ + … = Q_c   ⇒   (c_q X) γ = C_q a₀ − Q_c,      q̈ = q̈₀ − X γ

where C_q a₀ are the rows at the bodies' accelerations, and Q_c may contain Baumgarte's
−2α (C_q v + C_t) − β² C.  After a step Newton's method puts positions and then velocities right,

    Δq = −W⁻¹ c_qᵀ (c_q W⁻¹ c_qᵀ)⁻¹ c,        Δv = −W⁻¹ c_qᵀ (c_q W⁻¹ c_qᵀ)⁻¹ (C_q v + C_t)

the least motion in the metric W: the mass matrix or the identity. Rows that depend on others (in
singular positions) are left out by pivots of the Cholesky factorisation. Corrections leave rows out
early at first, since a pivot p makes a violation ε a motion ε/√p, which changes c_q v, and so a
velocity ε/p: near the flat position of a parallelogram round-off would brake the mechanism.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements import layout as el
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import fused, fused_inlined, lean, spliced
from linkwork.math.eights import load8, store8
from linkwork.math.rotations import qexp, qmul
from linkwork.math.vectors import four
from linkwork.recursive.layout import BODY, put4
from linkwork.recursive.loop_jacobian import BLOCK, EQ, PLACE, ROWS
from linkwork.recursive.nodes import add_forces, body_accelerations, fill_nodes
from linkwork.system.evaluate import call_families

# settings
(CORRECTION, METRIC, ALPHA, BETA, TOLERANCE, ITERATIONS, DROP, GENTLE, MEMORY, LAWS, CLOSED,
 SETTINGS) = range(12)  # fmt: skip
NONE, SEMI_ANALYTIC, DIRECT, BAUMGARTE = range(4)  # CORRECTION
MASS, PLAIN = range(2)  # METRIC
GENTLY = 2  # corrections before rows of small pivots are used, too


class Loops(NamedTuple):
    """The cut joints and room for their equations (m rows)."""

    ends: np.ndarray  # (ends, 5)
    J: np.ndarray  # (m, velocities)
    X: np.ndarray  # (chunks, velocities, 8) M⁻¹ c_qᵀ
    A: np.ndarray  # (m, m) its Cholesky factor
    scale: np.ndarray  # (2, m) of the rows of A, and of the violation
    largest: np.ndarray  # (2, m) diagonal of A in each metric
    order: np.ndarray  # (m + 1,) pivots, and the rank
    rhs: np.ndarray  # (2, m)
    gamma: np.ndarray  # (m,)
    derivatives: np.ndarray  # of direct differentiation
    acceleration: np.ndarray  # (bodies + 1, 6)
    settings: np.ndarray
    balls: np.ndarray  # (balls, 2) where quaternions begin in q and v
    velocity_of: np.ndarray  # velocity that belongs to each coordinate, −1 in quaternions
    report: np.ndarray  # corrections made, worst violations before them, law power


@lean
def elements(kernels, tables, work, time):
    """Forces and rows of all elements: work.f, C, Ct, Qc, vals, power."""
    work.f[:] = 0.0
    work.power[:] = 0.0
    if work.coef[el.TANGENT] != 0.0:
        work.sums[:] = 0.0
    call_families(kernels, tables, work, time)


@spliced
def see(sweeps, kernels, tables, work, tree, s, loops, time, q, v, rows):
    """Place the tree and evaluate the elements; rows: whether those of cut joints are wanted."""
    sweeps.outward(sweeps.ends, tree, s, q, v)
    if tables.directory.shape[0] > 0:
        fill_nodes(tree, s, work.nodes)
        wanted = 1.0 if rows and loops.J.shape[0] > 0 else 0.0
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


@fused
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
    loops.J[:] = 0.0
    if how == DIRECT:
        sweeps.direct(tree, s, work.nodes, work.vals, loops.ends, loops.J, loops.derivatives)
    else:
        sweeps.semi_analytic(
            tree, s, work.nodes, work.vals, loops.ends, loops.J, loops.derivatives
        )


@fused
def factorise(sweeps, tree, s, loops, metric, drop):
    """X = W⁻¹ c_qᵀ and the pivoted Cholesky factor of c_q X.

    Rows are scaled with the largest diagonal they have had, so that a row that vanishes in a
    singular position shows as a small pivot.
    """
    J, A, order = loops.J, loops.A, loops.order
    m, nv = J.shape
    for c in range(loops.X.shape[0]):
        X = loops.X[c]
        for i in range(nv):
            for l in range(8):
                r = 8 * c + l
                X[i, l] = J[r, i] if r < m else 0.0
        if metric == MASS:
            sweeps.respond(tree, s, X)
        x = borrow(X)
        for r in range(m):
            total = load8(x, 0) * J[r, 0]
            for i in range(1, nv):
                total = total + load8(x, 8 * i) * J[r, i]
            store8(borrow(loops.derivatives), 0, total)
            for l in range(min(8, m - 8 * c)):
                A[r, 8 * c + l] = loops.derivatives[l]
    for r in range(m):
        largest = max(loops.largest[metric, r], A[r, r], 1e-300)
        loops.largest[metric, r] = largest
        loops.scale[0, r] = 1.0 / largest**0.5
        order[r] = r
    for r in range(m):
        for c in range(m):
            A[r, c] *= loops.scale[0, r] * loops.scale[0, c]
    order[m] = pivoted_cholesky(A, order, drop)


@fused_inlined
def pivoted_cholesky(A, order, drop):
    """Factor in place with diagonal pivots; returns the rank."""
    m = A.shape[0]
    for k in range(m):
        best = k
        for r in range(k + 1, m):
            if A[r, r] > A[best, best]:
                best = r
        if not A[best, best] > drop:
            return k
        if best != k:
            order[k], order[best] = order[best], order[k]
            for c in range(m):
                A[k, c], A[best, c] = A[best, c], A[k, c]
            for r in range(m):
                A[r, k], A[r, best] = A[r, best], A[r, k]
        d = A[k, k] ** 0.5
        A[k, k] = d
        for r in range(k + 1, m):
            A[r, k] /= d
        for c in range(k + 1, m):
            f = A[c, k]
            for r in range(c, m):
                A[r, c] -= A[r, k] * f
            for r in range(c, m):
                A[c, r] = A[r, c]
    return m


@fused
def solve(loops, b, out, y):
    """y += −X out with (c_q X) out = b; dependent rows get nothing."""
    A, order, J = loops.A, loops.order, loops.J
    m, rank = J.shape[0], order[J.shape[0]]
    z = loops.rhs[1]
    for k in range(rank):
        total = b[order[k]] * loops.scale[0, order[k]]
        for c in range(k):
            total -= A[k, c] * z[c]
        z[k] = total / A[k, k]
    for k in range(rank - 1, -1, -1):
        total = z[k]
        for r in range(k + 1, rank):
            total -= A[r, k] * z[r]
        z[k] = total / A[k, k]
    for r in range(m):
        out[r] = 0.0
    for k in range(rank):
        out[order[k]] = z[k] * loops.scale[0, order[k]]
    for r in range(m):
        for i in range(y.shape[0]):
            y[i] -= loops.X[r // 8, i, r % 8] * out[r]


@lean
def forward(sweeps, kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out):
    """Joint accelerations `out` at (q, v, time); multipliers of the cut joints in loops.gamma.

    With the setting CLOSED the multipliers are known, and act as loads: accelerations of bodies
    and wrenches in the tree are then those of the closed mechanism.
    """
    m, closed = loops.J.shape[0], loops.settings[CLOSED] != 0.0
    for r in range(m):
        work.gamma[r] = loops.gamma[r] if closed else 0.0
    see(sweeps, kernels, tables, work, tree, s, loops, time, q, v, True)
    if tables.directory.shape[0] > 0:
        add_forces(tree, s, work.nodes, work.f)
    sweeps.inward(tree, s, tau, stiff)
    sweeps.accelerate(tree, s, out)
    if m > 0 and not closed:
        close(sweeps, tree, s, loops, work, out)


@spliced
def close(sweeps, tree, s, loops, work, out):
    """Add the accelerations that the cut joints' forces make."""
    m = loops.J.shape[0]
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
    factorise(sweeps, tree, s, loops, m * MASS, loops.settings[DROP])
    solve(loops, b, loops.gamma, out)


@spliced
def settle(sweeps, kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out):
    """The tree once more with the multipliers just found."""
    loops.settings[CLOSED] = 1.0
    forward(sweeps, kernels, tables, work, tree, s, loops, time, q, v, tau, stiff, out)
    loops.settings[CLOSED] = 0.0


@fused
def move(loops, q, d):
    """q moved by joint velocities d over a unit of time."""
    for i in range(q.shape[0]):
        if loops.velocity_of[i] >= 0:
            q[i] += d[loops.velocity_of[i]]
    Q = borrow(q)
    for k in range(loops.balls.shape[0]):
        i, j = loops.balls[k, 0], loops.balls[k, 1]
        put4(Q, i, qmul(four(Q, i), qexp((d[j], d[j + 1], d[j + 2]))))


@fused
def worst(loops, C):
    """Largest violation among the cut joints' rows."""
    most = 0.0
    for r in range(loops.J.shape[0]):
        size = abs(C[r]) * loops.scale[1, r]
        if not size <= most:  # also when it is not a number
            most = size
    return most


@lean
def correct(sweeps, kernels, tables, work, tree, s, loops, time, q, v, d, tau, stiff):
    """Put q and v back on the constraints; false when Newton's method does not get there."""
    how, metric = int(loops.settings[CORRECTION]), int(loops.settings[METRIC])
    tolerance, b = loops.settings[TOLERANCE], loops.rhs[0]
    fresh, done, off = False, False, 0.0
    work.gamma[:] = 0.0
    for k in range(int(loops.settings[ITERATIONS])):
        see(sweeps, kernels, tables, work, tree, s, loops, time, q, v, True)
        off = worst(loops, work.C)
        if k == 0:
            loops.report[1] = off
        if off <= tolerance:
            done = True
            break
        jacobian(sweeps, tree, s, loops, work, how)
        if metric == MASS:
            sweeps.inward(tree, s, tau, stiff)
        gentle = k < GENTLY
        factorise(sweeps, tree, s, loops, metric, loops.settings[GENTLE if gentle else DROP])
        fresh = gentle
        d[:] = 0.0
        solve(loops, work.C, loops.gamma, d)
        move(loops, q, d)
        loops.report[0] += 1.0
    m = loops.J.shape[0]
    if not done and (loops.order[m] == m or off > 1e4 * tolerance):
        return False  # but in a singular position violations fall slowly
    for k in range(int(loops.settings[ITERATIONS])):
        row_rates(tree, loops, work, b)
        off = worst(loops, b)
        if k == 0:
            loops.report[2] = off
        if off <= tolerance:
            return True
        if k > GENTLY and loops.order[m] < m:
            return True  # in a singular position nothing else can be asked for
        if not fresh or k == GENTLY:
            jacobian(sweeps, tree, s, loops, work, how)
            if metric == MASS:
                sweeps.inward(tree, s, tau, stiff)
            factorise(
                sweeps, tree, s, loops, metric, loops.settings[GENTLE if k < GENTLY else DROP]
            )
            fresh = True
        solve(loops, b, loops.gamma, v)
        sweeps.outward(sweeps.ends, tree, s, q, v)
        fill_nodes(tree, s, work.nodes)
        loops.report[0] += 1.0
    return False
