"""A drawing of a hydraulic circuit with its state at one time.

Pressures are circles, coloured by their value; elements are squares joined to their pressures, with
their mass flow where they have one alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks

if TYPE_CHECKING:
    from linkwork.results.result import Result

PART = "#e8e8e8"


def draw_circuit(result: Result, time: Any = None, ax: Any = None) -> Any:
    """Draw pressures and elements at a time (s; the run's end if not given); returns axes."""
    import matplotlib.pyplot as plt
    import networkx as nx

    pressures, parts = circuit_of(result)
    if not pressures:
        raise ModelError(f"model '{result.system.model.name}' has no hydraulic circuit to draw")
    when = result.time[-1] if time is None else checks.number(time, "time of a drawing")
    k = int(np.argmin(np.abs(result.time - when)))
    if ax is None:
        _, ax = plt.subplots(layout="constrained", figsize=(8, 5.5))
    graph = nx.Graph()
    graph.add_nodes_from(pressures)
    for name, ends in parts.items():
        graph.add_edges_from((name, end) for end in ends)
    place = nx.kamada_kawai_layout(graph)
    values = {name: float(result[name].pressure.values.reshape(-1)[k]) for name in pressures}
    circles = nx.draw_networkx_nodes(
        graph, place, list(pressures), ax=ax, node_size=700, cmap="viridis",
        node_color=[values[name] / 1e5 for name in pressures],
    )  # fmt: skip
    nx.draw_networkx_nodes(
        graph, place, list(parts), ax=ax, node_size=350, node_shape="s", node_color=PART,
        edgecolors="#888888",
    )  # fmt: skip
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color="#888888")
    labels = {name: f"{name}\n{values[name] / 1e5:.1f} bar" for name in pressures}
    labels |= {name: f"{name}\n{flow_text(result, name, k)}".rstrip() for name in parts}
    nx.draw_networkx_labels(graph, place, labels, ax=ax, font_size=7, verticalalignment="top")
    ax.figure.colorbar(circles, ax=ax, label="pressure (bar)", shrink=0.7)
    name = result.system.model.name
    ax.set_title(f"circuit of '{name}' at t = {result.time[k]:.4g} s", fontsize=11)
    ax.set_axis_off()
    ax.margins(0.15)
    return ax


def circuit_of(result: Result) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Names of the pressures, and of what joins them with the pressures at its ends."""
    layout = result.system.layout
    owner: dict[int, str] = {}
    for name, item in result.system.model.items.items():
        for node in item.vector_nodes():
            if node.kind.name == "pressure":
                owner[id(node)] = name
    parts: dict[str, list[str]] = {}
    for e in result.system.elements:
        first = len(layout.bodies)
        ends = [layout.nodes[end - first] for end in e.ends if end >= first]
        names = [owner[id(node)] for node in ends if id(node) in owner]
        if names and e.owner not in owner.values():
            known = parts.setdefault(e.owner, [])
            known += [name for name in names if name not in known]
    return tuple(dict.fromkeys(owner.values())), parts


def flow_text(result: Result, name: str, k: int) -> str:
    """The mass flow of an element, where it has one alone."""
    view = result[name]
    if "mass_flow" not in view.names:
        return ""
    return f"{view.numbers('mass_flow').reshape(-1)[k]:.3g} kg/s"
