"""Shapes of bodies as contact sees them: where each is in its body, and its measures.

A body's `shape` (view/solids/shapes.py) is a dict with a `kind` or a list of such dicts:

    plane     normal (the half space below it is solid)      sphere    radius
    capsule   radius, length of its axis along z             cylinder  radius, length along z
    box       size                                           link      start, end, radius
    mesh      file, or vertices and faces; closed; convex=True takes its convex hull
    heights   heights (rows along y, columns along x) over size (x, y), its middle at the origin

and with each, where wanted, `position` and `orientation` in body axes; "contact": False for what is
only drawn.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.contact.geometry.meshes import (
    hull_of, outward, vertices_and_faces, width_of,
)  # fmt: skip
from linkwork.elements.contact.geometry.words import refuse_unknown
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks

GROUND_PLANE = {"kind": "plane"}


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape: its middle and axes in body axes, and numbers of its kind."""

    kind: str
    centre: np.ndarray
    axes: np.ndarray  # columns
    radius: float = 0.0
    half: np.ndarray = field(default_factory=lambda: np.zeros(3))  # edges; [2]: length, or width
    triangles: np.ndarray | None = None  # (n, 3, 3) in body axes
    vertices: np.ndarray | None = None  # corners of the convex hull, in body axes
    heights: np.ndarray | None = None
    spacing: tuple[float, float] = (0.0, 0.0)

    @property
    def axis(self) -> np.ndarray:
        """Of a capsule or a cylinder; the normal of a plane."""
        return self.axes[:, 2]

    @property
    def ends(self) -> np.ndarray:
        """Ends of the segment of a capsule, (2, 3)."""
        way = self.half[2] * self.axis
        return np.array([self.centre - way, self.centre + way])

    @property
    def corners(self) -> np.ndarray:
        """Of a box (8, 3), or of the hull of a mesh."""
        if self.vertices is not None:
            return self.vertices
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return self.centre + (signs * self.half) @ self.axes.T

    @property
    def reach(self) -> float:
        """Radius of a ball about the centre that holds all of it."""
        if self.kind == "plane":
            return 1e30
        if self.kind == "box":
            return float(np.linalg.norm(self.half))
        if self.kind == "cylinder":
            return float(np.hypot(self.radius, self.half[2]))
        if self.triangles is not None:
            return float(np.linalg.norm(self.triangles - self.centre, axis=2).max())
        if self.heights is not None:
            return float(np.hypot(*self.half[:2]) + np.abs(self.heights).max())
        return float(self.radius + self.half[2])

    @property
    def size(self) -> float:
        """A length that a depth is small against; infinite for a plane."""
        if self.kind == "plane" or self.heights is not None:
            return np.inf
        if self.kind == "box":
            return float(self.half.min())
        if self.kind == "cylinder":
            return float(min(self.radius, self.half[2]))
        if self.triangles is not None:
            return float(self.half[2])
        return self.radius


def solids_of(body: Any, shape: Any, what: str) -> list[Solid]:
    """The shapes of a body, each checked; what: the contact that asks."""
    owner = getattr(body, "label", "the ground")
    if shape is None:
        raise ModelError(
            f"{what} needs a shape of {owner}, which has none; make it with lw.Body.sphere, .box "
            "or .cylinder, or assign body.shape"
        )
    several = shape if isinstance(shape, (list, tuple)) else [shape]
    touching = [x for x in several if not (isinstance(x, dict) and x.get("contact") is False)]
    return [_solid(one, f"shape of {owner}") for one in touching]


def _solid(shape: Any, what: str) -> Solid:
    if isinstance(shape, (str, os.PathLike)):
        shape = {"kind": "mesh", "file": os.fspath(shape)}
    if not isinstance(shape, dict) or shape.get("kind") not in MAKERS:
        raise ModelError(
            f"{what} must be a dict whose kind is one of {', '.join(MAKERS)}, but "
            f"{checks.show(shape)} was given"
        )
    refuse_unknown(shape, what)
    position = checks.vector(shape.get("position", (0, 0, 0)), f"position of {what}")
    turn = checks.quaternion(shape.get("orientation"), f"orientation of {what}")
    try:
        return MAKERS[shape["kind"]](shape, position, rotations.matrix(turn), what)
    except KeyError as error:
        raise ModelError(f"{what} is a {shape['kind']} and needs {error}") from None


