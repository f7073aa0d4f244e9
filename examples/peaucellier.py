"""Peaucellier's linkage draws a straight line.

Arms OA = OB = L hang on the fixed point O, a rhombus A C B P of side r between them, and C moves on
a circle about Q that passes through O.  P is then the inverse point of C, and moves on a line.

Reference (A. Peaucellier, Note sur une question de géométrie de compas, Nouvelles annales de
mathématiques, 1873): |OC| |OP| = L² − r², so that P stays at x = (L² − r²) / (2 |OQ|).
"""

from pathlib import Path

import numpy as np

import linkwork as lw

L, SIDE, OQ = 1.0, 0.45, 0.3
AXIS = (0, 1, 0)  # the plane is xz


def points() -> dict[str, np.ndarray]:
    """The linkage in its middle position, symmetric about x."""
    half = (L**2 - SIDE**2) / (2 * OQ)  # |OP|
    near = 2 * OQ  # |OC|
    middle = (half + near) / 2
    height = np.sqrt(L**2 - middle**2)
    return {"O": np.zeros(3), "Q": np.array([OQ, 0, 0]), "C": np.array([near, 0, 0]),
            "P": np.array([half, 0, 0]), "A": np.array([middle, 0, height]),
            "B": np.array([middle, 0, -height])}  # fmt: skip


def build() -> lw.Model:
    m, at = lw.Model("Peaucellier's linkage"), points()
    bars = {name: m.add(name, lw.Body.link(at[name[0]], at[name[1]], radius=0.012, density=2700))
            for name in ("OA", "OB", "QC", "AC", "BC", "AP", "BP")}  # fmt: skip
    for bar, on in (("OA", lw.GROUND), ("OB", lw.GROUND), ("AC", bars["OA"]), ("AP", bars["OA"]),
                    ("BC", bars["OB"]), ("BP", bars["OB"])):  # fmt: skip
        m.add(f"pin of {bar}", lw.Revolute(on, bars[bar], at=at[bar[0]], axis=AXIS))
    for name, a, b in (("C with AC", "AC", "QC"), ("C with BC", "BC", "QC"), ("P", "AP", "BP")):
        m.add(name, lw.PointOnLine(bars[a], bars[b], at=at[name[0]], axis=AXIS))  # closes a loop
    m.add("motor", lw.Motor(lw.GROUND, bars["QC"], at=at["Q"], axis=AXIS,
                            angle=lw.sine(0.75, frequency=0.5)))  # fmt: skip
    return m


model = build()
time, step = 2.0, 0.01  # seconds, for `linkwork run`
traces = [("AP", (0, 0, SIDE / 2)), "QC"]  # paths in pictures: of P, and of the crank


def main(plot: bool = False) -> dict[str, float]:
    run = lw.kinematics(model, t=time, h=step)
    tip = np.array([0, 0, SIDE / 2])  # a link's axis is z of its body
    P = run["AP"].point(tip).values
    line = (L**2 - SIDE**2) / (2 * OQ)
    off = float(np.abs(P[:, 0] - line).max())
    print(f"P moves by {np.ptp(P[:, 2]):.3f} m, within {off:.1e} m of the line x = {line:.6f} m")
    assert np.ptp(P[:, 2]) > 1.0
    assert off < 1e-9
    if plot:
        import matplotlib.pyplot as plt

        Path("examples/output").mkdir(parents=True, exist_ok=True)
        ax = run.plot("motor.angle")
        plt.savefig("examples/output/peaucellier.png")
        plt.close(ax.figure)
        run.picture("examples/output/peaucellier_path.png", t=0.4, size=(800, 500),
                    traces=[("AP", tip), "QC"])  # fmt: skip
    return {"off": off}


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
