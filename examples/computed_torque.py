"""A six-axis arm that follows a path by computed torque.

The joint torques of the model for the wanted motion q*(t), corrected by the error of the joints,

    τ = M(q) (q̈* + k_d (q̇* − q̇) + k_p (q* − q)) + h(q, q̇)

(Luh, Walker, Paul 1980), make the error decay as ë + k_d ė + k_p e = 0, whatever the arm does. They
are computed by recursive Newton-Euler (lw.joint_space) in Python at 1 kHz.  The arm starts 0.1 rad
off at every joint.  Held between samples the torque is late by half a period, which leaves an error
of that order; the run is compared with the decay, and half the period halves the difference.

A straight path of the tool is found beforehand by inverse kinematics (lw.reach).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

AXES = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
PLACES = np.array(
    [(0, 0, 0), (0, 0, 0.4), (0, 0, 0.9), (0.1, 0, 1), (0.5, 0, 1), (0.6, 0, 1), (0.7, 0, 1)]
)  # fmt: skip
KP, KD, OFF, TIME = 100.0, 20.0, 0.1, 0.6  # critically damped: e = 0.1 (1 + 10 t) exp(−10 t)


def arm(angles: np.ndarray) -> tuple[lw.Model, list, lw.Frame]:
    """The arm at these angles, its joints, and its tool."""
    m = lw.Model("six-axis arm", gravity=(0, 0, -9.81))
    before, joints = lw.GROUND, []
    for k, axis in enumerate(AXES):
        middle = (PLACES[k] + PLACES[k + 1]) / 2
        size = np.diag([0.05, 0.06, 0.02]) * (1 - 0.1 * k)
        link = m.add(f"link {k}", lw.Body(4 - 0.5 * k, size, position=middle))
        joints.append(m.add(f"joint {k}", lw.Revolute(
            before, link, at=PLACES[k], axis=axis, angle=float(angles[k]))))  # fmt: skip
        before = link
    return m, joints, lw.Frame(before, PLACES[6] - middle)


def path() -> list:
    """Motion laws of the six joints for a straight path of the tool, from rest to rest."""
    home = np.array([0.3, -0.4, 0.7, 0.2, 0.5, -0.1])
    m, _, tool = arm(home)
    state = lw.assemble(m)
    begin = state["link 5"].position
    places = np.linspace(0, 1, 9)
    angles = []
    for s in places:
        found = lw.reach(m, tool, begin + s * np.array([-0.1, 0.25, 0.05]), start=state,
                         orientation=state["link 5"].orientation)  # fmt: skip
        angles.append([found[f"joint {k}"] for k in range(6)])
        state = found.state
    smooth = lw.expression(f"(t/{TIME})^3*(10 - 15*t/{TIME} + 6*(t/{TIME})^2)")
    return [along(places, np.array(angles)[:, k], smooth) for k in range(6)]


def along(places: np.ndarray, angles: np.ndarray, smooth: lw.Model) -> object:
    """A joint's angle over the path's parameter, and that over time."""
    fit = np.polynomial.Polynomial.fit(places, angles, 6).convert().coef
    powers = smooth
    law = lw.constant(fit[0]) + fit[1] * powers
    for c in fit[2:]:
        powers = powers * smooth
        law = law + c * powers
    return law


def build(laws: list | None = None, period: float = 1e-3) -> lw.Model:
    """The arm with a computed torque controller, 0.1 rad off its path at first."""
    laws = laws or path()
    first = np.array([law(0.0) for law in laws])
    m, joints, _ = arm(first + OFF)
    robot = lw.joint_space(arm(first)[0])
    times = np.arange(0, TIME + period, period)
    wanted = np.stack([law.jet(np.minimum(times, TIME)) for law in laws], axis=1)

    def torques(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:6], x[6:]
        w = wanted[round(t / period)]
        a = w[:, 2] + KD * (w[:, 1] - v) + KP * (w[:, 0] - q)
        return robot.inverse(q, v, a)

    sensors = [lw.reads(j, "angle") for j in joints] + [lw.reads(j, "rate") for j in joints]
    names = [f"torque {k}" for k in range(6)]
    control = lw.Controller(torques, sensors, names, every=period)
    for k, joint in enumerate(joints):
        m.add(f"motor {k}", lw.JointTorque(joint, control[f"torque {k}"]))
    return m


def error(laws: list, period: float) -> tuple[float, lw.Result]:
    """The largest difference of the joints' errors from their decay."""
    run = lw.transient(build(laws, period), t=TIME, h=period / 2, method=lw.Recursive(),
                       progress=False)  # fmt: skip
    decay = OFF * (1 + 10 * run.time) * np.exp(-10 * run.time)
    off = [run[f"joint {k}"].angle.values - law.values(run.time) - decay
           for k, law in enumerate(laws)]  # fmt: skip
    return float(np.abs(off).max()), run


def main(plot: bool = False) -> dict[str, float]:
    laws = path()
    coarse, _ = error(laws, 2e-3)
    fine, run = error(laws, 1e-3)
    assert fine < 5e-3, fine
    assert 1.7 < coarse / fine < 2.3, coarse / fine
    most = max(float(abs(run[f"motor {k}"].torque).max()) for k in range(6))
    tool = run["link 5"].position.values
    print(f"the joints keep to their decay within {fine:.1e} rad, with up to {most:.0f} N m; the "
          f"tool moved by {np.linalg.norm(tool[-1] - tool[0]):.2f} m")  # fmt: skip
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot(*(f"motor {k}.torque" for k in range(6)))
        plt.savefig("examples/output/computed_torque.png")
    return {"error": fine, "ratio": coarse / fine}


model = build()
time, step, method = TIME, 5e-4, lw.Recursive()  # for `linkwork run`


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
