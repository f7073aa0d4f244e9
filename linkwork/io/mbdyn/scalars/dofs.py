"""Degrees of freedom that cards name: of an abstract node, or a coordinate of a structural one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.io.mbdyn.deck.deck import StructuralNode
from linkwork.io.mbdyn.drives.readings import made_frame
from linkwork.io.mbdyn.scalars.nodes import KINDS, ScalarNode
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.signals.readings import reads

AXES = np.eye(3)
ORDERS = ("algebraic", "differential")


class Dof(NamedTuple):
    """A degree of freedom: its node, which coordinate, and whether its derivative is meant."""

    node: Any  # a StructuralNode, a ScalarNode or a HydraulicNode
    axis: int = 0
    derivative: bool = False

    @property
    def scalar(self) -> ScalarNode | None:
        return self.node if isinstance(self.node, ScalarNode) else None

    @property
    def frame(self) -> Frame:
        """Of a structural node."""
        return made_frame(self.node)

    def read(self) -> Drive:
        quantity = "velocity" if self.derivative else "position"
        if not isinstance(self.node, StructuralNode):
            return self.node.read("xP" if self.derivative else "x")
        return reads(self.frame, quantity, AXES[self.axis])


def read_dof(args: Arguments, hydraulic: bool = False) -> Dof:
    """label, abstract | structural [| hydraulic], [index,] [algebraic | differential]"""
    i = args.i
    label = args.label("the label of a node")
    kind = args.one_of((*KINDS, "structural", *["hydraulic"] * hydraulic), "a kind of node")
    deck = args.deck
    if kind == "hydraulic":
        if label not in deck.circuit.nodes:
            args.fail(f"there is no hydraulic node {label}; define it in the block 'nodes'", i)
        return Dof(deck.circuit.nodes[label], 0, args.keyword(*ORDERS) == "differential")
    if kind == "structural":
        args.i = i
        node = deck.node(args)
        args.i += 1
        at = args.i
        index = args.integer("the number of a degree of freedom")
        if not 1 <= index <= 3:
            args.unsupported(
                f"degree of freedom {index} of a structural node is not supported, only its "
                "position (1 to 3)", at,
            )  # fmt: skip
        return Dof(node, index - 1, args.keyword(*ORDERS) == "differential")
    if (kind, label) not in deck.scalars:
        args.fail(f"there is no {kind} node {label}; define it in the block 'nodes'", i)
    return Dof(deck.scalars[kind, label], 0, args.keyword(*ORDERS) == "differential")
