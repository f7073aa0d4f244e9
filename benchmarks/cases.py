"""The mechanisms of the comparison as plain numbers, so that every program builds the same one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

GROUND = -1
LINK = (0.01, 1 / 12, 1 / 12)  # inertia of a link of 1 m and 1 kg along x
Y, TILTED, Z = (0.0, 1.0, 0.0), (0.0, 0.6, 0.8), (0.0, 0.0, 1.0)
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """A body of 1 kg with axes parallel to the world's: SI units."""

    position: Vector
    inertia: Vector
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Hinge:
    """A revolute joint at a world point between two bodies, by their numbers."""

    a: int
    b: int
    at: Vector
    axis: Vector


@dataclass
class Case:
    """A mechanism; size is its length in metres, to which differences are compared."""

    gravity: Vector
    size: float
    planar: bool = False
    parts: list[Part] = field(default_factory=list)
    hinges: list[Hinge] = field(default_factory=list)

    def link(self, parent: int, start: Vector, axis: Vector) -> int:
        """A link of 1 m along x, hinged to the parent at its start; gives its number."""
        x, y, z = start
        self.parts.append(Part((x + 0.5, y, z), LINK))
        self.hinges.append(Hinge(parent, len(self.parts) - 1, start, axis))
        return len(self.parts) - 1


def chain(n: int) -> Case:
    """n links in a row, hinge axes alternating, falling from horizontal: as in chain.py."""
    case = Case((0, 0, -9.81), size=n)
    parent = GROUND
    for i in range(n):
        parent = case.link(parent, (i, 0, 0), Y if i % 2 == 0 else TILTED)
    return case


def tree(levels: int) -> Case:
    """A link, two links at its end, four at theirs: 2^levels − 1 bodies falling from horizontal."""
    case = Case((0, 0, -9.81), size=levels)
    ends = [case.link(GROUND, (0, 0, 0), Y)]
    for level in range(1, levels):
        ends = [case.link(end, (level, 0, 0), axis) for end in ends for axis in (Y, TILTED)]
    return case


def independent(n: int) -> Case:
    """n chains of three links side by side, which do not touch."""
    case = Case((0, 0, -9.81), size=3)
    for k in range(n):
        parent = GROUND
        for i in range(3):
            parent = case.link(parent, (i, k, 0), Y if i % 2 == 0 else TILTED)
    return case


def four_bars(n: int) -> Case:
    """n parallelogram four-bars in a row (IFToMM A02), started with 1 m/s at the upper joints."""
    case = Case((0, -9.81, 0), size=n, planar=True)
    upright, coupler = (1 / 12, 0.0, 1 / 12), (0.0, 1 / 12, 1 / 12)

    def add_upright(k: int) -> int:
        case.parts.append(Part((k, 0.5, 0), upright, (0.5, 0, 0), (0, 0, -1)))
        case.hinges.append(Hinge(GROUND, len(case.parts) - 1, (k, 0, 0), Z))
        return len(case.parts) - 1

    left = add_upright(0)
    for k in range(1, n + 1):
        right = add_upright(k)
        case.parts.append(Part((k - 0.5, 1, 0), coupler, (1, 0, 0)))
        middle = len(case.parts) - 1
        case.hinges.append(Hinge(left, middle, (k - 1, 1, 0), Z))
        case.hinges.append(Hinge(middle, right, (k, 1, 0), Z))
        left = right
    return case


BUILDERS = {"chain": chain, "four-bars": four_bars, "tree": tree, "independent": independent}


def axes_along(axis: Vector) -> np.ndarray:
    """A rotation matrix whose third column is the axis."""
    z = np.array(axis, float)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (0.0, 0.0, 1.0), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
