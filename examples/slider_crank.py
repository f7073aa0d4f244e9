"""A slider-crank at 3000 rpm: piston motion, driving torque and guide force from the textbook.

Crank r = 50 mm, connecting rod l = 160 mm.  The rod has exactly the inertia of two point masses at
its pins (the usual idealisation of engine balancing), so everything has a closed form in the crank
angle φ:

    x = r cos φ + √(l² - r² sin²φ),     ẍ = ω² x″,     a(0) = -r ω² (1 + r/l)
    driving torque  M = m ẍ x′,         m: piston and the rod's mass at its pin
    force of the cylinder wall on the piston  N = m ẍ tan β,    sin β = r/l sin φ
"""

from pathlib import Path

import numpy as np

import linkwork as lw

R, L, SPEED = 0.050, 0.160, 100 * np.pi
PISTON, BIG_END, SMALL_END = 0.6, 0.5, 0.2  # kg


def build() -> lw.Model:
    x, z = (1, 0, 0), (0, 0, 1)
    mass = BIG_END + SMALL_END
    centre = L * SMALL_END / mass  # from the crank pin
    inertia = BIG_END * centre**2 + SMALL_END * (L - centre) ** 2
    m = lw.Model("slider-crank")
    crank = m.add("crank", lw.Body(2, (1e-3, 1e-3, 2e-3)))
    rod = m.add("rod", lw.Body(mass, (0, inertia, inertia), position=(R + centre, 0, 0)))
    piston = m.add("piston", lw.Body(PISTON, (1e-3, 1e-3, 1e-3), position=(R + L, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=z, angle=lw.ramp(SPEED)))
    m.add("crank pin", lw.Revolute(crank, rod, at=(R, 0, 0), axis=z))
    m.add("piston pin", lw.PointOnLine(rod, piston, at=(R + L, 0, 0), axis=z))
    m.add("cylinder", lw.Prismatic(lw.GROUND, piston, at=(R + L, 0, 0), axis=x))
    return m


model = build()
time, step = 0.04, 5e-05  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    turn = 2 * np.pi / SPEED
    run = lw.kinematics(model, t=turn, h=turn / 360, progress=False)

    phi = SPEED * run.time
    s, c = R * np.sin(phi), R * np.cos(phi)
    root = np.sqrt(L**2 - s**2)
    x, x1 = c + root, -s - s * c / root
    x2 = -c - (c**2 - s**2) / root - s**2 * c**2 / root**3
    m = PISTON + SMALL_END
    torque, wall = m * SPEED**2 * x2 * x1, m * SPEED**2 * x2 * s / root

    errors = {
        "position": np.abs(run["piston"].position.sel(xyz="x") - x),
        "acceleration": np.abs(run["piston"].acceleration.sel(xyz="x") / SPEED**2 - x2),
        "torque": np.abs(run["motor"].torque_world.sel(xyz="z") - torque) / np.abs(torque).max(),
        "wall force": np.abs(run["cylinder"].force_world.sel(xyz="y") - wall) / np.abs(wall).max(),
    }
    worst = {name: float(e.max()) for name, e in errors.items()}
    top = float(run["piston"].acceleration.sel(xyz="x")[0])
    print(f"acceleration at the top {top:.3f} m/s², textbook {-R * SPEED**2 * (1 + R / L):.3f}")
    print(f"largest driving torque {float(run['motor'].torque_world.max()):.3f} N m")
    for name, error in worst.items():
        print(f"largest error of the {name}: {error:.1e}")
    assert abs(top + R * SPEED**2 * (1 + R / L)) < 1e-8 * abs(top)
    assert all(error < 1e-9 for error in worst.values())

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("piston.acceleration.x", "motor.torque_world.z", "cylinder.force_world.y")
        plt.savefig("examples/output/slider_crank.png")
    return {"acceleration at the top": top, **worst}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
