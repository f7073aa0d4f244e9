"""Masses that items bring: those of bodies, and of what lies beside them or on them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.model.registry import Entry, Item, Law, Mass


class Attached(NamedTuple):
    """A mass of an item, and the body or the point that it is on."""

    end: Any
    start: Mass  # at t = 0, without a time axis
    entry: Entry | None = None  # that declares it, for this of its ends
    which: int = 0

    def numbers(self, times: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
        """Some of its fields at each time, side by side."""
        mass = self.entry.masses(times)[self.which]  # type: ignore[union-attr]
        return np.hstack([np.reshape(getattr(mass, name), (len(times), -1)) for name in names])

    def law(self, column: int, names: tuple[str, ...], size: int) -> list[Law]:
        """The law of these fields, so many numbers, where they change."""
        changes = self.entry is not None and self.entry.laws
        return [Law(column, partial(self.numbers, names=names), size)] if changes else []


def masses_of_item(item: Item) -> list[Attached]:
    """The masses that an item brings."""
    found = [Attached(x, Mass(x.mass, np.zeros(3), np.asarray(x.inertia))) for x in item.bodies()]
    for entry in item.entries():
        found += [
            Attached(end, mass, entry, k)
            for k, (end, mass) in enumerate(zip(entry.bodies, entry.masses()))
        ]
    return found


def rigid_masses(item: Any, what: str) -> list[Attached]:
    """The masses of an item that a field acts on, each at one point; what: the field."""
    masses = masses_of_item(item) if isinstance(item, Item) else []
    if not masses:
        raise ModelError(
            f"{what} needs a body or another item with mass, such as a VariableMass or a Cable, "
            f"but {checks.show(item)} was given"
        )
    if any(x.entry is not None and len(x.entry.masses()) < len(x.entry.bodies) for x in masses):
        raise ModelError(
            f"{what} acts on masses at points, but that of {item.label} moves with its shapes; "
            "describe it as an lw.Beam, or as bodies"
        )
    return [x for x in masses if x.start.mass > 0 or np.any(x.start.inertia) or x.entry]


def other_masses(items: Iterable[Item]) -> dict[Item, list[Any]]:
    """Items beside bodies that bring mass, each with the bodies of the model that it loads with it;
    none for parts and nodes of its own."""
    found: dict[Item, list[Any]] = {}
    for item in items:
        own = [*item.bodies(), *item.vector_nodes()]
        masses = [] if item in own else masses_of_item(item)
        if masses:
            mine = {id(end) for end in (GROUND, *own)}
            found[item] = [mass.end for mass in masses if id(mass.end) not in mine]
    return found
