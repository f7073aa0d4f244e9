"""Linear laws, with matrices that may be scaled in time.

    g = a(t) K ε + b(t) D ε̇,   and in six components  g₄ += c ε₁ ε₄

The stored part is a K_s ε with the symmetric part K_s of K, W = a/2 εᵀ K_s ε, ∂W/∂t = ȧ/a W.
c couples axial strain and torsional stiffness of beams; as an extra torque alone it stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    COMPONENTS, ENERGY, KD, KE, OWN, RATE, STORED, STRAIN, STRESS, SUPPLIED, ConstitutiveLaw, Own,
    matrix,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.memory.pointers import Routine
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive, sine
from linkwork.model.given import CoefficientLike, DriveLike

# own numbers: a, ȧ, b, c, then K and D
SCALE, SCALE_RATE, SCALE_D, COUPLING, MATRICES = record(
    OWN, scale=1, scale_rate=1, scale_d=1, coupling=1, matrices=0
)


def linear(t, p, y, q):
    n = q[COMPONENTS]
    a, b = p[SCALE], p[SCALE_D]
    for i in range(n):
        for j in range(n):
            k = p[MATRICES + n * i + j]
            symmetric = 0.5 * (k + p[MATRICES + n * j + i])
            d = b * p[MATRICES + n * n + n * i + j]
            y[KE + 6 * i + j] = a * k
            y[KD + 6 * i + j] = d
            y[STRESS + i] += a * k * y[STRAIN + j] + d * y[RATE + j]
            y[STORED + i] += a * symmetric * y[STRAIN + j]
            work = 0.5 * y[STRAIN + i] * symmetric * y[STRAIN + j]
            y[ENERGY] += a * work
            y[SUPPLIED] += p[SCALE_RATE] * work
    if n == 6:
        c = p[COUPLING]
        y[STRESS + 3] += c * y[STRAIN] * y[STRAIN + 3]
        y[KE + 18] += c * y[STRAIN + 3]
        y[KE + 21] += c * y[STRAIN]


LINEAR = Routine(linear)


def linear_numbers(n: int, what: str, K: Any, D: Any, a: Any = 1, b: Any = 1, c: float = 0) -> Own:
    a, b = as_drive(a, what=f"stiffness_scale of {what}"), as_drive(b, f"viscosity_scale of {what}")
    K, D = matrix(K, n, f"stiffness of {what}"), matrix(D, n, f"viscosity of {what}")
    return [(a, 0), (a, 1), (b, 0), c, *K.ravel().tolist(), *D.ravel().tolist()]


@dataclass(frozen=True, eq=False)
class LinearElastic(ConstitutiveLaw):
    """σ = K ε: stiffness is one number (isotropic), one per component, or a matrix.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.LinearElastic([1e5, 1e5, 2e5], prestress=(0, 0, -50))
    """

    stiffness: CoefficientLike
    routine: ClassVar[Routine] = LINEAR

    def own(self, n: int, what: str) -> Own:
        return linear_numbers(n, what, self.stiffness, 0.0)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2))
        yield cls(rng.uniform(1, 2, n), prestress=rng.normal(size=n), prestrain=rng.normal(size=n))
        yield cls(rng.normal(size=(n, n)))


@dataclass(frozen=True, eq=False)
class LinearViscous(ConstitutiveLaw):
    """σ = D ε̇: viscosity is one number, one per component, or a matrix."""

    viscosity: CoefficientLike
    routine: ClassVar[Routine] = LINEAR

    def own(self, n: int, what: str) -> Own:
        return linear_numbers(n, what, 0.0, self.viscosity)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.uniform(1, 2, n))
        yield cls(rng.normal(size=(n, n)))


@dataclass(frozen=True, eq=False)
class LinearViscoelastic(ConstitutiveLaw):
    """σ = a(t) K ε + b(t) D ε̇, the scales a and b functions of time (1 if not given).

    proportional gives D = factor K in place of `viscosity`.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.LinearViscoelastic(1e4, 20.0, stiffness_scale=1 + lw.sine(0.1, 2))
    """

    stiffness: CoefficientLike
    viscosity: CoefficientLike | None = None
    proportional: float | None = None
    stiffness_scale: DriveLike = 1.0
    viscosity_scale: DriveLike = 1.0
    routine: ClassVar[Routine] = LINEAR

    def own(self, n: int, what: str) -> Own:
        if (self.viscosity is None) == (self.proportional is None):
            raise ModelError(f"{what} needs viscosity or proportional, and not both")
        D = self.viscosity
        if D is None:
            factor = checks.number(self.proportional, f"proportional of {what}")
            D = factor * matrix(self.stiffness, n, f"stiffness of {what}")
        a, b = self.stiffness_scale, self.viscosity_scale
        return linear_numbers(n, what, self.stiffness, D, a, b)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.normal(size=(n, n)), rng.normal(size=(n, n)), prestrain=rng.normal(size=n))
        yield cls(
            rng.uniform(1, 2, n), proportional=0.3, stiffness_scale=1 + sine(0.3, 0.2, 0.5),
            viscosity_scale=sine(1, 0.3), prestrain=[sine(0.3, 0.4, 0.2)] * n,
            prestress=[sine(0.7, 0.1, 0.3)] * n,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class AxialTorsion(ConstitutiveLaw):
    """σ = K ε + D ε̇ in six components, the torsional stiffness K₄₄ growing by coupling ε₁."""

    stiffness: CoefficientLike
    coupling: float
    viscosity: CoefficientLike = 0.0
    routine: ClassVar[Routine] = LINEAR
    sizes: ClassVar[tuple[int, ...]] = (6,)

    def own(self, n: int, what: str) -> Own:
        c = checks.number(self.coupling, f"coupling of {what}")
        return linear_numbers(n, what, self.stiffness, self.viscosity, c=c)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        yield cls(rng.normal(size=(n, n)), rng.normal(), rng.normal(size=(n, n)))
