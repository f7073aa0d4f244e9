"""A force and a torque between two bodies: on a, and opposite on b.

    F = y(t) F₀ or y(t) R_a F₀,   T likewise,   s_a = R_a u_a

    on a    F at r_a + s_a, and T
    on b   −F at the same point, m = r_a + s_a − r_b (balanced), or at its own point,
           m = s_b = R_b u_b (which leaves a couple where the points are apart), and −T

    residual:  a  −F, −(u_a × R_aᵀF + R_aᵀT);    b  F, R_bᵀ M,  M = m × F + T

With φ = R θ, δF = φ_a × F where it follows (else 0), δm = δr_a − δr_b + φ_a × s_a at a's point,

    δ(R_bᵀ M) = R_bᵀ (M̃ φ_b − F̃ δm + m × δF + δT),      δ(R_bᵀ(s_b × F)) = R_bᵀ s̃_b F̃ φ_b

The two moments are those of MBDyn's technical manual, 14.2 (its second case is not in MBDyn).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    AA, BA, BB, CK, OMEGA, OUT, POS, ROT, TANGENT, VEL, A, B, add33, write,
)  # fmt: skip
from linkwork.elements.signals.load_formulas import component, load_reading, power_of_pair
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mv, scale, skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike, FunctionOrNone, Vector, given
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Item

# reals: the points on their bodies, force, torque, whether they follow a, whether b has its own
# point, the factor y(t)
UA, UB, FORCE_, TORQUE_, FOLLOWS, APART, FACTOR, REALS = record(
    ua=3, ub=3, force_=3, torque_=3, follows=1, apart=1, factor=1, reals=0
)


@inlined
def unit_power(nodes, a, b, F, T, sa, m):
    """Power of a force and a torque on a, and the opposite ones on b at m from its origin."""
    wa = mv(at9(nodes, a, ROT), at(nodes, a, OMEGA))
    wb = mv(at9(nodes, b, ROT), at(nodes, b, OMEGA))
    va, vb = add(at(nodes, a, VEL), cross(wa, sa)), add(at(nodes, b, VEL), cross(wb, m))
    return dot(F, sub(va, vb)) + dot(T, sub(wa, wb))


def force_pair_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for k in range(ints.shape[0]):
        a, b, y = ints[k, A], ints[k, B], reals[k, FACTOR]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        ua, ub = at(reals, k, UA), at(reals, k, UB)
        F, T = scale(y, at(reals, k, FORCE_)), scale(y, at(reals, k, TORQUE_))
        follows, apart = reals[k, FOLLOWS] != 0.0, reals[k, APART] != 0.0
        if follows:
            F, T = mv(Ra, F), mv(Ra, T)
        sa = mv(Ra, ua)
        m = mv(Rb, ub)
        if not apart:
            m = sub(add(at(nodes, a, POS), sa), at(nodes, b, POS))
        Fl, Tl = tv(Ra, F), tv(Ra, T)
        on_a = add(cross(ua, Fl), Tl)
        moment = add(cross(m, F), T)
        on_b = tv(Rb, moment)
        accumulate(f, a, 0, scale(-1.0, F))
        accumulate(f, a, 3, scale(-1.0, on_a))
        accumulate(f, b, 0, F)
        accumulate(f, b, 3, on_b)
        power[1] += dot(F, sub(at(nodes, a, VEL), at(nodes, b, VEL)))
        power[1] += dot(on_a, at(nodes, a, OMEGA)) - dot(on_b, at(nodes, b, OMEGA))
        if coef[OUT] != 0.0:
            F0, T0 = at(reals, k, FORCE_), at(reals, k, TORQUE_)
            if follows:
                F0, T0 = mv(Ra, F0), mv(Ra, T0)
            rate = unit_power(nodes, a, b, F0, T0, sa, m)
            write(loads.out, k, F + T + (y * rate, y, rate))
        if coef[TANGENT] != 0.0:
            c, Fx = coef[CK], skew(F)
            if follows:
                X = mm(Ra, skew(Fl))
                add33(vals, ints[k, AA], 0, 3, c, X)
                add33(vals, ints[k, BA], 0, 3, -c, X)
                Y = mm(madd(mm(skew(m), Fx), skew(T)), Ra)
                add33(vals, ints[k, BA], 3, 3, -c, tm(Rb, Y))
            else:
                add33(vals, ints[k, AA], 3, 3, -c, madd(mm(skew(ua), skew(Fl)), skew(Tl)))
            if apart:
                X = madd(mm(skew(ub), skew(tv(Rb, F))), skew(tv(Rb, T)))
                add33(vals, ints[k, BB], 3, 3, c, X)
            else:
                X = tm(Rb, Fx)
                add33(vals, ints[k, BA], 3, 0, -c, X)
                add33(vals, ints[k, BB], 3, 0, c, X)
                add33(vals, ints[k, BA], 3, 3, c, mm(X, mm(skew(sa), Ra)))
                add33(vals, ints[k, BB], 3, 3, c, skew(on_b))


PAIR_KERNEL = Kernel(force_pair_kernel)
# what it writes: force and torque on a in world axes, power; then y, and the power over y
FORCE_ON_A, TORQUE_ON_A = Output("_force", "N", "xyz"), Output("_torque", "N m", "xyz")
FORCE_PAIR = Family(
    "force pair", PAIR_KERNEL, bodies=2, reals=REALS, loads=tuple(range(FORCE_, FOLLOWS)),
    outputs=(
        Output("force", "N", "xyz", "force on the first body (world axes)"),
        Output("torque", "N m", "xyz", "torque on the first body (world axes)"), POWER,
        Output("_factor", "1"), Output("_rate", "1"),
    ),
)  # fmt: skip


@dataclass(eq=False)
class ForcePair(Item):
    """A force and a torque on a, and the opposite ones on b.

    a, b     : the two bodies, or frames on them (lw.Frame); the force acts at the origin of a
    force    : on a (N), in world axes, or in the axes of a's body with follower=True; default zero
    torque   : on a (N m), likewise; default zero
    drive    : a function of time, or of the motion (lw.reads), that multiplies both; default 1
    follower : True: both turn with a; default False
    apart    : True: the opposite force acts at b's own origin, which leaves a couple where the two
               points are not on the line of the force; default False: at the same point

    Its power counts as supplied.  Outputs: force and torque (on a, world axes), power.

    Example
    -------
    >>> import linkwork as lw
    >>> rod, piston = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(0, 0, 1))
    >>> gas = lw.ForcePair(rod, piston, force=(0, 0, -50), follower=True)
    """

    a: FrameLike
    b: FrameLike
    force: Vector = given((0.0, 0.0, 0.0))
    torque: Vector = given((0.0, 0.0, 0.0))
    drive: FunctionOrNone = given(None)
    follower: bool = False
    apart: bool = False

    def __post_init__(self) -> None:
        what = self.label
        if as_frame(self.a, what).body is as_frame(self.b, what).body:
            raise ModelError(
                f"{what} joins {as_frame(self.a, what).body!r} with itself; give two different "
                "bodies (or GROUND)"
            )
        self.force = checks.vector(self.force, f"force of {what}")
        self.torque = checks.vector(self.torque, f"torque of {what}")
        self.follower = checks.flag(self.follower, f"follower of {what}")
        self.apart = checks.flag(self.apart, f"apart of {what}")
        if self.drive is not None:
            self.drive = as_drive(self.drive, f"drive of {what}", follows=True)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return load_reading(self, quantity, axis, ("power",), ("force", "torque"))

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        if quantity == "power":
            return power_of_pair(self)
        vector: Any = self.force if quantity == "force" else self.torque
        return component(self, vector, axis, as_frame(self.a, self.label).body)

    def entries(self) -> list[Entry]:
        fa, fb, drive = as_frame(self.a, self.label), as_frame(self.b, self.label), self.drive
        reals = np.zeros(REALS)
        reals[UA : UA + 3], reals[UB : UB + 3] = fa.position, fb.position
        reals[FORCE_ : FORCE_ + 3], reals[TORQUE_ : TORQUE_ + 3] = self.force, self.torque
        reals[FOLLOWS], reals[APART], reals[FACTOR] = self.follower, self.apart, 1.0
        entry = Entry(FORCE_PAIR, (fa.body, fb.body), reals)
        if drive is not None:
            entry.laws = [factor_law(FACTOR, drive)]
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> ForcePair:
        from linkwork.model.drives import sine

        force, torque, at_a, at_b = rng.normal(size=(4, 3))
        drive = sine(1.5, 0.3, 0.7)
        return cls(Frame(a, at_a), Frame(b, at_b), force, torque, drive, follower=True)
