"""Joints that hold rotations alone: the gimbal, and the hinge whose rotation vector is driven.

The gimbal joins two shafts as two universal joints one behind the other do: with the relative
rotation a turn v about y, f about x and v about y again,

    ρ = ρ_y(v) ρ_x(f) ρ_y(v) = (cos f/2 cos v, sin f/2, cos f/2 sin v, 0)

so it is the row rz of the lock joint: a rotation without twist.  (MBDyn's manual, 9.1.15, has v
and f as unknowns; here they follow from ρ.)

The driven hinge holds the relative rotation at exp(θ(t)) (model.drives.rotations; MBDyn's manual,
9.1.8, where |θ| < π).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.joints.joints import Joint, NamedJoint, markers
from linkwork.elements.joints.lock import LEVEL, QT
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.drives.rotations.rotation import rotation_vector_jets
from linkwork.model.frame import Frame
from linkwork.model.given import (
    Components, DirectionLike, FrameLike, OrientationLike, VectorLike, given,
)


class Gimbal(NamedJoint, rows="rz"):
    """Transmits rotation between two shafts that may bend, as two universal joints in line do.

    z is the axis of the shafts; positions are free.  Both shafts turn equally fast however far
    they are bent.  The angles of its two arms are f = 2 asin ρ_x and v = atan2(ρ_y, ρ_w) of the
    relative quaternion ρ.
    """


@dataclass(eq=False)
class DriveHinge(Joint):
    """Holds the relative rotation of b at the rotation vector of three functions of time.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame)
    at          : (x, y, z) of the markers (m, world axes); default: the origin of b
    axis        : direction of the joint's axis z (world axes); default (0, 0, 1)
    orientation : quaternion (w, x, y, z) of the joint's axes in the world, instead of axis
    vector      : three functions of time or numbers (rad), in the joint's axes on a; needed

    Positions are free.

    Example
    -------
    >>> import linkwork as lw
    >>> dish = lw.Body(1, (1, 1, 1))
    >>> aim = lw.DriveHinge(lw.GROUND, dish, vector=(lw.ramp(0.1), 0, lw.sine(0.2, 1)))
    """

    rows = "rx ry rz"
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    vector: Components = given(None)
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames = markers(self.a, self.b, self.at, self.axis, self.orientation, what, False)
        if not isinstance(self.vector, (list, tuple, np.ndarray)) or len(self.vector) != 3:
            raise ModelError(
                f"vector of {what} must be three functions of time or numbers, but "
                f"{checks.show(self.vector)} was given"
            )
        self.vector = [as_drive(x, what=f"vector of {what}") for x in self.vector]

    def laws(self) -> dict[str, dict[str, Drive]]:
        return {"t": dict(zip(("rx", "ry", "rz"), self.vector, strict=True))}

    def poses(
        self, reals: np.ndarray, laws: dict, times: np.ndarray, factor: float = 1.0
    ) -> np.ndarray:
        out = super().poses(reals, {}, times).reshape(len(times), 3, LEVEL)
        jets = np.stack([laws["t"][row].jet(times) for row in ("rx", "ry", "rz")], axis=2)
        jets *= factor
        out[:, :, QT : QT + 4] = rotation_vector_jets(jets)
        return out.reshape(len(times), 3 * LEVEL)

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> DriveHinge:
        from linkwork.model.drives import polynomial

        vector = [polynomial(rng.uniform(-1, 1, 4)) for _ in range(3)]
        return cls(a, b, axis=rng.normal(size=3), vector=vector)
