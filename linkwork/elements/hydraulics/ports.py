"""Pressures of a circuit: the nodes that hydraulic elements join.

    Σ q + V ρ'(p) ṗ = 0          q mass flow into each element, V the volume of the node itself

A node where nothing stores compressible fluid has an algebraic equation; where its own volume, a
cylinder or a dynamic pipe does, one of first order, which is decided when the model is compiled.

    Supply   p = P(t), at the price of a mass flow s into the node:     Σ q − s = 0
    Tank     an open vessel of the area A: p = p_a + ρ g h, hence A/g ṗ + Σ q = 0

Where something stores fluid at a supplied pressure, its rate must be known at the start of a run,
and p − P + τ (ṗ − Ṗ) = 0 with τ = 1 ns stands for p = P.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import (
    FLUID,
    POINTS,
    WEIGHTS,
    Fluid,
    as_fluid,
    density,
    specific_energy,
)
from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, write
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Law

CAVITATES = (
    "cavitates: {node} fell to {value} {when}, below the vapour pressure {lowest} of its fluid; "
    "give the Fluid some air (air=1e-3) so that it can, or feed the node through a CheckValve"
)
EMPTIES = (
    "empties a tank: {node} fell to {value} {when}, below the {lowest} at its surface, where no "
    "fluid is left; give it a higher level or a larger area, or lead the flow back into it"
)
LAG = 1e-9  # s
FLOW_SIZE = 0.1  # kg/s, with which corrections of mass flows are compared
STANDARD = 9.80665  # m/s²
MASS_FLOW, FLOW = Output("mass_flow", "kg/s"), Output("flow", "m³/s")
POWER = Output("power", "W")


class Port(Item, abstract=True):
    """Anything with a pressure that hydraulic elements can be joined to."""

    fluid: Fluid
    node: Node

    def make_node(self, value: float) -> None:
        """The node keeps its identity while the words of its item change."""
        fluid = as_fluid(self.fluid, self.label)
        if value < fluid.vapour_pressure:
            raise ModelError(
                f"{self.label} starts at {value:g} Pa, below the vapour pressure "
                f"{fluid.vapour_pressure:g} Pa of its fluid; give a higher one"
            )
        if "node" not in self.__dict__:
            kind = scalar("pressure", 0, "Pa")
            self.node = Node(kind, value, scale=1e5, storing=True)
            self.node.remedy = (
                "a closed volume needs a fluid that can be compressed (bulk_modulus=) or an "
                "Accumulator, a circuit a Supply or Tank"
            )
        self.node.value, self.node.scale = np.array([value]), max(abs(value), 1e5)
        self.node.lowest = None if fluid.cavitates else fluid.vapour_pressure
        self.node.beneath = CAVITATES

    def vector_nodes(self) -> list[Node]:
        return [self.node]


def port(end: Any, what: str, word: str) -> Port:
    """A Pressure, Supply or Tank."""
    if not isinstance(end, Port):
        raise ModelError(
            f"{word} of {what} must be a Pressure, Supply or Tank, but {checks.show(end)} was given"
        )
    return end


def ports(item: Any, *words: str) -> Fluid:
    """Check that the ends of an item are different ports of one fluid, which is returned."""
    what = item.label
    ends = [port(getattr(item, word), what, word) for word in words]
    for i, end in enumerate(ends):
        for other, word in zip(ends[:i], words):
            if end is other:
                raise ModelError(
                    f"{what} joins {end.label} with itself ({word} and {words[i]}); give two "
                    "different pressures"
                )
            if end.fluid != other.fluid:
                raise ModelError(
                    f"{what} joins {other.label} and {end.label}, which have different fluids; "
                    "give both the same Fluid"
                )
    return ends[0].fluid


# -------------------------------------------------------------------------------------- V ρ' ṗ
VOLUME, STORE_REALS = record(FLUID, volume=1, store_reals=0)


def store_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        i, V = ints[k, 0], reals[k, VOLUME]
        p, rate = values[VALUE, i], values[RATE, i]
        rho, first, second = density(ints, reals, k, p)
        loads.balance[i] += V * first * rate
        if motion.coef[TANGENT] != 0.0:
            by_value, by_rate = values[BY_VALUE, i], values[BY_RATE, i]
            loads.vals[ints[k, 1]] += V * (first * by_rate + second * rate * by_value)
        if motion.coef[OUT] != 0.0:
            h = specific_energy(ints, reals, k, p)
            write(loads.out, k, (V * rho, V * (rho * h - p)))


STORE = Family(
    "hydraulic store", Kernel(store_kernel), bodies=1, reals=STORE_REALS, integers=1,
    outputs=(Output("mass", "kg"), STORED_ENERGY),
)  # fmt: skip


@dataclass(eq=False)
class Pressure(Port):
    """A pressure of a circuit, in Pa, where the ends of pipes, valves and cylinders meet.

    fluid a Fluid; value the pressure at the start of a run, which is a guess where nothing at the
    node stores compressible fluid; volume of the node itself in m³.

    Outputs: pressure (Pa), pressure_rate (Pa/s); with a volume mass (kg) and stored_energy (J).

    Example
    -------
    >>> import linkwork as lw
    >>> oil = lw.hydraulics.Fluid(density=850, bulk_modulus=1.4e9, viscosity=0.03)
    >>> line = lw.hydraulics.Pressure(oil, 2e6, volume=1e-4)
    """

    fluid: Fluid
    value: float = 0.0
    volume: float = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.value = checks.number(self.value, f"value of {self.label}")
        self.volume = checks.number(self.volume, f"volume of {self.label}", minimum=0)
        self.make_node(self.value)

    @property
    def stores(self) -> bool:
        return self.volume > 0 and self.fluid.compressible

    def rates_needed(self) -> list[Node]:
        return [self.node] if self.stores else []

    def entries(self) -> list[Entry]:
        if not self.stores:
            return []
        reals = np.append(self.fluid.reals(), self.volume)
        return [Entry(STORE, (self.node,), reals, integers=(self.fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(sample_fluid(rng), rng.uniform(1, 2), volume=rng.uniform(1, 2))


def sample_fluid(rng: np.random.Generator) -> Fluid:
    """A fluid with numbers of size one, for tests of derivatives."""
    law = ("linear", "exponential", "super")[int(rng.integers(3))]
    air = 0.3 if law != "super" and rng.integers(3) == 0 else 0.0
    return Fluid(
        rng.uniform(0.8, 1.2), rng.uniform(20, 30), rng.uniform(0.1, 0.2), law=law,
        reference_pressure=rng.uniform(0.5, 1), air=air, transition=1.5, vapour_density=0.3,
    )  # fmt: skip


def sample_ports(rng: np.random.Generator, count: int) -> list[Pressure]:
    """Pressures of one fluid, for tests of derivatives."""
    fluid = sample_fluid(rng)
    return [Pressure(fluid, rng.uniform(1, 3)) for _ in range(count)]


@dataclass(eq=False)
class Tank(Port):
    """An open vessel: its pressure follows from its level.

    fluid a Fluid; area its horizontal area in m², level in m at the start; pressure (Pa) at the
    surface (default 0, for pressures counted from it: give 1e5 where they are absolute); gravity in
    m/s² (default 9.80665).  Without area it is so large that its pressure does not change; with
    area a run that takes more fluid than there is ends with an error.

    Outputs: pressure (Pa), level (m), stored_energy (J); without area mass_flow (kg/s) into the
    circuit and power (W).
    """

    fluid: Fluid
    pressure: float = 0.0
    area: float | None = None
    level: float = 0.0
    gravity: float = STANDARD
    node: Node = field(init=False, repr=False)
    flow: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        as_fluid(self.fluid, what)
        self.pressure = checks.number(self.pressure, f"pressure of {what}")
        if self.area is not None:
            self.area = checks.number(self.area, f"area of {what}", positive=True)
        self.level = checks.number(self.level, f"level of {what}", minimum=0)
        self.gravity = checks.number(self.gravity, f"gravity of {what}", positive=True)
        self.make_node(self.bottom)
        if self.area is not None:
            self.node.lowest, self.node.beneath = self.pressure, EMPTIES
        if "flow" not in self.__dict__:
            self.flow = Node(scalar("mass flow", 0, "kg/s"), scale=FLOW_SIZE)

    @property
    def bottom(self) -> float:
        """Pressure at the bottom at the start (Pa)."""
        return float(self.pressure + self.fluid.rho * self.gravity * self.level)

    def vector_nodes(self) -> list[Node]:
        return [self.node] if self.area is not None else [self.node, self.flow]

    def rates_needed(self) -> list[Node]:
        return [self.node] if self.area is not None else []

    def entries(self) -> list[Entry]:
        if self.area is None:
            return [supply_entry(self, as_drive(self.bottom, what=f"pressure of {self.label}"))]
        capacity = self.area / self.gravity
        reals = np.concatenate([
            self.fluid.reals(), [capacity, self.pressure, self.fluid.rho * self.gravity]
        ])  # fmt: skip
        return [Entry(TANK, (self.node,), reals, integers=(self.fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(sample_fluid(rng), rng.uniform(1, 2), rng.uniform(1, 2), 0.5, rng.uniform(1, 2))


TANK_CAPACITY, SURFACE, WEIGHT, TANK_REALS = record(
    FLUID, tank_capacity=1, surface=1, weight=1, tank_reals=0
)


def tank_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        i, c = ints[k, 0], reals[k, TANK_CAPACITY]
        loads.balance[i] += c * values[RATE, i]
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, 1]] += c * values[BY_RATE, i]
        if motion.coef[OUT] != 0.0:
            half, energy = 0.5 * (values[VALUE, i] - reals[k, SURFACE]), 0.0
            for j in range(len(POINTS)):  # ∫ c h dp
                h = specific_energy(ints, reals, k, reals[k, SURFACE] + half * (1.0 + POINTS[j]))
                energy += c * half * WEIGHTS[j] * h
            write(loads.out, k, (2.0 * half / reals[k, WEIGHT], energy))


TANK = Family(
    "hydraulic tank", Kernel(tank_kernel), bodies=1, reals=TANK_REALS, integers=1,
    outputs=(Output("level", "m"), STORED_ENERGY),
)  # fmt: skip


# ----------------------------------------------------------------------- p = P(t) at any flow
GIVEN, GIVEN_RATE, DELAY, SUPPLY_REALS = record(
    FLUID, given=1, given_rate=1, delay=1, supply_reals=0
)


def supply_kernel(ints, reals, motion, loads):
    """Blocks: pp, ps, sp, ss."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, s, lag = ints[k, 0], ints[k, 1], reals[k, DELAY]
        p, flow = values[VALUE, i], values[VALUE, s]
        loads.balance[i] -= flow
        loads.balance[s] += p - reals[k, GIVEN]
        if lag > 0.0:
            loads.balance[s] += lag * (values[RATE, i] - reals[k, GIVEN_RATE])
        loads.power[1] += flow * specific_energy(ints, reals, k, p)
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, 3]] -= values[BY_VALUE, s]
            loads.vals[ints[k, 4]] += values[BY_VALUE, i] + lag * values[BY_RATE, i]
        if motion.coef[OUT] != 0.0:
            rho, _, _ = density(ints, reals, k, p)
            write(loads.out, k, (flow / rho, flow * specific_energy(ints, reals, k, p)))


