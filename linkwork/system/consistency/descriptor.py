"""A consistent start where rates of vector nodes stand in fewer equations than there are of them.

Equations of first order that share their rates (two tanks, and only the difference of their levels
drives a flow of inertia) leave combinations Uᵀ r without rates, and rates along V undetermined:

    Uᵀ ∂r/∂y = 0,    ∂r/∂y V = 0          y the highest derivatives (consistency.consistent)

These combinations determine the values along V, and their derivative by time the rates along V:

    Uᵀ r(q, t) = 0,      Uᵀ (∂r/∂q q̇ + ∂r/∂t) = 0
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.system.data import Data
from linkwork.system.state import State

RANK = 1e-9  # of the matrix of highest derivatives, scaled to size one
CLOSE = 1e-12  # corrections that end Newton's method, relative
AHEAD = 1e-5  # s, for derivatives by time
MOST = 40


def descriptor_start(data: Data, state: State, by: np.ndarray) -> State | None:
    """The state with all that its equations determine; None where they do not."""
    system = data.system
    layout = system.layout
    b, n, rigid = system.bodies, system.motions, layout.rigid
    first = np.flatnonzero(layout.order == 1)
    now = replace(
        state, acceleration=np.zeros((b, 6)), gamma=np.zeros(len(system.all_rows)),
        values=np.vstack([state.values[:2], np.zeros((1, layout.values))]),
    )  # fmt: skip

    def changed(s: State, y: np.ndarray, moves: np.ndarray) -> State:
        assert s.acceleration is not None and s.gamma is not None
        values, gamma = s.values + by * y[rigid:n], s.gamma.copy()
        values[0, first] += moves
        gamma[data.kept] += y[n:]
        return replace(
            s, acceleration=s.acceleration + y[:rigid].reshape(-1, 6), gamma=gamma, values=values
        )

    for _ in range(MOST):
        e = data.evaluate(now, cM=1.0, cD=0.0, cK=0.0, rates=True, by=by)
        J = e.matrix.toarray()
        if not np.isfinite(J).all():
            return None
        rows, columns = equal_sizes(J)
        scaled = rows[:, None] * J * columns
        found = null_spaces(scaled, rigid + first)
        if found is None:
            return None
        U, V = rows[:, None] * found[0], columns[rigid + first, None] * found[1]
        motion = np.concatenate([now.acceleration.ravel(), now.values[2]])  # type: ignore[union-attr]
        r = np.concatenate([e.residual, e.jacobian.times(motion) - e.Qc])
        only = np.zeros((3, layout.values))
        only[0, first] = 1.0
        K = data.evaluate(now, cM=0.0, cD=0.0, cK=0.0, by=only).matrix.toarray()
        KV = K[:, rigid + first] @ V
        held = U.T @ KV
        if np.linalg.matrix_rank(held, tol=RANK * max(np.abs(KV).max(), 1e-300)) < held.shape[1]:
            return None
        step = -np.linalg.solve(held, U.T @ r)
        y = columns * np.linalg.lstsq(scaled, -rows * (r + KV @ step), rcond=RANK)[0]
        now = changed(now, y, V @ step)
        size = np.abs(now.values[0, first]) + layout.value_scale[first]
        small = np.abs(y).max() <= CLOSE * (1.0 + size_of(now))
        if small and np.all(np.abs(V @ step) <= CLOSE * size):
            break
    else:
        return None
    rate = drift(data, now, U)
    y = np.zeros(data.unknowns)
    y[rigid + first] = -V @ np.linalg.solve(held, rate)
    return changed(now, y, np.zeros(len(first)))


def null_spaces(J: np.ndarray, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """U over all equations and V over the rates; None where others are undetermined, too."""
    left, s, right = np.linalg.svd(J)
    none = s <= RANK * s[0]
    U, V = left[:, none], right[none].T
    others = np.delete(V, allowed, axis=0)
    if not none.any() or np.abs(others).max(initial=0.0) > 1e-6:
        return None
    return U, V[allowed]


def equal_sizes(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns that bring the largest entry of each near one."""
    rows, columns, A = np.ones(len(J)), np.ones(len(J)), np.abs(J)
    for _ in range(4):
        largest = (rows[:, None] * A * columns).max(axis=1)
        rows /= np.where(largest > 0, largest, 1.0)
        largest = (rows[:, None] * A * columns).max(axis=0)
        columns /= np.where(largest > 0, largest, 1.0)
    return rows, columns


def size_of(state: State) -> float:
    assert state.acceleration is not None and state.gamma is not None
    parts = (state.acceleration, state.gamma, state.values)
    return max(float(np.abs(part).max(initial=0.0)) for part in parts)


def drift(data: Data, state: State, U: np.ndarray) -> np.ndarray:
    """The rate of Uᵀr along the motion, by differences of second order."""
    assert state.acceleration is not None
    sides = []
    for k in (0, 1, 2):
        e = data.evaluate(state.later(k * AHEAD, state.acceleration), tangent=False)
        sides.append(U[: data.system.motions].T @ e.residual)
    return (4.0 * (sides[1] - sides[0]) - (sides[2] - sides[0])) / (2.0 * AHEAD)
