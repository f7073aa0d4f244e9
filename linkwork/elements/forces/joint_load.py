"""Torques about and forces along the axis of a joint, on its second body and opposite on the first.

    torque y(t) about z:   T = y z_B on b, −T on a;        its work is y δφ where rx and ry are held
    force y(t) along z:    F = y z_A on b, −F on a, both at the marker on a; its work is y δs where
                           x and y are held: then the marker on b is on the line of the force

These are the generalised forces of the angle φ and of the displacement s.  As elements they are
force pairs that follow a body (forces.force_pair).  Of a universal joint, axis "x" is the arm that
turns in a, with T = y x_A, and "y" the arm in b, with T = y y_B: the work is y δα and y δβ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.deformable.slide import check_slide
from linkwork.elements.forces import force_pair as fp
from linkwork.elements.forces.joint_checks import refuse_moving_markers, refuse_other_items
from linkwork.elements.forces.torsion_spring import check_joint
from linkwork.elements.joints.joints import Joint, Prismatic, Revolute
from linkwork.elements.joints.orthogonal import Universal
from linkwork.elements.signals.load_formulas import load_reading
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import Frame
from linkwork.model.given import Function, given
from linkwork.model.outputs import POWER, Output
from linkwork.model.signals.readings import AXES
from linkwork.model.registry import Entry, Family, Item


ABOUT_AXIS = (
    fp.FORCE_ON_A, fp.TORQUE_ON_A, POWER,
    Output("torque", "N m", words="torque on the second body about the axis"),
    Output("rate", "rad/s", words="rate of the angle"),
)  # fmt: skip
JOINT_TORQUE = Family(
    "joint torque", fp.PAIR_KERNEL, bodies=2, reals=fp.REALS, outputs=ABOUT_AXIS
)
JOINT_FORCE = Family(
    "joint force", fp.PAIR_KERNEL, bodies=2, reals=fp.REALS,
    outputs=(
        fp.FORCE_ON_A, fp.TORQUE_ON_A, POWER,
        Output("force", "N", words="force on the second body along the axis"),
        Output("speed", "m/s", words="speed along the axis"),
    ),
)  # fmt: skip


class JointLoad(Item, abstract=True):
    """What JointTorque and JointForce share."""

    joint: Joint
    drive: Function
    words: ClassVar[tuple[str, str]] = ("torque", "rate")  # of the load, and of its work

    def _check_drive(self) -> None:
        if self.drive is None:
            raise ModelError(
                f"{self.label} needs a drive: a number, a function of time, or of the motion such "
                'as -5 * lw.reads(pin, "angle")'
            )
        self.drive = as_drive(self.drive, f"drive of {self.label}", follows=True)

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def reading(self, quantity: str, axis: Any) -> Drive:
        load, rate = self.words
        if quantity == rate:
            return self._rate()
        return load_reading(self, quantity, axis, (load, rate, "power"))

    def _rate(self) -> Drive:
        arm = getattr(self, "axis", None) if isinstance(self.joint, Universal) else None
        return self.joint.reading(self.words[1], None if arm is None else AXES[arm])

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        drive: Any = self.drive
        return drive * self._rate() if quantity == "power" else drive

    def pair_entry(
        self, family: Family, first: Frame, second: Frame, column: int, vector: np.ndarray
    ) -> Entry:
        """A force pair that follows the first body; `vector` in its axes."""
        reals = np.zeros(fp.REALS)
        reals[fp.UA : fp.UA + 3], reals[fp.UB : fp.UB + 3] = first.position, second.position
        reals[column : column + 3] = vector
        reals[fp.FOLLOWS], reals[fp.FACTOR] = 1.0, 0.0
        laws = [factor_law(fp.FACTOR, self.drive)]
        return Entry(family, (first.body, second.body), reals, laws=laws)


@dataclass(eq=False)
class JointTorque(JointLoad):
    """A torque (N m) about the axis of a joint: on its second body, and opposite on its first.

    joint : a Revolute, Cylindrical, Screw or any other that turns freely about its axis
    drive : the torque (N m): a number, a function of time, or of the motion (lw.reads); needed
    axis  : of a Universal: "x" for the arm that turns in its first body, "y" for that in its second

    Its power counts as supplied.  Outputs: torque, rate (of the angle), power.

    Example: a pendulum held upright by proportional and derivative action,

    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0), position=(0, 0, 0.5)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.2))
    >>> drive = -20 * lw.reads(pin, "angle") - 3 * lw.reads(pin, "rate")
    >>> motor = m.add("motor", lw.JointTorque(pin, drive))
    """

    joint: Joint
    drive: Function = given(None)
    axis: str | None = None

    def __post_init__(self) -> None:
        what = self.label
        refuse_other_items(self.joint, what, "a Revolute")
        if isinstance(self.joint, Universal):
            if not isinstance(self.axis, str) or self.axis not in ("x", "y"):
                raise ModelError(
                    f'{what} on {self.joint.label} needs axis="x", the arm that turns in its first '
                    f'body, or "y", the one in its second, but {checks.show(self.axis)} was given'
                )
            refuse_moving_markers(self.joint, what)
        else:
            if self.axis is not None and not (isinstance(self.axis, str) and self.axis == "z"):
                raise ModelError(
                    f"{what} acts about the z axis of {self.joint.label}, but axis = "
                    f"{checks.show(self.axis)} was given; leave it out"
                )
            check_joint(self.joint, what)
            if not {3, 4} <= set(self.joint.active):
                raise ModelError(
                    f"{what} cannot act on {self.joint.label}, which can bend, so that it has no "
                    "one axis to turn about; use lw.ForcePair with a torque"
                )
        self._check_drive()

    def entries(self) -> list[Entry]:
        fa, fb = self.joint.frames
        if self.axis == "x":
            arm = -rotations.matrix(fa.orientation)[:, 0]
            return [self.pair_entry(JOINT_TORQUE, fa, fb, fp.TORQUE_, arm)]
        arm = rotations.matrix(fb.orientation)[:, 1 if self.axis == "y" else 2]
        return [self.pair_entry(JOINT_TORQUE, fb, fa, fp.TORQUE_, arm)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        from linkwork.model.drives import sine

        joint = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [joint, cls(joint, sine(1.5, 0.3, 0.7))]


@dataclass(eq=False)
class JointForce(JointLoad):
    """A force (N) along the axis of a joint: on its second body, and opposite on its first.

    joint : a Prismatic, Cylindrical or any other that holds a point on its axis and slides freely
            along it
    drive : the force (N): a number, a function of time, or of the motion (lw.reads); needed

    Its power counts as supplied.  Outputs: force, speed (of the displacement), power.

    Example
    -------
    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1))
    >>> rail = lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0), displacement=0.1)
    >>> drive = -50 * lw.reads(rail, "displacement") - 4 * lw.reads(rail, "speed")
    >>> actuator = lw.JointForce(rail, drive)
    """

    joint: Joint
    drive: Function = given(None)
    words = ("force", "speed")

    def __post_init__(self) -> None:
        check_slide(self.joint, self.label)
        if not {0, 1} <= set(self.joint.active):
            raise ModelError(
                f"{self.label} cannot act on {self.joint.label}, which does not hold its second "
                "body on its axis; use lw.ForcePair"
            )
        self._check_drive()

    def entries(self) -> list[Entry]:
        fa, fb = self.joint.frames
        along = -rotations.matrix(fa.orientation)[:, 2]
        return [self.pair_entry(JOINT_FORCE, fa, fb, fp.FORCE_, along)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        from linkwork.model.drives import sine

        joint = Prismatic(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [joint, cls(joint, sine(1.5, 0.3, 0.7))]
