"""Linearised equations of motion about an equilibrium or a steady motion.

The residual r(q, v, v̇, γ) of the equations of motion is differentiated in body axes (system.
evaluate): K at fixed v, ω, v̇, ω̇, γ (so constraint and inertia stiffness are in it), D = ∂r/∂(v, ω).
Small motions y = (δr, φ) are in world axes, δR = φ̃ R, because C_q is constant in these about a
spinning rotor and not in body axes; then θ = Rᵀφ, δω = Rᵀφ̇, δω̇ = Rᵀ(φ̈ − ω_w × φ̇), and with
T = diag(I, R)

    M ÿ + D ẏ + K y + Cᵀ δγ = F u,   C y = −C_u u
    M ← T M Tᵀ,   D ← T D Tᵀ − M diag(0, ω̃_w),   K ← T K Tᵀ,   C = C_q Tᵀ

Where these have no constant coefficients in world axes they may have in frames that turn with the
mechanism, y = E(t) η, Ė = Ω̃ E (a rotor with blades, a conical pendulum, a governor):

    M η̈ + (D + 2 M Ω̃) η̇ + (K + D Ω̃ + M Ω̃²) η + …

A steady motion carries each body along a helix, a = Ω × v, ω̇ = Ω × ω; the state is carried on by
two angles and its coefficients, seen in the frames, must come back, or it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.independence import choose_rows, refuse_velocity_rows
from linkwork.analysis.scales import column_scale, row_scale
from linkwork.analysis.statics.bristles_at_rest import Bristles
from linkwork.elements.user_force import STIFF, UserForce, raise_if_failed
from linkwork.errors import ModelError
from linkwork.math import rotations
from linkwork.model.model import Model
from linkwork.model.registry import Law
from linkwork.system.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

STEADY = 1e-6  # what counts as constant, and as no acceleration, relative
ANGLES = (0.4, 1.1)  # how far a motion is carried to see whether it is steady (rad)
XYZ = "xyz"



@dataclass(frozen=True)
class Carried:
    """A state further along a steady motion, and the turn E (bodies, 3, 3) of the frames."""

    state: State
    turn: np.ndarray


@dataclass(frozen=True)
class Pencil:
    """M η̈ + D η̇ + K η + Cᵀ δγ = 0, C η = 0: displacements and rotations in frames.

    frames : (bodies, 3) their angular velocities Ω, zero for world axes
    state  : with accelerations and multipliers;   later : the same motion further on
    """

    system: System
    state: State
    M: sp.csr_array
    D: sp.csr_array
    K: sp.csr_array
    C: sp.csr_array
    frames: np.ndarray
    later: tuple[Carried, ...] = ()

    @property
    def freedoms(self) -> int:
        return self.M.shape[0] - self.C.shape[0]

    @cached_property
    def scale(self) -> np.ndarray:
        """L for displacements, 1 for rotations."""
        return column_scale(self.system)

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
    try:
        return _linearised(*start(model, at), constraint_stiffness)
    finally:
        raise_if_failed(model)  # a user's function that raised is the cause to report


def _linearised(system: System, state: State, constraint_stiffness: bool) -> Pencil:
    natural, tolerance = rates(system, state)
    speed = motion_rate(system, state)
    frames, later = np.zeros((system.bodies, 3)), tuple[Carried, ...]()
    if speed <= 1e-9 * natural:
        state = state.with_velocities(np.zeros(6 * system.bodies))
        system = freeze(system, state.time)
        state = accelerations(system, state)
        refuse_accelerated(system, state, tolerance)
    else:
        state = accelerations(system, state)
        frames, later = steady_motion(system, state, speed, tolerance)
    M, D, K, C = world_matrices(system, state, constraint_stiffness)
    if frames.any():
        W = body_blocks(rotations.tilde(frames), rotations.tilde(frames))
        D, K = D + 2 * (M @ W), K + D @ W + M @ W @ W
    return Pencil(system, state, M, D, K, C, frames, later)


def start(model: Model, at: Any) -> tuple[System, State]:
    """The system with independent rows and the state to linearise about."""
    if at is None:
        assembled = assemble_model(model)
        system, state = assembled.system, assembled.state
    else:
        state = as_state(at)
        full = compile_model(model)
        if state.bodies != full.names:
            raise ModelError(
                f"the state is of the bodies {list(state.bodies)}, but model '{model.name}' has "
                f"{list(full.names)}; give a state of this model"
            )
        _, system = choose_rows(full, state, warn=False)
    refuse_velocity_rows(system, "linearising")
    for place, _ in places(system, UserForce):  # how it depends on the motion counts here
        system.tables.reals[place.start + STIFF] = 1.0
    refuse_open(system, state)
    return system, Bristles(system).in_motion(state)


def as_state(at: Any) -> State:
    """A State, or that of an equilibrium or result."""
    found = at if isinstance(at, State) else getattr(at, "state", None)
    found = found() if callable(found) else found
    if not isinstance(found, State):
        raise ModelError(
            f"at= must be a State, an equilibrium or a result, but {type(at).__name__} was given; "
            "write for example at=lw.static(model)"
        )
    return replace(found, acceleration=None, gamma=None)


def refuse_open(system: System, state: State) -> None:
    """An error where the state does not satisfy the joints."""
    if not system.rows:
        return
    error = np.abs(system.evaluate(state, tangent=False).C)
    error *= row_scale(system.kept_rows, system.length)
    worst = int(np.argmax(error))
    if error[worst] > 1e-6:
        raise ModelError(
            f"the state at t = {state.time:g} does not satisfy {system.kept_rows[worst]}; "
            "give a state from lw.assemble, lw.static or a run of this model"
        )


def places(system: System, kind: Any) -> Iterator[tuple[slice, Any]]:
    """Where in tables.reals the elements of items of a class have their numbers, and the items."""
    for place, e in zip(system.places, system.elements, strict=True):
        if isinstance(system.model[e.owner], kind):
            yield place, system.model[e.owner]


def freeze(system: System, time: float) -> System:
    """The system with its laws held at a time; laws of constraints carry two derivatives."""
    constrain = {id(law) for e in system.elements if e.entry.rows for law in e.entry.laws}

    def held(law: Law) -> Law:
        values = law.values(np.array([time]))[0].copy()
        if id(law) in constrain:
            values[law.length // 3 :] = 0.0
        return Law(law.column, lambda t: np.tile(values, (len(t), 1)), law.length)

    return replace(system, laws=tuple(held(law) for law in system.laws)) if system.laws else system


# ------------------------------------------------------------------------------ the matrices


def body_blocks(upper: np.ndarray, lower: np.ndarray) -> sp.csr_array:
    """Block diagonal matrix with diag(upper, lower), each (bodies, 3, 3), for every body."""
    n = len(upper)
    blocks = np.zeros((n, 6, 6))
    blocks[:, :3, :3], blocks[:, 3:, 3:] = upper, lower
    return sp.csr_array(
        sp.bsr_array((blocks, np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n))
    )


def world_axes(state: State) -> tuple[np.ndarray, sp.csr_array]:
    """R of all bodies, and T = diag(I, R)."""
    R = rotations.matrix(state.orientations)
    return R, body_blocks(np.broadcast_to(np.eye(3), R.shape), R)


def world_matrices(
    system: System, state: State, constraint_stiffness: bool = True
) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array, sp.csr_array]:
    """M, D, K, C for small motions in world axes."""
    R, T = world_axes(state)
    e = system.evaluate(state, cK=1.0, constraint_stiffness=constraint_stiffness)
    D = system.evaluate(state, cK=0.0, cD=1.0).stiffness
    spin = rotations.tilde(np.einsum("bij,bj->bi", R, state.velocities[:, 3:]))
    M = sp.csr_array(T @ sp.csr_array(system.mass_matrix(state)) @ T.T)
    D = T @ sp.csr_array(D) @ T.T - M @ body_blocks(np.zeros_like(R), spin)
    K = T @ sp.csr_array(e.stiffness) @ T.T
    return M, sp.csr_array(D), sp.csr_array(K), sp.csr_array(sp.csr_array(e.Cq) @ T.T)


def norm(A: sp.csr_array, scale: np.ndarray) -> float:
    """Largest element of the scaled matrix."""
    A = sp.csr_array(A)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return float(np.abs(A.data * scale[rows] * scale[A.indices]).max(initial=0.0))


# ------------------------------------------------------------------ equilibria, steady motions


def motion_rate(system: System, state: State) -> float:
    """How fast the bodies move, as an angular velocity."""
    v = np.linalg.norm(state.velocities.reshape(-1, 2, 3), axis=2)
    return float(max(v[:, 0].max(initial=0.0) / system.length, v[:, 1].max(initial=0.0)))


def rates(system: System, state: State) -> tuple[float, np.ndarray]:
    """A natural angular frequency, and each body's acceleration (over L, and angular) that is none.

    None is 1e-6 of gravity and of what the reactions on the body alone would give it, and what
    round-off in stiff springs may give.
    """
    L, table = system.length, system.inertias
    trial = accelerations(system, state)
    e = system.evaluate(trial)
    mass = np.maximum(table[:, 0], 1e-3 * system.mass)
    least = np.linalg.eigvalsh(table[:, 1:].reshape(-1, 3, 3))[:, 0]
    inertia = np.column_stack([mass * L, np.maximum(least, 1e-6 * mass * L**2)])
    held = e.Cq.T @ trial.gamma[system.kept]  # type: ignore[index]
    loads = np.linalg.norm(held.reshape(-1, 2, 3), axis=2) / inertia
    loads = np.maximum(loads, np.linalg.norm(system.tables.gravity) / L)
    K = abs(e.stiffness) @ column_scale(system)
    stiffness = np.linalg.norm(K.reshape(-1, 2, 3), axis=2) / inertia
    natural = float(np.sqrt(max(loads.max(), stiffness.max())))
    return natural, STEADY * loads + 1e-9 * loads.max() + 1e-10 * stiffness


def refuse_accelerated(system: System, state: State, tolerance: np.ndarray) -> None:
    """An error where a state at rest does not stay at rest."""
    a = np.linalg.norm(state.acceleration.reshape(-1, 2, 3), axis=2)  # type: ignore[union-attr]
    relative = a / [system.length, 1.0]
    if np.all(relative <= tolerance):
        return
    b = int(np.argmax(np.where(relative > tolerance, relative, 0).max(axis=1)))
    raise ModelError(
        f"the state is not an equilibrium: body '{system.names[b]}' accelerates by "
        f"{a[b, 0]:.3g} m/s² and {a[b, 1]:.3g} rad/s²; find one with lw.static(model) and give it "
        "as at="
    )


def steady_motion(
    system: System, state: State, speed: float, tolerance: np.ndarray
) -> tuple[np.ndarray, tuple[Carried, ...]]:
    """Angular velocities of frames in which the coefficients are constant; an error otherwise."""
    refusal = ""
    for frames, error in possible_frames(system, state):
        excess = (error - tolerance).max(axis=1)
        b = int(np.argmax(excess))
        if excess[b] > STEADY * speed**2:
            refusal = refusal or (
                f"the state is neither an equilibrium nor a steady motion: body "
                f"'{system.names[b]}' moves with changing velocity; linearise about lw.static("
                "model) or about a motion that goes on with constant speed"
            )
            continue
        later = tuple(carry(state, frames, angle / speed) for angle in ANGLES)
        complaint = changing(system, state, later, speed, tolerance)
        if not complaint:
            return frames, later
        refusal = (
            "the equations linearised about this motion have no constant coefficients, so they "
            f"have no eigenvalues: {complaint}; linearise about lw.static(model) or about a motion "
            "that looks the same at all times"
        )
    raise ModelError(refusal)


def possible_frames(system: System, state: State) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Ω of the bodies' frames worth trying, with how far each is from a = Ω × v, ω̇ = Ω × ω.

    The slowest common Ω (none for a body that spins about a fixed axis: world axes), the common
    one of each body's ω, and each body's own.
    """
    R = rotations.matrix(state.orientations)
    v, a = state.velocities[:, :3] / system.length, state.acceleration[:, :3] / system.length  # type: ignore[index]
    w = np.einsum("bij,bj->bi", R, state.velocities[:, 3:])
    wdot = np.einsum("bij,bj->bi", R, state.acceleration[:, 3:])  # type: ignore[index]
    x, y = np.concatenate([v, w]), np.concatenate([a, wdot])
    common = la.lstsq(-rotations.tilde(x).reshape(-1, 3), y.ravel(), cond=1e-9)[0]
    common[np.abs(common) < 1e-7 * np.abs(x).max()] = 0.0
    tries = [np.tile(common, (len(w), 1))]
    for spin in np.unique(np.round(w, 9), axis=0)[:8]:
        exact = w[np.argmin(np.abs(w - spin).sum(axis=1))]
        tries.append(np.tile(exact, (len(w), 1)))
    tries.append(w)
    amplitudes = [b for link in system.flexible for b in link.carriers]
    for frames in tries:
        frames[amplitudes] = 0.0  # no vectors: they do not turn with anything
        error = np.stack([a - np.cross(frames, v), wdot - np.cross(frames, w)], axis=1)
        yield frames, np.linalg.norm(error, axis=2)


