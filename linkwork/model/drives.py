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

import ast
import copy
import functools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError, LinkworkWarning, ModelError

__all__ = [
    "Drive", "as_drive", "constant", "drive_from_dict", "expression", "function", "polynomial",
    "ramp", "sine", "table",
]  # fmt: skip

ORDER = ("value", "first derivative", "second derivative")


def _short(text: object, limit: int = 60) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def _is_number(x: object) -> bool:
    return isinstance(x, Real) or (
        isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiu"
    )


# --------------------------------------------------------------------------- the base class


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
            if not (_is_number(x) and math.isfinite(x)):
                raise DriveError(
                    f"{self.label}: expected a finite number for {name}, found "
                    f"{_short(repr(x))}; give {name} as one real number"
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
            found = _short(repr(getattr(self, name)))
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
    if _is_number(other):
        return build(Constant(other))  # type: ignore[arg-type]
    return NotImplemented


def _store(x: Any) -> Any:
    if isinstance(x, Drive):
        return x.to_dict()
    return [_store(y) for y in x] if isinstance(x, tuple) else x


def _restore(x: Any) -> Any:
    if isinstance(x, dict):
        return drive_from_dict(x)
    return tuple(_restore(y) for y in x) if isinstance(x, list) else x


def drive_from_dict(d: dict[str, Any]) -> Drive:
    """Rebuild the drive that `Drive.to_dict` stored, exactly.

    Example: ``drive_from_dict(lw.sine(1, 2).to_dict()) == lw.sine(1, 2)``
    """
    kind = d.get("drive") if isinstance(d, dict) else None
    if not isinstance(kind, str) or kind not in Drive.kinds or kind == "function":
        raise DriveError(
            f"stored drive: expected a dict whose 'drive' is one of "
            f"{', '.join(k for k in Drive.kinds if k != 'function')}, found {_short(repr(d))}; "
            f"store drives with to_dict()"
        )
    cls = Drive.kinds[kind]
    expected = {f.name for f in fields(cls) if f.init and f.name != "what"}
    if set(d) - {"drive"} != expected:
        raise DriveError(
            f"stored {kind} drive: expected the entries {', '.join(sorted(expected))}, found "
            f"{_short(', '.join(map(str, d)))}; store drives with to_dict()"
        )
    return cls(**{name: _restore(d[name]) for name in expected})


# ----------------------------------------------------------------- drives that are formulas


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
        for name, known in (("kind", ("cubic", "linear")), ("outside", ("error", "hold"))):
            if getattr(self, name) not in known:
                raise DriveError(
                    f"{self.label}: expected {name} to be {known[0]!r} or {known[1]!r}, found "
                    f"{_short(repr(getattr(self, name)))}; choose one of the two"
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

        return t, CubicSpline(t, y, bc_type="not-a-knot").c[::-1]

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
        inside = np.clip(t, first, last)
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
    from the right.  Outside the table a time is an error, or with ``outside="hold"`` the end
    values hold with zero derivatives.

    Example: ``lw.table([0, 1, 2, 3], [0, 0.5, 0.8, 0.9], outside="hold")``
    """
    return Table(t, y, kind, outside)


# ------------------------------------------------------------------------ algebra of drives


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
        return np.column_stack(_mul(self.a.jet(t).T, self.b.jet(t).T))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.a.values(t) * self.b.values(t)

    def named(self, what: str) -> Drive:
        return Product(self.a.named(what), self.b.named(what), what=what)


@dataclass(frozen=True)
class Delayed(Drive):
    """y = a(t - dt)."""

    a: Drive
    dt: float

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
                f"{parent.label}: expected drives as its parts, found {_short(repr(a))}; make "
                f"the part a drive with as_drive()"
            )


# ---------------------------------------------------------- expressions: jets over an ast
#
# A jet here is a tuple (y, y', y'') of arrays over the times or of numbers for constants.

Jet = Any


def _mul(a: Jet, b: Jet) -> Jet:
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]


def _div(a: Jet, b: Jet) -> Jet:
    q = a[0] / b[0]
    q1 = (a[1] - q * b[1]) / b[0]
    return q, q1, (a[2] - 2 * q1 * b[1] - q * b[2]) / b[0]


def _chain(f: tuple[Any, Any, Any], a: Jet) -> Jet:
    return f[0], f[1] * a[1], f[2] * a[1] * a[1] + f[1] * a[2]


def _power_constant(a: Jet, b: Jet) -> Jet:
    """a^p for a constant p, zero bases included where the derivatives exist."""
    x, p = a[0], b[0]
    f1 = p * np.power(x, p - 1) if p != 0 else 0.0
    f2 = p * (p - 1) * np.power(x, p - 2) if p not in (0, 1) else 0.0
    return _chain((np.power(x, p), f1, f2), a)


def _power(a: Jet, b: Jet) -> Jet:
    """a^b = exp(b log a), a > 0."""
    y = np.power(a[0], b[0])
    _, u1, u2 = _mul(b, _log(a))
    return y, y * u1, y * (u1 * u1 + u2)


def _log(a: Jet) -> Jet:
    x = a[0]
    return _chain((np.log(x), 1 / x, -1 / (x * x)), a)


def _tan(a: Jet) -> Jet:
    y, sec2 = np.tan(a[0]), np.cos(a[0]) ** -2.0
    return _chain((y, sec2, 2 * y * sec2), a)


def _tanh(a: Jet) -> Jet:
    y, sech2 = np.tanh(a[0]), np.cosh(a[0]) ** -2.0
    return _chain((y, sech2, -2 * y * sech2), a)


def _sqrt(a: Jet) -> Jet:
    y = np.sqrt(a[0])
    return _chain((y, 0.5 / y, -0.25 / y**3), a)


def _asin(a: Jet) -> Jet:
    x = a[0]
    c2 = (1 - x) * (1 + x)
    return _chain((np.arcsin(x), c2**-0.5, x * c2**-1.5), a)


def _atan(a: Jet) -> Jet:
    x = a[0]
    q = 1 / (1 + x * x)
    return _chain((np.arctan(x), q, -2 * x * q * q), a)


def _atan2(y: Jet, x: Jet) -> Jet:
    r2 = x[0] * x[0] + y[0] * y[0]
    d1 = (x[0] * y[1] - y[0] * x[1]) / r2
    d2 = (x[0] * y[2] - y[0] * x[2] - 2 * d1 * (x[0] * x[1] + y[0] * y[1])) / r2
    return np.arctan2(y[0], x[0]), d1, d2


def _flat(y: Any) -> Jet:
    """A piecewise constant value."""
    return y, 0.0 * y, 0.0 * y


def _pick(condition: Any, a: Jet, b: Jet) -> Jet:
    return tuple(np.where(condition, x, y) for x, y in zip(a, b, strict=True))


def _max(*jets: Jet) -> Jet:
    """The largest; equal values are told apart by what comes next in time."""
    best = jets[0]
    for a in jets[1:]:
        tie = a[0] == best[0]
        later = (a[1] > best[1]) | ((a[1] == best[1]) & (a[2] > best[2]))
        best = _pick((a[0] > best[0]) | (tie & later) | np.isnan(a[0]), a, best)
    return best


def _negative(a: Jet) -> Jet:
    return -a[0], -a[1], -a[2]


def _truth(y: Any) -> Jet:
    return _flat(np.asarray(y, dtype=float))


ZERO = (np.float64(0), np.float64(0), np.float64(0))

# name: (function of jets, fewest and most arguments)
FUNCTIONS: dict[str, tuple[Callable[..., Jet], int, int]] = {
    "sin": (lambda a: _chain((np.sin(a[0]), np.cos(a[0]), -np.sin(a[0])), a), 1, 1),
    "cos": (lambda a: _chain((np.cos(a[0]), -np.sin(a[0]), -np.cos(a[0])), a), 1, 1),
    "tan": (_tan, 1, 1),
    "asin": (_asin, 1, 1),
    "acos": (lambda a: _sub((np.pi / 2, 0.0, 0.0), _asin(a)), 1, 1),
    "atan": (_atan, 1, 1),
    "atan2": (_atan2, 2, 2),
    "sinh": (lambda a: _chain((np.sinh(a[0]), np.cosh(a[0]), np.sinh(a[0])), a), 1, 1),
    "cosh": (lambda a: _chain((np.cosh(a[0]), np.sinh(a[0]), np.cosh(a[0])), a), 1, 1),
    "tanh": (_tanh, 1, 1),
    "exp": (lambda a: _chain((np.exp(a[0]),) * 3, a), 1, 1),
    "log": (_log, 1, 1),
    "log10": (lambda a: _div(_log(a), (np.log(10), 0.0, 0.0)), 1, 1),
    "sqrt": (_sqrt, 1, 1),
    "abs": (lambda a: _max(a, _negative(a)), 1, 1),
    "sign": (lambda a: _flat(np.sign(a[0])), 1, 1),
    "floor": (lambda a: _flat(np.floor(a[0])), 1, 1),
    "ceil": (lambda a: _flat(np.ceil(a[0])), 1, 1),
    "mod": (lambda a, b: _sub(a, _mul(_flat(np.floor(a[0] / b[0])), b)), 2, 2),
    "step": (lambda a: _flat(np.where(np.isnan(a[0]), np.nan, a[0] >= 0)), 1, 1),
    "ramp": (lambda a: _max(a, ZERO), 1, 1),
    "min": (lambda *a: _negative(_max(*map(_negative, a))), 2, 99),
    "max": (_max, 2, 99),
    "where": (lambda c, a, b: _pick(c[0] != 0, a, b), 3, 3),
}


def _sub(a: Jet, b: Jet) -> Jet:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


CONSTANTS = {"pi": math.pi, "e": math.e}
OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.Mod: "mod",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "negative",
}  # fmt: skip
RULES: dict[str, Callable[..., Jet]] = {
    **{name: entry[0] for name, entry in FUNCTIONS.items()},
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
    "-": _sub,
    "*": _mul,
    "/": _div,
    "^": _power,
    "^constant": _power_constant,
    "<": lambda a, b: _truth(a[0] < b[0]),
    "<=": lambda a, b: _truth(a[0] <= b[0]),
    ">": lambda a, b: _truth(a[0] > b[0]),
    ">=": lambda a, b: _truth(a[0] >= b[0]),
    "==": lambda a, b: _truth(a[0] == b[0]),
    "!=": lambda a, b: _truth(a[0] != b[0]),
    "and": lambda *a: _truth(np.all(np.broadcast_arrays(*(x[0] != 0 for x in a)), axis=0)),
    "or": lambda *a: _truth(np.any(np.broadcast_arrays(*(x[0] != 0 for x in a)), axis=0)),
    "not": lambda a: _truth(a[0] == 0),
    "negative": _negative,
}

Step = float | str | tuple[str, int]  # a number, the time "t", or a rule and its arguments
LONGEST = 10_000


def _run(program: tuple[Step, ...], t: np.ndarray) -> Jet:
    """Evaluate a postfix program over jets."""
    stack: list[Jet] = []
    for step in program:
        if isinstance(step, tuple):
            name, n = step
            stack[-n:] = [RULES[name](*stack[-n:])]
        elif step == "t":
            stack.append((t, np.ones(t.size), np.zeros(t.size)))
        else:
            stack.append((np.float64(step), np.float64(0), np.float64(0)))
    return stack[0]


class _Parser:
    """Turns an expression into a postfix program, constants folded."""

    def __init__(self, text: str, label: str) -> None:
        self.text, self.label = text, label

    def fail(self, found: str, cause: BaseException | None = None) -> DriveError:
        error = DriveError(
            f"{self.label}: expected numbers, the time t, pi, e, the operators + - * / ^ % and "
            f"the functions {' '.join(FUNCTIONS)}, found {found}; write the drive as a formula "
            f"in t, or give a Python function"
        )
        error.__cause__ = cause
        return error

    def parse(self) -> tuple[Step, ...]:
        if len(self.text) > LONGEST:
            raise self.fail(f"{len(self.text)} characters where {LONGEST} are the limit")
        if "#" in self.text:
            raise self.fail("the character '#'")
        source = " ".join(self.text.split()).replace("^", "**")
        if not source:
            raise self.fail("nothing")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source, mode="eval")
            with np.errstate(all="ignore"):
                return tuple(self.node(tree.body))
        except (RecursionError, MemoryError) as error:
            raise self.fail("a formula nested too deeply", error) from None
        except SyntaxError as error:
            raise self.fail(f"a mistake in the formula ({_short(error.msg)})", error) from None
        except ModelError:
            raise
        except ValueError as error:
            raise self.fail(f"unreadable characters ({_short(error)})", error) from None

    def node(self, node: ast.AST) -> list[Step]:
        match node:
            case ast.Constant(value=v) if type(v) in (int, float):
                return self.number(v)  # type: ignore[arg-type]
            case ast.Name(id="t"):
                return ["t"]
            case ast.Name(id=name) if name in CONSTANTS:
                return [CONSTANTS[name]]
            case ast.Name(id=name):
                raise self.fail(f"the name {_short(name)!r}")
            case ast.BinOp(left=a, op=op, right=b) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a, b)
            case ast.UnaryOp(op=ast.UAdd(), operand=a):
                return self.node(a)
            case ast.UnaryOp(op=op, operand=a) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a)
            case ast.BoolOp(op=op, values=parts):
                return self.apply(OPERATORS[type(op)], *parts)
            case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a, b)
            case ast.Compare(left=a, ops=ops, comparators=bs) if len(ops) > 1:
                pairs = zip([a, *bs], ops, bs, strict=False)
                return self.apply("and", *(ast.Compare(x, [op], [y]) for x, op, y in pairs))
            case ast.IfExp(test=c, body=a, orelse=b):
                return self.apply("where", c, a, b)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(name, args)
        raise self.fail(f"{_short(ast.unparse(node))!r}")

    def number(self, v: float) -> list[Step]:
        try:
            v = float(v)
        except OverflowError:
            v = math.inf
        if not math.isfinite(v):
            raise self.fail("a number that is too large")
        return [v]

    def call(self, name: str, args: list[ast.expr]) -> list[Step]:
        if name not in FUNCTIONS:
            raise self.fail(f"the function {_short(name)!r}")
        _, fewest, most = FUNCTIONS[name]
        if not fewest <= len(args) <= most:
            raise self.fail(f"{name}() with {len(args)} arguments where it takes {fewest}"
                            + (" or more" if most > fewest else ""))  # fmt: skip
        return self.apply(name, *args)

    def apply(self, name: str, *nodes: ast.AST) -> list[Step]:
        parts = [self.node(node) for node in nodes]
        constant_parts = [len(p) == 1 and p[0] != "t" for p in parts]
        if name == "^" and constant_parts[1]:
            name = "^constant"
        program: list[Step] = [step for part in parts for step in part]
        program.append((name, len(parts)))
        if not all(constant_parts):
            return program
        value = float(_run(tuple(program), np.zeros(1))[0])
        if not math.isfinite(value):
            raise self.fail(f"a constant part whose value is {value}")
        return [value]


@dataclass(frozen=True)
class Expression(Drive):
    """y = a formula in t.  See `expression`."""

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise DriveError(
                f"expression drive: expected a string, found {_short(repr(self.text))}; write "
                f'the formula in quotes, for example expression("sin(2*t)")'
            )
        _ = self._program

    def _detail(self) -> str:
        return f"expression {_short(self.text)!r}"

    @functools.cached_property
    def _program(self) -> tuple[Step, ...]:
        return _Parser(self.text, self.label).parse()

    def _jet(self, t: np.ndarray) -> np.ndarray:
        jet = np.empty((t.size, 3))
        for order, y in enumerate(_run(self._program, t)):
            jet[:, order] = y
        return jet


def expression(text: str) -> Expression:
    """A formula in the time t, differentiated exactly.

    Operators ``+ - * / ^ ** %``, comparisons with ``and or not`` (1 if true, else 0), ``a if c
    else b``; constants ``pi e``; functions ``sin cos tan asin acos atan atan2 sinh cosh tanh exp
    log log10 sqrt abs sign floor ceil mod step ramp min max where``.  ``log`` is the natural
    logarithm, ``step(x)`` is 1 for x >= 0, ``ramp(x)`` is max(x, 0) and ``where(c, a, b)`` is a
    where c holds and b elsewhere.

    Example: ``lw.expression("0.1 * (1 - exp(-t/2)) * sin(2*pi*5*t)")``
    """
    return Expression(text)


# -------------------------------------------------------------------------- Python functions


@dataclass(frozen=True)
class Function(Drive):
    """y = f(t) for a Python function, called with one float at a time.  See `function`."""

    f: Callable[[float], float]
    d1: Callable[[float], float] | None = None
    d2: Callable[[float], float] | None = None
    _warned: set[tuple[str, str]] = field(
        default_factory=set, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        for name in ("f", "d1", "d2"):
            f = getattr(self, name)
            if not callable(f) and (name == "f" or f is not None):
                raise DriveError(
                    f"{self.label}: expected a function of time for {name}, found "
                    f"{_short(repr(f))}; give a Python function of one number"
                )

    def _detail(self) -> str:
        return f"function {_short(getattr(self.f, '__name__', type(self.f).__name__))!r}"

    def _at(self, order: int, t: float) -> float:
        """One checked call of f, d1 or d2."""
        f = (self.f, self.d1, self.d2)[order]
        assert f is not None
        try:
            y = f(t)
        except Exception as error:
            found = _short(f"{type(error).__name__}: {error}", 200)
            raise self._wrong(order, t, f"the error {found}") from error
        if not _is_number(y):
            shape = getattr(y, "shape", None)
            found = f"an array of shape {shape}" if shape else _short(repr(y))
            raise self._wrong(order, t, found)
        if not math.isfinite(y):
            raise self._wrong(order, t, str(float(y)))
        return float(y)

    def _wrong(self, order: int, t: float, found: str) -> DriveError:
        return DriveError(
            f"{self.label}: expected one finite real number as {ORDER[order]} at t = {t:.6g}, "
            f"found {found}; correct the function so that it is defined over the whole run"
        )

    def _values(self, t: np.ndarray) -> np.ndarray:
        return np.array([self._at(0, x) for x in t.tolist()])

    def _jet(self, t: np.ndarray) -> np.ndarray:
        missing = [ORDER[i] for i, d in ((1, self.d1), (2, self.d2)) if d is None]
        if missing:
            self._warn(
                f"expected its derivatives, found no {' and no '.join(missing)}, so it is "
                f"differentiated numerically; give them with function(f, d1=..., d2=...)",
                "numerical",
            )
        return np.array([self._jet_at(x) for x in t.tolist()]).reshape(t.size, 3)

    def _jet_at(self, t: float) -> tuple[float, float, float]:
        y, quality = self._at(0, t), 0.0
        if self.d1 is not None and self.d2 is not None:
            return y, self._at(1, t), self._at(2, t)
        if self.d1 is not None:
            y1 = self._at(1, t)
            y2, _, quality = differentiate(lambda x: self._at(1, x), t)
        else:
            y1, y2, quality = differentiate(lambda x: self._at(0, x), t)
            y2 = self._at(2, t) if self.d2 is not None else y2
        if quality > UNCERTAIN:
            self._warn(
                f"expected a smooth function, found that its derivatives at t = {t:.6g} cannot "
                f"be had accurately by differences; give them with function(f, d1=..., d2=...)",
                "uncertain",
            )
        return y, y1, y2

    def _warn(self, sentence: str, kind: str) -> None:
        """Warn once of each kind for each item driven."""
        if (self.what, kind) not in self._warned:
            self._warned.add((self.what, kind))
            warnings.warn(f"{self.label}: {sentence}", LinkworkWarning, stacklevel=5)

    def to_dict(self) -> dict[str, Any]:
        raise ModelError(
            f"{self.label} is a Python function and cannot be stored in a file; give the model "
            f"again with model="
        )


def function(
    f: Callable[[float], float],
    d1: Callable[[float], float] | None = None,
    d2: Callable[[float], float] | None = None,
) -> Function:
    """A Python function of time, y = f(t), y' = d1(t), y'' = d2(t).

    Each is called with one float and returns one finite number.  Without `d1` and `d2`, the
    attributes ``f.d1`` and ``f.d2`` serve; a derivative that is still missing is differentiated
    numerically, with a warning when it is first needed.

    Example: ``lw.function(lambda t: t**3, d1=lambda t: 3 * t**2, d2=lambda t: 6 * t)``
    """
    attributes = (getattr(f, name, None) for name in ("d1", "d2"))
    a1, a2 = (a if callable(a) else None for a in attributes)
    return Function(f, d1 if d1 is not None else a1, d2 if d2 is not None else a2)


def as_drive(x: Any, what: str = "") -> Drive:
    """Make a drive of a drive, a number (constant) or a Python function of time.

    `what` names the item in messages.

    Example: ``as_drive(lambda t: t**2, what="drive of motor 'crank'")``
    """
    if isinstance(x, Drive):
        return x.named(what) if what else x
    if _is_number(x):
        return Constant(x, what=what)
    if callable(x):
        return function(x).named(what)
    hint = "write expression(...) around the formula" if isinstance(x, str) else "give one of these"
    raise DriveError(
        f"{what or 'drive'}: expected a drive, a number or a function of time, found "
        f"{_short(repr(x))}; {hint}"
    )


# ------------------------------------------------------------------ numerical differentiation

LEVELS = (*range(-6, -22, -2), -4, -2)  # steps 2^level, the one most functions like first
UNCERTAIN = 1e5  # times the accuracy aimed at: 1e-5 in y', 1e-3 in y''


def _weights(offsets: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of y' h and y'' h^2 from the first n points of a stencil (Lagrange polynomials)."""
    w1, w2 = np.zeros((2, offsets.size))
    for i in range(n):
        others = np.delete(offsets[:n], i)
        c = np.poly(others) / np.prod(offsets[i] - others)
        w1[i], w2[i] = c[-2], 2 * c[-3]
    return w1, w2


@functools.cache
def _stencils() -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
    """Central, forward and backward nine points; weights with 9, 7 and 5 of them.

    Equidistant points would see a sine of frequency 1/h as a constant; these distances, 0, 1 and
    sqrt(k^2 + 1), have no common measure, so no frequency hides.
    """
    a = np.array([0, 1, *(math.sqrt(k * k + 1) for k in range(2, 9))])
    central = np.array([0, *(x for b in a[1:5] for x in (b, -b))])
    sets = []
    for offsets in (central, a, -a):
        w1, w2 = zip(*(_weights(offsets, n) for n in (9, 7, 5)), strict=True)
        sets.append((offsets, np.array(w1), np.array(w2)))
    return tuple(sets)


def _error(d: np.ndarray) -> float:
    """Error of d[0] from the values with 9, 7 and 5 points, which converge geometrically."""
    fine, coarse = abs(d[0] - d[1]), abs(d[1] - d[2])
    return float(fine * min(1.0, max(fine / coarse, 1e-3)) if coarse > 0 else fine)


def differentiate(f: Callable[[float], float], t: float) -> tuple[float, float, float]:
    """First and second derivative of f at t from nine-point differences, and their quality.

    The step is 2^-6 (times |t| 2^-20 where that is larger than 1), and others between 2^-2 and
    2^-20 are tried while the estimated relative error (truncation and rounding) is above 1e-10
    in y' or 1e-8 in y''; the quality is that error over these bounds.  Where f has a corner or
    is not defined on one side, the differences are one-sided, those from the right first.
    """
    scale = 2.0 ** max(0, math.frexp(t)[1] - 20)
    best = (math.nan, math.nan, math.inf)
    failure: DriveError | None = None
    for offsets, w1, w2 in _stencils():
        for level in LEVELS:
            h = scale * 2.0**level
            try:
                y = np.array([f(x) for x in (t + h * offsets).tolist()])
            except DriveError as error:
                failure = failure or error
                continue
            d1, d2, size = w1 @ y / h, w2 @ y / h**2, float(abs(y).max())
            noise = 2.2e-16 * (size + abs(t * d1[0]))
            e1 = _error(d1) + noise * abs(w1[0]).sum() / h
            e2 = _error(d2) + noise * abs(w2[0]).sum() / h**2
            s1 = abs(d1[0]) + size + 1e-300
            quality = max(e1 / (1e-10 * s1), e2 / (1e-8 * (s1 + abs(d2[0]))))
            if quality < best[2]:
                best = float(d1[0]), float(d2[0]), float(quality)
            if quality <= 1:
                return best
        if best[2] <= 1e3:
            return best
    if best[2] == math.inf and failure is not None:
        raise failure
    return best