def _length(shape: dict, word: str, what: str) -> float:
    return checks.number(shape[word], f"{word} of {what}", positive=True)


def _plane(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    normal = checks.vector(shape.get("normal", (0, 0, 1)), f"normal of {what}")
    if not np.linalg.norm(normal) > 0:
        raise ModelError(f"normal of {what} must not be zero")
    axes = rotations.matrix(checks.axes(normal, None, what))
    return Solid("plane", position, R @ axes)


def _sphere(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    return Solid("sphere", position, R, radius=_length(shape, "radius", what))


def _round(kind: str) -> Callable:
    def made(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
        half = np.array([0, 0, _length(shape, "length", what) / 2])
        return Solid(kind, position, R, _length(shape, "radius", what), half)

    return made


def _link(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    p, q = (checks.vector(shape[word], f"{word} of {what}") for word in ("start", "end"))
    length = float(np.linalg.norm(q - p))
    if length == 0:
        raise ModelError(f"start and end of {what} must be two different points")
    axes = rotations.matrix(checks.axes(q - p, None, what))
    half = np.array([0, 0, length / 2])
    return Solid("cylinder", position + R @ (p + q) / 2, R @ axes,
                 _length(shape, "radius", what), half)  # fmt: skip


def _box(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    size = checks.vector(shape["size"], f"size of {what}")
    for edge in size:
        checks.number(float(edge), f"an edge of {what}", positive=True)
    return Solid("box", position, R, half=size / 2)


def _mesh(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    vertices, faces = vertices_and_faces(shape, what)
    if shape.get("convex"):
        vertices, faces = hull_of(vertices, what)
    placed = position + vertices @ R.T
    if not shape.get("convex"):
        faces = outward(placed, faces, what)
    triangles = np.ascontiguousarray(placed[faces])
    outside = placed[hull_of(placed, what)[1]]
    corners = np.unique(outside.reshape(-1, 3), axis=0) if len(placed) > 8 else placed
    kind = "hull" if shape.get("convex") else "mesh"
    centre = (placed.min(axis=0) + placed.max(axis=0)) / 2
    half = np.array([0, 0, width_of(outside, what) / 2])
    return Solid(kind, centre, np.eye(3), half=half, triangles=triangles, vertices=corners)


def _heights(shape: dict, position: np.ndarray, R: np.ndarray, what: str) -> Solid:
    heights = checks.array(shape["heights"])
    if heights is None or heights.ndim != 2 or min(heights.shape) < 2:
        raise ModelError(f"heights of {what} must be a table of at least 2×2 numbers")
    if not np.isfinite(heights).all():
        raise ModelError(f"heights of {what} must be finite")
    size = np.asarray(shape["size"], float).ravel()
    if size.shape != (2,) or not (size > 0).all():
        raise ModelError(f"size of {what} must be two lengths above zero, along x and y")
    if not np.allclose(R, np.eye(3)):
        raise ModelError(f"{what} is a height field, which cannot be turned in its body")
    spacing = (size[0] / (heights.shape[1] - 1), size[1] / (heights.shape[0] - 1))
    half = np.array([size[0] / 2, size[1] / 2, 0.0])
    return Solid("heights", position, R, half=half, heights=heights, spacing=spacing)


MAKERS: dict[str, Callable[[dict, np.ndarray, np.ndarray, str], Solid]] = {
    "plane": _plane, "sphere": _sphere, "capsule": _round("capsule"),
    "cylinder": _round("cylinder"), "box": _box, "link": _link, "mesh": _mesh, "heights": _heights,
}  # fmt: skip
