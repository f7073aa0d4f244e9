"""A strapdown sensor: what accelerometers and gyroscopes fixed to a body would show.

    a = Qᵀ(Rᵀ(v̇ − g) + ω̇ × u + ω × (ω × u)),   w = Qᵀ ω        Q the sensor's axes on the body

It acts on nothing.  The output `acceleration` is that of the point, `specific_force` what an
accelerometer shows, without gravity g, the model's own and that of central fields there; all in the
sensor's axes.  In a moving frame (bodies.moving_frame) they are those in the fixed world: with
x = r + R u,

    a = Qᵀ Rᵀ (a_rel + a₀ + ẇ₀ × x + w₀ × (w₀ × x) + 2 w₀ × ẋ),    w = Qᵀ (ω + Rᵀ w₀)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike
from linkwork.model.registry import Entry, Item


@dataclass(eq=False)
class StrapdownSensor(Item):
    """Measures acceleration and angular velocity at a frame of a body, in the frame's axes.

    frame : the body, or a frame on it (lw.Frame)

    Outputs: acceleration of the frame's origin, specific_force (what an accelerometer shows:
    without gravity, that of a CentralGravity too), angular_velocity, angular_acceleration.

    Example
    -------
    >>> import linkwork as lw
    >>> craft = lw.Body(1, (1, 1, 1))
    >>> unit = lw.StrapdownSensor(lw.Frame(craft, (0.2, 0, 0)))
    """

    frame: FrameLike

    def __post_init__(self) -> None:
        if as_frame(self.frame, self.label).body is GROUND:
            raise ModelError(f"{self.label} is on GROUND, which does not move; give it a body")

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (as_frame(self.frame, self.label),)

    def entries(self) -> list[Entry]:
        return []

    def place(self, motion: np.ndarray) -> np.ndarray:
        """Of the frame's origin (T, 3), from the body's motion (T, 13)."""
        return motion[:, :3] + rotations.matrix(motion[:, 3:7]) @ self.frames[0].position

    def measured(
        self, motion: np.ndarray, acceleration: np.ndarray, gravity: np.ndarray,
        moving: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """Outputs over time from the body's motion (T, 13) and acceleration (T, 6).

        gravity : there, (3,) or (T, 3), which an accelerometer does not show
        moving : a₀, w₀ and ẇ₀ (T, 9) of the frame in which these are seen
        """
        (frame,) = self.frames
        u, Q = frame.position, rotations.matrix(frame.orientation)
        R, w, w1 = rotations.matrix(motion[:, 3:7]), motion[:, 10:13], acceleration[:, 3:]
        a = acceleration[:, :3]
        if moving is not None:
            a0, w0, p0 = moving[:, :3], moving[:, 3:6], moving[:, 6:]
            arm = R @ u
            v = motion[:, 7:10] + np.einsum("tij,tj->ti", R, np.cross(w, u))
            x = motion[:, :3] + arm
            a = a + a0 + np.cross(p0, x) + np.cross(w0, np.cross(w0, x)) + 2 * np.cross(w0, v)
        arm = np.cross(w1, u) + np.cross(w, np.cross(w, u))
        felt = [np.einsum("tji,tj->ti", R, a - g) + arm for g in (0.0, gravity)]
        if moving is not None:  # ẇ = ω̇ + Rᵀẇ₀ − ω × Rᵀw₀
            own, turn = (np.einsum("tji,tj->ti", R, y) for y in (w0, p0))
            w, w1 = w + own, w1 + turn - np.cross(w, own)
        parts = dict(zip(("acceleration", "specific_force"), felt))
        parts |= {"angular_velocity": w, "angular_acceleration": w1}
        return {name: x @ Q for name, x in parts.items()}

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> StrapdownSensor:
        return cls(Frame(a, rng.normal(size=3)))
