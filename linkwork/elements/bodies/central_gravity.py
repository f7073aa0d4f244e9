"""Gravity towards a point, as of a planet: Newton's law of gravitation.

    F = −μ m d/|d|³,   d = p − c,   V = −μ m/|d|          μ = G M
    K = μ m (I − 3 d dᵀ/|d|²)/|d|³

at the centre p = r + R u of a mass on a body, where the moment is u × RᵀF, or at a point.  The
field is taken as uniform over the inertia about p.  A mass that changes, or moves by u̇ in its body,
takes up −F·R u̇ − μ ṁ/|d| beside what forces on bodies do; it counts as supplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.other_masses import Attached, other_masses, rigid_masses
from linkwork.elements.layout import (
    BY_VALUE, CK, OUT, POS, ROT, TANGENT, VALUE, add33, write,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at9, cm, cross, dot, madd, mc, mm, mscale, mv, outer, scale,
    skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.given import Vector, given
from linkwork.model.nodes import Node
from linkwork.model.outputs import STORED_ENERGY
from linkwork.model.registry import Entry, Family, Item

# the arm is u
CENTRE, MU, MASS, ARM, MASS_RATE, ARM_RATE, REALS = record(
    centre=3, mu=1, mass=1, arm=3, mass_rate=1, arm_rate=3, reals=0
)
CHANGING = ("mass", "centre", "mass_rate", "centre_rate")
BODY, BASE = 0, 1


def central_gravity_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals = loads.f, loads.vals
    for k in range(ints.shape[0]):
        b, u, R = ints[k, BODY], at(reals, k, ARM), at9(nodes, ints[k, BODY], ROT)
        d = sub(add(at(nodes, b, POS), mv(R, u)), at(reals, k, CENTRE))
        r2 = dot(d, d)
        s = reals[k, MU] * reals[k, MASS] / (r2 * r2**0.5)
        local = tv(R, scale(s, d))
        accumulate(f, b, 0, scale(s, d))
        accumulate(f, b, 3, cross(u, local))
        lost = reals[k, MU] * reals[k, MASS_RATE] / r2**0.5
        loads.power[1] += dot(local, at(reals, k, ARM_RATE)) - lost
        if coef[OUT] != 0.0:
            write(loads.out, k, (-s * r2,))
        if coef[TANGENT] != 0.0:
            base, cK = ints[k, BASE], coef[CK]
            X = mscale(s, madd(IDENTITY, mscale(-3.0 / r2, outer(d, d))))
            Y = mm(X, mc(R, u))
            add33(vals, base, 0, 0, cK, X)
            add33(vals, base, 0, 3, -cK, Y)
            add33(vals, base, 3, 0, cK, cm(u, tm(R, X)))
            add33(vals, base, 3, 3, cK, cm(u, madd(skew(local), mscale(-1.0, tm(R, Y)))))


def point_kernel(ints, reals, motion, loads):
    values, coef = motion.values, motion.coef
    for k in range(ints.shape[0]):
        i = ints[k, BODY]
        p = values[VALUE, i], values[VALUE, i + 1], values[VALUE, i + 2]
        d = sub(p, at(reals, k, CENTRE))
        r2 = dot(d, d)
        s = reals[k, MU] * reals[k, MASS] / (r2 * r2**0.5)
        for j in range(3):
            loads.balance[i + j] += s * d[j]
        if coef[OUT] != 0.0:
            write(loads.out, k, (-s * r2,))
        if coef[TANGENT] != 0.0:
            X = mscale(s, madd(IDENTITY, mscale(-3.0 / r2, outer(d, d))))
            add33(loads.vals, ints[k, BASE], 0, 0, values[BY_VALUE, i], X)


CENTRAL_GRAVITY = Family(
    "central gravity", Kernel(central_gravity_kernel), bodies=1, reals=REALS,
    outputs=(STORED_ENERGY,), loads=(MU,),
)  # fmt: skip
CENTRAL_GRAVITY_OF_POINT = Family(
    "central gravity of a point", Kernel(point_kernel), bodies=1, reals=REALS,
    outputs=(STORED_ENERGY,), loads=(MU,),
)  # fmt: skip


@dataclass(eq=False)
class CentralGravity(Item):
    """Attracts bodies towards a point, with the acceleration μ/d² at the distance d.

    attracted : a body or a list of them; other items with mass too: a VariableMass, a Cable, a Beam
    mu        : G M (m³/s²), for the earth 3.986e14
    centre    : the point (m, world axes); default (0, 0, 0)

    The model's own gravity is not changed.  Outputs: stored_energy.

    Example
    -------
    >>> import linkwork as lw
    >>> satellite = lw.Body(100, (10, 10, 10), position=(7e6, 0, 0), velocity=(0, 7546, 0))
    >>> earth = lw.CentralGravity(satellite, mu=3.986e14)
    """

    attracted: Item | Sequence[Item]
    mu: float
    centre: Vector = given((0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        several = isinstance(self.attracted, (list, tuple)) and len(self.attracted) > 0
        self.attracted = list(self.attracted) if several else [self.attracted]  # type: ignore[list-item,arg-type]
        for item in self.attracted:
            rigid_masses(item, self.label) if not isinstance(item, Body) else None
        self.mu = checks.number(self.mu, f"mu of {self.label}", positive=True)
        self.centre = checks.vector(self.centre, f"centre of {self.label}")

    def needs(self) -> tuple[Item, ...]:
        return tuple(x for x in self.attracted if not isinstance(x, Body))  # type: ignore[union-attr]

    def masses(self) -> list[Attached]:
        return [x for item in self.attracted for x in rigid_masses(item, self.label)]  # type: ignore[union-attr]

    def field(self, places: np.ndarray) -> np.ndarray:
        """Its acceleration (m/s²) at places (T, 3)."""
        d = places - self.centre
        return -self.mu * d / np.linalg.norm(d, axis=1)[:, None] ** 3

    @classmethod
    def refuse_beside(cls, items: list[Item]) -> None:
        centres = [item for item in items if isinstance(item, cls)]
        for item, bodies in other_masses(items).items():
            loaded = set(map(id, bodies))
            for centre in centres:
                attracted = list(map(id, centre.attracted))  # type: ignore[arg-type]
                for mass in centre.masses():
                    if id(mass.end) in loaded and id(item) not in attracted:
                        raise ModelError(
                            f"{centre.label} attracts the mass of {mass.end.label} itself, but not "
                            f"what {item.label} adds to it; add {item.label} to attracted="
                        )

    def entries(self) -> list[Entry]:
        made = []
        for x in self.masses():
            reals = np.zeros(REALS)
            reals[CENTRE:ARM] = *self.centre, self.mu, x.start.mass
            reals[ARM:MASS_RATE] = x.start.centre
            family = CENTRAL_GRAVITY_OF_POINT if isinstance(x.end, Node) else CENTRAL_GRAVITY
            laws = x.law(MASS, CHANGING, REALS - MASS)
            made.append(Entry(family, (x.end,), reals, laws=laws))
        return made

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.variable_mass import VariableMass
        from linkwork.elements.cables.cable import Cable

        more = [VariableMass.sample(rng, a, b), Cable.sample(rng, a, b)]
        return [*more, cls([a, b, *more], rng.uniform(1, 3), 3 * rng.normal(size=3))]
