"""What a run tells about a cable: `run["rope"].tension`, and its part of energy and momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.cables.segments import MASS, POINT, SEGMENT_KERNEL, segment_energy
from linkwork.kernels import rotations
from linkwork.results.outputs.stored import all_ends, element_reals
from linkwork.results.outputs.variable_mass import MassSums
from linkwork.results.outputs.views.base import Output, View

if TYPE_CHECKING:
    from linkwork.results.result import Result


class CableView(View):
    """Tension (time, segment) and places (time, point, xyz) of a cable, from a to b."""

    def _make_outputs(self) -> dict[str, Output]:
        result, name, n = self._result, self._name, self._item.segments
        points = {"point": np.arange(n + 1), "xyz": list("xyz")}
        return {
            "tension": Output(
                lambda: tensions(result, name), {"segment": np.arange(n)}, "N", "tension"
            ),
            "points": Output(lambda: cable_points(result, name), points, "m", "places of points"),
        }


def tensions(result: Result, name: str) -> np.ndarray:
    """(T, segments)."""
    found = []
    for e in result.system.elements:
        if e.owner == name and e.entry.family.kernel is SEGMENT_KERNEL:
            offered = segment_energy(element_reals(result, e), all_ends(result, e))
            found.append(offered["tension"][0])
    return np.stack(found, axis=1)


def cable_points(result: Result, name: str) -> np.ndarray:
    """(T, segments + 1, 3)."""
    item = result.system.model[name]
    ends = [
        e for e in result.system.elements
        if e.owner == name and e.entry.family.kernel is SEGMENT_KERNEL
    ]  # fmt: skip
    sides = [all_ends(result, ends[0])[0], *(all_ends(result, e)[1] for e in ends)]
    found = []
    for side in sides:
        if hasattr(side, "value"):
            found.append(side.value)
            continue
        frame = item.frames[0 if not found else 1]
        R = rotations.matrix(side.q)
        found.append(side.r + np.einsum("tij,j->ti", R, frame.position))
    return np.stack(found, axis=1)


def cable_sums(result: Result) -> MassSums | None:
    """Of the points of all cables; None where there is none."""
    elements = [e for e in result.system.elements if e.entry.family is POINT]
    if not elements:
        return None
    layout, values = result.system.layout, np.asarray(result.values[:])
    first = layout.first[np.array([e.ends[0] for e in elements]) - len(layout.bodies)]
    m = np.array([e.entry.reals[MASS] for e in elements])
    numbers = first[:, None] + np.arange(3)
    x, v = values[:, 0][:, numbers], values[:, 1][:, numbers]
    p = m[:, None] * v
    return MassSums(
        0.5 * np.einsum("tia,tia->t", p, v), np.einsum("i,tia->ta", m, x), p.sum(axis=1),
        np.cross(x, p).sum(axis=1),
    )  # fmt: skip
