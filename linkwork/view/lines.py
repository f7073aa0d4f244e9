"""Lines of a drawing: springs, rods, hydraulic cylinders, and pieces of what bends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.elements.hydraulics.cylinder import Cylinder
from linkwork.view.solids.shapes import Part
from linkwork.view.solids.symbols import coil

BARREL, ROD = (72, 78, 88), (196, 201, 208)  # colours of a cylinder
WALL = 1.15  # radius of a barrel over that of its bore


@dataclass(eq=False)
class Line:
    """A spring or a massless rod between two points, or a piece of a flexible link."""

    name: str
    group: str  # "springs", "joints" or "bodies"
    start: np.ndarray  # (F, 3)
    end: np.ndarray
    radius: float
    colour: tuple[int, int, int] | None = None
    piece: int = 0  # of a link that is drawn in several
    sides: tuple[float, ...] | None = None  # of a bar in place of a rod, along x and y
    turns: np.ndarray | None = None  # (F, 4), where its sides matter
    shades: np.ndarray | None = None  # (F, 3), colours that change

    @property
    def part(self) -> Part:
        """A coil or a rod of unit length along z, to be stretched."""
        if self.group == "springs":
            return coil(1.6 * self.radius, 0.28 * self.radius)
        if self.sides is not None:
            return Part("box", (*self.sides, 1.04), np.array([0, 0, 0.5]))
        return Part("cylinder", (self.radius, 1.0), np.array([0, 0, 0.5]))

    @cached_property
    def length(self) -> np.ndarray:
        return np.linalg.norm(self.end - self.start, axis=1)

    @cached_property
    def orientation(self) -> np.ndarray:
        """(F, 4): the shortest turn of z to the line, or the one that is given."""
        if self.turns is not None:
            return self.turns
        d = (self.end - self.start) / np.where(self.length > 0, self.length, 1.0)[:, None]
        q = np.column_stack([1 + d[:, 2], -d[:, 1], d[:, 0], np.zeros(len(d))])
        q[q[:, 0] < 1e-9] = [0.0, 1.0, 0.0, 0.0]
        return q / np.linalg.norm(q, axis=1)[:, None]


def cylinder_lines(item: Cylinder, foot: np.ndarray, end: np.ndarray) -> list[Line]:
    """The barrel of a hydraulic cylinder, as long as it is when it is retracted, and its rod."""
    areas = item.areas
    bore = float(np.sqrt(max(areas) / np.pi))
    rod = float(np.sqrt(abs(areas[0] - areas[1]) / np.pi)) or 0.5 * bore
    way = end - foot
    length = np.linalg.norm(way, axis=1)
    retracted = item.closed or 0.5 * float(length.min())
    share = np.minimum(retracted / np.where(length > 0, length, 1.0), 1.0)
    barrel = foot + share[:, None] * way
    return [
        Line(str(item.name), "joints", foot, barrel, WALL * bore, BARREL, piece=1),
        Line(str(item.name), "joints", foot, end, rod, ROD, piece=2),
    ]
