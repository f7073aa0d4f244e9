"""Writes docs/speed.md and its picture from what `python -m benchmarks.peers` measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from linkwork.results.plots import COLOURS, GREY, LIGHT

PAGE = """# Speed beside Exudyn

Written by `make bench-peers`; do not edit by hand. Exudyn {version} from PyPI and linkwork ran in
turns in one go on the same machine, each in a process of its own with one thread; medians of
{runs} runs.

| mechanism | steps | linkwork CPU, µs | wall | Exudyn CPU, µs | wall | CPU, Exudyn / linkwork |
|---|---|---|---|---|---|---|
{times}

All times are per step of the time loop, generalized-alpha with ρ = 0.8 and h = 1e-3 s.

![CPU time per step against N](images/speed.png)

## The answers are the same
A time counts only when the end positions of all bodies in the two programs differ by less than
the error of the method at this step, 4/3 |x(h) − x(h/2)|. Energy error is that of linkwork at the
end, over the work of gravity until then; violation is that of all constraint rows.

| mechanism | positions differ, m | error of the method, m | linkwork's violation | energy error |
|---|---|---|---|---|
{errors}

## What was compared
- *Chain*: N links of 1 m and 1 kg in space, hinge axes alternating, falling from horizontal.
  *Tree*: the same links, two at the end of each. *Separate chains*: 100 of three links in a model.
- *Four-bars*: N parallelograms in a row (IFToMM A02). linkwork has them in space, with
  six coordinates per body and redundant hinges; Exudyn has its planar bodies and joints, three
  coordinates per body. This favours Exudyn.
- Both programs integrate absolute coordinates. Exudyn's minimal coordinates (kinematic trees) and
  explicit methods are another formulation and were not measured.
- Timed is the loop over the steps. Building the model and initial accelerations are left out on
  both sides, as is compiling or loading compiled code, which only linkwork needs. This favours
  linkwork in short runs; `make bench` prints its start-up. Exudyn's first Jacobian falls into its
  loop and linkwork's first choice of pivots does not: about 3 % of Exudyn's time in the chain of
  1000 links over 100 steps, less elsewhere.
- Exudyn's setting was searched in stages (linear solver and rotations; full or modified Newton and
  tolerance; the contractivity at which modified Newton renews its matrix, in brackets below), not
  over all combinations.
- linkwork runs with its defaults. Exudyn runs without range checks (its fast module), without
  output, and with the fastest setting found for each mechanism, including a looser tolerance
  of Newton's method as long as the answer stays within the error of the method. This favours
  Exudyn; the last two columns have its time with Newton's method as it
  comes, modified (0.5) and 1e-8.

| mechanism | linear solver | rotations | Newton | tolerance | CPU at 1e-8, µs | / linkwork |
|---|---|---|---|---|---|---|
{settings}

Not compared yet: Andrews' squeezer at a given accuracy, and programs that are not on PyPI.
"""


def figure(value: float) -> str:
    """Three digits, without an exponent, thousands separated."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def time_row(task: Any) -> str:
    ours, theirs = task.times["linkwork"], task.times["exudyn"]
    cells = [figure(p[key]) for p in (ours, theirs) for key in ("cpu", "wall")]
    ratio = f"**{theirs['cpu'] / ours['cpu']:.1f}**"
    return f"| {task.title} | {task.steps} | {' | '.join(cells)} | {ratio} |"


def error_row(task: Any) -> str:
    numbers = (task.difference, task.accuracy, task.violation, task.energy)
    return f"| {task.title} | {' | '.join(f'{x:.0e}' for x in numbers)} |"


def setting_row(task: Any) -> str:
    s, own = task.setting, task.times["exudyn, own tolerance"]["cpu"]
    rotations = "one angle" if task.case == "four-bars" else s["node"]
    newton = f"modified ({s.get('contractivity', 0.5)})" if s["modified"] else "full"
    ratio = own / task.times["linkwork"]["cpu"]
    return (
        f"| {task.title} | {s['solver']} | {rotations} | {newton} | {s['tolerance']:.0e} "
        f"| {figure(own)} | {ratio:.1f} |"
    )


def series(tasks: Sequence[Any], case: str, program: str) -> tuple[list[int], list[float]]:
    chosen = [task for task in tasks if task.case == case]
    return [task.n for task in chosen], [task.times[program]["cpu"] for task in chosen]


def draw(path: Path, tasks: Sequence[Any], version: str) -> None:
    """Time per step against N, log-log: chains and four-bars side by side."""
    panels = {"chain": "chain of N links", "four-bars": "N four-bars in a row"}
    lines = {
        "exudyn": (f"Exudyn {version}", COLOURS[1], "s"),
        "linkwork": ("linkwork", COLOURS[0], "o"),
    }
    fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for ax, (case, title) in zip(axes, panels.items()):
        for program, (label, colour, marker) in lines.items():
            n, cpu = series(tasks, case, program)
            ax.loglog(n, cpu, marker=marker, color=colour, linewidth=2)
            ax.annotate(label, (n[-2], cpu[-2]), xytext=(0, 10 if program == "exudyn" else -18),
                        textcoords="offset points", ha="right" if program == "exudyn" else "left",
                        color=colour)  # fmt: skip
        ax.set_title(title, color=GREY, fontsize=11)
        ax.set_xlabel("N", color=GREY)
        ax.grid(True, color=LIGHT, linewidth=0.6)
        ax.tick_params(which="both", color=LIGHT, labelcolor=GREY)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(LIGHT)
    axes[0].set_ylabel("CPU time per step, µs", color=GREY)
    fig.savefig(path, dpi=150)
    plt.close(fig)


def write_page(docs: Path, tasks: Sequence[Any], version: str, runs: int) -> None:
    draw(docs / "images" / "speed.png", tasks, version)
    rows = {
        name: "\n".join(make(task) for task in tasks)
        for name, make in (("times", time_row), ("errors", error_row), ("settings", setting_row))
    }
    words = {1: "one", 3: "three", 5: "five"}
    page = PAGE.format(version=version, runs=words.get(runs, runs), **rows)
    (docs / "speed.md").write_text(page, encoding="utf-8")
