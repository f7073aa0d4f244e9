"""Masses that items bring: those of bodies, and of what lies beside them or on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwork.model.frame import GROUND
from linkwork.model.registry import Item, Mass


def masses_of_item(item: Item) -> list[tuple[Any, Mass]]:
    """The masses that an item brings, at t = 0, each with the body or the node that it is on."""
    found = [(x, Mass(x.mass, np.zeros(3), np.asarray(x.inertia))) for x in item.bodies()]
    for entry in item.entries():
        found += zip(entry.bodies, entry.masses())
    return found


def other_masses(items: Iterable[Item]) -> dict[Item, list[Any]]:
    """Items beside bodies that bring mass, each with the bodies of the model that it loads with it;
    none for parts and nodes of its own."""
    found: dict[Item, list[Any]] = {}
    for item in items:
        own = [*item.bodies(), *item.vector_nodes()]
        masses = [] if item in own else masses_of_item(item)
        if masses:
            mine = {id(end) for end in (GROUND, *own)}
            found[item] = [end for end, _ in masses if id(end) not in mine]
    return found
