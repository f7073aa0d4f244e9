"""A pipe with waves: finite volumes of compressible fluid (MBDyn's theory manual, 15.3.3).

Pressure and mass flow vary linearly over each of n cells of the length L, cut in two halves.  Into
the cell at its ends flow

    φ₁ = (q₁ + q₂)/2 + A L ρ'(¼) (3 ṗ₁ + ṗ₂)/8,     φ₂ = −(q₁ + q₂)/2 + A L ρ'(¾) (ṗ₁ + 3 ṗ₂)/8

and the momentum of the halves changes by

    L (3 q̇₁ + q̇₂)/8 + q_m²/(ρ_m A) − q₁²/(ρ₁ A) + A (p₂ − p₁)/2 + A Δp(¼) = 0
    L (q̇₁ + 3 q̇₂)/8 + q₂²/(ρ₂ A) − q_m²/(ρ_m A) + A (p₂ − p₁)/2 + A Δp(¾) = 0

with q_m = (q₁ + q₂)/2, and Δp(q) of half a cell at the quarter points (friction_losses).  Every
cell has flows of its own at both ends; pressures between cells are values of the pipe.  With the
energy e = ρ h − p of a unit of volume (fluids) a cell stores and loses

    A L (e(¼) + e(¾))/2 + A L ρ_m'/(32 ρ_m) (p₁ − p₂)²
    T = L/(ρ_m A) (3 q₁² + 2 q₁ q₂ + 3 q₂²)/16, its kinetic energy
    (q₁ Δp(¼) + q₂ Δp(¾))/ρ_m, and the kinetic energy that its fluid takes along: the work of the
    fluxes q²/(ρ A), and T ρ̇_m/ρ_m

which is what the flows φ₁ h₁ + φ₂ h₂ bring, up to terms of the order (Δp/β)².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, MU, density, specific_energy
from linkwork.elements.hydraulics.pipes.friction_losses import pipe_loss
from linkwork.elements.hydraulics.pipes.pipe import check_pipe, pipe_reals
from linkwork.elements.hydraulics.ports import FLOW_SIZE, Port, Pressure, ports, sample_fluid
from linkwork.elements.layout import BY_RATE, BY_VALUE, OUT, RATE, TANGENT, VALUE, int_width, write
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.given import Number, given
from linkwork.model.nodes import REFERENCE, Node, vector
from linkwork.model.outputs import KINETIC_ENERGY, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

DYNAMIC = record(FLUID, cell=1, diameter=1, area=1, rough=1)
CELL, DIAMETER, AREA, ROUGH = DYNAMIC
ENDS = 4  # p1, p2, pressures between the cells, flows
CELLS = int_width(ENDS, 0)  # integer: how many cells


@inlined
def pressure_place(ints, k, c, n):
    """The end and the place in it of pressure c of n + 1; where its value is."""
    if c == 0:
        return 0, 0, ints[k, 0]
    if c == n:
        return 1, 0, ints[k, 1]
    return 2, c - 1, ints[k, 2] + c - 1


@inlined
def add_to(vals, ints, k, end, row, width, other, column, x):
    """x to a block: the row of one end, the column of another whose rows are `width` wide."""
    vals[ints[k, ENDS + ENDS * end + other] + width * row + column] += x


@inlined
def width_of(end, n):
    """Numbers in a row of blocks against an end."""
    if end == 3:
        return 8 * ((2 * n + 7) // 8)
    if end == 2:
        return 8 * ((n + 6) // 8)
    return 8


@inlined
def kinetic_of_cell(q1, q2, rho, L, A):
    return L / (rho * A) * (3.0 * q1 * q1 + 2.0 * q1 * q2 + 3.0 * q2 * q2) / 16.0


@inlined
def stored_in_cell(ints, reals, k, p1, p2, volume):
    """A L (e(¼) + e(¾))/2 + A L ρ_m'/(32 ρ_m) (p₁ − p₂)²."""
    a, b = 0.75 * p1 + 0.25 * p2, 0.25 * p1 + 0.75 * p2
    ra, _, _ = density(ints, reals, k, a)
    rb, _, _ = density(ints, reals, k, b)
    rm, drm, _ = density(ints, reals, k, 0.5 * (p1 + p2))
    e = ra * specific_energy(ints, reals, k, a) - a + rb * specific_energy(ints, reals, k, b) - b
    return volume * (0.5 * e + drm / (32.0 * rm) * (p1 - p2) ** 2)


