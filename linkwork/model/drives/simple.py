"""The simplest drives: constants, ramps, sines, polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from linkwork.model.drives.base import Drive
from linkwork.model.given import VectorLike


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

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return (t >= self.start).astype(np.int64)


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


def polynomial(c: VectorLike) -> Polynomial:
    """A polynomial, y = c[0] + c[1] t + c[2] t^2 + ...: coefficients in ascending powers.

    Example: free fall from 2 m, ``lw.polynomial([2, 0, -9.81 / 2])``
    """
    return Polynomial(cast(Any, c))  # which makes a tuple of it
