"""One path to a start: positions, then velocities, that satisfy joints, drives and start values.

1. Parts that do not fit, without start values and drives: the least motion of bodies.
2. Start values and drives: the bodies beyond a joint are carried along, so that the other joints of
   a tree keep their coordinates; in loops the joint coordinates change as little as they can.
   With weights of bodies both are one step, the least weighted motion of the bodies.
3. Velocities in the same two steps (`velocities`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.elements.joints.joints import ROW_NAMES, Joint
from linkwork.errors import AssemblyError
from linkwork.math import rotations
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Entry
from linkwork.system.initial_conditions.joint_graph import JOINT, Edge, JointGraph
from linkwork.system.initial_conditions.metrics import (
    BodyMetric,
    JointMetric,
    Resistances,
    body_number,
)
from linkwork.system.initial_conditions.positions import (
    TOLERANCE,
    close,
    close_from_anywhere,
    nearest,
    residual,
)  # fmt: skip
from linkwork.system.initial_conditions.velocities import consistent_velocities
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

PART = 0.5  # rad, or lengths over L, by which joints of loops are moved at once
NEARLY = 1e-4  # error of joints, lengths over L, that is left on the way
MOVED = 1e-9  # rad, or lengths over L: a smaller change is round-off
PARTS = 1000  # of a large change, at most


@dataclass(frozen=True)
class Start:
    """A state, the largest error of its joints before each Newton step that has closed them, and
    the joints that start values and drives of others have moved, by how many mm and degrees."""

    state: State
    history: list[float]
    moved: dict[str, dict[str, float]] = field(default_factory=dict)


def consistent_start(
    model: Model, held: System, resistances: Resistances, time: float = 0.0,
    loose: Collection[str] = (),
) -> Start:  # fmt: skip
    """Positions and velocities; `held`: the compiled model without nodes that nothing holds.

    loose : items whose rows do not hold
    """
    places, rates = start_values(model)
    system = with_start_rows(model, held, places, loose)
    found = start_positions(system, resistances, held.described_state(time))
    laws = {
        edge.owner: {row: polynomial([coordinate(pose, row) - time * v, v])
                     for row, v in rates[edge.owner].items()}
        for edge, pose in joint_poses(held, found.state) if edge.owner in rates
    } if rates else {}  # fmt: skip
    moving = with_start_rows(model, held, laws, loose)
    return replace(found, state=consistent_velocities(moving, resistances, found.state))


# ------------------------------------------------------------------------------------- start rows


def start_values(model: Model) -> tuple[dict[str, dict[str, Drive]], dict[str, dict[str, float]]]:
    """Free rows of joints with a coordinate or a rate to start with: constant laws, and rates."""
    places: dict[str, dict[str, Drive]] = {}
    rates: dict[str, dict[str, float]] = {}
    for name, item in model.items.items():
        if isinstance(item, Joint):
            at, rate = item.start()
            if at:
                places[name] = {row: polynomial([value]) for row, value in at.items()}
            if rate:
                rates[name] = rate
    return places, rates


def with_start_rows(
    model: Model, held: System, laws: Mapping[str, Mapping[str, Drive]], loose: Collection[str]
) -> System:
    """The system with free rows of joints held on these laws, without the rows of loose items."""
    system = held
    if laws:
        system = compile_model(model, start_entries(model, laws)).held_alone()
    keep = np.array([row.owner not in loose for row in system.all_rows], bool)
    return system if keep.all() else system.with_rows(keep)


def start_entries(
    model: Model, laws: Mapping[str, Mapping[str, Drive]]
) -> list[tuple[str, Entry]]:
    """Lock entries that hold free rows of joints on their laws."""
    out = []
    for name, rows in laws.items():
        joint = model[name]
        numbers = tuple(ROW_NAMES.index(r) for r in rows)
        out.append((name, joint.lock_entry(tuple(sorted(numbers)), {"t": dict(rows)})))
    return out


def joint_poses(system: System, state: State) -> Iterator[tuple[Edge, np.ndarray]]:
    """Joints with the poses of their bodies relative to each other."""
    graph = JointGraph(system, state)
    return zip(graph.edges, graph.relative_poses(state))


def coordinate(pose: np.ndarray, row: str) -> float:
    """Displacement z, or angle rz from −2π to 2π, of a relative pose."""
    return float(pose[2]) if row == "z" else 2 * float(np.arctan2(pose[6], pose[3]))


# -------------------------------------------------------------------------------------- positions


def start_positions(system: System, resistances: Resistances, described: State) -> Start:
    """Positions that satisfy all rows, those of start values and drives after the others."""
    holds = ~system.on_velocities & system.keep
    system = system if holds.all() else system.with_rows(holds)
    bodies = resistances.metric(system, described)
    led = np.array([row.driven for row in system.all_rows], bool) & holds
    weighted = bool(resistances.weights)  # the user has said what gives way
    if led.any() and not weighted and error(system, described).max() > TOLERANCE:
        try:
            fitting = system.with_rows(holds & ~led)
            state, history = close(fitting, bodies, described)
            state = nearest(fitting, bodies, state)
            return led_positions(system, bodies, resistances, state, history)
        except AssemblyError:
            pass  # all at once, from the description
    state, history = close_from_anywhere(system, bodies, described)
    return Start(nearest(system, bodies, state), history)


def led_positions(
    system: System, bodies: BodyMetric, resistances: Resistances, origin: State,
    history: list[float],
) -> Start:  # fmt: skip
    """Positions with start values and drives, from those without them."""
    if error(system, origin).max() < TOLERANCE:
        return Start(origin, history)
    still = [body_number(system, name) for name in resistances.fixed]
    graph = JointGraph(system, origin, still)
    metric = JointMetric(bodies.column, bodies.free, origin, graph)
    leading = Leading(system, graph, metric.before)
    state = leading.carried(origin, 1.0)
    if error(system, state).max() < TOLERANCE:
        return Start(state, history)
    try:
        state, more = leading.through_parts(metric, origin)
    except AssemblyError:
        state, more = close_from_anywhere(system, metric, state)
    state = nearest(system, metric, state)
    return Start(state, more, leading.others_moved(graph.change(state, metric.before)))


def error(system: System, state: State) -> np.ndarray:
    """|C|, lengths over L."""
    return np.abs(residual(system, state))


class Leading:
    """Joints with start values or drives: the ways of those in the tree, from these poses."""

    def __init__(self, system: System, graph: JointGraph, before: np.ndarray) -> None:
        self.system, self.graph, self.before = system, graph, before
        self.led = np.array([row.driven for row in system.kept_rows])
        self.rows: dict[str, set[int]] = {}
        for row in system.kept_rows:
            if row.driven:
                self.rows.setdefault(row.owner, set()).add(row.index)
        self.ways: dict[int, np.ndarray] = {}
        for _, i in graph.tree.values():
            edge = graph.edges[i]
            if edge.kind == JOINT and edge.owner in self.rows:
                pose = edge.held(before[i])
                turn = rotations.multiply(rotations.conjugate(before[i, 3:]), pose[3:])
                way = pose[:3] - before[i, :3], rotations.logarithm(turn)
                self.ways[i] = np.concatenate(way)

    def carried(self, state: State, part: float) -> State:
        """The state with that part of the way, what lies beyond the joints carried along."""
        for i, way in self.ways.items():
            turn = rotations.exponential(part * way[3:])
            turn = rotations.multiply(self.before[i, 3:], turn)
            pose = np.append(self.before[i, :3] + part * way[:3], turn)
            state = self.graph.carried(state, i, pose)
        return state

    def through_parts(self, metric: JointMetric, origin: State) -> tuple[State, list[float]]:
        """The whole way in parts, the loops closed after each, so that no branch is left."""
        system, C = self.system, residual(self.system, origin)
        sizes = [
            max(np.linalg.norm(way[3:]), np.linalg.norm(way[:3]) / self.graph.lengths[i])
            for i, way in self.ways.items()
        ]
        parts = min(math.ceil(max(sizes, default=PART) / PART), PARTS) or 1
        carried = np.array([
            row.owner in {self.graph.edges[i].owner for i in self.ways} for row in system.kept_rows
        ])  # fmt: skip
        state = origin
        for k in range(1, parts):
            moved = self.carried(state, k / parts)
            left = np.where(carried, residual(system, moved), (1 - k / parts) * C)
            state, _ = close(system, metric, moved, np.where(self.led, left, 0.0), NEARLY)
        return close(system, metric, self.carried(state, 1.0))

    def others_moved(self, change: np.ndarray) -> dict[str, dict[str, float]]:
        """Displacements (mm) and angles (degrees) of other joint coordinates."""
        moved = {}
        for edge, way in zip(self.graph.edges, change):
            led = self.rows.get(edge.owner, set())
            shift = float(np.linalg.norm([x for row, x in enumerate(way[:3]) if row not in led]))
            turn = 0.0 if led & {3, 4, 5} else float(np.linalg.norm(way[3:]))
            if edge.kind == JOINT and max(shift / self.system.length, turn) > MOVED:
                moved[edge.owner] = {"mm": 1e3 * shift, "deg": float(np.degrees(turn))}
        return moved
