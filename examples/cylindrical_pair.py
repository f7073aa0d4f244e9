"""Free flight of a sleeve on a rod, a cylindrical pair: energy and all momenta stay.

A rod of 4 units of mass flies and tumbles; a sleeve of 3 slides and spins on it.  P. Betsch, S.
Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.2, all parameters theirs (units are
not stated there).

Reference: without outer forces, energy, momentum and angular momentum are constant; the centre of
mass of both moves on a straight line.  The relative motion is compared with a generalized-alpha
run of small step: both methods are of second order.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

AXIS = np.array([0.0, 0.0, 1.0])
FLIGHT, TUMBLING = np.array([0.0, 50.0, 0.0]), np.array([1.0, 1.5, 0.0])
SLIDING, SPINNING = 35.5, -100.0


def build() -> lw.Model:
    m = lw.Model("cylindrical pair")
    rod = m.add("rod", lw.Body(4, (304, 304, 8), velocity=FLIGHT, angular_velocity=TUMBLING))
    place = -11 * AXIS
    sleeve = m.add("sleeve", lw.Body(
        3, (18.75, 18.75, 19.5), position=place,
        velocity=FLIGHT + np.cross(TUMBLING, place) + SLIDING * AXIS,
        angular_velocity=TUMBLING + SPINNING * AXIS))  # fmt: skip
    m.add("joint", lw.Cylindrical(lw.Frame(rod), lw.Frame(sleeve)))
    return m


model = build()
time, step = 1, 0.01  # seconds, for `linkwork run`
method = lw.EnergyMomentum()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=1, h=0.01, method=method, progress=False)
    energy, L = run.energy.total.values, run.angular_momentum.values
    drift = np.abs(energy / energy[0] - 1).max()
    turning = np.abs(L - L[0]).max() / np.abs(L[0]).max()
    print(f"h = 0.01: energy within {drift:.0e}, angular momentum within {turning:.0e}")
    assert drift < 1e-12 and turning < 1e-12
    centre = (4 * run["rod"].position + 3 * run["sleeve"].position).values / 7
    p = run.momentum.values[0] / 7
    line = float(np.abs(centre - centre[0] - run.time[:, None] * p).max())
    assert line < 1e-10

    small = lw.transient(model, t=1, h=1e-4, every=100, progress=False)
    errors = []
    for h in (0.01, 0.005, 0.0025):
        fine = lw.transient(model, t=1, h=h, method=method, progress=False)
        slid = fine["joint"].displacement[-1] - small["joint"].displacement[-1]
        errors.append(abs(float(slid)))
    print("displacement of the sleeve at t = 1 differs by", ", ".join(f"{e:.1e}" for e in errors))
    assert 3.7 < errors[0] / errors[1] < 4.3 and 3.7 < errors[1] / errors[2] < 4.3

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(3, sharex=True, figsize=(6.4, 6.4), layout="constrained")
        axes[0].plot(run.time, energy / energy[0] - 1)
        axes[1].plot(run.time, L, label=["L₁", "L₂", "L₃"])
        axes[1].legend(loc="center", ncols=3)
        axes[2].plot(run.time, run["joint"].displacement, label="u")
        axes[2].plot(run.time, run["joint"].angle, label="θ")
        axes[2].legend()
        labels = ("relative energy error", "angular momentum", "relative coordinates")
        for ax, text in zip(axes, labels, strict=True):
            ax.set_ylabel(text)
        axes[2].set_xlabel("time")
        plt.savefig("examples/output/cylindrical_pair.png")
    return {"drift": float(drift), "momentum": float(turning), "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
