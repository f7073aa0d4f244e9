"""Integrals of drives over time, by Gauss and Legendre's rule between corners.

    y(t) = y₀ + ∫ a dt,   y' = a,   y'' = a'

The sum is carried from the start in panels, on each of which the rule agrees with that on its
halves: a panel that does not agree is halved, and 16 that do are followed by panels of twice the
length.  Panels are cut where `a` changes its branch (Drive.branch), to the last bit of the time.
The panels depend on `a` and the start alone, so that the digits of y(t) do not depend on what was
asked before.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(10)
MAX_INTERVALS = 100_000  # intervals at a time that are divided further
BLOCK = 10_000  # times at once, of which each has 50 values of the integrand
PANELS = 16  # of one length at a time
SHORT = 1e-7  # of the time until the end: shorter panels belong to a jump, which has 600 of them
MAX_SHORT_PANELS = 2000  # one after another
FIRST = 1e-3  # s, the length of the first panels, which are halved or doubled
Areas = tuple[np.ndarray, np.ndarray]


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
        if t.size > BLOCK:
            blocks = np.array_split(t, -(-t.size // BLOCK))
            return np.concatenate([self._values(block) for block in blocks])
        if not t.size:
            return np.zeros(0)
        panels = self._panels
        panels.reach(float(t.max()))
        k = np.maximum(np.searchsorted(panels.begins, t, side="right") - 1, 0)
        begins = panels.begins[k]
        signs = np.where(t < begins, -1.0, 1.0)
        parts = areas(self.a, np.minimum(begins, t), np.maximum(begins, t))
        return self.value + panels.sums[k] + signs * parts

    @functools.cached_property
    def _panels(self) -> Panels:
        return Panels(self.a, self.start)


class Panels:
    """Where panels begin, and the integral up to there."""

    def __init__(self, a: Drive, start: float) -> None:
        self.a, self.length = a, FIRST
        self.begins, self.sums = np.array([start]), np.zeros(1)

    def reach(self, end: float) -> None:
        """Adds panels until `end`, or until where the drive has no more values.

        A DriveError where values jump without end, as those of noise do.
        """
        short = 0  # panels, one after another
        while (begin := float(self.begins[-1])) < end:
            shortest = 4 * np.spacing(max(abs(begin), FIRST))
            edges = begin + self.length * np.arange(PANELS + 1)
            try:
                a, b, owner = cut(self.a, edges[:-1], edges[1:])
                parts, good = agreeing(self.a, a, b)
            except DriveError:
                if self.length <= shortest:
                    return
                self.length /= 2
                continue
            first = int(owner[~good].min(initial=PANELS))  # that does not agree
            if first == 0 and self.length > shortest:
                self.length /= 2
                continue
            first = max(first, 1)
            short = short + first if self.length < SHORT * (end - self.begins[0]) else 0
            if short > MAX_SHORT_PANELS:
                raise DriveError(
                    f"{self.a!r} has no integral that can be found near t = {begin:g}: its values "
                    "jump from one instant to the next; give a function that is smooth between "
                    "its jumps, or a table"
                )
            kept = owner < first
            order = np.argsort(b[kept])
            self.begins = np.append(self.begins, b[kept][order])
            self.sums = np.append(self.sums, self.sums[-1] + np.cumsum(parts[kept][order]))
            if first == PANELS:
                self.length *= 2


def areas(drive: Drive, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """∫ over each interval (a, b); what does not agree with its halves is halved again."""
    area = np.zeros(a.size)
    a, b, owner = cut(drive, a, b)
    for _ in range(60):
        part, good = agreeing(drive, a, b)
        m = (a + b) / 2
        good |= (m <= a) | (m >= b)
        if np.count_nonzero(~good) > MAX_INTERVALS:
            good[:] = True
        np.add.at(area, owner[good], part[good])
        if good.all():
            break
        a, m, b, owner = (x[~good] for x in (a, m, b, owner))
        a, b, owner = np.append(a, m), np.append(m, b), np.append(owner, owner)
    return area


def cut(drive: Drive, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The intervals (a, b) cut where the drive changes its branch, and whose part each is."""
    owner = np.arange(a.size)
    cuts, owners = [a], [owner]
    left, right = a, np.maximum(a, np.nextafter(b, a))
    for _ in range(70):
        changed = drive.branch(left) != drive.branch(right)
        if not changed.any() or np.count_nonzero(changed) > MAX_INTERVALS:
            break
        left, right, owner = left[changed], right[changed], owner[changed]
        m = (left + right) / 2
        near = (m <= left) | (m >= right)
        cuts.append(right[near])
        owners.append(owner[near])
        left, m, right, owner = (x[~near] for x in (left, m, right, owner))
        left, right = np.append(left, m), np.append(m, right)
        owner = np.append(owner, owner)
    begins, whose = np.concatenate(cuts), np.concatenate(owners)
    order = np.lexsort((begins, whose))
    begins, whose = begins[order], whose[order]
    last = np.append(whose[1:] != whose[:-1], True)
    return begins, np.where(last, b[whose], np.roll(begins, -1)), whose


def agreeing(drive: Drive, a: np.ndarray, b: np.ndarray) -> Areas:
    """∫ over each interval (a, b), and whether the rule on the halves agrees with that on it.

    So must the moments about the middle, since areas of whole waves vanish by any rule.  Round-off
    of the values is no disagreement: 1 − cos t near t = 0 has that of 1, not that of its value,
    which second differences over very short ways show; nor is that of the times.
    """
    half = (b - a) / 2
    y = np.array([at_points(drive, a, half, k * 1e-7) for k in range(3)])
    left, right = at_points(drive, a, half / 2), at_points(drive, a + half, half / 2)
    area = weighed(left + right) / 2
    moment = (weighed((left + right) * POINTS) + weighed(right - left)) / 4
    noise = 4 * np.abs(y[0] - 2 * y[1] + y[2]).max(axis=1, initial=0.0)
    rounded = np.spacing(np.abs(a) + np.abs(b)) / np.maximum(b - a, 1e-300)
    noise += rounded * np.ptp(y[0], axis=1)
    allowed = 1e-13 * weighed(np.abs(y[0])) + noise + 1e-300
    apart = np.maximum(np.abs(area - weighed(y[0])), np.abs(moment - weighed(y[0] * POINTS)))
    return area * half, apart <= allowed


def weighed(y: np.ndarray) -> np.ndarray:
    """The rule on each row; a product of matrices would round rows by their number."""
    return (y * WEIGHTS).sum(axis=1)


def at_points(drive: Drive, a: np.ndarray, half: np.ndarray, further: float = 0.0) -> np.ndarray:
    """Values at the points of the rule in intervals from a on, or at points a little further on."""
    t = a[:, None] + half[:, None] * (1 + POINTS + further)
    return drive.values(t.ravel()).reshape(t.shape)
