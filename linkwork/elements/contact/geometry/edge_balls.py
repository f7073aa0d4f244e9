"""Balls along the edges of boxes, cylinders, hulls and meshes, for contact node to surface.

A ball of the radius ρ lies inside the shape and touches the faces that meet there: at a corner with
the outward normals n_f its centre is at v − ρ w with n_f·w = 1, by least squares where more than
three faces meet.  So the faces of two shapes touch without a gap, and corners are rounded by ρ: a
hundredth of the shape, a tenth where the other is a mesh; less where w is long, at sharp corners.
On the rims of a cylinder, 24 balls or more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.elements.contact.geometry.meshes import hull_of
from linkwork.elements.contact.geometry.shapes import Solid

ROUND = 0.01  # ρ over the size of the shape,
ROUND_ON_MESH = 0.1  # and on meshes, into which a ball may go as deep as it is large
DEEP = 2.0  # radii: how far the centre of a ball lies within the corner, at most
RIM = 24  # balls of a rim, at least
FLAT = 1e-6  # sine of the angle below which two triangles are one face

Ball = tuple[np.ndarray, float]


class Edges(NamedTuple):
    """Of a polyhedron, in body axes: where two faces bend outwards."""

    corners: np.ndarray
    ends: list[tuple[int, int]]
    normals: list[tuple[np.ndarray, np.ndarray]]  # of the two faces of each
    meeting: dict[int, np.ndarray]  # normals of the faces at each corner of these edges


def nodes_of(solid: Solid, partner: Solid, apart: float) -> list[Ball]:
    """Centres (body axes) and radii, for the shape that they are to touch; apart: how far from
    each other along edges, infinite for those at corners alone."""
    radius = (ROUND_ON_MESH if partner.kind == "mesh" else ROUND) * solid.size
    if solid.kind == "cylinder":
        return _rims(solid, radius, apart)
    edges = edges_of(solid)
    balls = {}
    for k, normals in edges.meeting.items():
        w = np.linalg.lstsq(normals, np.ones(len(normals)), rcond=1e-6)[0]
        own = radius * min(1.0, DEEP / float(np.linalg.norm(w)))
        balls[k] = np.array([*(edges.corners[k] - own * w), own])
    rows = [balls[k] for k in sorted(balls)]
    for i, j in edges.ends:
        n = math.ceil(float(np.linalg.norm((balls[j] - balls[i])[:3])) / apart)
        rows += [balls[i] + (balls[j] - balls[i]) * k / n for k in range(1, n)]
    return [(row[:3], float(row[3])) for row in rows]


def _rims(solid: Solid, radius: float, apart: float) -> list[Ball]:
    out, high = solid.radius - radius, solid.half[2] - radius
    n = max(RIM, math.ceil(2 * np.pi * out / apart))
    turns = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([out * np.cos(turns), out * np.sin(turns)])
    return [
        (solid.centre + solid.axes @ np.array([x, y, z]), radius)
        for z in (-high, high) for x, y in ring
    ]  # fmt: skip


def edges_of(solid: Solid) -> Edges:
    """Of a box, a hull or a mesh."""
    if solid.kind == "box":
        corners = solid.corners
        faces = hull_of(corners, "a box")[1]
    else:
        assert solid.triangles is not None
        corners, faces = _joined(solid.triangles)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    faces, normals = faces[size > 0], (normals / np.where(size > 0, size, 1)[:, None])[size > 0]
    at: dict[tuple[int, int], int] = {
        (int(f[i]), int(f[(i + 1) % 3])): t for t, f in enumerate(faces) for i in range(3)
    }
    ends, beside = [], []
    for (i, j), t in at.items():
        other = at.get((j, i))
        if i > j or other is None:
            continue
        bend = np.cross(normals[t], normals[other]) @ (corners[j] - corners[i])
        if bend > FLAT * np.linalg.norm(corners[j] - corners[i]):
            ends.append((i, j))
            beside.append((normals[t], normals[other]))
    sharp = {k for edge in ends for k in edge}
    meeting = {k: normals[(faces == k).any(axis=1)] for k in sharp}
    return Edges(corners, ends, beside, meeting)


def _joined(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners, each once, and faces of a row of triangles."""
    points = triangles.reshape(-1, 3)
    scale = max(float(np.abs(points).max()), 1e-300)
    _, first, back = np.unique(
        np.round(points / scale, 9), axis=0, return_index=True, return_inverse=True
    )
    return points[first], back.reshape(-1, 3)
