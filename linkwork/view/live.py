"""The live page: the scene, the time, what is shown, and a plot that follows.

Python keeps the time and sends what moves; the page draws.  One thread plays; callbacks of the
page only change what it reads.
"""

from __future__ import annotations

import socket
import sys
import threading
import time as clock
import warnings
import webbrowser
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, LinkworkWarning
from linkwork.results.plots import Curve, find
from linkwork.view.drawing import Drawing, nearest
from linkwork.view.offline import playing_speed
from linkwork.view.stage import Stage, serve, stop

FIRST_PORT = 8080
FRAME = 1 / 60  # seconds between frames while playing
PLOT = 0.1  # seconds between updates of the plot while playing
AXIS = 68  # pixels for the numbers beside a plot
POINTS = 800  # of a plot
SPEEDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539")
NOTHING = "nothing"


class Viewer:
    """A page that is open until `close`; `go(t)`, `play()` and `pause()` steer it from Python."""

    def __init__(
        self, drawing: Drawing, *, port: int | None = None, host: str = "localhost"
    ) -> None:
        self.server = serve(host, free_port(host, port))
        self.host, self.port = host, self.server.get_port()
        self.drawing = drawing
        few = len(drawing.arrows) <= 24
        self.stage = Stage(
            self.server, drawing, ("inertia", "markers", "names", *(() if few else ("reactions",)))
        )
        self.server.gui.set_panel_label(drawing.title)
        self.server.gui.main_panel.dock_right()
        self.playing, self.closed = False, False
        self.now = float(drawing.time[0])
        self.moves = len(drawing.time) > 1
        self._lock = threading.Lock()
        if self.moves:
            self._time_controls()
            self._plot_controls()
        self._show_controls()
        if self.moves:
            self.thread = threading.Thread(target=self._play, daemon=True)
            self.thread.start()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    # ---------------------------------------------------------------------------------- the time
    def _time_controls(self) -> None:
        gui, t = self.server.gui, self.drawing.time
        begin, end = float(t[0]), float(t[-1])
        with gui.add_folder("time"):
            self.button = gui.add_button("Play")
            self.slider = gui.add_slider(
                "t (s)", min=begin, max=end, step=(end - begin) / 2000, initial_value=begin
            )
            usual = playing_speed(end - begin)
            speeds = sorted({*SPEEDS, usual})
            self.speed = gui.add_dropdown(
                "speed", [f"{s:g}×" for s in speeds], initial_value=f"{usual:g}×"
            )
            self.loop = gui.add_checkbox("loop", True)

        @self.button.on_click
        def _(_: Any) -> None:
            (self.pause if self.playing else self.play)()

        @self.slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # moved by hand, not by playing
                self.pause()
                self.go(self.slider.value)

    def play(self) -> None:
        """Let the time run, from the start where it has reached the end."""
        if self.now >= self.drawing.time[-1]:
            self.now = float(self.drawing.time[0])
        self.playing = True
        self.button.label = "Pause"

    def pause(self) -> None:
        """Hold the time."""
        self.playing = False
        self.button.label = "Play"

    def go(self, t: float) -> None:
        """Show the stored time nearest to t."""
        with self._lock:
            self.now = float(np.clip(t, self.drawing.time[0], self.drawing.time[-1]))
            i = int(nearest(self.drawing.time, np.array([self.now]))[0])
            if i != self.stage.frame:
                self.stage.move(i)

    def _play(self) -> None:
        last, drawn = clock.perf_counter(), 0.0
        while not self.closed:
            clock.sleep(max(FRAME - (clock.perf_counter() - last), 0.001))
            passed, last = clock.perf_counter() - last, clock.perf_counter()
            if self.playing:
                t = self.now + passed * float(self.speed.value.rstrip("×"))
                if t > self.drawing.time[-1]:
                    if self.loop.value:
                        t = float(self.drawing.time[0])
                    else:
                        self.pause()
                self.go(t)
            if last - drawn > PLOT and self.slider.value != self.now:
                drawn = last
                self.slider.value = self.now
                self._mark()

    # ----------------------------------------------------------------------------- what is shown
    def _show_controls(self) -> None:
        gui, stage = self.server.gui, self.stage
        with gui.add_folder("show"):
            for group, shown in stage.shown.items():
                if stage.has(group):
                    self._switch(gui.add_checkbox(group, shown), group)
            if self.drawing.arrows:
                scale = gui.add_slider("arrows", min=0.1, max=5.0, step=0.1, initial_value=1.0)

                @scale.on_update
                def _(_: Any) -> None:
                    stage.scale = scale.value
                    self._again()

            items = [NOTHING, *self.stage.looks]
            self.highlighted = gui.add_dropdown("highlight", [x for x in items if x])

        @self.highlighted.on_update
        def _(_: Any) -> None:
            name = self.highlighted.value
            stage.highlight(None if name == NOTHING else name)

        for name, parts in stage.looks.items():
            for node, _colour in parts:
                node.on_click(lambda _, name=name: self._clicked(name))

    def _switch(self, box: Any, group: str) -> None:
        @box.on_update
        def _(_: Any) -> None:
            self.stage.show(group, box.value)
            self._again()

    def _again(self) -> None:
        with self._lock:
            self.stage.move(self.stage.frame)

    def _clicked(self, name: str) -> None:
        self.highlighted.value = NOTHING if self.highlighted.value == name else name

    # ---------------------------------------------------------------------------------- the plot
    def _plot_controls(self) -> None:
        gui, result = self.server.gui, self.drawing.result
        names = ["energy"]
        for item in result.named:
            names += [f"{item}.{output}" for output in result[item].names]
        self.some = np.unique(np.linspace(0, len(result) - 1, POINTS).astype(int))
        self.panel = gui.add_folder("plot")
        with self.panel:
            self.choice = gui.add_dropdown("of", names, initial_value=names[min(1, len(names) - 1)])
        self.chart: Any = None
        self._draw_plot()

        @self.choice.on_update
        def _(_: Any) -> None:
            self._draw_plot()

    def _draw_plot(self) -> None:
        curves = find(self.drawing.result, self.choice.value)
        self.data = [self.drawing.time[self.some], *(c.values[self.some] for c in curves)]
        units = f" ({curves[0].units})" if curves[0].units else ""
        if self.chart is not None:
            self.chart.remove()
        with self.panel:
            self.chart = self.server.gui.add_uplot(
                (*self.data, self._now()), tuple(_series(curves)),
                title=f"{self.choice.value}{units}", scales={"x": {"time": False}}, aspect=1.3,
                legend={"show": len(curves) <= 6}, axes=({}, {"size": AXIS}),
            )  # fmt: skip

    def _now(self) -> np.ndarray:
        """A line along the bottom with a spike at the time that is shown (gaps break the scale)."""
        known = np.concatenate(self.data[1:])
        known = known[np.isfinite(known)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
        line = np.full(len(self.data[0]), low)
        line[min(int(np.searchsorted(self.data[0], self.now)), len(line) - 1)] = high
        return line

    def _mark(self) -> None:
        self.chart.data = (*self.data, self._now())

    # ------------------------------------------------------------------------------ how it ends
    def open(self) -> None:
        """Open the page in the browser, or say where it is."""
        try:
            opened = webbrowser.open(self.url)
        except webbrowser.Error:
            opened = False
        if not opened:
            warnings.warn(
                f"no browser could be started; open {self.url} yourself, or write a file with "
                "animate('page.html')",
                LinkworkWarning,
                stacklevel=3,
            )

    def wait(self) -> None:
        """Keep the page until Ctrl-C."""
        print(f"showing '{self.drawing.title}' at {self.url}; Ctrl-C ends it", file=sys.stderr)
        try:
            while not self.closed:
                clock.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """End the page."""
        if not self.closed:
            self.closed = True
            if self.moves:
                self.thread.join(timeout=2.0)
            stop(self.server)

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="520"></iframe>'

    def __repr__(self) -> str:
        return f"viewer of '{self.drawing.title}' " + ("(closed)" if self.closed else self.url)


def _series(curves: list[Curve]) -> list[dict[str, Any]]:
    series: list[dict[str, Any]] = [{"label": "t (s)"}]
    for k, curve in enumerate(curves):
        label = curve.label.split(".")[-1]
        series.append({"label": label, "stroke": COLOURS[k % len(COLOURS)], "width": 1.5})
    return [*series, {"label": "now", "stroke": "#30343a", "width": 1.5, "points": {"show": False}}]


def free_port(host: str, wanted: int | None) -> int:
    """The port wanted, if it is free; else the first free one from 8080 on."""
    for port in range(FIRST_PORT, FIRST_PORT + 200) if wanted is None else (wanted,):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((host, port))
                return port
            except (OSError, OverflowError):
                continue
    if wanted is None:
        raise LinkworkError(
            f"no port from {FIRST_PORT} to {FIRST_PORT + 199} is free for the page; give one with "
            "port="
        )
    raise LinkworkError(
        f"port {wanted} of {host} is in use or not allowed; give another with port=, or leave it "
        "out to take one that is free"
    )


def view(drawing: Drawing, *, port: int | None, browser: bool, block: bool | None) -> Viewer:
    """Open the page; in a script, stay until Ctrl-C."""
    viewer = Viewer(drawing, port=port)
    if browser:
        viewer.open()
    if block is None:
        block = browser and not (hasattr(sys, "ps1") or "ipykernel" in sys.modules)
    if block:
        viewer.wait()
    return viewer
