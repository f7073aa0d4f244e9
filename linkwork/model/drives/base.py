"""Drives: functions of time with their first and second derivatives.

A drive prescribes y(t) together with y'(t) and y''(t), the three numbers that the position,
velocity and acceleration form of a rheonomic constraint need.  They travel together as a *jet*
(y, y', y''), and jets have exact rules::

    (a b)'' = a'' b + 2 a' b' + a b''            product
    f(a)''  = f''(a) a'^2 + f'(a) a''            chain

(forward-mode differentiation to second order; Griewank and Walther, Evaluating Derivatives,
2nd ed., ch. 13), so sums, products, delays and expressions of exact drives are exact.  At a
corner the derivatives are those from the right; a jump has no impulse in its derivatives.
Only a Python function given without its derivatives is differentiated numerically.
"""


from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.jets import product
from linkwork.model.drives.words import is_number, short

ORDER = ("value", "first derivative", "second derivative")


@dataclass(frozen=True)
class Drive:
    """A function of time y(t) with y'(t) and y''(t); immutable.

    A new kind of drive is a frozen dataclass that derives from this one and defines
    ``_jet(t)`` (array of n times in, n x 3 out); it is then found by `drive_from_dict`.
    `what` names the item driven in messages ("drive of motor 'crank'").

    Example: ``(lw.ramp(2) * lw.sine(1, 5)).jet(np.linspace(0, 1, 11))``
    """

    what: str = field(default="", kw_only=True, compare=False, repr=False)
    kinds: ClassVar[dict[str, type[Drive]]] = {}
    follows: ClassVar[bool] = False  # the motion of a model, not time alone (model.readings)
    remembers: ClassVar[bool] = False  # is asked for other times than now by itself
    __array_ufunc__: ClassVar[None] = None  # numpy numbers leave + - * to the drive

    def __init_subclass__(cls) -> None:
        Drive.kinds[cls.__name__.lower()] = cls

    @property
    def label(self) -> str:
        """The item's name for messages, with the kind of drive."""
        detail = self._detail()
        return f"{self.what} ({detail})" if self.what else detail

    def _detail(self) -> str:
        return f"{type(self).__name__.lower()} drive"

    def jet(self, t: Any) -> np.ndarray:
        """Value, first and second derivative at n times, as an array of shape (n, 3)."""
        t = self._times(t)
        with np.errstate(all="ignore"):
            return self._finite(self._jet(t), t)

    def values(self, t: Any) -> np.ndarray:
        """Values alone at n times (derivatives need not exist), as an array of shape (n,)."""
        t = self._times(t)
        with np.errstate(all="ignore"):
            return self._finite(self._values(t)[:, None], t)[:, 0]

    def __call__(self, t: Any) -> Any:
        """The value at a time (a float), or at an array of times (an array of that shape)."""
        t = np.asarray(t, dtype=float)
        y = self.values(t.ravel())
        return float(y[0]) if t.ndim == 0 else y.reshape(t.shape)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self._jet(t)[:, 0]

    def _times(self, t: Any) -> np.ndarray:
        t = np.atleast_1d(np.asarray(t, dtype=float))
        if t.ndim != 1 or not np.isfinite(t).all():
            raise DriveError(
                f"{self.label}: expected finite times in one dimension, found "
                f"{'nan or inf' if t.ndim == 1 else f'shape {t.shape}'}; pass a 1-D array of times"
            )
        return t

    def _finite(self, y: np.ndarray, t: np.ndarray) -> np.ndarray:
        if not np.isfinite(y).all():
            i, order = np.argwhere(~np.isfinite(y))[0]
            raise DriveError(
                f"{self.label}: expected a finite {ORDER[order]} at t = {t[i]:.6g}, found "
                f"{y[i, order]}; change the drive so that it is smooth there, or keep the run "
                f"away from this time"
            )
        return y

    def named(self, what: str) -> Drive:
        """The same drive, with `what` as the item's name in its messages."""
        if what == self.what:
            return self
        twin = copy.copy(self)
        object.__setattr__(twin, "what", what)
        return twin

    def delayed(self, dt: float) -> Drive:
        """The drive y(t - dt)."""
        return Delayed(self, dt)

    def __add__(self, other: Drive | float) -> Drive:
        first = self.terms if isinstance(self, Sum) else (self,)
        return _with_drive(other, lambda b: Sum((*first, b)))

    def __radd__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: Sum((a, self)))

    def __sub__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda b: self + -b)

    def __rsub__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: a + -self)

    def __mul__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda b: Product(self, b))

    def __rmul__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: Product(a, self))

    def __neg__(self) -> Drive:
        return Product(Constant(-1), self)

    def to_dict(self) -> dict[str, Any]:
        """Plain dict (numbers, strings, lists, dicts) from which `drive_from_dict` rebuilds."""
        names = (f.name for f in fields(self) if f.init and f.name != "what")
        stored = {name: _store(getattr(self, name)) for name in names}
        return {"drive": type(self).__name__.lower(), **stored}

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _set_numbers(self, *names: str) -> None:
        """Check that fields are finite numbers and make them floats."""
        for name in names:
            x = getattr(self, name)
            if not (is_number(x) and math.isfinite(x)):
                raise DriveError(
                    f"{self.label}: expected a finite number for {name}, found "
                    f"{short(repr(x))}; give {name} as one real number"
                )
            self._set(name, float(x))

    def _set_list(self, name: str, least: int, hint: str = "") -> None:
        """Check that a field is a list of at least `least` finite numbers; make it a tuple."""
        try:
            x = np.asarray(getattr(self, name))
            x = x.astype(float) if x.dtype.kind in "fiu" else np.empty((0, 0))
        except (TypeError, ValueError):
            x = np.empty((0, 0))
        if x.ndim != 1:
            found = short(repr(getattr(self, name)))
        elif x.size < least:
            found = f"{x.size}"
        elif not np.isfinite(x).all():
            found = f"{x[~np.isfinite(x)][0]} at index {np.argmin(np.isfinite(x))}"
        else:
            self._set(name, tuple(x.tolist()))
            return
        raise DriveError(
            f"{self.label}: expected a list of at least {least} finite numbers for {name}, "
            f"found {found}; {hint or f'give {name} as a list of numbers'}"
        )


