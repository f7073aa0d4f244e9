"""The straight Euler-Bernoulli beam in finite elements, and its modes.

Nodes have six unknowns u v w θx θy θz: linear functions for stretch u and twist θx, Hermite's
cubics for bending, θz = v′ and θy = −w′.  Four Gauss points per element integrate mass and
stiffness of these functions exactly:

    K = ∫ EA u′² + GJ θx′² + EIz v″² + EIy w″²,   M = ∫ μ (u² + v² + w²) + Jx θx² + Jy w′² + Jz v′²

The four motions, stretch, twist and bending in two planes, do not know of each other, so that modes
are sought in each by itself: M φ = K φ/ω², which stands a section without rotary inertia.

- R. R. Craig, M. C. C. Bampton: Coupling of substructures for dynamic analyses. AIAA Journal 6
  (1968): static shapes for unit motions of the tip with the root held, and modes with both held.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.math.sparse import dense as la

from linkwork.elements.flexible.section import Section

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(4)
MOTIONS = {"stretch": (0,), "bending y": (1, 5), "bending z": (2, 4), "twist": (3,)}


@dataclass(frozen=True)
class Beam:
    """A beam of a length in equal elements; matrices over its 6 (elements + 1) unknowns."""

    length: float
    section: Section
    elements: int

    @property
    def unknowns(self) -> int:
        return 6 * (self.elements + 1)

    def functions(self, x: np.ndarray, order: int = 0) -> np.ndarray:
        """(n, 6, unknowns): u v w θx θy θz at places x along the beam, or their `order`-th
        derivatives."""
        h = self.length / self.elements
        e = np.clip((x / h).astype(int), 0, self.elements - 1)
        t = x / h - e
        out = np.zeros((len(x), 6, self.unknowns))
        at, first = np.arange(len(x)), 6 * e
        linear = ((1 - t, t), (-np.ones_like(t) / h, np.ones_like(t) / h))[order]
        for node in range(2):
            for i in (0, 3):
                out[at, i, first + 6 * node + i] = linear[node]
        deflection, slope = hermite(t, h, order), hermite(t, h, order + 1)
        for node in range(2):
            for k, (v, w) in enumerate(((1, 2), (5, 4))):  # displacement, then rotation of a node
                sign = -1.0 if k else 1.0  # θy = −w′
                place = first + 6 * node
                out[at, 1, place + v] = deflection[2 * node + k]
                out[at, 5, place + v] = slope[2 * node + k]
                out[at, 2, place + w] = sign * deflection[2 * node + k]
                out[at, 4, place + w] = -sign * slope[2 * node + k]
        return out

    def gauss(self) -> tuple[np.ndarray, np.ndarray]:
        """Places and lengths of the integration points."""
        h = self.length / self.elements
        x = (np.arange(self.elements)[:, None] + (POINTS + 1) / 2) * h
        return x.ravel(), np.tile(WEIGHTS * h / 2, self.elements)

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and mass: those of one element, added up for all."""
        own = Beam(self.length / self.elements, self.section, 1)
        x, dx = own.gauss()
        s = self.section
        stiffness = np.array([s.EA, 0, 0, s.GJ, s.EIy, s.EIz])  # θy′² = w″², θz′² = v″²
        inertia = np.array([s.mass] * 3 + [s.Jx, s.Jy, s.Jz])
        found = []
        for functions, factor in ((own.functions(x, 1), stiffness), (own.functions(x), inertia)):
            f = functions.reshape(6 * len(x), -1)
            one = f.T @ (np.outer(dx, factor).reshape(-1, 1) * f)
            whole = np.zeros((self.unknowns, self.unknowns))
            for first in range(0, self.unknowns - 6, 6):
                part = slice(first, first + own.unknowns)
                whole[part, part] += one
            found.append(whole)
        K, M = found
        return K, M

    def motion(self, name: str) -> np.ndarray:
        """The unknowns of one of the four motions, node by node."""
        return np.array([6 * n + i for n in range(self.elements + 1) for i in MOTIONS[name]])


def hermite(t: np.ndarray, h: float, order: int) -> list[np.ndarray]:
    """Hermite's cubics of displacement and slope at both ends, `order`-th derivative by x."""
    if order == 0:
        rise = t * t * (3 - 2 * t)
        return [1 - rise, h * t * (1 - t) ** 2, rise, h * t * t * (t - 1)]
    if order == 1:
        rise = 6 * t * (1 - t) / h
        return [-rise, (1 - t) * (1 - 3 * t), rise, t * (3 * t - 2)]
    rise = 6 * (1 - 2 * t) / h**2
    return [-rise, (6 * t - 4) / h, rise, (6 * t - 2) / h]


def held_shapes(K: np.ndarray, M: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω² and shapes (unknowns, n) of a motion with some unknowns held, slowest first.

    Shapes without mass (ω² infinite) are left out.
    """
    free = np.setdiff1d(np.arange(len(K)), held)
    k, m = K[np.ix_(free, free)], M[np.ix_(free, free)]
    if not len(free):
        return np.zeros(0), np.zeros((len(K), 0))
    softness, vectors = la.eigh(m, k)
    softness, vectors = softness[::-1], vectors[:, ::-1]
    some = softness > 1e-14 * max(softness[0], 1e-300)
    shapes = np.zeros((len(K), int(some.sum())))
    shapes[free] = vectors[:, some]
    return 1 / softness[some], shapes


def tip_shapes(K: np.ndarray, root: np.ndarray, tip: np.ndarray) -> np.ndarray:
    """Static shapes for unit motions of the tip with the root held, (unknowns, tip)."""
    inner = np.setdiff1d(np.arange(len(K)), np.concatenate([root, tip]))
    shapes = np.zeros((len(K), len(tip)))
    shapes[tip, np.arange(len(tip))] = 1.0
    size = 1 / np.sqrt(np.diag(K)[inner])[:, None]  # displacements beside slopes, in any units
    scaled = size * K[np.ix_(inner, inner)] * size.T
    shapes[inner] = -size * la.solve(scaled, size * K[np.ix_(inner, tip)], assume_a="pos")
    return shapes


def orthogonal(K: np.ndarray, M: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mixtures of shapes that are orthogonal in K and M: ω² and shapes.

    Raises ValueError where one of them has no mass.
    """
    k, m = shapes.T @ K @ shapes, shapes.T @ M @ shapes
    softness, mix = la.eigh((m + m.T) / 2, (k + k.T) / 2)
    if len(softness) and softness.min() <= 1e-14 * softness.max():
        raise ValueError("massless")
    return 1 / softness[::-1], shapes @ mix[:, ::-1]
