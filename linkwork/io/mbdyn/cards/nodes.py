"""Cards of the nodes block: structural nodes of all kinds, and dummy nodes that follow others."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from linkwork.io.mbdyn.deck.deck import StructuralNode
from linkwork.io.mbdyn.hydraulics.circuit import hydraulic_node
from linkwork.io.mbdyn.problem.blocks import ORIENTATIONS, TURNS
from linkwork.io.mbdyn.problem.steps import weight
from linkwork.io.mbdyn.scalars.nodes import abstract, circuit_node, parameter
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    Reference,
    absolute_angular_velocity,
    absolute_orientation,
    absolute_position,
    absolute_velocity,
    relative_orientation,
    relative_position,
)


class Follower(NamedTuple):
    """How a dummy node follows: at an offset, or relative to another node and on a pivot."""

    base: int
    offset: np.ndarray
    axes: np.ndarray
    reference: int | None = None
    pivot: int | None = None
    pivot_offset: np.ndarray = ZERO
    pivot_axes: np.ndarray = EYE


KINDS = ("static displacement", "dynamic displacement", "static", "dynamic", "modal", "dummy")


def structural(args: Arguments) -> None:
    """structural: label, kind, position, orientation, velocity, angular velocity;"""
    deck = args.deck
    deck.count("structural nodes")
    label = deck.new_label(args, "structural node")
    try:
        i = args.i
        kind = args.one_of(KINDS, "a kind of structural node")
        if kind == "modal":
            args.unsupported("modal nodes are not supported", i)
        if kind == "dummy":
            deck.nodes[label] = dummy(args, label)
        else:
            deck.nodes[label] = free_node(args, label, kind)
        options(args, deck.nodes[label])
        args.end()
    except Exception:
        deck.missing.add(label)
        deck.nodes.pop(label, None)
        raise


def free_node(args: Arguments, label: int, kind: str) -> StructuralNode:
    turns = not kind.endswith("displacement")
    node = StructuralNode(label, kind, Reference(ZERO, EYE, ZERO, ZERO), args)
    if args.keyword("at reference"):
        i = args.i
        known = args.deck.references.get(args.label("the label of a reference frame"))
        if known is None:
            args.fail(f"there is no reference frame {args.shown(i)}", i)
        node.reference = known if turns else known._replace(R=EYE, w=ZERO)
        description(args, node)
    else:
        args.keyword("position")
        x = absolute_position(args)
        R, w = EYE, ZERO
        if turns:
            args.keyword("orientation")
            R = absolute_orientation(args)
            description(args, node)
        args.keyword("velocity")
        v = absolute_velocity(args, x)
        if turns:
            args.keyword("angular velocity")
            w = absolute_angular_velocity(args)
        node.reference = Reference(x, R, v, w)
    if args.keyword("assembly"):
        node.stiffness = (weight(args, "the stiffness of the position in the assembly"),
                          weight(args, "the stiffness of the velocity in the assembly"))
        if turns and not args.flag("whether the angular velocity turns with the node"):
            args.deck.note(TURNS)
    return node


def description(args: Arguments, node: StructuralNode) -> None:
    if args.keyword("orientation description"):
        node.orientation = args.one_of(ORIENTATIONS, "an orientation description")


def options(args: Arguments, node: StructuralNode) -> None:
    """scale, output, accelerations, orientation description, in any order."""
    node.output = "node" not in args.deck.analysis.silent
    a = args.deck.analysis
    has_them = node.kind.startswith("dynamic") or a.inverse is not None
    node.accelerations = a.accelerations and has_them
    while word := args.keyword("scale", "output", "accelerations", "orientation description"):
        if word == "orientation description":
            node.orientation = args.one_of(ORIENTATIONS, "an orientation description")
        elif word == "scale":
            if not args.keyword("default"):
                args.real("a scale")
            args.deck.ignore("scale of structural nodes")
        elif word == "output":
            node.output = args.flag("whether the node is written")
        else:
            node.accelerations = args.flag("whether accelerations are written")


def dummy(args: Arguments, label: int) -> StructuralNode:
    """dummy, base node, offset | relative frame, …"""
    deck = args.deck
    base = deck.node(args, "the label of the base node")
    x, R, v, w = base.reference
    node = StructuralNode(label, "dummy", base.reference, args)
    kind = args.one_of(("offset", "relative frame"), "a kind of dummy node")
    if kind == "offset":
        args.keyword("position")
        offset = relative_position(args, base.reference)
        args.keyword("orientation")
        axes = relative_orientation(args, base.reference)
        node.base = Follower(base.label, offset, axes)
        arm = R @ offset
        node.reference = Reference(x + arm, R @ axes, v + np.cross(w, arm), w)
        description(args, node)
        return node
    other = deck.node(args, "the label of the reference node")
    offset, axes = place(args, other)
    description(args, node)
    follower = Follower(base.label, offset, axes, other.label)
    if args.keyword("pivot node"):
        pivot = deck.node(args, "the label of the pivot node")
        at, turned = place(args, pivot)
        follower = follower._replace(pivot=pivot.label, pivot_offset=at, pivot_axes=turned)
    node.base = follower
    return node


def place(args: Arguments, node: StructuralNode) -> tuple[np.ndarray, np.ndarray]:
    """Optional position and orientation relative to a node."""
    offset, axes = ZERO, EYE
    if args.keyword("position"):
        offset = relative_position(args, node.reference)
    if args.keyword("orientation"):
        axes = relative_orientation(args, node.reference)
    return offset, axes


def output(args: Arguments) -> None:
    """output: structural, label, …;  writes these nodes, whatever the default"""
    switch(args, "structural", args.deck.nodes)


def switch(args: Arguments, word: str, records: dict) -> None:
    if not args.keyword(word):
        args.deck.ignore("output of other kinds")
        args.i = len(args.words)
        return
    while args.more():
        i = args.i
        if args.keyword("range"):
            first, last = args.label(), args.label()
            chosen = [label for label in records if first <= label <= last]
        else:
            chosen = [args.label()]
            if chosen[0] not in records:
                args.fail(f"there is no {word} {chosen[0]}", i)
        for label in chosen:
            records[label].output = True


NODES: dict[str, Callable[[Arguments], None]] = {
    "structural": structural, "output": output, "abstract": abstract, "parameter": parameter,
    "hydraulic": hydraulic_node, "electric": circuit_node("electric"),
    "thermal": circuit_node("thermal"),
}  # fmt: skip
