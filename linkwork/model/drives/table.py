"""Tables: points (t, y) joined by splines or straight lines."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from linkwork.errors import DriveError, LinkworkWarning, users_line
from linkwork.model.drives.base import Drive
from linkwork.model.drives.words import shown
from linkwork.model.given import VectorLike


@dataclass(frozen=True)
class Table(Drive):
    """Interpolation of points (t, y).  See `table`."""

    t: tuple[float, ...]
    y: tuple[float, ...]
    kind: str = "cubic"
    outside: str = "error"

    def __post_init__(self) -> None:
        for name, known in (
            ("kind", ("cubic", "linear", "natural")), ("outside", ("error", "hold", "extend")),
        ):  # fmt: skip
            if getattr(self, name) not in known:
                raise DriveError(
                    f"{self.label}: expected {name} to be {known[0]!r}, {known[1]!r} or "
                    f"{known[2]!r}, found {shown(getattr(self, name))}; choose one of them"
                )
        cubic = self.kind == "cubic"
        for name in ("t", "y"):
            self._set_list(
                name, 4 if cubic else 2, "give more points or kind='linear'" if cubic else ""
            )
        if len(self.t) != len(self.y):
            raise DriveError(
                f"{self.label}: expected as many times as values, found {len(self.t)} times and "
                f"{len(self.y)} values; give t and y of the same length"
            )
        step = np.diff(self.t)
        if not (step > 0).all():
            i = int(np.argmin(step > 0))
            raise DriveError(
                f"{self.label}: expected increasing times, found t[{i}] = {self.t[i]:.6g} and "
                f"t[{i + 1}] = {self.t[i + 1]:.6g}; sort the table and remove repeated times"
            )

    @functools.cached_property
    def _pieces(self) -> tuple[np.ndarray, np.ndarray]:
        """Break points, and per piece the coefficients of 1, s, s^2, s^3, s = t - its start."""
        t, y = np.array(self.t), np.array(self.y)
        with np.errstate(all="ignore"):
            c = self._coefficients(t, y)
        if c is None or not np.all(np.isfinite(c)):
            raise DriveError(
                f"{self.label}: expected values that can be joined, found some up to "
                f"{np.abs(y).max():.3g} with steps down to {np.diff(t).min():.3g} between them, "
                "whose slopes are too large for numbers; check the table's units"
            )
        return t, c

    def _coefficients(self, t: np.ndarray, y: np.ndarray) -> np.ndarray | None:
        """None where no spline was found."""
        if self.kind == "linear":
            zero = np.zeros(t.size - 1)
            return np.array((y[:-1], np.diff(y) / np.diff(t), zero, zero))
        from scipy.interpolate import CubicSpline

        try:
            ends = "natural" if self.kind == "natural" else "not-a-knot"
            return CubicSpline(t, y, bc_type=ends).c[::-1]
        except ValueError:  # of numbers that are not finite, or a matrix that is singular
            return None

    def _jet(self, t: np.ndarray) -> np.ndarray:
        knots, c = self._pieces
        first, last = knots[0], knots[-1]
        if self.outside == "error":
            # Times summed up from steps may miss the end by rounding.
            slack = 1e-9 * (last - first)
            out = (t < first - slack) | (t > last + slack)
            if out.any():
                raise DriveError(
                    f"{self.label}: expected a time between {first:.6g} and {last:.6g}, found "
                    f"t = {t[out][0]:.6g}; extend the table or give outside='hold'"
                )
        inside = t if self.outside == "extend" else np.clip(t, first, last)
        i = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, knots.size - 2)
        s, (c0, c1, c2, c3) = inside - knots[i], c[:, i]
        jet = np.column_stack(
            (c0 + s * (c1 + s * (c2 + s * c3)), c1 + s * (2 * c2 + s * 3 * c3), 2 * c2 + 6 * c3 * s)
        )
        jet[inside == last, 0] = self.y[-1]
        if self.outside == "hold":
            jet[(t < first) | (t >= last), 1:] = 0.0
        return jet

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return np.searchsorted(self._pieces[0], t, side="right")


def table(t: VectorLike, y: VectorLike, *, kind: str = "cubic", outside: str = "error") -> Table:
    """A table of points (t, y), interpolated.

    ``kind="cubic"`` is the not-a-knot cubic spline (y' continuous and smooth, y'' continuous;
    at least 4 points); ``kind="linear"`` joins the points by straight lines (at least 2), y'
    from the right; ``kind="natural"`` is the cubic spline without curvature at its ends.  Outside
    the table a time is an error; with ``outside="hold"`` the end values hold with zero
    derivatives, with ``outside="extend"`` the first and last pieces go on.  Points that jump want
    straight lines: a cubic spline swings far beyond them, and a warning says how far.

    Example: ``lw.table([0, 1, 2, 3], [0, 0.5, 0.8, 0.9], outside="hold")``
    """
    made = Table(cast(Any, t), cast(Any, y), kind, outside)
    warn_of_swings(made)
    return made


def warn_of_swings(table: Table) -> None:
    """A warning where a spline leaves its points' values by more than their whole range."""
    if table.kind == "linear":
        return
    knots, c = table._pieces
    s = np.diff(knots) * np.linspace(0, 1, 10)[1:-1, None]
    between = c[0] + s * (c[1] + s * (c[2] + s * c[3]))
    low, high = min(table.y), max(table.y)
    beyond = np.maximum(low - between, between - high).max(axis=0)
    worst = int(np.argmax(beyond))
    if beyond[worst] > high - low:
        found = between[:, worst]
        far = float(found[np.argmax(np.maximum(low - found, found - high))])
        warnings.warn(
            f"{table.label} swings to {far:.3g} between t = {knots[worst]:.6g} and "
            f"{knots[worst + 1]:.6g}, though its values lie between {low:.3g} and {high:.3g}: a "
            "cubic spline overshoots where values jump; give kind='linear', or smoother points",
            LinkworkWarning,
            stacklevel=users_line(),
        )
