"""Meshes of shapes: from a file or as given, closed, turned outwards, and convex hulls."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks


def vertices_and_faces(shape: dict, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Of a mesh, from the shape itself or from its file; a convex one needs no faces."""
    if "vertices" in shape:
        vertices, faces = checks.array(shape["vertices"]), checks.array(shape.get("faces", ()))
    else:
        vertices, faces = _read(shape["file"], what)
        scale = shape.get("scale", 1.0)
        vertices = vertices * checks.number(scale, f"scale of {what}", positive=True)
    if vertices is None or vertices.ndim != 2 or vertices.shape[1] != 3 or (
        not np.isfinite(vertices).all()
    ):  # fmt: skip
        raise ModelError(f"{what} must have vertices (n, 3), all finite numbers")
    if faces is not None and not faces.size and shape.get("convex"):
        return vertices, np.zeros((0, 3), int)
    whole = faces is not None and faces.ndim == 2 and np.all(faces == np.round(faces))
    if faces is None or not whole or faces.shape[1] != 3 or not len(faces):
        raise ModelError(f"{what} must have faces (m, 3), three numbers of vertices each")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"faces of {what} name vertices that it does not have")
    return vertices, faces.astype(int)


def _read(path: Any, what: str) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        raise ModelError(f"{what} is the mesh file {checks.show(path)}, which does not exist")
    import trimesh

    try:
        mesh: Any = trimesh.load(os.fspath(path), force="mesh")
        mesh.merge_vertices()
        vertices, faces = np.array(mesh.vertices, float), np.array(mesh.faces, int)
    except Exception as error:  # readers of many formats, each with errors of its own
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(
            f"{what}: the mesh file '{os.fspath(path)}' cannot be read ({reason[0][:100]})"
        ) from None
    return vertices, faces


def outward(vertices: np.ndarray, faces: np.ndarray, what: str) -> np.ndarray:
    """The faces of a closed mesh, seen counter-clockwise from outside.

    A mesh that is turned inside out as a whole is turned round; of several parts one may be inside
    out that lies within another, a cavity.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = {(int(f[i]), int(f[(i + 1) % 3])) for f in faces for i in range(3)}
    alone = [edge for edge in edges if edge[::-1] not in edges]
    if alone or len(edges) != 3 * len(faces):
        raise ModelError(
            f"{what} is an open mesh: {len(alone) or 'some'} of its edges belong to one triangle "
            "alone; close it, or say convex=True to use its convex hull"
        )
    a, b, c = (vertices[faces[:, k]] - vertices.mean(axis=0) for k in range(3))
    volumes = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6
    if volumes.sum() < 0:
        faces, volumes = faces[:, ::-1], -volumes
    n = len(vertices)
    joined = coo_matrix((np.ones(3 * len(faces)), (faces.ravel(), np.roll(faces, 1, 1).ravel())),
                        (n, n))  # fmt: skip
    part = connected_components(joined, directed=False)[1]
    boxes = [
        (vertices[part == k].min(axis=0), vertices[part == k].max(axis=0), volume)
        for k in np.unique(part[faces])
        if (volume := volumes[part[faces[:, 0]] == k].sum())
    ]
    for low, high, volume in boxes:
        around = ((x <= low).all() and (high <= y).all() and v > 0 for x, y, v in boxes)
        if volume < 0 and not any(around):
            raise ModelError(
                f"{what} is a mesh of several parts, of which the one from {np.round(low, 6)} to "
                f"{np.round(high, 6)} is turned inside out; reverse its faces' order of vertices"
            )
    return faces


def width_of(triangles: np.ndarray, what: str) -> float:
    """The least width of a convex hull across one of its faces."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normals, axis=1)
    normals = normals[size > 0] / size[size > 0, None]
    corners = np.unique(triangles.reshape(-1, 3), axis=0)
    width = min((float(np.ptp(corners @ n)) for n in normals), default=0.0)
    if not 0 < width < np.inf:
        raise ModelError(f"{what} is too small or too large to compute with; look at its units")
    return width


def hull_of(vertices: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of the convex hull."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise ModelError(f"{what} has no volume: its points lie in a plane") from None
    faces, middle = np.array(hull.simplices), vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    inwards = np.einsum("ni,ni->n", np.cross(b - a, c - a), a - middle) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    return vertices, faces
