"""A tree's tables from a compiled model: markers, inertia about the reference points, numbering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.elements.flexible.inertia import WIDE, link_reals
from linkwork.kernels import rotations
from linkwork.kernels.registers.eights import zeros8
from linkwork.recursive.tree import layout as lay
from linkwork.recursive.tree.joint_motions import JointMotion, Marker
from linkwork.recursive.tree.layout import Sweep, Tree
from linkwork.recursive.tree.topology import Step, Topology
from linkwork.system.data import Data

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Coordinates:
    """Numbering of the joint coordinates q and velocities v.

    names : of the coordinates;   ball : where quaternions begin, in q and in v
    """

    names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    balls: np.ndarray  # (n, 2)

    @property
    def nq(self) -> int:
        return len(self.names)

    @property
    def nv(self) -> int:
        return len(self.velocity_names)


@dataclass(frozen=True)
class Place:
    """A body's reference frame: P and its joint's axes, from which the body is seen."""

    to_body: np.ndarray  # quaternion from the reference axes to the body's
    com: np.ndarray  # centre of mass from P, in reference axes


GROUND_PLACE = Place(IDENTITY, np.zeros(3))


def make_tree(data: Data, topology: Topology) -> tuple[Tree, Sweep, Coordinates]:
    """Tables and room for the sweeps."""
    n = len(topology.steps)
    ints = np.zeros((n, lay.INTS), np.int64)
    reals = zeros8(lay.REALS * n).reshape(n, lay.REALS)
    places: list[Place] = []
    names: list[str] = []
    rates: list[str] = []
    balls: list[tuple[int, int]] = []
    base = laws = 0
    flexible = Flexible(data)
    for i, step in enumerate(topology.steps):
        motion = step.motion
        here, there = markers(step, motion)
        parent = places[step.parent] if step.parent >= 0 else GROUND_PLACE
        mine = Place(
            rotations.conjugate(there.orientation),
            rotations.matrix(there.orientation).T @ -there.position,
        )
        places.append(mine)
        put_reals(reals[i], data.tables.bodies[step.body], parent, mine, here)
        k = motion.velocities
        ints[i, lay.PARENT] = step.parent if step.parent >= 0 else n
        ints[i, lay.KIND] = lay.HINGE_JOINT if motion.plain_hinge else lay.GENERAL
        ints[i, lay.IQ], ints[i, lay.IV], ints[i, lay.DOF] = len(names), len(rates), k
        ints[i, lay.FREE] = sum(1 << j for j in motion.free)
        ints[i, lay.TURN], ints[i, lay.BASE] = motion.turn, base
        ints[i, lay.BODY], ints[i, lay.LAW] = step.body, -1
        if motion.law is not None:
            ints[i, lay.LAW], laws = laws, laws + 1
        if motion.turn == lay.BALL:
            balls.append((len(names) + len(motion.free), len(rates) + len(motion.free)))
        if step.link is not None:
            base += flexible.put(ints[i], step, len(names), len(rates))
            if step.is_frame:
                words = [f"{step.link.item.name}.q{j + 1}" for j in range(step.link.shapes)]
                names, rates = names + words, rates + words
            continue
        owner = data.system.names[step.body] if step.edge is None else step.edge.name
        words = [f"{owner}.{word}" for word in motion.names]
        names += words
        rates += [w for w in words if not w.endswith(".w")]
        base += column_room(k) + (8 if motion.law is not None else 0)
    tree = Tree(
        ints, reals, np.array(data.system.model.gravity, float), flexible.amplitudes_table(),
        np.concatenate([*flexible.reals, np.zeros(1)]),
        np.array(flexible.places, np.int64).reshape(-1, 3), np.zeros(len(rates) + 1),
    )  # fmt: skip
    coordinates = Coordinates(
        tuple(names), tuple(rates), np.array(balls, np.int64).reshape(-1, 2)
    )
    return tree, make_sweep(tree, coordinates, base, laws), coordinates


class Flexible:
    """Numbers of the flexible links: constants, shapes of their ends, amplitudes."""

    def __init__(self, data: Data) -> None:
        self.data, self.used = data, 0
        self.reals: list[np.ndarray] = []
        self.places: list[tuple[int, int, int]] = []
        self.amplitudes: list[tuple[int, int, int, int]] = []

    def _add(self, numbers: np.ndarray) -> int:
        begin, self.used = self.used, self.used + len(numbers)
        self.reals.append(numbers)
        return begin

    def put(self, ints: np.ndarray, step: Step, iq: int, iv: int) -> int:
        """Kind and places of a floating frame or an end; returns the room for its columns."""
        assert step.link is not None and step.edge is not None
        link, m = step.link, step.link.shapes
        (number,) = step.edge.elements
        end = self._add(np.asarray(self.data.system.elements[number].entry.reals)[: 3 + 6 * m])
        constants = 0
        ints[lay.KIND] = lay.SECTION
        if step.is_frame:
            constants = self._add(link_reals(link.item.modal))
            ints[lay.KIND], ints[lay.DOF] = lay.BENDING, m
            self.amplitudes.append((link.first, iq, iv, m))
        ints[lay.LINK] = len(self.places)
        self.places.append((constants, end, m))
        return -(-(26 * m + 2 * m * m + m) // 8) * 8 if step.is_frame else 8 * m

    def amplitudes_table(self) -> np.ndarray:
        return np.array(self.amplitudes, np.int64).reshape(-1, 4)


def column_room(k: int) -> int:
    """S, U, D and the rest of a joint with k degrees of freedom; to whole vectors of eight."""
    return -(-(16 * k + k * k + k) // 8) * 8


def make_sweep(tree: Tree, coordinates: Coordinates, columns: int, laws: int) -> Sweep:
    n = len(tree.ints)
    sweep = zeros8(lay.RECORD * (n + 1)).reshape(n + 1, lay.RECORD)
    sweep[n, lay.QUAT] = 1.0
    sweep[n, [lay.ROT, lay.ROT + 4, lay.ROT + 8]] = 1.0
    return Sweep(
        sweep, zeros8(columns + 8), np.zeros(2 * coordinates.nq), np.zeros((n + 1, 8)),
        np.zeros((laws, 21)), zeros8(6 * lay.LANES * (n + 1)).reshape(n + 1, -1),
        np.zeros((WIDE, WIDE)), np.zeros((WIDE, WIDE)), np.zeros(WIDE),
        np.zeros(coordinates.nv + 1), np.zeros((0, 3)),
    )  # fmt: skip


def markers(step: Step, motion: JointMotion) -> tuple[Marker, Marker]:
    """Marker on the parent and on the body."""
    if not step.turned:
        return motion.first, motion.second
    if motion.turn != lay.CROSS:
        return motion.second, motion.first
    swap = rotations.from_matrix(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]]))  # x ↔ y
    first, second = (
        Marker(m.position, rotations.multiply(m.orientation, swap))
        for m in (motion.second, motion.first)
    )
    return first, second


def put_reals(out: np.ndarray, body: np.ndarray, parent: Place, mine: Place, here: Marker) -> None:
    mass, inertia = body[0], body[1:10].reshape(3, 3)
    R = rotations.matrix(mine.to_body)
    d = mine.com
    about = R @ inertia @ R.T + mass * (d @ d * np.eye(3) - np.outer(d, d))
    out[lay.CQ : lay.CQ + 4] = rotations.multiply(parent.to_body, here.orientation)
    out[lay.CA : lay.CA + 3] = parent.com + rotations.matrix(parent.to_body) @ here.position
    out[lay.MD : lay.MD + 3] = mass * d
    out[lay.INERTIA : lay.INERTIA + 6] = about[np.triu_indices(3)]
    out[lay.MASS] = mass
    out[lay.BQ : lay.BQ + 4] = mine.to_body
    out[lay.COM : lay.COM + 3] = d


def read_coordinates(
    topology: Topology, motion: np.ndarray, values: np.ndarray, laws: np.ndarray, nq: int
) -> np.ndarray:
    """Joint coordinates of an assembled position, motion (bodies, 13) and values (3, n)."""
    q, at = np.zeros(nq), 0
    law = 0
    for step in topology.steps:
        joint = step.motion
        if step.is_frame and step.link is not None:
            q[at : at + step.link.shapes] = step.link.amplitudes(values)
            at += step.link.shapes
        if step.link is not None:
            continue
        here, there = markers(step, joint)
        parent = topology.steps[step.parent].body if step.parent >= 0 else -1
        PS, qS = world(motion, parent, here)
        Pd, qd = world(motion, step.body, there)
        t = rotations.matrix(qS).T @ (Pd - PS)
        rho = rotations.multiply(rotations.conjugate(qS), qd)
        if joint.law is not None:
            t = t - laws[law, :3]
            rho = rotations.multiply(rho, rotations.conjugate(laws[law, 3:7]))
            law += 1
        for i in joint.free:
            q[at], at = t[i], at + 1
        turn = turn_coordinates(joint.turn, rho)
        q[at : at + len(turn)], at = turn, at + len(turn)
    return q


def turn_coordinates(turn: int, rho: np.ndarray) -> list[float]:
    """Coordinates of a rotation given as a quaternion."""
    if turn == lay.ABOUT_Z:
        return [2 * float(np.arctan2(rho[3], rho[0]))]
    if turn == lay.BALL:
        return list(rho / np.linalg.norm(rho))
    if turn == lay.CROSS:
        R = rotations.matrix(rho)
        return [float(np.arctan2(R[2, 1], R[1, 1])), float(np.arctan2(R[0, 2], R[0, 0]))]
    if turn == lay.SWING:
        if rho[0] < 0:
            rho = -rho
        size = float(np.hypot(rho[1], rho[2]))
        factor = 2.0 if size < 1e-150 else 2 * float(np.arctan2(size, rho[0])) / size
        return [factor * float(rho[1]), factor * float(rho[2])]
    return []


def world(motion: np.ndarray, body: int, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """Position and orientation of a marker."""
    if body < 0:
        return marker.position, marker.orientation
    r, q = motion[body, :3], motion[body, 3:7]
    R = rotations.matrix(q)
    return r + R @ marker.position, rotations.multiply(q, marker.orientation)
