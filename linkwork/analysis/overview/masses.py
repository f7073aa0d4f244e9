"""Masses of a model by item: bodies, and what beams, cables and other items bring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.other_masses import Piece, pieces_of
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.kernels import rotations
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.nodes import Node
from linkwork.results.outputs.deformed.flexible import link_sums
from linkwork.system.initial_conditions.consistent_start import Start


class Mass(NamedTuple):
    """Of an item: mass, its centre, principal moments about it."""

    mass: float
    centre: np.ndarray
    moments: np.ndarray


def masses_of(model: Model, assembled: Start | None) -> dict[str, Mass]:
    """Of all items with mass, at the assembled position; moments of links are those of the straight
    one."""
    found = {}
    for name, item in model.items.items():
        if isinstance(item, FlexibleLink):
            found[name] = mass_of_link(name, item, assembled)
        elif isinstance(item, Body):
            place = item.position if assembled is None else assembled.state[name].position
            found[name] = Mass(item.mass, place, np.linalg.eigvalsh(np.asarray(item.inertia)))
        elif pieces := pieces_of(item):
            found[name] = mass_of_pieces(pieces, assembled)
    return found


def mass_of_link(name: str, item: FlexibleLink, assembled: Start | None) -> Mass:
    c = item.modal
    spread = c.P0 - np.outer(c.s0, c.s0) / c.mass
    moments = np.linalg.eigvalsh(c.Jbar + np.trace(spread) * np.eye(3) - spread)
    if assembled is None:
        return Mass(c.mass, np.add(item.start, item.end) / 2, moments)
    link = next(x for x in assembled.full.system.flexible if x.item.name == name)
    state = assembled.state
    weight = link_sums(link, state.motion[None], state.values[None]).weight[0]
    return Mass(c.mass, weight / c.mass, moments)


def mass_of_pieces(pieces: list[Piece], assembled: Start | None) -> Mass:
    placed = [(piece, *place_of(piece.end, assembled)) for piece in pieces]
    masses = np.array([piece.mass for piece in pieces])
    centres = np.array([r + R @ piece.centre for piece, r, R in placed])
    if masses.sum() == 0:
        return Mass(0.0, centres.mean(axis=0), np.zeros(3))
    centre = masses @ centres / masses.sum()
    d = centres - centre
    J = sum(R @ piece.inertia @ R.T for piece, _, R in placed)
    J = J + np.sum(masses * (d * d).sum(axis=1)) * np.eye(3) - (masses[:, None] * d).T @ d
    return Mass(float(masses.sum()), centre, np.linalg.eigvalsh(J))


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
