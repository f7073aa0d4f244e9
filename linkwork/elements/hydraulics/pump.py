"""A pump: volume from one pressure to another; and a source of mass, from outside.

    q = ρ(p₁) (Q − G (p₂ − p₁))         G leakage; the shaft supplies ρ₁ Q (h₂ − h₁)
    q = ṁ                               into the node; supplies ṁ h
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, density, specific_energy
from linkwork.elements.hydraulics.ports import (
    FLOW, MASS_FLOW, POWER, Port, port, ports, sample_ports,
)  # fmt: skip
from linkwork.elements.layout import BY_VALUE, OUT, TANGENT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, given
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Item

GIVEN, LEAKAGE, REALS = record(FLUID, given=1, leakage=1, reals=0)


def pump_kernel(ints, reals, motion, loads):
    """Blocks: 11, 12, 21, 22."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, j, Q, G = ints[k, 0], ints[k, 1], reals[k, GIVEN], reals[k, LEAKAGE]
        p1, p2 = values[VALUE, i], values[VALUE, j]
        rho, first, _ = density(ints, reals, k, p1)
        volume = Q - G * (p2 - p1)
        loads.balance[i] += rho * volume
        loads.balance[j] -= rho * volume
        head = specific_energy(ints, reals, k, p2) - specific_energy(ints, reals, k, p1)
        loads.power[1] += rho * Q * head
        loads.power[0] += rho * G * (p2 - p1) * head
        if motion.coef[TANGENT] != 0.0:
            by1 = (rho * G + first * volume) * values[BY_VALUE, i]
            by2 = -rho * G * values[BY_VALUE, j]
            loads.vals[ints[k, 2]] += by1
            loads.vals[ints[k, 3]] += by2
            loads.vals[ints[k, 4]] -= by1
            loads.vals[ints[k, 5]] -= by2
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (volume, rho * volume, rho * Q * head, p2 - p1))


PUMP = Family(
    "hydraulic pump", Kernel(pump_kernel), bodies=2, reals=REALS, integers=1,
    outputs=(FLOW, MASS_FLOW, POWER, Output("pressure_rise", "Pa")),
)  # fmt: skip


@dataclass(eq=False)
class Pump(Item):
    """A pump from p1 to p2: a volume flow, a number or function of time, in m³/s.

    leakage in m³/(s Pa) lets fluid back.  Its pressure is whatever the circuit asks for; put a
    ReliefValve behind it.

    Outputs: flow (m³/s), mass_flow (kg/s), pressure_rise (Pa), power (W) of the shaft.
    """

    p1: Port
    p2: Port
    flow: Function = given(None)
    leakage: float = 0.0

    def __post_init__(self) -> None:
        ports(self, "p1", "p2")
        self.flow = as_drive(self.flow, f"flow of {self.label}", follows=True)
        self.leakage = checks.number(self.leakage, f"leakage of {self.label}", minimum=0)

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        reals = np.append(self.p1.fluid.reals(), [0.0, self.leakage])
        laws = [factor_law(GIVEN, self.flow)]
        ends, integers = (self.p1.node, self.p2.node), (self.p1.fluid.kind,)
        return [Entry(PUMP, ends, reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(p1, p2, rng.uniform(1, 2), rng.uniform(0.1, 0.2))]


# ------------------------------------------------------------------------------ mass from outside
SOURCE_REALS = FLUID + 1


def source_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        i, q = ints[k, 0], reals[k, GIVEN]
        loads.balance[i] -= q
        p = motion.values[VALUE, i]
        h = specific_energy(ints, reals, k, p)
        loads.power[1] += q * h
        if motion.coef[OUT] != 0.0:
            rho, _, _ = density(ints, reals, k, p)
            write(loads.out, k, (q, q / rho, q * h))


SOURCE = Family(
    "hydraulic source", Kernel(source_kernel), bodies=1, reals=SOURCE_REALS, integers=1,
    outputs=(MASS_FLOW, FLOW, POWER),
)  # fmt: skip


@dataclass(eq=False)
class FlowSource(Item):
    """A mass flow (kg/s) into a pressure p from outside the circuit: a number, a function of time
    or of readings; negative where it leaves.

    Outputs: mass_flow (kg/s), flow (m³/s), power (W).
    """

    p: Port
    mass_flow: Function = given(None)

    def __post_init__(self) -> None:
        port(self.p, self.label, "p")
        self.mass_flow = as_drive(self.mass_flow, f"mass_flow of {self.label}", follows=True)

    def needs(self) -> tuple[Item, ...]:
        return (self.p,)

    def entries(self) -> list[Entry]:
        reals = np.append(self.p.fluid.reals(), 0.0)
        laws, integers = [factor_law(GIVEN, self.mass_flow)], (self.p.fluid.kind,)
        return [Entry(SOURCE, (self.p.node,), reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        (p,) = sample_ports(rng, 1)
        return [p, cls(p, rng.uniform(1, 2))]
