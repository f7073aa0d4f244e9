"""A number with a linear equation of its own.

    m(t) q̈ + c q̇ + k q = f

of order two, one or zero as its coefficients say.  f may depend on time and, through readings, on
all that moves, on q itself too; other elements may add to the equation (quantity_law.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    BY_RATE, BY_SECOND, BY_VALUE, RATE, SECOND, TANGENT, VALUE,
)  # fmt: skip
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.given import Function, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.registry import Entry, Family, Item

LOAD, MASS, DAMPING, STIFFNESS, REALS = record(load=1, mass=1, damping=1, stiffness=1, reals=0)


def quantity_kernel(ints, reals, motion, loads):
    values, tangent = motion.values, motion.coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        i, m, c, s = ints[k, 0], reals[k, MASS], reals[k, DAMPING], reals[k, STIFFNESS]
        inner = m * values[SECOND, i] + c * values[RATE, i] + s * values[VALUE, i]
        loads.balance[i] += inner - reals[k, LOAD]
        if tangent:
            slope = m * values[BY_SECOND, i] + c * values[BY_RATE, i] + s * values[BY_VALUE, i]
            loads.vals[ints[k, 1]] += slope


QUANTITY = Family("quantity", Kernel(quantity_kernel), bodies=1, reals=REALS)


@dataclass(eq=False)
class Quantity(Item):
    """A number q with the equation mass q̈ + damping q̇ + stiffness q = load.

    value and rate are those at the start (of order zero the value, of order one the rate are
    guesses).  mass may be a function of time; load is a number, a function of time, or a drive with
    readings (lw.reads) of bodies, joints and other quantities.  order is that of the highest
    derivative with a coefficient; give it where other elements bring higher ones.  scale is a
    typical size of q (default 1).  Outputs: value, value_rate.

    Example
    -------
    A temperature that follows that of its surroundings, 20 degrees, within 5 s:

    >>> import linkwork as lw
    >>> plate = lw.Quantity(80.0, damping=5.0, stiffness=1.0, load=20.0)
    >>> warm = lw.reads(plate, "value")
    """

    value: float = 0.0
    rate: float = 0.0
    mass: Function = given(0.0)
    damping: float = 0.0
    stiffness: float = 0.0
    load: Function = given(0.0)
    order: int | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        what = self.label
        for word in ("value", "rate", "damping", "stiffness"):
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}"))
        self.mass = as_drive(self.mass, f"mass of {what}")
        self.load = as_drive(self.load, f"load of {what}", follows=True)
        self.scale = checks.number(self.scale, f"scale of {what}", positive=True)
        known = type(self.order) is int and self.order in (0, 1, 2)
        if self.order is not None and not known:
            raise ModelError(
                f"order of {what} must be 0, 1 or 2, but {checks.show(self.order)} was given"
            )
        if self.order is not None and self.order < self._least_order:
            raise ModelError(
                f"order of {what} is {self.order}, but its equation is of order "
                f"{self._least_order}; leave out order, or the coefficient"
            )
        order = self._least_order if self.order is None else self.order
        self.node = Node(scalar("value", order), self.value, self.rate, scale=self.scale)

    @property
    def _least_order(self) -> int:
        if self.mass != as_drive(0.0):
            return 2
        return 1 if self.damping else 0

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def entries(self) -> list[Entry]:
        reals = np.array([0.0, 0.0, self.damping, self.stiffness])
        laws = [factor_law(LOAD, self.load), factor_law(MASS, self.mass)]
        return [Entry(QUANTITY, (self.node,), reals, laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Quantity:
        from linkwork.model.drives import sine

        m, c, k = rng.uniform(1, 2, 3)
        return cls(rng.normal(), rng.normal(), m, c, k, sine(1.5, 0.3, 0.7))
