"""air properties, aerodynamic body, aerodynamic beam2 and beam3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.aero.foils import Shape, read_foils
from linkwork.io.mbdyn.aero.gusts import made_gusts, read_gusts
from linkwork.io.mbdyn.aero.records import SurfaceRecord
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.joints import End
from linkwork.io.mbdyn.drives.callers import TIME, read_drive
from linkwork.io.mbdyn.drives.templates import component, read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    absolute_vector,
    relative_orientation,
    relative_position,
)
from linkwork.model.drives import Constant

OUTPUTS = ("std", "gauss", "node")


def air_properties(args: Arguments) -> None:
    """air properties: density, speed of sound | std, SI [, reference altitude, h], velocity
    [, gust, model, …];
    """
    deck = args.deck
    deck.count("air properties")
    if deck.aero.air is not None:
        args.fail("there are air properties already", 0)
    words: dict[str, Any] = {}
    if args.keyword("std"):
        if args.keyword("british"):
            args.unsupported("the standard atmosphere in British units is not supported")
        args.keyword("si")
        words["density"] = "standard"
        while word := args.keyword("temperature deviation", "reference altitude"):
            i, value = args.i, args.real(word)
            if word == "reference altitude":
                words["altitude"] = value
            elif value != 0:
                args.unsupported("a standard atmosphere at another temperature is unsupported", i)
    else:
        i = args.i
        make = read_drive(args)
        words["density"] = lambda: steady(args, make(), "the density of the air", i)
        words["speed_of_sound"] = args.positive("the speed of sound")
    terms = read_terms(args, absolute_vector)
    if args.keyword("gust"):
        read_gusts(args)
    deck.aero.air_output = output_flag(args)
    args.end()
    deck.aero.air = args
    deck.aero.velocity = lambda: [component(terms, k) or Constant(0.0) for k in range(3)]

    def build() -> None:
        import linkwork

        found = {k: v() if callable(v) else v for k, v in words.items()}
        velocity = deck.aero.velocity()
        if deck.frame is not None:
            velocity = in_frame(deck, [(v, law(TIME)) for v, law in terms])
            for word, name in (("velocity", "frame_velocity"),
                               ("angular velocity", "frame_angular_velocity")):  # fmt: skip
                found[name] = in_frame(deck, list(zip(np.eye(3), deck.frame.drives(word))))
        deck.model.air = linkwork.Air(velocity=velocity, gusts=made_gusts(deck), **found)

    deck.build_later(args, build)


def in_frame(deck: Any, terms: list[Any]) -> list[Any]:
    """Three components, in the axes of a moving frame, of a vector in the fixed world."""
    seen = deck.frame.seen(terms)

    def law(drive: Any) -> Any:
        return lambda _: drive

    return [component([(v, law(d)) for v, d in seen], k) or Constant(0.0) for k in range(3)]


def steady(args: Arguments, drive: Any, what: str, i: int) -> float:
    if not isinstance(drive, Constant):
        args.unsupported(f"{what} must be constant here", i)
    return float(drive.v)


def read_inflow(args: Arguments) -> Any:
    """[induced velocity | rotor, label,]: the rotor whose inflow the surface meets."""
    if not args.keyword("induced velocity", "rotor"):
        return None
    i = args.i
    label = args.label("the label of an induced velocity element")
    rotors = args.deck.aero.rotors
    if label not in rotors:
        args.fail(f"there is no induced velocity element {label} before this card", i)
    return rotors[label]


class Strip:
    """What all aerodynamic elements have behind their geometry."""

    def __init__(self, args: Arguments) -> None:
        self.chord, self.centre, self.point, self.twist = (Shape(args) for _ in range(4))
        self.tip = Shape(args) if args.keyword("tip loss") else None
        self.points = args.count("the number of integration points")
        self.control = read_drive(args) if args.keyword("control") else None
        self.foils, self.blend, self.unsteady = read_foils(args)
        while word := args.keyword("unsteady", "jacobian"):
            if word == "unsteady":
                i = args.i
                args.keyword("bielawa", "harris") or args.integer("a model of unsteady airfoils")
                args.unsupported(
                    "unsteady airfoils by Bielawa are not supported: their coefficients are part "
                    "of MBDyn's program; theodorsen, c81 … is, and lw.LiftingSurface has "
                    'model="dynamic stall"', i,
                )  # fmt: skip
            elif args.key() in ("yes", "no"):
                args.flag("jacobian")
        self.layout = args.keyword(*OUTPUTS) or "std"
        if self.layout == "gauss":
            args.deck.note("the output 'gauss' of aerodynamic elements is written as 'std'")
            self.layout = "std"
        if args.keyword("custom output"):
            args.unsupported("custom output of aerodynamic elements is not supported", args.i - 1)
        args.deck.note(
            "where the air has a velocity along the span, sections take Mach number, lift and drag "
            "from that across it; MBDyn's Mach number, lift and yaw angle in .aer are others there "
            "(at 64 degrees a lift coefficient of 1.33 in place of 0.91)"
        )

    def words(self, xi: np.ndarray) -> dict[str, Any]:
        """Parameters of the LiftingSurface with points at ξ."""
        found = dict(
            chord=self.chord.at(xi), aerodynamic_centre=self.centre.at(xi),
            velocity_point=self.point.at(xi), twist=self.twist.at(xi), airfoil=self.foils,
            blend=self.blend, points=self.points,
        )  # fmt: skip
        if self.tip is not None:
            found["tip_loss"] = self.tip.at(xi)
        if self.control is not None:
            found["control"] = self.control()
        if self.unsteady:
            found["model"] = "theodorsen"
        return found


def aerodynamic_body(args: Arguments) -> None:
    """aerodynamic body: label, node, [induced velocity, label,] offset, orientation, span, …;"""
    deck = args.deck
    deck.count("aerodynamic elements")
    label = deck.new_label(args, "aerodynamic element")
    node = deck.node(args)
    inflow = read_inflow(args)
    end = End(
        node, relative_position(args, node.reference), relative_orientation(args, node.reference)
    )
    span = args.positive("the span of an aerodynamic body")
    strip = Strip(args)
    item, layout = f"aerodynamic {label}", strip.layout
    record = SurfaceRecord(label, item, node.label, (node.label,), layout, output_flag(args))
    args.end()
    deck.aero.surfaces[label] = record

    def build() -> None:
        import linkwork

        xi = np.polynomial.legendre.leggauss(strip.points)[0]
        record.pieces = np.zeros(strip.points, int)
        deck.model.add(record.item, linkwork.LiftingSurface(
            end.frame(), span=span, inflow=None if inflow is None else inflow.rotor(),
            **strip.words(xi),
        ))  # fmt: skip

    deck.build_later(args, build)


def aerodynamic_beam(nodes: int) -> Callable[[Arguments], None]:
    """aerodynamic beam2 | beam3: label, beam, [induced velocity, …,] (offset, orientation) …, …;"""

    def card(args: Arguments) -> None:
        from linkwork.elements.aero.surfaces.family import stations

        deck = args.deck
        deck.count("aerodynamic elements")
        label = deck.new_label(args, "aerodynamic element")
        i = args.i
        number = args.label("the label of a beam")
        if number not in deck.beams:
            args.fail(f"there is no beam {number} before this card", i)
        beam = deck.beams[number]
        if len(beam.ends) != nodes:
            args.fail(f"beam {number} has {len(beam.ends)} nodes, and this element {nodes}", i)
        inflow = read_inflow(args)
        ends, labels = [], []
        for end in beam.ends:
            offset = relative_position(args, end.node.reference)
            ends.append(End(end.node, offset, relative_orientation(args, end.node.reference)))
            labels.append(end.node.label)
        strip = Strip(args)
        item, layout = f"aerodynamic {label}", strip.layout
        record = SurfaceRecord(label, item, number, tuple(labels), layout, output_flag(args))
        args.end()
        deck.aero.surfaces[label] = record

        def build() -> None:
            import linkwork

            at = stations(nodes, strip.points, lambda _: 1.0, lambda x: x)
            record.pieces = at.piece
            deck.model.add(record.item, linkwork.LiftingSurface(
                [end.frame() for end in ends], inflow=None if inflow is None else inflow.rotor(),
                **strip.words(at.xi),
            ))  # fmt: skip

        deck.build_later(args, build)

    return card
