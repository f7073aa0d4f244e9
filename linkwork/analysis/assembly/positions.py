"""Positions that satisfy the joints, by Gauss-Newton steps of least size.

    δ = −Jᵀ (J Jᵀ + ε I)⁻¹ c,          J, c scaled: lengths over L, angles in radians,

which also works when rows are redundant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analysis.assembly.metric import Scale, listed, violations_of
from linkwork.errors import AssemblyError
from linkwork.linear_algebra import SparseFactors
from linkwork.math import sparse as sp
from linkwork.system.data import Data
from linkwork.system.state import State

TOLERANCE = 1e-12  # of the constraints, lengths over L and quaternion parts
LEAST = 1e-12  # ε of the steps, below which redundant rows are singular


def find_positions(data: Data, scale: Scale, given: State) -> tuple[State, list[float]]:
    """Positions from the given ones, or from beside them where no direction leads anywhere.

    Two markers half a turn apart are such a place: every turn takes them nearer alike.
    """
    try:
        return solve_positions(data, scale, given)
    except AssemblyError as error:
        nudge = 0.1 * np.sin(1.0 + np.arange(data.system.motions))
        try:
            return solve_positions(data, scale, given.moved(scale.column * nudge))
        except AssemblyError:
            raise error from None


def solve_positions(data: Data, scale: Scale, state: State) -> tuple[State, list[float]]:
    """Gauss-Newton steps of least size until all rows vanish, or as nearly as they can.

    ε grows where a step does not help (Levenberg and Marquardt), near singular positions.
    """
    if not data.rows:
        return state, []
    row = scale.rows(data)
    history: list[float] = []
    e = data.evaluate(state)
    c = row * e.C
    epsilon = LEAST
    for _ in range(200):
        history.append(float(np.abs(c).max()))
        if history[-1] < TOLERANCE:
            return state, history
        J = sp.diags(row) @ e.Cq @ sp.diags(scale.column)
        while epsilon < 1e6:
            step = _least_step(J, c, epsilon)
            turn = np.abs((scale.column * step)[data.system.layout.is_angle]).max(initial=0.0)
            if turn > 0.7:  # no body turns too far at once
                step *= 0.7 / turn
            trial = state.moved(scale.column * step)
            et = data.evaluate(trial)
            ct = row * et.C
            predicted = c @ c - np.sum((c + J @ step) ** 2)
            if c @ c - ct @ ct > 0.1 * max(predicted, 1e-12 * (c @ c)):
                break
            epsilon = max(30 * epsilon, 1e-8)
        else:
            break  # as near as the joints let it come
        state, e, c, epsilon = trial, et, ct, max(epsilon / 100, LEAST)
    if np.abs(c).max() < 1e-9:  # round-off of large coordinates
        return state, history
    violations = violations_of(data, e.C)
    raise AssemblyError(
        f"model '{data.system.model.name}' cannot be assembled: these joints cannot be satisfied "
        f"together, {listed(violations)}; check their points, axes and lengths, or start nearer "
        "to a possible position (millimetres if lengths are in metres)",
        violations=violations,
    )


def close_joints(full: Data, state: State) -> State:
    """The state with its bodies moved, none easier than others, until all rows vanish."""
    return solve_positions(full, Scale(full.system, {}, []), state)[0]


def _least_step(J: Any, c: np.ndarray, epsilon: float) -> np.ndarray:
    """−Jᵀ (J Jᵀ + ε I)⁻¹ c."""
    A = J @ J.T + epsilon * sp.identity(J.shape[0])
    return -(J.T @ SparseFactors(A, symmetric=True).solve(c))
