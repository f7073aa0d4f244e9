"""V-f and V-g diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.results.plots import COLOURS, style, title

if TYPE_CHECKING:
    from linkwork.analysis.aeroelastic.flutter import Flutter


def plot_flutter(found: Flutter, axes: Any = None) -> Any:
    """Frequencies and damping over the speed; returns the two axes."""
    import matplotlib.pyplot as plt

    if axes is None:
        figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(9.4, 3.8))
        title(figure, f"stability of '{found.name}' over the speed of the wind")
    for ax, values, words in (
        (axes[0], found.frequency, "frequency (Hz)"),
        (axes[1], found.damping, "damping ratio −Re λ/|λ|"),
    ):
        for j, column in enumerate(values.T):
            ax.plot(found.speeds, column, color=COLOURS[j % len(COLOURS)], linewidth=1.6,
                    label=f"mode {j + 1}")  # fmt: skip
        for speed, name in (
            (found.flutter_speed, "flutter"), (found.divergence_speed, "divergence")
        ):  # fmt: skip
            if speed is not None:
                ax.axvline(speed, color="#888888", linewidth=0.9, linestyle=":")
                ax.text(speed, 0.98, f" {name} {speed:.4g}", fontsize=8, color="#666666",
                        transform=ax.get_xaxis_transform(), va="top")  # fmt: skip
        ax.set_xlabel("speed of the wind (m/s)")
        ax.set_ylabel(words)
        style(ax)
    axes[1].axhline(0, color="#888888", linewidth=0.9)
    axes[0].legend(fontsize=8, frameon=False)
    return axes
