"""Consistent states where some highest derivatives stand in no equation: index reduction.

With the unknowns y = (v̇, rates of first order, values of order zero, γ) and J = ∂r/∂y, let J V = 0
and Uᵀ J = 0.  Along V the equations are of lower order: of bodies without inertia that forces alone
move, and of vector nodes of first order that share their rates.  The combinations Uᵀ r determine
the next derivatives along V, velocities of bodies and values of nodes, and where they do not
(nothing damps the motion: null spaces U₁, V₁ of UᵀDV), positions of bodies; their derivatives by
time the rates of these:

    Uᵀ r = 0,      Uᵀ (D v̇ + K v + r_t) = 0

Second derivatives of motions of order zero are left at zero, as no equation has them; those that a
run starts with are differences of velocities.  Friction has the load that the multipliers say
(`agreement`), and so have nodes that follow reactions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.errors import ConvergenceError
from linkwork.kernels import sparse as sp
from linkwork.kernels.sparse import dense as la
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.data import Data
from linkwork.system.initial_conditions.agreement import agreement
from linkwork.system.initial_conditions.consistent import (
    highest_derivatives,
    unit_scale,
    unknown_scale,
)  # fmt: skip
from linkwork.system.state import State
from linkwork.system.system import System

RANK = 1e-9  # of matrices scaled to size one
FAINT = 1e-13  # an entry that small beside the products that it is the sum of is round-off
SINGULAR = 1e-14  # the smallest pivot over the largest
CLOSE = 1e-12  # corrections of Newton's method that end it, relative
ENOUGH = 1e-8  # the same where they no longer shrink: round-off of stiff equations
LATER = 1e-5  # s, for derivatives of loads by time
MOST = 40


@dataclass(frozen=True)
class Reduction:
    """U and V over all unknowns, D the scale of unknowns and equations, and r at y = 0 along V.

    H = Uᵀ D V of the next derivatives, with its null spaces U₁ and V₁.
    """

    U: np.ndarray
    V: np.ndarray
    D: np.ndarray
    r: np.ndarray
    bordered: SparseFactors  # of [[J, U], [Vᵀ, 0]], scaled
    H: np.ndarray
    U1: np.ndarray
    V1: np.ndarray

    def solve(self, r: np.ndarray) -> np.ndarray:
        """y with J y = −r but for parts along U, and none along V."""
        rhs = np.concatenate([-self.D * r, np.zeros(self.V.shape[1])])
        return self.D * self.bordered.solve(rhs)[: len(self.D)]

    def slow(self, g: np.ndarray) -> np.ndarray:
        """The part of V along which H h = −g."""
        return self.V @ (-la.pinv(self.H, rtol=RANK) @ g)


def without_inertia(system: System) -> np.ndarray:
    """Unknowns of the bodies (six each) that have no inertia of their own."""
    table = system.inertias
    spins = (table[:, 1:] == 0).all(axis=1)
    return np.flatnonzero(np.repeat(np.column_stack([table[:, 0] == 0, spins]), 3, axis=1))


def derivative(data: Data, state: State, below: int) -> Any:
    """∂r/∂ of the motion, as many derivatives below the highest (1: velocities, 2: positions)."""
    by = (np.arange(3)[:, None] == data.system.layout.order - below).astype(float)
    cD, cK = float(below == 1), float(below == 2)
    return data.evaluate(state, cD=cD, cK=cK, by=by).stiffness


# -------------------------------------------------------------------------------- the null spaces


def reduction(data: Data, now: State, loads: np.ndarray | None) -> Reduction | None:
    """Null spaces at a state; none where J is regular, or singular otherwise."""
    n, rigid, order = data.system.motions, data.system.layout.rigid, data.system.layout.order
    known = now if loads is None else replace(now, gamma=loads)
    by = highest_derivatives(data.system)
    e = data.evaluate(known, cM=1.0, cD=0.0, cK=0.0, rates=True, by=by)
    r = np.concatenate([e.residual, e.jacobian.times(seconds(now)) - e.Qc])
    J = sp.csr_array(e.matrix)
    if not (np.isfinite(J.data).all() and np.isfinite(r).all()):
        return None
    if loads is not None:
        assert now.gamma is not None
        r[:n] += e.Cq.T @ (now.gamma - loads)[data.kept]
    D = unit_scale(SparseRows(J.data, J.indices, J.indptr, J.shape), unknown_scale(data))
    scaled = sp.csr_array(sp.diags_array(D) @ J @ sp.diags_array(D))
    light, first = without_inertia(data.system), rigid + np.flatnonzero(order == 1)
    light = light[abs(scaled[:n]).sum(axis=0)[light] == 0.0]  # nor that of a flexible body
    V = np.hstack([null_space(scaled, columns) for columns in (light, first)])
    U = null_space(sp.csr_array(scaled.T), np.append(light, rigid + np.flatnonzero(order < 2)))
    if V.shape[1] == 0 or U.shape != V.shape:
        return None
    try:
        bordered = SparseFactors(sp.block_array([[scaled, U], [V.T, None]]))
    except SingularMatrix:
        return None
    if bordered.smallest_pivot() < SINGULAR:
        return None
    U, V = D[:, None] * U, D[:, None] * V
    damping = derivative(data, now, 1)
    H = U[:n].T @ (damping @ V[:n])
    H[np.abs(H) <= FAINT * (np.abs(U[:n]).T @ (abs(damping) @ np.abs(V[:n])))] = 0.0
    left, s, right = la.svd(H)
    none = s <= RANK * s.max()
    return Reduction(U, V, D, r, bordered, H, left[:, none], right[none].T)


def null_space(A: Any, columns: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the null vectors of a matrix that have these entries alone."""
    part = A[:, columns]
    part = part[np.diff(part.indptr) > 0].toarray()
    free = la.null_space(part, rcond=RANK) if len(part) else np.eye(len(columns))
    free[np.abs(free) < RANK] = 0.0
    out = np.zeros((A.shape[1], free.shape[1]))
    out[columns] = free
    return out


