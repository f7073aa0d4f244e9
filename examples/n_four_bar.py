"""A row of four-bars that passes through a singular position, and is redundant in space.

N parallelogram four-bars side by side: N+1 uprights and N couplers of 1 m and 1 kg, IFToMM
benchmark A02.  When all rods lie in one line the couplers could leave the parallelogram: there the
constraints lose rank, and careless codes stop or take the wrong branch.  With hinges in space 3N of
the 15N + 5 rows repeat others at all times; linkwork picks an independent set, says so once, and
goes on.

Reference (recomputed and equal to the published values; docs/references.md, section 2): for N = 2
the first upper joint B0, started at (0, 1) with 1 m/s, is at (0.328458111535, 0.944518538181) m
after 10 s, having passed the flat position many times.
"""

import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

REFERENCE = (0.328458111535, 0.944518538181)


def rod(start: tuple, end: tuple) -> lw.Body:
    """A thin rod of 1 kg between two points."""
    p, q = np.array(start, float), np.array(end, float)
    d = q - p
    return lw.Body(1.0, (d @ d * np.eye(3) - np.outer(d, d)) / 12, position=(p + q) / 2)


def build(n: int = 2, spatial: bool = True) -> lw.Model:
    """n four-bars; spatial: all joints are hinges (redundant), else loops close by two rows."""
    z, last = (0, 0, 1), lw.Revolute if spatial else lw.PointOnLine
    m = lw.Model("n-four-bar", gravity=(0, -9.81, 0))
    left = m.add("upright 0", rod((0, 0, 0), (0, 1, 0)))
    m.add("A0", lw.Revolute(lw.GROUND, left, at=(0, 0, 0), axis=z, rate=-1.0))
    for k in range(1, n + 1):
        upright = m.add(f"upright {k}", rod((k, 0, 0), (k, 1, 0)))
        coupler = m.add(f"coupler {k}", rod((k - 1, 1, 0), (k, 1, 0)))
        m.add(f"A{k}", lw.Revolute(lw.GROUND, upright, at=(k, 0, 0), axis=z))
        m.add(f"B{k}", lw.Revolute(left, coupler, at=(k - 1, 1, 0), axis=z))
        m.add(f"C{k}", last(coupler, upright, at=(k, 1, 0), axis=z))
        left = upright
    return m


model = build()
time, step = 10, 0.01  # seconds, for `linkwork run`


def main(plot: bool = False) -> dict[str, float]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", lw.LinkworkWarning)
        run = lw.transient(build(), t=10, h=1e-3, every=10, progress=False)
    said = [str(w.message) for w in heard if issubclass(w.category, lw.LinkworkWarning)]
    for sentence in said:
        print(sentence)
    assert said, "redundant rows must be named"

    B0 = run["upright 0"].point((0, 0.5, 0))
    error = float(np.linalg.norm(B0[-1, :2] - REFERENCE))
    flat = int(np.sum(np.diff(np.sign(B0.sel(xyz="y").values)) != 0))
    apart = float(np.abs(run["upright 0"].position - run["upright 2"].position + (2, 0, 0)).max())
    energy = run.energy.total
    drift = float(np.abs(energy - energy[0]).max())
    print(f"passed the flat position {flat} times; {1e6 * error:.1f} µm from the reference at 10 s")
    print(f"uprights parallel within {apart:.1e} m; energy {float(energy[0]):.3f} ± {drift:.3f} J")
    assert flat > 5 and error < 1e-4
    assert apart < 1e-9
    assert drift < 1e-4 * float(energy[0])

    plane = lw.transient(build(spatial=False), t=10, h=1e-3, every=10, progress=False)
    differs = float(np.abs(plane["upright 0"].position - run["upright 0"].position).max())
    print(f"the model without redundant rows differs by {differs:.1e} m")
    assert differs < 1e-9

    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        run.plot("upright 0.position", "A0.angle", "energy.total")
        plt.savefig("examples/output/n_four_bar.png")
    return {"error": error, "times flat": flat, "drift": drift, "differs": differs}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
