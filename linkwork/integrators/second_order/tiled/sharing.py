"""Jobs that two threads share: tiles are claimed one by one, and each is done by who claimed it.

The thread that steps begins a job and does all of it that nobody else has claimed; the second one,
if it is there, claims tiles as long as there are some.  Nobody waits but for a tile that is being
worked on; where that takes longer than any tile, the processor was given to something else, and the
second thread is dismissed for the rest of the call.  Claims are made for the number of a job, so
that who comes late finds nothing left.
"""

from __future__ import annotations

from linkwork.integrators.second_order.tiled.jobs import accept_tile, correct_tile, evaluate_tile
from linkwork.math.atomic import LINE, PATIENCE, claim, pause, peek, post
from linkwork.math.compiled import inlined
from linkwork.system.tiles.tables import ASSISTED, CALL, JOB, PASSED, YIELD

EVALUATE, CORRECT, ACCEPT, KINDS = range(4)
TOO_LONG = PATIENCE + 4  # turns of waiting for a tile


@inlined
def begin_job(tiles, kind):
    """Let others claim tiles of a new job; its number."""
    shared = tiles.shared
    number = peek(shared, LINE * JOB) // KINDS + 1
    post(shared, LINE * PASSED, 0)
    post(shared, LINE * JOB, KINDS * number + kind)
    return number


@inlined
def claims(tiles, number, i):
    """Whether the i-th tile of a job is ours."""
    word = peek(tiles.claimed, LINE * i)
    return word < number and claim(tiles.claimed, LINE * i, word, number)


@inlined
def next_claim(tiles, number, first, end):
    """The first of some tiles that could be claimed; −1 where there is none."""
    for i in range(first, end):
        if claims(tiles, number, i):
            return i
    return -1


@inlined
def rest(tiles, turns):
    """One more turn of the thread that steps in a loop that waits; how many there were."""
    if turns == TOO_LONG:
        post(tiles.shared, LINE * CALL, peek(tiles.shared, LINE * CALL) + 1)
    pause(tiles.shared, LINE * YIELD, turns)
    return turns + 1


@inlined
def wait_for_tile(tiles, t, number):
    """Until another thread is done with a tile."""
    turns = 0
    while peek(tiles.done, LINE * t) != number:
        turns = rest(tiles, turns)


@inlined
def wait_for_passage(tiles, least):
    """Until the thread that steps has passed so many tiles."""
    turns = 0
    while peek(tiles.shared, LINE * PASSED) < least:
        turns += 1
        pause(tiles.shared, LINE * YIELD, turns)


@inlined
def do_tile(kernels, tables, factors, work, stepper, tiles, out, kind, number, i):
    """The i-th tile of a job."""
    t = tiles.order[i]
    if kind == CORRECT:
        t = tiles.order.shape[0] - 1 - i
        correct_tile(tables, work, stepper, factors, tiles, t)
    elif kind == ACCEPT:
        accept_tile(stepper, work, tiles, out, t)
    else:
        evaluate_tile(kernels, tables, work, stepper, factors, tiles, out, t)
    post(tiles.done, LINE * t, number)


@inlined
def finish_job(kernels, tables, factors, work, stepper, tiles, out, kind, number):
    """Do what nobody has claimed, and wait for the rest."""
    count = tiles.order.shape[0]
    for i in range(count):
        if claims(tiles, number, i):
            do_tile(kernels, tables, factors, work, stepper, tiles, out, kind, number, i)
    for t in range(count):
        wait_for_tile(tiles, t, number)


@inlined
def assist(call, kernels, tables, factors, work, stepper, tiles, out):
    """The second thread: takes part in jobs until the call has ended."""
    shared, count = tiles.shared, tiles.order.shape[0]
    seen, turns, lead, every = 0, 0, tiles.lead[0], tiles.lead[1]
    while peek(shared, LINE * CALL) == call:
        word = peek(shared, LINE * JOB)
        if word == seen:
            turns += 1
            pause(shared, LINE * YIELD, turns)
            continue
        seen, turns = word, 0
        number, kind = word // KINDS, word % KINDS
        for k in range(2 * count):
            i, again = k % count, k >= count
            if kind == EVALUATE and not again and (i < lead or i % every == 0):
                continue
            if not claims(tiles, number, i):
                continue
            if kind == EVALUATE:
                wait_for_passage(tiles, i + 1 - tiles.ahead[0])
            elif kind == CORRECT:
                wait_for_passage(tiles, i + 1)
            do_tile(kernels, tables, factors, work, stepper, tiles, out, kind, number, i)
            shared[LINE * ASSISTED] += 1
