"""Linearised equations of motion about an equilibrium or a steady motion.

The residual r(q, v, v̇, γ) of the equations of motion is differentiated in body axes (system.
evaluate): K at fixed v, ω, v̇, ω̇, γ (so constraint and inertia stiffness are in it), D = ∂r/∂(v, ω).
Small motions y = (δr, φ) are in world axes (world_axes.py):

    M ÿ + D ẏ + K y + Cᵀ δγ = F u,   C y = −C_u u

and, of rows on velocities (nonholonomic.py), Sᵀ δγ beside Cᵀ δγ with S ẏ + H y = 0.

Where these have no constant coefficients in world axes they may have in frames that turn with the
mechanism (steady.py), y = E(t) η, Ė = Ω̃ E (a rotor with blades, a conical pendulum, a governor):

    M η̈ + (D + 2 M Ω̃) η̇ + (K + D Ω̃ + M Ω̃²) η + …,     S η̇ + (H + S Ω̃) η = 0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.analysis.assembly.assemble import start_of
from linkwork.analysis.contacts_at_start import refuse_hard
from linkwork.analysis.linear.equations.integrals import with_states
from linkwork.analysis.linear.equations.nonholonomic import change_of_rows, refuse_slip
from linkwork.analysis.linear.equations.reactions import Slopes, SolvedReactions
from linkwork.analysis.linear.equations.steady import (
    Carried,
    motion_rate,
    rates,
    refuse_accelerated,
    steady_motion,
)
from linkwork.analysis.linear.equations.world_axes import (
    body_blocks,
    refuse_overflow,
    world_axes,
    world_matrices,
)
from linkwork.analysis.loaded_links import warn_of_axial_loads
from linkwork.analysis.scales import column_scale
from linkwork.analysis.statics.bristles_at_rest import Bristles
from linkwork.elements.failures import raise_if_failed
from linkwork.elements.forces.user_force import OWN, STIFF, USER_KERNEL
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model.model import Model, private_copy
from linkwork.model.registry import Law
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.system import System


@dataclass(frozen=True)
class Pencil:
    """M η̈ + D η̇ + K η + Cᵀ δγ + Sᵀ δγ = 0, C η = 0, S η̇ + H η = 0: small motions in frames.

    frames : (bodies, 3) their angular velocities Ω, zero for world axes
    reactions: what follows reactions and accelerations, already as functions of the motion
    state  : with accelerations and multipliers;   later : the same motion further on
    """

    data: Data
    state: State
    M: sp.csr_array
    D: sp.csr_array
    K: sp.csr_array
    C: sp.csr_array
    S: sp.csr_array
    H: sp.csr_array
    frames: np.ndarray
    reactions: SolvedReactions
    later: tuple[Carried, ...] = ()

    @property
    def freedoms(self) -> int:
        """Of positions; those of velocities are fewer where there are rows on velocities."""
        return self.M.shape[0] - self.C.shape[0]

    @property
    def holonomic(self) -> bool:
        return self.S.shape[0] == 0

    @cached_property
    def scale(self) -> np.ndarray:
        """L for displacements, 1 for rotations."""
        return column_scale(self.data.system)

    @cached_property
    def null_space(self) -> np.ndarray:
        """N with C N = 0 (dense), N/scale orthonormal."""
        n, m = self.M.shape[0], self.C.shape[0]
        if m == 0:
            return np.diag(self.scale)
        Q, _ = la.qr((self.C.toarray() * self.scale).T)
        return self.scale[:, None] * Q[:, m:n]

    def describe(self) -> str:
        """Which axes the motions are in, in words."""
        if not self.frames.any():
            return "world axes"
        speed = np.linalg.norm(self.frames, axis=1)
        b = int(np.argmax(speed))
        axis = ", ".join(f"{x:.4g}" for x in self.frames[b] / speed[b] + 0.0)
        same = np.abs(self.frames - self.frames[b]).max() < 1e-9 * speed[b]
        return (
            f"axes turning about ({axis}) at {speed[b]:.6g} rad/s" if same
            else "axes turning with each body"
        )  # fmt: skip


def linearised(model: Model, at: Any = None, *, constraint_stiffness: bool = True) -> Pencil:
    """The equations linearised about a state; a ModelError where it is not a steady one."""
    model = private_copy(model)
    model, at = with_states(model, at)
    try:
        return _linearised(*start(model, at), constraint_stiffness)
    finally:
        raise_if_failed(model)  # a user's function that raised is the cause to report


def _linearised(data: Data, state: State, constraint_stiffness: bool) -> Pencil:
    system = data.system
    natural, tolerance = rates(data, state)
    speed = motion_rate(system, state)
    frames, later = np.zeros((system.bodies, 3)), tuple[Carried, ...]()
    if speed <= 1e-9 * natural:
        state = state.at_rest()
        data.laws = frozen_laws(system, state.time)
        state = accelerations(data, state)
        refuse_accelerated(data, state, tolerance)
    else:
        state = accelerations(data, state)
        frames, later = steady_motion(data, state, speed, tolerance)
    found = in_frames(data, state, constraint_stiffness, frames, np.eye(3)[None], later)
    for carried in later if found.reactions else ():
        moved = accelerations(data, carried.state)
        again = in_frames(data, moved, constraint_stiffness, frames, carried.turn)
        found.reactions.refuse_changed(again.reactions)
    if system.flexible:
        warn_of_axial_loads(system, state)
    return found


def in_frames(
    data: Data, state: State, constraint_stiffness: bool, frames: np.ndarray,
    turn: np.ndarray, later: tuple[Carried, ...] = (),
) -> Pencil:  # fmt: skip
    """The equations at a state, in frames with angular velocities (bodies, 3) turned by `turn`."""
    system = data.system
    M, D, K, C = world_matrices(data, state, constraint_stiffness)
    slopes = Slopes.at(data, state).turned(world_axes(state)[1])
    rolls = system.on_velocities[data.kept]
    H = sp.csr_array((int(rolls.sum()), system.motions))
    if rolls.any():
        H = change_of_rows(data, state, np.flatnonzero(rolls)) @ world_axes(state)[1].T
    if frames.any():
        E = np.broadcast_to(turn, (system.bodies, 3, 3))
        Q = body_blocks(E, E, system.layout.values, 1.0)
        M, D, K = (sp.csr_array(Q.T @ A @ Q) for A in (M, D, K))
        C, H, slopes = sp.csr_array(C @ Q), sp.csr_array(H @ Q), slopes.turned(Q.T)
        W = body_blocks(rotations.tilde(frames), rotations.tilde(frames), system.layout.values)
        D, K, H = D + 2 * (M @ W), K + D @ W + M @ W @ W, H + C[rolls] @ W
    refuse_overflow(system, M, D, K, C)
    reactions = SolvedReactions(data, C, slopes)
    M, D, K = reactions.solve(M, D, K, H, rolls)
    return Pencil(data, state, M, D, K, C[~rolls], C[rolls], H, frames, reactions, later)


def start(model: Model, at: Any) -> tuple[Data, State]:
    """The system with independent rows and the state to linearise about."""
    begin = start_of(model, at, "at", "leave", warn=False)
    data, state = begin.data, begin.state
    refuse_hard(data.system, "linearising")
    rolls = np.flatnonzero(data.system.on_velocities[data.kept])
    if len(rolls):
        refuse_slip(data, state, rolls)
    for family in data.system.families:
        if family.kernel is USER_KERNEL:  # how it depends on the motion counts here
            data.ints_of(family)[:, STIFF - OWN] = 1
    refuse_open(data, state)
    return data, Bristles(data).in_motion(state)


def refuse_open(data: Data, state: State) -> None:
    """An error where the state does not satisfy the joints."""
    if not data.rows:
        return
    error = np.abs(data.evaluate(state, tangent=False).C)
    error *= row_scale(data.kept_rows, data.system.length)
    worst = int(np.argmax(error))
    if error[worst] > 1e-6:
        raise ModelError(
            f"the state at t = {state.time:g} does not satisfy {data.kept_rows[worst]}; "
            "give a state from lw.assemble, lw.static or a run of this model"
        )


def places(system: System, kind: Any) -> Iterator[tuple[slice, Any]]:
    """Where in tables.reals the elements of items of a class have their numbers, and the items."""
    for place, e in zip(system.places, system.elements, strict=True):
        if isinstance(system.model[e.owner], kind):
            yield place, system.model[e.owner]


def frozen_laws(system: System, time: float) -> tuple[tuple[int, Law], ...]:
    """The laws of a system held at a time; those of constraints carry two derivatives."""
    constrain = {id(law) for e in system.elements if e.entry.rows for law in e.entry.laws}

    def held(law: Law) -> Law:
        values = law.values(np.array([time]))[0].copy()
        if id(law) in constrain:
            values[law.length // 3 :] = 0.0
        return Law(law.column, lambda t: np.tile(values, (len(t), 1)), law.length)

    return tuple((i, held(law)) for i, law in system.laws)
