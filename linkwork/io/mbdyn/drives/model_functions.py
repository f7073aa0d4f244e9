"""Functions of the namespace `model` that have a value while the file is read.

Nodes are where the file puts them; drive(label, x), its derivative drivep(label, x) and sf::name(x)
are functions of the deck.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.drives.callers import TIME
from linkwork.io.mbdyn.drives.readings import FUNCTIONS
from linkwork.io.mbdyn.syntax.geometry import GLOBAL, Reference
from linkwork.io.mbdyn.syntax.language import ExpressionError
from linkwork.kernels import rotations


def add_model_functions(deck: Deck) -> None:
    functions = deck.symbols.functions
    for name, (quantity, kind, count) in FUNCTIONS.items():
        functions[f"model::{name}"] = described(deck, name, quantity, kind, count)

    def drive(label: Any, x: Any = None, order: int = 0) -> float:
        if label not in deck.drives:
            raise ExpressionError(f"there is no drive caller {label}")
        at = deck.analysis.initial_time if x is None else float(x)
        found = deck.drives[label](TIME)
        return float(found(at) if order == 0 else found.jet([at])[0, order])

    functions["model::drive"] = drive
    functions["model::drivep"] = lambda label, x=None: drive(label, x, 1)


def described(deck: Deck, name: str, quantity: str, kind: str, count: int) -> Callable[..., float]:
    """A function of one node, or of the second relative to the first, where the file has them."""

    def node(label: Any) -> Reference:
        found = deck.nodes.get(label)
        if found is None:
            raise ExpressionError(f"there is no structural node {label}")
        return found.reference

    def function(*labels: Any) -> float:
        if len(labels) != count:
            raise ExpressionError(f"model::{name} takes {count} labels, found {len(labels)}")
        a, b = (GLOBAL, node(labels[0])) if count == 1 else (node(labels[0]), node(labels[1]))
        turn = rotations.logarithm(rotations.from_matrix(a.R.T @ b.R))
        x = {"position": b.x - a.x, "velocity": b.v - a.v, "angular velocity": b.w - a.w,
             "rotation": turn}[quantity]  # fmt: skip
        size = float(np.linalg.norm(x))
        if kind in ("norm", "square"):
            return size if kind == "norm" else size**2
        if kind in "xyz":
            return float(x["xyz".index(kind)])
        if size == 0:
            raise ExpressionError(f"model::{name} has no value where the nodes coincide")
        if kind == "rate":
            return float(x @ (b.v - a.v)) / size
        return float(x["xyz".index(kind[-1])]) / size

    return function
