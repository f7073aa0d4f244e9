"""Figures of bodies without a shape: the solid of equal inertia, and links to where it is held.

With the principal moments I₁, I₂, I₃ and the mass m

    box       a² = 6 (I₂ + I₃ − I₁)/m, and so on
    cylinder  r² = 2 I_a/m,   l² = 12 I_t/m − 6 I_a/m      two moments I_t equal, I_a about the axis
    sphere    r² = 5 I/(2 m)                                all moments equal
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.kernels import rotations
from linkwork.view.solids.shapes import Part, rod

EQUAL = 1e-6  # of moments, relative
DUMMY = 0.12  # largest radius of a ball, in sizes of the mechanism


def figure(
    body: Body, points: list[np.ndarray], size: float
) -> tuple[list[Part], Part | None]:
    """Parts for a body with markers at `points` (body axes) in a mechanism of that size.

    With two markers or more, links between them and a ball at the centre of mass stand for the
    body, and the solid of equal inertia comes beside; else that solid is the figure.
    """
    points = _apart(points, 1e-6 * size)
    arm = max((float(np.linalg.norm(p)) for p in points), default=0.0)
    radius = min(0.05 * arm, 0.012 * size) if arm > 0 else 0.012 * size
    solid = equal_inertia(body, size, radius)
    links = _links(points, radius)
    if len(links) >= 2:
        return [*links, Part("sphere", (1.6 * radius,))], solid
    if len(points) >= 2 and links:
        return links, solid
    return [solid, *links], None


def equal_inertia(body: Body, size: float, thin: float) -> Part:
    """The homogeneous solid with the body's mass and inertia, within the size of the mechanism."""
    if body.mass <= 0 or not np.any(body.inertia):
        return Part("sphere", (0.03 * size,))
    I, V = np.linalg.eigh(np.asarray(body.inertia) / body.mass)
    if np.linalg.det(V) < 0:
        V = V * np.array([-1.0, 1.0, 1.0])
    near = EQUAL * I[2]
    if I[2] - I[0] <= near:
        most = DUMMY * size  # three equal moments are often no more than a placeholder
        return Part("sphere", (_within(float(np.sqrt(2.5 * I[2])), thin, most),))
    if I[2] - I[1] <= near or I[1] - I[0] <= near:  # round about the axis of the single moment
        axis = 0 if I[2] - I[1] <= near else 2
        r2, across = 2 * I[axis], I[1]
        length2 = max(12 * across - 6 * I[axis], 0.0)
        radius = _within(float(np.sqrt(r2)), thin, 0.6 * size)
        length = _within(float(np.sqrt(length2)), 2 * thin, 1.2 * size)
        columns = np.roll(V, 2 - axis, axis=1)
        return Part("cylinder", (radius, length), orientation=rotations.from_matrix(columns))
    squares = 6 * (I.sum() - 2 * I)
    sides = [_within(float(np.sqrt(max(s, 0.0))), 2 * thin, 1.2 * size) for s in squares]
    return Part("box", tuple(sides), orientation=rotations.from_matrix(V))


def _links(points: list[np.ndarray], radius: float) -> list[Part]:
    """From the centre of mass to every marker; straight where two markers are opposite."""
    far = [p for p in points if np.linalg.norm(p) > radius]
    if len(far) == 2:
        d = far[1] - far[0]
        off = np.linalg.norm(np.cross(far[0], d)) / np.linalg.norm(d)
        if off < 0.02 * np.linalg.norm(d) and far[0] @ far[1] < 0:
            return [rod(far[0], far[1], radius)]
    return [rod(np.zeros(3), p, radius) for p in far]


def _apart(points: list[np.ndarray], close: float) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - q) > close for q in found):
            found.append(p)
    return found


def _within(x: float, least: float, most: float) -> float:
    return min(max(x, least), most)


def turned(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """R(q) u at every time: q (T, 4), u (3,) or (T, 3)."""
    R = rotations.matrix(q)
    return np.einsum("tij,tj->ti", R, np.broadcast_to(u, (len(q), 3)))
