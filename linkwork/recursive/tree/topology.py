"""The graph of bodies and joints, a tree in it, and the joints that are cut.

Bodies are reached from the ground in as few joints as possible (so loops are short), by joints with
few coordinates first.  Bodies that no joint connects to the ground hang on it by a free joint of
the heaviest one.  A joint that closes a loop, or that has no coordinates of its own (a distance, a
marker that moves), is cut: its rows become constraints between the tips of the tree.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.recursive.tree.joint_motions import FREE, RIGID, JointMotion, joint_motion
from linkwork.system.compilation.flexible import FlexibleBody
from linkwork.system.compilation.numbering import Element
from linkwork.system.system import System

GROUND = -1


@dataclass(frozen=True)
class Edge:
    """A joint of the graph; motion is none where it can only be cut."""

    name: str
    ends: tuple[int, int]
    elements: tuple[int, ...]
    motion: JointMotion | None
    section: FlexibleBody | None = None  # whose end it joins to its floating frame


@dataclass(frozen=True)
class Step:
    """One body of the tree: how it hangs on its parent.  `turned`: its joint's first body is it."""

    body: int
    parent: int  # place in the tree, −1 the ground
    edge: Edge | None  # none: free
    turned: bool

    @property
    def motion(self) -> JointMotion:
        return FREE if self.edge is None or self.edge.motion is None else self.edge.motion

    @property
    def link(self) -> FlexibleBody | None:
        """The flexible link that the body is the floating frame or an end of."""
        return None if self.edge is None else self.edge.section

    @property
    def is_frame(self) -> bool:
        return self.link is not None and self.body == self.link.frame


