"""Implicit methods for mechanisms: each is a row of numbers for the compiled step (stepping.py).

Index 3 with positions only, or `stabilized=True` with positions and velocities (GGL).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import ModelError
from linkwork.integrators.values import ALG, HISTORY, V, VDOT, VPREV, XPREV
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.model.written import Written


@dataclass(frozen=True)
class Coefficients:
    """v = cv x + kv·H, v̇ = ca x + ka·H, a = cα x + kα·H; weights has rows kv, ka, kα.

    error: the local position error is about `error` times h² (a₁ − a₀).
    """

    ca: float
    cv: float
    calpha: float
    weights: np.ndarray
    error: float

    @property
    def offset(self) -> float:
        """α_m − α_f: how many steps later than the motion the algorithmic acceleration is."""
        alpha_f = self.weights[1, VDOT] / (self.weights[1, VDOT] - 1.0)
        alpha_m = 1.0 - (1.0 - alpha_f) * self.ca / self.calpha if self.calpha else 0.0
        return alpha_m - alpha_f


@dataclass(frozen=True)
class FirstOrder:
    """The method for equations of first order: q̇ = c x + kv·H, a = cα x + kα·H (values.py).

    weights has rows kv, kα;   offset : how many steps later than the motion a is
    """

    c: float
    calpha: float
    weights: np.ndarray
    offset: float


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearMethod(Written):
    """An implicit method of the compiled step.

    A subclass gives `order` and `coefficients(h, previous)`, where previous is the step before or
    None in the first one; that is all.  tolerance: Newton's, relative to h² × acceleration.

    stabilized: False for positions alone in the constraints (index 3), with rates in body axes;
    True for positions and velocities, with momenta, which resolves fast rotation and takes about
    twice the time; None for a run that changes over by itself, when a body turns by more than
    0.02 rad in a step (and its axis or its centre of mass moves), or spins.
    """

    stabilized: bool | None = None
    tolerance: float = 1e-8
    max_iterations: int = 20

    def __post_init__(self) -> None:
        what = type(self).__name__
        if self.stabilized is not None:
            checks.flag(self.stabilized, f"stabilized of {what}")
        checks.number(self.tolerance, f"tolerance of {what}", positive=True)
        checks.count(self.max_iterations, f"max_iterations of {what}")

    @property
    def order(self) -> int:
        return 2

    @property
    def undamped(self) -> bool:
        """Whether no frequency is damped, so that index 3 is unstable."""
        return False

    @property
    def form(self) -> bool | None:
        """The form of the step: True for fast rotation, False for smooth motion, None for both."""
        return True if self.stabilized is None and self.undamped else self.stabilized

    def coefficients(self, h: float, previous: float | None) -> Coefficients:
        raise NotImplementedError

    def first_order(self, h: float, previous: float | None) -> FirstOrder:
        """The relation between value and rate of equations of first order."""
        raise ModelError(
            f"{type(self).__name__} has no formula for equations of first order, which scalar and "
            "vector nodes may have; give it first_order(h, previous), or use "
            "lw.GeneralizedAlpha()"
        )


def newmark_family(
    h: float, beta: float, gamma: float, alpha_m: float, alpha_f: float
) -> Coefficients:
    """Generalized-alpha (Chung, Hulbert 1993) on Lie groups (Brüls, Cardona, Arnold 2012).

        x = h v₀ + h² ((½ − β) a₀ + β a₁),   v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
        (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
    """
    k = np.zeros((3, HISTORY))
    calpha = 1 / (beta * h * h)
    k[2, V], k[2, ALG] = -1 / (beta * h), -(0.5 - beta) / beta
    k[0] = gamma * h * k[2]
    k[0, V] += 1.0
    k[0, ALG] += (1 - gamma) * h
    k[1] = (1 - alpha_m) / (1 - alpha_f) * k[2]
    k[1, ALG] += alpha_m / (1 - alpha_f)
    k[1, VDOT] -= alpha_f / (1 - alpha_f)
    ca = (1 - alpha_m) / (1 - alpha_f) * calpha
    return Coefficients(ca, gamma * h * calpha, calpha, k, abs(beta - 1 / 6) + 1e-3)


def first_order_family(h: float, gamma: float, alpha_m: float, alpha_f: float) -> FirstOrder:
    """Generalized-alpha for equations of first order (Jansen, Whiting, Hulbert 2000).

        x = h ((1 − γ) a₀ + γ a₁),   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) q̇₁ + α_f q̇₀

    Of second order where γ = ½ + α_f − α_m.
    """
    k = np.zeros((2, HISTORY))
    calpha = 1 / (gamma * h)
    k[1, ALG] = -(1 - gamma) / gamma
    k[0] = (1 - alpha_m) / (1 - alpha_f) * k[1]
    k[0, ALG] += alpha_m / (1 - alpha_f)
    k[0, V] -= alpha_f / (1 - alpha_f)
    return FirstOrder((1 - alpha_m) / (1 - alpha_f) * calpha, calpha, k, alpha_m - alpha_f)


@dataclass(frozen=True, repr=False)
class GeneralizedAlpha(LinearMethod):
    """Second order, damping of high frequencies set by `rho`, the spectral radius at infinity.

    rho = 1 keeps all energy (and has velocities in its constraints from the start, since index 3
    is unstable without damping), rho = 0 damps the unresolved frequencies in one step.
    """

    rho: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= checks.number(self.rho, "rho of GeneralizedAlpha") <= 1:
            raise ModelError(f"rho of GeneralizedAlpha must be between 0 and 1, found {self.rho}")

    @property
    def undamped(self) -> bool:
        return self.rho == 1

    def coefficients(self, h: float, previous: float | None) -> Coefficients:
        alpha_m = (2 * self.rho - 1) / (self.rho + 1)
        alpha_f = self.rho / (self.rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        return newmark_family(h, (gamma + 0.5) ** 2 / 4, gamma, alpha_m, alpha_f)

    def first_order(self, h: float, previous: float | None) -> FirstOrder:
        one = 1 + self.rho
        return first_order_family(h, 1 / one, (3 * self.rho - 1) / (2 * one), self.rho / one)


def default_method(model: Model) -> GeneralizedAlpha:
    """The method of a run that names none.

    A string that becomes taut and slack between two steps gives energy to motion that the step
    does not resolve, unless the method damps it at once.
    """
    return GeneralizedAlpha(rho=0.0) if slackens(model) else GeneralizedAlpha()


def slackens(model: Model) -> bool:
    """Whether a model has parts that become taut and slack."""
    return isinstance(model, Model) and any(item.slackens for item in model.items.values())


@dataclass(frozen=True, repr=False)
class HHT(LinearMethod):
    """Hilbert, Hughes and Taylor's method; alpha from 0 (no damping) to 1/3."""

    alpha: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= abs(checks.number(self.alpha, "alpha of HHT")) <= 1 / 3:
            raise ModelError(f"alpha of HHT must be between 0 and 1/3, found {self.alpha}")

    @property
    def undamped(self) -> bool:
        return self.alpha == 0

    def coefficients(self, h: float, previous: float | None) -> Coefficients:
        a = abs(self.alpha)
        return newmark_family(h, (1 + a) ** 2 / 4, 0.5 + a, 0.0, a)

    def first_order(self, h: float, previous: float | None) -> FirstOrder:
        return first_order_family(h, 0.5 + abs(self.alpha), 0.0, abs(self.alpha))