def seconds(state: State) -> np.ndarray:
    """Second derivatives of all motion unknowns."""
    assert state.acceleration is not None
    return np.concatenate([state.acceleration.ravel(), state.values[2]])


# ------------------------------------------------------------------------------------- the state


def index_reduced(data: Data, state: State) -> State | None:
    """The state with all that its equations determine; none where they do not."""
    if not any(e.entry.reads for e in data.system.elements):
        return reduced(data, state, None)
    rows = unknown_scale(data)[data.system.motions :]
    first = reduced(data, state, np.zeros(len(data.system.all_rows)))
    if first is None:
        return None

    def again(scaled: np.ndarray) -> np.ndarray | None:
        found = reduced(data, state, data.all_gamma(rows * scaled))
        return None if found is None else found.gamma[data.kept] / rows  # type: ignore[index]

    assert first.gamma is not None
    loads = agreement(again, first.gamma[data.kept] / rows)
    if loads is None:  # friction jams the mechanism
        return first
    return reduced(data, state, data.all_gamma(rows * loads))


def reduced(data: Data, state: State, loads: np.ndarray | None) -> State | None:
    """The same with friction under the multipliers `loads`."""
    system = data.system
    now = replace(
        state, acceleration=np.zeros((system.bodies, 6)), gamma=np.zeros(len(system.all_rows)),
        values=np.vstack([state.values[:2], np.zeros((1, system.layout.values))]),
    )  # fmt: skip
    for _ in range(2):
        found = balanced(data, now, loads)
        if found is None:
            return None
        now, hidden = found
        n, late = data.system.motions, rate(data, now)
        now = changed(data, now, hidden.slow(hidden.U[:n].T @ late), np.zeros(n))
        if not hidden.V1.size:
            break
        K = derivative(data, now, 2)
        held = hidden.U1.T @ (hidden.U[:n].T @ (K @ (hidden.V[:n] @ hidden.V1)))
        late = hidden.U1.T @ (hidden.U[:n].T @ rate(data, now))
        velocity = -hidden.V @ (hidden.V1 @ la.solve(held, late))
        now = changed(data, now, np.zeros(data.unknowns), velocity[:n])  # and forces anew
    return now


def balanced(
    data: Data, now: State, loads: np.ndarray | None
) -> tuple[State, Reduction] | None:
    """Newton's method for y, the next derivatives along V, and positions along V V₁."""
    n, rigid, before = data.system.motions, data.system.layout.rigid, np.inf
    for _ in range(MOST):
        hidden = reduction(data, now, loads)
        if hidden is None:
            return None
        U, V, rest = hidden.U, hidden.V, hidden.U.T @ hidden.r
        next_ones, place = hidden.slow(rest)[:n], np.zeros(n)
        if hidden.V1.size:
            K = U[:n].T @ (derivative(data, now, 2) @ V[:n])
            held = hidden.U1.T @ K @ hidden.V1
            if np.linalg.matrix_rank(held, tol=RANK * max(np.abs(K).max(), 1e-300)) < len(held):
                return None
            place = -V[:n] @ (hidden.V1 @ la.solve(held, hidden.U1.T @ rest))
        r = hidden.r.copy()
        r[:n] += derivative(data, now, 1) @ next_ones + derivative(data, now, 2) @ place
        y = hidden.solve(r)
        now = changed(data, now, y, next_ones, place)
        size = max(
            relative(y, np.append(highest(data, now), now.gamma[data.kept]), hidden.D),  # type: ignore[index]
            relative(next_ones, highest(data, now, 1), hidden.D[:n]),
            float(np.abs(place[:rigid]).max(initial=0.0))
            / (np.abs(now.positions).max(initial=0.0) + data.system.length),
        )
        if size <= CLOSE or (size <= ENOUGH and size > 0.5 * before):
            return now, hidden
        before = size
    light = np.abs(V[:rigid]).max(axis=1, initial=0.0)
    if not light.any():
        return None
    b, _ = data.system.layout.place(int(np.argmax(light * np.abs(U @ rest)[:rigid])))
    raise ConvergenceError(
        f"the forces on body '{data.system.names[b]}', which has no mass, cannot be balanced at "
        f"t = {now.time:g}; give it a mass, or forces that hold or damp it", state=now,
    )  # fmt: skip


