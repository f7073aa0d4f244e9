"""Modes of small motions, η = x e^{λt}: eigenvalues λ, shapes x, and what they say in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import html
from linkwork.system.data import Data
from linkwork.system.state import State

DEFECTIVE = 1e-7  # relative error of a double eigenvalue, √EPS and a bit: no sign of growth


@dataclass(frozen=True)
class Modes:
    """Eigenvalues λ (complex, 1/s) and mode shapes, lowest |λ| first.

    A conjugate pair counts once and is given by the one with positive imaginary part; real
    eigenvalues count each; a motion that nothing holds (λ = 0 twice) counts once.

    frequency : |Im λ|/2π in Hz;   damping : −Re λ/|λ|, 1 for what only decays, 0 for λ = 0
    shapes    : (modes, bodies, 6) complex displacement and rotation, largest component 1;
                modes["rod"] is (modes, 6) of one body, modes.shape(i) (bodies, 6) of one mode
    stable    : no λ has a positive real part (with sparse=True: none of those found)
    values    : (modes, n) of scalar and vector nodes, in the order of the model
    axes      : the axes of the shapes, in words (world axes, or axes turning with the mechanism)
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray
    bodies: tuple[str, ...]
    stable: bool
    axes: str = "world axes"
    state: State | None = field(default=None, repr=False)
    data: Data | None = field(default=None, repr=False)
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @property
    def frequency(self) -> np.ndarray:
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        size = np.abs(self.eigenvalues)
        ratio = -self.eigenvalues.real / np.where(size > 0, size, 1.0)
        return np.where(ratio == 0, 0.0, ratio)  # no minus zero

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __getitem__(self, body: str) -> np.ndarray:
        """(modes, 6): how a body moves in every mode."""
        if body not in self.bodies:
            raise ModelError(f"the modes have no body named {body!r}; they have {self.bodies}")
        return self.shapes[:, self.bodies.index(body)]

    def shape(self, i: int) -> np.ndarray:
        """(bodies, 6): how all bodies move in mode i (from 0)."""
        return self.shapes[i]

    def plot(self) -> Any:
        """Frequencies, damping ratios and the complex plane; returns the three axes."""
        from linkwork.analysis.linear.plots import plot_modes

        return plot_modes(self)

    def animate(self, i: int, path: Any = None) -> Any:
        """Write one .html file that plays mode i (from 0), a period in two seconds."""
        from linkwork.view.modal import mode_motion  # layer: the viewer, reached when asked for
        from linkwork.view.pages.offline import animate  # layer: the viewer, reached when asked for

        result, title = mode_motion(self, i)
        return animate(result, path, speed=1.0, title=title)

    def show(
        self, i: int, *, port: int | None = None, browser: bool = True, block: bool | None = None
    ) -> Any:
        """Open a page in the browser with mode i (from 0) in motion."""
        from linkwork.view.drawing import draw  # layer: the viewer, reached when asked for
        from linkwork.view.modal import mode_motion  # layer: the viewer, reached when asked for
        from linkwork.view.pages.live import view  # layer: the viewer, reached when asked for

        result, title = mode_motion(self, i)
        return view(draw(result, title=title), port=port, browser=browser, block=block)

    def __repr__(self) -> str:
        return "\n".join(table(self))

    def _repr_html_(self) -> str:
        head = ("mode", "eigenvalue (1/s)", "frequency (Hz)", "damping ratio", "moves most")
        return html.title(heading(self)) + html.table(head, rows(self))


def heading(modes: Modes) -> str:
    stable = "stable" if modes.stable else "unstable"
    return f"{len(modes)} mode{'s' * (len(modes) != 1)}, {stable}, shapes in {modes.axes}"


def table(modes: Modes) -> list[str]:
    """The modes in words, one line each."""
    lines = [heading(modes)]
    if len(modes):
        lines.append(f"{'':>4}  {'eigenvalue (1/s)':>28}  {'Hz':>10}  {'damping':>8}  moves most")
    return lines + [f"{i:>4}  {a:>28}  {b:>10}  {c:>8}  {d}" for i, a, b, c, d in rows(modes)]


def rows(modes: Modes) -> list[tuple[str, ...]]:
    """Number, eigenvalue, frequency, damping and what moves most, of every mode."""
    found: list[tuple[str, ...]] = []
    size = np.abs(modes.eigenvalues).max(initial=0.0)
    for i, value in enumerate(modes.eigenvalues):
        re, im = (0.0 if abs(x) < 1e-12 * size else x for x in (value.real, value.imag))
        text = f"{re:.6g} ± {im:.6g}i" if im else f"{re:.6g}"
        damping = 0.0 if re == 0 else modes.damping[i]
        most = largest_part(modes, i)
        found.append((str(i), text, f"{modes.frequency[i]:.5g}", f"{damping:.4g}", most))
    return found


def largest_part(modes: Modes, i: int) -> str:
    """What moves most in mode i, in words."""
    shape, values = np.abs(modes.shapes[i]), np.abs(modes.values[i : i + 1]).ravel()
    if values.size and modes.data is not None and values.max() > shape.max(initial=0.0):
        layout = modes.data.system.layout
        return layout.describe(layout.rigid + int(np.argmax(values)))
    b, j = np.unravel_index(np.argmax(shape), shape.shape)
    return f"{modes.bodies[b]} ({'along' if j < 3 else 'about'} {'xyz'[j % 3]})"
