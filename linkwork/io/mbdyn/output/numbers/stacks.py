"""Nodes and joints of one kind that are computed together: k rows for every time.

Nodes that are bodies have one stack, and so have joints which differ in their nodes and markers
alone: lock joints without laws, friction and nodes that follow others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.joints.lock import LOCK
from linkwork.io.mbdyn.deck.deck import Deck, JointRecord
from linkwork.io.mbdyn.output.numbers.frame_kernels import lock_rows, marker_rows, momentum_rows
from linkwork.io.mbdyn.output.numbers.motion import Motion, bodies_motion, empty, in_rows, offset
from linkwork.io.mbdyn.output.numbers.reactions import OF_NODE
from linkwork.results.result import Result
from linkwork.system.compilation.numbering import Element

ALIKE = ("", "hinge", "ball", "crossed", "gap", "turn")  # columns that follow from the markers
GROUND = -1


def apart(array: np.ndarray, of: int) -> np.ndarray:
    """Rows of so many frames with an axis for the frames, (T, of, …)."""
    return array.reshape(len(array) // of, of, *array.shape[1:])


def contiguous(rows: np.ndarray) -> Any:
    """Stored times as a slice where they follow each other."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


class Nodes:
    """The nodes that are bodies, and of those with masses that do not change the momenta."""

    def __init__(self, deck: Deck, run: Result) -> None:
        number = {name: k for k, name in enumerate(run.system.names)}
        self.nodes = [n for n in deck.nodes.values()
                      if n.base is None and f"node {n.label}" in number]  # fmt: skip
        self.place = {n.label: k for k, n in enumerate(self.nodes)}
        self.bodies = np.array([number[f"node {n.label}"] for n in self.nodes], int)
        self.back = -np.array([n.centre for n in self.nodes], float).reshape(-1, 3)
        moving = [n for n in self.nodes if n.kind.startswith("dynamic") and n.body is not None]
        self.moving = {n.label: k for k, n in enumerate(moving)}
        self.numbers = np.array([self.place[label] for label in self.moving], int)
        self.masses = np.array([n.body.mass for n in moving], float)
        self.inertias = np.array([n.body.inertia for n in moving], float).reshape(-1, 3, 3)
        self.centres = np.array([n.centre for n in moving], float).reshape(-1, 3)

    def motion(self, run: Result, rows: np.ndarray) -> Motion:
        found = bodies_motion(run, self.bodies, contiguous(rows))
        return offset(found, self.back, np.eye(3))

    def momenta(self, m: Motion) -> tuple[np.ndarray, ...]:
        """β, γ about the nodes, and their rates, of all moving nodes."""
        if len(self.numbers) != len(self.nodes):
            picked = (x.reshape(-1, len(self.nodes), *x.shape[1:])[:, self.numbers] for x in m)
            m = Motion(*(x.reshape(-1, *x.shape[2:]) for x in picked))
        m = in_rows(m)
        R = m.R.reshape(-1, len(self.numbers), 3, 3)
        J = (R @ self.inertias @ np.swapaxes(R, 2, 3)).reshape(-1, 3, 3)
        found = np.empty((4, len(m.x), 3))
        momentum_rows(m.R, J, m.v, m.w, m.a, m.p, self.centres, self.masses, found)
        return tuple(found)


@dataclass
class Joints:
    """Lock joints of one kind with the same columns."""

    records: list[JointRecord]
    nodes: np.ndarray  # (2, k) places in the stack of nodes, GROUND
    arms: np.ndarray  # (2, k, 3)
    axes: np.ndarray  # (2, k, 3, 3)
    ends: np.ndarray  # (k, 2) bodies, GROUND
    rows: np.ndarray  # (k, 6) multipliers, −1 where there is none
    reals: np.ndarray

    def markers(self, m: Motion, of: int) -> tuple[Motion, Motion]:
        """Of both ends, from the motion of the stack of nodes."""
        m = in_rows(m)
        return self.marker(m, of, 0), self.marker(m, of, 1)

    def marker(self, m: Motion, of: int, end: int) -> Motion:
        places = self.nodes[end]
        found = empty(len(m.x) // of * len(places))
        marker_rows(m, of, places, self.arms[end], found)
        R = (found.R.reshape(-1, len(places), 3, 3) @ self.axes[end]).reshape(-1, 3, 3)
        return found._replace(R=R)

    def reactions(self, run: Result, rows: np.ndarray) -> np.ndarray:
        """Forces and moments on the second nodes about their points, in world axes."""
        at = contiguous(rows)
        motion, gamma = (np.ascontiguousarray(x[at], float) for x in (run.motion, run.gamma))
        found = np.empty((2, len(rows) * len(self.records), 3))
        lock_rows(motion, gamma, self.ends, self.rows, self.reals, np.empty((3, 3)), *found)
        return found


def alike(joint: JointRecord, nodes: Nodes) -> bool:
    """Whether a joint's columns follow from its markers and reactions alone."""
    first = joint.nodes[0]
    plain = not joint.friction and joint.imposed is None and joint.points is None
    return (
        plain and joint.columns in ALIKE and joint.rotation_axes is None
        and joint.kind not in OF_NODE and len(joint.items) == 1 and joint.nodes[1] in nodes.place
        and (joint.columns != "ball" or first is not None)
        and (first is None or first in nodes.place)
    )  # fmt: skip


def lock_element(elements: list[Element], bodies: int) -> Element | None:
    """The lock element that an item is made of; none where it has laws or other parts."""
    if len(elements) != 1:
        return None
    (e,) = elements
    if e.entry.family is not LOCK or e.entry.laws or not e.entry.rows or max(e.ends) >= bodies:
        return None
    return e


def stacks_of_joints(deck: Deck, run: Result, nodes: Nodes) -> list[Joints]:
    owned: dict[str, list[Element]] = {}
    for e in run.system.elements:
        owned.setdefault(e.owner, []).append(e)
    groups: dict[Any, list[tuple[JointRecord, Element]]] = {}
    for joint in deck.joints.values():
        if not joint.written or not alike(joint, nodes):
            continue
        lock = lock_element(owned.get(joint.items[0], []), run.system.bodies)
        if lock is not None:
            kind = joint.kind, joint.columns, joint.orientation, joint.nodes[0] is None
            groups.setdefault(kind, []).append((joint, lock))
    return [stack_of(group, nodes) for group in groups.values()]


def stack_of(group: list[tuple[JointRecord, Element]], nodes: Nodes) -> Joints:
    records = [joint for joint, _ in group]
    firsts = [GROUND if j.nodes[0] is None else nodes.place[j.nodes[0]] for j in records]
    seconds = [nodes.place[j.nodes[1]] for j in records]
    rows = np.full((len(group), 6), -1)
    for k, (_, e) in enumerate(group):
        rows[k, list(e.entry.rows)] = list(e.rows)
    return Joints(
        records, np.array([firsts, seconds], int),
        np.array([[j.offsets[end] for j in records] for end in range(2)], float),
        np.array([[j.axes[end] for j in records] for end in range(2)], float),
        np.array([e.ends[:2] for _, e in group], int), rows,
        np.array([e.entry.reals for _, e in group], float),
    )  # fmt: skip
