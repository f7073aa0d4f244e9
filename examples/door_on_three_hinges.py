"""A door on three hinges: ten of fifteen constraint rows repeat others, and it just runs.

One hinge holds a rigid door; the other two repeat it.  The motion is the same as on one hinge.
How three rigid hinges share the load, rigid bodies cannot tell: linkwork warns once, naming them,
and gives the reactions of least norm.  Their sum is unique, and that is what is asserted: Newton's
and Euler's equations of the door turning at constant rate ω (radius c of its centre of mass),

    Σ F = m g ẑ - m ω² c r̂,      Σ (p × F + T) = c × (m g ẑ - m ω² c r̂) about the origin.

By symmetry the least norm gives every hinge a third of the weight.
"""

import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

MASS, WIDTH, HEIGHT, RATE, GRAVITY = 20.0, 0.9, 2.1, 1.5, 9.81
HINGES = {"lower": 0.3, "middle": 1.05, "upper": 1.8}  # heights, m


def build(hinges: dict[str, float] = HINGES) -> lw.Model:
    m = lw.Model("door", gravity=(0, 0, -GRAVITY))
    door = m.add("door", lw.Body.box(
        (WIDTH, 0.04, HEIGHT), mass=MASS, position=(WIDTH / 2, 0, HEIGHT / 2)))  # fmt: skip
    for name, z in hinges.items():
        rate = RATE if name == "lower" else None
        m.add(name, lw.Revolute(lw.GROUND, door, at=(0, 0, z), axis=(0, 0, 1), rate=rate))
    return m


model = build()
time, step = 1, 0.001  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", lw.LinkworkWarning)
        run = lw.transient(build(), t=1, h=1e-3, progress=False)
    said = [str(w.message) for w in heard if issubclass(w.category, lw.LinkworkWarning)]
    for sentence in said:
        print(sentence)
    assert any("upper" in sentence for sentence in said)

    alone = lw.transient(build({"lower": 0.3}), t=1, h=1e-3, progress=False)
    differs = float(np.abs(run["door"].position - alone["door"].position).max())
    print(f"the door on one hinge moves the same within {differs:.1e} m")
    assert differs < 1e-9

    force = {name: run[name].force_world.values[-1] for name in HINGES}
    torque = {name: run[name].torque_world.values[-1] for name in HINGES}
    centre = run["door"].position.values[-1]
    outward = np.array([centre[0], centre[1], 0])
    total = np.array([0, 0, MASS * GRAVITY]) - MASS * RATE**2 * outward
    moment = sum(np.cross((0, 0, z), force[n]) + torque[n] for n, z in HINGES.items())
    for name, f in force.items():
        print(f"{name:6} hinge: force {f.round(3)} N, torque {torque[name].round(3)} N m")
    assert np.allclose(sum(force.values()), total, rtol=0, atol=1e-3)
    assert np.allclose(moment, np.cross(centre, total), rtol=0, atol=1e-3)
    assert np.allclose([f[2] for f in force.values()], MASS * GRAVITY / 3, rtol=0, atol=1e-3)

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("lower.force", "upper.force", "lower.torque")
        plt.savefig("examples/output/door_on_three_hinges.png")
    return {"differs": differs, "vertical": float(sum(f[2] for f in force.values()))}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
