"""Eigenvalues of large systems, some of them, by Arnoldi's method (ARPACK) with a shift σ.

The inverse of the first-order pencil at σ takes one sparse factorisation of
[[σ²M + σD + K, Cᵀ], [C, 0]], so memory stays linear:

    [x₁]   x₁: (σ²M + σD + K) x₁ + Cᵀ g = −M b₂ − (D + σM) b₁,  C x₁ = 0
    [x₂]   x₂ = σ x₁ + b₁,                                          λ = σ + 1/θ
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from linkwork.analysis.linear.equations.pencil import Pencil
from linkwork.analysis.linear.equations.steady import projector
from linkwork.analysis.linear.modes import DEFECTIVE
from linkwork.errors import ConvergenceError, SingularError
from linkwork.linear_algebra import SingularMatrix, SparseFactors

ZERO = 1e-5  # |λ| over the shift that counts as zero (a double zero is found to √EPS)


def sparse_modes(p: Pencil, n: int, shift: complex | None) -> tuple[np.ndarray, np.ndarray, bool]:
    """The n lowest modes (or a few more), or those nearest to a shift."""
    inverse = Inverse(p)
    sigma = choose_shift(inverse, n, shift)
    values, x = search(inverse, sigma, n, 2 * p.freedoms)
    wrong = inverse.residuals(values, x, abs(sigma))
    if wrong.max(initial=0.0) > 1e-7:
        raise ConvergenceError(
            f"eigen found a mode near λ = {values[np.argmax(wrong)]:.4g} only to a relative "
            f"residual of {wrong.max():.1e}; give a shift nearer to the modes wanted, or "
            "sparse=False"
        )
    if shift is not None:
        near = np.argsort(distances(values, complex(shift)), kind="stable")[:n]
        values, x = values[near], x[:, near]
    growth = DEFECTIVE * (np.abs(values) + abs(sigma))
    return values, inverse.scale[:, None] * x, bool(np.all(values.real <= growth))


class Inverse:
    """(A − σB)⁻¹B of the first-order pencil, in scaled unknowns."""

    def __init__(self, p: Pencil) -> None:
        S = sp.diags_array(p.scale)
        self.n, self.m = p.M.shape[0], p.C.shape[0]
        size = norm(p.M, p.scale)
        self.M, self.D, self.K = ((S @ A @ S / size).tocsr() for A in (p.M, p.D, p.K))
        C = (p.C @ S).tocsr()
        self.C = (sp.diags_array(1 / np.sqrt((C * C).sum(axis=1))) @ C).tocsr() if self.m else C
        one = np.ones(self.n)
        self.frequency = float(np.sqrt(norm(self.K, one)) + norm(self.D, one)) or 1.0
        self.scale = p.scale
        self.project = projector(self.C)

    def at(self, sigma: complex) -> LinearOperator:
        """The operator for a shift."""
        sigma = sigma.real if np.imag(sigma) == 0 else sigma
        Q = sigma**2 * self.M + sigma * self.D + self.K
        size = float(abs(Q).max())
        A = sp.bmat([[Q, size * self.C.T], [size * self.C, None]]) if self.m else Q
        try:
            factors = SparseFactors(A)
        except SingularMatrix:
            raise SingularError(
                f"the shift {sigma:g} is an eigenvalue, or the constraints are not independent; "
                "give another shift"
            ) from None
        n, zero = self.n, np.zeros(self.m)

        def apply(b: np.ndarray) -> np.ndarray:
            b = b.ravel()
            b1, b2 = b[:n], b[n:]
            right = -(self.M @ (b2 + sigma * b1) + self.D @ b1)
            x1 = factors.solve(np.concatenate([right, zero]).astype(A.dtype))[:n]
            return np.concatenate([x1, sigma * x1 + b1])

        return LinearOperator((2 * n, 2 * n), matvec=apply, dtype=A.dtype)

    def start(self, operator: LinearOperator) -> np.ndarray:
        """The same start vector every time, one that satisfies the constraints."""
        b = np.random.default_rng(1).uniform(-1, 1, (self.n, 2))
        b = self.project(b).T.ravel()
        return operator.matvec(operator.matvec(b.astype(operator.dtype)))

    def residuals(self, values: np.ndarray, x: np.ndarray, floor: float) -> np.ndarray:
        """Relative size of the projected (λ²M + λD + K) x and of C x."""
        terms = [values**2 * (self.M @ x), values * (self.D @ x), self.K @ x]
        size = sum(np.linalg.norm(t, axis=0) for t in terms)
        size = size + floor**2 * np.linalg.norm(self.M @ x, axis=0)
        wrong = np.linalg.norm(self.project(terms[0] + terms[1] + terms[2]), axis=0) / size
        return wrong + np.linalg.norm(self.C @ x, axis=0) / np.linalg.norm(x, axis=0)


def choose_shift(inverse: Inverse, n: int, shift: complex | None) -> complex:
    """A real shift well below the lowest λ that is not zero; or what is given, a little moved.

    A shift must not be an eigenvalue, and free motions have λ = 0.
    """
    if shift is not None:
        return complex(shift) + 1e-4 * max(abs(shift), 1e-3 * inverse.frequency)
    sigma = 1e-3 * inverse.frequency
    for _ in range(6):
        theta, _ = arnoldi(inverse.at(sigma), 2 * n + 8, inverse.start)
        size = np.abs(sigma + 1 / theta)
        lowest = size[size > ZERO * sigma].min(initial=np.inf)
        if 2 * sigma < lowest < 50 * sigma or not np.isfinite(lowest):
            break
        sigma = lowest / 8
    return complex(sigma)


def search(inverse: Inverse, sigma: complex, n: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Modes nearest to the shift, none left out.

    Arnoldi's method may overlook members of multiple eigenvalues.  So what was found is projected
    out and the rest searched again, until the rest is farther away than the n modes wanted.
    """
    operator = inverse.at(sigma)
    Q = np.zeros((2 * inverse.n, 0), operator.dtype)
    for rounds in range(12):
        k = min(2 * n + 8 if rounds == 0 else n + 6, most - Q.shape[1] - 2)
        rest = np.inf
        if k > 0:
            theta, X = arnoldi(deflated(operator, Q), k, inverse.start)
            Q = extended(Q, X)
            rest = 1 / np.abs(theta).max()
        values, x = ritz(operator, Q, sigma, inverse.n)
        wanted = np.sort(distances(values, sigma))[: n + 1]
        if rounds and len(wanted) and rest > 1.001 * wanted[-1]:
            return values, x
    raise ConvergenceError(
        f"eigen could not make sure that it found all of {n} modes; ask for fewer, give a shift "
        "near those wanted, or sparse=False"
    )


