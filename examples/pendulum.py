"""A pendulum: where it hangs, how fast it swings, and why that needs the stiffness of joints.

A point mass of 15 kg hangs 4 m below a hinge.  Nothing in this model is elastic: what brings the
mass back is the force in the joint.  linkwork keeps that constraint stiffness in every tangent, so
statics finds the lowest position from 30° and the highest from 150°, and eigenvalues are right:
±i √(g/L) = ±1.566i below, ±1.566 and unstable above.  The example and these numbers are those of
Peng, Tasora, Fusai, Mangoni, "A unified analytical expression of the tangent stiffness matrix of
holonomic constraints", section 4.1.

A swing from 90° takes T = 4 √(L/g) K(sin² 45°), K the complete elliptic integral: after a swing
and a quarter the mass must pass its lowest point.
"""

import math
from pathlib import Path

import numpy as np
from scipy.special import ellipk

import linkwork as lw

LENGTH, GRAVITY = 4.0, 9.81


def build(degrees: float = 30.0) -> lw.Model:
    """A pendulum that starts so many degrees off the vertical."""
    angle = math.radians(degrees)
    m = lw.Model("pendulum", gravity=(0, 0, -GRAVITY))
    place = (LENGTH * math.sin(angle), 0, -LENGTH * math.cos(angle))
    bob = m.add("bob", lw.Body(mass=15, inertia=(0, 0, 0), position=place))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


model = build()
time, step = 10, 0.001  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    exact = math.sqrt(GRAVITY / LENGTH)

    low = lw.static(build(30))
    swing = lw.eigen(build(30), at=low.state).eigenvalues
    print(f"from 30°:  z = {float(low['bob'].position[2]):.6f} m, eigenvalue {swing[0]:.6f} 1/s")
    assert low.stable and abs(float(low["bob"].position[2]) + LENGTH) < 1e-9
    assert len(swing) == 1 and abs(swing[0] - 1j * exact) < 1e-9

    high = lw.static(build(150))
    fall = lw.eigen(build(150), at=high.state).eigenvalues
    print(f"from 150°: z = {float(high['bob'].position[2]):.6f} m, eigenvalues {fall.round(6)} 1/s")
    assert not high.stable and np.allclose(np.sort(fall.real), [-exact, exact], rtol=0, atol=1e-9)

    period = 4 / exact * ellipk(0.5)
    run = lw.transient(build(90), t=1.25 * period, h=period / 4000, progress=False)
    missed = float(np.linalg.norm(run["bob"].position[-1] - (0, 0, -LENGTH)))
    print(f"from 90°:  {1e6 * missed:.0f} µm off after 1.25 periods of {period:.6f} s")
    assert missed < 1e-4  # second order: a few (ωh)² of the way

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("bob.position", "pin.force", "energy")
        plt.savefig("examples/output/pendulum.png")
    return {"frequency": abs(swing[0]), "growth": float(fall.real.max()), "missed": missed}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
