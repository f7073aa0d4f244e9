"""Where joints start: free rows that assembly holds on the angle, displacement or rate given."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.analysis.coordinates import joint_coordinates, twist_angle
from linkwork.elements.joints.joints import ROW_NAMES, Joint
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Entry
from linkwork.system.data import Data
from linkwork.system.state import State


def start_rows(model: Model) -> tuple[dict[str, dict[str, Drive]], dict[str, dict[str, float]]]:
    """Free rows of joints whose coordinate or rate the user gave: constant laws, and rates."""
    places: dict[str, dict[str, Drive]] = {}
    rates: dict[str, dict[str, float]] = {}
    for name, item in model.items.items():
        if isinstance(item, Joint):
            at, rate = item.start()
            if at:
                places[name] = {row: polynomial([value]) for row, value in at.items()}
            if rate:
                rates[name] = rate
    return places, rates


def start_entries(
    model: Model, laws: Mapping[str, Mapping[str, Drive]]
) -> list[tuple[str, Entry]]:
    """Lock entries that hold free rows of joints on their laws."""
    out = []
    for name, rows in laws.items():
        joint = model[name]
        numbers = tuple(ROW_NAMES.index(r) for r in rows)
        out.append((name, joint.lock_entry(tuple(sorted(numbers)), {"t": dict(rows)})))
    return out


def current(full: Data, state: State, name: str) -> dict[str, float]:
    """Displacement z and angle rz of a joint in a state."""
    element = next(e for e in full.system.elements if e.owner == name and e.entry.rows)
    full.set_time(state.time)
    x, q = joint_coordinates(np.asarray(element.entry.reals), state, element.ends)
    return {"z": float(x[2]), "rz": twist_angle(q)}
