"""generic aerodynamic force: coefficients of a craft over its angles against the air.

    generic aerodynamic force: label, node, [position, o,] [orientation, R,]
      [reference surface, S,] [reference length, L,] [alpha first, yes | no,]
      file, [angle units, radians | degrees, | scale angles, k,] [scale lengths, k,] "name";
"""

from __future__ import annotations

import math
from typing import Any

from linkwork.elements.aero.craft.coefficients import read_coefficients
from linkwork.errors import ModelError
from linkwork.io.mbdyn.aero.records import CraftRecord, SurfaceRecord
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.joints import End
from linkwork.io.mbdyn.drives.files import file_of
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    relative_orientation,
    relative_position,
)


def generic_force(args: Arguments) -> None:
    deck = args.deck
    deck.count("aerodynamic elements")
    label = deck.new_label(args, "aerodynamic element")
    node = deck.node(args)
    o = relative_position(args, node.reference) if args.keyword("position") else ZERO
    R = relative_orientation(args, node.reference) if args.keyword("orientation") else EYE
    end = End(node, o, R)
    area = args.positive("the reference surface") if args.keyword("reference surface") else 1.0
    length = args.positive("the reference length") if args.keyword("reference length") else 1.0
    first = args.flag("alpha first") if args.keyword("alpha first") else False
    if args.keyword("reference"):
        args.unsupported("data of another generic aerodynamic force are not supported; name the "
                         "file again", args.i - 1)  # fmt: skip
    if not args.keyword("file"):
        args.fail(f"expected file, found {args.shown()}")
    table = coefficients(args)
    item = f"aerodynamic {label}"
    record = SurfaceRecord(label, item, node.label, (node.label,), "generic", output_flag(args))
    args.end()
    deck.aero.surfaces[label] = record
    deck.aero.craft[label] = CraftRecord(label, node, o, R, first)
    if not first:
        deck.note(
            "generic aerodynamic force: beta is -atan(v2/(sign(v1) sqrt(v1^2 + v2^2))) as in "
            "MBDyn, which differs from the sideslip angle: it is 45 degrees in a pure crosswind"
        )

    def build() -> None:
        import linkwork

        alpha, beta, values = table
        deck.model.add(record.item, linkwork.AerodynamicForce(
            end.frame(), alpha, beta, values, area, length, first, sideslip="mbdyn",
        ))  # fmt: skip

    deck.build_later(args, build)


def coefficients(args: Arguments) -> tuple[Any, Any, Any]:
    """The table of a file, with its scales."""
    angle, scale = 1.0, 1.0
    if args.keyword("angle units"):
        word = args.one_of(("radians", "degrees"), "units of angles")
        angle = math.pi / 180 if word == "degrees" else 1.0
    elif args.keyword("scale angles"):
        angle = args.positive("the factor of angles")
    if args.keyword("scale lengths"):
        scale = args.positive("the factor of lengths")
    i = args.i
    path = file_of(args, args.string("the name of a file with coefficients"))
    try:
        return read_coefficients(path, angle, scale)
    except ModelError as error:
        args.fail(str(error), i)
