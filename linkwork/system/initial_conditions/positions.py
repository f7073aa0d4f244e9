"""Positions that satisfy the joints, nearest to others: Newton's method with steps of least size.

    [W + K_c  C_qᵀ] [δ ]     [g + C_qᵀ λ]
    [C_q      −ε  ] [Δλ] = − [C         ],       W = J_mᵀ J_m, g = J_mᵀ m of a metric

Without g, λ and K_c the steps close the joints by the least motion; ε grows where a step does not
help (Levenberg and Marquardt), near singular positions, and regularises redundant rows.  Steps with
them, each closed again, lead to the nearest of all closed positions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import AssemblyError
from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.metrics import BodyMetric, Resistances
from linkwork.system.initial_conditions.open_joints import listed, violations_of
from linkwork.system.state import State

TOLERANCE = 1e-12  # of the constraints, lengths over L and quaternion parts
ROUND_OFF = 1e-9  # of large coordinates: constraints that cannot be satisfied better
LEAST = 1e-12  # ε of the steps, below which redundant rows are singular
LARGEST_TURN = 0.7  # rad in one step
NEAREST = 60  # steps towards the nearest position
ENDED = 1e-13  # the last of them, lengths over L and radians


class Saddle:
    """The matrix of a step at a state, columns and rows scaled."""

    def __init__(self, data: Data, metric: BodyMetric, state: State, K: Any = None) -> None:
        e = data.evaluate(replace(state, gamma=None, acceleration=None))
        self.row, D = row_scale(data.kept_rows, data.system.length), metric.column * metric.free
        self.c = self.row * e.C
        Cq = e.jacobian
        data = Cq.data * self.row[Cq.row] * D[Cq.indices]
        self.J = sp.csr_array((data, Cq.indices, Cq.indptr), shape=Cq.shape)
        M = sp.csr_array(metric.jacobian(state))
        M.data *= D[M.indices]
        self.W = M.T @ M
        if not metric.free.all():
            self.W = self.W + sp.diags_array(1.0 - metric.free)
        if K is not None:
            self.W = self.W + sp.diags_array(D) @ K @ sp.diags_array(D)
        self.pull = M.T @ metric.numbers(state)

    def step(self, g: Any, c: np.ndarray, epsilon: float = LEAST) -> tuple[np.ndarray, np.ndarray]:
        """Increments of the motion unknowns and of the multipliers of the scaled rows."""
        n, m = len(self.pull), len(self.c)
        rows = -epsilon * sp.eye_array(m)
        A = sp.block_array([[self.W, self.J.T], [self.J, rows]])
        y = -SparseFactors(A).solve(np.concatenate([np.broadcast_to(g, n), c]))
        if not np.all(np.isfinite(y)):
            raise SingularMatrix("the matrix is singular to all digits")
        return y[:n], y[n:]


def residual(data: Data, state: State) -> np.ndarray:
    """C, lengths over L."""
    C = data.evaluate(replace(state, acceleration=None, gamma=None), tangent=False).C
    return C * row_scale(data.kept_rows, data.system.length)


def close(
    data: Data, metric: BodyMetric, state: State, target: Any = 0.0,
    tolerance: float = TOLERANCE,
) -> tuple[State, list[float]]:  # fmt: skip
    """Steps of least size until C, lengths over L, is the target, or as near to it as it can be.

    Returns the largest error before each step, too.
    """
    if not data.rows:
        return state, []
    history: list[float] = []
    epsilon = LEAST
    c = residual(data, state) - target
    for _ in range(200):
        history.append(float(np.abs(c).max()))
        if history[-1] < tolerance:
            return state, history
        saddle = Saddle(data, metric, state)
        while epsilon < 1e6:
            try:
                y = limited(metric, data, saddle.step(0.0, c, epsilon)[0], LARGEST_TURN)
            except SingularMatrix:
                y = np.zeros(len(metric.column))
            trial = state.moved(metric.column * metric.free * y)
            ct = residual(data, trial) - target
            predicted = c @ c - np.sum((c + saddle.J @ y) ** 2)
            if c @ c - ct @ ct > 0.1 * max(predicted, 1e-12 * (c @ c)):
                break
            epsilon = max(30 * epsilon, 1e-8)
        else:
            break  # as near as the joints let it come
        state, c, epsilon = trial, ct, max(epsilon / 100, LEAST)
    if np.abs(c).max() < ROUND_OFF:
        return state, history
    row = row_scale(data.kept_rows, data.system.length)
    violations = violations_of(data, (c + target) / row)
    raise AssemblyError(
        f"model '{data.system.model.name}' cannot be assembled: these joints cannot be satisfied "
        f"together, {listed(violations)}; check their points, axes and lengths, or start nearer "
        "to a possible position (millimetres if lengths are in metres)",
        violations=violations,
    )


def limited(metric: BodyMetric, data: Data, y: np.ndarray, most: float) -> np.ndarray:
    """The step, shortened so that no body turns by more than that."""
    turn = np.abs((metric.column * metric.free * y)[data.system.layout.is_angle]).max(initial=0.0)
    return y * min(1.0, most / turn) if turn > 0 else y


def close_from_anywhere(
    data: Data, metric: BodyMetric, state: State
) -> tuple[State, list[float]]:
    """The same, from a position near by where no direction leads anywhere.

    Two markers half a turn apart are such a place: every turn takes them nearer alike.
    """
    try:
        return close(data, metric, state)
    except AssemblyError as error:
        nudge = 0.1 * np.sin(1.0 + np.arange(data.system.motions))
        try:
            return close(data, metric, state.moved(metric.column * metric.free * nudge))
        except AssemblyError:
            raise error from None


def close_joints(full: Data, state: State) -> State:
    """The state with its bodies moved, none easier than others, until all rows vanish."""
    return close(full, Resistances().metric(full.system, state), state)[0]


def nearest(data: Data, metric: BodyMetric, state: State) -> State:
    """Among all closed positions the one nearest to the origin of the metric.

    Where a step with the curvature of the constraints does not lead nearer, steps without it and
    shorter ones do.
    """
    multipliers, K = np.zeros(data.rows), None
    for _ in range(NEAREST if data.rows and metric.distance(state) > 1e-18 else 0):
        found = nearer(data, metric, state, multipliers, K)
        if found is None and K is not None:
            multipliers, K = np.zeros(data.rows), None
            found = nearer(data, metric, state, multipliers, K)
        if found is None:
            break
        state, step, multipliers = found
        if step < ENDED:
            break
        K = constraint_stiffness(data, state, multipliers)
    return state


def nearer(
    data: Data, metric: BodyMetric, state: State, multipliers: np.ndarray, K: Any
) -> tuple[State, float, np.ndarray] | None:
    """A nearer position by one step, the size of the step, and multipliers; or none."""
    saddle = Saddle(data, metric, state, K)
    try:
        y, change = saddle.step(saddle.pull + saddle.J.T @ (multipliers / saddle.row), saddle.c)
    except SingularMatrix:
        return None
    y = limited(metric, data, y, 0.5)
    size, distance = float(np.abs(y).max()), metric.distance(state)
    for part in (1.0, 0.25, 1 / 16, 1 / 64, 1 / 256):
        try:
            trial = close(data, metric, state.moved(part * metric.column * metric.free * y))[0]
        except AssemblyError:
            continue
        if metric.distance(trial) <= distance * (1 + 1e-12):
            return trial, part * size, multipliers + saddle.row * change
    return None


def constraint_stiffness(data: Data, state: State, multipliers: np.ndarray) -> Any:
    """K_c alone: the tangent with multipliers minus the tangent without, both of the rows only."""
    still = replace(state.at_rest(), acceleration=None)
    gamma = data.all_gamma(multipliers)
    with_it = data.evaluate(replace(still, gamma=gamma)).stiffness
    return with_it - data.evaluate(replace(still, gamma=None)).stiffness
