"""Temperatures, what stores heat there, and temperatures that are given.

    Σ q = 0              q heat flow out of the node through each element that is joined there (W)

    Capacitance   q = C Ṫ,  heat C T stored          (C in J/K)
    Ambient       T = T(t), at the price of a heat flow s into the node:     Σ q − s = 0

A node where nothing stores heat has an algebraic equation; else one of first order, which is
decided when the model is compiled.  Where an ambient holds what stores heat, T = T(t) is
T − T(t) + τ (Ṫ − Ṫ(t)) = 0 with τ = 1 ns.  Heat is outside the account of mechanical energy:
`run.energy` counts what friction, dampers and resistors dissipate, whether it warms something or
not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, write
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, Number, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Item, Law

LAG = 1e-9  # s
ROOM = 293.15  # K
TEMPERATURE, FLOW = scalar("temperature", 0, "K"), scalar("heat flow", 0, "W")
SCALES = 10.0, 10.0  # K, W: with which corrections are compared


class Place(Item, abstract=True):
    """Anything with a temperature that thermal elements can be joined to."""

    node: Node

    def make_node(self, value: float) -> None:
        """The node keeps its identity while the parameters of its item change."""
        if "node" not in self.__dict__:
            self.node = Node(TEMPERATURE, value, scale=SCALES[0], storing=True)
        self.node.value = np.array([value])

    def vector_nodes(self) -> list[Node]:
        return [self.node]


def place(end: Any, what: str, word: str) -> Place:
    """A Temperature or an Ambient."""
    if not isinstance(end, Place):
        raise ModelError(
            f"{word} of {what} must be a Temperature or an Ambient, but {checks.show(end)} was "
            "given"
        )
    return end


def two_places(item: Any) -> None:
    """Check that `a` and `b` of an item are different."""
    if place(item.a, item.label, "a") is place(item.b, item.label, "b"):
        raise ModelError(
            f"{item.label} joins {item.a.label} with itself; give two different temperatures"
        )


# -------------------------------------------------------------------------------- capacitance


def capacitance_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        i, C = ints[k, 0], reals[k, 0]
        loads.balance[i] += C * motion.values[RATE, i]
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, 1]] += C * motion.values[BY_RATE, i]
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (C * motion.values[VALUE, i], C * motion.values[RATE, i]))


CAPACITANCE = Family(
    "heat capacitance", Kernel(capacitance_kernel), bodies=1, reals=1,
    outputs=(
        Output("heat", "J", words="heat taken up since the start", change=True),
        Output("heat_flow", "W"),
    ),
)  # fmt: skip


@dataclass(eq=False)
class Temperature(Place):
    """A temperature (K) where thermal elements meet.

    value is that at the start of a run (default 293.15 K), which is a guess where nothing stores
    heat; capacitance is that of the place itself, in J/K.

    Outputs: temperature (K), temperature_rate (K/s); with a capacitance heat (J) taken up since the
    start, and heat_flow (W) into it.  `lw.reads(place, "temperature")` reads it.

    Example
    -------
    >>> import linkwork as lw
    >>> winding = lw.thermal.Temperature(300, capacitance=50)
    """

    value: float = ROOM
    capacitance: float = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.value = checks.number(self.value, f"value of {self.label} (K)", minimum=0.0)
        self.capacitance = checks.number(
            self.capacitance, f"capacitance of {self.label}", minimum=0
        )
        self.make_node(self.value)

    def rates_needed(self) -> list[Node]:
        return [self.node] if self.capacitance else []

    def entries(self) -> list[Entry]:
        if not self.capacitance:
            return []
        return [Entry(CAPACITANCE, (self.node,), np.array([self.capacitance]))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(rng.uniform(0, 1), rng.uniform(1, 2))


@dataclass(eq=False)
class Capacitance(Item):
    """A heat capacitance (J/K) at a temperature, beside that of the place itself.

    Outputs: heat (J) taken up since the start, heat_flow (W) into it.

    Example
    -------
    >>> import linkwork as lw
    >>> plate = lw.thermal.Temperature(300)
    >>> mass = lw.thermal.Capacitance(plate, 450)
    """

    at: Place
    capacitance: Number = given(None)

    def __post_init__(self) -> None:
        place(self.at, self.label, "at")
        self.capacitance = checks.number(
            self.capacitance, f"capacitance of {self.label}", positive=True
        )

    def needs(self) -> tuple[Item, ...]:
        return (self.at,)

    def rates_needed(self) -> list[Node]:
        return [self.at.node]

    def entries(self) -> list[Entry]:
        return [Entry(CAPACITANCE, (self.at.node,), np.array([self.capacitance]))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        where = Temperature(rng.uniform(0, 1))
        return [where, cls(where, rng.uniform(1, 2))]


# ------------------------------------------------------------------------------------ ambient
GIVEN, GIVEN_RATE, DELAY, AMBIENT_REALS = record(given=1, given_rate=1, delay=1, ambient_reals=0)


def ambient_kernel(ints, reals, motion, loads):
    """Ends T, s; blocks TT, Ts, sT, ss."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, s, lag = ints[k, 0], ints[k, 1], reals[k, DELAY]
        loads.balance[i] -= values[VALUE, s]
        loads.balance[s] += values[VALUE, i] - reals[k, GIVEN]
        if lag > 0.0:
            loads.balance[s] += lag * (values[RATE, i] - reals[k, GIVEN_RATE])
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, 3]] -= values[BY_VALUE, s]
            loads.vals[ints[k, 4]] += values[BY_VALUE, i] + lag * values[BY_RATE, i]


AMBIENT = Family("ambient", Kernel(ambient_kernel), bodies=2, reals=AMBIENT_REALS)


@dataclass(eq=False)
class Ambient(Place):
    """A temperature (K) that is given: a number or a function of time.

    Outputs: temperature (K), heat_flow (W) that it delivers.

    Example
    -------
    >>> import linkwork as lw
    >>> air = lw.thermal.Ambient(293.15)
    """

    temperature: Function = given(ROOM)
    node: Node = field(init=False, repr=False)
    flow: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.temperature = as_drive(
            self.temperature, f"temperature of {self.label} (K)", between=(0.0, np.inf)
        )
        self.make_node(float(as_drive(self.temperature).values(np.zeros(1))[0]))
        if "flow" not in self.__dict__:
            self.flow = Node(FLOW, scale=SCALES[1])

    def vector_nodes(self) -> list[Node]:
        return [self.node, self.flow]

    def entries(self) -> list[Entry]:
        drive, storing = as_drive(self.temperature), self.node.kind.order == 1
        reals = np.array([self.node.value[0], 0.0, LAG if storing else 0.0])
        law = Law(GIVEN, lambda times: drive.values(times)[:, None], 1)
        if storing:
            law = Law(GIVEN, lambda times: drive.jet(times)[:, :2], 2)
        return [Entry(AMBIENT, (self.node, self.flow), reals, laws=[law])]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(rng.uniform(1, 2))
