"""Loads, angles of attack and coefficients along lifting surfaces over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.aero.airfoils.airfoil import outside_message, too_fast_message
from linkwork.elements.aero.surfaces import survey as told
from linkwork.results.outputs.replayed import element_outputs
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result

FAMILY = "lifting surface"


def surface_elements(result: Result, name: str) -> list[Element]:
    """The elements of a surface, in order along its span."""
    return [e for e in result.system.elements
            if e.owner == name and e.entry.family.name.startswith(FAMILY)]  # fmt: skip


def surveyed(result: Result, name: str, rows: Any = None) -> np.ndarray:
    """(T, points, numbers) of all points of a surface at the stored times, or those of `rows`."""
    elements = surface_elements(result, name)
    parts = [
        found["_points"].reshape(len(found["_points"]), -1, told.TOLD_NUMBERS)
        for found in element_outputs(result, elements, rows=rows)
    ]
    return np.concatenate(parts, axis=1)


PORTION = 1000  # stored times that are looked at together
LOOKS = 40  # at most, for Mach numbers where the tables have all angles


def outside_tables(result: Result, name: str, item: Any) -> tuple[float, str] | None:
    """The first time at which an angle of attack, or a Mach number, leaves the tables of an airfoil
    that does not say what holds there, and a sentence about it."""
    foils = [foil for foil in item.all_airfoils() if foil.outside == "error"]
    bounded = any(foil.limits is not None for foil in foils)
    T = len(result.time)
    step = 1 if bounded else max(1, T // LOOKS)
    rows = np.unique(np.append(np.arange(0, T, step), T - 1))
    for part in np.array_split(rows, max(1, len(rows) // PORTION)) if foils else ():
        found = surveyed(result, name, part)
        for foil in foils:
            for values, limits, message in (
                (found[..., told.ALPHA], foil.limits, outside_message),
                (found[..., told.MACH], (0.0, foil.highest_mach), too_fast_message),
            ):
                if limits is None:
                    continue
                far = (values < limits[0] - 1e-9) | (values > limits[1] + 1e-9)
                if far.any():
                    t, j = np.argwhere(far)[0]
                    return float(result.time[part[t]]), message(foil, float(values[t, j]))
    return None
