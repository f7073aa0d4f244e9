"""Fluids: density over pressure, viscosity, and the energy that a unit of mass carries.

    incompressible   ρ = ρ₀
    linear           ρ = ρ₀ (1 + (p − p₀)/β)
    exponential      ρ = ρ₀ exp((p − p₀)/β)
    with air         ρ = ρ₀ (1 + α)/(exp(−(p − p₀)/β) + α (p₀/p)^{1/n})
    super            ρ = ρ_v + ρ₀ (1 + tanh((p − p₀)/w))/2 + ρ₀ max(p − p₀, 0)/β

β is the bulk modulus, ρ₀ c² with the speed of sound c; α the volume of entrained air over that of
the liquid at p₀, n its polytropic exponent (Merritt: Hydraulic Control Systems, 1967, section 2.3).
A liquid that expands has ρ₀ (1 − α_T (T − T₀)) in the place of ρ₀.  With air the density vanishes
with the pressure, which therefore stays positive: below p₀/1000 the density goes on as an
exponential.  A "super" fluid is MBDyn's (input manual, hydraulic fluids; its ρ₀ before the last
fraction is missing there): a liquid above the saturation pressure p₀, a vapour of the density ρ_v
below, with a transition of the width w between them.

    h = ∫ dp/ρ     energy that flows with a unit of mass
    ρ h − p        energy of a unit of volume

With these two a circuit's energy is accounted for exactly: d/dt (V (ρ h − p)) + p V̇ = h d/dt (ρ V).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.record import record
from linkwork.model import checks

# the last integer of an element: what kind of fluid it has
INCOMPRESSIBLE, LINEAR, EXPONENTIAL, AERATED, SUPER = range(5)
# columns of an element's reals
RHO, REFERENCE, BETA, AIR, INDEX, MU, FLUID = record(
    rho=1, reference=1, beta=1, air=1, index=1, mu=1, fluid=0
)
VAPOUR, WIDTH = AIR, INDEX  # of a super fluid: the density ρ_v and the width w
POINTS, WEIGHTS = (tuple(float(x) for x in a) for a in np.polynomial.legendre.leggauss(12))
FLOOR = 1e-3  # of the reference pressure: below it air is no gas of this law any more


@inlined
def density(ints, reals, k, p):
    """ρ, ρ' and ρ'' at the pressure p."""
    kind, rho0, x = ints[k, ints.shape[1] - 1], reals[k, RHO], p - reals[k, REFERENCE]
    beta = reals[k, BETA]
    if kind == INCOMPRESSIBLE:
        return rho0, 0.0, 0.0
    if kind == LINEAR:
        return rho0 * (1.0 + x / beta), rho0 / beta, 0.0
    if kind == EXPONENTIAL:
        rho = rho0 * math.exp(x / beta)
        return rho, rho / beta, rho / (beta * beta)
    if kind == SUPER:
        w = reals[k, WIDTH]
        t = math.tanh(x / w)
        bell = 0.5 * rho0 * (1.0 - t * t) / w
        rho = reals[k, VAPOUR] + 0.5 * rho0 * (1.0 + t)
        if x > 0.0:
            return rho + rho0 * x / beta, bell + rho0 / beta, -2.0 * t * bell / w
        return rho, bell, -2.0 * t * bell / w
    p0, air, n = reals[k, REFERENCE], reals[k, AIR], reals[k, INDEX]
    floor = FLOOR * p0
    at = max(p, floor)
    liquid = math.exp(-(at - p0) / beta)
    gas = air * (p0 / at) ** (1.0 / n)
    v = liquid + gas
    v1 = -liquid / beta - gas / (n * at)
    v2 = liquid / (beta * beta) + gas * (1.0 + 1.0 / n) / (n * at * at)
    rho = rho0 * (1.0 + air) / v
    first = -rho * v1 / v
    second = rho * (2.0 * v1 * v1 / (v * v) - v2 / v)
    if p < floor:
        rate = first / rho
        rho = rho * math.exp(rate * (p - floor))
        return rho, rate * rho, rate * rate * rho
    return rho, first, second


