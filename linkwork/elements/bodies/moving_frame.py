"""The inertia of a body whose motion is described in a frame that moves.

The frame's origin accelerates by a₀ and it turns with w₀, ẇ₀, all in its own axes; r, v and ω are
those that an observer in the frame sees.  Beside Newton and Euler's equations stand

    m (a₀ + ẇ₀ × r + w₀ × (w₀ × r) + 2 w₀ × v)                             frame axes
    ω × J w − J (ω × w) + J Rᵀẇ₀ + w × J ω + w × J w,    w = Rᵀw₀           body axes

(the rate of J (ω + w) seen from the fixed world, less J ω̇ + ω × J ω; MBDyn's technical manual, 8.3,
has the same about the node).  With δw = w̃ θ,

    K:  m (ẇ₀~ + w̃₀ w̃₀),   (ω̃ J − J ω̃ − (Jω)~ + w̃ J − (Jw)~) w̃ + J (Rᵀẇ₀)~
    D:  2 m w̃₀,            J w̃ + w̃ J − (Jw)~
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.other_masses import other_masses
from linkwork.elements.layout import CD, CK, OMEGA, POS, ROT, TANGENT, VEL, add33
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mscale, mv, scale, skew, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.given import Components, given
from linkwork.model.registry import Entry, Family, Item, Law

# reals: a₀, w₀, ẇ₀ (functions of time), mass and inertia of the body
A0, W0, P0, MASS, INERTIA, REALS = record(a0=3, w0=3, p0=3, mass=1, inertia=9, reals=0)
BODY, BASE = 0, 1


def moving_frame_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for k in range(ints.shape[0]):
        b, m, J = ints[k, BODY], reals[k, MASS], at9(reals, k, INERTIA)
        w0, p0 = at(reals, k, W0), at(reals, k, P0)
        r, v = at(nodes, b, POS), at(nodes, b, VEL)
        R, o = at9(nodes, b, ROT), at(nodes, b, OMEGA)
        w, p = tv(R, w0), tv(R, p0)
        Jo, Jw = mv(J, o), mv(J, w)
        F = add(at(reals, k, A0), add(cross(p0, r), cross(w0, cross(w0, r))))
        F = scale(m, add(F, scale(2.0, cross(w0, v))))
        T = add(sub(cross(o, Jw), mv(J, cross(o, w))), mv(J, p))
        T = add(T, cross(w, add(Jo, Jw)))
        accumulate(f, b, 0, F)
        accumulate(f, b, 3, T)
        power[1] -= dot(F, v) + dot(T, o)
        if coef[TANGENT] != 0.0:
            base, W, O, S = ints[k, BASE], skew(w0), skew(o), skew(w)
            add33(vals, base, 0, 0, coef[CK] * m, madd(skew(p0), mm(W, W)))
            add33(vals, base, 0, 0, coef[CD] * 2.0 * m, W)
            X = madd(mm(O, J), mscale(-1.0, mm(J, O)))
            X = madd(X, madd(mm(S, J), mscale(-1.0, skew(add(Jo, Jw)))))
            add33(vals, base, 3, 3, coef[CK], madd(mm(X, S), mm(J, skew(p))))
            Y = madd(madd(mm(J, S), mm(S, J)), mscale(-1.0, skew(Jw)))
            add33(vals, base, 3, 3, coef[CD], Y)


MOVING_FRAME = Family("moving frame", Kernel(moving_frame_kernel), bodies=1, reals=REALS)


@dataclass(eq=False)
class MovingFrame(Item):
    """The inertial forces on a body that is described in a frame which moves in a given way.

    body                 : the body
    acceleration         : of the frame's origin (m/s²); default zero
    angular_velocity     : of the frame (rad/s); default zero
    angular_acceleration : of the frame (rad/s²); default zero

    All are in the axes of the frame, each three numbers or functions of time.  Every body of the
    model with mass needs one, and all mass must be that of bodies; the ground then moves with the
    frame, and positions, velocities and energies are those that are seen from it.  Their power
    counts as supplied.

    Example
    -------
    >>> import linkwork as lw
    >>> bead = lw.Body(1, (1, 1, 1), position=(0.1, 0, 0))
    >>> spin = lw.MovingFrame(bead, angular_velocity=(0, 0, 10))
    """

    body: Body
    acceleration: Components = given((0.0, 0.0, 0.0))
    angular_velocity: Components = given((0.0, 0.0, 0.0))
    angular_acceleration: Components = given((0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        if not isinstance(self.body, Body):
            raise ModelError(f"{self.label} needs a Body, but {checks.show(self.body)} was given")
        for word in ("acceleration", "angular_velocity", "angular_acceleration"):
            setattr(self, word, components(getattr(self, word), f"{word} of {self.label}"))

    @classmethod
    def refuse_beside(cls, items: list[Item]) -> None:
        frames = {id(item.body): item for item in items if isinstance(item, cls)}
        label = next(iter(frames.values())).label
        for item in items:
            heavy = isinstance(item, Body) and (item.mass > 0 or bool(np.any(item.inertia)))
            if heavy and id(item) not in frames:
                raise ModelError(
                    f"{label} describes the model in a frame that moves, but {item.label} has no "
                    "MovingFrame, so that its inertial forces would be left out; add one"
                )
        for item in other_masses(items):
            raise ModelError(
                f"{label} describes the model in a frame that moves, whose inertial forces act on "
                f"the mass of bodies alone, but {item.label} has mass of its own; describe the "
                "model in the fixed world, or its masses as bodies"
            )

    def values(self, times: np.ndarray) -> np.ndarray:
        """The nine numbers at each time."""
        drives = (*self.acceleration, *self.angular_velocity, *self.angular_acceleration)
        return np.stack([d.values(times) for d in drives], axis=1)

    def entries(self) -> list[Entry]:
        reals = np.zeros(REALS)
        reals[MASS], reals[INERTIA:REALS] = self.body.mass, np.ravel(self.body.inertia)
        return [Entry(MOVING_FRAME, (self.body,), reals, laws=[Law(A0, self.values, 9)])]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.model.drives import polynomial

        x = [[polynomial(rng.uniform(-1, 1, 3)) for _ in range(3)] for _ in range(3)]
        return [cls(a, *x), cls(b, *x)]


def components(value: Any, what: str) -> tuple[Drive, ...]:
    """Three drives from numbers or functions of time."""
    parts = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) != 3:
        raise ModelError(
            f"{what} must be three numbers or functions of time, but {checks.show(value)} was given"
        )
    return tuple(as_drive(x, what=what) for x in parts)


