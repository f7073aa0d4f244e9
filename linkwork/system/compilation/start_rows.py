"""Rows of start values: free rows of joints with an angle, a displacement or a rate to start with.

They stand in the tables of every system, behind the rows of the model, and are equations only while
a consistent start is sought: of coordinates with constant laws, of rates with laws whose rates are
those wanted.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.elements.joints.joints import ROW_NAMES, Joint
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Entry, Law

Places = dict[str, dict[str, Drive]]
Rates = dict[str, dict[str, float]]


def start_values(model: Model) -> tuple[Places, Rates]:
    """Free rows of joints with a coordinate or a rate to start with: constant laws, and rates."""
    places: Places = {}
    rates: Rates = {}
    for name, item in model.items.items():
        if isinstance(item, Joint):
            at, rate = item.start()
            if at:
                places[name] = {row: polynomial([value]) for row, value in at.items()}
            if rate:
                rates[name] = rate
    return places, rates


def start_entries(model: Model) -> list[tuple[str, Entry]]:
    """An element of the lock for every joint with start values, with all their rows."""
    places, rates = start_values(model)
    rows = {name: {**dict.fromkeys(rates.get(name, ())), **places.get(name, {})}
            for name in model.items if name in places or name in rates}  # fmt: skip
    return [(name, entry_of(model[name], dict.fromkeys(of, polynomial([0.0]))))
            for name, of in rows.items()]  # fmt: skip


def entry_of(joint: Joint, laws: Mapping[str, Drive]) -> Entry:
    """The element that holds free rows of a joint on their laws."""
    numbers = tuple(sorted(ROW_NAMES.index(row) for row in laws))
    return joint.lock_entry(numbers, {"t": dict(laws)})


def laws_of(joint: Joint, laws: Mapping[str, Drive]) -> Law:
    """The motion law of that element, for some of its rows; the others stay at zero."""
    (law,) = entry_of(joint, laws).laws
    return law
