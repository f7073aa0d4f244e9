"""Stops of a joint: a one-sided spring and damper beyond limits of its angle or displacement.

    N = ±k pⁿ (1 + d ṗ),   p the penetration        (the law of elements.laws.nonlinear)

on the joint's turn (elements.deformable.axial) or on its travel (elements.deformable.slide).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.corners import inertia_about
from linkwork.elements.forces import torsion_spring as ts
from linkwork.elements.deformable.axial import DeformableAxial
from linkwork.elements.joints.joints import Joint, Prismatic, Revolute
from linkwork.elements.laws import Stop as StopLaw
from linkwork.elements.laws.contact import damping_for
from linkwork.elements.deformable.slide import check_slide, slide_entry
from linkwork.elements.signals.probes import Probe, about_axis, along_axis, measured_load
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import Number, given
from linkwork.model.drives import Drive
from linkwork.model.registry import Entry, Item

GIVES = 0.02  # of the range, and
BACK = 0.3  # of the rate: the stop that limits= of a joint stands for


@dataclass(eq=False)
class Stop(Item):
    """Limits of a joint's angle (rad) or displacement (m), with a stiff one-sided spring.

    joint        : one that turns about its axis or slides along it
    lower, upper : limits of its angle (rad, counted over turns) or displacement (m); either may be
                   left out
    stiffness    : k of the force or torque k pⁿ (1 + damping ṗ) at the penetration p (N/mⁿ, N
                   m/radⁿ); needed; the stop never pulls
    damping      : s/m or s/rad; default 0
    exponent     : n; default 1.5
    motion       : of a joint that does both, what is limited: "turn" or "slide"
    restitution  : in place of damping, the part (above 0, at most 1) of its rate with which the
                   joint leaves the stop when it meets it at the rate `speed`
    speed        : that rate (m/s, rad/s); default 1

    Outputs: those of DeformableAxial (angle, rate, torque) or DeformableSlide (displacement, speed,
    force).  `limits=(lower, upper)` of a joint is a shorthand for a stop that fits the bodies.

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
    restitution: float | None = None
    speed: float = 1.0

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
        self.speed = checks.number(self.speed, f"speed of {what}", positive=True)
        self.law().numbers(1, what)

    def law(self) -> StopLaw:
        damping = self.damping
        if self.restitution is not None:
            what = self.label
            if checks.number(self.damping, f"damping of {what}"):
                raise ModelError(f"{what} has both damping= and restitution=; give one of them")
            e = checks.number(self.restitution, f"restitution of {what}")
            if not 0 < e <= 1:
                raise ModelError(
                    f"restitution of {what} must be above 0 and at most 1, found {e:g}"
                )
            damping = damping_for(e, self.speed)
        return StopLaw(self.lower, self.upper, self.stiffness, damping, self.exponent)

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def reading(self, quantity: str, axis: Any) -> Drive:
        turns = self.motion == "turn"
        words = ("angle", "rate") if turns else ("displacement", "speed")
        if quantity in words:
            return self.joint.reading(quantity, axis)
        offered = ("torque" if turns else "force", *words)
        return measured_load(self, quantity, axis, offered, along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        turns, frames = self.motion == "turn", self.joint.frames
        return about_axis(frames) if turns else along_axis(frames)

    def entries(self) -> list[Entry]:
        if self.motion == "turn":
            return DeformableAxial(self.joint, law=self.law()).entries()
        return [slide_entry(self.joint.frames, self.law(), self.label)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        kind = Revolute if rng.integers(2) else Prismatic
        joint = kind(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [joint, cls(joint, -0.01, 0.01, rng.uniform(1, 5), damping=0.2, exponent=2)]


def stop_of_limits(joint: Joint, lower: float | None, upper: float | None) -> Stop:
    """The stop that a joint's limits= stands for.

    A body that crosses the range in a tenth of a second goes GIVES of it too far, and returns with
    BACK of its rate where it arrived with a tenth of that.
    """
    motion = moves(joint, None, f"limits of {joint.label}")
    bounds = [x for x in (lower, upper) if x is not None]
    span = bounds[1] - bounds[0] if len(bounds) == 2 else 1.0
    if len(bounds) == 1 and motion == "slide":
        span = max(abs(bounds[0]), 0.1)
    bodies = [(f, f.body) for f in joint.frames if isinstance(f.body, Body) and f.body.mass > 0]
    inertias = [b.mass if motion == "slide" else inertia_about(f, b) for f, b in bodies]
    inertia = min((x for x in inertias if x > 0), default=1.0)
    fast = span / 0.1
    stiffness = 1.25 * inertia * fast**2 / (GIVES * span) ** 2.5
    return Stop(
        joint, lower, upper, stiffness, motion=motion, restitution=BACK, speed=0.1 * fast
    )


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
