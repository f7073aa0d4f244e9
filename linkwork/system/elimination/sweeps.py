"""The numbers: leaves to core, the core by sparse LU, core to leaves; compiled, they decide nothing
but pivots within a node that have become bad.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.elements.layout import STRIDE
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import FLOATS, far, fused_inlined, generates, spliced
from linkwork.math.eights import load8, spread8, store8, sum8
from linkwork.system.elimination.condensation import BACK as CONDENSE_BACK
from linkwork.system.elimination.condensation import FACTOR as CONDENSE_FACTOR
from linkwork.system.elimination.condensation import FORWARD as CONDENSE_FORWARD
from linkwork.system.elimination.distant import (
    ELIMINATE,
    call_code,
    factor_core,
    leave_first,
    leave_together,
    solve_core,
)
from linkwork.system.elimination.hinge import factor_hinge, forward_hinge, solve_hinge
from linkwork.system.elimination.node import factor_node, solve_node
from linkwork.system.elimination.substructure_numbers import BACK as TOGETHER_BACK
from linkwork.system.elimination.substructure_numbers import FACTOR as TOGETHER_FACTOR
from linkwork.system.elimination.substructure_numbers import FORWARD as TOGETHER_FORWARD
from linkwork.system.elimination.tables import (
    BB,
    BODY,
    LEFT,
    NODE_INTS,
    PARENT,
    PB,
    PIVOTS,
    RHS,
    ROW,
    ROW_INTS,
    ROWS,
    STORE,
    UNKNOWN,
    WIDE,
    borrowed,
    hinged,
    unit,
)  # fmt: skip

FACTOR, FRESH, BACK, OTHER = range(4)  # tasks of `eliminate`


@fused_inlined
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


@fused_inlined
def go_back(e, begin, end):
    """Increments and multipliers of the nodes from `begin` to `end`, the last first."""
    for number in range(end - 1, begin - 1, -1):
        if hinged(e.nodes, number):
            solve_hinge(e, number)
        else:
            solve_node(e, number)


@spliced
def factor_nodes(e, vals, rhs):
    """`refactor`, as part of the function that calls it."""
    none = 0.0
    fresh = none > 0.0  # no literal False: numba would compile everything once more for it
    return eliminate_nodes(e, vals, rhs, fresh)


@spliced
def eliminate_nodes(e, vals, rhs, fresh):
    if e.groups.shape[0] > 0 and not leave_first(e, vals, rhs, CONDENSE_FACTOR) < np.inf:
        return np.inf
    growth, begin, together = 0.0, 0, e.substructures.after.shape[0]
    for k in range(together + 1):  # the nodes before each substructure, then it
        end = e.nodes.shape[0] if k == together else e.substructures.after[k]
        growth = max(growth, go_in(borrowed(e), begin, end, borrow(vals), borrow(rhs), fresh))
        if k < together and growth < np.inf:
            growth = max(growth, leave_together(e, vals, rhs, k, TOGETHER_FACTOR))
        begin = end
    if not growth < np.inf:
        return np.inf
    growth = growth**0.5
    core_side(e, vals, rhs)
    if e.core.shape[0] > 0:
        growth = max(growth, factor_core(e, vals))
    return growth


@fused_inlined
def core_side(e, vals, rhs):
    """Right-hand side of the core: what was given, and what the nodes left."""
    for i in range(e.core.shape[0]):
        u = e.core[i]
        value = rhs[u] if u < e.unknowns else 0.0
        if e.core_place[i] >= 0:
            value += vals[e.core_place[i]]
        e.core_rhs[i] = value


@spliced
def solve_nodes(e, rhs):
    """`sweep_back`, as part of the function that calls it."""
    n = e.core.shape[0]
    if n > 0:
        solve_core(e)
        for i in range(n):
            e.out[e.core[i]] = e.core_rhs[i]
            if e.core[i] < 6 * (e.x.shape[0] // STRIDE):
                b, j = e.core[i] // 6, e.core[i] % 6
                e.x[STRIDE * b + j] = e.core_rhs[i]
    end = e.nodes.shape[0]
    for k in range(e.substructures.after.shape[0] - 1, -1, -1):
        go_back(borrowed(e), e.substructures.after[k], end)
        leave_together(e, rhs, rhs, k, TOGETHER_BACK)
        end = e.substructures.after[k]
    go_back(borrowed(e), 0, end)
    for i in range(e.unknowns):
        rhs[i] = e.out[i]
    if e.groups.shape[0] > 0:
        leave_first(e, rhs, rhs, CONDENSE_BACK)


@far
def eliminate(e, vals, rhs, task):
    """`refactor` (with new pivots: FRESH), `sweep_back` or `solve`; the growth of the first."""
    if task <= FRESH:
        return eliminate_nodes(e, vals, rhs, task == FRESH)
    if task == OTHER:
        solve_other(e, vals, rhs)
    else:
        solve_nodes(e, rhs)
    return 0.0


def refactor(e, vals, rhs):
    """Eliminate with new values, the right-hand side along with them; returns the growth.

    `vals` are used up: what nodes leave is added to the blocks of their neighbours.  Infinite
    growth: a pivot vanishes.  Call `sweep_back` for the solution, `solve` for others.
    """
    return eliminate(e, vals, rhs, FACTOR)


def sweep_back(e, rhs):
    """The solution of the right-hand side that `refactor` took along."""
    eliminate(e, rhs, rhs, BACK)


def solve(e, vals, rhs):
    """Another right-hand side with the factors of the last refactor, which left `vals`."""
    eliminate(e, vals, rhs, OTHER)


def _call_eliminate(context, builder, signature, args, task):
    e, vals, rhs = args[0], args[1], args[-1]
    called = types.float64(signature.args[0], FLOATS, FLOATS, types.int64)
    what = ir.Constant(ir.IntType(64), task)
    return call_code(context, builder, called, ELIMINATE, e, [e, vals, rhs, what])


@generates(refactor)
def _refactor(typing, e, vals, rhs):
    def generate(context, builder, signature, args):
        return _call_eliminate(context, builder, signature, args, FACTOR)

    return types.float64(e, FLOATS, FLOATS), generate


@generates(sweep_back)
def _sweep_back(typing, e, rhs):
    def generate(context, builder, signature, args):
        _call_eliminate(context, builder, signature, args, BACK)
        return context.get_dummy_value()

    return types.none(e, FLOATS), generate


@generates(solve)
def _solve(typing, e, vals, rhs):
    def generate(context, builder, signature, args):
        _call_eliminate(context, builder, signature, args, OTHER)
        return context.get_dummy_value()

    return types.none(e, FLOATS, FLOATS), generate


@spliced
def solve_other(e, vals, rhs):
    """`solve`, as part of the function that calls it."""
    for i in range(e.unknowns):
        e.out[i] = rhs[i]
    e.out[e.unknowns :] = 0.0
    if e.groups.shape[0] > 0:
        leave_first(e, vals, e.out, CONDENSE_FORWARD)
    nodes, v, out = borrowed(e), borrow(vals), borrow(e.out)
    begin, together = 0, e.substructures.after.shape[0]
    for k in range(together + 1):
        end = e.nodes.shape[0] if k == together else e.substructures.after[k]
        for number in range(begin, end):
            forward_node(nodes, number, v, out)
        if k < together:
            leave_together(e, vals, e.out, k, TOGETHER_FORWARD)
        begin = end
    for i in range(e.core.shape[0]):
        e.core_rhs[i] = e.out[e.core[i]]
    solve_nodes(e, rhs)


@fused_inlined
def forward_node(e, number, vals, b):
    """The way of a right-hand side through a node: into its store, and on to the neighbour."""
    ints, node = e.nodes, NODE_INTS * number
    m, k, wide, at_ = ints[node + ROWS], ints[node + PIVOTS], ints[node + WIDE], ints[node + STORE]
    if hinged(ints, number):
        forward_hinge(e, number, vals, b)
        return
    bb, pb, parent = ints[node + BB], ints[node + PB], ints[node + PARENT]
    width, n0, store, col, spare = (2 + wide) * STRIDE, 6 * number, e.store, e.pivot_col, e.spare
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
        r = b[6 * ints[node + BODY] + i] - sum8(load8(vals, bb + i * STRIDE) * inserted)
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
        forward_to_parent(e, at_, left, tail, width, k, n0, vals, pb, inserted, b, 6 * parent)


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
