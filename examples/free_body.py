"""The Dzhanibekov effect: a free body spinning about its middle axis turns over, again and again.

Moments of inertia 1, 2, 3, spinning about the second with a slight disturbance.  Euler's equations
are solved by elliptic functions: the second component of the angular velocity has the period
39.10573419728772 s, and after 10 s the body turns at (-0.87457344, 0.48499619, 0.50500122) rad/s in
its own axes (docs/references.md, section 2).  No force acts, so energy and angular momentum stay.

The form of the step for fast rotation keeps the angular momentum to round-off and turns a free body
with fourth order: half the step must leave a sixteenth of the error after 10 s.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

PERIOD, AT_10 = 39.10573419728772, (-0.87457344, 0.48499619, 0.50500122)


def build() -> lw.Model:
    m = lw.Model("free body")
    m.add("body", lw.Body(mass=1, inertia=(1, 2, 3), angular_velocity=(0.01, 1, 0.01)))
    return m


model = build()
time, step = 80, 0.01  # seconds, for `linkwork run`


def error_at_10(h: float) -> float:
    """Of the angular velocity after 10 s, in steps for fast rotation."""
    method = lw.GeneralizedAlpha(stabilized=True)
    run = lw.transient(model, t=10, h=h, method=method, progress=False)
    return float(np.abs(run["body"].angular_velocity[-1] - AT_10).max())


def main(plot: bool = False) -> dict[str, float]:
    at_10 = lw.transient(model, t=10, h=1e-3, progress=False)
    omega = at_10["body"].angular_velocity[-1].values
    print(f"angular velocity after 10 s {omega.round(7)} rad/s")
    assert np.allclose(omega, AT_10, rtol=0, atol=2e-7)

    run = lw.transient(model, t=PERIOD, h=PERIOD / 16000, progress=False)
    spin = run["body"].angular_velocity
    missed = float(np.abs(spin[-1] - spin[0]).max())
    over = float(spin.sel(xyz="y").min())
    momentum = float(np.abs(run.angular_momentum - run.angular_momentum[0]).max())
    print(f"turned over (spin {over:.6f} rad/s) and back after {PERIOD:.6f} s within {missed:.1e}")
    print(f"angular momentum within {momentum:.1e} of 2 kg m²/s")
    large = [error_at_10(h) for h in (0.2, 0.1)]
    print(f"in 50 and 100 steps for fast rotation within {large[0]:.1e} and {large[1]:.1e} rad/s")
    assert 14 < large[0] / large[1] < 18
    assert over < -0.999
    assert missed < 1e-7
    assert momentum < 1e-5

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("body.angular_velocity", "angular_momentum")
        plt.savefig("examples/output/free_body.png")
    return {"missed": missed, "over": over, "momentum": momentum, "order": large[0] / large[1]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
