"""Linearised equations of motion about an equilibrium or a steady motion, and lw.linearize.

The residual r(q, v, v̇, γ) of the equations of motion is differentiated in body axes (system.
evaluate): K at fixed v, ω, v̇, ω̇, γ (so constraint and inertia stiffness are in it), D = ∂r/∂(v, ω).
Small motions y = (δr, φ) are in world axes, δR = φ̃ R, because C_q is constant in these about a
spinning rotor and not in body axes; then θ = Rᵀφ, δω = Rᵀφ̇, δω̇ = Rᵀ(φ̈ − ω_w × φ̇), and with
T = diag(I, R)

    M ÿ + D ẏ + K y + Cᵀ δγ = F u,   C y = −C_u u
    M ← T M Tᵀ,   D ← T D Tᵀ − diag(0, R J Rᵀ ω̃_w),   K ← T K Tᵀ,   C = C_q Tᵀ

Where these have no constant coefficients in world axes they may have in frames that turn with the
mechanism, y = E(t) η, Ė = Ω̃ E (a rotor with blades, a conical pendulum, a governor):

    M η̈ + (D + 2 M Ω̃) η̇ + (K + D Ω̃ + M Ω̃²) η + …

A steady motion carries each body along a helix, a = Ω × v, ω̇ = Ω × ω; the state is carried on by
two angles and its coefficients, seen in the frames, must come back, or it is refused.

State space.  y = N z + Y u with C N = 0, C Y = −C_u, Nᵀ M Y = 0, so that ü drops out; u̇ is
absorbed in ζ = ż + G u, G = M_r⁻¹ NᵀDY, M_r = NᵀMN (likewise D_r, K_r):

    ż = ζ − G u
    ζ̇ = M_r⁻¹ (−K_r z − D_r ζ + (NᵀF − NᵀKY + D_r G) u)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.analysis.assemble import assemble_model, choose_rows, is_angle
from linkwork.elements.distance import LENGTH, Distance
from linkwork.elements.force import FACTOR, Load
from linkwork.elements.joints import ROW_NAMES, Joint
from linkwork.elements.layout import COEFS
from linkwork.elements.lock import LEVEL, MOVING, lock_coordinates
from linkwork.elements.user_force import STIFF, UserForce, raise_if_failed
from linkwork.errors import ModelError
from linkwork.math import rotations
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.model.registry import Law
from linkwork.system.accelerations import accelerations
from linkwork.system.evaluate import evaluate
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

STEADY = 1e-6  # what counts as constant, and as no acceleration, relative
ANGLES = (0.4, 1.1)  # how far a motion is carried to see whether it is steady (rad)
XYZ = "xyz"


# ---------------------------------------------------------------------- the linearised equations


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
        return np.tile([self.system.length] * 3 + [1.0] * 3, self.system.bodies)

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
    for place, _ in places(system, UserForce):  # how it depends on the motion counts here
        system.tables.reals[place.start + STIFF] = 1.0
    refuse_open(system, state)
    return system, state


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
    error /= [1.0 if is_angle(r.name) else system.length for r in system.kept_rows]
    worst = int(np.argmax(error))
    if error[worst] > 1e-6:
        raise ModelError(
            f"the state at t = {state.time:g} does not satisfy {system.kept_rows[worst]}; "
            "give a state from lw.assemble, lw.static or a run of this model"
        )


def places(system: System, kind: Any) -> Iterator[tuple[slice, Any]]:
    """Where in tables.reals the elements of items of a class have their numbers, and the items."""
    families = list(dict.fromkeys(e.entry.family for e in system.elements))
    seen = [0] * len(families)
    for e in system.elements:
        m = families.index(e.entry.family)
        first, width = system.tables.directory[m, 4:6]
        begin = int(first + width * seen[m])
        seen[m] += 1
        if isinstance(system.model[e.owner], kind):
            yield slice(begin, begin + int(width)), system.model[e.owner]


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
    J = R @ system.tables.bodies[:, 1:].reshape(-1, 3, 3) @ R.swapaxes(1, 2)
    masses = system.tables.bodies[:, :1, None] * np.eye(3)
    spin = rotations.tilde(np.einsum("bij,bj->bi", R, state.velocities[:, 3:]))
    M = body_blocks(masses, J)
    D = T @ sp.csr_array(D) @ T.T - body_blocks(np.zeros_like(J), J @ spin)
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
    L, table = system.length, system.tables.bodies
    trial = accelerations(system, state)
    e = system.evaluate(trial)
    mass = np.maximum(table[:, 0], 1e-3 * system.mass)
    least = np.linalg.eigvalsh(table[:, 1:].reshape(-1, 3, 3))[:, 0]
    inertia = np.column_stack([mass * L, np.maximum(least, 1e-6 * mass * L**2)])
    held = e.Cq.T @ trial.gamma[system.kept]  # type: ignore[index]
    loads = np.linalg.norm(held.reshape(-1, 2, 3), axis=2) / inertia
    loads = np.maximum(loads, np.linalg.norm(system.tables.gravity) / L)
    K = abs(e.stiffness) @ np.tile([L] * 3 + [1.0] * 3, system.bodies)
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
    for frames in tries:
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
    scale = np.tile([system.length] * 3 + [1.0] * 3, system.bodies)
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


# -------------------------------------------------------------------------------- state space


@dataclass(frozen=True)
class StateSpace:
    """ẋ = A x + B u, y = C x + D u: small motions about a steady state, with names.

    states  : independent displacements and rotations of bodies ("rod.orientation.y", a small
              rotation about world y), then their rates ("d/dt rod.orientation.y")
    axes    : which axes vectors are in, in words;   state : what it was linearised about
    Inputs and outputs are changes from that state.  Where a drive acts through a damper the rates
    are ż + G u (see the module).
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    axes: str = "world axes"
    state: State | None = field(default=None, repr=False)

    def to_control(self) -> Any:
        """The same as a python-control StateSpace; '.' in names becomes '_'."""
        try:
            import control
        except ImportError:
            raise ModelError(
                "to_control needs the package python-control; install it with 'pip install control'"
            ) from None

        def plain(names: list[str]) -> list[str]:
            return [name.replace(".", "_") for name in names]

        return control.ss(
            self.A, self.B, self.C, self.D, states=plain(self.states), inputs=plain(self.inputs),
            outputs=plain(self.outputs),
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"StateSpace: {len(self.states)} states, {self.axes}\n"
            f"  inputs   {', '.join(self.inputs) or 'none'}\n"
            f"  outputs  {', '.join(self.outputs) or 'none'}\n"
            f"  states   {', '.join(self.states)}"
        )


