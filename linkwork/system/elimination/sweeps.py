"""The numbers: leaves to core, the core by sparse LU, core to leaves; compiled, they decide nothing
but pivots within a node that have become bad.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import fused, fused_inlined
from linkwork.system.elimination.node import factor_node, solve_node
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
)  # fmt: skip
from linkwork.system.sparse_lu import numeric as sparse


@fused
def refactor(e, vals, rhs):
    """Eliminate with new values, the right-hand side along with them; returns the growth.

    `vals` are used up: what nodes leave is added to the blocks of their neighbours.  Infinite
    growth: a pivot vanishes.  Call `sweep_back` for the solution, `solve` for others.
    """
    growth, nodes, v, r = 0.0, borrowed(e), borrow(vals), borrow(rhs)
    for number in range(e.nodes.shape[0]):
        grown = factor_node(nodes, number, v, r, False)
        if not grown < np.inf:
            return np.inf
        growth = max(growth, grown)
    growth = growth**0.5
    core_side(e, vals, rhs)
    if e.core.shape[0] > 0:
        growth = max(growth, sparse.refactor(e.lu, vals))
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


@fused
def sweep_back(e, rhs):
    """The solution of the right-hand side that `refactor` (or `forward`) took along."""
    n = e.core.shape[0]
    if n > 0:
        sparse.solve(e.lu, e.core_rhs)
        for i in range(n):
            e.out[e.core[i]] = e.core_rhs[i]
            if e.core[i] < 6 * (e.x.shape[0] // STRIDE):
                b, j = e.core[i] // 6, e.core[i] % 6
                e.x[STRIDE * b + j] = e.core_rhs[i]
    nodes = borrowed(e)
    for number in range(e.nodes.shape[0] - 1, -1, -1):
        solve_node(nodes, number)
    for i in range(e.unknowns):
        rhs[i] = e.out[i]


@fused
def solve(e, vals, rhs):
    """Another right-hand side with the factors of the last refactor, which left `vals`."""
    for i in range(e.unknowns):
        e.out[i] = rhs[i]
    e.out[e.unknowns :] = 0.0
    nodes, v, out = borrowed(e), borrow(vals), borrow(e.out)
    for number in range(e.nodes.shape[0]):
        forward_node(nodes, number, v, out)
    for i in range(e.core.shape[0]):
        e.core_rhs[i] = e.out[e.core[i]]
    sweep_back(e, rhs)


@fused_inlined
def forward_node(e, number, vals, b):
    """The way of a right-hand side through a node: into its store, and on to the neighbour."""
    ints, node = e.nodes, NODE_INTS * number
    k, m, at_, store = ints[node + PIVOTS], ints[node + ROWS], ints[node + STORE], e.store
    width, first = (2 + ints[node + WIDE]) * STRIDE, 6 * number
    bb, pb, parent = ints[node + BB], ints[node + PB], ints[node + PARENT]
    r0 = ROW_INTS * ints[node + ROW] + UNKNOWN
    tail, left = at_ + m * width, ints[node + LEFT]
    slot = e.late_at[number]
    for r in range(m):
        s = 0.0
        for j in range(m):
            s += store[at_ + r * width + 2 * STRIDE + j] * b[e.rows[r0 + ROW_INTS * j]]
        store[at_ + r * width + RHS] = s
        if r >= k:
            b[e.late_unknown[slot + r - k]] = s
    for i in range(6):
        s = b[6 * ints[node + BODY] + i]
        for t in range(k):
            d = store[at_ + t * width + RHS]
            s -= vals[bb + i * STRIDE + e.pivot_col[first + t]] * d
        e.spare[i] = s
    for t in range(k):
        c = e.pivot_col[first + t]
        store[tail + c * 2 * STRIDE + RHS] = e.spare[c]
        for f in range(k, 6):
            i = e.pivot_col[first + f]
            e.spare[i] -= store[left + t * width + i] * e.spare[c]
    for f in range(k, 6):
        i = e.pivot_col[first + f]
        s = 0.0
        for g in range(k, 6):
            j = e.pivot_col[first + g]
            s += store[tail + i * 2 * STRIDE + j] * e.spare[j]
        store[tail + i * 2 * STRIDE + RHS] = s
    if parent >= 0:
        for i in range(6):
            s = 0.0
            for t in range(k):
                q, c = t * width, e.pivot_col[first + t]
                s += vals[pb + i * STRIDE + c] * store[at_ + q + RHS]
                s += store[left + q + STRIDE + i] * e.spare[c]
            for f in range(k, 6):
                j = e.pivot_col[first + f]
                u = vals[pb + i * STRIDE + j]
                for t in range(k):
                    q, c = t * width, e.pivot_col[first + t]
                    u -= vals[pb + i * STRIDE + c] * store[at_ + q + j]
                    u -= store[left + q + STRIDE + i] * store[tail + c * 2 * STRIDE + j]
                s += u * store[tail + j * 2 * STRIDE + RHS]
            b[6 * parent + i] -= s
