"""Panels of the live page: plots that follow the time, and the numbers of a selected item."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.model import html
from linkwork.results.circuit import circuit_of
from linkwork.results.plots import Curve, find
from linkwork.view.scene import Drawing

AXIS = 68  # pixels for the numbers beside a plot
POINTS = 800  # of a plot
MOST = 4  # plots
FRAME = "<div style='font-size:0.875rem;padding:0 1rem 0.5rem'>{}</div>"
INVITATION = FRAME.format("click a body or a joint")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539")


class Plots:
    """One plot or several below each other; the curves of another run are dashed."""

    def __init__(self, gui: Any, drawing: Drawing) -> None:
        self.gui, self.drawing = gui, drawing
        result = drawing.result
        self.names = ["energy"] if result.system.bodies else []
        if circuit_of(result, "pressure")[0]:  # the first plot shows a circuit's pressures
            self.names.append("pressures")
        for item in result.named:
            self.names += [f"{item}.{output}" for output in result[item].names]
        self.now = float(drawing.time[0])
        self.all: list[Plot] = []
        with gui.add_folder("plots"):
            self.count = gui.add_slider("plots", min=1, max=MOST, step=1, initial_value=1)

        @self.count.on_update
        def _(_: Any) -> None:
            self.have(int(self.count.value))

        self.have(1)

    def have(self, count: int) -> None:
        """Show so many plots."""
        while len(self.all) > count:
            self.all.pop().remove()
        while len(self.all) < count:
            first = self.names[min(1 + 2 * len(self.all), len(self.names) - 1)]
            self.all.append(Plot(self, first, len(self.all) + 1))

    def mark(self, now: float) -> None:
        """Mark the time that is shown."""
        self.now = now
        for plot in self.all:
            plot.mark()


class Plot:
    """A choice of an output, and its curves over time."""

    def __init__(self, plots: Plots, name: str, number: int) -> None:
        self.plots = plots
        self.chart: Any = None
        time = plots.drawing.time
        self.some = np.unique(np.linspace(0, len(time) - 1, POINTS).astype(int))
        self.time = time[self.some]
        self.folder = plots.gui.add_folder(f"plot {number}")
        with self.folder:
            self.choice = plots.gui.add_dropdown("of", plots.names, initial_value=name)
        self.draw()

        @self.choice.on_update
        def _(_: Any) -> None:
            self.draw()

    def draw(self) -> None:
        """The curves of the output that is chosen."""
        name = self.choice.value
        curves = find(self.plots.drawing.result, name)
        values = [c.values[self.some] for c in curves]
        series = _series(curves, "")
        other = self.plots.drawing.other
        for c in [] if other is None else _found(other, name):
            assert other is not None
            values.append(np.interp(self.time, other.time, c.values, left=np.nan, right=np.nan))
            series += _series([c], ", other run", len(values) - 1 - len(curves))
        self.data = [self.time, *values]
        units = f" ({curves[0].units})" if curves[0].units else ""
        if self.chart is not None:
            self.chart.remove()
        now = {"label": "now", "stroke": "#30343a", "width": 1.5, "points": {"show": False}}
        with self.folder:
            self.chart = self.plots.gui.add_uplot(
                (*self.data, self._now()), ({"label": "t (s)"}, *series, now),
                title=f"{name}{units}", scales={"x": {"time": False}}, aspect=1.3,
                legend={"show": len(values) <= 6}, axes=({}, {"size": AXIS}),
            )  # fmt: skip

    def _now(self) -> np.ndarray:
        """A line along the bottom with a spike at the time that is shown (gaps break the scale)."""
        known = np.concatenate(self.data[1:])
        known = known[np.isfinite(known)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
        line = np.full(len(self.time), low)
        line[min(int(np.searchsorted(self.time, self.plots.now)), len(line) - 1)] = high
        return line

    def mark(self) -> None:
        self.chart.data = (*self.data, self._now())

    def remove(self) -> None:
        self.folder.remove()


def _series(curves: list[Curve], more: str, first: int = 0) -> list[dict[str, Any]]:
    series: list[dict[str, Any]] = []
    for k, curve in enumerate(curves):
        label, colour = curve.label.split(".")[-1], COLOURS[(first + k) % len(COLOURS)]
        series.append({"label": label + more, "stroke": colour, "width": 1.5})
        if more:
            series[-1]["dash"] = (6, 4)
    return series


def _found(other: Drawing, name: str) -> list[Curve]:
    """The curves of another run, which may have other items."""
    try:
        return find(other.result, name)
    except LinkworkError:
        return []


class Numbers:
    """The outputs of the item that is selected, at the time that is shown."""

    def __init__(self, gui: Any, drawing: Drawing) -> None:
        self.drawing, self.item = drawing, ""
        self.arrays: dict[str, tuple[np.ndarray, str]] = {}  # output → values, units
        with gui.add_folder("selected"):
            self.text = gui.add_html(INVITATION)

    def select(self, item: str | None, frame: int) -> None:
        self.item, self.arrays = "" if item is None else item, {}
        result = self.drawing.result
        if self.item in result.named:
            view = result[self.item]
            for name in view.names:
                units = view._outputs[name].units
                self.arrays[name] = view.numbers(name), "" if units == "1" else units
        self.update(frame)

    def update(self, i: int) -> None:
        """The numbers of frame i, as a table."""
        if not self.arrays:
            self.text.content = INVITATION
            return
        rows = []
        for name, (values, units) in self.arrays.items():
            small = max(1e-9 * float(np.nanmax(np.abs(values), initial=0.0)), 1e-12)  # round-off
            numbers = ", ".join(
                "0" if abs(x) < small else f"{x:.4g}" for x in np.atleast_1d(values[i])
            )
            rows.append((name.replace("_", " "), numbers, units))
        title = html.title(f"{self.item} at {self.drawing.when(i)}")
        self.text.content = FRAME.format(title + html.table((), rows, right=False))