@inlined
def pipe_outputs(ints, reals, k, values):
    """Mass flows near the ends, the largest Reynolds number, stored and kinetic energy."""
    n, L, A = ints[k, CELLS], reals[k, CELL], reals[k, AREA]
    stored, kinetic, largest = 0.0, 0.0, 0.0
    for c in range(n):
        p1 = values[VALUE, pressure_place(ints, k, c, n)[2]]
        p2 = values[VALUE, pressure_place(ints, k, c + 1, n)[2]]
        f = ints[k, 3] + 2 * c
        q1, q2 = values[VALUE, f], values[VALUE, f + 1]
        rho, _, _ = density(ints, reals, k, 0.5 * (p1 + p2))
        stored += stored_in_cell(ints, reals, k, p1, p2, A * L)
        kinetic += kinetic_of_cell(q1, q2, rho, L, A)
        largest = max(largest, abs(q1), abs(q2))
    reynolds = largest * reals[k, DIAMETER] / (A * reals[k, MU])
    ends = values[VALUE, ints[k, 3]], values[VALUE, ints[k, 3] + 2 * n - 1]
    return ends + (reynolds, stored, kinetic)


def dynamic_pipe_kernel(ints, reals, motion, loads):
    values, vals = motion.values, loads.vals
    tangent = motion.coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        n, L, A = ints[k, CELLS], reals[k, CELL], reals[k, AREA]
        mu, D, rough = reals[k, MU], reals[k, DIAMETER], reals[k, ROUGH]
        wide = width_of(3, n)
        for c in range(n):
            e1, r1, i = pressure_place(ints, k, c, n)
            e2, r2, j = pressure_place(ints, k, c + 1, n)
            s = 2 * c
            f, g = ints[k, 3] + s, ints[k, 3] + s + 1
            p1, p2, q1, q2 = values[VALUE, i], values[VALUE, j], values[VALUE, f], values[VALUE, g]
            dp1, dp2, dq1, dq2 = values[RATE, i], values[RATE, j], values[RATE, f], values[RATE, g]
            _, da, dda = density(ints, reals, k, 0.75 * p1 + 0.25 * p2)
            _, db, ddb = density(ints, reals, k, 0.25 * p1 + 0.75 * p2)
            C = A * L / 8.0
            left, right = 3.0 * dp1 + dp2, dp1 + 3.0 * dp2
            qm = 0.5 * (q1 + q2)
            into1, into2 = qm + C * da * left, C * db * right - qm
            loads.balance[i] += into1
            loads.balance[j] += into2
            rm, drm, _ = density(ints, reals, k, 0.5 * (p1 + p2))
            ra, dra, _ = density(ints, reals, k, p1)
            rb, drb, _ = density(ints, reals, k, p2)
            l1, s1 = pipe_loss(0.75 * q1 + 0.25 * q2, rm, mu, 0.5 * L, D, A, rough)
            l2, s2 = pipe_loss(0.25 * q1 + 0.75 * q2, rm, mu, 0.5 * L, D, A, rough)
            flux, at1, at2 = qm * qm / (rm * A), q1 * q1 / (ra * A), q2 * q2 / (rb * A)
            push = 0.5 * A * (p2 - p1)
            loads.balance[f] += L * (3.0 * dq1 + dq2) / 8.0 + flux - at1 + push + A * l1
            loads.balance[g] += L * (dq1 + 3.0 * dq2) / 8.0 + at2 - flux + push + A * l2
            convected = (flux - at1) * q1 + (at2 - flux) * q2
            loads.power[0] += (l1 * q1 + l2 * q2 + convected / A) / rm
            loads.power[0] += kinetic_of_cell(q1, q2, rm, L, A) * 0.5 * drm * (dp1 + dp2) / rm
            if tangent:
                bp1, bp2, bf, bg = (
                    values[BY_VALUE, i], values[BY_VALUE, j], values[BY_VALUE, f],
                    values[BY_VALUE, g],
                )  # fmt: skip
                rp1, rp2, rf, rg = (
                    values[BY_RATE, i], values[BY_RATE, j], values[BY_RATE, f], values[BY_RATE, g]
                )  # fmt: skip
                w1, w2 = width_of(e1, n), width_of(e2, n)
                a1, b1 = C * dda * left, C * ddb * right
                add_to(vals, ints, k, e1, r1, w1, e1, r1, 3.0 * C * da * rp1 + 0.75 * a1 * bp1)
                add_to(vals, ints, k, e1, r1, w2, e2, r2, C * da * rp2 + 0.25 * a1 * bp2)
                add_to(vals, ints, k, e2, r2, w1, e1, r1, C * db * rp1 + 0.25 * b1 * bp1)
                add_to(vals, ints, k, e2, r2, w2, e2, r2, 3.0 * C * db * rp2 + 0.75 * b1 * bp2)
                add_to(vals, ints, k, e1, r1, wide, 3, s, 0.5 * bf)
                add_to(vals, ints, k, e1, r1, wide, 3, s + 1, 0.5 * bg)
                add_to(vals, ints, k, e2, r2, wide, 3, s, -0.5 * bf)
                add_to(vals, ints, k, e2, r2, wide, 3, s + 1, -0.5 * bg)
                m = qm / (rm * A)
                x = 0.75 * A * s1 + m
                add_to(vals, ints, k, 3, s, wide, 3, s,
                       3.0 * L / 8.0 * rf + (x - 2.0 * q1 / (ra * A)) * bf)  # fmt: skip
                add_to(vals, ints, k, 3, s, wide, 3, s + 1,
                       L / 8.0 * rg + (0.25 * A * s1 + m) * bg)  # fmt: skip
                add_to(vals, ints, k, 3, s + 1, wide, 3, s,
                       L / 8.0 * rf + (0.25 * A * s2 - m) * bf)  # fmt: skip
                x = 0.75 * A * s2 - m
                add_to(vals, ints, k, 3, s + 1, wide, 3, s + 1,
                       3.0 * L / 8.0 * rg + (x + 2.0 * q2 / (rb * A)) * bg)  # fmt: skip
                dm = -0.5 * drm / rm
                y1, y2 = dm * (flux + A * l1), dm * (A * l2 - flux)
                add_to(vals, ints, k, 3, s, w1, e1, r1, (y1 + at1 * dra / ra - 0.5 * A) * bp1)
                add_to(vals, ints, k, 3, s, w2, e2, r2, (y1 + 0.5 * A) * bp2)
                add_to(vals, ints, k, 3, s + 1, w1, e1, r1, (y2 - 0.5 * A) * bp1)
                add_to(vals, ints, k, 3, s + 1, w2, e2, r2, (y2 - at2 * drb / rb + 0.5 * A) * bp2)
        if motion.coef[OUT] != 0.0:
            write(loads.out, k, pipe_outputs(ints, reals, k, values))


