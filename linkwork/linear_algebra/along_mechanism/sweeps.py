"""The numbers: leaves to core, the core by sparse LU, core to leaves; compiled, they decide nothing
but pivots within a node that have become bad.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import (
    FLOATS, far, fused_inlined, fused_spliced, generates, spliced,
)  # fmt: skip
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, stored
from linkwork.kernels.registers.eights import load8, spread8, store8, sum8
from linkwork.linear_algebra.along_mechanism.addressed import (
    ELIMINATE, ELIMINATION, PART, call_code, factor_core, leave_apart, solve_core,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.hinge import (
    factor_hinge, forward_hinge, solve_hinge,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.node import factor_node, solve_node
from linkwork.linear_algebra.along_mechanism.tables import (
    BACK, BB, BODY, BRIDGES, CARRIED, CONDENSED, FACTOR, FRESH, LEFT, NODE_INTS, OTHER, PARENT, PB,
    PIVOTS, RHS, ROW, ROW_INTS, ROWS, SOLUTION, STORE, UNKNOWN, WIDE, Elimination, borrowed, hinged,
    unit,
)  # fmt: skip


@fused_spliced
def go_in(e, begin, end, vals, rhs, fresh):
    """Eliminate the nodes from `begin` to `end`; the largest growth squared, infinite when one has
    no pivots.

    fresh: choose pivots now.
    """
    growth = 0.0
    for number in range(begin, end):
        if hinged(e.nodes, number):
            grown = factor_hinge(e, number, vals, rhs, fresh)
        else:
            grown = factor_node(e, number, vals, rhs, fresh)
        if not grown < np.inf:
            return np.inf
        growth = max(growth, grown)
    return growth


@fused_spliced
def go_in_hinges(e, begin, end, vals, rhs, fresh):
    """`go_in` where all nodes are kept in the form of `hinge`."""
    growth = 0.0
    for number in range(begin, end):
        grown = factor_hinge(e, number, vals, rhs, fresh)
        if not grown < np.inf:
            return np.inf
        growth = max(growth, grown)
    return growth


@fused_spliced
def go_back(e, begin, end):
    """Increments and multipliers of the nodes from `begin` to `end`, the last first."""
    for number in range(end - 1, begin - 1, -1):
        if hinged(e.nodes, number):
            solve_hinge(e, number)
        else:
            solve_node(e, number)


@fused_spliced
def go_back_hinges(e, begin, end):
    """`go_back` where all nodes are kept in the form of `hinge`."""
    for number in range(end - 1, begin - 1, -1):
        solve_hinge(e, number)


@spliced
def eliminate_nodes(e, vals, rhs, fresh, go_in):
    growth, begin, breaks = 0.0, 0, e.breaks.shape[0]
    for k in range(breaks + 1):  # the nodes before each break, then what leaves there
        end = e.nodes.shape[0] if k == breaks else e.breaks[k, 0]
        growth = max(growth, go_in(borrowed(e), begin, end, borrow(vals), borrow(rhs), fresh))
        if k < breaks and growth < np.inf:
            task = FRESH if fresh else FACTOR
            growth = max(growth, leave_at(e, e.breaks, vals, rhs, k, task))
        begin = end
    if not growth < np.inf:
        return np.inf
    growth = growth**0.5
    core_side(e, vals, rhs)
    if e.core.shape[0] > 0:
        growth = max(growth, factor_core(e, vals))
    return growth


@fused_inlined
def leave_at(e, breaks, vals, rhs, k, task):
    """A task for what leaves at a break between nodes."""
    kind, begin, end = breaks[k, 1], breaks[k, 2], breaks[k, 3]
    if kind == CONDENSED:
        return leave_apart(e, CONDENSED, vals, rhs, begin, end, task)
    if kind == CARRIED:
        return leave_apart(e, CARRIED, vals, rhs, begin, end, task)
    return leave_apart(e, BRIDGES, vals, rhs, begin, end, task)


@fused_spliced
def core_side(e, vals, rhs):
    """Right-hand side of the core: what was given, and what the nodes left."""
    for i in range(e.core.shape[0]):
        u = e.core[i]
        value = rhs[u] if u < e.unknowns else 0.0
        if e.core_place[i] >= 0:
            value += vals[e.core_place[i]]
        e.core_rhs[i] = value


@fused_inlined
def solve_middle(e):
    """The solution of the core, where nodes find it."""
    solve_core(e)
    for i in range(e.core.shape[0]):
        e.out[e.core[i]] = e.core_rhs[i]
        if e.core[i] < SIX * (e.x.shape[0] // STRIDE):
            b, j = e.core[i] // SIX, e.core[i] % SIX
            e.x[STRIDE * b + j] = e.core_rhs[i]


@spliced
def solve_nodes(e, vals, rhs, go_back):
    """The solution of the right-hand side that was taken along; vals as it left them."""
    if e.core.shape[0] > 0:
        solve_middle(e)
    end = e.nodes.shape[0]
    for k in range(e.breaks.shape[0] - 1, -1, -1):
        go_back(borrowed(e), e.breaks[k, 0], end)
        leave_at(e, e.breaks, vals, rhs, k, BACK)
        end = e.breaks[k, 0]
    go_back(borrowed(e), 0, end)
    found, out = borrow(rhs), borrow(e.out)
    for i in range(e.unknowns):
        found[i] = out[i]


@spliced
def take_in(e, vals, rhs, forward_node):
    """Another right-hand side on its way to the core, with the factors that are there."""
    given, out = borrow(rhs), borrow(e.out)
    for i in range(e.unknowns):
        out[i] = given[i]
    for i in range(e.unknowns, e.out.shape[0]):
        out[i] = 0.0
    nodes, v = borrowed(e), borrow(vals)
    begin, breaks = 0, e.breaks.shape[0]
    for k in range(breaks + 1):
        end = e.nodes.shape[0] if k == breaks else e.breaks[k, 0]
        for number in range(begin, end):
            forward_node(nodes, number, v, out)
        if k < breaks:
            leave_at(e, e.breaks, vals, e.out, k, OTHER)
        begin = end
    for i in range(e.core.shape[0]):
        e.core_rhs[i] = e.out[e.core[i]]


@spliced
def perform(e, vals, rhs, task, go_in, forward_node, go_back):
    """`refactor` (with new pivots: FRESH; and the solution), `sweep_back` or `solve`; the growth.

    e: a reference to the elimination, of which each part loads what it needs.
    """
    growth = 0.0
    if task <= SOLUTION:
        growth = eliminate_nodes(e, vals, rhs, task == FRESH, go_in)
        if task != SOLUTION or not growth < np.inf:
            return growth
    elif task == OTHER:
        take_in(e, vals, rhs, forward_node)
    solve_nodes(e, vals, rhs, go_back)
    return growth


@far
def eliminate(e, vals, rhs, task):
    """A task, called by address with a reference to the elimination."""
    return perform(e, vals, rhs, task, go_in, forward_node, go_back)


@far
def eliminate_hinges(e, vals, rhs, task):
    """`eliminate` where all nodes are kept in the form of `hinge`: half as much to compile."""
    return perform(e, vals, rhs, task, go_in_hinges, forward_hinge, go_back_hinges)


def call_eliminate(e, vals, rhs, task):
    return eliminate(e, vals, rhs, task)


@stored
class Sides(NamedTuple):
    """Values and a right-hand side."""

    vals: Floats
    rhs: Floats


@c_function(Elimination, Sides, int, returns=float)
def eliminate_for(e, sides, task):
    """A task for Python."""
    return call_eliminate(e, sides.vals, sides.rhs, task)


def run_task(e, vals, rhs, task):
    return eliminate_for(e, Sides(vals, rhs), task)


def refactor(e, vals, rhs):
    """Eliminate with new values, the right-hand side along with them; returns the growth.

    `vals` are used up: what nodes leave is added to the blocks of their neighbours.  Infinite
    growth: a pivot vanishes.  Call `sweep_back` for the solution, `solve` for others.

    Compiled loops over steps hand on a reference to the elimination (kernels.memory.records).
    """
    return run_task(e, vals, rhs, FACTOR)


def solution(e, vals, rhs):
    """`refactor` and, if the growth is finite, `sweep_back`; returns the growth."""
    return run_task(e, vals, rhs, SOLUTION)


def sweep_back(e, vals, rhs):
    """The solution of the right-hand side that `refactor`, which left `vals`, took along."""
    return run_task(e, vals, rhs, BACK)


def solve(e, vals, rhs):
    """Another right-hand side with the factors of the last refactor, which left `vals`."""
    return run_task(e, vals, rhs, OTHER)


def _call(context, builder, e, vals, rhs, task):
    """Code for a call of what `Elimination.code` has for an elimination."""
    return call_code(context, builder, PART, ELIMINATE, e, [e, vals, rhs, task])


@generates(call_eliminate)
def _call_eliminate(typing, e, vals, rhs, task):
    def generate(context, builder, signature, args):
        return _call(context, builder, *args)

    return types.float64(ELIMINATION, FLOATS, FLOATS, types.int64), generate


def _performs(function, task):
    @generates(function)
    def _call_task(typing, e, vals, rhs):
        def generate(context, builder, signature, args):
            number = ir.Constant(ir.IntType(64), task)
            return _call(context, builder, *args, number)

        return types.float64(ELIMINATION, FLOATS, FLOATS), generate


for _function, _task in (
    (refactor, FACTOR), (solution, SOLUTION), (sweep_back, BACK), (solve, OTHER),
):  # fmt: skip
    _performs(_function, _task)


@fused_inlined
def forward_node(e, number, vals, b):
    """The way of a right-hand side through a node: into its store, and on to the neighbour."""
    ints, node = e.nodes, NODE_INTS * number
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    if hinged(ints, number):
        forward_hinge(e, number, vals, b)
        return
    bb, pb, parent = ints[node + BB], ints[node + PB], ints[node + PARENT]
    width, n0, store, col, spare = (2 + wide) * STRIDE, SIX * number, e.store, e.pivot_col, e.spare
    tail, left = at_ + m * width, ints[node + LEFT]
    r0 = ROW_INTS * ints[node + ROW] + UNKNOWN
    slot = e.late_at[number] - k
    c = d = spread8(0.0)
    for j in range(min(m, STRIDE)):
        c = c + unit(e.units, j) * b[e.rows[r0 + ROW_INTS * j]]
    for j in range(STRIDE, m):
        d = d + unit(e.units, j - STRIDE) * b[e.rows[r0 + ROW_INTS * j]]
    inserted = spread8(0.0)  # d of the pivots, where they stand among the six
    for t in range(m):
        q = at_ + t * width
        s = sum8(load8(store, q + 2 * STRIDE) * c)
        if wide > 1:
            s += sum8(load8(store, q + 3 * STRIDE) * d)
        store[q + RHS] = s
        if t < k:
            inserted = inserted + unit(e.units, col[n0 + t]) * s
        else:
            b[e.late_unknown[slot + t]] = s
    for i in range(6):
        r = b[SIX * ints[node + BODY] + i] - sum8(load8(vals, bb + i * STRIDE) * inserted)
        spare[i] = r
        store[tail + 2 * i * STRIDE + RHS] = r
    for t in range(k):
        r = spare[col[n0 + t]]
        for f in range(k, 6):
            i = col[n0 + f]
            spare[i] -= store[left + t * width + i] * r
    for f in range(k, 6):
        i, s = col[n0 + f], 0.0
        for g in range(k, 6):
            j = col[n0 + g]
            s += store[tail + 2 * i * STRIDE + j] * spare[j]
        store[tail + 2 * i * STRIDE + RHS] = s
    if parent >= 0:
        forward_to_parent(e, at_, left, tail, width, k, n0, vals, pb, inserted, b, SIX * parent)


@fused_inlined
def forward_to_parent(e, at_, left, tail, width, k, n0, vals, pb, inserted, b, p0):
    """r_p −= S_pb x + Dᵀ λ', of the x and λ' that this right-hand side gives with x_p = 0."""
    store, col = e.store, e.pivot_col
    x, moved = inserted, spread8(0.0)
    for f in range(k, 6):
        x = x + unit(e.units, col[n0 + f]) * store[tail + 2 * col[n0 + f] * STRIDE + RHS]
    for t in range(k):
        c = col[n0 + t]
        load, less = store[tail + 2 * c * STRIDE + RHS], 0.0
        for f in range(k, 6):
            j = col[n0 + f]
            y = store[tail + 2 * j * STRIDE + RHS]
            less += store[at_ + t * width + j] * y
            load -= store[tail + 2 * c * STRIDE + j] * y
        x = x - unit(e.units, c) * less
        moved = moved + load8(store, left + t * width + STRIDE) * load
    store8(e.spare, STRIDE, moved)
    for i in range(6):
        b[p0 + i] -= sum8(load8(vals, pb + i * STRIDE) * x) + e.spare[STRIDE + i]
