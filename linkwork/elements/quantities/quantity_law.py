"""A constitutive law of one component between two quantities, or of one quantity alone.

    ε = q₂ − q₁ − d(t),   ε̇ likewise,   σ(ε, ε̇) in the equation of q₂ and −σ in that of q₁
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.deformable.joint_kernel import room
from linkwork.elements.laws import LinearViscoelastic
from linkwork.elements.laws.base import (
    KD, KE, STRAIN, STRESS, WANTED, WORK, law_at, law_numbers, padded, respond,
)  # fmt: skip
from linkwork.elements.laws.base import ConstitutiveLaw, RATE as STRAIN_RATE
from linkwork.elements.layout import BY_RATE, BY_VALUE, RATE, TANGENT, VALUE, int_width
from linkwork.elements.quantities.quantity import Quantity
from linkwork.errors import ModelError
from linkwork.math.kernel import Kernel
from linkwork.math.memory.pointers import begin
from linkwork.math.record import record
from linkwork.model import checks
from linkwork.model.drives import Constant, as_drive
from linkwork.model.frame import GROUND, Ground
from linkwork.model.given import Function, given
from linkwork.model.nodes import REFERENCE
from linkwork.model.registry import Entry, Family, Item, Law

OFFSET, OFFSET_RATE, LAW = record(offset=1, offset_rate=1, law=0)
LAW_CODES = int_width(2, 0)  # integers of the law
A, B, AA, AB, BA, BB = range(6)


def quantity_law_kernel(ints, reals, motion, loads):
    values, balance, vals = motion.values, loads.balance, loads.vals
    y = np.zeros(WORK)
    for k in range(ints.shape[0]):
        a, b = ints[k, A], ints[k, B]
        y[STRAIN] = values[VALUE, b] - values[VALUE, a] - reals[k, OFFSET]
        y[STRAIN_RATE] = values[RATE, b] - values[RATE, a] - reals[k, OFFSET_RATE]
        y[WANTED] = 0.0
        law = law_at(reals, k, LAW)
        respond(motion.time, law, begin(y), law_at(ints, k, LAW_CODES))
        balance[b] += y[STRESS]
        balance[a] -= y[STRESS]
        if motion.coef[TANGENT] != 0.0:
            of_a = y[KE] * values[BY_VALUE, a] + y[KD] * values[BY_RATE, a]
            of_b = y[KE] * values[BY_VALUE, b] + y[KD] * values[BY_RATE, b]
            vals[ints[k, AA]] += of_a
            vals[ints[k, AB]] -= of_b
            vals[ints[k, BA]] -= of_a
            vals[ints[k, BB]] += of_b


QUANTITY_LAW_KERNEL = Kernel(quantity_law_kernel, allocates=True)


@functools.cache
def quantity_law_family(places: int) -> Family:
    """Laws with at most so many numbers; all share one kernel."""
    name = f"quantity law of {places}"
    return Family(name, QUANTITY_LAW_KERNEL, bodies=2, reals=LAW + places, integers=places)


@dataclass(eq=False)
class QuantityLaw(Item):
    """A spring, a damper or any law of one component between two quantities.

    first and second are Quantities, or GROUND for what stays zero; law gives what is exchanged from
    second − first − offset and its rate.  offset is a number or a function of time.  A law with
    rates needs quantities of order one or two.

    Example
    -------
    >>> import linkwork as lw
    >>> warm, cold = lw.Quantity(80.0, damping=5.0), lw.Quantity(20.0, damping=9.0)
    >>> wall = lw.QuantityLaw(warm, cold, law=lw.laws.LinearElastic(0.4))
    """

    first: Quantity | Ground
    second: Quantity | Ground
    law: ConstitutiveLaw | None = None
    offset: Function = given(0.0)

    def __post_init__(self) -> None:
        for word in ("first", "second"):
            end = getattr(self, word)
            if end is not GROUND and not isinstance(end, Quantity):
                raise ModelError(
                    f"{word} of {self.label} must be a Quantity or GROUND, but {checks.show(end)} "
                    "was given"
                )
        if self.first is self.second:
            raise ModelError(f"{self.label} would join {self.first!r} with itself; give two ends")
        self.offset = as_drive(self.offset, f"offset of {self.label}")
        law_numbers(self.law, 1, self.label, LAW)

    def needs(self) -> tuple[Item, ...]:
        return tuple(end for end in (self.first, self.second) if isinstance(end, Quantity))

    def entries(self) -> list[Entry]:
        numbers, integers, laws = law_numbers(self.law, 1, self.label, LAW)
        places = room(numbers, integers)
        reals = np.zeros(LAW + places)
        reals[LAW : LAW + len(numbers)] = numbers
        if isinstance(self.offset, Constant):
            reals[OFFSET] = self.offset.v
        else:
            laws = [Law(OFFSET, lambda t: self.offset.jet(t)[:, :2], 2), *laws]
        both = self.first, self.second
        ends = tuple(end.node if isinstance(end, Quantity) else REFERENCE for end in both)
        integers = padded(integers, places)
        return [Entry(quantity_law_family(places), ends, reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        ends = Quantity(rng.normal(), damping=1.5), Quantity(rng.normal(), damping=2.5)
        law = LinearViscoelastic(rng.uniform(1, 5), rng.uniform(1, 2), prestrain=rng.normal())
        return [*ends, cls(*ends, law, offset=rng.normal())]
