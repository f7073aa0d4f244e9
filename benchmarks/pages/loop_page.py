"""The sections of docs/speed.md on loops in joint coordinates, and their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from benchmarks.corrections import TOLERANCE, WAYS, Closing
from benchmarks.pages.table import figure, line
from benchmarks.rods import Rods
from linkwork.results.plots import COLOURS, GREY, LIGHT

CORRECTIONS = """## Keeping loops closed

CPU time in s of runs of `lw.Recursive()` in steps of 0.01 s, without correction and with Newton's
method after every step, by either Jacobian of the cut joints
([how they work](theory-recursive.md#cut-joints)); in brackets what the correction adds. (Medians of
nine runs in turns, output off.)

| mechanism | simulated | without | semi-analytic | direct |
|---|---|---|---|---|
{times}

The two Jacobians by themselves and one evaluation of the forward dynamics, CPU time in µs, and the
largest gap of the cut joints after any step in {last} s without correction and with either, in m:

| | velocities | rows | semi-analytic | direct | forward | gap without | semi-analytic | direct |
|---|---|---|---|---|---|---|---|---|
{parts}

![Gaps of the cut joints over time](images/corrections.png)

- The mechanisms are a [four-bar](gallery/flexible_four_bar.md), a [ladder of three
  loops](gallery/flexible_multi_loop.md) and a [long loop](gallery/flexible_single_loop.md) with
  one, three and one flexible link of two modes, after the examples of Zhang and others (2023).
  They report 0.5 to 5 % for the semi-analytic Jacobian and 10 to 31 % for the direct one, on steps
  of 4 to 15 ms. Here an uncorrected step takes {least} to {most} µs. With the semi-analytic
  Jacobian corrections take c_q, X = M⁻¹c_qᵀ and their factors over from the step's last
  accelerations, so that they cost the positions and rows after each change alone; with the direct
  one they compute it all at the new place. Where loops are long that matters more (below).
- Without correction the loops open, first with the square of time. With either Jacobian the gap
  stays below the tolerance of 1e-10 m; a step that ends below it is left as it is.
"""

RODS = """## The Jacobian of a long loop

CPU time in µs (medians of five) of the Jacobian of one cut pin that closes a [loop of N
rods](gallery/flexible_single_loop.md), half of them on pins, half on slides, every ninth of the
pinned ones flexible. All coordinates lie on the path.

| rods | velocities | semi-analytic | direct | direct / semi-analytic | apart |
|---|---|---|---|---|---|
{rows}

Fitted powers of N: **{semi:.2f}** for the semi-analytic Jacobian, which sweeps the path once, and
**{direct:.2f}** for direct differentiation, which carries every coordinate's derivatives to all
bodies. The last column is the largest difference of the two over the largest entry.

![Time of the two Jacobians against the number of rods](images/rods.png)

CPU time in s of whole runs of 1 s in steps of 0.01 s, and in brackets what the correction adds
(medians in turns; figure 22 of Zhang and others):

| rods | without | semi-analytic | direct |
|---|---|---|---|
{totals}

![Time of runs against the number of rods](images/rod-runs.png)
"""


def time_rows(one: Closing) -> list[str]:
    rows = []
    for k, t in enumerate(one.lengths):
        cells = [f"{figure(one.seconds[w][k])} (+{100 * one.added(w)[k]:.0f} %)" for w in WAYS]
        rows.append(line(one.title, f"{t} s", figure(one.seconds["None"][k]), *cells))
    return rows


def part_row(one: Closing) -> str:
    times = [figure(one.jacobian[way]) for way in WAYS]
    gaps = [f"{one.largest[word][-1]:.2g}" for word in ("None", *WAYS)]
    return line(one.title, one.velocities, one.rows, *times, figure(one.forward), *gaps)


def plain(ax: Axes) -> None:
    ax.grid(True, color=LIGHT, linewidth=0.6)
    ax.tick_params(which="both", color=LIGHT, labelcolor=GREY)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(LIGHT)


def draw_gaps(path: Path, measured: Sequence[Closing]) -> None:
    """Above the gap without correction, below with it, one column for each mechanism."""
    fig, axes = plt.subplots(2, len(measured), figsize=(10, 5), sharex=True, layout="constrained")
    for one, (above, below) in zip(measured, axes.T, strict=True):
        t = np.linspace(0, one.lengths[-1], len(one.curves["None"]))
        above.plot(t, one.curves["None"], color=COLOURS[0], linewidth=1.5)
        above.set_title(one.title, color=GREY, fontsize=11)
        above.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        for way, colour, width in zip(WAYS, COLOURS[1:], (2.0, 0.8)):
            below.semilogy(t, np.maximum(one.curves[way], 1e-17), color=colour, linewidth=width,
                           label=way)  # fmt: skip
        below.axhline(TOLERANCE, color=GREY, linewidth=0.8, linestyle=":")
        below.set_ylim(1e-17, 1e-7)
        below.set_xlabel("time, s", color=GREY)
        plain(above)
        plain(below)
    axes[0, 0].set_ylabel("gap without correction, m", color=GREY)
    axes[1, 0].set_ylabel("gap with correction, m", color=GREY)
    axes[1, 0].legend(frameon=False, labelcolor=GREY, loc="upper left", ncols=2, fontsize=9)
    fig.savefig(path, dpi=150)
    plt.close(fig)


def draw_rods(path: Path, found: Rods) -> None:
    fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for way, colour, marker in zip(WAYS, COLOURS, "os"):
        ax.loglog(found.sizes, found.times[way], marker=marker, color=colour, linewidth=2,
                  label=f"{way}, N to the {found.exponent(way):.2f}")  # fmt: skip
    ax.set_xticks(found.sizes, [str(n) for n in found.sizes])
    ax.minorticks_off()
    ax.set_title("Jacobian of the cut pin of a loop of N rods", color=GREY, fontsize=11)
    ax.set_xlabel("N", color=GREY)
    ax.set_ylabel("CPU time, µs", color=GREY)
    plain(ax)
    ax.legend(frameon=False, labelcolor=GREY, loc="center left")
    fig.savefig(path, dpi=150)
    plt.close(fig)


def draw_runs(path: Path, found: Rods) -> None:
    fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    words = (("None", "without correction", GREY, "^"), *zip(WAYS, WAYS, COLOURS, "os"))
    for word, label, colour, marker in words:
        ax.plot(found.sizes, found.totals[word], marker=marker, color=colour, linewidth=2,
                label=label)  # fmt: skip
    ax.set_xticks(found.sizes, [str(n) for n in found.sizes])
    ax.set_ylim(bottom=0)
    ax.set_title("Runs of 1 s of a loop of N rods, steps of 0.01 s", color=GREY, fontsize=11)
    ax.set_xlabel("N", color=GREY)
    ax.set_ylabel("CPU time, s", color=GREY)
    plain(ax)
    ax.legend(frameon=False, labelcolor=GREY, loc="upper left")
    fig.savefig(path, dpi=150)
    plt.close(fig)


def run_row(found: Rods, k: int) -> str:
    without = found.totals["None"][k]
    cells = [found.totals[way][k] for way in WAYS]
    return line(
        found.sizes[k], figure(without),
        *(f"{figure(cell)} ({cell / without - 1:+.0%})".replace("%", " %") for cell in cells),
    )  # fmt: skip


def correction_section(docs: Path, measured: Sequence[Closing]) -> str:
    """Draws the picture into docs/images and gives the section's Markdown."""
    open_ = [one.title for one in measured if max(one.largest[w][-1] for w in WAYS) > TOLERANCE]
    if open_:
        raise SystemExit(f"Loops of {open_} are not closed. The page stays as it was.")
    draw_gaps(docs / "images" / "corrections.png", measured)
    steps = [1e6 * one.seconds["None"][-1] / (one.lengths[-1] / 0.01) for one in measured]
    return CORRECTIONS.format(
        times="\n".join(row for one in measured for row in time_rows(one)),
        parts="\n".join(map(part_row, measured)),
        last=measured[0].lengths[-1],
        least=f"{min(steps):.0f}",
        most=f"{max(steps):.0f}",
    )


def rod_section(docs: Path, found: Rods) -> str:
    """Draws the picture into docs/images and gives the section's Markdown."""
    if max(found.apart) > 1e-12:
        raise SystemExit(f"The two Jacobians differ by {found.apart}. The page stays as it was.")
    draw_rods(docs / "images" / "rods.png", found)
    draw_runs(docs / "images" / "rod-runs.png", found)
    semi, direct = (found.times[way] for way in WAYS)
    rows = zip(found.sizes, found.velocities, semi, direct, found.apart, strict=True)
    return RODS.format(
        rows="\n".join(
            line(n, v, figure(s), figure(d), figure(d / s), f"{apart:.0e}")
            for n, v, s, d, apart in rows
        ),
        totals="\n".join(run_row(found, k) for k in range(len(found.sizes))),
        semi=found.exponent(WAYS[0]),
        direct=found.exponent(WAYS[1]),
    )
