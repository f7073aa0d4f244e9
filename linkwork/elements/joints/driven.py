"""Joints that a function of time moves: all rows are held, one of them follows the function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.joints.joints import Joint, markers
from linkwork.errors import ModelError
from linkwork.model.drives import Drive, as_drive
from linkwork.model.given import (
    DirectionLike, FrameLike, Function, OrientationLike, VectorLike, given,
)


class DrivenJoint(Joint, abstract=True):
    """A joint whose free row follows a function of time."""

    row: ClassVar[str] = ""
    at: VectorLike | None
    axis: DirectionLike | None
    orientation: OrientationLike | None
    angle: Function
    displacement: Function

    def __post_init__(self) -> None:
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, self.label, True
        )
        word = "angle" if self.row == "rz" else "displacement"
        drive = getattr(self, word)
        if drive is None:
            raise ModelError(f"{self.label} needs {word}=, a function of time such as lw.ramp(1.0)")
        setattr(self, word, as_drive(drive, what=f"{word} of {self.label}"))

    def laws(self) -> dict[str, dict[str, Drive]]:
        return {"t": {self.row: self.angle if self.row == "rz" else self.displacement}}


@dataclass(eq=False)
class Motor(DrivenJoint):
    """A revolute joint whose angle is a function of time.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame), which then say where
                  the joint is; motions are those of b relative to a
    at          : (x, y, z), the joint's point in the reference configuration (m, world axes);
                  needed unless frames are given
    axis        : world direction of the joint's axis z, or "x", "-y", …; default (0, 0, 1)
    angle       : the angle (rad), a drive such as lw.ramp(2.0) or a Python function of time; needed
    orientation : quaternion (w, x, y, z) of the joint's axes in the world, instead of axis

    Example
    -------
    >>> import linkwork as lw
    >>> fan = lw.Body(1, (1, 1, 1))
    >>> motor = lw.Motor(lw.GROUND, fan, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(10.0))
    """

    rows = "x y z rx ry rz"
    row: ClassVar[str] = "rz"
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    angle: Function = given(None)
    orientation: OrientationLike | None = None

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Motor:
        from linkwork.model.drives import sine

        angle = sine(1.0, 0.3, rng.uniform(0, 3))
        return cls(a, b, at=rng.uniform(-1, 1, 3), axis=rng.normal(size=3), angle=angle)


@dataclass(eq=False)
class Actuator(DrivenJoint):
    """A prismatic joint whose displacement is a function of time.

    a, b         : the two bodies, or lw.GROUND, or frames on them (lw.Frame), which then say where
                   the joint is; motions are those of b relative to a
    at           : (x, y, z), the joint's point in the reference configuration (m, world axes);
                   needed unless frames are given
    axis         : world direction of the joint's axis z, or "x", "-y", …; default (0, 0, 1)
    displacement : the displacement (m): a drive such as lw.sine(0.1, 6.0), or a Python function of
                   time; needed
    orientation  : quaternion (w, x, y, z) of the joint's axes in the world, instead of axis

    Example
    -------
    >>> import linkwork as lw
    >>> table = lw.Body(1, (1, 1, 1))
    >>> lift = lw.Actuator(lw.GROUND, table, at=(0, 0, 0), displacement=lw.ramp(0.1))
    """

    rows = "x y z rx ry rz"
    row: ClassVar[str] = "z"
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    displacement: Function = given(None)
    orientation: OrientationLike | None = None

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Actuator:
        from linkwork.model.drives import sine

        law = sine(1.0, 0.3, rng.uniform(0, 3))
        return cls(a, b, at=rng.uniform(-1, 1, 3), axis=rng.normal(size=3), displacement=law)
