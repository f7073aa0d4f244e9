"""Outputs of an element family, declared once and written by its kernel.

    FORCE, LENGTH = Output("force", "N", words="tension"), Output("length", "m")

A kernel writes the numbers of element k in the order of the declaration to `loads.out[k]` where
`motion.coef[OUT]` is set (elements.layout).  Results, plots, tables, energies and readings ask it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Role(Enum):
    """Which sum over all elements an output is a part of."""

    KINETIC = auto()  # energy, J
    STORED = auto()  # energy that can come back, of gravity and deformation too, J
    MOMENTUM = auto()  # world axes, N s
    ANGULAR_MOMENTUM = auto()  # about the origin, world axes, N m s


@dataclass(frozen=True)
class Output:
    """A number or vector that the kernel of a family computes.

    name  : as users ask for it; one that begins with "_" is for other parts of the package
    axis  : "" for a number, "xyz" or "wxyz" for a vector, else the numbers of its components
    words : what it is, where the name alone does not say it
    total : whether several elements of one item add up; else the last of them counts
    change : whether results have its change since their first time
    """

    name: str
    unit: str
    axis: str | tuple[int, ...] = ""
    words: str = ""
    role: Role | None = None
    total: bool = False
    change: bool = False

    @property
    def size(self) -> int:
        return max(1, len(self.axis))

    @property
    def adds(self) -> bool:
        """Whether the numbers of several elements are added."""
        return self.total or self.role is not None


KINETIC_ENERGY = Output("kinetic_energy", "J", role=Role.KINETIC)
STORED_ENERGY = Output("stored_energy", "J", role=Role.STORED)
MOMENTUM = Output("momentum", "N s", "xyz", role=Role.MOMENTUM)
ANGULAR_MOMENTUM = Output(
    "angular_momentum", "N m s", "xyz", "angular momentum about the origin", Role.ANGULAR_MOMENTUM
)
# of what has mass: in this order
MASS_OUTPUTS = (KINETIC_ENERGY, STORED_ENERGY, MOMENTUM, ANGULAR_MOMENTUM)
POWER = Output("power", "W", words="power that it supplies", total=True)

# of a constraint: force and torque on its second body about a point, in axes whose rotation matrix
# stands row by row
REACTION = (
    Output("force", "N", "xyz", "reaction force on the second body (main marker's axes)"),
    Output("torque", "N m", "xyz", "reaction torque on the second body (main marker's axes)"),
    Output("_axes", "1", tuple(range(9))),
    Output("_point", "m", "xyz"),
)
