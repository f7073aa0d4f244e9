"""Frames: a body-fixed marker (position and orientation in body axes), and the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks, one_rotation
from linkwork.model.given import Orientation, Placed, Vector, given
from linkwork.model.registry import Item


class Ground:
    """The fixed world: usable wherever a body is."""

    name = "ground"
    position = np.zeros(3)
    orientation = np.array([1.0, 0.0, 0.0, 0.0])

    def __repr__(self) -> str:
        return "GROUND"

    def __reduce__(self) -> str:
        return "GROUND"  # there is one ground, also after copying and pickling


GROUND = Ground()


def carries_frames(body: Any) -> TypeGuard[Placed | Ground]:
    """Whether frames can be fixed to it: the ground, or an item with a place and axes."""
    placed = hasattr(body, "position") and hasattr(body, "orientation")
    return isinstance(body, Ground) or (isinstance(body, Item) and placed)


def joint_place(a: Any, b: Any, what: str) -> np.ndarray:
    """Where a joint is for which no place was given: at a section of a beam or a flexible link."""
    stations = [body.position for body in (a, b) if getattr(body, "is_station", False)]
    if not stations:
        raise ModelError(f"{what} needs at=(x, y, z), the world point where the joint is")
    if not np.allclose(stations[0], stations[-1]):
        raise ModelError(
            f"{what} joins {a!r} and {b!r}, which are at different places; give "
            "at=(x, y, z), the world point where the joint is"
        )
    return stations[0]


@dataclass(frozen=True, eq=False)
class Frame:
    """A marker fixed to a body: `position` and `orientation` relative to the body's axes.

    Example
    -------
    >>> import linkwork as lw
    >>> tip = lw.Frame(lw.Body.sphere(0.1, density=7800), position=(0, 0, 0.1))
    """

    body: Placed | Ground
    position: Vector = given((0.0, 0.0, 0.0))
    orientation: Orientation = given(None)

    def __post_init__(self) -> None:
        if not carries_frames(self.body):
            hint = "pass the item that model.add returned"
            if hasattr(self.body, "frame_hint"):
                hint = self.body.frame_hint
            elif isinstance(self.body, Frame):
                hint = f"give its body, {self.body.body!r}, and the place on that body"
            raise ModelError(
                f"a Frame needs a body or GROUND, but {checks.show(self.body)} was given; {hint}"
            )
        what = f"a frame on {self.body!r}"
        set_ = object.__setattr__
        set_(self, "position", checks.vector(self.position, f"position of {what}"))
        set_(self, "orientation", checks.quaternion(self.orientation, f"orientation of {what}"))

    def world(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and quaternion in the world, in the reference configuration."""
        R = one_rotation.matrix(self.body.orientation)
        return (
            self.body.position + R @ self.position,
            one_rotation.multiply(self.body.orientation, self.orientation),
        )


def place(body: Any, position: np.ndarray, orientation: np.ndarray) -> Frame:
    """The frame of `body` that coincides with a world position and quaternion."""
    R = one_rotation.matrix(body.orientation)
    q = one_rotation.multiply(rotations.conjugate(body.orientation), orientation)
    return Frame(body, R.T @ (position - body.position), one_rotation.unit(q))


def as_frame(end: Any, what: str) -> Frame:
    """A frame as it is, or the axes of a body."""
    if isinstance(end, Frame):
        return end
    if carries_frames(end):
        return Frame(end)
    hint = getattr(end, "frame_hint", "pass the item that model.add returned")
    raise ModelError(
        f"{what} needs a body, a Frame or GROUND, but {checks.show(end)} was given; {hint}"
    )
