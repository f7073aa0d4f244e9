"""An accumulator: a piston between the fluid and a gas, a spring or a weight.

    m ẍ + k x + m g + f₀ + A (p_g − p) + ½ ρ A c (A/A_p)² |ẋ| ẋ + stops = 0
    p_g = p_g0 (l/(l − x))^γ,            mass flow from the node   d/dt (ρ (V₀ + A x))

(MBDyn's theory manual, 15.3.1; with ρ' ṗ (V₀ + A x), which that leaves out).  x is the piston's way
into the gas, l that at which no gas is left, A_p the area of the inlet, c its loss: 1 where the
jet spreads in a wide chamber (Borda, Carnot), 0.5 where fluid leaves it through a sharp edge
(Idelchik: Handbook of Hydraulic Resistance, diagrams 4-1 and 3-1).  Beyond x_min
and x_max the stops push back with c₁ (x − x_max) + c₂ ẋ + c₃ ẍ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, density, specific_energy
from linkwork.elements.hydraulics.ports import MASS_FLOW, Port, port, sample_ports
from linkwork.elements.layout import (
    BY_RATE,
    BY_SECOND,
    BY_VALUE,
    OUT,
    RATE,
    SECOND,
    TANGENT,
    VALUE,
    write,
)
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.given import Number, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import KINETIC_ENERGY, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

(
    AREA, MASS, STIFFNESS, FORCE, GAS, GAS_LENGTH, EXPONENT, LOSS, LOSS_BACK, DEAD, LOW, HIGH, C1,
    C2, C3, REALS,
) = record(
    FLUID, area=1, mass=1, stiffness=1, force=1, gas=1, gas_length=1, exponent=1, loss=1,
    loss_back=1, dead=1, low=1, high=1, c1=1, c2=1, c3=1, reals=0,
)  # fmt: skip
LEAST_GAS = 1e-6  # of its length: the gas law goes on linearly beyond


@inlined
def gas_pressure(p0, length, exponent, x):
    """p_g and its slope by x."""
    left = length - x
    if left >= LEAST_GAS * length:
        p = p0 * (length / left) ** exponent
        return p, exponent * p / left
    least = LEAST_GAS * length
    p = p0 * (length / least) ** exponent
    slope = exponent * p / least
    return p + slope * (least - left), slope


@inlined
def stop(x, v, a, low, high, c1, c2, c3):
    """Force of the stops against x, its slopes by x, ẋ and ẍ."""
    if x < low:
        return c1 * (x - low) + c2 * v + c3 * a, c1, c2, c3
    if x > high:
        return c1 * (x - high) + c2 * v + c3 * a, c1, c2, c3
    return 0.0, 0.0, 0.0, 0.0


@inlined
def gas_energy(p0, length, exponent, x):
    """∫ p_g dx from 0."""
    left = max(length - x, LEAST_GAS * length)
    p, slope = gas_pressure(p0, length, exponent, length - left)
    beyond = left - (length - x)
    rest = beyond * (p + 0.5 * slope * beyond)
    if exponent == 1.0:
        return p0 * length * math.log(length / left) + rest
    return (p * left - p0 * length) / (exponent - 1.0) + rest


@inlined
def beyond_stops(x, low, high):
    """How far x is beyond the stops."""
    return min(x - low, 0.0) + max(x - high, 0.0)


def accumulator_kernel(ints, reals, motion, loads):
    """Ends p, x; blocks pp, px, xp, xx."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, n = ints[k, 0], ints[k, 1]
        p, rate = values[VALUE, i], values[RATE, i]
        x, v, acc = values[VALUE, n], values[RATE, n], values[SECOND, n]
        A, m = reals[k, AREA], reals[k, MASS]
        rho, first, second = density(ints, reals, k, p)
        pg, stiff = gas_pressure(reals[k, GAS], reals[k, GAS_LENGTH], reals[k, EXPONENT], x)
        held, kx, kv, ka = stop(
            x, v, acc, reals[k, LOW], reals[k, HIGH], reals[k, C1], reals[k, C2], reals[k, C3]
        )
        loss = reals[k, LOSS] if v > 0.0 else reals[k, LOSS_BACK]
        drag = loss * rho * abs(v) * v
        volume = reals[k, DEAD] + A * x
        loads.balance[i] += rho * A * v + volume * first * rate
        loads.balance[n] += (
            m * acc + reals[k, STIFFNESS] * x + reals[k, FORCE] + A * (pg - p) + drag + held
        )
        elastic = kx * (x - (reals[k, LOW] if x < reals[k, LOW] else reals[k, HIGH]))
        loads.power[0] += drag * v + (held - elastic) * v
        if motion.coef[TANGENT] != 0.0:
            vals = loads.vals
            vals[ints[k, 2]] += (first * A * v + volume * second * rate) * values[
                BY_VALUE, i
            ] + volume * first * values[BY_RATE, i]  # fmt: skip
            vals[ints[k, 3]] += (
                rho * A * values[BY_RATE, n] + A * first * rate * values[BY_VALUE, n]
            )
            vals[ints[k, 4]] += (drag * first / rho - A) * values[BY_VALUE, i]
            vals[ints[k, 5]] += (
                (m + ka) * values[BY_SECOND, n]
                + (2.0 * loss * rho * abs(v) + kv) * values[BY_RATE, n]
                + (reals[k, STIFFNESS] + A * stiff + kx) * values[BY_VALUE, n]
            )
        if motion.coef[OUT] != 0.0:
            h = specific_energy(ints, reals, k, p)
            gas = gas_energy(reals[k, GAS], reals[k, GAS_LENGTH], reals[k, EXPONENT], x)
            beyond = beyond_stops(x, reals[k, LOW], reals[k, HIGH])
            stored = A * gas + x * (0.5 * reals[k, STIFFNESS] * x + reals[k, FORCE])
            stored += 0.5 * reals[k, C1] * beyond * beyond + volume * (rho * h - p)
            flow = rho * A * v + volume * first * rate
            write(loads.out, k, (pg, volume, flow, stored, 0.5 * m * v * v))


