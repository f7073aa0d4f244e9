"""Valves that pressures move against a spring: pressure valve and flow valve.

The moving part is that of moving_parts, the passage from node 1 to node 2 that of passages:

    pressure valve   F₀ = −preload, a = 1, b = 2: opens where p₁ − p₂ exceeds preload/A
    flow valve       F₀ = preload,  a = 3, b = 2: closes as p₂ − p₃ rises to preload/A, and so keeps
                     the drop across what follows between nodes 2 and 3, and its flow, constant
                     (a pressure compensator; Merritt: Hydraulic Control Systems, 1967, section 9.2)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.valves.moving_parts import (
    REALS, MovingPart, move_part, part_energy,
)  # fmt: skip
from linkwork.elements.hydraulics.valves.passages import passage
from linkwork.elements.hydraulics.ports import Port, ports, sample_ports
from linkwork.elements.hydraulics.restrictions import (
    FLOW_OUTPUTS, SHARP, flow_outputs, soft_drop,
)  # fmt: skip
from linkwork.elements.layout import OUT, VALUE, write
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.model.given import Given, Number, given
from linkwork.model.nodes import Node
from linkwork.model.outputs import KINETIC_ENERGY, STORED_ENERGY
from linkwork.model.registry import Entry, Family, Item


@inlined
def poppet_outputs(ints, reals, k, values, q, part):
    """What its flow means, stored and kinetic energy."""
    p1, p2 = values[VALUE, ints[k, 0]], values[VALUE, ints[k, 1]]
    return flow_outputs(ints, reals, k, p1, p2, q) + part_energy(reals, k, values, ints[k, part])


def pressure_valve_kernel(ints, reals, motion, loads):
    """Ends p1, p2, x."""
    for k in range(ints.shape[0]):
        x = motion.values[VALUE, ints[k, 2]]
        q, _ = passage(ints, reals, k, motion, loads, 3, 0, 1, 1.0, x, 2)
        move_part(ints, reals, k, motion, loads, 3, 0, 1, 2)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, poppet_outputs(ints, reals, k, motion.values, q, 2))


def flow_valve_kernel(ints, reals, motion, loads):
    """Ends p1, p2, p3, x."""
    for k in range(ints.shape[0]):
        x = motion.values[VALUE, ints[k, 3]]
        q, _ = passage(ints, reals, k, motion, loads, 4, 0, 1, 1.0, x, 3)
        move_part(ints, reals, k, motion, loads, 4, 2, 1, 3)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, poppet_outputs(ints, reals, k, motion.values, q, 3))


PRESSURE_VALVE, FLOW_VALVE = (
    Family(f"hydraulic {name} valve", Kernel(kernel), bodies=ends, reals=REALS,
           integers=1, outputs=(*FLOW_OUTPUTS, STORED_ENERGY, KINETIC_ENERGY))
    for name, kernel, ends in (
        ("pressure", pressure_valve_kernel, 3), ("flow", flow_valve_kernel, 4),
    )
)  # fmt: skip


@dataclass(eq=False)
class Poppet(MovingPart, abstract=True):
    """What pressure valves and flow valves share."""

    p1: Port
    p2: Port
    area: Number = field(default=given(None), kw_only=True)
    width: Number = field(default=given(None), kw_only=True)
    max_opening: Number = field(default=given(None), kw_only=True)
    mass: Number = field(default=given(None), kw_only=True)
    stiffness: float = field(default=0.0, kw_only=True)
    preload: float = field(default=0.0, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    position: float = field(default=0.0, kw_only=True)
    leakage: float = field(default=1e-4, kw_only=True)
    discharge: float = field(default=SHARP, kw_only=True)
    stop_stiffness: float = field(default=1e6, kw_only=True)
    stop_damping: float = field(default=0.0, kw_only=True)
    stop_mass: float = field(default=0.0, kw_only=True)
    node: Node = field(init=False, repr=False)

    def check_poppet(self, *ends: str) -> None:
        ports(self, *ends)
        self.check_part("position", "max_opening", ("area", "width"), ("preload",))

    def reals(self, preload: float) -> np.ndarray:
        fluid, factor = self.p1.fluid, math.sqrt(2) * self.discharge * self.width
        most = self.width * self.max_opening
        soft = soft_drop(fluid, factor * self.max_opening, most, 10.0)
        passage_words = [
            factor, soft, self.leakage * self.max_opening, self.max_opening, 0.0
        ]  # fmt: skip
        part = self.part_reals(preload, self.area, 0.0, self.max_opening)
        return np.concatenate([fluid.reals(), passage_words, part])


def sample_words(rng: np.random.Generator) -> dict[str, Any]:
    return dict(
        area=0.7, width=0.6, max_opening=1.0, mass=rng.uniform(1, 2), stiffness=2.0, preload=0.4,
        damping=0.3, position=float(rng.choice([0.5, 1.3])),  # free, or on a stop
        leakage=0.05, discharge=0.7, stop_stiffness=3.0, stop_damping=0.2, stop_mass=0.1,
    )  # fmt: skip


@dataclass(eq=False)
class PressureValve(Poppet):
    """A relief valve with a moving poppet: opens where p1 − p2 exceeds preload/area.

    area (m²) on which the pressures act; width (m): area of the passage over the poppet's way;
    max_opening (m); mass (kg), stiffness (N/m), preload (N), damping (N s/m); position (m) at the
    start; leakage: the part of the full passage that never closes (default 0.0001); discharge
    coefficient (default 0.611); stop_stiffness (N/m; default 1e+06), stop_damping (N s/m),
    stop_mass (kg) of both stops.

    Outputs: position (m), mass_flow (kg/s), flow (m³/s), pressure_drop (Pa), power (W),
    stored_energy (J), kinetic_energy (J) of the poppet.
    """

    def __post_init__(self) -> None:
        self.check_poppet("p1", "p2")

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        ends = (self.p1.node, self.p2.node, self.node)
        integers = (self.p1.fluid.kind,)
        return [Entry(PRESSURE_VALVE, ends, self.reals(-self.preload), integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = sample_ports(rng, 2)
        return [*ends, cls(*ends, **sample_words(rng))]


@dataclass(eq=False)
class FlowValve(Poppet):
    """A pressure compensator between p1 and p2: keeps p2 − p3 at preload/area, and so the flow of
    what is between p2 and p3.

    area (m²) on which the pressures act; width (m): area of the passage over the poppet's way;
    max_opening (m); mass (kg), stiffness (N/m), preload (N), damping (N s/m); position (m) at the
    start, where 0 is open; leakage: the part of the full passage that never closes (default
    0.0001); discharge coefficient (default 0.611); stop_stiffness (N/m; default 1e+06),
    stop_damping (N s/m), stop_mass (kg) of both stops.  Outputs: those of a PressureValve.
    """

    p3: Given[Port, Port | None] = given(None)

    def __post_init__(self) -> None:
        self.check_poppet("p1", "p2", "p3")

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2, self.p3)

    def entries(self) -> list[Entry]:
        ends = (self.p1.node, self.p2.node, self.p3.node, self.node)
        integers = (self.p1.fluid.kind,)
        return [Entry(FLOW_VALVE, ends, self.reals(self.preload), integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = sample_ports(rng, 3)
        return [*ends, cls(*ends, **sample_words(rng))]
