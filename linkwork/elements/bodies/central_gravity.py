"""Gravity towards a point, as of a planet: Newton's law of gravitation.

    F = −μ m d/|d|³,   d = r − c,   V = −μ m/|d|          μ = G M, at the centre of mass
    K = μ m (I − 3 d dᵀ/|d|²)/|d|³

The field is taken as uniform over the body: no torque.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.other_masses import other_masses
from linkwork.elements.layout import CK, POS, TANGENT, add33
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import IDENTITY, accumulate, at, dot, madd, mscale, outer, scale, sub
from linkwork.model import checks
from linkwork.model.given import Vector, given
from linkwork.model.registry import Entry, Family, Item

# the strength is μ m
CENTRE, STRENGTH, REALS = record(centre=3, strength=1, reals=0)
BODY, BASE = 0, 1


def central_gravity_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals = loads.f, loads.vals
    for k in range(ints.shape[0]):
        b = ints[k, BODY]
        d = sub(at(nodes, b, POS), at(reals, k, CENTRE))
        r2 = dot(d, d)
        s = reals[k, STRENGTH] / (r2 * r2**0.5)
        accumulate(f, b, 0, scale(s, d))
        if coef[TANGENT] != 0.0:
            X = madd(IDENTITY, mscale(-3.0 / r2, outer(d, d)))
            add33(vals, ints[k, BASE], 0, 0, coef[CK] * s, X)


def central_potential(reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    d = np.linalg.norm(r[0] - reals[:, CENTRE : CENTRE + 3], axis=1)
    return -reals[:, STRENGTH] / d


CENTRAL_GRAVITY = Family(
    "central gravity", Kernel(central_gravity_kernel), bodies=1, reals=REALS,
    potential=central_potential, loads=(STRENGTH,),
)  # fmt: skip


@dataclass(eq=False)
class CentralGravity(Item):
    """Attracts bodies towards a point, with the acceleration μ/d² at the distance d.

    attracted : a body or a list of them
    mu        : G M (m³/s²), for the earth 3.986e14
    centre    : the point (m, world axes); default (0, 0, 0)

    The model's own gravity is not changed.

    Example
    -------
    >>> import linkwork as lw
    >>> satellite = lw.Body(100, (10, 10, 10), position=(7e6, 0, 0), velocity=(0, 7546, 0))
    >>> earth = lw.CentralGravity(satellite, mu=3.986e14)
    """

    attracted: Body | Sequence[Body]
    mu: float
    centre: Vector = given((0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        for body in self.bodies_attracted():
            if not isinstance(body, Body):
                raise ModelError(f"{self.label} attracts bodies, but {checks.show(body)} was given")
        self.attracted = self.bodies_attracted()
        self.mu = checks.number(self.mu, f"mu of {self.label}", positive=True)
        self.centre = checks.vector(self.centre, f"centre of {self.label}")

    def bodies_attracted(self) -> list[Body]:
        """One body or several, as a list."""
        several = isinstance(self.attracted, (list, tuple)) and len(self.attracted) > 0
        return list(self.attracted) if several else [self.attracted]  # type: ignore[list-item,arg-type]

    @classmethod
    def refuse_beside(cls, items: list[Item]) -> None:
        centres = [item for item in items if isinstance(item, cls)]
        for item, bodies in other_masses(items).items():
            loaded = set(map(id, bodies))
            for centre in centres:
                for body in centre.bodies_attracted():
                    if id(body) in loaded:
                        raise ModelError(
                            f"{centre.label} attracts the mass of {body.label} itself, but not "
                            f"what {item.label} adds to it; give the mass to the body, or to "
                            "another one that is fixed to it"
                        )

    def entries(self) -> list[Entry]:
        made = []
        for body in self.bodies_attracted():
            reals = np.array([*self.centre, self.mu * body.mass])
            made.append(Entry(CENTRAL_GRAVITY, (body,), reals))
        return made

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> CentralGravity:
        return cls([a, b], rng.uniform(1, 3), 3 * rng.normal(size=3))
