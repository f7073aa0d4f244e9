"""A helicopter rotor in forward flight, trimmed by collective and cyclic pitch.

Four rigid blades hinged to flap turn with 40 rad/s and fly at 40 m/s.  The blade that advances into
the wind would lift more than the one that retreats; flapping and the cyclic pitch

    θ(ψ) = θ₀ + θ_c cos ψ + θ_s sin ψ

balance the disc.  `lw.trim` finds the three pitch angles for a thrust of 20 kN without moments on
the hub.  The induced velocity is that of Pitt and Peters' dynamic inflow.

Checks: the mean inflow is that of momentum theory, 2 ρ A u √(V² + (u − v)²) = T; the power is more
than the induced one, T u; the blades cone by the angle of lift against centrifugal force.
"""

import math
from pathlib import Path

import numpy as np

import linkwork as lw

RADIUS, HINGE, CHORD, BLADES = 6.0, 0.3, 0.35, 4
SPEED, FLIGHT, THRUST, RHO = 40.0, 40.0, 20e3, 1.225
MASS = 6.0  # kg/m of blade
TURN = 2 * math.pi / SPEED
time, step = 8 * TURN, TURN / 90  # seconds


def build(pitch=(0.14, 0.02, -0.05)) -> lw.Model:
    m = lw.Model("rotor in forward flight")
    m.air = lw.Air(density=RHO, velocity=(FLIGHT, 0, 0))
    hub = m.add("hub", lw.Body(80, (4, 4, 8), shape=lw.Body.cylinder(0.25, 0.3, density=100).shape))
    m.add("mast", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(SPEED)))
    rotor = m.add("rotor", lw.Rotor(hub, radius=RADIUS, speed=SPEED, model="dynamic"))
    mean, cosine, sine = (float(x) for x in pitch)
    length = RADIUS - HINGE
    for k in range(BLADES):
        psi = 2 * math.pi * k / BLADES
        out = np.array([math.cos(psi), math.sin(psi), 0.0])
        ahead = np.array([-math.sin(psi), math.cos(psi), 0.0])
        inertia = MASS * length**3 / 12
        axes = np.column_stack([out, ahead, (0, 0, 1)])
        blade = m.add(f"blade {k + 1}", lw.Body(
            MASS * length, (0.02, inertia, inertia), (HINGE + length / 2) * out, orientation=axes,
            velocity=SPEED * (HINGE + length / 2) * ahead, angular_velocity=(0, 0, SPEED),
        ))  # fmt: skip
        m.add(f"flap {k + 1}", lw.Revolute(hub, blade, at=HINGE * out, axis=-ahead))
        cyclic = cosine * lw.sine(1, SPEED / (2 * math.pi), psi + math.pi / 2) + sine * lw.sine(
            1, SPEED / (2 * math.pi), psi
        )
        m.add(f"airfoil {k + 1}", lw.LiftingSurface(
            blade, CHORD, lw.Airfoil.naca0012(), 1.0 * out, RADIUS * out, forward=ahead,
            twist=[(0, 0.08), (1, -0.06)], control=mean + cyclic, inflow=rotor, points=8,
            tip_loss=lambda s: 1.0 if s < 0.97 else 0.0,
        ))  # fmt: skip
    return m


model = build()


def main(plot: bool = False) -> dict[str, float]:
    wanted = {"rotor.thrust": THRUST, "rotor.torque.x": 0.0, "rotor.torque.y": 0.0}
    found = lw.trim(build, wanted, (0.14, 0.02, -0.05), t=time, h=step, period=TURN,
                    tolerance=1e-3, progress=False)  # fmt: skip
    run = found.run
    rotor, last = run["rotor"], run.time > time - TURN
    T, u = (float(x.values[last].mean()) for x in (rotor.thrust, rotor.inflow_mean))
    power = float(rotor.power.values[last].mean())
    momentum = 2 * RHO * math.pi * RADIUS**2 * u * math.hypot(FLIGHT, u)
    cone = float(np.mean([run[f"flap {k + 1}"].angle.values[last].mean() for k in range(BLADES)]))
    pitch = ", ".join(f"{math.degrees(x):.2f}°" for x in found.controls)
    print(f"collective and cyclic pitch {pitch}")
    print(f"thrust {T / 1e3:.2f} kN, mean inflow {u:.2f} m/s, power {power / 1e3:.0f} kW, cone "
          f"{math.degrees(cone):.2f}°")  # fmt: skip
    assert abs(T / THRUST - 1) < 2e-3
    assert abs(momentum / T - 1) < 0.01
    assert power > T * u
    assert 0.02 < cone < 0.12
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        rotor.plot_inflow()
        plt.savefig("examples/output/helicopter_rotor.png")
    return {"thrust": T, "inflow": u, "power": power}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