def carry(state: State, frames: np.ndarray, time: float) -> Carried:
    """The state after a time, each body going on along its helix."""
    R = rotations.matrix(state.orientations)
    w = np.einsum("bij,bj->bi", R, state.velocities[:, 3:])
    v = state.velocities[:, :3]
    turn = rotations.exponential(time * frames)
    E = rotations.matrix(turn)
    motion = state.motion.copy()
    motion[:, :3] += time * np.einsum("bij,bj->bi", mean_turn(time * frames), v)
    spin = rotations.exponential(time * (w - frames))
    motion[:, 3:7] = rotations.multiply(rotations.multiply(turn, spin), state.orientations)
    motion[:, 7:10] = np.einsum("bij,bj->bi", E, v)
    after = rotations.matrix(motion[:, 3:7])
    motion[:, 10:13] = np.einsum("bji,bjk,bk->bi", after, E, w)
    return Carried(replace(state, time=state.time + time, motion=motion), E)


def mean_turn(x: np.ndarray) -> np.ndarray:
    """∫₀¹ exp(s x̃) ds for rotation vectors (n, 3)."""
    p = np.linalg.norm(x, axis=1)[:, None, None]
    small = p < 1e-4
    q = np.where(small, 1.0, p)
    first = np.where(small, 0.5 - p**2 / 24, (1 - np.cos(q)) / q**2)
    second = np.where(small, 1 / 6 - p**2 / 120, (q - np.sin(q)) / q**3)
    X = rotations.tilde(x)
    return np.eye(3) + first * X + second * X @ X


