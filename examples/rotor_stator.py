"""A rotor in an elastically held stator: spin splits the tilting frequencies.

A rotor of 1300 kg on a shaft turns in a stator of 200 kg that rests on a bushing.  At rest tilting
about x and about y are the same; turning at 1 rad/s, gyroscopic moments split them into backward
and forward whirl.  Eigenvalues are taken about the spinning state: linkwork linearises in world
axes, in which the equations of a round rotor have constant coefficients.

Reference (recomputed independently from the full definition; docs/references.md, section 2):
-0.00654268 ± 3.31861819i backward and -0.00958199 ± 4.86019624i forward at 1 rad/s,
-0.00806233 ± 4.01554495i, twice, at rest.
"""

from pathlib import Path

import numpy as np

import linkwork as lw


def build(spin: float = 1.0) -> lw.Model:
    """Rotor and stator; spin in rad/s."""
    m = lw.Model("rotor and stator")
    stator = m.add("stator", lw.Body(200, (50, 50, 10), angular_velocity=(0, 0, 0)))
    rotor = m.add("rotor", lw.Body(1300, (500, 500, 1000), position=(0, 0, 0.75)))
    m.add("shaft", lw.Revolute(stator, rotor, at=(0, 0, 0), axis=(0, 0, 1), rate=spin))
    m.add("mount", lw.Bushing(
        lw.GROUND, stator, at=(0, 0, 0), stiffness=(1e3, 1e3, 1e3, 1e4, 1e4, 1e5),
        damping=(1, 1, 1, 10, 10, 100)))  # fmt: skip
    return m


model = build()
time, step = 20, 0.01  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, complex]:
    rest, spinning = lw.eigen(build(0)), lw.eigen(build(1))
    print(f"at 1 rad/s: {spinning}")
    tilt = rest.eigenvalues[4:6]  # after the free spin, two swaying and one axial mode
    backward, forward = spinning.eigenvalues[4:6]
    assert np.allclose(tilt, -0.00806233 + 4.01554495j, rtol=0, atol=1e-8)
    assert abs(backward - (-0.00654268 + 3.31861819j)) < 1e-8
    assert abs(forward - (-0.00958199 + 4.86019624j)) < 1e-8

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        speeds = np.linspace(0, 4, 41)
        frequencies = [lw.eigen(build(s)).frequency[1:6] for s in speeds]
        figure, panel = plt.subplots(layout="constrained", figsize=(7, 4))
        panel.plot(speeds, frequencies)
        panel.set(xlabel="spin, rad/s", ylabel="frequency, Hz", title="Campbell diagram")
        figure.savefig("examples/output/rotor_stator.png")
    return {"tilt": complex(tilt[0]), "backward": complex(backward), "forward": complex(forward)}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
