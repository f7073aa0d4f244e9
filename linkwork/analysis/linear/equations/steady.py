"""Is a state an equilibrium or a steady motion, and in which frames are its coefficients constant?

A steady motion carries each body along a helix, a = Ω × v, ω̇ = Ω × ω.  Frames worth trying turn
all alike, with one of the bodies, or each with its own.  The state is carried on by two angles, and
what is seen in the frames, P M P, P D P and P K P with P the projector onto possible motions, must
come back, or the state is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.analysis.linear.equations.world_axes import (
    body_blocks,
    refuse_overflow,
    world_matrices,
)
from linkwork.analysis.scales import column_scale
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.linear_algebra import SparseFactors
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.system import System

STEADY = 1e-6  # what counts as constant, and as no acceleration, relative
ANGLES = (0.4, 1.1)  # how far a motion is carried to see whether it is steady (rad)


@dataclass(frozen=True)
class Carried:
    """A state further along a steady motion, and the turn E (bodies, 3, 3) of the frames."""

    state: State
    turn: np.ndarray


def motion_rate(system: System, state: State) -> float:
    """How fast the bodies move, as an angular velocity."""
    v = np.linalg.norm(state.velocities.reshape(-1, 2, 3), axis=2)
    return float(max(v[:, 0].max(initial=0.0) / system.length, v[:, 1].max(initial=0.0)))


def rates(data: Data, state: State) -> tuple[float, np.ndarray]:
    """A natural angular frequency, and each body's acceleration (over L, and angular) that is none.

    None is 1e-6 of gravity and of what the reactions on the body alone would give it, and what
    round-off in stiff springs may give.
    """
    system = data.system
    L, table = system.length, system.inertias
    trial = accelerations(data, state)
    e = data.evaluate(trial)
    refuse_overflow(system, e.stiffness)
    mass = np.maximum(table[:, 0], 1e-3 * system.mass)
    least = np.linalg.eigvalsh(table[:, 1:].reshape(-1, 3, 3))[:, 0]
    inertia = np.column_stack([mass * L, np.maximum(least, 1e-6 * mass * L**2)])
    rigid = system.layout.rigid
    held = (e.Cq.T @ trial.gamma[data.kept])[:rigid]  # type: ignore[index]
    loads = np.linalg.norm(held.reshape(-1, 2, 3), axis=2) / inertia
    loads = np.maximum(loads, np.linalg.norm(data.tables.gravity) / L)
    K = (abs(e.stiffness) @ column_scale(system))[:rigid]
    stiffness = np.linalg.norm(K.reshape(-1, 2, 3), axis=2) / inertia
    most = loads.max(initial=0.0)
    natural = float(np.sqrt(max(most, stiffness.max(initial=0.0))))
    passed_on = 1e-14 * stiffness.max(initial=0.0)  # round-off, to bodies that joints hold
    return natural, STEADY * loads + 1e-9 * most + 1e-10 * stiffness + passed_on


def refuse_accelerated(data: Data, state: State, tolerance: np.ndarray) -> None:
    """An error where a state at rest does not stay at rest."""
    system = data.system
    refuse_changing(data, state)
    a = np.linalg.norm(state.acceleration.reshape(-1, 2, 3), axis=2)  # type: ignore[union-attr]
    relative = a / [system.length, 1.0]
    if np.all(relative <= tolerance):
        refuse_accelerated_values(system, state, tolerance)
        return
    b = int(np.argmax(np.where(relative > tolerance, relative, 0).max(axis=1)))
    raise ModelError(
        f"the state is not an equilibrium: body '{system.names[b]}' accelerates by "
        f"{a[b, 0]:.3g} m/s² and {a[b, 1]:.3g} rad/s²; find one with lw.static(model) and give it "
        "as at="
    )


def refuse_accelerated_values(system: System, state: State, tolerance: np.ndarray) -> None:
    """The same for values of second order, which bodies would follow."""
    layout = system.layout
    a = np.where(layout.order == 2, np.abs(state.values[2]) / layout.value_scale, 0.0)
    if tolerance.size and a.max(initial=0.0) > tolerance.max():
        worst = int(np.argmax(a))
        raise ModelError(
            f"the state is not an equilibrium: {layout.describe(layout.rigid + worst)} accelerates "
            f"by {state.values[2, worst]:.3g}; find one with lw.static(model) and give it as at="
        )


def refuse_changing(data: Data, state: State) -> None:
    """An error where values of vector nodes do not stay as they are."""
    system = data.system
    rates = np.abs(state.values[1]) / system.layout.value_scale
    if not rates.size:
        return
    D = abs(data.evaluate(state, cK=0.0, cD=1.0).stiffness).max(axis=1).toarray().ravel()
    K = abs(data.evaluate(state).stiffness).max(axis=1).toarray().ravel()
    rigid = system.layout.rigid
    natural = np.max(K[rigid:] / np.where(D[rigid:] > 0, D[rigid:], np.inf), initial=0.0)
    worst = int(np.argmax(rates))
    if rates[worst] > STEADY * max(natural, 1e-300):
        raise ModelError(
            f"the state is not an equilibrium: {system.layout.describe(rigid + worst)} changes by "
            f"{state.values[1, worst]:.3g} in a second; find one with lw.static(model), or where "
            "loads integrate by a run that comes to rest, and give it as at="
        )


def steady_motion(
    data: Data, state: State, speed: float, tolerance: np.ndarray
) -> tuple[np.ndarray, tuple[Carried, ...]]:
    """Angular velocities of frames in which the coefficients are constant; an error otherwise."""
    refusal = ""
    for frames, error in possible_frames(data.system, state):
        excess = (error - tolerance).max(axis=1)
        b = int(np.argmax(excess))
        if excess[b] > STEADY * speed**2:
            refusal = refusal or (
                f"the state is neither an equilibrium nor a steady motion: body "
                f"'{data.system.names[b]}' moves with changing velocity; linearise about lw.static("
                "model) or about a motion that goes on with constant speed"
            )
            continue
        later = tuple(carry(state, frames, angle / speed) for angle in ANGLES)
        complaint = changing(data, state, later, speed, tolerance)
        if not complaint:
            return frames, later
        refusal = (
            "the equations linearised about this motion have no constant coefficients, so they "
            f"have no eigenvalues: {complaint}; linearise about lw.static(model), of a rotor about "
            "lw.static(model, spin=...), or about a motion that looks the same at all times"
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
    data: Data, state: State, later: tuple[Carried, ...], speed: float, tolerance: np.ndarray
) -> str:
    """What changes while the motion goes on, in words; nothing where all coefficients stay."""
    system = data.system
    scale = column_scale(system)
    before = seen(data, state, scale, np.eye(3)[None])
    limits = coefficient_limits(before, speed)
    for carried in later:
        error = np.abs(data.evaluate(carried.state, tangent=False).C)
        error *= row_scale(data.kept_rows, system.length)
        if error.max(initial=0.0) > STEADY:
            return f"{data.kept_rows[int(np.argmax(error))]} does not let the motion go on"
        moved = accelerations(data, carried.state)
        turned = world_accelerations(state) @ carried.turn.swapaxes(1, 2)
        sizes = scale[: system.layout.rigid].reshape(-1, 2, 3)
        change = np.abs(world_accelerations(moved) - turned) / sizes
        excess = change.max(axis=2) - STEADY * speed**2 - 2 * tolerance
        complaints = {"acceleration": excess.max(axis=1)}
        for (word, x), y in zip(before.items(), seen(data, moved, scale, carried.turn).values()):
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
    data: Data, state: State, scale: np.ndarray, turn: np.ndarray
) -> dict[str, np.ndarray]:
    """P x, P M P x, P D P x, P K P x in frames for some x, P the projector onto possible motions.

    Each is (bodies, numbers).
    """
    system = data.system
    E = np.broadcast_to(turn, (system.bodies, 3, 3))
    Q = body_blocks(E, E, system.layout.values, 1.0) @ sp.diags_array(scale)
    M, D, K, C = world_matrices(data, state)
    project = projector(C @ Q)
    x = project(np.random.default_rng(1).uniform(-1, 1, (system.motions, 3)))
    found = {"direction": x}
    for word, A in (("inertia", M), ("damping", D), ("stiffness", K)):
        found[word] = project(Q.T @ (A @ (Q @ x)))
    rigid = system.layout.rigid
    return {word: y[:rigid].reshape(system.bodies, -1) for word, y in found.items()}


def projector(C: Any) -> Any:
    """x ↦ the nearest vector with C x = 0."""
    C = sp.csr_array(C)
    m, n = C.shape
    if m == 0:
        return lambda x: x
    C = sp.diags_array(1 / np.sqrt((C * C).sum(axis=1))) @ C
    factors = SparseFactors(sp.bmat([[sp.identity(n), C.T], [C, None]]))

    def project(x: np.ndarray) -> np.ndarray:
        if np.iscomplexobj(x):
            return project(x.real) + 1j * project(x.imag)
        return factors.solve(np.concatenate([x, np.zeros((m, *x.shape[1:]))]))[:n]

    return project
