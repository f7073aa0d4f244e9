"""Validation where the user speaks: numbers, vectors, axes and orientations of items.

Every check names the item, what was expected, what was found and what to do.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError
from linkwork.math import rotations


def number(value: Any, what: str, *, positive: bool = False, minimum: float | None = None) -> float:
    """A finite float, optionally positive or not below a minimum."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a number, but {value!r} was given") from None
    if not math.isfinite(x):
        raise ModelError(f"{what} must be a finite number, but {value!r} was given")
    if positive and x <= 0:
        raise ModelError(f"{what} must be positive, but {x:g} was given")
    if minimum is not None and x < minimum:
        raise ModelError(f"{what} must be at least {minimum:g}, but {x:g} was given")
    return x


def vector(value: Any, what: str, length: int = 3) -> np.ndarray:
    """`length` finite floats."""
    try:
        x = np.array(value, dtype=float)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.shape != (length,):
        raise ModelError(f"{what} must be {length} numbers, but {value!r} was given")
    if not np.all(np.isfinite(x)):
        raise ModelError(f"{what} must be finite numbers, but {value!r} was given")
    return x


def direction(value: Any, what: str) -> np.ndarray:
    """A unit vector along three numbers that are not all zero."""
    x = vector(value, what)
    size = float(np.linalg.norm(x))
    if size == 0:
        raise ModelError(f"{what} must not be zero; give a direction such as (0, 0, 1)")
    return x / size


def quaternion(value: Any, what: str) -> np.ndarray:
    """A unit quaternion from a quaternion (w, x, y, z), a 3×3 matrix or a scipy Rotation."""
    if value is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    if hasattr(value, "as_quat"):
        return np.roll(np.asarray(value.as_quat(), float), 1)
    try:
        x = np.array(value, dtype=float)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.shape not in ((4,), (3, 3)) or not np.all(np.isfinite(x)):
        raise ModelError(
            f"{what} must be a quaternion (w, x, y, z), a 3×3 rotation matrix or a scipy "
            f"Rotation, but {value!r} was given"
        )
    if x.shape == (4,):
        size = float(np.linalg.norm(x))
        if size == 0:
            raise ModelError(f"{what} must be a unit quaternion, but all four numbers are zero")
        if abs(size - 1) > 1e-9:
            warnings.warn(
                f"{what} is a quaternion of length {size:.6g}; it was normalised",
                LinkworkWarning,
                stacklevel=4,
            )
        return x / size
    if np.abs(x @ x.T - np.eye(3)).max() > 1e-6 or np.linalg.det(x) < 0:
        raise ModelError(f"{what} must be a rotation matrix: orthogonal with determinant +1")
    return rotations.from_matrix(x)


def axes(axis: Any, orientation: Any, what: str) -> np.ndarray:
    """Joint axes in the world as a quaternion: z along `axis`, x along the projected world x.

    Where world x is nearly parallel to the axis, world y takes its place; `orientation` gives all
    three axes instead; without either they are the world's.
    """
    if axis is None:
        return quaternion(orientation, f"orientation of {what}")
    if orientation is not None:
        raise ModelError(f"{what}: give either axis or orientation, not both")
    z = direction(axis, f"axis of {what}")
    x = np.array([1.0, 0.0, 0.0])
    if abs(z[0]) > 0.99:
        x = np.array([0.0, 1.0, 0.0])
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return rotations.from_matrix(np.column_stack([x, np.cross(z, x), z]))
