"""The live page: the scene, the time, where from, what is shown, and plots that follow.

Python keeps the time and sends what moves; the page draws.  One thread plays; callbacks of the
page only change what it reads.  The page changes the slider in a thread of its own, the event loop
of the server: the playing thread writes the slider there too, so that neither writes over a value
that the other has not seen.
"""

from __future__ import annotations

import math
import socket
import sys
import threading
import time as clock
import warnings
import webbrowser
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, LinkworkWarning
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.view.camera import SIDES, shot, wanders
from linkwork.view.pages.offline import playing_speed
from linkwork.view.pages.panels import Numbers, Plots
from linkwork.view.pages.stage import Stage, serve, stop
from linkwork.view.scene import Drawing, nearest
from linkwork.view.traces import traceable

FIRST_PORT = 8080
FRAME = 1 / 60  # seconds between frames while playing
PLOT = 0.1  # seconds between updates of the plots while playing
SPEEDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
FEW = 24  # arrows up to which reactions are shown from the start
NOTHING, MECHANISM = "nothing", "the mechanism"


class Viewer:
    """A page that is open until `close`; `go(t)`, `play()` and `pause()` steer it from Python."""

    def __init__(
        self, drawing: Drawing, *, port: int | None = None, host: str = "localhost",
        follow: str | None = None, reactions: bool | None = None,
    ) -> None:  # fmt: skip
        self.server = serve(host, free_port(host, port))
        self.host, self.port = host, self.server.get_port()
        self.drawing = drawing
        if reactions is None:
            reactions = len(drawing.arrows) <= FEW
        hidden = ("inertia", "markers", "names", *(() if reactions else ("reactions",)))
        self.stage = Stage(self.server, drawing, hidden, follow=follow)
        self.server.gui.set_panel_label(drawing.title)
        self.server.gui.main_panel.dock_right()
        self.playing, self.closed = False, False
        self.now = float(drawing.time[0])
        self.moves = len(drawing.time) > 1
        self._lock = threading.RLock()
        if self.moves:
            self._time_controls()
        self._camera_controls(follow)
        self.numbers = Numbers(self.server.gui, drawing)
        if self.moves:
            self.plots = Plots(self.server.gui, drawing)
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
        phase = self.drawing.period is not None
        self.per = 1.0 if self.drawing.period is None else 360.0 / self.drawing.period
        with gui.add_folder("phase" if phase else "time"):
            self.button = gui.add_button("Play")
            self.slider = gui.add_slider(
                "phase (°)" if phase else "t (s)", min=begin * self.per, max=end * self.per,
                step=(end - begin) * self.per / 2000, initial_value=begin * self.per,
            )  # fmt: skip
            usual = playing_speed(end - begin)
            speeds = sorted({*SPEEDS, usual})
            self.speed = gui.add_dropdown(
                "speed", [f"{s:g}×" for s in speeds], initial_value=f"{usual:g}×"
            )
            self.loop = gui.add_checkbox("loop", True)

        @self.button.on_click
        def _(_: Any) -> None:
            (self.pause if self.playing else self.play)()

        self._slider_lock = threading.Lock()
        self._placed = self.slider.value  # where this program has put the slider

    def play(self) -> None:
        """Let the time run, from the start where it has reached the end."""
        with self._lock:
            if self.now >= self.drawing.time[-1]:
                self.now = float(self.drawing.time[0])
            self.playing = True
            self.button.label = "Pause"

    def pause(self) -> None:
        """Hold the time."""
        with self._lock:
            self.playing = False
            self.button.label = "Play"

    def go(self, t: float) -> None:
        """Show the stored time nearest to t."""
        t = checks.number(t, "t of a page")
        with self._lock:
            self.now = float(np.clip(t, self.drawing.time[0], self.drawing.time[-1]))
            i = int(nearest(self.drawing.time, np.array([self.now]))[0])
            if i != self.stage.frame:
                self.stage.move(i)

    def _play(self) -> None:
        """Let time pass, and take the slider along unless it was moved by hand."""
        last, drawn = clock.perf_counter(), 0.0
        while not self.closed:
            clock.sleep(max(FRAME - (clock.perf_counter() - last), 0.001))
            passed, last = clock.perf_counter() - last, clock.perf_counter()
            by_hand = self._moved_by_hand()
            if by_hand is not None:
                self.pause()
                self.go(by_hand / self.per)
                self._look_again()
                continue
            if self.playing:
                self._advance(passed)
            if last - drawn > PLOT and self._placed != self.now * self.per:
                drawn = last
                self.server.get_event_loop().call_soon_threadsafe(self._place)
                self._look_again()

    def _advance(self, passed: float) -> None:
        """Model time after some seconds on the clock."""
        with self._lock:
            if not self.playing:
                return
            t = self.now + passed * float(self.speed.value.rstrip("×"))
            if t > self.drawing.time[-1]:
                if self.loop.value:
                    t = float(self.drawing.time[0])
                else:
                    self.pause()
            self.go(t)

    def _moved_by_hand(self) -> float | None:
        """Where the slider is, if it is not where this program has put it."""
        with self._slider_lock:
            if self.slider.value == self._placed:
                return None
            if math.isnan(self.slider.value):  # it is nowhere, and equals nothing
                self.slider.value = self._placed
                return None
            self._placed = self.slider.value
            return float(self._placed)

    def _place(self) -> None:
        """Put the slider where the time is; runs in the event loop, where the page changes it."""
        with self._slider_lock:
            if not self.closed and self.slider.value == self._placed:
                self.slider.value = self._placed = self.now * self.per

    def _look_again(self) -> None:
        """Plots and numbers of the time that is shown."""
        self.plots.mark(self.now)
        self.numbers.update(self.stage.frame)

    # -------------------------------------------------------------------------------- where from
    def _camera_controls(self, follow: str | None) -> None:
        gui, bodies = self.server.gui, [solid.name for solid in self.drawing.solids]
        with gui.add_folder("camera"):
            self.sides = gui.add_button_group("view", SIDES)
            if self.moves:
                goes_along = [MECHANISM] if wanders(self.drawing) else []
                self.followed = {NOTHING: GROUND.name, **dict.fromkeys(goes_along)}
                self.followed |= {name: name for name in bodies}
                first = next((x for x in self.followed if self.followed[x] == follow), NOTHING)
                self.follow = gui.add_dropdown("follow", [*self.followed], initial_value=first)
                self.traced = gui.add_dropdown("trace", [NOTHING, *traceable(self.drawing)])
        self.traces: list[Any] = []

        @self.sides.on_click
        def _(_: Any) -> None:
            self.look(self.sides.value)

        if not self.moves:
            return

        @self.follow.on_update
        def _(_: Any) -> None:
            body = self.followed[self.follow.value]
            with self._lock:
                self.stage.follow(body)
            names = self.drawing.result.system.names
            held = self.drawing.result.motion[0, names.index(body), :3] if body in names else None
            self._aim(shot(self.drawing, follow=body).target if held is None else held)

        @self.traced.on_update
        def _(_: Any) -> None:
            name = self.traced.value
            self.traces = [] if name == NOTHING else [*self.traces, name]
            with self._lock:
                self.stage.trace(list(dict.fromkeys(self.traces)))

    def _aim(self, target: np.ndarray) -> None:
        """Turn to another point in all open pages, from the same side and as far away as before."""
        for client in self.server.get_clients().values():
            camera = client.camera
            away = np.asarray(camera.position) - np.asarray(camera.look_at)
            with client.atomic():
                camera.position, camera.look_at = tuple(target + away), tuple(target)

    def look(self, side: str) -> None:
        """Look from the "front", the "side", the "top", or from "home", in all open pages."""
        followed = self.followed[self.follow.value] if self.moves else None
        found = shot(self.drawing, side, follow=followed)
        for client in self.server.get_clients().values():
            camera = client.camera
            with client.atomic():
                camera.position, camera.look_at = found.position, found.target
                camera.up_direction = found.up

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
            self.numbers.select(None if name == NOTHING else name, stage.frame)

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


def free_port(host: str, wanted: int | None) -> int:
    """The port wanted, if it is free; else the first free one from 8080 on."""
    if wanted is not None:
        checks.count(wanted, "port")
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


def view(
    drawing: Drawing, *, port: int | None, browser: bool, block: bool | None,
    follow: str | None = None, reactions: bool | None = None,
) -> Viewer:  # fmt: skip
    """Open the page; in a script, stay until Ctrl-C."""
    viewer = Viewer(drawing, port=port, follow=follow, reactions=reactions)
    if browser:
        viewer.open()
    if block is None:
        block = browser and not (hasattr(sys, "ps1") or "ipykernel" in sys.modules)
    if block:
        viewer.wait()
    return viewer
