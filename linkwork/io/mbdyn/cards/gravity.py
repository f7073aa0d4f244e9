"""Gravity: uniform, changing with time, turning in a frame that moves, or towards a point.

Constant gravity belongs to the model; one that changes is a force on every body.  Gravity is given
in the fixed world: in a frame that turns with R₀(t) it is R₀ᵀg.
"""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.drives.callers import TIME
from linkwork.io.mbdyn.drives.templates import read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import ZERO, absolute_position, absolute_vector
from linkwork.model.drives import Constant

SI = 6.67384e-11  # m³/(kg s²), what the keyword `si` stands for


def gravity(args: Arguments) -> None:
    """gravity: [uniform,] acceleration;  or central, [origin, …,] mass, m, G, si | number;"""
    deck = args.deck
    deck.count("gravity")
    if deck.gravity is not None:
        args.fail("there is gravity already", 0)
    if args.keyword("central"):
        deck.gravity = []
        central(args)
        return
    args.keyword("uniform")
    deck.gravity = read_terms(args, absolute_vector)
    output_flag(args)
    args.end()
    deck.build_later(args, lambda: apply_gravity(args, deck))


def central(args: Arguments) -> None:
    deck = args.deck
    centre = absolute_position(args) if args.keyword("origin") else ZERO
    if not args.keyword("mass"):
        args.fail(f"expected mass, found {args.shown()}; write central, origin, …, mass, …, G, …")
    mass = args.positive("the mass in the centre of gravity")
    if not args.keyword("G"):
        args.fail(f"expected G, found {args.shown()}")
    constant = SI if args.keyword("si") else args.positive("the constant of gravitation")
    output_flag(args)
    args.end()
    if deck.frame is not None:
        args.unsupported("a central field of gravity in a moving frame is not supported", 0)

    def make() -> None:
        from linkwork.elements.bodies.central_gravity import CentralGravity

        heavy = [n.body for n in deck.nodes.values() if n.body is not None and n.body.mass > 0]
        heavy += [item for n in deck.nodes.values() for item in n.variable]
        if heavy:
            deck.model.add("gravity", CentralGravity(heavy, constant * mass, centre))

    deck.last.append((args, make))


def apply_gravity(args: Arguments, deck: Deck) -> None:
    from linkwork.elements.forces.force import Force

    terms = [(v, law(TIME)) for v, law in deck.gravity or []]
    if deck.frame is not None:
        terms = deck.frame.seen(terms)
    steady, changing = np.zeros(3), []
    for v, drive in terms:
        if isinstance(drive, Constant):
            steady = steady + drive.v * v
        else:
            changing.append((v, drive))
    deck.model.gravity = steady
    for node in deck.nodes.values():
        if changing and node.variable:
            args.unsupported("a variable mass in gravity that changes is not supported", 0)
        for k, (v, drive) in enumerate(changing):
            if node.body is not None and node.body.mass > 0:
                name = f"gravity {k + 1} of node {node.label}"
                deck.model.add(name, Force(node.body, node.body.mass * v, drive=drive))
