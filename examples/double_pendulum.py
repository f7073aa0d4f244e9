"""How long a double pendulum can be known: its errors grow in the same way whatever the step.

Two rods of 1 m and 1 kg start horizontally at rest.  `lw.convergence` runs them with h, h/2 and h/4
and says until when the run with h has an accuracy of a per cent, and how fast errors grow.  The
growth is a property of the motion, not of the method: SciPy integrates the equations of small
differences beside Lagrange's equations of the two angles, and must find nearly the same in the
seconds in which errors grow from a thousandth of the accuracy to it.  A single pendulum is regular:
there a smaller step will do, and the step that is named must have the accuracy.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw

G = 9.81


def build(rods: int = 2) -> lw.Model:
    m = lw.Model("double pendulum" if rods == 2 else "pendulum", gravity=(0, 0, -G))
    last = lw.GROUND
    for k in range(rods):
        rod = m.add(f"rod {k}", lw.Body.link((k, 0, 0), (k + 1, 0, 0), radius=0.02, mass=1))
        m.add(f"pin {k}", lw.Revolute(last, rod, at=(k, 0, 0), axis=(0, 1, 0)))
        last = rod
    return m


model = build()
time, step = 10, 1e-3  # seconds, for `linkwork run`
INERTIA = (1 + 3 * 0.02**2) / 12  # of a rod about its middle, kg m²


def slope(t: float, y: np.ndarray) -> np.ndarray:
    """Lagrange's equations of the angles a, b below the horizontal, and of their rates."""
    a, b, u, v = y
    c, s = np.cos(a - b), np.sin(a - b)
    mass = np.array([[INERTIA + 1.25, c / 2], [c / 2, INERTIA + 0.25]])
    load = [-s * v * v / 2 + 1.5 * G * np.cos(a), s * u * u / 2 + 0.5 * G * np.cos(b)]
    return np.array([u, v, *np.linalg.solve(mass, load)])


def doublings(begin: float, until: float, tiny: float = 1e-7) -> float:
    """Of small differences, per second, fitted to the solution of their linear equations."""

    def both(t: float, y: np.ndarray) -> np.ndarray:
        ahead, behind = (slope(t, y[:4] + sign * tiny * y[4:]) for sign in (1, -1))
        return np.concatenate([slope(t, y[:4]), (ahead - behind) / (2 * tiny)])

    times = np.linspace(begin, until, 400)
    start = [0, 0, 0, 0, 0.6, -0.8, 0, 0]
    found = solve_ivp(both, (0, until), start, t_eval=times, rtol=1e-9, atol=1e-11, max_step=0.01)
    grown = np.maximum.accumulate(np.log2(np.linalg.norm(found.y[4:], axis=0)))
    return float(np.polyfit(times, grown, 1)[0])


def main(plot: bool = False) -> dict[str, float]:
    coarse = lw.convergence(build(1), t=5, h=0.02, accuracy=0.005)
    print(coarse)
    assert coarse.verdict == "coarse"
    assert lw.convergence(build(1), t=5, h=coarse.step, accuracy=0.005).verdict == "accurate"

    found = [lw.convergence(model, t=30, h=h, method=lw.Recursive()) for h in (4e-3, 2e-3, 1e-3)]
    for one in found:
        print(one)
        assert one.verdict == "chaotic"
    known = [one.known_until for one in found]
    assert known[0] < known[1] < known[2] < 30

    first = found[0]
    small = (first.second > 1e-3 * first.accuracy) & (first.second < first.accuracy)
    expected = doublings(*first.time[small][[0, -1]])
    seen = 1 / first.doubling_time
    print(f"errors double {seen:.2f} times a second, small differences {expected:.2f} times")
    assert abs(seen / expected - 1) < 0.3  # errors of every step grow, not one difference

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        found[0].plot()
        plt.savefig("examples/output/double_pendulum.png")
    return {"known until": known[-1], "doublings per second": seen, "expected": expected}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
