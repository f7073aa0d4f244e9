"""A drawing of a circuit with its state at one time: hydraulic, electric, or of heat.

Nodes (pressures, voltages, temperatures) are circles, coloured by their value; elements are squares
joined to their nodes, with their flow, opening or force.  Arrows show where a flow goes, as wide as
it is large.  A tank, supply or ambient that several elements join is drawn once for each of them,
as circuit diagrams do.  A model with circuits of several kinds has them drawn side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.hydraulics.ports import Supply, Tank
from linkwork.elements.thermal.bodies import Ambient
from linkwork.errors import ModelError
from linkwork.model import checks

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.result import Result

PART, LINE = "#e8e8e8", "#888888"
HUB = 3  # elements at a held node that is drawn once for each of them
LABEL = {"fontsize": 7, "ha": "center", "va": "top", "linespacing": 1.1}
NEAR = 0.2  # the least distance of two symbols in a drawing that is two wide
FAINT = 1e-3  # of the largest flow: no arrow
# what is said of an element without one flow: output, its factor, unit
STATES = {"opening": (100.0, "% open"), "force": (1e-3, "kN"), "torque": (1.0, "N m")}

# kinds of nodes: what a circuit of them is called, the output that flows, a factor, units
KINDS = {
    "pressure": ("hydraulic", "mass_flow", 1e-5, "bar", "kg/s"),
    "voltage": ("electric", "current", 1.0, "V", "A"),
    "temperature": ("thermal", "heat_flow", 1.0, "K", "W"),
}


def draw_circuit(result: Result, time: Any = None, ax: Any = None) -> Any:
    """Draw nodes and elements at a time (s; the run's end if not given); returns axes, an array of
    them where there are circuits of several kinds."""
    import matplotlib.pyplot as plt

    kinds = [kind for kind in KINDS if circuit_of(result, kind)[0]]
    if not kinds:
        raise ModelError(f"model '{result.system.model.name}' has no circuit to draw")
    when = result.time[-1] if time is None else checks.number(time, "time of a drawing")
    k = int(np.argmin(np.abs(result.time - when)))
    if ax is None:
        size = (8 * len(kinds), 5.5)
        _, ax = plt.subplots(1, len(kinds), layout="constrained", figsize=size)
    elif len(kinds) > 1:
        raise ModelError(
            f"model '{result.system.model.name}' has circuits of several kinds "
            f"({', '.join(KINDS[kind][0] for kind in kinds)}), which need axes of their own; leave "
            "out ax"
        )
    for kind, one in zip(kinds, np.atleast_1d(ax)):
        draw_kind(result, kind, k, one)
    return ax


def draw_kind(result: Result, kind: str, k: int, ax: Any) -> None:
    """The circuit of one kind of nodes, at stored time number k."""
    import networkx as nx

    word, _, factor, unit, _ = KINDS[kind]
    nodes, parts = circuit_of(result, kind)
    shown, joined = with_hubs_repeated(result, nodes, parts)
    graph = nx.Graph()
    graph.add_nodes_from(shown)
    for name, ends in joined.items():
        graph.add_edges_from((name, end) for end in ends)
    place = apart(nx.kamada_kawai_layout(graph))
    values = {n: factor * float(result[n].numbers(kind).reshape(-1)[k]) for n in nodes}
    circles = nx.draw_networkx_nodes(
        graph, place, list(shown), ax=ax, node_size=[300 if x in values else 90 for x in shown],
        cmap="viridis", node_color=[values[name] for name in shown.values()], edgecolors=LINE,
    )  # fmt: skip
    nx.draw_networkx_nodes(
        graph, place, list(parts), ax=ax, node_size=200, node_shape="s", node_color=PART,
        edgecolors=LINE,
    )  # fmt: skip
    draw_flows(result, kind, k, joined, place, ax)
    form = ".1f" if kind == "pressure" else ".4g"
    labels = {
        at: f"{name}\n{values[name]:{form}} {unit}" if at == name else name
        for at, name in shown.items()
    }
    labels |= {name: f"{name}\n{state_text(result, name, kind, k)}".rstrip() for name in parts}
    for at, text in labels.items():
        ax.annotate(text, place[at], (0, -9), textcoords="offset points", **LABEL)
    ax.figure.colorbar(circles, ax=ax, label=f"{kind} ({unit})", shrink=0.7)
    name = result.system.model.name
    ax.set_title(f"{word} circuit of '{name}' at t = {result.time[k]:.4g} s", fontsize=11)
    ax.set_axis_off()
    ax.margins(0.12)


def with_hubs_repeated(
    result: Result, nodes: tuple[str, ...], parts: dict[str, list[str]]
) -> tuple[dict[Any, str], dict[str, list[Any]]]:
    """Symbols of nodes with their names, and the symbols that each element joins."""
    items = result.system.model.items
    hubs = {
        name for name in nodes if isinstance(items[name], (Tank, Supply, Ambient))
        and sum(name in ends for ends in parts.values()) >= HUB
    }  # fmt: skip
    shown: dict[Any, str] = {name: name for name in nodes if name not in hubs}
    joined: dict[str, list[Any]] = {}
    for part, ends in parts.items():
        joined[part] = [(end, part) if end in hubs else end for end in ends]
        shown |= {at: at[0] for at in joined[part] if isinstance(at, tuple)}
    return shown, joined


def apart(place: dict[Any, Any]) -> dict[Any, np.ndarray]:
    """Places moved from each other where two symbols would overlap."""
    at = np.array(list(place.values()), float).reshape(-1, 2)
    for _ in range(100):
        d = at[:, None] - at[None]
        far = np.hypot(d[..., 0], d[..., 1]) + np.eye(len(at))
        push = np.maximum(NEAR - far, 0.0) / np.maximum(far, 1e-9)
        if not push.any():
            break
        at += 0.3 * (push[..., None] * d).sum(axis=1)
    return dict(zip(place, at))


def draw_flows(
    result: Result, kind: str, k: int, joined: dict[str, list[Any]], place: Any, ax: Any
) -> None:
    """Lines from elements to their nodes, arrows where a flow through two of these is known."""
    flows = {name: flow_of(result, name, kind, k) for name in joined}
    most = max((abs(q) for q in flows.values() if q is not None), default=0.0)
    for name, ends in joined.items():
        q = flows[name]
        moves = q is not None and len(ends) == 2 and abs(q) > FAINT * most
        for i, end in enumerate(ends):
            a, b = (place[end], place[name]) if i == 0 else (place[name], place[end])
            if moves and q < 0:  # type: ignore[operator]
                a, b = b, a
            wide = 1.0 + 2.0 * abs(q) / most if moves else 0.8  # type: ignore[arg-type]
            style = "-|>" if moves else "-"
            ax.annotate(
                "", b, a, arrowprops={"arrowstyle": style, "color": LINE, "lw": wide,
                                      "shrinkA": 7, "shrinkB": 7}, zorder=0,
            )  # fmt: skip


def pressures(result: Result) -> xr.Dataset:
    """The pressures of all items, over time."""
    import xarray as xr

    names, _ = circuit_of(result, "pressure")
    if not names:
        raise ModelError(f"model '{result.system.model.name}' has no hydraulic circuit")
    return xr.Dataset({name: result[name].pressure for name in names})


def circuit_of(result: Result, kind: str) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Names of the nodes of a kind, and of what joins them with the nodes at its ends."""
    layout = result.system.layout
    owner: dict[int, str] = {}
    for name, item in result.system.model.items.items():
        for node in item.vector_nodes():
            if node.kind.name == kind:
                owner[id(node)] = name
    parts: dict[str, list[str]] = {}
    for e in result.system.elements:
        if e.entry.family.signal:
            continue
        first = len(layout.bodies)
        ends = [layout.nodes[end - first] for end in e.ends if end >= first]
        names = [owner[id(node)] for node in ends if id(node) in owner]
        if names and e.owner not in owner.values():
            known = parts.setdefault(e.owner, [])
            known += [name for name in names if name not in known]
    return tuple(dict.fromkeys(owner.values())), parts


def flow_of(result: Result, name: str, kind: str, k: int) -> float | None:
    """The flow through an element from its first node to its second, where it has one alone."""
    flow, view = KINDS[kind][1], result[name]
    return float(view.numbers(flow).reshape(-1)[k]) if flow in view.names else None


def state_text(result: Result, name: str, kind: str, k: int) -> str:
    """What an element does: its flow, or else its opening, force or torque."""
    flow, view = flow_of(result, name, kind, k), result[name]
    if flow is not None:
        return f"{flow:.3g} {KINDS[kind][4]}"
    for output, (factor, unit) in STATES.items():
        if output in view.names and view.numbers(output)[k].size == 1:
            return f"{factor * float(view.numbers(output)[k]):.3g} {unit}"
    return ""