def changing(
    system: System, state: State, later: tuple[Carried, ...], speed: float, tolerance: np.ndarray
) -> str:
    """What changes while the motion goes on, in words; nothing where all coefficients stay."""
    scale = column_scale(system)
    before = seen(system, state, scale, np.eye(3)[None])
    limits = coefficient_limits(before, speed)
    for carried in later:
        error = np.abs(system.evaluate(carried.state, tangent=False).C)
        if error.max(initial=0.0) > STEADY * min(system.length, 1.0):
            return f"{system.kept_rows[int(np.argmax(error))]} does not let the motion go on"
        moved = accelerations(system, carried.state)
        turned = world_accelerations(state) @ carried.turn.swapaxes(1, 2)
        change = np.abs(world_accelerations(moved) - turned) / scale.reshape(-1, 2, 3)
        excess = change.max(axis=2) - STEADY * speed**2 - 2 * tolerance
        complaints = {"acceleration": excess.max(axis=1)}
        for (word, x), y in zip(before.items(), seen(system, moved, scale, carried.turn).values()):
            complaints[word] = np.abs(y - x).max(axis=1) - limits[word]
        for word, excess in complaints.items():
            if excess.max() > 0:
                b = int(np.argmax(excess))
                return f"the {word} of body '{system.names[b]}' changes as the mechanism moves"
    return ""


