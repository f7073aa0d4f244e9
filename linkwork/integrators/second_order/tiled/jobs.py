"""What is done with one tile: its evaluation, its corrections, and taking over a step.

A job touches nothing but the bodies and rows of its tile (linkwork.system.tiles), so that any
thread may do it.  The equations are those of `stepping`.
"""

from __future__ import annotations

from linkwork.elements.bodies.body import body_term
from linkwork.elements.layout import SIX, STRIDE
from linkwork.integrators.second_order.newton import increment_body
from linkwork.integrators.second_order.placing import place_body, predict_body
from linkwork.integrators.second_order.stepper import CA, CALPHA, CV, MASS
from linkwork.integrators.second_order.stepping import accept_body, store_body
from linkwork.integrators.values import VDOT
from linkwork.math.memory.borrowed import borrow
from linkwork.math.compiled import inlined
from linkwork.math.registers.eights import larger8, load8, spread8, store8
from linkwork.math.kernel import Loads, Motion, call_kernel, view
from linkwork.system.tiles.tables import (
    ACCEPTS, COUNT, FIRST, FOUND, INT, INTS, MASS_FACTOR, MOVE, POWER, REAL, REALS, ROW, SLOT,
    SQUARES, TIME, TURN, TURNED,
)  # fmt: skip


@inlined
def call_runs(kernels, tables, work, tiles, runs, begin, end, t):
    """The kernels of some runs of elements; powers to those of the tile."""
    for k in range(begin, end):
        n, i, wi = runs[k, COUNT], runs[k, INT], runs[k, INTS]
        r, wr = runs[k, REAL], runs[k, REALS]
        call_kernel(
            kernels, runs[k, SLOT],
            tables.ints[i : i + n * wi].reshape(n, wi), tables.reals[r : r + n * wr].reshape(n, wr),
            view(Motion(work.nodes, work.vdot, work.x, work.values, work.gamma, tiles.job[TIME],
                        work.coef)),
            view(Loads(work.f, work.balance, work.C, work.Ct, work.Qc, work.vals,
                       tiles.found[t][POWER:FOUND])),
        )  # fmt: skip


@inlined
def accept_tile(stepper, work, tiles, out, t):
    """Take over the solution of a step for the bodies and rows of a tile; store it where asked."""
    s, n, all_rows = stepper.settings, STRIDE * stepper.p.shape[0], stepper.gamma.shape[1]
    H, x, base = borrow(stepper.history), borrow(work.x), borrow(stepper.base)
    affine, six, row = borrow(stepper.affine), load8(stepper.six, 0), int(tiles.job[ROW])
    ca, cv, calpha, weights = s[CA], s[CV], s[CALPHA], stepper.weights
    motion, acceleration, bodies = borrow(out.motion), borrow(out.acceleration), n // STRIDE
    numbers, vdot = borrow(tiles.bodies), borrow(stepper.history[VDOT])
    for k in range(tiles.body_at[t], tiles.body_at[t + 1]):
        b = numbers[k]
        accept_body(b, n, x, affine, base, H, weights, ca, cv, calpha, six)
        if row >= 0:
            at = row * bodies + b
            store_body(b, base, vdot, motion, 13 * at, acceleration, SIX * at)
    gamma, past = borrow(work.gamma), borrow(stepper.gamma)
    for k in range(tiles.row_at[t], tiles.row_at[t + 1]):
        for e in range(tiles.rows[k, 0], tiles.rows[k, 1]):
            past[all_rows + e] = past[e]
            past[e] = gamma[e]
            if row >= 0:
                out.gamma[row, stepper.kept[e]] = gamma[e]


@inlined
def predict_tile(stepper, work, tiles, t):
    """Affine parts, and x and multipliers that go on linearly; squares of accelerations found."""
    n, all_rows = STRIDE * stepper.p.shape[0], stepper.gamma.shape[1]
    H, x, affine = borrow(stepper.history), borrow(work.x), borrow(stepper.affine)
    inverse, squares, weights = 1.0 / stepper.settings[CA], spread8(0.0), stepper.weights
    numbers = borrow(tiles.bodies)
    for k in range(tiles.body_at[t], tiles.body_at[t + 1]):
        vdot = predict_body(STRIDE * numbers[k], n, H, x, affine, weights, inverse)
        squares = larger8(squares, vdot * vdot)
    store8(borrow(tiles.found), FOUND * t + SQUARES, squares)
    gamma, past = borrow(work.gamma), borrow(stepper.gamma)
    for k in range(tiles.row_at[t], tiles.row_at[t + 1]):
        for e in range(tiles.rows[k, 0], tiles.rows[k, 1]):
            gamma[e] = 2.0 * past[e] - past[all_rows + e]