def linearize(
    model: Model, at: Any = None, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> StateSpace:
    """Linear state space model about an equilibrium or a steady motion, as named matrices.

    at      : a State, lw.static(model) or a run (its last state); None is the assembled model
    inputs  : "push": a Force or Torque, u added to the factor of its vector (F = (y + u) vector);
              "push.x": u added to a component of the force (N, N m);
              "motor": u added to the drive (rad, m) of a Motor, Actuator or Distance, or of a
              Lock with one drive; "lock.rz" where it has several
    outputs : "rod.position", "rod.velocity", "rod.orientation" (a small rotation vector),
              "rod.angular_velocity" (body axes, as in results) or "rod.angular_velocity_world";
              "pin.angle", "pin.rate", "pin.displacement", "pin.speed" of joints, "pin.position",
              "pin.velocity"; a component as "rod.position.x".  Vectors are in world axes, or in
              the turning axes that `axes` tells about.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> mass = m.add("mass", lw.Body(2, (1, 1, 1), position=(0, 0, -1)))
    >>> guide = m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> spring = m.add("spring", lw.Spring(lw.GROUND, mass, stiffness=50, damping=4))
    >>> push = m.add("push", lw.Force(mass, (0, 0, 1), drive=lw.constant(0)))
    >>> ss = lw.linearize(m, inputs=["push"], outputs=["mass.position.z"])
    >>> (ss.A.round(9) + 0).tolist(), (ss.B.round(9) + 0).tolist()
    ([[0.0, 1.0], [-25.0, -2.0]], [[0.0], [0.5]])
    """
    pencil = linearised(model, at)
    ins = [make_input(pencil, name) for name in _names(inputs, "inputs")]
    outs = [make_output(pencil, name) for name in _names(outputs, "outputs")]
    result = state_space(pencil, ins, [o for several in outs for o in several])
    raise_if_failed(model)
    return result


def _names(names: Any, what: str) -> list[str]:
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"{what} of linearize must be names (texts), but {name!r} was given")
    return names


