"""What a run tells about a beam: `run["wing"].section_moment`, over (time, s, xyz)."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.beams.layout import NODE, F
from linkwork.elements.beams.kernels.strains import times
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.deformed.beams import (
    Sections, axis_at, beam_elements, beam_sections, centre_line, node_places, section_places,
)  # fmt: skip
from linkwork.results.outputs.replayed import ItemOutputs
from linkwork.results.outputs.views.base import Output, View

if TYPE_CHECKING:
    import xarray as xr


class BeamView(View):
    """Forces, moments and strains along a beam over (time, s, xyz), in section axes unless their
    name says world; the part beyond a section acts with them on the part before it."""

    def _make_outputs(self) -> dict[str, Output]:
        result, name = self._result, self._name
        elements = beam_elements(result, name)
        axis = {"s": section_places(self._item, elements), "xyz": list("xyz")}
        nodes = {"place": node_places(self._item, elements), "xyz": list("xyz")}

        def part(field: str, first: int, turn: bool = False) -> np.ndarray:
            found = self._sections
            values = getattr(found, field)[..., first : first + 3]
            return times(found.axes, values) if turn else values

        rows = (
            ("section_force", "stress", 0, False, "N", "section force (section axes)"),
            ("section_moment", "stress", 3, False, "N m", "section moment (section axes)"),
            ("strain", "strain", 0, False, "1", "axial strain and shear"),
            ("curvature", "strain", 3, False, "1/m", "twist and curvature"),
            ("force_world", "stress", 0, True, "N", "section force (world axes)"),
            ("moment_world", "stress", 3, True, "N m", "section moment (world axes)"),
        )
        outputs = {
            output: Output(partial(part, field, first, turn), axis, units, words)
            for output, field, first, turn, units, words in rows
        }
        outputs["centre_line"] = Output(
            lambda: centre_line(result, name), nodes, "m", "position of the axis at its nodes"
        )
        return self._declared_outputs(ItemOutputs(result, name)) | outputs

    @cached_property
    def _sections(self) -> Sections:
        return beam_sections(self._result, self._name)

    def axis(self, s: Any) -> xr.DataArray:
        """World position of the deformed axis at the part s of the length, from 0 to 1.

        Example: ``run["wing"].axis(0.5)``
        """
        place = checks.number(s, f"place on {self._item.label}")
        found = axis_at(self._result, self._name, np.array([place]))[:, 0]
        return self._array("axis", found, "xyz", "m", f"position of the axis at {place:g}")

    def plot_shape(
        self, t: Any = None, *, plane: str = "xz", places: int = 60, ax: Any = None
    ) -> Any:
        """Plot the deflected axis at some times, the reference configuration dashed; returns axes.

        t : times (s), one or several; the last one if not given;   plane : two of x, y, z

        Example: ``run["wing"].plot_shape([0.1, 0.2], plane="yz")``
        """
        import matplotlib.pyplot as plt

        if len(str(plane)) != 2 or not set(str(plane)) <= set("xyz"):
            raise ModelError(
                f"plane of a shape must be two of x, y, z, such as 'xz', but {checks.show(plane)} "
                "was given"
            )
        result, (u, v) = self._result, ("xyz".index(letter) for letter in plane)
        line = axis_at(result, self._name, np.linspace(0, 1, places + 1))
        rest = reference_axis(result, self._name)
        if ax is None:
            ax = plt.figure(figsize=(7, 4)).gca()
        ax.plot(rest[:, u], rest[:, v], "--", color="0.6", label="reference")
        wanted = [result.time[-1]] if t is None else np.atleast_1d(t)
        for when in wanted:
            i = int(np.argmin(np.abs(result.time - float(when))))
            label = f"t = {result.time[i]:g} s" if len(result) > 1 else "deflected"
            ax.plot(line[i, :, u], line[i, :, v], label=label)
        ax.set_xlabel(f"{plane[0]} (m)")
        ax.set_ylabel(f"{plane[1]} (m)")
        ax.set_aspect("equal", adjustable="datalim")
        ax.legend()
        return ax


def reference_axis(result: Any, name: str) -> np.ndarray:
    """Places (nodes, 3) of the axis as the model is described."""
    found: list[np.ndarray] = []
    for e in beam_elements(result, name):
        reals, bodies = e.entry.reals, e.entry.bodies
        for i, body in enumerate(bodies):
            if found and i == 0:
                continue
            R = rotations.matrix(np.asarray(body.orientation, float))
            place = reals[NODE * i + F : NODE * i + F + 3]
            found.append(np.asarray(body.position, float) + R @ place)
    return np.array(found)
