"""Plots over time: run.plot("rod.position", "pin.force.x", "energy").

A name is item.output or item.output.component, or one of the run's own: energy, momentum,
angular_momentum, violation, diagnostics, pressures (with .component too).  What has the same
units shares axes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.drives.base import Drive, leaves_that_follow
from linkwork.model.signals.held import read_between_samples

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.result import Result

WHOLE = ("energy", "momentum", "angular_momentum", "violation", "diagnostics", "pressures")
GREY, LIGHT = "#4a4a4a", "#d9d9d9"
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539", "#525252",
)  # fmt: skip  (Okabe and Ito: told apart by the colour-blind too)


class Curve:
    """One line of a plot."""

    def __init__(self, label: str, array: xr.DataArray, quantity: str) -> None:
        self.label = label
        self.values = array.values
        self.units = array.attrs.get("units", "")
        self.quantity = quantity  # for the axis: "position", "force"
        self.held = False  # constant over every step, since it changes at samples alone


def plot(result: Result, *names: str, ax: Any = None) -> Any:
    """Draw outputs over time; returns the axes (an array of them for several quantities).

    Example: ``run.plot("rod.position", "pin.force.x")``
    """
    import matplotlib.pyplot as plt

    if not names:
        raise ModelError('plot needs a name such as "rod.position" or "energy"')
    curves = [curve for name in names for curve in find(result, name)]
    if ax is not None:
        _draw(ax, result.time, curves)
        return ax
    panels: dict[tuple[str, str], list[Curve]] = {}
    for curve in curves:
        panels.setdefault((curve.quantity, curve.units), []).append(curve)
    figure, axes = plt.subplots(
        len(panels), 1, sharex=True, squeeze=False, layout="constrained",
        figsize=(7.2, 1.2 + 2.6 * len(panels)),
    )  # fmt: skip
    for panel, mine in zip(axes[:, 0], panels.values()):
        _draw(panel, result.time, mine)
        panel.label_outer()
    title(figure, str(result.info["model"]))
    return axes[0, 0] if len(panels) == 1 else axes[:, 0]


def _draw(ax: Any, time: np.ndarray, curves: list[Curve]) -> None:
    ax.set_prop_cycle(color=COLOURS)
    for curve in curves:
        ax.plot(
            time, curve.values, label=curve.label, linewidth=1.6, solid_joinstyle="round",
            drawstyle="steps-pre" if curve.held else "default",
        )  # fmt: skip
    quantities = list(dict.fromkeys(c.quantity for c in curves))
    units = list(dict.fromkeys(c.units for c in curves))
    text = ", ".join(q.replace("_", " ") for q in quantities)
    shown = ", ".join(u for u in units if u not in ("", "1"))
    ax.set_ylabel(f"{text} ({shown})" if shown else text)
    ax.set_xlabel("time (s)")
    if len(time) > 1:
        ax.set_xlim(time[0], time[-1])
    style(ax)
    legend(ax)


def style(ax: Any) -> None:
    """The look of all plots: a light grid, no frame."""
    ax.grid(True, color=LIGHT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(color=LIGHT, labelcolor=GREY)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LIGHT)


def legend(ax: Any) -> None:
    """To the right of the axes."""
    ax.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=GREY,
        handlelength=1.4,
    )  # fmt: skip


def title(figure: Any, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left", color=GREY, fontsize=11)


def plot_phase(result: Result, x: str, y: str, ax: Any = None) -> Any:
    """One output over another, from the start (a dot) to the end; returns the axes.

    Example: ``run.plot_phase("pin.angle", "pin.rate")``
    """
    import matplotlib.pyplot as plt

    across, up = one_curve(result, x), one_curve(result, y)
    if ax is None:
        figure, ax = plt.subplots(layout="constrained", figsize=(5.4, 4.6))
        title(figure, str(result.info["model"]))
    (line,) = ax.plot(across.values, up.values, color=COLOURS[0], linewidth=1.4)
    ax.plot(across.values[0], up.values[0], "o", color=line.get_color(), markersize=5)
    for curve, name in ((across, ax.set_xlabel), (up, ax.set_ylabel)):
        units = f" ({curve.units})" if curve.units not in ("", "1") else ""
        name(curve.label.replace("_", " ") + units)
    style(ax)
    return ax


# ------------------------------------------------------------------------------ names → curves


def one_curve(result: Result, name: str) -> Curve:
    """The single curve that a name means; a ModelError where it means several."""
    curves = find(result, name)
    if len(curves) != 1:
        raise ModelError(
            f"'{name}' means {len(curves)} curves, where one is needed; write for example "
            f"'{curves[0].label}'"
        )
    return curves[0]


def find(result: Result, name: str) -> list[Curve]:
    """The curves that a name means."""
    head, rest = result.system.split(str(name))
    if head in WHOLE and head not in result.system.model:
        return _of_run(result, head, rest)
    known = list(dict.fromkeys([*result.system.names, *result.system.model, *WHOLE]))
    item = result[_known(head, known, f"the run has no item '{head}'")]
    if not rest:
        raise ModelError(
            f"'{name}' names an item but not what to plot; write for example "
            f"'{head}.{item.names[0] if item.names else 'force'}' (it has {', '.join(item.names)})"
        )
    output = _known(rest[0], item.names, f"{item._item.label} has no '{rest[0]}'")
    curves = _components(getattr(item, output), f"{head}.{output}", output, rest[1:])
    drive = getattr(item._item, "drive", None)
    if output in ("force", "torque") and isinstance(drive, Drive) and leaves_that_follow(drive):
        for curve in curves:  # what it is at a sample's time has acted since the last one
            curve.held = not read_between_samples(drive)
    return curves


def _of_run(result: Result, head: str, rest: list[str]) -> list[Curve]:
    found = getattr(result, head)
    if not hasattr(found, "data_vars"):
        return _components(found, head, head, rest)
    arrays = {str(k): v for k, v in found.data_vars.items() if v.dims[:1] == ("time",)}
    if rest:
        key = _known(rest[0], arrays, f"the run's {head} has no '{rest[0]}'")
        return _components(arrays[key], f"{head}.{key}", head, rest[1:])
    labelled = [(f"{head}.{key}", array) for key, array in arrays.items()]
    return [c for label, array in labelled for c in _components(array, label, head, [])]


def _components(array: xr.DataArray, label: str, quantity: str, rest: list[str]) -> list[Curve]:
    if array.ndim == 1 and not rest:
        return [Curve(label, array, quantity)]
    axis = array.dims[1] if array.ndim == 2 else None
    known = [str(x) for x in array[axis].values] if axis else []
    chosen = [_known(part, known, f"'{label}' has no component '{part}'") for part in rest] or known
    return [Curve(f"{label}.{part}", array[:, known.index(part)], quantity) for part in chosen]


def _known(word: str, words: Iterable[str], problem: str) -> str:
    """The word if it is one of `words`, else a ModelError that suggests the nearest."""
    words = list(words)
    if word in words:
        return word
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.7)
    hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(words) or 'none'}"
    raise ModelError(f"{problem}; {hint}")
