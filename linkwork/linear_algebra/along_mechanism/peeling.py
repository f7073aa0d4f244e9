"""Taking bodies off, one after the other, from the leaves of the mechanism.

A body is a node as soon as at most one neighbour is left and its rows, at most MOST_ROWS of them
counting those delayed from nodes before it, have as many pivots on its six unknowns as they can:
min(rows, 6).  So trees are eliminated from the leaves to the root, and loops through the ground
from both ends; rows that a body cannot take are delayed to the next.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import announce
from linkwork.kernels.registers.eights import zeros8
from linkwork.linear_algebra.along_mechanism.between import FACTOR as FACTOR_BETWEEN
from linkwork.linear_algebra.along_mechanism.between import FRESH as FRESH_BETWEEN
from linkwork.linear_algebra.along_mechanism.between import INTS as BRIDGE_INTS
from linkwork.linear_algebra.along_mechanism.between import (
    Bridge,
    bridged,
    decoded,
    leave_between,
    numbers_of,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.condensation import Condensed
from linkwork.linear_algebra.along_mechanism.core import NO_CORE, original
from linkwork.linear_algebra.along_mechanism.addressed import SLOTS, address_of
from linkwork.linear_algebra.along_mechanism.nodes.straight import AXES
from linkwork.linear_algebra.along_mechanism.substructure.numbers import FACTOR as FACTOR_TOGETHER
from linkwork.linear_algebra.along_mechanism.substructure.numbers import leave
from linkwork.linear_algebra.along_mechanism.substructure.record import RANK
from linkwork.linear_algebra.along_mechanism.substructure.substructures import (
    LOST,
    Candidate,
    Substructure,
    find_candidates,
    gathered,
    record,
    rows_at,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.substructure.substructures import (
    MOST_ROWS as MOST_LATE,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.sweeps import (
    FACTOR,
    FRESH,
    eliminate,
    eliminate_hinges,
    run_task,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import (
    BRIDGES,
    HINGE_ROWS,
    MOST_ROWS,
    NODE_INTS,
    ROW_INTS,
    SUBSTRUCTURE,
    Elimination,
    store_size,
)  # fmt: skip
from linkwork.linear_algebra.pattern import BLOCK, Pattern
from linkwork.linear_algebra.core import SingularMatrix


@dataclass
class LeavingBody:
    """A body that was taken off, as numbers for the compiled loops."""

    ints: tuple[int, ...]
    groups: tuple[int, ...]  # of constraint rows
    rows: list[tuple[int, int, int]]
    order: np.ndarray
    pivot_col: np.ndarray
    straight: int
    limit: float
    late: list[tuple[int, int]]  # place and unknown of its delayed rows

    @property
    def leaves(self) -> tuple[int, ...]:
        """The groups that leave with it."""
        return (self.ints[0], *self.groups)


def is_hinge(rows: int) -> bool:
    """Whether a node with so many rows is kept in the form of `hinge`."""
    return HINGE_ROWS <= rows <= 6


def code_for(hinges: bool) -> Any:
    """The compiled elimination of mechanisms all of whose nodes are hinges, or of any."""
    code = eliminate_hinges if hinges else eliminate
    announce(code, "the elimination along the mechanism", 5 if hinges else 7)
    return code


class Peeling:
    """Takes bodies with one neighbour off the mechanism, one after the other."""

    def __init__(
        self, pattern: Pattern, length: float, two_sided: bool, condensed: np.ndarray
    ) -> None:
        self.pattern = p = pattern
        n, away = p.bodies, set(condensed.tolist())
        self.neighbours: list[set[int]] = [set() for _ in range(n)]
        self.groups: list[dict[int, None]] = [{} for _ in range(n)]  # of rows at each body
        self.tied: set[int] = set()  # rows that hold vector nodes, too
        for row, column in p.blocks:
            if row >= p.moving:
                if column < n:
                    self.groups[column][row] = None
                else:
                    self.tied.add(row)
            elif row < n and row != column and column not in away:
                self.neighbours[row].add(column)
        self.waiting: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # delayed rows
        self.gone = np.zeros(n, bool)
        self.nodes: list[LeavingBody] = []
        self.refused = 0  # bodies that might leave, but for the size of their pivots
        self.others: list[Substructure | Bridge] = []  # what leaves between the nodes
        self.candidates = {} if two_sided else find_candidates(p, away)
        self.followers = {b: c for c in self.candidates.values() for b in c.followers}
        self.places = [p.nothing - STRIDE * (i + 1) for i in range(p.rows)][::-1]
        self.unknowns = p.unknowns
        self.rest, self.room = np.zeros(p.unknowns), np.zeros(0)
        self.solution = zeros8(STRIDE * n)  # of bodies, while they are on trial
        self.length = length
        sizes = np.diff(p.first)[p.moving :].tolist()
        self.hinges = len(sizes) == n and all(map(is_hinge, sizes))  # as in trees of hinges
        self.trial = single_node(p, length, two_sided)
        self.trials: dict[bool, Elimination] = {}  # with the code for it

    def eliminated(self, vals: np.ndarray, rows: int, task: int) -> float:
        """Eliminate the node on trial, which has so many rows; its growth."""
        hinges = self.hinges and is_hinge(rows)
        if hinges not in self.trials:
            code = address_of(self.trial, code_for(hinges))
            self.trials[hinges] = self.trial._replace(code=code)
        return float(run_task(self.trials[hinges], vals, self.rest, task))

    def peel(self, vals: np.ndarray) -> None:
        """Take off what can be taken off: bodies between two others, then bodies and substructures
        that delay no rows first."""
        bridges = [b for b in range(self.pattern.bodies) if self.is_bridge(b)]
        todo = deque(b for b in range(self.pattern.bodies) if self.is_leaf(b))
        late: deque[int] = deque()  # bodies that would delay rows: when no other is left
        near: list[int] = []
        waiting = dict.fromkeys(self.candidates)  # those to look at
        loaded: dict[int, None] = {}  # whose followers have rows: when nothing else is left
        while bridges or todo or late or waiting or loaded:
            if bridges:
                b = bridges.pop()  # the last first: along a beam, from its end to its root
                if self.gone[b] or not self.is_bridge(b):
                    continue
                near = list(self.neighbours[b])
                if not self.take_between(b, vals, None):
                    continue
            elif not todo and (waiting or not late):
                node = (waiting or loaded).popitem()[0]
                gate = self.gate_of(self.candidates[node])
                if gate is None:
                    continue
                rows = self.followers_rows(self.candidates[node], gate)
                if any(rows.values()) and (waiting or late or todo):
                    loaded[node] = None
                    continue
                taken = self.take_together(self.candidates[node], gate, rows, vals, -1)
                near = [gate] if taken else []
            else:
                b = (todo or late).popleft()
                if self.gone[b] or not self.is_leaf(b):
                    continue
                if todo and self.row_count(b) > 6:
                    late.append(b)
                    continue
                near = list(self.neighbours[b])
                if not self.take(b, vals, None):
                    continue
            todo.extend(p for p in near if self.is_leaf(p))
            bridges.extend(p for p in near if self.is_bridge(p))
            waiting |= {self.followers[p].node: None for p in near if p in self.followers}

    def gate_of(self, c: Candidate) -> int | None:
        """The follower through which a substructure may leave now; None where there is none."""
        if self.gone[c.frame]:
            return None
        inside = {c.frame, c.node}
        joined = [b for b in c.followers if self.neighbours[b] - inside]
        if len(joined) > 1:
            return None
        return joined[0] if joined else max(c.followers, key=lambda b: self.row_count(b))

    def followers_rows(self, c: Candidate, gate: int) -> dict[int, list[tuple[int, int]]]:
        """Of every follower but the gate, place and unknown of the rows that it has besides."""
        return {
            b: self.waiting[b]
            + [x for g in self.groups[b] if g != own for x in rows_at(self.pattern, g, b)]
            for b, own in c.followers.items() if b != gate
        }  # fmt: skip

    def take_together(
        self, c: Candidate, gate: int, rows: dict[int, list[tuple[int, int]]], vals: np.ndarray,
        rank: int,
    ) -> bool:  # fmt: skip
        """Let a substructure leave, if it has pivots; what it leaves is in the gate's block."""
        p, count = self.pattern, sum(map(len, rows.values()))
        if count > MOST_LATE or len(self.places) < count:
            return False
        late = [(self.places[-1 - i], self.unknowns + i) for i in range(count)]
        ints, room = record(p, c, gate, rows, late, rank)
        groups = {g for b in rows for g in self.groups[b]} | set(c.followers.values())
        unknowns = [unknown for each in rows.values() for _, unknown in each]
        one = Substructure(
            c.node, gate, len(self.nodes), ints, room, (c.frame, c.node, *rows, *groups),
            [(0, 0, unknown) for unknown in unknowns], late,
        )  # fmt: skip
        trial = gathered([one], self.length)
        block = slice(p.blocks[gate, gate], p.blocks[gate, gate] + BLOCK)
        before = vals[block].copy()
        growth = leave(trial, vals, self.rest, self.room, self.room, 0, FACTOR_TOGETHER)
        if not growth < LOST and rank < 0:
            vals[block] = before
            return False
        rank = one.ints[RANK] = trial.ints[RANK]
        late = one.late = late[: count - rank]
        self.others.append(one)
        self.unknowns += count - rank
        del self.places[len(self.places) - (count - rank) :]
        self.places += [place for b in rows for place, _ in self.waiting[b]]
        self.gone[[c.frame, *rows]] = True
        self.neighbours[gate] -= {c.frame, c.node}
        self.groups[gate].pop(c.followers[gate])
        self.waiting[gate] += late
        return True

    def is_leaf(self, b: int) -> bool:
        """Whether at most one body is left beside a body, and no vector node."""
        near = self.neighbours[b]
        if len(near) > 1 or (near and max(near) >= self.pattern.bodies):
            return False
        return not self.tied or self.tied.isdisjoint(self.groups[b])

    def is_bridge(self, b: int) -> bool:
        """Whether a body without rows has one neighbour, or two that are joined to each other."""
        near = self.neighbours[b]
        if self.groups[b] or self.waiting[b] or b in self.followers:
            return False
        if len(near) == 1:
            return max(near) < self.pattern.bodies
        if len(near) != 2:
            return False
        p, q = near
        return max(p, q) < self.pattern.bodies and (p, q) in self.pattern.blocks

    def take_between(self, b: int, vals: np.ndarray, order: np.ndarray | None) -> bool:
        """Let a body without rows leave, if it has pivots."""
        near = sorted(self.neighbours[b])
        task = FRESH_BETWEEN if order is None else FACTOR_BETWEEN
        order = np.zeros(6, np.int64) if order is None else order
        one = Bridge(numbers_of(self.pattern, b, near), order, len(self.nodes))
        trial = self.trial.between
        trial.ints[:], trial.order[:] = one.ints, order
        growth = leave_between(trial, vals, self.rest, self.solution, self.room, 0, 1, task)
        if not growth < np.inf and task == FRESH_BETWEEN:
            return False
        one.order = trial.order.copy()
        self.others.append(one)
        self.gone[b] = True
        for p in near:
            self.neighbours[p].discard(b)
        return True

    @property
    def substructures(self) -> list[Substructure]:
        return [one for one in self.others if isinstance(one, Substructure)]

    @property
    def bridges(self) -> list[Bridge]:
        return [one for one in self.others if isinstance(one, Bridge)]

    def row_count(self, b: int) -> int:
        return len(self.waiting[b]) + sum(len(self.pattern.members(g)) for g in self.groups[b])

    def repeat(
        self, vals: np.ndarray, others: np.ndarray, bodies: np.ndarray, order: np.ndarray,
        pivot_col: np.ndarray, straight: np.ndarray, limit: np.ndarray,
    ) -> None:  # fmt: skip
        """Take off the same bodies and substructures as an earlier elimination, with its pivots."""
        first, together = 0, deque(others.tolist())
        for i, b in enumerate([*np.asarray(bodies, np.int64).tolist(), None]):
            while together and together[0][2] == i:
                node, gate, _, rank = together.popleft()
                if gate < 0:
                    self.take_between(node, vals, decoded(rank))
                    continue
                c = self.candidates[node]
                self.take_together(c, gate, self.followers_rows(c, gate), vals, rank)
            if b is None:
                break
            rows = slice(first, first + self.row_count(b))
            col = pivot_col[SIX * i : SIX * (i + 1)]
            self.take(b, vals, (order[rows], col, straight[i], limit[i]))
            first = rows.stop

    def take(self, b: int, vals: np.ndarray, pivots: Any) -> bool:
        """Make a body a node, if it has pivots; then what it leaves is in its neighbour's block."""
        p, trial = self.pattern, self.trial
        parent = next(iter(self.neighbours[b]), -1)
        groups = tuple(self.groups[b])
        rows = [(place, p.nothing, unknown) for place, unknown in self.waiting[b]]
        for g in groups:
            there = p.blocks.get((g, parent), None)
            for i, unknown in enumerate(p.members(g)):
                place = p.nothing if there is None else there + STRIDE * i
                rows.append((p.blocks[g, b] + STRIDE * i, place, unknown))
        m = len(rows)
        k = min(m, 6)
        if parent < 0 and m > k:
            unknown = original(rows[-1][2], p.unknowns, self.nodes)
            raise SingularMatrix(f"the matrix is singular: {m} rows for six unknowns", unknown)
        if m > MOST_ROWS:
            return False
        late = []
        for i in range(m - k):
            late.append((self.places[-1 - i], self.unknowns + i))
        pair = [p.blocks[x] if parent >= 0 else p.nothing
                for x in ((b, parent), (parent, b), (parent, parent))]  # fmt: skip
        wide = 1 if m <= STRIDE else 2
        left = store_size(m, wide, False) if trial.left else 0
        ints = (b, parent, m, k, wide, p.blocks[b, b], *pair, 0, 0, left)
        trial.nodes[0] = ints
        trial.rows[:m] = np.array(rows, np.int64).reshape(-1, ROW_INTS)
        trial.late_place[: m - k] = [place for place, _ in late]
        trial.order[:m] = np.arange(m)
        if pivots is not None:
            trial.order[:m], trial.pivot_col[:], trial.straight[0], trial.limit[0] = pivots
        task = FRESH if pivots is None else FACTOR
        if not self.eliminated(vals, m, task) < np.inf and pivots is None:
            self.refused += 1
            return False
        if pivots is None:
            chosen = trial.order[:m].copy(), trial.pivot_col.copy()
            pivots = *chosen, int(trial.straight[0]), float(trial.limit[0])
        order, pivot_col, straight, limit = pivots
        self.nodes.append(LeavingBody(ints, groups, rows, order, pivot_col, straight, limit, late))
        self.unknowns += m - k
        del self.places[len(self.places) - (m - k) :]
        self.places += [place for place, _ in self.waiting[b]]
        self.gone[b] = True
        if parent >= 0:
            self.neighbours[parent].discard(b)
            self.waiting[parent] += late
            for g in groups:
                self.groups[parent].pop(g, None)
        return True


