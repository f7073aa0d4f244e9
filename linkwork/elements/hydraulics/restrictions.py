"""Restrictions: turbulent flow through short passages, linear near zero.

    q = a G √ρ y(Δp),     y = Δp/(Δp² + δ²)^¼,     Δp = p₁ − p₂,     ρ at the mean pressure

Far from zero that is q = a G √(ρ |Δp|) with the sign of Δp:

    orifice      G = √2 C_d A     A area of the opening, C_d discharge coefficient, 0.611 for sharp
                                  edges (Merritt: Hydraulic Control Systems, 1967, section 3.2)
    minor loss   G = √2 A/√k      Δp = k ρ v²/2, with k of its own for either direction

δ is the pressure drop at which the Reynolds number has its critical value: there the flow changes
from laminar to turbulent.  Where k differs, δ is such that both sides have the same slope at zero.
A relief or check valve opens with the pressure drop itself,

    a = S((Δp − p_c)/(p_f − p_c))          S(x) = x² (3 − 2 x) in 0 … 1, p_c crack, p_f full opening
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, RHO, density, specific_energy
from linkwork.elements.hydraulics.ports import (
    FLOW, MASS_FLOW, POWER, Port, ports, sample_ports,
)  # fmt: skip
from linkwork.elements.layout import BY_VALUE, OUT, TANGENT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, Number, given
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Item

OPENING, FORTH, BACK, SOFT_FORTH, SOFT_BACK, CRACK, FULL, LEAK, REALS = record(
    FLUID, opening=1, forth=1, back=1, soft_forth=1, soft_back=1, crack=1, full=1, leak=1, reals=0
)
SHARP = 0.611  # π/(π + 2)
THIN = 1e-6  # of the density: restrictions have no less, so that it has a root
LEAST_DROP = 1e-9  # of a bar: δ of a fluid without viscosity


@inlined
def turbulent(drop, soft):
    """y(Δp) and its slope."""
    square = drop * drop + soft * soft
    root = math.sqrt(math.sqrt(square))
    return drop / root, (1.0 - 0.5 * drop * drop / square) / root


@inlined
def opened(x):
    """S(x) and its slope."""
    if x <= 0.0:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)


@inlined
def restricted(ints, reals, k, p1, p2, factor, soft):
    """q = factor √ρ y(Δp), its slopes by p₁ and p₂."""
    rho, first, _ = density(ints, reals, k, 0.5 * (p1 + p2))
    if rho < THIN * reals[k, RHO]:  # iterations alone come here, of linear fluids
        rho, first = THIN * reals[k, RHO], 0.0
    y, slope = turbulent(p1 - p2, soft)
    root = math.sqrt(rho)
    by_density = factor * y * first / (4.0 * root)
    return factor * root * y, factor * root * slope + by_density, by_density - factor * root * slope


def restriction_kernel(ints, reals, motion, loads):
    """Blocks: 11, 12, 21, 22."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, j = ints[k, 0], ints[k, 1]
        p1, p2 = values[VALUE, i], values[VALUE, j]
        drop = p1 - p2
        factor, soft = reals[k, FORTH], reals[k, SOFT_FORTH]
        if drop < 0.0:
            factor, soft = reals[k, BACK], reals[k, SOFT_BACK]
        factor *= max(reals[k, OPENING], 0.0)
        q, by1, by2 = restricted(ints, reals, k, p1, p2, factor, soft)
        crack, full, leak = reals[k, CRACK], reals[k, FULL], reals[k, LEAK]
        if full > crack:
            a, slope = opened((drop - crack) / (full - crack))
            a, slope = leak + (1.0 - leak) * a, (1.0 - leak) * slope / (full - crack)
            by1, by2 = a * by1 + slope * q, a * by2 - slope * q
            q *= a
        loads.balance[i] += q
        loads.balance[j] -= q
        h1, h2 = specific_energy(ints, reals, k, p1), specific_energy(ints, reals, k, p2)
        loads.power[0] += q * (h1 - h2)
        if motion.coef[TANGENT] != 0.0:
            by1, by2 = by1 * values[BY_VALUE, i], by2 * values[BY_VALUE, j]
            loads.vals[ints[k, 2]] += by1
            loads.vals[ints[k, 3]] += by2
            loads.vals[ints[k, 4]] -= by1
            loads.vals[ints[k, 5]] -= by2
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, flow_outputs(ints, reals, k, p1, p2, q))