@dataclass(frozen=True)
class Topology:
    """The tree, from the base to the tips, and the cut joints by name.

    Printed it shows the tree; `plot()` draws it.
    """

    names: tuple[str, ...]
    steps: tuple[Step, ...]
    cuts: tuple[Edge, ...]

    @property
    def primary(self) -> list[str]:
        """Names of the joints of the tree."""
        return [s.edge.name for s in self.steps if s.edge is not None and not s.edge.section]

    @property
    def cut(self) -> list[str]:
        """Names of the cut joints."""
        return [edge.name for edge in self.cuts]

    def loop(self, name: str) -> list[str]:
        """The bodies of the loop that a cut joint closes, from one side to the other."""
        edge = next((e for e in self.cuts if e.name == name), None)
        if edge is None:
            raise ModelError(f"'{name}' is not a cut joint; cut are {self.cut}")
        place = {s.body: i for i, s in enumerate(self.steps)}
        paths = []
        for end in edge.ends:
            path, i = [], place.get(end, -1)
            while i >= 0:
                path.append(i)
                i = self.steps[i].parent
            paths.append([*path, -1])
        common = next(i for i in paths[0] if i in paths[1])
        first, second = (p[: p.index(common)] for p in paths)
        return [self.name(i) for i in [*first, common, *second[::-1]]]

    def name(self, place: int) -> str:
        return "ground" if place < 0 else self.names[self.steps[place].body]

    def __str__(self) -> str:
        lines, margins = ["ground"], {-1: ""}
        last = {step.parent: i for i, step in enumerate(self.steps)}
        for i, step in enumerate(self.steps):  # depth first
            how = "free" if step.edge is None else step.edge.name
            corner, below = ("└", "   ") if last[step.parent] == i else ("├", "│  ")
            lines.append(f"{margins[step.parent]}{corner}─ {how} ─ {self.name(i)}")
            margins[i] = margins[step.parent] + below
        for edge in self.cuts:
            a, b = (self.names[e] if e >= 0 else "ground" for e in edge.ends)
            lines.append(f"cut: {edge.name}, between {a} and {b}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree, cut joints as dashed lines; returns the axes."""
        from linkwork.recursive.tree.drawing import draw_topology

        return draw_topology(self, ax)


def topology_of(system: System, cuts: Sequence[str] = ()) -> Topology:
    """Tree and cuts of a compiled model; `cuts` names joints that must be cut."""
    edges = joint_edges(system)
    known = {e.name for e in edges if not e.section}
    for name in cuts:
        if name not in known:
            raise ModelError(
                f"cuts names '{name}', which is not a joint of model '{system.model.name}'; its "
                f"joints are {sorted(known)}"
            )
    usable = [e for e in edges if e.motion is not None and (e.section or e.name not in cuts)]
    masses = system.inertias[:, 0]
    steps = grow(system, usable, masses)
    if cuts:
        refuse_torn(system, [e for e in edges if e.motion is not None], steps, cuts, masses)
    used = {id(s.edge) for s in steps if s.edge is not None}
    return Topology(system.names, tuple(steps), tuple(e for e in edges if id(e) not in used))


def joint_edges(system: System) -> list[Edge]:
    """The joints of a system: elements with rows, those of one item together."""
    owners: dict[str, list[int]] = {}
    for i, element in enumerate(system.elements):
        if element.entry.rows and not is_part(system, element):
            owners.setdefault(element.owner, []).append(i)
    edges = []
    for name, numbers in owners.items():
        elements = [system.elements[i] for i in numbers]
        ends = elements[0].ends
        if any(e.ends != ends for e in elements) or len(ends) != 2:
            for i in numbers:
                far = system.elements[i].ends
                edges.append(Edge(name, (far[0], far[-1]), (i,), None))
            continue
        joined = (ends[0], ends[1])
        edges.append(Edge(name, joined, tuple(numbers), joint_motion(system, elements)))
    return [*edges, *section_edges(system)]


def is_part(system: System, element: Element) -> bool:
    """Whether an element belongs to the inside of a flexible link."""
    return isinstance(system.model[element.owner], FlexibleLink)


def section_edges(system: System) -> list[Edge]:
    """Between the floating frames of flexible links and their ends; elements come end by end."""
    edges = []
    for link in system.flexible:
        mine = [
            i for i, e in enumerate(system.elements) if e.entry.rows and link.frame in e.ends
        ]
        for i in mine:
            ends = system.elements[i].ends
            edges.append(Edge(str(link.item.name), (ends[0], ends[1]), (i,), RIGID, link))
    return edges


def grow(system: System, edges: list[Edge], masses: np.ndarray) -> list[Step]:
    """The tree: shortest ways from the ground, then from the heaviest of what is left."""
    near: dict[int, list[Edge]] = {b: [] for b in range(-1, system.bodies)}
    for edge in edges:
        for end in edge.ends:
            near[end].append(edge)
    found: dict[int, tuple[int, Edge | None, bool]] = {}  # body: parent body, edge, turned
    queue: list[tuple] = []

    def reach(body: int, depth: int) -> None:
        for edge in near[body]:
            other = edge.ends[1] if edge.ends[0] == body else edge.ends[0]
            turned = edge.ends[0] == other
            motion = edge.motion
            assert motion is not None
            if other < 0 or other in found or (turned and not motion.reversible):
                continue
            cost = (depth, -1) if edge.section else (depth + 1, motion.velocities)
            heapq.heappush(queue, (*cost, len(order), id(edge), other, body, edge, turned))
            order.append(0)

    order: list[int] = []
    bases = iter(sorted(range(system.bodies), key=lambda b: (-masses[b], b)))
    entrance = {link.frame: link.nodes[0] for link in system.flexible}
    reach(GROUND, 0)
    while True:
        while queue:
            depth, *_, other, body, edge, turned = heapq.heappop(queue)
            if other not in found:
                found[other] = (body, edge, turned)
                reach(other, depth)
        base = next((b for b in bases if b not in found), None)
        if base is None:
            break
        base = entrance.get(base, base)  # a flexible link is entered by its root
        found[base] = (GROUND, None, False)
        reach(base, 1)
    return numbered(found)


def numbered(found: dict[int, tuple[int, Edge | None, bool]]) -> list[Step]:
    """Bodies depth first, so that a chain's neighbours are neighbours in memory."""
    children: dict[int, list[int]] = {}
    for body, (parent, _, _) in found.items():
        children.setdefault(parent, []).append(body)
    steps: list[Step] = []
    place = {GROUND: -1}
    stack = children.get(GROUND, [])[::-1]
    while stack:
        body = stack.pop()
        parent, edge, turned = found[body]
        place[body] = len(steps)
        steps.append(Step(body, place[parent], edge, turned))
        stack += children.get(body, [])[::-1]
    return steps


def refuse_torn(
    system: System, edges: list[Edge], steps: list[Step], cuts: Sequence[str], masses: np.ndarray
) -> None:
    """The user's cuts must leave a tree to the ground wherever there was one."""
    free = {s.body for s in steps if s.edge is None}
    before = {s.body for s in grow(system, edges, masses) if s.edge is None}
    torn = [system.names[b] for b in sorted(free - before)]
    if len(free) > len(before):
        stuck = [
            e for e in edges if e.motion and not e.motion.reversible and e.name not in cuts
        ]
        raise ModelError(
            f"cutting {', '.join(repr(c) for c in cuts)} leaves '{torn[0]}' without a joint to the "
            "rest of the tree; cut only joints that close a loop, one for each loop"
            + "".join(f" ('{e.name}' leads only from its first body to its second)" for e in stuck)
        )
