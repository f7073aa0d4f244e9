"""The bodies that a beam brings: one for each of its nodes, with a piece of its mass.

Joints and forces take them as they take a body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.flexible.parts import Part


@dataclass(eq=False, repr=False)
class BeamNode(Part, abstract=True):
    """The section of a beam at the part s of its length: x axis along it, y and z the section's."""

    s: float

    @property
    def label(self) -> str:
        return f"{self.suffix} of {self.link.label}"

    @property
    def position(self) -> np.ndarray:
        return self.link.mesh.position[self.link.mesh.number(self.s)]

    @property
    def orientation(self) -> np.ndarray:
        return self.link.mesh.orientation[self.link.mesh.number(self.s)]

    @property
    def mass(self) -> float:  # type: ignore[override]
        return self.link.lumped_mass(self.s)[0]

    @property
    def inertia(self) -> np.ndarray:  # type: ignore[override]
        return self.link.lumped(self.s)[1]

    @property
    def velocity(self) -> Any:
        return self.link.rigid_velocity(self)[0]

    @property
    def angular_velocity(self) -> Any:
        return self.link.rigid_velocity(self)[1]
