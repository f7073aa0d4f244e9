"""Which substructures there are: a frame and a vector node with bodies that follow both.

A vector node q is part of one where every constraint that holds it has six rows and joins it to one
and the same body, the frame F, and to a body of its own, a follower; and where nothing else acts on
F and q.  A flexible link is such a thing.  It leaves as soon as at most one follower, the gate, has
other neighbours left (`numbers` has the equations).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwork.math.memory.records import Floats, Ints, stored

from linkwork.elements.layout import SIX, STRIDE, row_width
from linkwork.math.registers.eights import zeros8
from linkwork.system.elimination.between import BODY, Bridge
from linkwork.system.elimination.substructure import record as sn
from linkwork.system.pattern import Pattern

MOST_VALUES, MOST_ROWS = 32, 16
LOST = 1e14  # growth squared beyond which a substructure is left to the core
MARK = -1  # before the numbers of a substructure among those of nodes that leave first


@stored
class Substructures(NamedTuple):
    """Those that leave, in their order; all arrays, for compiled loops."""

    first: Ints  # of each one among the ints; one more follows the last
    ints: Ints
    places: Ints  # of each one in the store; likewise
    store: Floats
    after: Ints  # how many nodes leave before it
    length: Floats  # (1,) that makes rows of displacements and rotations comparable


@dataclass(frozen=True)
class Candidate:
    """A vector node with its frame, and the rows (group) of every follower."""

    node: int
    frame: int
    followers: dict[int, int]


@dataclass
class Substructure:
    """One that has left."""

    node: int
    gate: int
    after: int
    ints: np.ndarray
    room: int
    leaves: tuple[int, ...]  # groups that left with it
    rows: list[tuple[int, int, int]]  # delayed to followers: two places, the unknown
    late: list[tuple[int, int]]  # place and unknown of the rows that it delays itself

    @property
    def rank(self) -> int:
        return int(self.ints[sn.RANK])


def find_candidates(p: Pattern, away: set[int]) -> dict[int, Candidate]:
    """Vector nodes that may leave with their frames, by their groups."""
    held: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    near: dict[int, set[int]] = {}
    rows_of: dict[int, set[int]] = {}
    for row, column in p.blocks if p.moving > p.bodies else ():
        if row < p.moving:
            near.setdefault(row, set()).add(column)
            continue
        ends.setdefault(row, []).append(column)
        rows_of.setdefault(column, set()).add(row)
        if column >= p.bodies:
            held.setdefault(column, []).append(row)
    found = {}
    for node, rows in held.items():
        others = [set(ends[row]) - {node} for row in rows]
        frames = set.intersection(*others)
        if node in away or len(rows) < 2 or len(frames) != 1 or len(p.members(node)) > MOST_VALUES:
            continue
        (frame,) = frames
        if any(len(x) != 2 or max(x) >= p.bodies for x in others):
            continue
        followers = {(x - frames).pop(): row for x, row in zip(others, rows)}
        alone = near[frame] | near[node] <= {frame, node, *followers}
        if (
            alone and len(followers) == len(rows) and rows_of[frame] == set(rows)
            and all(len(p.members(row)) == 6 for row in rows)
        ):  # fmt: skip
            found[node] = Candidate(node, frame, followers)
    return found


def record(
    p: Pattern, c: Candidate, gate: int, rows: dict[int, list[tuple[int, int]]],
    late: list[tuple[int, int]], rank: int,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """The ints of a substructure, and how much room it needs in the store.

    rows : of every follower but the gate, place and unknown of the rows that it has besides
    """
    m, count = len(p.members(c.node)), sum(map(len, rows.values()))
    n, size, q, f = 6 + m, m + count, c.node, c.frame
    used = 0

    def room(numbers: int) -> int:
        nonlocal used
        begin, used = used, used + row_width(numbers)
        return begin

    def block(row: int, column: int) -> int:
        return p.blocks[row, column]

    held = c.followers[gate]
    t = np.zeros(sn.HEAD, np.int64)
    wide = STRIDE + row_width(m)
    t[sn.VALUES], t[sn.WIDTH], t[sn.WIDE], t[sn.COUNT] = m, row_width(m), wide, p.unknowns
    t[sn.Q0], t[sn.F0], t[sn.R0], t[sn.GATE] = p.first[q], p.first[f], p.first[gate], gate
    t[sn.CHILDREN], t[sn.ROWS], t[sn.RANK] = len(rows), count, rank
    t[[sn.FF, sn.FQ, sn.QF, sn.QQ]] = block(f, f), block(f, q), block(q, f), block(q, q)
    t[[sn.FR, sn.RF]] = block(f, gate), block(gate, f)
    t[[sn.QR, sn.RQ, sn.RR]] = block(q, gate), block(gate, q), block(gate, gate)
    t[[sn.CF, sn.CN, sn.CQ]] = block(held, f), block(held, gate), block(held, q)
    t[sn.U0] = p.first[held]
    sizes = {
        sn.A: n * wide, sn.GH: SIX * wide, sn.INVERSE: SIX * STRIDE, sn.ALL: count * wide,
        sn.MIXED: count * wide, sn.MIX: count * count, sn.REST: n * wide, sn.SADDLE: size * size,
        sn.SWAP: size, sn.ANSWER: size * STRIDE, sn.GAIN: SIX * wide,
        sn.SPACE: max(2 * wide + STRIDE + 2 * count, SIX * STRIDE),
    }  # fmt: skip
    for name, numbers in sizes.items():
        t[name] = room(numbers)
    parts = [t]
    t[sn.CHILD] = sn.HEAD
    for body, own in rows.items():
        group, k = c.followers[body], np.zeros(sn.C_SIZE, np.int64)
        k[[sn.C_FIRST, sn.C_BODY, sn.C_ROWS]] = p.first[body], body, len(own)
        k[[sn.C_NN, sn.C_NF, sn.C_FN]] = block(body, body), block(body, f), block(f, body)
        k[[sn.C_NQ, sn.C_QN]] = block(body, q), block(q, body)
        k[[sn.C_CF, sn.C_CN, sn.C_CQ]] = block(group, f), block(group, body), block(group, q)
        k[sn.C_U0] = p.first[group]
        k[sn.C_T], k[sn.C_OWN] = room(SIX * wide), room(SIX * wide)
        k[sn.C_INVERSE], k[sn.C_DELAYED] = room(SIX * STRIDE), room(STRIDE * len(own))
        parts += [k, np.array(own, np.int64).ravel()]
    t[sn.LATE] = sum(map(len, parts))
    parts.append(np.array(late, np.int64).ravel())
    return np.concatenate(parts), used


def gathered(found: list[Substructure], length: float) -> Substructures:
    """Their arrays, and room for their factors."""

    def ends(sizes: list[int]) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    places = ends([x.room for x in found])
    none = [np.zeros(0, np.int64)]
    return Substructures(
        ends([len(x.ints) for x in found]), np.concatenate([*none, *(x.ints for x in found)]),
        places, zeros8(int(places[-1])), np.array([x.after for x in found], np.int64),
        np.array([length]),
    )  # fmt: skip


def packed(groups: np.ndarray, found: list[Substructure | Bridge]) -> np.ndarray:
    """Nodes that leave first, and behind them what leaves at breaks: to repeat an elimination."""
    more: list[int] = []
    for one in found:
        if isinstance(one, Bridge):
            more += MARK, one.ints[BODY], MARK, one.after, one.code
        else:
            more += MARK, one.node, one.gate, one.after, one.rank
    return np.concatenate([groups, np.array(more, np.int64)]).astype(np.int64)


def unpacked(numbers: Any) -> tuple[np.ndarray, np.ndarray]:
    """Groups of nodes that leave first; of the others node, gate, turn and rank (or body, −1, turn
    and the order of its pivots)."""
    numbers = np.asarray(numbers, np.int64)
    begin = int(np.argmax(numbers == MARK)) if (numbers == MARK).any() else len(numbers)
    return numbers[:begin], numbers[begin:].reshape(-1, 5)[:, 1:]


def rows_at(p: Pattern, group: int, body: int) -> list[tuple[int, int]]:
    """Place and unknown of the rows of a constraint that a body alone has."""
    first = p.blocks[group, body]
    return [(first + STRIDE * i, u) for i, u in enumerate(p.members(group))]
