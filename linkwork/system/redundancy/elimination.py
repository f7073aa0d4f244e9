"""Independent rows of a large component by elimination: linear for long rows of loops.

Body by body, in the order of least degree, the rows that reach the body are brought together in a
small dense front and its six columns are eliminated with pivots a_ij,

    row k ← row k − (a_kj / a_ij) row i,      |a_ij| ≥ max_k |a_kj| / 10,

the largest first and, among good ones, rows that are rather kept.  A pivot row is kept; the others
go on, without this body's columns, to the next body.  A row of which nothing remains is redundant.

What elimination found is then proved: the smallest singular value of the kept rows A, by inverse
iteration, and how far the left-out rows D are from them, from the residual R of random mixtures,

    R = Ω D (I − A⁺A),      |R| ≈ |D (I − A⁺A)|   (Frobenius, Ω Gaussian, Halko et al. 2011)

both with the tolerance of the dense factorisation.

- N. Halko, P. G. Martinsson, J. A. Tropp: Finding structure with randomness. SIAM Review 53 (2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra.least_degree import least_degree
from linkwork.system.layout import SIX
from linkwork.system.redundancy.full_rank import RowSpace
from linkwork.system.redundancy.rows import Floats, Ints, Mask, row_of, vertex_of

THRESHOLD = 0.1  # of the largest entry of a column, which bounds the growth of rows
MIXTURES = 8
DENSE = 4000  # rows up to which a dense factorisation decides where elimination is not sure
GAP, EPSILON = 1e3, 1e-13  # beyond that, kept and left-out rows must lie this far apart


@dataclass(frozen=True, eq=False)
class Independent:
    """Which rows are kept, σ_min of those, and the distance of the others to them."""

    keep: Mask
    smallest_kept: float
    largest_dropped: float
    space: RowSpace  # of the kept rows


def eliminated(A: sp.csr_array, preference: Floats, tolerance: float) -> Independent | None:
    """Independent rows of normalised A, or None where elimination cannot prove its choice."""
    keep = pivot_rows(A, 1 / preference, tolerance)
    limit = tolerance * np.sqrt(max(A.shape))
    space = RowSpace(A[keep])
    smallest = space.smallest_singular_value()
    dropped = A[~keep]
    mix = np.random.default_rng(1).normal(size=(MIXTURES, dropped.shape[0])) / np.sqrt(MIXTURES)
    rest = [np.linalg.norm(space.outside(dropped.T @ w)) for w in mix] if dropped.shape[0] else [0]
    largest = float(np.linalg.norm(rest))
    clear = smallest > limit or (len(keep) > DENSE and smallest > GAP * max(largest, EPSILON))
    return Independent(keep, smallest, largest, space) if clear and largest < limit else None


def fixed_by_others(A: sp.csr_array, keep: Mask, driven: Mask, tolerance: float) -> Ints:
    """Driven rows that the passive rows and the driven rows before them already fix."""
    passive = pivot_rows(A[~driven], np.ones(int((~driven).sum())), tolerance)
    if passive.sum() + driven.sum() == keep.sum():
        return np.empty(0, np.intp)
    space, basis, found = RowSpace(A[~driven][passive]), np.zeros((A.shape[1], 0)), []
    for i in np.flatnonzero(driven):
        rest = space.outside(A[[i]].toarray()[0])
        rest -= basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size <= tolerance * np.sqrt(max(A.shape)):
            found.append(i)
        else:
            basis = np.column_stack([basis, rest / size])
    return np.array(found, np.intp)


def pivot_rows(A: sp.csr_array, weight: Floats, tolerance: float) -> Mask:
    """Rows that get a pivot, those of large weight rather than others."""
    row, column = row_of(A), A.indices.astype(np.intp)
    bodies, body = np.unique(vertex_of(column), return_inverse=True)
    column = SIX * body + column % SIX
    ends = [np.unique(part) for part in np.split(body, A.indptr[1:-1])]
    turn = least_degree(len(bodies), {tuple(e.tolist()) for e in ends})
    first = np.array([turn[e].min() if e.size else -1 for e in ends])
    by_turn = np.argsort(turn)
    fronts: list[list[int]] = [[] for _ in bodies]
    for i in np.flatnonzero(first >= 0):
        fronts[first[i]].append(int(i))
    waiting: list[list[tuple[Ints, Ints, Floats]]] = [[] for _ in bodies]
    keep = np.zeros(A.shape[0], bool)
    place = np.zeros(SIX * len(bodies), np.intp)
    starts = A.indptr
    for k, b in enumerate(by_turn):
        mine = np.array(fronts[k], np.intp)
        entry = np.concatenate(
            [np.arange(starts[i], starts[i + 1]) for i in mine] or [np.empty(0, np.intp)]
        )
        rows = np.concatenate([mine, *(r for r, _, _ in waiting[k])])
        own = SIX * b + np.arange(SIX)
        others = np.unique(np.concatenate([column[entry], *(c for _, c, _ in waiting[k])]))
        others = others[vertex_of(others) != b]
        columns = np.concatenate([own, others])
        place[columns] = np.arange(len(columns))
        F = np.zeros((len(rows), len(columns)))
        F[np.searchsorted(mine, row[entry]), place[column[entry]]] = A.data[entry]
        at = len(mine)
        for r, c, part in waiting[k]:
            F[at : at + len(r), place[c]] = part
            at += len(r)
        waiting[k] = []
        left = eliminate(F, SIX, weight[rows], tolerance)
        keep[rows] = True
        keep[rows[left]] = False
        rest = F[left, SIX:]
        something = np.abs(rest).max(axis=1, initial=0.0) > tolerance
        if something.any():
            target = int(turn[vertex_of(others)].min())
            waiting[target].append((rows[left[something]], others, rest[something]))
    return keep


def eliminate(F: Floats, own: int, weight: Floats, tolerance: float) -> Ints:
    """Eliminate the first columns of F in place; gives the rows that had no pivot."""
    left = np.arange(len(F))
    free = np.arange(own)
    while left.size and free.size:
        size = np.abs(F[left[:, None], free])
        top = size.max(axis=0)
        good = (size >= THRESHOLD * top) & (size > tolerance)
        if not good.any():
            break
        score = np.where(good, size * weight[left, None], 0.0)
        i, j = np.unravel_index(np.argmax(score), size.shape)
        pivot, column = left[i], free[j]
        left, free = np.delete(left, i), np.delete(free, j)
        F[left] -= (F[left, column] / F[pivot, column])[:, None] * F[pivot]
    return left
