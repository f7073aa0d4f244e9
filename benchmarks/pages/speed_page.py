"""Writes docs/speed.md and its picture from what `make bench` measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.comparison import LOOSE, TUNED, Task
from benchmarks.pages.page_text import PAGE
from benchmarks.pages.table import figure, line
from benchmarks.sections import SECTIONS, kept
from benchmarks.squeezer import Squeezer
from linkwork.results.plots import COLOURS, GREY, LIGHT

WORDS = {1: "one", 3: "three", 5: "five"}


@dataclass(frozen=True)
class Measured:
    """All of one go."""

    version: str
    runs: int
    tasks: list[Task]
    crank: Squeezer
    own: dict[str, Any]
    more: dict[str, Any]  # what the SECTIONS found


def time_row(task: Task) -> str:
    names = ("linkwork", TUNED, LOOSE)
    cells = [figure(task.times[name][key]) for name in names for key in ("cpu", "wall")]
    ratios = [f"**{task.ratio(name):.1f}**" for name in (TUNED, LOOSE)]
    return line(task.title, task.steps, *cells, *ratios)


def error_row(task: Task) -> str:
    numbers = (max(task.difference.values()), task.accuracy, task.violation, task.energy)
    return line(task.title, *(f"{x:.0e}" for x in numbers))


def setting_row(task: Task) -> str:
    cells = []
    for name in (TUNED, LOOSE):
        s = task.settings[name]
        newton = f"modified ({s.get('contractivity', 0.5)})" if s["modified"] else "full"
        cells += [newton, f"{s['tolerance']:.0e}"]
    s = task.settings[LOOSE]
    rotations = "one angle" if task.case == "four-bars" else s["node"]
    return line(task.title, s["solver"], rotations, *cells)


def squeezer_rows(crank: Squeezer) -> str:
    words = {"linkwork": "linkwork", TUNED: "Exudyn, own tolerance", LOOSE: "Exudyn, any tolerance"}
    rows = []
    for name, t in crank.times.items():
        s = crank.settings[name]
        setting = s["method"]
        if name != "linkwork":
            setting += f", ρ = {s['rho']}, " if s["method"] == "GeneralizedAlpha" else ", "
            setting += f"{'modified' if s['modified'] else 'full'} Newton, {s['tolerance']:.0e}, "
            setting += s["solver"]
        ratio = "" if name == "linkwork" else f"**{crank.ratio(name):.1f}**"
        rows.append(line(
            words[name], setting, f"{t['steps']:.0f}", figure(t["cpu"]), figure(t["wall"]), ratio,
            *(f"{t[key]:.0e}" for key in ("error", "violation", "energy")),
        ))  # fmt: skip
    return "\n".join(rows)


def output_rows(own: dict[str, Any]) -> str:
    plain = own["output"]["no step stored"]["cpu"]
    return "\n".join(
        line(
            name, f"{t['cpu']:.2f}", f"{t['wall']:.2f}",
            f"{100 * (t['cpu'] / plain - 1):.0f} %" if name != "no step stored" else "",
            f"{t['memory']:.0f}",
        )  # fmt: skip
        for name, t in own["output"].items()
    )


def series(tasks: Sequence[Task], case: str, program: str) -> tuple[list[int], list[float]]:
    chosen = [task for task in tasks if task.case == case]
    return [task.n for task in chosen], [task.times[program]["cpu"] for task in chosen]


def draw(path: Path, tasks: Sequence[Task], version: str) -> None:
    """Time per step against N, log-log: chains and four-bars side by side."""
    panels = {"chain": "chain of N links", "four-bars": "N four-bars in a row"}
    lines = {
        TUNED: (f"Exudyn {version}, own tolerance", COLOURS[1], "s", "-"),
        LOOSE: ("Exudyn, tolerance loosened", COLOURS[1], "s", "--"),
        "linkwork": ("linkwork", COLOURS[0], "o", "-"),
    }
    fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for ax, (case, title) in zip(axes, panels.items()):
        for program, (label, colour, marker, style) in lines.items():
            n, cpu = series(tasks, case, program)
            ax.loglog(n, cpu, style, marker=marker, color=colour, linewidth=2, label=label,
                      markerfacecolor="white" if style == "--" else colour)  # fmt: skip
        ax.set_title(title, color=GREY, fontsize=11)
        ax.set_xlabel("N", color=GREY)
        ax.grid(True, color=LIGHT, linewidth=0.6)
        ax.tick_params(which="both", color=LIGHT, labelcolor=GREY)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(LIGHT)
    axes[0].set_ylabel("CPU time per step, µs", color=GREY)
    axes[0].legend(frameon=False, labelcolor=GREY, loc="upper left")
    fig.savefig(path, dpi=150)
    plt.close(fig)


def write_page(docs: Path, m: Measured) -> None:
    (docs / "images").mkdir(parents=True, exist_ok=True)
    sections = "\n".join(SECTIONS[name].tell(docs, found) for name, found in m.more.items())
    sections = sections or kept(docs)
    draw(docs / "images" / "speed.png", m.tasks, m.version)
    page = PAGE.format(
        version=m.version,
        runs=WORDS.get(m.runs, m.runs),
        times="\n".join(map(time_row, m.tasks)),
        errors="\n".join(map(error_row, m.tasks)),
        settings="\n".join(map(setting_row, m.tasks)),
        squeezer=squeezer_rows(m.crank),
        tried_ours=m.crank.tried["linkwork"],
        tried_theirs=m.crank.tried["exudyn"],
        sections=sections,
        output=output_rows(m.own),
        stored=f"{m.own['output']['every step stored']['stored']:.0f}",
        fresh=f"{m.own['fresh']:.2f}",
        threads="\n".join(
            line(f"chain, N = {n}", *(figure(x) for pair in t for x in pair))
            for n, t in m.own["threads"].items()
        ),
        stiffness=f"{100 * m.own['stiffness']:.0f}",
    )
    (docs / "speed.md").write_text(page, encoding="utf-8")
