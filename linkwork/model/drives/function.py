"""Python functions of time as drives, differentiated numerically where derivatives are missing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import DriveError, LinkworkWarning, ModelError
from linkwork.model.drives.base import (
    ORDER,
    Drive,
    held_in,
    leaves_that_follow,
    refuse_memory,
    refuse_rotation,
)
from linkwork.model.drives.differences import UNCERTAIN, differentiate
from linkwork.model.drives.simple import Constant
from linkwork.model.drives.words import finite, is_number, short, shown


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
                    f"{shown(f)}; give a Python function of one number"
                )

    def _detail(self) -> str:
        return f"function {short(getattr(self.f, '__name__', type(self.f).__name__))!r}"

    def _at(self, order: int, t: float) -> float:
        """One checked call of f, d1 or d2."""
        f = (self.f, self.d1, self.d2)[order]
        assert f is not None
        try:
            y = f(t)
        except Exception as error:
            found = short(f"{type(error).__name__}: {error}", 200)
            raise self._wrong(order, t, f"the error {found}") from error
        number = finite(y)
        if number is None:
            shape = getattr(y, "shape", None)
            raise self._wrong(order, t, f"an array of shape {shape}" if shape else shown(y))
        return number

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


def refuse_held(drive: Drive) -> None:
    """What holds something of the motion must be a program: Python is not asked at every step."""
    from linkwork.model.signals.programs import translate
    from linkwork.model.signals.signal import Signal

    if translate(Signal(drive)) is None:
        raise DriveError(
            f"{held_in(drive)[0].label}: expected formulas, tables and pieces of readings to hold "
            "from step to step, found a Python function of a reading, or something to hold that is "
            "itself taken at other values than the time"
        )


def checked(x: Drive, what: str, follows: bool = False) -> Drive:
    """The drive with the item's name in its messages; an error where it reads the motion and must
    not, or would have to remember it."""
    if not follows and leaves_that_follow(x):
        raise DriveError(
            f"{what or 'drive'}: expected a function of time alone, found one that reads the "
            f"motion ({leaves_that_follow(x)[0]._detail()}); loads, pre-stresses and "
            "pre-strains may follow the motion, motion laws and other numbers of laws may not"
        )
    refuse_memory(x)
    if held_in(x):
        refuse_held(x)
    return x.named(what) if what else x


def as_drive(
    x: Any, what: str = "", follows: bool = False, between: tuple[float, float] | None = None
) -> Drive:
    """Make a drive of a drive, a number (constant), a Python function of time or a controller.

    `what` names the item in messages; `follows` says whether it may read the motion (lw.reads), and
    `between` where a number must lie (of functions only their values tell).

    Example: ``as_drive(lambda t: t**2, what="drive of motor 'crank'")``
    """
    if hasattr(x, "only_output"):  # a controller
        x = x.only_output(what)
    if isinstance(x, Drive):
        refuse_rotation(x, what)
        return within(checked(x, what, follows), what, between)
    if is_number(x):
        return within(Constant(x, what=what), what, between)
    if callable(x):
        return function(x).named(what)
    hint = "write expression(...) around the formula" if isinstance(x, str) else "give one of these"
    raise DriveError(
        f"{what or 'drive'}: expected a drive, a number or a function of time, found "
        f"{shown(x)}; {hint}"
    )


def within(drive: Drive, what: str, between: tuple[float, float] | None) -> Drive:
    """The drive, unless it is a number outside of a range."""
    if between is not None and isinstance(drive, Constant):
        low, high = between
        if not low <= drive.v <= high:
            bounds = f"at least {low:g}" if high == np.inf else f"between {low:g} and {high:g}"
            raise DriveError(f"{what}: expected a number {bounds}, found {drive.v:g}")
    return drive
