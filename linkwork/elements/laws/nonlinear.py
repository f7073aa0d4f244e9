"""Nonlinear laws in closed form.

Component by component, s = ε_i, r = ε̇_i:
    cubic           g = k₁ s + k₂ |s| s + k₃ s³            and D ε̇ with a matrix D
    logarithmic     g = k log(1 + s)
    inverse square  g = k / (L (1 + s))²
    double linear   g = k₁ s within lower … upper, going on with slope k₂ (k₃) above (below);
                    viscosity d₁ r within and d₂ r outside; in three components the third alone
                    has the second slope
    turbulent       g = k s + d r, d = d_p |r| beyond the threshold and d_l below
    stop            g = k p^n (1 + d ṗ) where that is positive, else 0; p > 0 is how far s is above
                    upper, or −g alike below lower (Hunt and Crossley 1975); W = k p^(n+1)/(n+1)
All components:
    hardening       g = k (β + α ε·ε)/(1 + α ε·ε) ε,   α = 3/ε_r², β = k_l/k
                    W = k/2 (ε·ε + (β − 1) log(1 + α ε·ε)/α)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    COMPONENTS, ENERGY, KD, KE, OWN, RATE, STORED, STRAIN, STRESS, ConstitutiveLaw, Own, matrix,
    pass_corner, vector,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import Routine
from linkwork.model import checks
from linkwork.model.given import CoefficientLike, VectorLike

STIFFER = 4.0  # a second slope over the first that counts as a corner


@inlined
def put(y, i, g, slope, energy):
    """An elastic component with its slope and its energy."""
    y[STRESS + i] += g
    y[STORED + i] += g
    y[KE + 7 * i] += slope
    y[ENERGY] += energy


@inlined
def put_viscous(y, i, g, slope):
    y[STRESS + i] += g
    y[KD + 7 * i] += slope


def cubic(t, p, y, q):
    n = q[COMPONENTS]
    for i in range(n):
        k1, k2, k3, s = p[OWN + i], p[OWN + n + i], p[OWN + 2 * n + i], y[STRAIN + i]
        size = abs(s)
        put(y, i, s * (k1 + size * (k2 + size * k3)), k1 + size * (2.0 * k2 + 3.0 * size * k3),
            s * s * (k1 / 2.0 + size * (k2 / 3.0 + size * k3 / 4.0)))  # fmt: skip
        for j in range(n):
            d = p[OWN + 3 * n + n * i + j]
            y[STRESS + i] += d * y[RATE + j]
            y[KD + 6 * i + j] += d


def logarithmic(t, p, y):
    k, s = p[OWN], 1.0 + y[STRAIN]
    g = math.log(s) if s > 0.0 else math.nan
    put(y, 0, k * g, k / s, k * (s * g - y[STRAIN]))


def inverse_square(t, p, y):
    k, s = p[OWN], 1.0 + y[STRAIN]
    put(y, 0, k / (s * s), -2.0 * k / (s * s * s), k - k / s)


def double_linear(t, p, y, q):
    """own: k₁, upper, lower, k₂ above, k₃ below, d₁, d₂."""
    n = q[COMPONENTS]
    for i in range(n):
        k, s, r, d = p[OWN], y[STRAIN + i], y[RATE + i], p[OWN + 5]
        beyond, slope = 0.0, k
        if i == n - 1:
            if s > p[OWN + 1]:
                beyond, slope = s - p[OWN + 1], p[OWN + 3]
                pass_corner(y, 1.0, r)
            elif s < p[OWN + 2]:
                beyond, slope = s - p[OWN + 2], p[OWN + 4]
                pass_corner(y, 2.0, -r)
            if beyond != 0.0:
                d = p[OWN + 6]
        more = (slope - k) * beyond
        put(y, i, k * s + more, slope, 0.5 * (k * s * s + more * beyond))
        put_viscous(y, i, d * r, d)


def turbulent(t, p, y):
    """own: k, d_p, threshold, d_l."""
    k, s, r = p[OWN], y[STRAIN], y[RATE]
    put(y, 0, k * s, k, 0.5 * k * s * s)
    if abs(r) > p[OWN + 2]:
        put_viscous(y, 0, p[OWN + 1] * abs(r) * r, 2.0 * p[OWN + 1] * abs(r))
    else:
        put_viscous(y, 0, p[OWN + 3] * r, p[OWN + 3])


def stop(t, p, y):
    """own: lower, upper, k, d, n."""
    s, r, sign = y[STRAIN], y[RATE], 0.0
    deep = 0.0
    if s > p[OWN + 1]:
        deep, sign = s - p[OWN + 1], 1.0
    elif s < p[OWN]:
        deep, sign = p[OWN] - s, -1.0
    if deep > 0.0:
        pass_corner(y, 1.5 - 0.5 * sign, sign * r)
        k, d, n = p[OWN + 2], p[OWN + 3], p[OWN + 4]
        elastic = k * deep**n
        slope = n * elastic / deep
        put(y, 0, sign * elastic, slope, elastic * deep / (n + 1.0))
        factor = d * sign * r
        if factor > -1.0:
            y[STRESS] += sign * elastic * factor
            y[KE] += slope * factor
            y[KD] += elastic * d
        else:  # it does not pull back
            y[STRESS] -= sign * elastic
            y[KE] -= slope


def hardening(t, p, y, q):
    """own: k, α, β."""
    n, k, alpha, beta = q[COMPONENTS], p[OWN], p[OWN + 1], p[OWN + 2]
    square = 0.0
    for i in range(n):
        square += y[STRAIN + i] * y[STRAIN + i]
    below = 1.0 + alpha * square
    secant = k * (beta + alpha * square) / below
    change = 2.0 * k * alpha * (1.0 - beta) / (below * below)
    for i in range(n):
        put(y, i, secant * y[STRAIN + i], secant, 0.0)
        for j in range(n):
            y[KE + 6 * i + j] += change * y[STRAIN + i] * y[STRAIN + j]
    y[ENERGY] += 0.5 * k * (square + (beta - 1.0) * math.log1p(alpha * square) / alpha)


@dataclass(frozen=True, eq=False)
class CubicElastic(ConstitutiveLaw):
    """σ = k₁ ε + k₂ |ε| ε + k₃ ε³ + D ε̇, component by component but for D."""

    first: float | VectorLike
    second: float | VectorLike
    third: float | VectorLike
    viscosity: CoefficientLike = 0.0
    routine: ClassVar[Routine] = Routine(cubic)

    def own(self, n: int, what: str) -> Own:
        k = [vector(getattr(self, w), n, f"{w} of {what}") for w in ("first", "second", "third")]
        D = matrix(self.viscosity, n, f"viscosity of {what}")
        return [*np.concatenate([*k, D.ravel()]).tolist()]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        k = rng.normal(size=(3, n))
        yield cls(k[0], k[1], k[2], viscosity=rng.normal(size=(n, n)))


class OneComponent(ConstitutiveLaw, abstract=True):
    """What laws of one component share."""

    sizes: ClassVar[tuple[int, ...]] = (1,)

    def number(self, word: str, what: str, **limits: Any) -> float:
        return checks.number(getattr(self, word), f"{word} of {what}", **limits)


@dataclass(frozen=True, eq=False)
class LogElastic(OneComponent):
    """σ = k log(1 + ε)."""

    stiffness: float
    routine: ClassVar[Routine] = Routine(logarithmic)

    def own(self, n: int, what: str) -> Own:
        return [self.number("stiffness", what)]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2))


@dataclass(frozen=True, eq=False)
class InverseSquare(OneComponent):
    """σ = k / (L (1 + ε))², as of two charges at the distance L (1 + ε)."""

    stiffness: float
    length: float
    routine: ClassVar[Routine] = Routine(inverse_square)

    def own(self, n: int, what: str) -> Own:
        return [self.number("stiffness", what) / self.number("length", what, positive=True) ** 2]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2), rng.uniform(1, 2))


@dataclass(frozen=True, eq=False)
class DoubleLinear(ConstitutiveLaw):
    """A second slope beyond a range of strain, and there another viscosity.

    σ = k₁ ε within lower … upper; beyond it goes on with slope k₂ (`second`), below `lower` with
    `third` where that is given.  In three components the third alone has two slopes.
    """

    stiffness: float
    upper: float
    lower: float
    second: float
    third: float | None = None
    viscosity: float = 0.0
    second_viscosity: float | None = None
    routine: ClassVar[Routine] = Routine(double_linear)
    sizes: ClassVar[tuple[int, ...]] = (1, 3)

    def own(self, n: int, what: str) -> Own:
        words = ("stiffness", "upper", "lower", "second", "third", "viscosity", "second_viscosity")
        given = {w: getattr(self, w) for w in words}
        if given["third"] is None:
            given["third"] = given["second"]
        if given["second_viscosity"] is None:
            given["second_viscosity"] = given["viscosity"]
        numbers: Own = [checks.number(v, f"{w} of {what}") for w, v in given.items()]
        if not numbers[2] <= 0 <= numbers[1]:  # type: ignore[operator]
            raise ModelError(
                f"lower and upper of {what} must lie on both sides of zero, but {self.lower!r} and "
                f"{self.upper!r} were given"
            )
        return numbers

    def corners(self) -> list[tuple[float, float]]:
        k, upper, lower, above, below, d, beyond = self.own(1, self.label)
        damps = beyond > STIFFER * d  # type: ignore[operator]
        found = [(upper, 1.0, above), (lower, -1.0, below)]
        return [(at, side) for at, side, slope in found if damps or slope > STIFFER * k]  # type: ignore

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for bound in (0.1, 3.0):  # a corner met by a difference is not likely
            k = rng.uniform(1, 2, 5)
            yield cls(k[0], bound, -bound, k[1], k[2], viscosity=k[3], second_viscosity=k[4])


@dataclass(frozen=True, eq=False)
class Turbulent(OneComponent):
    """σ = k ε + d ε̇ with d = parabolic |ε̇| where |ε̇| is above the threshold, else `linear`.

    Without `linear` the force is continuous: linear = parabolic × threshold.
    """

    stiffness: float
    parabolic: float
    threshold: float = 0.0
    linear: float | None = None
    routine: ClassVar[Routine] = Routine(turbulent)

    def own(self, n: int, what: str) -> Own:
        p, limit = self.number("parabolic", what), self.number("threshold", what, minimum=0)
        d = p * limit if self.linear is None else self.number("linear", what)
        return [self.number("stiffness", what), p, limit, d]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for threshold in (0.0, 0.1, 3.0):
            yield cls(rng.uniform(1, 2), rng.uniform(1, 2), threshold)


@dataclass(frozen=True, eq=False)
class Stop(OneComponent):
    """Nothing between lower and upper; beyond, a one-sided spring and damper.

    σ = stiffness pⁿ (1 + damping ṗ) at the penetration p, never pulling: with n = exponent = 1.5
    smooth enough for Newton's method, with damping (s/m) a restitution below one that depends on
    the speed.  Either limit may be None.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Stop(-0.5, 0.5, stiffness=1e5, damping=0.2)
    """

    lower: float | None
    upper: float | None
    stiffness: float
    damping: float = 0.0
    exponent: float = 1.5
    routine: ClassVar[Routine] = Routine(stop)

    def own(self, n: int, what: str) -> Own:
        low = -math.inf if self.lower is None else self.number("lower", what)
        high = math.inf if self.upper is None else self.number("upper", what)
        if low >= high:
            raise ModelError(
                f"lower of {what} must be below upper, but {low:g} and {high:g} were given"
            )
        far = 1e300  # entries hold finite numbers
        return [
            max(low, -far), min(high, far), self.number("stiffness", what, minimum=0),
            self.number("damping", what, minimum=0), self.number("exponent", what, minimum=1),
        ]  # fmt: skip

    def corners(self) -> list[tuple[float, float]]:
        found = [(self.upper, 1.0), (self.lower, -1.0)]
        return [(float(at), side) for at, side in found if at is not None]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        for low, high in ((-0.01, 0.01), (None, -0.9), (0.9, None), (-3, 3)):
            yield cls(low, high, rng.uniform(1, 2), damping=0.3)
        yield cls(-0.01, 0.01, 2.0, damping=50.0, exponent=1.0)


@dataclass(frozen=True, eq=False)
class IsotropicHardening(ConstitutiveLaw):
    """σ = k (β + α ε·ε)/(1 + α ε·ε) ε: slope `linear` at rest, `stiffness` at large strain.

    α = 3/reference², β = linear/stiffness.
    """

    stiffness: float
    reference: float
    linear: float = 0.0
    routine: ClassVar[Routine] = Routine(hardening)

    def own(self, n: int, what: str) -> Own:
        k = checks.number(self.stiffness, f"stiffness of {what}", positive=True)
        reference = checks.number(self.reference, f"reference of {what}", positive=True)
        return [k, 3 / reference**2, checks.number(self.linear, f"linear of {what}") / k]

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(*rng.uniform(1, 2, 3))