def distances(values: np.ndarray, sigma: complex) -> np.ndarray:
    """From a shift to each λ or its conjugate, whichever is nearer."""
    return np.minimum(np.abs(values - sigma), np.abs(values.conj() - sigma))


def arnoldi(operator: LinearOperator, k: int, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues θ of an operator and their vectors."""
    try:
        return eigs(operator, k=k, which="LM", v0=start(operator), maxiter=500)
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"eigen found only {len(error.eigenvalues)} of {k} eigenvalues; ask for fewer modes, "
            "or give a shift near those wanted"
        ) from None


def deflated(operator: LinearOperator, Q: np.ndarray) -> LinearOperator:
    """The operator on what is orthogonal to Q."""

    def project(b: np.ndarray) -> np.ndarray:
        return b - Q @ (Q.conj().T @ b)

    return LinearOperator(
        operator.shape, matvec=lambda b: project(operator.matvec(project(b.ravel()))),
        dtype=operator.dtype,
    )  # fmt: skip


def extended(Q: np.ndarray, X: np.ndarray) -> np.ndarray:
    """An orthonormal basis of Q and the vectors X (their real and imaginary parts)."""
    if not np.iscomplexobj(Q):
        X = np.hstack([X.real, X.imag])
    for _ in range(2):
        X = X - Q @ (Q.conj().T @ X)
    U, s, _ = la.svd(X, full_matrices=False)
    return np.hstack([Q, U[:, s > 1e-8 * max(s[0], 1e-3)]])


def ritz(
    operator: LinearOperator, Q: np.ndarray, sigma: complex, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """λ and x in the subspace Q, pairs and free motions once."""
    H = Q.conj().T @ np.column_stack([operator.matvec(q) for q in Q.T])
    theta, y = la.eig(H)
    theta[np.abs(theta) < 1e-12 * np.abs(theta).max()] = np.nan
    values, x = sigma + 1 / theta, (Q @ y)[:n]
    free = free_motions(operator, Q, H, sigma, n)
    rest = np.abs(values) >= ZERO * abs(sigma)  # and not nan
    values, x = conjugates_once(values[rest], x[:, rest], abs(sigma))
    return np.concatenate([np.zeros(free.shape[1]), values]), np.hstack([free, x])


def free_motions(
    operator: LinearOperator, Q: np.ndarray, H: np.ndarray, sigma: complex, n: int
) -> np.ndarray:
    """Motions x that nothing holds, K x = 0: their λ = 0 is found twice and inexactly.

    Of the invariant subspace of λ ≈ 0, x ← (σ²M + σD + K)⁻¹ (σ²M + σD) x keeps what has K x = 0
    and damps the rest.
    """

    def vanishes(theta: complex) -> bool:
        return theta != 0 and abs(sigma + 1 / theta) < ZERO * abs(sigma)

    _, Z, found = la.schur(H, output="complex", sort=vanishes)
    if found == 0:
        return np.zeros((n, 0))
    X = (Q @ Z[:, :found])[:n]
    U = la.orth(np.hstack([X.real, X.imag]), rcond=1e-6).astype(operator.dtype)
    factor = -sigma if np.iscomplexobj(U) else -sigma.real
    for _ in range(6):
        step = [operator.matvec(np.append(u, np.zeros(n)))[:n] for u in U.T]
        U = factor * np.column_stack(step)
    return la.orth(U.real, rcond=1e-3)


def conjugates_once(
    values: np.ndarray, x: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair the one with positive imaginary part, also where only the other was found."""
    values = values.copy()
    values.imag[np.abs(values.imag) <= 1e-9 * np.abs(values) + 1e-12 * size] = 0.0
    upper = [i for i in range(len(values)) if values[i].imag >= 0]
    free = [i for i in upper if values[i].imag > 0]
    chosen = list(upper)
    for i in np.flatnonzero(values.imag < 0):
        partner = [j for j in free if abs(values[j] - values[i].conj()) < 1e-6 * abs(values[i])]
        if partner:
            free.remove(partner[0])
        else:
            values[i], x[:, i] = values[i].conj(), x[:, i].conj()
            chosen.append(int(i))
    return values[chosen], x[:, chosen]


def norm(A: sp.csr_array, scale: np.ndarray) -> float:
    """Largest element of the scaled matrix."""
    A = sp.csr_array(A)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return float(np.abs(A.data * scale[rows] * scale[A.indices]).max(initial=0.0))
