"""What cards of hydraulic elements share: their nodes, stops, and when they are made."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.errors import LinkworkWarning
from linkwork.io.mbdyn.hydraulics.circuit import HydraulicNode, known_node
from linkwork.io.mbdyn.syntax.arguments import Arguments


def later(
    args: Arguments, label: int, nodes: list[HydraulicNode], fluid: Any,
    make: Callable[[list[Any]], Any], columns: Callable[[Any, str], np.ndarray],
) -> None:  # fmt: skip
    """The element once all nodes are known, and its columns of the file .hyd."""
    name = f"hydraulic element {label}"
    for node in nodes:
        node.fluid = node.fluid or fluid

    def build() -> None:
        args.deck.model.add(name, make([node.port(fluid) for node in nodes]))

    args.deck.build_later(args, build)
    args.deck.circuit.columns[label] = lambda run: columns(run, name)


def outputs(*names: str) -> Callable[[Any, str], np.ndarray]:
    """Columns that are outputs of the item, in this order."""

    def columns(run: Any, name: str) -> np.ndarray:
        return np.column_stack([getattr(run[name], output).values for output in names])

    return columns


def nodes_of(args: Arguments, count: int) -> list[HydraulicNode]:
    return [known_node(args) for _ in range(count)]


def penalties(args: Arguments) -> dict[str, float]:
    words = ("stop_stiffness", "stop_damping", "stop_mass")
    return {word: args.real("a penalty of the stops") for word in words}


def assumed(args: Arguments, sentence: str) -> None:
    """Warn of a number that a card needs and MBDyn's manual does not say."""
    warnings.warn(f"{args.card}: {sentence}", LinkworkWarning, stacklevel=2)
