"""The sensors of a system (elements.signals.measured): which unknowns are theirs, what is large."""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.measured import FrameSensor, Sensor
from linkwork.model.nodes import Node
from linkwork.model.signals.held import read_between_samples
from linkwork.system.data import Data
from linkwork.system.system import System


def sensor_nodes(system: System) -> list[Node]:
    """The nodes of a model's sensors."""
    items = system.model.items.values()
    return [node for item in items if isinstance(item, Sensor) for node in item.vector_nodes()]


def sensor_places(system: System) -> np.ndarray:
    """Which values of vector nodes are those of sensors."""
    mine = {id(node) for node in sensor_nodes(system)}
    order = zip(system.layout.nodes, system.layout.first)
    return np.array([int(at) for node, at in order if id(node) in mine], int)


def sensor_groups(system: System) -> list[int]:
    """Their numbers among bodies and vector nodes."""
    mine = {id(node) for node in sensor_nodes(system)}
    return [system.bodies + k for k, node in enumerate(system.layout.nodes) if id(node) in mine]


def sensor_units(data: Data) -> np.ndarray:
    """What is large for each: weight and gravity, over or times the length of the mechanism."""
    system = data.system
    g, L = float(np.linalg.norm(data.tables.gravity)) + 1.0, system.length
    found = []
    for item in system.model.items.values():
        if isinstance(item, Sensor):
            turns = item.quantity in ("torque", "angular acceleration")
            if isinstance(item, FrameSensor) or item.quantity == "angular acceleration":
                found.append(g / L if turns else g)
            else:
                found.append(system.mass * g * (L if turns else 1.0))
    return np.array(found)


def followed_at_all_times(system: System) -> bool:
    """Whether any load follows a sensor between samples."""
    return any(
        isinstance(getattr(leaf, "item", None), Sensor)
        for e in system.elements if e.entry.family.signal
        for leaf in read_between_samples(e.entry.acts_on[1].signal)
    )  # fmt: skip


def unsolved(system: System, time: float) -> str:
    """Why there are no accelerations: an algebraic loop through sensors."""
    names = ", ".join(node.label for node in sensor_nodes(system))
    return (
        f"has no accelerations at t = {time:.6g}, because the loads that follow {names} change it "
        "by just as much as they follow, an algebraic loop without a solution; give another gain "
        "to the drives that read it, or sample it with lw.sample_hold"
    )
