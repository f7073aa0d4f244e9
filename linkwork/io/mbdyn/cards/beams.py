"""Beams of two and three nodes on structural nodes, with a law of six dimensions.

    beam3, beam (its old name)   three nodes         beam2   two nodes
    hbeam, hbeam2                two nodes along a screw (elements.beams.helicoidal)

Offsets and axes of the nodes are relative to them, axes of the sections absolute or interpolated
between the nodes.  A two-node beam has its law as it is given (`shear_correction=False`).  MBDyn
interpolates the turns of each step, linkwork those from node to node, which do not depend on the
way here: results differ with the square of a step's turns within an element.

Piezoelectric sections take voltages from abstract nodes.  An actuator's nodes are not loaded by it;
a `piezoelectric beam` adds the currents of its electrodes to their equations (electrodes.py).

Beams have no inertia of their own: `body` cards on their nodes bring it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.beams.element import as_section
from linkwork.elements.flexible.section import Section
from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.joints import End, read_end
from linkwork.io.mbdyn.laws.laws import read_law
from linkwork.io.mbdyn.problem.blocks import ORIENTATIONS
from linkwork.io.mbdyn.scalars.nodes import ScalarNode
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import GLOBAL, absolute_orientation
from linkwork.kernels import rotations

CUSTOM = (
    "position", "orientation", "configuration", "force", "moment", "forces", "linear strain",
    "angular strain", "strains", "linear strain rate", "angular strain rate", "strain rates", "all",
)  # fmt: skip
INERTIA = (
    "inertia", "distributed inertia", "distributed mass", "distributed", "consistent mass",
    "consistent inertia", "consistent", "lumped mass", "lumped", "mass",
)  # fmt: skip


@dataclass
class BeamRecord:
    """A beam of the deck: its item in the model, nodes and offsets, and whether it is written."""

    label: int
    item: str
    ends: list[End]
    output: bool


def beam(nodes: int, helicoidal: bool = False) -> Callable[[Arguments], None]:
    """beam2 | beam3: label, (node, offset [, orientation, R]) …, (axes | from nodes, law) …
    [, piezoelectric actuator | beam, electrodes, abstract nodes, matrices …] [, custom output …]
    """

    def card(args: Arguments) -> None:
        deck = args.deck
        deck.count("beams")
        label = deck.new_label(args, "beam")
        ends = [read_end(args, position="bare") for _ in range(nodes)]
        axes, laws = [section_axes(args)], [read_law(args, 6)]
        if nodes == 3:
            axes.append(axes[0] if args.keyword("same") else section_axes(args))
            laws.append(laws[0] if args.keyword("same") else read_law(args, 6))
        electrodes = read_electrodes(args, nodes, helicoidal)
        refuse_inertia(args)
        if args.keyword("custom output"):
            read_custom_output(args)
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
            sections, voltages = [as_section(law.make()) for law in laws], []
            if electrodes is not None:
                voltages = electrodes.voltages()
                sections = [
                    Section(**{**s.parameters(), **words})
                    for s, words in zip(sections, electrodes.matrices)
                ]
            deck.model.add(name, linkwork.BeamElement(
                places[0], places[1], places[2] if nodes == 3 else None, section=sections,
                axes=turned, section_axes=given, shear_correction=False, helicoidal=helicoidal,
                electrodes=voltages,
            ))  # fmt: skip

        deck.build_later(args, build)

    return card


def refuse_inertia(args: Arguments) -> None:
    """MBDyn's manual has no inertia on the cards of beams."""
    begin, word = args.i, args.keyword(*INERTIA)
    if word:
        args.unsupported(
            f"'{word}' of a beam: MBDyn's manual documents no inertia on its card; give the mass "
            "of its pieces by body cards on its nodes, or write the beam as an lw.Beam", begin,
        )  # fmt: skip


def read_custom_output(args: Arguments) -> None:
    """What of a beam goes into NetCDF files; the orientation may be described."""
    while args.keyword(*CUSTOM):
        if args.keyword("orientation description"):
            args.one_of(ORIENTATIONS, "an orientation description")


@dataclass
class Electrodes:
    """The abstract nodes of a piezoelectric beam and the matrices of each section."""

    args: Arguments
    nodes: list[tuple[ScalarNode, int]]  # and where in the card they are named
    matrices: list[dict[str, np.ndarray]]
    coupled: bool

    def voltages(self) -> list[Any]:
        """Functions and readings; nodes themselves where currents flow into them."""
        found: list[Any] = []
        for node, place in self.nodes:
            if not self.coupled or (node.tie is not None and node.root[0] is None):
                if self.coupled:
                    self.args.deck.note(
                        f"{node.name} is clamped: the current of its electrode is not part of the "
                        "clamp's reaction"
                    )
                found.append(node.read("x"))
                continue
            if node.tie is not None:
                self.args.unsupported(
                    f"{node.name} is tied to another node by a distance genel; electrodes of a "
                    "piezoelectric beam must be nodes of their own", place,
                )  # fmt: skip
            node.read("x")  # makes its Quantity
            found.append(node.item)
        return found


def read_electrodes(args: Arguments, nodes: int, helicoidal: bool) -> Electrodes | None:
    """piezoelectric actuator | piezoelectric beam, number of electrodes, their abstract nodes, and
    for each section the matrix of forces by voltages; of a beam those of charges, too"""
    begin, word = args.i, args.keyword("piezoelectric actuator", "piezoelectric beam")
    if not word:
        return None
    coupled = word == "piezoelectric beam"
    if helicoidal or (coupled and nodes == 2):
        args.unsupported(f"'{word}' belongs to beams of three nodes, or actuators to beam2", begin)
    count, found = args.count("the number of electrodes"), []
    for _ in range(count):
        i = args.i
        node = args.deck.scalars.get(("abstract", args.label("the label of an abstract node")))
        if node is None:
            args.fail(f"there is no abstract node {args.shown(i)}; define it in the block "
                      "'nodes'", i)  # fmt: skip
        node.charged = node.charged or coupled
        found.append((node, i))
    matrices = [read_matrices(args, count, coupled)]
    if nodes == 3:
        same = bool(args.keyword("same"))
        matrices.append(matrices[0] if same else read_matrices(args, count, coupled))
    return Electrodes(args, found, matrices, coupled)


def read_matrices(args: Arguments, count: int, coupled: bool) -> dict[str, np.ndarray]:
    """6×n forces by voltages; n×6 charges by strains and n×n by voltages."""
    words = {"piezo": rectangle(args, 6, count)}
    if coupled:
        words["charge"] = rectangle(args, count, 6)
        words["capacitance"] = rectangle(args, count, count)
    return words


def rectangle(args: Arguments, rows: int, columns: int) -> np.ndarray:
    """A matrix row by row, or null."""
    if args.keyword("null"):
        return np.zeros((rows, columns))
    numbers = args.reals(rows * columns, f"a matrix of {rows}×{columns} numbers")
    return np.array(numbers).reshape(rows, columns)


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
