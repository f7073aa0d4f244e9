"""The core: bodies in loops that no node took, by the sparse LU, with rows that nodes delayed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.linear_algebra.along_mechanism.tables import RHS
from linkwork.linear_algebra.pattern import Pattern
from linkwork.linear_algebra.core import LU, SingularMatrix, analyse
from linkwork.linear_algebra.core.fronts import FRONT

INTS, PLACES, REALS = np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(0)
NO_CORE = LU(  # of no unknowns
    row_perm=INTS, col_perm=INTS, row_scale=REALS, fronts=np.zeros(0, FRONT), child=INTS,
    slot_of=PLACES, into=INTS, weight=REALS, source=PLACES, target=PLACES, factors=REALS,
    remainders=REALS, peak=REALS, slots=REALS, local=REALS,
)  # fmt: skip


class Core(NamedTuple):
    """Unknowns, where nodes leave their right-hand sides (or −1), and the factors to be."""

    unknowns: np.ndarray
    places: np.ndarray
    lu: LU


def find_core(
    pattern: Pattern, vals: np.ndarray, nodes: list[Any],
    waiting: list[list[tuple[int, int]]], pivots: tuple | None, columns: int,
) -> Core:  # fmt: skip
    """What the nodes left: bodies, their rows, and delayed rows; `vals` as the nodes left them.

    columns: how far behind the rows of constraints their columns lie; 0 if they are the same.
    """
    p, n = pattern, pattern.bodies
    left = np.ones(len(p.first) - 1, bool)
    for node in nodes:
        left[list(node.leaves)] = False
    bodies = np.flatnonzero(left[:n])
    motions = int(left[: p.moving] @ np.diff(p.first)[: p.moving])
    if not left.any():
        return Core(np.zeros(0, np.int64), np.zeros(0, np.int64), NO_CORE)
    mine = np.flatnonzero(left[p.groups])
    late = [(b, place, unknown) for b in bodies for place, unknown in waiting[b]]
    place_of = {b: p.blocks[b, b] for b in bodies.tolist()}
    unknowns = np.array([*mine, *(unknown for _, _, unknown in late)], np.int64)
    places = [
        place_of[g] + STRIDE * (u - int(p.first[g])) + RHS if g < n else -1
        for u, g in zip(mine.tolist(), p.groups[mine].tolist(), strict=True)
    ]
    places += [place + RHS for _, place, _ in late]
    number = np.full(p.unknowns, -1)
    number[mine] = np.arange(len(mine))
    rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
    inside = (number[rows] >= 0) & (number[p.indices] >= 0)
    i, j = [number[rows[inside]]], [number[p.indices[inside]]]
    above = (rows < p.motions) & (p.indices >= p.motions)
    source = [(p.places + columns * above)[inside]]
    for r, (b, place, _) in enumerate(late):
        row, six = np.full(6, len(mine) + r), number[p.first[b] : p.first[b + 1]]
        i += [row, six]
        j += [six, row]
        source += [place + np.arange(6), place + columns + np.arange(6)]
    row, column, where = np.concatenate(i), np.concatenate(j), np.concatenate(source)
    order = np.lexsort((column, row))
    row, column, where = row[order], column[order], where[order]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(unknowns)))])
    first = int(p.groups[-1]) + 1
    groups = np.concatenate([p.groups[mine], [first + b for b, _, _ in late]]).astype(np.int64)
    try:
        lu = analyse(indptr, column, vals[where], groups, motions, pivots)
    except SingularMatrix as error:
        if error.unknown is not None:
            error.unknown = original(int(unknowns[error.unknown]), p.unknowns, nodes)
        raise
    where = where.astype(lu.source.dtype)
    return Core(unknowns, np.array(places, np.int64), lu._replace(source=where[lu.source]))


def original(unknown: int, count: int, nodes: list[Any]) -> int:
    """An unknown of the matrix for one that may be a delayed row: a row it was made of."""
    while unknown >= count:
        node = next(n for n in nodes if any(u == unknown for _, u in n.late))
        unknown = node.rows[-1][2]
    return unknown
