"""Forced precession: a rotor whose whole orientation is a function of time, and what it takes.

A symmetric rotor (inertia A, A, C) spins by φ̇ about its axis, which is tilted by θ and precesses by
ψ̇ about the vertical, while its centre is lifted.  The law of its orientation is a product of
rotations, R = R_z(ψ̇t) R_x(θ) R_z(φ̇t), given to a Lock under "rotation" beside the law of a
displacement row (Tasora, Righettini, "Application of quaternion algebra to the efficient
computation of Jacobians for holonomic-rheonomic constraints", 1999).  It may as well be given to
the markers (that on the ground precesses, that on the rotor spins backwards), or as orientations
measured every 10 ms, quaternions of either sign.  All three must give the couple of textbooks,

    M = ψ̇ sin θ (C (φ̇ + ψ̇ cos θ) − A ψ̇ cos θ) along the line of nodes (cos ψ̇t, sin ψ̇t, 0)

through all of 20 turns, also where the rotation vector passes π and 2π.
"""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw

A, C, MASS, GRAVITY = 0.02, 0.03, 4.0, 9.81
TILT, PRECESSION, SPIN = 0.6, 3.0, 25.0  # rad, rad/s
END, STEP = 5.0, 0.002
COUPLE = (
    PRECESSION
    * np.sin(TILT)
    * (C * (SPIN + PRECESSION * np.cos(TILT)) - A * PRECESSION * np.cos(TILT))
)


def spun(rate: float):
    """A rotation about z at a constant rate."""
    return lw.rotation_vector(0, 0, lw.polynomial([0, rate]))


def laws() -> dict[str, dict]:
    """The same motion in three ways: words of a Lock."""
    lift = lw.polynomial([0, 0, 0.1])
    tilted = lw.quaternion(np.cos(TILT / 2), np.sin(TILT / 2), 0, 0)
    t = np.arange(-0.05, END + 0.05, 0.01)
    signs = np.where(np.arange(len(t)) % 3 == 0, -1.0, 1.0)[:, None]
    zxz = np.column_stack([PRECESSION * t, np.full_like(t, TILT), SPIN * t])
    measured = Rotation.from_euler("ZXZ", zxz).as_quat()[:, [3, 0, 1, 2]] * signs
    return {
        "rows": {"drive": {"z": lift, "rotation": spun(PRECESSION) * tilted * spun(SPIN)}},
        "markers": {"drive_a": {"z": lift, "rotation": spun(PRECESSION) * tilted},
                    "drive_b": {"rotation": spun(-SPIN)}},
        "table": {"drive": {"z": lift, "rotation": lw.rotation_table(t, measured)}},
    }  # fmt: skip


def build(words: dict | None = None) -> lw.Model:
    """The rotor, with the law on the rows of its Lock, or with other words."""
    m = lw.Model("forced precession", gravity=(0, 0, -GRAVITY))
    rotor = m.add("rotor", lw.Body(MASS, (A, A, C)))
    m.add("gimbal", lw.Lock(lw.GROUND, rotor, at=(0, 0, 0), **(words or laws()["rows"])))
    return m


model = build()
time, step = END, STEP  # seconds, for `linkwork run`


def nodes(t: np.ndarray) -> np.ndarray:
    """The line of nodes, and with it the couple."""
    angle = PRECESSION * t
    return np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(t)])


def main(plot: bool = False) -> dict[str, float]:
    worst, runs = {}, {}
    for name, words in laws().items():
        run = runs[name] = lw.kinematics(build(words), t=END, h=STEP, progress=False)
        exact = COUPLE * nodes(run.time)
        worst[name] = float(np.abs(run["gimbal"].torque_world - exact).max()) / COUPLE
        print(f"law on {name}: couple within {worst[name]:.1e} of {COUPLE:.6f} N m")
    assert worst["rows"] < 1e-9 and worst["markers"] < 1e-9
    assert worst["table"] < 5e-3  # second derivatives of a spline, (ω h)²/12 for h = 10 ms

    run = lw.transient(model, t=END, h=STEP, progress=False)
    lifting = run["gimbal"].force_world[1:, 2]
    turned = Rotation.from_quat(run["rotor"].orientation.values[:, [1, 2, 3, 0]]).as_matrix()
    angle = PRECESSION * run.time
    tilt = np.full_like(angle, np.cos(TILT))
    axis = np.column_stack([np.sin(angle) * np.sin(TILT), -np.cos(angle) * np.sin(TILT), tilt])
    off = float(np.abs(turned[:, :, 2] - axis).max())
    couple = np.linalg.norm(run["gimbal"].torque_world, axis=1)[len(run) // 2 :]
    print(f"transient: axis within {off:.1e}, couple {couple.mean():.5f} N m, ", end="")
    print(f"lifting force {float(lifting[-1]):.4f} N of {MASS * (GRAVITY + 0.2):.4f} N")
    assert off < 1e-9 and abs(couple.mean() / COUPLE - 1) < 1e-3
    assert abs(float(lifting[-1]) / (MASS * (GRAVITY + 0.2)) - 1) < 1e-6

    if plot:
        draw(runs, axis)
    return {"couple": COUPLE, "off": off, **worst}


def draw(runs: dict, axis: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(10, 4), layout="constrained")
    space = figure.add_subplot(1, 2, 1, projection="3d")
    space.plot(*axis[:1100].T, color="0.7")
    for k in range(0, 1050, 150):
        space.plot(*np.column_stack([np.zeros(3), axis[k]]), color="#0072b2", alpha=0.3 + k / 1500)
        space.quiver(*axis[k], *(0.4 * nodes(STEP * np.array([k]))[0]), color="#d55e00")
    space.set(title="the axis, and the couple", zlim=(0, 1), xlabel="x", ylabel="y", zlabel="z")
    panel = figure.add_subplot(1, 2, 2)
    for (name, run), style, width in zip(runs.items(), ("-", "--", ":"), (7, 3, 1.5)):
        torque = run["gimbal"].torque_world.values
        for i, colour in ((0, "#0072b2"), (1, "#009e73")):
            words = {"color": colour, "linewidth": width, "alpha": width**-0.5}
            panel.plot(run.time, torque[:, i], style, label=f"{'xy'[i]}, law on {name}", **words)
    panel.set(xlabel="time (s)", ylabel="couple (N m)", xlim=(0, 2.2), ylim=(-1.9, 1.9))
    panel.legend(ncols=3, fontsize=7, loc="upper center")
    Path("examples/output").mkdir(parents=True, exist_ok=True)
    figure.savefig("examples/output/forced_precession.png", dpi=110)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
