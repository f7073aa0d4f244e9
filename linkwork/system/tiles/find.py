"""Tiles of a model: which elements belong to which, and in which order they are evaluated."""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import int_width
from linkwork.math.atomic import LINE, words, yielding
from linkwork.math.compiled import JIT
from linkwork.math.registers.eights import vectors
from linkwork.system.elimination import Elimination
from linkwork.system.elimination.ranges import range_code
from linkwork.system.elimination.tables import BODY, PARENT
from linkwork.system.system import System
from linkwork.system.tiles import tables as tl
from linkwork.system.tiles.ring import Moved, in_place, in_ring

LARGE = 2000  # bodies from which on a model is taken in tiles
FAR_TOO_LARGE = 4000  # bodies whose blocks do not fit into the last cache with all the rest
SIZE = 192  # nodes of a tile
MOST_SEAMS = 0.25  # of the elements: more are not worth it
SLACK = 5  # tiles that may wait for the elimination
LEAD = 384  # bodies by which the second thread is ahead, more than its own cache holds
EVERY = 6  # one of so many tiles is left to the first, which eliminates
SPARE = 8  # places for residuals that nothing reads, so that threads do not share one


def tiles_of(system: System, e: Elimination) -> tl.Tiled | None:
    """The model in tiles for an elimination; None where it is not large or cannot be taken so."""
    if system.bodies < LARGE or not JIT or not fits(system, e):
        return None
    tile, count = tile_of_bodies(system.bodies, e)
    elements = [ends_and_tiles(system, m, tile) for m in range(len(system.families))]
    total = sum(len(ends) for ends, _, _ in elements)
    if sum(int((low != high).sum()) for _, low, high in elements) > MOST_SEAMS * total:
        return None
    order, need = evaluation_order(tile, count, elements, e)
    lag = int((need - np.arange(count)).max())
    ring = system.bodies >= FAR_TOO_LARGE and not e.core.size and lag <= SLACK
    ring = ring and bool((order == np.arange(count)).all())
    moved = in_ring(system, tile, lag + SLACK) if ring else in_place(system)
    ints = moved_ints(system, elements, moved)
    own = system.work._replace(
        vals=moved.vals,
        C=np.zeros(system.rows + 1 + SPARE * LINE),
        gamma=np.zeros(system.rows + 1 + SPARE * LINE),
    )
    tables = system.tables._replace(
        ints=ints, blocks=moved.places(system.tables.blocks),
        places=moved.places(system.tables.places),
    )  # fmt: skip
    tiles = make_tiles(system, tile, count, elements, order, need, moved, e)
    return tl.Tiled(tables, own, moved.elimination(e), tiles)


def fits(system: System, e: Elimination) -> bool:
    """Whether nothing is in the model that tiles do not know."""
    t = system.tables
    alone = all(family.local and not family.shares for family in system.families)
    plain = not (system.memory or system.sample_times or len(system.layout.nodes))
    whole = not (e.left or e.groups.size or e.breaks.size)
    return alone and plain and whole and not (len(t.signals) or len(t.sensors) or len(t.answers))


