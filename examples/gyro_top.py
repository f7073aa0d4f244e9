"""Steady precession of a gyro top with the energy-momentum method, steps 0.05, 0.01 and 0.001 s.

A cone (height 0.1 m, radius 0.05 m) spins on its tip at 135.6 rad/s and precesses at 10 rad/s, its
axis always 60° off the vertical.  P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006),
section 5.1, all parameters theirs.

Reference: with θ, ω_p, ω_s tied by the condition of steady precession, the centre of mass goes
round the circle L sin θ (sin ω_p t, −cos ω_p t) at the height L cos θ.  The method is of second
order; energy and the vertical angular momentum stay to round-off even at the step 0.05 s, in which
the top should turn by more than a whole turn, and the scheme makes 148° of it.
"""

import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

HEIGHT, RADIUS, DENSITY = 0.1, 0.05, 2700.0
MASS, ARM = DENSITY * np.pi * RADIUS**2 * HEIGHT / 3, 0.75 * HEIGHT
ACROSS, ALONG = 3 * MASS / 80 * (4 * RADIUS**2 + HEIGHT**2), 3 * MASS / 10 * RADIUS**2
TILT, PRECESSION = np.pi / 3, 10.0
ABOUT_TIP = ACROSS + MASS * ARM**2
SPIN = MASS * 9.81 * ARM / (ALONG * PRECESSION)
SPIN += (ABOUT_TIP - ALONG) / ALONG * PRECESSION * np.cos(TILT)


def build() -> lw.Model:
    m = lw.Model("gyro top", gravity=(0, 0, -9.81))
    c, s = np.cos(TILT), np.sin(TILT)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    top = m.add("top", lw.Body(
        MASS, (ACROSS, ACROSS, ALONG), position=ARM * R[:, 2], orientation=R,
        angular_velocity=PRECESSION * R[2] + (0, 0, SPIN)))  # fmt: skip
    m.add("tip", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    return m


model = build()
time, step = 1, 0.005  # seconds, for `linkwork run`
method = lw.EnergyMomentum()


def exact(t: np.ndarray) -> np.ndarray:
    """The centre of mass in steady precession, (T, 3)."""
    turn, s = PRECESSION * t, ARM * np.sin(TILT)
    return np.stack([s * np.sin(turn), -s * np.cos(turn), 0 * t + ARM * np.cos(TILT)], axis=1)


def main(plot: bool = False) -> dict[str, float]:
    errors, runs = [], []
    for h in (0.05, 0.01, 0.001):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", lw.LinkworkWarning)
            run = lw.transient(model, t=1, h=h, method=lw.EnergyMomentum(), progress=False)
        assert len(heard) == (h > 0.001)  # that turns of 7 rad and 1.4 rad in a step are too large
        error = np.abs(run["top"].position.values - exact(run.time)).max() / ARM
        energy, spin = run.energy.total.values, run.angular_momentum.values[:, 2]
        drift = max(np.abs(energy / energy[0] - 1).max(), np.abs(spin / spin[0] - 1).max())
        print(
            f"h = {h:g} s: centre of mass within {error:.2g} of its arm from the exact circle, "
            f"energy and L_z within {drift:.0e}"
        )
        assert drift < 1e-11
        errors.append(float(error))
        runs.append(run)
    assert errors[1] < 0.2 and errors[2] < 2e-3
    assert 80 < errors[1] / errors[2] < 120  # second order: a tenth of the step, a hundredth

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, axes = plt.subplots(4, sharex=True, figsize=(6.4, 8.4), layout="constrained")
        for run in runs:
            label = f"h = {run.info['h']:g} s"
            marker = "o-" if run.info["h"] == 0.05 else "-"
            for ax, i in ((axes[0], 0), (axes[1], 2)):  # x, and the height z
                ax.plot(run.time, run["top"].position[:, i], marker, ms=3, label=label)
            axes[2].plot(run.time, run.energy.total / run.energy.total[0] - 1)
        for ax, i in ((axes[0], 0), (axes[1], 2)):
            ax.plot(run.time, exact(run.time)[:, i], "k:", label="exact")
        coarse = runs[0]  # 0.05 s
        axes[3].plot(coarse.time, coarse.angular_momentum, label=["L₁", "L₂", "L₃"])
        axes[0].legend(loc="upper center", ncols=4, fontsize=8, bbox_to_anchor=(0.5, 1.25))
        axes[3].legend(loc="lower right", ncols=3, fontsize=8)
        labels = ("x (m)", "height z (m)", "relative energy error", "L (N m s), h = 0.05 s")
        for ax, text in zip(axes, labels, strict=True):
            ax.set_ylabel(text)
        axes[3].set_xlabel("time (s)")
        plt.savefig("examples/output/gyro_top.png")
    return {"error": errors[2], "ratio": errors[1] / errors[2]}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
