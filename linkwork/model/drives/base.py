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
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.model import checks
from linkwork.model.drives.words import finite, is_number, shown

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
    follows: ClassVar[bool] = False  # the motion of a model, not time alone (signals.readings)
    remembers: ClassVar[bool] = False  # is asked for other times than now by itself
    rotation: ClassVar[bool] = False  # has four components (drives.rotations)
    holds: ClassVar[bool] = False  # of those: needs to know its parts at the steps of a run alone

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
        t = self._numbers(t)
        y = self.values(t.ravel())
        return float(y[0]) if t.ndim == 0 else y.reshape(t.shape)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self._jet(t)[:, 0]

    def branch(self, t: np.ndarray) -> np.ndarray:
        """A whole number per time, another one on each side of a corner or jump that is known."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(self._branch(t), t.shape)

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return folded(*(part.branch(t) for part in parts_of(self)))

    def _numbers(self, t: Any) -> np.ndarray:
        found = checks.array(t)
        if found is None:
            raise DriveError(
                f"{self.label}: expected a time in seconds or an array of times, found "
                f"{checks.show(t)}"
            )
        return found

    def _times(self, t: Any) -> np.ndarray:
        t = np.atleast_1d(self._numbers(t))
        if t.ndim != 1 or not np.isfinite(t).all():
            raise DriveError(
                f"{self.label}: expected finite times in one dimension, found "
                f"{'nan or inf' if t.ndim == 1 else f'shape {t.shape}'}; pass a 1-D array of times"
            )
        return t

    def _finite(self, y: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The same numbers; of a drive in an item they are of a size to compute with, too."""
        known = np.isfinite(y) if not self.what else np.abs(y) <= checks.LARGEST
        if not known.all():
            i, order = np.argwhere(~known)[0]
            size = f" of at most {checks.LARGEST:g} in size" if np.isfinite(y[i, order]) else ""
            raise DriveError(
                f"{self.label}: expected a finite {ORDER[order]}{size} at t = {t[i]:.6g}, found "
                f"{y[i, order]}; change the drive so that it is smooth there, or keep the run "
                f"away from this time"
            )
        return y

    def named(self, what: str) -> Drive:
        """The same drive, with `what` as the item's name in its messages and those of its parts."""
        if what == self.what:
            return self
        twin = copy.copy(self)
        twin._set("what", what)
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Drive):
                twin._set(f.name, value.named(what))
            elif isinstance(value, tuple):
                named = (x.named(what) if isinstance(x, Drive) else x for x in value)
                twin._set(f.name, tuple(named))
        return twin

    def delayed(self, dt: float) -> Drive:
        """The drive y(t - dt)."""
        from linkwork.model.drives.sums import Delayed

        return Delayed(self, dt)

    def __add__(self, other: Drive | float) -> Drive:
        from linkwork.model.drives.sums import added

        return _with_drive(other, lambda b: added(self, b))

    def __radd__(self, other: Drive | float) -> Drive:
        from linkwork.model.drives.sums import Sum

        return _with_drive(other, lambda a: Sum((a, self)))

    def __sub__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda b: self + -b)

    def __rsub__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: a + -self)

    def __mul__(self, other: Drive | float) -> Drive:
        from linkwork.model.drives.sums import Product

        return _with_drive(other, lambda b: Product(self, b))

    def __rmul__(self, other: Drive | float) -> Drive:
        from linkwork.model.drives.sums import Product

        return _with_drive(other, lambda a: Product(a, self))

    def __neg__(self) -> Drive:
        return -1.0 * self

    def __truediv__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda b: _formula("a / b", self, b))

    def __rtruediv__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: _formula("a / b", a, self))

    def __pow__(self, other: Drive | float) -> Drive:
        if finite(other) is not None:  # a constant exponent is differentiated by its own rule
            return _formula(f"a ** {float(other)!r}", self)  # type: ignore[arg-type]
        return _with_drive(other, lambda b: _formula("a ** b", self, b))

    def __rpow__(self, other: Drive | float) -> Drive:
        return _with_drive(other, lambda a: _formula("a ** b", a, self))

    def __abs__(self) -> Drive:
        return _formula("abs(a)", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """np.sin(drive) and the like; numpy numbers on the left of an operator."""
        from linkwork.model.drives.formulas.formula import NUMPY_FUNCTIONS

        numbers = [x.item() if isinstance(x, np.generic) else x for x in inputs]
        if method != "__call__" or options or any(isinstance(x, np.ndarray) for x in numbers):
            return NotImplemented
        if ufunc in OPERATORS:
            return OPERATORS[ufunc](*numbers)
        if ufunc in NUMPY_FUNCTIONS:
            names = ", ".join("ab"[: len(numbers)])
            return _formula(f"{NUMPY_FUNCTIONS[ufunc]}({names})", *numbers)
        return NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Plain dict (numbers, strings, lists, dicts) from which `drive_from_dict` rebuilds."""
        from linkwork.model.drives.stored import _store

        names = (f.name for f in fields(self) if f.init and f.name != "what")
        stored = {name: _store(getattr(self, name)) for name in names}
        return {"drive": type(self).__name__.lower(), **stored}

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _set_numbers(self, *names: str) -> None:
        """Check that fields are finite numbers and make them floats."""
        for name in names:
            x = getattr(self, name)
            y = finite(x)
            if y is None:
                raise DriveError(
                    f"{self.label}: expected a finite number for {name}, found "
                    f"{shown(x)}; give {name} as one real number"
                )
            self._set(name, y)

    def _set_list(self, name: str, least: int, hint: str = "") -> None:
        """Check that a field is a list of at least `least` finite numbers; make it a tuple."""
        try:
            x = np.asarray(getattr(self, name))
            x = x.astype(float) if x.dtype.kind in "fiu" else np.empty((0, 0))
        except (TypeError, ValueError):
            x = np.empty((0, 0))
        if x.ndim != 1:
            found = shown(getattr(self, name))
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


# numpy's functions that are operators of Python
OPERATORS: dict[Any, Callable] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.power: operator.pow, np.negative: operator.neg,
}  # fmt: skip


def _formula(text: str, *parts: Any) -> Drive:
    """A formula in a and b."""
    from linkwork.model.drives.formulas.formula import formula

    return formula(text, **dict(zip("ab", parts, strict=False)))


def _with_drive(other: object, build: Callable[[Drive], Drive]) -> Drive:
    """Apply `build` to a drive or number, else leave the operator to the other operand."""
    if isinstance(other, Drive):
        return build(other)
    if is_number(other):
        from linkwork.model.drives.simple import Constant

        return build(Constant(other))  # type: ignore[arg-type]
    if other is None or isinstance(other, (str, bytes, complex, bool, list, tuple, dict)):
        raise DriveError(
            f"a drive is joined with numbers and other drives alone, found {shown(other)}"
        )
    return NotImplemented


def parts_of(drive: Drive) -> list[Drive]:
    """The drives that a drive is made of, one level down."""
    stands_for = getattr(drive, "worked_out", None)
    if stands_for is not None:  # a reading of a load (model.load_readings)
        return [stands_for()]
    found: list[Drive] = []
    for f in fields(drive):
        value = getattr(drive, f.name)
        parts = value if isinstance(value, tuple) else (value,)
        found += [part for part in parts if isinstance(part, Drive)]
    return found


def folded(*branches: Any) -> np.ndarray:
    """One whole number for several numbers, with Knuth's multiplier (MMIX)."""
    whole = np.zeros(1, dtype=np.int64)
    for x in branches:
        x = np.asarray(x)
        number = x if x.dtype == np.int64 else (x + 0.0).view(np.int64)
        whole = whole * 6364136223846793005 + number
    return whole


def leaves_that_follow(drive: Drive) -> list[Drive]:
    """The readings of the motion in a drive, in their order."""
    if drive.follows:
        return [drive]
    return [leaf for part in parts_of(drive) for leaf in leaves_that_follow(part)]


def held_in(drive: Drive) -> list[Drive]:
    """The drives in a drive that hold something of the motion from step to step."""
    found = [part for x in parts_of(drive) for part in held_in(x)]
    return [*found, drive] if drive.holds and leaves_that_follow(drive) else found


def refuse_memory(drive: Drive) -> None:
    """Delays and integrals would have to remember a motion that they read."""
    for part in parts_of(drive):
        if drive.remembers and not drive.holds and leaves_that_follow(part):
            raise DriveError(
                f"{drive.label}: expected functions of time as its parts, found one that reads the "
                "motion, which it would have to remember"
            )
        refuse_memory(part)


def refuse_rotation(drive: Drive, what: str) -> None:
    """A rotation is no function with one value."""
    if drive.rotation:
        raise DriveError(
            f"{what or 'drive'}: expected a function of time with one value, found a rotation "
            f'({drive._detail()}); rotations stand under "rotation" in a drive of a Lock'
        )


def _check_drives(parent: Drive, *parts: object) -> None:
    for a in parts:
        if isinstance(a, Drive):
            refuse_rotation(a, parent.label)
        if not isinstance(a, Drive):
            raise DriveError(
                f"{parent.label}: expected drives as its parts, found {shown(a)}; make "
                f"the part a drive with as_drive()"
            )
