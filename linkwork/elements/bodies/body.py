"""The rigid body: Newton and Euler's equations about the centre of mass.

    m (v̇ − g) = …            world axes
    J ω̇ + ω × J ω = …         body axes

Tangent for increments θ in body axes when the step moves the body by exp(x): inertia and
gyroscopic terms take T(x)⁻¹ (kernels.rotations), so Newton's method stays exact for large steps.
Methods whose velocities follow from x in another way write these blocks themselves.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np

from linkwork.elements.layout import CD, OMEGA, STRIDE, TANGENT, WRITTEN, put36
from linkwork.elements.contact.geometry.words import DRAWN, WORDS, refuse_unknown
from linkwork.errors import ModelError
from linkwork.kernels.compiled import spliced
from linkwork.kernels.record import record
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import accumulate, add, at, at9, cross, madd, mm, mscale, mv, skew
from linkwork.model import checks
from linkwork.model.calls import explained_maker
from linkwork.model.given import (
    InertiaLike, Orientation, OrientationLike, ShapeLike, Vector, VectorLike, VectorOrNone, given,
)  # fmt: skip
from linkwork.model.registry import Entry, Item

MASS, INERTIA, BODY_REALS = record(mass=1, inertia=9, body_reals=0)
IDENTITY, ZEROS = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0,) * 9


@spliced
def body_terms(bodies, blocks, nodes, vdot, x, gravity, cM, coef, f, vals):
    """Inertia and gravity of all bodies; blocks: where the diagonal blocks begin."""
    for b in range(bodies.shape[0]):
        body_term(b, bodies, blocks, nodes, vdot, x, gravity, cM, coef, f, vals)


@spliced
def body_term(b, bodies, blocks, nodes, vdot, x, gravity, cM, coef, f, vals):
    """Inertia and gravity of one body."""
    m, J = bodies[b, MASS], at9(bodies, b, INERTIA)
    w = at(nodes, b, OMEGA)
    h = mv(J, w)
    f[b, 0] += m * (vdot[b, 0] - gravity[0])
    f[b, 1] += m * (vdot[b, 1] - gravity[1])
    f[b, 2] += m * (vdot[b, 2] - gravity[2])
    accumulate(f, b, 3, add(mv(J, at(vdot, b, 3)), cross(w, h)))
    if coef[TANGENT] != 0.0 and coef[WRITTEN] == 0.0:
        base = blocks[b]
        D = madd(mm(skew(w), J), mscale(-1.0, skew(h)))
        X = madd(mscale(cM, J), mscale(coef[CD], D))
        put36(vals, base, cM * m, IDENTITY, ZEROS)
        put36(vals, base + 3 * STRIDE, 1.0, ZEROS, mm(X, inverse_tangent(at(x, b, 3))))


class Placement(TypedDict, total=False):
    """The parameters of a body beside its mass and shape."""

    position: VectorLike
    orientation: OrientationLike | None
    velocity: VectorLike | None
    angular_velocity: VectorLike | None
    any_inertia: bool


@dataclass(eq=False)
class Body(Item):
    """A rigid body.

    mass             : kg
    inertia          : about the centre of mass in body axes (kg m²): three moments, or 3×3
    position         : of the centre of mass (m, world axes); default (0, 0, 0)
    orientation      : of the body axes in the world: quaternion (w, x, y, z), 3×3 matrix or scipy
                       Rotation; default: they are parallel to the world's
    velocity         : of the centre of mass at the start (m/s, world axes)
    angular_velocity : at the start (rad/s, body axes)
    shape            : for drawing and contact, such as {"kind": "box", "size": (1, 2, 3)}; default:
                       drawn from inertia and joints
    any_inertia      : True allows moments that no body has, such as (0, 0, J) in a mechanism that
                       moves in a plane; default False

    A velocity that is not given follows from the joints at assembly, or is zero.

    Example
    -------
    >>> import linkwork as lw
    >>> lw.Body(mass=2, inertia=(0.1, 0.1, 0.2), position=(0, 0, 1)).mass
    2.0
    """

    view: ClassVar[str] = "body"

    mass: float
    inertia: InertiaLike
    position: Vector = given((0.0, 0.0, 0.0))
    orientation: Orientation = given(None)
    velocity: VectorOrNone = given(None)
    angular_velocity: VectorOrNone = given(None)
    shape: ShapeLike | None = None
    any_inertia: bool = False

    def __post_init__(self) -> None:
        what = self.label
        self.mass = checks.number(self.mass, f"mass of {what}", minimum=0)
        self.any_inertia = checks.flag(self.any_inertia, f"any_inertia of {what}")
        self.inertia = _inertia(self.inertia, f"inertia of {what}", self.any_inertia)
        self.position = checks.vector(self.position, f"position of {what}")
        self.orientation = checks.quaternion(self.orientation, f"orientation of {what}")
        for word in ("velocity", "angular_velocity"):
            if getattr(self, word) is not None:
                setattr(self, word, checks.vector(getattr(self, word), f"{word} of {what}"))
        self.shape = _shape(self.shape, f"shape of {what}")

    def __repr__(self) -> str:
        return self.label

    def accelerometer(self, frame: Any, quantity: str, axis: Any, axes: Any) -> Item:
        from linkwork.elements.signals.measured import FrameSensor  # slow to import

        return FrameSensor(frame, quantity, axis, axes)

    def bodies(self) -> list[Any]:
        return [self]

    def entries(self) -> list[Entry]:
        return []

    @classmethod
    @explained_maker
    def box(
        cls, size: VectorLike, *, density: float | None = None, mass: float | None = None,
        **at_: Unpack[Placement],
    ) -> Self:  # fmt: skip
        """A box with edges `size` (x, y, z), of given density or mass."""
        edges = checks.vector(size, "size of Body.box").tolist()
        x, y, z = (checks.number(s, "an edge of Body.box", positive=True) for s in edges)
        m = _mass(x * y * z, density, mass, "Body.box")
        J = m / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        return cls(m, J, shape={"kind": "box", "size": [x, y, z]}, **at_)

    @classmethod
    @explained_maker
    def cylinder(
        cls, radius: float, length: float, *, density: float | None = None,
        mass: float | None = None, **at_: Unpack[Placement],
    ) -> Self:  # fmt: skip
        """A solid cylinder along the body's z axis."""
        r = checks.number(radius, "radius of Body.cylinder", positive=True)
        l = checks.number(length, "length of Body.cylinder", positive=True)
        m = _mass(math.pi * r * r * l, density, mass, "Body.cylinder")
        t = m * (3 * r * r + l * l) / 12
        return cls(m, (t, t, m * r * r / 2), shape=_cylinder(r, l), **at_)

    @classmethod
    @explained_maker
    def sphere(
        cls, radius: float, *, density: float | None = None, mass: float | None = None,
        **at_: Unpack[Placement],
    ) -> Self:  # fmt: skip
        """A solid sphere."""
        r = checks.number(radius, "radius of Body.sphere", positive=True)
        m = _mass(4 / 3 * math.pi * r**3, density, mass, "Body.sphere")
        return cls(m, np.full(3, 0.4 * m * r * r), shape={"kind": "sphere", "radius": r}, **at_)

    @classmethod
    @explained_maker
    def link(
        cls, start: VectorLike, end: VectorLike, radius: float, *, density: float | None = None,
        mass: float | None = None, **at_: Unpack[Placement],
    ) -> Self:  # fmt: skip
        """A round rod between two world points, its z axis from start to end."""
        if {"position", "orientation"} & set(at_):
            raise ModelError("Body.link is placed by its ends; leave out position and orientation")
        p = checks.vector(start, "start of Body.link")
        q = checks.vector(end, "end of Body.link")
        arm = q - p
        length = math.sqrt(arm.dot(arm))
        if length == 0:
            raise ModelError("the ends of Body.link must be two different points")
        at_["position"] = (p + q) / 2
        at_["orientation"] = checks.axes(arm, None, "Body.link")
        return cls.cylinder(radius, length, density=density, mass=mass, **at_)


