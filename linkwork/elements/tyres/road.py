"""Roads: the height z = h(x, y) over the world's plane, flat or given on a grid.

Between the points of a grid the height is that of Catmull and Rom's splines in both directions, so
that it goes through the points with continuous slopes:

    p(s) = ½ ((2 b) + (c − a) s + (2 a − 5 b + 4 c − d) s² + (3 b − 3 c + d − a) s³),   0 ≤ s ≤ 1

for four neighbours a, b, c, d; beyond the border it goes on level with the border's height.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.math.compiled import inlined
from linkwork.math.memory.pointers import number_at
from linkwork.math.record import record
from linkwork.model import checks
from linkwork.model.given import MatrixLike, VectorLike

# height of a flat road and its slopes, or origin and spacing of a grid
ROAD = record(height=1, slope_x=1, slope_y=1, x0=1, y0=1, dx=1, dy=1)
HEIGHT, SLOPE_X, SLOPE_Y, X0, Y0, DX, DY = ROAD
ROAD_INTEGERS = record(heights=1, nx=1, ny=1)  # the address of the grid's heights or 0, its counts
HEIGHTS, NX, NY = ROAD_INTEGERS


@inlined
def weights(s):
    """Weights of four neighbours, of the slope and of the second derivative."""
    s2, s3 = s * s, s * s * s
    return (
        (0.5 * (-s + 2 * s2 - s3), 0.5 * (2 - 5 * s2 + 3 * s3), 0.5 * (s + 4 * s2 - 3 * s3),
         0.5 * (s3 - s2)),
        (0.5 * (-1 + 4 * s - 3 * s2), 0.5 * (-10 * s + 9 * s2), 0.5 * (1 + 8 * s - 9 * s2),
         0.5 * (3 * s2 - 2 * s)),
        (2.0 - 3 * s, 9 * s - 5.0, 4.0 - 9 * s, 3 * s - 1.0),
    )  # fmt: skip


@inlined
def height(ints, reals, k, i, p, x, y):
    """h, h_x, h_y, h_xx, h_xy, h_yy at a place; i, p: the first columns of the road."""
    if ints[k, i + HEIGHTS] == 0:
        a, b = reals[k, p + SLOPE_X], reals[k, p + SLOPE_Y]
        return reals[k, p + HEIGHT] + a * x + b * y, a, b, 0.0, 0.0, 0.0
    address, nx, ny = ints[k, i + HEIGHTS], ints[k, i + NX], ints[k, i + NY]
    dx, dy = reals[k, p + DX], reals[k, p + DY]
    u, v = (x - reals[k, p + X0]) / dx, (y - reals[k, p + Y0]) / dy
    inside_x, inside_y = 0.0 < u < nx - 1, 0.0 < v < ny - 1
    u, v = min(max(u, 0.0), nx - 1.0), min(max(v, 0.0), ny - 1.0)
    row, column = min(int(u), nx - 2), min(int(v), ny - 2)
    wx, wy = weights(u - row), weights(v - column)
    h, hx, hy, hxx, hxy, hyy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        first = ny * min(max(row - 1 + a, 0), nx - 1)
        f, fy, fyy = 0.0, 0.0, 0.0
        for b in range(4):
            z = number_at(address, np.int64(first + min(max(column - 1 + b, 0), ny - 1)))
            f += wy[0][b] * z
            fy += wy[1][b] * z
            fyy += wy[2][b] * z
        h += wx[0][a] * f
        hx += wx[1][a] * f
        hxx += wx[2][a] * f
        hy += wx[0][a] * fy
        hxy += wx[1][a] * fy
        hyy += wx[0][a] * fyy
    if not inside_x:
        hx, hxx, hxy = 0.0, 0.0, 0.0
    if not inside_y:
        hy, hyy, hxy = 0.0, 0.0, 0.0
    return h, hx / dx, hy / dy, hxx / (dx * dx), hxy / (dx * dy), hyy / (dy * dy)


GRIDS: weakref.WeakValueDictionary[tuple, np.ndarray] = weakref.WeakValueDictionary()


def shared(grid: np.ndarray) -> np.ndarray:
    """The array that all roads of these heights have in common, which nobody changes."""
    key = grid.shape, hashlib.sha256(grid.tobytes()).digest()
    found = GRIDS.get(key)
    if found is None:
        grid.flags.writeable = False
        found = GRIDS[key] = grid
    return found


class Road:
    """A road under tyres.

    height, slope : of a flat road: its height (m) at the origin, and its slopes along x and y
    heights       : (nx, ny) heights in m on a grid instead
    x, y          : the coordinates of its first and last points (m)

    Example
    -------
    >>> import numpy as np
    >>> import linkwork as lw
    >>> hump = lw.Road.function(lambda x, y: 0.05 * np.exp(-((x - 5) ** 2)), x=(0, 20), y=(-2, 2))
    """

    kinds: ClassVar[dict[str, type[Road]]] = {}

    def __init__(
        self, height: float = 0.0, slope: VectorLike = (0.0, 0.0),
        heights: MatrixLike | None = None, x: VectorLike | None = None,
        y: VectorLike | None = None,
    ) -> None:  # fmt: skip
        self.height = checks.number(height, "height of a Road")
        self.slope = tuple(checks.number(s, "slope of a Road") for s in slope)
        if len(self.slope) != 2:
            raise ModelError(
                f"slope of a Road must be two numbers, but "
                f"{checks.show(slope)} was given"
            )
        self.heights, self.x, self.y = None, None, None
        if heights is None:
            if x is not None or y is not None:
                raise ModelError("x and y of a Road belong to heights= on a grid; give these, too")
            return
        grid = checks.array(heights)
        if grid is None or grid.ndim != 2 or min(grid.shape) < 2 or not np.isfinite(grid).all():
            raise ModelError(
                "heights of a Road must be finite numbers on a grid of at least 2 × 2 points"
            )
        self.heights = shared(np.array(grid, dtype=float, order="C"))
        self.x, self.y = (self._range(r, what) for r, what in ((x, "x"), (y, "y")))

    @staticmethod
    def _range(given: Any, what: str) -> tuple[float, float]:
        found = checks.array(given)
        if found is None or found.shape != (2,) or not np.isfinite(found).all():
            raise ModelError(
                f"{what} of a Road must be its first and last coordinate, such as (0, 20), but "
                f"{checks.show(given)} was given"
            )
        if not found[1] > found[0]:
            raise ModelError(
                f"{what} of a Road must rise, but it goes from {found[0]:g} to {found[1]:g}"
            )
        return float(found[0]), float(found[1])

    @classmethod
    def function(
        cls, h: Callable[[np.ndarray, np.ndarray], np.ndarray | float], x: VectorLike,
        y: VectorLike, spacing: float = 0.05,
    ) -> Road:  # fmt: skip
        """A road of the heights h(x, y) (m), sampled with a spacing (m) over ranges of x and y."""
        spacing = checks.number(spacing, "spacing of a Road", positive=True)
        ranges = [cls._range(r, what) for r, what in ((x, "x"), (y, "y"))]
        counts = [max(int(np.ceil((b - a) / spacing)), 1) + 1 for a, b in ranges]
        if counts[0] * counts[1] > 20_000_000:
            raise ModelError(
                f"a Road of {counts[0]} × {counts[1]} points is too large; give a larger spacing"
            )
        grid = np.meshgrid(*(np.linspace(*r, n) for r, n in zip(ranges, counts)), indexing="ij")
        found = np.broadcast_to(np.asarray(h(*grid), float), grid[0].shape)
        return cls(heights=found, x=ranges[0], y=ranges[1])

    def reals(self) -> list[float]:
        """The columns of an element's table."""
        if self.heights is None or self.x is None or self.y is None:
            return [self.height, *self.slope, 0.0, 0.0, 0.0, 0.0]
        nx, ny = self.heights.shape
        return [
            0.0, 0.0, 0.0, self.x[0], self.y[0],
            (self.x[1] - self.x[0]) / (nx - 1), (self.y[1] - self.y[0]) / (ny - 1),
        ]  # fmt: skip

    def integers(self) -> tuple[Any, ...]:
        """The integer columns: the heights on the grid, of which elements have the address."""
        return (0, 0, 0) if self.heights is None else (self.heights, *self.heights.shape)

    def parameters(self) -> dict[str, Any]:
        """What describes it, for files."""
        return {
            "height": self.height, "slope": self.slope, "heights": self.heights, "x": self.x,
            "y": self.y,
        }  # fmt: skip

    def __repr__(self) -> str:
        if self.heights is None:
            return f"Road(height={self.height:g}, slope={self.slope})"
        return f"Road(heights {self.heights.shape}, x={self.x}, y={self.y})"


Road.kinds["Road"] = Road
