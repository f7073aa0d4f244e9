"""The tree of a mechanism as a picture: the ground at the left, cut joints as dashed red curves.

Bodies stand in columns by the number of joints between them and the ground; each tip has a row of
its own, and a body stands in the middle of what it carries.  A tree that is deeper than the picture
is wide turns round and goes on below, upside down so that no lines cross there: a long chain
becomes a serpentine.  All places are in inches, from which the size of the picture follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from linkwork.recursive.tree.topology import Topology

GREY, BLUE, STONE, RED = "#4a4a4a", "#d3e5f2", "#d9d9d9", "#c1272d"
LETTER = 0.075  # inches, of the letters of FONT points
FONT, SMALL = 9.0, 5.0
ROW, WIDEST = 0.42, 11.0  # inches: between rows; a picture that still fits a page
LOWEST = 4  # columns, however long the names


class Layout:
    """Where bodies stand: `place` (bodies + 1, 2), the ground last."""

    def __init__(self, topology: Topology) -> None:
        self.parent = [step.parent for step in topology.steps]
        n = len(self.parent)
        self.names = [topology.name(i) for i in range(n)] + ["ground"]
        self.joints = [joint_name(step.edge) for step in topology.steps]
        self.half = np.array([0.5 * LETTER * len(name) + 0.1 for name in self.names])
        widest = max((LETTER * len(name) for name in self.joints), default=0.0)
        self.column = widest + 2 * float(self.half.max()) + 0.25
        self.depth = [0] * (n + 1)
        for i in range(n):
            self.depth[i] = self.depth[self.parent[i]] + 1
        deepest = max(self.depth)
        self.columns = max(LOWEST, int(WIDEST / self.column))
        if deepest < self.columns + 2:  # one more column is better than a turn
            self.columns = deepest + 1
        self.band = [d // self.columns for d in self.depth]
        self.place = np.zeros((n + 1, 2))
        self._stand()

    def _stand(self) -> None:
        """Rows of tips within each band, top down; a body in the middle of its children."""
        n = len(self.parent)
        top = 0.0
        for band in range(max(self.band) + 1):
            mine = [i for i in [n, *range(n)] if self.band[i] == band]
            inside: dict[int, list[int]] = {i: [] for i in mine}
            for i in mine:
                if i != n and self.parent[i] % (n + 1) in inside:
                    inside[self.parent[i] % (n + 1)].append(i)
            row = top
            for i in mine if band % 2 == 0 else mine[::-1]:  # depth first: tips in order
                if not inside[i]:
                    self.place[i, 1], row = row, row - ROW
            for i in reversed(mine):
                if inside[i]:
                    ys = self.place[inside[i], 1]
                    self.place[i, 1] = 0.5 * (ys.max() + ys.min())
            for i in mine:
                k = self.depth[i] % self.columns
                k = k if band % 2 == 0 else self.columns - 1 - k
                self.place[i, 0] = k * self.column
            top = row - ROW

    def lanes(self) -> dict[int, float]:
        """x of the vertical line to each body where the tree turns round; short ones inside."""
        out: dict[int, float] = {}
        n = len(self.parent)
        for band in range(1, max(self.band) + 1):
            turns = [i for i in range(n) if self.band[i] == band != self.band[self.parent[i]]]
            turns.sort(key=lambda i: abs(self.place[i, 1] - self.place[self.parent[i], 1]))
            side = 1 if band % 2 else -1
            edge = self.place[turns, 0] + side * self.half[turns] if turns else np.zeros(1)
            for k, i in enumerate(turns):
                out[i] = float((side * edge).max()) * side + side * (0.15 + 0.25 * k)
        return out

    @property
    def size(self) -> tuple[float, float]:
        span = np.ptp(self.place, axis=0)
        return float(span[0]) + 2 * float(self.half.max()) + 1.2, float(span[1]) + 1.0


def joint_name(edge: Any) -> str:
    if edge is None:
        return "free"
    return "" if edge.section else edge.name


def draw_topology(topology: Topology, ax: Any = None) -> Any:
    """Draw the tree and its cut joints; returns the axes."""
    layout = Layout(topology)
    width, height = layout.size
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(max(width, 3.5), max(height, 2.0)), layout="constrained")
        shrink = 1.0
    else:
        box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        shrink = min(1.0, box.width / width, box.height / height)
    font = max(SMALL, FONT * shrink)
    taken = [*layout.place]  # where words stand
    lanes = layout.lanes()
    for i in range(len(layout.parent)):
        taken.append(draw_joint(ax, layout, i, lanes, font))
    draw_cuts(ax, topology, layout, taken, font)
    for i, (x, y) in enumerate(layout.place):
        colour = STONE if i == len(layout.parent) else BLUE
        ax.text(
            x, y, layout.names[i], ha="center", va="center", fontsize=font, color="black", zorder=3,
            bbox={"boxstyle": "round,pad=0.28", "fc": colour, "ec": GREY, "lw": 0.7},
        )  # fmt: skip
    margin = float(layout.half.max()) + 0.3
    low, high = layout.place.min(axis=0), layout.place.max(axis=0)
    below, above = ax.dataLim.intervaly  # of the curves too
    left, right = ax.dataLim.intervalx
    ax.set_xlim(min(low[0] - margin, left - 0.3), max(high[0] + margin, right + 0.3))
    ax.set_ylim(min(low[1] - 0.4, below - 0.25), max(high[1] + 0.4, above + 0.25))
    ax.set_axis_off()
    return ax


def draw_joint(
    ax: Any, layout: Layout, i: int, lanes: dict[int, float], font: float
) -> np.ndarray:
    """The line from a body's parent to it; the joint's name stands before the body."""
    parent = layout.parent[i]
    (x0, y0), (x1, y1) = layout.place[parent], layout.place[i]
    turning = i in lanes
    side = np.sign(lanes[i] - x0) if turning else np.sign(x1 - x0)
    bend = lanes[i] if turning else x0 + side * (layout.half[parent] + 0.14)
    width = 1.1 if layout.joints[i] else 2.6  # thick: the inside of a flexible link
    ax.plot([x0, bend, bend, x1], [y0, y0, y1, y1], color=GREY, lw=width, zorder=1)
    if turning:
        at = np.array([bend + 0.1 * side, 0.5 * (y0 + y1)])
        how = {"ha": "center", "va": "center", "rotation": 90}
    else:
        at = np.array([0.5 * (bend + x1 - side * layout.half[i]), y1 + 0.035])
        how = {"ha": "center", "va": "bottom"}
    ax.text(*at, layout.joints[i], fontsize=0.9 * font, color=GREY, zorder=4, **how)
    return at


def draw_cuts(
    ax: Any, topology: Topology, layout: Layout, taken: list[np.ndarray], font: float
) -> None:
    """Cut joints as curves, those between the same bodies further and further out."""
    number = {step.body: i for i, step in enumerate(topology.steps)}
    between: dict[tuple[int, ...], int] = {}
    for edge in topology.cuts:
        ends = [number.get(body, len(topology.steps)) for body in edge.ends]
        pair = tuple(sorted(ends))
        between[pair] = between.get(pair, 0) + 1
        points = curve(layout, ends, between[pair])
        ax.plot(points[:, 0], points[:, 1], color=RED, lw=1.1, ls=(0, (4, 3)), zorder=2)
        at = roomy(points, taken, LETTER * len(edge.name))
        taken.append(at)
        ax.text(
            *at, edge.name, ha="center", va="center", fontsize=0.9 * font, color=RED, zorder=5,
            bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"},
        )  # fmt: skip


def roomy(points: np.ndarray, taken: list[np.ndarray], width: float) -> np.ndarray:
    """The point of a curve, near its middle if possible, where a word is furthest from others."""
    middle = len(points) // 2
    away = (points[:, None] - np.array(taken)) / (0.5 * width + 0.35, 0.22)
    room = np.minimum(np.linalg.norm(away, axis=2).min(axis=1), 1.0)
    off = np.abs(np.arange(len(points)) - middle) / len(points)
    return points[int(np.argmax(room - 0.4 * off))]


def curve(layout: Layout, ends: Sequence[int], count: int) -> np.ndarray:
    """A parabola from body to body: beside them in a column, above or below them in a row."""
    a, b = layout.place[ends[0]].copy(), layout.place[ends[1]].copy()
    across = abs(a[0] - b[0])
    if across < 1e-9:  # one column: to the right of it
        reach = max(layout.half[e] for e in ends)
        a[0] += layout.half[ends[0]]
        b[0] += layout.half[ends[1]]
        control = 0.5 * (a + b)
        control[0] = max(a[0], b[0]) + reach * 0.4 + 0.5 * count + 0.4 * abs(a[1] - b[1])
    else:  # below, and lower the longer it is
        a[1] -= 0.1
        b[1] -= 0.1
        control = 0.5 * (a + b)
        control[1] = min(a[1], b[1]) - 0.35 * count - 0.12 * across
        if abs(a[1] - b[1]) > 0.9 * ROW:  # between rows: a slack line is enough
            control[1] = 0.5 * (a[1] + b[1]) - 0.25 * count
    s = np.linspace(0, 1, 41)[:, None]
    return (1 - s) ** 2 * a + 2 * s * (1 - s) * control + s**2 * b
