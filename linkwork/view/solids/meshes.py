"""Triangles of parts.  Edges that should look sharp have their vertices twice, so that smooth
shading leaves them sharp; parts of one look are merged into one mesh, one node of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from linkwork.kernels import rotations
from linkwork.view.solids.shapes import Part

AROUND = 28  # points around a cylinder
DETAILED = 50_000  # triangles from which on a mesh file keeps its shared vertices
Mesh = tuple[np.ndarray, np.ndarray]  # vertices (V, 3), triangles (F, 3)


def merged(parts: Sequence[Part]) -> Mesh:
    """One mesh of several parts."""
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    count = 0
    for part in parts:
        v, f = _mesh(part)
        vertices.append(v @ rotations.matrix(part.orientation).T + part.position)
        faces.append(f + count)
        count += len(v)
    return np.concatenate(vertices), np.concatenate(faces)


def _mesh(part: Part) -> Mesh:
    if part.kind == "box":
        v, f = _cube()
        return v * np.array(part.numbers), f
    if part.kind == "cylinder":
        v, f = _cylinder()
        radius, length = part.numbers
        return v * np.array([radius, radius, length]), f
    if part.kind == "sphere":
        v, f = _ball()
        return part.numbers[0] * v, f
    assert part.vertices is not None and part.faces is not None
    if part.smooth or len(part.faces) > DETAILED:
        return part.vertices, part.faces
    return part.vertices[part.faces].reshape(-1, 3), np.arange(3 * len(part.faces)).reshape(-1, 3)


@cache
def _cube() -> Mesh:
    square = np.array([[-1.0, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) / 2
    turns = [np.eye(3), np.diag([1.0, -1, -1])]
    turns += [np.roll(t, k, axis=0) for t in turns[:2] for k in (1, 2)]
    vertices = np.concatenate([square @ t.T for t in turns])
    faces = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(6)])
    return vertices, faces


@cache
def _cylinder() -> Mesh:
    """Radius 1, length 1 along z."""
    n = AROUND
    phi = np.linspace(0, 2 * np.pi, n, endpoint=False)
    rim = np.column_stack([np.cos(phi), np.sin(phi), np.zeros(n)])
    low, high = rim - [0, 0, 0.5], rim + [0, 0, 0.5]
    vertices = np.concatenate([low, high, low, high, [[0, 0, -0.5], [0, 0, 0.5]]])
    i, j = np.arange(n), (np.arange(n) + 1) % n
    faces = np.concatenate([
        np.stack([i, j, n + j], 1), np.stack([i, n + j, n + i], 1),
        np.stack([2 * n + j, 2 * n + i, np.full(n, 4 * n)], 1),
        np.stack([3 * n + i, 3 * n + j, np.full(n, 4 * n + 1)], 1),
    ])  # fmt: skip
    return vertices, faces


@cache
def _ball() -> Mesh:
    """Radius 1, by meridians and circles of latitude."""
    n, m = AROUND, AROUND // 2
    phi = np.linspace(0, 2 * np.pi, n, endpoint=False)
    theta = np.linspace(0, np.pi, m + 1)
    ring, height = np.sin(theta)[:, None], np.cos(theta)[:, None] * np.ones(n)
    vertices = np.stack([ring * np.cos(phi), ring * np.sin(phi), height], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(m), np.arange(n), indexing="ij")
    a, b = i * n + j, i * n + (j + 1) % n
    one, other = np.stack([a, a + n, b], -1)[1:], np.stack([b, a + n, b + n], -1)[:-1]
    return vertices, np.concatenate([one, other]).reshape(-1, 3)  # but for those flat at the poles
