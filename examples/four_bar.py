"""A four-bar linkage driven at constant speed, against the closed form of its rocker angle.

Crank AB turns once a second, coupler BC swings the rocker DC.  The motor leaves the mechanism no
freedom, so lw.kinematics finds every position, velocity and acceleration without integrating.

Reference: the triangle BDC.  With e = D - B, |e| and its direction from the crank angle, the law of
cosines gives the rocker angle, and projecting the velocities on the coupler gives its rate,
rate = ω a sin(φ - θ) / (c sin(ψ - θ)), for crank, coupler and rocker angles φ, θ, ψ.

The last pin is a PointOnLine, two rows: in space a fourth hinge would repeat what the other three
impose (see n_four_bar.py and door_on_three_hinges.py, where that is the point).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

GROUND_LINK, CRANK, COUPLER, ROCKER = 3.0, 1.0, 3.0, 2.5
SPEED = 2 * np.pi


def closed_form(crank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rocker angle and rate for crank angles."""
    B = CRANK * np.exp(1j * crank)
    e = B - GROUND_LINK
    at_D = np.arccos((ROCKER**2 + abs(e) ** 2 - COUPLER**2) / (2 * ROCKER * abs(e)))
    rocker = np.unwrap(np.angle(e)) - at_D
    coupler = np.angle(GROUND_LINK + ROCKER * np.exp(1j * rocker) - B)
    rate = SPEED * CRANK * np.sin(crank - coupler) / (ROCKER * np.sin(rocker - coupler))
    return rocker, rate


def build() -> lw.Model:
    angle = float(closed_form(np.zeros(1))[0][0])
    A, B, D = np.zeros(3), np.array([CRANK, 0, 0]), np.array([GROUND_LINK, 0, 0])
    C = D + ROCKER * np.array([np.cos(angle), np.sin(angle), 0])
    z = (0, 0, 1)
    m = lw.Model("four-bar", gravity=(0, -9.81, 0))
    crank = m.add("crank", lw.Body.link(A, B, radius=0.05, density=2700))
    coupler = m.add("coupler", lw.Body.link(B, C, radius=0.05, density=2700))
    rocker = m.add("rocker", lw.Body.link(D, C, radius=0.05, density=2700))
    m.add("A", lw.Motor(lw.GROUND, crank, at=A, axis=z, angle=lw.ramp(SPEED)))
    m.add("B", lw.Revolute(crank, coupler, at=B, axis=z))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=z))
    m.add("C", lw.PointOnLine(coupler, rocker, at=C, axis=z))
    return m


model = build()
time, step = 2, 0.005  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    run = lw.kinematics(model, t=2, h=0.005, progress=False)
    rocker, rate = closed_form(SPEED * run.time)
    angle_error = float(np.abs(run["D"].angle - (rocker - rocker[0])).max())
    rate_error = float(np.abs(run["D"].rate - rate).max())
    swing = float(np.ptp(run["D"].angle.values))
    print(f"the rocker swings through {np.degrees(swing):.4f}°")
    print(f"largest error of its angle {angle_error:.1e} rad, of its rate {rate_error:.1e} rad/s")
    assert angle_error < 1e-10
    assert rate_error < 1e-9

    # the motor's work over a turn: none, since the mechanism is where it was
    work = float(np.trapezoid(run["A"].power, run.time))
    print(f"work of the motor over two turns {work:.2e} J")
    assert abs(work) < 1e-6 * float(np.abs(run["A"].power).max())

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("D.angle", "A.power")
        plt.savefig("examples/output/four_bar.png")
    return {"angle error": angle_error, "rate error": rate_error, "swing": swing}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
