"""Helicopter blade: frequencies over the speed of the rotor, and the lift that bends it.

A uniform blade of 5 m is clamped to a hub that turns.  Centrifugal tension stiffens it: flap and
lag frequencies rise with the speed.  The blade settles in the rotating frame by statics
(`lw.static(spin=…)`), and its modes are those about that equilibrium; inertia is consistent, so
that twelve elements have them to four digits.  At the working speed a lift that follows the
sections bends it upwards, twisted by 8° from root to tip.

Reference: A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang: Vibration modes of
centrifugally stiffened beams, Journal of Applied Mechanics 49 (1982), 197–202: flap frequencies
over √(EI/m)/L² at η = Ω L² √(m/EI); lag² = flap² − η².
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LENGTH, EI, MASS = 5.0, 4.0e4, 8.0  # m, N m², kg/m
UNIT = np.sqrt(EI / MASS) / LENGTH**2  # rad/s
ETA = np.array([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0])
FLAP = {0: (3.5160, 22.0345), 2: (4.1373, 22.6149), 6: (7.3604, 26.8091), 10: (11.2023, 33.6404),
        12: (13.1702, 37.6031)}  # fmt: skip
BLADE = lw.Section(
    stiffness=[5e8, 2e8, 2e8, 3e4, EI, EI], mass=MASS, inertia=(4e-3, 2e-3, 2e-3),
    outline=(0.35, 0.04),
)  # fmt: skip
SPEED = 6.0 * UNIT


def build(speed: float = SPEED, twist: float = 0.0, lift: float = 0.0) -> lw.Model:
    m = lw.Model("helicopter blade")
    hub = m.add("hub", lw.Body(20, (1, 1, 1)))
    m.add("rotor", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(speed)))

    def up(s):
        return (0.0, -np.sin(twist * (1 - s)), np.cos(twist * (1 - s)))

    blade = m.add("blade", lw.Beam(
        (0, 0, 0), (LENGTH, 0, 0), BLADE, elements=12, up=up if twist else None,
        inertia="consistent",
    ))  # fmt: skip
    m.add("root", lw.Fixed(hub, blade.root, at=(0, 0, 0)))
    if lift:
        m.add("lift", lw.LineLoad(blade, force=(0, 0, lift), start=0.2, follower=True))
    return m


model = build(twist=np.radians(8), lift=600.0)
time, step = 2.0, 0.005  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    found = lw.campbell(build, ETA * UNIT, n=4, progress=False)
    omega = np.sort(2 * np.pi * found.frequency, axis=1) / UNIT
    error = 0.0
    for eta, (first, second) in FLAP.items():
        row = omega[list(ETA).index(eta)]
        expected = np.sort([first, second, *np.sqrt(np.array([first, second]) ** 2 - eta**2)])
        error = max(error, float(np.abs(row / expected - 1).max()))
    print(f"flap and lag at η = 12: {omega[-1].round(4)}, largest error {error:.1e}")
    assert error < 1e-3  # shear, extension and the section's own inertia are in the model

    loaded = build(twist=np.radians(8), lift=600.0)
    still = lw.static(loaded, spin=(0, 0, SPEED), progress=False)
    tip = still["blade.tip"].position.values
    root = still["blade"].section_moment.values[0]
    lag = np.degrees(np.arctan2(tip[1], tip[0]))
    moment = np.linalg.norm(root)
    print(f"lifted by {tip[2]:.3f} m, {-lag:.2f}° behind; root moment {moment:.0f} N m")
    assert 0.05 < tip[2] < 0.6
    tension = still["blade"].section_force.values[:, 0]
    ideal = MASS * SPEED**2 * LENGTH**2 / 2  # ∫ m Ω² r dr
    print(f"tension at the root {tension[0]:.0f} N, m Ω² L²/2 = {ideal:.0f} N")
    assert abs(tension[0] / ideal - 1) < 0.02

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
        found.plot(ax=left, orders=(1, 2, 3, 4))
        still["blade"].plot_shape(plane="xz", ax=right)
        right.set_title("under lift, in the rotating frame")
        plt.tight_layout()
        plt.savefig("examples/output/helicopter_blade.png")
    return {"error": error, "tip": float(tip[2])}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
