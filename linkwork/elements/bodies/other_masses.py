"""Masses that items bring: those of bodies, and of what lies beside them or on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from linkwork.model.frame import GROUND
from linkwork.model.registry import Item


class Piece(NamedTuple):
    """A mass on a body or a node: how much, its centre, and the inertia about that, in its axes."""

    end: Any
    mass: float
    centre: np.ndarray
    inertia: np.ndarray


def pieces_of(item: Item) -> list[Piece]:
    """The masses that an item brings, at t = 0."""
    bodies = [Piece(x, x.mass, np.zeros(3), np.asarray(x.inertia)) for x in item.bodies()]
    found = [piece for piece in bodies if piece.mass > 0 or np.any(piece.inertia)]
    for entry in item.entries():
        if entry.family.lumped is not None:
            lumped = entry.family.lumped(*entry.numbers)
            parts = lumped if isinstance(lumped, list) else [lumped]
            found += [Piece(end, *part) for end, part in zip(entry.bodies, parts)]
    return found


def other_masses(items: Iterable[Item]) -> dict[Item, list[Any]]:
    """Items beside bodies that bring mass, each with the bodies of the model that it loads with it;
    none for parts and nodes of its own."""
    found: dict[Item, list[Any]] = {}
    for item in items:
        own = [*item.bodies(), *item.vector_nodes()]
        pieces = [] if item in own else pieces_of(item)
        if pieces:
            mine = {id(end) for end in (GROUND, *own)}
            found[item] = [piece.end for piece in pieces if id(piece.end) not in mine]
    return found