@inlined
def flow_outputs(ints, reals, k, p1, p2, q):
    """What a mass flow between two pressures means: itself, volume flow, power, pressure drop."""
    head = specific_energy(ints, reals, k, p1) - specific_energy(ints, reals, k, p2)
    rho, _, _ = density(ints, reals, k, 0.5 * (p1 + p2))
    return (q, q / rho, q * head, p1 - p2)


FLOW_OUTPUTS = (MASS_FLOW, FLOW, POWER, Output("pressure_drop", "Pa"))
RESTRICTION = Family(
    "hydraulic restriction", Kernel(restriction_kernel), bodies=2, reals=REALS, integers=1,
    outputs=FLOW_OUTPUTS,
)  # fmt: skip


def soft_drop(fluid: Any, factor: float, area: float, critical: float) -> float:
    """δ: the pressure drop at which the Reynolds number q d/(A μ) is critical, d = √(4 A/π)."""
    flow = critical * fluid.viscosity * area / math.sqrt(4 * area / math.pi)
    speed = flow / factor
    return max(speed * speed / fluid.rho, LEAST_DROP * 1e5)


def restriction_reals(
    fluid: Any, forth: float, back: float, area: float, critical: float, crack: float = 0.0,
    full: float = 0.0, leak: float = 0.0,
) -> np.ndarray:  # fmt: skip
    soft = soft_drop(fluid, max(forth, back), area, critical)
    largest = max(forth, back)
    return np.append(
        fluid.reals(),
        [1.0, forth, back, soft * (forth / largest) ** 2 or soft,
         soft * (back / largest) ** 2 or soft, crack, full, leak],
    )  # fmt: skip


