"""Values that fell below what they can be: pressures below that of the vapour."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ConvergenceError
from linkwork.results.files.file_array import blocks
from linkwork.results.result import Result

SLACK = 1e-6  # of a value's size: the round-off of a run is no cavitation


def refuse_low_values(result: Result) -> None:
    """An error that names the node and the time where a value first fell below its lowest."""
    layout = result.system.layout
    for node, first in zip(layout.nodes, layout.first):
        if node.lowest is None:
            continue
        parts = [result.values[part][:, 0, first] for part in blocks(result.motion)]
        values = np.concatenate(parts)
        low = np.flatnonzero(values < node.lowest - SLACK * node.scale)
        if len(low):
            t, value = float(result.time[low[0]]), float(values[low[0]])
            raise ConvergenceError(
                f"{node.label} fell to {value:.4g} {node.kind.units[0]} at t = {t:.6g}, below the "
                f"vapour pressure {node.lowest:g} {node.kind.units[0]} of its fluid, which would "
                "have cavitated; give the Fluid some air (air=1e-3) so that it can, or feed the "
                "node through a CheckValve",
                time=t, result=result,
            )  # fmt: skip
