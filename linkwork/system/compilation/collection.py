"""What a model is made of when it is compiled: bodies, vector nodes, elements and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body, refuse_changed
from linkwork.elements.signals.signals import signal_entries
from linkwork.errors import ModelError
from linkwork.model.control.controller import begin_records
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.nodes import REFERENCE, Node
from linkwork.model.registry import Entry, Item
from linkwork.system.compilation.masses import fit_to_masses
from linkwork.system.compilation.numbering import Element, Row
from linkwork.system.layout import GROUND_END, REFERENCE_END


def collect(
    model: Model, bodies: dict[str, Any], nodes: tuple[Node, ...],
    starts: Sequence[tuple[str, Entry]],
) -> tuple[tuple[Element, ...], tuple[Row, ...]]:  # fmt: skip
    """The elements of all items with the numbers of their ends, and the rows that constrain;
    `starts`: entries with rows of start values, under the names of their joints."""
    number = {id(body): i for i, body in enumerate(bodies.values())}
    number |= {id(node): len(bodies) + i for i, node in enumerate(nodes)}
    number |= {id(GROUND): GROUND_END, id(REFERENCE): REFERENCE_END}
    elements: list[Element] = []
    rows: list[Row] = []
    entries = [(name, entry) for name, item in model.items.items() for entry in item.entries()]
    fit_to_masses(entries, bodies)
    if model.planar is not None:
        from linkwork.system.compilation.planar import (
            guides,  # with elements that other models do without
        )

        entries += guides(model, entries, bodies)
    entries += starts
    begin_records(law.signal for _, entry in entries for law in entry.laws)
    signals = [(name, s) for name, entry in entries for s in signal_entries(model[name], entry)]
    for name, entry in [*signals, *entries]:  # numbers are known before they are used
        ends = []
        for body in entry.bodies:
            if id(body) not in number:
                raise ModelError(f"{model[name].label} uses {body!r}, {not_there(body, model)}")
            ends.append(number[id(body)])
        if not np.all(np.isfinite(entry.reals)):
            raise ModelError(f"{model[name].label} has numbers that are not finite; correct them")
        family, sizes = entry.family, (len(entry.reals), len(entry.integers), len(entry.memory))
        if sizes != (family.reals, family.integers, family.memory.size):
            raise ModelError(
                f"{model[name].label}: expected {family.reals} reals, {family.integers} integers "
                f"and {family.memory.size} numbers of memory for an element of the family "
                f"'{family.name}', found {sizes[0]}, {sizes[1]} and {sizes[2]}; give its entry as "
                "many as its family declares"
            )
        for node in entry.bodies if entry.rows else ():
            if isinstance(node, Node) and node.kind.order != 2:
                raise ModelError(
                    f"{model[name].label} would hold {node.label} by a constraint, but constraints "
                    "act on bodies and on nodes whose equations are of order 2, and its are of "
                    f"order {node.kind.order}; add to its equations instead"
                )
        elements.append(Element(name, entry, tuple(ends), len(rows)))
        angles = entry.family.angles
        rows += [
            Row(name, entry.row_names[r], r, r in entry.driven, len(elements) - 1, r in angles)
            for r in entry.rows
        ]
    joined = {id(end) for e in elements for end in e.entry.bodies}
    for node in nodes:
        if id(node) not in joined:
            raise ModelError(
                f"{node.label} is joined to nothing, so its equation is empty; join it to an "
                "element, or take it out of the model"
            )
    return tuple(elements), tuple(rows)


def bodies_of(model: Model) -> dict[str, Any]:
    """The bodies of a compiled model by their names, in its order."""
    return {body.name: body for item in model.items.values() for body in item.bodies()}


def nodes_of(model: Model) -> tuple[Node, ...]:
    """The vector nodes of a model, in its order, named after the items that bring them."""
    found: list[Node] = []
    rates = {id(node) for item in model.items.values() for node in item.rates_needed()}
    for item in model.items.values():
        mine = item.vector_nodes()
        for node in mine:
            if node.storing:
                node.kind = replace(node.kind, order=int(id(node) in rates))
            part = node.kind.name if len(mine) > 1 else ""
            node.name = f"{item.name}.{part}" if part else str(item.name)
        found += mine
    return tuple(found)


def add_sensors(model: Model) -> None:
    """Add the sensors that drives of its items read, under names of their own."""
    for item in list(model.items.values()):
        for leaf in item.read_leaves():
            sensor: Any = getattr(leaf, "item", None)
            name = getattr(sensor, "own_name", None)
            if name is None or sensor.name is not None:
                continue
            for other in sensor.needs():
                if model.items.get(other.name or "") is not other:
                    raise ModelError(f"{item.label} reads {other.label}, {not_there(other, model)}")
            count = sum(known == name or known.startswith(f"{name} (") for known in model.items)
            model.add(f"{name} ({count + 1})" if count else name, sensor)


def check_items(model: Model) -> None:
    """Arrays of bodies that were changed in place, and items that need others."""
    if not np.all(np.isfinite(model.gravity)):
        raise ModelError(f"gravity of model '{model.name}' must be finite numbers")
    for item in model.items.values():
        for other in item.needs():
            if model.items.get(other.name or "") is not other:
                raise ModelError(f"{item.label} acts on {other.label}, {not_there(other, model)}")
        for other in item.read_items():
            if model.items.get(other.name or "") is not other:
                raise ModelError(f"{item.label} reads {other.label}, {not_there(other, model)}")
    items = list(model.items.values())
    refuse_changed([item for item in items if isinstance(item, Body)])
    kinds: dict[type[Item], None] = dict.fromkeys(type(item) for item in items)
    for kind in kinds:
        kind.refuse_beside(items)


def not_there(item: Any, model: Model) -> str:
    """Why an item cannot be used, and what to do."""
    if not getattr(item, "name", None):
        return f"which is not in model '{model.name}'; add it with model.add(name, ...)"
    return f"which is in another model than '{model.name}'; use items of this model only"
