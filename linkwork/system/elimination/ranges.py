"""The elimination of some nodes at a time, for loops that evaluate bodies just before they leave.

    enter(e, vals, rhs, begin, end)    nodes leave, the right-hand side along with them; the growth²
    leave(e, vals, rhs, begin, end)    their increments and multipliers, in e.x and e.out
    middle(e, vals, rhs)               the core, between both ways; its growth
    follow(e, vals, rhs, begin, end)   another right-hand side through nodes that have left
    again(e, vals, rhs)                the same of the core

e is a reference to an elimination without vector nodes that leave first and without breaks.  What
it does with a node is that of `sweeps`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from linkwork.elements.layout import STRIDE
from linkwork.math.compiled import (
    FLOATS,
    INTS,
    Far,
    announce,
    far,
    fused_spliced,
    generates,
    spliced,
)  # fmt: skip
from linkwork.math.kernel import call_address, kernel_table
from linkwork.math.memory.borrowed import borrow
from linkwork.math.memory.referred import Reference, referred
from linkwork.math.registers.eights import fetch8
from linkwork.system.elimination.distant import factor_core
from linkwork.system.elimination.nodes.hinge import forward_hinge
from linkwork.system.elimination.sweeps import (
    core_side,
    forward_node,
    go_back,
    go_back_hinges,
    go_in,
    go_in_hinges,
    solve_middle,
)  # fmt: skip
from linkwork.system.elimination.tables import (
    HINGE_ROWS,
    NODE_INTS,
    ROWS,
    STORE,
    Elimination,
    borrowed,
    store_size,
)  # fmt: skip

ENTER, LEAVE, MIDDLE, FOLLOW, AGAIN = range(5)
AHEAD = 4  # nodes by which factors are asked for before they are needed
FACTORS = store_size(HINGE_ROWS, 1, False)  # numbers of a node


@fused_spliced
def fetch_factors(e, number):
    """Ask for the factors of a node: they lie in memory, a page for every four nodes, and
    processors look ahead within a page alone."""
    at = e.nodes[NODE_INTS * number + STORE]
    for i in range(0, FACTORS, STRIDE):
        fetch8(e.store, at + i)


@fused_spliced
def enter_hinges(e, begin, end, vals, rhs, fresh):
    """`go_in_hinges`, node by node, with the factors of one further on asked for before."""
    growth, number = 0.0, begin
    while number < end and growth < np.inf:
        fetch_factors(e, min(number + AHEAD, end - 1))
        growth = max(growth, go_in_hinges(e, number, number + 1, vals, rhs, fresh))
        number += 1
    return growth


@fused_spliced
def leave_hinges(e, begin, end):
    """`go_back_hinges` in the same way."""
    for number in range(end - 1, begin - 1, -1):
        fetch_factors(e, max(number - AHEAD, 0))
        go_back_hinges(e, number, number + 1)


@spliced
def perform(r, vals, rhs, begin, end, task, go_in, forward_node, go_back):
    e = referred(r)
    if task == ENTER:
        return go_in(borrowed(e), begin, end, borrow(vals), borrow(rhs), False)
    if task == LEAVE:
        go_back(borrowed(e), begin, end)
        return 0.0
    if task == FOLLOW:
        nodes, v, out = borrowed(e), borrow(vals), borrow(rhs)
        for number in range(begin, end):
            forward_node(nodes, number, v, out)
        return 0.0
    if task == AGAIN:
        for i in range(e.core.shape[0]):
            e.core_rhs[i] = rhs[e.core[i]]
        if e.core.shape[0] > 0:
            solve_middle(r)
        return 0.0
    core_side(e, vals, rhs)
    growth = 0.0
    if e.core.shape[0] > 0:
        growth = factor_core(r, vals)
        if growth < np.inf:
            solve_middle(r)
    return growth


@far
def eliminate_range(e, vals, rhs, begin, end, task):
    """A task, called by address with a reference to the elimination."""
    return perform(e, vals, rhs, begin, end, task, go_in, forward_node, go_back)


@far
def eliminate_range_of_hinges(e, vals, rhs, begin, end, task):
    """The same where all nodes are kept in the form of `hinge`: half as much to compile."""
    return perform(
        e, vals, rhs, begin, end, task, enter_hinges, forward_hinge, leave_hinges
    )


def range_code(e: Elimination) -> Any:
    """The address of what fits an elimination, for `in_range`."""
    rows = e.nodes[:, ROWS]
    hinges = bool(((rows >= HINGE_ROWS) & (rows <= 6)).all())
    code = eliminate_range_of_hinges if hinges else eliminate_range
    announce(code, "the elimination of large models", 3 if hinges else 6)
    numbers = np.zeros(1)
    return kernel_table([Far(code, types.float64, Reference(e), numbers, numbers, 0, 0, 0)])


def in_range(code, e, vals, rhs, begin, end, task):
    """A task for the nodes from `begin` to `end`."""
    return eliminate_range(e, vals, rhs, begin, end, task)


@generates(in_range)
def _in_range(typing, code, e, vals, rhs, begin, end, task):
    called = types.float64(e, FLOATS, FLOATS, types.int64, types.int64, types.int64)

    def generate(context, builder, signature, args):
        slot = context.get_constant(types.int64, 0)
        return call_address(context, builder, called, args[0], slot, args[1:])

    return types.float64(INTS, *called.args), generate
