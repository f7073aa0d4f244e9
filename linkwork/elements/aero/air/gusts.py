"""Gusts and profiles of the wind (linkwork.elements.aero.air.wind)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np

from linkwork.elements.aero.air import wind
from linkwork.elements.bodies.moving_frame import components
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive
from linkwork.model.given import DriveLike, Given, Vector, VectorLike, given
from linkwork.model.registry import Law


@dataclass(frozen=True, eq=False)
class Gust:
    """A velocity of the air that depends on place and time; see `Air`."""

    kinds: ClassVar[dict[str, Any]] = {}

    code: ClassVar[int] = 0  # its kind in wind.gusts

    def __init_subclass__(cls) -> None:
        Gust.kinds[cls.__name__] = cls

    def parameters(self) -> dict[str, Any]:
        """What describes it, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def numbers(self) -> np.ndarray:
        """The numbers of wind.gusts."""
        raise NotImplementedError

    def laws(self, first: int) -> list[Law]:
        """What changes with time in the numbers that begin at `first`."""
        return []

    def _set(self, **words: Any) -> None:
        for word, value in words.items():
            object.__setattr__(self, word, value)


def unit(given: Any, what: str) -> np.ndarray:
    """A direction of length one; one that has it already, from a file, to the bit."""
    found = checks.direction(given, what)
    stored = np.asarray(given, float)
    return stored if np.abs(stored - found).max() < 1e-15 else found


def row(
    n: Any, d: Any, speed: float, start: float, length: float, other: float = 0.0
) -> np.ndarray:
    return np.array([*n, *d, speed, start, length, other])


@dataclass(frozen=True, eq=False)
class TravellingGust(Gust):
    """A gust whose front moves through the air's frame at a speed (m/s) along a direction.

    velocity : its vector at the peak (m/s)      length : m
    direction, speed : of its front;  start : when (s) the front passes the origin
    """

    velocity: VectorLike
    length: float
    direction: Vector = given((1.0, 0.0, 0.0))
    speed: float = 1.0
    start: float = 0.0

    def __post_init__(self) -> None:
        what = type(self).__name__
        self._set(
            velocity=checks.vector(self.velocity, f"velocity of {what}"),
            length=checks.number(self.length, f"length of {what}", positive=True),
            direction=unit(self.direction, f"direction of {what}"),
            speed=checks.number(self.speed, f"speed of {what}"),
            start=checks.number(self.start, f"start of {what}"),
        )

    def numbers(self) -> np.ndarray:
        return row(self.direction, self.velocity, self.speed, self.start, self.length)


class OneMinusCosine(TravellingGust):
    """The gust of the airworthiness rules: velocity/2 · (1 − cos 2πs/length), s behind its front.

    Example
    -------
    >>> import linkwork as lw
    >>> bump = lw.OneMinusCosine((0, 0, 9), length=25, direction=(1, 0, 0), speed=30, start=0.5)
    >>> air = lw.Air(density=1.225, velocity=(30, 0, 0), gusts=[bump])
    """

    code: ClassVar[int] = wind.ONE_MINUS_COSINE


class SharpEdgedGust(TravellingGust):
    """A gust that rises to its velocity over the length behind its front and stays."""

    code: ClassVar[int] = wind.SHARP


class HarmonicGust(TravellingGust):
    """Waves of a length: velocity · sin 2πs/length behind the front."""

    code: ClassVar[int] = wind.HARMONIC


