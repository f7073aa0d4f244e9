"""A disc slides and spins on a table: both end at the same time, and spin makes it slide further.

A puck of radius R is pushed with v and spun with ω.  Friction is Coulomb's under even pressure.  In
the joint, force and torque share one limit, an ellipsoid (Howe and Cutkosky 1996) whose radius
r = 2R/3 gives the right torque of spinning alone:

    v̇ = −μ g v/s,   ω̇ = −λ μ g ω/s,   s² = v² + (r ω)²,   λ = m r²/J = 8/9

So ω ~ v^λ all the way: neither ends before the other.  That is also true of the disc itself, which
Z. Farkas, G. Bartels, T. Unger, D. E. Wolf (Phys. Rev. Lett. 90, 2003) have solved: with friction
summed over its face, v/(R ω) tends to 0.653 from any start.  The ellipsoid does not have that limit
(its v/ω goes with v^(1/9)), and it brakes a disc that does both too much: here the way is 12 %
short and the time 5 %, where forgetting the spin would make them 49 % and 47 % short.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw

MASS, R, MU, GRAVITY = 0.16, 0.04, 0.2, 9.81
RADIUS, LAMBDA = 2 * R / 3, 8 / 9
PUSH, SPIN = 1.2, 60.0  # m/s, rad/s


def build(push: float = PUSH, spin: float = SPIN) -> lw.Model:
    """A puck on the plane z = 0, pushed along a diagonal."""
    m = lw.Model("sliding disc", gravity=(0, 0, -GRAVITY))
    J = MASS * R * R / 2
    puck = m.add("puck", lw.Body(
        MASS, (J / 2, J / 2, J), velocity=np.array([0.8, 0.6, 0.0]) * push,
        angular_velocity=(0, 0, spin)))  # fmt: skip
    table = m.add("table", lw.Planar(lw.GROUND, puck, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("friction", lw.Friction(table, lw.Coulomb(MU, damping=200.0), radius=RADIUS))
    return m


model = build()
time, step = 1.2, 5e-4  # seconds, for `linkwork run`


def travel(push: float, spin: float) -> tuple[float, float, lw.Result]:
    """The way (m) to rest, when it ends (s), and the run."""
    run = lw.transient(build(push, spin), t=1.2, h=5e-4, progress=False)
    speed = run["friction"].speed.values
    end = float(run.time[np.argmax(speed < 2e-3)])
    return float(np.linalg.norm(run["puck"].position[-1])), end, run


def summed(push: float, spin: float) -> tuple[float, float, float]:
    """Way, time and the last v/(R ω) of the disc itself: friction summed over its face."""
    x, w = np.polynomial.legendre.leggauss(40)
    rho, angle = (1 + x) / 2 * R, (np.arange(80) + 0.5) / 80 * 2 * np.pi
    P, A = np.meshgrid(rho, angle, indexing="ij")
    part = (w * rho)[:, None] * np.ones_like(A) / (w @ rho) / len(angle)  # of the area

    def rates(t: float, y: np.ndarray) -> list[float]:
        v, spin = y[1], y[2]
        along, across = v - spin * P * np.sin(A), spin * P * np.cos(A)
        size = np.hypot(along, across)
        force = np.sum(part * along / size)
        torque = np.sum(part * P * (across * np.cos(A) - along * np.sin(A)) / size)
        return [v, -MU * GRAVITY * force, -MU * GRAVITY * torque / (R * R / 2)]

    def rest(t: float, y: np.ndarray) -> float:
        return np.hypot(y[1], RADIUS * y[2]) - 1e-4

    rest.terminal = True  # type: ignore[attr-defined]
    solved = solve_ivp(rates, (0, 3), [0, push, spin], events=rest, rtol=1e-7, atol=1e-9)
    v, spin = solved.y[1:, -1]
    return float(solved.y[0, -1]), float(solved.t[-1]), float(v / (R * spin))


def main(plot: bool = False) -> dict[str, float]:
    way, end, run = travel(PUSH, SPIN)
    plain, soon, _ = travel(PUSH, 0.0)
    print(f"it slides {way:.3f} m in {end:.3f} s; without spin {plain:.3f} m in {soon:.3f} s")
    assert abs(plain - PUSH**2 / (2 * MU * GRAVITY)) < 2e-3 * plain
    assert abs(soon - PUSH / (MU * GRAVITY)) < 3e-3
    assert way > 1.2 * plain

    v = np.linalg.norm(run["puck"].velocity, axis=1)
    w = run["puck"].angular_velocity[:, 2].values
    both = (v > 0.01) & (w > 0.5)
    law = w[both] / SPIN / (v[both] / PUSH) ** LAMBDA
    print(f"ω ~ v^(8/9) within {np.abs(law - 1).max():.1e} until both end")
    assert np.abs(law - 1).max() < 0.02

    true_way, true_end, ratio = summed(PUSH, SPIN)
    print(f"the disc itself, summed over its face: {true_way:.3f} m in {true_end:.3f} s, and at "
          f"the end v/(R ω) = {ratio:.3f}")  # fmt: skip
    assert abs(ratio - 0.653) < 0.005
    assert 0.85 < way / true_way < 0.90 and 0.94 < end / true_end < 0.96
    assert plain < 0.52 * true_way and soon < 0.54 * true_end

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(2, sharex=True, figsize=(6.4, 5.2), layout="constrained")
        axes[0].plot(run.time, v, label="slides: v")
        axes[0].plot(run.time, R * w, label="spins: R ω")
        axes[0].plot(run.time, np.maximum(PUSH - MU * GRAVITY * run.time, 0), "--", color="0.6",
                     label="v without spin")  # fmt: skip
        axes[0].set_ylabel("speed (m/s)")
        axes[0].legend()
        force = np.linalg.norm(run["friction"].force, axis=1)
        torque = np.abs(run["friction"].torque[:, 2])
        axes[1].plot(run.time, force, label="force F")
        axes[1].plot(run.time, torque / RADIUS, label="torque over r, M/r")
        axes[1].plot(run.time, np.hypot(force, torque / RADIUS), "--", color="0.6",
                     label="√(F² + (M/r)²)")  # fmt: skip
        axes[1].set_ylabel("friction (N)")
        axes[1].set_xlabel("time (s)")
        axes[1].legend()
        plt.savefig("examples/output/sliding_disc.png")
    return {"way": way, "end": end, "summed way": true_way, "summed end": true_end}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
