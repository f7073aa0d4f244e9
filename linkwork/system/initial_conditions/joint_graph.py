"""The graph of bodies and joints with a tree in it, and relative poses over its edges.

The pose of a joint's marker P on body b relative to the marker S on body a,

    x = R_Sᵀ d,   ρ = ρ_S* ρ_P,   d = r_P − r_S,     δx = R_Sᵀ (δr_P − δr_S + d × φ_a)

changes with the joint coordinates alone.  The tree reaches bodies from the ground (and from bodies
that must not move) by joints in as few steps as possible, by those with few coordinates first; then
by other constraints.  Of bodies without a way to the ground the heaviest is the base.  Nodes of one
item, a beam or a flexible link, stand in a row.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from linkwork.elements.joints.lock import LOCK, QT, RT, UA, UB
from linkwork.elements.layout import SIX
from linkwork.kernels import rotations
from linkwork.system.compilation.numbering import Element
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

JOINT, ITEM, OTHER = range(3)  # kinds of edges: lock joints, nodes of one item, other constraints
BENDING = 100.0  # weight of relative motions of the nodes of one item
TOUCHING = 1e-6  # distance of joints, over the extent of the mechanism, that counts as none
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
Entries: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]
BASE = -1  # number of the ground, and the edge of a body on which others hang


@dataclass(frozen=True, eq=False)
class Edge:
    """Two bodies (ground −1), and of a joint its elements with their rows in the equations."""

    owner: str
    ends: tuple[int, int]
    kind: int
    elements: tuple[tuple[int, frozenset[int]], ...] = ()
    rows: frozenset[int] = frozenset()


class JointGraph:
    """Edges, and the tree: parent and edge of every body, in the order in which they are reached.

    still : bodies that do not move
    """

    def __init__(self, data: Data, state: State, still: Collection[int] = ()) -> None:
        self.system, self.state, self.data = data.system, state, data
        rows = active_elements(data)
        self.edges = joints(self.system, rows)
        self.joints = len(self.edges)
        self.edges += other_edges(self.system, rows)
        self.tree = grow(self.edges, self.system.inertias[:, 0], still)
        bases = [b for b, (_, edge) in self.tree.items() if edge == BASE]
        self.edges += [Edge("", (BASE, b), OTHER) for b in bases]
        of_tree = {e for _, e in self.tree.values()}
        self.counts = np.array([
            e.kind != OTHER or i in of_tree or not e.owner for i, e in enumerate(self.edges)
        ])  # fmt: skip
        self.ends = np.array([e.ends for e in self.edges], int).reshape(-1, 2)
        self.markers = np.tile(IDENTITY, (len(self.edges), 2, 1))
        data.set_time(state.time)
        first = [self.system.places[e.elements[0][0]].start for e in self.edges[: self.joints]]
        for k, place in enumerate((UA, UB)):
            at = np.array(first, int)[:, None] + np.arange(place, place + 7)
            self.markers[: self.joints, k] = data.tables.reals[at]

    # ---------------------------------------------------------------------------------- poses
    def marker_poses(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """World poses (edges, 2, 7) of both markers of every edge, and of their bodies."""
        bodies = np.vstack([state.motion[:, :7], IDENTITY])[self.ends]
        return composed(bodies, self.markers), bodies

    def relative_poses(self, state: State) -> np.ndarray:
        """(edges, 7): x and ρ of every edge."""
        poses = self.marker_poses(state)[0]
        return composed(inverted(poses[:, 0]), poses[:, 1])

    def held(self, edge: int, now: np.ndarray) -> np.ndarray:
        """The pose in which rows hold a joint; where it is free as it is now."""
        pose, reals = now.copy(), self.data.tables.reals
        for element, rows in self.edges[edge].elements:
            numbers, places = reals[self.system.places[element]], [row for row in rows if row < 3]
            pose[places] = numbers[RT : RT + 3][places]
            if 5 in rows and {3, 4, 5} <= self.edges[edge].rows:
                pose[3:] = numbers[QT : QT + 4]
        return pose

    def change(self, state: State, before: np.ndarray) -> np.ndarray:
        """(edges, 6): displacements and rotation vectors since these relative poses."""
        now = self.relative_poses(state)
        turn = rotations.multiply(rotations.conjugate(before[:, 3:]), now[:, 3:])
        return np.hstack([now[:, :3] - before[:, :3], rotations.logarithm(turn)])

    def jacobian(self, state: State, weights: np.ndarray) -> Entries:
        """(6 edges, motions): relative velocities by their weights, rotations in the axes of
        marker P; entries, their rows and columns, and the shape."""
        poses, bodies = self.marker_poses(state)
        S, P = (np.swapaxes(rotations.matrix(poses[:, k, 3:]), 1, 2) for k in (0, 1))
        Ra, Rb = (rotations.matrix(bodies[:, k, 3:]) for k in (0, 1))
        ua, ub = (rotations.tilde(self.markers[:, k, :3]) for k in (0, 1))
        d = rotations.tilde(poses[:, 1, :3] - poses[:, 0, :3])
        blocks = np.zeros((2, len(self.edges), SIX, SIX))
        blocks[0, :, :3, :3], blocks[1, :, :3, :3] = -S, S
        blocks[0, :, :3, 3:], blocks[1, :, :3, 3:] = S @ (Ra @ ua + d @ Ra), -S @ Rb @ ub
        blocks[0, :, 3:, 3:], blocks[1, :, 3:, 3:] = -P @ Ra, P @ Rb
        blocks *= weights[..., None]
        row, column = np.indices((SIX, SIX))
        edge, ends = np.arange(len(self.edges))[:, None, None], self.ends.T[:, :, None, None]
        rows = np.broadcast_to(SIX * edge + row, blocks.shape)
        moves = np.broadcast_to(ends >= 0, blocks.shape)
        shape = SIX * len(self.edges), self.system.motions
        return blocks[moves], rows[moves], (SIX * ends + column)[moves], shape

    # ----------------------------------------------------------------------- moving along the tree
    @cached_property
    def children(self) -> dict[int, list[int]]:
        out: dict[int, list[int]] = {}
        for body, (parent, _) in self.tree.items():
            out.setdefault(parent, []).append(body)
        return out

    def carried(self, state: State, edge: int, pose: np.ndarray) -> State:
        """The state with this relative pose of an edge of the tree; what lies beyond it is carried
        along."""
        (S, P), (a, b) = self.marker_poses(state)[0][edge], self.edges[edge].ends
        if b >= 0 and self.tree[b][1] == edge:
            moving, old, new = [b], P, composed(S, pose)
        else:
            moving, old, new = [a], S, composed(P, inverted(pose))
        for body in moving:
            moving += self.children.get(body, [])
        motion = state.motion.copy()
        motion[moving, :7] = composed(composed(new, inverted(old)), motion[moving, :7])
        return replace(state, motion=motion)

    # ------------------------------------------------------------------------------------ lengths
    @cached_property
    def lengths(self) -> np.ndarray:
        """L of every edge: from a joint that slides to the neighbouring joint, else the extent of
        what constraints join."""
        L = self.system.extents[self.ends.max(axis=1)]
        at: dict[int, list[int]] = {b: [] for b in range(BASE, self.system.bodies)}
        for i, e in enumerate(self.edges):
            for end in e.ends if e.kind == JOINT else ():
                at[end].append(i)
        points = self.marker_poses(self.state)[0][:, 1, :3]
        for i, e in enumerate(self.edges):
            if e.kind == JOINT and not {0, 1, 2} <= e.rows:
                L[i] = self.neighbour_distance(i, at, points, L[i])
        return L

    @cached_property
    def weights(self) -> np.ndarray:
        """(edges, 6): roots of the weights of displacements, 1/L, and of rotations; none of edges
        that close loops and are no joints."""
        stiff = np.where([e.kind == ITEM for e in self.edges], np.sqrt(BENDING), 1.0) * self.counts
        return np.repeat(np.column_stack([stiff / self.lengths, stiff]), 3, axis=1)

    def neighbour_distance(
        self, joint: int, at: dict[int, list[int]], points: np.ndarray, otherwise: float
    ) -> float:
        """From a joint to the nearest on its bodies, or to the next ones where these coincide."""
        seen, near = {joint}, {joint}
        while near:
            bodies = {end for i in near for end in self.edges[i].ends if end >= 0}
            near = {i for body in bodies for i in at[body]} - seen
            apart = [float(np.linalg.norm(points[i] - points[joint])) for i in near]
            apart = [d for d in apart if d > TOUCHING * otherwise]
            if apart:
                return min(apart)
            seen |= near
        return otherwise


# --------------------------------------------------------------------------------------- poses


def composed(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The pose q (…, 7), seen from the pose p, in the axes in which p is known."""
    turned = (rotations.matrix(p[..., 3:]) @ q[..., :3, None])[..., 0]
    turn = rotations.multiply(p[..., 3:], q[..., 3:])
    return np.concatenate([p[..., :3] + turned, turn], axis=-1)


