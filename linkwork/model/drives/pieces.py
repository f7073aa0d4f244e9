"""Drives made of drives: pieces in time, periods, chains, quotients, derivatives, integrals.

    f(x(t))'' = f''(x) x'² + f'(x) x''              chain
    (a/b)'    = (a' − (a/b) b')/b                   quotient
    y(t) = y₀ + ∫ a dt,  y' = a,  y'' = a'          integral, by Gauss and Legendre's rule on
                                                    intervals halved until two halves agree
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives
from linkwork.model.drives.differences import differentiate
from linkwork.model.drives.formulas.jets import RULES

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(10)
MOST = 100_000  # intervals of an integral at a time


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

    def _pick(self, t: np.ndarray, ask: object, shape: tuple[int, ...]) -> np.ndarray:
        which = np.searchsorted(self.breaks, t, side="right")
        y = np.empty(shape)
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


@dataclass(frozen=True)
class Integral(Drive):
    """y = value + ∫ a dt from `start` on."""

    a: Drive
    start: float = 0.0
    value: float = 0.0
    remembers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_drives(self, self.a)
        self._set_numbers("start", "value")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        a = self.a.jet(t)
        return np.column_stack((self._values(t), a[:, 0], a[:, 1]))

    def _values(self, t: np.ndarray) -> np.ndarray:
        if t.size != 1:
            return self._summed(t)
        known = self._known
        now = float(t[0])
        if now not in known:
            if len(known) > 100:
                known.clear()
            known[now] = float(self._summed(t)[0])
        return np.array([known[now]])

    @functools.cached_property
    def _known(self) -> dict[float, float]:
        """Values at single times, which are asked for again and again at the start of a run."""
        return {}

    def _summed(self, t: np.ndarray) -> np.ndarray:
        times, back = np.unique(np.append(t, self.start), return_inverse=True)
        sums = np.concatenate([[0.0], np.cumsum(self._areas(times[:-1], times[1:]))])
        return self.value + sums[back[:-1]] - sums[back[-1]]

    def _areas(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """∫ over each interval (a, b); halves that disagree with their whole are halved again.

        Round-off of the values (near their zeros it is all there is) is no disagreement.
        """
        area = np.zeros(a.size)
        owner = np.arange(a.size)
        whole = self._rule(a, b)
        noise = 1e-14 * float(np.abs(whole / np.maximum(b - a, 1e-300)).max(initial=0.0))
        noise += self._roughness(a, b)
        for _ in range(60):
            if not owner.size or owner.size > MOST:
                break
            m = (a + b) / 2
            left, right = self._rule(a, m), self._rule(m, b)
            size = np.abs(left) + np.abs(right)
            good = np.abs(left + right - whole) <= 1e-13 * size + noise * (b - a) + 1e-300
            good |= (m <= a) | (m >= b)
            np.add.at(area, owner[good], (left + right)[good])
            bad = ~good
            a, b = np.concatenate([a[bad], m[bad]]), np.concatenate([m[bad], b[bad]])
            whole = np.concatenate([left[bad], right[bad]])
            owner = np.concatenate([owner[bad], owner[bad]])
        np.add.at(area, owner, whole)
        return area

    def _roughness(self, a: np.ndarray, b: np.ndarray) -> float:
        """What round-off makes of the values: second differences over very short ways.

        1 − cos t near t = 0 has the round-off of 1, not that of its value.
        """
        if not a.size:
            return 0.0
        k = int(np.argmin(b - a))
        t = (a[k] + b[k]) / 2 + (b[k] - a[k]) / 2 * POINTS
        y = [self.a.values(t + j * 1e-7 * (b[k] - a[k])) for j in range(3)]
        return 4.0 * float(np.abs(y[0] - 2 * y[1] + y[2]).max())

    def _rule(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if not a.size:
            return np.zeros(0)
        half = (b - a) / 2
        t = (a + b)[:, None] / 2 + half[:, None] * POINTS
        return half * (self.a.values(t.ravel()).reshape(t.shape) @ WEIGHTS)
