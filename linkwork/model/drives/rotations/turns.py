"""The turns about x, then y, then z that make a rotation vector which changes with time.

    ρ = (c, k θ),  c = cos √s/2,  k = sin(√s/2)/√s,  s = θ·θ
    c' = −k/4,  k' = (c/2 − k)/(2 s),  k'' = −(k/8 + 3 k')/(2 s)            derivatives by s
    α = −atan2(R₂₃, R₃₃),  β = atan2(R₁₃, √(R₁₁² + R₁₂²)),  γ = −atan2(R₁₂, R₁₁)

Laws on the rotations of a lock joint are such turns; MBDyn's are rotation vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives
from linkwork.model.drives.formulas.jets import RULES, Jet, _chain, product


@dataclass(frozen=True)
class Turn(Drive):
    """The turn about `axis` (0, 1, 2) of the rotation whose vector is theta; |β| < π/2."""

    theta: tuple[Drive, Drive, Drive]
    axis: int

    def __post_init__(self) -> None:
        _check_drives(self, *self.theta)
        if self.axis not in (0, 1, 2):
            raise DriveError(f"{self.label}: expected axis 0, 1 or 2, found {self.axis!r}")

    def _jet(self, t: np.ndarray) -> np.ndarray:
        theta = [tuple(d.jet(t).T) for d in self.theta]
        return np.column_stack(angles(theta)[self.axis])


@dataclass(frozen=True)
class TurnMatrix(Drive):
    """The component (row, column) of the rotation matrix exp(θ̃) of a rotation vector theta."""

    theta: tuple[Drive, Drive, Drive]
    row: int
    column: int

    def __post_init__(self) -> None:
        _check_drives(self, *self.theta)

    def _jet(self, t: np.ndarray) -> np.ndarray:
        q = quaternion([tuple(d.jet(t).T) for d in self.theta])
        w, v, i, j = q[0], q[1:], self.row, self.column
        if i == j:
            terms = [product(x, x) if k in (0, i + 1) else times(-1, product(x, x))
                     for k, x in enumerate(q)]  # fmt: skip
            return np.column_stack(add(*terms))
        sign = 1.0 if (j - i) % 3 == 2 else -1.0
        turn = times(sign, product(w, v[3 - i - j]))
        return np.column_stack(times(2, add(product(v[i], v[j]), turn)))


def add(*jets: Jet) -> Jet:
    return tuple(sum(parts) for parts in zip(*jets, strict=True))


def times(factor: float, a: Jet) -> Jet:
    return tuple(factor * part for part in a)


def quaternion(theta: list[Jet]) -> tuple[Jet, Jet, Jet, Jet]:
    """The unit quaternion of a rotation vector, with two derivatives."""
    s = add(*(product(a, a) for a in theta))
    root = np.sqrt(s[0])
    small = s[0] < 1e-4
    safe = np.where(small, 1.0, s[0])
    c = np.cos(root / 2)
    k = np.where(small, 0.5 - s[0] / 48 + s[0] ** 2 / 3840, np.sin(root / 2) / np.sqrt(safe))
    k1 = np.where(small, -1 / 48 + s[0] / 1920 - s[0] ** 2 / 215040, (c / 2 - k) / (2 * safe))
    k2 = np.where(small, 1 / 1920 - s[0] / 107520, -(k / 8 + 3 * k1) / (2 * safe))
    factor = _chain((k, k1, k2), s)
    w = _chain((c, -k / 4, -k1 / 4), s)
    return w, *(product(factor, a) for a in theta)


def angles(theta: list[Jet]) -> list[Any]:
    """Turns about x, y and z, each with two derivatives."""
    w, x, y, z = quaternion(theta)
    r11 = add(product(w, w), product(x, x), times(-1, product(y, y)), times(-1, product(z, z)))
    r12 = times(2, add(product(x, y), times(-1, product(w, z))))
    r13 = times(2, add(product(x, z), product(w, y)))
    r23 = times(2, add(product(y, z), times(-1, product(w, x))))
    r33 = add(product(w, w), times(-1, product(x, x)), times(-1, product(y, y)), product(z, z))
    atan2 = RULES["atan2"]
    length = RULES["sqrt"](add(product(r11, r11), product(r12, r12)))
    return [times(-1, atan2(r23, r33)), atan2(r13, length), times(-1, atan2(r12, r11))]