@dataclass(frozen=True)
class Input:
    """One input: forces F (6 bodies) and constraint changes C_u it makes."""

    name: str
    F: np.ndarray
    Cu: np.ndarray


@dataclass(frozen=True)
class Output:
    """One output: Jp η + Jv η̇."""

    name: str
    Jp: np.ndarray
    Jv: np.ndarray


def state_space(p: Pencil, inputs: list[Input], outputs: list[Output]) -> StateSpace:
    """A, B, C, D in independent coordinates."""
    N, chosen = independent_coordinates(p)
    n, f = N.shape
    F = np.array([i.F for i in inputs]).reshape(len(inputs), n).T
    Cu = np.array([i.Cu for i in inputs]).reshape(len(inputs), p.C.shape[0]).T
    Jp = np.array([o.Jp for o in outputs]).reshape(len(outputs), n)
    Jv = np.array([o.Jv for o in outputs]).reshape(len(outputs), n)
    Mr, Dr, Kr = (N.T @ (A @ N) for A in (p.M, p.D, p.K))
    mass = la.cho_factor(Mr) if f else None

    def solve(x: np.ndarray) -> np.ndarray:
        return la.cho_solve(mass, x) if f else x

    Y = np.zeros((n, len(inputs)))
    if Cu.size:
        Y = p.scale[:, None] * la.lstsq(p.C.toarray() * p.scale, -Cu)[0]
        Y -= N @ solve(N.T @ (p.M @ Y))
    G = solve(N.T @ (p.D @ Y))
    refuse_improper(p, inputs, outputs, Y, Jv)
    A = np.block([[np.zeros((f, f)), np.eye(f)], [-solve(Kr), -solve(Dr)]])
    B = np.vstack([-G, solve(N.T @ F - N.T @ (p.K @ Y) + Dr @ G)])
    C = np.hstack([Jp @ N, Jv @ N])
    D = Jp @ Y - Jv @ N @ G
    names = [coordinate_name(p.system, i) for i in chosen]
    return StateSpace(
        A, B, C, D, names + [f"d/dt {name}" for name in names], [i.name for i in inputs],
        [o.name for o in outputs], p.describe(), p.state,
    )  # fmt: skip


def independent_coordinates(p: Pencil) -> tuple[np.ndarray, np.ndarray]:
    """N whose columns are unit motions of chosen displacements and rotations, and which."""
    N = p.null_space
    n, f = N.shape
    if f == 0:
        return N, np.zeros(0, int)
    prefer = 1 + 1e-6 * np.linspace(1, 0, n)  # the earlier of equals
    _, _, order = la.qr((N * (prefer / p.scale)[:, None]).T, pivoting=True)
    chosen = np.sort(order[:f])
    N = la.solve(N[chosen].T, N.T).T
    N[np.abs(N) < 1e-14 * np.abs(N).max()] = 0.0
    return N, chosen


def coordinate_name(system: System, i: int) -> str:
    b, j = divmod(int(i), 6)
    return f"{system.names[b]}.{('position', 'orientation')[j // 3]}.{XYZ[j % 3]}"


def refuse_improper(
    p: Pencil, inputs: list[Input], outputs: list[Output], Y: np.ndarray, Jv: np.ndarray
) -> None:
    """An error where an output is the rate of a drive that is an input."""
    if not (inputs and outputs):
        return
    moves = np.abs(Y / p.scale[:, None]).max(axis=0)
    bad = np.abs(Jv @ Y) > 1e-9 * np.outer(np.abs(Jv) @ p.scale, moves)
    for o, i in np.argwhere(bad):
        raise ModelError(
            f"output '{outputs[o].name}' contains the rate of input '{inputs[i].name}', which a "
            f"state space model in the drive's value cannot give; take the position output and "
            "differentiate it, or leave out one of the two"
        )


