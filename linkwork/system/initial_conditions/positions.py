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
from linkwork.linear_algebra import Saddle, SingularMatrix
from linkwork.linear_algebra.sparse_rows import array_of, diagonal
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


class Positions:
    """Positions of a system, near others in a metric."""

    def __init__(self, data: Data, metric: BodyMetric) -> None:
        self.data, self.metric = data, metric
        self.row = row_scale(data.kept_rows, data.system.length)
        self.column = metric.column * metric.free
        self.laws = data.schedule(np.array([metric.origin.time]))[0]

    def joints(self, state: State) -> tuple[np.ndarray, Any]:
        """C and C_q, rows and columns scaled: lengths over L."""
        still = replace(state, acceleration=None, gamma=None)
        e = self.data.evaluate(still, laws=self.laws)
        return self.row * e.C, e.jacobian.scaled(self.row, self.column)

    def residual(self, state: State) -> np.ndarray:
        return self.joints(state)[0]

    def error(self, state: State) -> float:
        """The largest |C|, lengths over L."""
        return float(np.abs(self.residual(state)).max())

    def moved(self, state: State, y: np.ndarray) -> State:
        """By scaled increments."""
        return state.moved(self.column * y)

    def limited(self, y: np.ndarray, most: float) -> np.ndarray:
        """The step, shortened so that no body turns by more than that."""
        angles = (self.column * y)[self.data.system.layout.is_angle]
        turn = np.abs(angles).max(initial=0.0)
        return y * min(1.0, most / turn) if turn > 0 else y

    def weights(self, state: State) -> tuple[Any, Any]:
        """W and J_m, by scaled unknowns."""
        M = self.metric.jacobian(state, self.column)
        W = M.T @ M
        return W if self.metric.free.all() else W + diagonal(1.0 - self.metric.free), M

    def close(
        self, state: State, target: Any = 0.0, tolerance: float = TOLERANCE
    ) -> tuple[State, list[float]]:
        """Steps of least size until C, lengths over L, is the target, or as near as it can be.

        Returns the largest error before each step, too.
        """
        if not self.data.rows:
            return state, []
        history: list[float] = []
        epsilon = LEAST
        c, J = self.joints(state)
        c = c - target
        for _ in range(200):
            history.append(float(np.abs(c).max()))
            if history[-1] < tolerance:
                return state, history
            W, J = self.weights(state)[0], J.array
            while epsilon < 1e6:
                try:
                    y, _ = step(W, J, np.zeros(len(self.column)), c, epsilon)
                except SingularMatrix:
                    y = np.zeros(len(self.column))
                y = self.limited(y, LARGEST_TURN)
                trial = self.moved(state, y)
                ct, Jt = self.joints(trial)
                ct = ct - target
                predicted = c @ c - np.sum((c + J @ y) ** 2)
                if c @ c - ct @ ct > 0.1 * max(predicted, 1e-12 * (c @ c)):
                    break
                epsilon = max(30 * epsilon, 1e-8)
            else:
                break  # as near as the joints let it come
            state, c, J, epsilon = trial, ct, Jt, max(epsilon / 100, LEAST)
        if np.abs(c).max() < ROUND_OFF:
            return state, history
        violations = violations_of(self.data, (c + target) / self.row)
        raise AssemblyError(
            f"model '{self.data.system.model.name}' cannot be assembled: these joints cannot be "
            f"satisfied together, {listed(violations)}; check their points, axes and lengths, or "
            "start nearer to a possible position (millimetres if lengths are in metres)",
            violations=violations,
        )

    def close_from_anywhere(self, state: State) -> tuple[State, list[float]]:
        """The same, from a position near by where no direction leads anywhere.

        Two markers half a turn apart are such a place: every turn takes them nearer alike.
        """
        try:
            return self.close(state)
        except AssemblyError as error:
            nudge = 0.1 * np.sin(1.0 + np.arange(len(self.column)))
            try:
                return self.close(self.moved(state, nudge))
            except AssemblyError:
                raise error from None

    def nearest(self, state: State) -> State:
        """Among all closed positions the one nearest to the origin of the metric.

        Where a step with the curvature of the constraints does not lead nearer, steps without it
        and shorter ones do.
        """
        multipliers, K = np.zeros(self.data.rows), None
        for _ in range(NEAREST if self.data.rows and self.metric.distance(state) > 1e-18 else 0):
            found = self.nearer(state, multipliers, K)
            if found is None and K is not None:
                multipliers, K = np.zeros(self.data.rows), None
                found = self.nearer(state, multipliers, K)
            if found is None:
                break
            state, size, multipliers = found
            if size < ENDED:
                break
            K = self.constraint_stiffness(state, multipliers)
        return state

    def nearer(
        self, state: State, multipliers: np.ndarray, K: Any
    ) -> tuple[State, float, np.ndarray] | None:
        """A nearer position by one step, the size of the step, and multipliers; or none."""
        W, M = self.weights(state)
        c, rows = self.joints(state)
        J, pull = rows.array, M.T @ self.metric.numbers(state)
        try:
            pull = pull + J.T @ (multipliers / self.row)
            y, change = step(W if K is None else W + K, J, pull, c, LEAST)
        except SingularMatrix:
            return None
        y = self.limited(y, 0.5)
        size, distance = float(np.abs(y).max()), self.metric.distance(state)
        for part in (1.0, 0.25, 1 / 16, 1 / 64, 1 / 256):
            try:
                trial = self.close(self.moved(state, part * y))[0]
            except AssemblyError:
                continue
            if self.metric.distance(trial) <= distance * (1 + 1e-12):
                return trial, part * size, multipliers + self.row * change
        return None

    def constraint_stiffness(self, state: State, multipliers: np.ndarray) -> Any:
        """K_c alone, scaled: the tangent with multipliers minus the tangent without."""
        still = replace(state.at_rest(), acceleration=None)
        gamma, p, n = self.data.all_gamma(multipliers), self.data.pattern, len(self.column)
        loaded = self.data.evaluate(replace(still, gamma=gamma)).values
        K = loaded - self.data.evaluate(replace(still, gamma=None)).values
        row = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
        own = np.flatnonzero((row < n) & (p.indices < n))
        row, column = row[own], p.indices[own]
        return array_of(self.column[row] * K[own] * self.column[column], row, column, (n, n))


def step(
    W: Any, J: Any, g: np.ndarray, c: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """Increments of the scaled motion unknowns and of the multipliers of the scaled rows."""
    y, change = Saddle(W, J, epsilon).solve(-g, -c)
    if not (np.isfinite(y).all() and np.isfinite(change).all()):
        raise SingularMatrix("the matrix is singular to all digits")
    return y, change


def close_joints(full: Data, state: State) -> State:
    """The state with its bodies moved, none easier than others, until all rows vanish."""
    return Positions(full, Resistances().metric(full.system, state)).close(state)[0]