@dataclass(eq=False)
class Orifice(Item):
    """A sharp-edged opening between two pressures: q = C_d A √(2 ρ Δp), linear near zero.

    Flow from p1 to p2 is positive; area in m², discharge coefficient (default 0.611),
    critical_reynolds number of the transition to turbulent flow (default 10); opening: a number or
    function of time from 0 to 1 by which the area is multiplied (default 1).

    Outputs: mass_flow (kg/s), flow (m³/s), pressure_drop (Pa), power (W) that is lost.
    """

    p1: Port
    p2: Port
    area: Number = given(None)
    discharge: float = SHARP
    opening: Function = given(1.0)
    critical_reynolds: float = 10.0

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2")
        self.area = checks.number(self.area, f"area of {what}", positive=True)
        self.discharge = checks.number(
            self.discharge, f"discharge of {what}", positive=True, maximum=1
        )
        self.opening = as_drive(self.opening, f"opening of {what}", True, between=(0.0, 1.0))
        word = "critical_reynolds"
        self.critical_reynolds = checks.number(
            self.critical_reynolds, f"{word} of {what}", positive=True
        )

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        factor = math.sqrt(2) * self.discharge * self.area
        fluid = self.p1.fluid
        reals = restriction_reals(fluid, factor, factor, self.area, self.critical_reynolds)
        ends = (self.p1.node, self.p2.node)
        laws = [factor_law(OPENING, self.opening)]
        return [Entry(RESTRICTION, ends, reals, laws=laws, integers=(fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(p1, p2, rng.uniform(0.5, 1), 0.7, rng.uniform(0.5, 1))]


@dataclass(eq=False)
class MinorLoss(Item):
    """A bend, a fitting, an inlet: Δp = k ρ v²/2 with v the speed in the area (m²).

    k forth, from p1 to p2; k_back for the other direction (the same if not given);
    critical_reynolds number of the transition to turbulent flow (default 10).

    Outputs: mass_flow (kg/s), flow (m³/s), pressure_drop (Pa), power (W) that is lost.
    """

    p1: Port
    p2: Port
    k: Number = given(None)
    k_back: float | None = None
    area: Number = given(None)
    critical_reynolds: float = 10.0

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2")
        self.k = checks.number(self.k, f"k of {what}", positive=True)
        if self.k_back is not None:
            self.k_back = checks.number(self.k_back, f"k_back of {what}", positive=True)
        self.area = checks.number(self.area, f"area of {what}", positive=True)
        word = "critical_reynolds"
        self.critical_reynolds = checks.number(
            self.critical_reynolds, f"{word} of {what}", positive=True
        )

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        back = self.k if self.k_back is None else self.k_back
        forth, back = (self.area * math.sqrt(2 / k) for k in (self.k, back))
        reals = restriction_reals(
            self.p1.fluid, forth, back, self.area, self.critical_reynolds
        )  # fmt: skip
        ends, integers = (self.p1.node, self.p2.node), (self.p1.fluid.kind,)
        return [Entry(RESTRICTION, ends, reals, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(p1, p2, rng.uniform(1, 2), rng.uniform(1, 2), rng.uniform(0.5, 1))]


@dataclass(eq=False)
class ThreeWayLoss(Item):
    """A branch that fluid leaves one way and enters another: from p1 to p2 where p1 is higher, from
    p3 to p1 where p3 is higher.

    k12, k31 loss coefficients and area12, area31 (m²) of both ways.
    """

    p1: Port
    p2: Port
    p3: Port
    k12: Number = given(None)
    k31: Number = given(None)
    area12: Number = given(None)
    area31: Number = given(None)

    def __post_init__(self) -> None:
        ports(self, "p1", "p2", "p3")
        for word in ("k12", "k31", "area12", "area31"):
            given = checks.number(getattr(self, word), f"{word} of {self.label}", positive=True)
            setattr(self, word, given)

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2, self.p3)

    def entries(self) -> list[Entry]:
        found = []
        for ends, k, area in (
            ((self.p1, self.p2), self.k12, self.area12), ((self.p3, self.p1), self.k31, self.area31)
        ):  # fmt: skip
            factor = area * math.sqrt(2 / k)
            reals = restriction_reals(self.p1.fluid, factor, 0.0, area, 10.0)
            nodes, integers = tuple(end.node for end in ends), (self.p1.fluid.kind,)
            found.append(Entry(RESTRICTION, nodes, reals, integers=integers))
        return found

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends: list[Any] = list(sample_ports(rng, 3))
        return [*ends, cls(*ends, *rng.uniform(1, 2, 4))]


@dataclass(eq=False)
class ReliefValve(Item):
    """A valve from p1 to p2 that its pressure drop opens: closed up to `crack`, fully open from
    `full` on (Pa).

    area (m²) when open, discharge coefficient (default 0.611), leakage the part of the area that
    never closes (default 1e-06).
    With crack of some 0.1 bar it is a check valve: `CheckValve`.

    Outputs: mass_flow (kg/s), flow (m³/s), pressure_drop (Pa), power (W) that is lost.
    """

    p1: Port
    p2: Port
    crack: Number = given(None)
    full: Number = given(None)
    area: Number = given(None)
    discharge: float = SHARP
    leakage: float = 1e-6

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2")
        self.crack = checks.number(self.crack, f"crack of {what}", minimum=0)
        self.full = checks.number(self.full, f"full of {what}")
        if self.full <= self.crack:
            raise ModelError(
                f"full of {what} must be above crack, {self.crack:g} Pa, but {self.full:g} was "
                "given"
            )
        self.area = checks.number(self.area, f"area of {what}", positive=True)
        self.discharge = checks.number(
            self.discharge, f"discharge of {what}", positive=True, maximum=1
        )
        self.leakage = checks.number(self.leakage, f"leakage of {what}", minimum=0, maximum=1)

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        factor = math.sqrt(2) * self.discharge * self.area
        reals = restriction_reals(
            self.p1.fluid, factor, factor, self.area, 10.0, self.crack, self.full, self.leakage
        )
        ends, integers = (self.p1.node, self.p2.node), (self.p1.fluid.kind,)
        return [Entry(RESTRICTION, ends, reals, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(p1, p2, 0.2, rng.uniform(2, 3), rng.uniform(0.5, 1), leakage=0.1)]


@dataclass(eq=False)
class CheckValve(ReliefValve):
    """A valve that lets fluid from p1 to p2 only.

    It is closed up to the pressure drop crack (default 10000 Pa) and fully open from full (default
    50000 Pa) on; area (m²) when open, discharge coefficient (default 0.611), leakage the part of
    the area that never closes (default 1e-06).  Outputs: those of a ReliefValve."""

    crack: Number = given(1e4)
    full: Number = given(5e4)

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(p1, p2, 0.1, rng.uniform(2, 3), rng.uniform(0.5, 1), leakage=0.2)]
