"""A sleeping top stands upright as long as it spins fast enough.

Upright, a top is stable if and only if  I_a ω > 2 √(m g h I_t),  with I_a about its axis and I_t
about its tip (Lagrange's top, in every textbook).  Here that is 5.56772844 rad/s.

The eigenvalues about the spinning state know it: halving an interval on `modes.stable` finds the
critical speed.  A nonlinear run shows the same, given a nudge of 0.01 rad/s: slightly above, the
top trembles; slightly below, it falls (and comes up again: there is no friction).
"""

import math
from pathlib import Path

import linkwork as lw

MASS, HEIGHT, AXIAL, ACROSS, GRAVITY = 0.01, 0.04, 0.0004, 0.0003, 9.81
CRITICAL = 2 * math.sqrt(MASS * GRAVITY * HEIGHT * (ACROSS + MASS * HEIGHT**2)) / AXIAL


def build(spin: float = 6.0, nudge: float = 0.0) -> lw.Model:
    """A top spinning upright on its tip; spin and a nudge about x in rad/s."""
    m = lw.Model("sleeping top", gravity=(0, 0, -GRAVITY))
    top = m.add("top", lw.Body(
        MASS, (ACROSS, ACROSS, AXIAL), position=(0, 0, HEIGHT),
        angular_velocity=(nudge, 0, spin)))  # fmt: skip
    m.add("tip", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    return m


model = build()
time, step = 20, 0.002  # seconds, for `linkwork run`


def lean(spin: float) -> tuple[float, lw.Result]:
    """The largest angle from the vertical (degrees) in 20 s after a nudge."""
    run = lw.transient(build(spin, nudge=0.01), t=20, h=2e-3, progress=False)
    return math.degrees(math.acos(float(run["top"].position.sel(xyz="z").min()) / HEIGHT)), run


def main(plot: bool = False) -> dict[str, float]:
    slow, fast = 1.0, 20.0
    while fast - slow > 1e-9:
        spin = (slow + fast) / 2
        if lw.eigen(build(spin)).stable:
            fast = spin
        else:
            slow = spin
    print(f"critical spin {fast:.8f} rad/s, exact {CRITICAL:.8f}")
    assert abs(CRITICAL - 5.56772844) < 5e-9
    assert abs(fast - CRITICAL) < 1e-6

    above, _ = lean(1.05 * CRITICAL)
    below, run = lean(0.95 * CRITICAL)
    print(f"after a nudge it leans {above:.2f}° above and {below:.1f}° below the critical spin")
    assert above < 1
    assert below > 20

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("top.position", "top.angular_velocity")
        plt.savefig("examples/output/sleeping_top.png")
    return {"critical": fast, "above": above, "below": below}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
