"""c81 data, the airfoils of a surface, and shapes along the span.

MBDyn's own coefficients of NACA 0012 and RAE 9671 are part of its program: for the first a deck has
the table of linkwork, with a note; the second needs a table of the user's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.io.mbdyn.drives.files import file_of
from linkwork.io.mbdyn.syntax.arguments import Arguments

SHAPES = ("const", "linear", "parabolic", "piecewise linear", "piecewise const")


def c81_data(args: Arguments) -> None:
    """c81 data: label [, tolerance, t], "file" [, flip] [, echo, "file" [, free format]];"""
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    label = args.label("the label of c81 data")
    args.card = f"c81 data {label}"
    if label in args.deck.aero.foils:
        args.fail(f"there are c81 data {label} already", 0)
    if args.keyword("name"):
        args.string("a name")
    if args.keyword("tolerance"):
        args.real("a tolerance")
    i = args.i
    path = file_of(args, args.string("the name of a file with a C81 table"))
    word = args.keyword("fc511", "nrel", "free format", "flip")
    if word in ("fc511", "nrel", "flip"):
        args.unsupported(f"airfoil data with the option '{word}' are not supported", args.i - 1)
    if args.keyword("echo"):
        args.string("the name of a file")
        args.keyword("free format", "free")
        args.deck.ignore("echo of c81 data")
    args.end()
    try:
        args.deck.aero.foils[label] = Airfoil.read_c81(path)
    except ModelError as error:
        args.fail(str(error), i)


def known_foil(args: Arguments) -> Any:
    i = args.i
    label = args.label("the label of c81 data")
    foils = args.deck.aero.foils
    if label not in foils:
        listed = ", ".join(map(str, foils)) or "none; write c81 data before the elements"
        args.fail(f"there are no c81 data {label} (there are {listed})", i)
    return foils[label]


def read_foils(args: Arguments) -> tuple[Any, bool, bool]:
    """The airfoil or pairs (s, airfoil), whether they blend, and whether they are unsteady."""
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    unsteady = bool(args.keyword("theodorsen"))
    if args.keyword("naca0012", "naca 0012"):
        args.deck.note(
            "naca 0012 has the table of linkwork (Ladson 1988; Sheldahl, Klimas 1981), since "
            "MBDyn's own is part of its program; give a table with c81 data to have another"
        )
        return Airfoil.naca0012(), True, unsteady
    if args.keyword("rae9671", "rae 9671"):
        args.unsupported(
            "rae 9671 is a table inside MBDyn's program; give one with c81 data", args.i - 1
        )
    if not args.keyword("c81"):
        args.fail(f"expected airfoil data (c81, naca 0012), found {args.shown()}")
    word = args.keyword("multiple", "interpolated")
    if not word:
        return known_foil(args), True, unsteady
    pairs = []
    for _ in range(args.count("the number of airfoils")):
        foil = known_foil(args)
        pairs.append(((1 + args.real("a place from -1 to 1")) / 2, foil))
    places = [s for s, _ in pairs]
    if any(b <= a for a, b in zip(places[:-1], places[1:])):
        args.fail("the places of the airfoils must rise")
    if abs(places[-1] - 1) > 1e-12 or (word == "interpolated" and abs(places[0]) > 1e-12):
        args.fail("the airfoils must reach to both ends of the span, from -1 to 1")
    return pairs, word == "interpolated", unsteady


class Shape:
    """A quantity over ξ from −1 to 1."""

    def __init__(self, args: Arguments) -> None:
        self.kind = args.one_of(SHAPES, "the shape of a quantity along the span")
        self.x, self.y = np.array([-1.0]), np.zeros(1)
        if self.kind == "const":
            self.y = np.array([args.real("a value")])
        elif self.kind == "linear":
            self.x, self.y = np.array([-1.0, 1.0]), np.array(args.reals(2, "a value"))
        elif self.kind == "parabolic":
            self.x, self.y = np.array([-1.0, 0.0, 1.0]), np.array(args.reals(3, "a value"))
        else:
            count = args.count("the number of points of a shape")
            rows = np.array([args.reals(2, "a place and a value") for _ in range(count)])
            self.x, self.y = rows[:, 0], rows[:, 1]
            if (np.diff(self.x) <= 0).any():
                args.fail("the places of a shape must rise")

    def at(self, xi: np.ndarray) -> Any:
        """Its values at points."""
        if self.kind == "const":
            return float(self.y[0])
        if self.kind == "parabolic":
            return np.polyval(np.polyfit(self.x, self.y, 2), xi)
        if self.kind == "piecewise const":
            i = np.clip(np.searchsorted(self.x, xi, side="right") - 1, 0, len(self.x) - 1)
            return self.y[i]
        return np.interp(xi, self.x, self.y)
