"""Entry points of the large functions: each is compiled once, and only where a tree needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import int64, types

from linkwork.math.compiled import FLOATS, FLOATS2, INTS2, CompiledEntry, lean
from linkwork.math.memory.referred import Reference, refer
from linkwork.recursive.sweeps.articulated import accelerate, inward
from linkwork.recursive.sweeps.bending import enter_link, leave_link
from linkwork.recursive.tree.layout import Sweep, Tree
from linkwork.recursive.loops.loop_jacobian import direct, semi_analytic
from linkwork.recursive.sweeps.outward import outward
from linkwork.recursive.sweeps.responses import respond
from linkwork.recursive.sweeps.sensing import sense


def reference_to(group: type, ints: tuple[str, ...], flat: tuple[str, ...]) -> Any:
    """Numba's type of a reference to a named tuple of arrays: of integers, of one axis; the others
    have two."""
    fields = group._fields  # type: ignore[attr-defined]
    kind = {name: int if name in ints else float for name in fields}
    arrays = (np.zeros((1,) if name in flat else (1, 1), kind[name]) for name in fields)
    return numba.typeof(Reference(group(*arrays)))


TREE = reference_to(Tree, ("ints", "amplitudes", "places"), ("gravity", "links", "rotors"))
SWEEP = reference_to(Sweep, (), ("columns", "halves", "link_bias", "drives"))
END = types.void(TREE, SWEEP, int64, FLOATS, FLOATS)


class LinkEnds(NamedTuple):
    """What a tree does at the ends of flexible links.

    A tuple with names: of one without, numba warns that tables of functions are experimental.
    """

    enter: CompiledEntry
    leave: CompiledEntry


ENDS = types.NamedUniTuple(types.FunctionType(END), 2, LinkEnds)
OUTWARD = types.void(ENDS, TREE, SWEEP, FLOATS, FLOATS)
INWARD = types.void(TREE, SWEEP, FLOATS, FLOATS)
ACCELERATE = types.void(TREE, SWEEP, FLOATS)
RESPOND = types.void(TREE, SWEEP, FLOATS2)
JACOBIAN = types.void(TREE, SWEEP, FLOATS2, FLOATS, INTS2, FLOATS2, FLOATS)
SENSE = int64(
    TREE, SWEEP, FLOATS2, FLOATS2, FLOATS, FLOATS2, FLOATS, FLOATS2, FLOATS2, FLOATS2, FLOATS,
    int64,
)


def fused_entry(function: Callable, signature: Any) -> CompiledEntry:
    return CompiledEntry(function, signature, fastmath={"contract"}, _nrt=False)


def no_end(tree, s, i, q, v):
    pass


def no_response(tree, s, y):
    pass


def no_jacobian(tree, s, nodes, vals, ends, J, derivatives):
    pass


def no_sense(tree, s, nodes, acceleration, gamma, wrench, a, table, room, values, balance, k):
    return 1


class Sweeps(NamedTuple):
    """What a tree is swept with; parts that it does not have are left out."""

    ends: LinkEnds
    outward: CompiledEntry
    inward: CompiledEntry
    accelerate: CompiledEntry
    respond: CompiledEntry
    semi_analytic: CompiledEntry
    direct: CompiledEntry
    sense: CompiledEntry


ENTER = CompiledEntry(enter_link, END, _nrt=False)
LEAVE = CompiledEntry(leave_link, END, _nrt=False)
NO_END = CompiledEntry(no_end, END, _nrt=False)
OUT = fused_entry(outward, OUTWARD)
IN = fused_entry(inward, INWARD)
BACK = fused_entry(accelerate, ACCELERATE)
ANSWER, NO_ANSWER = fused_entry(respond, RESPOND), fused_entry(no_response, RESPOND)
PATHS, DERIVATIVES = fused_entry(semi_analytic, JACOBIAN), fused_entry(direct, JACOBIAN)
NO_PATHS = fused_entry(no_jacobian, JACOBIAN)
LOOK, NO_LOOK = fused_entry(sense, SENSE), fused_entry(no_sense, SENSE)


@lean
def place_tree(sweeps, tree, s, q, v):
    """`outward` for Python."""
    sweeps.outward(sweeps.ends, refer(tree), refer(s), q, v)


def sweeps_for(links: bool, loops: bool, differentiates: bool, senses: bool = False) -> Sweeps:
    """For trees with flexible links, with cut joints, with direct differentiation of these, and
    with loads that follow reactions and accelerations."""
    return Sweeps(
        LinkEnds(ENTER, LEAVE) if links else LinkEnds(NO_END, NO_END), OUT, IN, BACK,
        ANSWER if loops else NO_ANSWER, PATHS if loops else NO_PATHS,
        DERIVATIVES if differentiates else NO_PATHS, LOOK if senses else NO_LOOK,
    )  # fmt: skip
