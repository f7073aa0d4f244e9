"""Perpendicular axes, and the universal joint that they make with a ball.

    C = e_a · e_b,   e_a = R_a a, e_b = R_b b (unit vectors fixed in the bodies),   n = e_a × e_b

    C_q:  θ_a  (R_aᵀ n)ᵀ,   θ_b  −(R_bᵀ n)ᵀ
    K_c:  aa  γ R_aᵀ ẽ_a ẽ_b R_a,   ab  −γ R_aᵀ ẽ_a ẽ_b R_b,   bb  γ R_bᵀ ẽ_b ẽ_a R_b,   ba = abᵀ
    Q_c = −(ë_a·e_b + 2 ė_a·ė_b + e_a·ë_b),   ė = w × e, ë = w × (w × e)

The reaction on b is the torque γ n.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.joints.joints import Joint, markers
from linkwork.elements.layout import (
    AA, AB, BA, BB, CK, EQ, KC, OMEGA, OUT, POS, RATES, ROT, TANGENT, A, B, M, add33, put_row,
    write,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import universal_reading
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, cross, dot, mm, mv, scale, skew, tm, transpose, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame, as_frame, joint_place, place
from linkwork.model.given import DirectionLike, FrameLike, OrientationLike, VectorLike
from linkwork.model.outputs import REACTION
from linkwork.model.registry import Entry, Family, Item

# reals: the axes on their bodies; for results the main marker's axes on a and the point on b
EA, EB, QA, UB, REALS = record(ea=3, eb=3, qa=4, ub=3, reals=0)
ZERO = (0.0, 0.0, 0.0)


def orthogonal_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals = loads.f, loads.C, loads.Qc, loads.vals
    for k in range(ints.shape[0]):
        if ints[k, M] == 0:
            continue
        a, b, eq = ints[k, A], ints[k, B], ints[k, EQ]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        ea, eb = mv(Ra, at(reals, k, EA)), mv(Rb, at(reals, k, EB))
        n = cross(ea, eb)
        ta, tb = tv(Ra, n), scale(-1.0, tv(Rb, n))
        C[eq] = dot(ea, eb)
        accumulate(f, a, 3, scale(gamma[eq], ta))
        accumulate(f, b, 3, scale(gamma[eq], tb))
        if coef[OUT] != 0.0:
            S = mm(Ra, rotation_matrix(at4(reals, k, QA)))
            point = add(at(nodes, b, POS), mv(Rb, at(reals, k, UB)))
            write(loads.out, k, ZERO + tv(S, scale(gamma[eq], n)) + S + point)
        if coef[TANGENT] != 0.0:
            put_row(vals, ints, k, 0, ZERO, ta, ZERO, tb)
            if coef[KC] != 0.0:
                c = coef[CK] * gamma[eq]
                X = mm(skew(ea), skew(eb))
                ab = tm(Ra, mm(X, Rb))
                add33(vals, ints[k, AA], 3, 3, c, tm(Ra, mm(X, Ra)))
                add33(vals, ints[k, AB], 3, 3, -c, ab)
                add33(vals, ints[k, BA], 3, 3, -c, transpose(ab))
                add33(vals, ints[k, BB], 3, 3, c, tm(Rb, mm(transpose(X), Rb)))
        if coef[RATES] != 0.0:
            wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
            da, db = cross(wa, ea), cross(wb, eb)
            Qc[eq] = -(dot(cross(wa, da), eb) + 2.0 * dot(da, db) + dot(ea, cross(wb, db)))


ORTHOGONAL = Family(
    "orthogonal", Kernel(orthogonal_kernel), bodies=2, rows=1, angles=(0,), reals=REALS,
    outputs=REACTION,
)  # fmt: skip


def cross_frames(
    a: Any, b: Any, at: Any, axis_a: Any, axis_b: Any, axis: Any, orientation: Any, what: str,
    places: bool,
) -> tuple[Frame, Frame]:  # fmt: skip
    """Markers of a and b: a's axis is the x axis of the first, b's the y axis of the second.

    From the two axes, or as for every joint from axis, orientation or frames.
    """
    if axis_a is None and axis_b is None:
        return markers(a, b, at, axis, orientation, what, places)
    for word, given in (("axis_a", axis_a), ("axis_b", axis_b)):
        if given is None:
            raise ModelError(f"{what} needs {word}=, a world direction such as (0, 0, 1)")
    if axis is not None or orientation is not None:
        raise ModelError(f"{what}: give axis_a and axis_b, or axis, or orientation")
    if isinstance(a, Frame) or isinstance(b, Frame):
        raise ModelError(f"{what}: the frames give the axes; leave out axis_a and axis_b")
    ea = checks.direction(axis_a, f"axis_a of {what}")
    eb = checks.direction(axis_b, f"axis_b of {what}")
    n = np.cross(ea, eb)
    if np.linalg.norm(n) < 1e-6:
        raise ModelError(
            f"the two axes of {what} are parallel in the reference configuration, so assembly "
            "would not know which way to turn them; describe them nearly perpendicular"
        )
    z = n / np.linalg.norm(n)
    body_a, body_b = as_frame(a, what).body, as_frame(b, what).body
    if body_a is body_b:
        raise ModelError(
            f"{what} joins {body_a!r} with itself; give two different bodies (or GROUND)"
        )
    if at is None:
        at = joint_place(body_a, body_b, what) if places else body_b.position
    point = checks.vector(at, f"at of {what}")
    first = rotations.from_matrix(np.column_stack([ea, np.cross(z, ea), z]))
    second = rotations.from_matrix(np.column_stack([np.cross(eb, z), eb, z]))
    return place(body_a, point, first), place(body_b, point, second)


def orthogonal_entry(frames: tuple[Frame, Frame]) -> Entry:
    """The row e_a · e_b = 0 of the first frame's x axis and the second's y axis."""
    fa, fb = frames
    reals = np.zeros(REALS)
    reals[EA : EA + 3] = rotations.matrix(fa.orientation)[:, 0]
    reals[EB : EB + 3] = rotations.matrix(fb.orientation)[:, 1]
    reals[QA : QA + 4], reals[UB : UB + 3] = fa.orientation, fb.position
    return Entry(ORTHOGONAL, (fa.body, fb.body), reals, (0,), row_names=("perpendicular",))


@dataclass(eq=False)
class Orthogonal(Item):
    """Holds an axis of b perpendicular to an axis of a; everything else is free.

    a, b           : the two bodies, or lw.GROUND, or frames on them (lw.Frame): then a's axis is x
                     and b's is y
    axis_a, axis_b : world directions in the reference configuration, each then fixed in its body;
                     they need not be perpendicular there (assembly turns them), but not parallel
    axis           : instead, the normal of both (world axes): the joint's axis z
    orientation    : or the quaternion (w, x, y, z) of the joint's axes in the world

    Example
    -------
    >>> import linkwork as lw
    >>> fork, cross = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1))
    >>> square = lw.Orthogonal(fork, cross, axis_a=(1, 0, 0), axis_b=(0, 1, 0))
    """

    a: FrameLike
    b: FrameLike
    axis_a: VectorLike | None = None
    axis_b: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.frames = cross_frames(
            self.a, self.b, None, self.axis_a, self.axis_b, self.axis, self.orientation,
            self.label, False,
        )  # fmt: skip

    def entries(self) -> list[Entry]:
        return [orthogonal_entry(self.frames)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Orthogonal:
        return cls(a, b, rng.normal(size=3), rng.normal(size=3))


@dataclass(eq=False)
class Universal(Joint):
    """A universal (Cardan, Hooke) joint: holds a point, and the cross's two arms perpendicular.

    a, b           : the two bodies, or lw.GROUND, or frames on them (lw.Frame): then the arm in a
                     is x and that in b is y
    at             : (x, y, z), the middle of the cross in the reference configuration (m, world
                     axes); needed unless frames are given
    axis_a, axis_b : the arms of the cross that turn in a and in b, world directions in the
                     reference configuration
    axis           : instead of them, the direction along the shaft (world axes)
    orientation    : or the quaternion (w, x, y, z) of the joint's axes in the world

    Example
    -------
    >>> import linkwork as lw
    >>> shaft, driven = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    >>> cross = lw.Universal(shaft, driven, at=(0.5, 0, 0), axis=(1, 0, 0))
    """

    rows = "x y z"
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis_a: VectorLike | None = None
    axis_b: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.frames = cross_frames(
            self.a, self.b, self.at, self.axis_a, self.axis_b, self.axis, self.orientation,
            self.label, True,
        )  # fmt: skip

    def reading(self, quantity: str, axis: Any) -> Drive:
        return universal_reading(self, quantity, axis)

    def entries(self) -> list[Entry]:
        return [self.lock_entry(self.active, {}), orthogonal_entry(self.frames)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Universal:
        return cls(a, b, rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))