@inlined
def super_energy(x, rho0, vapour, w, beta):
    """∫ dp/ρ of a super fluid from p₀ to p₀ + x.

    Below p₀ in closed form with u = exp(2 x/w); above it is that of the liquid, and a rest that
    vanishes like 1/u: by Gauss' formula over y = 1 − exp(−x/w), in which it is smooth.
    """
    full = vapour + rho0
    if x <= 0.0:
        u = math.exp(2.0 * x / w)
        rest = (1.0 / full - 1.0 / vapour) * math.log((vapour + full * u) / (vapour + full))
        return x / vapour + 0.5 * w * rest
    h = beta / rho0 * math.log1p(rho0 * x / (beta * full))
    half = -0.5 * math.expm1(-x / w)
    for i in range(12):
        left = 1.0 - half * (1.0 + POINTS[i])
        liquid = full - rho0 * w * math.log(left) / beta
        missing = rho0 * left * left / (1.0 + left * left)
        h += w * half * WEIGHTS[i] * missing / (left * liquid * (liquid - missing))
    return h


@inlined
def specific_energy(ints, reals, k, p):
    """h(p) = ∫ dp/ρ, zero at p = 0 (with air: p₀/ρ₀ at p₀; super: zero at p₀)."""
    kind, rho0 = ints[k, ints.shape[1] - 1], reals[k, RHO]
    p0, beta = reals[k, REFERENCE], reals[k, BETA]
    if kind == INCOMPRESSIBLE:
        return p / rho0
    if kind == LINEAR:
        return beta / rho0 * math.log1p(p / (beta - p0))
    if kind == EXPONENTIAL:
        return -beta / rho0 * math.exp(p0 / beta) * math.expm1(-p / beta)
    if kind == SUPER:
        return super_energy(p - p0, rho0, reals[k, VAPOUR], reals[k, WIDTH], beta)
    air, n = reals[k, AIR], reals[k, INDEX]
    floor = FLOOR * p0
    at = max(p, floor)
    liquid = -beta * math.expm1(-(at - p0) / beta)
    if n == 1.0:
        gas = air * p0 * math.log(at / p0)
    else:
        gas = air * p0 * n / (n - 1.0) * ((at / p0) ** (1.0 - 1.0 / n) - 1.0)
    h = p0 / rho0 + (liquid + gas) / (rho0 * (1.0 + air))
    if p < floor:
        rho, first, _ = density(ints, reals, k, floor)
        h -= math.expm1(-(p - floor) * first / rho) / first
    return h


@compiled
def fill_over(ints, reals, p, rho, slope, h):
    for i in range(p.size):
        rho[i], slope[i], _ = density(ints, reals, 0, p[i])
        h[i] = specific_energy(ints, reals, 0, p[i])


