"""Contacts over the stored times: gaps, forces, places; and a table of what touches at one time."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.contact.contact import Contact
from linkwork.elements.contact.kernel import OUTPUTS
from linkwork.elements.contact.layout import FLIP
from linkwork.results.outputs.replayed import ItemOutputs
from linkwork.results.outputs.views.base import Output
from linkwork.results.outputs.views.elements import ElementView

if TYPE_CHECKING:
    import xarray as xr

HARD: dict[str, Any] = {"force": slice(0, 3), "point": slice(3, 6), "normal_force": 6, "count": 7}


class ContactView(ElementView):
    """What a contact did; of several pairs of bodies the sums, and the nearest or most loaded."""

    def _make_outputs(self) -> dict[str, Output]:
        units = {x.name: (x.axis, x.unit, x.words or x.name.replace("_", " ")) for x in OUTPUTS}
        units["count"] = "", "1", "number of pairs that touch"
        of = self._of_hard if self._item.hard else self._of_pairs
        names = HARD if self._item.hard else units
        return {name: Output(partial(of, name), *units[name]) for name in names}

    @cached_property
    def _pairs(self) -> ItemOutputs:
        return ItemOutputs(self._result, self._name)

    def _of_hard(self, name: str) -> np.ndarray:
        return hard_parts(self._result, self._item)[name]

    def _of_pairs(self, name: str) -> np.ndarray:
        """Sums over pairs; normal and slip are those of the most loaded, the point is the mean over
        the loads."""
        pairs = self._pairs
        if name == "gap":
            return np.fmin.reduce(pairs.every("gap"))
        if name in ("force", "normal_force", "power", "stored_energy"):
            return pairs[name]
        load = pairs.every("normal_force")
        if name == "count":
            return (load > 0).sum(axis=0).astype(float)
        if name in ("normal", "slip"):
            return pairs.every(name)[load.argmax(axis=0), np.arange(load.shape[1])]
        total, places = load.sum(axis=0), pairs.every("point")
        share = load / np.where(total > 0, total, 1.0)
        point = np.einsum("et,eti->ti", share, places)
        if name == "point":
            return np.where(total[:, None] > 0, point, np.nan)
        return (pairs.every("moment") + np.cross(places - point, pairs.every("force"))).sum(axis=0)

    def table(self, time: float | None = None) -> xr.Dataset:
        """The pairs that touch at the stored time nearest to `time` (the last without one).

        Over the axis pair: names of both bodies, gap, normal_force, force and slip, point.
        """
        import xarray as xr

        result, names = self._result, ("gap", "normal_force", "point", "force", "slip")
        k = len(result.time) - 1 if time is None else int(np.argmin(np.abs(result.time - time)))
        axes = {x.name: ("pair", "xyz") if x.axis else ("pair",) for x in OUTPUTS}
        data: dict[str, Any] = {"a": ("pair", []), "b": ("pair", [])}
        if self._item.hard:
            data |= {name: (axes[name], np.zeros((0, 3)[: len(axes[name])])) for name in names}
        else:
            elements = [e for e, _ in self._pairs.places("gap")]
            touch = np.flatnonzero(self._pairs.every("gap")[:, k] < 0)
            for i in touch:
                ends = [result.system.names[b] if b >= 0 else "ground" for b in elements[i].ends]
                flip = elements[i].entry.integers[FLIP] < 0
                for word, end in zip("ab", ends[::-1] if flip else ends):
                    data[word][1].append(end)
            data |= {name: (axes[name], self._pairs.every(name)[touch, k]) for name in names}
        return xr.Dataset(data, {"xyz": list("xyz")}, {"time": float(result.time[k])})


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
    pairs = ItemOutputs(result, str(item.name))
    several = len(pairs.numbers) > 1
    return [
        (f"{item.name} {k + 1}" if several else str(item.name), point, force)
        for k, (point, force) in enumerate(zip(pairs.every("point"), pairs.every("force")))
        if np.abs(force).max(initial=0.0) > 0
    ]
