"""An open chain of five tetrahedra on revolute joints, thrown: energy stays, the tip whips.

The six-body linkage without its last hinge, all five hinges turning at 30 rad/s at the start.  P.
Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.4.1, bodies theirs.

Reference: energy is constant, and no joint opens.  The place of the last body is compared with a
generalized-alpha run of small step: both methods are of second order.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

SIDE, DENSITY, EDGE = 0.1, 1000.0, 0.1 * np.tan(0.16 * np.pi)
CORNERS = SIDE * np.array(
    [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, -1], [1, 0, -1], [0, 0, -1]], float
)
HINGES = np.array([[1, 0, 0], [0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 0, 1], [0, 1, 0]], float)


def tetrahedron(k: int) -> lw.Body:
    """Body k: between the hinges at corner k and at the next one, each an edge of it."""
    j = (k + 1) % 6
    V = np.array([CORNERS[k], CORNERS[k] + EDGE * HINGES[k],
                  CORNERS[j], CORNERS[j] + EDGE * HINGES[j]])  # fmt: skip
    mass, centre = DENSITY * EDGE**2 * SIDE / 6, V.mean(axis=0)
    second = mass / 20 * (V.T @ V - 4 * np.outer(centre, centre))  # the Euler tensor
    return lw.Body(mass, np.trace(second) * np.eye(3) - second, position=centre)


def build() -> lw.Model:
    m = lw.Model("open chain", gravity=(0, 0, -9.81))
    before: object = lw.GROUND
    for k in range(1, 6):
        body = m.add(f"body {k}", tetrahedron(k))
        m.add(f"hinge {k}", lw.Revolute(before, body, at=CORNERS[k], axis=HINGES[k], rate=30))
        before = body
    return m


model = build()
time, step = 0.4, 0.001  # seconds, for `linkwork run`
method = lw.EnergyMomentum()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=0.4, h=0.001, method=method, progress=False)
    energy, gap = run.energy.total.values, float(run.violation.position.max())
    drift = float(np.abs(energy / energy[0] - 1).max())
    print(f"energy within {drift:.0e}, hinges within {gap:.0e}")
    assert drift < 1e-11 and gap < 1e-12

    small = lw.transient(model, t=0.1, h=2e-5, every=1000, progress=False)
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        fine = lw.transient(model, t=0.1, h=h, method=method, progress=False)
        place = fine["body 5"].position[-1] - small["body 5"].position[-1]
        errors.append(float(np.abs(place).max()))
    print("place of the last body at t = 0.1 s differs by", ", ".join(f"{e:.1e}" for e in errors))
    assert 3.6 < errors[0] / errors[1] < 4.4 and 3.6 < errors[1] / errors[2] < 4.4

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(3, sharex=True, figsize=(6.4, 6.4), layout="constrained")
        axes[0].plot(run.time, run.energy.total, label="total energy (J)")
        axes[0].plot(run.time, run.energy.kinetic, label="kinetic")
        axes[0].legend()
        axes[1].plot(run.time, run.angular_momentum, label=["L₁", "L₂", "L₃"])
        axes[1].legend(loc="upper left")
        axes[2].plot(run.time, run["body 5"].position, label=["x", "y", "z"])
        axes[2].legend(loc="upper left")
        axes[1].set_ylabel("L (N m s)")
        axes[2].set_ylabel("body 5 (m)")
        axes[2].set_xlabel("time (s)")
        plt.savefig("examples/output/open_chain.png")
    return {"drift": drift, "error": errors[-1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
