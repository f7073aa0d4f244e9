"""Functions of the namespace `model` that have a value while the file is read.

Nodes are where the file puts them; drive(label, x), its derivative drivep(label, x) and sf::name(x)
are functions of the deck.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.io.mbdyn.deck import Deck
from linkwork.io.mbdyn.drive_cards import TIME
from linkwork.io.mbdyn.language import ExpressionError


def add_model_functions(deck: Deck) -> None:
    functions = deck.symbols.functions

    def node(label: Any) -> Any:
        found = deck.nodes.get(label)
        if found is None:
            raise ExpressionError(f"there is no structural node {label}")
        return found.reference

    def between(a: Any, b: Any) -> np.ndarray:
        return node(b).x - node(a).x

    for k, axis in enumerate("xyz"):
        functions[f"model::{axis}position"] = lambda a, k=k: float(node(a).x[k])
        functions[f"model::{axis}distance"] = lambda a, b, k=k: float(between(a, b)[k])
        functions[f"model::{axis}velocity"] = lambda a, k=k: float(node(a).v[k])
        functions[f"model::{axis}angvel"] = lambda a, k=k: float(node(a).w[k])
    for word, vector in (("position", lambda a: node(a).x), ("velocity", lambda a: node(a).v)):
        functions[f"model::{word}"] = lambda a, v=vector: float(np.linalg.norm(v(a)))
        functions[f"model::{word}2"] = lambda a, v=vector: float(v(a) @ v(a))
    functions["model::distance"] = lambda a, b: float(np.linalg.norm(between(a, b)))
    functions["model::distance2"] = lambda a, b: float(between(a, b) @ between(a, b))

    def drive(label: Any, x: Any = None, order: int = 0) -> float:
        if label not in deck.drives:
            raise ExpressionError(f"there is no drive caller {label}")
        at = deck.analysis.initial_time if x is None else float(x)
        found = deck.drives[label](TIME)
        return float(found(at) if order == 0 else found.jet([at])[0, order])

    functions["model::drive"] = drive
    functions["model::drivep"] = lambda label, x=None: drive(label, x, 1)
