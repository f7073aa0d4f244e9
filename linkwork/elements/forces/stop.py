"""Stops of a joint: a one-sided spring and damper beyond limits of its angle or displacement.

    N = ±k pⁿ (1 + d ṗ),   p the penetration        (the law of elements.laws.nonlinear)

on the joint's turn (elements.deformable.axial) or on its travel (elements.deformable.slide).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.forces import torsion_spring as ts
from linkwork.elements.deformable.axial import DeformableAxial
from linkwork.elements.joints.joints import Joint, Prismatic, Revolute
from linkwork.elements.laws import Stop as StopLaw
from linkwork.elements.deformable.slide import check_slide, slide_entry
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import Number, given
from linkwork.model.registry import Entry, Item


@dataclass(eq=False)
class Stop(Item):
    """Limits of a joint's angle (rad) or displacement (m), with a stiff one-sided spring.

    joint turns about its z axis or slides along it; of one that does both, `motion` says which is
    limited, "turn" or "slide".  lower and upper (either may be left out) are in the joint's angle,
    counted over turns, or displacement.  At the penetration p the stop pushes with
    stiffness pⁿ (1 + damping ṗ), n = exponent, and never pulls.  Outputs: those of DeformableAxial
    (angle, rate, torque) or DeformableSlide (displacement, speed, force).

    Example
    -------
    >>> import linkwork as lw
    >>> door = lw.Body(10, (1, 1, 1), position=(0.5, 0, 0))
    >>> hinge = lw.Revolute(lw.GROUND, door, at=(0, 0, 0), axis=(0, 0, 1))
    >>> stop = lw.Stop(hinge, -0.1, 1.6, stiffness=1e4, damping=0.5)
    """

    joint: Joint
    lower: float | None = None
    upper: float | None = None
    stiffness: Number = given(None)
    damping: float = 0.0
    exponent: float = 1.5
    motion: str | None = None

    def __post_init__(self) -> None:
        what = self.label
        if not isinstance(self.joint, Joint):
            raise ModelError(
                f"{what} needs a joint such as a Revolute, but {checks.show(self.joint)} was "
                "given; pass the item that model.add returned"
            )
        if self.lower is None and self.upper is None:
            raise ModelError(f"{what} needs lower= or upper=, limits of the joint's motion")
        if self.stiffness is None:
            raise ModelError(f"{what} needs stiffness=, of the spring beyond the limits")
        self.motion = moves(self.joint, self.motion, what)
        self.law().numbers(1, what)

    def law(self) -> StopLaw:
        return StopLaw(self.lower, self.upper, self.stiffness, self.damping, self.exponent)

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def entries(self) -> list[Entry]:
        if self.motion == "turn":
            return DeformableAxial(self.joint, law=self.law()).entries()
        return [slide_entry(self.joint.frames, self.law(), self.label)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        kind = Revolute if rng.integers(2) else Prismatic
        joint = kind(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [joint, cls(joint, -0.01, 0.01, rng.uniform(1, 5), damping=0.2, exponent=2)]


def moves(joint: Joint, motion: Any, what: str) -> str:
    """Whether an item acts on a joint's turn or on its travel along z."""
    free = [w for w, row in (("turn", 5), ("slide", 2)) if row not in joint.active]
    if motion is None:
        if len(free) == 2 and not (set(joint.active) >= {3, 4}):
            free = ["slide"]  # a point on a line; its rotations are not about the axis alone
        if len(free) == 2:
            raise ModelError(
                f"{what} acts on {joint.label}, which both turns and slides; say which with "
                'motion="turn" or motion="slide"'
            )
        motion = free[0] if free else "turn"
    checks.choice(motion, f"motion of {what}", ("turn", "slide"))
    (ts.check_joint if motion == "turn" else check_slide)(joint, what)
    return motion
