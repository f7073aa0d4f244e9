"""A slider-crank whose connecting rod bends: its deflection against the textbook's beam.

The crank (r = 60 mm) turns at 25 rad/s; the rod (l = 300 mm) is an aluminium strip that bends in
the plane, pinned at both ends.  The inertia of the rod across its axis is a load -μ a(x) that is
linear along it, and the crank is slow against the rod's first frequency ω₁, so that the rod bends
as a beam on two supports under a static load:

    v(l/2) = -5 μ l⁴/(384 EI) (a₀ + a₁)/2,     ω₁ = (π/l)² √(EI/μ),     ω ≪ ω₁

a₀ and a₁ are the accelerations of crank pin and piston pin across the rod.  Damping lets the
oscillation of the start die out in the first turn; the second is compared.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

R, L, SPEED = 0.060, 0.300, 25.0
STRIP = lw.Section.rectangle(0.012, 0.004, E=7e10, density=2700)  # 4 mm in the plane


def build() -> lw.Model:
    x, z = (1, 0, 0), (0, 0, 1)
    m = lw.Model("flexible slider-crank")
    crank = m.add("crank", lw.Body(0.5, (1e-4, 1e-4, 2e-4)))
    rod = m.add("rod", lw.FlexibleLink(
        (R, 0, 0), (R + L, 0, 0), STRIP, modes=2, boundary="pinned-pinned", normal=z, damping=0.05,
        at=(0.5,),
    ))  # fmt: skip
    piston = m.add("piston", lw.Body(0.2, (1e-4, 1e-4, 1e-4), position=(R + L, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=z, angle=lw.ramp(SPEED)))
    m.add("crank pin", lw.Revolute(crank, rod.root, at=(R, 0, 0), axis=z))
    m.add("piston pin", lw.PointOnLine(rod.tip, piston, at=(R + L, 0, 0), axis=z))
    m.add("cylinder", lw.Prismatic(lw.GROUND, piston, at=(R + L, 0, 0), axis=x))
    return m


model = build()
time, step = 4 * np.pi / SPEED, 2 * np.pi / SPEED / 2000  # seconds, for `linkwork run`


def deflection(t: np.ndarray) -> np.ndarray:
    """Of the middle across the rod, static, from the kinematics of a rigid slider-crank."""
    phi = SPEED * t
    sine, cosine = -R / L * np.sin(phi), np.sqrt(1 - (R / L * np.sin(phi)) ** 2)  # of the rod
    s, c = R * np.sin(phi), R * np.cos(phi)
    x2 = -c - (c**2 - s**2) / (L * cosine) - s**2 * c**2 / (L * cosine) ** 3
    a0 = SPEED**2 * (c * sine - s * cosine)  # (-c, -s) across (-sine, cosine)
    a1 = -(SPEED**2) * x2 * sine
    return -5 * STRIP.mass * L**4 / (384 * STRIP.EIy) * (a0 + a1) / 2


def main(plot: bool = False) -> dict[str, float]:
    natural = (np.pi / L) ** 2 * np.sqrt(STRIP.EIy / STRIP.mass)
    print(f"first frequency of the rod {natural:.1f} rad/s, crank {SPEED:.1f} rad/s")
    run = lw.transient(model, t=time, h=step, every=10, progress=False)

    root, tip = run["rod.root"].position.values, run["rod.tip"].position.values
    along = (tip - root) / np.linalg.norm(tip - root, axis=1)[:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]])
    middle = run["rod.at(0.5)"].position.values - (root + tip) / 2
    found = np.einsum("ti,ti->t", middle[:, :2], across)
    second = run.time > time / 2
    expected = deflection(run.time)
    largest = float(np.abs(expected[second]).max())
    error = float(np.abs(found - expected)[second].max()) / largest
    print(f"largest deflection of the rod {np.abs(found[second]).max() * 1e6:.2f} µm, "
          f"as a static beam {largest * 1e6:.2f} µm")  # fmt: skip
    print(f"largest difference over a turn: {error:.2%} of it")
    assert abs(2 * np.pi * model["rod"].modal.frequency[0] / natural - 1) < 1e-4
    assert error < 0.01  # damping and inertia: 2 ζ ω/ω₁ and (ω/ω₁)², a few thousandths

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        _, ax = plt.subplots(layout="constrained")
        ax.plot(run.time, found * 1e6, label="middle of the rod")
        ax.plot(run.time, expected * 1e6, "--", label="static beam under its inertia")
        ax.set(xlabel="time (s)", ylabel="deflection (µm)", title=model.name)
        ax.legend(loc="lower left")
        plt.savefig("examples/output/flexible_slider_crank.png")
    return {"largest deflection": largest, "difference": error}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
