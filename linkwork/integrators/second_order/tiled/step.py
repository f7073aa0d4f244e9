"""The implicit step of a large model, in two sweeps over tiles.

    in      every tile is predicted, placed and evaluated, by any thread, and its nodes leave in the
            order of elimination, by the thread that steps
    back    increments and multipliers, the last tile first; corrections follow, by any thread

A step that is not stored is taken over with the prediction of the next.  So a body's numbers go
through the caches twice a step, there and back, while a step body by body and family by family
(`stepping`) takes them through seven times.  Newton's method is that of `newton`; a step that needs
more than it can do here (many corrections, other pivots) is left to it.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import (
    ACCEPT as ACCEPT_COEF, CD, CK, CM, FIRST as FIRST_COEF, GRAVITY, KC, RATES, SIX, TANGENT,
    WRITTEN,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.spinning import (
    LOOKS, keeps_spinning, turns_fast,
)  # fmt: skip
from linkwork.integrators.second_order.newton import (
    ROUND_OFF, SMOOTH, diverges, expects_enough, largest_velocity, measure_kappa, row_rate,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import (
    CA, CV, DONE, GROWTH, LEARN, LENGTH, MASS, MOST_TURN, MOVING, STEP, STIFFNESS, TOLERANCE,
    TURNS, VIOLATED, WILD,
)  # fmt: skip
from linkwork.integrators.second_order.stepping import LOOK, OFF
from linkwork.integrators.second_order.tiled.jobs import evaluate_seams
from linkwork.integrators.second_order.tiled.sharing import (
    ACCEPT, CORRECT, EVALUATE, assist, begin_job, do_tile, finish_job, next_claim, rest,
)  # fmt: skip
from linkwork.math.atomic import LINE, peek, post
from linkwork.math.compiled import compiled, inlined, spliced
from linkwork.math.memory.referred import refer
from linkwork.system.elimination.ranges import AGAIN, ENTER, FOLLOW, LEAVE, MIDDLE, in_range
from linkwork.system.tiles.tables import (
    ACCEPTS, FIRST, MASS_FACTOR, MOVE, PASSED, POWER, ROW, TIME, TURN, TURNED,
)  # fmt: skip

OTHERWISE = 8  # status: the step is left to `newton`, from its beginning
STEPS, ASSISTS = range(2)  # what a thread does
shared_lean = compiled(_nrt=False, nogil=True)


@inlined
def row_violation(tables, work, stepper, tiles, t):
    """The largest |C_q v + C_t| of the rows of a tile (lengths over L, angles)."""
    worst = 0.0
    for k in range(tiles.row_at[t], tiles.row_at[t + 1]):
        for e in range(tiles.rows[k, 0], tiles.rows[k, 1]):
            worst = max(worst, abs(row_rate(stepper, tables, work, e)) * stepper.sizes[e])
    return worst


@spliced
def sweep_in(kernels, tables, factors, work, stepper, tiles, out, look, chord):
    """Evaluate all tiles and let their nodes leave; the growth.

    chord: residuals alone, with the factors of the correction before.
    """
    number, count, ready = begin_job(tiles, EVALUATE), tiles.order.shape[0], 0
    growth, worst = 0.0, 0.0
    for t in range(count):
        turns = 0
        while ready < tiles.need[t]:
            if peek(tiles.done, LINE * tiles.order[ready]) == number:
                ready += 1
                continue
            i = next_claim(tiles, number, ready, min(count, t + tiles.ahead[0]))
            if i >= 0:
                do_tile(kernels, tables, factors, work, stepper, tiles, out, EVALUATE, number, i)
            else:
                turns = rest(tiles, turns)
        evaluate_seams(kernels, tables, work, stepper, factors, tiles, t)
        if look:
            worst = max(worst, row_violation(tables, work, stepper, tiles, t))
        if growth < np.inf and not chord:
            grown = in_range(tiles.code, factors, work.vals, factors.out, tiles.nodes[t],
                             tiles.nodes[t + 1], ENTER)  # fmt: skip
            growth = max(growth, grown) if grown < np.inf else np.inf
        post(tiles.shared, LINE * PASSED, t + 1)
    if look:
        stepper.report[VIOLATED] = worst / largest_velocity(stepper, work)
    if not growth < np.inf:
        return np.inf
    if chord:
        follow(tables, factors, work, tiles)
        return growth
    return max(growth**0.5, in_range(tiles.code, factors, work.vals, factors.out, 0, 0, MIDDLE))


@inlined
def follow(tables, factors, work, tiles):
    """The right-hand side with the factors that are there, once all tiles and seams are in it."""
    side = factors.out
    for i in range(factors.unknowns, side.shape[0]):
        side[i] = 0.0
    for t in range(tiles.order.shape[0]):
        in_range(tiles.code, factors, work.vals, side, tiles.nodes[t], tiles.nodes[t + 1], FOLLOW)
    in_range(tiles.code, factors, work.vals, side, 0, 0, AGAIN)


@spliced
def sweep_back(kernels, tables, factors, work, stepper, tiles, out):
    """Increments and multipliers; the size of the correction and the largest turn of the step."""
    number, count = begin_job(tiles, CORRECT), tiles.order.shape[0]
    for i in range(count):
        t = count - 1 - i
        in_range(tiles.code, factors, work.vals, factors.out, tiles.nodes[t], tiles.nodes[t + 1],
                 LEAVE)  # fmt: skip
        post(tiles.shared, LINE * PASSED, i + 1)
    finish_job(kernels, tables, factors, work, stepper, tiles, out, CORRECT, number)
    move = turned = turn = 0.0
    for t in range(count):
        move = max(move, tiles.found[t, MOVE])
        turned = max(turned, tiles.found[t, TURNED])
        turn = max(turn, tiles.found[t, TURN])
    return max(move / stepper.settings[LENGTH], turned), turn


@inlined
def largest_acceleration(stepper, tiles):
    """Of the last step: lengths over L, angles."""
    most = turns = 0.0
    for t in range(tiles.order.shape[0]):
        for i in range(3):
            most = max(most, tiles.found[t, i])
            turns = max(turns, tiles.found[t, 3 + i])
    return max(most**0.5 / stepper.settings[LENGTH], turns**0.5)


@inlined
def set_coefficients(tables, work, stepper, tiles, time):
    coef, s = work.coef, stepper.settings
    scale = s[CA] * s[MASS]
    coef[CK], coef[CD], coef[TANGENT], coef[RATES] = 1.0 / scale, s[CV] / scale, 1.0, s[MOVING]
    coef[ACCEPT_COEF], coef[KC], coef[WRITTEN], coef[FIRST_COEF] = 0.0, s[STIFFNESS], 0.0, 0.0
    coef[CM] = tiles.job[MASS_FACTOR] = 1.0 / s[MASS]
    for i in range(3):
        coef[GRAVITY + i] = tables.gravity[i]
    tiles.job[TIME], tiles.job[ROW] = time, -1.0
    for i in range(SIX):
        work.f[stepper.p.shape[0], i] = 0.0  # of the ground, which nothing reads


@inlined
def newton_in_tiles(kernels, tables, factors, work, stepper, tiles, out, time, look, pending):
    """Solve one step, after taking over the last one where that is pending; status DONE or
    OTHERWISE, and the largest turn."""
    s, job, before, tolerance, turn = stepper.settings, tiles.job, 0.0, 0.0, 0.0
    growth, chord, kept = 1.0, False, tiles.ahead[0] > tiles.order.shape[0]
    set_coefficients(tables, work, stepper, tiles, time)
    for iteration in range(SMOOTH):
        job[FIRST] = 1.0 if iteration == 0 else 0.0
        job[ACCEPTS] = 1.0 if iteration == 0 and pending else 0.0
        work.coef[TANGENT] = 0.0 if chord else 1.0
        if not chord:
            for i in range(tiles.wipe[0], tiles.wipe[1]):
                work.vals[i] = 0.0
        grown = sweep_in(kernels, tables, factors, work, stepper, tiles, out,
                         look and iteration == 0, chord)  # fmt: skip
        growth = growth if chord else grown
        if iteration == 0:
            largest = largest_acceleration(stepper, tiles)
            tolerance = s[TOLERANCE] * s[STEP] * s[STEP] * largest + 1e-14
        if not growth < s[GROWTH]:
            return OTHERWISE, turn
        size, turn = sweep_back(kernels, tables, factors, work, stepper, tiles, out)
        stepper.report[0] = iteration + 1
        stepper.report[1] = size
        if diverges(iteration, size, before):
            return OTHERWISE, turn
        if iteration > 0:
            measure_kappa(stepper, size, before)
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        left = 2.0 * before if chord else size
        before = size
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * left + ROUND_OFF * growth) * size
        if (s[STIFFNESS] != 0.0 and error <= tolerance) or size <= tolerance or exhausted:
            s[LEARN] = 1.0
            return DONE, turn
        chord = kept and not chord and expects_enough(stepper, size, tolerance)
    return OTHERWISE, turn


@inlined
def gather_work(work, stepper, tiles):
    """Work done until the end of an accepted step."""
    s, dissipated, supplied = stepper.settings, 0.0, 0.0
    for t in range(tiles.order.shape[0]):
        dissipated += tiles.found[t, POWER]
        supplied += tiles.found[t, POWER + 1]
    if s[MOVING] != 0.0:
        for e in range(stepper.gamma.shape[1] - 1):
            supplied += work.gamma[e] * work.Ct[e]
    stepper.work[0] += 0.5 * s[STEP] * (stepper.work[2] + dissipated)
    stepper.work[1] += 0.5 * s[STEP] * (stepper.work[3] + supplied)
    stepper.work[2], stepper.work[3] = dissipated, supplied


@inlined
def take_over(kernels, tables, factors, work, stepper, tiles, out, row):
    """Accept a step now, and store it where `row` is not negative."""
    tiles.job[ROW] = row
    number = begin_job(tiles, ACCEPT)
    finish_job(kernels, tables, factors, work, stepper, tiles, out, ACCEPT, number)
    if row >= 0:
        out.work[row, 0], out.work[row, 1] = stepper.work[0], stepper.work[1]
        out.iterations[row] = stepper.report[0]


@shared_lean
def advance_tiles(
    role, call, kernels, tables, lu, work, stepper, tiles, times, schedule, saved, out, first, last
):  # fmt: skip
    """Steps `first` … `last` − 1 as in `stepping.advance`, or (role ASSISTS) help with them."""
    factors, tables, work = refer(lu), refer(tables), refer(work)
    stepper, out, tiles = refer(stepper), refer(out), refer(tiles)
    if role == ASSISTS:
        assist(call, kernels, tables, factors, work, stepper, tiles, out)
        return DONE, first
    s, pending = stepper.settings, False
    for k in range(first, last):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        look = s[MOST_TURN] < 1e10 and int(times[k] / s[STEP] + 0.5) % LOOK == 0
        stepper.report[VIOLATED] = 0.0
        status, turn = newton_in_tiles(
            kernels, tables, factors, work, stepper, tiles, out, times[k], look, pending
        )
        if status != DONE:
            return status, k
        gather_work(work, stepper, tiles)
        pending = not (saved[k] >= 0 or k + 1 == last or look or turn > s[MOST_TURN])
        if pending:
            continue
        take_over(kernels, tables, factors, work, stepper, tiles, out, saved[k])
        most = s[MOST_TURN]
        if turn > most and turns_fast(stepper.history, tables.bodies, s[STEP], most):
            return TURNS, k + 1
        if look and keeps_spinning(stepper.history, stepper.p, s[STEP], LOOKS):
            return TURNS, k + 1
        if stepper.report[VIOLATED] > OFF:
            return WILD, k + 1
    return DONE, last
