"""How a run is shown: pages, films and pictures of the mechanism, and plots of its outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.errors import ModelError

if TYPE_CHECKING:
    from linkwork.results.result import Result


class Shown:
    """The part of `Result` that draws."""

    def show(
        self: Any, *, port: int | None = None, browser: bool = True, block: bool | None = None,
        reactions: bool | None = None, traces: Any = (), other: Result | None = None,
        follow: str | None = None, colours: str | None = None,
    ) -> Any:  # fmt: skip
        """Open a page in the browser with the moving mechanism in 3D.

        port   : of the page on this machine; the first free one from 8080 on otherwise
        block  : stay until Ctrl-C; without it, a script stays and an interactive session goes on
        reactions : draw the reactions of joints from the start; without it, where arrows are few
        traces : paths to draw, "rod" (centre of mass), ("rod", (x, y, z)) (a point in body axes) or
                 "pin" (a joint), one or several
        other  : another run, drawn over this one as a ghost, and dashed in the plots
        follow : a body that stays in the middle, or "ground", and the camera stays; without it,
                 the camera goes with a mechanism whose motion does not fit on the page
        colours : of beams, by "moment", "force", "strain" or "curvature", blue to red
        """
        from linkwork.view.drawing import draw  # layer: the viewer, reached when asked for
        from linkwork.view.pages.live import view  # layer: the viewer, reached when asked for

        drawing = draw(self, traces=traces, other=other, colours=colours)
        return view(
            drawing, port=port, browser=browser, block=block, follow=follow, reactions=reactions
        )

    def animate(
        self: Any, path: Any = None, *, fps: float | None = None, speed: float | None = None,
        reactions: bool = False, traces: Any = (), other: Result | None = None,
        follow: str | None = None, colours: str | None = None, **film: Any,
    ) -> Any:  # fmt: skip
        """Write a page (.html) or a film (.mp4, .gif) of the run; a notebook shows it.

        path      : an .html file plays in any browser, offline; films need no display
        fps       : pictures per second of playing; 30, or 20 of a .gif
        speed     : simulated seconds per second; true speed for runs of up to 60 s, else a factor
                    with which it takes about ten seconds
        reactions : draw the reactions of joints as arrows too
        traces, other, follow, colours : paths, another run, a body to follow, what beams are
                    coloured by, as in `show`

        Films have also size=(width, height) in pixels and side="front", "side" or "top".

        Example: ``run.animate("run.mp4", size=(1920, 1080), follow="ball")``
        """
        same = {"traces": traces, "other": other, "follow": follow, "colours": colours}
        if path is not None and Path(path).suffix.lower() in (".mp4", ".gif"):
            from linkwork.view.pictures import film as films  # layer: the viewer, when asked for

            return films.animate(
                self, path, fps=fps, speed=speed, reactions=reactions, **same, **film
            )
        from linkwork.view.pages.offline import animate  # layer: the viewer, reached when asked for

        if film:
            raise ModelError(f"a page has no {' or '.join(film)}; give a name that ends with .mp4")
        return animate(self, path, fps=fps or 30.0, speed=speed, reactions=reactions, **same)

    def picture(
        self: Any, path: Any = None, t: float | None = None, *, size: Any = (1280, 720),
        side: str = "home", reactions: bool = False, text: bool = True, traces: Any = (),
        other: Result | None = None, follow: str | None = None, colours: str | None = None,
    ) -> Any:  # fmt: skip
        """A picture of the mechanism, in a file (.png, .jpg) or for a notebook; needs no display.

        t         : a time (s), of which the nearest stored one is shown; the first without it
        size      : (width, height) in pixels
        side      : "home", a corner or across a flat mechanism; "front", "side" or "top"
        reactions : draw the reactions of joints as arrows too;   text : title and time below
        traces, other, follow, colours : paths, another run, a body to follow, what beams are
                    coloured by, as in `show`

        Example: ``run.picture("p.png", t=0.5)``
        """
        from linkwork.view.pictures.picture import picture  # layer: the viewer, when asked for

        return picture(
            self, path, t, size=size, side=side, reactions=reactions, text=text, traces=traces,
            other=other, follow=follow, colours=colours,
        )  # fmt: skip

    def plot(self: Any, *names: str, ax: Any = None) -> Any:
        """Plot outputs over time, for example ``run.plot("rod.position", "pin.force")``."""
        from linkwork.results.plots import plot

        return plot(self, *names, ax=ax)

    def plot_phase(self: Any, x: str, y: str, ax: Any = None) -> Any:
        """Plot one output over another: ``run.plot_phase("pin.angle", "pin.rate")``."""
        from linkwork.results.plots import plot_phase

        return plot_phase(self, x, y, ax)

    def plot_health(self: Any) -> Any:
        """Energy balance, violation, step size and Newton iterations over time; returns axes."""
        from linkwork.results.health import plot_health

        return plot_health(self)

    def draw_circuit(self: Any, time: Any = None, ax: Any = None) -> Any:
        """Draw hydraulic, electric and heat circuits with their values at a time; returns axes."""
        from linkwork.results.circuit import draw_circuit

        return draw_circuit(self, time, ax)

    def spectrum(
        self: Any, *names: str, modes: Any = None, window: str = "hann", log: bool = False,
        to: float | None = None, ax: Any = None,
    ) -> Any:  # fmt: skip
        """Plot amplitude spectra, ``run.spectrum("rod.position", modes=lw.eigen(m))``.

        modes  : eigenfrequencies to mark;   window : a window of scipy.signal
        log    : amplitudes on a logarithmic scale
        to     : where the axis ends (Hz); behind the last content without it
        """
        from linkwork.results.spectrum import plot_spectrum

        return plot_spectrum(self, *names, modes=modes, window=window, log=log, to=to, ax=ax)
