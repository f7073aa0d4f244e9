"""Which element a pair of shapes is: numbers of its geometry, and of the points it may have.

A capsule is a segment with a radius.  Its ends are balls; where the segment crosses an edge or
another segment between its ends, or passes a corner, an element of its own takes that.  Against
meshes a capsule is a row of balls, half a radius apart.

Edged shapes without a kernel of their own (cylinders, hulls and meshes with boxes and with each
other) meet node to surface: the corners of both and the edges of one are beset with small balls
(edge_balls), which touch the surface of the other.  Their faces meet exactly, since the balls touch
them from inside; crossing edges sink into each other by a part of the distance of two balls.  The
side of a cylinder is a segment with a radius, which crosses edges and other sides as a capsule's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.elements.contact.layout import (
    BALL_BALL, BOX_BALL, BOX_BOX, CORNER_ONLY, CYLINDER_BALL, EDGE_SEGMENT, FIELD_BALL, FLAT_ENDS,
    HULL_BALL, MESH_BALL, PLANE_CYLINDER, PLANE_POINTS, SEGMENT_BALL, SEGMENT_SEGMENT, SIDE_ONLY,
)  # fmt: skip
from linkwork.elements.contact.geometry.edge_balls import edges_of, nodes_of
from linkwork.elements.contact.geometry.shapes import Solid
from linkwork.errors import ModelError

PLACES = 3  # of a ball on a mesh at the same time
MOST_NODES = 4000  # elements of two shapes
APART = 0.5  # distance of balls along edges, at most, over the size of the smaller shape


@dataclass(frozen=True, eq=False)
class Pair:
    """An element: what it is, its geometry, and how many points, triangles or places it has."""

    number: int
    geometry: np.ndarray
    count: int = 0
    radius_a: float = 0.0
    radius_b: float = 0.0
    sizes: tuple[int, ...] = ()  # of the geometry

    def codes(self, geometry: int, flipped: bool) -> list[int]:
        """Integers of an element whose geometry begins at a column; flipped: a and b exchanged."""
        sizes = [*self.sizes, 0, 0, 0][:3]
        return [self.number, self.count, geometry, *sizes, -1 if flipped else 1]


def _numbers(*parts: np.ndarray | float | list) -> np.ndarray:
    return np.concatenate([np.asarray(part, float).ravel() for part in parts])


def _balls(solid: Solid) -> list[tuple[np.ndarray, float]]:
    """Centres and radii of the balls that a shape is made of; none for others."""
    if solid.kind == "sphere":
        return [(solid.centre, solid.radius)]
    if solid.kind == "capsule":
        return [(end, solid.radius) for end in solid.ends]
    return []


def _row_of_balls(solid: Solid) -> list[tuple[np.ndarray, float]]:
    if solid.kind == "sphere":
        return [(solid.centre, solid.radius)]
    p, q = solid.ends
    n = 1 + int(np.ceil(2 * np.linalg.norm(q - p) / solid.radius))
    return [(p + (q - p) * k / (n - 1), solid.radius) for k in range(n)]


def _plane_any(plane: Solid, other: Solid) -> list[Pair]:
    surface = [plane.axis, plane.centre]
    if other.kind == "cylinder":
        across = other.axes[:, 0]
        geometry = _numbers(*surface, other.centre, other.axis, across, other.radius, other.half[2])
        return [Pair(PLANE_CYLINDER, geometry)]
    points = _balls(other) or [(corner, 0.0) for corner in other.corners]
    geometry = _numbers(*surface, *(_numbers(u, r) for u, r in points))
    return [Pair(PLANE_POINTS, geometry, len(points))]


def _sphere_sphere(a: Solid, b: Solid) -> list[Pair]:
    return [Pair(BALL_BALL, _numbers(a.centre, b.centre), 0, a.radius, b.radius)]


def _capsule_sphere(a: Solid, b: Solid) -> list[Pair]:
    return [Pair(SEGMENT_BALL, _numbers(a.ends, b.centre), 0, a.radius, b.radius)]


def _capsule_capsule(a: Solid, b: Solid) -> list[Pair]:
    """Ends of b on a; ends of a on b between its ends (see `exchanged`); the crossing."""
    ends = [Pair(SEGMENT_BALL, _numbers(a.ends, end), 0, a.radius, b.radius) for end in b.ends]
    crossing = Pair(SEGMENT_SEGMENT, _numbers(a.ends, b.ends), 0, a.radius, b.radius)
    return [*ends, crossing]


def _ends_between(a: Solid, b: Solid) -> list[Pair]:
    return [
        Pair(SEGMENT_BALL, _numbers(b.ends, end), SIDE_ONLY, b.radius, a.radius) for end in a.ends
    ]


def _box(box: Solid) -> np.ndarray:
    return _numbers(box.centre, box.axes, box.half)


def _box_sphere(box: Solid, other: Solid) -> list[Pair]:
    return [Pair(BOX_BALL, _numbers(_box(box), u), 0, 0.0, r) for u, r in _balls(other)]


def _box_capsule(box: Solid, other: Solid) -> list[Pair]:
    """Ends of the capsule on the box; edges that its side crosses (see `_corners_on_side`)."""
    return [*_box_sphere(box, other), *_edges_on_side(box, other)]


def _edges_on_side(solid: Solid, other: Solid, longer: float = 0.0) -> list[Pair]:
    """The side of a capsule or cylinder across each edge of a polyhedron that is longer."""
    edges, flat = edges_of(solid), FLAT_ENDS if other.kind == "cylinder" else 0
    return [
        Pair(EDGE_SEGMENT, _numbers(edges.corners[[i, j]], *normals, other.ends), flat, 0.0,
             other.radius)
        for (i, j), normals in zip(edges.ends, edges.normals, strict=True)
        if np.linalg.norm(edges.corners[i] - edges.corners[j]) > longer
    ]  # fmt: skip


def _corners_on_side(capsule: Solid, box: Solid) -> list[Pair]:
    edges = edges_of(box)
    outwards = np.sign((edges.corners - box.centre) @ box.axes)
    return [
        Pair(SEGMENT_BALL, _numbers(capsule.ends, corner, (way * box.axes).T), CORNER_ONLY,
             capsule.radius)
        for corner, way in zip(edges.corners, outwards, strict=True)
    ]  # fmt: skip


def _box_box(a: Solid, b: Solid) -> list[Pair]:
    return [Pair(BOX_BOX, _numbers(_box(a), _box(b)))]


def _cylinder_sphere(a: Solid, b: Solid) -> list[Pair]:
    geometry = _numbers(a.centre, a.axis, a.radius, a.half[2], b.centre)
    return [Pair(CYLINDER_BALL, geometry, 0, 0.0, b.radius)]


def _mesh_round(mesh: Solid, other: Solid) -> list[Pair]:
    assert mesh.triangles is not None
    number = HULL_BALL if mesh.kind == "hull" else MESH_BALL
    places = 1 if mesh.kind == "hull" else PLACES
    return [
        Pair(number, _numbers(u, mesh.triangles), len(mesh.triangles), 0.0, r, (k,))
        for u, r in _row_of_balls(other) for k in range(places)
    ]  # fmt: skip


def _heights_round(field: Solid, other: Solid) -> list[Pair]:
    assert field.heights is not None
    rows, columns = field.heights.shape
    origin = field.centre - field.half
    head = [*field.spacing, origin[0], origin[1], field.centre[2]]
    return [
        Pair(FIELD_BALL, _numbers(u, head, field.heights), 0, 0.0, r, (k, columns, rows))
        for u, r in _row_of_balls(other) for k in range(PLACES)
    ]  # fmt: skip


def _surface(solid: Solid, centre: np.ndarray, radius: float) -> list[Pair]:
    """The elements of a surface and a ball."""
    if solid.kind == "box":
        return [Pair(BOX_BALL, _numbers(_box(solid), centre), 0, 0.0, radius)]
    if solid.kind == "cylinder":
        geometry = _numbers(solid.centre, solid.axis, solid.radius, solid.half[2], centre)
        return [Pair(CYLINDER_BALL, geometry, 0, 0.0, radius)]
    assert solid.triangles is not None
    number = HULL_BALL if solid.kind == "hull" else MESH_BALL
    geometry = _numbers(centre, solid.triangles)
    return [Pair(number, geometry, len(solid.triangles), 0.0, radius)]


def _cylinder_capsule(a: Solid, b: Solid) -> list[Pair]:
    return [pair for u, r in _row_of_balls(b) for pair in _surface(a, u, r)]


def _nodes_on_surfaces(a: Solid, b: Solid) -> list[tuple[Pair, bool]]:
    """Nodes of b on the surface of a, and of a on that of b; the sides of cylinders."""
    apart = APART * min(a.size, b.size)
    corners, dense = (
        [nodes_of(two, one, distance) for one, two in ((a, b), (b, a))]
        for distance in (np.inf, apart)
    )
    if a.kind == b.kind == "cylinder":  # whose rims also meet sides without balls
        nodes = dense
        crossing = Pair(SEGMENT_SEGMENT, _numbers(a.ends, b.ends), FLAT_ENDS, a.radius, b.radius)
        sides = [(crossing, False)]
    else:
        more = [len(many) - len(few) for many, few in zip(dense, corners, strict=True)]
        nodes = [dense[0], corners[1]] if more[0] <= more[1] else [corners[0], dense[1]]
        sides = [
            (pair, flipped) for one, two, flipped in ((a, b, False), (b, a, True))
            if two.kind == "cylinder" for pair in _edges_on_side(one, two, apart)
        ]  # fmt: skip
    found = [
        (pair, flipped)
        for one, flipped, balls in ((a, False, nodes[0]), (b, True, nodes[1]))
        for u, r in balls for pair in _surface(one, u, r)
    ]  # fmt: skip
    return found + sides


EDGED = ("box", "cylinder", "hull", "mesh")

KNOWN: dict[tuple[str, str], Callable[[Solid, Solid], list[Pair]]] = {
    **{("plane", kind): _plane_any
       for kind in ("sphere", "capsule", "cylinder", "box", "mesh", "hull")},
    ("sphere", "sphere"): _sphere_sphere, ("capsule", "sphere"): _capsule_sphere,
    ("capsule", "capsule"): _capsule_capsule, ("box", "sphere"): _box_sphere,
    ("box", "capsule"): _box_capsule, ("box", "box"): _box_box,
    ("cylinder", "sphere"): _cylinder_sphere, ("cylinder", "capsule"): _cylinder_capsule,
    **{(mesh, kind): _mesh_round for mesh in ("hull", "mesh") for kind in ("sphere", "capsule")},
    ("heights", "sphere"): _heights_round, ("heights", "capsule"): _heights_round,
}  # fmt: skip


# what the second shape has on the first beside what KNOWN has
EXCHANGED: dict[tuple[str, str], Callable[[Solid, Solid], list[Pair]]] = {
    ("capsule", "capsule"): _ends_between,
    ("box", "capsule"): lambda box, capsule: _corners_on_side(capsule, box),
}


def pairs_of(a: Solid, b: Solid, what: str) -> list[tuple[Pair, bool]]:
    """The elements of two shapes, each with whether its first shape is that of b."""
    found = _pairs_of(a, b, what)
    if len(found) > MOST_NODES:
        raise ModelError(
            f"{what}: a {a.kind} and a {b.kind} would meet in {len(found)} points along their "
            f"edges, more than {MOST_NODES}; take coarser meshes, or simpler shapes for contact"
        )
    return found


def _pairs_of(a: Solid, b: Solid, what: str) -> list[tuple[Pair, bool]]:
    for one, two, flipped in ((a, b, False), (b, a, True)):
        kinds = one.kind, two.kind
        if kinds in KNOWN:
            found = [(pair, flipped) for pair in KNOWN[kinds](one, two)]
            if kinds in EXCHANGED:
                found += [(pair, not flipped) for pair in EXCHANGED[kinds](one, two)]
            return found
    if a.kind in EDGED and b.kind in EDGED:
        return _nodes_on_surfaces(a, b)
    raise ModelError(
        f"{what} has no contact of a {a.kind} with a {b.kind}: planes meet all but planes and "
        "height fields, height fields meet spheres and capsules; put together one of the bodies "
        "from those"
    )


def curvature_radius(a: Solid, b: Solid) -> float | None:
    """1/R = 1/R_a + 1/R_b of two spheres, or of a sphere on something flat; None for others."""
    flat = ("plane", "box", "heights", "mesh", "hull")
    for one, two in ((a, b), (b, a)):
        if one.kind == "sphere" and two.kind in flat:
            return one.radius
    if a.kind == b.kind == "sphere":
        return a.radius * b.radius / (a.radius + b.radius)
    return None
