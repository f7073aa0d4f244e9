"""Differences of methods over time, logarithmic, one panel per quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.comparison.differences import differences
from linkwork.errors import ModelError
from linkwork.results.plots import COLOURS, legend, style, title

if TYPE_CHECKING:
    from linkwork.analysis.comparison.compare import Comparison

WORDS = {"position": "position (m)", "angle": "orientation (rad)", "force": "force (N)",
         "torque": "torque (N m)", "value": "values of nodes"}  # fmt: skip


def plot_comparison(found: Comparison, ax: Any = None) -> Any:
    """One panel per quantity; with `ax`, positions alone are drawn there."""
    import matplotlib.pyplot as plt

    others = [name for name in found.runs if name != found.reference]
    if not others:
        raise ModelError(
            f"only {found.reference} could run model '{found.model}': there is nothing to compare "
            "it with"
        )
    reference = found.runs[found.reference]
    curves = {name: differences(found.runs[name], reference) for name in others}
    keys = [k for k in WORDS if ax is None and any(np.any(c.get(k, 0)) for c in curves.values())]
    keys = keys or ["position"]
    if ax is None:
        figure, axes = plt.subplots(
            len(keys), 1, sharex=True, squeeze=False, layout="constrained",
            figsize=(7.2, 1.0 + 1.9 * len(keys)),
        )  # fmt: skip
        panels = list(axes[:, 0])
        title(figure, f"'{found.model}': differences from {found.reference}, h = {found.h:g}")
    else:
        panels = [ax]
    for panel, key in zip(panels, keys):
        panel.set_prop_cycle(color=COLOURS)
        for name, curve in curves.items():
            seen = curve[key] > 0  # a logarithm has no zero
            panel.plot(curve["time"][seen], curve[key][seen], label=name, linewidth=1.4)
        panel.set_yscale("log")
        panel.set_ylabel(WORDS[key])
        style(panel)
    legend(panels[0])
    panels[-1].set_xlabel("time (s)")
    return panels[0] if len(panels) == 1 else np.array(panels)