DYNAMIC_PIPE = Family(
    "hydraulic dynamic pipe", Kernel(dynamic_pipe_kernel), bodies=ENDS, reals=DYNAMIC.end,
    integers=2,
    outputs=(
        Output("mass_flow_1", "kg/s"), Output("mass_flow_2", "kg/s"), Output("reynolds", "1"),
        STORED_ENERGY, KINETIC_ENERGY,
    ),
)  # fmt: skip


MOST_ELEMENTS = 1000  # with 300 a step takes a second, and time grows with the cube


@dataclass(eq=False)
class DynamicPipe(Item):
    """A pipe of compressible fluid in which pressure waves run.

    p1, p2 are its ends; diameter and length in m, elements: the number of finite volumes (default
    4); area and roughness as those of a Pipe; flow (kg/s) and pressure (Pa; without it, between
    those of its ends) at the start.  The walls are rigid; for flexible ones give the fluid a lower
    bulk modulus.

    Outputs: cell_flow (kg/s), two for each element; inner_pressure (Pa) between elements;
    mass_flow_1, mass_flow_2 (kg/s) near its ends; reynolds number; stored_energy (J) of compression
    and kinetic_energy (J).
    """

    p1: Port
    p2: Port
    diameter: float | None = None
    length: Number = given(None)
    elements: int = 4
    area: float | None = None
    roughness: float = 0.0
    flow: float = 0.0
    pressure: float | None = None
    flows: Node = field(init=False, repr=False)
    inner: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_pipe(self)
        what = self.label
        if not ports(self, "p1", "p2").compressible:
            raise ModelError(
                f"{what} is about waves, but its fluid is incompressible; give the Fluid a "
                "bulk_modulus, or use a Pipe"
            )
        n = checks.count(self.elements, f"elements of {what}")
        if n > MOST_ELEMENTS:
            raise ModelError(
                f"elements of {what} must be at most {MOST_ELEMENTS}, because their equations are "
                f"solved as one block, but {n} was given; join several pipes"
            )
        self.flow = checks.number(self.flow, f"flow of {what}")
        if self.pressure is not None:
            self.pressure = checks.number(self.pressure, f"pressure of {what}")
        if "flows" not in self.__dict__ or self.flows.size != 2 * n:
            self.flows = Node(vector("cell flow", 2 * n, 1, "kg/s"), scale=FLOW_SIZE)
            self.inner = Node(vector("inner pressure", max(n - 1, 1), 1, "Pa"), scale=1e5)
        self.flows.value = np.full(2 * n, self.flow)
        first, last = (float(p.node.value[0]) for p in (self.p1, self.p2))
        between = np.linspace(first, last, max(n, 2) + 1)[1:-1]
        if self.pressure is not None:
            between[:] = self.pressure
        self.inner.value = between

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def vector_nodes(self) -> list[Node]:
        return [self.flows] if self.elements == 1 else [self.inner, self.flows]

    def rates_needed(self) -> list[Node]:
        return [self.p1.node, self.p2.node]

    def entries(self) -> list[Entry]:
        reals = pipe_reals(self, self.length / self.elements)
        between = REFERENCE if self.elements == 1 else self.inner
        ends = (self.p1.node, self.p2.node, between, self.flows)
        return [Entry(DYNAMIC_PIPE, ends, reals, integers=(self.elements, self.p1.fluid.kind))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        fluid = sample_fluid(rng)
        p1, p2 = (Pressure(fluid, x) for x in rng.uniform(1, 3, 2))
        n = int(rng.integers(2, 7))
        return [p1, p2, cls(p1, p2, 0.5, rng.uniform(1, 2), n, flow=0.3)]
