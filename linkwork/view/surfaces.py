"""Lifting surfaces in a drawing: a plate for every strip, and arrows of loads along the span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.aero.surfaces import survey as told
from linkwork.kernels import rotations
from linkwork.results.outputs.surfaces import surveyed
from linkwork.view.solids.shapes import Part

if TYPE_CHECKING:
    from linkwork.view.scene import Drawing

COLOUR = (120, 150, 190)
ARROWS = 12  # at most, along one surface
THICKNESS = 0.06  # of the chord


def add_surface(drawing: Drawing, item: Any) -> None:
    """Plates that move with the nodes, and forces at the aerodynamic centres."""
    from linkwork.view.scene import Arrow, Symbol, place

    control = float(item.control.values(np.zeros(1))[0]) if not item.control.follows else 0.0
    for piece, frames in zip(item.pieces, item.frames_of_pieces()):
        strip = item._strip(piece.at)
        parts: dict[int, list[Part]] = {}
        ends = np.array([frame.world()[0] for frame in frames])
        for j, node in enumerate(piece.at.piece):
            along = piece.at.span[j]
            if len(frames) > 1:
                along = offset_along(frames, ends, piece.at.xi[j], node)
            angle = strip.twist[j] + control * strip.share[j]
            turn = rotations.exponential(np.array([0.0, 0.0, angle]))
            c = strip.chord[j]
            middle = rotations.matrix(turn) @ np.array([strip.centre[j] - c / 4, 0.0, 0.0])
            parts.setdefault(int(node), []).append(Part(
                "box", (c, THICKNESS * c, 0.96 * piece.at.length[j]),
                position=middle + np.array([0.0, 0.0, along]), orientation=turn, colour=COLOUR,
                opacity=0.75,
            ))  # fmt: skip
        for node, plates in parts.items():
            position, _ = place(drawing.result, frames[node])
            drawing.symbols.append(Symbol(str(item.name), "bodies", plates, frames[node], position))
    found = surveyed(drawing.result, str(item.name))
    force = found[..., told.FORCE : told.FORCE + 3] * found[..., told.LENGTH, None]
    points = found[..., told.PLACE : told.PLACE + 3]
    for group in np.array_split(np.arange(found.shape[1]), min(ARROWS, found.shape[1])):
        total = force[:, group].sum(axis=1)
        if np.abs(total).max(initial=0.0) > 0:
            at = points[:, group].mean(axis=1)
            drawing.arrows.append(Arrow(str(item.name), "forces", "force", at, total))


def offset_along(frames: Any, ends: np.ndarray, xi: float, node: int) -> float:
    """How far a point of a beam is from its node along the span, in the node's axes."""
    from linkwork.elements.beams.family import shape_functions

    _, q = frames[node].world()
    point = shape_functions(len(frames), xi)[0] @ ends
    return float((rotations.matrix(q).T @ (point - ends[node]))[2])
