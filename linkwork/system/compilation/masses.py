"""The masses of bodies as they move: with what elements add to them, and what is fixed to them.

Bodies that a joint holds to each other in all six ways move as one; those held to the ground do
not move at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from linkwork.elements.layout import SIX
from linkwork.model.frame import GROUND
from linkwork.model.registry import Entry


def fit_to_masses(entries: list[tuple[str, Entry]], bodies: dict[str, Any]) -> None:
    """Replace the entries that depend on masses by those for the masses of this model."""
    if not any(entry.with_masses for _, entry in entries):
        return
    masses = moving_masses([entry for _, entry in entries], bodies.values())
    for i, (name, entry) in enumerate(entries):
        if entry.with_masses:
            entries[i] = name, entry.with_masses([masses[id(body)] for body in entry.bodies])


def moving_masses(entries: list[Entry], bodies: Iterable[Any]) -> dict[int, float]:
    """By the id of each body, and of the ground; nan where it changes with time."""
    import networkx as nx  # slow to import

    masses = {id(body): float(body.mass) for body in bodies} | {id(GROUND): math.inf}
    fixed = nx.Graph()
    fixed.add_nodes_from(masses)
    for entry in entries:
        held = [id(body) for body in entry.bodies if id(body) in masses]
        if len(entry.rows) == SIX and len(held) == 2:
            fixed.add_edge(*held)
        for body, found in zip(entry.bodies, entry.masses()):
            mass = math.nan if entry.laws else float(found.mass)
            masses[id(body)] = masses.get(id(body), 0.0) + mass
    for group in nx.connected_components(fixed):
        together = math.inf if id(GROUND) in group else sum(masses[body] for body in group)
        masses |= dict.fromkeys(group, together)
    return masses
