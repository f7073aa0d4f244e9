"""Free flight of a pyramid that slides on a plate, a planar pair: energy and momenta stay.

A plate of 5 units of mass tumbles; a pyramid of 2 slides and spins on its top face.  P. Betsch, S.
Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.3, all parameters theirs (units are
not stated there).

Reference: without outer forces, energy, momentum and angular momentum are constant, and the foot of
the pyramid stays on the plate.  The relative motion is compared with a generalized-alpha run of
small step: both methods are of second order.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

X, Y, Z = np.eye(3)
PLATE, PYRAMID = np.array([5.0, 5.0, 5.0]), np.array([-2.0, -2.0, 6.25])
TUMBLING, SLIDING, SPINNING = np.array([-20.0, -20.0, 10.0]), 150 * X - 120 * Y, 60.0


def build() -> lw.Model:
    m = lw.Model("planar pair")
    plate = m.add("plate", lw.Body(
        5, (5125 / 48, 5125 / 48, 640 / 3), position=PLATE, velocity=(0, 0, 0),
        angular_velocity=TUMBLING))  # fmt: skip
    pyramid = m.add("pyramid", lw.Body(
        2, (43 / 40, 43 / 40, 4 / 5), position=PYRAMID,
        velocity=np.cross(TUMBLING, PYRAMID - PLATE) + SLIDING + SPINNING * np.cross(-Z, Z),
        angular_velocity=TUMBLING + SPINNING * Z))  # fmt: skip
    m.add("joint", lw.Planar(lw.Frame(plate, 0.25 * Z), lw.Frame(pyramid, -Z)))
    return m


model = build()
time, step = 0.1, 0.001  # seconds, for `linkwork run`
method = lw.EnergyMomentum()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=0.1, h=0.001, method=method, progress=False)
    energy, L = run.energy.total.values, run.angular_momentum.values
    drift = np.abs(energy / energy[0] - 1).max()
    turning = np.abs(L - L[0]).max() / np.abs(L[0]).max()
    gap = float(run.violation.position.max())
    print(f"h = 0.001: energy within {drift:.0e}, angular momentum within {turning:.0e}, "
          f"foot within {gap:.0e} of the plate")  # fmt: skip
    assert drift < 1e-11 and turning < 1e-11 and gap < 1e-12

    small = lw.transient(model, t=0.1, h=1e-5, every=1000, progress=False)
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        fine = lw.transient(model, t=0.1, h=h, method=method, progress=False)
        place = fine["pyramid"].position[-1] - small["pyramid"].position[-1]
        errors.append(float(np.abs(place).max()))
    print("place of the pyramid at t = 0.1 differs by", ", ".join(f"{e:.1e}" for e in errors))
    assert 3.6 < errors[0] / errors[1] < 4.4 and 3.6 < errors[1] / errors[2] < 4.4

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(3, sharex=True, figsize=(6.4, 6.4), layout="constrained")
        axes[0].plot(run.time, energy / energy[0] - 1)
        axes[1].plot(run.time, L, label=["L₁", "L₂", "L₃"])
        axes[1].legend(loc="center", ncols=3)
        axes[2].plot(run.time, run["joint"].angle)
        labels = ("relative energy error", "angular momentum", "relative angle")
        for ax, text in zip(axes, labels, strict=True):
            ax.set_ylabel(text)
        axes[2].set_xlabel("time")
        plt.savefig("examples/output/planar_pair.png")
    return {"drift": float(drift), "momentum": float(turning), "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
