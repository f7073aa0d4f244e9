"""One path to a start: positions and velocities that satisfy joints, drives and start values, and
the rows that are independent there.

1. Parts that do not fit, without start values and drives: the least motion of bodies.
2. Start values and drives: the bodies beyond a joint are carried along, so that the other joints of
   a tree keep their coordinates; in loops the joint coordinates change as little as they can.
   With weights of bodies both are one step, the least weighted motion of the bodies.
3. Velocities, those of drives among them; then rates of joints (`velocities`).
4. Independent rows, with which the analysis solves (`independence`).

A state of the user (at=, start=) goes through the last step alone; its joints are closed before, or
must be (`start_at`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from linkwork.elements.failures import forget_failures
from linkwork.elements.layout import UNKNOWN
from linkwork.errors import AssemblyError
from linkwork.kernels import rotations
from linkwork.model.drives import Drive, polynomial
from linkwork.system.compilation.start_rows import laws_of, start_values
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.initial_conditions.given_states import require_closed
from linkwork.system.initial_conditions.independence import choose_rows
from linkwork.system.initial_conditions.joint_graph import JOINT, JointGraph
from linkwork.system.initial_conditions.metrics import JointMetric, Resistances, body_number
from linkwork.system.initial_conditions.positions import TOLERANCE, Positions, close_joints
from linkwork.system.initial_conditions.velocities import consistent_velocities
from linkwork.system.redundancy import Redundancy
from linkwork.system.state import State
from linkwork.system.system import System

Joints = Literal["close", "refuse", "leave"]
PART = 0.5  # rad, or lengths over L, by which joints of loops are moved at once
NEARLY = 1e-4  # error of joints, lengths over L, that is left on the way
MOVED = 1e-9  # rad, or lengths over L: a smaller change is round-off
PARTS = 1000  # of a large change, at most


@dataclass(frozen=True)
class Start:
    """A state in which an analysis starts, with all rows (`full`) and independent ones (`data`).

    history : the largest error of the joints before each Newton step that has closed them
    moved   : joints that start values and drives of others have moved, by how many mm and degrees
    """

    full: Data
    data: Data
    state: State
    redundancy: Redundancy
    history: list[float] = field(default_factory=list)
    moved: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def consistent_start(
    full: Data, resistances: Resistances | None = None, time: float = 0.0,
    loose: Collection[str] = (), warn: bool = True,
) -> Start:  # fmt: skip
    """From the described state; full: all rows of a system.

    loose : items whose rows do not hold;   warn : of rows that repeat others
    """
    system, resistances = full.system, resistances or Resistances()
    held = held_data(system)
    try:  # flexible links stay straight, unless the joints must bend them
        ways = replace(resistances, straight=True)
        state, history, moved = with_velocities(held, ways, time, loose)
    except AssemblyError:
        if not system.flexible:
            raise
        state, history, moved = with_velocities(held, resistances, time, loose)
    forget_failures(system)  # forces do not matter here, and positions were not yet possible ones
    holding = without_rows(full, loose)
    redundancy, data = choose_rows(holding, state, warn=warn)
    if state.memory is not None and np.abs(state.memory).max(initial=0.0) > UNKNOWN / 2:
        known = state  # paths of friction begin here
        if system.sample_times and (system.layout.order == 0).any():
            known = accelerations(data, state)  # readings without rates follow from equations
        state = replace(state, memory=full.remember(known).memory)
    return Start(full, data, state, redundancy, history, moved)


def start_at(
    full: Data, state: State, word: str, joints: Joints = "close", warn: bool = True
) -> Start:
    """From a state of the user, whose open joints are closed, refused, or left as they are.

    word : the user's word for it, at= or start=
    """
    state = replace(state, acceleration=None, gamma=None, restart={})
    if joints == "close":
        state = close_joints(full, state)
    elif joints == "refuse":
        require_closed(full, state, word)
    redundancy, data = choose_rows(full, state, warn=warn)
    return Start(full, data, state, redundancy)


Found = tuple[State, list[float], dict[str, dict[str, float]]]  # with history and moved joints


def with_velocities(
    held: Data, resistances: Resistances, time: float, loose: Collection[str]
) -> Found:
    """Positions and velocities; held: data of the elements on bodies and on held nodes."""
    places, rates = start_values(held.system.model)
    first = len(held.system.elements)  # of those that hold start values
    data = with_start_rows(held, places, loose)
    hold(data, first, places)
    described = held.system.described_state(time)
    state, history, moved = start_positions(data, resistances, described)
    data = with_start_rows(held, rates, loose)
    led, graph = np.array([row.element >= first for row in data.kept_rows], bool), None
    if rates:
        graph = JointGraph(data, state)
        hold(data, first, {
            edge.owner: {row: polynomial([coordinate(pose, row) - time * v, v])
                         for row, v in rates[edge.owner].items()}
            for edge, pose in zip(graph.edges, graph.relative_poses(state)) if edge.owner in rates
        })  # fmt: skip
    return consistent_velocities(data, resistances, state, led, graph), history, moved


# ------------------------------------------------------------------------------------- start rows


def with_start_rows(
    held: Data, rows_of: Mapping[str, Collection[str]], loose: Collection[str]
) -> Data:
    """The model with these free rows of joints in the equations, without those of loose items."""
    starting, rows = held.system.starting, len(held.system.all_rows)
    if not rows_of:
        return without_rows(held, loose)
    return held_data(starting).restricted(np.array([
        row.owner not in loose and (r < rows or row.name in rows_of.get(row.owner, ()))
        for r, row in enumerate(starting.all_rows)
    ], bool))  # fmt: skip


def hold(data: Data, first: int, laws: Mapping[str, Mapping[str, Drive]]) -> None:
    """Put the free rows of joints, which the elements from the first on hold, on these laws."""
    model, elements = data.system.model, data.system.elements
    data.laws = tuple(
        (i, laws_of(model[elements[i].owner], laws[elements[i].owner]))
        if i >= first and elements[i].owner in laws else (i, law) for i, law in data.laws
    )


def without_rows(data: Data, loose: Collection[str]) -> Data:
    """The same without the rows of loose items."""
    keep = np.array([row.owner not in loose for row in data.system.all_rows], bool)
    return data if keep.all() else data.restricted(data.keep & keep)


def held_data(system: System) -> Data:
    """Of elements that act on bodies and on nodes that constraints hold: the others, and what they
    act on, stay as they are described."""
    held = {g for e in system.elements if e.entry.rows for g in e.ends}
    return system.data(elements=[
        i for i, e in enumerate(system.elements)
        if all(g < system.bodies or g in held for g in e.ends)
    ])  # fmt: skip


def coordinate(pose: np.ndarray, row: str) -> float:
    """Displacement z, or angle rz from −2π to 2π, of a relative pose."""
    return float(pose[2]) if row == "z" else 2 * float(np.arctan2(pose[6], pose[3]))


# -------------------------------------------------------------------------------------- positions


def start_positions(data: Data, resistances: Resistances, described: State) -> Found:
    """Positions that satisfy all rows, those of start values and drives after the others."""
    system = data.system
    holds = ~system.on_velocities & data.keep
    data = data.restricted(holds)
    bodies = resistances.metric(system, described)
    led = np.array([row.driven for row in system.all_rows], bool) & holds
    held = Positions(data, bodies)
    weighted = bool(resistances.weights)  # the user has said what gives way
    if led.any() and not weighted and held.error(described) > TOLERANCE:
        try:
            fitting = data.restricted(holds & ~led)
            free = Positions(fitting, bodies)
            state, history = free.close(described)
            state = free.nearest(state)
            return led_positions(held, resistances, state, history)
        except AssemblyError:
            pass  # all at once, from the description
    state, history = held.close_from_anywhere(described)
    return held.nearest(state), history, {}


def led_positions(
    held: Positions, resistances: Resistances, origin: State, history: list[float]
) -> Found:
    """Positions with start values and drives, from those without them."""
    if held.error(origin) < TOLERANCE:
        return origin, history, {}
    still = [body_number(held.data.system, name) for name in resistances.fixed]
    graph = JointGraph(held.data, origin, still)
    metric = JointMetric(held.metric.column, held.metric.free, origin, graph)
    leading = Leading(held.data, metric)
    state = leading.carried(origin, 1.0)
    if held.error(state) < TOLERANCE:
        return state, history, {}
    try:
        state, more = leading.through_parts(origin)
    except AssemblyError:
        state, more = leading.positions.close_from_anywhere(state)
    state = leading.positions.nearest(state)
    return state, more, leading.others_moved(graph.change(state, metric.before))


class Leading:
    """Joints with start values or drives: the ways of those in the tree, from these poses."""

    def __init__(self, data: Data, metric: JointMetric) -> None:
        self.data, self.positions = data, Positions(data, metric)
        self.graph, self.before = graph, before = metric.graph, metric.before
        self.led = np.array([row.driven for row in data.kept_rows])
        self.rows: dict[str, set[int]] = {}
        for row in data.kept_rows:
            if row.driven:
                self.rows.setdefault(row.owner, set()).add(row.index)
        self.ways: dict[int, np.ndarray] = {}
        for _, i in graph.tree.values():
            edge = graph.edges[i]
            if edge.kind == JOINT and edge.owner in self.rows:
                pose = graph.held(i, before[i])
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

    def through_parts(self, origin: State) -> tuple[State, list[float]]:
        """The whole way in parts, the loops closed after each, so that no branch is left."""
        positions, C = self.positions, self.positions.residual(origin)
        sizes = [
            max(np.linalg.norm(way[3:]), np.linalg.norm(way[:3]) / self.graph.lengths[i])
            for i, way in self.ways.items()
        ]
        parts = min(math.ceil(max(sizes, default=PART) / PART), PARTS) or 1
        owners = {self.graph.edges[i].owner for i in self.ways}
        carried = np.array([row.owner in owners for row in self.data.kept_rows])
        state = origin
        for k in range(1, parts):
            moved = self.carried(state, k / parts)
            left = np.where(carried, positions.residual(moved), (1 - k / parts) * C)
            state, _ = positions.close(moved, np.where(self.led, left, 0.0), NEARLY)
        return positions.close(self.carried(state, 1.0))

    def others_moved(self, change: np.ndarray) -> dict[str, dict[str, float]]:
        """Displacements (mm) and angles (degrees) of other joint coordinates."""
        moved = {}
        for edge, way in zip(self.graph.edges, change):
            led = self.rows.get(edge.owner, set())
            shift = float(np.linalg.norm([x for row, x in enumerate(way[:3]) if row not in led]))
            turn = 0.0 if led & {3, 4, 5} else float(np.linalg.norm(way[3:]))
            if edge.kind == JOINT and max(shift / self.data.system.length, turn) > MOVED:
                moved[edge.owner] = {"mm": 1e3 * shift, "deg": float(np.degrees(turn))}
        return moved
