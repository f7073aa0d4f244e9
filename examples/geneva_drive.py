"""A Geneva drive turns a steady rotation into quarter turns.

A pin on a crank enters a slot of the wheel, carries it by a quarter of a turn, and leaves it.  The
walls of the slots are boxes, the pin is a ball; a brake on the wheel's axle holds it in between.

Reference (J. H. Bickford, Mechanisms for Intermittent Motion, 1972, chapter 9): with the ratio
λ = r/a of crank and centre distance, the wheel stands at tan β = λ sin α/(1 − λ cos α) where the
crank is α from the line of centres, and turns by ω λ (cos α − λ)/(1 − 2 λ cos α + λ²).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

A, PIN, CLEARANCE, WALL, THICK = 0.1, 0.006, 2e-5, 0.006, 0.02
R = A / np.sqrt(2)  # four slots: the pin enters along a slot
SPEED = 2 * np.pi  # one turn in a second


def wheel_shape() -> list[dict]:
    """A hub and the walls of four slots."""
    inner, outer = A - R - 2 * PIN, A / np.sqrt(2)
    off = PIN + CLEARANCE + WALL / 2
    walls = []
    for k in range(4):
        a = np.pi / 4 + k * np.pi / 2
        along, across = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        turn = (np.cos(a / 2), 0, 0, np.sin(a / 2))
        walls += [{"kind": "box", "size": (outer - inner, WALL, THICK), "orientation": turn,
                   "position": along * (inner + outer) / 2 + side * off * across}
                  for side in (-1, 1)]  # fmt: skip
    return [{"kind": "cylinder", "radius": inner, "length": THICK}, *walls]


def build() -> lw.Model:
    m = lw.Model("Geneva drive")
    start = -np.pi / 2  # the pin enters a slot at α = −π/4
    place = R * np.array([np.cos(start), np.sin(start), 0])
    arm = {"kind": "link", "start": (0, 0, -0.02), "end": (*-place[:2], -0.02), "radius": PIN,
           "contact": False}  # fmt: skip
    pin = {"kind": "sphere", "radius": PIN}
    crank = m.add("crank", lw.Body(0.2, (1e-4,) * 3, position=place, shape=[pin, arm]))
    wheel = m.add("wheel", lw.Body(0.5, (4e-4, 4e-4, 8e-4), position=(A, 0, 0),
                                   shape=wheel_shape()))  # fmt: skip
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1),
                            angle=lw.ramp(SPEED)))  # fmt: skip
    axle = m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(A, 0, 0), axis=(0, 0, 1)))
    m.add("brake", lw.Friction(axle, lw.Coulomb(0.3, damping=100.0), radius=0.01, preload=20.0))
    m.add("slots", lw.Contact(wheel, crank, law=lw.laws.HuntCrossley(1e8, damping=1.0)))
    return m


model = build()
time, step = 2.0, 2e-4  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, every=5)
    turned = run["axle"].angle.values
    alpha = SPEED * run.time - np.pi / 2
    engaged = np.abs(alpha) < np.pi / 4
    lam = R / A
    beta = -np.arctan2(lam * np.sin(alpha), 1 - lam * np.cos(alpha))  # against the crank
    expected = beta[engaged] - np.pi / 4
    off = float(np.abs(turned[engaged] - expected).max())
    after = [float(turned[np.searchsorted(run.time, t)]) for t in (0.45, 1.45)]
    print(f"in the slot the wheel is within {off:.1e} rad of the closed form")
    print(f"after one and two turns of the crank: {np.degrees(after[0]):.2f}°, "
          f"{np.degrees(after[1]):.2f}°")  # fmt: skip
    assert off < 3e-3  # the clearance at the end of the slot, 0.02 mm of 30 mm, and the depth
    assert abs(after[0] + np.pi / 2) < 2e-3 and abs(after[1] + np.pi) < 4e-3
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        ax = run.plot("axle.angle", "axle.rate")
        plt.savefig("examples/output/geneva_drive.png")
        plt.close(ax.figure if hasattr(ax, "figure") else "all")
        run.picture("examples/output/geneva_drive_slot.png", t=0.2, size=(800, 600))
    return {"off": off}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