@inlined
def evaluate_tile(kernels, tables, work, stepper, factors, tiles, out, t):
    """Residual and tangent of a tile but for its seams, at the motion that x leads to."""
    job, n = tiles.job, STRIDE * stepper.p.shape[0]
    if job[ACCEPTS] != 0.0:
        accept_tile(stepper, work, tiles, out, t)
    if job[FIRST] != 0.0:
        predict_tile(stepper, work, tiles, t)
    for i in range(tiles.clear[t, 0], tiles.clear[t, 1]):
        work.vals[i] = 0.0
    store8(borrow(tiles.found), FOUND * t + POWER, spread8(0.0))
    place_tile(tables, work, stepper, tiles, t, n)
    call_runs(kernels, tables, work, tiles, tiles.runs, tiles.run_at[t], tiles.run_at[t + 1], t)
    right_side(tables, work, stepper, factors, tiles.bodies, tiles.body_at, tiles.rows,
               tiles.row_at, t)  # fmt: skip


@inlined
def evaluate_seams(kernels, tables, work, stepper, factors, tiles, t):
    """What elements between this tile and others add, to the right-hand side, too."""
    begin, end = tiles.seam_at[t], tiles.seam_at[t + 1]
    if begin < end:
        call_runs(kernels, tables, work, tiles, tiles.seams, begin, end, t)
        right_side(tables, work, stepper, factors, tiles.ends, tiles.end_at, tiles.seam_rows,
                   tiles.seam_row_at, t)  # fmt: skip


@inlined
def right_side(tables, work, stepper, factors, bodies, body_at, rows, row_at, t):
    """−r/(m ca), −C of some bodies and rows of each tile, in the place of the solution."""
    n, scale = tables.motions[0], -1.0 / (stepper.settings[CA] * stepper.settings[MASS])
    side, f, C, numbers = borrow(factors.out), borrow(work.f), borrow(work.C), borrow(bodies)
    for k in range(body_at[t], body_at[t + 1]):
        i = SIX * numbers[k]
        for j in range(i, i + SIX):
            side[j] = scale * f[j]
    for k in range(row_at[t], row_at[t + 1]):
        for e in range(rows[k, 0], rows[k, 1]):
            side[n + e] = -C[e]


@inlined
def place_tile(tables, work, stepper, tiles, t, n):
    """Motion and inertia of the bodies of a tile; n: numbers of all bodies."""
    ca, cv, cM = stepper.settings[CA], stepper.settings[CV], tiles.job[MASS_FACTOR]
    x, nodes, vdot = borrow(work.x), borrow(work.nodes), borrow(work.vdot)
    affine, base, numbers = borrow(stepper.affine), borrow(stepper.base), borrow(tiles.bodies)
    bodies, blocks, gravity = tables.bodies, tables.blocks, tables.gravity
    motion, rates, moved, coef = work.nodes, work.vdot, work.x, work.coef
    f, vals, forces = work.f, work.vals, borrow(work.f)
    for k in range(tiles.body_at[t], tiles.body_at[t + 1]):
        b = numbers[k]
        place_body(b, n, x, affine, base, nodes, vdot, ca, cv)
        for i in range(SIX * b, SIX * b + SIX):
            forces[i] = 0.0
        body_term(b, bodies, blocks, motion, rates, moved, gravity, cM, coef, f, vals)


@inlined
def correct_tile(tables, work, stepper, factors, tiles, t):
    """Add the solution to x and to the multipliers; how large it was."""
    move = turned = turn = 0.0
    x, s, n, numbers = borrow(work.x), borrow(factors.out), tables.motions[0], borrow(tiles.bodies)
    for k in range(tiles.body_at[t], tiles.body_at[t + 1]):
        b = numbers[k]
        move, turned = increment_body(b, s, x, x, move, turned)
        i = STRIDE * b + 3
        turn = max(turn, abs(x[i]), abs(x[i + 1]), abs(x[i + 2]))
    scale, gamma = stepper.settings[CA] * stepper.settings[MASS], borrow(work.gamma)
    for k in range(tiles.row_at[t], tiles.row_at[t + 1]):
        for e in range(tiles.rows[k, 0], tiles.rows[k, 1]):
            gamma[e] += s[n + e] * scale
    tiles.found[t, MOVE], tiles.found[t, TURNED], tiles.found[t, TURN] = move, turned, turn
