"""Newton's cradle: as many balls leave as arrive.

Five steel balls hang side by side; the first two are lifted and let go.  The contacts are hard with
restitution 1, stepped with impulses (lw.Moreau).  The balls hang 0.02 mm apart, so that the impacts
come one after the other, as in a real cradle.

Reference: momentum and energy of elastic impacts of equal balls, which exchange their velocities
pair by pair; the speed of arrival is that of a pendulum, √(2 g L (1 − cos α)).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

BALLS, LIFTED, RADIUS, LENGTH, ALPHA, GAP, G = 5, 2, 0.05, 0.5, 0.6, 2e-5, 9.81


def turned(a: float) -> tuple[float, ...]:
    """The quaternion of a thread that hangs at the angle a."""
    return (np.cos(a / 2), 0.0, np.sin(a / 2), 0.0)


def build() -> lw.Model:
    m = lw.Model("Newton's cradle", gravity=(0, 0, -G))
    balls = []
    for i in range(BALLS):
        x, a = i * (2 * RADIUS + GAP), ALPHA if i < LIFTED else 0.0
        place = (x - LENGTH * np.sin(a), 0, -LENGTH * np.cos(a))
        ball = lw.Body.sphere(RADIUS, density=7800, position=place, orientation=turned(a))
        thread = {"kind": "link", "start": (0, 0, 0), "end": (0, 0, LENGTH), "radius": 0.003,
                  "contact": False}  # fmt: skip
        ball.shape = [ball.shape, thread]
        balls.append(m.add(f"ball {i + 1}", ball))
        m.add(f"thread {i + 1}", lw.Revolute(lw.GROUND, balls[i], at=(x, 0, 0), axis=(0, 1, 0)))
    m.add("contact", lw.Contact(balls, hard=True, restitution=1.0))
    return m


model = build()
time, step = 1.6, 5e-4  # seconds, for `linkwork run`
method = lw.Moreau()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, method=method, every=4)
    v = np.array([run[f"ball {i + 1}"].velocity.values[:, 0] for i in range(BALLS)])
    speed = np.sqrt(2 * G * LENGTH * (1 - np.cos(ALPHA)))
    left = int(np.argmax(v[-1])) + 10  # the impacts are over
    print(f"arriving: {v[0].max():.4f} m/s (pendulum: {speed:.4f} m/s)")
    print("leaving:  " + ", ".join(f"{x:.4f}" for x in v[:, left]) + " m/s")
    assert abs(v[0].max() - speed) < 0.01 * speed
    assert np.all(np.abs(v[-LIFTED:, left] - speed) < 0.03 * speed)
    assert np.all(np.abs(v[:-LIFTED, left]) < 0.03 * speed)
    energy = run.energy.total.values
    lost = float(energy[0] - energy[-1]) / (LIFTED * 4.084 * G * LENGTH * (1 - np.cos(ALPHA)))
    print(f"energy lost in {time} s: {100 * lost:.2f} %")
    assert abs(lost) < 0.02
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        ax = run.plot(*(f"ball {i + 1}.velocity.x" for i in range(BALLS)))
        plt.savefig("examples/output/newtons_cradle.png")
        plt.close(ax.figure)
    return {"speed": float(v[-1, left])}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
