"""How long an element that begins to act at a corner takes to stop what moves.

A body of mass m that arrives with the speed v is stopped by a force law within about T = 2.94 δ/v
(Hertz; π δ/v of a linear spring), δ the depth at which the law has stored m v²/2.  Damping alone
would stop it at the depth δ' where its coefficient c has ∫ c ds = m; T' = 2.94 min(δ, δ')/v.  Where
the damping c₀ is there from the corner on, forces jump there also when the body leaves, and a
piece that ends a time τ too late takes the part c₀ τ/m of its speed.

Of contacts m is the reduced mass of the two bodies.  Of a law on a joint it is that of the whole
mechanism where it was described: with the forces Jᵀ of a unit load of the element,

    [M  C_qᵀ; C_q  0] (a, γ) = (Jᵀ, 0),      1/m = J a
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.corners import Corner
from linkwork.elements.laws.base import ENERGY, PRESTRAIN, PRESTRESS, STRESS, addresses, over_times
from linkwork.errors import LinkworkError
from linkwork.system.data import Data
from linkwork.system.initial_conditions.consistent import highest_derivatives, solved
from linkwork.system.state import State

DEPTHS = np.logspace(-12, 0, 400)
LEAVES, AT_LEAST = 0.008, 512  # of m/c₀: how long a piece may be; but not more of T


class Duration:
    """How long an impact lasts, and a vibration at rest, by the law beyond a corner.

    Strains, rates and masses are those of the law: of a rod mass times length, per length.
    """

    def __init__(
        self, mass: float, corner: Corner, weight: float, place: float = 0.0, side: float = 1.0
    ) -> None:
        law, integers = corner.numbers, addresses(corner.integers)
        self.mass, numbers = mass, np.tile(law, (len(DEPTHS), 1))
        place += law[PRESTRAIN]
        strains = (place + side * DEPTHS)[:, None]
        at = over_times(integers, law[None], np.array([[place]]))[0]
        found = over_times(integers, numbers, strains)
        force = side * (found[:, STRESS] - at[STRESS])
        self.energy = found[:, ENERGY] - at[ENERGY] - side * at[STRESS] * DEPTHS
        if not self.energy.any():  # not counted as stored
            self.energy = integral(force)
        k = int(np.searchsorted(force, self.mass * weight))
        slope = np.gradient(force, DEPTHS)[min(k, len(DEPTHS) - 1)]
        self.at_rest = 2 * math.pi * math.sqrt(self.mass / slope) if slope > 0 < mass else math.inf
        rates = np.full((len(DEPTHS), 1), side)
        moving = over_times(integers, numbers, strains, rates)
        damped = side * (moving[:, STRESS] - found[:, STRESS])
        self.leaves = LEAVES * mass / damped[0] if damped[0] > 0 else math.inf
        k = int(np.searchsorted(integral(np.maximum(damped, 0.0)), self.mass))
        self.stops = float(DEPTHS[k]) if k < len(DEPTHS) else math.inf  # the depth δ'

    def speed(self, depth: float) -> float:
        """With which an impact reaches a depth, m/s."""
        stored = float(np.interp(depth, DEPTHS, self.energy))
        return math.sqrt(2 * stored / self.mass) if self.mass > 0 else 0.0

    def impact(self, speed: float) -> tuple[float, float]:
        """T and T' in s; infinite where the law stores nothing or there is no mass."""
        wanted = self.mass * speed * speed / 2
        if not (0 < speed < math.inf and wanted > 0 and self.energy[-1] > 0):
            return math.inf, math.inf
        # beyond the deepest: a speed of Newton's method that went astray; pieces know better
        depth = float(DEPTHS[min(int(np.searchsorted(self.energy, wanted)), len(DEPTHS) - 1)])
        return 2.94 * depth / speed, 2.94 * min(depth, self.stops) / speed


def integral(f: np.ndarray) -> np.ndarray:
    """∫ f ds from the first of the depths on."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (f[1:] + f[:-1]) * np.diff(DEPTHS))])


class Durations:
    """Those of the corners of one element, of which the shortest count.

    per_metre : rates of the element over speeds in m/s, by which touches of elements are compared
    weight    : acceleration of the element under the weight of its bodies
    """

    def __init__(self, corner: Corner, mass: float, gravity: float) -> None:
        self.per_metre = math.sqrt(corner.heavy / mass) if mass > 0 and corner.heavy > 0 else 1.0
        self.per_metre /= corner.length
        self.weight = gravity * self.per_metre
        self.corners = [
            Duration(mass * corner.length, corner, self.weight or self.per_metre, *place)
            for place in corner.places
        ]
        self.at_rest = min(x.at_rest for x in self.corners)
        self.leaves = min(x.leaves for x in self.corners)

    def speed(self, depth: float) -> float:
        return max(x.speed(depth) for x in self.corners)

    def impact(self, speed: float) -> tuple[float, float]:
        found = [x.impact(speed) for x in self.corners]
        return min(T for T, _ in found), min(begins for _, begins in found)

    def longest(self, T: float, pieces: int) -> float:
        """How long a piece of an impact may be."""
        return min(T / pieces, max(T / AT_LEAST, self.leaves))


def mass_moved(data: Data, number: int, corner: Corner) -> float:
    """m of an element of a system of its own, where the model was described; what its own bodies
    say where the equations are singular there."""
    system = data.system
    assert corner.column is not None
    state, by = system.described_state(), highest_derivatives(system)
    place = system.places[number].start + corner.column + PRESTRESS
    try:
        e = data.evaluate(state, cM=1.0, cD=0.0, cK=0.0, rates=True, by=by)
        load = unit_load(data, state, place)
        rhs = np.concatenate([load, np.zeros(data.rows)])
        inverse = float(load @ solved(data, e.values, rhs, state)[: len(load)])
    except LinkworkError:
        return corner.mass
    return 1 / inverse if np.isfinite(inverse) and inverse > 0 else corner.mass


def unit_load(data: Data, state: State, place: int) -> np.ndarray:
    """What one more unit of the pre-stress at a place adds to the residual."""
    reals, driven = data.tables.reals, data.tables.targets == place
    laws = data.schedule(np.array([state.time]))[0]
    before = data.evaluate(state, tangent=False, laws=laws).residual
    reals[place] += 1.0
    after = data.evaluate(state, tangent=False, laws=laws + driven).residual
    reals[place] -= 1.0
    return after - before
