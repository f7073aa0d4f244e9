"""Control valves with four ports: supply 1, work ports 2 and 3, tank 4.

    s > 0   1 → 2 and 3 → 4          s < 0   1 → 3 and 2 → 4
    area of an edge   w (|s| + leak) where it is open, w leak where it is closed

each an orifice of sharp edges (restrictions).  `Valve` has its opening s from a function of time;
`SpoolValve` from a spool with mass, spring, damper and stops, which a force and two pilot pressures
move (MBDyn's theory manual, 15.3.4, with the misprinted A_v s read as A_v ṡ):

    m s̈ + c ṡ + k s + stops = F(t) + A_v (p₅ − p₆),       ρ A_v ṡ from node 5, −ρ A_v ṡ from node 6
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.accumulator import stop
from linkwork.elements.hydraulics.fluids import FLUID, density, over_time, specific_energy
from linkwork.elements.hydraulics.ports import port, ports, sample_ports
from linkwork.elements.hydraulics.restrictions import (
    SHARP,
    restricted,
    restricted_over_time,
    soft_drop,
)
from linkwork.elements.layout import (
    BY_RATE,
    BY_SECOND,
    BY_VALUE,
    RATE,
    SECOND,
    TANGENT,
    VALUE,
)
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.math.compiled import inlined
from linkwork.math.kernel import Kernel
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.nodes import REFERENCE, Node, scalar
from linkwork.model.registry import Entry, Family, Item

OPENING, FACTOR, SOFT, LEAK = (FLUID + i for i in range(4))
VALVE_REALS = FLUID + 4
EDGES = ((0, 1, 1.0), (2, 3, 1.0), (0, 2, -1.0), (1, 3, -1.0))  # from, to, sign of s that opens
EDGE_NAMES = ("1_2", "3_4", "1_3", "2_4")


@inlined
def edge(ints, reals, k, motion, loads, ends, one, two, sign, s, spool):
    """One edge: its flow, and the slopes by both pressures and, where there is a spool, by s."""
    values = motion.values
    i, j = ints[k, one], ints[k, two]
    p1, p2 = values[VALUE, i], values[VALUE, j]
    factor, leak = reals[k, FACTOR], reals[k, LEAK]
    area, by_area = leak, 0.0
    if sign * s > 0.0:
        area, by_area = leak + sign * s, sign
    unit, by1, by2 = restricted(reals, k, p1, p2, factor, reals[k, SOFT])
    q = area * unit
    loads.balance[i] += q
    loads.balance[j] -= q
    loads.power[0] += q * (specific_energy(reals, k, p1) - specific_energy(reals, k, p2))
    if motion.coef[TANGENT] != 0.0:
        by1, by2 = area * by1 * values[BY_VALUE, i], area * by2 * values[BY_VALUE, j]
        first, other = ints[k, ends + ends * one + one], ints[k, ends + ends * one + two]
        loads.vals[first] += by1
        loads.vals[other] += by2
        first, other = ints[k, ends + ends * two + one], ints[k, ends + ends * two + two]
        loads.vals[first] -= by1
        loads.vals[other] -= by2
        if spool:
            by_s = by_area * unit * values[BY_VALUE, ints[k, 6]]
            loads.vals[ints[k, ends + ends * one + 6]] += by_s
            loads.vals[ints[k, ends + ends * two + 6]] -= by_s


def valve_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        s = min(max(reals[k, OPENING], -1.0), 1.0)
        edge(ints, reals, k, motion, loads, 4, 0, 1, 1.0, s, False)
        edge(ints, reals, k, motion, loads, 4, 2, 3, 1.0, s, False)
        edge(ints, reals, k, motion, loads, 4, 0, 2, -1.0, s, False)
        edge(ints, reals, k, motion, loads, 4, 1, 3, -1.0, s, False)


def edge_outputs(
    reals: np.ndarray, ends: list[Any], s: np.ndarray
) -> dict[str, tuple[np.ndarray, str]]:
    """Mass flows of the edges and the power they lose."""
    p = [end.value[:, 0] for end in ends[:4]]
    h = [over_time(reals, x)[2] for x in p]
    found: dict[str, tuple[np.ndarray, str]] = {}
    lost = np.zeros(len(s))
    for (one, two, sign), name in zip(EDGES, EDGE_NAMES):
        area = reals[:, LEAK] + np.maximum(sign * s, 0)
        q = area * restricted_over_time(reals, p[one], p[two], reals[:, FACTOR], reals[:, SOFT])
        found[f"mass_flow_{name}"] = (q, "kg/s")
        lost += q * (h[one] - h[two])
    return found | {"power": (lost, "W")}


def valve_outputs(reals: np.ndarray, ends: list[Any]) -> dict[str, tuple[np.ndarray, str]]:
    s = np.clip(reals[:, OPENING], -1, 1)
    return {"opening": (s, "1")} | edge_outputs(reals, ends, s)


VALVE = Family(
    "hydraulic valve", Kernel(valve_kernel), bodies=4, reals=VALVE_REALS, circuit=valve_outputs
)


@dataclass(eq=False)
class Valve(Item):
    """A four-way valve that opens from −1 to 1 as a function of time or of readings says.

    p1 the supply, p2 and p3 the work ports, p4 the tank.  area (m²) of an edge at opening 1;
    leakage: the part of it that stays open; discharge coefficient.

    Outputs: opening, mass_flow_1_2, mass_flow_3_4, mass_flow_1_3, mass_flow_2_4 (kg/s), power (W).
    """

    p1: Any
    p2: Any
    p3: Any
    p4: Any
    area: Any = None
    opening: Any = 0.0
    leakage: Any = 1e-4
    discharge: Any = SHARP

    def __post_init__(self) -> None:
        what = self.label
        ports(self, "p1", "p2", "p3", "p4")
        self.area = checks.number(self.area, f"area of {what}", positive=True)
        self.opening = as_drive(self.opening, f"opening of {what}", follows=True)
        self.leakage = checks.number(self.leakage, f"leakage of {what}", minimum=0)
        self.discharge = checks.number(self.discharge, f"discharge of {what}", positive=True)

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2, self.p3, self.p4)

    def entries(self) -> list[Entry]:
        factor, fluid = math.sqrt(2) * self.discharge * self.area, self.p1.fluid
        reals = np.append(fluid.reals(), [
            0.0, factor, soft_drop(fluid, factor, self.area, 10.0), self.leakage
        ])  # fmt: skip
        ends = (self.p1.node, self.p2.node, self.p3.node, self.p4.node)
        return [Entry(VALVE, ends, reals, laws=[factor_law(OPENING, self.opening)])]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends: list[Any] = list(sample_ports(rng, 4))
        return [*ends, cls(ends[0], ends[1], ends[2], ends[3], 0.7, rng.uniform(-1, 1), 0.05)]


# -------------------------------------------------------------------------- with a spool's motion
SPOOL = FLUID + 4
MASS, DAMPING, STIFFNESS, PILOT, LIMIT, C1, C2, C3, REALS = (SPOOL + i for i in range(9))
ENDS = 7


def spool_kernel(ints, reals, motion, loads):
    """Ends 1 to 4, pilots 5 and 6 (or the reference), the spool; the force stands for s."""
    values, vals = motion.values, loads.vals
    for k in range(ints.shape[0]):
        i, j, n = ints[k, 4], ints[k, 5], ints[k, 6]
        s, v, acc = values[VALUE, n], values[RATE, n], values[SECOND, n]
        edge(ints, reals, k, motion, loads, 7, 0, 1, 1.0, s, True)
        edge(ints, reals, k, motion, loads, 7, 2, 3, 1.0, s, True)
        edge(ints, reals, k, motion, loads, 7, 0, 2, -1.0, s, True)
        edge(ints, reals, k, motion, loads, 7, 1, 3, -1.0, s, True)
        m, c, stiff, A = reals[k, MASS], reals[k, DAMPING], reals[k, STIFFNESS], reals[k, PILOT]
        limit, force = reals[k, LIMIT], reals[k, OPENING]
        held, kx, kv, ka = stop(
            s, v, acc, -limit, limit, reals[k, C1], reals[k, C2], reals[k, C3]
        )
        p5, p6 = values[VALUE, i], values[VALUE, j]
        rho, first, _ = density(reals, k, 0.5 * (p5 + p6))
        q = rho * A * v
        loads.balance[i] += q
        loads.balance[j] -= q
        loads.balance[n] += m * acc + c * v + stiff * s + held - force - A * (p5 - p6)
        elastic = kx * (s - (limit if s > 0.0 else -limit))
        head = specific_energy(reals, k, p5) - specific_energy(reals, k, p6)
        loads.power[0] += c * v * v + (held - elastic) * v + q * head - A * (p5 - p6) * v
        loads.power[1] += force * v
        if motion.coef[TANGENT] != 0.0:
            by5, by6 = values[BY_VALUE, i], values[BY_VALUE, j]
            half = 0.5 * first * A * v
            at = 7 + 7 * 4
            vals[ints[k, at + 4]] += half * by5
            vals[ints[k, at + 5]] += half * by6
            vals[ints[k, at + 6]] += rho * A * values[BY_RATE, n]
            at = 7 + 7 * 5
            vals[ints[k, at + 4]] -= half * by5
            vals[ints[k, at + 5]] -= half * by6
            vals[ints[k, at + 6]] -= rho * A * values[BY_RATE, n]
            at = 7 + 7 * 6
            vals[ints[k, at + 4]] -= A * by5
            vals[ints[k, at + 5]] += A * by6
            vals[ints[k, at + 6]] += (
                (m + ka) * values[BY_SECOND, n] + (c + kv) * values[BY_RATE, n]
                + (stiff + kx) * values[BY_VALUE, n]
            )  # fmt: skip


def spool_outputs(reals: np.ndarray, ends: list[Any]) -> dict[str, tuple[np.ndarray, str]]:
    s, v = ends[6].value[:, 0], ends[6].rate[:, 0]
    beyond = np.maximum(np.abs(s) - reals[:, LIMIT], 0)
    energy = reals[:, MASS] * v * v + reals[:, STIFFNESS] * s * s + reals[:, C1] * beyond**2
    found = edge_outputs(reals, ends, s)
    return found | {"force": (reals[:, OPENING], "N"), "stored_energy": (0.5 * energy, "J")}


SPOOL_VALVE = Family(
    "hydraulic spool valve", Kernel(spool_kernel), bodies=ENDS, reals=REALS, circuit=spool_outputs
)


@dataclass(eq=False)
class SpoolValve(Item):
    """A four-way valve whose spool has mass; with p5 and p6 pilot pressures move it, too.

    p1 the supply, p2 and p3 the work ports, p4 the tank.  width (m): area of an edge over the
    spool's way; stroke (m) to either side; mass (kg), stiffness (N/m), damping (N s/m) of the
    spool; force (N), a number, a function of time or of readings; position (m) at the start;
    pilot_area (m²); leakage: the part of the full area that stays open; stop_stiffness (N/m),
    stop_damping (N s/m), stop_mass (kg).

    Outputs: spool (m), spool_rate (m/s), force (N), mass_flow_1_2, mass_flow_3_4, mass_flow_1_3,
    mass_flow_2_4 (kg/s), power (W), stored_energy (J).
    """

    p1: Any
    p2: Any
    p3: Any
    p4: Any
    width: Any = None
    stroke: Any = None
    mass: Any = None
    stiffness: Any = 0.0
    damping: Any = 0.0
    force: Any = 0.0
    position: Any = 0.0
    p5: Any = None
    p6: Any = None
    pilot_area: Any = 0.0
    leakage: Any = 1e-4
    discharge: Any = SHARP
    stop_stiffness: Any = 1e6
    stop_damping: Any = 0.0
    stop_mass: Any = 0.0
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
        for word in ("width", "stroke", "mass", "discharge"):
            given = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
            setattr(self, word, given)
        for word in ("stiffness", "damping", "pilot_area", "leakage", "stop_stiffness",
                     "stop_damping", "stop_mass"):  # fmt: skip
            given = checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
            setattr(self, word, given)
        self.position = checks.number(self.position, f"position of {what}")
        self.force = as_drive(self.force, f"force of {what}", follows=True)
        if "node" not in self.__dict__:
            self.node = Node(scalar("spool", 2, "m"), scale=self.stroke)
        self.node.value, self.node.scale = np.array([self.position]), self.stroke

    def needs(self) -> tuple[Item, ...]:
        return tuple(p for p in (self.p1, self.p2, self.p3, self.p4, self.p5, self.p6) if p)

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def entries(self) -> list[Entry]:
        factor, fluid = math.sqrt(2) * self.discharge * self.width, self.p1.fluid
        area = self.width * self.stroke
        reals = np.append(fluid.reals(), [
            0.0, factor,
            soft_drop(fluid, factor * self.stroke, area, 10.0), self.leakage * self.stroke,
            self.mass, self.damping, self.stiffness, self.pilot_area, self.stroke,
            self.stop_stiffness, self.stop_damping, self.stop_mass,
        ])  # fmt: skip
        pilots = [REFERENCE if p is None else p.node for p in (self.p5, self.p6)]
        ends = (self.p1.node, self.p2.node, self.p3.node, self.p4.node, *pilots, self.node)
        return [Entry(SPOOL_VALVE, ends, reals, laws=[factor_law(OPENING, self.force)])]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends: list[Any] = list(sample_ports(rng, 6))
        at = rng.choice([0.6, -0.6, 1.2])  # to either side, or on a stop
        return [*ends, cls(
            ends[0], ends[1], ends[2], ends[3], 0.7, 1.0, rng.uniform(1, 2), 2.0, 0.3, 0.5, at,
            ends[4], ends[5], 0.4, 0.05, stop_stiffness=3.0, stop_damping=0.2, stop_mass=0.1,
        )]  # fmt: skip
