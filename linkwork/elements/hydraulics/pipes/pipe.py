"""A pipe with friction, and with the inertia of its fluid where that is wanted.

    (L/A) q̇ = p₁ − p₂ − Δp(q)           q mass flow from p₁ to p₂, Δp as in friction_losses

Without inertia the equation is algebraic.  Fluid is stored at its ends, not in it; see
dynamic_pipe.  It moves with the kinetic energy L q²/(2 A ρ₀), which takes q (p₁ − p₂ − Δp)/ρ₀ of
the power q (h₁ − h₂) between the ends; the rest is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, MU, RHO, density, specific_energy
from linkwork.elements.hydraulics.pipes.friction_losses import pipe_loss
from linkwork.elements.hydraulics.ports import FLOW_SIZE, Port, ports, sample_ports
from linkwork.elements.hydraulics.restrictions import FLOW_OUTPUTS, flow_outputs
from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, write
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.given import Number, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import KINETIC_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

LENGTH, DIAMETER, AREA, ROUGH, INERTIA, REALS = record(
    FLUID, length=1, diameter=1, area=1, rough=1, inertia=1, reals=0
)


def pipe_kernel(ints, reals, motion, loads):
    """Ends p1, p2, q; blocks row by row."""
    values = motion.values
    for k in range(ints.shape[0]):
        i, j, n = ints[k, 0], ints[k, 1], ints[k, 2]
        p1, p2, q = values[VALUE, i], values[VALUE, j], values[VALUE, n]
        rho, first, _ = density(ints, reals, k, 0.5 * (p1 + p2))
        loss, slope = pipe_loss(
            q, rho, reals[k, MU], reals[k, LENGTH], reals[k, DIAMETER], reals[k, AREA],
            reals[k, ROUGH],
        )  # fmt: skip
        inertia = reals[k, INERTIA]
        loads.balance[i] += q
        loads.balance[j] -= q
        loads.balance[n] += loss + p2 - p1
        if inertia > 0.0:
            loads.balance[n] += inertia * values[RATE, n]
        head = specific_energy(ints, reals, k, p1) - specific_energy(ints, reals, k, p2)
        loads.power[0] += q * head - q * (p1 - p2 - loss) / reals[k, RHO]
        if motion.coef[TANGENT] != 0.0:
            loads.vals[ints[k, 5]] += values[BY_VALUE, n]
            loads.vals[ints[k, 8]] -= values[BY_VALUE, n]
            by_density = -0.5 * first * loss / rho
            loads.vals[ints[k, 9]] += (by_density - 1.0) * values[BY_VALUE, i]
            loads.vals[ints[k, 10]] += (by_density + 1.0) * values[BY_VALUE, j]
            loads.vals[ints[k, 11]] += slope * values[BY_VALUE, n] + inertia * values[BY_RATE, n]
        if motion.coef[OUT] != 0.0:
            reynolds = abs(q) * reals[k, DIAMETER] / (reals[k, AREA] * reals[k, MU])
            kinetic = inertia * q * q / (2.0 * reals[k, RHO])
            write(loads.out, k, flow_outputs(ints, reals, k, p1, p2, q)[1:] + (reynolds, kinetic))


PIPE = Family(
    "hydraulic pipe", Kernel(pipe_kernel), bodies=3, reals=REALS, integers=1,
    outputs=(*FLOW_OUTPUTS[1:], Output("reynolds", "1"), KINETIC_ENERGY),
)  # fmt: skip


def check_pipe(item: Any) -> None:
    """The words that both kinds of pipes have."""
    what = item.label
    fluid = ports(item, "p1", "p2")
    if fluid.viscosity == 0:
        raise ModelError(
            f"{what} loses pressure to viscosity, but its fluid has none; give viscosity= (Pa s) "
            "to the Fluid"
        )
    item.diameter = checks.number(item.diameter, f"diameter of {what}", positive=True)
    item.length = checks.number(item.length, f"length of {what}", positive=True)
    if item.area is not None:
        item.area = checks.number(item.area, f"area of {what}", positive=True)
    item.roughness = checks.number(item.roughness, f"roughness of {what}", minimum=0)


def pipe_reals(item: Any, length: float) -> np.ndarray:
    area = math.pi / 4 * item.diameter**2 if item.area is None else item.area
    rough = (item.roughness / (3.7 * item.diameter)) ** 1.11
    return np.append(item.p1.fluid.reals(), [length, item.diameter, area, rough])


@dataclass(eq=False)
class Pipe(Item):
    """A pipe between two pressures: laminar below Re = 2000, turbulent above 4000.

    diameter and length in m, area in m² where the section is no circle (diameter is then the
    hydraulic one, 4 area over perimeter), roughness of the wall in m; inertia: whether the mass of
    the fluid resists changes of flow; flow (kg/s) at the start.

    Outputs: mass_flow (kg/s) from p1 to p2, flow (m³/s), pressure_drop (Pa), reynolds number, power
    (W) between its ends, kinetic_energy (J) of its fluid, with inertia.
    """

    p1: Port
    p2: Port
    diameter: float | None = None
    length: Number = given(None)
    area: float | None = None
    roughness: float = 0.0
    inertia: bool = False
    flow: float = 0.0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_pipe(self)
        self.inertia = checks.flag(self.inertia, f"inertia of {self.label}")
        self.flow = checks.number(self.flow, f"flow of {self.label}")
        if "node" not in self.__dict__ or self.node.kind.order != int(self.inertia):
            self.node = Node(scalar("mass flow", int(self.inertia), "kg/s"), scale=FLOW_SIZE)
        self.node.value = np.array([self.flow])

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def entries(self) -> list[Entry]:
        reals = pipe_reals(self, self.length)
        inertia = self.length / reals[AREA] if self.inertia else 0.0
        ends: tuple[Port, Port] = (self.p1, self.p2)
        nodes, reals = (*(p.node for p in ends), self.node), np.append(reals, inertia)
        return [Entry(PIPE, nodes, reals, integers=(self.p1.fluid.kind,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        inertia = bool(rng.integers(2))
        rough = rng.choice([0.0, 1e-3])
        return [p1, p2, cls(p1, p2, 0.5, rng.uniform(1, 2), None, rough, inertia)]
