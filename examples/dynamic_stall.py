"""A wing that pitches beyond its stall: the lift turns about the static curve in a loop.

The wing swings by ±10° about 15° in the wind.  While the angle rises the flow stays attached beyond
the static stall, and the lift exceeds its largest static value; while the angle falls the flow
attaches late, and the lift is less: LiftingSurface(..., model="dynamic stall") after Hansen, Gaunaa
and Madsen, Risø-R-1354, 2004.

References: small swings about zero give Theodorsen's lift (NACA report 496, 1935) without the terms
of accelerations, a (C(k) (1 + ik) + ik/2) with the lift slope a; at rest it is the static table.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

SPEED, CHORD = 30.0, 0.5  # m/s, m
MEAN, SWING, FREQUENCY = np.radians(15), np.radians(10), 0.15  # the last: k = ω c/2U
FOIL = lw.Airfoil.naca0012()


def build(mean: float = MEAN, swing: float = SWING, k: float = FREQUENCY) -> lw.Model:
    omega = 2 * SPEED * k / CHORD
    m = lw.Model("pitching wing")
    m.air = lw.Air(density=1.225, velocity=(SPEED, 0, 0))
    plate = {"kind": "box", "size": (CHORD, 1.0, 0.04), "position": (CHORD / 4, 0, 0)}
    wing = m.add("wing", lw.Body(5, (0.5, 0.1, 0.6), shape=plate))
    m.add("motor", lw.Motor(lw.GROUND, wing, at=(0, 0, 0), axis=(0, 1, 0),
                            angle=mean + lw.sine(swing, omega / (2 * np.pi))))  # fmt: skip
    m.add("foil", lw.LiftingSurface(wing, CHORD, FOIL, (0, -0.5, 0), (0, 0.5, 0), points=1,
                                    model="dynamic stall"))  # fmt: skip
    return m


model = build()
PERIOD = np.pi * CHORD / (SPEED * FREQUENCY)
time, step = 3 * PERIOD, PERIOD / 400  # s


def last_turn(k: float, **motion: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Phase, angle and lift coefficient over the last of three swings."""
    period = np.pi * CHORD / (SPEED * k)
    run = lw.transient(build(k=k, **motion), t=3 * period, h=period / 400, progress=False)
    last = slice(-400, None)
    return (2 * np.pi * run.time[last] / period, run["motor"].angle.values[last],
            run["foil"].cl.values[last, 0])  # fmt: skip


def main(plot: bool = False) -> dict[str, float]:
    from scipy.special import hankel2

    _, angle, lift = last_turn(FREQUENCY)
    static = np.array([FOIL.cl(a) for a in angle])
    most, usual = float(lift.max()), float(static.max())
    print(f"largest lift coefficient {most:.3f}, of the static curve {usual:.3f}")
    assert most > 1.1 * usual

    k = 0.2
    phase, _, small = last_turn(k, mean=0.0, swing=np.radians(1))
    found = 2j * np.mean(small * np.exp(-1j * phase)) / np.radians(1)
    C = hankel2(1, k) / (hankel2(1, k) + 1j * hankel2(0, k))
    theory = FOIL.cl(np.radians(1)) / np.radians(1) * (C * (1 + 1j * k) + 1j * k / 2)
    print(f"small swings at k = {k}: lift {abs(found):.3f} at {np.degrees(np.angle(found)):.2f}°, "
          f"Theodorsen {abs(theory):.3f} at {np.degrees(np.angle(theory)):.2f}°")  # fmt: skip
    assert abs(found - theory) < 0.02 * abs(theory)  # two exponentials for Wagner's function

    fixed = np.radians([5, 12, 17, 20, 25])
    rest = [lw.static(build(mean=a, swing=0.0), progress=False)["foil"].cl[0] for a in fixed]
    off = float(max(abs(c - FOIL.cl(a)) for c, a in zip(rest, fixed)))
    print(f"at rest the lift is that of the static curve to {off:.0e}")
    assert off < 1e-9
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(layout="constrained")
        curve = np.radians(np.linspace(0, 25, 251))
        axes.plot(np.degrees(angle), lift, label=f"k = {FREQUENCY:g}")
        axes.plot(np.degrees(curve), [FOIL.cl(a) for a in curve], "k--", lw=1, label="static")
        axes.set(xlabel="angle of attack (°)", ylabel="lift coefficient", title=model.name)
        axes.legend()
        plt.savefig("examples/output/dynamic_stall.png")
    return {"largest": most, "Theodorsen": float(abs(found - theory)), "rest": off}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
