"""A glider that starts too fast: it climbs, slows down, dives and climbs again (the phugoid).

The force and moment of the air on the whole craft come from a table of coefficients over its angle
of attack (AerodynamicForce).  Its moment keeps the angle of attack nearly constant, so that the
craft exchanges speed for height.

References: the period √2 π V/g of F. W. Lanchester (Aerodonetics, 1908), where V is the speed at
which lift and drag carry the weight; a glider that starts with that speed keeps it, and descends by
C_D/C_L of the way forward.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

MASS, INERTIA, AREA, CHORD, G, DENSITY = 5.0, (1.2, 0.1, 1.25), 0.6, 0.25, 9.81, 1.225
SLOPE, TRIM = 5.0, 0.1  # of the lift (1/rad); angle of attack without moment (rad)
time, step = 30.0, 0.01  # s
traces = "craft"  # the path that pictures show


def lift_and_drag(alpha):
    lift = SLOPE * alpha
    return lift, 0.01 + 0.02 * lift**2


def coefficients(alpha) -> np.ndarray:
    """Three forces and three moments along nose, right and down, over the angle of attack."""
    lift, drag = lift_and_drag(alpha)
    table = np.zeros((len(alpha), 2, 6))
    table[:, :, 0] = (lift * np.sin(alpha) - drag * np.cos(alpha))[:, None]
    table[:, :, 2] = (-lift * np.cos(alpha) - drag * np.sin(alpha))[:, None]
    table[:, :, 4] = (-3.0 * (alpha - TRIM))[:, None]
    return table


LIFT, DRAG = lift_and_drag(TRIM)
GLIDE = np.arctan2(DRAG, LIFT)  # how steeply it descends
SPEED = np.sqrt(2 * MASS * G / (DENSITY * AREA * np.hypot(LIFT, DRAG)))


def build(speed: float = 1.2 * SPEED) -> lw.Model:
    m = lw.Model("glider", gravity=(0, 0, -G))
    m.air = lw.Air(density=DENSITY)
    pitch = TRIM - GLIDE  # nose against the horizon; turning about y lowers it
    shape = [{"kind": "box", "size": (1.2, 0.08, 0.1), "position": (-0.2, 0, 0)},
             {"kind": "box", "size": (CHORD, AREA / CHORD, 0.02)},
             {"kind": "box", "size": (0.15, 0.5, 0.02), "position": (-0.75, 0, 0.05)},
             {"kind": "box", "size": (0.15, 0.02, 0.2), "position": (-0.75, 0, 0.1)}]  # fmt: skip
    craft = m.add("craft", lw.Body(
        MASS, INERTIA, position=(0, 0, 20), shape=shape,
        orientation=(np.cos(pitch / 2), 0, -np.sin(pitch / 2), 0),
        velocity=(speed * np.cos(GLIDE), 0, -speed * np.sin(GLIDE)),
    ))  # fmt: skip
    axes = lw.Frame(craft, (0, 0, 0), orientation=(0, 1, 0, 0))  # x to the nose, z down
    alpha = np.radians(np.linspace(-20, 20, 401))
    m.add("air loads", lw.AerodynamicForce(axes, alpha, (-0.5, 0.5), coefficients(alpha),
                                           area=AREA, length=CHORD))  # fmt: skip
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    v = run["craft"].velocity.values
    above = np.linalg.norm(v, axis=1) / SPEED - 1
    tops = [k for k in range(1, len(above) - 1) if above[k - 1] < above[k] >= above[k + 1]]
    period, exact = float(np.mean(np.diff(run.time[tops]))), np.sqrt(2) * np.pi * SPEED / G
    print(f"period {period:.3f} s, Lanchester {exact:.3f} s")
    assert abs(period / exact - 1) < 0.01  # his angle of attack is constant

    steady = lw.transient(build(SPEED), t=5, h=step, progress=False)["craft"]
    slope = float(-steady.velocity[-1, 2] / steady.velocity[-1, 0])
    print(f"steady glide: 1 m down on {1 / slope:.3f} m, closed form {LIFT / DRAG:.3f} m")
    assert abs(slope * LIFT / DRAG - 1) < 1e-3  # the table is linear between its entries
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        place = run["craft"].position.values
        _, axes = plt.subplots(2, layout="constrained")
        axes[0].plot(place[:, 0], place[:, 2])
        axes[0].set(xlabel="way forward (m)", ylabel="height (m)", title=model.name)
        axes[1].plot(run.time, np.linalg.norm(v, axis=1))
        axes[1].set(xlabel="time (s)", ylabel="speed (m/s)")
        plt.savefig("examples/output/phugoid.png")
    return {"period": period, "slope": slope}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
