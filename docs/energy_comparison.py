"""Makes docs/images/energy-comparison.png: python docs/energy_comparison.py

Energy of a chaotic double pendulum over 1,000 s with four methods.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import linkwork as lw
from linkwork.results.plots import COLOURS

STEP, END = 0.01, 1000.0
METHODS = {
    "generalized-alpha, rho = 0.9": lw.GeneralizedAlpha(0.9),
    "generalized-alpha, rho = 1": lw.GeneralizedAlpha(1.0, stabilized=True),
    "RK4": lw.RK4(),
    "energy-momentum": lw.EnergyMomentum(),
}


def double_pendulum() -> lw.Model:
    """Two rods of 1 m and 1 kg, released straight out and up: far above the chaotic threshold."""
    m = lw.Model("double pendulum", gravity=(0, 0, -9.81))
    upper = m.add("upper", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, mass=1))
    lower = m.add("lower", lw.Body.link((1, 0, 0), (1, 0, 1), radius=0.02, mass=1))
    m.add("shoulder", lw.Revolute(lw.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("elbow", lw.Revolute(upper, lower, at=(1, 0, 0), axis=(0, 1, 0)))
    return m


def energies() -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """Time, energy above its initial value over m g (1 m), and µs per step, by method."""
    found = {}
    for name, method in METHODS.items():
        try:
            run = lw.transient(
                double_pendulum(), t=END, h=STEP, method=method, every=20, progress=False
            )
        except lw.ConvergenceError as error:  # show how far it came
            run = error.result
        total = run.energy.total.values
        found[name] = run.time, (total - total[0]) / 9.81, run.info["seconds"] / (END / STEP) * 1e6
    return found


def main() -> None:
    figure, axes = plt.subplots(2, sharex=True, figsize=(9, 6), layout="constrained")
    for (name, (time, energy, cost)), colour in zip(energies().items(), COLOURS, strict=False):
        print(f"{name:30s} at t = {time[-1]:6g} s: {energy[-1]:+.3g}, "
              f"largest {np.abs(energy).max():.2g}, {cost:.1f} µs per step")  # fmt: skip
        axes[0].plot(time, energy, color=colour, label=name)
        axes[1].semilogy(time[1:], np.maximum(np.abs(energy[1:]), 1e-16), color=colour, lw=0.8)
    axes[0].set_ylim(-0.15, 0.15)
    axes[0].set_ylabel("energy − initial (m g · 1 m)")
    axes[0].legend(loc="upper left", frameon=False)
    axes[1].set_ylabel("its size")
    axes[1].set_xlabel("time (s)")
    figure.savefig(Path(__file__).parent / "images" / "energy-comparison.png", dpi=130)


if __name__ == "__main__":
    main()
