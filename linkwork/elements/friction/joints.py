"""What rubs in a joint: its free directions say which surfaces move on each other.

With H the rows x y z that the joint holds, T and Q the displacements and rotations that it leaves
free or drives,

    turn    Q one axis: a pin, loaded by |F|
            Q more: a ball, |F|
            a Universal: two pins, |F| + |M|/arm;  a Screw: its thread, |axial force|
    slide   T one axis: a rail, |F across it|
            T two axes: a plane, |F along its normal|
    both    T two axes, the normal in Q: a plane on which it also spins
            T = Q one axis: a rod in a bush

F is the reaction in the rows H: what a drive does along its own row presses nothing.  Joints
without a row of H have no force that could press surfaces together; turning, they need a preload.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.friction.surfaces import BALL, BUSH, PLANE
from linkwork.elements.forces.joint_checks import refuse_moving_markers, refuse_other_items
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.motion_laws import driven_rows
from linkwork.elements.joints.orthogonal import Universal
from linkwork.elements.joints.screw import Screw
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import Frame

TURNS, SLIDES, SCREWS, PINS, JOURNAL = 0, 1, 2, 3, 4  # what moves in one direction
MOTIONS = ("turn", "slide", "both")
REASONS = {  # of items that hold something but are no joint with surfaces
    "Distance": "holds two points at a distance and has no bearings; make the bar a Body with "
    "Spherical joints at its ends",
    "Orthogonal": "holds two axes at a right angle and no point, so no reaction presses its arms; "
    "use a Universal",
    "Rolling": "does not slip; use a Tyre",
    "VelocityLock": "holds velocities and has no surfaces; use a Brake",
    "RigidBodyDisplacement": "holds a body at the mean of points, where nothing slides or turns",
}


class Rubbing(NamedTuple):
    """`motion` as the user says it, the kind of element, and the joint's axis that is its z."""

    motion: str
    kind: int
    axis: int = 2

    def frames(self, joint: Joint) -> tuple[Frame, Frame]:
        """The joint's frames, turned so that z is the axis."""
        if self.axis == 2:
            return joint.frames
        return turned(joint.frames, self.axis)

    def rows(self) -> tuple[int, int, int]:
        """The rows of the joint that are x y z of those frames."""
        return ((self.axis + 1) % 3, (self.axis + 2) % 3, self.axis)


def turned(frames: tuple[Frame, Frame], axis: int) -> tuple[Frame, Frame]:
    """Frames whose z is this axis of the given ones."""
    columns = np.eye(3)[:, [(axis + 1) % 3, (axis + 2) % 3, axis]]
    q = rotations.from_matrix(columns)
    fa, fb = (Frame(f.body, f.position, rotations.multiply(f.orientation, q)) for f in frames)
    return fa, fb


def check_joint(joint: Any, what: str) -> None:
    """Refuse what is no joint, with the reason where there is one to tell."""
    reason = REASONS.get(type(joint).__name__)
    if reason:
        raise ModelError(f"{what} cannot act on {joint.label}, which {reason}")
    refuse_other_items(joint, what, "a Revolute")
    refuse_moving_markers(joint, what)


def held_rows(joint: Joint) -> set[int]:
    """The rows that the joint holds, without those that it drives."""
    return set(joint.active) - set(driven_rows(joint.laws().get("t", {}), joint.active))


def rubbing(joint: Joint, motion: Any, radius: Any, what: str) -> Rubbing:
    """What rubs in a joint, or an error that says why nothing does."""
    held = held_rows(joint)
    T = [row for row in range(3) if row not in held]
    Q = [row - 3 for row in range(3, 6) if row not in held]
    if not T and not Q:
        raise ModelError(f"{what} cannot act on {joint.label}, in which nothing slides or turns")
    normal = ({0, 1, 2} - set(T)).pop() if len(T) == 2 else -1
    if motion is None:
        motion = default_motion(joint, T, Q, normal in Q and bool(radius), what)
    checks.choice(motion, f"motion of {what}", MOTIONS)
    if isinstance(joint, Screw):
        if motion != "turn":
            raise ModelError(f"{what} acts on the turn of {joint.label}; leave out motion")
        return Rubbing("turn", SCREWS)
    if motion == "both":
        if normal in Q:
            return Rubbing("both", PLANE, normal)
        if len(T) == 1 and T == Q:
            return Rubbing("both", BUSH, T[0])
        raise ModelError(
            f'{what} cannot act on both motions of {joint.label} at once; say motion="turn" or '
            'motion="slide"'
        )
    if motion == "turn":
        if not Q:
            raise ModelError(f"{what} cannot act on {joint.label}, which does not turn")
        if isinstance(joint, Universal):
            return Rubbing("turn", PINS)
        return Rubbing("turn", TURNS, Q[0]) if len(Q) == 1 else Rubbing("turn", BALL)
    if not T:
        raise ModelError(f"{what} cannot act on {joint.label}, which does not slide")
    if len(T) == 3:
        raise ModelError(
            f"{what} cannot act on {joint.label}, which holds no point: it has no surface to slide "
            "on; use a joint such as a PointOnPlane or a Prismatic"
        )
    return Rubbing("slide", PLANE, normal) if len(T) == 2 else Rubbing("slide", SLIDES, T[0])


def default_motion(joint: Joint, T: list[int], Q: list[int], spins: bool, what: str) -> str:
    """What is meant where there is one answer."""
    if isinstance(joint, Screw) or not T or (len(T) == 3 and Q):
        return "turn"
    if len(T) == 2 and spins:
        return "both"
    if not Q or len(T) > 1 or len(Q) > 1:
        return "slide"  # of a point on a line or a plane, that point; how it turns is another story
    raise ModelError(
        f"{what} acts on {joint.label}, which both turns and slides; say which with "
        'motion="turn" or motion="slide", or motion="both" for a rod that does both in one bush'
    )
