"""Eigenvalues and mode shapes of a mechanism about an equilibrium or a steady motion.

The linearised equations (analysis.linearize) with η = x e^{λt} are

    (λ² M + λ D + K) x + Cᵀ g = 0,   C x = 0

with the exact constraint stiffness (Peng et al. 2024) in K.  Small systems: N spans the null space of
C (QR), NᵀMN = L Lᵀ, and with D̂ = L⁻¹NᵀDN L⁻ᵀ, K̂ likewise and the scale α = √‖K̂‖ of λ

    λ/α [z ]   [ 0       I   ] [z ]
        [ζ ] = [−K̂/α²  −D̂/α] [ζ ]            (companion form; K̂ z = −λ² z where D̂ = 0)

The null space of K̂, motions that nothing holds, is taken out first: their λ = 0 would be double
and defective.  Large systems: Arnoldi's method (ARPACK) on the inverse of the same pencil at a
shift σ, one sparse factorisation of [[σ²M + σD + K, Cᵀ], [C, 0]], so memory stays linear:

    [x₁]   x₁: (σ²M + σD + K) x₁ + Cᵀ g = −M b₂ − (D + σM) b₁,  C x₁ = 0
    [x₂]   x₂ = σ x₁ + b₁,                                          λ = σ + 1/θ
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from linkwork.analysis.pencil import Pencil, linearised, motion_rate, norm, projector
from linkwork.errors import ConvergenceError, LinkworkWarning, ModelError, SingularError
from linkwork.model.model import Model
from linkwork.system.state import State

DENSE = 600  # unknowns (six per body) up to which everything is dense
EPS = np.finfo(float).eps
ZERO = 1e-5  # |λ| over the shift that counts as zero (a double zero is found to √EPS)
DEFECTIVE = 1e-7  # relative error of a double eigenvalue, √EPS and a bit: no sign of growth


@dataclass(frozen=True)
class Modes:
    """Eigenvalues λ (complex, 1/s) and mode shapes, lowest |λ| first.

    A conjugate pair counts once and is given by the one with positive imaginary part; real
    eigenvalues count each; a motion that nothing holds (λ = 0 twice) counts once.

    frequency : |Im λ|/2π in Hz;   damping : −Re λ/|λ|, 1 for what only decays, 0 for λ = 0
    shapes    : (modes, bodies, 6) complex displacement and rotation, largest component 1;
                modes["rod"] is (modes, 6) of one body, modes.shape(i) (bodies, 6) of one mode
    stable    : no λ has a positive real part (with sparse=True: none of those found)
    axes      : the axes of the shapes, in words (world axes, or axes turning with the mechanism)
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray
    bodies: tuple[str, ...]
    stable: bool
    axes: str = "world axes"
    state: State | None = field(default=None, repr=False)

    @property
    def frequency(self) -> np.ndarray:
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __getitem__(self, body: str) -> np.ndarray:
        """(modes, 6): how a body moves in every mode."""
        if body not in self.bodies:
            raise ModelError(f"the modes have no body named {body!r}; they have {self.bodies}")
        return self.shapes[:, self.bodies.index(body)]

    def shape(self, i: int) -> np.ndarray:
        """(bodies, 6): how all bodies move in mode i (from 0)."""
        return self.shapes[i]

    def __repr__(self) -> str:
        return "\n".join(table(self))


def table(modes: Modes) -> list[str]:
    """The modes in words, one line each."""
    stable = "stable" if modes.stable else "unstable"
    lines = [f"{len(modes)} modes, {stable}, shapes in {modes.axes}"]
    if len(modes):
        lines.append(f"{'':>4}  {'eigenvalue (1/s)':>28}  {'Hz':>10}  {'damping':>8}  moves most")
    size = np.abs(modes.eigenvalues).max(initial=0.0)
    for i, value in enumerate(modes.eigenvalues):
        re, im = (0.0 if abs(x) < 1e-12 * size else x for x in (value.real, value.imag))
        text = f"{re:.6g} ± {im:.6g}i" if im else f"{re:.6g}"
        b, j = np.unravel_index(np.argmax(np.abs(modes.shapes[i])), modes.shapes[i].shape)
        most = f"{modes.bodies[b]} ({'along' if j < 3 else 'about'} {'xyz'[j % 3]})"
        damping = 0.0 if re == 0 else modes.damping[i]
        lines.append(f"{i:>4}  {text:>28}  {modes.frequency[i]:>10.5g}  {damping:>8.4g}  {most}")
    return lines


