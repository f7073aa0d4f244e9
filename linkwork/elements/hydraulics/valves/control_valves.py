"""Control valves with four ports: supply 1, work ports 2 and 3, tank 4.

    s > 0   1 → 2 and 3 → 4          s < 0   1 → 3 and 2 → 4
    area of an edge   w (|s| + leak) where it is open, w leak where it is closed

each an orifice of sharp edges (passages).  `Valve` has its opening s from a function of time;
`SpoolValve` from a spool with mass, spring, damper and stops (moving_parts), which a force and two
pilot pressures move (MBDyn's theory manual, 15.3.4, with the misprinted A_v s read as A_v ṡ):

    m s̈ + c ṡ + k s + stops + jets = F(t) + A_v (p₅ − p₆)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.valves.moving_parts import (
    FORCE, REALS, MovingPart, move_part, part_energy,
)  # fmt: skip
from linkwork.elements.hydraulics.valves.passages import PASSAGE, passage
from linkwork.elements.hydraulics.ports import POWER, Port, port, ports, sample_ports
from linkwork.elements.hydraulics.restrictions import SHARP, soft_drop
from linkwork.elements.layout import OUT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, Number, given
from linkwork.model.nodes import REFERENCE, Node
from linkwork.model.outputs import KINETIC_ENERGY, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

OPENING, VALVE_REALS = record(PASSAGE, opening=1, valve_reals=0)


@inlined
def four_ways(ints, reals, k, motion, loads, ends, s, part):
    """The four edges: their flows, and the power they lose."""
    q12, lost12 = passage(ints, reals, k, motion, loads, ends, 0, 1, 1.0, s, part)
    q34, lost34 = passage(ints, reals, k, motion, loads, ends, 2, 3, 1.0, s, part)
    q13, lost13 = passage(ints, reals, k, motion, loads, ends, 0, 2, -1.0, s, part)
    q24, lost24 = passage(ints, reals, k, motion, loads, ends, 1, 3, -1.0, s, part)
    return (q12, q34, q13, q24, lost12 + lost34 + lost13 + lost24)


def valve_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        edges = four_ways(ints, reals, k, motion, loads, 4, reals[k, OPENING], -1)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (min(max(reals[k, OPENING], -1.0), 1.0),) + edges)


# mass flows of the edges and the power they lose
EDGE_OUTPUTS = (
    *(Output(f"mass_flow_{name}", "kg/s") for name in ("1_2", "3_4", "1_3", "2_4")), POWER
)  # fmt: skip
VALVE = Family(
    "hydraulic valve", Kernel(valve_kernel), bodies=4, reals=VALVE_REALS, integers=1,
    outputs=(Output("opening", "1"), *EDGE_OUTPUTS),
)  # fmt: skip


@dataclass(eq=False)
class Valve(Item):
    """A four-way valve that opens from −1 to 1 as a function of time or of readings says.

    p1 the supply, p2 and p3 the work ports, p4 the tank.  area (m²) of an edge at opening 1;
    leakage: the part of it that stays open (default 0.0001); discharge coefficient (default 0.611).

    Outputs: opening, mass_flow_1_2, mass_flow_3_4, mass_flow_1_3, mass_flow_2_4 (kg/s), power (W).
    """

    p1: Port
    p2: Port
    p3: Port
    p4: Port
    area: Number = given(None)
    opening: Function = given(0.0)
    leakage: float = 1e-4
    discharge: float = SHARP

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2", "p3", "p4")
        self.area = checks.number(self.area, f"area of {what}", positive=True)
        self.opening = as_drive(self.opening, f"opening of {what}", True, between=(-1.0, 1.0))
        self.leakage = checks.number(self.leakage, f"leakage of {what}", minimum=0, maximum=1)
        self.discharge = checks.number(
            self.discharge, f"discharge of {what}", positive=True, maximum=1
        )

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2, self.p3, self.p4)

    def entries(self) -> list[Entry]:
        factor, fluid = math.sqrt(2) * self.discharge * self.area, self.p1.fluid
        reals = np.append(fluid.reals(), [
            factor, soft_drop(fluid, factor, self.area, 10.0), self.leakage, 1.0, 0.0, 0.0
        ])  # fmt: skip
        ends = (self.p1.node, self.p2.node, self.p3.node, self.p4.node)
        laws = [factor_law(OPENING, self.opening)]
        return [Entry(VALVE, ends, reals, laws=laws, integers=(fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends: list[Any] = list(sample_ports(rng, 4))
        return [*ends, cls(ends[0], ends[1], ends[2], ends[3], 0.7, rng.uniform(-1, 1), 0.05)]


# -------------------------------------------------------------------------- with a spool's motion
ENDS = 7


def spool_kernel(ints, reals, motion, loads):
    """Ends 1 to 4, pilots 5 and 6 (or the reference), the spool."""
    for k in range(ints.shape[0]):
        values, n = motion.values, ints[k, 6]
        edges = four_ways(ints, reals, k, motion, loads, ENDS, values[VALUE, n], 6)
        move_part(ints, reals, k, motion, loads, ENDS, 4, 5, 6)
        if motion.coef[OUT] != 0.0:
            energy = part_energy(reals, k, values, n)
            write(loads.out, k, edges + (reals[k, FORCE],) + energy)


SPOOL_VALVE = Family(
    "hydraulic spool valve", Kernel(spool_kernel), bodies=ENDS, reals=REALS, integers=1,
    outputs=(*EDGE_OUTPUTS, Output("force", "N"), STORED_ENERGY, KINETIC_ENERGY),
)  # fmt: skip


@dataclass(eq=False)
class SpoolValve(MovingPart):
    """A four-way valve whose spool has mass; with p5 and p6 pilot pressures move it, too.

    p1 the supply, p2 and p3 the work ports, p4 the tank.  width (m): area of an edge over the
    spool's way; stroke (m) to either side; mass (kg), stiffness (N/m), damping (N s/m) of the
    spool; force (N), a number, a function of time or of readings; position (m) at the start;
    pilot_area (m²); leakage: the part of the full area that stays open (default 0.0001); discharge
    coefficient (default 0.611); stop_stiffness (N/m; default 1e+06),
    stop_damping (N s/m), stop_mass (kg); flow_force: how much of the pressure drop times the open
    area pushes the spool back, 0.43 at sharp edges, 0 where that is compensated.

    Outputs: spool (m), spool_rate (m/s), force (N), mass_flow_1_2, mass_flow_3_4, mass_flow_1_3,
    mass_flow_2_4 (kg/s), power (W), stored_energy (J), kinetic_energy (J) of the spool.
    """

    p1: Port
    p2: Port
    p3: Port
    p4: Port
    width: Number = given(None)
    stroke: Number = given(None)
    mass: Number = given(None)
    stiffness: float = 0.0
    damping: float = 0.0
    force: Function = given(0.0)
    position: float = 0.0
    p5: Port | None = None
    p6: Port | None = None
    pilot_area: float = 0.0
    leakage: float = 1e-4
    discharge: float = SHARP
    stop_stiffness: float = 1e6
    stop_damping: float = 0.0
    stop_mass: float = 0.0
    flow_force: float = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2", "p3", "p4")
        if (self.p5 is None) != (self.p6 is None):
            raise ModelError(f"{what} has one pilot pressure; give both p5 and p6, or neither")
        if self.p5 is not None:
            ports(self, "p1", "p5", "p6") if self.p5 is not self.p1 else port(self.p6, what, "p6")
            if self.p5 is self.p6:
                raise ModelError(f"{what} joins {self.p5.label} with itself (p5 and p6)")
        self.check_part("spool", "stroke", ("width",), ("pilot_area", "flow_force"))
        self.force = as_drive(self.force, f"force of {what}", follows=True)

    def needs(self) -> tuple[Item, ...]:
        return tuple(p for p in (self.p1, self.p2, self.p3, self.p4, self.p5, self.p6) if p)

    def entries(self) -> list[Entry]:
        factor, fluid = math.sqrt(2) * self.discharge * self.width, self.p1.fluid
        area = self.width * self.stroke
        passage_words = [
            factor, soft_drop(fluid, factor * self.stroke, area, 10.0),
            self.leakage * self.stroke, self.stroke, self.flow_force * self.width,
        ]  # fmt: skip
        part = self.part_reals(0.0, self.pilot_area, -self.stroke, self.stroke)
        reals = np.concatenate([fluid.reals(), passage_words, part])
        pilots = [REFERENCE if p is None else p.node for p in (self.p5, self.p6)]
        ends = (self.p1.node, self.p2.node, self.p3.node, self.p4.node, *pilots, self.node)
        laws = [factor_law(FORCE, self.force)]
        return [Entry(SPOOL_VALVE, ends, reals, laws=laws, integers=(fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends: list[Any] = list(sample_ports(rng, 6))
        at = rng.choice([0.6, -0.6, 1.2])  # to either side, or on a stop
        return [*ends, cls(
            ends[0], ends[1], ends[2], ends[3], 0.7, 1.0, rng.uniform(1, 2), 2.0, 0.3, 0.5, at,
            ends[4], ends[5], 0.4, 0.05, stop_stiffness=3.0, stop_damping=0.2, stop_mass=0.1,
            flow_force=0.4,
        )]  # fmt: skip