SUPPLY = Family(
    "hydraulic supply", Kernel(supply_kernel), bodies=2, reals=SUPPLY_REALS, integers=1,
    outputs=(FLOW, POWER),
)  # fmt: skip


def supply_entry(item: Any, drive: Any) -> Entry:
    """p = P(t) at the item's node, with the mass flow of the item."""
    storing = item.node.kind.order == 1
    start = drive.jet(np.zeros(1))[0] if storing else drive.values(np.zeros(1))
    reals = np.append(item.fluid.reals(), [start[0], 0.0, LAG if storing else 0.0])
    if storing:
        law = Law(GIVEN, lambda times: drive.jet(times)[:, :2], 2)
    else:
        law = Law(GIVEN, lambda times: drive.values(times)[:, None], 1)
    ends, integers = (item.node, item.flow), (item.fluid.kind,)
    return Entry(SUPPLY, ends, reals, laws=[law], integers=integers)


@dataclass(eq=False)
class Supply(Port):
    """A pressure that is imposed on a fluid: a constant number or a function of time, in Pa.

    Outputs: pressure (Pa), mass_flow (kg/s) and flow (m³/s) into the circuit, power (W).

    Example
    -------
    >>> import linkwork as lw
    >>> oil = lw.hydraulics.Fluid(density=850, viscosity=0.03)
    >>> supply = lw.hydraulics.Supply(oil, lw.table([0, 1], [1e5, 2e6], kind="linear"))
    """

    fluid: Fluid
    pressure: Function = given(None)
    node: Node = field(init=False, repr=False)
    flow: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.pressure = as_drive(self.pressure, what=f"pressure of {self.label}")
        self.make_node(float(self.pressure.values(np.zeros(1))[0]))
        if "flow" not in self.__dict__:
            self.flow = Node(scalar("mass flow", 0, "kg/s"), scale=FLOW_SIZE)

    def vector_nodes(self) -> list[Node]:
        return [self.node, self.flow]

    def entries(self) -> list[Entry]:
        return [supply_entry(self, self.pressure)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(sample_fluid(rng), rng.uniform(1, 2))
