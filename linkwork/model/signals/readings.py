"""Readings: numbers that follow the motion of a model, as parts of the drives of loads.

With frame A at p_A, of velocity v_A and angular velocity w_A (world axes), frame B likewise, X the
rotation matrices from frames to the world, and e a direction in the axes of a frame C,

    position           e·X_Cᵀ (p_A − p_B)          velocity   e·X_Cᵀ (v_A − v_B)
    angular velocity   e·X_Cᵀ (w_A − w_B)          cosine     e·X_Cᵀ X_A n
    rotation           e·φ,  exp φ̃ = X_BᵀX_A      angle      2 atan2(e·ε, η),  (η, ε) of X_BᵀX_A

Values and rates of vector nodes can be read as well (model.signals.value_readings).

Drives with readings among their parts are signals (model.signals.signal).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, cast

import numpy as np

from linkwork.errors import DriveError, ModelError
from linkwork.kernels import rotations
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame, as_frame, carries_frames
from linkwork.model.given import FrameLike, VectorLike
from linkwork.model.registry import ITEMS, Item
from linkwork.model.signals.value_readings import value_reading

QUANTITIES = ("position", "velocity", "angular velocity", "cosine", "rotation", "angle")
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
HALF_TURN = 3.1  # rad: within a step more is not counted
TURN = 2 * np.pi


@dataclass(frozen=True)
class Reading(Drive):
    """A number that follows the motion of frames.  See `reads`."""

    frame: Any
    quantity: str
    axis: tuple[float, ...]
    relative_to: Any
    axes: Any
    along: tuple[float, ...] = (0.0, 0.0, 0.0)
    start: float = 0.0  # an angle is counted from within half a turn of it
    of: Any = field(default=None, compare=False, repr=False)  # the joint that was asked for
    follows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.quantity not in QUANTITIES:
            raise DriveError(
                f"a reading: expected one of {', '.join(QUANTITIES)}, acceleration, angular "
                f"acceleration, found {self.quantity!r}"
            )
        for word in ("axis", "along"):
            self._set_list(word, 3)
            if len(getattr(self, word)) != 3:
                raise DriveError(f"{self.label}: expected three numbers for {word}")
        self._set_numbers("start")
        if self.quantity == "angle" and abs(np.linalg.norm(self.axis) - 1) > 1e-12:
            self._set("axis", tuple(np.array(self.axis) / np.linalg.norm(self.axis)))

    def _detail(self) -> str:
        return f"{self.quantity} of {self.frame.body!r}"

    def near_start(self, angle: float) -> float:
        """An angle within half a turn of where it is counted from."""
        return angle + TURN * np.floor((self.start - angle) / TURN + 0.5)

    @property
    def frames(self) -> tuple[Frame, Frame, Frame]:
        return self.frame, self.relative_to, self.axes

    def _jet(self, t: np.ndarray) -> np.ndarray:
        raise DriveError(
            f"{self.label}: expected a function of time alone, found one that reads the motion; it "
            "has a value only while the model moves"
        )

    def measure(self, motions: list[np.ndarray]) -> np.ndarray:
        """Its values (…); motions (…, 13) of the bodies of its frames: r, quaternion, v, ω."""
        if self.quantity in ("rotation", "angle"):
            q = self._relative(motions)
            q = np.where(q[..., :1] >= 0, q, -q)
            if self.quantity == "rotation":
                return rotations.logarithm(q) @ np.array(self.axis)
            return 2 * np.arctan2(q[..., 1:] @ np.array(self.axis), q[..., 0])
        R = [rotations.matrix(m[..., 3:7]) for m in motions]
        d = R[2] @ (rotations.matrix(self.axes.orientation) @ self.axis)
        if self.quantity == "cosine":
            x = R[0] @ (rotations.matrix(self.frame.orientation) @ np.array(self.along))
        else:
            x = self._of_point(motions[0], R[0], self.frame)
            x = x - self._of_point(motions[1], R[1], self.relative_to)
        return np.sum(d * x, axis=-1)

    def _of_point(self, m: np.ndarray, R: np.ndarray, frame: Frame) -> np.ndarray:
        """Position or velocity of the origin of a frame, or its angular velocity; world axes."""
        if self.quantity == "position":
            return m[..., :3] + R @ frame.position
        omega = m[..., 10:13]
        if self.quantity == "velocity":
            arm = np.cross(omega, frame.position)
            return m[..., 7:10] + (R @ arm[..., None])[..., 0]
        return (R @ omega[..., None])[..., 0]

    def _relative(self, motions: list[np.ndarray]) -> np.ndarray:
        """The quaternion of `frame` as seen from `relative_to`."""
        q, p = (
            rotations.multiply(m[..., 3:7], np.broadcast_to(f.orientation, m[..., 3:7].shape))
            for m, f in zip(motions[:2], self.frames)
        )
        return rotations.multiply(rotations.conjugate(p), q)

    def rate(self, motions: list[np.ndarray]) -> np.ndarray:
        """Of an angle: 2 (η ṡ − s η̇)/(η² + s²), s = e·ε, from ρ̇ = ρ ∘ (0, ω)/2."""
        R = [rotations.matrix(m[..., 3:7]) for m in motions[:2]]
        w = [(x @ m[..., 10:13, None])[..., 0] for x, m in zip(R, motions)]
        X = R[0] @ rotations.matrix(self.frame.orientation)
        spin = np.einsum("...ji,...j->...i", X, w[0] - w[1])
        rho, e = self._relative(motions), np.array(self.axis)
        n, v = rho[..., 0], rho[..., 1:]
        s, n1 = v @ e, -np.sum(v * spin, axis=-1) / 2
        s1 = (n[..., None] * spin + np.cross(v, spin)) @ e / 2
        return 2 * (n * s1 - s * n1) / (n * n + s * s)

    def to_dict(self) -> dict[str, Any]:
        stored: dict[str, Any] = {"drive": "reading"}
        for f in fields(self):
            if f.name not in ("what", "of"):
                value = getattr(self, f.name)
                stored[f.name] = frame_parameters(value) if isinstance(value, Frame) else value
                if isinstance(value, tuple):
                    stored[f.name] = list(value)
        return stored


def frame_parameters(frame: Frame) -> dict[str, Any]:
    body = frame.body
    if body is not GROUND and type(body).__name__ not in ITEMS:
        raise ModelError(f"a reading of {body!r} cannot be stored in a file; read another body")
    name = None if body is GROUND else body.name
    words = {"position": frame.position.tolist(), "orientation": frame.orientation.tolist()}
    return {"frame": {"body": name, **words}}


def reads(
    frame: FrameLike | Item, quantity: str, axis: str | int | VectorLike | None = None, *,
    relative_to: FrameLike | None = None, axes: FrameLike | None = None,
    along: VectorLike | None = None,
) -> Drive:  # fmt: skip
    """A number that follows the motion, for drives of forces and torques.

    frame may be a joint, and quantity then one of

    - "angle" and its "rate" (rad, rad/s), counted over turns as run["pin"].angle is;
    - "displacement" and its "speed" (m, m/s) along the joint's axis;
    - "force" and "torque" (N, N m) on its second body along `axis` (default: z), as
      run["pin"].force is, and "acceleration", the second derivative of its angle or displacement;
    - "position", "velocity", "rotation", "angular velocity" of its second body relative to the
      first, along `axis` (default: z) in the joint's axes on the first; of a Universal the angles
      and rates of its two arms, `axis` "x" and "y"; of a Distance "length" and "rate"; of a Gear
      "angle_1", "rate_1", "angle_2" and "rate_2".

    frame may be a load, and quantity then one of its results, as run["spring"].force is: "force",
    "torque", "power" …, of a Cable "tension" (`axis`: the number of the segment, from 0).

    Else frame and relative_to are bodies or Frames (default: the ground), and quantity is one of

    - "acceleration" and "angular acceleration" (m/s², rad/s²) against the ground;
    - "position", "velocity", "angular velocity" (m, m/s, rad/s): of the frame less those of
      `relative_to`, along `axis` in the axes of the frame `axes` (default: the world's);
    - "cosine": of the angle between `axis` in the axes of `axes` and `along` in those of `frame`;
    - "rotation" (rad): the component along `axis` of the rotation vector from `relative_to` to
      `frame`; "angle" (rad): the twist about `axis`, counted over turns from within half a turn at
      the start.

    frame may also be an item with unknowns of its own, and quantity then the name of one of its
    results, such as "level" or "level_rate"; `axis` says which of several components, by number.

    axis is "x" (the default), "y", "z" or three numbers.  Sums, products and lw.formula of readings
    and of functions of time drive a Force, Torque or ForcePair; the solver gets their exact
    derivatives.
    A reading costs about half a microsecond each time the forces are evaluated, since sums,
    products, formulas, tables and pieces are carried out by compiled code; only a Python function
    of a reading is called back, which takes some 50 µs.  What holds a value from step to step
    (model.drives.sampled: SampleAndHold, DiscreteFilter, Switch) may read the motion, too.

    Example
    -------
    >>> import linkwork as lw
    >>> cart = lw.Body(2, (1, 1, 1), position=(0.1, 0, 0))
    >>> hold = -50 * lw.reads(cart, "position", "x") - 4 * lw.reads(cart, "velocity", "x")
    >>> actuator = lw.Force(cart, (1, 0, 0), drive=hold)
    """
    if isinstance(frame, Item) and frame.vector_nodes() and not carries_frames(frame):
        own = type(frame).reading is not Item.reading
        return frame.reading(quantity, axis) if own else value_reading(frame, quantity, axis)
    if isinstance(axis, str) and axis not in AXES:
        raise DriveError(f"a reading: expected x, y, z or three numbers as axis, found {axis!r}")
    given: Any = AXES[axis] if isinstance(axis, str) else axis
    if isinstance(frame, Item) and not carries_frames(frame):
        if any(word is not None for word in (relative_to, axes, along)):
            raise DriveError(
                f"a reading of {frame.label}: expected a quantity and an axis, found relative_to, "
                "axes or along, which are for readings of bodies and Frames"
            )
        return frame.reading(quantity, given)
    if quantity in ("acceleration", "angular acceleration"):
        return acceleration_reading(frame, quantity, given, relative_to, axes)
    others = [GROUND if f is None else f for f in (relative_to, axes)]
    found = [as_frame(f, "a reading") for f in (frame, *others)]
    given = AXES["x"] if given is None else given
    moment = (0.0, 0.0, 0.0) if along is None else along
    return Reading(found[0], quantity, given, found[1], found[2], cast(Any, moment))


def acceleration_reading(frame: Any, quantity: str, axis: Any, other: Any, axes: Any) -> Drive:
    """The value of a sensor of a frame, which is made once for each quantity and axis."""
    found = as_frame(frame, "a reading")
    if other is not None:
        raise DriveError(
            f"a reading of {found.body!r}: its {quantity} is against the ground; leave out "
            "relative_to"
        )
    about = as_frame(GROUND if axes is None else axes, "a reading")
    words = tuple(float(x) for x in np.asarray(AXES["x"] if axis is None else axis).ravel())
    places = [(f.body, *f.position, *f.orientation) for f in (found, about)]
    key = (quantity, words, *places)
    sensors = getattr(found.body, "__dict__", {}).setdefault("sensors", {})
    if key not in sensors:
        if not isinstance(found.body, Item):
            raise DriveError(f"a reading of {found.body!r}: the ground has no {quantity}")
        sensors[key] = found.body.accelerometer(found, quantity, words, about)
    return value_reading(sensors[key], quantity.replace(" ", "_"))
