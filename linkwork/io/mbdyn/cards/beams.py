"""Beams of two and three nodes on structural nodes, with a law of six dimensions.

Offsets and axes of the nodes are relative to them, axes of the sections absolute or interpolated
between the nodes.  A two-node beam has its law as it is given (`shear_correction=False`).  MBDyn
interpolates the turns of each step, linkwork those from node to node, which do not depend on the
way here: results differ with the square of a step's turns within an element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints import End, read_end
from linkwork.io.mbdyn.laws.laws import read_law
from linkwork.io.mbdyn.problem.blocks import ORIENTATIONS
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import GLOBAL, absolute_orientation
from linkwork.math import rotations

CUSTOM = (
    "position", "orientation", "configuration", "force", "moment", "forces", "linear strain",
    "angular strain", "strains", "linear strain rate", "angular strain rate", "strain rates", "all",
)  # fmt: skip


@dataclass
class BeamRecord:
    """A beam of the deck: its item in the model, nodes and offsets, and whether it is written."""

    label: int
    item: str
    ends: list[End]
    output: bool


def beam(nodes: int) -> Callable[[Arguments], None]:
    """beam2 | beam3: label, (node, offset [, orientation, R]) …, (axes | from nodes, law) …"""

    def card(args: Arguments) -> None:
        deck = args.deck
        deck.count("beams")
        label = deck.new_label(args, "beam")
        ends = [read_end(args, position="bare") for _ in range(nodes)]
        axes, laws = [section_axes(args)], [read_law(args, 6)]
        if nodes == 3:
            axes.append(axes[0] if args.keyword("same") else section_axes(args))
            laws.append(laws[0] if args.keyword("same") else read_law(args, 6))
        if args.keyword("piezoelectric actuator"):
            args.unsupported("piezoelectric actuators of beams are not supported", args.i - 1)
        if args.keyword("custom output"):
            while args.keyword(*CUSTOM):
                if args.keyword("orientation description"):
                    args.one_of(ORIENTATIONS, "an orientation description")
            deck.ignore("custom output of beams")
        output = output_flag(args, "beam")
        args.end()
        name = f"beam {label}"
        deck.beams[label] = BeamRecord(label, name, ends, output)

        def build() -> None:
            import linkwork

            frames = [end.frame() for end in ends]
            turned = [rotations.multiply(f.body.orientation, f.orientation) for f in frames]
            places = [linkwork.Frame(f.body, f.position) for f in frames]
            given = None if all(R is None for R in axes) else between(axes, turned)
            deck.model.add(name, linkwork.BeamElement(
                places[0], places[1], places[2] if nodes == 3 else None,
                section=[law.make() for law in laws], axes=turned, section_axes=given,
                shear_correction=False,
            ))  # fmt: skip

        deck.build_later(args, build)

    return card


def section_axes(args: Arguments) -> np.ndarray | None:
    """Axes of a section in the world; None where they are those of the nodes."""
    if args.keyword("from nodes", "node"):
        return None
    return absolute_orientation(args, GLOBAL)


def between(axes: list[np.ndarray | None], turned: list[np.ndarray]) -> list[np.ndarray]:
    """Quaternions of all sections, those from nodes interpolated."""
    from linkwork.elements.beams.family import POINTS, shape_functions

    n, found = len(turned), []
    reference = turned[n - 2]
    back = rotations.conjugate(reference)
    turns = [rotations.logarithm(rotations.multiply(q, back)) for q in turned]
    for R, xi in zip(axes, POINTS[n]):
        if R is not None:
            found.append(rotations.from_matrix(R))
            continue
        theta = sum(N * t for N, t in zip(shape_functions(n, xi)[0], turns))
        found.append(rotations.multiply(rotations.exponential(np.asarray(theta)), reference))
    return found