def tile_of_bodies(bodies: int, e: Elimination) -> tuple[np.ndarray, int]:
    """The tile of every body, −1 for the ground, which is last; how many there are."""
    count = -(-len(e.nodes) // SIZE)
    tile = np.full(bodies + 1, count)  # the core
    tile[e.nodes[:, BODY]] = np.arange(len(e.nodes)) // SIZE
    tile[bodies] = -1
    return tile, int(tile.max()) + 1


def ends_and_tiles(
    system: System, m: int, tile: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a family's elements: their ends, and the first and last tile of these."""
    _, n, first, width, _, _ = system.tables.directory[m].tolist()
    ints = system.tables.ints[first : first + n * width].reshape(n, width)
    ends = ints[:, : system.families[m].bodies]
    of_ends = tile[ends]
    high = of_ends.max(axis=1)
    low = np.where(of_ends < 0, high[:, None], of_ends).min(axis=1)
    return ends, np.maximum(low, 0), np.maximum(high, 0)


def evaluation_order(
    tile: np.ndarray, count: int, elements: list[tuple], e: Elimination
) -> tuple[np.ndarray, np.ndarray]:
    """The tiles in the order in which they are needed; how many of these each one waits for."""
    pairs = [np.repeat(np.arange(count)[:, None], 2, axis=1)]
    for ends, low, _ in elements:
        of_ends = tile[ends]
        for k in range(of_ends.shape[1]):
            apart = of_ends[:, k] > low
            pairs.append(np.stack([low[apart], of_ends[apart, k]], axis=1))
    held = e.nodes[e.nodes[:, PARENT] >= 0]
    pairs.append(np.stack([tile[held[:, BODY]], tile[held[:, PARENT]]], axis=1))
    known: dict[int, int] = {}
    need = np.zeros(count, np.int64)
    for one, other in np.unique(np.concatenate(pairs), axis=0).tolist():
        known.setdefault(other, len(known))
        need[one] = max(need[one], known[other] + 1)
    return np.array(list(known), np.int64), np.maximum.accumulate(need)


def grouped(tile: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers sorted by their tile, and the first of each tile."""
    order = np.argsort(tile, kind="stable")
    return order, np.searchsorted(tile[order], np.arange(count + 1))


def runs_of(
    system: System, elements: list[tuple], seams: bool, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Elements by tiles, family after family, as runs of neighbours in their table."""
    found, tiles = [np.zeros((0, tl.RUN), np.int64)], [np.zeros(0, np.int64)]
    for m, (_, low, high) in enumerate(elements):
        slot, _, first, width, real, reals = system.tables.directory[m].tolist()
        mine = np.flatnonzero((low != high) == seams)
        mine = mine[np.argsort(low[mine], kind="stable")]
        if not len(mine):
            continue
        new = np.ones(len(mine), bool)
        new[1:] = (np.diff(mine) != 1) | (np.diff(low[mine]) != 0)
        begin = np.flatnonzero(new)
        length = np.diff(np.append(begin, len(mine)))
        k, one = mine[begin], np.ones_like(begin)
        parts = (slot * one, length, first + width * k, width * one, real + reals * k, reals * one)
        found.append(np.stack(parts, axis=1))
        tiles.append(low[k])
    runs, tile = np.concatenate(found), np.concatenate(tiles)
    order, at = grouped(tile, count)
    return at, np.ascontiguousarray(runs[order])


def ends_of_seams(
    bodies: int, elements: list[tuple], count: int
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The bodies of the seams of each tile."""
    found = [np.zeros((0, 2), np.int64)]
    for ends, low, high in elements:
        seam = low != high
        for k in range(ends.shape[1]):
            found.append(np.stack([low[seam], ends[seam, k]], axis=1))
    pairs = np.unique(np.concatenate(found), axis=0)
    pairs = pairs[pairs[:, 1] < bodies]
    return np.searchsorted(pairs[:, 0], np.arange(count + 1)), np.ascontiguousarray(pairs[:, 1])


def rows_of(
    system: System, elements: list[tuple], count: int, seams: bool
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Constraint rows by tiles, as ranges; those of seams where these are, or of seams alone."""
    tile = np.full(system.rows, -1)
    for m, (_, low, high) in enumerate(elements):
        family = system.families[m]
        if not family.rows:
            continue
        _, n, first, width, _, _ = system.tables.directory[m].tolist()
        ints = system.tables.ints[first : first + n * width].reshape(n, width)
        at = family.bodies + family.bodies**2
        eq, m_rows = ints[:, at], ints[:, at + 1]
        for j in range(family.rows):
            has = (m_rows > j) & ((low != high) | (not seams))
            tile[eq[has] + j] = low[has]
    order = np.argsort(tile, kind="stable")
    order = order[(tile < 0).sum() :]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(order) != 1) | (np.diff(tile[order]) != 0)
    begin = np.flatnonzero(new)
    ends_ = order[np.append(begin[1:], len(order)) - 1] + 1 if len(order) else begin
    ranges = np.stack([order[begin], ends_], axis=1).astype(np.int64)
    return np.searchsorted(tile[order[begin]], np.arange(count + 1)), ranges


def moved_ints(system: System, elements: list[tuple], moved: Moved) -> np.ndarray:
    """The elements' ints with the places that the tiles have for blocks and unread residuals."""
    out = system.tables.ints.copy()
    for m, family in enumerate(system.families):
        _, n, first, width, _, _ = system.tables.directory[m].tolist()
        ints = out[first : first + n * width].reshape(n, width)
        b = family.bodies
        ints[:, b : b + b * b] = moved.places(ints[:, b : b + b * b])
        if family.rows:
            at = b + b * b + 2
            ints[:, at : at + b] = moved.places(ints[:, at : at + b])
            last = int_width(b, family.rows)
            slots = ints[:, last - family.rows : last]
            own = system.rows + LINE * (1 + elements[m][1] % SPARE)
            slots[:] = np.where(slots == system.rows, own[:, None] - LINE + 1, slots)
    return out


def make_tiles(
    system: System, tile: np.ndarray, count: int, elements: list[tuple], order: np.ndarray,
    need: np.ndarray, moved: Moved, e: Elimination,
) -> tl.Tiles:  # fmt: skip
    # in the order in which they leave, so that memory is gone through in one direction
    core = np.setdiff1d(np.arange(system.bodies), e.nodes[:, BODY])
    bodies = np.concatenate([e.nodes[:, BODY], core])
    body_at = np.searchsorted(tile[bodies], np.arange(count + 1))
    run_at, runs = runs_of(system, elements, False, count)
    seam_at, seams = runs_of(system, elements, True, count)
    end_at, ends = ends_of_seams(system.bodies, elements, count)
    row_at, rows = rows_of(system, elements, count, False)
    seam_row_at, seam_rows = rows_of(system, elements, count, True)
    shared = words(tl.SHARED)
    shared[LINE * tl.YIELD] = yielding()
    nodes = np.minimum(SIZE * np.arange(count + 1), len(e.nodes))
    return tl.Tiles(
        nodes=nodes, order=order, need=need, body_at=body_at, bodies=bodies, run_at=run_at,
        runs=runs, seam_at=seam_at, seams=seams, end_at=end_at, ends=ends, seam_row_at=seam_row_at,
        seam_rows=seam_rows, row_at=row_at, rows=rows,
        clear=moved.clear(count), wipe=np.array(moved.wipe, np.int64),
        ahead=np.array([moved.slots or count + 1]), code=range_code(e), job=np.zeros(tl.JOBS),
        lead=np.array([LEAD // SIZE, EVERY]),
        found=vectors(count, tl.FOUND // LINE).reshape(count, tl.FOUND), shared=shared,
        claimed=words(count), done=words(count),
    )  # fmt: skip

