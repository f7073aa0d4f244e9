"""Columns of numbers of nodes, joints, beams and forces, in blocks of stored times.

Signs and axes of the reactions of joints are MBDyn's (reactions.py).  Distances and rods give their
tension, and deformable joints their internal force, which is opposite to that on the second node.
Frames of one kind are computed together (stacks.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.beams import BeamRecord
from linkwork.io.mbdyn.deck.deck import Deck, ForceRecord, JointRecord
from linkwork.io.mbdyn.output.numbers import deformable as deformable_output
from linkwork.io.mbdyn.output.numbers.columns import COLUMNS
from linkwork.io.mbdyn.output.numbers.momenta import changing_momentum
from linkwork.io.mbdyn.output.numbers.motion import Motion, angles, following, offset, rotate, still
from linkwork.io.mbdyn.output.numbers.reactions import written
from linkwork.io.mbdyn.output.numbers.stacks import (
    Joints,
    Nodes,
    apart,
    contiguous,
    stacks_of_joints,
)
from linkwork.io.mbdyn.scalars.nodes import ScalarNode
from linkwork.io.mbdyn.scalars.results import scalar_values
from linkwork.model.drives import Drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.results.files.memory import share
from linkwork.results.outputs.stored import signal_values
from linkwork.results.result import Result

BLOCK = 32  # a part of the memory: numbers of text that are computed at once


def written_rows(deck: Deck, run: Result) -> np.ndarray:
    """Which stored times are written: every n-th step, or where the output meter is not zero."""
    a = deck.analysis
    if a.meter is not None:
        return np.flatnonzero(a.meter().values(run.time) != 0)
    if a.every == 1:
        return np.arange(len(run))
    return np.flatnonzero(step_numbers(deck, run) % a.every == 0)


def step_numbers(deck: Deck, run: Result) -> np.ndarray:
    """Which step of the run each stored time is the end of."""
    a, h = deck.analysis, float(run.info.get("h") or deck.analysis.step or 0.0)
    if not h or a.change is not None or a.factor is not None:  # all of them are stored
        return np.arange(len(run))
    return np.round((run.time - a.initial_time) / h).astype(int)


def step_sizes(deck: Deck, run: Result) -> np.ndarray:
    """The step that ended at each stored time; none did at the first one of the run."""
    h = float(run.info.get("h") or deck.analysis.step or 0.0)
    known = run.arrays.get("step", np.zeros(0))
    sizes = np.array(known) if len(known) == len(run) else np.full(len(run), h)
    return np.where(step_numbers(deck, run) == 0, 0.0, np.where(sizes > 0, sizes, h))


class Shared:
    """What all blocks of a run have in common: which frames are computed together, and outputs that
    need the whole run (what is counted or remembered), each made once."""

    def __init__(self, deck: Deck, run: Result) -> None:
        self.numbers, self.sizes = step_numbers(deck, run), step_sizes(deck, run)
        self.nodes = Nodes(deck, run)
        self.stacks = stacks_of_joints(deck, run, self.nodes)
        self.stack_of = {j.label: (stack, k) for stack in self.stacks
                         for k, j in enumerate(stack.records)}  # fmt: skip
        self.whole: dict[Any, np.ndarray] = {}
        self.drives: dict[int, Drive] = {}  # kept, for their values are known by id


class Tables:
    """What files are made of: columns of numbers for each node, joint and force at stored times."""

    def __init__(
        self, deck: Deck, run: Result, rows: np.ndarray | None = None, shared: Shared | None = None
    ) -> None:
        self.deck, self.run = deck, run
        self.rows = written_rows(deck, run) if rows is None else rows
        self.shared = Shared(deck, run) if shared is None else shared
        self.numbers, self.sizes = self.shared.numbers, self.shared.sizes
        self.time = run.time[self.rows]
        self._motions: dict[int | None, Motion] = {}
        self._turned: dict[str, np.ndarray] = {}  # of all nodes that are bodies
        self._momenta: dict[int, tuple[np.ndarray, ...]] = {}
        self._joints: dict[int, tuple[np.ndarray, ...]] = {}

    def blocks(self) -> Iterator[Tables]:
        """The same in blocks of times of some megabytes each; one where there is no time."""
        system = self.run.system
        n = max(1, share(BLOCK) // (8 * (24 * system.bodies + 3 * len(system.all_rows) + 1)))
        for first in range(0, max(len(self.rows), 1), n):
            yield Tables(self.deck, self.run, self.rows[first : first + n], self.shared)

    def whole(self, key: Any, make: Callable[[], np.ndarray]) -> np.ndarray:
        """An output that is made of the whole run, at the times of these tables."""
        known = self.shared.whole
        if key not in known:
            known[key] = make()
        return known[key][self.rows]

    def output(self, item: str, name: str) -> np.ndarray:
        """An output of an item of the model."""
        return self.whole((item, name), lambda: self.run[item].numbers(name))

    def signal(self, drive: Drive) -> np.ndarray:
        """A drive, also where it follows the motion."""
        if not leaves_that_follow(drive):
            return drive.values(self.time)
        self.shared.drives[id(drive)] = drive
        return self.whole(("signal", id(drive)), lambda: signal_values(self.run, drive))

    @functools.cached_property
    def frames(self) -> Motion:
        """The motion of all nodes that are bodies."""
        return self.shared.nodes.motion(self.run, self.rows)

    @functools.cached_property
    def frames_apart(self) -> Motion:
        return Motion(*(apart(x, len(self.shared.nodes.nodes)) for x in self.frames))

    def motion(self, label: int | None) -> Motion:
        if label not in self._motions:
            self._motions[label] = self._motion(label)
        return self._motions[label]

    def _motion(self, label: int | None) -> Motion:
        if label is None:
            return still(len(self.rows))
        place = self.shared.nodes.place
        if label in place:
            k = place[label]
            return Motion(*(x[:, k] for x in self.frames_apart))
        return following(self.deck, label, self.motion)

    # --------------------------------------------------------------------------------- nodes
    def node(self, label: int) -> np.ndarray:
        """The columns of .mov."""
        return np.hstack(self.node_parts(label))

    def node_parts(self, label: int) -> list[np.ndarray]:
        """Position, orientation, velocity, angular velocity [, accelerations]."""
        node, m = self.deck.nodes[label], self.motion(label)
        turned = np.zeros((len(self.rows), 3)) if node.points_only else self.turned(label)
        parts = [m.x, turned, m.v, m.w]
        return [*parts, m.a, m.p] if node.accelerations else parts

    def turned(self, label: int) -> np.ndarray:
        """The orientation of a node as it is to be written."""
        kind = self.deck.nodes[label].orientation or self.deck.analysis.orientation
        place = self.shared.nodes.place
        if label not in place:
            return angles(self.motion(label).R, kind)
        if kind not in self._turned:
            self._turned[kind] = apart(angles(self.frames.R, kind), len(place))
        return self._turned[kind][:, place[label]]

    def scalar(self, node: ScalarNode) -> np.ndarray:
        """Value and derivative of an abstract or parameter node."""
        return self.whole(("scalar", node.name), lambda: scalar_values(self.run, node))

    def momentum(self, label: int) -> tuple[np.ndarray, ...]:
        """β, γ about the node, and their rates."""
        nodes = self.shared.nodes
        if not self._momenta:
            found = [apart(x, len(nodes.moving)) for x in nodes.momenta(self.frames)]
            for k, number in nodes.moving.items():
                self._momenta[k] = tuple(x[:, number] for x in found)
        node, parts = self.deck.nodes[label], self._momenta[label]
        for item in node.variable:
            more = changing_momentum(item, node.centre, self.time, self.motion(label))
            parts = tuple(x + y for x, y in zip(parts, more))
        return parts

    def beam(self, record: BeamRecord) -> np.ndarray:
        """Force and moment of every section."""
        parts = [self.output(record.item, name) for name in ("section_force", "section_moment")]
        return np.concatenate(parts, axis=-1).reshape(len(self.rows), -1)

    # -------------------------------------------------------------------------------- joints
    def markers(self, joint: JointRecord) -> tuple[Motion, Motion]:
        first, second = joint.nodes
        ends = (self.motion(first), self.motion(second))
        return (
            offset(ends[0], joint.offsets[0], joint.axes[0]),
            offset(ends[1], joint.offsets[1], joint.axes[1]),
        )

    def reaction(self, joint: JointRecord) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment on the second node about its point, in world axes."""
        if joint.points is not None:
            return self.following(joint)
        force, torque = np.zeros((2, len(self.rows), 3))
        for name in joint.items:
            if "force_world" in self.run[name].names:
                force = force + self.output(name, "force_world")
                torque = torque + self.output(name, "torque_world")
        if joint.friction:
            R = self.markers(joint)[0].R
            if "force" in self.run[joint.friction].names:
                force = force + self.output(joint.friction, "force")[:, None] * R[:, :, 2]
            elif joint.columns.startswith("ball"):
                torque = torque + rotate(R, self.output(joint.friction, "torque"))
            else:
                torque = torque + self.output(joint.friction, "torque")[:, None] * R[:, :, 2]
        return force, torque

    def following(self, joint: JointRecord) -> tuple[np.ndarray, np.ndarray]:
        """Of a node that follows others: what it does to them, about itself."""
        labels, places, weights = joint.points
        entry = next(e for e in self.run.system.elements if e.owner == joint.items[0])
        gamma = self.run.gamma[contiguous(self.rows)][:, entry.first_row : entry.first_row + 6]
        m, F, M = self.motion(joint.nodes[1]), *np.zeros((2, len(self.rows), 3))
        for label, o, w in zip(labels, places, weights):
            on = rotate(m.R, -w * (np.cross(o, gamma[:, 3:]) - gamma[:, :3]))
            F, M = F + on, M + np.cross(self.motion(label).x - m.x, on)
        return F, M

    def joint(self, joint: JointRecord) -> tuple[np.ndarray, ...]:
        """f, m in local axes, F, M in global ones, and what the joint adds."""
        if joint.label not in self._joints:
            if joint.label in self.shared.stack_of:
                self._joints_of(self.shared.stack_of[joint.label][0])
            else:
                self._joints[joint.label] = self._joint(joint)
        return self._joints[joint.label]

    def _joints_of(self, stack: Joints) -> None:
        """All joints that are computed together."""
        first, of = stack.records[0], len(stack.records)
        a, b = stack.markers(self.frames, len(self.shared.nodes.nodes))
        F, M = stack.reactions(self.run, self.rows)
        found = *written(self, first, a, b, F, M), self.extra(first, a, b)
        parts = [apart(x, of) for x in found]
        for k, joint in enumerate(stack.records):
            self._joints[joint.label] = tuple(x[:, k] for x in parts)

    def _joint(self, joint: JointRecord) -> tuple[np.ndarray, ...]:
        a, b = self.markers(joint)
        zero = np.zeros((len(self.rows), 3))
        if joint.columns in ("distance", "rod"):
            d = b.x - a.x
            length = np.linalg.norm(d, axis=1)
            u = d / length[:, None]
            if joint.columns == "rod":
                tension = self.output(joint.items[0], "force")
                rate = np.sum(u * (b.v - a.v), axis=1)
                more = deformable_output.shock_absorber(self, joint, length, rate)
                extra = np.column_stack([length, u, rate, *(values for _, values, *_ in more)])
            else:
                tension = -np.sum(u * self.reaction(joint)[0], axis=1)
                extra = np.column_stack([u, length])
            local = zero.copy()
            local[:, 0] = tension
            return local, zero, tension[:, None] * u, zero, extra
        if joint.columns in deformable_output.COLUMNS:
            return deformable_output.text_columns(self, joint)
        F, M = self.reaction(joint)
        if joint.imposed is not None:  # MBDyn gives what the node does to the joint
            n = a.R[:, :, 0] if joint.columns in ("velocity", "acceleration") else b.R[:, :, 0]
            local = np.stack([np.sum(n * (F + M), axis=1), *zero.T[:2]], axis=1)
            turns = joint.columns == "spin"  # MBDyn's moment of accelerations is among the forces
            if joint.columns == "spin rate":
                return -local, zero, -M, zero, self.extra(joint, a, b)
            parts = (zero, -local, zero, -M) if turns else (-local, zero, -F, zero)
            return *parts, self.extra(joint, a, b)
        return *written(self, joint, a, b, F, M), self.extra(joint, a, b)

    def extra(self, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
        if joint.columns in COLUMNS:
            return COLUMNS[joint.columns][0](self, joint, a, b)
        return np.zeros((len(b.x), 0))

    # -------------------------------------------------------------------------------- forces
    def force(self, record: ForceRecord) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Force, moment, and the points where the force acts, in world axes."""
        if record.variant.startswith("abstract"):
            value = self.signal(record.terms[0][1])[:, None]
            return value, value, []
        ends = [self.motion(label) for label in record.nodes]
        values = []
        for terms in (record.terms, record.moments):
            v = sum((self.signal(d)[:, None] * v for v, d in terms), np.zeros((len(self.rows), 3)))
            values.append(rotate(ends[0].R, v) if record.follower else v)
        points = [m.x + rotate(m.R, arm) for m, arm in zip(ends, record.arms)]
        return values[0], values[1], points
