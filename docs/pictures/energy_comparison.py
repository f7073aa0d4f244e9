"""Makes docs/images/energy-comparison.png: python -m docs.pictures.energy_comparison

Energy of a chaotic double pendulum over 1,000 s with four methods of linkwork, and with RK4 on the
equations in the two angles α and β of the rods, of length 1 and mass 1, above the horizontal:

    (J + 5/4) α¨ + ½ cos(α − β) β¨ = −½ sin(α − β) β˙² − 3/2 g cos α
    (J + 1/4) β¨ + ½ cos(α − β) α¨ =  ½ sin(α − β) α˙² − 1/2 g cos β
"""

from __future__ import annotations

import math
import time as clock
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import linkwork as lw
from linkwork.results.plots import COLOURS

STEP, END, EVERY, RADIUS, G = 0.01, 1000.0, 20, 0.02, 9.81
METHODS = {
    "generalized-alpha, rho = 0.9": lw.GeneralizedAlpha(0.9),
    "generalized-alpha, rho = 1": lw.GeneralizedAlpha(1.0, stabilized=True),
    "RK4": lw.RK4(),
    "energy-momentum": lw.EnergyMomentum(),
}


def double_pendulum() -> lw.Model:
    """Two rods of 1 m and 1 kg, released straight out and up: far above the chaotic threshold."""
    m = lw.Model("double pendulum", gravity=(0, 0, -G))
    upper = m.add("upper", lw.Body.link((0, 0, 0), (1, 0, 0), radius=RADIUS, mass=1))
    lower = m.add("lower", lw.Body.link((1, 0, 0), (1, 0, 1), radius=RADIUS, mass=1))
    m.add("shoulder", lw.Revolute(lw.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("elbow", lw.Revolute(upper, lower, at=(1, 0, 0), axis=(0, 1, 0)))
    return m


def energies() -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """Time, energy above its initial value over m g (1 m), and µs per step, by method."""
    found = {}
    for name, method in METHODS.items():
        try:
            run = lw.transient(
                double_pendulum(), t=END, h=STEP, method=method, every=EVERY, progress=False
            )
        except lw.ConvergenceError as error:  # show how far it came
            run = error.result
        total = run.energy.total.values
        found[name] = run.time, (total - total[0]) / G, run.info["seconds"] / (END / STEP) * 1e6
    found["RK4 on two angles"] = two_angles()
    return found


def two_angles() -> tuple[np.ndarray, np.ndarray, float]:
    """The same from the equations in two angles, by the classical Runge-Kutta method."""
    J = 1 / 12 + RADIUS**2 / 4

    def rate(y: np.ndarray) -> np.ndarray:
        a, b, u, v = y
        c, s = 0.5 * math.cos(a - b), 0.5 * math.sin(a - b)
        f = -s * v * v - 1.5 * G * math.cos(a), s * u * u - 0.5 * G * math.cos(b)
        D = (J + 1.25) * (J + 0.25) - c * c
        return np.array([
            u, v, ((J + 0.25) * f[0] - c * f[1]) / D, ((J + 1.25) * f[1] - c * f[0]) / D
        ])  # fmt: skip

    def energy(y: np.ndarray) -> float:
        a, b, u, v = y
        kinetic = (J + 1.25) * u * u + (J + 0.25) * v * v + math.cos(a - b) * u * v
        return 0.5 * kinetic / G + 1.5 * math.sin(a) + 0.5 * math.sin(b)

    y = np.array([0.0, math.pi / 2, 0.0, 0.0])
    steps, started = round(END / STEP), clock.perf_counter()
    out = [energy(y)]
    for k in range(steps):
        k1 = rate(y)
        k2 = rate(y + 0.5 * STEP * k1)
        k3 = rate(y + 0.5 * STEP * k2)
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + STEP * k3))
        if (k + 1) % EVERY == 0:
            out.append(energy(y))
    cost = (clock.perf_counter() - started) / steps * 1e6
    return STEP * EVERY * np.arange(len(out)), np.array(out) - out[0], cost


def main() -> None:
    figure, axes = plt.subplots(2, sharex=True, figsize=(9, 6), layout="constrained")
    for (name, (time, energy, cost)), colour in zip(energies().items(), COLOURS, strict=False):
        print(f"{name:30s} at t = {time[-1]:6g} s: {energy[-1]:+.3g}, "
              f"largest {np.abs(energy).max():.2g}, {cost:.1f} µs per step")  # fmt: skip
        axes[0].plot(time, energy, color=colour, label=name, lw=0.8)
        axes[1].semilogy(time[1:], np.maximum(np.abs(energy[1:]), 1e-16), color=colour, lw=0.8)
    axes[0].set_ylim(-0.15, 0.15)
    axes[0].set_ylabel("energy − initial (m g · 1 m)")
    axes[0].legend(loc="upper left", frameon=False, ncols=2)
    axes[1].set_ylabel("its absolute value")
    axes[1].set_xlabel("time (s)")
    figure.savefig(Path(__file__).parent.parent / "images" / "energy-comparison.png", dpi=130)


if __name__ == "__main__":
    main()
