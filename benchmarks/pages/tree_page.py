"""The section of docs/speed.md on trees in joint coordinates, and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.pages.table import figure, line
from benchmarks.processes import version
from benchmarks.trees import ALLOWED, LIMIT, MODULES, OURS, PACKAGES, Bar, Tree, bars, estimate
from linkwork.results.plots import COLOURS, GREY, LIGHT

SECTION = """## Trees in joint coordinates

`lw.Recursive()` beside {programs}:
CPU time in µs of a step of the classic Runge-Kutta method, and of one evaluation of the forward
dynamics, four of which are in a step. (Medians of three runs at N = 10,000.)

| mechanism | {heads} |
|---|{rule}|
{times}

{footnote}

![CPU time of a Runge-Kutta step against N](images/trees.png)

Aims:

| | measured | aim | |
|---|---|---|---|
{bars}

- Chain and tree are those of the first table. After the first 0.1 s (0.02 s from N = 1,000 on) all
  centres of mass of all programs lie within {worst} m of those of linkwork in absolute coordinates
  with multipliers (`lw.RK4`), an independent formulation; beyond {allowed} m no time is given.
- linkwork: compiled loops over steps and over evaluations, without output. Its code is compiled for
  the processor it runs on; the others run as PyPI has them, which favours linkwork.
- pinocchio: `aba` called from Python, and steps with four matrix products of numpy in place; what
  they add is a step less four evaluations. Tried were both of its conventions, and hinge axes along
  x or z, where it has joints of their own, or as described; the fastest is shown. Its data hold
  four arrays of N³ numbers, which this algorithm does not use: 32 GB at N = 1,000.
- MuJoCo: its own Runge-Kutta method, all steps in one call; contacts, constraints, limits,
  actuators and sensors off. It factorises the mass matrix of the joint coordinates along the tree:
  bushy trees suit it, long chains do not. {limit} s were allowed for the first answer.
- Drake: `MultibodyPlant` in continuous time. It has no Runge-Kutta method of order four in Python,
  so the steps are those of numpy as for pinocchio.
"""


def cells(tree: Tree, name: str) -> list[str]:
    if name in tree.times:
        found = [figure(tree.times[name][key]) for key in ("step", "evaluation")]
    else:
        found = [tree.cannot[name], "–"]
    return [*found, f"{tree.per_body(name):.2f}"] if name == OURS else found


def time_row(tree: Tree) -> str:
    ratios = tree.ratios()
    least = f"**{min(ratios.values()):.1f}**" if ratios else "–"
    return line(tree.title, *(cell for name in MODULES for cell in cells(tree, name)), least)


def bar_row(bar: Bar) -> str:
    sign = "≤" if bar.at_most else "≥"
    word = "reached" if bar.passed else "**missed**"
    return line(bar.text, f"{bar.value:.3g}", f"{sign} {bar.limit:g}", word)


def footnote(trees: Sequence[Tree]) -> str:
    text = "The last column: the fastest other program's time of a step over linkwork's."
    guess = estimate(list(trees))
    if guess is not None:
        text += (
            f"\npinocchio at N = 1,000 would take about {figure(guess)} µs, twice its time at "
            "N = 500; that is\nan estimate, hollow in the picture."
        )
    return text


def draw(path: Path, trees: Sequence[Tree]) -> None:
    """Time of a step against N for the chain, log-log."""
    fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    chain = [tree for tree in trees if tree.case == "chain"]
    for name, colour, marker in zip(MODULES, COLOURS, "osD^"):
        known = [tree for tree in chain if name in tree.times]
        if known:
            ax.loglog([tree.n for tree in known], [tree.times[name]["step"] for tree in known], "-",
                      marker=marker, color=colour, linewidth=2, label=name)  # fmt: skip
        guess = estimate(list(trees))
        if name == "pinocchio" and guess is not None:
            last = known[-1]
            ax.loglog([last.n, 1000], [last.times[name]["step"], guess], ":", marker=marker,
                      markevery=[1], color=colour, markerfacecolor="white")  # fmt: skip
    ax.set_title("chain of N links, joint coordinates, Runge-Kutta", color=GREY, fontsize=11)
    ax.set_xlabel("N", color=GREY)
    ax.set_ylabel("CPU time of a step, µs", color=GREY)
    ax.grid(True, color=LIGHT, linewidth=0.6)
    ax.tick_params(which="both", color=LIGHT, labelcolor=GREY)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT)
    ax.legend(frameon=False, labelcolor=GREY, loc="upper left")
    fig.savefig(path, dpi=150)
    plt.close(fig)


def tree_section(docs: Path, trees: Sequence[Tree]) -> str:
    """Draws the picture into docs/images and gives the section's Markdown."""
    alone = [tree.title for tree in trees if OURS not in tree.times or not tree.ratios()]
    if alone:
        raise SystemExit(f"No comparison of {alone}. The page stays as it was.")
    draw(docs / "images" / "trees.png", trees)
    heads = ["linkwork step", "evaluation", "per body"]
    heads += [word for name in PACKAGES for word in (f"{name} step", "evaluation")]
    named = [f"{name} {version(package)}" for name, (package, _) in PACKAGES.items()]
    return SECTION.format(
        programs=f"{', '.join(named[:-1])} and {named[-1]}",
        heads=" | ".join([*heads, "/ ours"]),
        rule="|".join(["---"] * (len(heads) + 1)),
        times="\n".join(map(time_row, trees)),
        footnote=footnote(trees),
        bars="\n".join(map(bar_row, bars(list(trees)))),
        worst=f"{max(d for tree in trees for d in tree.difference.values()):.0e}",
        allowed=f"{ALLOWED:.0e}",
        limit=f"{LIMIT:.0f}",
    )
