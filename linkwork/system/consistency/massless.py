"""States of bodies without inertia that forces alone move.

Along motions Z of such bodies that the joints allow (C_q Z = 0, M Z = 0) no acceleration stands in
the equations of motion, so that they are of first order, and where nothing damps the motion
(U, V: left and right null space of ZᵀDZ) of order zero:

    Zᵀ r(q, v, t) = 0            gives the velocities along Z,
    UᵀZᵀ r(q, v, t) = 0          the positions along Z V

Their derivatives by time give the accelerations along Z and the velocities along Z V:

    Zᵀ (D v̇ + K v + r_t) = 0

All other accelerations and the multipliers come from the usual equations, in which friction has the
load that these multipliers say (consistency.agreement).  Second derivatives of
the motions of order zero are left at zero, as no equation has them; those that a run starts with
are differences of velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.errors import ConvergenceError
from linkwork.linear_algebra import SparseFactors
from linkwork.math import sparse as sp
from linkwork.math.sparse import dense as la
from linkwork.system.consistency.agreement import agreement
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

RANK = 1e-10  # of joints' rows and of damping, relative
CLOSE = 1e-12  # corrections of Newton's method that end it, relative
LATER = 1e-5  # seconds, for derivatives of loads by time


@dataclass(frozen=True)
class MasslessModes:
    """Z over all unknowns of the bodies, orthonormal where angles count times L; U and V."""

    Z: np.ndarray
    U: np.ndarray
    V: np.ndarray


def without_inertia(system: System) -> np.ndarray:
    """Unknowns of the bodies (six each) that have no inertia of their own."""
    table = system.inertias
    spins = (table[:, 1:] == 0).all(axis=1)
    return np.flatnonzero(np.repeat(np.column_stack([table[:, 0] == 0, spins]), 3, axis=1))


def massless_accelerations(data: Data, state: State, scale: np.ndarray) -> State | None:
    """The state with accelerations and multipliers, and with what its massless bodies must do.

    None where no such body explains that the equations are singular.
    scale : of unknowns and equations, so that M and C_q are of size one
    """
    system = data.system
    chosen = without_inertia(system)
    if len(chosen) == 0 or system.flexible:
        return None
    first = under_load(data, replace(state, acceleration=None, gamma=None), chosen, scale)
    if first is None or not any(e.entry.reads for e in system.elements):
        return first
    rows = scale[system.layout.rigid :]

    def again(scaled: np.ndarray) -> np.ndarray | None:
        loads = data.all_gamma(rows * scaled)
        found = under_load(
            data, replace(state, acceleration=None, gamma=loads), chosen, scale
        )
        return None if found is None else found.gamma[data.kept] / rows  # type: ignore[index]

    assert first.gamma is not None
    loads = agreement(again, first.gamma[data.kept] / rows)
    if loads is None:  # friction jams the mechanism
        return first
    loaded = replace(state, acceleration=None, gamma=data.all_gamma(rows * loads))
    return under_load(data, loaded, chosen, scale)


def under_load(
    data: Data, state: State, chosen: np.ndarray, scale: np.ndarray
) -> State | None:
    """The same with friction under the multipliers of `state`; without load where it has none."""
    loads = state.gamma
    found = balanced(data, state, chosen)
    if found is None:
        return None
    state, loose = found
    ahead = load_rates(data, state)
    state = accelerated(data, state, loose, ahead, scale, loads)
    if loose.V.size:
        state = along(data, state, loose, ahead)
    # K needs the multipliers of the first
    return accelerated(data, state, loose, ahead, scale, loads)


def balanced(
    data: Data, state: State, chosen: np.ndarray
) -> tuple[State, MasslessModes] | None:
    """Velocities along Z and positions along Z V with Zᵀr = 0, by Newton's method."""
    system = data.system
    column = np.tile(np.repeat([1.0, 1.0 / system.length], 3), system.bodies)  # lengths
    for _ in range(40):
        e = data.evaluate(state, cD=1.0, cK=0.0)
        loose = motions(system, e.stiffness, e.Cq, chosen, column)
        if loose is None:
            return None
        Z, U, V = column[:, None] * loose.Z, loose.U, loose.V
        r = Z.T @ e.f.ravel()
        D = Z.T @ (e.stiffness @ Z)
        v = -la.pinv(D, rtol=RANK) @ r
        place = np.zeros(Z.shape[1])
        if V.size:
            K = Z.T @ (data.evaluate(state, cK=1.0).stiffness @ Z)
            held = U.T @ K @ V
            if np.linalg.matrix_rank(held, tol=RANK * max(np.abs(K).max(), 1e-300)) < V.shape[1]:
                return None
            place = -V @ la.solve(held, U.T @ r)
        state = state.moved((Z @ place).reshape(-1, 6))
        state = state.with_velocities(state.velocities.ravel() + Z @ v)
        size = np.abs(loose.Z.T @ (state.velocities.ravel() / column)).max() + np.abs(v).max()
        where = np.abs(state.positions).max() + system.length
        if np.abs(v).max() <= CLOSE * size and np.abs(place).max() <= CLOSE * where:
            return state, loose
    b, _ = system.layout.place(int(np.argmax(np.abs(Z @ r))))
    raise ConvergenceError(
        f"the forces on body '{system.names[b]}', which has no mass, cannot be balanced at "
        f"t = {state.time:g}; give it a mass, or forces that hold or damp it", state=state,
    )  # fmt: skip