def _with_drive(other: object, build: Callable[[Drive], Drive]) -> Drive:
    """Apply `build` to a drive or number, else leave the operator to the other operand."""
    if isinstance(other, Drive):
        return build(other)
    if is_number(other):
        return build(Constant(other))  # type: ignore[arg-type]
    return NotImplemented


def parts_of(drive: Drive) -> list[Drive]:
    """The drives that a drive is made of, one level down."""
    found: list[Drive] = []
    for f in fields(drive):
        value = getattr(drive, f.name)
        parts = value if isinstance(value, tuple) else (value,)
        found += [part for part in parts if isinstance(part, Drive)]
    return found


def leaves_that_follow(drive: Drive) -> list[Drive]:
    """The readings of the motion in a drive, in their order."""
    if drive.follows:
        return [drive]
    return [leaf for part in parts_of(drive) for leaf in leaves_that_follow(part)]


def refuse_memory(drive: Drive) -> None:
    """Delays, integrals and what lives on steps would have to remember a motion that they read."""
    for part in parts_of(drive):
        if drive.remembers and leaves_that_follow(part):
            raise DriveError(
                f"{drive.label}: expected functions of time as its parts, found one that reads the "
                "motion, which it would have to remember"
            )
        refuse_memory(part)


def _store(x: Any) -> Any:
    if isinstance(x, Drive):
        return x.to_dict()
    return [_store(y) for y in x] if isinstance(x, tuple) else x


def _restore(x: Any, frame: Callable[[dict], Any] | None) -> Any:
    if isinstance(x, dict):
        return drive_from_dict(x, frame) if "drive" in x or not frame else frame(x["frame"])
    return tuple(_restore(y, frame) for y in x) if isinstance(x, list) else x


def drive_from_dict(d: dict[str, Any], frame: Callable[[dict], Any] | None = None) -> Drive:
    """Rebuild the drive that `Drive.to_dict` stored, exactly.

    frame : makes the frames of stored readings, which name their bodies

    Example: ``drive_from_dict(lw.sine(1, 2).to_dict()) == lw.sine(1, 2)``
    """
    kind = d.get("drive") if isinstance(d, dict) else None
    if not isinstance(kind, str) or kind not in Drive.kinds or kind == "function":
        raise DriveError(
            f"stored drive: expected a dict whose 'drive' is one of "
            f"{', '.join(k for k in Drive.kinds if k != 'function')}, found {short(repr(d))}; "
            f"store drives with to_dict()"
        )
    cls = Drive.kinds[kind]
    expected = {f.name for f in fields(cls) if f.init and f.name != "what"}
    if set(d) - {"drive"} != expected:
        raise DriveError(
            f"stored {kind} drive: expected the entries {', '.join(sorted(expected))}, found "
            f"{short(', '.join(map(str, d)))}; store drives with to_dict()"
        )
    return cls(**{name: _restore(d[name], frame) for name in expected})




@dataclass(frozen=True)
class Constant(Drive):
    """y = v.  See `constant`."""

    v: float

    def __post_init__(self) -> None:
        self._set_numbers("v")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return np.tile([self.v, 0.0, 0.0], (t.size, 1))


@dataclass(frozen=True)
class Ramp(Drive):
    """y = rate (t - start) after start, else 0.  See `ramp`."""

    rate: float
    start: float = 0.0

    def __post_init__(self) -> None:
        self._set_numbers("rate", "start")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        on = t >= self.start
        y = np.where(on, self.rate * (t - self.start), 0.0)
        return np.column_stack((y, np.where(on, self.rate, 0.0), np.zeros(t.size)))


