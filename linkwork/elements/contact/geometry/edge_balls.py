"""Balls along the edges of boxes, cylinders, hulls and meshes, for contact node to surface.

A ball of the radius ρ lies inside the shape and touches the faces that meet there: at a corner with
the outward normals n_f its centre is at v − ρ w with n_f·w = 1, by least squares where more than
three faces meet.  So the faces of two shapes touch without a gap, and corners are rounded by ρ: a
hundredth of the shape, a tenth where the other is a mesh.  On the rims of a cylinder, 24 balls.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.contact.geometry.shapes import Solid, hull_of

ROUND = 0.01  # ρ over the size of the shape,
ROUND_ON_MESH = 0.1  # and on meshes, into which a ball may go as deep as it is large
RIM = 24  # balls of a rim
APART = 0.5  # their distance along edges, at most, over the size of what they touch
FLAT = 1e-6  # sine of the angle below which two triangles are one face
MOST = 64  # balls of an edge

Ball = tuple[np.ndarray, float]


def nodes_of(solid: Solid, partner: Solid) -> list[Ball]:
    """Centres (body axes) and radii, for the shape that they are to touch."""
    radius = (ROUND_ON_MESH if partner.kind == "mesh" else ROUND) * solid.size
    size = partner.size
    if solid.kind == "cylinder":
        return _rims(solid, radius)
    if solid.kind == "box":
        corners = solid.corners
        faces = hull_of(corners, "a box")[1]
    else:
        assert solid.triangles is not None
        corners, faces = _joined(solid.triangles)
    inner, sharp = _inset(corners, faces, radius)
    places = [inner[k] for k in sorted({k for edge in sharp for k in edge})]
    for i, j in sharp:
        length = float(np.linalg.norm(corners[j] - corners[i]))
        n = min(MOST, int(np.ceil(length / (APART * size)))) if np.isfinite(size) else 1
        places += [inner[i] + (inner[j] - inner[i]) * k / n for k in range(1, n)]
    return [(place, radius) for place in places]


def _rims(solid: Solid, radius: float) -> list[Ball]:
    out, high = solid.radius - radius, solid.half[2] - radius
    turns = 2 * np.pi * np.arange(RIM) / RIM
    ring = np.column_stack([out * np.cos(turns), out * np.sin(turns)])
    return [
        (solid.centre + solid.axes @ np.array([x, y, z]), radius)
        for z in (-high, high) for x, y in ring
    ]  # fmt: skip


def _joined(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners, each once, and faces of a row of triangles."""
    points = triangles.reshape(-1, 3)
    scale = max(float(np.abs(points).max()), 1e-300)
    _, first, back = np.unique(
        np.round(points / scale, 9), axis=0, return_index=True, return_inverse=True
    )
    return points[first], back.reshape(-1, 3)


def _inset(
    corners: np.ndarray, faces: np.ndarray, radius: float
) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Centres of the balls at the corners, and the edges along which faces bend outwards."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    faces, normals = faces[size > 0], (normals / np.where(size > 0, size, 1)[:, None])[size > 0]
    at: dict[tuple[int, int], int] = {
        (int(f[i]), int(f[(i + 1) % 3])): t for t, f in enumerate(faces) for i in range(3)
    }
    sharp = []
    for (i, j), t in at.items():
        other = at.get((j, i))
        if i > j or other is None:
            continue
        bend = np.cross(normals[t], normals[other]) @ (corners[j] - corners[i])
        if bend > FLAT * np.linalg.norm(corners[j] - corners[i]):
            sharp.append((i, j))
    inner = corners.copy()
    for k in {k for edge in sharp for k in edge}:
        meeting = normals[(faces == k).any(axis=1)]
        w = np.linalg.lstsq(meeting, np.ones(len(meeting)), rcond=1e-6)[0]
        inner[k] -= radius * w
    return inner, sharp
