"""Contacts over the stored times: gaps, forces, places; and a table of what touches at one time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.contact.contact import Contact
from linkwork.elements.contact.history import (
    APART, FORCE, GAP, LOST, MOMENT, ROW, SLIPS, WAY, WHERE, contact_history,
)  # fmt: skip
from linkwork.elements.contact.layout import FLIP, MEMORY
from linkwork.elements.layout import UNKNOWN
from linkwork.results.outputs.stored import body_motion, memory_at_start, memory_place
from linkwork.results.outputs.views.base import Output
from linkwork.results.outputs.views.elements import ElementView

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.system.compilation.numbering import Element

HARD: dict[str, Any] = {"force": slice(0, 3), "point": slice(3, 6), "normal_force": 6, "count": 7}
VECTORS = ("force", "moment", "point", "normal", "slip")
UNITS = {
    "gap": ("m", "gap between the surfaces (negative: depth)"),
    "force": ("N", "force on the second body"),
    "moment": ("N m", "moment on the second body about the point"),
    "point": ("m", "centre of pressure"),
    "normal": ("1", "normal from the first body to the second"),
    "normal_force": ("N", "sum of normal forces"),
    "slip": ("m/s", "velocity of the second body over the first at the point"),
    "power": ("W", "power that it supplies"),
    "count": ("1", "number of pairs that touch"),
}


class ContactView(ElementView):
    """What a contact did; of several pairs of bodies the sums, and the nearest or most loaded."""

    def _make_outputs(self) -> dict[str, Output]:
        names = HARD if self._item.hard else UNITS
        return {
            name: Output(
                lambda name=name: self._parts[name], "xyz" if name in VECTORS else "",  # type: ignore[misc]
                *UNITS[name],
            )
            for name in names
        }  # fmt: skip

    @cached_property
    def _parts(self) -> dict[str, np.ndarray]:
        if self._item.hard:
            return hard_parts(self._result, self._item)
        return summed([rows_of(self._result, e) for e in self._elements])

    @property
    def _elements(self) -> list[Element]:
        return [e for e in self._result.system.elements if e.owner == self._name]

    def table(self, time: float | None = None) -> xr.Dataset:
        """The pairs that touch at the stored time nearest to `time` (the last without one).

        Over the axis pair: names of both bodies, gap, normal_force, force and slip, point.
        """
        import xarray as xr

        result = self._result
        k = len(result.time) - 1 if time is None else int(np.argmin(np.abs(result.time - time)))
        rows, names = [], []
        for e in () if self._item.hard else self._elements:
            row = rows_of(result, e)[k]
            if row[GAP] < 0:
                rows.append(row)
                ends = [result.system.names[b] if b >= 0 else "ground" for b in e.ends]
                names.append(ends if e.entry.integers[FLIP] > 0 else ends[::-1])
        found = np.array(rows).reshape(-1, ROW)
        load = np.einsum("ni,ni->n", found[:, FORCE : FORCE + 3], found[:, WAY : WAY + 3])
        data = {
            "a": ("pair", [x[0] for x in names]), "b": ("pair", [x[1] for x in names]),
            "gap": ("pair", found[:, GAP]), "normal_force": ("pair", np.abs(load)),
        }  # fmt: skip
        for name, first in (("point", WHERE), ("force", FORCE), ("slip", SLIPS)):
            data[name] = (("pair", "xyz"), found[:, first : first + 3])  # type: ignore[assignment]
        coords = {"xyz": list("xyz")}
        return xr.Dataset(data, coords, {"time": float(result.time[k])})


def rows_of(result: Any, e: Element) -> np.ndarray:
    """(T, ROW) of one element, as the user ordered its bodies."""
    reals = e.entry.row
    for law in e.entry.laws:
        reals[law.column : law.column + law.length] = law.values(result.time[:1])[0]
    known = memory_at_start(result)
    if known is not None:
        own = np.asarray(known, float)[memory_place(result.system, e)]
        if abs(own[0]) < UNKNOWN / 2 and not np.isnan(own).any():
            reals[-MEMORY:] = own
    ends = [body_motion(result, b) for b in e.ends]
    r, q, v, omega = (list(part) for part in zip(*ends))
    rows = contact_history(e.entry.integer_row, reals, result.time, r, q, v, omega)
    if e.entry.integers[FLIP] < 0:
        for first in (FORCE, MOMENT, WAY, SLIPS):
            rows[:, first : first + 3] *= -1.0
    return rows


def summed(several: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Sums over elements; point, normal and slip are those of the most loaded, the point the mean
    over the loads."""
    rows = np.stack(several)  # (elements, T, ROW)
    force, way = rows[..., FORCE : FORCE + 3], rows[..., WAY : WAY + 3]
    load = np.maximum(np.einsum("eti,eti->et", force, way), 0.0)
    most, times = load.argmax(axis=0), np.arange(rows.shape[1])
    total = load.sum(axis=0)
    share = load / np.where(total > 0, total, 1.0)
    point = np.einsum("et,eti->ti", share, rows[..., WHERE : WHERE + 3])
    gap = rows[..., GAP].min(axis=0)
    turn = rows[..., MOMENT : MOMENT + 3] + np.cross(rows[..., WHERE : WHERE + 3] - point, force)
    return {
        "gap": np.where(gap >= APART, np.nan, gap), "force": force.sum(axis=0),
        "moment": turn.sum(axis=0), "point": np.where(total[:, None] > 0, point, np.nan),
        "normal": way[most, times], "normal_force": total,
        "slip": rows[most, times, SLIPS : SLIPS + 3], "power": -rows[..., LOST].sum(axis=0),
        "count": (load > 0).sum(axis=0).astype(float),
    }  # fmt: skip


def hard_parts(result: Any, item: Contact) -> dict[str, np.ndarray]:
    """What lw.Moreau has noted; without it, not a number."""
    rows = result.arrays.get(f"contact_{item.name}")
    if rows is None:
        rows = np.full((len(result.time), 8), np.nan)
    parts = {name: np.asarray(rows)[:, place] for name, place in HARD.items()}
    parts["point"] = np.where(parts["normal_force"][:, None] > 0, parts["point"], np.nan)
    return parts


def contact_arrows(result: Any, item: Contact) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, point and force (T, 3) of every pair that ever touches, for the viewer."""
    if item.hard:
        parts = hard_parts(result, item)
        return [(str(item.name), np.nan_to_num(parts["point"]), np.nan_to_num(parts["force"]))]
    found = []
    elements = [e for e in result.system.elements if e.owner == item.name]
    for k, e in enumerate(elements):
        rows = rows_of(result, e)
        force = rows[:, FORCE : FORCE + 3]
        if np.abs(force).max(initial=0.0) > 0:
            name = str(item.name) if len(elements) == 1 else f"{item.name} {k + 1}"
            found.append((name, rows[:, WHERE : WHERE + 3], force))
    return found
