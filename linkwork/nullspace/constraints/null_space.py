"""Discrete null space matrices in full, and condition numbers: for diagnostics and checks.

Along the tree, with all vectors at q̄ (or all at q₁, for the tangent F' of the coordinates):

    t_c = A t_p + B τ,   t = (v, ω),   x = φ_c − φ_p
    FIXED, AXIS   A = [I −x̃; 0 I],            AXIS column of B: (s × n, n), s the child's arm
    FREE          A = [I −x̃_s; 0 0],          columns (s̃, I), x_s = x + s from the parent's centre
                                               to the child's point
    free u_j      columns (c_j, 0) with c_j = m_{j+1} × m_{j+2}: orthogonal to the held axes at q̄,
                  where m₁ m₂ m₃ are no longer orthonormal ([B] (113), (149))

P° = P_int P_ext° ([B] (187)).  Rows that the tree does not satisfy by itself close loops: P = P° N
with G_c P° N = 0, N = [−A_d⁻¹A_i; I] for dependent and independent coordinates ([B] 5.4.2).  Then

    reduced      Pᵀ K F'                 n − m unknowns
    constrained  [K  h G(q̄)ᵀ; G(q₁)  0]  n + m unknowns
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from linkwork.kernels import rotations
from linkwork.nullspace.constrained import Solution
from linkwork.nullspace.constraints import tree as tr
from linkwork.nullspace.directors import Directors
from linkwork.nullspace.motion import Parts


def open_tree(parts: Parts, q: np.ndarray) -> np.ndarray:
    """P° at q (bodies + 1, 4, 3): (12 bodies, coordinates)."""
    tree, n = parts.tree, parts.data.system.bodies
    widths = [int(x[tr.X : tr.X + 3].sum()) + (0, 1, 3)[x[tr.TURN]] for x in tree.ints]
    twists = np.zeros((n + 1, 6, sum(widths)))
    first = 0
    for x, y, width in zip(tree.ints, tree.reals, widths, strict=True):
        c, p, flip = x[tr.CHILD], x[tr.PARENT], x[tr.FLIP]
        a = c if flip else p
        arms = y[tr.UA : tr.UA + 3] @ q[a, 1:], y[tr.UB : tr.UB + 3] @ q[p if flip else c, 1:]
        m = rotations.matrix(y[tr.QA : tr.QA + 4]).T @ q[a, 1:]  # rows: the main marker's axes
        across = q[c, 0] - q[p, 0]
        # from the child's centre to the point that turns with it and is held by the parent
        arm = arms[1] if not flip else q[p, 0] + arms[1] - q[c, 0]
        sign = -1.0 if flip else 1.0
        A, B = np.zeros((6, 6)), np.zeros((6, width))
        A[:3, :3] = np.eye(3)
        k = 0
        for j in range(3):
            if x[tr.X + j]:
                B[:3, k] = sign * np.cross(m[(j + 1) % 3], m[(j + 2) % 3])
                k += 1
        if x[tr.TURN] == tr.FREE:
            A[:3, 3:] = -rotations.tilde(across + arm)
            B[:3, k:], B[3:, k:] = rotations.tilde(arm), np.eye(3)
        else:
            A[:3, 3:], A[3:, 3:] = -rotations.tilde(across), np.eye(3)
            if x[tr.TURN] == tr.AXIS:
                axis = sign * m[x[tr.ABOUT]]
                B[:3, k], B[3:, k] = np.cross(arm, axis), axis
        twists[c] = A @ twists[p]
        twists[c][:, first : first + width] += B
        first += width
    out = np.zeros((n, 12, first))
    out[:, :3] = twists[:n, :3]
    out[:, 3:] = -np.einsum(
        "bIij,bjk->bIik", rotations.tilde(q[:n, 1:]), twists[:n, 3:]
    ).reshape(n, 9, first)
    return out.reshape(12 * n, first)


def closing_rows(parts: Parts) -> np.ndarray:
    """Numbers of the rows in the equations that the tree does not satisfy by itself."""
    data = parts.data
    on_tree = set(parts.tree.element.tolist())
    out = []
    for e, row in enumerate(data.kept_rows):
        rows = data.system.elements[row.element].entry.rows
        alone = row.index >= 3 and sum(r >= 3 for r in rows) == 1
        if row.element not in on_tree or alone:
            out.append(e)
    return np.array(out, np.int64)


def null_spaces(directors: Directors, q0: np.ndarray, q1: np.ndarray) -> tuple:
    """P(q₀, q₁) and F'(q₁), both (12 bodies, degrees of freedom)."""
    parts = directors.parts
    mean = 0.5 * (q0 + q1)
    P = open_tree(parts, mean.reshape(-1, 4, 3))
    F = open_tree(parts, q1.reshape(-1, 4, 3))
    close = closing_rows(parts)
    if not len(close):
        return P, F
    G_mean = directors.external.jacobian(mean, directors.n)[close] @ P
    G_end = directors.external.jacobian(q1, directors.n)[close] @ F
    _, _, pivot = la.qr(G_mean, pivoting=True)
    dependent, free = pivot[: len(close)], np.sort(pivot[len(close) :])
    return P @ completed(G_mean, dependent, free), F @ completed(G_end, dependent, free)


def completed(G: np.ndarray, dependent: np.ndarray, free: np.ndarray) -> np.ndarray:
    """N with G N = 0 and the identity in the rows `free`."""
    N = np.zeros((G.shape[1], len(free)))
    N[free, np.arange(len(free))] = 1.0
    N[dependent] = -np.linalg.solve(G[:, dependent], G[:, free])
    return N


def reduced_matrix(directors: Directors, s: Solution) -> np.ndarray:
    """Pᵀ K F'."""
    P, F = null_spaces(directors, s.q0, s.q1)
    return P.T @ (s.K @ F)


def constrained_matrix(directors: Directors, s: Solution, h: float) -> np.ndarray:
    """[K  h G(q̄)ᵀ; G(q₁)  0]."""
    mean, end = directors.jacobian(0.5 * (s.q0 + s.q1)), directors.jacobian(s.q1)
    return sp.block_array([[s.K, h * mean.T], [end, None]]).toarray()


def condition(matrix: np.ndarray) -> float:
    """The 2-norm condition number; one where no unknown is left."""
    return float(np.linalg.cond(matrix)) if matrix.size else 1.0


