"""A series elastic actuator: a spring between motor and arm measures the torque that is controlled.

A geared motor is heavy (rotor J_m, friction b) and does not feel what it moves.  With a spring k
between it and the arm, the torque τ = k (θ − ψ) on the arm is known from the spring alone, and

    u = τ_d + K_p (τ_d − τ) − K_d τ̇                                          of the motor

makes it what is wanted.  Against a blocked arm the torque is that of an oscillator in closed form,

    J_m τ̈/k + (b/k + K_d) τ̇ + (1 + K_p) τ = (1 + K_p) τ_d

Free, the arm first swings as if no motor were there (τ_d = 0), and from t = 1.03 s on the motor
carries its weight (τ_d = m g l/2 sin ψ), so that it floats on with the speed that it has.  The load
jumps then, in the middle of a step.  Both runs are compared: the first with the closed form, the
second with J_m θ̈ = u − τ − b θ̇ and J ψ̈ = τ − m g l/2 sin ψ, integrated to 1e-11.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw

MASS, LENGTH, RADIUS, GRAVITY = 2.0, 0.6, 0.02, 9.81
ROTOR, FRICTION, SPRING = 0.5, 2.0, 400.0  # kg m², N m s, N m/rad, at the arm's side of the gear
KP, KD = 40.0, 0.3
BEGIN, FLOATS, WANTED = 0.5, 1.03, 10.0
WEIGHT = MASS * GRAVITY * LENGTH / 2
INERTIA = MASS * (3 * RADIUS**2 + LENGTH**2) / 12 + MASS * LENGTH**2 / 4


def servo(wanted: Any, torque: Any, torque_rate: Any) -> Any:
    """The motor's torque."""
    return wanted + KP * (wanted - torque) - KD * torque_rate


def build() -> lw.Model:
    m = lw.Model("series elastic actuator", gravity=(0, 0, -GRAVITY))
    disc = 2 * ROTOR / 0.08**2  # mass of a disc with this inertia
    rotor = m.add("rotor", lw.Body.link((0, -0.04, 0), (0, 0.04, 0), radius=0.08, mass=disc))
    tip = (LENGTH * math.sin(BEGIN), 0, -LENGTH * math.cos(BEGIN))
    arm = m.add("arm", lw.Body.link((0, 0, 0), tip, radius=RADIUS, mass=MASS))
    bearing = m.add("bearing", lw.Revolute(lw.GROUND, rotor, at=(0, 0, 0), axis=(0, -1, 0)))
    coupling = m.add("coupling", lw.Revolute(rotor, arm, at=(0, 0, 0), axis=(0, -1, 0)))
    spring = m.add("spring", lw.TorsionSpring(coupling, SPRING))
    m.add("rubbing", lw.JointTorque(bearing, -FRICTION * lw.reads(bearing, "rate")))
    angle = BEGIN + lw.reads(bearing, "angle") + lw.reads(coupling, "angle")
    wanted = lw.formula(f"step(t - {FLOATS}) * w * sin(a)", w=WEIGHT, a=angle)
    torque, torque_rate = lw.reads(spring, "torque"), -SPRING * lw.reads(spring, "rate")
    m.add("motor", lw.JointTorque(bearing, servo(wanted, torque, torque_rate)))
    return m


def blocked() -> lw.Model:
    """The rotor alone, whose spring ends at the ground."""
    m = lw.Model("blocked")
    rotor = m.add("rotor", lw.Body(1, (1, 1, ROTOR)))
    bearing = m.add("bearing", lw.Revolute(lw.GROUND, rotor, at=(0, 0, 0), axis=(0, 0, 1)))
    spring = m.add("spring", lw.TorsionSpring(bearing, SPRING))
    m.add("rubbing", lw.JointTorque(bearing, -FRICTION * lw.reads(bearing, "rate")))
    torque, torque_rate = -1 * lw.reads(spring, "torque"), SPRING * lw.reads(spring, "rate")
    m.add("motor", lw.JointTorque(bearing, servo(lw.constant(WANTED), torque, torque_rate)))
    return m


model = build()
time, step = 2.0, 1e-3  # for `linkwork run`


def closed_form(t: np.ndarray) -> np.ndarray:
    """The torque against a blocked arm."""
    a, b, c = ROTOR / SPRING, FRICTION / SPRING + KD, 1 + KP
    s = np.roots([a, b, c])
    part = (s[1] * np.exp(s[0] * t) - s[0] * np.exp(s[1] * t)) / (s[0] - s[1])
    return WANTED * (1 + part.real)


def minimal(times: np.ndarray) -> np.ndarray:
    """θ and ψ at the times, in two parts, before and behind the jump."""
    def rate(t: float, y: np.ndarray, floats: float) -> list[float]:
        theta, psi, w, v = y
        torque, torque_rate = SPRING * (theta - psi), SPRING * (w - v)
        wanted = floats * WEIGHT * math.sin(BEGIN + psi)
        u = wanted + KP * (wanted - torque) - KD * torque_rate
        gravity = WEIGHT * math.sin(BEGIN + psi)
        return [w, v, (u - torque - FRICTION * w) / ROTOR, (torque - gravity) / INERTIA]

    words = {"method": "DOP853", "dense_output": True, "rtol": 1e-11, "atol": 1e-12}
    first = solve_ivp(rate, (0, FLOATS), np.zeros(4), args=(0.0,), **words)
    last = solve_ivp(rate, (FLOATS, times[-1]), first.y[:, -1], args=(1.0,), **words)
    return np.where(times < FLOATS, first.sol(times), last.sol(times))[:2].T


def main(plot: bool = False) -> dict[str, float]:
    against = lw.transient(blocked(), t=0.5, h=2e-4, progress=False)
    off = np.abs(-against["spring"].torque.values - closed_form(against.time)).max()
    assert off < 2e-4 * WANTED

    runs = [lw.transient(build(), t=time, h=h, progress=False) for h in (step, step / 2)]
    errors = []
    for run in runs:
        theta, bend = run["bearing"].angle, run["coupling"].angle
        errors.append(np.abs(np.column_stack([theta, theta + bend]) - minimal(run.time)).max())
    order = float(np.log2(errors[0] / errors[1]))
    assert errors[0] < 2e-5 and 1.9 < order < 2.1, (errors, order)  # though the load jumps
    run = runs[0]
    speed = (run["bearing"].rate + run["coupling"].rate).values[run.time > FLOATS + 0.4]
    kept = float(speed[-1] / speed[0])  # friction counts 1/(1 + K_p) of itself
    alone = math.exp(-FRICTION / (ROTOR + INERTIA) * (time - FLOATS - 0.4))
    assert kept > 0.85 and alone < 0.25, (kept, alone)
    print(f"the torque follows its closed form to {off:.1e} N m; the free arm its equations to "
          f"{errors[0]:.1e} rad, order {order:.2f}; it floats, and keeps "
          f"{kept:.2f} of its speed in {time - FLOATS - 0.4:.2f} s")  # fmt: skip
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("coupling.angle", "spring.torque", "motor.torque")
        plt.savefig("examples/output/series_elastic_actuator.png")
    return {"order": order, "angle": float(errors[0]), "kept": kept}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
