"""An anchor chain between two points: the catenary that it hangs in, and its modes.

Twenty thin rigid links hang between A(0, 0, 0) and B(10, 0, 0) on universal joints, both ends
included: the two bending rotations are free and torsion is held all along.  In every cross the arm
along y turns in the body towards A, at B in the ground.  The chain is described as a straight V
through C(5, 0, -6); statics lets it drop into the catenary, where the horizontal force is the same
in every joint.  All of its stiffness is constraint stiffness.

The example is that of Peng, Tasora, Fusai, Mangoni, "A unified analytical expression of the tangent
stiffness matrix of holonomic constraints", section 4.2.  Its first four modes are those published,
in their order: swinging out of the plane, swinging in it, bending in it, bending out of it.  The
frequencies 0.24384, 0.32253, 0.57885, 0.66345 Hz are those of ideal thin links, recomputed
(docs/references.md, section 1); the paper, whose links have another inertia, prints 0.240, 0.309,
0.504, 0.551 Hz.  `anchor_chain_pulled.py` finds them in the nonlinear motion.
"""

import math
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

import linkwork as lw

LINKS = 20
REFERENCE = (0.24384, 0.32253, 0.57885, 0.66345)
KINDS = ("swinging out of plane", "swinging in plane", "bending in plane", "bending out of plane")


def build(links: int = LINKS) -> lw.Model:
    """The chain as a V."""
    m = lw.Model("anchor chain", gravity=(0, 0, -9.81))
    points = np.column_stack([np.linspace(0, 10, links + 1), np.zeros((links + 1, 2))])
    points[:, 2] = -6 + 1.2 * np.abs(points[:, 0] - 5)
    last, y = lw.GROUND, np.array([0.0, 1.0, 0.0])
    for k, (p, q) in enumerate(zip(points, points[1:])):
        across = np.cross(q - p, y)  # the other arm: in the plane, perpendicular to the link
        mass = float(np.linalg.norm(q - p))  # 1 kg/m
        link = m.add(f"link {k}", lw.Body.link(p, q, radius=1e-3, mass=mass))
        m.add(f"joint {k}", lw.Universal(last, link, at=p, axis_a=y, axis_b=across))
        last = link
    m.add("end", lw.Universal(lw.GROUND, last, at=points[-1], axis_a=y, axis_b=across))
    return m


model = build()
time, step = 20, 0.01  # seconds, for `linkwork run`


def polygon(at: lw.Result, shape: np.ndarray | None = None) -> np.ndarray:
    """The joints' positions, or what a mode shape (links × 6) moves them by, (links + 1, 3)."""
    half, found = math.sqrt(61) / LINKS, []
    for k, z in [(0, -half), *((k, half) for k in range(LINKS))]:
        point = at[f"link {k}"].point((0, 0, z)).values
        arm = point - at[f"link {k}"].position.values
        found.append(point if shape is None else shape[k, :3] + np.cross(shape[k, 3:], arm))
    return np.array(found)


def catenary(x: np.ndarray) -> np.ndarray:
    """Height of a rope as long as the chain, hung from A and B: z = a cosh((x − 5)/a) + z₀."""
    a = brentq(lambda a: a * math.sinh(5 / a) - math.sqrt(61), 1, 10)
    return a * (np.cosh((x - 5) / a) - math.cosh(5 / a))


def main(plot: bool = False) -> dict[str, float]:
    hanging = lw.static(model, progress=False)
    force = np.array([hanging[f"joint {k}"].force_world[0] for k in range(LINKS)])
    print(f"horizontal force {force.mean():.6f} N, differs by {np.ptp(force):.1e} N between joints")
    assert hanging.stable and np.ptp(force) < 1e-9 * abs(force.mean())
    joints = polygon(hanging)
    off = float(np.abs(joints[:, 2] - catenary(joints[:, 0])).max())
    print(f"joints within {1e3 * off:.1f} mm of the catenary")
    assert off < 0.02  # a polygon of 20 sides
    modes = lw.eigen(model, at=hanging.state, n=4)
    for kind, frequency in zip(KINDS, modes.frequency):
        print(f"{frequency:.5f} Hz  {kind}")
    assert np.allclose(modes.frequency[:4], REFERENCE, rtol=0, atol=5.1e-6)

    if plot:
        draw(hanging, modes)
    return {"force": float(force.mean()), "off": off, "swing": float(modes.frequency[0])}


def draw(hanging: lw.Result, modes) -> None:
    import matplotlib.pyplot as plt

    figure, x, joints = plt.figure(figsize=(10, 8.5)), np.linspace(0, 10, 200), polygon(hanging)
    force = np.array([hanging[f"joint {k}"].force_world for k in range(LINKS)])
    grid = figure.add_gridspec(1, 2, left=0.08, right=0.98, bottom=0.64, top=0.97, wspace=0.22)
    shape, forces = (figure.add_subplot(place) for place in grid)
    shape.plot([0, 5, 10], [0, -6, 0], color="0.7", linestyle="dotted", label="as described")
    shape.plot(joints[:, 0], joints[:, 2], "o-", markerfacecolor="white", label="equilibrium")
    shape.plot(x, catenary(x), color="#d55e00", linewidth=1.2, label="catenary")
    shape.set(xlabel="x (m)", ylabel="z (m)", aspect="equal", ylim=(-6.4, 1.6))
    shape.legend(frameon=False, loc="upper center", ncols=3, fontsize=8)
    forces.plot(joints[:-1, 0], force[:, [0, 2]], "o-", label=("horizontal", "vertical"))
    forces.set(xlabel="x (m)", ylabel="force of the joint (N)")
    forces.legend()
    grid = figure.add_gridspec(2, 2, left=0.02, right=0.98, bottom=0.02, top=0.54, hspace=0.15)
    for k, place in enumerate(grid):
        title = f"{k + 1}: {KINDS[k]}, {modes.frequency[k]:.4f} Hz"
        shape = polygon(hanging, modes.shapes[k].real)
        draw_mode(figure.add_subplot(place, title=title), joints, shape)
    Path("examples/output").mkdir(parents=True, exist_ok=True)
    figure.savefig("examples/output/anchor_chain.png", dpi=110)


def draw_mode(panel, joints: np.ndarray, shape: np.ndarray) -> None:
    """Both ends of a mode's swing, seen from the side and a little from above."""
    view = np.array([[1.0, 0.45, 0.0], [0.0, 0.5, 1.0]])  # y goes to the upper right
    shape = 1.2 / np.linalg.norm(shape, axis=1).max() * shape
    here, there, back = (x @ view.T for x in (joints, joints + shape, joints - shape))
    paths = np.stack([there, back, np.full_like(here, np.nan)], axis=1).reshape(-1, 2)
    panel.plot(*paths.T, color="#56b4e9", linewidth=0.6)
    panel.plot(*here.T, color="0.6", linewidth=1.2)
    panel.plot(*back.T, color="#0072b2", linestyle="dashed", linewidth=1.5)
    panel.plot(*there.T, "o-", color="#0072b2", markersize=3, linewidth=1.8)
    for name, (x, z) in zip("xyz", view.T):
        panel.plot([-1.6, -1.6 + x], [-6.4, -6.4 + z], color="0.5", linewidth=1)
        panel.text(-1.6 + 1.3 * x, -6.4 + 1.3 * z, name, color="0.5", ha="center", va="center")
    panel.set(aspect="equal", xlim=(-2, 11), ylim=(-6.7, 0.3))
    panel.axis("off")


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