def motions(
    system: System, D: Any, Cq: Any, chosen: np.ndarray, column: np.ndarray
) -> MasslessModes | None:
    """What joints let massless bodies do, orthonormal in lengths; None where that is nothing."""
    if not (np.isfinite(D.data).all() and np.isfinite(Cq.data).all()):
        return None
    C = (sp.csr_array(Cq)[:, chosen] @ sp.diags_array(column[chosen])).toarray()
    C = C[np.abs(C).max(axis=1, initial=0.0) > 0]
    free = la.null_space(C, rcond=RANK) if len(C) else np.eye(len(chosen))
    if free.shape[1] == 0:
        return None
    free[np.abs(free) < RANK] = 0.0
    Z = np.zeros((system.layout.rigid, free.shape[1]))
    Z[chosen] = free
    damping = Z.T @ (column[:, None] * (D @ (column[:, None] * Z)))
    left, s, right = la.svd(damping)
    none = s <= RANK * s.max()
    return MasslessModes(Z, left[:, none], right[none].T)


def load_rates(data: Data, state: State) -> np.ndarray:
    """∂r/∂t of loads and motion laws, by forward differences of second order."""
    r = [
        data.evaluate(replace(state, time=state.time + k * LATER), tangent=False).f.ravel()
        for k in range(3)
    ]
    return (4.0 * (r[1] - r[0]) - (r[2] - r[0])) / (2.0 * LATER)


def along(data: Data, state: State, loose: MasslessModes, ahead: np.ndarray) -> State:
    """Velocities along Z V, of motions that positions of the others say."""
    U, V, L = loose.U, loose.V, data.system.length
    Z = np.tile(np.repeat([1.0, 1.0 / L], 3), data.system.bodies)[:, None] * loose.Z
    e = data.evaluate(state, cK=1.0)
    D = data.evaluate(state, cD=1.0, cK=0.0).stiffness
    v = state.velocities.ravel()
    v = v - Z @ (V @ la.lstsq(Z @ V, v)[0])
    late = Z.T @ (e.stiffness @ v + D @ state.acceleration.ravel() + ahead)  # type: ignore[union-attr]
    return state.with_velocities(
        v - Z @ (V @ la.solve(U.T @ (Z.T @ (e.stiffness @ Z)) @ V, U.T @ late))
    )


def accelerated(
    data: Data, state: State, loose: MasslessModes, ahead: np.ndarray, scale: np.ndarray,
    loads: np.ndarray | None,
) -> State:  # fmt: skip
    """Accelerations and multipliers, with Zᵀ(D v̇ + K v + r_t) = 0 in place of the rows along Z."""
    n = data.system.layout.rigid
    K = data.evaluate(state, cK=1.0).stiffness
    D = data.evaluate(state, cD=1.0, cK=0.0).stiffness
    e = data.evaluate(
        replace(state, acceleration=None, gamma=loads), cM=1.0, cK=0.0, rates=True
    )
    f = e.f.ravel()
    if loads is not None:
        f = f - e.Cq.T @ loads[data.kept]
    S, B = sp.diags_array(scale), sp.diags_array(scale[:n])
    A, D = sp.csr_array(S @ e.matrix @ S), sp.csr_array(B @ D @ B)
    late = scale[:n] * (K @ state.velocities.ravel() + ahead)
    P = sp.csr_array(loose.Z @ loose.Z.T)
    slow = loose.Z - loose.Z @ loose.U @ loose.U.T
    Q = sp.csr_array(slow @ slow.T)  # of first order; those of order zero get v̇ = 0
    size = max(float(np.abs(Q @ D @ loose.Z).max()), 1e-300)
    rows = (Q @ D) / size + sp.csr_array((loose.Z @ loose.U) @ (loose.Z @ loose.V).T)
    nothing = sp.csr_array((n, data.rows))
    top = A[:n] - P @ A[:n] + sp.hstack([rows, nothing])
    r = scale[:n] * f
    rhs = np.concatenate([P @ r - r - Q @ late / size, scale[n:] * e.Qc])
    y = scale * SparseFactors(sp.vstack([top, A[n:]])).solve(rhs)
    return replace(state, acceleration=y[:n].reshape(-1, 6), gamma=data.all_gamma(y[n:]))


def first_rates(
    data: Data, now: State, ahead: State, epsilon: float, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and their rates that a run with step h starts from, given two near states.

    A motion of first order that dies away within a step gets none: methods of second order would
    take the large numbers for a motion that goes on.
    """
    system = data.system
    a, b = now.acceleration, ahead.acceleration
    assert a is not None and b is not None
    jerk, chosen = (b - a) / epsilon, without_inertia(system)
    if len(chosen) == 0 or system.layout.values:  # beside vector nodes, joints must hold them
        return a, jerk
    column = np.tile(np.repeat([1.0, 1.0 / system.length], 3), system.bodies)
    e = data.evaluate(now, cD=1.0, cK=0.0)
    loose = motions(system, e.stiffness, e.Cq, chosen, column)
    if loose is None:
        return a, jerk
    Z, fixed = loose.Z, loose.V @ loose.V.T
    v, w = (Z.T @ (s.velocities.ravel() / column) for s in (now, ahead))
    rate, change = (Z.T @ (x.ravel() / column) for x in (a, jerk))
    new_rate = rate - fixed @ rate + fixed @ (w - v) / epsilon
    new_change = change - fixed @ change
    dying = (h * np.abs(new_rate) > 2 * np.abs(v)) & (h * np.abs(new_change) > 2 * np.abs(new_rate))
    new_rate[dying] = new_change[dying] = 0.0
    a = a + (column * (Z @ (new_rate - rate))).reshape(-1, 6)
    return a, jerk + (column * (Z @ (new_change - change))).reshape(-1, 6)
