"""The inertia of masses whose motion is described in a frame that moves.

The frame's origin accelerates by a₀ and it turns with w₀, ẇ₀, all in its own axes; r, v and ω are
those that an observer in the frame sees.  Beside Newton and Euler's equations stand, for a mass
with its centre at p = r + R c, c in the axes of its body, and the inertia J about it,

    F = m (a₀ + ẇ₀ × p + w₀ × (w₀ × p) + 2 w₀ × ṗ)                         frame axes
    c × RᵀF + ω × J w − J (ω × w) + J Rᵀẇ₀ + w × J ω + w × J w + J̇_g w,    w = Rᵀw₀    body axes

(the rate of J (ω + w) seen from the fixed world, less J ω̇ + ω × J ω; MBDyn's technical manual, 8.3,
has the same about the node; ċ and J̇_g as in bodies.variable_mass).  With δw = w̃ θ,
δp = δr − R c̃ θ and δṗ = δv − R c̃ δω − R (ω × c + ċ)~ θ,

    δF = m (ẇ₀~ + w̃₀ w̃₀) δp + 2 m w̃₀ δṗ,       δ(c × RᵀF) = c̃ RᵀδF + c̃ (RᵀF)~ θ
    K:  (ω̃ J − J ω̃ − (Jω)~ + w̃ J − (Jw)~ + J̇_g) w̃ + J (Rᵀẇ₀)~         D:  J w̃ + w̃ J − (Jw)~
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.other_masses import Attached, other_masses, rigid_masses
from linkwork.elements.layout import (
    BY_RATE, BY_VALUE, CD, CK, OMEGA, POS, RATE, ROT, TANGENT, VALUE, VEL, add33,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cm, cross, dot, madd, mc, mm, mscale, mv, scale, skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.given import Components, given
from linkwork.model.nodes import Node
from linkwork.model.registry import Entry, Family, Item, Law

# reals: a₀, w₀, ẇ₀ (functions of time), m, c, ċ, J, J̇_g
A0, W0, P0, MASS, CENTRE, CENTRE1, INERTIA, SHAPE1, REALS = record(
    a0=3, w0=3, p0=3, mass=1, centre=3, centre1=3, inertia=9, shape1=9, reals=0
)
CHANGING = ("mass", "centre", "centre_rate", "inertia", "shape_rate")
BODY, BASE = 0, 1


@inlined
def inertial_force(reals, k, p, v):
    """F, and ẇ₀~ + w̃₀ w̃₀."""
    w0, p0 = at(reals, k, W0), at(reals, k, P0)
    F = add(at(reals, k, A0), add(cross(p0, p), cross(w0, cross(w0, p))))
    F = scale(reals[k, MASS], add(F, scale(2.0, cross(w0, v))))
    return F, madd(skew(p0), mm(skew(w0), skew(w0)))


def moving_frame_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for k in range(ints.shape[0]):
        b, m, c, J = ints[k, BODY], reals[k, MASS], at(reals, k, CENTRE), at9(reals, k, INERTIA)
        w0, Jg = at(reals, k, W0), at9(reals, k, SHAPE1)
        R, o = at9(nodes, b, ROT), at(nodes, b, OMEGA)
        w, p = tv(R, w0), tv(R, at(reals, k, P0))
        Jo, Jw, inner = mv(J, o), mv(J, w), add(cross(o, c), at(reals, k, CENTRE1))
        v = at(nodes, b, VEL)
        F, X0 = inertial_force(reals, k, add(at(nodes, b, POS), mv(R, c)), add(v, mv(R, inner)))
        local = tv(R, F)
        T = add(sub(cross(o, Jw), mv(J, cross(o, w))), mv(J, p))
        T = add(T, cross(w, add(Jo, Jw)))
        T = add(T, add(cross(c, local), mv(Jg, w)))
        accumulate(f, b, 0, F)
        accumulate(f, b, 3, T)
        power[1] -= dot(F, v) + dot(T, o)
        if coef[TANGENT] != 0.0:
            base, W, O, S = ints[k, BASE], skew(w0), skew(o), skew(w)
            cK, cD, arm = coef[CK] * m, coef[CD] * 2.0 * m, mc(R, c)
            add33(vals, base, 0, 0, cK, X0)
            add33(vals, base, 0, 0, cD, W)
            add33(vals, base, 3, 0, cK, cm(c, tm(R, X0)))
            add33(vals, base, 3, 0, cD, cm(c, tm(R, W)))
            X = madd(mm(X0, arm), mscale(2.0, mm(W, mc(R, inner))))
            X = madd(mscale(-cK, X), mscale(-cD, mm(W, arm)))
            add33(vals, base, 0, 3, 1.0, X)
            add33(vals, base, 3, 3, 1.0, cm(c, tm(R, X)))
            add33(vals, base, 3, 3, coef[CK], cm(c, skew(local)))
            X = madd(mm(O, J), mscale(-1.0, mm(J, O)))
            X = madd(X, madd(mm(S, J), mscale(-1.0, skew(add(Jo, Jw)))))
            add33(vals, base, 3, 3, coef[CK], madd(mm(madd(X, Jg), S), mm(J, skew(p))))
            Y = madd(madd(mm(J, S), mm(S, J)), mscale(-1.0, skew(Jw)))
            add33(vals, base, 3, 3, coef[CD], Y)


def point_kernel(ints, reals, motion, loads):
    values = motion.values
    for k in range(ints.shape[0]):
        i, m = ints[k, BODY], reals[k, MASS]
        p = values[VALUE, i], values[VALUE, i + 1], values[VALUE, i + 2]
        v = values[RATE, i], values[RATE, i + 1], values[RATE, i + 2]
        F, X0 = inertial_force(reals, k, p, v)
        for j in range(3):
            loads.balance[i + j] += F[j]
        loads.power[1] -= dot(F, v)
        if motion.coef[TANGENT] != 0.0:
            X = madd(mscale(values[BY_VALUE, i], X0),
                     mscale(2.0 * values[BY_RATE, i], skew(at(reals, k, W0))))  # fmt: skip
            add33(loads.vals, ints[k, BASE], 0, 0, m, X)


MOVING_FRAME = Family("moving frame", Kernel(moving_frame_kernel), bodies=1, reals=REALS)
MOVING_POINT = Family("point in a moving frame", Kernel(point_kernel), bodies=1, reals=REALS)


@dataclass(eq=False)
class MovingFrame(Item):
    """The inertial forces on a body that is described in a frame which moves in a given way.

    body                 : the body, or another item with mass: a VariableMass, a Cable, a Beam
    acceleration         : of the frame's origin (m/s²); default zero
    angular_velocity     : of the frame (rad/s); default zero
    angular_acceleration : of the frame (rad/s²); default zero

    All are in the axes of the frame, each three numbers or functions of time.  Every body of the
    model with mass needs one, and every other item with mass; the ground then moves with the frame,
    and positions, velocities and energies are those that are seen from it.  Their power counts as
    supplied.

    Example
    -------
    >>> import linkwork as lw
    >>> bead = lw.Body(1, (1, 1, 1), position=(0.1, 0, 0))
    >>> spin = lw.MovingFrame(bead, angular_velocity=(0, 0, 10))
    """

    body: Item
    acceleration: Components = given((0.0, 0.0, 0.0))
    angular_velocity: Components = given((0.0, 0.0, 0.0))
    angular_acceleration: Components = given((0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        rigid_masses(self.body, self.label) if not isinstance(self.body, Body) else None
        for word in ("acceleration", "angular_velocity", "angular_acceleration"):
            setattr(self, word, components(getattr(self, word), f"{word} of {self.label}"))

    def needs(self) -> tuple[Item, ...]:
        return () if isinstance(self.body, Body) else (self.body,)

    @classmethod
    def refuse_beside(cls, items: list[Item]) -> None:
        frames = {id(item.body): item for item in items if isinstance(item, cls)}
        label = next(iter(frames.values())).label
        heavy = [x for x in items if isinstance(x, Body) and (x.mass > 0 or np.any(x.inertia))]
        for item in (*heavy, *other_masses(items)):
            if id(item) not in frames:
                raise ModelError(
                    f"{label} describes the model in a frame that moves, but {item.label} has mass "
                    "and no MovingFrame, so that its inertial forces would be left out; add one"
                )

    def values(self, times: np.ndarray) -> np.ndarray:
        """The nine numbers at each time."""
        drives = (*self.acceleration, *self.angular_velocity, *self.angular_acceleration)
        return np.stack([d.values(times) for d in drives], axis=1)

    def entries(self) -> list[Entry]:
        return [self.entry(x) for x in self.masses()]

    def masses(self) -> list[Attached]:
        return rigid_masses(self.body, self.label)

    def entry(self, x: Attached) -> Entry:
        reals = np.zeros(REALS)
        reals[MASS], reals[CENTRE:CENTRE1] = x.start.mass, x.start.centre
        reals[INERTIA:SHAPE1] = np.ravel(x.start.inertia)
        laws = [Law(A0, self.values, MASS), *x.law(MASS, CHANGING, REALS - MASS)]
        return Entry(MOVING_POINT if isinstance(x.end, Node) else MOVING_FRAME, (x.end,), reals,
                     laws=laws)  # fmt: skip

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.variable_mass import VariableMass
        from linkwork.elements.cables.cable import Cable
        from linkwork.model.drives import polynomial

        x = [[polynomial(rng.uniform(-1, 1, 3)) for _ in range(3)] for _ in range(3)]
        mass, rope = VariableMass.sample(rng, a, b), Cable.sample(rng, a, b)
        return [mass, rope, *(cls(item, *x) for item in (a, b, mass, rope))]


def components(value: Any, what: str) -> tuple[Drive, ...]:
    """Three drives from numbers or functions of time."""
    parts = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) != 3:
        raise ModelError(
            f"{what} must be three numbers or functions of time, but {checks.show(value)} was given"
        )
    return tuple(as_drive(x, what=what) for x in parts)


