"""The arrays of a model in tiles, for compiled loops.

A tile is some nodes that leave one after the other in the elimination, with their bodies.  An
element all of whose bodies are in one tile belongs to it; one between tiles is a *seam* of the
tile that leaves first.  So a tile may be evaluated by any thread, at any time before

    its seams are evaluated, which takes the tiles at their other ends,  and its nodes leave

and everything is added up in the same order, whoever evaluates it: digits do not depend on how many
threads there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.system.elimination import Elimination
from linkwork.system.evaluate import Tables, Work

# a run of elements: the kernel's slot, how many, first int, ints each, first real, reals each
SLOT, COUNT, INT, INTS, REAL, REALS, RUN = range(7)
# words of `shared`, a cache line apart (linkwork.math.atomic): the job at hand, how many tiles the
# thread that steps has passed in it, the call, where to give the processor to others, and how many
# tiles the second thread has done in all
JOB, PASSED, CALL, YIELD, ASSISTED, SHARED = range(6)
# numbers of `job`
TIME, MASS_FACTOR, FIRST, ACCEPTS, ROW, JOBS = range(6)
# numbers of `found`, per tile: squares of the largest accelerations (8), the largest displacement
# and turn of a correction, the largest turn of the step squared; powers
SQUARES, MOVE, TURNED, TURN, POWER, FOUND = 0, 8, 9, 10, 16, 24


class Tiles(NamedTuple):
    """`…_at` has the first of each tile, and one more behind the last."""

    nodes: np.ndarray  # the first node of each tile; a tile without nodes has the core
    order: np.ndarray  # the tiles in the order in which they are evaluated
    need: np.ndarray  # how many of these must be before a tile's seams are and its nodes leave
    body_at: np.ndarray
    bodies: np.ndarray
    run_at: np.ndarray
    runs: np.ndarray  # (n, RUN) of elements in one tile
    seam_at: np.ndarray
    seams: np.ndarray  # (n, RUN) of elements between tiles
    end_at: np.ndarray
    ends: np.ndarray  # bodies of seams, once for each tile
    seam_row_at: np.ndarray
    seam_rows: np.ndarray  # (n, 2) constraint rows of seams
    row_at: np.ndarray
    rows: np.ndarray  # (n, 2) constraint rows, first and end; those of seams among them
    clear: np.ndarray  # (tiles, 2) the values that are cleared before a tile is evaluated
    wipe: np.ndarray  # (2,) those that are before all
    ahead: np.ndarray  # (1,) how many tiles may be evaluated and not eliminated yet
    lead: np.ndarray  # (2,) the tiles that the second thread leaves to the one that steps, which
    # eliminates, too: so many at first, and every so manieth
    code: np.ndarray  # the elimination's address (elimination.ranges)
    job: np.ndarray  # (JOBS,) what a thread must know of the job at hand
    found: np.ndarray  # (tiles, FOUND) what each tile brings to sums and maxima
    shared: np.ndarray  # words that threads share
    claimed: np.ndarray  # a word per tile: the number of the job for which it was last claimed
    done: np.ndarray  # a word per tile: the number of the job that was last done with it


class Tiled(NamedTuple):
    """A system and an elimination in tiles, with their own places for the values of the matrix."""

    tables: Tables
    work: Work
    factors: Elimination
    tiles: Tiles