def refuse_changed(bodies: list[Body]) -> None:
    """Refuse bodies whose arrays were changed in place to what no body has."""
    if not bodies:
        return
    parts = [
        (body.inertia, body.position, body.orientation, body.velocity, body.angular_velocity)
        for body in bodies
    ]
    given = [np.ravel(part) for each in parts for part in each if part is not None]
    if not np.all(np.isfinite(np.concatenate(given))):
        for body, each in zip(bodies, parts, strict=True):
            if not all(part is None or np.all(np.isfinite(part)) for part in each):
                raise ModelError(f"{body.label} has numbers that are not finite; correct them")
    J = np.array([body.inertia for body in bodies], float)
    largest = np.abs(J).max(axis=(1, 2), initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)[:, None, None]
    skewed = np.abs(J - np.swapaxes(J, 1, 2)).max(axis=(1, 2)) > 1e-9 * largest
    I = np.linalg.eigvalsh((J + np.swapaxes(J, 1, 2)) / (2 * scale))
    slack = 1e-9 * np.abs(I).max(axis=1)
    any_ = np.array([body.any_inertia for body in bodies])
    odd = skewed | (I[:, 0] < -slack) | (~any_ & (I[:, 0] + I[:, 1] < I[:, 2] - slack))
    for i in np.flatnonzero(odd):
        _inertia(J[i], f"inertia of {bodies[i].label}", bodies[i].any_inertia)
    size = np.linalg.norm([body.orientation for body in bodies], axis=1)
    for i in np.flatnonzero(np.abs(size - 1) > 1e-9):
        raise ModelError(
            f"orientation of {bodies[i].label} must be a unit quaternion, but was changed to one "
            f"of length {size[i]:.6g}; assign a new one, which is checked and normalised"
        )


