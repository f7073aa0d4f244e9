"""A model at a glance: bodies, joints, degrees of freedom from the true rank, the joint graph.

    degrees of freedom = 6 · bodies − rank C_q      at the assembled position

A flexible link counts as one body and its modes; the rows that hold it together are not counted.
Coordinates of a cable's points and other values of order two are freedoms, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.overview.masses import masses_of
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.flexible.parts import Part
from linkwork.elements.layout import SIX
from linkwork.errors import LinkworkError
from linkwork.model import html
from linkwork.model.model import Model, private_copy
from linkwork.system.compilation.collection import bodies_of, nodes_of
from linkwork.system.compilation.planar import counting
from linkwork.system.initial_conditions.consistent_start import Start
from linkwork.system.initial_conditions.open_joints import listed

if TYPE_CHECKING:
    import networkx as nx

GROUND = "ground"
LONG = 30  # lines of a table, or of the graph, beyond which the rest is counted
MANY = 4  # bodies that an item joins, likewise


def summary(model: Model) -> str:
    """What `print(model)` says."""
    model = private_copy(model)
    lines = [f"Model '{model.name}'"]
    if np.any(model.gravity):
        lines.append("  gravity " + _vector(model.gravity) + " m/s²")
    nodes = _nodes(model)
    if not bodies_of(model):
        none = ["  no bodies yet; add one with model.add(name, lw.Body(...))"]
        return "\n".join([*lines, *(nodes or none)])
    assembled: Start | None = None
    try:
        assembled = assemble_model(model, warn=False)
        lines += _freedoms(assembled)
    except LinkworkError as error:
        lines.append(f"  degrees of freedom not known, since it cannot be assembled: {error}")
    lines += nodes + _bodies(model, assembled) + _items(model, assembled)
    lines += ["", "joint graph", *("  " + line for line in _cut(graph_lines(joint_graph(model))))]
    if assembled is not None:
        lines += [f"redundant: {message}" for message in assembled.redundancy.messages]
    return "\n".join(lines)


def summary_html(model: Model) -> str:
    """The same for notebooks: tables of bodies and of joints, and the graph to open."""
    model = private_copy(model)
    gravity = f", gravity {_vector(model.gravity)} m/s²" if np.any(model.gravity) else ""
    parts = [html.title(f"Model '{model.name}'{gravity}")]
    assembled: Start | None = None
    if bodies_of(model):
        try:
            assembled = assemble_model(model, warn=False)
            parts += [html.note(line.strip()) for line in _freedoms(assembled)]
        except LinkworkError as error:
            parts.append(html.note(f"it cannot be assembled: {error}"))
    for rows in (body_rows(model, assembled), item_rows(model, assembled)):
        if len(rows) > 1:
            more = len(rows) - 1 - LONG
            parts.append(html.table(rows[0], rows[1 : LONG + 1], right=False))
            parts += [html.note(f"… and {more} more")] * (more > 0)
    if assembled is not None:
        parts += [html.note(f"redundant: {message}") for message in assembled.redundancy.messages]
    graph = "\n".join(_cut(graph_lines(joint_graph(model))))
    return "".join([*parts, html.folded("joint graph", graph)] if graph else parts)


def _nodes(model: Model) -> list[str]:
    """Vector nodes; of an item with many, how many there are."""
    nodes_of(model)  # which names them
    lines = []
    for item in model.items.values():
        mine = item.vector_nodes()
        lines += [f"  {node.label}, of order {node.kind.order}" for node in mine[:MANY]]
        if len(mine) > MANY:
            lines.append(f"  … and {len(mine) - MANY} more of {item.label}")
    return lines


def _freedoms(assembled: Start) -> list[str]:
    driven = sum(row.driven for row in assembled.full.system.all_rows)
    each, bodies, modes, values, rows, rank = counted(assembled)
    flexible = (f" + {modes} modes" if modes else "") + (f" + {values} values" if values else "")
    plane = f" in the plane {assembled.full.system.model.planar}" if each == 3 else ""
    freedoms = each * bodies + modes + values - rank
    lines = [
        f"  degrees of freedom {freedoms} = {each} × {bodies}{flexible} − rank {rank} of {rows} "
        f"rows{plane}"
    ]
    if rank < rows:
        lines.append(f"  redundant rows {rows - rank}")
    if driven:
        lines.append(f"  driven rows {driven}")
    if assembled.moved:
        lines.append(f"  start values and drives move {listed(assembled.moved)}")
    return lines


def counted(assembled: Start) -> tuple[int, int, int, int, int, int]:
    """Freedoms of a body, bodies with flexible links as one each, modes, other values of order two,
    rows of joints, and their rank; in a plane without those that hold bodies in it."""
    system, rank = assembled.full.system, assembled.redundancy.rank
    parts = sum(len(link.nodes) for link in system.flexible)
    modes = sum(link.shapes for link in system.flexible)
    values = int((system.layout.order == 2).sum()) - modes
    inside = SIX * parts  # rows that hold sections to frames
    bodies, rows = system.bodies - parts, len(system.all_rows)
    if system.model.planar is None:
        return SIX, bodies, modes, values, rows - inside, rank - inside
    inside += 3 * bodies
    return 3, bodies, modes, values, int(counting(system).sum()) - inside, rank - inside


def body_rows(model: Model, assembled: Start | None) -> list[tuple[str, ...]]:
    """The table of bodies, its head first."""
    head = ("body", "mass (kg)", "centre of mass (m)", "principal moments (kg m²)")
    rows: list[tuple[str, ...]] = [head]
    for name, body in masses_of(model, assembled).items():
        rows.append((name, f"{body.mass:.6g}", _vector(body.centre), _vector(body.moments)))
    return rows


def _bodies(model: Model, assembled: Start | None) -> list[str]:
    bodies = masses_of(model, assembled)
    masses = np.array([body.mass for body in bodies.values()])
    lines = ["", *_cut(_columns(body_rows(model, assembled)))]
    if masses.sum() > 0 and len(bodies) > 1:
        centre = masses @ np.array([b.centre for b in bodies.values()]) / masses.sum()
        lines.append(f"  together {masses.sum():.6g} kg, centre of mass {_vector(centre)} m")
    return lines + _flexible(model)


def _flexible(model: Model) -> list[str]:
    """The modes of flexible links."""
    rows: list[tuple[str, ...]] = [("flexible link", "length (m)", "frequencies of shapes (Hz)")]
    for name, item in model.items.items():
        if isinstance(item, FlexibleLink):
            rows.append((name, f"{item.length:.6g}", _vector(item.modal.frequency)[1:-1]))
    return ["", *_cut(_columns(rows))] if len(rows) > 1 else []


def _items(model: Model, assembled: Start | None) -> list[str]:
    rows = item_rows(model, assembled)
    return ["", *_cut(_columns(rows))] if len(rows) > 1 else []


def item_rows(model: Model, assembled: Start | None) -> list[tuple[str, ...]]:
    """The table of joints and forces, its head first."""
    rows: list[tuple[str, ...]] = [("joint or force", "kind", "between", "rows")]
    left_out: dict[str, int] = {}
    plane: dict[str, list[str]] = {}  # rows that a planar model needs of a joint that closes a loop
    if assembled is not None:
        system, keep = assembled.full.system, assembled.redundancy.keep
        counts = counting(system) if model.planar is not None else np.ones(len(keep), bool)
        for row, kept, in_plane in zip(system.all_rows, keep, counts):
            left_out[row.owner] = left_out.get(row.owner, 0) + (in_plane and not kept)
            plane.setdefault(row.owner, []).extend([row.name] * bool(in_plane))
    for name, item in model.items.items():
        if item.bodies():
            continue
        entries = item.entries()
        held = " ".join(e.row_names[r] for e in entries for r in e.rows)
        if model.planar is not None and name in plane:
            held = " ".join(plane[name])
        if left_out.get(name):
            held += f"  ({left_out[name]} left out as redundant)"
        rows.append((name, type(item).__name__, " – ".join(ends(item)), held))
    return rows


def ends(item: Any) -> list[str]:
    """Names of the bodies that an item joins, beside nodes of its own; many are counted."""
    own = {id(part) for part in (*item.bodies(), *item.vector_nodes())}
    bodies = [body for entry in item.entries() for body in entry.bodies if id(body) not in own]
    names = list(dict.fromkeys(str(body.name) for body in bodies))
    if len(names) <= MANY:
        return names
    return [*names[: MANY - 1], f"… {len(names) - MANY + 1} more"]


# ------------------------------------------------------------------------------ the joint graph


def joint_graph(model: Model) -> nx.MultiGraph:
    """Bodies and the ground as vertices, what constrains as edges with name and kind."""
    import networkx as nx

    graph = nx.MultiGraph()
    graph.add_node(GROUND)
    for name, item in model.items.items():
        if item.bodies():
            graph.add_node(name)
    for name, item in model.items.items():
        entries = [e for e in item.entries() if e.rows and not item.bodies()]
        if entries:
            first, *others = dict.fromkeys(vertex(b) for e in entries for b in e.bodies)
            for other in others:
                graph.add_edge(first, other, key=name, kind=type(item).__name__)
    return graph


def vertex(body: Any) -> str:
    """The name of a body in the graph; frames of a flexible link are the link."""
    return str(body.link.name if isinstance(body, Part) else body.name)


def graph_lines(graph: nx.MultiGraph) -> list[str]:
    """The graph as a tree from the ground, breadth first; loop closures where they are met."""
    lines: list[str] = []
    seen: set[str] = set()
    for root in [GROUND, *graph.nodes]:
        if root not in seen and (root != GROUND or graph.degree(GROUND)):
            lines.append(root if root == GROUND else f"{root} (free)")
            lines += _branches(_spanned(graph, root, seen), root, "")
    return lines


def _spanned(graph: nx.MultiGraph, root: str, seen: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Node → its joints as text, each with the node it leads to ("" where it closes a loop)."""
    tree: dict[str, list[tuple[str, str]]] = {root: []}
    used: set[str] = set()
    seen.add(root)
    queue = [root]
    for node in queue:
        for _, other, key, data in graph.edges(node, keys=True, data=True):
            if key in used:
                continue
            used.add(key)
            text = f"{key}: {data['kind']} → {other}"
            if other in seen:
                tree[node].append((f"{text} (closes a loop)", ""))
            else:
                seen.add(other)
                tree[node].append((text, other))
                tree[other] = []
                queue.append(other)
    return tree


def _branches(tree: dict[str, list[tuple[str, str]]], node: str, indent: str) -> list[str]:
    lines: list[str] = []
    stack = [(text, other, indent, k == len(tree[node]) - 1)
             for k, (text, other) in enumerate(tree[node])][::-1]  # fmt: skip
    while stack:
        text, other, indent, last = stack.pop()
        lines.append(f"{indent}{'└─' if last else '├─'} {text}")
        below, more = tree.get(other, []), indent + ("   " if last else "│  ")
        stack += [(t, o, more, k == len(below) - 1) for k, (t, o) in enumerate(below)][::-1]
    return lines


def draw_graph(model: Model, ax: Any = None) -> Any:
    """The joint graph as a picture; returns the axes."""
    from linkwork.analysis.overview.graph_picture import draw

    return draw(joint_graph(private_copy(model)), model.name, ax)


# ---------------------------------------------------------------------------------------- words


def _vector(x: np.ndarray) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in np.asarray(x) + 0.0) + ")"


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  " + "  ".join(f"{x:<{w}}" for x, w in zip(row, widths)).rstrip() for row in rows]


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= LONG else [*lines[:LONG], f"  … and {len(lines) - LONG} more"]
