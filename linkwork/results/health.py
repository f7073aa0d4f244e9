"""How well a run went: energy balance, violation, step size, Newton iterations, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.results.plots import COLOURS, legend, style, title

if TYPE_CHECKING:
    from linkwork.results.result import Result


def plot_health(result: Result) -> Any:
    """Four panels, returned as an array of axes; what a method does not know is left out.

    energy     : total, and balance = total + dissipated − supplied less its initial value
    violation  : the worst joint's error of positions and of velocities, logarithmic
    step, iterations : of every stored step
    """
    import matplotlib.pyplot as plt

    panels = [_energy]
    if result.joints:
        panels.append(_violation)
    for name, draw in (("step", _step), ("iterations", _iterations)):
        if name in result.arrays and len(result.arrays[name]) == len(result):
            panels.append(draw)
    figure, axes = plt.subplots(
        len(panels), 1, sharex=True, squeeze=False, layout="constrained",
        figsize=(7.2, 1.0 + 1.9 * len(panels)),
    )  # fmt: skip
    for ax, draw in zip(axes[:, 0], panels):
        ax.set_prop_cycle(color=COLOURS)
        draw(ax, result)
        style(ax)
        if ax.get_legend_handles_labels()[1]:
            legend(ax)
    axes[-1, 0].set_xlabel("time (s)")
    title(figure, f"health of '{result.info['model']}'")
    return axes[:, 0]


def _energy(ax: Any, result: Result) -> None:
    energy = result.energy
    name = "balance" if "balance" in energy else "total"
    change = energy[name].values - energy[name].values[0]
    ax.plot(result.time, change, label="imbalance" if name == "balance" else "change of the total")
    ax.set_ylabel("energy (J)")
    span = max(float(np.ptp(energy[part].values)) for part in ("kinetic", "potential"))
    if span > 0:
        ax.set_title(
            f"at most {np.abs(change).max() / span:.1e} of the energy exchanged", loc="right",
            fontsize=9,
        )  # fmt: skip


def _violation(ax: Any, result: Result) -> None:
    violation = result.violation
    for name, words in (("position", "positions"), ("velocity", "velocities")):
        worst = violation[name].values.max(axis=1)
        joint = result.joints[int(violation[name].values.max(axis=0).argmax())]
        ax.plot(result.time, np.maximum(worst, 1e-18), label=f"{words}, worst in '{joint}'")
    ax.set_yscale("log")
    ax.set_ylabel("violation")


def _step(ax: Any, result: Result) -> None:
    ax.plot(result.time[1:], result.arrays["step"][1:], drawstyle="steps-pre")
    ax.set_ylabel("step (s)")
    ax.set_ylim(bottom=0)


def _iterations(ax: Any, result: Result) -> None:
    ax.plot(result.time[1:], result.arrays["iterations"][1:], drawstyle="steps-pre")
    ax.set_ylabel("iterations")
    ax.set_ylim(bottom=0)
