"""A blade that is spun up: centrifugal stiffening of a beam that is geometrically exact.

A beam of 10 m turns about its root, from rest to 6 rad/s within 15 s:

    θ(t) = Ω/T (t²/2 + (T/2π)² (cos 2πt/T − 1)),   then Ω (t − T/2)

It lags behind while it is sped up, by half a metre, and swings back to a straight line, stretched
by the centrifugal force (EA = 2.8e7 N, EI = 1.4e4 N m², 1.2 kg/m; the problem of T. R. Kane,
R. R. Ryan, A. K. Banerjee: Dynamics of a cantilever beam attached to a moving base, Journal of
Guidance, Control, and Dynamics 10 (1987), with the data of J. C. Simo and L. Vu-Quoc: On the
dynamics of flexible beams under large overall motions, Journal of Applied Mechanics 53 (1986)).
A theory that is linear in deformations has no stiffening, and the blade would break away.

References: the steady extension of the tip, from EA u″ + m Ω² (x + u) = 0,

    u(L) = tan(αL)/α − L = 5.14317e-4 m,   α² = m Ω²/EA

and the tension at the root, EA u′(0).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LENGTH, SPEED, RAMP = 10.0, 6.0, 15.0  # m, rad/s, s
EA, GA, EI, MASS, INERTIA = 2.8e7, 1.0e7, 1.4e4, 1.2, 6e-4
BLADE = lw.Section(
    stiffness=[EA, GA, GA, EI, EI, EI], mass=MASS, inertia=(2 * INERTIA, INERTIA, INERTIA),
    damping=2e-3,
)  # fmt: skip
time, step = 25.0, 0.01  # seconds


def angle() -> object:
    t = np.linspace(0, RAMP, 601)
    turned = t**2 / 2 + (RAMP / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / RAMP) - 1)
    later = np.linspace(RAMP, 30, 121)[1:]
    times = np.concatenate([t, later])
    return lw.table(times, np.concatenate([SPEED / RAMP * turned, SPEED * (later - RAMP / 2)]))


def build() -> lw.Model:
    m = lw.Model("spin-up")
    blade = m.add("blade", lw.Beam((0, 0, 0), (LENGTH, 0, 0), BLADE, elements=6))
    m.add("hub", lw.Motor(lw.GROUND, blade.root, at=(0, 0, 0), axis=(0, 0, 1), angle=angle()))
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    root, tip = run["blade.root"], run["blade.tip"].position.values
    turn = 2 * np.unwrap(np.arctan2(root.orientation.values[:, 3], root.orientation.values[:, 0]))
    along = tip[:, 0] * np.cos(turn) + tip[:, 1] * np.sin(turn)
    across = -tip[:, 0] * np.sin(turn) + tip[:, 1] * np.cos(turn)
    steady = run.time > time - 2.0
    extension = float(np.mean(along[steady]) - LENGTH)
    alpha = SPEED * np.sqrt(MASS / EA)
    exact = np.tan(alpha * LENGTH) / alpha - LENGTH
    tension = float(run["blade"].section_force.values[-1, 0, 0])
    s = float(run["blade"].section_force.s[0])
    exact_tension = EA * (np.cos(alpha * s * LENGTH) / np.cos(alpha * LENGTH) - 1)
    lag = float(across.min())
    print(f"largest lag {lag:.3f} m; steady extension {extension:.5e} m, exact {exact:.5e} m")
    print(f"tension at the first section {tension:.2f} N, exact {exact_tension:.2f} N")
    # masses lie at nodes, and the blade still swings by a millimetre, which shortens it by 1e-7 m
    assert abs(extension / exact - 1) < 5e-3
    assert abs(tension / exact_tension - 1) < 2e-2
    assert -0.65 < lag < -0.45
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(layout="constrained")
        axes.plot(run.time, across)
        axes.set(xlabel="time (s)", ylabel="lag of the tip (m)", title=model.name)
        plt.savefig("examples/output/spin_up_blade.png")
    return {"extension": extension, "tension": tension, "lag": lag}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
