"""A DC motor on a joint.

With w the rate of the joint's angle, N the gear ratio, i the current, u the voltage between the
terminals,

    L di/dt + R i + k_e N w = u           torque on b about the axis   T = N k_t i − N² c w

and the inertia J of the rotor as N² J at the joint (shaft.py).  Electric power u i goes into heat
R i², the magnetic energy ½ L i², and k_e N w i, which is the mechanical power of N k_t i where
k_t = k_e.  Without inductance i = (u − k_e N w)/R is no unknown of its own where the voltage is
given; between nodes of a circuit it is one of order zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.electric.nodes import CURRENT_SIZE, Branch, Node, end_of
from linkwork.elements.electric.shaft import (
    ROTOR_INERTIA, add_outer, push, shaft, turn_axis,
)  # fmt: skip
from linkwork.elements.electric.sources import ALGEBRAIC, STATE
from linkwork.elements.forces.joint_checks import refuse_other_items
from linkwork.elements.forces.torsion_spring import check_joint
from linkwork.elements.joints.joints import Joint, Revolute
from linkwork.elements.layout import (
    BY_RATE, BY_VALUE, CD, CK, OUT, RATE, STRIDE, TANGENT, VALUE, write,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import refuse_others
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, at, scale
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import GROUND, Ground
from linkwork.model.given import Function, Number, given
from linkwork.model.nodes import Node as VectorNode
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item
from linkwork.model.signals.value_readings import value_reading

# numbers: axis in b, N k_t, N k_e, N² c, R, L, u
AXIS, TORQUE, EMF, DAMPING, RESISTANCE, INDUCTANCE, GIVEN, REALS = record(
    axis=3, torque=1, emf=1, damping=1, resistance=1, inductance=1, given=1, reals=0
)


@inlined
def torque_tangent(vals, ints, k, ends, nodes, a, b, n, m, T, slope, coef, by_a, by_b):
    """Slopes of the torque T on b, which changes by `slope` with the rate, by the motion."""
    aa, ab, ba, bb = ints[k, ends], ints[k, ends + 1], ints[k, 2 * ends], ints[k, 2 * ends + 1]
    add_outer(vals, bb, -slope, n, by_b)
    add_outer(vals, ba, -slope, n, by_a)
    add_outer(vals, ab, slope, m, by_b)
    add_outer(vals, aa, slope, m, by_a)
    turn_axis(vals, ab, aa, nodes, a, b, n, m, coef[CK] * T)


def driven_kernel(ints, reals, motion, loads):
    """Ends a, b: a given voltage, no inductance."""
    nodes, coef = motion.nodes, motion.coef
    for k in range(ints.shape[0]):
        a, b, n = ints[k, 0], ints[k, 1], at(reals, k, AXIS)
        kt, ke, c, R = reals[k, TORQUE], reals[k, EMF], reals[k, DAMPING], reals[k, RESISTANCE]
        m, w, turn_a, turn_b = shaft(nodes, a, b, n)
        i = (reals[k, GIVEN] - ke * w) / R
        T = kt * i - c * w
        push(loads.f, a, b, n, m, T)
        loads.power[0] += R * i * i + c * w * w + (ke - kt) * w * i
        loads.power[1] += reals[k, GIVEN] * i
        if coef[TANGENT] != 0.0:
            by_a = add(scale(coef[CK], turn_a), scale(-coef[CD], m))
            by_b = add(scale(coef[CK], turn_b), scale(coef[CD], n))
            slope = -kt * ke / R - c
            torque_tangent(
                loads.vals, ints, k, 2, nodes, a, b, n, m, T, slope, coef, by_a, by_b
            )
        if coef[OUT] != 0.0:
            write(loads.out, k, (i,) + motor_outputs(T, w, reals[k, GIVEN], ke * w, i, R))


def motor_kernel(ints, reals, motion, loads):
    """Ends a, b, current, plus, minus; block (r, s) is ints[5 + 5 r + s]."""
    nodes, values, coef, vals = motion.nodes, motion.values, motion.coef, loads.vals
    for k in range(ints.shape[0]):
        a, b, s, p, q = ints[k, 0], ints[k, 1], ints[k, 2], ints[k, 3], ints[k, 4]
        n, i = at(reals, k, AXIS), values[VALUE, s]
        kt, ke, c = reals[k, TORQUE], reals[k, EMF], reals[k, DAMPING]
        R, L = reals[k, RESISTANCE], reals[k, INDUCTANCE]
        m, w, turn_a, turn_b = shaft(nodes, a, b, n)
        T = kt * i - c * w
        push(loads.f, a, b, n, m, T)
        loads.balance[p] += i
        loads.balance[q] -= i
        loads.balance[s] += R * i + ke * w - reals[k, GIVEN] - values[VALUE, p] + values[VALUE, q]
        if L > 0.0:
            loads.balance[s] += L * values[RATE, s]
        loads.power[0] += R * i * i + c * w * w + (ke - kt) * w * i
        loads.power[1] += reals[k, GIVEN] * i
        if coef[TANGENT] != 0.0:
            by_a = add(scale(coef[CK], turn_a), scale(-coef[CD], m))
            by_b = add(scale(coef[CK], turn_b), scale(coef[CD], n))
            torque_tangent(vals, ints, k, 5, nodes, a, b, n, m, T, -c, coef, by_a, by_b)
            by_i = values[BY_VALUE, s]
            for r in range(3):
                vals[ints[k, 12] + STRIDE * (3 + r)] -= kt * n[r] * by_i
                vals[ints[k, 7] + STRIDE * (3 + r)] += kt * m[r] * by_i
                vals[ints[k, 15] + 3 + r] += ke * by_a[r]
                vals[ints[k, 16] + 3 + r] += ke * by_b[r]
            vals[ints[k, 17]] += R * by_i + L * values[BY_RATE, s]
            vals[ints[k, 18]] -= values[BY_VALUE, p]
            vals[ints[k, 19]] += values[BY_VALUE, q]
            vals[ints[k, 22]] += by_i
            vals[ints[k, 27]] -= by_i
        if coef[OUT] != 0.0:
            u = reals[k, GIVEN] + values[VALUE, p] - values[VALUE, q]
            write(loads.out, k, motor_outputs(T, w, u, ke * w, i, R) + (0.5 * L * i * i,))


@inlined
def motor_outputs(T, w, u, emf, i, R):
    """Torque, rate, voltage, back electromotive force, mechanical and electric power, heat."""
    return (T, w, u, emf, T * w, u * i, R * i * i)


MOTOR_OUTPUTS = (
    Output("torque", "N m"), Output("rate", "rad/s"), Output("voltage", "V"),
    Output("back_emf", "V"), Output("power", "W"), Output("electric_power", "W"),
    Output("heat", "W"),
)  # fmt: skip
DRIVEN = Family(
    "driven motor", Kernel(driven_kernel), bodies=2, reals=REALS,
    outputs=(Output("current", "A"), *MOTOR_OUTPUTS),
)  # fmt: skip
MOTOR = Family(
    "motor with current", Kernel(motor_kernel), bodies=5, reals=REALS,
    outputs=(*MOTOR_OUTPUTS, STORED_ENERGY),
)  # fmt: skip


@dataclass(eq=False)
class DCMotor(Branch):
    """A DC motor, with its gear, that turns the second body of a joint against the first.

        L di/dt + R i + k N w = u,        T = N k i − N² c w,        w the rate of the joint

    joint is a Revolute or any other that turns freely about its axis.  Its voltage u (V) is given
    by voltage=, a number, a function of time or of readings (a controller), or is that between the
    electric nodes plus and minus (lw.electric.Node, or lw.GROUND).

    constant      k in N m/A, which is V s/rad; back_emf, where it differs from the torque constant
    resistance    R (Ω);  inductance L (H);  current i at the start (A), with an inductance
    gear          N, turns of the motor for one of the joint;  inertia of the rotor (kg m²)
    damping       c, viscous friction at the motor (N m s/rad)

    Outputs: current (A), voltage (V), back_emf (V), torque (N m) at the joint, rate (rad/s) of the
    joint, power (W) on the joint, electric_power (W), heat (W); stored_energy (J) of the
    inductance, kinetic_energy (J) of the rotor.  `lw.reads(motor, "current")` and "torque" read it.

    Example: a motor starts a flywheel,

    >>> import linkwork as lw
    >>> m = lw.Model("drive")
    >>> wheel = m.add("wheel", lw.Body(2, (0.01, 0.01, 0.02)))
    >>> shaft = m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> motor = m.add("motor", lw.DCMotor(shaft, voltage=24, constant=0.05, resistance=0.6, gear=5))
    """

    joint: Joint
    plus: Node | Ground = None  # type: ignore[assignment]
    minus: Node | Ground = None  # type: ignore[assignment]
    voltage: Function = given(None)
    constant: Number = given(None)
    resistance: Number = given(None)
    inductance: float = 0.0
    gear: float = 1.0
    inertia: float = 0.0
    damping: float = 0.0
    back_emf: float | None = None
    current: float = 0.0
    node: VectorNode = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        refuse_other_items(self.joint, what, "a Revolute")
        check_joint(self.joint, what)
        if not {3, 4} <= set(self.joint.active):
            raise ModelError(
                f"{what} cannot act on {self.joint.label}, which can bend, so that it has no one "
                "axis to turn about; use a Revolute or Cylindrical"
            )
        self._check_supply()
        for word in ("constant", "resistance"):
            given = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
            setattr(self, word, given)
        for word in ("inductance", "inertia", "damping"):
            given = checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
            setattr(self, word, given)
        self.gear = checks.number(self.gear, f"gear of {what}")
        if self.gear == 0:
            raise ModelError(f"gear of {what} must not be zero; give turns of the motor for one")
        if self.back_emf is not None:
            self.back_emf = checks.number(self.back_emf, f"back_emf of {what}", minimum=0)
        self.current = checks.number(self.current, f"current of {what}")
        if "node" not in self.__dict__:
            self.node = VectorNode(STATE, scale=CURRENT_SIZE)
        self.node.kind = STATE if self.inductance else ALGEBRAIC
        self.node.value = np.array([self.current])

    def _check_supply(self) -> None:
        what, wired = self.label, self.plus is not None or self.minus is not None
        if wired and self.voltage is not None:
            raise ModelError(
                f"{what} is given a voltage and the nodes of a circuit; give either voltage=, or "
                "plus= and minus="
            )
        if wired:
            self.plus = GROUND if self.plus is None else self.plus
            self.minus = GROUND if self.minus is None else self.minus
            self.check_ends()
        elif self.voltage is None:
            raise ModelError(
                f"{what} needs a voltage: voltage= as a number or drive, or the nodes plus= and "
                "minus= of a circuit"
            )
        else:
            self.voltage = as_drive(self.voltage, f"voltage of {what}", follows=True)

    @property
    def has_current(self) -> bool:
        """Whether its current is an unknown."""
        return self.voltage is None or self.inductance > 0

    def needs(self) -> tuple[Item, ...]:
        return (self.joint, *super().needs())

    def vector_nodes(self) -> list[VectorNode]:
        return [self.node] if self.has_current else []

    def numbers(self) -> np.ndarray:
        """Those of its elements."""
        N, k = self.gear, self.constant
        emf = k if self.back_emf is None else self.back_emf
        axis = rotations.matrix(self.joint.frames[1].orientation)[:, 2]
        return np.array([
            *axis, N * k, N * emf, N * N * self.damping, self.resistance, self.inductance, 0.0
        ])  # fmt: skip

    def entries(self) -> list[Entry]:
        a, b = (frame.body for frame in self.joint.frames)
        reals = self.numbers()
        laws = []
        if self.voltage is not None:
            laws = [factor_law(GIVEN, as_drive(self.voltage, follows=True))]
        if self.has_current:
            ends = (a, b, self.node, end_of(self.plus), end_of(self.minus))
            found = [Entry(MOTOR, ends, reals, laws=laws)]
        else:
            found = [Entry(DRIVEN, (a, b), reals, laws=laws)]
        if self.inertia:
            rotor = np.array([*reals[AXIS : AXIS + 3], self.gear**2 * self.inertia])
            found.append(Entry(ROTOR_INERTIA, (a, b), rotor))
        return found

    def reading(self, quantity: str, axis: Any) -> Drive:
        """Its "current" (A) or "torque" (N m, at the joint)."""
        refuse_others(self, quantity, ("current", "torque"))
        reals, rate = self.numbers(), self.joint.reading("rate", None)
        if self.has_current:
            i: Drive = value_reading(self, "current")
        else:
            u = as_drive(self.voltage, follows=True)
            i = (1 / self.resistance) * (u - reals[EMF] * rate)
        if quantity == "current":
            return i
        torque = reals[TORQUE] * i
        return torque - reals[DAMPING] * rate if self.damping else torque

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Any]:  # type: ignore[override]
        joint = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        k, R, L, N, J, c, e = rng.uniform(0.5, 1.5, 7)
        words = {"constant": k, "resistance": R, "gear": N, "inertia": J, "damping": c}
        if rng.integers(3) == 0:
            return [joint, cls(joint, voltage=rng.normal(), back_emf=e, **words)]
        plus, minus = Node(rng.normal()), Node(rng.normal())
        motor = cls(joint, plus, minus, inductance=L * rng.integers(2), back_emf=e, **words)
        return [joint, plus, minus, motor]
