"""Makes docs/images/elimination.png: python -m docs.pictures.elimination

How the bodies of a four-bar leave the equations, read from the elimination itself.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.linear_algebra.along_mechanism import Elimination, analyse
from linkwork.linear_algebra.along_mechanism.tables import BODY, PARENT, PIVOTS, ROW, ROWS, UNKNOWN
from linkwork.results.plots import COLOURS, GREY, LIGHT
from linkwork.system.data import Data

POINTS = {"A": (0, 0, 0), "B": (0, 0, 0.1), "C": (0.4, 0, 0.3), "D": (0.4, 0, 0)}
BARS = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
ENDS = {"A": (None, "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"),
        "D": (None, "rocker")}  # fmt: skip
PALE = "#ededed"
SHADES = ("white", PALE, "#b5b5b5", COLOURS[0], COLOURS[1])
NOTHING, GONE, WAITING, LEAVING, CHANGED = range(len(SHADES))


def four_bar() -> lw.Model:
    m = lw.Model("crank and rocker", gravity=(0, 0, -9.81))
    bodies: dict[str | None, Any] = {None: lw.GROUND}
    for name, (p, q) in BARS.items():
        link = lw.Body.link(POINTS[p], POINTS[q], radius=0.01, density=7800)
        bodies[name] = m.add(name, link)
    for name, (a, b) in ENDS.items():
        m.add(name, lw.Revolute(bodies[a], bodies[b], at=POINTS[name], axis=(0, 1, 0)))
    return m


def eliminated() -> tuple[Data, Elimination]:
    """The four-bar without its redundant rows, and how its accelerations are solved for."""
    found = assemble_model(four_bar(), warn=False)
    found.data.evaluate(found.state, cM=1.0)
    return found.data, analyse(found.data.pattern, found.data.work.vals, found.data.system.length)


def unknowns(e: Elimination, number: int) -> np.ndarray:
    """The unknowns that a node takes along: its body's six, then its rows."""
    node = e.nodes[number]
    rows = e.rows[node[ROW] : node[ROW] + node[ROWS], UNKNOWN]
    return np.concatenate([6 * node[BODY] + np.arange(6), rows])


def delayed(e: Elimination, number: int) -> np.ndarray:
    last = e.late_at[number + 1] if number + 1 < len(e.nodes) else len(e.late_unknown)
    return e.late_unknown[e.late_at[number] : last]


def draw_matrix(ax: Any, data: Data, e: Elimination, number: int) -> None:
    """The matrix in the order of elimination, when it is the turn of a node."""
    count = e.unknowns + len(e.late_unknown)
    kind = np.zeros((count, count), int)
    row = np.repeat(np.arange(e.unknowns), np.diff(data.pattern.indptr))
    kind[row, data.pattern.indices] = WAITING
    for i in range(number + 1):
        six = 6 * e.nodes[i, PARENT] + np.arange(6)
        for new in delayed(e, i):
            kind[new, six] = kind[six, new] = CHANGED if i == number else WAITING
        if i == number and e.nodes[i, PARENT] >= 0:
            kind[np.ix_(six, six)] = CHANGED
        for mark in unknowns(e, i):
            for line in (kind[mark], kind[:, mark]):
                line[line > GONE] = LEAVING if i == number else GONE
    order = np.concatenate([unknowns(e, i) for i in range(len(e.nodes))])
    shown = kind[np.ix_(order, order)]
    ax.pcolormesh(shown, cmap=ListedColormap(SHADES), vmin=0, vmax=len(SHADES) - 1,
                  edgecolors="white", linewidth=0.4)  # fmt: skip
    ends = np.cumsum([len(unknowns(e, i)) for i in range(len(e.nodes))])
    for i, end in enumerate(ends):
        ax.axhline(end, color=LIGHT, linewidth=0.8)
        ax.axvline(end, color=LIGHT, linewidth=0.8)
        middle = end - len(unknowns(e, i)) / 2
        name = data.system.names[e.nodes[i, BODY]]
        ax.text(middle, -0.6, name, ha="center", color=GREY, fontsize=9)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color(LIGHT)


def draw_mechanism(ax: Any, data: Data, e: Elimination, number: int) -> None:
    """Bars and joints: which have left, which leave now, and what waits."""
    place = {name: (p[0], p[2]) for name, p in POINTS.items()}
    left = [data.system.names[e.nodes[i, BODY]] for i in range(number + 1)]
    for name in [*left[:-1], *(n for n in BARS if n not in left), left[-1]]:
        (x0, z0), (x1, z1) = (place[p] for p in BARS[name])
        gone = name in left[:-1]
        colour = COLOURS[0] if name == left[-1] else PALE if gone else "#b5b5b5"
        ax.plot([x0, x1], [z0, z1], color=colour, linewidth=7, solid_capstyle="round")
    counts = Counter(row.owner for row in data.kept_rows)
    shift = {"A": (-0.035, 0), "B": (-0.035, 0.02), "C": (0.03, 0.02), "D": (0.035, 0)}
    for name, (x, z) in place.items():
        mine = {b for b in ENDS[name] if b}
        colour = LIGHT if mine & set(left[:-1]) else COLOURS[0] if left[-1] in mine else GREY
        ax.plot(x, z, "o", markersize=9, markerfacecolor="white", markeredgecolor=colour, zorder=5)
        if None in ENDS[name]:
            ax.plot([x - 0.03, x + 0.03], [z - 0.024] * 2, color=colour, linewidth=2)
            ax.plot([x, x], [z - 0.024, z - 0.01], color=colour, linewidth=1)
        ax.text(x + shift[name][0], z + shift[name][1], f"{name}\n{counts[name]} rows",
                color=colour, ha="right" if shift[name][0] < 0 else "left", va="center",
                fontsize=9)  # fmt: skip
    ax.set_aspect("equal")
    ax.set_xlim(-0.12, 0.52)
    ax.set_ylim(-0.05, 0.34)
    ax.axis("off")


def say(data: Data, e: Elimination, number: int) -> str:
    """What happens at a node, in two lines."""
    node, late = e.nodes[number], len(delayed(e, number))
    text = f"{number + 1}. the {data.system.names[node[BODY]]} leaves\n"
    text += f"{node[ROWS]} rows, {node[PIVOTS]} pivots"
    if late:
        text += f", {late} row waits" if late == 1 else f", {late} rows wait"
    free = 6 - node[PIVOTS]
    return text + (f", {free} free" if free else "")


def main() -> None:
    data, e = eliminated()
    figure, axes = plt.subplots(2, len(e.nodes), figsize=(11, 6.6), layout="constrained",
                                height_ratios=(1, 1.7))  # fmt: skip
    for number in range(len(e.nodes)):
        axes[0, number].set_title(say(data, e, number), color=GREY, fontsize=11)
        draw_mechanism(axes[0, number], data, e, number)
        draw_matrix(axes[1, number], data, e, number)
        print(say(data, e, number).replace("\n", ": "))
    figure.savefig(Path(__file__).parent.parent / "images" / "elimination.png", dpi=130)


if __name__ == "__main__":
    main()
