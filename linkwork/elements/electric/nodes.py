"""Nodes of electric circuits: voltages against ground, where elements meet.

    Σ i = 0          i current into each element that is joined there (Kirchhoff)

A node where no capacitor asks for its rate has an algebraic equation; else one of first order,
which is decided when the model is compiled.  `lw.GROUND` is the node of voltage zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.frame import GROUND, Ground
from linkwork.model.nodes import REFERENCE, scalar
from linkwork.model.nodes import Node as VectorNode
from linkwork.model.registry import Entry, Item

VOLTAGE = scalar("voltage", 0, "V")
CURRENT_SIZE = 1.0  # A, with which corrections of currents are compared


@dataclass(eq=False)
class Node(Item):
    """A node of a circuit: its voltage against ground.

    value is the voltage (V) at the start of a run: of the capacitors that are joined there, and a
    guess where there is none.  Without a value it is zero, or that of a source from ground.  scale
    is a typical size of its voltage (V; default 1).  `lw.GROUND` stands for a node of voltage zero.

    Outputs: voltage (V), voltage_rate (V/s); `lw.reads(node, "voltage")` reads it.

    Example
    -------
    >>> import linkwork as lw
    >>> plus = lw.electric.Node()
    >>> battery = lw.electric.VoltageSource(plus, lw.GROUND, 12)
    >>> lamp = lw.electric.Resistor(plus, lw.GROUND, 6)
    """

    value: float | None = None
    scale: float = 1.0
    node: VectorNode = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.value is not None:
            self.value = checks.number(self.value, f"value of {self.label}")
        self.scale = checks.number(self.scale, f"scale of {self.label}", positive=True)
        if "node" not in self.__dict__:
            self.node = VectorNode(VOLTAGE, storing=True)
        self.node.scale = self.scale
        self.start_at(0.0)

    def start_at(self, voltage: float) -> None:
        """Its voltage at the start, where the user has given none."""
        self.node.value = np.array([voltage if self.value is None else self.value])

    def vector_nodes(self) -> list[VectorNode]:
        return [self.node]

    def entries(self) -> list[Entry]:
        return []

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.electric.passive import Resistor

        return sample_branch(rng, lambda plus, minus: Resistor(plus, minus, 1.5))


def sample_branch(rng: np.random.Generator, make: Any) -> list[Any]:
    """Two nodes and what is made between them, for tests of derivatives."""
    plus, minus = Node(rng.normal()), Node(rng.normal())
    return [plus, minus, make(plus, minus)]


class Branch(Item, abstract=True):
    """What joins two nodes of a circuit; its current flows from plus through it to minus."""

    plus: Node | Ground
    minus: Node | Ground

    def check_ends(self, *words: str) -> None:
        """An error unless the ends are two different nodes, or one and the ground."""
        words = words or ("plus", "minus")
        ends = [getattr(self, word) for word in words]
        for word, end in zip(words, ends):
            if end is not GROUND and not isinstance(end, Node):
                raise ModelError(
                    f"{word} of {self.label} must be an electric Node or GROUND, but "
                    f"{checks.show(end)} was given"
                )
        if ends[0] is ends[1]:
            shown = "GROUND" if ends[0] is GROUND else ends[0].label
            raise ModelError(
                f"{self.label} joins {shown} with itself; give two different nodes, or a node and "
                "GROUND"
            )

    def needs(self) -> tuple[Item, ...]:
        return tuple(end for end in (self.plus, self.minus) if isinstance(end, Node))

    @property
    def ends(self) -> tuple[Any, Any]:
        """The nodes of its equations."""
        return end_of(self.plus), end_of(self.minus)

    def stored_ends(self) -> list[VectorNode]:
        return [end.node for end in (self.plus, self.minus) if isinstance(end, Node)]


def end_of(node: Any) -> Any:
    """The vector node of a Node; the reference for the ground."""
    return node.node if isinstance(node, Node) else REFERENCE