ACCUMULATOR = Family(
    "hydraulic accumulator", Kernel(accumulator_kernel), bodies=2, reals=REALS, integers=1,
    outputs=(
        Output("gas_pressure", "Pa"), Output("volume", "m³"), MASS_FLOW, STORED_ENERGY,
        KINETIC_ENERGY,
    ),
)  # fmt: skip


@dataclass(eq=False)
class Accumulator(Item):
    """A piston accumulator at a pressure, loaded by a gas, a spring, a weight, or several of them.

    p is its pressure node; area of the piston (m²), mass (kg), stroke (m): its way, at whose end no
    gas is left; position (m) and speed (m/s) at the start; precharge (Pa) of the gas at position 0,
    exponent γ of its polytropic law (default 1.4; 1: isothermal); stiffness (N/m) and preload (N)
    of a spring; gravity (m/s²) that acts on the piston against the fluid; inlet area (m²; without
    it that of the piston), its loss coefficient where fluid enters and loss_back where it leaves
    (without it the same); dead_volume (m³) of fluid at position 0; lower and upper stops (m; else 0
    and the stroke); stop_stiffness (N/m; default 1e+07), stop_damping (N s/m), stop_mass (kg)
    beyond them.

    Outputs: position (m), position_rate (m/s), gas_pressure (Pa), volume (m³) of fluid, mass_flow
    (kg/s) into it, stored_energy (J), kinetic_energy (J) of the piston.
    """

    p: Port
    area: Number = given(None)
    mass: Number = given(None)
    stroke: Number = given(None)
    position: float = 0.0
    speed: float = 0.0
    precharge: float = 0.0
    exponent: float = 1.4
    stiffness: float = 0.0
    preload: float = 0.0
    gravity: float = 0.0
    inlet: float | None = None
    loss: float = 0.0
    dead_volume: float = 0.0
    lower: float = 0.0
    upper: Number = given(None)
    stop_stiffness: float = 1e7
    stop_damping: float = 0.0
    stop_mass: float = 0.0
    loss_back: float | None = None
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        port(self.p, what, "p")

        def put(word: str, **limit: Any) -> None:
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}", **limit))

        for word in ("area", "mass", "stroke"):
            put(word, positive=True)
        if self.inlet is not None:
            put("inlet", positive=True)
        if self.loss_back is not None:
            put("loss_back", minimum=0)
        for word in ("precharge", "stiffness", "loss", "dead_volume", "stop_stiffness",
                     "stop_damping", "stop_mass"):  # fmt: skip
            put(word, minimum=0)
        for word in ("position", "speed", "preload", "gravity"):
            put(word)
        put("exponent", minimum=1)
        put("lower")
        self.upper = self.stroke if self.upper is None else self.upper
        put("upper")
        if not self.lower < self.upper:
            raise ModelError(
                f"upper of {what} must be above lower, {self.lower:g} m, but {self.upper:g} was "
                "given"
            )
        if self.precharge > 0 and self.position >= self.stroke:
            raise ModelError(
                f"position of {what} must be below its stroke, {self.stroke:g} m, where no gas is "
                f"left, but {self.position:g} was given"
            )
        if "node" not in self.__dict__:
            self.node = Node(scalar("position", 2, "m"), scale=self.stroke)
        self.node.value, self.node.rate = np.array([self.position]), np.array([self.speed])

    def needs(self) -> tuple[Item, ...]:
        return (self.p,)

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def rates_needed(self) -> list[Node]:
        return [self.p.node] if self.p.fluid.compressible else []

    def entries(self) -> list[Entry]:
        inlet = self.area if self.inlet is None else self.inlet
        back = self.loss if self.loss_back is None else self.loss_back
        factor = 0.5 * self.area * (self.area / inlet) ** 2
        reals = np.append(self.p.fluid.reals(), [
            self.area, self.mass, self.stiffness, self.preload + self.mass * self.gravity,
            self.precharge, self.stroke, self.exponent,
            factor * self.loss, factor * back, self.dead_volume, self.lower, self.upper,
            self.stop_stiffness, self.stop_damping, self.stop_mass,
        ])  # fmt: skip
        ends, integers = (self.p.node, self.node), (self.p.fluid.kind,)
        return [Entry(ACCUMULATOR, ends, reals, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        (p,) = sample_ports(rng, 1)
        at = rng.choice([0.4, -0.4])  # free, or on a stop
        return [p, cls(
            p, rng.uniform(0.5, 1), rng.uniform(1, 2), 5.0, at, 0.3, rng.uniform(1, 2), 1.3, 2.0,
            0.3, 0.5, 0.4, 0.7, 0.2, -0.2, 2.0, 3.0, 0.4, 0.3, 0.4,
        )]  # fmt: skip