# ------------------------------------------------------------------------------------- inputs


def make_input(p: Pencil, name: str) -> Input:
    """The input of that name, the same at all times of the motion."""
    first, rest = split(p.system.model, name)
    item = p.system.model[first]
    found = input_change(p, item, first, rest, p.state)
    F, Cu = response(p, p.state, *found, np.eye(3)[None])
    for carried in p.later:
        moved = accelerations(p.system, carried.state)
        again = input_change(p, item, first, rest, moved)
        Fm, _ = response(p, moved, *again, carried.turn)
        size = np.abs(F).max(initial=0.0)
        if np.abs(Fm - F).max(initial=0.0) > STEADY * max(size, 1e-300):
            raise ModelError(
                f"input '{name}' does not keep its direction while the mechanism moves, so the "
                f"linearised equations ({p.describe()}) have no constant coefficients; use a force "
                "that follows the motion"
            )
    return Input(name, F, Cu)


def split(model: Model, name: str) -> tuple[str, list[str]]:
    first, *rest = name.split(".")
    model[first]  # raises where there is none, with a suggestion
    return first, rest


def input_change(
    p: Pencil, item: Any, first: str, rest: list[str], state: State
) -> tuple[slice, np.ndarray]:
    """Where the numbers of an input's element are, and how they change with a unit of it."""
    system = p.system
    mine = [place for place, owner in places(system, type(item)) if owner is item]
    system.set_time(state.time)
    if isinstance(item, Load):
        return load_change(system, item, rest, mine[0])
    if isinstance(item, Distance) and isinstance(item.length, Drive) and not rest:
        change = np.zeros(mine[0].stop - mine[0].start)
        change[LENGTH] = 1.0
        return mine[0], change
    drives = item.laws().get("t", {}) if isinstance(item, Joint) else {}
    row = rest[0] if rest else next(iter(drives), None)
    if not drives or len(rest) > 1 or (len(drives) > 1 and not rest) or row not in drives:
        raise ModelError(no_input(p.system.model, item, rest, drives))
    return mine[0], drive_change(item, str(row), state.time, system.tables.reals[mine[0]])


