"""Free flight of a sleeve on a rod, a cylindrical pair: energy and all momenta stay.

A rod of 4 units of mass flies and tumbles; a sleeve of 3 slides and spins on it.  P. Betsch, S.
Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.2, all parameters theirs (units are
not stated there).

Reference: without outer forces, energy, momentum and angular momentum are constant; the centre of
mass of both moves on a straight line.  The relative motion is compared with a generalized-alpha
run of small step: both methods are of second order.
"""

import warnings
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


def snapshots(run: lw.Result) -> None:
    """Rod and sleeve at t = 0.1, 0.3 and 0.7, seen from the rod's centre of mass."""
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = plt.figure(figsize=(9.6, 3.6), layout="constrained")
    for k, t in enumerate((0.1, 0.3, 0.7)):
        ax = figure.add_subplot(1, 3, k + 1, projection="3d")
        i, faces, colours = round(t / 0.01), [], []
        for name, half, radius, colour in (("rod", 15, 2, "0.75"), ("sleeve", 3, 3, "tab:orange")):
            R = rotation(run[name].orientation.values[i])
            place = run[name].position.values[i] - run["rod"].position.values[i]
            faces += [face @ R.T + place for face in tube(half, radius)]
            colours += [colour] * (len(faces) - len(colours))
        ax.set(xlim=(-15, 15), ylim=(-15, 15), zlim=(-15, 15), title=f"t = {t:g}")
        # one collection, so that near faces hide far ones
        look = {"facecolor": colours, "edgecolor": "0.3", "linewidth": 0.2}
        ax.add_collection3d(Poly3DCollection(faces, **look))
        ax.set_box_aspect((1, 1, 1))


def tube(half: float, radius: float) -> list[np.ndarray]:
    """Faces of a cylinder along z in slices of one unit, with both ends."""
    turn = np.linspace(0, 2 * np.pi, 25)
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn), 0 * turn], axis=1)
    slices = [ring + z * AXIS for z in range(-round(half), round(half) + 1)]
    faces = [slices[0], slices[-1]]
    for low, high in zip(slices[:-1], slices[1:], strict=True):
        faces += [np.array([low[j], low[j + 1], high[j + 1], high[j]]) for j in range(24)]
    return faces


def rotation(q: np.ndarray) -> np.ndarray:
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def fly(h: float) -> lw.Result:
    """A second of flight.  In more than 5 ms the sleeve turns by over 0.5 rad: linkwork warns."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", lw.LinkworkWarning)
        run = lw.transient(model, t=1, h=h, method=method, progress=False)
    assert ["body 'sleeve' turns by" in str(w.message) for w in heard] == [True] * (h >= 0.005)
    return run


def main(plot: bool = False) -> dict[str, float]:
    run = fly(0.01)
    energy, L = run.energy.total.values, run.angular_momentum.values
    drift = np.abs(energy / energy[0] - 1).max()
    turning = np.abs(L - L[0]).max() / np.abs(L[0]).max()
    print(f"h = 0.01: energy within {drift:.0e}, angular momentum within {turning:.0e}")
    assert drift < 1e-12 and turning < 1e-12
    centre = (4 * run["rod"].position + 3 * run["sleeve"].position).values / 7
    flown = run.time[:, None] * run.momentum.values[0] / 7
    assert np.abs(centre - centre[0] - flown).max() < 1e-10

    small = lw.transient(model, t=1, h=1e-4, every=100, progress=False)
    ends = [fly(h)["joint"].displacement[-1] for h in (0.01, 0.005, 0.0025)]
    errors = [abs(float(end - small["joint"].displacement[-1])) for end in ends]
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
        axes[0].set(ylabel="relative energy error")
        axes[1].set(ylabel="angular momentum")
        axes[2].set(ylabel="relative coordinates", xlabel="time")
        plt.savefig("examples/output/cylindrical_pair.png")
        snapshots(run)
        plt.savefig("examples/output/cylindrical_pair_snapshots.png")
    return {"drift": float(drift), "momentum": float(turning), "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
