"""Paths that points of the mechanism take: of a body's centre of mass, a point on it, or a joint.

    "coupler"     ("coupler", (0.1, 0, 0.2))     "pin"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.stored import body_motion
from linkwork.results.result import Result

if TYPE_CHECKING:
    from linkwork.view.scene import Drawing

MOST = 2000  # points of a path
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0))


@dataclass(eq=False)
class Trace:
    """The path of a point, (n, 3) in world axes."""

    name: str
    path: np.ndarray
    colour: tuple[int, int, int]

    @property
    def segments(self) -> np.ndarray:
        """(n − 1, 2, 3): from each point to the next."""
        return np.stack([self.path[:-1], self.path[1:]], axis=1)


def traces_of(result: Result, wanted: Any, first: int = 0) -> list[Trace]:
    """The paths that the user asked for; colours from the one of number `first` on."""
    if isinstance(wanted, str) or (isinstance(wanted, tuple) and len(wanted) == 2
                                   and isinstance(wanted[0], str)
                                   and not isinstance(wanted[1], str)):  # fmt: skip
        wanted = [wanted]
    if not isinstance(wanted, Iterable):
        raise ModelError(
            f"traces must be names such as 'rod' or pairs ('rod', (x, y, z)), found "
            f"{checks.show(wanted)}"
        )
    return [
        Trace(*path_of(result, one), COLOURS[k % len(COLOURS)])
        for k, one in enumerate(wanted, first)
    ]


def path_of(result: Result, wanted: Any) -> tuple[str, np.ndarray]:
    """Name and path of one point over all stored times, thinned."""
    name, point = wanted if isinstance(wanted, (tuple, list)) and len(wanted) == 2 else (wanted, 0)
    names = result.system.names
    item = result.system.model.items.get(name) if isinstance(name, str) else None
    some = np.unique(np.linspace(0, len(result) - 1, MOST).astype(int))
    if name in names:
        motion = result.motion[:, names.index(name)][some]
        u = np.zeros(3) if isinstance(point, int) else checks.vector(point, f"trace of '{name}'")
        at = "" if isinstance(point, int) else f" ({u[0]:g}, {u[1]:g}, {u[2]:g})"
        return f"{name}{at}", motion[:, :3] + rotations.matrix(motion[:, 3:7]) @ u
    frames = getattr(item, "frames", None)
    if not isinstance(frames, tuple) or not isinstance(point, int):
        raise ModelError(
            f"there is no body or joint {checks.show(name)} whose path could be drawn; there are "
            f"{', '.join(names)}"
        )
    frame = frames[-1]  # on the second body, which moves where the first is the ground
    number = names.index(frame.body.name) if frame.body.name in names else -1
    m = body_motion(result, number)
    return str(name), (m.r + rotations.matrix(m.q) @ frame.position)[some]


def traceable(drawing: Drawing) -> list[str]:
    """What a page offers: bodies, and joints that move."""
    solids = [solid.name for solid in drawing.solids]
    return solids + [s.name for s in drawing.symbols if np.ptp(s.position, axis=0).max() > 0]
