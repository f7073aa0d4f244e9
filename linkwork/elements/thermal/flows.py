"""Heat flows: through a resistance, by radiation, and from sources.

    resistance   q = (T_a − T_b)/R                     from a to b (W), R in K/W
    radiation    q = ε A σ (T_a⁴ − T_b⁴),              σ = 5.670374419e-8 W/(m² K⁴) (CODATA 2018)
    source       q(t) into a place: a function of time, of readings, or what others dissipate

What a load dissipates is read as its power: c ẋ² of a damper, R i² of a winding
(elements.thermal.losses); dry friction has elements beside its own (elements.thermal.rubbing).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.friction.brake import Brake
from linkwork.elements.friction.friction import Friction
from linkwork.elements.layout import BY_VALUE, OUT, TANGENT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.elements.thermal.bodies import Place, Temperature, place, two_places
from linkwork.elements.thermal.losses import loss_of
from linkwork.elements.thermal.rubbing import heat_of
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive
from linkwork.model.given import Function, Given, Number, given
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Item

STEFAN_BOLTZMANN = 5.670374419e-8  # W/(m² K⁴)
A, B, AA, AB, BA, BB = range(6)
HEAT_FLOW = (Output("heat_flow", "W", total=True),)


@inlined
def exchange(ints, k, motion, loads, q, by_a, by_b):
    """A heat flow from a to b and its slopes by both temperatures."""
    a, b = ints[k, A], ints[k, B]
    loads.balance[a] += q
    loads.balance[b] -= q
    if motion.coef[TANGENT] != 0.0:
        of_a, of_b = by_a * motion.values[BY_VALUE, a], by_b * motion.values[BY_VALUE, b]
        loads.vals[ints[k, AA]] += of_a
        loads.vals[ints[k, AB]] += of_b
        loads.vals[ints[k, BA]] -= of_a
        loads.vals[ints[k, BB]] -= of_b
    if motion.coef[OUT] != 0.0:
        write(loads.out, k, (q,))


def resistance_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        G = 1.0 / reals[k, 0]
        q = G * (values[VALUE, ints[k, A]] - values[VALUE, ints[k, B]])
        exchange(ints, k, motion, loads, q, G, -G)


RESISTANCE = Family(
    "heat resistance", Kernel(resistance_kernel), bodies=2, reals=1, outputs=HEAT_FLOW
)


@dataclass(eq=False)
class Resistance(Item):
    """A heat resistance (K/W) between two places: a number, a function of time or of readings.

    Outputs: heat_flow (W) from a to b.

    Example
    -------
    >>> import linkwork as lw
    >>> winding, air = lw.thermal.Temperature(300, capacitance=50), lw.thermal.Ambient(293)
    >>> cooling = lw.thermal.Resistance(winding, air, 2.5)
    """

    a: Place
    b: Place
    resistance: Function = given(None)

    def __post_init__(self) -> None:
        two_places(self)
        self.resistance = as_drive(self.resistance, f"resistance of {self.label}", follows=True)
        if isinstance(self.resistance, Constant):
            checks.number(self.resistance.v, f"resistance of {self.label}", positive=True)

    def needs(self) -> tuple[Item, ...]:
        return (self.a, self.b)

    def entries(self) -> list[Entry]:
        laws = [factor_law(0, as_drive(self.resistance, follows=True))]
        return [Entry(RESISTANCE, (self.a.node, self.b.node), np.ones(1), laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = Temperature(rng.uniform(0, 1)), Temperature(rng.uniform(0, 1))
        return [*ends, cls(*ends, rng.uniform(1, 2))]


def radiation_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        c, Ta, Tb = reals[k, 0], values[VALUE, ints[k, A]], values[VALUE, ints[k, B]]
        q = c * (Ta**4 - Tb**4)
        exchange(ints, k, motion, loads, q, 4.0 * c * Ta**3, -4.0 * c * Tb**3)


RADIATION = Family("radiation", Kernel(radiation_kernel), bodies=2, reals=1, outputs=HEAT_FLOW)


@dataclass(eq=False)
class Radiation(Item):
    """Heat radiation from a surface of a to what surrounds it, b.

    area is in m², emissivity from 0 to 1 (default 1).

    Outputs: heat_flow (W) from a to b.
    """

    a: Place
    b: Place
    area: Number = given(None)
    emissivity: float = 1.0

    def __post_init__(self) -> None:
        two_places(self)
        self.area = checks.number(self.area, f"area of {self.label}", positive=True)
        self.emissivity = checks.number(
            self.emissivity, f"emissivity of {self.label}", positive=True, maximum=1.0
        )

    def needs(self) -> tuple[Item, ...]:
        return (self.a, self.b)

    def entries(self) -> list[Entry]:
        numbers = np.array([STEFAN_BOLTZMANN * self.emissivity * self.area])
        return [Entry(RADIATION, (self.a.node, self.b.node), numbers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = Temperature(rng.uniform(0, 1)), Temperature(rng.uniform(0, 1))
        return [*ends, cls(*ends, rng.uniform(1e7, 2e7))]


# ------------------------------------------------------------------------------------- source


def heat_source_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        loads.balance[ints[k, 0]] -= reals[k, 0]
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (reals[k, 0],))


HEAT_SOURCE = Family(
    "heat source", Kernel(heat_source_kernel), bodies=1, reals=1, outputs=HEAT_FLOW
)


RUBBING = (Friction, Brake)


@dataclass(eq=False)
class HeatSource(Item):
    """A heat flow (W) into the place `at`: a number, a function of time, or of readings; or what
    items dissipate.

    losses is an item or a list of items whose losses warm the place: a DCMotor (R i² and its
    viscous friction), a TorsionSpring, a Spring (their dampers), an electric Resistor, Switch,
    Diode or Inductor, Friction or a Brake.  part is the part of them that goes there.

    Outputs: heat_flow (W).

    Example
    -------
    >>> import linkwork as lw
    >>> oil = lw.thermal.Temperature(300, capacitance=900)
    >>> heater = lw.thermal.HeatSource(oil, lw.table([0, 1], [0, 50], kind="linear"))
    """

    at: Place
    heat_flow: Function = given(None)
    losses: Given[Sequence[Item] | None, Item | Sequence[Item] | None] = given(None)
    part: float = 1.0

    def __post_init__(self) -> None:
        what = self.label
        place(self.at, what, "at")
        self.part = checks.number(self.part, f"part of {what}", positive=True, maximum=1.0)
        if (self.heat_flow is None) == (self.losses is None):
            raise ModelError(
                f"{what} needs either heat_flow=, a number or drive in W, or losses=, the items "
                "whose losses warm it"
            )
        if self.losses is None:
            self.heat_flow = as_drive(self.heat_flow, f"heat_flow of {what}", follows=True)
        else:
            losses: Any = self.losses
            items = losses if isinstance(losses, (list, tuple)) else [losses]
            self.losses = list(items)
            for item in items:
                if not isinstance(item, RUBBING):
                    loss_of(item, what)

    def needs(self) -> tuple[Item, ...]:
        return (self.at, *(self.losses or ()))

    @property
    def drive(self) -> Drive:
        """The heat flow as a drive."""
        if self.losses is None:
            return as_drive(self.heat_flow, follows=True)
        parts = [loss_of(x, self.label) for x in self.losses if not isinstance(x, RUBBING)]
        total = functools.reduce(operator.add, parts) if parts else Constant(0.0)
        return total if self.part == 1 else self.part * total

    @property
    def rubbing(self) -> list[Item]:
        """The frictions among its losses."""
        return [x for x in self.losses or () if isinstance(x, RUBBING)]

    def entries(self) -> list[Entry]:
        laws = [factor_law(0, self.drive)]
        source = Entry(HEAT_SOURCE, (self.at.node,), np.zeros(1), laws=laws)
        rubs = [heat_of(e, self.at.node, self.part) for x in self.rubbing for e in x.entries()]
        return [source, *rubs]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        where = Temperature(rng.uniform(0, 1), capacitance=1.5)
        if rng.integers(2):
            return [where, cls(where, rng.uniform(1, 2))]
        rubs = Friction.sample(rng, a, b)
        return [where, *rubs, cls(where, losses=rubs[-1], part=0.7)]
