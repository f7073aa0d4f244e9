"""Valves that pressures move against a spring: pressure valve and flow valve.

    m ẍ + c ẋ + k x + stops = F + A (c₁ p₁ + c₂ p₂ + c₃ p₃),        ρ₀ A cᵢ ẋ from node i
    area of the passage from node 1 to node 2   w x, at most w x_max

    pressure valve   F = −preload, (c₁, c₂, c₃) = (1, −1, 0): opens where p₁ − p₂ exceeds preload/A
    flow valve       F = preload,  (0, −1, 1): closes as p₂ − p₃ rises to preload/A, and so keeps
                     the drop across what follows between nodes 2 and 3, and its flow, constant
                     (a pressure compensator; Merritt: Hydraulic Control Systems, 1967, section 9.2)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.accumulator import stop
from linkwork.elements.hydraulics.fluids import FLUID, RHO, specific_energy
from linkwork.elements.hydraulics.ports import ports, sample_ports
from linkwork.elements.hydraulics.restrictions import (
    SHARP,
    flow_outputs,
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
from linkwork.math.kernel import Kernel
from linkwork.model import checks
from linkwork.model.nodes import REFERENCE, Node, scalar
from linkwork.model.registry import Entry, Family, Item

(
    FACTOR, SOFT, LEAK, FORCE, AREA, BY1, BY2, BY3, MASS, DAMPING, STIFFNESS, LIMIT, C1, C2, C3,
    REALS,
) = (FLUID + i for i in range(16))  # fmt: skip
ENDS = 4


def poppet_kernel(ints, reals, motion, loads):
    """Ends p1, p2, p3 (or the reference), x."""
    values, vals = motion.values, loads.vals
    for k in range(ints.shape[0]):
        i, j, n = ints[k, 0], ints[k, 1], ints[k, 3]
        p1, p2 = values[VALUE, i], values[VALUE, j]
        x, v, acc = values[VALUE, n], values[RATE, n], values[SECOND, n]
        limit, A, rho0 = reals[k, LIMIT], reals[k, AREA], reals[k, RHO]
        open_, by_x = reals[k, LEAK], 0.0
        if x >= limit:
            open_ += limit
        elif x > 0.0:
            open_, by_x = open_ + x, 1.0
        unit, by1, by2 = restricted(reals, k, p1, p2, reals[k, FACTOR], reals[k, SOFT])
        q = open_ * unit
        loads.balance[i] += q
        loads.balance[j] -= q
        held, kx, kv, ka = stop(x, v, acc, 0.0, limit, reals[k, C1], reals[k, C2], reals[k, C3])
        m, c, stiff = reals[k, MASS], reals[k, DAMPING], reals[k, STIFFNESS]
        loads.balance[n] += m * acc + c * v + stiff * x + held - reals[k, FORCE]
        h1, h2 = specific_energy(reals, k, p1), specific_energy(reals, k, p2)
        lost = q * (h1 - h2) + c * v * v + (held - kx * (x - (limit if x > 0.0 else 0.0))) * v
        for e in range(3):
            by, place = reals[k, BY1 + e], ints[k, e]
            p = values[VALUE, place]
            loads.balance[n] -= A * by * p
            loads.balance[place] += rho0 * A * by * v
            lost += A * by * v * (rho0 * specific_energy(reals, k, p) - p)
            if motion.coef[TANGENT] != 0.0:
                vals[ints[k, ENDS + ENDS * 3 + e]] -= A * by * values[BY_VALUE, place]
                vals[ints[k, ENDS + ENDS * e + 3]] += rho0 * A * by * values[BY_RATE, n]
        loads.power[0] += lost
        if motion.coef[TANGENT] != 0.0:
            by1, by2 = open_ * by1 * values[BY_VALUE, i], open_ * by2 * values[BY_VALUE, j]
            by_s = by_x * unit * values[BY_VALUE, n]
            vals[ints[k, ENDS]] += by1
            vals[ints[k, ENDS + 1]] += by2
            vals[ints[k, ENDS + 3]] += by_s
            vals[ints[k, 2 * ENDS]] -= by1
            vals[ints[k, 2 * ENDS + 1]] -= by2
            vals[ints[k, 2 * ENDS + 3]] -= by_s
            vals[ints[k, ENDS + ENDS * 3 + 3]] += (
                (m + ka) * values[BY_SECOND, n] + (c + kv) * values[BY_RATE, n]
                + (stiff + kx) * values[BY_VALUE, n]
            )  # fmt: skip


def poppet_outputs(reals: np.ndarray, ends: list[Any]) -> dict[str, tuple[np.ndarray, str]]:
    p1, p2 = (end.value[:, 0] for end in ends[:2])
    x, v = ends[3].value[:, 0], ends[3].rate[:, 0]
    limit = reals[:, LIMIT]
    unit = restricted_over_time(reals, p1, p2, reals[:, FACTOR], reals[:, SOFT])
    found = flow_outputs(reals, p1, p2, (reals[:, LEAK] + np.clip(x, 0, limit)) * unit)
    beyond = np.where(x < 0, x, np.maximum(x - limit, 0))
    energy = 0.5 * (reals[:, MASS] * v * v + reals[:, STIFFNESS] * x * x)
    energy = energy + 0.5 * reals[:, C1] * beyond**2 - reals[:, FORCE] * x
    return found | {"stored_energy": (energy, "J")}


POPPET = Family(
    "hydraulic poppet", Kernel(poppet_kernel), bodies=ENDS, reals=REALS, circuit=poppet_outputs
)


class Poppet(Item, abstract=True):
    """What pressure valves and flow valves share."""

    p1: Any
    p2: Any
    area: Any
    width: Any
    max_opening: Any
    mass: Any
    stiffness: Any
    preload: Any
    damping: Any
    position: Any
    leakage: Any
    discharge: Any
    stop_stiffness: Any
    stop_damping: Any
    stop_mass: Any
    node: Node

    def check(self, *ends: str) -> None:
        what = self.label
        ports(self, *ends)
        for word in ("area", "width", "max_opening", "mass", "discharge"):
            given = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
            setattr(self, word, given)
        for word in ("stiffness", "preload", "damping", "position", "leakage", "stop_stiffness",
                     "stop_damping", "stop_mass"):  # fmt: skip
            given = checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
            setattr(self, word, given)
        if "node" not in self.__dict__:
            self.node = Node(scalar("position", 2, "m"), scale=self.max_opening)
        self.node.value, self.node.scale = np.array([self.position]), self.max_opening

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def entry(self, third: Any, force: float, by: tuple[float, float, float]) -> Entry:
        fluid, factor = self.p1.fluid, math.sqrt(2) * self.discharge * self.width
        most = self.width * self.max_opening
        reals = np.append(fluid.reals(), [
            factor, soft_drop(fluid, factor * self.max_opening, most, 10.0),
            self.leakage * self.max_opening, force, self.area, *by, self.mass, self.damping,
            self.stiffness, self.max_opening, self.stop_stiffness, self.stop_damping,
            self.stop_mass,
        ])  # fmt: skip
        return Entry(POPPET, (self.p1.node, self.p2.node, third, self.node), reals)


@dataclass(eq=False)
class PressureValve(Poppet):
    """A relief valve with a moving poppet: opens where p1 − p2 exceeds preload/area.

    area (m²) on which the pressures act; width (m): area of the passage over the poppet's way;
    max_opening (m); mass (kg), stiffness (N/m), preload (N), damping (N s/m); position (m) at the
    start; leakage: the part of the full passage that never closes; stop_stiffness (N/m),
    stop_damping (N s/m), stop_mass (kg) of both stops.

    Outputs: position (m), mass_flow (kg/s), flow (m³/s), pressure_drop (Pa), power (W),
    stored_energy (J).
    """

    p1: Any
    p2: Any
    area: Any = None
    width: Any = None
    max_opening: Any = None
    mass: Any = None
    stiffness: Any = 0.0
    preload: Any = 0.0
    damping: Any = 0.0
    position: Any = 0.0
    leakage: Any = 1e-4
    discharge: Any = SHARP
    stop_stiffness: Any = 1e6
    stop_damping: Any = 0.0
    stop_mass: Any = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.check("p1", "p2")

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def entries(self) -> list[Entry]:
        return [self.entry(REFERENCE, -self.preload, (1.0, -1.0, 0.0))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = sample_ports(rng, 2)
        return [*ends, cls(*ends, *sample_words(rng))]


def sample_words(rng: np.random.Generator) -> list[float]:
    at = float(rng.choice([0.5, 1.3]))  # free, or on a stop
    return [0.7, 0.6, 1.0, rng.uniform(1, 2), 2.0, 0.4, 0.3, at, 0.05, 0.7, 3.0, 0.2, 0.1]


@dataclass(eq=False)
class FlowValve(Poppet):
    """A pressure compensator between p1 and p2: keeps p2 − p3 at preload/area, and so the flow of
    what is between p2 and p3.

    Words and outputs as those of a PressureValve; it starts open.
    """

    p1: Any
    p2: Any
    p3: Any
    area: Any = None
    width: Any = None
    max_opening: Any = None
    mass: Any = None
    stiffness: Any = 0.0
    preload: Any = 0.0
    damping: Any = 0.0
    position: Any = 0.0
    leakage: Any = 1e-4
    discharge: Any = SHARP
    stop_stiffness: Any = 1e6
    stop_damping: Any = 0.0
    stop_mass: Any = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.check("p1", "p2", "p3")

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2, self.p3)

    def entries(self) -> list[Entry]:
        return [self.entry(self.p3.node, self.preload, (0.0, -1.0, 1.0))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = sample_ports(rng, 3)
        return [*ends, cls(*ends, *sample_words(rng))]