def eigen(
    model: Model, at: Any = None, n: int | None = None, *, constraint_stiffness: bool = True,
    sparse: bool | None = None, shift: complex | None = None,
) -> Modes:  # fmt: skip
    """Eigenvalues and mode shapes of small motions about an equilibrium or a steady motion.

    at    : a State, lw.static(model) or a run (its last state); None is the assembled model
    n     : how many modes, lowest |λ| first (None: all, or 10 where sparse); fewer if there are
            fewer
    sparse: True and False choose the method, None takes the dense one up to 100 bodies
    shift : for the sparse method, modes nearest to this λ; None finds the lowest
    constraint_stiffness=False leaves out what joint reactions contribute, only to show it.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body(mass=15, inertia=(0, 0, 0), position=(0, 0, -4)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> lw.eigen(m).eigenvalues.round(6)
    array([0.+1.566046j])
    """
    if n is not None and (not isinstance(n, (int, np.integer)) or n < 1):
        raise ModelError(f"n of eigen must be a positive number of modes, but {n!r} was given")
    if not constraint_stiffness:
        warnings.warn(
            "eigen without the stiffness of constraints: what hangs, leans or is preloaded gets "
            "wrong frequencies (a pendulum gets zero)",
            LinkworkWarning,
            stacklevel=2,
        )
    pencil = linearised(model, at, constraint_stiffness=constraint_stiffness)
    if sparse is None:
        sparse = pencil.M.shape[0] > DENSE
    count = 10 if n is None else int(n)
    if sparse and 2 * count + 8 < 2 * pencil.freedoms - 2:
        values, x, stable = sparse_modes(pencil, count, shift)
    else:
        values, x, stable = dense_modes(pencil)
        if sparse and n is None:
            n = count
    order = ordering(values)[:n]
    shapes = normalised(x[:, order].T).reshape(len(order), pencil.system.bodies, 6)
    return Modes(
        values[order], shapes, pencil.system.names, stable, pencil.describe(), pencil.state
    )


def ordering(values: np.ndarray) -> np.ndarray:
    """Lowest |λ| first, of equals (to 9 digits) the least damped."""
    size = np.abs(values)
    digits = np.array([float(f"{s:.9g}") for s in size])
    return np.lexsort((-values.real, digits))


def normalised(x: np.ndarray) -> np.ndarray:
    """Rows with their largest component (the first of nearly equal ones) made 1."""
    size = np.abs(x)
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    pivot = np.argmax(size > (1 - 1e-6) * largest, axis=1)
    x = x.astype(complex) / x[np.arange(len(x)), pivot][:, None]
    x.real[np.abs(x.real) < 1e-14] = 0.0
    x.imag[np.abs(x.imag) < 1e-14] = 0.0
    return x


# ------------------------------------------------------------------------------------- dense


def dense_modes(p: Pencil) -> tuple[np.ndarray, np.ndarray, bool]:
    """All eigenvalues, shapes as columns, and whether the system is stable."""
    N = p.null_space
    if N.shape[1] == 0:
        return np.zeros(0, complex), np.zeros((N.shape[0], 0), complex), True
    reduced = Reduced(p, N)
    D, K = reduced.D, reduced.K
    size = np.sqrt(la.norm(K, 2))
    if la.norm(D, 2) <= 1e-13 * size and la.norm(K - K.T, 2) <= 1e-9 * size**2:
        values, z = undamped(reduced)
    else:
        values, z = damped(reduced)
    growth = 1e-12 * max(la.norm(D, 2), size) + DEFECTIVE * np.abs(values)
    return values, reduced.motions(z), bool(np.all(values.real <= growth))