def relative(step: np.ndarray, whole: np.ndarray, D: np.ndarray) -> float:
    """The largest step over the largest number, both scaled."""
    largest = float(np.abs(step / D).max(initial=0.0))
    return largest / max(float(np.abs(whole / D).max(initial=0.0)), largest, 1e-300)


def highest(data: Data, state: State, below: int = 0) -> np.ndarray:
    """The highest derivatives of all motion unknowns, or as many below these."""
    bodies = seconds(state)[: data.system.layout.rigid] if below == 0 else state.velocities.ravel()
    by = np.arange(3)[:, None] == data.system.layout.order - below
    return np.concatenate([bodies, (by * state.values).sum(axis=0)])


def changed(
    data: Data, now: State, y: np.ndarray, next_ones: np.ndarray, place: Any = None
) -> State:
    """The state with changes of y, of the next lower derivatives, and of positions of bodies."""
    n, rigid, order = data.system.motions, data.system.layout.rigid, data.system.layout.order
    assert now.acceleration is not None and now.gamma is not None
    values, gamma = now.values.copy(), now.gamma.copy()
    at = np.arange(len(order))
    values[order, at] += y[rigid:n]
    lower = order > 0
    values[order[lower] - 1, at[lower]] += next_ones[rigid:][lower]
    gamma[data.kept] += y[n:]
    if place is not None and place[:rigid].any():
        now = now.moved(place[:rigid])
    now = now.with_velocities(now.velocities.ravel() + next_ones[:rigid])
    acceleration = now.acceleration + y[:rigid].reshape(-1, 6)
    return replace(now, acceleration=acceleration, gamma=gamma, values=values)


def rate(data: Data, state: State) -> np.ndarray:
    """K q̇ + D q̈ + r_t; derivatives by time of loads and motion laws by differences."""
    K = data.evaluate(state, cK=1.0, by=np.eye(3)[:, [0] * data.system.layout.values]).stiffness
    by = np.eye(3)[:, [1] * data.system.layout.values]
    D = data.evaluate(state, cD=1.0, cK=0.0, by=by).stiffness
    r = [
        data.evaluate(replace(state, time=state.time + k * LATER), tangent=False).residual
        for k in range(3)
    ]
    slope = (4.0 * (r[1] - r[0]) - (r[2] - r[0])) / (2.0 * LATER)
    return np.asarray(K @ state.rates + D @ seconds(state) + slope)


def first_rates(
    data: Data, now: State, ahead: State, epsilon: float, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and their rates that a run with step h starts from, given two near states.

    A motion of first order that dies away within a step gets none: methods of second order would
    take the large numbers for a motion that goes on.
    """
    a, b = now.acceleration, ahead.acceleration
    assert a is not None and b is not None
    jerk, rigid = (b - a) / epsilon, data.system.layout.rigid
    hidden = reduction(data, now, None) if len(without_inertia(data.system)) else None
    if hidden is None or not hidden.V[:rigid].any():
        return a, jerk
    scale = hidden.D[:rigid]
    moving = hidden.V[:rigid].any(axis=0)
    Z = hidden.V[:rigid, moving] / scale[:, None]
    V1 = hidden.V1[moving]
    fixed = V1 @ V1.T
    v, w = (Z.T @ (s.velocities.ravel() / scale) for s in (now, ahead))
    speed, change = (Z.T @ (x.ravel() / scale) for x in (a, jerk))
    new_rate = speed - fixed @ speed + fixed @ (w - v) / epsilon
    new_change = change - fixed @ change
    dying = (h * np.abs(new_rate) > 2 * np.abs(v)) & (h * np.abs(new_change) > 2 * np.abs(new_rate))
    new_rate[dying] = new_change[dying] = 0.0
    a = a + (scale * (Z @ (new_rate - speed))).reshape(-1, 6)
    return a, jerk + (scale * (Z @ (new_change - change))).reshape(-1, 6)
