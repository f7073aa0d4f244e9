"""The axis of a beam at rest: a straight line, or a smooth curve through points, with its axes.

A curve is the cubic spline through the points over the lengths of their chords, followed by its arc
length.  The section's x axis is the tangent; its z axis is `up` made normal to it, or without `up`
the z axis at the start carried along without twist (W. Wang, B. Jüttler, D. Zheng, Y. Liu:
Computation of rotation minimizing frames, ACM Transactions on Graphics 27 (2008), double
reflection).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks

ALONG = 1e-6  # sine of the angle between `up` and the beam below which it gives no axes
FINE = 32  # pieces of each chord in tables of arc length and of axes


class Curve:
    """Positions and axes by s, the part of the length from 0 to 1."""

    def __init__(self, points: np.ndarray, up: Any, what: str) -> None:
        self.up, self.what = up, what
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        extent = float(np.abs(points).max())
        if len(points) < 2 or steps.min() <= 1e-12 * extent:
            raise ModelError(
                f"the points of {what} must follow each other at a distance, but "
                f"{'two of them coincide' if len(points) > 1 else 'one alone was given'}"
            )
        self.straight = len(points) == 2
        self.points = points
        if self.straight:
            self.length = float(steps[0])
            return
        from scipy.interpolate import CubicSpline  # slow to import

        chord = np.concatenate([[0.0], np.cumsum(steps)])
        self.spline = CubicSpline(chord, points)
        nodes, weights = np.polynomial.legendre.leggauss(6)
        u = np.concatenate([
            np.linspace(a, b, FINE, endpoint=False) for a, b in zip(chord[:-1], chord[1:])
        ] + [[chord[-1]]])  # fmt: skip
        half = np.diff(u) / 2
        inner = (u[:-1] + half)[:, None] + half[:, None] * nodes
        self._refuse_hairpins(u)
        speed = np.linalg.norm(self.spline(inner, 1), axis=-1)
        arc = np.concatenate([[0.0], np.cumsum(half * (speed @ weights))])
        self.length = float(arc[-1])
        self.parameter = CubicSpline(arc / arc[-1], u)
        self.table_s = arc / arc[-1]
        if up is None:
            self.table_z = self._carried(self.spline(u), self.spline(u, 1))

    def _refuse_hairpins(self, u: np.ndarray) -> None:
        """Turns by a right angle or more from one place of the table to the next."""
        t = self.spline(u, 1)
        back = np.flatnonzero(np.einsum("ij,ij->i", t[:-1], t[1:]) <= 0.0)
        if len(back):
            raise ModelError(
                f"the points of {self.what} turn back near point {round(int(back[0]) / FINE) + 1}, "
                "where a smooth curve through them has no direction; make the bend wider, or join "
                "two beams there by lw.Fixed"
            )

    def _carried(self, p: np.ndarray, t: np.ndarray) -> np.ndarray:
        """z axes along the table, without twist."""
        t = t / np.linalg.norm(t, axis=1)[:, None]
        z = [self._across(t[0], usual_up(t[0]))]
        for i in range(len(p) - 1):
            z.append(reflected(p[i], t[i], z[-1], p[i + 1], t[i + 1]))
        return np.array(z)

    def _across(self, x: np.ndarray, up: np.ndarray) -> np.ndarray:
        z, size = checks.unit(up - (up @ x) * x)
        if size < ALONG:
            raise ModelError(f"up of {self.what} lies along the beam; give a direction across it")
        return z

    def position(self, s: float) -> np.ndarray:
        if self.straight:
            return self.points[0] + s * (self.points[1] - self.points[0])
        return self.spline(self.parameter(s))

    def orientation(self, s: float) -> np.ndarray:
        """The section's axes as a quaternion."""
        if self.straight:
            x = checks.unit(self.points[1] - self.points[0])[0]
        else:
            x = checks.unit(self.spline(self.parameter(s), 1))[0]
        if callable(self.up):
            up = checks.at_place(self.up, s, f"up of {self.what}")
            z = self._across(x, checks.direction(up, f"up({s:g}) of {self.what}"))
        elif self.up is not None:
            z = self._across(x, self.up)
        elif self.straight:
            z = self._across(x, usual_up(x))
        else:
            i = int(np.argmin(np.abs(self.table_s - s)))
            u = self.parameter(self.table_s[i])
            there, tangent = self.spline(u), checks.unit(self.spline(u, 1))[0]
            z = reflected(there, tangent, self.table_z[i], self.position(s), x)
        axes = np.column_stack([x, np.cross(z, x), z])
        return rotations.from_matrix(axes)


def checked_points(given: Any, what: str, least: int) -> np.ndarray:
    """Points that a curve may pass through, one in each row."""
    points = checks.array(given)
    if (
        points is None or points.ndim != 2 or points.shape[1] != 3 or len(points) < least
        or not np.all(np.isfinite(points))
    ):  # fmt: skip
        raise ModelError(
            f"{what} must be at least {least} points, rows of three numbers, all finite, but "
            f"{checks.show(given)} was given"
        )
    return points


def usual_up(x: np.ndarray) -> np.ndarray:
    """The world's z, or y where the beam is nearly upright."""
    return np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.99 else np.array([0.0, 1.0, 0.0])


def reflected(
    p: np.ndarray, t: np.ndarray, z: np.ndarray, p1: np.ndarray, t1: np.ndarray
) -> np.ndarray:
    """The axis z at p, carried to p1 by two reflections."""
    v = p1 - p
    if v @ v == 0.0:
        return z
    za, ta = z - 2 * (v @ z) / (v @ v) * v, t - 2 * (v @ t) / (v @ v) * v
    w = t1 - ta
    za = za - 2 * (w @ za) / (w @ w) * w
    return checks.unit(za - (za @ t1) * t1)[0]
