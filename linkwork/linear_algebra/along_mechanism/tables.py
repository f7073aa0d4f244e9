"""The arrays of an elimination: nodes, their rows, their factors, and the core."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from linkwork.kernels.memory.records import Floats, Ints, Ints2, stored

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import load8
from linkwork.linear_algebra.core import LU

# ints of a node: bodies, numbers of rows, pivots and vectors of G per row; where its blocks are
# (S_bb, S_bp, S_pb, S_pp), its first row, and where its factors are
(BODY, PARENT, ROWS, PIVOTS, WIDE, BB, BP, PB, PP, ROW, STORE, LEFT, NODE_INTS) = range(13)
# ints of a row: where its parts of body and neighbour are, its unknown
ROW_B, ROW_P, UNKNOWN, ROW_INTS = range(4)
RHS, FREE = 6, 7  # the columns of the right-hand side and, in `hinge`, of the free unknown
MOST_ROWS = 16
HINGE_ROWS = 5  # and 6: the rows of nodes that are kept in the form of `hinge`
FACTOR, FRESH, SOLUTION, BACK, OTHER = range(5)  # tasks: with the pivots known, with new ones ...
CONDENSED, CARRIED, BRIDGES = range(3)  # what leaves at a break between nodes
LOST = 1e14  # growth squared beyond which a body stays in the core


@stored
class Condensed(NamedTuple):
    """Vector nodes that leave, in their order: where their numbers are, and their factors."""

    first: Ints  # of each node among the ints
    ints: Ints
    store: Floats


@stored
class Carried(NamedTuple):
    """Bodies that leave by six rows, in their order; likewise."""

    first: Ints
    ints: Ints
    store: Floats
    scale: Floats


@stored
class Between(NamedTuple):
    """Bodies that leave between two others, in their order; all arrays, for compiled loops."""

    ints: Ints
    order: Ints  # six per body: the pivots of S_bb
    scale: Floats  # eight sizes of unknowns, and their inverses
    units: Floats  # unit vectors
    room: Floats  # a block, while pivots are chosen


@stored
class Elimination(NamedTuple):
    """Nodes, their factors, and the sparse LU of the core; all arrays, for compiled loops."""

    unknowns: int
    left: int  # how far on the columns of constraints lie in the values; 0: they are the rows
    nodes: Ints2  # (nodes, NODE_INTS), neighbours after their nodes
    rows: Ints2  # (rows of nodes, ROW_INTS)
    order: Ints  # of the rows in their node: those with pivots first
    pivot_col: Ints  # six per node: pivots, then the free unknowns
    straight: Ints  # whether a node's first three rows are axes, in `hinge`
    limit: Floats  # of Σ 1/pivot² per node, before its pivots are chosen anew
    late_at: Ints  # first delayed row of each node
    late_place: Ints  # where delayed rows go in the values ...
    late_unknown: Ints  # ... and their unknowns, behind the others
    core: Ints  # unknowns of the core
    core_place: Ints  # where nodes leave their right-hand sides for them, or −1
    core_rhs: Floats
    lu: LU
    condensed: Condensed  # what leaves between the nodes, and ...
    carried: Carried
    between: Between
    breaks: Ints2  # ... when: how many nodes before, kind, first and end of its kind
    departures: Ints2  # of each: how many nodes before, kind, group, code of its pivots
    store: Floats  # factors of the nodes
    x: Floats  # eight numbers per body: the solution
    out: Floats  # solution by unknowns, delayed rows behind
    spare: Floats
    scale: Floats  # eight sizes of unknowns, their inverses, and weights of `straight` rows
    units: Floats  # unit vectors between zeros
    code: Ints  # addresses of what is seldom used (`addressed`)

    @property
    def pivots(self) -> tuple[np.ndarray, ...]:
        """What `analyse(..., pivots=)` needs to reproduce this elimination digit by digit."""
        nodes = self.nodes[:, BODY].copy(), self.order.copy(), self.pivot_col.copy()
        others = self.straight.copy(), self.limit.copy(), self.departures.ravel().copy()
        return (*nodes, *others, *self.lu.pivots)

    @property
    def chosen(self) -> tuple[np.ndarray, ...]:
        """The arrays themselves in which bodies choose pivots anew on the way: part of what a step
        changes, so that a run which returns to an earlier state goes on with its digits."""
        return self.order, self.pivot_col, self.straight, self.limit


# The arrays of an elimination for the loops over nodes (linkwork.kernels.memory.borrowed)
Borrowed = namedtuple(
    "Borrowed", "unknowns left nodes rows order pivot_col straight limit late_at late_place "
    "late_unknown store x out spare scale units",
)  # fmt: skip


@fused_inlined
def borrowed(e):
    return Borrowed(
        e.unknowns, e.left, borrow(e.nodes), borrow(e.rows), borrow(e.order), borrow(e.pivot_col),
        borrow(e.straight), borrow(e.limit), borrow(e.late_at), borrow(e.late_place),
        borrow(e.late_unknown), borrow(e.store), borrow(e.x), borrow(e.out), borrow(e.spare),
        borrow(e.scale), borrow(e.units),
    )  # fmt: skip


def store_size(rows: int, wide: int, two_sided: bool) -> int:
    """Numbers that a node keeps: rows [E D G], then T, then the same rows of the columns."""
    if HINGE_ROWS <= rows <= 6:
        return ((1 + two_sided) * rows * 2 + 6) * STRIDE
    return (1 + two_sided) * rows * (2 + wide) * STRIDE + SIX * 2 * STRIDE


@fused_inlined
def hinged(nodes, number):
    """Whether a node is kept in the form of `hinge`."""
    return HINGE_ROWS <= nodes[NODE_INTS * number + ROWS] <= 6


@fused_inlined
def unit(units, i):
    """The eight numbers with a one at place i (zeros where there is no such place)."""
    return load8(units, STRIDE * (i + STRIDE))
