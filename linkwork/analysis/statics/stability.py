"""Stability of an equilibrium: with C_q N = 0, NᵀKN must have no negative eigenvalue.

That is for a symmetric NᵀKN; where forces are not conservative, no s of

    (s² NᵀMN + s NᵀDN + NᵀKN) u = 0

may have a positive real part.  Small systems are looked at with dense matrices; of large
conservative ones the negative eigenvalues are counted (inertia), which is linear in their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

from linkwork.analysis.linear.equations.reactions import Slopes, SolvedReactions
from linkwork.analysis.projection import REFINED
from linkwork.analysis.statics.balance import REGULAR, Balance, Point
from linkwork.elements.joints.joints import ROW_NAMES
from linkwork.errors import SingularError
from linkwork.linear_algebra import SingularMatrix, linear_solver
from linkwork.linear_algebra.inertia import eigenvalues_below
from linkwork.system.sensor_nodes import sensor_places

SLENDER = 4e-15  # round-off of stiffnesses, where the softest are far below the stiffest
DENSE = 250  # degrees of freedom up to which stability is found from dense matrices


@dataclass(frozen=True)
class Stability:
    """stable; the smallest stiffness of free motions (N m) and its direction (scaled)."""

    stable: bool
    smallest: float
    direction: np.ndarray | None
    words: str
    report: str
    falling: int = 0  # negative stiffnesses, where forces are conservative


def stability(balance: Balance, point: Point) -> Stability:
    """Whether free motions from an equilibrium come back."""
    free = balance.n - balance.data.rows
    if free <= 0:
        return Stability(True, np.inf, None, "", "nothing can move")
    n, vals, matrix = balance.n, *exact_tangent(balance, point)
    K, J = matrix[:n, :n], matrix[n:, :n]
    if len(sensor_places(balance.data.system)):
        return stability_with_sensors(balance, point, K, J)
    noise = 1e-9 * point.scale + (SLENDER if balance.slender else 1e-12) * abs(K).max()
    loads = without_slender(balance, point, K)
    if free > DENSE and conservative(balance, point, loads, noise):
        if balance.slender:
            return large_slender_stability(balance, vals, noise, free)
        return large_stability(balance, vals, K, noise, free)
    N = null_space(J.toarray(), n)
    Kr = N.T @ (K @ N)
    refuse_not_finite(Kr)
    Lr = Kr if loads is K else N.T @ (loads @ N)
    if np.abs(Lr - Lr.T).max() > max(1e-6 * np.abs(Lr).max(), noise):
        return unsymmetric_stability(balance, point, Kr, N, noise)
    values, softest = softest_motion(balance, Kr)
    falling, neutral = int(np.sum(values < -noise)), int(np.sum(np.abs(values) <= noise))
    if falling and balance.rotation is not None:  # gyroscopic forces may hold it
        return unsymmetric_stability(balance, point, Kr, N, noise)
    return judged(balance, falling, neutral, float(values[0]), N @ softest, free)


def exact_tangent(balance: Balance, point: Point) -> tuple[np.ndarray, sp.csr_matrix]:
    """The scaled saddle matrix with K_c, whatever the search left out: values, and as a matrix."""
    vals, p = balance.stiffness(point, exact=True), balance.data.pattern
    return vals, sp.csr_matrix((vals, p.indices, p.indptr), shape=(p.unknowns,) * 2)


def without_slender(balance: Balance, point: Point, K: sp.csr_matrix) -> sp.csr_matrix:
    """K without slender parts, which tells whether loads are conservative.

    The stiffness of finite-volume beams is unsymmetric by the error of the mesh, times their axial
    stiffness: its eigenvalues are those of the beam, those of its symmetric part are not."""
    if not balance.slender:
        return K
    with balance.slender.absent():
        return exact_tangent(balance, point)[1][: balance.n, : balance.n]


def sorted_eigenvalues(balance: Balance, Kr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of NᵀKN under conservative loads, ascending, with their vectors as columns."""
    if not balance.slender:
        return la.eigh((Kr + Kr.T) / 2)
    values, vectors = la.eig(Kr)
    order = np.argsort(values.real)
    return values.real[order], vectors.real[:, order]


