"""Validation where the user speaks: numbers, vectors, axes and orientations of items.

Every check names the item, what was expected, what was found and what to do.
"""

from __future__ import annotations

import math
import sys
import warnings
from numbers import Real
from typing import Any

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError
from linkwork.kernels import rotations
from linkwork.model import one_rotation

SMALLEST, LARGEST = 1e-50, 1e50  # of physical quantities: products of a few stay in range
MAX_COUNT = sys.maxsize  # of what is counted
WIDEST, NARROWEST = 1e9, 1e-9  # bounds of a range of motion (rad or m)


def show(value: Any, limit: int = 80) -> str:
    """What the user gave, in at most `limit` characters of one line."""
    label = getattr(value, "label", None)
    if isinstance(label, str):
        return label
    try:
        return line(repr(value), limit)
    except Exception:
        return f"a {type(value).__name__}"


def line(text: object, limit: int = 200) -> str:
    """A text in at most `limit` characters of one line."""
    words = " ".join(str(text).split())
    return words if len(words) <= limit else words[: limit - 3] + "..."


def array(value: Any) -> np.ndarray | None:
    """A new array of floats from numbers in any nesting; None where they are not all numbers."""
    try:
        found = np.asarray(value)
        if found.dtype == float and type(value) is tuple:  # nobody else has the new array
            return found
        if found.dtype.kind == "O":
            known = all(isinstance(x, Real) and not isinstance(x, bool) for x in found.ravel())
            return np.array(found, dtype=float) if known else None
        return np.array(found, dtype=float) if found.dtype.kind in "fiu" else None
    except Exception:  # whatever the user's object does when it is asked for its numbers
        return None


def number(
    value: Any, what: str, *, positive: bool = False, minimum: float | None = None,
    maximum: float | None = None,
) -> float:  # fmt: skip
    """A finite float, optionally positive, not below a minimum or not above a maximum, of a size to
    compute with."""
    if type(value) is float:
        x = value
    else:
        found = array(value)
        if found is None or found.ndim:
            raise ModelError(f"{what} must be a number, but {show(value)} was given")
        x = float(found)
    if not math.isfinite(x):
        raise ModelError(f"{what} must be a finite number, but {show(value)} was given")
    if positive and x <= 0:
        raise ModelError(f"{what} must be positive, but {x:g} was given")
    if minimum is not None and x < minimum:
        raise ModelError(f"{what} must be at least {minimum:g}, but {x:g} was given")
    if maximum is not None and x > maximum:
        raise ModelError(f"{what} must be at most {maximum:g}, but {x:g} was given")
    if abs(x) > LARGEST:
        raise beyond_range(what, x)
    if 0 < x < SMALLEST and (positive or minimum == 0):  # it may be divided by
        or_zero = "" if positive else ", or zero"
        raise ModelError(
            f"{what} must be at least {SMALLEST:g}{or_zero}, but {x:g} was given; correct it, or "
            "use other units"
        )
    return x


def beyond_range(what: str, x: Any) -> ModelError:
    """Of a number whose products with a few others are no numbers any more."""
    given = f"{x:g}" if isinstance(x, float) else show(x)
    return ModelError(
        f"{what} must be at most {LARGEST:g} in size, but {given} was given; correct it, or use "
        "other units"
    )


def too_large(value: Any) -> Any:
    """A finite number that is too large to compute with, in any nesting; None without one."""
    kind = type(value)
    if kind is float or kind is int or isinstance(value, np.number):
        size = abs(value) if kind is int else float(abs(value))
        return value if size > LARGEST and size != math.inf else None
    if kind is np.ndarray:
        large = value[np.abs(value) > LARGEST] if value.dtype == float and value.size else ()
        return next((x for x in large if math.isfinite(x)), None)
    if kind is dict:
        value, kind = value.values(), list
    if kind is tuple or kind is list:
        return next((x for x in map(too_large, value) if x is not None), None)
    return None


def range_of_motion(lower: float | None, upper: float | None, what: str) -> None:
    """Refuse bounds of an angle (rad) or a length (m) that no stop can be made for."""
    bounds = [x for x in (lower, upper) if x is not None]
    if any(abs(x) > WIDEST for x in bounds):
        raise ModelError(
            f"{what} must lie between -{WIDEST:g} and {WIDEST:g} (rad or m), but "
            f"{', '.join(f'{x:g}' for x in bounds)} was given; where there is no bound give None"
        )
    if len(bounds) == 2 and bounds[1] - bounds[0] < NARROWEST:
        raise ModelError(
            f"{what} must be at least {NARROWEST:g} (rad or m) apart, but are "
            f"{bounds[1] - bounds[0]:g} apart; lock the joint instead"
        )


