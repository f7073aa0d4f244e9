"""State: where every body is and how it moves, at one time.  The one place that moves a state.

    r ← r + δr,   ρ ← ρ exp(θ),   θ in body axes
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations


@dataclass(frozen=True)
class BodyMotion:
    """The motion of one body: velocity in world axes, angular_velocity in body axes."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


SHOWN = 12  # bodies that a printed state lists


@dataclass(frozen=True, repr=False)
class State:
    """Positions and velocities of all bodies at a time; multipliers and accelerations if known.

    motion : (bodies, 13) position, quaternion (w, x, y, z), velocity, angular velocity
    gamma  : multipliers of all constraint rows;   acceleration : (bodies, 6)
    values : (3, n) of vector nodes: values, rates, second derivatives
    memory : numbers of elements that depend on the past (turn counts)
    """

    time: float
    bodies: tuple[str, ...]
    motion: np.ndarray
    acceleration: np.ndarray | None = None
    gamma: np.ndarray | None = None
    memory: np.ndarray | None = None
    restart: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    values: np.ndarray = field(default_factory=lambda: np.zeros((3, 0)))

    def __getitem__(self, name: str) -> BodyMotion:
        if name not in self.bodies:
            raise ModelError(f"the state has no body named {name!r}; it has {list(self.bodies)}")
        row = self.motion[self.bodies.index(name)]
        return BodyMotion(row[:3], row[3:7], row[7:10], row[10:13])

    def __repr__(self) -> str:
        """A line for each body: position, velocity and angular velocity."""
        head = ("body", "position (m)", "velocity (m/s)", "angular velocity (rad/s)")
        rows: list[tuple[str, ...]] = [head]
        for name in self.bodies[:SHOWN]:
            m = self[name]
            vectors = (m.position, m.velocity, m.angular_velocity)
            rows.append((name, *(f"({', '.join(f'{x + 0.0:.4g}' for x in v)})" for v in vectors)))
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        lines = ["  ".join(f"{x:<{w}}" for x, w in zip(row, widths)).rstrip() for row in rows]
        more = [f"… and {len(self.bodies) - SHOWN} more"] if len(self.bodies) > SHOWN else []
        count = f"{len(self.bodies)} {'body' if len(self.bodies) == 1 else 'bodies'}"
        if not self.bodies:
            lines = []
        if n := self.values.shape[1]:
            shown = ", ".join(f"{x + 0.0:.6g}" for x in self.values[0, :SHOWN])
            more.append(f"values of nodes: {shown}{', …' if n > SHOWN else ''}")
        return "\n  ".join([f"state of {count} at t = {self.time:g} s", *lines, *more])

    @property
    def positions(self) -> np.ndarray:
        return self.motion[:, :3]

    @property
    def orientations(self) -> np.ndarray:
        return self.motion[:, 3:7]

    @property
    def velocities(self) -> np.ndarray:
        """(bodies, 6): velocity in world axes, angular velocity in body axes."""
        return self.motion[:, 7:13]

    def moved(self, increments: np.ndarray) -> State:
        """The state with every body moved by (δr, θ), and values of vector nodes by what follows;
        velocities as they were."""
        flat, rigid = np.ravel(np.asarray(increments, float)), self.velocities.size
        step, values = flat[:rigid].reshape(self.velocities.shape), self.values
        if flat.size > rigid:
            values = values.copy()
            values[0] += flat[rigid:]
        motion = self.motion.copy()
        motion[:, :3] += step[:, :3]
        q = rotations.multiply(motion[:, 3:7], rotations.exponential(step[:, 3:]))
        motion[:, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
        return replace(self, motion=motion, values=values)

    def later(self, epsilon: float, acceleration: np.ndarray) -> State:
        """Where the motion leads in a short time."""
        step = np.concatenate([np.ravel(self.velocities), self.values[1]])
        moved = self.moved(epsilon * step).with_velocities(self.velocities + epsilon * acceleration)
        values = moved.values.copy()
        values[1] += epsilon * values[2]
        return replace(moved, time=self.time + epsilon, values=values)

    def difference(self, other: State) -> np.ndarray:
        """Increments (bodies, 6) that move `other` to this state."""
        step = np.empty((len(self.bodies), 6))
        step[:, :3] = self.positions - other.positions
        q = rotations.multiply(rotations.conjugate(other.orientations), self.orientations)
        step[:, 3:] = rotations.logarithm(q)
        return step

    def way_from(self, other: State) -> np.ndarray:
        """Increments of all motion unknowns, flat, that move `other` to this state."""
        return np.concatenate([self.difference(other).ravel(), self.values[0] - other.values[0]])

    @property
    def rates(self) -> np.ndarray:
        """Rates of all motion unknowns, flat: velocities of bodies, then of values."""
        return np.concatenate([self.velocities.ravel(), self.values[1]])

    def with_rates(self, rates: np.ndarray) -> State:
        """The same positions and values with other rates of all motion unknowns."""
        rigid, values = self.velocities.size, self.values.copy()
        values[1] = rates[rigid:]
        return replace(self.with_velocities(rates[:rigid]), values=values)

    def at_rest(self) -> State:
        """The same positions and values, nothing moving."""
        values = self.values.copy()
        values[1:] = 0.0
        return replace(self.with_velocities(np.zeros_like(self.velocities)), values=values)

    def with_velocities(self, velocities: np.ndarray) -> State:
        motion = self.motion.copy()
        motion[:, 7:13] = np.asarray(velocities, float).reshape(-1, 6)
        return replace(self, motion=motion)
