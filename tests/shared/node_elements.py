"""Elements with vector nodes for the tests: a first-order, a second-order and an algebraic one, and
one that couples a body with a pressure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.extend import (
    BY_RATE,
    BY_SECOND,
    BY_VALUE,
    CD,
    CK,
    RATE,
    REFERENCE,
    ROT,
    SECOND,
    STRIDE,
    TANGENT,
    VALUE,
    VEL,
    Entry,
    Family,
    Item,
    Kernel,
    Node,
    as_drive,
    factor_law,
    scalar,
    vector,
)

# ------------------------------------------------------------------ c q̇ + k q + e q³ = u(t)
INPUT, RATE_FACTOR, STIFFNESS, CUBIC, SLOW_REALS = range(5)


def slow_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        i, block = ints[k, 0], ints[k, 1]
        c, s, e, q = reals[k, 1], reals[k, 2], reals[k, 3], values[VALUE, i]
        loads.balance[i] += c * values[RATE, i] + s * q + e * q * q * q - reals[k, INPUT]
        if motion.coef[TANGENT] != 0.0:
            slope = s + 3.0 * e * q * q
            loads.vals[block] += c * values[BY_RATE, i] + slope * values[BY_VALUE, i]


SLOW = Family("slow", Kernel(slow_kernel), bodies=1, reals=SLOW_REALS)


@dataclass(eq=False)
class Slow(Item, abstract=True):
    """c q̇ + k q + e q³ = u; without c an equation of order zero."""

    c: float
    k: float
    e: float = 0.0
    u: Any = 0.0
    start: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        self.u = as_drive(self.u, what="u of Slow", follows=True)
        self.node = Node(scalar("level", 1 if self.c else 0, "m"), self.start, scale=self.scale)

    def vector_nodes(self):
        return [self.node]

    def entries(self):
        reals = np.array([0.0, self.c, self.k, self.e])
        return [Entry(SLOW, (self.node,), reals, laws=[factor_law(INPUT, self.u)])]


# --------------------------------------------------------- M q̈ + D q̇ + K q = 0, q of n numbers
def modal_kernel(ints, reals, motion, loads):
    values, n = motion.values, 0
    while 3 * n * n < reals.shape[1]:
        n += 1
    width = 8 * ((n + 7) // 8)
    for k in range(ints.shape[0]):
        first, block = ints[k, 0], ints[k, 1]
        for i in range(n):
            for j in range(n):
                a, p, q = first + j, n * i + j, n * n
                m, d, s = reals[k, p], reals[k, q + p], reals[k, 2 * q + p]
                loads.balance[first + i] += (
                    m * values[SECOND, a] + d * values[RATE, a] + s * values[VALUE, a]
                )
                if motion.coef[TANGENT] != 0.0:
                    loads.vals[block + width * i + j] += (
                        m * values[BY_SECOND, a] + d * values[BY_RATE, a] + s * values[BY_VALUE, a]
                    )


MODAL_KERNEL = Kernel(modal_kernel)


@dataclass(eq=False)
class Oscillators(Item, abstract=True):
    """M q̈ + D q̇ + K q = 0."""

    M: Any
    D: Any
    K: Any
    start: Any = 0.0
    rate: Any = 0.0

    def __post_init__(self) -> None:
        n = len(self.M)
        self.node = Node(vector("amplitude", n, 2, "m"), self.start, self.rate)
        self.family = Family(f"oscillators {n}", MODAL_KERNEL, bodies=1, reals=3 * n * n)

    def vector_nodes(self):
        return [self.node]

    def entries(self):
        reals = np.concatenate([np.ravel(x) for x in (self.M, self.D, self.K)])
        return [Entry(self.family, (self.node,), reals)]


# ------------------------------------------------------------- a resistor between scalar nodes
def resistor_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        a, b, g = ints[k, 0], ints[k, 1], reals[k, 0]
        current = g * (values[VALUE, a] - values[VALUE, b])
        loads.balance[a] += current
        loads.balance[b] -= current
        if motion.coef[TANGENT] != 0.0:
            for row, sign in ((0, 1.0), (1, -1.0)):
                loads.vals[ints[k, 2 + 2 * row]] += sign * g * values[BY_VALUE, a]
                loads.vals[ints[k, 3 + 2 * row]] -= sign * g * values[BY_VALUE, b]


RESISTOR = Family("resistor", Kernel(resistor_kernel), bodies=2, reals=1)


@dataclass(eq=False)
class Resistor(Item, abstract=True):
    a: Any
    b: Any
    conductance: float

    def entries(self):
        ends = tuple(x if x is REFERENCE else x.node for x in (self.a, self.b))
        return [Entry(RESISTOR, ends, np.array([self.conductance]))]


# ----------------------- a closed chamber behind a piston: V/β ṗ + A v_z = 0, force A p on the body
AREA, ELASTICITY, CHAMBER_REALS = range(3)


def chamber_kernel(ints, reals, motion, loads):
    """The piston is the body's z axis at its centre; blocks: bb, bp, pb, pp."""
    nodes, values, coef = motion.nodes, motion.values, motion.coef
    for k in range(ints.shape[0]):
        b, i, A, c = ints[k, 0], ints[k, 1], reals[k, AREA], reals[k, ELASTICITY]
        p = values[VALUE, i]
        speed = 0.0
        for j in range(3):
            speed += nodes[b, ROT + 3 * j + 2] * nodes[b, VEL + j]
            loads.f[b, j] -= A * p * nodes[b, ROT + 3 * j + 2]
        loads.balance[i] += c * values[RATE, i] + A * speed
        loads.power[1] += A * p * speed
        if coef[TANGENT] != 0.0:
            bb, bp, pb, pp = ints[k, 2], ints[k, 3], ints[k, 4], ints[k, 5]
            loads.vals[pp] += c * values[BY_RATE, i]
            for j in range(3):
                axis = nodes[b, ROT + 3 * j + 2]
                loads.vals[bp + STRIDE * j] -= A * axis * values[BY_VALUE, i]
                loads.vals[pb + j] += A * axis * coef[CD]
                # z turns by R (θ × e_z) = R (θ_y, −θ_x, 0)
                x, y = nodes[b, ROT + 3 * j], nodes[b, ROT + 3 * j + 1]
                loads.vals[bb + STRIDE * j + 4] -= A * p * x * coef[CK]
                loads.vals[bb + STRIDE * j + 3] += A * p * y * coef[CK]
                loads.vals[pb + 4] += A * x * nodes[b, VEL + j] * coef[CK]
                loads.vals[pb + 3] -= A * y * nodes[b, VEL + j] * coef[CK]


CHAMBER = Family("chamber", Kernel(chamber_kernel), bodies=2, reals=CHAMBER_REALS)


@dataclass(eq=False)
class Chamber(Item, abstract=True):
    """A closed chamber of compressible fluid behind a body: a spring of stiffness A²/elasticity."""

    body: Any
    area: float
    elasticity: float  # V/β
    pressure: float = 0.0

    def __post_init__(self) -> None:
        self.node = Node(scalar("pressure", 1, "Pa"), self.pressure, scale=1e5)

    def vector_nodes(self):
        return [self.node]

    def entries(self):
        reals = np.array([self.area, self.elasticity])
        return [Entry(CHAMBER, (self.body, self.node), reals)]
