"""Air around a model: density, speed of sound, velocity, gusts (elements.aero.air.wind)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.aero.air import wind
from linkwork.elements.aero.air.gusts import (
    Gust, GustFront, GustFunction, Gusts, HarmonicGust, OneMinusCosine, WindProfile,
)  # fmt: skip
from linkwork.elements.bodies.moving_frame import components
from linkwork.elements.failures import Failure
from linkwork.errors import ModelError
from linkwork.kernels.memory.addresses import WeakItem
from linkwork.kernels.memory.pointers import PythonCallback
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive
from linkwork.model.given import Components, ComponentsOrNone, Vector, VectorLike, given
from linkwork.model.registry import Entry, Item, Law

SOUND_SEA = math.sqrt(wind.GAMMA * wind.GAS * wind.T_SEA)
HIGHEST = 32000.0  # m: where the standard atmosphere of this package ends


def standard_atmosphere(altitude: float) -> tuple[float, float]:
    """Density (kg/m³) and speed of sound (m/s) of ISO 2533 at an altitude (m) up to 32 km."""
    h = checks.number(altitude, "altitude of the standard atmosphere")
    if not -5000 <= h <= HIGHEST:
        raise ModelError(
            f"the standard atmosphere reaches from −5000 m to {HIGHEST:g} m here, but an altitude "
            f"of {h:g} m was given; give Air a density"
        )
    rho, sound, _, _ = standard_air(h)
    return rho, sound


def standard_air(h: float) -> tuple[float, float, float, float]:
    """wind.standard_air in Python."""
    plain: Any = getattr(wind.standard_air, "py_func", wind.standard_air)
    return plain(h)


@dataclass(eq=False)
class Air(Item):
    """The air that lifting surfaces and rotors move through: `model.air = lw.Air(...)`.

    density        : kg/m³, default 1.225, or "standard": that of ISO 2533 at the altitude of each
                     point
    velocity       : of the wind (m/s), three numbers or functions of time; default zero
    gusts          : OneMinusCosine, SharpEdgedGust, HarmonicGust, GustFront, WindProfile,
                     GustFunction
    speed_of_sound : m/s;  viscosity : Pa s, for Reynolds numbers, default 1.7894e-05
    altitude       : m, of the model's origin, and up: the direction in which it grows, default
                     (0, 0, 1)
    frame_velocity, frame_angular_velocity : of the frame in which the model is described, in its
                     axes, where that moves (MovingFrame); velocity and gusts are then in its axes

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("kite")
    >>> m.air = lw.Air(density=1.225, velocity=(30, 0, 0))
    """

    density: float | str = 1.225
    velocity: Components = given((0.0, 0.0, 0.0))
    gusts: Gusts = given(())
    speed_of_sound: float | None = None
    viscosity: float = wind.VISCOSITY_SEA
    altitude: float = 0.0
    up: Vector = given((0.0, 0.0, 1.0))
    frame_velocity: ComponentsOrNone = given(None)
    frame_angular_velocity: ComponentsOrNone = given(None)
    failure: Failure | None = field(default=None, init=False, repr=False)

    surrounds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = self.label
        if self.standard:
            self.altitude = checks.number(self.altitude, f"altitude of {what}")
            standard_atmosphere(self.altitude)
            if self.speed_of_sound is not None:
                raise ModelError(
                    f"{what} is standard and has its own speed of sound; leave out speed_of_sound"
                )
        else:
            self.density = checks.number(self.density, f"density of {what}", minimum=0.0)
            self.altitude = checks.number(self.altitude, f"altitude of {what}")
            if self.speed_of_sound is not None:
                self.speed_of_sound = checks.number(
                    self.speed_of_sound, f"speed_of_sound of {what}", positive=True
                )
        self.viscosity = checks.number(self.viscosity, f"viscosity of {what}", positive=True)
        self.up = checks.direction(self.up, f"up of {what}")
        self.velocity = components(self.velocity, f"velocity of {what}")
        for word in ("frame_velocity", "frame_angular_velocity"):
            if getattr(self, word) is not None:
                setattr(self, word, components(getattr(self, word), f"{word} of {what}"))
        given = self.gusts if isinstance(self.gusts, (list, tuple)) else [self.gusts]
        for gust in given:
            if not isinstance(gust, Gust):
                raise ModelError(
                    f"gusts of {what} must be gusts such as lw.OneMinusCosine(…), but "
                    f"{checks.show(gust)} was given"
                )
        self.gusts = tuple(given)

    @property
    def standard(self) -> bool:
        if isinstance(self.density, str) and self.density != "standard":
            raise ModelError(
                f'density of {self.label} must be a number or "standard", but '
                f"{checks.show(self.density)} was given"
            )
        return isinstance(self.density, str)

    def at_origin(self) -> tuple[float, float]:
        """Density and speed of sound at the model's origin."""
        if self.standard or isinstance(self.density, str):
            return standard_atmosphere(self.altitude)
        return self.density, SOUND_SEA if self.speed_of_sound is None else self.speed_of_sound

    def drives(self) -> list[Drive]:
        """Nine functions of time: velocity, and those of the frame."""
        still = (Constant(0.0),) * 3
        return [*self.velocity, *(self.frame_velocity or still),
                *(self.frame_angular_velocity or still)]  # fmt: skip

    def velocities(self, times: np.ndarray) -> np.ndarray:
        return np.stack([drive.values(times) for drive in self.drives()], axis=1)

    def numbers(self) -> tuple[np.ndarray, list[Any]]:
        """The reals of the air and its integers, with callbacks in place of their addresses."""
        rho, sound = self.at_origin()
        head = [rho, sound, self.viscosity, float(self.standard), *self.up, self.altitude]
        head += [*self.velocities(np.zeros(1))[0]]
        rows: list[np.ndarray] = [np.array(head)]
        codes: list[Any] = [len(self.gusts)]
        for gust in self.gusts:
            function: Any = 0
            if isinstance(gust, GustFunction):
                function = self.callback(gust.function)
            elif isinstance(gust, GustFront):
                function = self.profile_callback(as_drive(gust.profile))
            rows.append(gust.numbers())
            codes += [gust.code, function]
        return np.concatenate(rows), codes

    def callback(self, function: Callable[[np.ndarray, float], VectorLike]) -> PythonCallback:
        """A function of the user with an address; its first failure is remembered."""
        item = WeakItem(self)

        def enter(t: float, place: np.ndarray, found: np.ndarray) -> None:
            found[:] = np.nan
            failure = None
            try:
                given = np.asarray(function(place, t), float)
                if given.shape != (3,):
                    failure = Failure(t, None, f"returned shape {given.shape} instead of (3,)")
                else:
                    found[:] = given
                    if not np.isfinite(given).all():
                        failure = Failure(t, None, "returned numbers that are not finite")
            except BaseException as error:
                failure = Failure(t, error, f"raised {type(error).__name__}: {checks.line(error)}")
            owner = item()
            known = owner is None or owner.failure is not None
            if failure is not None and not known and np.isfinite(place).all():
                owner.failure = failure

        return PythonCallback(enter, 3, 3)

    def profile_callback(self, profile: Drive) -> PythonCallback:
        """A gust's profile and its slope at a path; its first failure is remembered."""
        item = WeakItem(self)

        def enter(s: float, _: np.ndarray, found: np.ndarray) -> None:
            found[:] = np.nan
            failure = None
            try:
                found[:2] = profile.jet(np.array([s]))[0, :2]
                if not np.isfinite(found[:2]).all():
                    failure = Failure(s, None, "is not finite along its path", "profile of a gust")
            except BaseException as error:
                what = f"raised {type(error).__name__}: {checks.line(error)}"
                failure = Failure(s, error, what, "profile of a gust")
            owner = item()
            known = owner is None or owner.failure is not None
            if failure is not None and not known and np.isfinite(s):
                owner.failure = failure

        return PythonCallback(enter, 3, 3)

    def laws(self, first: int) -> list[Law]:
        """What changes with time in the numbers that begin at `first`."""
        found = []
        if not all(isinstance(drive, Constant) for drive in self.drives()):
            found.append(Law(first + wind.V0, self.velocities, 9))
        for i, gust in enumerate(self.gusts):
            found += gust.laws(first + wind.AIR + wind.GUST * i)
        return found

    def entries(self) -> list[Entry]:
        return []

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Air:
        from linkwork.model.drives import sine

        velocity = (sine(3.0, 2.0, 0.4), float(rng.normal()), float(rng.normal()))
        gusts = [
            OneMinusCosine(rng.normal(size=3), 30.0, rng.normal(size=3), 3.0, -2.0),
            HarmonicGust(rng.normal(size=3), 7.0, rng.normal(size=3), 2.0, -30.0),
            WindProfile(rng.normal(size=3), 5.0, exponent=0.2, ground=-40.0),
        ]
        return cls(
            "standard", velocity, gusts, altitude=500.0, frame_velocity=rng.normal(size=3),
            frame_angular_velocity=rng.normal(size=3),
        )  # fmt: skip


def air_around(item: Any, does: str, example: str = "density=1.225") -> Air:
    """The air that an item names, or that of its model; does: what it does in there."""
    found: Air | None = item.air if item.air is not None else item.surroundings.get("air")
    if found is None:
        raise ModelError(
            f"{item.label} has no air to {does}; give the model some, m.air = lw.Air({example})"
        )
    return found
