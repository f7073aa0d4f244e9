"""A bar falls about one hinge: its motion and what the hinge must carry.

A bar of 4 m and 1 kg is hinged at one end and let go from the horizontal, once about the y axis at
the origin, once at (1, 2, 3) about an axis inclined by 45°, where the hinge takes torques, too.

Reference: the revolute joint tests of Project Chrono, with values from ADAMS (docs/references.md,
section 2).  About y, recomputed: after 1 s the centre of mass is at (-0.89238149, 0, -1.78987577) m
and the force on the ground (-11.46123757, 0, -23.22732763) N.  Inclined, as published: the torque
on the ground is (-13.8654, 0.206446, -0.206446) N m; of these digits four to five are right.

run["hinge"].force is the reaction on the second body, the bar; the ground feels its opposite.
"""

from pathlib import Path

import numpy as np

import linkwork as lw


def build(at: tuple = (0, 0, 0), axis: tuple = (0, 1, 0)) -> lw.Model:
    m = lw.Model("bar on one joint", gravity=(0, 0, -9.80665))
    centre = np.array(at) + (2, 0, 0)
    bar = m.add("bar", lw.Body(mass=1, inertia=(0.04, 0.1, 0.1), position=centre))
    m.add("hinge", lw.Revolute(lw.GROUND, bar, at=at, axis=axis))
    return m


model = build()
time, step = 1, 0.001  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    # stabilized: velocities satisfy the joints as well, and reactions are smooth
    method = lw.GeneralizedAlpha(rho=0.8, stabilized=True)
    run = lw.transient(model, t=1, h=2e-4, method=method, progress=False)
    centre, force = run["bar"].position[-1].values, -run["hinge"].force_world[-1].values
    print(f"about y: centre of mass {centre.round(6)} m, force on the ground {force.round(5)} N")
    assert np.allclose(centre, (-0.89238149, 0, -1.78987577), rtol=0, atol=1e-6)
    assert np.allclose(force, (-11.46123757, 0, -23.22732763), rtol=0, atol=1e-5)

    inclined = lw.transient(build((1, 2, 3), (0, 1, 1)), t=1, h=2e-4, method=method, progress=False)
    centre = inclined["bar"].position[-1].values
    force2 = -inclined["hinge"].force_world[-1].values
    torque = -inclined["hinge"].torque_world[-1].values
    print(f"inclined: centre of mass {centre.round(5)} m")
    print(f"          force {force2.round(4)} N and torque {torque.round(4)} N m on the ground")
    assert np.allclose(centre, (1.04210, 3.41390, 1.58610), rtol=0, atol=1e-5)
    assert np.allclose(force2, (0.427164, 9.56081, -19.3673), rtol=0, atol=1e-3)
    assert np.allclose(torque, (-13.8654, 0.206446, -0.206446), rtol=0, atol=1e-3)

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        inclined.plot("bar.position", "hinge.force_world", "hinge.torque_world")
        plt.savefig("examples/output/bar_on_one_joint.png")
    return {"force": float(force[2]), "torque": float(torque[0])}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
