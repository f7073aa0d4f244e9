"""A shallow truss snaps through: its whole path of equilibria under a growing load.

Two springs from (±b, 0, 0) meet in a mass at the height h above the supports (von Mises' truss).
The load that pushes it down grows to a limit; from there equilibria exist only with smaller loads,
and unstable ones, until the truss hangs below its supports and carries more again.

Reference: from the potential k (l − l₀)² − P (h − z), P = 2 k z (l₀/l − 1), l² = b² + z², with its
limits where l³ = l₀ b² (closed form).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

B, H, K = 1.0, 0.2, 1000.0  # m, m, N/m
FREE = np.hypot(B, H)


def build() -> lw.Model:
    m = lw.Model("snap-through truss")
    top = m.add("top", lw.Body.sphere(0.03, density=7800, position=(0, 0, H)))
    m.add("guide", lw.Prismatic(lw.GROUND, top, at=(0, 0, H), axis=(0, 0, 1)))
    for name, x in (("left", -B), ("right", B)):
        m.add(name, lw.Spring(lw.GROUND, top, at_a=(x, 0, 0), stiffness=K, damping=5))
    m.add("load", lw.Force(top, (0, 0, -1)))
    return m


model = build()
time, step = 2, 0.002  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    path = lw.equilibrium_path(model, until=12.0, progress=False)
    print(path)
    z = path["top"].position.sel(xyz="z").values
    error = float(np.abs(path.factor - 2 * K * z * (FREE / np.hypot(B, z) - 1)).max())
    assert error < 1e-8

    length = np.cbrt(FREE * B**2)
    height = np.sqrt(length**2 - B**2)
    limit = 2 * K * height * (FREE / length - 1)
    up, down = (p.factor for p in path.limit_points)
    print(f"limit load {up:.8f} N, closed form {limit:.8f} N")
    assert abs(up - limit) < 1e-8 and abs(down + limit) < 1e-8
    assert np.array_equal(path.stable, np.abs(z) > height)

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        path.plot("top.position.z")
        plt.savefig("examples/output/snap_through_truss.png")
    return {"error": error, "limit": up}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
