"""The nearest of all assembled positions: Newton's method on the Lagrangian, with the exact K_c.

    [W + K_c(λ)  C_qᵀ] [δ ]     [W d + C_qᵀ λ]
    [C_q         0   ] [Δλ] = − [C           ],      d: increments from the given position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analysis.assembly.metric import Scale
from linkwork.analysis.assembly.positions import solve_positions
from linkwork.analysis.independence import constraint_rows
from linkwork.errors import AssemblyError
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.math import sparse as sp
from linkwork.system.data import Data
from linkwork.system.redundancy import independent_rows
from linkwork.system.state import State


def nearest_position(data: Data, scale: Scale, given: State, start: State) -> State:
    """Among all assembled positions the one nearest to the given one.

    Newton's method finds it from nearby; from further away steps towards the given position, each
    closed again, come near first.  Without success the start is good enough.
    """
    if not data.rows or scale.distance(start, given) < 1e-18:
        return start
    for _ in range(4):
        found = _newton_nearest(data, scale, given, start)
        if found is not None:
            return found
        nearer = _pulled(data, scale, given, start)
        if nearer is start:
            break
        start = nearer
    return start


def _newton_nearest(data: Data, scale: Scale, given: State, start: State) -> State | None:
    """Newton's method on the Lagrangian; None where it does not find a nearer position."""
    system = data.system
    reduced = _independent(data, scale, start)
    state, multipliers = start, np.zeros(len(system.all_rows))
    K: Any = None
    for _ in range(40):  # quadratic but for the curvature of large rotations
        y = _pull(reduced, scale, given, state, multipliers, K)
        n = system.motions
        if y is None or np.abs(y[:n][system.layout.is_angle]).max(initial=0.0) > 0.5:
            return None
        state = state.moved(y[:n])
        multipliers = multipliers + reduced.all_gamma(y[n:])
        if np.abs(y[:n] / scale.all_columns).max() < 1e-13:
            break
        K = _constraint_stiffness(reduced, state, multipliers)
    closed = np.abs(scale.rows(data) * data.evaluate(state).C).max() < 1e-10
    near = scale.distance(state, given) <= scale.distance(start, given) * (1 + 1e-12)
    return state if closed and near else None


def _pulled(data: Data, scale: Scale, given: State, state: State) -> State:
    """A nearer assembled position by at most ten steps that get nearer."""
    system = data.system
    none = np.zeros(len(system.all_rows))
    for _ in range(10):
        y = _pull(_independent(data, scale, state), scale, given, state, none, None)
        if y is None:
            return state
        step = y[: system.motions]
        turn = np.abs(step[system.layout.is_angle]).max(initial=0.0)
        step *= min(1.0, 0.5 / turn) if turn > 0 else 1.0
        for _ in range(5):
            try:
                trial = solve_positions(data, scale, state.moved(step))[0]
            except AssemblyError:
                trial = state
            if scale.distance(trial, given) < scale.distance(state, given):
                break
            step /= 4
        else:
            return state
        state = trial
    return state


def _independent(data: Data, scale: Scale, state: State) -> Data:
    """The system with independent rows, seen from the bodies that may move."""
    rows = constraint_rows(data, state, scale.free)
    keep = independent_rows(rows).keep
    if keep.all():
        return data
    kept = data.keep.copy()
    kept[data.keep] = keep
    return data.restricted(kept)


def _pull(
    data: Data, scale: Scale, given: State, state: State, multipliers: np.ndarray, K: Any
) -> np.ndarray | None:
    """Increments of positions and multipliers: one step of Newton's method (K = K_c or none)."""
    n, free, W = data.system.motions, scale.free, scale.weight
    mobile = sp.diags(free.astype(float))
    e = data.evaluate(replace(state, gamma=multipliers))
    Cq = e.Cq @ mobile
    A = sp.diags(np.where(free, W, 1.0))
    if K is not None:
        A = A + mobile @ K @ mobile
    pull = W * state.way_from(given) + Cq.T @ multipliers[data.kept]
    try:
        factors = SparseFactors(sp.bmat([[A, Cq.T], [Cq, None]]))
    except SingularMatrix:
        return None
    y = -factors.solve(np.concatenate([pull, e.C]))
    y[:n] *= free
    return y if np.all(np.isfinite(y)) else None


def _constraint_stiffness(data: Data, state: State, gamma: np.ndarray) -> sp.csr_matrix:
    """K_c alone: the tangent with multipliers minus the tangent without, both of the rows only."""
    still = state.at_rest()
    with_it = data.evaluate(replace(still, gamma=gamma)).stiffness
    return with_it - data.evaluate(replace(still, gamma=None)).stiffness
