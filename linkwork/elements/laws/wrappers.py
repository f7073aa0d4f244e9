"""Laws made of laws.

    parallel      g = Σ g_k
    axial         g = n g₁(n·ε, n·ε̇) along a direction n
    time variant  g = a(t) g₁,   ∂W/∂t = a ∂W₁/∂t + ȧ W₁
    bistop        the same with a = 1 or 0, switched on and off by conditions
    intermediate  g = T g₁(ε, Tᵀ ε̇),  T = exp(ξ ε̃): axes turned by a part ξ of the rotation ε;
                  δg = T (K₁ δε + D₁ Tᵀ(ε̇ × τ) + D₁ Tᵀ δε̇) + τ × g,  τ = T Γ(ξ ε) ξ δε,
                  Γ the tangent of kernels.rotations.  W = W₁, whose gradient is not turned
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    BEYOND, COMPONENTS, ENERGY, FURTHER, INTEGERS, KD, KE, LEVEL, LEVELS, OWN, OWN_INTEGERS, RATE,
    REALS, STORED, STRAIN, STRESS, SUPPLIED, WANTED, Code, ConstitutiveLaw, Own, respond, vector,
)  # fmt: skip
from linkwork.elements.laws.linear import LinearViscoelastic
from linkwork.elements.laws.nonlinear import CubicElastic
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import Routine, shift
from linkwork.kernels.rotations import qexp, rotation_matrix, tangent_times
from linkwork.kernels.vectors import add, cross, mv, scale, tv
from linkwork.model import checks
from linkwork.model.drives import Switch, as_drive, expression, formula, sine
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.given import DriveLike, VectorLike


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
    if c != 0.0:
        y[BEYOND] = 3.0 * y[BEYOND] + z[BEYOND]  # 0, 1 or 2 of each law within
        y[FURTHER] = max(y[FURTHER], z[FURTHER])


@inlined
def hand_down(y, z, n):
    """Strain and rate for a law within."""
    for i in range(n):
        z[STRAIN + i] = y[STRAIN + i]
        z[RATE + i] = y[RATE + i]
    z[WANTED] = y[WANTED]


def parallel(t, p, y, q):
    """own: how many, then the numbers of each."""
    n, at, place, z = q[COMPONENTS], OWN, OWN_INTEGERS + 1, shift(y, LEVEL)
    for _ in range(q[OWN_INTEGERS]):
        inner = shift(q, place)
        hand_down(y, z, n)
        respond(t, shift(p, at), z, inner)
        gather(y, z, n, 1.0)
        at += inner[REALS]
        place += inner[INTEGERS]


def time_variant(t, p, y, q):
    """own: a, ȧ, then the numbers of the law."""
    n, z = q[COMPONENTS], shift(y, LEVEL)
    y[WANTED] = 1.0  # the energy is part of the power
    hand_down(y, z, n)
    respond(t, shift(p, OWN + 2), z, shift(q, OWN_INTEGERS))
    gather(y, z, n, p[OWN])
    y[SUPPLIED] += p[OWN + 1] * z[ENERGY]


def axial(t, p, y, q):
    """own: the direction, then the numbers of the law."""
    n, z = q[COMPONENTS], shift(y, LEVEL)
    z[STRAIN] = 0.0
    z[RATE] = 0.0
    for i in range(n):
        z[STRAIN] += p[OWN + i] * y[STRAIN + i]
        z[RATE] += p[OWN + i] * y[RATE + i]
    z[WANTED] = y[WANTED]
    respond(t, shift(p, OWN + n), z, shift(q, OWN_INTEGERS))
    for i in range(n):
        y[STRESS + i] += p[OWN + i] * z[STRESS]
        y[STORED + i] += p[OWN + i] * z[STORED]
        for j in range(n):
            y[KE + 6 * i + j] += p[OWN + i] * p[OWN + j] * z[KE]
            y[KD + 6 * i + j] += p[OWN + i] * p[OWN + j] * z[KD]
    y[ENERGY] += z[ENERGY]
    y[SUPPLIED] += z[SUPPLIED]


@inlined
def at9_of(z, c):
    """The 3×3 matrix at c, whose rows are six numbers apart."""
    return (
        z[c], z[c + 1], z[c + 2], z[c + 6], z[c + 7], z[c + 8], z[c + 12], z[c + 13], z[c + 14],
    )  # fmt: skip


def intermediate(t, p, y, q):
    """own: ξ, then the numbers of the law."""
    z, xi = shift(y, LEVEL), p[OWN]
    e = (y[STRAIN], y[STRAIN + 1], y[STRAIN + 2])
    rate = (y[RATE], y[RATE + 1], y[RATE + 2])
    T = rotation_matrix(qexp(scale(xi, e)))
    hand_down(y, z, 3)
    z[RATE], z[RATE + 1], z[RATE + 2] = tv(T, rate)
    respond(t, shift(p, OWN + 1), z, shift(q, OWN_INTEGERS))
    g = mv(T, (z[STRESS], z[STRESS + 1], z[STRESS + 2]))
    for i in range(3):
        y[STRESS + i] += g[i]
        y[STORED + i] += z[STORED + i]
    for j in range(3):
        d = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        turn = mv(T, tangent_times(scale(xi, e), scale(xi, d)))
        spun = tv(T, cross(rate, turn))
        column = add(
            (z[KE + j], z[KE + 6 + j], z[KE + 12 + j]), mv(at9_of(z, KD), spun)
        )
        column = add(mv(T, column), cross(turn, g))
        viscous = mv(T, mv(at9_of(z, KD), tv(T, d)))
        for i in range(3):
            y[KE + 6 * i + j] += column[i]
            y[KD + 6 * i + j] += viscous[i]
    y[ENERGY] += z[ENERGY]
    y[SUPPLIED] += z[SUPPLIED]


class Wrapper(ConstitutiveLaw, abstract=True):
    """What laws made of laws share."""

    leading: ClassVar[int | None] = 2  # a factor and its rate, or numbers

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

    def corners(self) -> list[tuple[float, float]]:
        """Those of the laws within, where their pre-strains leave them."""
        within = getattr(self, "laws", None) or self.law  # type: ignore[attr-defined]
        laws = within if isinstance(within, (list, tuple)) else [within]
        return [
            (at + at_start(law.prestrain), side) for law in laws for at, side in law.corners()
        ]


def at_start(prestrain: Any) -> float:
    """One pre-strain at t = 0; 0 where it follows the motion."""
    if prestrain is None:
        return 0.0
    drive = as_drive(np.ravel(prestrain)[0], what="prestrain", follows=True)
    return 0.0 if leaves_that_follow(drive) else float(drive.values(np.zeros(1))[0])


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

    laws: ConstitutiveLaw | Sequence[ConstitutiveLaw]
    routine: ClassVar[Routine] = Routine(parallel)

    def own(self, n: int, what: str) -> Own:
        laws = tuple(self.laws) if isinstance(self.laws, (list, tuple)) else (self.laws,)
        return [Code(len(laws)), *self.inner(laws, n, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for first in LinearViscoelastic.samples(rng, n):
            for second in CubicElastic.samples(rng, n):
                yield cls((first, cls((second, first))))


TIME_VARIANT = Routine(time_variant)


@dataclass(frozen=True, eq=False)
class TimeVariant(Wrapper):
    """A law whose stress is multiplied by a function of time.

    Where that jumps, as a comparison does, its work counts as dissipated, negative where it gives
    back, since the energy that it holds would jump too.
    """

    law: ConstitutiveLaw
    factor: DriveLike
    routine: ClassVar[Routine] = TIME_VARIANT

    def own(self, n: int, what: str) -> Own:
        a = as_drive(self.factor, what=f"factor of {what}")
        return [(a, 0), (a, 1), *self.inner([self.law], n, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in [*LinearViscoelastic.samples(rng, n), *CubicElastic.samples(rng, n)]:
            yield cls(law, 1 + sine(0.5, 0.2, 0.4))


@dataclass(frozen=True, eq=False)
class Bistop(Wrapper):
    """A law that acts while it is switched on, else gives nothing.

    It switches at time steps: on at the first where `on` is not zero and `off` is zero, then off at
    the first where `off` is not zero, and so on; on and off are functions of time, or follow the
    motion (lw.reads) and then switch it behind that step; step is the time step and start the
    initial time of the run, active whether it acts at first.  Its work counts as dissipated,
    negative where it gives back, since what a spring holds comes and goes with the switch.

    Example
    -------
    >>> import linkwork as lw
    >>> latch = lw.laws.Bistop(
    ...     lw.laws.LinearElastic(1e3), on=lw.expression("t > 1"), off=lw.expression("t > 2"),
    ...     step=1e-3)
    """

    law: ConstitutiveLaw
    on: DriveLike
    off: DriveLike
    step: float
    start: float = 0.0
    active: bool = False
    routine: ClassVar[Routine] = TIME_VARIANT

    def own(self, n: int, what: str) -> Own:
        on, off = (
            as_drive(getattr(self, w), what=f"{w} of {what}", follows=True) for w in ("on", "off")
        )
        step = checks.number(self.step, f"step of {what}", positive=True)
        start = checks.number(self.start, f"start of {what}")
        active = checks.flag(self.active, f"active of {what}")
        on = formula("(on != 0) and (off == 0)", on=on, off=off)
        return [(Switch(on, off, step, start, active), 0), 0.0, *self.inner([self.law], n, what)]

    def switches(self, numbers: Own) -> bool:
        return True

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in LinearViscoelastic.samples(rng, n):
            for active in (True, False):
                yield cls(law, expression("t > 0.25"), expression("t < 0"), 0.07, active=active)


@dataclass(frozen=True, eq=False)
class InvariantAngular(Wrapper):
    """A law of a relative rotation in axes turned by a part of that rotation.

    fraction 0 are the axes of the first body, 1 those of the second, 1/2 half-way between both;
    any other is possible.  For deformable hinges of the form "attached" with conservative=False
    (MBDyn's law `invariant angular`): with 1/2 they are those of the form "invariant".

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.InvariantAngular(0.5, lw.laws.LinearElastic((10, 20, 50)))
    """

    fraction: float
    law: ConstitutiveLaw
    routine: ClassVar[Routine] = Routine(intermediate)
    sizes: ClassVar[tuple[int, ...]] = (3,)

    def own(self, n: int, what: str) -> Own:
        xi = checks.number(self.fraction, f"fraction of {what}")
        return [xi, *self.inner([self.law], 3, what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in [*LinearViscoelastic.samples(rng, 3), *CubicElastic.samples(rng, 3)]:
            for xi in (0.5, 1.0, -0.3):
                yield cls(xi, law)


@dataclass(frozen=True, eq=False)
class Axial(Wrapper):
    """A law of one component along a direction of three or six.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Axial((0, 0, 1), lw.laws.LinearViscoelastic(1e3, 5.0))
    """

    direction: VectorLike
    law: ConstitutiveLaw
    routine: ClassVar[Routine] = Routine(axial)

    def own(self, n: int, what: str) -> Own:
        e, size = checks.unit(vector(self.direction, n, f"direction of {what}"))
        if size == 0:
            raise ModelError(f"direction of {what} must not be zero")
        return [*e.tolist(), *self.inner([self.law], 1, what)]

    def corners(self) -> list[tuple[float, float]]:
        return []  # of several components

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for law in [*LinearViscoelastic.samples(rng, 1), *CubicElastic.samples(rng, 1)]:
            yield cls(rng.normal(size=n), law)
