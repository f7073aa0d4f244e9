"""How many eigenvalues of NᵀKN, C_q N = 0, lie below a bound: by elimination, linear for chains.

To be replaced by what LDLᵀ factors of the core tell (`core`).

For independent rows the saddle matrix has (Gould 1985)

    negative eigenvalues of [[K − ν I, C_qᵀ], [C_q, 0]] = rows + (eigenvalues of NᵀKN below ν)

with N orthonormal, and by Sylvester and Haynsworth they are counted while unknowns are eliminated,

    In(A) = In(A₁₁) + In(A₂₂ − A₂₁ A₁₁⁻¹ A₁₂),

body by body with the joints that wait for it, in the order of least degree.  A₁₁ = V Λ Vᵀ is small;
directions of V in which it is weak against A₁₂ are handed on to the next body instead.

- N. I. M. Gould: On practical conditions for the existence and uniqueness of solutions to the
  general equality quadratic programming problem. Mathematical Programming 32 (1985).
- E. V. Haynsworth: Determination of the inertia of a partitioned Hermitian matrix. Linear Algebra
  and its Applications 1 (1968).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from linkwork.linear_algebra.least_degree import least_degree
from linkwork.linear_algebra.pattern import Pattern

WEAK = 1e-2  # of A₁₂: weaker directions wait, which bounds the growth of what remains


def eigenvalues_below(p: Pattern, matrix: sp.csr_matrix, bounds: Sequence[float]) -> list[int]:
    """Eigenvalues of NᵀKN below each bound; matrix: [[K, C_qᵀ], [C_q, 0]], K as large as C_q."""
    front = elimination_order(p)
    S = sp.coo_matrix((matrix + matrix.T) / 2)
    body = sp.coo_matrix(sp.diags(np.arange(matrix.shape[0]) < p.motions, dtype=float))
    rows, cols = np.append(S.row, body.row), np.append(S.col, body.col)
    found = []
    for bound in bounds:
        vals = np.append(S.data, -bound * body.data)
        found.append(negative_eigenvalues(rows, cols, vals, front) - p.rows)
    return found


def elimination_order(p: Pattern) -> np.ndarray:
    """The turn of every unknown: bodies by least degree, joints with the first of their bodies."""
    n = p.moving
    ends: list[list[int]] = [[] for _ in p.first[1:]]
    for group, body in p.blocks:
        ends[group].append(body)
    turn = np.empty(len(ends), np.intp)
    turn[:n] = least_degree(n, ends)
    for g in range(n, len(ends)):
        turn[g] = turn[ends[g]].min()
    return turn[p.groups]


def negative_eigenvalues(
    rows: np.ndarray, cols: np.ndarray, vals: np.ndarray, front: np.ndarray
) -> int:
    """Of the symmetric matrix with these entries; unknowns are eliminated in turns 0, 1, 2, …"""
    turns = int(front.max(initial=-1)) + 1
    owner = np.minimum(front[rows], front[cols])
    order = np.argsort(owner, kind="stable")
    rows, cols, vals = rows[order], cols[order], vals[order]
    cuts = np.searchsorted(owner[order], np.arange(turns + 1))
    waiting: list[list[tuple[int, np.ndarray, np.ndarray]]] = [[] for _ in range(turns)]
    place = np.empty(len(front), np.intp)
    negative = 0
    for k in range(turns):
        r, c, v = (x[cuts[k] : cuts[k + 1]] for x in (rows, cols, vals))
        ids = np.unique(np.concatenate([r, *(known for _, known, _ in waiting[k])]))
        own = front[ids] == k
        ids = np.concatenate([ids[own], ids[~own]])
        delayed = sum(d for d, _, _ in waiting[k])
        size, summed = delayed + len(ids), delayed + int(own.sum())
        place[ids] = np.arange(delayed, size)
        A = np.zeros((size, size))
        np.add.at(A, (place[r], place[c]), v)
        begin = 0
        for d, known, part in waiting[k]:
            at = np.concatenate([np.arange(begin, begin + d), place[known]])
            A[at[:, None], at] += part
            begin += d
        waiting[k] = []
        count, kept, rest = eliminate(A, summed)
        negative += count
        if size > summed:
            boundary = ids[summed - delayed :]
            waiting[int(front[boundary].min())].append((kept, boundary, rest))
    return negative


def eliminate(A: np.ndarray, summed: int) -> tuple[int, int, np.ndarray]:
    """Negative eigenvalues of what is eliminated of the first unknowns; how many wait; the rest."""
    values, V = np.linalg.eigh(A[:summed, :summed])
    B = V.T @ A[:summed, summed:]
    if not B.shape[1]:
        return int((values < 0).sum()), 0, np.zeros((0, 0))
    strong = np.abs(values) > WEAK * np.abs(B).max(axis=1)
    weak = ~strong
    S = A[summed:, summed:] - B[strong].T @ (B[strong] / values[strong, None])
    d = int(weak.sum())
    rest = np.zeros((d + len(S),) * 2)
    rest[np.arange(d), np.arange(d)] = values[weak]
    rest[:d, d:], rest[d:, :d], rest[d:, d:] = B[weak], B[weak].T, S
    return int((values[strong] < 0).sum()), d, rest
