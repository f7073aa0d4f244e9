"""The spring and damper between two points, along the line that joins them.

    F = k d + (N₀ − k l₀ + c l̇) e,   l = |d|, e = d/l, l̇ = e·ḋ     (tension k (l − l₀) + c l̇ + N₀)

    E = ∂F/∂d = k I + (N₀ − k l₀ + c l̇)/l (I − e eᵀ) + c e (ḋ − l̇ e)ᵀ/l,   G = ∂F/∂ḋ = c e eᵀ

and the rest as in elements.points.  Written so, a spring without free length, preload and damping
is F = k d, regular at l = 0 too; otherwise the terms along e are left out where l is zero.
Potential energy k/2 (l − l₀)² + N₀ (l − l₀).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.layout import CD, CK, OUT, ROT, TANGENT, A, B, write
from linkwork.elements.points import (
    LINE_REALS, end_frames, line, line_force, line_reals, line_tangent,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import line_reading
from linkwork.elements.signals.load_formulas import load_reading
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import IDENTITY, add, at9, dot, madd, mscale, outer, scale, sub
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, Number, VectorLike, given
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

STIFFNESS, DAMPING, LENGTH, PRELOAD, REALS = record(
    LINE_REALS, stiffness=1, damping=1, length=1, preload=1, reals=0
)


def spring_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        k, c = reals[i, STIFFNESS], reals[i, DAMPING]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        sa, sb, na, nb, d, ddot, length, e = line(reals, i, nodes, a, b)
        rate = dot(e, ddot)
        along = reals[i, PRELOAD] - k * reals[i, LENGTH] + c * rate
        F = add(scale(k, d), scale(along, e))
        line_force(f, a, b, Ra, Rb, sa, sb, F)
        power[0] += c * rate * rate
        if coef[OUT] != 0.0:
            x = length - reals[i, LENGTH]
            N = k * x + c * rate + reals[i, PRELOAD]
            stored = x * (0.5 * k * x + reals[i, PRELOAD])
            write(loads.out, i, (N, length, rate, -N * rate, stored))
        if coef[TANGENT] != 0.0:
            ee = outer(e, e)
            E = mscale(k, IDENTITY)
            if length > 0.0:
                E = madd(E, mscale(along / length, madd(IDENTITY, mscale(-1.0, ee))))
                E = madd(E, mscale(c / length, outer(e, sub(ddot, scale(rate, e)))))
            G = mscale(c, ee)
            line_tangent(
                vals, ints, i, Ra, Rb, sa, sb, na, nb, E, G, F, coef[CK], coef[CD]
            )  # fmt: skip


SPRING = Family(
    "spring", Kernel(spring_kernel), bodies=2, reals=REALS,
    outputs=(
        Output("force", "N", words="tension"), Output("length", "m"), Output("rate", "m/s"), POWER,
        STORED_ENERGY,
    ),
)  # fmt: skip


@dataclass(eq=False)
class Spring(Item):
    """A linear spring and damper between a point of a and a point of b.

    a, b       : the two bodies, or lw.GROUND, or frames on them (lw.Frame), whose origins are used
    at_a, at_b : world points in the reference configuration (m); default: the bodies' origins
    stiffness  : N/m; needed
    damping    : N s/m; default 0
    length     : the free length (m); default: the distance in the reference configuration
    preload    : a tension at the free length (N); default 0

    With length=0 and neither damping nor preload the points may coincide.  Outputs: force (the
    tension), length, rate, power.

    Example
    -------
    >>> import linkwork as lw
    >>> mass = lw.Body(1, (1, 1, 1), position=(0, 0, -1))
    >>> spring = lw.Spring(lw.GROUND, mass, at_a=(0, 0, 0), stiffness=100, damping=0.5)
    >>> spring.length
    1.0
    """

    a: FrameLike
    b: FrameLike
    at_a: VectorLike | None = None
    at_b: VectorLike | None = None
    stiffness: Number = given(None)
    damping: float = 0.0
    length: Number = given(None)
    preload: float = 0.0
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames, described = end_frames(self)
        if self.stiffness is None:
            raise ModelError(f"{what} needs stiffness=, in N/m (0 for a mere damper)")
        self.stiffness = checks.number(self.stiffness, f"stiffness of {what}")
        self.damping = checks.number(self.damping, f"damping of {what}", minimum=0)
        self.preload = checks.number(self.preload, f"preload of {what}")
        length = described if self.length is None else self.length
        self.length = checks.number(length, f"length of {what}", minimum=0)
        if described == 0 and (self.length or self.damping or self.preload):
            raise ModelError(
                f"the two points of {what} coincide, so it has no direction to pull in; move one "
                "of them, or use length=0 without damping and preload, or a Bushing"
            )

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("length", "rate"):
            return line_reading(self, quantity, axis)
        return load_reading(self, quantity, axis, ("force", "length", "rate", "power"))

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        """k (l − l₀) + c l̇ + N₀, and the power −F l̇."""
        force = self.stiffness * line_reading(self, "length", None)
        force = force + (self.preload - self.stiffness * self.length)
        if self.damping:
            force = force + self.damping * line_reading(self, "rate", None)
        return force if quantity == "force" else -force * line_reading(self, "rate", None)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = line_reals(self.frames, REALS)
        reals[STIFFNESS:REALS] = self.stiffness, self.damping, self.length, self.preload
        return [Entry(SPRING, (fa.body, fb.body), reals)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Spring:
        return cls(
            a, b, rng.normal(size=3), rng.normal(size=3), stiffness=rng.uniform(1, 5),
            damping=rng.uniform(0.5, 1), length=rng.uniform(0, 2), preload=rng.normal(),
        )  # fmt: skip
