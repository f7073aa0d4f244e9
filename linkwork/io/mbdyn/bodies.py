"""Bodies and gravity.  Several masses may sit at one node; together they are its body."""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.deck import Deck, Mass, Node
from linkwork.io.mbdyn.drive_cards import TIME, read_terms
from linkwork.io.mbdyn.geometry import (
    EYE,
    ZERO,
    absolute_vector,
    matrix,
    relative_orientation,
    relative_position,
)
from linkwork.io.mbdyn.inverse_cards import body_role
from linkwork.model.drives import Constant


def body(args: Arguments) -> None:
    """body: label, node, mass, centre of mass, inertia [, orientation];  or condense, n, …"""
    deck = args.deck
    deck.count("rigid bodies")
    deck.new_label(args, "body")
    node = deck.node(args)
    if args.keyword("variable mass"):
        args.unsupported("bodies of variable mass are not supported", args.i - 1)
    count = args.count("the number of masses") if args.keyword("condense") else 1
    if args.keyword("allow negative mass"):
        args.unsupported("negative masses are not supported", args.i - 1)
    node.masses += [one_mass(args, node) for _ in range(count)]
    output_flag(args)
    body_role(args)
    args.end()


def one_mass(args: Arguments, node: Node) -> Mass:
    i = args.i
    m = args.real("a mass")
    if m < 0:
        args.fail(f"a mass must not be negative, found {m:g}", i)
    if node.points_only:
        return Mass(m, ZERO, np.zeros((3, 3)))
    args.keyword("position")
    centre = relative_position(args, node.reference)
    args.keyword("inertia")
    J, axes = matrix(args, 3, "an inertia matrix"), EYE
    if args.keyword("orientation"):
        axes = relative_orientation(args, node.reference)
    return Mass(m, centre, axes @ J @ axes.T)


def output_flag(args: Arguments, kind: str = "") -> bool:
    """[, output, yes | no]"""
    if args.keyword("output"):
        return args.flag("whether it is written")
    return kind not in args.deck.analysis.silent


def gravity(args: Arguments) -> None:
    """gravity: [uniform,] acceleration;"""
    deck = args.deck
    deck.count("gravity")
    if deck.gravity is not None:
        args.fail("there is gravity already", 0)
    if args.keyword("central"):
        args.unsupported("a central field of gravity is not supported, only a uniform one", 0)
    args.keyword("uniform")
    deck.gravity = read_terms(args, absolute_vector)
    output_flag(args)
    args.end()
    deck.build_later(args, lambda: apply_gravity(deck))


def apply_gravity(deck: Deck) -> None:
    """Constant gravity belongs to the model; one that changes is a force on every body."""
    from linkwork.elements.force import Force

    steady, changing = np.zeros(3), []
    for v, law in deck.gravity or []:
        drive = law(TIME)
        if isinstance(drive, Constant):
            steady = steady + drive.v * v
        else:
            changing.append((v, drive))
    deck.model.gravity = steady
    for node in deck.nodes.values():
        for k, (v, drive) in enumerate(changing):
            if node.body is not None and node.body.mass > 0:
                name = f"gravity {k + 1} of node {node.label}"
                deck.model.add(name, Force(node.body, node.body.mass * v, drive=drive))