def count(value: Any, what: str) -> int:
    """A whole number of at least 1, small enough to count to."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ModelError(
            f"{what} must be a whole number of at least 1, but {show(value)} was given"
        )
    if value > MAX_COUNT:
        raise ModelError(f"{what} must be at most {MAX_COUNT}, but {show(value)} was given")
    return int(value)


def steps(t: float, h: float, begin: float, goes_on: bool = False) -> None:
    """Refuse an end time that is past, steps below the distance of neighbouring times, and a first
    step beyond the end; a run that goes on may end within a step."""
    if t <= begin:
        raise ModelError(f"t must be later than the start time {begin:g}, but t = {t:g} was given")
    apart = float(np.spacing(max(abs(t), abs(begin))))
    if h < 16 * apart:
        raise ModelError(
            f"h = {h:g} s is too short at t = {t:g}, where neighbouring times are {apart:.2g} "
            "s apart; take longer steps, or begin nearer to t = 0"
        )
    if not goes_on and h - (t - begin) > 16 * apart:
        raise ModelError(
            f"h, the step, must not be longer than the run, but h = {h:g} s was given for "
            f"{t - begin:g} s; take a shorter step, or a later end time t"
        )


def flag(value: Any, what: str) -> bool:
    """True or False; a text such as "no" is neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} must be True or False, but {show(value)} was given")
    return bool(value)


def choice(value: Any, what: str, known: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in known:
        words = " or ".join(repr(word) for word in known)
        raise ModelError(f"{what} must be {words}, but {show(value)} was given")
    return value


def at_place(value: Any, s: float, what: str) -> Any:
    """A value, or what a function of the place s gives there."""
    if not callable(value):
        return value
    try:
        return value(s)
    except Exception as error:
        raise ModelError(
            f"{what} fails at s = {s:g}: {type(error).__name__}: {line(error)}; correct the "
            "function so that it is defined from 0 to 1"
        ) from error


def vector(value: Any, what: str, length: int = 3) -> np.ndarray:
    """`length` finite floats, in an array of their own."""
    x = array(value)
    if x is None or x.shape != (length,):
        raise ModelError(f"{what} must be {length} numbers, but {show(value)} was given")
    numbers = x.tolist()
    if not all(map(math.isfinite, numbers)):
        raise ModelError(f"{what} must be finite numbers, but {show(value)} was given")
    largest = max(numbers, key=abs, default=0.0)
    if abs(largest) > LARGEST:
        raise beyond_range(what, largest)
    return x


def unit(x: np.ndarray) -> tuple[np.ndarray, float]:
    """x over its length, and its length; also where squares overflow or vanish."""
    largest = max(map(abs, x.tolist()))
    if largest == 0:
        return x, 0.0
    y = x / largest
    size = math.sqrt(y.dot(y))
    return y / size, largest * size


AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def direction(value: Any, what: str) -> np.ndarray:
    """A unit vector along three numbers that are not all zero, or "x", "-x", "y", …"""
    if isinstance(value, str):
        if value.removeprefix("-") not in AXES:
            raise ModelError(
                f"{what} must be 3 numbers or one of 'x', '-x', 'y', '-y', 'z', '-z', but "
                f"{show(value)} was given"
            )
        return (-1.0 if value[0] == "-" else 1.0) * np.array(AXES[value[-1]])
    x, size = unit(vector(value, what))
    if size == 0:
        raise ModelError(f"{what} must not be zero; give a direction such as (0, 0, 1)")
    return x


def quaternion(value: Any, what: str) -> np.ndarray:
    """A unit quaternion from a quaternion (w, x, y, z), a 3×3 matrix or a scipy Rotation."""
    if value is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    x = array(value)
    if hasattr(value, "as_quat"):
        x = array(value.as_quat())
        x = np.roll(x, 1) if x is not None and x.shape == (4,) else None
    if x is None or x.shape not in ((4,), (3, 3)) or not np.isfinite(x).all():
        raise ModelError(
            f"{what} must be a quaternion (w, x, y, z), a 3×3 rotation matrix or one scipy "
            f"Rotation, but {show(value)} was given"
        )
    if x.shape == (4,):
        turned, size = unit(x)
        if abs(size - 1) < 4e-16:  # normalising again would only move the last digit
            return x
        if size == 0:
            raise ModelError(f"{what} must be a unit quaternion, but all four numbers are zero")
        if abs(size - 1) > 1e-9:
            warnings.warn(
                f"{what} is a quaternion of length {size:.6g}; it was normalised",
                LinkworkWarning,
                stacklevel=4,
            )
        return turned
    if np.abs(x).max() > 2 or np.abs(x @ x.T - np.eye(3)).max() > 1e-6 or np.linalg.det(x) < 0:
        raise ModelError(
            f"{what} must be a rotation matrix, orthogonal with determinant +1, but "
            f"{show(value)} was given"
        )
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
    x = one_rotation.unit(x - (x @ z) * z)
    (a, b, c), (d, e, f) = z.tolist(), x.tolist()
    return one_rotation.from_matrix(
        [[d, b * f - c * e, a], [e, c * d - a * f, b], [f, a * e - b * d, c]]
    )
