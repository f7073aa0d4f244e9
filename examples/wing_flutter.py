"""A wing that flutters: bending and twist of Goland's wing take energy from the wind.

A uniform cantilever wing of 6.1 m × 1.83 m (M. Goland: The flutter of a uniform cantilever wing,
Journal of Applied Mechanics 12 (1945), as corrected by M. Goland and Y. L. Luke, ibid. 15 (1948)):
elastic axis at 33 % of the chord, centre of mass at 43 %, EI = 9.77 MN m², GJ = 0.988 MN m²,
35.7 kg/m, 8.64 kg m per length about the elastic axis.  Beams of three nodes carry strips with
unsteady airfoils (six states a point).

References: flutter at 137 m/s with 70.7 rad/s by strip theory; and the growth of a small motion
beyond that speed, which is the real part of the eigenvalue.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LENGTH, CHORD, OFFSET = 6.096, 1.8288, 0.18288  # m; the centre of mass behind the elastic axis
EI, GJ, MASS, INERTIA = 9.77e6, 0.987e6, 35.72, 8.64
FAST = 150.0  # m/s
time, step = 1.6, 2e-3  # seconds


def build(speed: float = FAST) -> lw.Model:
    m = lw.Model("Goland wing")
    kick = lw.OneMinusCosine((0, 0, 0.02), length=0.05 * speed, speed=speed)
    m.air = lw.Air(density=1.225, velocity=(speed, 0, 0), speed_of_sound=1e5, gusts=[kick])
    own = INERTIA - MASS * OFFSET**2
    section = lw.Section(
        stiffness=(1e8, 1e8, 1e8, GJ, EI, 50 * EI), mass=MASS, inertia=(own, 0.01, own),
        mass_offset=(-OFFSET, 0),
    )  # fmt: skip
    spar = m.add("spar", lw.Beam((0, 0, 0), (0, LENGTH, 0), section, elements=4))
    m.add("root", lw.Fixed(lw.GROUND, spar.root, at=(0, 0, 0)))
    m.add("wing", lw.LiftingSurface(
        spar, CHORD, lw.Airfoil.flat_plate(), aerodynamic_centre=0.08 * CHORD, points=1,
        model="theodorsen",
    ))  # fmt: skip
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    found = lw.flutter(build, [125, 135, 140], n=2, refine=False, progress=False)
    speed, omega = float(found.flutter_speed or 0), float(found.flutter_frequency or 0)
    run = lw.transient(model, t=time, h=step, progress=False)
    z = run["spar.tip"].position.values[:, 2]
    values = lw.eigen(model, at=lw.static(model, progress=False)).eigenvalues
    slow = values[(np.abs(values.imag) > 20) & (np.abs(values) < 200)]
    grows = slow[int(np.argmax(slow.real))]
    early, late = (np.abs(z[(run.time > a) & (run.time < a + 0.1)]).max() for a in (0.9, 1.5))
    rate = np.log(late / early) / 0.6
    print(f"flutter at {speed:.1f} m/s with {omega:.1f} rad/s (Goland: 137 m/s, 70.7 rad/s)")
    print(f"at {FAST:g} m/s a push grows by e^{rate:.2f}t, eigenvalue {grows.real:.2f}")
    assert abs(speed / 137.25 - 1) < 0.02 and abs(omega / 70.69 - 1) < 0.03
    assert abs(rate / grows.real - 1) < 0.1
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(layout="constrained")
        axes.plot(run.time, 1e3 * z)
        axes.set(xlabel="time (s)", ylabel="tip (mm)", title=f"{model.name} at {FAST:g} m/s")
        plt.savefig("examples/output/wing_flutter.png")
    return {"speed": speed, "frequency": omega, "rate": float(rate)}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
