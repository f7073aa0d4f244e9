"""An excavator's arm: three cylinders, three valves, one pump.

Boom, stick and bucket turn about horizontal pins.  A pump of constant flow feeds a line; a relief
valve guards it; three four-way valves let fluid to the cylinders, first to raise the boom, then to
pull the stick in, then to turn the bucket, and close again.  Check valves from the tank keep the
chambers from cavitating.  The fluid is elastic, so the arm rings on its oil when a valve closes.

Checked: when everything stands still again the boom's cylinder carries the moment of all weights
about the boom's pin (a balance of moments that knows nothing of the simulation), the energy account
of pump, losses, fluid and weights is closed, and the run is faster than the machine.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

H = lw.hydraulics
OIL = H.Fluid(density=860, bulk_modulus=1.3e9, viscosity=0.03, reference_pressure=1e5)
PIN, BOOM_END, STICK_END, TEETH = (0, 0, 1.0), (4.5, 0, 3.0), (6.5, 0, 0.8), (7.0, 0, 0.0)
REAR = (3.962, 0, 3.592)  # of the stick, behind its pin
FOOT = (0.5, 0, 0.4)  # of the boom's cylinder
AXIS = (0, 1, 0)


def moves(start: float, end: float, opening: float) -> object:
    """A valve that opens within 0.2 s, and closes within 0.2 s before `end`."""
    times = [0.0, start, start + 0.2, end - 0.2, end, 10.0]
    return lw.table(times, [0, 0, opening, opening, 0, 0], kind="linear")


def build() -> lw.Model:
    m = lw.Model("excavator", gravity=(0, 0, -9.81))
    boom = m.add("boom", lw.Body.link(PIN, BOOM_END, radius=0.2, mass=1500))
    stick = m.add("stick", lw.Body.link(REAR, STICK_END, radius=0.15, mass=600))
    bucket = m.add("bucket", lw.Body.link(STICK_END, TEETH, radius=0.25, mass=500))
    m.add("boom pin", lw.Revolute(lw.GROUND, boom, at=PIN, axis=AXIS))
    m.add("stick pin", lw.Revolute(boom, stick, at=BOOM_END, axis=AXIS))
    m.add("bucket pin", lw.Revolute(stick, bucket, at=STICK_END, axis=AXIS))

    tank = m.add("tank", H.Tank(OIL, pressure=1e5))
    line = m.add("line", H.Pressure(OIL, 2e7, volume=3e-3))
    m.add("pump", H.Pump(tank, line, flow=2.5e-3))
    m.add("relief", H.ReliefValve(line, tank, crack=2.2e7, full=2.5e7, area=8e-5))
    for name, ends, points, bore, rod, closed, stroke, pressures, opening in (
        ("boom", (lw.GROUND, boom), (FOOT, (2.25, 0, 2.0)), 0.14, 0.09, 1.7, 1.3,
         (8.6e6, 1.0e6), moves(0.5, 2.0, 0.8)),
        ("stick", (boom, stick), ((2.0, 0, 2.6), REAR), 0.10, 0.06, 1.5, 1.3,
         (1.0e6, 5.6e6), moves(2.0, 3.5, 0.6)),
        ("bucket", (stick, bucket), ((5.2, 0, 2.6), (6.85, 0, 0.95)), 0.08, 0.05, 1.6, 1.1,
         (1.0e6, 2.8e6), moves(3.0, 4.0, -0.5)),
    ):  # fmt: skip
        base = m.add(f"{name} base side", H.Pressure(OIL, pressures[0], volume=2e-4))
        rod_side = m.add(f"{name} rod side", H.Pressure(OIL, pressures[1], volume=2e-4))
        m.add(f"{name} valve", H.Valve(
            line, base, rod_side, tank, area=6e-5, opening=opening, leakage=0.0
        ))  # fmt: skip
        for side in (base, rod_side):  # fluid from the tank where a chamber would cavitate
            m.add(f"check of {side.name}", H.CheckValve(tank, side, 5e3, 2e4, area=3e-4))
        m.add(f"{name} cylinder", H.Cylinder(
            *ends, base, rod_side, at_a=points[0], at_b=points[1], bore=bore, rod=rod,
            closed=closed, stroke=stroke, dead_volume=1e-4, ambient=1e5, coulomb=500.0,
            stribeck=0.05, viscous=4e4,
        ))  # fmt: skip
    return m


model = build()
time, step = 8, 1e-3  # seconds, for `linkwork run`


def carried(run: lw.Result) -> float:
    """Force of the boom's cylinder (N) by the moments of all weights about the boom's pin."""
    weights = {"boom": 1500, "stick": 600, "bucket": 500}
    moment = sum(9.81 * m * run[name].position.values[-1, 0] for name, m in weights.items())
    start = model["boom cylinder"].frames[1].position
    end = run["boom"].point(start).values[-1]
    way = end - np.array(FOOT)
    way /= np.linalg.norm(way)
    arm = (end[0] - PIN[0]) * way[2] - (end[2] - PIN[2]) * way[0]
    return float(moment / arm)


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    cylinder = run["boom cylinder"]
    force, expected = cylinder.force.values, carried(run)
    raised = run["bucket"].position.values[:, 2]
    print(f"bucket from {raised[0]:.2f} m to {raised.max():.2f} m above ground")
    print(f"boom cylinder {force[-1] / 1e3:.1f} kN, by moments {expected / 1e3:.1f} kN")
    assert raised.max() > raised[0] + 0.5
    assert abs(force[-1] - expected) < 1e-3 * expected  # what is left of the ringing

    energy = run.energy
    supplied, lost = (float(energy[x].values[-1]) for x in ("supplied", "dissipated"))
    error = float(np.abs(energy["balance"].values).max())
    print(f"supplied {supplied / 1e3:.1f} kJ, lost {lost / 1e3:.1f} kJ, imbalance {error:.1f} J")
    assert error < 1e-4 * supplied
    line = run["line"].pressure.values
    assert line.max() < 2.5e7

    # a second run: the first may have had to compile; processor time: others may use it, too
    took = float(lw.transient(model, t=2, h=step, progress=False).info["cpu_seconds"])
    print(f"2 s of motion in {took:.2f} s: {2 / took:.1f} times real time")
    assert took < 2

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.draw_circuit(time=1.5)
        plt.savefig("examples/output/excavator.png")
    return {"force": float(force[-1]), "by moments": expected, "imbalance": error / supplied}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
