"""A spring and a damper are sized for a wanted frequency and damping.

A massless arm of length L, hinged at one end, carries a mass m at the other.  A vertical strut of
length h with spring k and damper c stands on the ground under a point at the distance a from the
hinge, its free length such that the arm is level at rest.  Which k and c give 1.5 Hz and a damping
ratio of 0.3?

The reference is the closed form.  The strut's length is s = |(a cos φ, h + a sin φ) − (a, 0)|, with
s' = a and s'' = 0 in the level position (s² = h² + 2 a h sin φ + 2 a² (1 − cos φ), so
s'' = (a² − s'²)/h).  With the push F = m g L/a at rest,

    m L² φ̈ + c a² φ̇ + k a² φ = 0,     k = m L² ω²/a²,   c = 2 ζ m L² ω/a²,   ω = 2π f/√(1 − ζ²)
"""

from pathlib import Path

import numpy as np

import linkwork as lw

L, a, h, MASS = 0.6, 0.2, 0.25, 80.0  # m, kg
FREQUENCY, DAMPING = 1.5, 0.3


def build(stiffness: float = 60e3, damping: float = 4e3) -> lw.Model:
    m = lw.Model("trailing arm", gravity=(0, 0, -9.81))
    shape = {"kind": "link", "start": (-L, 0, 0), "end": (0, 0, 0), "radius": 0.02}
    ball = {"kind": "sphere", "radius": 0.08}
    arm = m.add("arm", lw.Body(MASS, (0, 0, 0), position=(L, 0, 0), shape=[shape, ball]))
    m.add("hinge", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0)))
    push = MASS * 9.81 * L / a
    m.add("strut", lw.Spring(
        lw.GROUND, arm, at_a=(a, 0, -h), at_b=(a, 0, 0), stiffness=stiffness, damping=damping,
        length=h + push / stiffness))  # fmt: skip
    return m


model = build()
time, step = 2, 0.001  # seconds, for `linkwork run`


def objective(model: lw.Model) -> float:
    """How far frequency and damping are from what is wanted."""
    modes = lw.eigen(model)
    return (modes.frequency[0] / FREQUENCY - 1) ** 2 + (modes.damping[0] / DAMPING - 1) ** 2


def main(plot: bool = False) -> dict[str, float]:
    best = lw.optimize(
        build, objective, {"stiffness": 60e3, "damping": 4e3},
        {"stiffness": (20e3, 200e3), "damping": (0.5e3, 20e3)},
    )  # fmt: skip
    k, c = best.x["stiffness"], best.x["damping"]
    omega = 2 * np.pi * FREQUENCY / np.sqrt(1 - DAMPING**2)
    exact = MASS * L**2 / a**2 * np.array([omega**2, 2 * DAMPING * omega])
    print(f"stiffness {k / 1e3:.3f} kN/m (closed form {exact[0] / 1e3:.3f})")
    print(f"damping   {c / 1e3:.3f} kN s/m (closed form {exact[1] / 1e3:.3f})")
    print(f"found with {best.evaluations} evaluations")
    assert abs(k / exact[0] - 1) < 1e-4
    assert abs(c / exact[1] - 1) < 1e-4

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        figure, panel = plt.subplots(layout="constrained", figsize=(7, 3.5))
        for title, m in (("before", model), ("sized", best.model)):
            m["hinge"].angle = 0.05
            run = lw.transient(m, t=2, h=1e-3, progress=False)
            panel.plot(run.time, 1e3 * run["arm"].position.sel(xyz="z"), label=title)
            m["hinge"].angle = None
        panel.set(xlabel="time, s", ylabel="height of the mass, mm")
        panel.legend()
        figure.savefig("examples/output/size_a_spring.png")
    return {"stiffness": k, "damping": c}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