@dataclass(frozen=True, eq=False)
class GustFront(Gust):
    """A gust of any profile along its path: velocity · profile(s), s behind its front (m).

    profile  : a function of s = speed · (t − start) − direction · (x − origin), as those of time
               are given: a number, lw.expression("…"), lw.table(…) or a Python function
    velocity : the vector (m/s) that the profile multiplies
    direction, speed : of the front; with speed=0 the profile stands still: a shear along direction

    Example
    -------
    >>> import linkwork as lw
    >>> bump = lw.GustFront((0, 0, 4), lw.expression("exp(-(t/5)^2)"), speed=30)
    >>> air = lw.Air(density=1.225, velocity=(30, 0, 0), gusts=[bump])
    """

    velocity: VectorLike
    profile: DriveLike
    direction: Vector = given((1.0, 0.0, 0.0))
    speed: float = 1.0
    start: float = 0.0
    origin: Vector = given((0.0, 0.0, 0.0))
    code: ClassVar[int] = wind.PROFILE

    def __post_init__(self) -> None:
        self._set(
            velocity=checks.vector(self.velocity, "velocity of GustFront"),
            profile=as_drive(self.profile, "profile of GustFront"),
            direction=unit(self.direction, "direction of GustFront"),
            speed=checks.number(self.speed, "speed of GustFront"),
            start=checks.number(self.start, "start of GustFront"),
            origin=checks.vector(self.origin, "origin of GustFront"),
        )

    def numbers(self) -> np.ndarray:
        offset = float(self.direction @ self.origin)
        return row(self.direction, self.velocity, self.speed, self.start, 1.0, offset)


@dataclass(frozen=True, eq=False)
class WindProfile(Gust):
    """Wind over the ground that grows with the height.

    velocity : at the height `height` (m), three numbers or functions of time
    exponent : of the power law, or roughness : length (m) of the logarithmic profile
    up       : direction;  ground : its level along up
    """

    velocity: Sequence[DriveLike] | np.ndarray
    height: float
    exponent: float | None = None
    roughness: float | None = None
    up: Vector = given((0.0, 0.0, 1.0))
    ground: float = 0.0

    def __post_init__(self) -> None:
        if (self.exponent is None) == (self.roughness is None):
            raise ModelError(
                "WindProfile needs either exponent (power law) or roughness (logarithmic), but "
                f"{'neither' if self.exponent is None else 'both'} was given"
            )
        self._set(
            velocity=components(self.velocity, "velocity of WindProfile"),
            height=checks.number(self.height, "height of WindProfile", positive=True),
            up=unit(self.up, "up of WindProfile"),
            ground=checks.number(self.ground, "ground of WindProfile"),
        )
        if self.exponent is not None:
            self._set(exponent=checks.number(self.exponent, "exponent of WindProfile", minimum=0))
        else:
            rough = checks.number(self.roughness, "roughness of WindProfile", positive=True)
            if rough >= self.height:
                raise ModelError(
                    f"roughness of WindProfile must be below its height {self.height:g}, but "
                    f"{rough:g} was given"
                )
            self._set(roughness=rough)

    @property
    def code(self) -> int:  # type: ignore[override]
        return wind.LOGARITHMIC if self.exponent is None else wind.POWER_LAW

    @property
    def drives(self) -> Sequence[Drive]:
        """The velocity, once it was checked."""
        return self.velocity  # type: ignore[return-value]

    def velocities(self, times: np.ndarray) -> np.ndarray:
        return np.stack([drive.values(times) for drive in self.drives], axis=1)

    def laws(self, first: int) -> list[Law]:
        if all(isinstance(drive, Constant) for drive in self.drives):
            return []
        return [Law(first + wind.VECTOR, self.velocities, 3)]

    def numbers(self) -> np.ndarray:
        number = self.roughness if self.exponent is None else self.exponent
        start = self.velocities(np.zeros(1))[0]
        return row(self.up, start, 0.0, self.ground, self.height, number or 0.0)


@dataclass(frozen=True, eq=False)
class GustFunction(Gust):
    """Any velocity: function(position, time) gives three numbers (m/s); plain Python."""

    function: Callable[[np.ndarray, float], VectorLike]
    code: ClassVar[int] = wind.FUNCTION

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(
                "GustFunction needs function(position, time), but "
                f"{checks.show(self.function)} was given"
            )

    def numbers(self) -> np.ndarray:
        return row((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 1.0)


Gusts: TypeAlias = Given[tuple[Gust, ...], Gust | Sequence[Gust]]
