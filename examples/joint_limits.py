"""Joint limits: an arm between two stops, and a mass that bounces on the end of its rail.

The arm (J = 0.12 kg m² about its pin) swings freely between elastic limits at ±0.6 rad, whose
torque is k p at the penetration p.  The mass falls 0.5 m to the end of its rail, a stop of Hunt and
Crossley's law that sends it back with 0.8 of its first speed.  Both touches last less than a step
of 5 ms: steps in which a joint comes to its limits are taken in pieces, and the times of the result
stay those of the steps.

References: in a stop the arm makes half a wave of the frequency Ω = √(k/J), so that it turns at its
constant rate ω, goes beyond the limit by ω/Ω and is back after π/Ω with −ω.  The restitution e of
Hunt and Crossley's law follows from x − log(1 + x) = −e x − log(1 − e x) with x = d v (J. Applied
Mechanics 42, 1975), and the mass rises to e² of the height it fell from.
"""

from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import linkwork as lw

G, LIMIT, RATE, STIFFNESS = 9.81, 0.6, 4.0, 2e5
LENGTH, RADIUS, MASS = 0.6, 0.02, 1.0  # of the arm, a rod
HEIGHT, RESTITUTION, X = 0.5, 0.8, 0.9  # of the fall; the place of the rail
INERTIA = MASS * (LENGTH**2 / 3 + RADIUS**2 / 4)


def build() -> lw.Model:
    m = lw.Model("joint limits", gravity=(0, 0, -G))
    arm = m.add("arm", lw.Body.link((0, 0, 0), (0, LENGTH, 0), radius=RADIUS, mass=MASS))
    pin = m.add("pin", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1), rate=RATE))
    m.add("posts", lw.Stop(pin, -LIMIT, LIMIT, stiffness=STIFFNESS, exponent=1))

    mass = m.add("mass", lw.Body.box((0.2, 0.2, 0.1), density=500, position=(X, 0, 0.05 + HEIGHT)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, mass, at=(X, 0, 0.05 + HEIGHT), axis=(0, 0, 1)))
    m.add("end", lw.Stop(rail, -HEIGHT, stiffness=1e7, restitution=RESTITUTION,
                         speed=np.sqrt(2 * G * HEIGHT)))  # fmt: skip

    # what the limits stand for, to be seen: two posts beside the arm, and the end of the rail
    reach, radius = 0.75 * LENGTH, 0.03
    for name, side in (("left post", 1), ("right post", -1)):
        turn = side * (LIMIT + np.arcsin((RADIUS + radius) / reach))
        place = (-reach * np.sin(turn), reach * np.cos(turn), 0)
        post = m.add(name, lw.Body.cylinder(radius, 0.12, density=2000, position=place))
        m.add(f"{name} foot", lw.Fixed(lw.GROUND, post, at=place))
    anvil = m.add("anvil", lw.Body.box((0.3, 0.3, 0.04), density=2000, position=(X, 0, -0.02)))
    m.add("anvil foot", lw.Fixed(lw.GROUND, anvil, at=(X, 0, -0.02)))
    return m


def swing(t: np.ndarray) -> np.ndarray:
    """The angle of the arm between its elastic limits, from the middle on."""
    frequency = np.sqrt(STIFFNESS / INERTIA)
    free, touch = 2 * LIMIT / RATE, np.pi / frequency
    phase = (t + free / 2) % (2 * (free + touch))  # from the lower limit on
    side = np.where(phase < free + touch, 1.0, -1.0)
    phase = phase % (free + touch)
    beyond = LIMIT + RATE / frequency * np.sin(frequency * np.maximum(phase - free, 0.0))
    return side * np.where(phase < free, RATE * phase - LIMIT, beyond)


def restitution(speed: float) -> float:
    """e of Hunt and Crossley's law at this speed, given that of the first touch."""
    def balance(x: float, e: float) -> float:
        return x - np.log1p(x) + e * x + np.log1p(-e * x)

    first = brentq(balance, 1e-3, (1 - 1e-12) / RESTITUTION, args=(RESTITUTION,))  # d v there
    x = first * speed / np.sqrt(2 * G * HEIGHT)
    return brentq(lambda e: balance(x, e), 1e-3, min(1, 1 / x) - 1e-12)


model = build()
time, step = 2.0, 5e-3  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    assert np.allclose(np.diff(run.time), step), "the steps of the result are those asked for"

    touch = np.pi * np.sqrt(INERTIA / STIFFNESS)
    angle, exact = run["pin"].angle.values, swing(run.time)
    off = float(np.abs(angle - exact).max())
    met = int((np.diff(np.sign(run["pin"].rate.values)) != 0).sum())
    print(f"the arm met its limits {met} times, for {1e3 * touch:.2f} ms each, in steps of 5 ms")
    print(f"its angle is that of half waves in the stops to {off:.1e} of {RATE * time:g} rad")
    assert touch < step and met == 1 + (time - LIMIT / RATE) // (2 * LIMIT / RATE + touch)
    assert off < 2e-3 * RATE * time

    height = run["mass"].position.values[:, 2] - 0.05
    speed = run["mass"].velocity.values[:, 2]
    peaks = [k for k in range(1, len(height) - 1) if speed[k - 1] > 0 >= speed[k]]
    fell, worst = HEIGHT, 0.0
    for k in peaks:
        # between two steps: the parabola through the height and speed of the last
        reached = height[k] + speed[k] ** 2 / (2 * G)
        rises = restitution(np.sqrt(2 * G * fell)) ** 2 * fell
        print(f"the mass rises to {1e3 * reached:.2f} mm (closed form {1e3 * rises:.2f} mm)")
        worst, fell = max(worst, abs(reached / rises - 1)), reached
    assert len(peaks) >= 2 and worst < 0.01

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5))
        fine = np.linspace(0, time, 4001)
        above.plot(fine, swing(fine), color="0.7", lw=3, label="closed form")
        above.plot(run.time, angle, ".", ms=3, label="steps of 5 ms")
        above.axhline(LIMIT, color="k", lw=0.5)
        above.axhline(-LIMIT, color="k", lw=0.5)
        above.set_ylabel("angle of the arm (rad)")
        above.set_ylim(-0.75, 1.15)
        above.legend(loc="upper right", ncols=2)
        below.plot(run.time, height, ".", ms=3)
        below.set_ylabel("height of the mass (m)")
        below.set_xlabel("t (s)")
        plt.savefig("examples/output/joint_limits.png")
        plt.close(below.figure)
    return {"angle": off, "heights": worst, "times met": met}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
