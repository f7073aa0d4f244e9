"""Pictures of equilibrium paths: the load factor over outputs of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.results.plots import COLOURS, find, style, title

if TYPE_CHECKING:
    from linkwork.analysis.continuation.path import EquilibriumPath


def plot_path(path: EquilibriumPath, names: tuple[str, ...], ax: Any = None) -> Any:
    """Solid where stable, dashed where not, dots at limit points, squares at bifurcations."""
    import matplotlib.pyplot as plt

    curves = [curve for name in names for curve in find(path.result, name)]
    if names and len({c.units for c in curves}) > 1:
        raise ModelError("plot of a path needs outputs with one unit; draw others into other axes")
    if ax is None:
        figure, ax = plt.subplots(layout="constrained", figsize=(6.2, 4.6))
        title(figure, f"equilibria of '{path.system.model.name}'")
    series = [(c.label, np.asarray(c.values, float)) for c in curves]
    series = series or [("", np.arange(float(len(path))))]
    for i, (label, x) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        ends = [0, *(np.flatnonzero(np.diff(path.stable)) + 1), len(path)]
        for first, last in zip(ends[:-1], ends[1:]):
            part = slice(first, last + 1)  # up to the first point of the next part
            ax.plot(
                x[part], path.factor[part], "-" if path.stable[first] else "--", color=colour,
                label=label if label and not first else None, linewidth=1.4,
            )  # fmt: skip
        for points, mark in ((path.limit_points, "o"), (path.bifurcations, "s")):
            for p in points:
                k = int(np.argmin(np.abs(path.factor - p.factor)))
                ax.plot(x[k], p.factor, mark, color=colour, markersize=5)
    ax.set_xlabel(f"{curves[0].quantity} ({curves[0].units})" if curves else "point")
    ax.set_ylabel("load factor")
    if any(label for label, _ in series):
        ax.legend(frameon=False)
    style(ax)
    return ax
