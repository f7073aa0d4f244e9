"""A DC servo drive lifts an arm: battery, motor with gear, sampled control, and a warm winding.

The motor's voltage comes from a controller in Python, called 200 times a second and limited to the
battery's 24 V; the battery has a resistance of its own, and its terminal is a node of a circuit.
With the arm's angle φ from the horizontal, the current i, the gear ratio N and the winding's
temperature T,

    (J + N² J_r) φ̈ = N k i − N² c φ̇ − m g l cos φ
    L di/dt = u − (R_b + R) i − N k φ̇,        C dT/dt = R i² − (T − T_air)/R_th

The arm is lifted by 90° within 1.2 s and held there.  The run is compared with these equations,
integrated to 1e-10 from sample to sample with the voltage held; what the battery supplies is found
again as heat, as lifted weight, and as energy of motion.
"""

import math
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw

MASS, LENGTH, GRAVITY = 3.0, 0.8, 9.81
GEAR, CONSTANT, RESISTANCE, INDUCTANCE, ROTOR, VISCOUS = 60.0, 0.045, 0.8, 4e-3, 2.4e-5, 2e-5
BATTERY, INNER, AIR, CAPACITY, COOLING = 24.0, 0.15, 293.0, 12.0, 4.0
PERIOD, LIFT, GOAL = 0.005, 1.2, math.pi / 2
RADIUS = 0.02
INERTIA = MASS * (3 * RADIUS**2 + LENGTH**2) / 12  # of a cylinder, across


def wanted(t: float) -> tuple[float, float]:
    """Angle and rate of a smooth lift."""
    s = min(t / LIFT, 1.0)
    rate = GOAL / LIFT * 30 * s**2 * (1 - s) ** 2 if s < 1 else 0.0
    return GOAL * s**3 * (10 - 15 * s + 6 * s**2), rate


def control(t: float, x: np.ndarray, memory: np.ndarray) -> float:
    """Voltage from angle and rate: what the motion needs, and PID with a limit and no windup."""
    angle, rate = wanted(t)
    error = angle - x[0]
    voltage = GEAR * CONSTANT * rate + 120 * error + 6 * (rate - x[1]) + memory[0]
    if abs(voltage) < BATTERY:
        memory[0] += PERIOD * 300 * error
    return min(max(voltage, -BATTERY), BATTERY)


def build() -> lw.Model:
    m = lw.Model("DC drive", gravity=(0, 0, -GRAVITY))
    arm = m.add("arm", lw.Body.link((0, 0, 0), (LENGTH, 0, 0), radius=RADIUS, mass=MASS))
    hinge = m.add("hinge", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=0.0))
    sensors = [lw.reads(hinge, "angle"), lw.reads(hinge, "rate")]
    servo = lw.Controller(control, sensors, ["voltage"], every=PERIOD, memory=[0.0])
    plus = m.add("terminal", lw.electric.Node())
    m.add("bridge", lw.electric.VoltageSource(plus, lw.GROUND, servo["voltage"], resistance=INNER))
    motor = m.add("motor", lw.DCMotor(
        hinge, plus, lw.GROUND, constant=CONSTANT, resistance=RESISTANCE, inductance=INDUCTANCE,
        gear=GEAR, inertia=ROTOR, damping=VISCOUS,
    ))  # fmt: skip
    winding = m.add("winding", lw.thermal.Temperature(AIR, capacitance=CAPACITY))
    air = m.add("air", lw.thermal.Ambient(AIR))
    m.add("cooling", lw.thermal.Resistance(winding, air, COOLING))
    current = lw.reads(motor, "current")
    m.add("heating", lw.thermal.HeatSource(winding, lw.formula("r*i*i", r=RESISTANCE, i=current)))
    return m


model = build()
time, step = 2.0, PERIOD / 20  # for `linkwork run`


def minimal(samples: int) -> np.ndarray:
    """φ, φ̇, i and T at the samples, from the equations above."""
    arm = INERTIA + MASS * LENGTH**2 / 4 + GEAR**2 * ROTOR
    y, memory, found = np.array([0.0, 0.0, 0.0, AIR]), np.zeros(1), []

    def rate(_: float, y: np.ndarray, u: float) -> list[float]:
        weight = MASS * GRAVITY * LENGTH / 2 * math.cos(y[0])
        torque = GEAR * CONSTANT * y[2] - GEAR**2 * VISCOUS * y[1] - weight
        slope = u - (INNER + RESISTANCE) * y[2] - GEAR * CONSTANT * y[1]
        heat = RESISTANCE * y[2] ** 2 - (y[3] - AIR) / COOLING
        return [y[1], torque / arm, slope / INDUCTANCE, heat / CAPACITY]

    for k in range(samples + 1):
        found.append(y)
        u = control(k * PERIOD, y[:2], memory)
        y = solve_ivp(rate, (0, PERIOD), y, args=(u,), rtol=1e-10, atol=1e-12).y[:, -1]
    return np.array(found)


def main(plot: bool = False) -> dict[str, float]:
    runs = [lw.transient(build(), t=time, h=h, progress=False) for h in (step, step / 2)]
    run, expected, errors = runs[0], minimal(round(time / PERIOD)), []
    for n, one in zip((20, 40), runs):
        found = np.column_stack([
            one["hinge"].angle, one["hinge"].rate, one["motor"].current, one["winding"].temperature
        ])[::n]  # fmt: skip
        errors.append(np.abs(found - expected).max(axis=0))
    assert np.all(errors[0] < [5e-7, 1e-5, 4e-4, 2e-6]), errors[0]
    order = float(np.log2(errors[0][0] / errors[1][0]))
    assert 1.9 < order < 2.1, order  # though the voltage jumps at every sample
    assert abs(float(run["hinge"].angle[-1]) - GOAL) < 2e-3
    assert np.abs(run["bridge"].voltage).max() <= BATTERY
    supplied = float(run.energy.supplied[-1])
    assert np.abs(run.energy.balance).max() < 1e-4 * supplied
    warmer, peak = float(run["winding"].temperature[-1]) - AIR, float(run["motor"].current.max())
    print(f"the arm is {math.degrees(abs(float(run['hinge'].angle[-1]) - GOAL)):.3f}° from upright "
          f"after {time:g} s; up to {peak:.1f} A, {supplied:.0f} J from the battery, the winding "
          f"{warmer:.1f} K warmer; order {order:.2f}")  # fmt: skip
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("hinge.angle", "bridge.voltage", "motor.current", "winding.temperature")
        plt.savefig("examples/output/dc_drive.png")
    return {"order": order, "angle": float(errors[0][0]), "kelvin": warmer}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
