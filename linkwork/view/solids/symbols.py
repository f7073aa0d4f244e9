"""Symbols of joints and springs: what a row leaves free is what is drawn.

    turns about z          a pin along z          slides along z     a rail along z
    holds a point alone    a ball                 holds everything   a cube
    slides in a plane      a plate                else               three axes, as a driven pose
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.joints.motion_laws import ROTATION, driven_rows
from linkwork.elements.joints.orthogonal import Orthogonal, Universal
from linkwork.kernels import rotations
from linkwork.view.solids.shapes import Part

X_TURN = rotations.from_matrix(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]))  # z to x
Y_TURN = rotations.from_matrix(np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))  # z to y
STEEL, BRASS = (74, 80, 92), (196, 150, 60)
COILS, ROUND = 7, 12  # of a spring, and points around its wire


def joint_parts(item: Any, radius: float, travel: tuple[float, float]) -> list[Part]:
    """The symbol of a joint in its main marker's axes; travel is how far it slid along z."""
    if isinstance(item, (Orthogonal, Universal)):
        bar = (0.32 * radius, 3.2 * radius)
        return [Part("cylinder", bar, orientation=turn) for turn in (X_TURN, Y_TURN)]
    held = set(item.active)
    law = item.laws().get("t", {})
    colour = BRASS if law else STEEL
    if len(law) > 2:  # a prescribed pose
        return _axes(radius, colour)
    held -= set(driven_rows(law, (2, 5) if ROTATION not in law else (2, 3, 4, 5)))
    if held >= {0, 1, 3, 4} and 2 not in held:  # along z
        return _rail(radius, travel, 5 not in held, colour)
    if held == {0, 1} and np.ptp(travel) > radius:
        return _rail(radius, travel, True, colour)
    if held >= {0, 1} and 5 not in held and (held >= {3, 4} or 2 not in held):
        axis = Part("cylinder", (0.16 * radius, 9 * radius), colour=colour)
        return [Part("cylinder", (radius, 3.4 * radius), colour=colour), axis]
    if held >= {0, 1, 2, 3, 4, 5}:
        return [Part("box", (2 * radius,) * 3, colour=colour)]
    if held >= {0, 1, 2} or (held >= {0, 1} and 5 in held):
        return [Part("sphere", (1.35 * radius,), colour=colour)]
    if 2 in held and not held & {0, 1}:
        return [Part("box", (12 * radius, 12 * radius, 0.2 * radius), colour=colour, opacity=0.35)]
    return _axes(radius, colour)


def _axes(radius: float, colour: Any) -> list[Part]:
    return [
        Part("cylinder", (0.2 * radius, 5 * radius), orientation=turn, colour=colour)
        for turn in (X_TURN, Y_TURN, np.array([1.0, 0, 0, 0]))
    ]


def _rail(radius: float, travel: tuple[float, float], round_: bool, colour: Any) -> list[Part]:
    length = float(np.ptp(travel)) + 8 * radius
    middle = np.array([0.0, 0.0, sum(travel) / 2])
    if round_:
        return [Part("cylinder", (0.5 * radius, length), middle, colour=colour)]
    return [Part("box", (0.9 * radius, 0.9 * radius, length), middle, colour=colour)]


def coil(radius: float, wire: float) -> Part:
    """A spring of unit length along z as a mesh; it is stretched along z to its length."""
    n = 16 * COILS
    s = np.linspace(0, 1, n)
    rise = np.clip((s - 0.1) / 0.8, 0, 1)
    angle = 2 * np.pi * COILS * rise
    r = radius * np.clip(np.minimum(s, 1 - s) / 0.1, 0, 1)
    path = np.column_stack([r * np.cos(angle), r * np.sin(angle), s])
    return tube(path, wire)


def spiral(radius: float, wire: float) -> Part:
    """A torsion spring: a flat spiral about z."""
    angle = np.linspace(0, 6 * np.pi, 90)
    r = radius * (0.35 + 0.65 * angle / angle[-1])
    return tube(np.column_stack([r * np.cos(angle), r * np.sin(angle), 0 * r]), wire)


def tube(path: np.ndarray, radius: float) -> Part:
    """A round wire along a path (n, 3)."""
    n = len(path)
    along = np.gradient(path, axis=0)
    along[:, 2] = np.sign(along[:, 2].sum() or 1.0) * np.abs(along[:, 2])
    along /= np.linalg.norm(along, axis=1)[:, None]
    side = np.cross(along, [0.0, 0.0, 1.0])
    short = np.linalg.norm(side, axis=1) < 1e-6
    side[short] = [1.0, 0.0, 0.0]
    side /= np.linalg.norm(side, axis=1)[:, None]
    other = np.cross(along, side)
    phi = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    ring = np.cos(phi)[None, :, None] * side[:, None] + np.sin(phi)[None, :, None] * other[:, None]
    vertices = (path[:, None] + radius * ring).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n - 1), np.arange(ROUND), indexing="ij")
    a, b = i * ROUND + j, i * ROUND + (j + 1) % ROUND
    c, d = a + ROUND, b + ROUND
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)]).reshape(-1, 3)
    return Part("mesh", vertices=vertices, faces=faces, smooth=True, colour=STEEL)
