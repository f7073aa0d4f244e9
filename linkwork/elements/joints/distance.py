"""The distance constraint: a point of a and a point of b stay a length apart.

    C = l − L(t),   l = |d|, e = d/l                       d as in elements.points

    C_q:  b  eᵀ, (s_b × e)ᵀ R_b;   a  −eᵀ, −(s_a × e)ᵀ R_a
    K_c:  that of a tension F = γ e with ∂F/∂d = γ/l (I − e eᵀ)
    C_t = −L̇,   Q_c = L̈ − e·d̈ − (|ḋ|² − l̇²)/l,   d̈ = w_b × (w_b × s_b) − w_a × (w_a × s_a)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    CK, EQ, KC, OMEGA, OUT, POS, RATES, ROT, TANGENT, A, B, M, put_row, write,
)  # fmt: skip
from linkwork.elements.points import (
    LINE_REALS, QA, end_frames, line, line_force, line_reals, line_tangent,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import line_reading
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import (
    IDENTITY, add, at, at4, at9, cross, dot, madd, mm, mscale, mv, outer, scale, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, Function, VectorLike, given
from linkwork.model.outputs import REACTION, Output
from linkwork.model.registry import Entry, Family, Item, Law

# L and its first two derivatives
LENGTH, REALS = record(LINE_REALS, length=3, reals=0)
ZERO = (0.0, 0.0, 0.0)


def distance_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Ct, Qc, vals = loads.f, loads.C, loads.Ct, loads.Qc, loads.vals
    for k in range(ints.shape[0]):
        if ints[k, M] == 0:
            continue
        a, b, eq = ints[k, A], ints[k, B], ints[k, EQ]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        sa, sb, na, nb, _, ddot, length, e = line(reals, k, nodes, a, b)
        inverse = 0.0
        if length > 0.0:
            inverse = 1.0 / length
        C[eq] = length - reals[k, LENGTH]
        F = scale(gamma[eq], e)
        line_force(f, a, b, Ra, Rb, sa, sb, F)
        if coef[OUT] != 0.0:
            S = mm(Ra, rotation_matrix(at4(reals, k, QA)))
            reaction = tv(S, scale(-1.0, F)) + ZERO + S + add(at(nodes, b, POS), sb)
            write(loads.out, k, reaction + (length, dot(e, ddot)))
        if coef[TANGENT] != 0.0:
            put_row(
                vals, ints, k, 0,
                scale(-1.0, e), scale(-1.0, tv(Ra, cross(sa, e))), e, tv(Rb, cross(sb, e)),
            )  # fmt: skip
            if coef[KC] != 0.0:
                E = mscale(gamma[eq] * inverse, madd(IDENTITY, mscale(-1.0, outer(e, e))))
                G = mscale(0.0, IDENTITY)
                line_tangent(vals, ints, k, Ra, Rb, sa, sb, na, nb, E, G, F, coef[CK], 0.0)
        if coef[RATES] != 0.0:
            wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
            rate = dot(e, ddot)
            second = dot(e, sub(cross(wb, nb), cross(wa, na)))
            second += (dot(ddot, ddot) - rate * rate) * inverse
            Ct[eq] = -reals[k, LENGTH + 1]
            Qc[eq] = reals[k, LENGTH + 2] - second


DISTANCE = Family(
    "distance", Kernel(distance_kernel), bodies=2, rows=1, reals=REALS,
    outputs=(*REACTION, Output("length", "m"), Output("rate", "m/s")),
)  # fmt: skip


@dataclass(eq=False)
class Distance(Item):
    """Holds a point of b at a distance from a point of a: a massless rod with two ball ends.

    a, b       : the two bodies, or lw.GROUND; or frames on them (lw.Frame), whose origins are used
    at_a, at_b : world points in the reference configuration (m); default: the bodies' origins
    length     : the distance (m), a number or a function of time; default: that between the points
                 in the reference configuration

    The reaction is the force on b.  Outputs: the reaction, length (m), rate (m/s).

    Example
    -------
    >>> import linkwork as lw
    >>> bob = lw.Body(1, (1, 1, 1), position=(0, 0, -2))
    >>> rod = lw.Distance(lw.GROUND, bob)
    >>> rod.length
    2.0
    """

    a: FrameLike
    b: FrameLike
    at_a: VectorLike | None = None
    at_b: VectorLike | None = None
    length: Function = given(None)
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames, described = end_frames(self)
        if described == 0:
            raise ModelError(
                f"the two points of {what} coincide, so it has no direction; describe them apart, "
                "or use Spherical to hold two points together"
            )
        if self.length is None:
            self.length = described
        elif isinstance(self.length, Drive) or callable(self.length):
            self.length = as_drive(self.length, what=f"length of {what}")
        elif isinstance(self.length, Real) and self.length == 0:
            raise ModelError(
                f"length of {what} must be positive, but 0 was given; use Spherical to hold two "
                "points together"
            )
        else:
            self.length = checks.number(self.length, f"length of {what}", positive=True)

    def lengths(self, times: np.ndarray) -> np.ndarray:
        """L and two derivatives at each time, (T, 3)."""
        jet = self.length.jet(times)
        if jet[:, 0].min() <= 0:
            i = int(jet[:, 0].argmin())
            raise ModelError(
                f"length of {self.label} must be positive at all times, but is {jet[i, 0]:g} at "
                f"t = {times[i]:g}"
            )
        return jet

    def reading(self, quantity: str, axis: Any) -> Drive:
        return line_reading(self, quantity, axis)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = line_reals(self.frames, REALS)
        entry = Entry(DISTANCE, (fa.body, fb.body), reals, rows=(0,), row_names=("length",))
        if isinstance(self.length, Drive):
            entry.laws, entry.driven = [Law(LENGTH, self.lengths, 3)], (0,)
        else:
            reals[LENGTH] = self.length
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Distance:
        from linkwork.model.drives import sine

        length = 2 + sine(0.5, 0.3, rng.uniform(0, 3))
        return cls(a, b, rng.normal(size=3), rng.normal(size=3), length=length)
