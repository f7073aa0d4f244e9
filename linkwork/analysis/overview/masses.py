"""Masses of a model by item: bodies, and what beams, cables and other items bring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.bodies.other_masses import Attached, masses_of_item
from linkwork.kernels import rotations
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.nodes import Node
from linkwork.system.initial_conditions.consistent_start import Start


class Summary(NamedTuple):
    """Of an item: mass, its centre, principal moments about it."""

    mass: float
    centre: np.ndarray
    moments: np.ndarray


def masses_of(model: Model, assembled: Start | None) -> dict[str, Summary]:
    """Of all items with mass, at the assembled position; flexible links as straight ones."""
    found = {}
    for name, item in model.items.items():
        if masses := masses_of_item(item):
            found[name] = summary(masses, assembled)
    return found


def summary(masses: list[Attached], assembled: Start | None) -> Summary:
    placed = [(x.start, *place_of(x.end, assembled)) for x in masses]
    m = np.array([mass.mass for mass, _, _ in placed])
    centres = np.array([r + R @ mass.centre for mass, r, R in placed])
    centre = m @ centres / m.sum() if m.sum() > 0 else centres.mean(axis=0)
    d = centres - centre
    J = sum(R @ mass.inertia @ R.T for mass, _, R in placed)
    J = J + np.sum(m * (d * d).sum(axis=1)) * np.eye(3) - (m[:, None] * d).T @ d
    return Summary(float(m.sum()), centre, np.linalg.eigvalsh(J))


def place_of(end: Any, assembled: Start | None) -> tuple[np.ndarray, np.ndarray]:
    """Position and axes of a body or of a point."""
    if end is GROUND:
        return np.zeros(3), np.eye(3)
    if isinstance(end, Node):
        if assembled is None:
            return end.value, np.eye(3)
        layout = assembled.full.system.layout
        first = int(layout.first[layout.nodes.index(end)])
        return assembled.state.values[0, first : first + 3], np.eye(3)
    if assembled is None:
        return np.asarray(end.position), rotations.matrix(np.asarray(end.orientation))
    body = assembled.state[end.name]
    return body.position, rotations.matrix(body.orientation)
