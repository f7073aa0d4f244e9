"""The Dzhanibekov effect: a free body spinning about its middle axis turns over, again and again.

Moments of inertia 1, 2, 3, spinning about the second with a slight disturbance.  Euler's equations
are solved by elliptic functions: the second component of the angular velocity has the period
39.10573419728772 s, and after 10 s the body turns at (-0.87457344, 0.48499619, 0.50500122) rad/s in
its own axes (docs/references.md, section 2).  No force acts, so energy and angular momentum stay.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

PERIOD = 39.10573419728772


def build() -> lw.Model:
    m = lw.Model("free body")
    m.add("body", lw.Body(mass=1, inertia=(1, 2, 3), angular_velocity=(0.01, 1, 0.01)))
    return m


model = build()
time, step = 80, 0.01  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    at_10 = lw.transient(model, t=10, h=1e-3, progress=False)
    omega = at_10["body"].angular_velocity[-1].values
    print(f"angular velocity after 10 s {omega.round(7)} rad/s")
    assert np.allclose(omega, (-0.87457344, 0.48499619, 0.50500122), rtol=0, atol=2e-7)

    run = lw.transient(model, t=PERIOD, h=PERIOD / 16000, progress=False)
    spin = run["body"].angular_velocity
    missed = float(np.abs(spin[-1] - spin[0]).max())
    over = float(spin.sel(xyz="y").min())
    momentum = float(np.abs(run.angular_momentum - run.angular_momentum[0]).max())
    print(f"turned over (spin {over:.6f} rad/s) and back after {PERIOD:.6f} s within {missed:.1e}")
    print(f"angular momentum within {momentum:.1e} of 2 kg m²/s")
    assert over < -0.999
    assert missed < 1e-7
    assert momentum < 1e-5

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("body.angular_velocity", "angular_momentum")
        plt.savefig("examples/output/free_body.png")
    return {"missed": missed, "over": over, "momentum": momentum}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
