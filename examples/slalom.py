"""A vehicle on a slalom: a chassis, four sprung hubs, four tyres, steering by a motion law.

The hubs slide along the chassis' vertical on springs with dampers; the front ones are steered.
Tyres follow the magic formula on a flat road.  The vehicle coasts: first the front wheels are held
at a small angle, then they swing from side to side between the cones.

Checked: in the steady curve the yaw rate is that of the bicycle model with its understeer gradient,
the loads of the wheels balance weight and centrifugal force, the energy account is closed, and the
run is 20 times faster than the vehicle on an idle machine (10 times are asked for here).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

SPEED = 15.0  # m/s
MASS, YAW = 1200.0, 1800.0  # of the chassis: kg, kg m²
FRONT, REAR, HALF = 1.2, -1.4, 0.75  # of axles and wheels from the centre (m)
RIM, HUB, TRAIL = 15.0, 20.0, 0.03  # kg, kg, m
STEER = 0.01  # rad, in the steady curve
CURVE = 6.0  # s until the slalom begins
WHEELS = ("front left", "front right", "rear left", "rear right")


def tyre(front: bool) -> lw.TyreData:
    """Softer tyres in front: the vehicle understeers."""
    B = 8.5 if front else 11.0
    return lw.TyreData.magic(
        radius=0.32, stiffness=2.2e5, damping=400.0, load=3500.0, x=(12, 1.6, 1.0, 0.5),
        y=(B, 1.4, 0.95, -0.5), trail=TRAIL, relaxation=(0.15, 0.4),
    )  # fmt: skip


def steering() -> object:
    """A ramp to a small angle, held; then five swings, fading in and out."""
    times = np.linspace(0, 16, 801)
    held = STEER * np.clip(times - 0.5, 0, 1) * np.clip(2 * (CURVE - times) + 1, 0, 1)
    fade = np.clip(2 * (times - CURVE), 0, 1) * np.clip(2 * (14.5 - times), 0, 1)
    return lw.table(times, held + 0.06 * np.sin(1.885 * (times - CURVE)) * fade, kind="cubic")


def build() -> lw.Model:
    m = lw.Model("slalom", gravity=(0, 0, -9.81))
    z, v = 0.32 - 3500 / 2.2e5, (SPEED, 0, 0)
    box = {"kind": "box", "size": [3.6, 1.2, 0.3]}
    chassis = m.add("chassis", lw.Body(MASS, (400, 1700, YAW), (0, 0, 0.5), velocity=v, shape=box))
    for name, x, y in (
        ("front left", FRONT, HALF), ("front right", FRONT, -HALF), ("rear left", REAR, HALF),
        ("rear right", REAR, -HALF),
    ):  # fmt: skip
        at, front = (x, y, z), x > 0
        hub = m.add(f"{name} hub", lw.Body(HUB, (0.4, 0.4, 0.4), position=at, velocity=v))
        m.add(f"{name} slide", lw.Prismatic(chassis, hub, at=at, axis=(0, 0, 1)))
        share = MASS * 9.81 / 2 * (-REAR if front else FRONT) / (FRONT - REAR)
        m.add(f"{name} spring", lw.Spring(
            chassis, hub, at_a=(x, y, z + 0.6), at_b=at, stiffness=3e4, damping=2500.0,
            length=0.6 + share / 3e4,
        ))  # fmt: skip
        if front:
            knuckle = m.add(f"{name} knuckle", lw.Body(5, (0.1,) * 3, position=at, velocity=v))
            m.add(f"{name} steering", lw.Motor(
                hub, knuckle, at=at, axis=(0, 0, 1), angle=steering()
            ))  # fmt: skip
            hub = knuckle
        rim = m.add(f"{name} wheel", lw.Body.cylinder(
            0.32, 0.2, mass=RIM, position=at, orientation=(0.5**0.5, -(0.5**0.5), 0, 0), velocity=v,
            angular_velocity=(0, 0, SPEED / 0.315),
        ))  # fmt: skip
        m.add(f"{name} axle", lw.Revolute(hub, rim, at=at, axis=(0, 1, 0)))
        m.add(f"{name} tyre", lw.Tyre(hub, rim, tyre(front)))
    return m


model = build()
time, step = 16, 2e-3  # seconds, for `linkwork run`


def understeer() -> float:
    """K of r = v δ/(l + K v²), from loads and cornering stiffnesses of both axles (s²/m)."""
    wheelbase = FRONT - REAR
    front = MASS * -REAR / wheelbase + 2 * (RIM + HUB) + 10  # kg that each axle carries
    rear = MASS * FRONT / wheelbase + 2 * (RIM + HUB)
    # cornering stiffness is proportional to the load, B C D; lateral forces act by the trail
    # behind the axles
    stiff = 8.5 * 1.4 * 0.95 * front * 9.81, 11.0 * 1.4 * 0.95 * rear * 9.81
    shift = (front + rear) * TRAIL / wheelbase
    return (front + shift) / stiff[0] - (rear - shift) / stiff[1]


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    t, wheelbase = run.time, FRONT - REAR
    steady = (t > 4.5) & (t < CURVE)
    v = float(np.linalg.norm(run["chassis"].velocity.values[steady], axis=1).mean())
    rate = run["chassis"].angular_velocity.values[steady, 2].mean()
    expected = v * STEER / (wheelbase + understeer() * v * v)
    print(f"yaw rate {rate:.5f} rad/s at {v:.2f} m/s, bicycle model {expected:.5f} rad/s")
    assert abs(rate / expected - 1) < 0.02

    tyres = [run[f"{name} tyre"] for name in WHEELS]
    loads = sum(tyre.load.values[steady].mean() for tyre in tyres)
    side = sum(tyre.lateral_force.values[steady].mean() for tyre in tyres)
    mass = MASS + 4 * (RIM + HUB) + 10
    print(f"loads {loads:.0f} N of {9.81 * mass:.0f} N, lateral forces {side:.0f} N")
    assert abs(loads / (9.81 * mass) - 1) < 1e-3
    assert abs(side / (mass * v * rate) - 1) < 0.02
    error = np.abs(run.energy["balance"].values).max() / run.energy["kinetic"].values[0]
    print(f"energy account closed to {error:.1e} of the kinetic energy")
    assert error < 1e-3

    again = [lw.transient(model, t=4, h=step, progress=False) for _ in range(3)]
    took = min(float(r.info["cpu_seconds"]) for r in again)  # others may use the machine
    print(f"4 s of motion in {took:.3f} s: {4 / took:.0f} times real time")
    assert took < 4 / 10
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot(*(f"{name} tyre.lateral_force" for name in WHEELS))
        plt.savefig("examples/output/slalom.png")
    return {"yaw rate": float(rate), "bicycle model": float(expected), "energy": float(error)}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
