"""Cams in a drawing: the plate within a closed curve, or the wall along an open one, and the roller
or the flat face that runs on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.contact.cams.curves import spline
from linkwork.elements.contact.cams.follower import CamFollower
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.view.solids.shapes import Part
from linkwork.view.solids.symbols import BRASS, STEEL

if TYPE_CHECKING:
    from linkwork.view.scene import Drawing

POINTS = 6  # of every piece of a curve
THICKNESS = 0.2  # of a cam, in widths of its curve


def add_cam(drawing: Drawing, item: CamFollower) -> None:
    from linkwork.view.scene import Symbol, place

    outline = outline_of(item)
    width = float(np.ptp(outline, axis=0).max())
    depth = THICKNESS * width
    (at_cam, q_cam), (at_follower, q) = (place(drawing.result, frame) for frame in item.frames)
    cam = plate(outline, depth, item.closed)
    if item.radius is not None:  # its axis is parallel to the cam's
        axis = rotations.matrix(q[0]).T @ rotations.matrix(q_cam[0])[:, 2]
        turn = checks.axes(axis, None, item.label)
        follower = Part("cylinder", (item.radius, 1.1 * depth), orientation=turn, colour=BRASS)
    else:  # its z axis points to the cam
        thin = 0.04 * width
        size = 1.1 * width, 1.1 * width, thin
        follower = Part("box", size, np.array([0.0, 0.0, -thin / 2]), colour=BRASS)
    name = str(item.name)
    frames = item.frames
    drawing.symbols.append(Symbol(f"cam of {name}", "bodies", [cam], frames[0], at_cam))
    drawing.symbols.append(Symbol(name, "bodies", [follower], frames[1], at_follower))


def outline_of(item: CamFollower) -> np.ndarray:
    """(n, 2) points of the curve, against the clock where it is closed."""
    cubics = spline(item.curve, f"curve of {item.label}", item.closed).reshape(-1, 1, 2, 4)
    powers = (np.arange(POINTS) / POINTS)[:, None, None] ** np.arange(4)
    points = (cubics * powers).sum(axis=-1).reshape(-1, 2)
    return points if item.closed else np.concatenate([points, cubics[-1].sum(axis=-1)])


def plate(outline: np.ndarray, depth: float, closed: bool) -> Part:
    """The wall along a curve from z = −depth/2 to depth/2, with lids where it is closed."""
    n = len(outline)
    low, high = (np.column_stack([outline, np.full(n, z)]) for z in (-depth / 2, depth / 2))
    i = np.arange(n if closed else n - 1)
    j = (i + 1) % n
    faces = [np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])]
    if closed:
        lid = inner_triangles(outline)
        faces += [lid[:, ::-1], lid + n]
    return Part(
        "mesh", vertices=np.concatenate([low, high]), faces=np.concatenate(faces), colour=STEEL
    )


def inner_triangles(outline: np.ndarray) -> np.ndarray:
    """Triangles (m, 3) within a closed curve, against the clock: those of Delaunay whose middle has
    an odd number of sides of the curve to its right."""
    from scipy.spatial import Delaunay

    triangles = Delaunay(outline).simplices
    x, y = outline[triangles].mean(axis=1).T[:, :, None]
    (ax, ay), (bx, by) = outline.T, np.roll(outline, -1, axis=0).T
    crosses = (ay > y) != (by > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        crosses &= x < ax + (y - ay) / (by - ay) * (bx - ax)
    inside = triangles[crosses.sum(axis=1) % 2 == 1]
    (ux, uy), (vx, vy) = (
        (outline[inside[:, k]] - outline[inside[:, 0]]).T for k in (1, 2)
    )  # fmt: skip
    return np.where((ux * vy > uy * vx)[:, None], inside, inside[:, ::-1])
