"""Which unknowns of a system are the values of its sensors (elements.signals.measured)."""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.measured import Sensor
from linkwork.model.nodes import Node
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
