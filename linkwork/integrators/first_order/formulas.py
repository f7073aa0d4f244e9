"""Formulas of first-order methods as rows of numbers for the compiled stages (stages.py).

    y_i = Σ α_ij y_j + h Σ β_ij ẏ_j + h g_i ẏ_i        j: slots, the past first, then the stages

Three kinds share it: Runge-Kutta stages with an explicit first one (past = 1), linear multistep
formulas of k steps (past = k), and filters of order k (past = k + 1, see `filter_formula`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.integrators.first_order.stages import FILTER, STAGES, STEPS


@dataclass(frozen=True)
class Formula:
    """One step of a method, in units of the step.

    nodes : when its stages are;   quadrature : weights of the start and the stages in an integral
    error : of the local error, error × h^(order+1) y^(order+1);   filter : numerator, denominator
    """

    kind: int
    past: int
    order: int
    alpha: np.ndarray
    beta: np.ndarray
    g: np.ndarray
    nodes: np.ndarray
    quadrature: np.ndarray
    error: float
    filter: np.ndarray

    @property
    def stages(self) -> int:
        return len(self.g)

    def guess(self) -> np.ndarray:
        """Weights that extrapolate v̇ and γ to each stage, from a step before and the slots."""
        out = np.zeros((self.stages, 1 + self.alpha.shape[1]))
        for i, c in enumerate(self.nodes):
            times = np.concatenate([[-1.0, 0.0], self.nodes[:i]])
            places = np.concatenate([[0, 1], 1 + self.past + np.arange(i)])
            near = _distinct(times, np.argsort(np.abs(times - c), kind="stable"))[: 2 + (i > 0)]
            for a in near:
                others = [times[b] for b in near if b != a]
                out[i, places[a]] = math.prod((c - t) / (times[a] - t) for t in others)
        return out

    def difference(self) -> np.ndarray:
        """Weights of v̇ at the start and the stages that give h^(p−1) v̇^(p−1)."""
        times, degree = np.concatenate([[0.0], self.nodes]), self.order - 1
        if degree <= 1:
            return np.eye(len(times))[-1] - (np.eye(len(times))[0] if degree else 0.0)
        return math.factorial(degree) * np.linalg.pinv(np.vander(times, degree + 1))[0]

    def difference_of_rates(self) -> np.ndarray:
        """Weights of rates a step before, at the start and the stages that give h^p q̇^(p)."""
        times = np.concatenate([[-1.0, 0.0], self.nodes])
        if self.order == 1:
            return np.eye(len(times))[-1] - np.eye(len(times))[1]
        return math.factorial(self.order) * np.linalg.pinv(np.vander(times, self.order + 1))[0]


def _distinct(times: np.ndarray, order: np.ndarray) -> list[int]:
    """The numbers in `order` without those whose times came before."""
    found: list[int] = []
    for k in order:
        if all(abs(times[k] - times[j]) > 1e-3 for j in found):
            found.append(int(k))
    return found


NO_FILTER = np.zeros((2, 1))


def stage_formula(A: np.ndarray, order: int) -> Formula:
    """Of a stiffly accurate Runge-Kutta tableau whose first row is zero."""
    stages = len(A) - 1
    alpha, beta = np.zeros((stages, stages + 1)), np.zeros((stages, stages + 1))
    alpha[:, 0] = 1.0
    beta[:] = np.tril(A[1:], 0)
    g = np.diag(A)[1:].copy()
    beta[np.arange(stages), np.arange(stages) + 1] = 0.0
    error = abs(_series(A, order + 1) - 1 / math.factorial(order + 1)) + 1e-5
    return Formula(
        STAGES, 1, order, alpha, beta, g, A[1:].sum(axis=1), A[-1].copy(), error, NO_FILTER
    )


def _series(A: np.ndarray, p: int) -> float:
    """Coefficient of z^p in the stability function: b A^(p−1) 1."""
    y = np.ones(len(A))
    for _ in range(p - 1):
        y = A @ y
    return float(A[-1] @ y)


def step_formula(a: np.ndarray, b: np.ndarray, past: int, ratio: float = 1.0) -> Formula:
    """y_k = Σ a_j y_{k−j} + h Σ b_j ẏ_{k−j}, j from 1 and from 0; ratio = h / step before.

    past: steps that the method remembers, at least those the formula uses.
    """
    alpha, beta = np.zeros((1, past + 1)), np.zeros((1, past + 1))
    alpha[0, : len(a)], beta[0, : len(b) - 1] = a, b[1:]
    # times of the slots in the new step; only two-step formulas have another step before
    times = -np.arange(past) / ratio
    cubic = 1 / 6 - alpha[0, :past] @ times**3 / 6 - beta[0, :past] @ times**2 / 2 - b[0] / 2
    square = 1 / 2 - alpha[0, :past] @ times**2 / 2 - beta[0, :past] @ times - b[0]
    order, total = 2 if abs(square) < 1e-10 else 1, float(np.sum(b))
    return Formula(
        STEPS, past, order, alpha, beta, np.array([b[0]]), np.ones(1), np.array([0.5, 0.5]),
        abs(cubic if order == 2 else square) / total + 1e-3, NO_FILTER,
    )  # fmt: skip


def filter_formula(numerator: np.ndarray, denominator: np.ndarray, error: float) -> Formula:
    """y_n = y_{n−1} + h w_n,  Σ a_i w_{n−i} = Σ b_i ẏ_{n−i},  a₀ = 1.

    Remembered are s_1 … s_k with w_n = b₀ ẏ_n + s_1 (transposed direct form II), so that a step
    needs no value before the last one.
    """
    order = len(numerator) - 1
    past = 1 + order
    alpha, beta = np.zeros((1, past + 1)), np.zeros((1, past + 1))
    alpha[0, 0], beta[0, 1] = 1.0, 1.0
    return Formula(
        FILTER, past, 2, alpha, beta, numerator[:1].copy(), np.ones(1), np.array([0.5, 0.5]),
        error, np.array([numerator, denominator]),
    )  # fmt: skip


def filter_start(formula: Formula) -> tuple[np.ndarray, np.ndarray]:
    """σ and τ of s_i = σ_i ẏ + τ_i h ÿ, for which the output follows a ramp from the first step.

    A ramp u_n = u + n h u̇ gives w_n = u + (n − ½) h u̇, the mean of u over the step.
    """
    b, a = formula.filter
    k = len(b) - 1
    sigma, tau = np.zeros(k), np.zeros(k)
    for i in range(1, k + 1):
        for l in range(i, k + 1):
            sigma[i - 1] += b[l] - a[l]
            tau[i - 1] += -b[l] * (l - i) + a[l] * (l - i + 0.5)
    return sigma, tau