def inverted(p: np.ndarray) -> np.ndarray:
    back = rotations.conjugate(p[..., 3:])
    place = -(rotations.matrix(back) @ p[..., :3, None])[..., 0]
    return np.concatenate([place, back], axis=-1)


# --------------------------------------------------------------------------------------- edges


def joints(system: System, active: Mapping[int, frozenset[int]]) -> list[Edge]:
    """Lock joints between two bodies; start rows of a joint belong to it."""
    together: dict[tuple, list[tuple[int, frozenset[int]]]] = {}
    for i, rows in active.items():
        element = system.elements[i]
        if element.entry.family is LOCK and not is_guide(system, element):
            together.setdefault((element.owner, element.ends), []).append((i, rows))
    return [
        Edge(owner, ends, JOINT, tuple(parts), frozenset().union(*(rows for _, rows in parts)))
        for (owner, ends), parts in together.items()
    ]


def active_elements(data: Data) -> dict[int, frozenset[int]]:
    """Elements with rows in the equations, and which of their rows these are."""
    rows: dict[int, list[int]] = {}
    for row in data.kept_rows:
        rows.setdefault(row.element, []).append(row.index)
    return {element: frozenset(numbers) for element, numbers in rows.items()}


def is_guide(system: System, element: Element) -> bool:
    """Whether rows only hold a body in the plane of a planar model."""
    return BASE in element.ends and bool(system.model[element.owner].bodies())


