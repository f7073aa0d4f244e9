"""Entry points of the large functions: each is compiled once, and only where a tree needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import int64, types

from linkwork.kernels.compiled import FLOATS, FLOATS2, INTS2, CompiledEntry, lean
from linkwork.kernels.memory.records import by_address, record_at, record_type
from linkwork.recursive.sweeps.articulated import accelerate, inward, inward_general
from linkwork.recursive.sweeps.bending import enter_link, leave_link
from linkwork.recursive.sweeps.general_joint import place_general
from linkwork.recursive.tree.layout import Sweep, Tree
from linkwork.recursive.loops.blocks import Blocks
from linkwork.recursive.loops.loop_jacobian import direct, semi_analytic
from linkwork.recursive.sweeps.outward import outward
from linkwork.recursive.sweeps.responses import respond
from linkwork.recursive.sweeps.sensing import sense
from linkwork.recursive.sweeps.swing import leave_whole_turns


TREE, SWEEP = record_type(Tree), record_type(Sweep)
ONE_JOINT = types.void(TREE, SWEEP, int64, FLOATS, FLOATS)


class OtherJoints(NamedTuple):
    """What a tree does at joints that are no hinges, and at the ends of flexible links.

    A tuple with names: of one without, numba warns that tables of functions are experimental.
    """

    place: CompiledEntry
    eliminate: CompiledEntry
    enter: CompiledEntry
    leave: CompiledEntry


OTHERS = types.NamedUniTuple(types.FunctionType(ONE_JOINT), 4, OtherJoints)
OUTWARD = INWARD = types.void(OTHERS, TREE, SWEEP, FLOATS, FLOATS)
ACCELERATE = types.void(TREE, SWEEP, FLOATS)
BLOCKS = record_type(Blocks)
RESPOND = types.void(TREE, SWEEP, FLOATS, BLOCKS)
JACOBIAN = types.void(TREE, SWEEP, FLOATS2, FLOATS, INTS2, FLOATS, BLOCKS, FLOATS)
SENSE = int64(
    TREE, SWEEP, FLOATS2, FLOATS2, FLOATS, FLOATS2, FLOATS, INTS2, FLOATS2, FLOATS2, FLOATS2,
    FLOATS, int64,
)
TURNS = types.void(INTS2, FLOATS, FLOATS, FLOATS, FLOATS)


def fused_entry(function: Callable, signature: Any) -> CompiledEntry:
    return CompiledEntry(function, signature, fastmath={"contract"}, _nrt=False)


def no_joint(tree, s, i, q, v):
    pass


def no_response(tree, s, y, blocks):
    pass


def no_jacobian(tree, s, nodes, vals, ends, J, blocks, derivatives):
    pass


def no_sense(
    tree, s, nodes, acceleration, gamma, wrench, a, codes, table, room, values, balance, k
):  # fmt: skip
    return 1


def no_turns(swings, q, v, a, other):
    pass


class Sweeps(NamedTuple):
    """What a tree is swept with; parts that it does not have are left out."""

    others: OtherJoints
    outward: CompiledEntry
    inward: CompiledEntry
    accelerate: CompiledEntry
    respond: CompiledEntry
    semi_analytic: CompiledEntry
    direct: CompiledEntry
    sense: CompiledEntry
    leave_turns: CompiledEntry


PLACE, ELIMINATE = fused_entry(place_general, ONE_JOINT), fused_entry(inward_general, ONE_JOINT)
ENTER = CompiledEntry(enter_link, ONE_JOINT, _nrt=False)
LEAVE = CompiledEntry(leave_link, ONE_JOINT, _nrt=False)
NONE = CompiledEntry(no_joint, ONE_JOINT, _nrt=False)
OUT = fused_entry(outward, OUTWARD)
IN = fused_entry(inward, INWARD)
BACK = fused_entry(accelerate, ACCELERATE)
ANSWER, NO_ANSWER = fused_entry(respond, RESPOND), fused_entry(no_response, RESPOND)
PATHS, DERIVATIVES = fused_entry(semi_analytic, JACOBIAN), fused_entry(direct, JACOBIAN)
NO_PATHS = fused_entry(no_jacobian, JACOBIAN)
LOOK, NO_LOOK = fused_entry(sense, SENSE), fused_entry(no_sense, SENSE)
UNWIND, NO_UNWIND = fused_entry(leave_whole_turns, TURNS), fused_entry(no_turns, TURNS)


@by_address
@lean
def place_tree(sweeps, tree, s, q, v):
    """`outward` for Python."""
    sweeps.outward(sweeps.others, record_at(Tree, tree), record_at(Sweep, s), q, v)


def sweeps_for(
    joints: bool, links: bool, loops: bool, differentiates: bool, senses: bool, swings: bool
) -> Sweeps:
    """For trees with joints that are no hinges, with flexible links, with cut joints, with direct
    differentiation of these, with loads that follow reactions and accelerations, and with swings.
    """
    others = OtherJoints(
        PLACE if joints else NONE, ELIMINATE if joints else NONE,
        ENTER if links else NONE, LEAVE if links else NONE,
    )  # fmt: skip
    return Sweeps(
        others, OUT, IN, BACK, ANSWER if loops else NO_ANSWER, PATHS if loops else NO_PATHS,
        DERIVATIVES if differentiates else NO_PATHS, LOOK if senses else NO_LOOK,
        UNWIND if swings else NO_UNWIND,
    )  # fmt: skip
