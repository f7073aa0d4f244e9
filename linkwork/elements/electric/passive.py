"""Elements whose current follows from their voltage: resistor, switch, diode; and the capacitor.

With v = V₊ − V₋ and the current i from plus to minus,

    resistor    i = v/R
    switch      i = (G_off + s (G_on − G_off)) v,        s = closed, within 0 and 1
    diode       i = I_s (exp(v/V_T) − 1) + G v up to v_c, where the slope of the first term is 1/R,
                and straight from there
    capacitor   i = C v̇,   energy ½ C v²

(The diode is Shockley's with a series resistance that takes over where the exponential is steeper,
and a leak G: without it nothing would hold the voltage of nodes between diodes that block.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.electric.nodes import Branch, Node, sample_branch
from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import Constant, as_drive
from linkwork.model.frame import Ground
from linkwork.model.given import Function, Number, given
from linkwork.model.nodes import Node as VectorNode
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family

P, M, PP, PM, MP, MM = range(6)


@inlined
def conduct(ints, k, motion, loads, i, slope):
    """A current from plus to minus and its slope by the voltage."""
    p, m = ints[k, P], ints[k, M]
    loads.balance[p] += i
    loads.balance[m] -= i
    if motion.coef[TANGENT] != 0.0:
        of_p, of_m = slope * motion.values[BY_VALUE, p], slope * motion.values[BY_VALUE, m]
        loads.vals[ints[k, PP]] += of_p
        loads.vals[ints[k, PM]] -= of_m
        loads.vals[ints[k, MP]] -= of_p
        loads.vals[ints[k, MM]] += of_m


# of every element between two nodes
BRANCH = (Output("voltage", "V"), Output("current", "A"), Output("power", "W"))


# ----------------------------------------------------------------------------------- resistor


def resistor_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        v, R = values[VALUE, ints[k, P]] - values[VALUE, ints[k, M]], reals[k, 0]
        loads.power[0] += v * v / R
        conduct(ints, k, motion, loads, v / R, 1.0 / R)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (v, v / R, v * v / R))


RESISTOR = Family("resistor", Kernel(resistor_kernel), bodies=2, reals=1, outputs=BRANCH)


@dataclass(eq=False)
class Resistor(Branch):
    """A resistor between two nodes.

    resistance is in Ω: a number, a function of time, or of readings.

    Outputs: voltage (V) from plus to minus, current (A), power (W) that it turns into heat.

    Example
    -------
    >>> import linkwork as lw
    >>> out = lw.electric.Node()
    >>> load = lw.electric.Resistor(out, lw.GROUND, 100)
    """

    plus: Node | Ground
    minus: Node | Ground
    resistance: Function = given(None)

    def __post_init__(self) -> None:
        self.check_ends()
        self.resistance = as_drive(self.resistance, f"resistance of {self.label}", follows=True)
        if isinstance(self.resistance, Constant):
            checks.number(self.resistance.v, f"resistance of {self.label}", positive=True)

    def entries(self) -> list[Entry]:
        laws = [factor_law(0, as_drive(self.resistance, follows=True))]
        return [Entry(RESISTOR, self.ends, np.ones(1), laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return sample_branch(rng, lambda p, m: cls(p, m, rng.uniform(1, 2)))


# ------------------------------------------------------------------------------------- switch
CLOSED, ON, OFF, SWITCH_REALS = record(closed=1, on=1, off=1, switch_reals=0)


def switch_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        v = values[VALUE, ints[k, P]] - values[VALUE, ints[k, M]]
        closed = min(max(reals[k, CLOSED], 0.0), 1.0)
        G = reals[k, OFF] + closed * (reals[k, ON] - reals[k, OFF])
        loads.power[0] += G * v * v
        conduct(ints, k, motion, loads, G * v, G)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (v, G * v, G * v * v, closed))


SWITCH = Family(
    "switch", Kernel(switch_kernel), bodies=2, reals=SWITCH_REALS,
    outputs=(*BRANCH, Output("closed", "1")),
)  # fmt: skip


@dataclass(eq=False)
class Switch(Branch):
    """A switch between plus and minus: closed is 1 or 0, or between them, as a function of time or
    of readings.

    on and off are its resistances (Ω), default 0.001 and 1e+08.  Outputs: voltage (V), current (A),
    power (W), closed.

    Example: pulse-width modulation, 40 % of 1 ms,

    >>> import linkwork as lw
    >>> plus, out = lw.electric.Node(), lw.electric.Node()
    >>> chopper = lw.electric.Switch(plus, out, lw.formula("mod(t, 0.001) < 0.0004"))
    """

    plus: Node | Ground
    minus: Node | Ground
    closed: Function = given(None)
    on: float = 1e-3
    off: float = 1e8

    def __post_init__(self) -> None:
        self.check_ends()
        self.closed = as_drive(self.closed, f"closed of {self.label}", True, between=(0.0, 1.0))
        for word in ("on", "off"):
            number = checks.number(getattr(self, word), f"{word} of {self.label}", positive=True)
            setattr(self, word, number)
        if self.on >= self.off:
            raise ModelError(
                f"on of {self.label} must be below off, {self.off:g} Ω, but {self.on:g} was given"
            )

    def entries(self) -> list[Entry]:
        reals = np.array([0.0, 1 / self.on, 1 / self.off])
        laws = [factor_law(CLOSED, as_drive(self.closed, follows=True))]
        return [Entry(SWITCH, self.ends, reals, laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        on, off = rng.uniform(1, 2), rng.uniform(3, 4)
        return sample_branch(rng, lambda p, m: cls(p, m, rng.uniform(0.2, 0.8), on, off))


# -------------------------------------------------------------------------------------- diode
SATURATION, THERMAL, BEND, LEAK, DIODE_REALS = record(
    saturation=1, thermal=1, bend=1, leak=1, diode_reals=0
)


def diode_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        v = values[VALUE, ints[k, P]] - values[VALUE, ints[k, M]]
        Is, VT, bend = reals[k, SATURATION], reals[k, THERMAL], reals[k, BEND]
        e = math.exp(min(v, bend) / VT)
        slope = Is * e / VT
        i = Is * (e - 1.0) + slope * max(v - bend, 0.0) + reals[k, LEAK] * v
        loads.power[0] += v * i
        conduct(ints, k, motion, loads, i, slope + reals[k, LEAK])
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (v, i, v * i))


DIODE = Family("diode", Kernel(diode_kernel), bodies=2, reals=DIODE_REALS, outputs=BRANCH)


@dataclass(eq=False)
class Diode(Branch):
    """A diode that conducts from plus to minus.

    saturation is its current (A) in the wrong direction, default 1e-09; thermal its voltage V_T (V,
    with the emission coefficient), default 0.04; resistance (Ω) what its slope does not fall below,
    default 0.01; off (Ω) what it does not exceed while it blocks, default 1e+10.

    Outputs: voltage (V), current (A), power (W).

    Example
    -------
    >>> import linkwork as lw
    >>> coil = lw.electric.Node()
    >>> freewheel = lw.electric.Diode(lw.GROUND, coil)
    """

    plus: Node | Ground
    minus: Node | Ground
    saturation: float = 1e-9
    thermal: float = 0.04
    resistance: float = 0.01
    off: float = 1e10

    def __post_init__(self) -> None:
        self.check_ends()
        for word in ("saturation", "thermal", "resistance", "off"):
            number = checks.number(getattr(self, word), f"{word} of {self.label}", positive=True)
            setattr(self, word, number)

    def entries(self) -> list[Entry]:
        bend = self.thermal * math.log(self.thermal / (self.resistance * self.saturation))
        reals = np.array([self.saturation, self.thermal, bend, 1 / self.off])
        return [Entry(DIODE, self.ends, reals)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return sample_branch(rng, lambda p, m: cls(p, m, 0.5, rng.uniform(1, 2), 0.8, 2.0))


# ---------------------------------------------------------------------------------- capacitor


def capacitor_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        p, m, C = ints[k, P], ints[k, M], reals[k, 0]
        i = C * (values[RATE, p] - values[RATE, m])
        loads.balance[p] += i
        loads.balance[m] -= i
        if motion.coef[TANGENT] != 0.0:
            of_p, of_m = C * values[BY_RATE, p], C * values[BY_RATE, m]
            loads.vals[ints[k, PP]] += of_p
            loads.vals[ints[k, PM]] -= of_m
            loads.vals[ints[k, MP]] -= of_p
            loads.vals[ints[k, MM]] += of_m
        if motion.coef[OUT] != 0.0:
            v = values[VALUE, p] - values[VALUE, m]
            write(loads.out, k, (v, i, v * i, C * v, 0.5 * C * v * v))


CAPACITOR = Family(
    "capacitor", Kernel(capacitor_kernel), bodies=2, reals=1,
    outputs=(*BRANCH, Output("charge", "C"), STORED_ENERGY),
)  # fmt: skip


@dataclass(eq=False)
class Capacitor(Branch):
    """A capacitor between the nodes plus and minus.

    capacitance is in F; its voltage at the start is that of its nodes.

    Outputs: voltage (V), current (A), power (W) that it takes up, charge (C), stored_energy (J).

    Example
    -------
    >>> import linkwork as lw
    >>> out = lw.electric.Node(value=5)
    >>> buffer = lw.electric.Capacitor(out, lw.GROUND, 1e-3)
    """

    plus: Node | Ground
    minus: Node | Ground
    capacitance: Number = given(None)

    def __post_init__(self) -> None:
        self.check_ends()
        self.capacitance = checks.number(
            self.capacitance, f"capacitance of {self.label}", positive=True
        )

    def rates_needed(self) -> list[VectorNode]:
        return self.stored_ends()

    def entries(self) -> list[Entry]:
        return [Entry(CAPACITOR, self.ends, np.array([self.capacitance]))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return sample_branch(rng, lambda p, m: cls(p, m, rng.uniform(1, 2)))