def coefficient_limits(before: dict[str, np.ndarray], speed: float) -> dict[str, np.ndarray]:
    """By how much each body's coefficients may change and still be constant.

    Damping counts against inertia · speed too, and stiffness against both.
    """
    limits, size = {}, np.zeros(1)
    for word, x in before.items():
        own = np.abs(x).max(axis=1)
        size = own if word in ("direction", "inertia") else own + speed * size
        limits[word] = STEADY * size + 1e-11 * size.max()
    return limits


def world_accelerations(state: State) -> np.ndarray:
    """(bodies, 2, 3): of positions and of rotations, both in world axes."""
    R = rotations.matrix(state.orientations)
    out = state.acceleration.reshape(-1, 2, 3).copy()  # type: ignore[union-attr]
    out[:, 1] = np.einsum("bij,bj->bi", R, out[:, 1])
    return out


def seen(
    system: System, state: State, scale: np.ndarray, turn: np.ndarray
) -> dict[str, np.ndarray]:
    """P x, P M P x, P D P x, P K P x in frames for some x, P the projector onto possible motions.

    Each is (bodies, numbers).
    """
    E = np.broadcast_to(turn, (system.bodies, 3, 3))
    Q = body_blocks(E, E) @ sp.diags_array(scale)
    M, D, K, C = world_matrices(system, state)
    project = projector(C @ Q)
    x = project(np.random.default_rng(1).uniform(-1, 1, (6 * system.bodies, 3)))
    found = {"direction": x}
    for word, A in (("inertia", M), ("damping", D), ("stiffness", K)):
        found[word] = project(Q.T @ (A @ (Q @ x)))
    return {word: y.reshape(system.bodies, -1) for word, y in found.items()}


def projector(C: Any) -> Any:
    """x ↦ the nearest vector with C x = 0."""
    C = sp.csr_array(C)
    m, n = C.shape
    if m == 0:
        return lambda x: x
    C = sp.diags_array(1 / np.sqrt((C * C).sum(axis=1))) @ C
    lu = splu(sp.csc_matrix(sp.bmat([[sp.identity(n), C.T], [C, None]])))

    def project(x: np.ndarray) -> np.ndarray:
        if np.iscomplexobj(x):
            return project(x.real) + 1j * project(x.imag)
        return lu.solve(np.concatenate([x, np.zeros((m, *x.shape[1:]))]))[:n]

    return project
