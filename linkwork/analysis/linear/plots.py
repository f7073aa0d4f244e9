"""Pictures of eigenvalues: frequencies, damping, the complex plane, and loci over a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.results.plots import COLOURS, style, title

if TYPE_CHECKING:
    from linkwork.analysis.linear.campbell import Campbell
    from linkwork.analysis.linear.locus import RootLocus
    from linkwork.analysis.linear.modes import Modes


def plot_modes(modes: Modes) -> Any:
    """Frequencies, damping ratios and the complex plane; an array of three axes."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, layout="constrained", figsize=(10.2, 3.4))
    number = np.arange(len(modes))
    for ax, values, words in (
        (axes[0], modes.frequency, "frequency (Hz)"), (axes[1], modes.damping, "damping ratio"),
    ):  # fmt: skip
        ax.bar(number, values, color=COLOURS[0], width=0.6)
        ax.set_xlabel("mode")
        ax.set_ylabel(words)
        ax.set_xticks(number if len(modes) <= 20 else number[:: len(modes) // 10])
        style(ax)
    values = modes.eigenvalues
    both = np.concatenate([values, values.conj()[values.imag != 0]])
    grows = both.real > 1e-9 * np.abs(both).max(initial=0.0)
    axes[2].plot(both.real[~grows], both.imag[~grows], "o", color=COLOURS[0], markersize=5)
    axes[2].plot(both.real[grows], both.imag[grows], "o", color=COLOURS[1], markersize=5)
    plane(axes[2])
    name = modes.data.system.model.name if modes.data is not None else "modes"
    title(figure, f"modes of '{name}'" + ("" if modes.stable else ", unstable"))
    return axes


def plane(ax: Any) -> None:
    """Axes of the complex plane: growing motions are to the right of the line."""
    ax.axvline(0, color="#888888", linewidth=0.9)
    ax.set_xlabel("Re λ (1/s)")
    ax.set_ylabel("Im λ (rad/s)")
    style(ax)


def plot_locus(locus: RootLocus, ax: Any = None) -> Any:
    """Every mode's way through the complex plane, coloured by the parameter; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        figure, ax = plt.subplots(layout="constrained", figsize=(6.2, 4.6))
        title(figure, f"root locus over {locus.parameter}")
    p = np.repeat(locus.values[:, None], locus.eigenvalues.shape[1], axis=1)
    for values in (locus.eigenvalues, locus.eigenvalues.conj()):
        ax.plot(values.real, values.imag, color="#c9ccd2", linewidth=1, zorder=1)
        dots = ax.scatter(values.real, values.imag, c=p, s=14, cmap="viridis", zorder=2)
    ax.figure.colorbar(dots, ax=ax, label=locus.parameter)
    plane(ax)
    return ax


def plot_campbell(found: Campbell, ax: Any = None, orders: Any = (1, 2, 3, 4)) -> Any:
    """Frequencies over the speed, with lines of its multiples; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        figure, ax = plt.subplots(layout="constrained", figsize=(6.2, 4.6))
        title(figure, f"Campbell diagram of '{found.name}'")
    for j, column in enumerate(found.frequency.T):
        ax.plot(found.speeds, column, color=COLOURS[j % len(COLOURS)], linewidth=1.5)
    top = 1.08 * np.nanmax(found.frequency, initial=0.0) or 1.0
    ends = np.array([0.0, np.abs(found.speeds).max()])
    for order in orders:
        line = order * ends / (2 * np.pi)
        ax.plot(ends, line, color="#888888", linewidth=0.8, linestyle=":")
        at = min(ends[1], 2 * np.pi * top / order)
        ax.text(at, order * at / (2 * np.pi), f"{order:g}P", color="#888888", fontsize=8)
    ax.set_ylim(0, top)
    ax.set_xlabel("speed (rad/s)")
    ax.set_ylabel("frequency (Hz)")
    style(ax)
    return ax
