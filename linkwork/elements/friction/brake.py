"""A brake: dry friction between two bodies about an axis, pressed by a given force.

    N = max(N(t), least),   torque −N c r about the z axis        (c as in friction.friction)

The bodies turn on each other in another joint.  (MBDyn's input manual, joint `brake`.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.friction.friction import JOURNAL, PRELOAD, TURNS, friction_entry
from linkwork.elements.friction.models import Coulomb, FrictionModel
from linkwork.elements.joints.joints import markers
from linkwork.elements.signals.probes import Probe, about_axis, measured_load
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import Frame
from linkwork.model.given import (
    FrameLike, Function, Given, Number, OrientationLike, VectorLike, given,
)  # fmt: skip
from linkwork.model.registry import Entry, Item, Law


@dataclass(eq=False)
class Brake(Item):
    """A friction torque about an axis, loaded by a force that is a function of time.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame), whose z axes another
                  joint keeps together
    at          : (x, y, z) of the markers (m, world axes); default: the origin of b
    axis        : direction of the brake's axis z (world axes); default (0, 0, 1)
    orientation : quaternion (w, x, y, z) of the brake's axes in the world, instead of axis
    model       : lw.Coulomb(mu) or lw.LuGre(mu); needed
    radius      : of the friction surfaces (m); needed
    load        : the normal force (N), a number or a function of time; default 0
    least       : load below which there is no friction (N); default 0
    journal     : whether it rubs as a pin with play (lw.Friction); default False

    Outputs: speed of the surfaces, load, coefficient, torque on b about the axis, power, and
    deflection of the bristles (m).

    Example
    -------
    >>> import linkwork as lw
    >>> wheel = lw.Body(1, (1, 1, 1))
    >>> pads = lw.Brake(lw.GROUND, wheel, axis=(0, 0, 1), model=lw.Coulomb(0.4), radius=0.1,
    ...                 load=lw.ramp(100))
    """

    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: VectorLike | None = None
    orientation: OrientationLike | None = None
    model: Given[FrictionModel, FrictionModel | None] = given(None)
    radius: Number = given(None)
    load: Function = given(0.0)
    least: float = 0.0
    journal: bool = False
    frames: tuple[Frame, Frame] = field(init=False, repr=False)
    offered: ClassVar[tuple[str, ...]] = ("torque",)

    def __post_init__(self) -> None:
        what = self.label
        self.frames = markers(self.a, self.b, self.at, self.axis, self.orientation, what, False)
        if not isinstance(self.model, FrictionModel):
            raise ModelError(
                f"{what} needs a model such as lw.Coulomb(0.3), but {checks.show(self.model)} was "
                "given"
            )
        if self.radius is None:
            raise ModelError(f"{what} needs radius=, of the surfaces that turn on each other")
        self.radius = checks.number(self.radius, f"radius of {what}", positive=True)
        self.load = as_drive(self.load, what=f"load of {what}")
        self.least = checks.number(self.least, f"least of {what}", minimum=0)
        self.journal = checks.flag(self.journal, f"journal of {what}")

    def reading(self, quantity: str, axis: Any) -> Drive:
        return measured_load(self, quantity, axis, self.offered, along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return about_axis(self.frames)

    def entries(self) -> list[Entry]:
        kind = JOURNAL if self.journal else TURNS
        entry = friction_entry(self.frames, self.model, kind, self.radius, 0.0, self.least)
        entry.laws = [Law(PRELOAD, lambda t: self.load.values(t)[:, None], 1)]
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Brake:
        from linkwork.model.drives import polynomial

        model = Coulomb(0.3, 0.5, 2.0, stiffness=0.2, damping=0.1, viscous=0.05)
        return cls(a, b, axis=rng.normal(size=3), model=model, radius=0.4,
                   load=polynomial([2.0, 0.5]))  # fmt: skip