@dataclass(frozen=True)
class Sine(Drive):
    """y = amplitude sin(2 pi frequency t + phase).  See `sine`."""

    amplitude: float
    frequency: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        self._set_numbers("amplitude", "frequency", "phase")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        w = 2 * np.pi * self.frequency
        y = self.amplitude * np.sin(w * t + self.phase)
        return np.column_stack((y, self.amplitude * w * np.cos(w * t + self.phase), -w * w * y))


@dataclass(frozen=True)
class Polynomial(Drive):
    """y = c[0] + c[1] t + c[2] t^2 + ...  See `polynomial`."""

    c: tuple[float, ...]

    def __post_init__(self) -> None:
        self._set_list("c", 1)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        y, y1, y2 = np.zeros((3, t.size))
        for c in reversed(self.c):
            y2 = y2 * t + 2 * y1
            y1 = y1 * t + y
            y = y * t + c
        return np.column_stack((y, y1, y2))


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
                    f"{known[2]!r}, found {short(repr(getattr(self, name)))}; choose one of them"
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
        if self.kind == "linear":
            zero = np.zeros(t.size - 1)
            return t, np.array((y[:-1], np.diff(y) / np.diff(t), zero, zero))
        from scipy.interpolate import CubicSpline

        ends = "natural" if self.kind == "natural" else "not-a-knot"
        return t, CubicSpline(t, y, bc_type=ends).c[::-1]

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


def constant(v: float) -> Constant:
    """A constant, y = v.

    Example: ``lw.constant(3)``
    """
    return Constant(v)


def ramp(rate: float, start: float = 0) -> Ramp:
    """A ramp, y = rate (t - start) for t > start and 0 before; its corner counts as after.

    Example: a motor that turns at 10 rad/s from t = 1 s on, ``lw.ramp(10, start=1)``
    """
    return Ramp(rate, start)


def sine(amplitude: float, frequency: float, phase: float = 0) -> Sine:
    """A sine, y = amplitude sin(2 pi frequency t + phase); frequency in Hz, phase in rad.

    Example: ``lw.sine(0.1, frequency=50)``
    """
    return Sine(amplitude, frequency, phase)


def polynomial(c: Any) -> Polynomial:
    """A polynomial, y = c[0] + c[1] t + c[2] t^2 + ...: coefficients in ascending powers.

    Example: free fall from 2 m, ``lw.polynomial([2, 0, -9.81 / 2])``
    """
    return Polynomial(c)


def table(t: Any, y: Any, *, kind: str = "cubic", outside: str = "error") -> Table:
    """A table of points (t, y), interpolated.

    ``kind="cubic"`` is the not-a-knot cubic spline (y' continuous and smooth, y'' continuous;
    at least 4 points); ``kind="linear"`` joins the points by straight lines (at least 2), y'
    from the right; ``kind="natural"`` is the cubic spline without curvature at its ends.  Outside
    the table a time is an error; with ``outside="hold"`` the end values hold with zero
    derivatives, with ``outside="extend"`` the first and last pieces go on.

    Example: ``lw.table([0, 1, 2, 3], [0, 0.5, 0.8, 0.9], outside="hold")``
    """
    return Table(t, y, kind, outside)




@dataclass(frozen=True)
class Sum(Drive):
    """y = a + b + ..."""

    terms: tuple[Drive, ...]

    def __post_init__(self) -> None:
        _check_drives(self, *self.terms)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return functools.reduce(np.add, (a.jet(t) for a in self.terms))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return functools.reduce(np.add, (a.values(t) for a in self.terms))

    def named(self, what: str) -> Drive:
        return Sum(tuple(a.named(what) for a in self.terms), what=what)


@dataclass(frozen=True)
class Product(Drive):
    """y = a b, y' = a' b + a b', y'' = a'' b + 2 a' b' + a b''."""

    a: Drive
    b: Drive

    def __post_init__(self) -> None:
        _check_drives(self, self.a, self.b)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return np.column_stack(product(self.a.jet(t).T, self.b.jet(t).T))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.a.values(t) * self.b.values(t)

    def named(self, what: str) -> Drive:
        return Product(self.a.named(what), self.b.named(what), what=what)


@dataclass(frozen=True)
class Delayed(Drive):
    """y = a(t - dt)."""

    a: Drive
    dt: float
    remembers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_drives(self, self.a)
        self._set_numbers("dt")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return self.a.jet(t - self.dt)

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.a.values(t - self.dt)

    def named(self, what: str) -> Drive:
        return Delayed(self.a.named(what), self.dt, what=what)


def _check_drives(parent: Drive, *parts: object) -> None:
    for a in parts:
        if not isinstance(a, Drive):
            raise DriveError(
                f"{parent.label}: expected drives as its parts, found {short(repr(a))}; make "
                f"the part a drive with as_drive()"
            )
