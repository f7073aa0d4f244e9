"""What a run tells about a cable: `run["rope"].tension` and the places of its points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.cables.segments import SEGMENT_KERNEL
from linkwork.kernels import rotations
from linkwork.results.outputs.replayed import ItemOutputs, element_outputs
from linkwork.results.outputs.stored import all_ends
from linkwork.results.outputs.views.base import Output, View
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result


class CableView(View):
    """Tension (time, segment) and places (time, point, xyz) of a cable, from a to b; its energies
    and momenta."""

    def _make_outputs(self) -> dict[str, Output]:
        result, name, n = self._result, self._name, self._item.segments
        points = {"point": np.arange(n + 1), "xyz": list("xyz")}
        return self._declared_outputs(ItemOutputs(result, name)) | {
            "tension": Output(
                lambda: tensions(result, name), {"segment": np.arange(n)}, "N", "tension"
            ),
            "points": Output(lambda: cable_points(result, name), points, "m", "places of points"),
        }


def segments(result: Result, name: str) -> list[Element]:
    """From a to b."""
    return [
        e for e in result.system.elements
        if e.owner == name and e.entry.family.kernel is SEGMENT_KERNEL
    ]  # fmt: skip


def tensions(result: Result, name: str) -> np.ndarray:
    """(T, segments)."""
    found = element_outputs(result, segments(result, name))
    return np.stack([x["tension"] for x in found], axis=1)


def cable_points(result: Result, name: str) -> np.ndarray:
    """(T, segments + 1, 3)."""
    item = result.system.model[name]
    ends = segments(result, name)
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
