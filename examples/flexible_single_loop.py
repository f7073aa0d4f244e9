"""One long loop of rods on pins and slides, one of them flexible, in joint coordinates.

Bodies have even numbers and joints odd ones. Rods 2, 4, 6, 8 hang as a chain on pins 1, 3, 5, 7.
Pin 9 joins them to a telescope of rods 10, 12, 14, 16, 18, which slide in each other at 11, 13,
15, 17, and pin 19 holds its end on the ground: that pin is cut. All rods have 1 m and 1 kg; rod 6
bends with two modes, a beam on two supports, EI = 10 N m²: 5.0 and 19.9 Hz. Springs of 200 N/m
hold the telescope together, which gravity alone would pull apart. The loop starts at rest.

`build(n)` makes loops of any number n of rods: half of them chain, half telescope, and one of
nine in the chain flexible; benchmarks/rods.py times the Jacobian of its cut joint. (A mechanism
of the kind of the third example of L. Zhang and others: A framework for establishing constraint
Jacobian matrices of planar rigid-flexible-multibody systems, 2023.)

References: the motion in absolute coordinates with multipliers (lw.RK4), an independent
formulation; the energy; and both Jacobians against each other.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

EI, MU = 10.0, 1.0  # N m², kg/m
BEAM = lw.Section(EA=1e6, EIy=EI, EIz=EI, GJ=EI, mass=MU, Jx=1e-4, Jy=0.0, Jz=0.0)
STIFFNESS, PULLED = 200.0, 0.4  # N/m; m by which each rod stands out of the next


def corners(hanging: int) -> np.ndarray:
    """Ends of the hanging rods: a quarter of a circle from the first pin downwards."""
    turn = np.pi / 2 / hanging
    lean = -np.pi / 2 + turn * (np.arange(hanging) + 0.5)
    steps = np.stack([np.cos(lean), np.sin(lean), 0 * lean], axis=1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def build(rods: int = 9) -> lw.Model:
    z, hanging = (0, 0, 1), rods // 2
    points = corners(hanging)
    up = np.array([0.6, 0.8, 0])  # along the telescope
    m = lw.Model(f"loop of {rods} rods", gravity=(0, -9.81, 0))
    before = lw.GROUND
    for k in range(hanging):
        start, end, name = points[k], points[k + 1], f"rod {2 * k + 2}"
        if k % 9 == 2:
            link = m.add(name, lw.FlexibleLink(
                start, end, BEAM, modes=2, boundary="pinned-pinned", normal=z
            ))  # fmt: skip
            near, far = link.root, link.tip
        else:
            near = far = m.add(name, lw.Body.link(start, end, radius=0.02, mass=1))
        m.add(f"{2 * k + 1}", lw.Revolute(before, near, at=start, axis=z))
        before = far
    start = points[-1]
    for k in range(hanging, rods):
        rod = m.add(f"rod {2 * k + 2}", lw.Body.link(start, start + up, radius=0.02, mass=1))
        kind, axis = (lw.Revolute, z) if k == hanging else (lw.Prismatic, up)
        m.add(f"{2 * k + 1}", kind(before, rod, at=start, axis=axis))
        if k > hanging:
            m.add(f"spring {2 * k + 1}", lw.Spring(
                before, rod, at_a=start - PULLED * up, at_b=start + up, stiffness=STIFFNESS
            ))  # fmt: skip
        before, start = rod, start + PULLED * up
    end = start - PULLED * up + up
    m.add(f"{2 * rods + 1}", lw.PointOnLine(before, lw.GROUND, at=end, axis=z))
    return m


CUTS = ("19",)
model = build()
time, step = 5, 0.01  # seconds, for `linkwork run`
method = lw.Recursive(cuts=CUTS)


def main(plot: bool = False) -> dict[str, float]:
    runs = {
        word: lw.transient(model, t=time, h=step, progress=False,
                           method=lw.Recursive(correction=word, cuts=CUTS))
        for word in ("semi-analytic", "direct", None)
    }  # fmt: skip
    gap = {word: run.violation.position.sel(joint="19").values for word, run in runs.items()}
    for word, values in gap.items():
        print(f"correction {word}: pin 19 opens by up to {values.max():.1e} m")
    assert max(gap["semi-analytic"].max(), gap["direct"].max()) < 1e-10
    assert gap[None][-1] > 1e-5

    joints = lw.joint_space(model, cuts=CUTS)
    semi, direct = (joints.jacobian(joints.q, how) for how in ("semi-analytic", "direct"))
    assert semi.shape == (2, 11) and np.abs(semi - direct).max() < 1e-12

    run = runs["semi-analytic"]
    energy = run.energy.total.values
    loss = float(np.abs(energy - energy[0]).max() / run.energy.kinetic.max())
    print(f"the energy changes by {loss:.1e} of the largest kinetic energy")
    assert loss < 1e-3

    ours = lw.transient(model, t=0.3, h=2e-3, method=method, progress=False)
    core = lw.transient(model, t=0.3, h=2e-3, method=lw.RK4(), progress=False)
    apart = float(np.abs(ours["rod 10"].position - core["rod 10"].position).max())
    bent = float(np.abs(ours["rod 6"].amplitudes - core["rod 6"].amplitudes).max())
    print(f"from absolute coordinates: rod 10 {apart:.1e} m, amplitudes {bent:.1e} m")
    assert max(apart, bent) < 1e-6

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, (above, below) = plt.subplots(2, 1, sharex=True, layout="constrained")
        above.plot(run.time, run["rod 6"].amplitudes * 1e3)
        above.set(ylabel="amplitudes of rod 6 (mm)", title=model.name)
        for word, values in gap.items():
            below.semilogy(run.time, np.maximum(values, 1e-17), label=f"correction {word}")
        below.set(xlabel="time (s)", ylabel="gap of pin 19 (m)")
        below.set_ylim(1e-18, 1e-1)
        below.legend(loc="upper center", ncols=3, fontsize="small")
        plt.savefig("examples/output/flexible_single_loop.png")
    return {"gap": float(gap["semi-analytic"].max()), "energy": loss, "apart": apart}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