def breaks(others: list[Substructure | Bridge]) -> np.ndarray:
    """When what leaves between the nodes does so: bridges one after the other are one break."""
    found: list[list[int]] = []
    counts = [0, 0]
    for one in others:
        kind = BRIDGES if isinstance(one, Bridge) else SUBSTRUCTURE
        if kind == BRIDGES and found and found[-1][:2] == [one.after, kind]:
            found[-1][3] += 1
        else:
            found.append([one.after, kind, counts[kind], counts[kind] + 1])
        counts[kind] += 1
    return np.array(found, np.int64).reshape(-1, 4)


def single_node(pattern: Pattern, length: float, two_sided: bool) -> Elimination:
    """Room for one node, to try it."""
    scale, units = zeros8(4 * STRIDE), zeros8(3 * STRIDE * STRIDE)
    scale[:6] = np.repeat([length, 1.0], 3)
    scale[STRIDE : STRIDE + 6] = 1.0 / scale[:6]
    scale[2 * STRIDE : 2 * STRIDE + 6] = np.repeat([AXES, 1.0 / length], 3) ** 2
    scale[3 * STRIDE : 3 * STRIDE + 3] = AXES**2
    units.reshape(3, STRIDE, STRIDE)[1] = np.eye(STRIDE)
    ints, none = np.int64, np.zeros(0, np.int64)
    return Elimination(
        unknowns=pattern.unknowns,
        left=pattern.left if two_sided else 0,
        nodes=np.zeros((1, NODE_INTS), ints),
        rows=np.zeros((MOST_ROWS, ROW_INTS), ints),
        order=np.zeros(MOST_ROWS, ints),
        pivot_col=np.zeros(6, ints),
        straight=np.zeros(1, ints),
        limit=np.zeros(1),
        late_at=np.zeros(1, ints),
        late_place=np.zeros(MOST_ROWS, ints),
        late_unknown=none,
        core=none,
        core_place=none,
        core_rhs=np.zeros(0),
        lu=NO_CORE,
        condensed=Condensed(np.zeros(1, ints), none, np.zeros(0)),
        groups=none,
        between=bridged([Bridge([0] * BRIDGE_INTS, np.zeros(6, np.int64), 0)], scale),
        substructures=gathered([], length),
        breaks=breaks([]),
        first=none,
        store=zeros8(store_size(MOST_ROWS, 2, two_sided)),
        x=zeros8(0),
        out=np.zeros(0),
        spare=zeros8(4 * STRIDE),
        scale=scale,
        units=units,
        code=np.zeros(SLOTS, ints),
    )
