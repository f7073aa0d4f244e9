"""The hydraulic nodes of a deck and the fluids of its elements.

A node is a Pressure, or a Supply where a clamp gives its pressure; its fluid is that of the first
element that joins it.  An abstract force takes its mass flow out of the circuit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.language import ExpressionError
from linkwork.model.drives import Derivative, Drive
from linkwork.model.signals.readings import reads

Columns = Callable[[Any], np.ndarray]


@dataclass
class HydraulicNode:
    """A hydraulic node: how it begins, and what becomes of it."""

    label: int
    args: Arguments
    value: float = 0.0
    output: bool = True
    clamp: Callable[[], Drive] | None = None
    loads: list[tuple[str, Callable[[], Drive]]] = field(default_factory=list)
    fluid: Any = None  # of the first element that joins it
    item: Any = None

    @property
    def name(self) -> str:
        return f"hydraulic {self.label}"

    def port(self, fluid: Any) -> Any:
        """The Pressure or Supply, made when an element first asks for it."""
        from linkwork.elements.hydraulics.ports import Pressure, Supply
        from linkwork.elements.hydraulics.pump import FlowSource

        if self.item is None:
            model = self.args.deck.model
            clamped = self.clamp is not None
            given = Supply(fluid, self.clamp()) if clamped else Pressure(fluid, self.value)  # type: ignore[misc]
            self.item = model.add(self.name, given)
            for name, load in self.loads:
                model.add(name, FlowSource(self.item, -load()))
        return self.item

    def read(self, name: str) -> Drive:
        """The drive of its pressure ("x"), or of the rate of that ("xP")."""
        if name not in ("x", "xP"):
            raise ExpressionError(f"a hydraulic node has the data x and xP, found '{name}'")
        if not self.args.deck.building:
            raise ExpressionError(f"{self.name} cannot be read here, before the model is made")
        if self.fluid is None:
            if self.clamp is None:
                raise ExpressionError(f"no element joins {self.name}, so it has nothing to be read")
            return self.clamp() if name == "x" else Derivative(self.clamp())
        return reads(self.port(self.fluid), "pressure" if name == "x" else "pressure_rate")


@dataclass
class Circuit:
    """What a deck says of hydraulics: fluids and nodes by label, columns of elements for .hyd."""

    fluids: dict[int, Any] = field(default_factory=dict)
    nodes: dict[int, HydraulicNode] = field(default_factory=dict)
    columns: dict[int, Columns] = field(default_factory=dict)


def hydraulic_node(args: Arguments) -> None:
    """hydraulic: label [, value, p];"""
    args.deck.count("hydraulic nodes")
    label = args.deck.new_label(args, "hydraulic node")
    node = HydraulicNode(label, args)
    args.deck.circuit.nodes[label] = node
    if args.keyword("value"):
        node.value = args.real("the pressure of a hydraulic node")
        if args.keyword("derivative"):
            args.real("the derivative of a pressure")
    while word := args.keyword("scale", "output"):
        if word == "output":
            node.output = args.flag("whether the node is written")
        elif not args.keyword("default"):
            args.real("a scale")
    args.end()


def known_node(args: Arguments) -> HydraulicNode:
    """The hydraulic node whose label comes next."""
    i = args.i
    label = args.label("the label of a hydraulic node")
    if label not in args.deck.circuit.nodes:
        args.fail(f"there is no hydraulic node {label}; define it in the block 'nodes'", i)
    return args.deck.circuit.nodes[label]


def is_hydraulic(args: Arguments) -> bool:
    """Whether a degree of freedom that comes next is that of a hydraulic node."""
    return args.more(1) and args.key(1) == "hydraulic"


def read_hydraulic(args: Arguments) -> HydraulicNode:
    """label, hydraulic [, algebraic]"""
    node = known_node(args)
    args.keyword("hydraulic")
    args.keyword("algebraic")
    return node


def flow_of_clamp(run: Any, node: HydraulicNode) -> np.ndarray:
    """The mass flow into the circuit at a clamped node, (T, 1); of one that nothing joins, none."""
    if node.item is None:
        return np.zeros((len(run.time), 1))
    return run[node.name].mass_flow.values[:, None]


def pressures(run: Any, node: HydraulicNode) -> np.ndarray:
    """The pressure of a node, (T, 1); of one that nothing joins, that of its clamp or its value."""
    from linkwork.results.outputs.stored import signal_values

    if node.item is None and node.clamp is not None:
        return signal_values(run, node.clamp())[:, None]
    if node.item is None:
        return np.full((len(run.time), 1), node.value)
    return run[node.name].pressure.values[:, None]
