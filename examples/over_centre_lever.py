"""An over-centre lever flips between its two limits, as a switch does.

A spring from the ground below the pin to the end of the lever is longest where the lever stands
upright: it presses the lever against one of the limits of the joint, Revolute(..., limits=(-0.6,
0.6)).  A short push turns the lever over the centre, and it rests at the other limit.

References: the rate at which it arrives, by the energy U of the spring, ½ J ω² = U(−0.3) − U(φ);
and at rest the torque of the stop balances that of the spring, −dU/dφ.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LENGTH, BELOW, STIFFNESS, FREE = 0.2, 0.08, 2000.0, 0.2  # m, m, N/m, m
LIMIT, PUSH = 0.6, 12.0  # rad, N m
time, step = 1.2, 2e-4  # s


def spring_energy(angle: float) -> float:
    """Energy of the spring, from below the pin to the end of the lever (J)."""
    length = np.hypot(LENGTH * np.sin(angle), BELOW + LENGTH * np.cos(angle))
    return 0.5 * STIFFNESS * (length - FREE) ** 2


def build(start: float = -0.3) -> lw.Model:
    m = lw.Model("over-centre lever", planar="xz")
    lever = m.add("lever", lw.Body.link((0, 0, 0), (0, 0, LENGTH), radius=0.01, density=2700))
    pin = m.add("pin", lw.Revolute(lw.GROUND, lever, at=(0, 0, 0), axis=(0, 1, 0), angle=start,
                                   limits=(-LIMIT, LIMIT)))  # fmt: skip
    m.add("spring", lw.Spring(lw.GROUND, lever, at_a=(0, 0, -BELOW), at_b=(0, 0, LENGTH),
                              stiffness=STIFFNESS, length=FREE))  # fmt: skip
    push = lw.table([0, 0.5, 0.51, 0.6, 0.61, time], [0, 0, PUSH, PUSH, 0, 0], kind="linear")
    m.add("finger", lw.JointTorque(pin, push))
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    run = lw.transient(model, t=time, h=step, progress=False)
    angle, rate = run["pin"].angle.values, run["pin"].rate.values
    lever = model["lever"]
    inertia = lever.inertia[1, 1] + lever.mass * (LENGTH / 2) ** 2  # about the pin
    k = int(np.argmax(angle < -LIMIT)) - 1  # the last step before the limit
    arrives = float(rate[k])
    exact = -np.sqrt(2 * (spring_energy(-0.3) - spring_energy(angle[k])) / inertia)
    last, small = float(angle[-1]), 1e-6
    pulls = -(spring_energy(last + small) - spring_energy(last - small)) / (2 * small)
    holds = float(run["pin_stop"].torque[-1])
    print(f"arrives at the limit with {arrives:.3f} rad/s, by the spring's energy {exact:.3f}")
    print(f"rests at {angle[int(0.5 / step)]:.4f} rad, after the push at {last:.4f} rad")
    print(f"the stop holds it with {holds:.4f} N m against {pulls:.4f} N m of the spring")
    assert abs(arrives / exact - 1) < 1e-4  # second order, 130 steps
    assert abs(holds + pulls) < 1e-3 * pulls and 0 < last - LIMIT < 0.02 * 2 * LIMIT
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("pin.angle", "pin_stop.torque")
        plt.savefig("examples/output/over_centre_lever.png")
    return {"arrives": arrives, "rests": last, "holds": holds}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
