"""Where to look from: across the plane of a flat mechanism, else from a corner; up is against
gravity.  The camera stays where the whole motion fits into one picture; it goes along with a
vehicle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.view.scene import Drawing
from linkwork.view.solids.extents import lowest

FOV = np.radians(38.0)
FLAT = 0.2  # a mechanism that is thinner than this share of its width is looked at from the side
FRAMES = 200  # that are looked at
FILLED, ASPECT = 0.86, 1.3  # of the picture's height; width over height, for narrow windows
WANDER = 6.0  # sizes of the mechanism beyond which its way does not fit on the page
DEEP = 50.0  # sizes of the mechanism that it may sink below its beginning with the floor below it
ALONG = 2.0  # sizes by which a part may stray from the mechanism that the camera follows


@dataclass(frozen=True)
class Shot:
    """Camera and floor."""

    position: np.ndarray
    target: np.ndarray
    up: np.ndarray
    floor: np.ndarray
    plane: Literal["xy", "yz", "xz"]
    fov: float = float(FOV)

    @property
    def caption(self) -> np.ndarray:
        """The point at the lower edge of the picture, for a line of text."""
        sight = (self.position - self.target) / self.distance
        down = sight * (sight @ self.up) - self.up
        down /= np.linalg.norm(down)
        return self.target + 0.9 * self.distance * np.tan(self.fov / 2) * down

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.position - self.target))


SIDES = ("home", "front", "side", "top")


def shot(drawing: Drawing, side: str = "home", follow: str | None = None) -> Shot:
    """A view that holds the whole motion, or, where it leads away, the mechanism at its beginning.

    side   : "front" (along y where z is up), "side" (along x) or "top" instead of a corner
    follow : the name of a body: the view of the beginning, to be moved with it (`following`)
    """
    if side not in SIDES:
        raise ModelError(f"side must be one of {', '.join(SIDES)}, found {checks.show(side)}")
    up = up_axis(drawing.result.system.tables.gravity)
    points, margins = _points(drawing, follow)
    low = (points - margins[:, None]).min(axis=0)
    high = (points + margins[:, None]).max(axis=0)
    target = (low + high) / 2
    sight = direction(points, up, drawing.size) if side == "home" else straight(side, up)
    distance = _fitting(points - target, sight, up, margins)
    axis = int(np.argmax(np.abs(up)))
    heights = lowest(drawing, up, _few(drawing))
    height = float(heights[0])
    if height - heights.min() < DEEP * drawing.size:  # the floor of a craft that sinks is below it
        height = float(heights.min())
    floor = np.zeros(3)
    if not 0 <= height < drawing.size:
        floor[axis] = height * up[axis]
    plane: Literal["xy", "yz", "xz"] = ("yz", "xz", "xy")[axis]
    return Shot(target + distance * sight, target, up, floor, plane)


def straight(side: str, up: np.ndarray) -> np.ndarray:
    """From the target to the camera, along an axis; from above not quite, so that up stays up."""
    axis = int(np.argmax(np.abs(up)))
    front = -np.eye(3)[(axis + 2) % 3]  # −y where z is up
    if side == "top":
        sight = up + 1e-3 * front
        return sight / np.linalg.norm(sight)
    return front if side == "front" else np.eye(3)[(axis + 1) % 3]


def way_of(drawing: Drawing, follow: str | None) -> np.ndarray | None:
    """(F, 3): how far the camera goes with the motion; none where it stays.

    follow : the name of a body; "ground", and the camera stays.  Without it the camera stays where
             the whole motion fits into the picture, and goes with the mechanism where it does not
    """
    names, motion = drawing.result.system.names, drawing.result.motion
    if follow is None:
        return _common_way(drawing) if wanders(drawing) else None
    if follow in names:
        place = motion[:, names.index(follow), :3]
        return np.asarray(place - place[0])
    if follow == GROUND.name:
        return None
    raise ModelError(
        f"follow must name a body, but {checks.show(follow)} was given; there are "
        f"{', '.join(names)}, and {GROUND.name} for a camera that stays"
    )


def wanders(drawing: Drawing) -> bool:
    """Whether the motion is too long for one picture."""
    every, _ = _places(drawing)
    away = np.linalg.norm(every - every[0].mean(axis=0), axis=2).max()
    return not away < WANDER * drawing.size


def _common_way(drawing: Drawing) -> np.ndarray:
    """(F, 3): the displacement that half of the bodies have exceeded, axis by axis: that of a
    vehicle, but none where a single part flies off."""
    bodies = [solid.number for solid in drawing.solids]
    place = drawing.result.motion[:][:, bodies, :3]
    return np.asarray(np.median(place - place[0], axis=1))


def following(look: Shot, way: np.ndarray | None, i: int) -> Shot:
    """The view moved with a body, at frame i."""
    if way is None:
        return look
    return replace(look, position=look.position + way[i], target=look.target + way[i])


def grid_cell(size: float) -> float:
    """The width of a cell of the floor: 1, 2 or 5 times a power of ten, about a quarter of it."""
    cell = 10 ** np.floor(np.log10(size / 4))
    return float(cell * max(f for f in (1, 2, 5) if f * cell <= size / 4 * 1.0001))


def _fitting(points: np.ndarray, sight: np.ndarray, up: np.ndarray, margins: np.ndarray) -> float:
    """The least distance from which all points are within the picture."""
    right = np.cross(up, sight)
    right /= np.linalg.norm(right)
    upright = np.cross(sight, right)
    half = FILLED * np.tan(FOV / 2)
    wide = (np.abs(points @ right) + margins) / (ASPECT * half)
    tall = (np.abs(points @ upright) + margins) / half
    return float((points @ sight + np.maximum(wide, tall)).max())


def up_axis(gravity: np.ndarray) -> np.ndarray:
    """The axis that points against gravity most; z without gravity."""
    up = np.zeros(3)
    axis = int(np.argmax(np.abs(gravity))) if np.any(gravity) else 2
    up[axis] = -np.sign(gravity[axis]) if np.any(gravity) else 1.0
    return up


def direction(points: np.ndarray, up: np.ndarray, size: float) -> np.ndarray:
    """From the target to the camera."""
    extent = np.ptp(points, axis=0)
    thin = int(np.argmin(extent))
    axis = int(np.argmax(np.abs(up)))
    if extent[thin] < FLAT * max(float(np.sort(extent)[1]), 0.2 * size) and thin != axis:
        normal = np.zeros(3)
        normal[thin] = -1.0 if thin == 1 else 1.0
        side = np.cross(up, normal)
        sight = normal + 0.38 * side + 0.30 * up
    elif extent[thin] < FLAT * float(np.sort(extent)[1]):  # lies on the floor: look from above
        sight = up + 0.15 * np.roll(up, 1) - 0.6 * np.roll(up, 2)
    else:
        ahead = np.array([0.75, -1.0, 0.0]) if axis == 2 else np.roll([1.0, 0.75, 0.0], axis - 1)
        sight = ahead - (ahead @ up) * up + 0.5 * up
    return sight / np.linalg.norm(sight)


def _few(drawing: Drawing) -> np.ndarray:
    """Numbers of the frames that are looked at."""
    return np.unique(np.linspace(0, len(drawing.time) - 1, FRAMES).astype(int))


def _places(drawing: Drawing) -> tuple[np.ndarray, np.ndarray]:
    """Places (f, n, 3) of bodies, joints and line ends over some frames, and the frames."""
    few = _few(drawing)
    bodies = [solid.number for solid in drawing.solids]
    parts = [drawing.result.motion[few][:, bodies, :3]]
    parts += [s.position[few, None] for s in drawing.symbols]
    parts += [x[few, None] for line in drawing.lines for x in (line.start, line.end)]
    return np.concatenate(parts, axis=1), few


def _points(drawing: Drawing, follow: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) that the picture must hold, and how far each reaches.

    Where the motion leads away, they are those of the parts that go along with the mechanism, as
    the camera sees them that goes with it.
    """
    every, few = _places(drawing)
    reach = np.full(every.shape[1], 0.03 * drawing.size)
    reach[: len(drawing.solids)] += [0.85 * min(s.extent, drawing.size) for s in drawing.solids]
    for k, symbol in enumerate(drawing.symbols, len(drawing.solids)):
        if symbol.group == "bodies":  # blades and cams
            reach[k] = symbol.extent
    if follow in drawing.result.system.names:
        every = every[:1]
    elif wanders(drawing):
        seen = every - _common_way(drawing)[few, None]
        near = np.linalg.norm(seen - seen[0], axis=2).max(axis=0) < ALONG * drawing.size
        every, reach = (seen[:, near], reach[near]) if near.any() else (every[:1], reach)
    points, margins = every.reshape(-1, 3), np.tile(reach, len(every))
    known = np.isfinite(points).all(axis=1)
    return points[known], margins[known]