class Reduced:
    """z̈ + D ż + K z = 0 in coordinates with unit mass: x = N L⁻ᵀ z, NᵀMN = L Lᵀ."""

    def __init__(self, p: Pencil, N: np.ndarray) -> None:
        M, D, K = (N.T @ (A @ N) for A in (p.M, p.D, p.K))
        try:
            L = la.cholesky((M + M.T) / 2, lower=True)
        except la.LinAlgError:
            raise SingularError(
                "some motion has no inertia, so the eigenvalues are not defined; give every body "
                "mass and inertia, or joints that tie it to one that has"
            ) from None
        self.basis = la.solve_triangular(L, N.T, lower=True).T
        self.D, self.K = (self._unit_mass(L, A) for A in (D, K))
        speed = motion_rate(p.system, p.state)
        self.entries = abs(p.D) + speed * abs(p.M), abs(p.K) + speed**2 * abs(p.M)

    @staticmethod
    def _unit_mass(L: np.ndarray, A: np.ndarray) -> np.ndarray:
        half = la.solve_triangular(L, A, lower=True)
        return la.solve_triangular(L, half.T, lower=True).T

    def motions(self, z: np.ndarray) -> np.ndarray:
        return self.basis @ z

    def noise(self, z: np.ndarray, order: int) -> np.ndarray:
        """What round-off may make of D z (order 0) or K z (order 1), for each unit column.

        That of the numbers a small inertia divides, and of finding z itself.
        """
        error = np.abs(self.basis).T @ (self.entries[order] @ np.abs(self.motions(z)))
        size = la.norm((self.D, self.K)[order], 2)
        return 100 * EPS * (np.linalg.norm(error, axis=0) + size)


def undamped(reduced: Reduced) -> tuple[np.ndarray, np.ndarray]:
    """λ² = −μ, K z = μ z with K symmetric."""
    mu, z = la.eigh((reduced.K + reduced.K.T) / 2)
    mu[np.abs(mu) <= reduced.noise(z, 1)] = 0.0
    root = np.sqrt(np.abs(mu))
    held, falling = mu >= 0, mu < 0
    values = np.concatenate([1j * root[held], root[falling], -root[falling]])
    return values, np.hstack([z[:, held], z[:, falling], z[:, falling]]).astype(complex)


def damped(reduced: Reduced) -> tuple[np.ndarray, np.ndarray]:
    """λ² z + λ D z + K z = 0 by the companion form, the null space of K taken out."""
    D, K = reduced.D, reduced.K
    _, s, Vt = la.svd(K)
    free = s <= reduced.noise(Vt.T, 1)
    alpha = max(float(np.sqrt(s[0])), la.norm(D, 2))
    Q = np.vstack([Vt[~free], Vt[free]]).T
    n, h = len(s), int((~free).sum())
    A = np.zeros((h + n, h + n))
    A[:h, h : 2 * h] = np.eye(h)
    A[h:, :h] = -(Q.T @ K @ Q[:, :h]) / alpha**2
    A[h:, h:] = -(Q.T @ D @ Q) / alpha
    scaled, X = la.eig(A)
    z = Q @ X[h:]
    zero = alpha * np.abs(scaled) <= 1e-12 * alpha + reduced.noise(z, 0)
    keep = (scaled.imag >= 0) & ~zero
    values = np.concatenate([np.zeros(n - h), alpha * scaled[keep]])
    return values, np.hstack([Q[:, h:], z[:, keep]])


# ------------------------------------------------------------------------------------ sparse


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
            lu = splu(sp.csc_matrix(A))
        except RuntimeError:
            raise SingularError(
                f"the shift {sigma:g} is an eigenvalue, or the constraints are not independent; "
                "give another shift"
            ) from None
        n, zero = self.n, np.zeros(self.m)

        def apply(b: np.ndarray) -> np.ndarray:
            b = b.ravel()
            b1, b2 = b[:n], b[n:]
            right = -(self.M @ (b2 + sigma * b1) + self.D @ b1)
            x1 = lu.solve(np.concatenate([right, zero]).astype(A.dtype))[:n]
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
