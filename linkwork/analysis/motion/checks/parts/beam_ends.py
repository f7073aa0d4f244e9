"""Sliders that ran off the end of their beam, which goes on there as a parabola would."""

from __future__ import annotations

import numpy as np

from linkwork.elements.beams.slider import BeamSlider
from linkwork.errors import ConvergenceError
from linkwork.results.files.file_array import blocks
from linkwork.results.result import Result

END = 1e-3  # of an element


def refuse_ends_of_tracks(result: Result) -> None:
    """An error where a slider has left its beam, which a stop would have kept it on."""
    layout = result.system.layout
    for slider in result.system.model.items.values():
        if not isinstance(slider, BeamSlider):
            continue
        number = int(layout.first[layout.nodes.index(slider.vector_nodes()[0])])
        parts = [result.values[part][:, 0, number] for part in blocks(result.motion)]
        values = np.concatenate(parts)
        outside = np.flatnonzero((values < -END) | (values > slider.count + END))
        if len(outside):
            t, start = float(result.time[outside[0]]), values[outside[0]] < 0
            raise ConvergenceError(
                f"{slider.label} ran off the {'start' if start else 'end'} of its beam at t = "
                f"{t:.6g}; end the run before (stop=), or hold the body there with a stop or a "
                "spring",
                time=t, result=result,
            )  # fmt: skip
