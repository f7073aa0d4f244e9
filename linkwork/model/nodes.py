"""Kinds of nodes: what has unknowns of its own.

    rigid    6 unknowns, 7 coordinates   r ← r + δr, ρ ← ρ exp(θ)
    vector   n unknowns, n coordinates   q ← q + δq          (a point has three, a scalar one)

The order of a node's equations is that of the highest derivative in them:

    2   m q̈ + … = 0     amplitudes of a flexible body, points of a solid
    1   c q̇ + … = 0     pressures of compressible fluids, charges, temperatures, states of filters
    0   k q + … = 0     voltages, flows, what an element keeps to itself

Rigid nodes are bodies (`Item.bodies`).  An item brings vector nodes by `Item.vector_nodes`; its
entries say which bodies and nodes they act on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks

RIGID_MOTION, VECTOR = "rigid motion", "vector"  # charts


@dataclass(frozen=True)
class NodeKind:
    """What all nodes of a kind have in common.

    name       : what messages call such a node
    unknowns   : how many numbers change it;   coordinates : how many describe it
    chart      : how unknowns change coordinates
    order      : of its equations, 2, 1 or 0
    components : names of its unknowns;   units : of its coordinates, one for each unknown
    """

    name: str
    unknowns: int
    coordinates: int
    chart: str
    order: int
    components: tuple[str, ...]
    units: tuple[str, ...]


RIGID = NodeKind(
    "body", 6, 7, RIGID_MOTION, 2, ("x", "y", "z", "rx", "ry", "rz"), ("m",) * 3 + ("rad",) * 3
)


def point(name: str = "point", order: int = 2) -> NodeKind:
    """A point in space."""
    return NodeKind(name, 3, 3, VECTOR, order, ("x", "y", "z"), ("m",) * 3)


def scalar(name: str, order: int, unit: str = "1") -> NodeKind:
    """A single number: a pressure, a voltage, a state of a filter."""
    return vector(name, 1, order, unit)


def vector(name: str, n: int, order: int, unit: str = "1") -> NodeKind:
    """n numbers of one unit: amplitudes of modes, states of a controller."""
    names = (name,) if n == 1 else tuple(f"{name} {i + 1}" for i in range(n))
    return NodeKind(name, n, n, VECTOR, order, names, (unit,) * n)


class Node:
    """A vector node of a model: its kind, where it starts, and the size of its numbers.

    name     : of its results, run[name]; the model names it after the item that brings it
    value    : at the start of a run; of order zero a guess
    rate     : at the start, of order two; None: what constraints make of it.  Of order one a guess
    scale    : a typical size of its values, with which corrections and errors are compared
    internal : known to one element alone
    storing  : of order zero, or one where an item of the model asks for its rate
               (`Item.rates_needed`), which is decided when the model is compiled
    lowest   : runs in which its values fall below are refused: a vapour pressure
    beneath  : what a message says of that, with {node}, {value}, {lowest} and {when}
    remedy   : what a message says is to be done where nothing determines its values
    unsolved : what it says where its equations have no solution near the value at the start
    """

    def __init__(
        self, kind: NodeKind, value: Any = 0.0, rate: Any = 0.0, *, scale: float = 1.0,
        name: str = "", internal: bool = False, storing: bool = False,
    ) -> None:  # fmt: skip
        if kind.chart != VECTOR or kind.order not in (0, 1, 2):
            raise ModelError(f"a Node must be of a vector kind of order 0, 1 or 2, not {kind}")
        self.kind, self.name, self.internal, self.storing = kind, name, internal, storing
        self.value, self.follows = self._numbers(value, "value"), rate is None
        self.rate = self._numbers(0.0 if rate is None else rate, "rate")
        self.scale = checks.number(scale, f"scale of {self.label}", positive=True)
        self.lowest: float | None = None
        self.beneath = self.remedy = self.unsolved = ""

    def _numbers(self, given: Any, what: str) -> np.ndarray:
        found = checks.array(given)
        n = self.kind.unknowns
        if found is None or found.shape not in ((), (n,)) or not np.all(np.isfinite(found)):
            count = "a finite number" if n == 1 else f"{n} finite numbers"
            raise ModelError(
                f"{what} of {self.label} must be {count}, but {checks.show(given)} was given"
            )
        return np.broadcast_to(found, (n,)).astype(float)

    @property
    def size(self) -> int:
        return self.kind.unknowns

    @property
    def label(self) -> str:
        return f"{self.kind.name} '{self.name}'" if self.name else f"a {self.kind.name}"

    def __repr__(self) -> str:
        return self.label

    def describe(self, component: int) -> str:
        """One of its unknowns in words."""
        if self.size == 1:
            return self.label
        return f"{self.label}, {self.kind.components[component]}"


class Reference:
    """What has the value zero: the ground of a circuit, the ambient pressure."""

    name, label = "reference", "the reference"

    def __repr__(self) -> str:
        return "REFERENCE"

    def __reduce__(self) -> str:
        return "REFERENCE"  # there is one, also after copying and pickling


REFERENCE = Reference()


def first_places(nodes: Sequence[Node]) -> np.ndarray:
    """Where the values of each node begin among those of all; one more follows the last."""
    return np.concatenate([[0], np.cumsum([node.size for node in nodes])]).astype(np.int64)
