"""A wind turbine in a gust: shear of the wind, a rotor with three blades, a generator.

The rotor of 10 m radius turns a generator whose torque grows with the square of the speed, k ω².
It stands in wind of 9 m/s at the hub that grows with the height (power law, exponent 0.2).  After
six seconds a gust of 5 m/s passes.  The blades slow the wind down: the mean induced velocity is
that of momentum theory.

Checks: T = 2 ρ A u (V − u); the power coefficient stays below Betz' limit 16/27; what the generator
takes and what the rotor stores is the work of the air.
"""

import math
from pathlib import Path

import numpy as np

import linkwork as lw

RADIUS, HUB, BLADES, WIND, RHO = 10.0, 30.0, 3, 9.0, 1.225
INERTIA, GENERATOR = 20e3, 520.0  # kg m², N m s²
START = 6.3  # rad/s
AREA = math.pi * RADIUS**2
time, step = 16.0, 0.02  # seconds


def build() -> lw.Model:
    m = lw.Model("wind turbine")
    shear = lw.WindProfile((WIND, 0, 0), height=HUB, exponent=0.2)
    gust = lw.OneMinusCosine((5.0, 0, 0), length=30.0, speed=WIND, start=6.0)
    m.air = lw.Air(density=RHO, gusts=[shear, gust])
    centre = np.array([0.0, 0.0, HUB])
    hub = m.add("hub", lw.Body(
        1500, (INERTIA, INERTIA / 2, INERTIA / 2), centre, angular_velocity=(START, 0, 0),
        velocity=(0, 0, 0),
    ))  # fmt: skip
    shaft = m.add("shaft", lw.Revolute(lw.GROUND, hub, at=centre, axis=(1, 0, 0), rate=START))
    rate = lw.reads(shaft, "rate")
    m.add("generator", lw.JointTorque(shaft, -GENERATOR * rate * rate))
    rotor = m.add("rotor", lw.Rotor(hub, radius=RADIUS, speed=START, axis=(1, 0, 0)))
    for k in range(BLADES):
        psi = 2 * math.pi * k / BLADES
        out = np.array([0.0, math.cos(psi), math.sin(psi)])
        ahead = np.array([0.0, -math.sin(psi), math.cos(psi)])
        m.add(f"blade {k + 1}", lw.LiftingSurface(
            hub, [(0, 1.1), (1, 0.4)], lw.Airfoil.naca0012(), centre + 1.5 * out,
            centre + RADIUS * out, forward=ahead, up=(1, 0, 0), points=10, inflow=rotor,
            twist=[(0, -0.42), (0.3, -0.2), (1, -0.05)],
        ))  # fmt: skip
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    rotor = run["rotor"]
    T, u = rotor.thrust.values, rotor.inflow_mean.values
    V = np.abs(rotor.air_speed.values)
    speed = run["shaft"].rate.values
    shaft_power = np.sum([run[f"blade {k + 1}"].power.values for k in range(BLADES)], axis=0)
    calm = int(5.0 / step)
    coefficient = shaft_power[calm] / (0.5 * RHO * AREA * V[calm] ** 3)
    taken = np.trapezoid(GENERATOR * speed**3, run.time)
    stored = 0.5 * INERTIA * (speed[-1] ** 2 - speed[0] ** 2)
    work = np.trapezoid(shaft_power, run.time)
    peak = float(shaft_power.max())
    print(f"before the gust {speed[calm]:.2f} rad/s, {shaft_power[calm] / 1e3:.1f} kW, "
          f"c_P = {coefficient:.3f}; at its peak {peak / 1e3:.1f} kW")  # fmt: skip
    np.testing.assert_allclose(T[1:], 2 * RHO * AREA * u[1:] * np.abs(V[1:] - u[1:]), rtol=1e-6)
    assert 0.25 < coefficient < 16 / 27
    assert abs((taken + stored) / work - 1) < 1e-3
    assert peak > 1.5 * shaft_power[calm]
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(2, 1, sharex=True, layout="constrained")
        axes[0].plot(run.time, V)
        axes[0].set(ylabel="wind at the hub (m/s)", title=model.name)
        axes[1].plot(run.time, shaft_power / 1e3)
        axes[1].set(xlabel="time (s)", ylabel="power of the air (kW)")
        plt.savefig("examples/output/wind_turbine.png")
    return {"power": float(shaft_power[calm]), "coefficient": float(coefficient), "peak": peak}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
