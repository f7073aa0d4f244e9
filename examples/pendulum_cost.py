"""What the stiffness of constraints costs in a run, and what it saves: the pendulum of the paper.

Peng, Tasora, Fusai, Mangoni, "A unified analytical expression of the tangent stiffness matrix of
holonomic constraints", section 4.1, run their pendulum for 10⁴ s: evaluating K_c took 1.124 s of
12.632 s of CPU time, 8.9 %.  Here it is run in steps of 10 ms with and without K_c
(`constraint_stiffness=` of lw.transient), one iteration per step in both, so that the difference is
what K_c costs; and so is a chain of 20 links.

What it saves are iterations.  With K_c Newton's method converges quadratically; without it every
correction leaves the fraction λ/(m ca) of the last, where λ = m g cos φ/L is the stiffness left out
and m ca the rest of the matrix, which grows with the square of the step.  At Newton's usual
tolerance runs with both must take the same way, and the one without must take more iterations.
Both have positions alone in their constraints (`stabilized=False`): Newton's matrix is then no part
of the equations, as it is where velocities are corrected, too.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

LENGTH, GRAVITY = 4.0, 9.81
PAPER = 1.124 / 12.632
STEPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
NAMES = {True: "with $K_c$", False: "without $K_c$"}


def build(degrees: float = 30.0) -> lw.Model:
    """A point mass of 15 kg on a hinge, so many degrees off the vertical."""
    angle = np.radians(degrees)
    m = lw.Model("pendulum", gravity=(0, 0, -GRAVITY))
    place = (LENGTH * np.sin(angle), 0, -LENGTH * np.cos(angle))
    bob = m.add("bob", lw.Body(mass=15, inertia=(0, 0, 0), position=place))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


model = build()
time, step = 10, 0.01  # seconds, for `linkwork run`


def chain(links: int = 20) -> lw.Model:
    """Links of 1 m and 1 kg on hinges, from which K_c of two bodies each comes."""
    m, last = lw.Model("chain", gravity=(0, 0, -GRAVITY)), lw.GROUND
    for k in range(links):
        link = m.add(f"link {k}", lw.Body.link((k, 0, 0), (k + 1, 0, 0), radius=0.02, mass=1))
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    return m


def run(m: lw.Model, kept: bool, t: float, h: float, tolerance: float = 1e-8, every: int = 1):
    method = lw.GeneralizedAlpha(tolerance=tolerance, stabilized=False)
    words = {"every": every, "progress": False, "constraint_stiffness": kept}
    return lw.transient(m, t, h, method, **words)


def share(m: lw.Model, steps: int, h: float, repeats: int) -> tuple[float, float, float]:
    """CPU seconds per step with one iteration each, K_c's part of them, and how far it is known.

    Runs with and without K_c in turns: the medians, and the standard error of the second one."""
    both = np.empty((repeats, 2))
    for k in range(repeats):
        for j, kept in enumerate(NAMES):
            found = run(m, kept, steps * h, h, tolerance=1e3, every=steps)
            assert found.diagnostics.iterations[1:].max() == 1
            both[k, j] = found.info["cpu_seconds"] / steps
    parts = 1 - both[:, 1] / both[:, 0]
    error = 0.93 * np.ptp(np.percentile(parts, (25, 75))) / np.sqrt(repeats)  # for normal errors
    return float(np.median(both[:, 0])), float(np.median(parts)), float(error)


def main(plot: bool = False) -> dict[str, float]:
    steps, repeats = (100_000, 60) if plot else (3_000, 3)
    second, *part = share(build(), steps, 0.01, repeats)
    _, *links = share(chain(), steps // 20, 1e-4, repeats)
    a, b, c, d = (f"{100 * x:.1f}" for x in (*part, *links))
    print(f"pendulum: {1e6 * second:.2f} s of CPU time for 10⁴ s, of which K_c {a} ± {b} %")
    print(f"paper: 12.632 s, {100 * PAPER:.1f} %; chain of 20 links, here: {c} ± {d} %")

    iterations: dict[bool, list[float]] = {True: [], False: []}
    cpu: dict[bool, list[float]] = {True: [], False: []}
    for h in STEPS:
        runs = {kept: run(build(), kept, 200 * h, h) for kept in NAMES}
        for kept, found in runs.items():
            iterations[kept].append(float(found.diagnostics.iterations[2:].mean()))
            # short runs: at 20 steps a swing 1000 steps cost 3 % of the energy
            timed = [run(build(), kept, 1e3 * h, h, every=1000) for _ in range(steps // 1000)]
            cpu[kept].append(min(x.info["cpu_seconds"] for x in timed) / 1000)
        off = np.abs(runs[True]["bob"].position - runs[False]["bob"].position).max()
        print(f"h = {h:5.3f} s: {iterations[True][-1]:.2f} iterations per step with K_c, ", end="")
        print(f"{iterations[False][-1]:.2f} without; positions differ by {float(off):.1e} m")
        # corrections of 1e-8 h² g left over in each of 200 steps add up to 200² times as much
        assert off < 200**2 * 1e-8 * h**2 * 9.81 and iterations[False][-1] >= iterations[True][-1]
    assert iterations[False][-1] > 1.5 * iterations[True][-1]
    if plot:
        draw(np.array([(PAPER, 0), part, links]), cpu, iterations)
    return {"share": part[0], "saved": iterations[False][-1] / iterations[True][-1]}


def draw(parts: np.ndarray, cpu: dict, iterations: dict) -> None:
    import matplotlib.pyplot as plt

    figure, (bars, times, counts) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    percent, error = 100 * parts.T
    bars.bar(range(3), percent, color=["#d9d9d9", "#0072b2", "#0072b2"])
    bars.errorbar(range(1, 3), percent[1:], error[1:], fmt="none", ecolor="0.2", capsize=4)
    for x, y in enumerate(np.maximum(percent, 0) + error):
        bars.text(x, y + 0.2, f"{percent[x]:.1f} %", ha="center")
    bars.set(ylabel="part of the CPU time (%)", title="evaluating $K_c$, one iteration per step",
             ylim=(min(0, (percent - error).min()), 1.15 * (percent + error).max()))  # fmt: skip
    bars.axhline(0, color="0.2", linewidth=0.8)
    bars.set_xticks(range(3), ["pendulum,\npaper", "pendulum,\nhere", "20 links,\nhere"])
    for panel, found, scale in ((times, cpu, 1e6), (counts, iterations, 1)):
        for kept, style in ((True, "o-"), (False, "s--")):
            panel.semilogx(STEPS, scale * np.array(found[kept]), style, label=NAMES[kept])
        panel.set(xlabel="step (s)", ylim=(0, None))
        panel.legend()
    times.set(ylabel="CPU time per step (µs)", title="same accuracy: time")
    counts.set(ylabel="iterations per step", title="same accuracy: iterations")
    Path("examples/output").mkdir(parents=True, exist_ok=True)
    figure.savefig("examples/output/pendulum_cost.png", dpi=110)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    main(plot=True)