def _cylinder(radius: float, length: float) -> dict:
    return {"kind": "cylinder", "radius": radius, "length": length}


def _mass(volume: float, density: float | None, mass: float | None, what: str) -> float:
    if (density is None) == (mass is None):
        raise ModelError(f"{what} needs either density or mass")
    if mass is not None:
        return checks.number(mass, f"mass of {what}", positive=True)
    return volume * checks.number(density, f"density of {what}", positive=True)


def _shape(value: Any, what: str) -> Any:
    """What a viewer draws: mostly a dict with a kind and finite numbers, copied."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, dict) and isinstance(kind := one.get("kind"), str) and kind in WORDS:
            refuse_unknown(one, what, DRAWN.get(kind, ()))
    parts = value if isinstance(value, dict) else {"": value}
    plain = all(type(x) is str or (type(x) is float and math.isfinite(x)) for x in parts.values())
    if isinstance(value, dict) and plain:
        return dict(value)
    for part in parts.values():
        numbers = checks.array(part)
        if numbers is not None and not np.all(np.isfinite(numbers)):
            raise ModelError(f"{what} must have finite numbers, but {checks.show(value)} was given")
    return copy.deepcopy(value) if isinstance(value, dict) else value


def _inertia(value: Any, what: str, any_: bool) -> np.ndarray:
    """A 3×3 inertia matrix that some body could have, or (any_) with moments that are not < 0."""
    J = checks.array(value)
    moments = J is not None and J.shape == (3,)
    if J is not None and moments:
        J = np.diag(J)
    if J is None or J.shape != (3, 3) or not np.isfinite(J).all():
        raise ModelError(
            f"{what} must be 3 numbers or a 3×3 matrix, all finite, but {checks.show(value)} was "
            "given"
        )
    scale = float(np.abs(J).max()) or 1.0
    N = J / scale
    if np.abs(N - N.T).max() > 1e-9:
        raise ModelError(f"{what} must be symmetric, but {checks.show(value)} was given")
    I = sorted(N.diagonal().tolist() if moments else np.linalg.eigvalsh((N + N.T) / 2).tolist())
    slack = 1e-9 * max(map(abs, I))
    if I[0] < -slack:
        raise ModelError(
            f"{what} must not have a negative principal moment, but has {scale * I[0]:g}"
        )
    if not any_ and I[0] + I[1] < I[2] - slack:
        listed = ", ".join(f"{scale * x:g}" for x in I)
        raise ModelError(
            f"{what} violates the triangle inequality: the principal moments {listed} belong to "
            "no body; each must be at most the sum of the other two (or say any_inertia=True)"
        )
    return J / 2 + J.T / 2
