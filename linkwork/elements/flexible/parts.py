"""The bodies that a flexible link is made of: floating frame and interface nodes.

None has mass of its own.  An interface node is the section of the link at one place; joints and
forces take it as they take a body.  The amplitudes are a vector node beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.registry import Entry, Item


@dataclass(eq=False, repr=False)
class Part(Item, abstract=True):
    """A body of a flexible link, under the link's name and a suffix."""

    view: ClassVar[str] = "body"
    link: Any
    suffix: str

    mass: ClassVar[float] = 0.0
    inertia: ClassVar[np.ndarray] = np.zeros((3, 3))
    velocity: ClassVar[Any] = None
    angular_velocity: ClassVar[Any] = None
    shape: ClassVar[Any] = None
    is_station: ClassVar[bool] = True  # a place for joints

    @property
    def name(self) -> str | None:  # type: ignore[override]
        owner = self.link.name
        return owner if owner is None or not self.suffix else f"{owner}.{self.suffix}"

    @property
    def label(self) -> str:
        return f"{self.suffix or 'frame'} of {self.link.label}"

    def __repr__(self) -> str:
        return self.label

    def take_name(self, name: str) -> None:
        raise ModelError(
            f"'{name}' must be an item of its own, but {self.label} was given; add the link itself"
        )

    def entries(self) -> list[Entry]:
        return []


class FloatingFrame(Part, abstract=True):
    """The frame in which the link deforms: origin at its start, x axis along it."""

    view: ClassVar[str] = "link"

    is_station = False

    @property
    def position(self) -> np.ndarray:
        return self.link.start

    @property
    def orientation(self) -> np.ndarray:
        return self.link.orientation

    @property
    def velocity(self) -> Any:
        return self.link.velocity

    @property
    def angular_velocity(self) -> Any:
        return self.link.angular_velocity


@dataclass(eq=False, repr=False)
class InterfaceNode(Part, abstract=True):
    """The section at the part s of the length; axes as those of the floating frame."""

    s: float

    @property
    def position(self) -> np.ndarray:
        return self.link.start + self.s * (self.link.end - self.link.start)

    @property
    def orientation(self) -> np.ndarray:
        return self.link.orientation
