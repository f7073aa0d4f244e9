"""The joint graph as a picture: columns by the distance from the ground, names in boxes.

Within a column bodies stand at the mean height of those they hang on, which keeps lines from
crossing; a body on which most others end (the plate of a platform on legs) stands behind them.
Lines over several columns pass below what is between, and names of joints keep apart.  A chain that
is longer than a picture is wide is folded like text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import networkx as nx

GROUND = "ground"
WIDE = 7  # columns beyond which a graph is folded
COLUMN, ROW = 3.4, 0.62  # inches
BODY, GROUND_COLOUR, LINE, INK = "#dcebf7", "#e4e4e4", "#8a8f98", "#30343a"


def draw(graph: nx.MultiGraph, name: str, ax: Any = None) -> Any:
    """Draw the graph of a model of that name; returns the axes."""
    import matplotlib.pyplot as plt

    place = places(graph)
    points = np.array(list(place.values()))
    if ax is None:
        width, height = np.ptp(points, axis=0) if len(points) > 1 else (0.0, 0.0)
        size = (max(4.0, COLUMN * width + 2.4), max(2.2, ROW * height + 1.6))
        _, ax = plt.subplots(layout="constrained", figsize=size)
    pairs: dict[tuple[str, str], list[str]] = {}
    for a, b, key, data in graph.edges(keys=True, data=True):
        pair = (a, b) if (a, b) in pairs or (b, a) not in pairs else (b, a)
        pairs.setdefault(pair, []).append(f"{key} ({data['kind']})")
    taken: list[np.ndarray] = []
    for (a, b), labels in pairs.items():
        _joint(ax, np.array(place[a]), np.array(place[b]), labels, points, taken)
    for node, (x, y) in place.items():
        colour = GROUND_COLOUR if node == GROUND else BODY
        ax.text(x, y, node, ha="center", va="center", fontsize=9, color=INK, zorder=3,
                bbox={"boxstyle": "round,pad=0.4", "facecolor": colour, "edgecolor": LINE})
    ax.set_title(f"joint graph of '{name}'", fontsize=11, loc="left", color=INK)
    ax.set_axis_off()
    low, high = points.min(axis=0), points.max(axis=0)
    ax.set_xlim(low[0] - 0.4, high[0] + 0.7)
    lowest = min([low[1], *(box[1] for box in taken)])
    ax.set_ylim(lowest - 1.0, high[1] + 1.0)
    return ax


def _joint(
    ax: Any, start: np.ndarray, end: np.ndarray, labels: list[str], points: np.ndarray,
    taken: list[np.ndarray],
) -> None:  # fmt: skip
    """A line with its names near its middle; an arc within a column, or below those between."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    across, up = np.abs(end - start)
    bend = np.zeros(2)
    if across == 0:
        bend = np.array([0.25 + 0.25 * up / 1.7, 0.0])
    elif across > 1:
        left, right = sorted((start[0], end[0]))
        between = points[(points[:, 0] > left) & (points[:, 0] < right), 1]
        middle = (start[1] + end[1]) / 2
        near = between.size and between.min() < middle + 0.6 and between.max() > middle - 0.6
        bend = np.array([0.0, 2 * (between.min() - 1.2 - middle) if near else 0.9])
    control = (start + end) / 2 + bend
    path = Path(np.array([start, control, end]), [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=LINE, linewidth=1.1, zorder=1))
    half = np.array([0.052 * max(map(len, labels)) / 2, 0.3 * len(labels)])  # of the text, about
    ways = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72]
    spots = [(1 - s) ** 2 * start + 2 * s * (1 - s) * control + s * s * end for s in ways]
    free = (x for x in spots if all(np.any(np.abs(x - box[:2]) > half + box[2:]) for box in taken))
    spot = next(free, spots[0])
    taken.append(np.concatenate([spot, half]))
    ax.text(*spot, "\n".join(labels), ha="center", va="center",
            fontsize=7.5, color=INK, zorder=2,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none",
                  "alpha": 0.9})  # fmt: skip


def places(graph: nx.MultiGraph) -> dict[str, tuple[float, float]]:
    """Column and row of every vertex."""
    columns = layers(graph)
    rows: dict[str, float] = {}
    column_of = {node: k for k, nodes in enumerate(columns) for node in nodes}
    for k, nodes in enumerate(columns):
        def height(node: str, k: int = k) -> float:
            before = [rows[x] for x in graph.neighbors(node) if column_of[x] < k and x in rows]
            return float(np.mean(before)) if before else 0.0

        ordered = sorted(nodes, key=height)
        middle = np.mean([height(n) for n in ordered]) if k else 0.0
        for n, node in enumerate(ordered):
            rows[node] = float(middle) + 1.7 * (n - (len(ordered) - 1) / 2)
    if len(columns) <= WIDE:
        return {node: (float(column_of[node]), -rows[node]) for node in rows}
    tall = max(len(nodes) for nodes in columns) * 1.7 + 1.7
    folded = {}
    for node, row in rows.items():
        line, column = divmod(column_of[node], WIDE)
        folded[node] = (float(column if line % 2 == 0 else WIDE - 1 - column), -row - tall * line)
    return folded


def layers(graph: nx.MultiGraph) -> list[list[str]]:
    """Vertices by their distance from the ground; parts that do not hang on it come first too."""
    found: list[list[str]] = []
    seen: set[str] = set()
    for root in [GROUND, *graph.nodes]:
        if root in seen:
            continue
        seen.add(root)
        level, depth = [root], 0
        while level:
            if depth == len(found):
                found.append([])
            found[depth] += level
            after = list(dict.fromkeys(x for n in level for x in graph.neighbors(n)))
            level = [x for x in after if x not in seen]
            seen.update(level)
            depth += 1
    return behind_legs(graph, found)


def behind_legs(graph: nx.MultiGraph, columns: list[list[str]]) -> list[list[str]]:
    """Bodies with far more neighbours behind them than before them stand behind these, if these
    hang on others as well."""
    depth = {node: k for k, nodes in enumerate(columns) for node in nodes}
    for node in [n for nodes in columns[1:] for n in nodes]:
        others = list(graph.neighbors(node))
        behind = [x for x in others if depth[x] > depth[node]]
        before = [x for x in others if depth[x] < depth[node]]
        if len(behind) > 2 * len(before) and all(
            any(depth[y] < depth[x] for y in graph.neighbors(x) if y != node) for x in behind
        ):
            depth[node] = 1 + max(depth[x] for x in behind)
    moved: list[list[str]] = [[] for _ in range(1 + max(depth.values()))]
    for node, k in depth.items():
        moved[k].append(node)
    return [nodes for nodes in moved if nodes]
