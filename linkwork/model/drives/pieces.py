"""Drives made of drives: pieces in time, periods, chains, quotients, derivatives.

    f(x(t))'' = f''(x) x'² + f'(x) x''              chain
    (a/b)'    = (a' − (a/b) b')/b                   quotient
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives, folded
from linkwork.model.drives.differences import differentiate
from linkwork.model.drives.formulas.jets import RULES


@dataclass(frozen=True)
class Piecewise(Drive):
    """y = parts[0] before breaks[0], parts[1] from there until before breaks[1], and so on."""

    breaks: tuple[float, ...]
    parts: tuple[Drive, ...]

    def __post_init__(self) -> None:
        _check_drives(self, *self.parts)
        self._set_list("breaks", 1)
        if len(self.parts) != len(self.breaks) + 1 or not (np.diff(self.breaks) >= 0).all():
            raise DriveError(
                f"{self.label}: expected increasing breaks and one part more than breaks, found "
                f"{len(self.breaks)} breaks and {len(self.parts)} parts"
            )

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return self._pick(t, lambda part, x: part.jet(x), (t.size, 3))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self._pick(t, lambda part, x: part.values(x), (t.size,))

    def _branch(self, t: np.ndarray) -> np.ndarray:
        inner = self._pick(t, lambda part, x: part.branch(x), (t.size,), np.int64)
        return folded(np.searchsorted(self.breaks, t, side="right"), inner)

    def _pick(
        self, t: np.ndarray, ask: object, shape: tuple[int, ...], kind: type = float
    ) -> np.ndarray:
        which = np.searchsorted(self.breaks, t, side="right")
        y: np.ndarray = np.empty(shape, kind)
        for i in np.unique(which):
            here = which == i
            y[here] = ask(self.parts[i], t[here])  # type: ignore[operator]
        return y


@dataclass(frozen=True)
class Periodic(Drive):
    """y = a(s), s the time since the last of start, start + period, …; 0 before start."""

    a: Drive
    start: float
    period: float

    def __post_init__(self) -> None:
        _check_drives(self, self.a)
        self._set_numbers("start", "period")
        if self.period <= 0:
            raise DriveError(f"{self.label}: expected a positive period, found {self.period:g}")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        s = t - self.start
        jet = self.a.jet(s - self.period * np.floor(s / self.period))
        jet[s < 0] = 0.0
        return jet

    def _branch(self, t: np.ndarray) -> np.ndarray:
        s = t - self.start
        n = np.maximum(np.floor(s / self.period), -1.0)
        return folded(n, np.where(s < 0, 0, self.a.branch(s - self.period * n)))


@dataclass(frozen=True)
class Chain(Drive):
    """y = f(x(t)): the outer drive taken at the value of the inner one."""

    outer: Drive
    inner: Drive

    def __post_init__(self) -> None:
        _check_drives(self, self.outer, self.inner)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        x, x1, x2 = self.inner.jet(t).T
        f, f1, f2 = self.outer.jet(x).T
        return np.column_stack((f, f1 * x1, f2 * x1 * x1 + f1 * x2))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.outer.values(self.inner.values(t))

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return folded(self.inner.branch(t), self.outer.branch(self.inner.values(t)))


@dataclass(frozen=True)
class Quotient(Drive):
    """y = a/b."""

    a: Drive
    b: Drive

    def __post_init__(self) -> None:
        _check_drives(self, self.a, self.b)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return np.column_stack(RULES["/"](self.a.jet(t).T, self.b.jet(t).T))


@dataclass(frozen=True)
class Derivative(Drive):
    """y = a', y' = a''; y'' is differentiated numerically."""

    a: Drive

    def __post_init__(self) -> None:
        _check_drives(self, self.a)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        third = [differentiate(lambda s: float(self.a.jet([s])[0, 2]), x)[0] for x in t.tolist()]
        return np.column_stack((self.a.jet(t)[:, 1:], third))

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.a.jet(t)[:, 1]

    def named(self, what: str) -> Drive:
        return Derivative(self.a.named(what), what=what)
