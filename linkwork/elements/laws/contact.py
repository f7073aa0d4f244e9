"""Laws of contact: the force of a pair of surfaces from the depth s > 0 and its rate.

    Hunt-Crossley   g = k sⁿ (1 + d ṡ),   W = k s^(n+1)/(n + 1)
    Hertz           the same with n = 3/2 and k = 4/3 E* √R of two spheres

never pulling (K. H. Hunt, F. R. E. Crossley, J. Applied Mechanics 42, 1975).  For a body that hits
with the speed v, m v dv = −k sⁿ (1 + d v) ds gives the restitution e exactly, whatever k and n are:

    x − log(1 + x) = −e x − log(1 − e x),        x = d v

which is solved for d where e and v are given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    ENERGY, KD, KE, OWN, RATE, STORED, STRAIN, STRESS, ConstitutiveLaw, Own,
)  # fmt: skip
from linkwork.elements.laws.nonlinear import OneComponent
from linkwork.errors import ModelError
from linkwork.math.pointers import Routine
from linkwork.model import checks


def hunt_crossley(t, p, y):
    """own: k, n, d."""
    s, r = y[STRAIN], y[RATE]
    if s > 0.0:
        k, n, d = p[OWN], p[OWN + 1], p[OWN + 2]
        elastic = k * s * math.sqrt(s) if n == 1.5 else k * s**n
        slope = n * elastic / s
        y[STORED] += elastic
        y[ENERGY] += elastic * s / (n + 1.0)
        factor = 1.0 + d * r
        if factor > 0.0:
            y[STRESS] += elastic * factor
            y[KE] += slope * factor
            y[KD] += elastic * d


def damping_for(restitution: float, speed: float) -> float:
    """d (s/m) for which a body that arrives with the speed leaves with e times that."""
    from scipy.optimize import brentq

    e = restitution
    if e >= 1:
        return 0.0

    def excess(x: float) -> float:
        return x - math.log1p(x) + e * x + math.log1p(-e * x)

    nearly = 1.5 * (1 - e * e) / (1 + e**3)  # of the series for small x
    if nearly < 1e-4:
        return nearly / speed
    return float(brentq(excess, 0.2 * nearly, (1 - 1e-12) / e, xtol=1e-14, rtol=1e-14)) / speed


@dataclass(frozen=True, eq=False)
class HuntCrossley(OneComponent):
    """Contact force k sⁿ (1 + d ṡ) at the depth s, never pulling.

    stiffness k (N/mⁿ), exponent n; damping d (s/m), or in its place restitution (from just above 0
    to 1) of a body that arrives with `speed` (m/s).

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.HuntCrossley(1e6, restitution=0.5, speed=1.0)
    """

    stiffness: float
    damping: float | None = None
    exponent: float = 1.5
    restitution: float | None = None
    speed: float | None = None
    routine: ClassVar[Routine] = Routine(hunt_crossley)

    def own(self, n: int, what: str) -> Own:
        return [
            self.number("stiffness", what, positive=True),
            self.number("exponent", what, minimum=1), damping_of(self, what),
        ]  # fmt: skip

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for exponent in (1.0, 1.5, 2.2):
            yield cls(rng.uniform(1, 2), damping=0.3, exponent=exponent)
        yield cls(2.0, restitution=0.4, speed=2.0)


def damping_of(law: Any, what: str) -> float:
    """The damping of a law that has it, or a restitution and a speed."""
    if law.restitution is None:
        if law.speed is not None:
            raise ModelError(f"speed of {what} belongs to restitution=; give both or none")
        return 0.0 if law.damping is None else law.number("damping", what, minimum=0)
    if law.damping is not None or law.speed is None:
        raise ModelError(
            f"{what} needs either damping=, or restitution= with speed=, at which it holds"
        )
    e = law.number("restitution", what)
    if not 0 < e <= 1:
        raise ModelError(
            f"restitution of {what} must be above 0 and at most 1, found {e:g}; for 0 use hard "
            "contact"
        )
    return damping_for(e, law.number("speed", what, positive=True))


@dataclass(frozen=True, eq=False)
class Hertz(OneComponent):
    """Hertz's law of contact, 4/3 E* √R s^(3/2) (1 + d ṡ), never pulling.

    modulus is E* (Pa), 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂; the radius R comes from the shapes (of
    two spheres, or of a sphere on something flat), or is given (m).  damping, restitution and speed
    as of HuntCrossley.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Hertz(modulus=1.15e11)
    """

    modulus: float
    radius: float | None = None
    damping: float | None = None
    restitution: float | None = None
    speed: float | None = None
    routine: ClassVar[Routine] = Routine(hunt_crossley)

    def own(self, n: int, what: str) -> Own:
        if self.radius is None:
            raise ModelError(
                f"{what} needs radius=, since it does not follow from the shapes; 1/R = 1/R₁ + 1/R₂"
            )
        modulus = self.number("modulus", what, positive=True)
        radius = checks.number(self.radius, f"radius of {what}", positive=True)
        return [4 / 3 * modulus * math.sqrt(radius), 1.5, damping_of(self, what)]

    def between(self, radius: float | None) -> Hertz:
        """The law of two surfaces with this radius, where it was not given."""
        if self.radius is not None or radius is None:
            return self
        return Hertz(self.modulus, radius, self.damping, self.restitution, self.speed)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2), radius=0.5, damping=0.2)