def over_time(
    integers: np.ndarray, reals: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ρ, ρ' and h of pressures (T,)."""
    p = np.ascontiguousarray(p, float)
    found = np.empty_like(p), np.empty_like(p), np.empty_like(p)
    fill_over(np.atleast_2d(integers), reals, p, *found)
    return found


@dataclass(frozen=True)
class Fluid:
    """A hydraulic fluid.

    density : kg/m³ at reference_pressure (Pa) and reference_temperature (K)
    bulk_modulus : Pa, or sound_speed (m/s); without both the fluid is incompressible
    viscosity : dynamic, Pa s
    law : "linear" or "exponential" density over pressure, or "super": a liquid above
          reference_pressure, which is then that of saturation, and a vapour below it
    transition : of a super fluid, the width (Pa) of the change between both
    vapour_density : of a super fluid (kg/m³); without it a thousandth of the density
    air : volume of entrained air over that of the liquid at the reference pressure, which must be
          positive then; polytropic its exponent.  Such a fluid cavitates: its pressure stays
          positive
    temperature : K, with expansion (1/K) the density changes with it
    vapour_pressure : Pa; lower pressures are refused

    Example
    -------
    >>> import linkwork as lw
    >>> oil = lw.hydraulics.Fluid(density=850, bulk_modulus=1.4e9, viscosity=0.03)
    >>> round(oil.speed_of_sound)
    1283
    """

    density: float
    bulk_modulus: float | None = None
    viscosity: float = 0.0
    sound_speed: float | None = None
    law: str = "linear"
    reference_pressure: float = 0.0
    air: float = 0.0
    polytropic: float = 1.4
    expansion: float = 0.0
    temperature: float = 293.15
    reference_temperature: float = 293.15
    vapour_pressure: float = 0.0
    transition: float = 1e4
    vapour_density: float | None = None
    kinds: ClassVar[dict[str, type[Fluid]]] = {}

    def __post_init__(self) -> None:
        def put(word: str, **limits: Any) -> None:
            given = checks.number(getattr(self, word), f"{word} of a Fluid", **limits)
            object.__setattr__(self, word, given)

        put("density", positive=True)
        for word in ("bulk_modulus", "sound_speed"):
            if getattr(self, word) is not None:
                put(word, positive=True)
        if self.bulk_modulus is not None and self.sound_speed is not None:
            raise ModelError(
                "a Fluid has bulk_modulus or sound_speed, bulk_modulus = density sound_speed², but "
                "both were given; leave out one of them"
            )
        checks.choice(self.law, "law of a Fluid", ("linear", "exponential", "super"))
        put("transition", positive=True)
        if self.vapour_density is not None:
            put("vapour_density", positive=True)
        for word in ("viscosity", "air", "temperature", "reference_temperature"):
            put(word, minimum=0)
        put("polytropic", minimum=1)
        for word in ("reference_pressure", "vapour_pressure", "expansion"):
            put(word)
        if self.air > 0 and (self.reference_pressure <= 0 or not self.compressible):
            raise ModelError(
                f"a Fluid with air={self.air:g} needs bulk_modulus and a positive "
                "reference_pressure, at which it has so much air; give both"
            )
        if self.law == "super" and (self.air > 0 or not self.compressible):
            raise ModelError(
                "a Fluid with law='super' needs bulk_modulus, and has no air beside its vapour; "
                "give bulk_modulus and leave out air"
            )
        if self.rho <= 0:
            raise ModelError(
                f"a Fluid of {self.density:g} kg/m³ that expands by {self.expansion:g}/K has no "
                f"density left at {self.temperature:g} K; correct expansion or temperature"
            )
        if self.compressible and self.reference_pressure >= self.beta:
            raise ModelError(
                f"reference_pressure of a Fluid must be below its bulk modulus, {self.beta:g} Pa, "
                f"but {self.reference_pressure:g} was given"
            )

    @property
    def rho(self) -> float:
        """Density at the reference pressure and its temperature (kg/m³)."""
        away = self.temperature - self.reference_temperature
        return float(self.density * (1 - self.expansion * away))

    @property
    def compressible(self) -> bool:
        return self.bulk_modulus is not None or self.sound_speed is not None

    @property
    def beta(self) -> float:
        """Bulk modulus of the liquid (Pa); infinite where it is incompressible."""
        if self.sound_speed is not None:
            return float(self.density * self.sound_speed**2)
        return math.inf if self.bulk_modulus is None else float(self.bulk_modulus)

    @property
    def speed_of_sound(self) -> float:
        """√(β/ρ) (m/s)."""
        return math.sqrt(self.beta / self.rho)

    @property
    def cavitates(self) -> bool:
        """Whether its pressure stays positive by itself."""
        return self.air > 0

    @property
    def kind(self) -> int:
        """The last integer of an element with this fluid."""
        if self.air > 0:
            return AERATED
        if not self.compressible:
            return INCOMPRESSIBLE
        return {"linear": LINEAR, "exponential": EXPONENTIAL, "super": SUPER}[self.law]

    def reals(self) -> np.ndarray:
        """The columns of an element's table that describe the fluid."""
        beta = self.beta if self.compressible else 1.0
        two = self.air, self.polytropic
        if self.kind == SUPER:
            vapour = self.vapour_density
            two = 1e-3 * self.rho if vapour is None else vapour, self.transition
        return np.array([self.rho, self.reference_pressure, beta, *two, self.viscosity])

    def density_at(self, pressure: Any) -> np.ndarray:
        """Density (kg/m³) at pressures (Pa)."""
        p = np.atleast_1d(np.asarray(pressure, float))
        return over_time(np.array([self.kind]), self.reals()[None, :], p)[0]

    def parameters(self) -> dict[str, Any]:
        """The fields that describe it, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


Fluid.kinds["Fluid"] = Fluid


def as_fluid(value: Any, what: str) -> Fluid:
    """A Fluid, or an error that says how to make one."""
    if not isinstance(value, Fluid):
        raise ModelError(
            f"fluid of {what} must be a Fluid, but {checks.show(value)} was given; write for "
            "example lw.hydraulics.Fluid(density=850, bulk_modulus=1.4e9, viscosity=0.03)"
        )
    return value
