"""Sources, and the inductor: elements with a current of their own, or a given one.

    voltage source   V₊ − V₋ + R i = U(t)      i the current that it delivers at plus; supplies U i
    current source   i = I(t)                  delivered at plus; supplies I (V₊ − V₋)
    inductor         L di/dt + R i = V₊ − V₋   i from plus to minus; energy ½ L i²

Where a capacitor asks for the rate of a voltage that an ideal source holds, that rate must be known
at the start of a run, and V₊ − V₋ − U + τ (V̇₊ − V̇₋ − U̇) = 0 with τ = 1 ns stands for V₊ − V₋ = U
(U̇ = 0 where the voltage follows the motion).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.electric.nodes import CURRENT_SIZE, Branch, Node, sample_branch
from linkwork.elements.electric.passive import BRANCH
from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, write
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.frame import GROUND, Ground
from linkwork.model.given import Function, Number, given
from linkwork.model.nodes import Node as VectorNode
from linkwork.model.nodes import scalar
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Law

LAG = 1e-9  # s
CLOSE = 1e-9  # of voltages at the start
ALGEBRAIC, STATE = scalar("current", 0, "A"), scalar("current", 1, "A")

# ends p, m, i; blocks pp, pm, pi, mp, mm, mi, ip, im, ii
P, M, I, PI, MI, IP, IM, II = 0, 1, 2, 5, 8, 9, 10, 11
GIVEN, GIVEN_RATE, DELAY, RESISTANCE, SOURCE_REALS = record(
    given=1, given_rate=1, delay=1, resistance=1, source_reals=0
)


def voltage_source_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        p, m, s = ints[k, P], ints[k, M], ints[k, I]
        lag, R, i = reals[k, DELAY], reals[k, RESISTANCE], values[VALUE, s]
        loads.balance[p] -= i
        loads.balance[m] += i
        loads.balance[s] += values[VALUE, p] - values[VALUE, m] - reals[k, GIVEN] + R * i
        if lag > 0.0:
            loads.balance[s] += lag * (values[RATE, p] - values[RATE, m] - reals[k, GIVEN_RATE])
        loads.power[0] += R * i * i
        loads.power[1] += reals[k, GIVEN] * i
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, PI]] -= values[BY_VALUE, s]
            loads.vals[ints[k, MI]] += values[BY_VALUE, s]
            loads.vals[ints[k, IP]] += values[BY_VALUE, p] + lag * values[BY_RATE, p]
            loads.vals[ints[k, IM]] -= values[BY_VALUE, m] + lag * values[BY_RATE, m]
            loads.vals[ints[k, II]] += R * values[BY_VALUE, s]
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (values[VALUE, p] - values[VALUE, m], reals[k, GIVEN] * i))


VOLTAGE_SOURCE = Family(
    "voltage source", Kernel(voltage_source_kernel), bodies=3, reals=SOURCE_REALS,
    outputs=(Output("voltage", "V"), Output("power", "W")),
)  # fmt: skip


@dataclass(eq=False)
class VoltageSource(Branch):
    """A voltage (V) of the node plus over minus: a number, a function of time, or of readings.

    resistance (Ω) is that within the source; without it the voltage holds at any current.

    Outputs: voltage (V) between its ends, current (A) that it delivers at plus, power (W) that it
    supplies.

    Example
    -------
    >>> import linkwork as lw
    >>> plus = lw.electric.Node()
    >>> mains = lw.electric.VoltageSource(plus, lw.GROUND, lw.sine(amplitude=325, frequency=50))
    """

    plus: Node | Ground
    minus: Node | Ground
    voltage: Function = given(None)
    resistance: float = 0.0
    node: VectorNode = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.check_ends()
        self.voltage = as_drive(self.voltage, f"voltage of {what}", follows=True)
        self.resistance = checks.number(self.resistance, f"resistance of {what}", minimum=0)
        if "node" not in self.__dict__:
            self.node = VectorNode(ALGEBRAIC, scale=CURRENT_SIZE)
        if not self._follows and not self.resistance:
            begin = self._start
            if self.minus is GROUND and isinstance(self.plus, Node):
                self.plus.start_at(begin)
            elif self.plus is GROUND and isinstance(self.minus, Node):
                self.minus.start_at(-begin)

    @property
    def _follows(self) -> bool:
        return bool(leaves_that_follow(as_drive(self.voltage, follows=True)))

    @property
    def _start(self) -> float:
        return float(as_drive(self.voltage, follows=True).values(np.zeros(1))[0])

    def vector_nodes(self) -> list[VectorNode]:
        return [self.node]

    def entries(self) -> list[Entry]:
        drive = as_drive(self.voltage, follows=True)
        held = [end for end in self.stored_ends() if end.kind.order == 1]
        holds = len(held) == len(self.stored_ends()) and not self.resistance
        reals = np.array([0.0, 0.0, LAG if holds else 0.0, self.resistance])
        law = factor_law(GIVEN, drive)
        if holds and not self._follows:
            self._refuse_jump()
            law = Law(GIVEN, lambda times: drive.jet(times)[:, :2], 2)
        return [Entry(VOLTAGE_SOURCE, (*self.ends, self.node), reals, laws=[law])]

    def _refuse_jump(self) -> None:
        """An error where capacitors begin at another voltage, which would take infinite current."""
        ends = [end.node.value[0] if isinstance(end, Node) else 0.0
                for end in (self.plus, self.minus)]  # fmt: skip
        found, wanted = ends[0] - ends[1], self._start
        if abs(found - wanted) > CLOSE * max(1.0, abs(wanted)):
            raise ModelError(
                f"{self.label} begins with {wanted:g} V, but the capacitors at its nodes with "
                f"{found:g} V; give the nodes that value, or the source a resistance"
            )

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return sample_branch(
            rng, lambda p, m: cls(p, m, rng.uniform(1, 2), rng.choice([0.0, 1.5]))
        )


# ----------------------------------------------------------------------------- current source


def current_source_kernel(ints, reals, motion, loads):
    for k in range(ints.shape[0]):
        p, m, i = ints[k, P], ints[k, M], reals[k, GIVEN]
        v = motion.values[VALUE, p] - motion.values[VALUE, m]
        loads.balance[p] -= i
        loads.balance[m] += i
        loads.power[1] += i * v
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, (v, i, v * i))


CURRENT_SOURCE = Family(
    "current source", Kernel(current_source_kernel), bodies=2, reals=1, outputs=BRANCH
)


@dataclass(eq=False)
class CurrentSource(Branch):
    """A current (A) that is delivered at plus and taken at minus: a number, a function of time, or
    of readings.

    Outputs: voltage (V) between its ends, current (A), power (W) that it supplies.

    Example
    -------
    >>> import linkwork as lw
    >>> coil = lw.electric.Node()
    >>> supply = lw.electric.CurrentSource(coil, lw.GROUND, 0.5)
    """

    plus: Node | Ground
    minus: Node | Ground
    current: Function = given(None)

    def __post_init__(self) -> None:
        self.check_ends()
        self.current = as_drive(self.current, f"current of {self.label}", follows=True)

    def entries(self) -> list[Entry]:
        laws = [factor_law(GIVEN, as_drive(self.current, follows=True))]
        return [Entry(CURRENT_SOURCE, self.ends, np.zeros(1), laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return sample_branch(rng, lambda p, m: cls(p, m, rng.uniform(1, 2)))


# ----------------------------------------------------------------------------------- inductor
INDUCTANCE, LOSS, INDUCTOR_REALS = record(inductance=1, loss=1, inductor_reals=0)


def inductor_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        p, m, s = ints[k, P], ints[k, M], ints[k, I]
        L, R, i = reals[k, INDUCTANCE], reals[k, LOSS], values[VALUE, s]
        loads.balance[p] += i
        loads.balance[m] -= i
        loads.balance[s] += L * values[RATE, s] + R * i - values[VALUE, p] + values[VALUE, m]
        loads.power[0] += R * i * i
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, PI]] += values[BY_VALUE, s]
            loads.vals[ints[k, MI]] -= values[BY_VALUE, s]
            loads.vals[ints[k, IP]] -= values[BY_VALUE, p]
            loads.vals[ints[k, IM]] += values[BY_VALUE, m]
            loads.vals[ints[k, II]] += L * values[BY_RATE, s] + R * values[BY_VALUE, s]
        if motion.coef[OUT] != 0.0:
            v = values[VALUE, p] - values[VALUE, m]
            write(loads.out, k, (v, v * i, 0.5 * L * i * i))


INDUCTOR = Family(
    "inductor", Kernel(inductor_kernel), bodies=3, reals=INDUCTOR_REALS,
    outputs=(Output("voltage", "V"), Output("power", "W"), STORED_ENERGY),
)  # fmt: skip


@dataclass(eq=False)
class Inductor(Branch):
    """An inductor between two nodes, with a resistance (Ω, default 0) in series.

    inductance is in H; current (A) is that at the start.  Two inductors in series with nothing else
    at the node between them are one: give them as one, or the node a resistor.

    Outputs: current (A) from plus to minus, current_rate (A/s), voltage (V), power (W) that it
    takes up, stored_energy (J).

    Example
    -------
    >>> import linkwork as lw
    >>> plus = lw.electric.Node()
    >>> coil = lw.electric.Inductor(plus, lw.GROUND, 0.02, resistance=1.5)
    """

    plus: Node | Ground
    minus: Node | Ground
    inductance: Number = given(None)
    resistance: float = 0.0
    current: float = 0.0
    node: VectorNode = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.check_ends()
        self.inductance = checks.number(self.inductance, f"inductance of {what}", positive=True)
        self.resistance = checks.number(self.resistance, f"resistance of {what}", minimum=0)
        self.current = checks.number(self.current, f"current of {what}")
        if "node" not in self.__dict__:
            self.node = VectorNode(STATE, scale=CURRENT_SIZE)
        self.node.value = np.array([self.current])

    def vector_nodes(self) -> list[VectorNode]:
        return [self.node]

    def entries(self) -> list[Entry]:
        reals = np.array([self.inductance, self.resistance])
        return [Entry(INDUCTOR, (*self.ends, self.node), reals)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        numbers = rng.uniform(1, 2, 3)
        return sample_branch(rng, lambda p, m: cls(p, m, *numbers))
