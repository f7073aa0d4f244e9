"""Two gears whose load reverses: the teeth cross the backlash and bear on their other flanks.

A pinion of 16 teeth drives a wheel of 32 (GearTeeth).  One or two pairs of teeth are in mesh in
turn, so that the deflection of the teeth under a steady torque has two levels.  When the torques
change their signs, the flanks part, the wheels turn freely through the backlash, and touch again.

References, in closed form: with base radii r, stiffness k of one pair and backlash j, the
transmission error x = r₁ φ₁ + r₂ φ₂ is j/2 + T/(r₁ n k) where n = 1 or 2 pairs bear the torque T;
between the flanks ẍ = r₁ T₁/J₁ + r₂ T₂/J₂.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

TEETH, MODULE, BACKLASH, PAIR = (16, 32), 5e-3, 2e-3, 1e6  # of plastic; 1, m, m, N/m
INERTIA, TORQUE, SPEED = (0.01, 0.04), 10.0, 3.0  # kg m², N m, rad/s
REVERSED = 2.0  # s
time, step = 3.0, 1e-4  # s


def wheel_shape(teeth: int, turned: float) -> list[dict]:
    """A disc and a block for every tooth."""
    pitch, thick = teeth * MODULE / 2, 0.02
    blocks = []
    for k in range(teeth):
        a = turned + 2 * np.pi * k / teeth
        blocks.append({"kind": "box", "size": (2 * MODULE, 0.45 * np.pi * MODULE, thick),
                       "position": (pitch * np.cos(a), pitch * np.sin(a), 0),
                       "orientation": (np.cos(a / 2), 0, 0, np.sin(a / 2))})  # fmt: skip
    return [{"kind": "cylinder", "radius": pitch - MODULE, "length": thick}, *blocks]


def build() -> lw.Model:
    m, axles, x = lw.Model("gears with backlash"), [], 0.0
    for name, z, J, turned in zip(("pinion", "wheel"), TEETH, INERTIA, (0, np.pi / TEETH[1])):
        body = m.add(name, lw.Body(1, (J, J, J), position=(x, 0, 0), shape=wheel_shape(z, turned)))
        rate = SPEED if name == "pinion" else -SPEED * TEETH[0] / TEETH[1]
        axles.append(m.add(f"{name} axle", lw.Revolute(lw.GROUND, body, at=(x, 0, 0),
                                                       axis=(0, 0, 1), rate=rate)))  # fmt: skip
        x = MODULE * sum(TEETH) / 2
    m.add("teeth", lw.GearTeeth(*axles, teeth=TEETH, module=MODULE, stiffness=PAIR,
                                backlash=BACKLASH, damping=20.0))  # fmt: skip
    sign = lw.table([0, REVERSED, REVERSED + 1e-6, time], [1, 1, -1, -1], kind="linear")
    m.add("motor", lw.JointTorque(axles[0], TORQUE * sign))
    m.add("brake", lw.JointTorque(axles[1], TORQUE * TEETH[1] / TEETH[0] * sign))
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    teeth = model["teeth"]
    x, (r1, r2) = teeth.transmission_error(run), teeth.base_radii
    steady = (run.time > 1) & (run.time < REVERSED)
    levels = [BACKLASH / 2 + TORQUE / (r1 * n * PAIR) for n in (1, 2)]
    found = [float(np.percentile(x[steady], part)) for part in (95, 5)]
    free = (run.time > REVERSED) & (np.abs(x) < 0.98 * BACKLASH / 2)
    first = int(np.argmax(free))
    last = first + int(np.argmin(free[first:]))  # the first crossing; a rebound follows
    measured = 2 * np.polyfit(run.time[first:last], x[first:last], 2)[0]
    exact = -TORQUE * (r1 / INERTIA[0] + r2 * TEETH[1] / TEETH[0] / INERTIA[1])
    print(f"contact ratio {teeth.contact_ratio:.3f}: pairs of teeth in mesh on average")
    print(f"transmission error with one pair {1e3 * found[0]:.3f} mm, with two "
          f"{1e3 * found[1]:.3f} mm; closed form {1e3 * levels[0]:.3f}, {1e3 * levels[1]:.3f}")
    print(f"between the flanks it changes by {measured:.2f} m/s², closed form {exact:.2f}")
    assert np.allclose(found, levels, rtol=0.01)  # the teeth still vibrate a little
    assert abs(measured / exact - 1) < 1e-6
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(layout="constrained")
        axes.plot(run.time, 1e3 * x, lw=0.8)
        axes.axhspan(-500 * BACKLASH, 500 * BACKLASH, color="0.9", label="backlash")
        axes.set(xlabel="time (s)", ylabel="transmission error (mm)", title=model.name)
        axes.legend()
        plt.savefig("examples/output/gear_backlash.png")
    return {"one pair": found[0], "two pairs": found[1], "acceleration": float(measured)}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
