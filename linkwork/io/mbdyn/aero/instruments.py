"""aircraft instruments: what a pilot would see, for drives (aero.data)."""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.aero.records import InstrumentsRecord
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import EYE, relative_orientation


def aircraft_instruments(args: Arguments) -> None:
    """aircraft instruments: label, node [, orientation, flight mechanics | aeroelasticity | R];"""
    deck = args.deck
    deck.count("aerodynamic elements")
    label = deck.new_label(args, "aerodynamic element")
    node = deck.node(args)
    axes = EYE
    if args.keyword("orientation"):
        word = args.keyword("flight mechanics", "aeroelasticity")
        if word == "aeroelasticity":
            axes = np.diag([-1.0, 1.0, -1.0])
        elif not word:
            axes = relative_orientation(args, node.reference)
    while word := args.keyword("initial latitude", "initial longitude", "earth radius"):
        deck.ignore(f"{word} of aircraft instruments")
        args.real(word)
    output_flag(args)
    args.end()
    if deck.frame is not None:
        args.unsupported("aircraft instruments in a deck whose frame moves are not supported", 0)
    deck.aero.instruments[label] = InstrumentsRecord(label, node, axes)
