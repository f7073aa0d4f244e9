"""Cams: a curve of one body drives a roller, a pin or a flat face of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.contact.contact import Bounds, contact_entry, damped
from linkwork.elements.contact.cams.curves import spline
from linkwork.elements.contact.layout import CAM_FLAT, CAM_ROLLER
from linkwork.elements.contact.pairing import Pair
from linkwork.elements.corners import reduced
from linkwork.elements.friction.models import Coulomb, FrictionModel
from linkwork.elements.laws.base import ConstitutiveLaw
from linkwork.elements.laws.contact import HuntCrossley
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike, Given, MatrixLike, given
from linkwork.model.registry import Entry, Item


@dataclass(eq=False)
class CamFollower(Item):
    """A cam against its follower: a planar curve on one body, a roller or a flat face on another.

    cam, follower : bodies or GROUND, or Frames on them: the curve lies in the x y plane of the
             cam's frame; a roller's centre is the origin of the follower's frame, a flat face the
             x y plane there, whose z axis points to the cam
    curve  : points (x, y) (m), through which a cubic spline goes; closed, or open with closed=False
             (a groove's wall, on either side)
    radius : of the roller or pin (m); None: a flat face
    law    : normal force (N) from depth (m) and its rate, as of lw.Contact
    friction : coefficient, lw.Coulomb(...) or lw.LuGre(...); None: smooth
    hard   : impulses in place of a law, as of lw.Contact; default False

    Outputs as of lw.Contact, on the follower.

    Example
    -------
    >>> import numpy as np, linkwork as lw
    >>> t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> disc = np.column_stack([0.01 + 0.03 * np.cos(t), 0.03 * np.sin(t)])  # eccentric
    >>> cam, tappet = lw.Body(1, (1, 1, 1)), lw.Body(0.2, (1, 1, 1), position=(0, 0.05, 0))
    >>> drive = lw.CamFollower(cam, tappet, disc, radius=0.01, law=lw.laws.HuntCrossley(1e9))
    """

    view: ClassVar[str] = "cam"

    cam: FrameLike
    follower: FrameLike
    curve: MatrixLike
    radius: float | None = None
    law: Given[ConstitutiveLaw, ConstitutiveLaw | None] = given(None)
    friction: float | FrictionModel | None = None
    closed: bool = True
    hard: bool = False

    def __post_init__(self) -> None:
        what = self.label
        self.hard = checks.flag(self.hard, f"hard of {what}")
        if self.hard:
            raise ModelError(f"{what} needs a law; hard=True is for lw.Contact")
        if self.radius is not None:
            self.radius = checks.number(self.radius, f"radius of {what}", positive=True)
        self.closed = checks.flag(self.closed, f"closed of {what}")
        if not isinstance(self.law, ConstitutiveLaw):
            raise ModelError(
                f"{what} needs law=, such as lw.laws.HuntCrossley(1e9), but "
                f"{checks.show(self.law)} was given"
            )
        self.law.numbers(1, what)
        friction = self.friction
        if friction is not None and not isinstance(friction, FrictionModel):
            checks.number(friction, f"friction of {what}", minimum=0)
        self.frames = (as_frame(self.cam, what), as_frame(self.follower, what))
        if self.frames[0].body is self.frames[1].body:
            raise ModelError(f"{what} joins a body with itself; give two different bodies")
        if checks.array(self.curve) is not None:
            self.curve = np.array(self.curve, float)
        spline(self.curve, f"curve of {what}", self.closed)

    def entries(self) -> list[Entry]:
        cam, follower = self.frames
        pieces = spline(self.curve, f"curve of {self.label}", self.closed)
        head = [*cam.position, *rotations.matrix(cam.orientation).ravel(), *follower.position]
        sizes = len(pieces), int(self.closed)
        reach = float(np.linalg.norm(self.curve, axis=1).max())
        size = float(np.ptp(self.curve, axis=0).min()) or reach
        friction = None
        if isinstance(self.friction, FrictionModel):
            friction = damped(self.friction)
        elif self.friction:
            friction = damped(Coulomb(float(self.friction), stiffness=1e4 / size))
        mass = reduced([getattr(end.body, "mass", 0.0) for end in (cam, follower)])
        words = self.law, friction, self.label, mass
        if self.radius is not None:
            geometry = np.concatenate([head, pieces.ravel()])
            pair = Pair(CAM_ROLLER, geometry, 0, 0.0, self.radius, sizes)
            bounds = Bounds(cam.position, follower.position, 1e30, 1e30, size)
            return [contact_entry((cam.body, follower.body), pair, bounds, *words)]
        normal = rotations.matrix(follower.orientation)[:, 2]
        pair = Pair(CAM_FLAT, np.concatenate([head, pieces.ravel(), normal]), sizes=sizes)
        bounds = Bounds(follower.position, cam.position, 1e30, 1e30, size)
        return [contact_entry((follower.body, cam.body), pair, bounds, *words, flipped=True)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Body, b: Body) -> CamFollower:
        """A large cam, so that bodies a few metres apart touch."""
        t = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        r = 20 + 0.5 * np.cos(3 * t)
        curve = np.column_stack([r * np.cos(t), r * np.sin(t)])
        frame = Frame(b, rng.normal(size=3), checks.axes(rng.normal(size=3), None, "sample"))
        law = HuntCrossley(rng.uniform(0.01, 0.02), damping=0.01)
        radius = None if rng.integers(2) else 10.0
        friction = Coulomb(0.2, static=0.3, stribeck=0.5, stiffness=0.1, damping=0.02)
        return cls(a, frame, curve, radius, law, friction)
