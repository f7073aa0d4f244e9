"""Deformable joints: a force, a moment or both between two frames, from a constitutive law.

Their equation and kernel are in joint_kernel.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.deformable.bushing import QA, QB
from linkwork.elements.deformable.joint_kernel import (
    GRADIENT, LAW, MIDDLE, UA, UB, deformable_family, room,
)  # fmt: skip
from linkwork.elements.joints.joints import markers
from linkwork.elements.laws import LinearViscoelastic
from linkwork.elements.laws.base import ConstitutiveLaw, law_numbers, padded
from linkwork.elements.signals.probes import Probe, between_frames, measured_load
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, OrientationLike, VectorLike
from linkwork.model.registry import Entry, Item


@dataclass(eq=False)
class Deformable(Item, abstract=True):
    """What deformable joints share."""

    components: ClassVar[tuple[int, int]] = (0, 6)  # the first, and how many
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    law: ConstitutiveLaw | None = None
    axis: VectorLike | None = None
    orientation: OrientationLike | None = None
    form: str = "attached"
    conservative: bool = True
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        needs_point = self.components[0] == 0
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, what, needs_point
        )
        checks.choice(self.form, f"form of {what}", ("attached", "invariant"))
        self.conservative = checks.flag(self.conservative, f"conservative of {what}")
        law_numbers(self.law, self.components[1], what, LAW)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return measured_load(self, quantity, axis, ("force", "torque"))

    def probe(self, quantity: str, which: int) -> Probe:
        return between_frames(self, quantity)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        first, n = self.components
        numbers, integers, laws = law_numbers(self.law, n, self.label, LAW)
        places = room(numbers, integers)
        reals = np.zeros(LAW + places)
        reals[UA : UA + 3], reals[QA : QA + 4] = fa.position, fa.orientation
        reals[UB : UB + 3], reals[QB : QB + 4] = fb.position, fb.orientation
        reals[MIDDLE], reals[GRADIENT] = self.form == "invariant", self.conservative
        reals[LAW : LAW + len(numbers)] = numbers
        integers = (first, n, *padded(integers, places))
        family = deformable_family(places)
        return [Entry(family, (fa.body, fb.body), reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        n = cls.components[1]
        X, Y = rng.normal(size=(2, n, n))
        law = LinearViscoelastic(X @ X.T, Y @ Y.T, prestress=rng.normal(size=n))
        form = "invariant" if rng.integers(2) else "attached"
        return cls(a, b, rng.normal(size=3), law, axis=rng.normal(size=3), form=form)


class DeformableHinge(Deformable):
    """A moment between two bodies from a law of three components of their relative rotation.

    a, b         : the two bodies, or lw.GROUND, or frames on them (lw.Frame)
    at           : (x, y, z) of the frames (m, world axes), for drawing; default: the origin of b
    law          : of three components: moment (N m) from rotation vector (rad) and its rate (rad/s)
    axis         : direction of the law's axis z (world axes); default (0, 0, 1)
    orientation  : quaternion (w, x, y, z) of the law's axes in the world, instead of axis
    form         : "attached" (default): the law's axes are on a; "invariant": half-way between both
    conservative : True (default): the moment is the gradient of the energy that the law stores;
                   False pairs it with the angular velocity, which has no potential unless the law
                   is isotropic

    Outputs: force, torque (on b, in the axes of the frame on a); in the law's axes displacement,
    rotation, their rates velocity, angular_velocity, and internal_force, internal_moment.

    Example
    -------
    >>> import linkwork as lw
    >>> hub, blade = lw.Body(5, (1, 1, 1)), lw.Body(2, (1, 1, 1), position=(1, 0, 0))
    >>> flap = lw.DeformableHinge(hub, blade, law=lw.laws.LinearElastic((10, 20, 50)))
    """

    components = (3, 3)


class DeformableDisplacement(Deformable):
    """A force between two bodies from a law of three components of their relative position.

    a, b         : the two bodies, or lw.GROUND, or frames on them (lw.Frame)
    at           : (x, y, z), the point of both frames in the reference configuration (m, world
                   axes); needed unless frames are given
    law          : of three components: force (N) from displacement (m) and velocity (m/s)
    axis         : direction of the law's axis z (world axes); default (0, 0, 1)
    orientation  : quaternion (w, x, y, z) of the law's axes in the world, instead of axis
    form         : "attached" (default): the law's axes are on a; "invariant": half-way between both
    conservative : as of DeformableHinge; default True

    Outputs: those of DeformableHinge.

    Example
    -------
    >>> import linkwork as lw
    >>> box = lw.Body(5, (1, 1, 1))
    >>> law = lw.laws.LinearViscoelastic((1e4, 1e4, 5e4), proportional=1e-3)
    >>> mount = lw.DeformableDisplacement(lw.GROUND, box, (0, 0, -1), law)
    """

    components = (0, 3)


class DeformableJoint(Deformable):
    """A force and a moment between two bodies from a law of six components.

    a, b         : the two bodies, or lw.GROUND, or frames on them (lw.Frame)
    at           : (x, y, z), the point of both frames in the reference configuration (m, world
                   axes); needed unless frames are given
    law          : of six components x y z rx ry rz: force (N) and moment (N m) from displacement
                   (m) and rotation vector (rad), and their rates
    axis         : direction of the law's axis z (world axes); default (0, 0, 1)
    orientation  : quaternion (w, x, y, z) of the law's axes in the world, instead of axis
    form         : "attached" (default): the law's axes are on a; "invariant": half-way between both
    conservative : as of DeformableHinge; default True

    Outputs: those of DeformableHinge.

    Example
    -------
    >>> import linkwork as lw
    >>> box = lw.Body(5, (1, 1, 1))
    >>> law = lw.laws.LinearElastic((1e4, 1e4, 5e4, 10, 10, 20))
    >>> mount = lw.DeformableJoint(lw.GROUND, box, (0, 0, -1), law, form="invariant")
    """
