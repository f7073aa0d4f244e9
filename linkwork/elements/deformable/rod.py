"""The rod: a law of one component along the line between two points.

    ε = l/l₀ − 1,   ε̇ = l̇/l₀,   F = σ(ε, ε̇) e                    l, e, d as in elements.points

    E = ∂F/∂d = σ/l (I − e eᵀ) + e (K/l₀ e + D/(l₀ l) (ḋ − l̇ e))ᵀ,   G = ∂F/∂ḋ = D/l₀ e eᵀ

The law gives a force from a strain, so its energy and powers count l₀ times.  (MBDyn's manual,
9.2.1; a stiffness k of a Spring is K/l₀ here.)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.corners import NOTES, corner_of, note
from linkwork.elements.deformable.joint_kernel import room
from linkwork.elements.laws import LinearViscoelastic
from linkwork.elements.laws.base import (
    ENERGY, KD, KE, RATE, STORED, STRAIN, STRESS, SUPPLIED, WANTED, WORK, ConstitutiveLaw,
    law_at, law_numbers, padded,
    respond,
)  # fmt: skip
from linkwork.elements.layout import CD, CK, OUT, ROT, TANGENT, A, B, int_width, write
from linkwork.elements.points import (
    LINE_REALS, end_frames, line, line_force, line_over_time, line_reals,
    line_tangent,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import line_reading
from linkwork.elements.signals.probes import Probe, along_line, measured_load
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.record import record
from linkwork.kernels.vectors import IDENTITY, at9, dot, madd, mscale, outer, scale, sub
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, Number, VectorLike, given
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Memory

FREE, LAW = record(LINE_REALS, free=1, law=0)
LAW_CODES = int_width(2, 0)  # integers of the law


def rod_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    y, memory = np.zeros(WORK), motion.memory
    noted = memory.shape[1] > 0
    for i in range(ints.shape[0]):
        a, b, free = ints[i, A], ints[i, B], reals[i, FREE]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        sa, sb, na, nb, _, ddot, length, e = line(reals, i, nodes, a, b)
        rate = dot(e, ddot)
        y[STRAIN], y[RATE], y[WANTED] = length / free - 1.0, rate / free, coef[OUT]
        respond(time, law_at(reals, i, LAW), begin(y), law_at(ints, i, LAW_CODES))
        if noted:
            note(memory, i, time, y)
        force = y[STRESS]
        F = scale(force, e)
        line_force(f, a, b, Ra, Rb, sa, sb, F)
        power[0] += (force - y[STORED]) * rate
        power[1] += y[SUPPLIED] * free
        if coef[OUT] != 0.0:
            write(loads.out, i, (force, length, rate, -force * rate, free * y[ENERGY]))
        if coef[TANGENT] != 0.0:
            k, c, ee = y[KE] / free, y[KD] / free, outer(e, e)
            E = mscale(k, ee)
            if length > 0.0:
                E = madd(E, mscale(force / length, madd(IDENTITY, mscale(-1.0, ee))))
                E = madd(E, mscale(c / length, outer(e, sub(ddot, scale(rate, e)))))
            G = mscale(c, ee)
            line_tangent(vals, ints, i, Ra, Rb, sa, sb, na, nb, E, G, F, coef[CK], coef[CD])


# --------------------------------------------------------------------------- results, in numpy


def rod_strain(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    return line_over_time(reals, r, q)[2] / reals[:, FREE] - 1


ROD_KERNEL = Kernel(rod_kernel, allocates=True)


@functools.cache
def rod_family(places: int, notes: int = 0) -> Family:
    """Rods whose laws have at most so many numbers; all share one kernel."""
    name = f"rod of {places}" + (" with a corner" if notes else "")
    return Family(
        name, ROD_KERNEL, bodies=2, reals=LAW + places, integers=places,
        memory=Memory(notes=notes),
        outputs=(
            Output("force", "N", words="tension"), Output("length", "m"), Output("rate", "m/s"),
            POWER, STORED_ENERGY,
        ),
    )  # fmt: skip


@dataclass(eq=False)
class Rod(Item):
    """A massless bar between a point of a and a point of b, with a law of its strain l/l₀ − 1.

    a, b       : the two bodies, or lw.GROUND, or frames on them (lw.Frame), whose origins are used
    at_a, at_b : world points in the reference configuration (m); default: the bodies' origins
    law        : of one component: tension (N) from strain and strain rate (1/s); needed
    length     : l₀ (m); default: the distance in the reference configuration

    Outputs: force (the tension), length, rate.

    Example
    -------
    >>> import linkwork as lw
    >>> mass = lw.Body(1, (1, 1, 1), position=(0, 0, -2))
    >>> cable = lw.Rod(lw.GROUND, mass, law=lw.laws.LinearViscoelastic(1e3, 5.0))
    >>> cable.length
    2.0
    """

    a: FrameLike
    b: FrameLike
    at_a: VectorLike | None = None
    at_b: VectorLike | None = None
    law: ConstitutiveLaw | None = None
    length: Number = given(None)
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames, described = end_frames(self)
        if described == 0:
            raise ModelError(
                f"the two points of {what} coincide, so it has no direction; move one of them, or "
                "use a DeformableDisplacement"
            )
        length = described if self.length is None else self.length
        self.length = checks.number(length, f"length of {what}", positive=True)
        law_numbers(self.law, 1, what, LAW)

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("length", "rate"):
            return line_reading(self, quantity, axis)
        return measured_load(self, quantity, axis, ("force", "length", "rate"), along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return along_line(self)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        numbers, integers, laws = law_numbers(self.law, 1, self.label, LAW)
        length = float(self.length)
        corner = corner_of(self.law, numbers, integers, LAW, self.frames, rod_strain, length=length)
        notes, places = 0 if corner is None else NOTES, room(numbers, integers)
        integers = padded(integers, places)
        reals = line_reals(self.frames, LAW + places)
        reals[FREE] = self.length
        reals[LAW : LAW + len(numbers)] = numbers
        family = rod_family(places, notes)
        ends = fa.body, fb.body
        return [
            Entry(family, ends, reals, laws=laws, corner=corner, integers=integers,
                  memory=np.zeros(notes))
        ]  # fmt: skip

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Rod:
        law = LinearViscoelastic(rng.uniform(1, 5), rng.uniform(1, 2), prestress=rng.normal())
        return cls(a, b, rng.normal(size=3), rng.normal(size=3), law, length=rng.uniform(1, 2))
