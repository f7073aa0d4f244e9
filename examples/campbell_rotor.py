"""Campbell diagram of an overhung disk: forward and backward whirl over the speed.

A thin disk at the end of a stiff shaft turns in a bearing housing that springs let tilt.
Gyroscopic moments split the tilting frequency: forward whirl rises, and for a disk whose polar
inertia is larger than its tilting inertia it never meets the speed; backward whirl falls, and meets
it once.

Reference: housing and disk tilt as one about the pivot, I φ̈ − i Iₚ Ω φ̇ + k φ = 0, φ = φ_x + i φ_y,
so ω = ±Iₚ Ω/2I + √((Iₚ Ω/2I)² + k/I), and backward whirl meets Ω at √(k/(I + Iₚ)) (closed form).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

HOUSING, TILT, POLAR, MASS, ARM, K = 0.05, 0.2, 0.38, 6.0, 0.1, 400.0
INERTIA = HOUSING + TILT + MASS * ARM**2  # kg m², about the pivot
SPEEDS = np.linspace(0.0, 60.0, 31)  # rad/s


def build(speed: float = 30.0) -> lw.Model:
    """Housing and disk; the axis is z."""
    m = lw.Model("overhung disk")
    housing = m.add("housing", lw.Body(1.0, (HOUSING, HOUSING, HOUSING)))
    disk = m.add("disk", lw.Body(MASS, (TILT, TILT, POLAR), position=(0, 0, ARM)))
    m.add("pivot", lw.Universal(lw.GROUND, housing, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("mount", lw.Bushing(lw.GROUND, housing, at=(0, 0, 0), stiffness=(0, 0, 0, K, K, 0)))
    m.add("shaft", lw.Revolute(housing, disk, at=(0, 0, 0), axis=(0, 0, 1), rate=speed))
    return m


model = build()
time, step = 5, 0.005  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    found = lw.campbell(build, SPEEDS, n=2, progress=False)
    half = POLAR * SPEEDS / (2 * INERTIA)
    root = np.sqrt(half**2 + K / INERTIA)
    expected = np.column_stack([root - half, root + half])
    error = float(np.abs(np.sort(2 * np.pi * found.frequency, axis=1) / expected - 1).max())
    print(f"whirl at {SPEEDS[-1]:g} rad/s: {found.frequency[-1].round(4)} Hz, error {error:.1e}")
    assert error < 1e-8
    assert (np.diff(np.sort(found.frequency, axis=1)[:, 1]) > 0).all()

    (critical,) = found.critical_speeds(1)
    exact = np.sqrt(K / (INERTIA + POLAR))
    print(f"backward whirl meets the speed at {critical:.4f} rad/s, closed form {exact:.4f}")
    assert abs(critical / exact - 1) < 1e-3  # interpolated between speeds 2 rad/s apart

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        found.plot(orders=(1, 2))
        plt.savefig("examples/output/campbell_rotor.png")
    return {"error": error, "critical": float(critical)}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
