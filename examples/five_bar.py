"""A five-bar linkage on two springs: where it rests and how it vibrates.

Rods AC, CD, DE, EB hang between the fixed points A and B; springs B-C and B-D, free of tension as
described, carry part of the weight.  Two degrees of freedom.

Reference (equilibrium and frequencies recomputed independently from the potential energy;
docs/references.md, section 2): C (-0.79400868, -1.17027784), D (0.64224214, -2.25985739),
E (1.96441880, -1.03435795) m, natural frequencies 3.284544 and 7.126232 rad/s.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

POINTS = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (-1, -1, 0), "D": (0.5, -2, 0), "E": (2, -1, 0)}
REFERENCE = {"C": (-0.79400868, -1.17027784), "D": (0.64224214, -2.25985739),
             "E": (1.96441880, -1.03435795)}  # fmt: skip


def thin_rod(start: str, end: str, mass: float) -> lw.Body:
    p, q = np.array(POINTS[start]), np.array(POINTS[end])
    d = q - p
    return lw.Body(mass, mass / 12 * (d @ d * np.eye(3) - np.outer(d, d)), position=(p + q) / 2)


def build() -> lw.Model:
    m = lw.Model("five-bar", gravity=(0, -9.81, 0))
    AC, CD = m.add("AC", thin_rod("A", "C", 1.0)), m.add("CD", thin_rod("C", "D", 1.5))
    DE, EB = m.add("DE", thin_rod("D", "E", 1.5)), m.add("EB", thin_rod("E", "B", 1.0))
    for name, a, b in (("A", lw.GROUND, AC), ("C", AC, CD), ("E", EB, DE), ("B", lw.GROUND, EB)):
        m.add(name, lw.Revolute(a, b, at=POINTS[name], axis=(0, 0, 1)))
    m.add("D", lw.PointOnLine(CD, DE, at=POINTS["D"], axis=(0, 0, 1)))  # closes the loop
    for name, rod in (("C", AC), ("D", CD)):
        m.add(f"spring {name}", lw.Spring(
            lw.GROUND, rod, at_a=POINTS["B"], at_b=POINTS[name], stiffness=100))  # fmt: skip
    return m


model = build()
time, step = 10, 0.01  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    rest = lw.static(model)
    assert rest.stable
    error = 0.0
    for name, rod in (("C", "AC"), ("D", "CD"), ("E", "EB")):
        body = model[rod]
        point = rest[rod].point(np.array(POINTS[name]) - body.position).values[:2]
        error = max(error, float(np.abs(point - REFERENCE[name]).max()))
        print(f"{name} rests at ({point[0]:.8f}, {point[1]:.8f}) m")
    assert error < 1e-8

    modes = lw.eigen(model, at=rest.state)
    omega = np.abs(modes.eigenvalues)
    print("natural frequencies", omega.round(6), "rad/s")
    assert np.allclose(omega, (3.284544, 7.126232), rtol=0, atol=1e-6)

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        lw.transient(model, t=10, h=0.01, progress=False).plot("AC.position", "EB.position")
        plt.savefig("examples/output/five_bar.png")
    return {"error": error, "first": float(omega[0]), "second": float(omega[1])}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
