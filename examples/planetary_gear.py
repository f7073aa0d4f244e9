"""A planetary gear: the sun drives, the ring is held, three planets share the load.

Wheels of 20, 20 and 60 teeth of module 5 mm.  All turns are joints on the carrier, and each mesh is
an lw.Gear between two of them; the ring stands still, so that the carrier's own bearing is its turn
seen from the carrier, backwards.  One planet would do: what the two others repeat is left out of
the equations, and reactions of least norm give each a third of the torque.

Reference (closed form): Willis' ratio i = 1 + z_ring/z_sun = 4 between sun and carrier, planets at
1 − z_ring/z_planet = −2 times the carrier, and with all inertias seen from the sun

    (J_sun + (J_carrier + 3 m a² + 3 · 2² J_planet)/i²) ω̇ = T − T_load/i
"""

import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

MODULE, SUN, PLANET, RING = 0.005, 20, 20, 60  # m; teeth
ARM = MODULE * (SUN + PLANET) / 2
TORQUE, LOAD = 2.0, 6.0  # N m, on the sun and against the carrier
STEEL = 7800.0  # kg/m³
Z = (0, 0, 1)


def build() -> lw.Model:
    """Sun, carrier and three planets; the ring is the ground."""
    m = lw.Model("planetary gear")
    plate = lw.Body.cylinder(1.1 * ARM, 0.01, position=(0, 0, -0.02), density=STEEL)
    carrier = m.add("carrier", plate)
    sun = m.add("sun", lw.Body.cylinder(MODULE * SUN / 2, 0.02, density=STEEL))
    bearing = m.add("bearing", lw.Revolute(lw.GROUND, carrier, at=(0, 0, 0), axis=Z))
    shaft = m.add("shaft", lw.Revolute(carrier, sun, at=(0, 0, 0), axis=Z))
    for k in range(3):
        angle = 2 * np.pi * k / 3
        at = ARM * np.array([np.cos(angle), np.sin(angle), 0])
        planet = m.add(f"planet {k}", lw.Body.cylinder(MODULE * PLANET / 2, 0.02, position=at,
                                                       density=STEEL))  # fmt: skip
        pin = m.add(f"pin {k}", lw.Revolute(carrier, planet, at=at, axis=Z))
        m.add(f"sun mesh {k}", lw.Gear(shaft, pin, -SUN / PLANET))
        m.add(f"ring mesh {k}", lw.Gear(bearing, pin, -RING / PLANET))
    m.add("drive", lw.Torque(sun, (0, 0, TORQUE)))
    m.add("load", lw.Torque(carrier, (0, 0, -LOAD)))
    return m


model = build()
time, step = 1, 1e-3  # seconds, for `linkwork run`
method = lw.Recursive()  # joint coordinates, in which a steady acceleration has no error


def main(plot: bool = False) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)  # two planets repeat the first
        run = lw.transient(model, t=time, h=step, method=method, progress=False)
    spin = {n: run[n].angular_velocity[:, 2].values for n in ("sun", "carrier", "planet 0")}
    J = {name: model[name].inertia[2, 2] for name in spin}
    ratio = 1 + RING / SUN
    mass = model["planet 0"].mass
    whole = J["sun"] + (J["carrier"] + 3 * mass * ARM**2 + 12 * J["planet 0"]) / ratio**2
    expected = (TORQUE - LOAD / ratio) / whole
    print(f"sun after {time} s: {spin['sun'][-1]:.4f} rad/s, closed form {expected * time:.4f}")
    assert np.allclose(spin["sun"], expected * run.time, rtol=0, atol=1e-9 * expected)
    assert np.allclose(spin["carrier"], spin["sun"] / ratio, rtol=0, atol=1e-8)
    assert np.allclose(spin["planet 0"], -2 * spin["carrier"], rtol=0, atol=1e-8)
    torques = [float(run[f"sun mesh {k}"].torque[-1, 2]) for k in range(3)]
    share = (TORQUE - J["sun"] * expected) / 3 * PLANET / SUN
    print(f"torque of the sun on each planet: {torques[0]:.4f} N m, a third is {-share:.4f}")
    assert np.allclose(torques, -share, rtol=1e-6)

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        figure, panel = plt.subplots(layout="constrained", figsize=(7, 4))
        for name, rate in spin.items():
            panel.plot(run.time, rate, label=name)
        panel.set(xlabel="time, s", ylabel="angular velocity, rad/s", title="Planetary gear 4 : 1")
        panel.legend()
        figure.savefig("examples/output/planetary_gear.png")
    return {"sun": float(spin["sun"][-1]), "torque": torques[0]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
