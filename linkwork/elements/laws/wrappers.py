"""Laws made of laws.

    parallel      g = Σ g_k
    axial         g = n g₁(n·ε, n·ε̇) along a direction n
    time variant  g = a(t) g₁,   ∂W/∂t = a ∂W₁/∂t + ȧ W₁
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    ENERGY, KD, KE, LENGTH, LEVEL, LEVELS, OWN, RATE, SIZE, STORED, STRAIN, STRESS, SUPPLIED,
    WANTED, ConstitutiveLaw, Own, respond, vector,
)  # fmt: skip
from linkwork.elements.laws.linear import LinearViscoelastic
from linkwork.elements.laws.nonlinear import CubicElastic
from linkwork.errors import ModelError
from linkwork.math.compiled import inlined
from linkwork.math.pointers import Routine, shift
from linkwork.model import checks
from linkwork.model.drives import as_drive, sine


@inlined
def gather(y, z, n, c):
    """Add c times what a law of n components gave in z to y."""
    for i in range(n):
        y[STRESS + i] += c * z[STRESS + i]
        y[STORED + i] += c * z[STORED + i]
        for j in range(n):
            y[KE + 6 * i + j] += c * z[KE + 6 * i + j]
            y[KD + 6 * i + j] += c * z[KD + 6 * i + j]
    y[ENERGY] += c * z[ENERGY]
    y[SUPPLIED] += c * z[SUPPLIED]


@inlined
def hand_down(y, z, n):
    """Strain and rate for a law within."""
    for i in range(n):
        z[STRAIN + i] = y[STRAIN + i]
        z[RATE + i] = y[RATE + i]
    z[WANTED] = y[WANTED]


def parallel(t, p, y):
    """own: how many, then the numbers of each."""
    n, at, z = int(p[SIZE]), OWN + 1, shift(y, LEVEL)
    for _ in range(int(p[OWN])):
        inner = shift(p, at)
        hand_down(y, z, n)
        respond(t, inner, z)
        gather(y, z, n, 1.0)
        at += int(inner[LENGTH])


def time_variant(t, p, y):
    """own: a, ȧ, then the numbers of the law."""
    n, z = int(p[SIZE]), shift(y, LEVEL)
    y[WANTED] = 1.0  # the energy is part of the power
    hand_down(y, z, n)
    respond(t, shift(p, OWN + 2), z)
    gather(y, z, n, p[OWN])
    y[SUPPLIED] += p[OWN + 1] * z[ENERGY]


def axial(t, p, y):
    """own: the direction, then the numbers of the law."""
    n, z = int(p[SIZE]), shift(y, LEVEL)
    z[STRAIN] = 0.0
    z[RATE] = 0.0
    for i in range(n):
        z[STRAIN] += p[OWN + i] * y[STRAIN + i]
        z[RATE] += p[OWN + i] * y[RATE + i]
    z[WANTED] = y[WANTED]
    respond(t, shift(p, OWN + n), z)
    for i in range(n):
        y[STRESS + i] += p[OWN + i] * z[STRESS]
        y[STORED + i] += p[OWN + i] * z[STORED]
        for j in range(n):
            y[KE + 6 * i + j] += p[OWN + i] * p[OWN + j] * z[KE]
            y[KD + 6 * i + j] += p[OWN + i] * p[OWN + j] * z[KD]
    y[ENERGY] += z[ENERGY]
    y[SUPPLIED] += z[SUPPLIED]


class Wrapper(ConstitutiveLaw, abstract=True):
    """What laws made of laws share."""

    def inner(self, laws: Any, n: int, what: str) -> Own:
        """The numbers of the laws within."""
        out: Own = []
        for law in laws:
            if not isinstance(law, ConstitutiveLaw):
                raise ModelError(f"{what} needs laws, but {checks.show(law)} was given")
            if depth(law) >= LEVELS - 1:
                raise ModelError(f"{what} is nested too deeply; {LEVELS} laws in another are most")
            out += law.numbers(n, what)
        return out


def depth(law: Any) -> int:
    """How many laws are within one another."""
    within = [*getattr(law, "laws", ()), getattr(law, "law", None)]
    return 1 + max([depth(x) for x in within if isinstance(x, ConstitutiveLaw)], default=0)


@dataclass(frozen=True, eq=False)
class Parallel(Wrapper):
    """Several laws at once: their stresses add.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Parallel((lw.laws.LinearElastic(100.0), lw.laws.Turbulent(0.0, 2.0)))
    """

    laws: Any
    routine: ClassVar[Routine] = Routine(parallel)

    def own(self, n: int, what: str) -> Own:
        laws = tuple(self.laws) if isinstance(self.laws, (list, tuple)) else (self.laws,)
        return [float(len(laws)), *self.inner(laws, n, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for first in LinearViscoelastic.samples(rng, n):
            for second in CubicElastic.samples(rng, n):
                yield cls((first, cls((second, first))))


@dataclass(frozen=True, eq=False)
class TimeVariant(Wrapper):
    """A law whose stress is multiplied by a function of time."""

    law: Any
    factor: Any
    routine: ClassVar[Routine] = Routine(time_variant)

    def own(self, n: int, what: str) -> Own:
        a = as_drive(self.factor, what=f"factor of {what}")
        return [(a, 0), (a, 1), *self.inner([self.law], n, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in [*LinearViscoelastic.samples(rng, n), *CubicElastic.samples(rng, n)]:
            yield cls(law, 1 + sine(0.5, 0.2, 0.4))


@dataclass(frozen=True, eq=False)
class Axial(Wrapper):
    """A law of one component along a direction of three or six.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Axial((0, 0, 1), lw.laws.LinearViscoelastic(1e3, 5.0))
    """

    direction: Any
    law: Any
    routine: ClassVar[Routine] = Routine(axial)

    def own(self, n: int, what: str) -> Own:
        e, size = checks.unit(vector(self.direction, n, f"direction of {what}"))
        if size == 0:
            raise ModelError(f"direction of {what} must not be zero")
        return [*e.tolist(), *self.inner([self.law], 1, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in [*LinearViscoelastic.samples(rng, 1), *CubicElastic.samples(rng, 1)]:
            yield cls(rng.normal(size=n), law)
