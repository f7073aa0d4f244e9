"""Loads, angles of attack and coefficients along lifting surfaces over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.aero.airfoils.airfoil import outside_message, too_fast_message
from linkwork.elements.aero.surfaces import survey as told
from linkwork.elements.aero.surfaces.layout import POINTS
from linkwork.elements.aero.surfaces.survey import TOLD_NUMBERS, body_rows, survey
from linkwork.results.outputs.stored import element_reals
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
    parts = [survey_element(result, e, rows) for e in surface_elements(result, name)]
    return np.concatenate(parts, axis=1)


def survey_element(result: Result, e: Element, rows: Any = None) -> np.ndarray:
    pick: Any = slice(None) if rows is None else rows
    times = np.ascontiguousarray(result.time[pick], float)
    T = len(times)
    layout, ends, local = result.system.layout, [], 0
    motion, values = [], [np.zeros((T, 3, 0))]
    stored = np.asarray(result.motion[:])[pick]
    known = np.asarray(result.values[:])[pick]
    first = 0
    for end in e.ends:
        if end >= len(layout.bodies):
            place = layout.first[end - len(layout.bodies) :]
            part = known[:, :, place[0] : place[1]]
            values.append(part)
            ends.append(first)
            first += part.shape[2]
            continue
        row = np.tile([0.0, 0, 0, 1, *np.zeros(9)], (T, 1)) if end < 0 else stored[:, end]
        motion.append(row)
        ends.append(local)
        local += 1
    own = np.concatenate(values, axis=2)
    six = np.zeros((T, 6, max(1, own.shape[2])))
    six[:, :3, : own.shape[2]] = own
    nodes = body_rows(np.stack(motion, axis=1))
    codes = e.entry.integer_row
    out = np.zeros((T, codes[POINTS], TOLD_NUMBERS))
    numbers = np.ascontiguousarray(moving_reals(result, e)[pick])
    survey(codes[None], numbers, nodes, six, np.array([ends], np.int64), times, out)
    return out


def moving_reals(result: Result, e: Element) -> np.ndarray:
    """The numbers of an element at all stored times; without laws, one row for all."""
    if not e.entry.laws:
        return np.broadcast_to(e.entry.reals, (len(result.time), len(e.entry.reals)))
    return element_reals(result, e)


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
