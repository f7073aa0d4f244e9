"""A six-body linkage (Bricard) that starts as a cube and turns through itself.

Six tetrahedra, hinged in a ring at edges of a cube of 0.1 m; one is held, so the ring has one
degree of freedom although 30 unknowns meet 30 rows: of the five rows that close it four are
independent.  P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.4, all
parameters theirs.

Reference: the hinge angles satisfy sin θ₂ (1 − sin θ₁) = sin θ₁ and θ₁ = θ₃ = θ₅, θ₂ = θ₄
(J. Wittenburg, Dynamics of Systems of Rigid Bodies, 1977), and energy is constant; θ₁ is compared
with a generalized-alpha run of small step: both methods are of second order.
"""

import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

import linkwork as lw

SIDE, DENSITY, EDGE = 0.1, 1000.0, 0.1 * np.tan(0.16 * np.pi)
CORNERS = SIDE * np.array(
    [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, -1], [1, 0, -1], [0, 0, -1]], float
)
HINGES = np.array([[1, 0, 0], [0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 0, 1], [0, 1, 0]], float)


def vertices(k: int) -> np.ndarray:
    """Of body k: between the hinges at corner k and at the next one, each an edge of it."""
    j = (k + 1) % 6
    return np.array([CORNERS[k], CORNERS[k] + EDGE * HINGES[k],
                     CORNERS[j], CORNERS[j] + EDGE * HINGES[j]])  # fmt: skip


def tetrahedron(k: int) -> lw.Body:
    V = vertices(k)
    mass, centre = DENSITY * EDGE**2 * SIDE / 6, V.mean(axis=0)
    second = mass / 20 * (V.T @ V - 4 * np.outer(centre, centre))  # the Euler tensor
    return lw.Body(mass, np.trace(second) * np.eye(3) - second, position=centre)


def build() -> lw.Model:
    m = lw.Model("six-body linkage", gravity=(0, 0, -9.81))
    before: object = lw.GROUND
    for k in range(1, 6):
        body = m.add(f"body {k}", tetrahedron(k))
        rate = 30 if k == 1 else None  # the others follow
        m.add(f"hinge {k}", lw.Revolute(before, body, at=CORNERS[k], axis=HINGES[k], rate=rate))
        before = body
    m.add("hinge 6", lw.Revolute(before, lw.GROUND, at=CORNERS[0], axis=HINGES[0]))
    return m


model = build()
time, step = 0.4, 0.001  # seconds, for `linkwork run`
method = lw.EnergyMomentum()


def snapshots(ring: lw.Result) -> None:
    """The six bodies at the times of the document's figure 24, the held one grey."""
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = plt.figure(figsize=(9.6, 6.6))
    figure.subplots_adjust(0, 0.02, 1, 0.95, wspace=0, hspace=0.12)
    colours = ("0.7", "#0072b2", "#e69f00", "#56b4e9", "#d55e00", "#009e73")
    for place, t in enumerate((0.02, 0.04, 0.08, 0.09, 0.13, 0.26)):
        ax = figure.add_subplot(2, 3, place + 1, projection="3d", azim=-55, elev=25)
        i, faces, shades = round(t / 0.001), [], []
        for k, colour in enumerate(colours):
            V = vertices(k)
            if k > 0:
                V = [ring[f"body {k}"].point(v - V.mean(axis=0)).values[i] for v in V]
            faces += [np.array(face) for face in combinations(V, 3)]
            shades += [colour] * 4
        look = {"facecolor": shades, "edgecolor": "k", "linewidth": 0.5}
        ax.add_collection3d(Poly3DCollection(faces, **look))  # one: near faces hide far ones
        x = np.concatenate(faces)
        for axis, m in zip("xyz", (x.min(axis=0) + x.max(axis=0)) / 2, strict=True):
            ax.set(**{f"{axis}lim": (m - 0.09, m + 0.09), f"{axis}ticklabels": []})
        ax.set(title=f"t = {t:g} s", box_aspect=(1, 1, 1))


def main(plot: bool = False) -> dict[str, float]:
    warnings.simplefilter("ignore", lw.LinkworkWarning)  # it names the row left out
    ring = lw.transient(model, t=0.4, h=0.001, method=method, progress=False)
    angles = np.stack([ring[f"hinge {k}"].angle.values for k in range(1, 6)])
    s1, s2 = np.sin(angles[0]), np.sin(angles[1])
    ties = [s2 * (1 - s1) - s1, angles[2] - angles[0], angles[4] - angles[0], angles[3] - angles[1]]
    closure = float(np.abs(ties).max())
    print(f"hinge angles satisfy Wittenburg's relations within {closure:.0e}")
    assert closure < 1e-9
    energy, gap = ring.energy.total.values, float(ring.violation.position.max())
    drift = float(np.abs(energy / energy[0] - 1).max())
    print(f"energy within {drift:.0e}, all rows, also the one left out, within {gap:.0e}")
    assert drift < 1e-11 and gap < 1e-12

    small = lw.transient(model, t=0.1, h=2e-5, every=1000, progress=False)
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        fine = lw.transient(model, t=0.1, h=h, method=method, progress=False)
        errors.append(abs(float(fine["hinge 1"].angle[-1] - small["hinge 1"].angle[-1])))
    print("first angle at t = 0.1 s differs by", ", ".join(f"{e:.1e}" for e in errors), "rad")
    assert 3.6 < errors[0] / errors[1] < 4.4 and 3.6 < errors[1] / errors[2] < 4.4

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(3, sharex=True, figsize=(6.4, 6.4), layout="constrained")
        axes[0].plot(ring.time, ring.energy.total, label="total")
        axes[0].plot(ring.time, ring.energy.kinetic, label="kinetic")
        axes[0].legend()
        axes[1].plot(ring.time, ring.angular_momentum, label=["L₁", "L₂", "L₃"])
        axes[1].legend(loc="upper left")
        axes[2].plot(ring.time, angles[:2].T, label=["θ₁", "θ₂"])
        axes[2].legend(loc="lower left")
        for ax, text in zip(axes, ("energy (J)", "L (N m s)", "hinge angle (rad)"), strict=True):
            ax.set(ylabel=text, xlabel="time (s)" if ax is axes[2] else "")
        plt.savefig("examples/output/six_body_linkage.png")
        snapshots(ring)
        plt.savefig("examples/output/six_body_linkage_snapshots.png")
    return {"closure": closure, "drift": drift, "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
