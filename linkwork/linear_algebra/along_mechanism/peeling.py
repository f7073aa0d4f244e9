"""Taking bodies off, one after the other, from the leaves of the mechanism.

A body is a node as soon as at most one neighbour is left and its rows, at most MOST_ROWS of them
counting those delayed from nodes before it, have as many pivots on its six unknowns as they can:
min(rows, 6).  So trees are eliminated from the leaves to the root, and loops through the ground
from both ends; rows that a body cannot take are delayed to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import announce
from linkwork.kernels.registers.eights import zeros8
from linkwork.linear_algebra.along_mechanism import between, carried, condensation
from linkwork.linear_algebra.along_mechanism.addressed import SLOTS, addresses
from linkwork.linear_algebra.along_mechanism.core import NO_CORE, original
from linkwork.linear_algebra.along_mechanism.nodes.straight import AXES
from linkwork.linear_algebra.along_mechanism.sweeps import eliminate, eliminate_hinges, run_task
from linkwork.linear_algebra.along_mechanism.tables import (
    BRIDGES, CARRIED, CONDENSED, FACTOR, FRESH, HINGE_ROWS, MOST_ROWS, NODE_INTS, ROW_INTS, Between,
    Carried, Condensed, Elimination, store_size,
)  # fmt: skip
from linkwork.linear_algebra.pattern import Pattern
from linkwork.linear_algebra.core import SingularMatrix


@dataclass
class Departure:
    """What has left between the nodes: a vector node, or a body that is none."""

    after: int  # nodes before it
    kind: int
    groups: tuple[int, ...]  # its own, then that of its rows
    ints: list[int]
    room: int = 0  # numbers in the store
    code: int = 0  # of its pivots
    late: tuple = ()
    rows: tuple = ()

    @property
    def leaves(self) -> tuple[int, ...]:
        """The groups that leave with it."""
        return self.groups


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

    def __init__(self, pattern: Pattern, length: float, two_sided: bool) -> None:
        self.pattern = p = pattern
        n = p.bodies
        self.neighbours: list[set[int]] = [set() for _ in range(p.moving)]
        self.groups: list[dict[int, None]] = [{} for _ in range(p.moving)]  # of rows at each
        for row, column in p.blocks:
            if row >= p.moving:
                self.groups[column][row] = None
            elif row != column:
                self.neighbours[row].add(column)
        tied = {row for g in range(n, p.moving) for row in self.groups[g]}
        self.tied: dict[int, set[int]] = {row: set() for row in tied}  # rows that hold vector nodes
        for row, column in p.blocks if tied else ():
            if row in tied:
                self.tied[row].add(column)
        self.two_sided = two_sided
        self.waiting: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # delayed rows
        self.gone = np.zeros(p.moving, bool)
        self.nodes: list[LeavingBody] = []
        self.refused = 0  # bodies that might leave, but for the size of their pivots
        self.others: list[Departure] = []  # what leaves between the nodes
        self.places = [p.nothing - STRIDE * (i + 1) for i in range(p.rows)][::-1]
        self.unknowns = p.unknowns
        self.rest, self.room = np.zeros(p.unknowns), np.zeros(0)
        self.solution = zeros8(STRIDE * n)  # of bodies, while they are on trial
        sizes = np.diff(p.first)[p.moving :].tolist()
        self.hinges = len(sizes) == n and all(map(is_hinge, sizes))  # as in trees of hinges
        self.trial = single_node(p, length, two_sided)
        self.trials: dict[bool, Elimination] = {}  # with the code for it

    def eliminated(self, vals: np.ndarray, rows: int, task: int) -> float:
        """Eliminate the node on trial, which has so many rows; its growth."""
        hinges = self.hinges and is_hinge(rows)
        if hinges not in self.trials:
            code = addresses(self.trial, code_for(hinges))
            self.trials[hinges] = self.trial._replace(code=code)
        return float(run_task(self.trials[hinges], vals, self.rest, task))

    def peel(self, vals: np.ndarray) -> None:
        """Take off what can be taken off: vector nodes, bodies between two others, bodies that
        delay no rows, then others."""
        self.take_first(vals)
        bridges = [b for b in range(self.pattern.bodies) if self.is_bridge(b)]
        todo = deque(b for b in range(self.pattern.bodies) if self.is_leaf(b))
        late: deque[int] = deque()  # bodies that would delay rows: when no other is left
        tied = set().union(*self.tied.values())
        waiting = dict.fromkeys(sorted(tied))  # those of them to look at
        while bridges or todo or late or waiting:
            if bridges:
                b = bridges.pop()  # the last first: along a beam, from its end to its root
                if self.gone[b] or not self.is_bridge(b):
                    continue
                near = list(self.neighbours[b])
                if not self.take_between(b, vals, None):
                    continue
            elif waiting:
                b = waiting.popitem()[0]
                near = sorted(self.neighbours[b])
                if self.gone[b] or not (
                    self.take_alone(b, vals) if b >= self.pattern.bodies
                    else self.take_carried(b, vals)
                ):
                    continue
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
            waiting |= {g: None for g in near if g in tied}
            todo.extend(p for p in near if self.is_leaf(p))
            bridges.extend(p for p in near if self.is_bridge(p))

    def take_first(self, vals: np.ndarray) -> None:
        """Let the vector nodes leave that can before any body does."""
        p = self.pattern
        nodes = range(p.bodies, p.moving)
        todo = deque(sorted(nodes, key=lambda g: len(self.neighbours[g])))
        while todo:
            g = todo.popleft()
            near = sorted(self.neighbours[g])
            if not self.gone[g] and self.take_alone(g, vals):
                todo.extend(j for j in near if j >= p.bodies)

    def take_alone(self, g: int, vals: np.ndarray, again: bool = False) -> bool:
        """Let a vector node leave that no row holds, if it can; again: as it did before."""
        p, near = self.pattern, self.neighbours[g]
        if not again and (self.groups[g] or not condensation.leaves(p, g, near, vals)):
            return False
        numbers, room = condensation.numbers_of(p, g, sorted(near))
        one = Departure(len(self.nodes), CONDENSED, (g,), numbers, room)
        trial = condensed([one])
        condensation.condense(trial, vals, self.rest, self.room, self.room, 0, 1, FACTOR)
        self.leave(one)
        return True

    def take_carried(self, b: int, vals: np.ndarray, again: bool = False) -> bool:
        """Let a body leave with its six rows, if it has no others and they have pivots."""
        p, near = self.pattern, sorted(self.neighbours[b])
        if len(self.groups[b]) != 1 or self.waiting[b] or self.two_sided:
            return False
        (rows,) = self.groups[b]
        if len(p.members(rows)) != 6 or self.tied.get(rows) != {b, *near}:
            return False
        if not all((i, j) in p.blocks for i in (b, *near) for j in (b, *near)):
            return False
        numbers, room = carried.numbers_of(p, b, rows, near)
        one = Departure(len(self.nodes), CARRIED, (b, rows), numbers, room)
        trial = carried_bodies([one], self.trial.scale)
        task = FACTOR if again else FRESH
        growth = carried.leave_carried(
            trial, vals, self.rest, self.solution, self.room, 0, 1, task
        )
        if not growth < np.inf and not again:
            return False
        for j in near:
            self.groups[j].pop(rows)
        self.leave(one)
        return True

    def leave(self, one: Departure) -> None:
        """Take note of what has left between the nodes."""
        self.others.append(one)
        g = one.groups[0]
        self.gone[g] = True
        for j in self.neighbours[g]:
            self.neighbours[j].discard(g)

    def is_leaf(self, b: int) -> bool:
        """Whether at most one body is left beside a body, and no vector node."""
        near = self.neighbours[b]
        if len(near) > 1 or max((b, *near)) >= self.pattern.bodies:
            return False
        return not self.tied or self.tied.keys().isdisjoint(self.groups[b])

    def is_bridge(self, b: int) -> bool:
        """Whether a body without rows has one neighbour, or two that are joined to each other."""
        near = self.neighbours[b]
        if b >= self.pattern.bodies or self.groups[b] or self.waiting[b]:
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
        task = FRESH if order is None else FACTOR
        one = Departure(len(self.nodes), BRIDGES, (b,), between.numbers_of(self.pattern, b, near))
        trial = self.trial.between
        trial.ints[:], trial.order[:] = one.ints, 0 if order is None else order
        growth = between.leave_between(
            trial, vals, self.rest, self.solution, self.room, 0, 1, task
        )
        if not growth < np.inf and task == FRESH:
            return False
        one.code = between.encoded(trial.order)
        self.leave(one)
        return True

    def row_count(self, b: int) -> int:
        return len(self.waiting[b]) + sum(len(self.pattern.members(g)) for g in self.groups[b])

    def repeat(
        self, vals: np.ndarray, bodies: np.ndarray, order: np.ndarray, pivot_col: np.ndarray,
        straight: np.ndarray, limit: np.ndarray, others: np.ndarray,
    ) -> None:  # fmt: skip
        """Take off the same bodies and vector nodes as an earlier elimination, with its pivots."""
        first, apart = 0, deque(np.asarray(others, np.int64).reshape(-1, 4).tolist())
        for i, b in enumerate([*np.asarray(bodies, np.int64).tolist(), None]):
            while apart and apart[0][0] == i:
                _, kind, g, code = apart.popleft()
                if kind == BRIDGES:
                    self.take_between(g, vals, between.decoded(code))
                elif kind == CARRIED:
                    self.take_carried(g, vals, again=True)
                else:
                    self.take_alone(g, vals, again=True)
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


def breaks(others: list[Departure]) -> np.ndarray:
    """When what leaves between the nodes does so: several of one kind in turn are one break."""
    found: list[list[int]] = []
    counts = [0, 0, 0]
    for one in others:
        if found and found[-1][:2] == [one.after, one.kind]:
            found[-1][3] += 1
        else:
            found.append([one.after, one.kind, counts[one.kind], counts[one.kind] + 1])
        counts[one.kind] += 1
    return np.array(found, np.int64).reshape(-1, 4)


def condensed(found: list[Departure]) -> Condensed:
    """The arrays of vector nodes, and room for their factors."""
    return Condensed(*numbered(found, condensation.PLACES))


def carried_bodies(found: list[Departure], scale: np.ndarray) -> Carried:
    """The arrays of bodies that leave by six rows, and room for their factors."""
    return Carried(*numbered(found, carried.PLACES), scale)


def numbered(
    found: list[Departure], places: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the ints of each one begin, the ints, with `places` in the store one after the other,
    and the store."""
    first: list[int] = []
    ints: list[int] = []
    size = 0
    for one in found:
        first.append(len(ints))
        ints += one.ints
        for place in places:
            ints[first[-1] + place] += size
        size += one.room
    return np.array(first, np.int64), np.array(ints, np.int64), zeros8(size)


def bridged(found: list[Departure], scale: np.ndarray) -> Between:
    """The arrays of bodies between two others."""
    units = zeros8(STRIDE * STRIDE)
    units.reshape(STRIDE, STRIDE)[:] = np.eye(STRIDE)
    return Between(
        np.array([x for one in found for x in one.ints], np.int64),
        np.array([between.decoded(one.code) for one in found], np.int64).ravel(),
        scale, units, zeros8(SIX * STRIDE),
    )  # fmt: skip


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
        condensed=condensed([]),
        carried=carried_bodies([], scale),
        between=bridged([Departure(0, BRIDGES, (), [0] * between.INTS)], scale),
        breaks=breaks([]),
        departures=breaks([]),
        store=zeros8(store_size(MOST_ROWS, 2, two_sided)),
        x=zeros8(0),
        out=np.zeros(0),
        spare=zeros8(4 * STRIDE),
        scale=scale,
        units=units,
        code=np.zeros(SLOTS, ints),
    )
