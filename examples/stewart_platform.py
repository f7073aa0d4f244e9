"""A Stewart platform moves along a path in six coordinates: lengths and forces of its legs.

Each leg is a cylinder on a universal joint and a piston with a ball joint to the platform.  The
platform's pose is prescribed, and the legs are asked what they must do for it.

References: a leg's length is |r + R u − a| for the platform's position r, rotation R and the leg's
ends u on it and a on the ground; and what the legs' forces do per time is the change of energy.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LEGS = range(6)
FEET = [np.array([np.cos(p), np.sin(p), 0.0])
        for p in np.radians([120 * (k // 2) + (-1) ** k * 14 for k in LEGS])]  # fmt: skip
HEADS = [0.45 * np.array([np.cos(p), np.sin(p), 0.0])
         for p in np.radians([120 * (k // 2) + (-1) ** k * 60 for k in LEGS])]  # fmt: skip
HEIGHT = 1.0


def build() -> lw.Model:
    m = lw.Model("Stewart platform", gravity=(0, 0, -9.81))
    top = m.add("platform", lw.Body.cylinder(radius=0.5, length=0.05, density=2700,
                                             position=(0, 0, HEIGHT)))  # fmt: skip
    for k in LEGS:
        a, b = FEET[k], HEADS[k] + [0, 0, HEIGHT]
        middle = (a + b) / 2
        low = m.add(f"cylinder {k + 1}", lw.Body.link(a, middle, radius=0.03, density=2700))
        up = m.add(f"piston {k + 1}", lw.Body.link(middle, b, radius=0.018, density=7800))
        m.add(f"foot {k + 1}", lw.Universal(lw.GROUND, low, at=a, axis=b - a))
        m.add(f"leg {k + 1}", lw.Prismatic(low, up, at=middle, axis=b - a))
        m.add(f"ball {k + 1}", lw.Spherical(up, top, at=b))
    m.add("path", lw.Lock(lw.GROUND, top, at=(0, 0, HEIGHT), drive={
        "x": lw.sine(0.15, 0.5), "y": lw.sine(0.1, 0.75), "z": lw.sine(0.08, 1.0),  # m, Hz
        "rotation": lw.rotation_vector(lw.sine(0.2, 0.75), lw.sine(0.15, 0.5), lw.sine(0.3, 0.25)),
    }))  # fmt: skip
    return m


model = build()
time, step = 4.0, 0.01  # seconds, for `linkwork run`
traces = ["ball 1"]  # a path in pictures


def lengths(t: np.ndarray) -> np.ndarray:
    """(T, 6): of the legs, from the prescribed pose; R by Rodrigues' formula."""
    s = np.pi / 2 * t
    r = np.column_stack([0.15 * np.sin(2 * s), 0.1 * np.sin(3 * s), HEIGHT + 0.08 * np.sin(4 * s)])
    theta = np.column_stack([0.2 * np.sin(3 * s), 0.15 * np.sin(2 * s), 0.3 * np.sin(s)])
    angle = np.linalg.norm(theta, axis=1)[:, None]
    n = theta / np.where(angle > 0, angle, 1.0)
    found = []
    for a, u in zip(FEET, HEADS, strict=True):
        along = (n @ u)[:, None] * n
        turned = along + np.cos(angle) * (u - along) + np.sin(angle) * np.cross(n, u)
        found.append(np.linalg.norm(r + turned - a, axis=1))
    return np.column_stack(found)


def main(plot: bool = False) -> dict[str, float]:
    names = [f"leg {k + 1}" for k in LEGS]
    forces = lw.inverse(model, t=time, h=step, actuators=names, progress=False)
    run = forces.run
    travel = np.column_stack([run[name].displacement for name in names])
    exact = lengths(run.time)
    off = float(np.abs(travel - (exact - exact[0])).max())
    print(f"legs travel up to {np.abs(travel).max():.3f} m, within {off:.1e} m of the formula")
    assert off < 1e-9

    speeds = np.column_stack([run[name].speed for name in names])
    power = (np.column_stack([forces[name] for name in names]) * speeds).sum(axis=1)
    energy = run.energy.total.values
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.time))])
    gap = float(np.abs(work - (energy - energy[0])).max() / np.ptp(energy))
    print(f"the legs' work is the change of energy within {gap:.1e} of it")
    assert gap < 2e-3  # of the trapezoidal rule

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        ax = run.plot(*(f"{name}.displacement" for name in names))
        plt.savefig("examples/output/stewart_platform.png")
        plt.close(ax.figure)
    return {"off": off, "gap": gap}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
