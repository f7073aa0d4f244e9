"""The moving part of a valve: the spool of a control valve, the poppet of a pressure valve.

    m s̈ + c ṡ + k s + stops = F + F₀ + A (p_a − p_b)    F a force that is given, F₀ of the spring
    mass flow from node a to node b                      ρ A ṡ, ρ at the mean of both pressures

The stops push back with c₁ (s − s_end) + c₂ ṡ + c₃ s̈ (accumulator).  Fluid that is displaced gives
ρ A ṡ (h_a − h_b) and the part gets A ṡ (p_a − p_b); the difference is lost, to expansion.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.hydraulics.accumulator import beyond_stops, stop
from linkwork.elements.hydraulics.fluids import density, specific_energy
from linkwork.elements.hydraulics.valves.passages import PASSAGE
from linkwork.elements.layout import (
    BY_RATE, BY_SECOND, BY_VALUE, RATE, SECOND, TANGENT, VALUE,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.given import Number
from linkwork.model.nodes import Node, scalar
from linkwork.model.registry import Item

FORCE, PRELOAD, MASS, DAMPING, STIFFNESS, AREA, LOW, HIGH, C1, C2, C3, REALS = record(
    PASSAGE, force=1, preload=1, mass=1, damping=1, stiffness=1, area=1, low=1, high=1, c1=1, c2=1,
    c3=1, reals=0,
)  # fmt: skip


@inlined
def move_part(ints, reals, k, motion, loads, ends, a, b, part):
    """The part's own equation, and what it displaces; a, b and part say which ends these are."""
    values, vals = motion.values, loads.vals
    i, j, n = ints[k, a], ints[k, b], ints[k, part]
    s, v, acc = values[VALUE, n], values[RATE, n], values[SECOND, n]
    m, c, stiff, A = reals[k, MASS], reals[k, DAMPING], reals[k, STIFFNESS], reals[k, AREA]
    low, high, force = reals[k, LOW], reals[k, HIGH], reals[k, FORCE]
    held, kx, kv, ka = stop(s, v, acc, low, high, reals[k, C1], reals[k, C2], reals[k, C3])
    pa, pb = values[VALUE, i], values[VALUE, j]
    rho, first, _ = density(ints, reals, k, 0.5 * (pa + pb))
    q = rho * A * v
    loads.balance[i] += q
    loads.balance[j] -= q
    loads.balance[n] += m * acc + c * v + stiff * s + held - force
    loads.balance[n] -= reals[k, PRELOAD] + A * (pa - pb)
    elastic = kx * (s - (low if s < low else high))
    loads.power[0] += c * v * v + (held - elastic) * v
    if A != 0.0:
        head = specific_energy(ints, reals, k, pa) - specific_energy(ints, reals, k, pb)
        loads.power[0] += q * head - A * v * (pa - pb)
    loads.power[1] += force * v
    if motion.coef[TANGENT] != 0.0:
        by_a, by_b = values[BY_VALUE, i], values[BY_VALUE, j]
        half, moved = 0.5 * first * A * v, rho * A * values[BY_RATE, n]
        at = ends + ends * a
        vals[ints[k, at + a]] += half * by_a
        vals[ints[k, at + b]] += half * by_b
        vals[ints[k, at + part]] += moved
        at = ends + ends * b
        vals[ints[k, at + a]] -= half * by_a
        vals[ints[k, at + b]] -= half * by_b
        vals[ints[k, at + part]] -= moved
        at = ends + ends * part
        vals[ints[k, at + a]] -= A * by_a
        vals[ints[k, at + b]] += A * by_b
        vals[ints[k, at + part]] += (
            (m + ka) * values[BY_SECOND, n] + (c + kv) * values[BY_RATE, n]
            + (stiff + kx) * values[BY_VALUE, n]
        )  # fmt: skip


@inlined
def part_energy(reals, k, values, n):
    """That of the spring and of the stops, and kinetic energy."""
    s, v = values[VALUE, n], values[RATE, n]
    beyond = beyond_stops(s, reals[k, LOW], reals[k, HIGH])
    stored = s * (0.5 * reals[k, STIFFNESS] * s - reals[k, PRELOAD])
    return stored + 0.5 * reals[k, C1] * beyond * beyond, 0.5 * reals[k, MASS] * v * v


class MovingPart(Item, abstract=True):
    """What valves with a moving part share: its mass, spring, damper and stops."""

    mass: Number
    stiffness: float
    damping: float
    position: float
    leakage: float
    discharge: float
    stop_stiffness: float
    stop_damping: float
    stop_mass: float
    node: Node

    def check_part(self, name: str, way: str, positive: tuple[str, ...], other: tuple) -> None:
        """Check the words; the part is a node of that name, and its way that of the word `way`."""
        what = self.label
        for word in ("mass", "discharge", way, *positive):
            given = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
            setattr(self, word, given)
        for word in ("stiffness", "damping", "leakage", "stop_stiffness", "stop_damping",
                     "stop_mass", *other):  # fmt: skip
            given = checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
            setattr(self, word, given)
        for word in ("leakage", "discharge"):
            checks.number(getattr(self, word), f"{word} of {what}", maximum=1)
        self.position = checks.number(self.position, f"position of {what}")
        size = getattr(self, way)
        if "node" not in self.__dict__:
            self.node = Node(scalar(name, 2, "m"), scale=size)
        self.node.value, self.node.scale = np.array([self.position]), size

    def part_reals(self, preload: float, area: float, low: float, high: float) -> list[float]:
        return [
            0.0, preload, self.mass, self.damping, self.stiffness, area, low, high,
            self.stop_stiffness, self.stop_damping, self.stop_mass,
        ]  # fmt: skip

    def vector_nodes(self) -> list[Node]:
        return [self.node]
