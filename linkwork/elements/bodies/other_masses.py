"""Masses of a model that are no bodies' own: which fields that know Body.mass alone would miss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linkwork.model.frame import GROUND
from linkwork.model.nodes import point
from linkwork.model.registry import Item

POINT = point()


def other_masses(items: Iterable[Item]) -> dict[Item, list[Any]]:
    """Items beside bodies that bring mass, each with the bodies of the model that it loads with it;
    none for nodes of its own."""
    found: dict[Item, list[Any]] = {}
    for item in items:
        mine = item.bodies()
        if item in mine:
            continue
        loaded = [end for e in item.entries() if e.family.lumped is not None for end in e.bodies]
        points = [n for n in item.vector_nodes() if n.kind.components == POINT.components]
        if loaded or points or any(part.mass > 0 for part in mine):
            own = {id(part) for part in mine}
            found[item] = [end for end in loaded if end is not GROUND and id(end) not in own]
    return found
