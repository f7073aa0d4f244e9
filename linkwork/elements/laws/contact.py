"""Laws of contact: the force of a pair of surfaces from the depth s > 0 and its rate.

    Hunt-Crossley   g = k sⁿ (1 + d ṡ),   W = k s^(n+1)/(n + 1)
    Hertz           the same with n = 3/2 and k = 4/3 E* √R of two spheres

never pulling (K. H. Hunt, F. R. E. Crossley, J. Applied Mechanics 42, 1975).  For a body that hits
with the speed v, m v dv = −k sⁿ (1 + d v) ds gives the restitution e exactly, whatever k and n are:

    x − log(1 + x) = −e x − log(1 − e x),        x = d v

which is solved for d where e and v are given.  At low speeds e comes near 1, so that a body which
is laid down trembles for long.  With the damping of

    Tsuji           g = k s^(3/2) + a √(m k) s^(1/4) ṡ,   W = 2/5 k s^(5/2)

a body of mass m leaves with the same part e of its speed whatever this is (Y. Tsuji, T. Tanaka,
T. Ishida, Powder Technology 71, 1992): with s = S x, t = T τ, S = (m v²/k)^(2/5), T = S/v the
motion is x″ + a x^(1/4) x′ + x^(3/2) = 0 from x′ = 1 until the force is zero, and a follows from
x′ = −e there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    ENERGY, KD, KE, OWN, RATE, STORED, STRAIN, STRESS, ConstitutiveLaw, Own, pass_corner,
)  # fmt: skip
from linkwork.elements.laws.nonlinear import OneComponent
from linkwork.errors import ModelError
from linkwork.kernels.memory.pointers import Routine
from linkwork.model import checks


def hunt_crossley(t, p, y):
    """own: k, n, d."""
    s, r = y[STRAIN], y[RATE]
    if s > 0.0:
        pass_corner(y, 1.0, r)
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
    most = (1 - 1e-12) / e
    if excess(most) >= 0.0:  # x is 1/e but for round-off, as 1 − e x = exp(−x …) is
        return most / speed
    return float(brentq(excess, 0.2 * nearly, most, xtol=1e-14, rtol=1e-14)) / speed


LEAST = 1e-3  # restitution
STANDARD = 9.80665  # m/s²
NEAR = 1e-3  # of the depth under its own weight, where the root of Tsuji's damping becomes a line


def tsuji(t, p, y):
    """own: k, a √(m k), depth below which the damping is proportional to it."""
    s, r = y[STRAIN], y[RATE]
    if s > 0.0:
        pass_corner(y, 1.0, r)
        k, c, near = p[OWN], p[OWN + 1], p[OWN + 2]
        elastic = k * s * math.sqrt(s)
        y[STORED] += elastic
        y[ENERGY] += 0.4 * elastic * s
        w = 1.0 / math.sqrt(s + near)
        damping = c * s * w * math.sqrt(w)  # c s/(s + near)^(3/4)
        force = elastic + damping * r
        if force > 0.0:
            y[STRESS] += force
            y[KE] += 1.5 * elastic / s + damping * r * (1.0 / s - 0.75 * w * w)
            y[KD] += damping


@functools.cache
def tsuji_damping(restitution: float) -> float:
    """a for which a body leaves with e times its speed."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    if restitution >= 1:
        return 0.0

    def force(x: float, v: float, a: float) -> float:
        return max(x, 0.0) ** 1.5 + a * max(x, 0.0) ** 0.25 * v

    def leaves(a: float) -> float:
        """With which part of its speed."""
        def parts(_: float, y: np.ndarray) -> list[float]:
            return [y[1], -force(y[0], y[1], a)]

        def over(_: float, y: np.ndarray) -> float:
            return y[0] ** 1.25 + a * y[1] if y[0] > 0 else -1.0  # the force over x^(1/4)

        over.terminal, over.direction = True, -1  # type: ignore[attr-defined]
        first = [1e-8, 1.0]  # the force there is of the order 1e-2 a, for 1e-8
        run = solve_ivp(parts, (0, 50), first, events=over, rtol=1e-10, atol=1e-12)
        return -float(run.y[1, -1])

    return float(brentq(lambda a: leaves(a) - restitution, 0.0, 60.0, xtol=1e-10))


@dataclass(frozen=True, eq=False)
class Tsuji(OneComponent):
    """Contact force k s^(3/2) + a √(m k) s^(1/4) ṡ at the depth s, never pulling.

    stiffness k (N/m^1.5); restitution e (1e-3 to 1) of a body of the mass (kg) on
    something that does not move, the same at every speed.  weight (N): its weight by default;
    below a thousandth of the depth that it presses to, the damping is proportional to the depth.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Tsuji(1e7, restitution=0.5, mass=2.0)
    """

    stiffness: float
    restitution: float
    mass: float
    weight: float | None = None
    routine: ClassVar[Routine] = Routine(tsuji)

    def own(self, n: int, what: str) -> Own:
        k = self.number("stiffness", what, positive=True)
        m = self.number("mass", what, positive=True)
        e = self.number("restitution", what)
        if not LEAST <= e <= 1:
            raise ModelError(
                f"restitution of {what} must be between {LEAST:g} and 1, found {e:g}; for less use "
                "hard contact"
            )
        weight = self.weight
        weight = m * STANDARD if weight is None else self.number("weight", what, positive=True)
        return [k, tsuji_damping(e) * math.sqrt(m * k), NEAR * (weight / k) ** (2 / 3)]

    def corners(self) -> list[tuple[float, float]]:
        return [(0.0, 1.0)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2), restitution=0.4, mass=0.5, weight=1.0)


@dataclass(frozen=True, eq=False)
class HuntCrossley(OneComponent):
    """Contact force k sⁿ (1 + d ṡ) at the depth s, never pulling.

    stiffness k (N/mⁿ), exponent n; damping d (s/m), or in its place restitution (1e-3 to 1)
    of a body that arrives with `speed` (m/s).

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

    def corners(self) -> list[tuple[float, float]]:
        return [(0.0, 1.0)]

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
    if not LEAST <= e <= 1:
        raise ModelError(
            f"restitution of {what} must be between {LEAST:g} and 1, found {e:g}; for less use "
            "hard contact"
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

    def corners(self) -> list[tuple[float, float]]:
        return [(0.0, 1.0)]

    def between(self, radius: float | None) -> Hertz:
        """The law of two surfaces with this radius, where it was not given."""
        if self.radius is not None or radius is None:
            return self
        return Hertz(self.modulus, radius, self.damping, self.restitution, self.speed)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2), radius=0.5, damping=0.2)
