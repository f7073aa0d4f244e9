"""Steady rotation: everything turns with one angular velocity Ω about a fixed axis through o.

    v = Ω × (r − o),   v̇ = Ω × (Ω × (r − o)),   ω = RᵀΩ,   ω̇ = 0          (ω in body axes)

Inertia forces are then functions of the position, and an equilibrium in the frame that turns is a
root of the same residual.  Positions that move with the frame, δr = η and R exp(θ̃), have

    δv = η̇ + Ω̃ η,   δv̇ = η̈ + 2 Ω̃ η̇ + Ω̃² η,   δω = θ̇ + ω̃ θ,   δω̇ = θ̈ + ω̃ θ̇

so that with M, D = ∂r/∂(v, ω) and K at fixed velocities and accelerations (O. A. Bauchau: Flexible
Multibody Dynamics, Springer 2011, has the same in a rotating frame)

    K_Ω = K + D diag(Ω̃, ω̃) + M diag(Ω̃², 0),        D_Ω = D + M diag(2 Ω̃, ω̃)

K_Ω contains centrifugal softening, and through the loaded joints and elements the stiffening; it
is the stiffness of the potential less ½ Ω·I Ω, and where it is positive definite the rotation is
stable.  Where it is not, gyroscopic forces (D_Ω) may hold the motion, and eigenvalues decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.linear.equations.world_axes import body_blocks
from linkwork.elements.joints.joints import Joint
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.model.given import VectorLike
from linkwork.model.model import Model
from linkwork.model.registry import Item
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

STEADY = 1e-6  # of the forces at work: an unbalanced force that is none
ANGLES = (0.4, 1.1)  # rad, by which a rotation is carried on to see whether it goes on


@dataclass(frozen=True)
class Rotation:
    """Ω in rad/s and a point of the axis, in world axes."""

    rate: np.ndarray
    point: np.ndarray

    @property
    def speed(self) -> float:
        return float(np.linalg.norm(self.rate))

    def of(self, state: State) -> State:
        """The state with the velocities and accelerations of the rotation."""
        R = rotations.matrix(state.orientations)
        v = np.cross(self.rate, state.positions - self.point)
        velocities = np.hstack([v, np.einsum("bji,j->bi", R, self.rate)])
        acceleration = np.hstack([np.cross(self.rate, v), np.zeros_like(v)])
        return replace(state.with_velocities(velocities), acceleration=acceleration)

    def turns(self, data: Data, state: State) -> tuple[sp.csr_array, ...]:
        """diag(Ω̃, ω̃), diag(Ω̃², 0) and diag(2 Ω̃, ω̃) over all motion unknowns."""
        R = rotations.matrix(state.orientations)
        W = np.broadcast_to(rotations.tilde(self.rate), R.shape)
        w = rotations.tilde(np.einsum("bji,j->bi", R, self.rate))
        none = np.zeros_like(W)
        return tuple(
            body_blocks(a, b, data.system.layout.values)
            for a, b in ((W, w), (W @ W, none), (2 * W, w))
        )

    def carried(self, state: State, angle: float) -> State:
        """The state after everything has turned by an angle."""
        q = rotations.exponential(angle * self.rate / self.speed)
        E, motion = rotations.matrix(q), state.motion.copy()
        motion[:, :3] = self.point + (state.positions - self.point) @ E.T
        motion[:, 3:7] = rotations.multiply(q, state.orientations)
        return replace(state, motion=motion, time=state.time + angle / self.speed)


SpinLike: TypeAlias = str | Joint | VectorLike | tuple[VectorLike, VectorLike]


def rotation_from(model: Model, spin: Any, time: float) -> Rotation | Rotor:
    """What the user gave as spin=: Ω, (Ω, point), or a joint that turns."""
    if isinstance(spin, (str, Item)):
        return rotation_of_joint(model, spin, time)
    pair = isinstance(spin, (tuple, list)) and len(spin) == 2
    rate, point = spin if pair else (spin, (0.0, 0.0, 0.0))
    rate = checks.vector(rate, "spin (angular velocity)")
    return Rotation(rate, checks.vector(point, "spin (point of the axis)"))


def rotation_of_joint(model: Model, spin: Any, time: float) -> Rotation | Rotor:
    """Of what a joint turns, as fast as in the assembled model: everything about its axis where it
    stands on the ground, else the rotor behind it."""
    joint = model[spin] if isinstance(spin, str) else spin
    if not isinstance(joint, Joint) or model.items.get(joint.name or "") is not joint:
        raise ModelError(
            f"spin must be an angular velocity (3 numbers, rad/s), a pair of it and a point, or a "
            f"joint of the model, but {checks.show(spin)} was given"
        )
    assembled = assemble_model(model, time=time)
    a, b = joint.frames
    state, rate = assembled.state, {}
    for frame in (a, b):
        if frame.body is GROUND:
            rate[id(frame)] = np.zeros(3)
            continue
        motion = state[str(frame.body.name)]
        rate[id(frame)] = rotations.matrix(motion.orientation) @ motion.angular_velocity
    axis = axis_of(a, state)
    speed = float(axis @ (rate[id(b)] - rate[id(a)]))
    if speed == 0.0:
        raise ModelError(
            f"spin={joint.label} does not turn at t = {time:g}; give it a rate or drive its angle"
        )
    if a.body is GROUND:
        return Rotation(speed * axis, np.asarray(a.position, float))
    if b.body is GROUND:
        return Rotation(-speed * axis, np.asarray(b.position, float))
    return Rotor(joint, speed, behind(assembled.full.system, joint))


def axis_of(frame: Any, state: State) -> np.ndarray:
    """The z axis of a frame in world axes."""
    z = rotations.matrix(frame.orientation)[:, 2]
    return z if frame.body is GROUND else rotations.matrix(state[frame.body.name].orientation) @ z


@dataclass(frozen=True)
class Rotor:
    """Bodies that turn about a joint's axis in a bearing that rests: balanced about that axis, they
    have no inertia forces while the bearing does not move, and equilibria are those at rest."""

    joint: Any
    speed: float  # of the joint, rad/s
    bodies: tuple[int, ...]

    def of(self, system: System, state: State) -> State:
        """The state with the velocities of the rotor.  An error where it is not balanced."""
        a, b = self.joint.frames
        held, turning = (a, b) if system.names.index(b.body.name) in self.bodies else (b, a)
        sign = 1.0 if turning is b else -1.0
        rate = sign * self.speed * axis_of(a, state)
        place = state[held.body.name]
        point = place.position + rotations.matrix(place.orientation) @ held.position
        whole = Rotation(rate, point).of(state)
        velocities = state.velocities.copy()
        mine = list(self.bodies)
        velocities[mine] = whole.velocities[mine]
        moving = replace(state.with_velocities(velocities), acceleration=whole.acceleration)
        self.refuse_unbalanced(system, moving, mine)
        return replace(moving, acceleration=state.acceleration)

    def refuse_unbalanced(self, system: System, state: State, mine: list[int]) -> None:
        for b in mine:
            m, J = system.inertias[b, 0], system.inertias[b, 1:].reshape(3, 3)
            w, v, a = state.velocities[b, 3:], state.velocities[b, :3], state.acceleration[b, :3]  # type: ignore[index]
            force = m * np.linalg.norm(a) + np.linalg.norm(np.cross(w, J @ w)) / system.length
            most = (m * system.length + np.trace(J) / system.length) * self.speed**2
            if force > STEADY * most:
                raise ModelError(
                    f"the rotor of spin={self.joint.label} is not balanced: body "
                    f"'{system.names[b]}' (speed {np.linalg.norm(v):.3g} m/s) has inertia forces "
                    "that turn with it, so its bearing does not rest; centre it on the axis"
                )


def behind(system: System, joint: Any) -> tuple[int, ...]:
    """Numbers of the bodies that hang on the ground, and on the rest, by the joint alone."""
    edges: dict[int, set[int]] = {b: set() for b in range(-1, system.bodies)}
    for e in system.elements:
        ends = [b for b in e.ends if -1 <= b < system.bodies]
        if e.owner != joint.name and len(e.ends) > 1:
            for b in ends:
                edges[b].update(ends)
    for frame in reversed(joint.frames):
        found, new = set(), {system.names.index(frame.body.name)}
        while new:
            found |= new
            new = set().union(*(edges[b] for b in new)) - found
        if -1 not in found:
            return tuple(sorted(found))
    raise ModelError(
        f"spin={joint.label} does not part a rotor from the rest: both of its bodies are held by "
        "other items too; give the joint about which a rotor turns freely"
    )
