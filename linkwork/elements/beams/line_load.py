"""A load along a beam, per length of its reference configuration.

The sections at the evaluation points cut the beam into pieces, one for each node
(elements.beams.kernel).  A piece with the loaded length l, whose middle is at c from its node,
loads the node with l q at that point, so that forces and moments of all sections are those of the
line load exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.beams.beam import Beam
from linkwork.elements.beams.family import POINTS
from linkwork.elements.forces.force import Force, Torque
from linkwork.elements.flexible.section import Section
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.frame import Frame
from linkwork.model.given import FunctionOrNone, Vector, given
from linkwork.model.registry import Entry, Item


@dataclass(eq=False)
class LineLoad(Item):
    """A force (N/m) and a moment (N m/m) per length along a beam, or along a part of it.

    force, moment : in world axes, or with follower=True in the section's axes, turning with them
    start, end    : places on the beam between which it acts, parts of its length from 0 to 1
    drive         : a function of time, or of the motion (lw.reads), that multiplies both

    Lengths are those of the reference configuration.  Its power counts as supplied.  Outputs: force
    and torque, the sums over all pieces (world axes), and power.

    Example
    -------
    >>> import linkwork as lw
    >>> steel = lw.Section.circle(0.01, E=2.1e11, density=7800)
    >>> wing = lw.Beam((0, 0, 0), (0, 6, 0), steel)
    >>> lift = lw.LineLoad(wing, force=(0, 0, 40.0), start=0.2, drive=lw.ramp(0.5))
    """

    beam: Beam
    force: Vector = given((0.0, 0.0, 0.0))
    moment: Vector = given((0.0, 0.0, 0.0))
    start: float = 0.0
    end: float = 1.0
    follower: bool = False
    drive: FunctionOrNone = given(None)

    def __post_init__(self) -> None:
        what = self.label
        if not isinstance(self.beam, Beam):
            raise ModelError(f"{what} needs an lw.Beam, but {checks.show(self.beam)} was given")
        self.force = checks.vector(self.force, f"force of {what}")
        self.moment = checks.vector(self.moment, f"moment of {what}")
        self.follower = checks.flag(self.follower, f"follower of {what}")
        self.start = checks.number(self.start, f"start of {what}")
        self.end = checks.number(self.end, f"end of {what}")
        if not 0 <= self.start < self.end <= 1:
            raise ModelError(
                f"{what} must act from one place to a later one, start < end between 0 and 1, but "
                f"start = {self.start:g} and end = {self.end:g} were given"
            )
        if self.drive is not None:
            self.drive = as_drive(self.drive, f"drive of {what}", follows=True)

    def needs(self) -> tuple[Item, ...]:
        return (self.beam,)

    def pieces(self) -> list[tuple[int, float, np.ndarray]]:
        """Of every loaded piece: its node, its length, and its middle seen from the node."""
        beam, mesh = self.beam, self.beam.mesh
        ends = mesh.s[:: beam.order - 1]
        middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
        cuts = (middle[:, None] + half[:, None] * np.array(POINTS[beam.order])).ravel()
        bounds = np.concatenate([[0.0], cuts, [1.0]])
        found = []
        for i, (a, b) in enumerate(zip(bounds[:-1], bounds[1:])):
            a, b = max(a, self.start), min(b, self.end)
            if b > a:
                away = beam.curve.position((a + b) / 2) - mesh.position[i]
                arm = rotations.matrix(mesh.orientation[i]).T @ away
                found.append((i, (b - a) * beam.length, arm))
        return found

    def entries(self) -> list[Entry]:
        bodies = self.beam.bodies()
        loads: list[Force | Torque] = []
        for i, length, arm in self.pieces():
            words: dict[str, Any] = dict(follower=self.follower, drive=self.drive)
            if np.any(self.force):
                loads.append(Force(Frame(bodies[i], arm), length * self.force, **words))
            if np.any(self.moment):
                loads.append(Torque(bodies[i], length * self.moment, **words))
        for load in loads:
            load.take_name(self.name or "")  # for what is said about its drive
        return [entry for load in loads for entry in load.entries()]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.model.drives import sine

        section = Section(stiffness=rng.uniform(1, 2, 6), mass=1.0, inertia=(1, 1, 1))
        beam = Beam(rng.normal(size=3), rng.normal(size=3), section, elements=2)
        load = cls(
            beam, rng.normal(size=3), rng.normal(size=3), 0.1, 0.8, bool(rng.integers(2)),
            sine(1.5, 0.3, 0.7),
        )  # fmt: skip
        return [beam, load]
