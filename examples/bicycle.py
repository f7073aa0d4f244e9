"""A bicycle that balances itself: the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007).

Four bodies, three hinges and two wheels that roll without slipping (lw.Rolling).  A bicycle that
nobody steers falls when it is slow, weaves, and between 4.29 and 6.02 m/s keeps upright by itself.

Reference: the eigenvalues of straight riding at 1 to 10 m/s, table 2 of J. P. Meijaard, J. M.
Papadopoulos, A. Ruina, A. L. Schwab: Linearized dynamics equations for the balance and steer of a
bicycle: a benchmark and review. Proceedings of the Royal Society A 463 (2007).
"""

import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

BASE, TRAIL, TILT, GRAVITY = 1.02, 0.08, np.pi / 10, 9.81  # m, m, rad, m/s²
REAR, FRONT = 0.3, 0.35  # radii of the wheels, m
Y = (0, 1, 0)
PUBLISHED = {  # speed in m/s: capsize, weave and caster modes, 1/s
    1.0: (-3.13423125066578, 3.52696170990070 + 0.80774027519930j, -7.11008014637442),
    4.0: (-1.42944427361326, 0.41325331521125 + 3.07910818603206j, -12.15861426576447),
    5.0: (-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.07838969279822),
    8.0: (0.14327879765713, -2.69348683581097 + 8.46037971396931j, -20.27940894394569),
    10.0: (0.16105338653172, -3.72016840437287 + 10.90681139476287j, -24.62459635017404),
}


def build(speed: float = 5.0, nudge: float = 0.0) -> lw.Model:
    """The benchmark's bicycle riding along x; a nudge turns its frame about x (rad/s)."""
    m = lw.Model("bicycle", gravity=(0, 0, -GRAVITY))
    ride = (speed, 0, 0)
    rear = m.add("rear wheel", lw.Body(
        2, (0.0603, 0.12, 0.0603), position=(0, 0, REAR), velocity=ride,
        angular_velocity=(0, speed / REAR, 0)))  # fmt: skip
    frame = m.add("frame", lw.Body(
        85, [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]], position=(0.3, 0, 0.9),
        velocity=(speed, -0.9 * nudge, 0), angular_velocity=(nudge, 0, 0)))  # fmt: skip
    fork = m.add("fork", lw.Body(
        4, [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]], position=(0.9, 0, 0.7),
        velocity=ride))  # fmt: skip
    front = m.add("front wheel", lw.Body(
        3, (0.1405, 0.28, 0.1405), position=(BASE, 0, FRONT), velocity=ride,
        angular_velocity=(0, speed / FRONT, 0)))  # fmt: skip
    m.add("rear hub", lw.Revolute(frame, rear, at=(0, 0, REAR), axis=Y))
    m.add("front hub", lw.Revolute(fork, front, at=(BASE, 0, FRONT), axis=Y))
    m.add("steering", lw.Revolute(frame, fork, at=(BASE + TRAIL, 0, 0),
                                  axis=(-np.sin(TILT), 0, np.cos(TILT))))  # fmt: skip
    m.add("rear tyre", lw.Rolling(rear, lw.GROUND, radius=REAR, axis=Y))
    m.add("front tyre", lw.Rolling(front, lw.GROUND, radius=FRONT, axis=Y))
    return m


model = build(4.6, nudge=0.3)
time, step = 5, 2e-3  # seconds, for `linkwork run`


def moving(speed: float) -> np.ndarray:
    """The four eigenvalues of lean and steer; the others, of where it rides to, are zero."""
    found = lw.eigen(build(speed)).eigenvalues
    return found[np.abs(found) > 1e-6]


def main(plot: bool = False) -> dict[str, float]:
    worst = 0.0
    for speed, published in PUBLISHED.items():
        found = moving(speed)
        for value in published:
            worst = max(worst, float(np.abs(found - value).min()) / abs(value))
    print(f"eigenvalues of the published table: relative error at most {worst:.1e}")
    assert worst < 1e-9

    slow, fast = 4.0, 5.0  # the weave becomes stable
    while fast - slow > 1e-9:
        middle = (slow + fast) / 2
        slow, fast = (slow, middle) if lw.eigen(build(middle)).stable else (middle, fast)
    print(f"it balances itself from {fast:.6f} m/s on (published 4.292383)")
    assert abs(fast - 4.29238253634111) < 1e-6

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # the nudge is not along the joints
        run = lw.transient(model, t=time, h=step, progress=False)
    turn = run["steering"].angle
    calm = float(np.abs(turn[run.time > 4]).max() / np.abs(turn).max())
    drift = float(np.ptp(run.energy.total.values) / run.energy.kinetic[0])
    print(f"after a nudge at 4.6 m/s the steering calms down to {100 * calm:.0f} % in 4 s; "
          f"the energy changes by {drift:.0e} of itself")  # fmt: skip
    assert calm < 0.5
    assert drift < 1e-4

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        figure, (left, right) = plt.subplots(1, 2, layout="constrained", figsize=(10, 4))
        speeds = np.linspace(0.05, 10, 120)
        for speed in speeds:
            found = moving(speed)
            left.plot(np.full(len(found), speed), found.real, "k.", markersize=2)
        left.axhline(0, color="0.7", linewidth=0.8)
        left.axvspan(4.2924, 6.0243, color="tab:green", alpha=0.15, label="balances itself")
        left.set(xlabel="speed, m/s", ylabel="real parts of eigenvalues, 1/s", ylim=(-10, 10),
                 title="Stability over speed")  # fmt: skip
        left.legend()
        right.plot(run.time, np.degrees(turn))
        right.set(xlabel="time, s", ylabel="steering angle, °", title="After a nudge at 4.6 m/s")
        figure.savefig("examples/output/bicycle.png")
    return {"worst": worst, "weave": fast, "calm": calm}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
