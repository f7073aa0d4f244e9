"""Coefficients of the k-step family ms2, ms3, ms4, of hope, and of the filters ss2, ss3, ss4.

y_k = Σ a_j y_{k−j} + h Σ b_j ẏ_{k−j}, all of second order and A-stable, with the asymptotic
spectral radius ρ.  The k-step family has b(ξ) = b₀ (ξ + ρ)^k, so that all roots are −ρ at infinity,
and Re[a(ξ) b̄(ξ)] = C (1 − cos φ)^k on ξ = exp(iφ): as flat a dissipation as k steps allow (Zhang,
Zhang, Zanoni, Masarati, Multibody System Dynamics 54 (2022); MBDyn theory manual, chapter 5).
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.integrators.first_order.formulas import Formula, filter_formula, step_formula


def crank_nicolson(past: int) -> Formula:
    """y_k = y_{k−1} + h/2 (ẏ_k + ẏ_{k−1})."""
    return step_formula(np.array([1.0]), np.array([0.5, 0.5]), past)


def backward_euler(past: int) -> Formula:
    """y_k = y_{k−1} + h ẏ_k."""
    return step_formula(np.array([1.0]), np.array([1.0]), past)


def ms2(rho: float, ratio: float, past: int) -> Formula:
    """The two-step formula with a step h = ratio × the step before."""
    D = 2 * (1 + ratio) - (1 - rho) ** 2
    be = ratio * ((1 - rho) ** 2 * (2 + ratio) + 2 * (2 * rho - 1) * (1 + ratio)) / D
    de = ratio**2 * (1 - rho) ** 2 / (2 * D)
    b = [de / ratio + ratio / 2, be / 2 + ratio / 2 - de * (1 + ratio) / ratio, be / 2 + de]
    return step_formula(np.array([1 - be, be]), np.array(b) / ratio, past, ratio)


def ms_coefficients(k: int, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """a_1 … a_k and b_0 … b_k of the k-step formula, from its definition.

    In powers of cos φ, with p_j = Σ_i α_i b_{i+j} the products of a and b, the condition is
    linear in the α; a(1) = 0 is part of it, and b₀ follows from a'(1) = b(1).
    """
    b = np.array([math.comb(k, j) * rho**j for j in range(k + 1)])  # of ξ^(k−j), over b₀
    rows, right = np.zeros((k + 1, k + 1)), np.zeros(k + 1)
    flat = np.array([1.0])  # (1 − cos φ)^k as a sum of cos(mφ)
    for _ in range(k):
        flat = np.convolve(flat, [-0.5, 1.0, -0.5])
    flat = flat[k:] * np.concatenate([[1.0], np.full(k, 2.0)])
    for m in range(k + 1):  # coefficient of cos(mφ): unknowns α_1 … α_k and −C
        for i in range(k + 1):
            value = sum(b[j] for j in range(k + 1) if j - i == m or (m and i - j == m))
            if i == 0:
                right[m] = -value
            else:
                rows[m, i - 1] = value
        rows[m, k] = -flat[m]
    alpha = np.concatenate([[1.0], np.linalg.solve(rows, right)[:k]])
    slope = alpha @ np.arange(k, -1, -1)
    return -alpha[1:], slope / b.sum() * b


def ms_k(k: int, rho: float, past: int) -> Formula:
    """The k-step formula with equal steps."""
    if k == 2:
        return ms2(rho, 1.0, past)
    if rho == 1.0:  # a and b have the factor ξ + 1 in common k − 1 times: the trapezoidal rule
        return crank_nicolson(past)
    return step_formula(*ms_coefficients(k, rho), past)


def hope_second(rho: float) -> Formula:
    """The second step of a pair, after one of Crank and Nicolson; ρ holds over the pair."""
    A = 4 * rho / (3 + rho)
    return step_formula(
        np.array([(4 - A) / 3, (A - 1) / 3]), np.array([(4 - A) / 6, A / 2]), past=2
    )


def ss_k(k: int, rho: float) -> Formula:
    """The k-step formula as a single step with a filter: the same roots, but it starts by itself.

        w = (c + (1−c) d)^k / Π (m_i + (1−m_i) d) ẏ,   d: one step back,   c = 1/(1+ρ)

    m_i = 1/(1 − ξ_i) with ξ_i the roots of a(ξ) other than one; k = 2 is the first-order
    generalized-α method of Jansen, Whiting and Hulbert (2000).
    """
    c = 1 / (1 + rho)
    if rho == 1.0:  # everything cancels but the trapezoidal rule
        m = np.full(k - 1, 0.5)
    elif k == 2:
        m = np.array([(3 - rho) / (2 * (1 + rho))])
    else:
        alpha = np.concatenate([[1.0], -ms_coefficients(k, rho)[0]])
        m = 1 / (1 - np.roots(np.cumsum(alpha)[:-1]))  # divided by ξ − 1
    numerator, denominator = np.ones(1), np.ones(1)
    for _ in range(k):
        numerator = np.convolve(numerator, [c, 1 - c])
    for one in m:
        denominator = np.convolve(denominator, [one, 1 - one])
    denominator = np.concatenate([denominator.real, [0.0]])
    error = ms_k(k, rho, k).error
    return filter_formula(numerator / denominator[0], denominator / denominator[0], error)
