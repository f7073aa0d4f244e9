"""Free flight of a pyramid that slides on a plate, a planar pair: energy and momenta stay.

A plate of 5 units of mass tumbles; a pyramid of 2 slides and spins on its top face.  P. Betsch, S.
Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.3, all parameters theirs (units are
not stated there).  The joint holds the pyramid in the plane of the face; with these velocities it
is beside the plate, which reaches to 8 units, from t = 0.008 on.

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


def rotation(q: np.ndarray) -> np.ndarray:
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def relative_place(run: lw.Result) -> np.ndarray:
    """u₁ and u₂ of the pyramid's foot in the plate's axes, (T, 2)."""
    apart = run["pyramid"].point((0, 0, -1)).values - run["plate"].position.values
    axes = [rotation(q) for q in run["plate"].orientation.values]
    return np.array([d @ R[:, :2] for d, R in zip(apart, axes, strict=True)])


def snapshots(run: lw.Result) -> None:
    """Plate and pyramid at the times of the document's figure 16, and the plane of the joint."""
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    box = np.array([[x, y, z] for z in (-0.25, 0.25) for x, y in
                    ((-8, -8), (8, -8), (8, 8), (-8, 8))])  # fmt: skip
    faces = [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    tip = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (0, 0, 2)], float)
    sides = [(0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    sheet = np.array([(-21, -21, 0.25), (9, -21, 0.25), (9, 9, 0.25), (-21, 9, 0.25)])
    figure = plt.figure(figsize=(9.6, 6.6))
    figure.subplots_adjust(0, 0.02, 1, 0.95, wspace=0, hspace=0.12)
    for k, t in enumerate((0.02, 0.04, 0.05, 0.06, 0.07, 0.08)):
        ax, i = figure.add_subplot(2, 3, k + 1, projection="3d"), round(t / 0.001)
        for name, corners, parts, colour, alpha in (
            ("plate", sheet, [(0, 1, 2, 3)], "tab:blue", 0.12),
            ("plate", box, faces, "0.75", 1), ("pyramid", tip, sides, "tab:orange", 1),
        ):  # fmt: skip
            x = np.array([run[name].point(corner).values[i] for corner in corners])
            x -= run["plate"].position.values[i]
            ax.add_collection3d(Poly3DCollection(
                [x[list(part)] for part in parts], facecolor=colour, edgecolor="k",
                lw=0.5 * alpha, alpha=alpha,
            ))  # fmt: skip
        ax.view_init(elev=20, azim=-165)  # on the upper side of the plate, at all of these times
        ax.set(xlim=(-18, 18), ylim=(-18, 18), zlim=(-18, 18), title=f"t = {t:g}")
        ax.set(xticklabels=[], yticklabels=[], zticklabels=[], box_aspect=(1, 1, 1))


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
        _, axes = plt.subplots(4, sharex=True, figsize=(6.4, 8.4), layout="constrained")
        axes[0].plot(run.time, energy / energy[0] - 1)
        axes[1].plot(run.time, L, label=["L₁", "L₂", "L₃"])
        axes[1].legend(loc="center", ncols=3)
        axes[2].plot(run.time, relative_place(run), label=["u₁", "u₂"])
        axes[2].legend(loc="lower left", ncols=2)
        axes[3].plot(run.time, run["joint"].angle)
        labels = ("relative energy error", "angular momentum", "foot on the plate", "θ (rad)")
        for ax, text in zip(axes, labels, strict=True):
            ax.set(ylabel=text)
        axes[3].set(xlabel="time")
        plt.savefig("examples/output/planar_pair.png")
        snapshots(run)
        plt.savefig("examples/output/planar_pair_snapshots.png")
    return {"drift": float(drift), "momentum": float(turning), "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
