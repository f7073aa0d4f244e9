"""Drives made of drives: sums, products, delays."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.model.drives.base import Drive, _check_drives
from linkwork.model.drives.formulas.jets import product


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

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return self.a.branch(t - self.dt)


def added(a: Drive, b: Drive) -> Sum:
    """a + b, the terms of a sum staying in one."""
    first = a.terms if isinstance(a, Sum) else (a,)
    return Sum((*first, b))