def no_input(model: Model, item: Any, rest: list[str], drives: dict[str, Drive]) -> str:
    """The sentence that says why there is no such input."""
    words = ".".join([str(item.name), *rest])
    if drives:
        listed = ", ".join(f"'{item.name}.{row}'" for row in drives)
        return f"{item.label} has no input '{words}'; its inputs are {listed}"
    usable = [n for n, i in model.items.items() if isinstance(i, Load) or _driven(i)]
    near = difflib.get_close_matches(str(item.name), usable, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    listed = ", ".join(f"'{n}'" for n in usable) or "none: add a Force, Torque or Motor"
    return (
        f"'{words}' cannot be an input: {item.label} is neither a force nor driven{hint} "
        f"(inputs of this model: {listed})"
    )


def _driven(item: Any) -> bool:
    if isinstance(item, Distance):
        return isinstance(item.length, Drive)
    return isinstance(item, Joint) and bool(item.laws().get("t"))


def load_change(
    system: System, item: Load, rest: list[str], place: slice
) -> tuple[slice, np.ndarray]:
    """Change of a force's numbers: its factor, or a component of vector · factor."""
    now = system.tables.reals[place]
    change = np.zeros_like(now)
    if not rest:
        change[FACTOR] = 1.0
        return place, change
    if len(rest) > 1 or rest[0] not in XYZ:
        raise ModelError(
            f"{item.label} has no input '{item.name}.{'.'.join(rest)}'; its inputs are "
            f"'{item.name}' (the factor of its vector) and '{item.name}.x', '.y', '.z'"
        )
    column = item.column + XYZ.index(rest[0])
    change[FACTOR] = 1.0 - now[FACTOR]
    change[item.column : item.column + 3] = item.vector * (now[FACTOR] - 1.0)
    change[column] += 1.0
    return place, change


def drive_change(item: Joint, row: str, time: float, now: np.ndarray) -> np.ndarray:
    """∂(numbers of the lock element)/∂(value of the drive of a row): r_t, ρ_t and nothing else."""
    at = np.array([time])
    laws = {
        which: {r: polynomial([d.values(at)[0], float(which == "t" and r == row)])
                for r, d in those.items()}
        for which, those in item.laws().items()
    }  # fmt: skip
    rest = item.lock_entry(item.active, {}).reals
    change = np.zeros_like(now)
    change[:LEVEL] = item.poses(rest, laws, np.zeros(1)).reshape(3, LEVEL)[1]
    return change


def response(
    p: Pencil, state: State, place: slice, change: np.ndarray, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forces (frames) and constraint changes of a change of an element's numbers.

    The residual is linear in the change of a force or law: the difference of two evaluations is
    exact (up to the product of the factor and vector of a force, which load_change undoes).
    """
    system = p.system
    before = system.evaluate(state, tangent=False)
    system.load(state)
    w = system.work
    w.coef[:COEFS] = (0.0, 0.0, False, False, 0.0, True)
    reals = system.tables.reals[place].copy()
    system.tables.reals[place] += change
    evaluate(system.kernels, system.tables, w, state.time, 0.0)
    system.tables.reals[place] = reals
    force = before.f - w.f[: system.bodies]
    _, T = world_axes(state)
    E = np.broadcast_to(turn, (system.bodies, 3, 3))
    F = body_blocks(E, E).T @ (T @ force.ravel())
    return F, w.C[: system.rows] - before.C


# ------------------------------------------------------------------------------------ outputs


def make_output(p: Pencil, name: str) -> list[Output]:
    """The outputs of that name (three for a vector), the same at all times of the motion."""
    first, rest = split(p.system.model, name)
    item = p.system.model[first]
    kinds = output_kinds(item, first, p.system)
    if not rest or rest[0] not in kinds:
        near = difflib.get_close_matches(rest[0] if rest else "", kinds, n=1)
        hint = f"; did you mean '{first}.{near[0]}'?" if near else ""
        listed = ", ".join(kinds) or "none"
        raise ModelError(f"{item.label} has no output '{name}'{hint} (it has {listed})")
    quantity, *component = rest
    rows = (jacobians_of_body if first in p.system.names else jacobians_of_joint)(
        p, first, quantity, p.state, np.eye(3)[None]
    )
    vector = len(rows[0]) == 3
    if len(component) > 1 or (component and (not vector or component[0] not in XYZ)):
        inside = "x, y and z" if vector else "none"
        raise ModelError(f"output '{name}': the components of '{first}.{quantity}' are {inside}")
    refuse_turning(p, name, first, quantity, rows)
    names = [f"{first}.{quantity}.{c}" for c in XYZ] if vector else [name]
    wanted = [XYZ.index(component[0])] if component else range(len(names))
    return [Output(names[i], rows[0][i], rows[1][i]) for i in wanted]


def output_kinds(item: Any, name: str, system: System) -> list[str]:
    """Quantities that can be outputs of an item."""
    if name in system.names:
        return [
            "position", "velocity", "orientation", "angular_velocity", "angular_velocity_world",
        ]  # fmt: skip
    if isinstance(item, Joint):
        return ["angle", "rate", "displacement", "speed", "position", "velocity"]
    return []


def refuse_turning(
    p: Pencil, name: str, first: str, quantity: str, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    """An error where an output is not the same function of the small motions at all times."""
    for carried in p.later:
        moved = (jacobians_of_body if first in p.system.names else jacobians_of_joint)(
            p, first, quantity, carried.state, carried.turn
        )
        for then, now in zip(moved, rows):
            if np.abs(then - now).max(initial=0.0) > STEADY * np.abs(now).max(initial=1e-300):
                hint = (
                    f"; take '{first}.angular_velocity_world'"
                    if quantity == "angular_velocity" else ""
                )  # fmt: skip
                raise ModelError(
                    f"output '{name}' depends on time while the mechanism moves, so it is not a "
                    f"constant combination of small motions in {p.describe()}{hint}"
                )


def jacobians_of_body(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv (3 × 6 bodies) of a body's motion; vectors in the frames' axes."""
    b = p.system.names.index(name)
    Omega = rotations.tilde(p.frames[b])
    Jp, Jv = np.zeros((2, 3, 6 * p.system.bodies))
    move, rotate = slice(6 * b, 6 * b + 3), slice(6 * b + 3, 6 * b + 6)
    if quantity == "position":
        Jp[:, move] = np.eye(3)
    elif quantity == "orientation":
        Jp[:, rotate] = np.eye(3)
    elif quantity == "velocity":
        Jp[:, move], Jv[:, move] = Omega, np.eye(3)
    else:  # δω = Rᵀφ̇ in body axes, φ̇ − ω × φ in world axes
        R = rotations.matrix(state.orientations[b])
        E = np.broadcast_to(turn, (p.system.bodies, 3, 3))[b]
        if quantity == "angular_velocity":
            Jp[:, rotate], Jv[:, rotate] = R.T @ E @ Omega, R.T @ E
        else:
            w = E.T @ R @ state.velocities[b, 3:]
            Jp[:, rotate], Jv[:, rotate] = Omega - rotations.tilde(w), np.eye(3)
    return Jp, Jv


def jacobians_of_joint(
    p: Pencil, name: str, quantity: str, state: State, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Jp and Jv of a joint's relative motion: C_q of rows that hold it where it is."""
    J = joint_rows(p, name, state)
    E = np.broadcast_to(turn, (p.system.bodies, 3, 3))
    J = J @ body_blocks(E, E)
    rows = {"angle": [3], "rate": [3], "displacement": [2], "speed": [2]}.get(quantity, [0, 1, 2])
    J = J[rows]
    if quantity in ("rate", "speed", "velocity"):
        return np.zeros_like(J), J
    return J, np.zeros_like(J)


def joint_rows(p: Pencil, name: str, state: State) -> np.ndarray:
    """∂(x, y, z, angle about z)/∂(displacements and rotations in world axes), (4, 6 bodies).

    With ρ_t the twist of ρ, ρ ρ_t* = (s, v) has v_z = 0 and δangle = 2 δv_z/s.
    """
    joint = p.system.model[name]
    at = np.array([state.time])
    laws = {
        which: {row: polynomial([d.values(at)[0]]) for row, d in those.items()}
        for which, those in joint.laws().items()
    }
    still = joint.lock_entry((0, 1, 2, 5), {**laws, "t": {}})
    reals = still.reals.copy()[None]
    if reals[0, MOVING]:
        reals[0, : 3 * LEVEL] = still.laws[0].values(at)[0]
    number = [p.system.names.index(f.body.name) if f.body.name in p.system.names else -1
              for f in joint.frames]  # fmt: skip
    ground = np.array([0.0, 0, 0, 1, 0, 0, 0])
    a, b = (state.motion[i, :7] if i >= 0 else ground for i in number)
    x, q = lock_coordinates(reals, a[None, :3], a[None, 3:], b[None, :3], b[None, 3:])
    twist = 2 * float(np.arctan2(q[0, 3], q[0, 0]))
    held = {row: polynomial([float(v)]) for row, v in zip(ROW_NAMES[:3], x[0])}
    held["rz"] = polynomial([twist])
    entry = joint.lock_entry((0, 1, 2, 5), {**laws, "t": held})
    system = compile_model(p.system.model, [(name, entry)])
    e = system.evaluate(replace(state, gamma=None, acceleration=None))
    _, T = world_axes(state)
    J = (sp.csr_array(e.Cq)[-4:] @ T.T).toarray()
    J[3] *= 2 / np.hypot(q[0, 0], q[0, 3])
    return J