def softest_motion(balance: Balance, Kr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same eigenvalues, and the vector of the first alone, which takes a third of the time."""
    if not balance.slender:
        values, vectors = sorted_eigenvalues(balance, Kr)
        return values, vectors[:, 0]
    values = np.sort(la.eigvals(Kr).real)
    return values, vector_of(Kr, float(values[0]))


def vector_of(K: np.ndarray, value: float) -> np.ndarray:
    """The eigenvector of a simple real eigenvalue, by inverse iteration."""
    near = value + 1e-10 * np.abs(K).max()
    factors, x = la.lu_factor(K - near * np.eye(len(K)), check_finite=False), np.ones(len(K))
    for _ in range(3):
        x = la.lu_solve(factors, x, check_finite=False)
        x /= np.linalg.norm(x)
    return x


def large_slender_stability(
    balance: Balance, vals: np.ndarray, noise: float, free: int
) -> Stability:
    """From (NᵀKN)⁻¹: its largest eigenvalues, of the softest motions, and its most negative one as
    far as a few restarts of Arnoldi's method come (it stands alone where there is one)."""
    n, nil, inverse = balance.n, np.zeros(balance.data.rows), balance.tangent
    try:
        inverse.factorise(vals)
    except SingularMatrix:
        return judged(balance, 0, 1, 0.0, np.ones(n), free)

    def softest(x: np.ndarray) -> np.ndarray:
        return inverse.solve(np.concatenate([x.ravel(), nil]))[:n]

    operator = LinearOperator((n, n), softest, dtype=float)
    start, found = np.random.default_rng(0).normal(size=n), []
    for which, k, restarts in (("LM", 6, 100), ("SR", 1, 8)):
        try:
            values, vectors = eigs(
                operator, k=k, which=which, tol=1e-3, maxiter=restarts, v0=start
            )
        except ArpackNoConvergence as error:
            values, vectors = error.eigenvalues, error.eigenvectors
        found += [(1 / v.real, vectors[:, i].real) for i, v in enumerate(values) if v.real]
    if not found:
        raise SingularError(
            "the stability of this equilibrium cannot be judged: its softest motions are not "
            "found; look for stiffnesses that are far too different"
        )
    first = found[:6]
    falling = sum(v < -noise for v, _ in first) or int(found[-1][0] < -noise)
    neutral = sum(abs(v) <= noise for v, _ in first)
    value, direction = min(found, key=lambda f: f[0] if falling else abs(f[0]))
    return judged(balance, falling, neutral, value, direction, free)


def refuse_not_finite(*matrices: np.ndarray) -> None:
    if not all(np.isfinite(A).all() for A in matrices):
        raise SingularError(
            "the stability of this equilibrium cannot be judged: stiffness, damping or mass is not "
            "finite there; look for stiffnesses, dampings and masses that are far too large"
        )


def null_space(J: np.ndarray, n: int) -> np.ndarray:
    """Orthonormal basis of the motions that independent rows allow."""
    if not J.shape[0]:
        return np.eye(n)
    return la.qr(J.T)[0][:, J.shape[0] :]


def judged(
    balance: Balance, falling: int, neutral: int, smallest: float, direction: np.ndarray, free: int
) -> Stability:
    """From the numbers of negative and vanishing stiffnesses and the smallest one."""
    worst, layout = int(np.argmax(np.abs(direction))), balance.data.system.layout
    b, i = layout.place(worst)
    motion = layout.describe(worst)
    if worst < layout.rigid:
        motion = f"body '{balance.data.system.names[b]}' " + (
            f"moving along {ROW_NAMES[i]}" if i < 3 else f"turning about its {ROW_NAMES[i][1]}"
        )
    words = f", mostly by {motion}" if falling else ""
    if neutral and not falling:
        words = f", with {neutral} free motion{'s' * (neutral > 1)} without stiffness ({motion})"
    report = (
        f"smallest stiffness {smallest:.4g} N m of {free} (displacements over "
        f"L = {balance.L:.4g} m, rotations in rad), {motion}"
    )
    return Stability(falling == 0, smallest, direction, words, report, falling)


def unsymmetric_stability(
    balance: Balance, point: Point, Kr: np.ndarray, N: np.ndarray, noise: float
) -> Stability:
    """From the motion of the linearised system: forces that are not conservative."""
    c, s = sp.diags(balance.column), sp.diags(balance.side)
    with np.errstate(all="ignore"):
        Mr, Dr = (N.T @ (s @ A @ c @ N) for A in balance.damping(point))
    refuse_not_finite(Mr, Dr)
    rates, growth = growth_rates(Mr, Dr, Kr)
    values = la.eigvals(Kr)
    real = values[np.abs(values.imag) <= noise].real
    falling = bool(np.any(real < -noise)) and balance.rotation is None
    stable = not falling and growth <= 1e-6 * float(np.abs(rates).max(initial=0.0))
    why = "it rotates" if balance.rotation else "forces are not conservative"
    kind = "by falling away" if falling else "by growing oscillation"
    return Stability(
        stable, float(values.real.min()), None, "" if stable else f", {kind}",
        f"{why}; fastest growth {growth:.3g} 1/s, smallest stiffness "
        f"{values.real.min():.4g} N m",
    )  # fmt: skip


def stability_with_sensors(
    balance: Balance, point: Point, K: sp.csr_matrix, J: sp.csr_matrix
) -> Stability:
    """From the motion of the linearised system, with loads that follow reactions and accelerations
    as functions of the motion (linear.equations.reactions)."""
    left, right, row = (sp.diags(1 / x) for x in (balance.side, balance.column, balance.row))
    M, D = balance.damping(point)
    slopes = Slopes.at(balance.data, balance.loaded(point))
    reactions = SolvedReactions(balance.data, sp.csr_array(row @ J @ right), slopes)
    slip = np.zeros(J.shape[0], bool)
    nothing = sp.csr_array((0, balance.n))
    M, D, K = reactions.solve(M, D, sp.csr_array(left @ K @ right), nothing, slip)
    N, c, s = null_space(J.toarray(), balance.n), sp.diags(balance.column), sp.diags(balance.side)
    Kr, Dr, Mr = (N.T @ (s @ A @ c @ N) for A in (K, D, M))
    refuse_not_finite(Kr, Dr, Mr)
    rates, growth = growth_rates(Mr, Dr, Kr)
    stable = growth <= 1e-6 * float(np.abs(rates).max(initial=0.0))
    smallest = float(la.eigvals(Kr).real.min())
    return Stability(
        stable, smallest, None, "" if stable else ", by growing motion",
        f"loads follow reactions or accelerations; fastest growth {growth:.3g} 1/s",
    )  # fmt: skip


def growth_rates(Mr: np.ndarray, Dr: np.ndarray, Kr: np.ndarray) -> tuple[np.ndarray, float]:
    """All s with (s² M + s D + K) u = 0 that are finite, and the largest real part."""
    one, nil = np.eye(len(Kr)), np.zeros_like(Kr)
    rates = la.eigvals(np.block([[nil, one], [-Kr, -Dr]]), la.block_diag(one, Mr))
    rates = rates[np.isfinite(rates) & (np.abs(rates) < 1e12)]
    return rates, float(rates.real.max(initial=0.0))


def conservative(balance: Balance, point: Point, K: sp.csr_matrix, noise: float) -> bool:
    """Whether NᵀKN is symmetric, by its effect on a random motion; factorises the projection."""
    balance.settle(point.state)
    x = np.random.default_rng(1).normal(size=balance.n)
    x, _ = balance.projection.solve(top=x)
    forth, _ = balance.projection.solve(top=K @ x)
    back, _ = balance.projection.solve(top=K.T @ x)
    return bool(np.abs(forth - back).max() <= max(1e-6 * np.abs(forth).max(), noise))


def large_stability(
    balance: Balance, vals: np.ndarray, K: sp.csr_matrix, noise: float, free: int
) -> Stability:
    """Negative eigenvalues of NᵀKN are counted; the smallest is found by Lanczos' method."""
    p = balance.data.pattern
    scale = max(float(np.abs(vals[balance.body]).max(initial=0.0)), 1e-300)
    sized = vals.copy()
    sized[balance.body] /= scale
    matrix = sp.csr_matrix((sized, p.indices, p.indptr), shape=(p.unknowns,) * 2)
    bounds = (-noise / scale, noise / scale)
    falling, small = eigenvalues_below(p, matrix, bounds)
    value, direction = smallest_eigenvalue(balance, vals, K, falling > 0)
    return judged(balance, falling, small - falling, value, direction, free)


def smallest_eigenvalue(
    balance: Balance, vals: np.ndarray, K: sp.csr_matrix, falling: bool
) -> tuple[float, np.ndarray]:
    """Of NᵀKN: the one nearest to zero where none is negative, else the least one."""
    n, nil = balance.n, np.zeros(balance.data.rows)
    inverse, projection = linear_solver(balance.data.pattern), balance.projection
    S = (K + K.T) / 2
    vals = vals.copy()
    vals[balance.diagonal] += REGULAR * max(np.abs(vals[balance.body]).max(), 1e-300)
    inverse.factorise(vals)

    def stiff(x: np.ndarray) -> np.ndarray:
        return projection.solve(top=S @ projection.solve(top=x.ravel())[0])[0]

    def soft(x: np.ndarray) -> np.ndarray:
        y = inverse.solve(np.concatenate([x.ravel(), nil]), refined=REFINED)
        return projection.solve(top=y[:n])[0]

    bound = float(abs(S).sum(axis=1).max())  # of all eigenvalues: beyond it lies round-off
    found = []
    if falling:
        found = [extreme(stiff, n, "SA")]
        found += [(1 / v, u) for v, u in (extreme(soft, n, "SA"),) if v != 0]
        found = [f for f in found if -bound <= f[0] < 0]
    if not found:
        found = [(1 / v if v else 0.0, u) for v, u in (extreme(soft, n, "LM"),)]
    return min(found, key=lambda f: f[0])


def extreme(product: Any, n: int, which: str) -> tuple[float, np.ndarray]:
    """An end of the spectrum of a symmetric operator and its vector, as far as Lanczos comes."""
    operator = LinearOperator((n, n), product, dtype=float)
    start = np.random.default_rng(0).normal(size=n)
    try:
        values, vectors = eigsh(operator, k=1, which=which, tol=1e-3, maxiter=200, v0=start)
    except ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
        if not len(values):
            return 0.0, start
    return float(values[0]), vectors[:, 0]