@dataclass(frozen=True, repr=False)
class Newmark(LinearMethod):
    """Newmark's method; gamma > 1/2 damps (first order), gamma = 1/2 is the trapezoidal rule.

    beta defaults to (gamma + 1/2)²/4.  gamma = 1/2 has velocities in its constraints from the
    start, since index 3 is unstable without damping.
    """

    gamma: float = 0.6
    beta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.5 <= checks.number(self.gamma, "gamma of Newmark") <= 1.5:
            raise ModelError(f"gamma of Newmark must be between 0.5 and 1.5, found {self.gamma}")
        if self.beta is not None and not 0 < checks.number(self.beta, "beta of Newmark") <= 1:
            raise ModelError(f"beta of Newmark must be between 0 and 1, found {self.beta}")

    @property
    def order(self) -> int:
        return 2 if self.gamma == 0.5 else 1

    @property
    def undamped(self) -> bool:
        return self.gamma == 0.5

    def coefficients(self, h: float, previous: float | None) -> Coefficients:
        beta = (self.gamma + 0.5) ** 2 / 4 if self.beta is None else self.beta
        return newmark_family(h, beta, self.gamma, 0.0, 0.0)

    def first_order(self, h: float, previous: float | None) -> FirstOrder:
        return first_order_family(h, self.gamma, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class BDF2(LinearMethod):
    """Backward differences of order two, in the chart q₀ exp(·) around the last position.

        h v₁ = (1+2ω)/(1+ω) x − ω²/(1+ω) x_before,   ω = h / h_before,   and v̇ from v alike.

    The first step is one of generalized-alpha with rho = 0.
    """

    def coefficients(self, h: float, previous: float | None) -> Coefficients:
        if previous is None:
            return GeneralizedAlpha(rho=0.0).coefficients(h, None)
        w = h / previous
        c1, c0, cm = (1 + 2 * w) / (1 + w), -(1 + w), w * w / (1 + w)
        k = np.zeros((3, HISTORY))
        k[0, XPREV] = -cm / h
        k[1] = c1 / h * k[0]
        k[1, V] += c0 / h
        k[1, VPREV] += cm / h
        ca = (c1 / h) ** 2
        k[2] = k[1]  # the algorithmic acceleration is the acceleration
        return Coefficients(ca, c1 / h, ca, k, 0.5)

    def first_order(self, h: float, previous: float | None) -> FirstOrder:
        if previous is None:
            return GeneralizedAlpha(rho=0.0).first_order(h, None)
        w = h / previous
        c, k = (1 + 2 * w) / (1 + w), np.zeros((2, HISTORY))
        k[:, XPREV] = -w * w / (1 + w) / h
        return FirstOrder(c / h, c / h, k, 0.0)
