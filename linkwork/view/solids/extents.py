"""How far solids reach: h(d) = max x·d over the points x of a part, its support function.

    box        Σ |d_i| s_i / 2            cylinder   r √(d_x² + d_y²) + |d_z| l / 2
    sphere     r |d|                      mesh       max of v·d over its vertices
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.kernels import rotations
from linkwork.view.solids.figures import turned
from linkwork.view.solids.shapes import Part

if TYPE_CHECKING:
    from linkwork.view.scene import Drawing

BACK = np.array([1.0, -1.0, -1.0, -1.0])  # a quaternion's inverse


def reach(part: Part, way: np.ndarray) -> np.ndarray:
    """h of a part for unit vectors (F, 3) in the axes of its body."""
    d = way @ rotations.matrix(part.orientation)
    if part.kind == "box":
        own = np.abs(d) @ np.array(part.numbers) / 2
    elif part.kind == "cylinder":
        radius, length = part.numbers
        own = radius * np.hypot(d[:, 0], d[:, 1]) + np.abs(d[:, 2]) * length / 2
    elif part.kind == "mesh":
        own = np.max(d @ np.asarray(part.vertices).T, axis=1)
    else:
        own = np.full(len(d), part.numbers[0])
    return np.asarray(own + way @ part.position)


def lowest(drawing: Drawing, up: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """(F,) heights of the lowest point of all that is drawn, along `up`."""
    from linkwork.view.scene import place

    motion = drawing.result.motion[frames]
    drawn = [(s.parts, motion[:, s.number, :3], motion[:, s.number, 3:7]) for s in drawing.solids]
    for symbol in drawing.symbols:
        position, turn = place(drawing.result, symbol.marker)
        drawn.append((symbol.parts, position[frames], turn[frames]))
    heights = [end[frames] @ up for line in drawing.lines for end in (line.start, line.end)]
    for parts, position, turn in drawn:
        down = turned(turn * BACK, -up)
        heights += [position @ up - reach(part, down) for part in parts]
    return np.asarray(np.min(heights, axis=0))