def other_edges(system: System, active: Iterable[int]) -> Iterator[Edge]:
    """Nodes of one item in a row, then constraints that are no lock joints."""
    number = {name: b for b, name in enumerate(system.names)}
    for name, item in system.model.items.items():
        nodes = [number[body.name] for body in item.bodies()]
        yield from (Edge(name, pair, ITEM) for pair in zip(nodes, nodes[1:]))
    for i in active:
        element = system.elements[i]
        ends = [end for end in element.ends if BASE <= end < system.bodies]
        if element.entry.family is not LOCK:
            yield from (Edge(element.owner, pair, OTHER) for pair in zip(ends, ends[1:]))


def grow(
    edges: list[Edge], masses: np.ndarray, still: Collection[int]
) -> dict[int, tuple[int, int]]:
    """The tree: parent and edge of every body."""
    near: dict[int, list[int]] = {b: [] for b in range(BASE, len(masses))}
    for i, edge in enumerate(edges):
        for end in set(edge.ends) if edge.ends[0] != edge.ends[1] else ():
            near[end].append(i)
    tree: dict[int, tuple[int, int]] = {}
    queue: list[tuple[int, int, int, int, int, int]] = []

    def reach(body: int, depth: int) -> None:
        for i in near[body]:
            a, b = edges[i].ends
            other, kind = (b if a == body else a), edges[i].kind
            if other != BASE and other not in tree:
                cost = kind == OTHER, depth + (kind != ITEM), 6 - len(edges[i].rows)
                heapq.heappush(queue, (*cost, i, other, body))

    heaviest = iter(sorted(range(len(masses)), key=lambda b: (-masses[b], b)))
    bases = [*still]
    for body in still:
        tree[body] = BASE, BASE
    for body in (BASE, *bases):
        reach(body, 0)
    while len(tree) < len(masses):
        while queue:
            _, depth, _, i, body, parent = heapq.heappop(queue)
            if body not in tree:
                tree[body] = parent, i
                reach(body, depth)
        base = next((b for b in heaviest if b not in tree), None)
        if base is not None:
            tree[base] = BASE, BASE
            reach(base, 1)
    return tree
