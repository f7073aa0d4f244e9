"""The pivots for given values: P A Q = L U with |l_ij| bounded, front by front.

A pivot is taken on the diagonal where it is good enough, which survives when the mechanism moves,

    |a_jj| > DIAGONAL max_i |a_ij|,    else the largest in the front with |a_ij| > ELSEWHERE max,

and an unknown without a good pivot is delayed to the parent front.
"""

import numpy as np

from linkwork.kernels.compiled import compiled, inlined
from linkwork.linear_algebra.core.order import LARGE, group_tree

DIAGONAL = 0.01  # a diagonal pivot may be this much smaller than the largest entry of its column
ELSEWHERE = 0.1  # the same for other pivots: they are lost sooner when the mechanism moves
PANEL = 48  # pivots of a large front between two passes through it
VANISHING = 1e-12  # a smaller pivot of the scaled matrix is noise: delayed, singular in the root


class SingularMatrix(ArithmeticError):
    """The matrix has no LU factors; `unknown` is the column where no pivot was left, or None."""

    def __init__(self, message, unknown=None):
        super().__init__(message)
        self.unknown = unknown


def choose_pivots(rows, cols, vals, groups, n_dof):
    """Row and column permutation: eliminate group by group, delaying what has no good pivot."""
    postorder, children, unknowns, rest, number = group_tree(rows, cols, groups, n_dof)
    turn = np.zeros(len(unknowns), np.int64)
    turn[postorder] = np.arange(len(postorder))
    front_of = np.minimum(turn[number[rows]], turn[number[cols]])
    by_front = np.argsort(front_of, kind="stable")
    ends = np.searchsorted(front_of[by_front], np.arange(1, len(postorder)))
    entries = np.split(by_front, ends)
    row_at, col_at = np.empty_like(groups), np.empty_like(groups)  # places of unknowns in a front
    remainders, row_perm, col_perm = {}, [], []
    for g, e in zip(postorder, entries, strict=True):
        parts = [remainders.pop(child) for child in children[g]]
        late_rows = [r[:delayed] for r, _, delayed, _ in parts]
        late_cols = [c[:delayed] for _, c, delayed, _ in parts]
        front_rows = np.concatenate([*late_rows, unknowns[g], rest[g]])
        front_cols = np.concatenate([*late_cols, unknowns[g], rest[g]])
        m = len(front_rows)
        row_at[front_rows] = col_at[front_cols] = np.arange(m)
        front = np.zeros((m, m))
        front[row_at[rows[e]], col_at[cols[e]]] = vals[e]
        for r, c, _, remainder in parts:
            front[row_at[r][:, None], col_at[c]] += remainder
        n_summed = m - len(rest[g])
        k = eliminate_pivoting(front, n_summed, front_rows, front_cols)
        row_perm.append(front_rows[:k])
        col_perm.append(front_cols[:k])
        if k < n_summed and len(rest[g]) == 0:
            where = int(front_cols[k])
            raise SingularMatrix(f"the matrix is singular: no pivot for unknown {where}", where)
        remainders[g] = front_rows[k:], front_cols[k:], n_summed - k, front[k:, k:].copy()
    return np.concatenate(row_perm), np.concatenate(col_perm)


@compiled
def eliminate_pivoting(front, n_summed, rows, cols):
    """Eliminate what has good pivots among the first `n_summed` rows and columns; how many had.

    Rows and columns are exchanged, in `rows` and `cols` too, so that the pivots come first.
    """
    for k in range(eliminate_diagonal(front, n_summed), n_summed):
        i, j = find_pivot(front, k, n_summed)
        if i < 0:
            return k
        # A row exchange after a symmetric one leaves the transposed entry on the diagonal:
        # in a saddle point matrix that is the natural next pivot.
        exchange(front, rows, k, j)
        exchange(front.T, cols, k, j)
        exchange(front, rows, k, j if i == k else k if i == j else i)
        for r in range(k + 1, front.shape[0]):
            multiplier = front[r, k] / front[k, k]
            for c in range(k + 1, front.shape[0]):
                front[r, c] -= multiplier * front[k, c]
    return n_summed


@inlined
def eliminate_diagonal(front, n_summed):
    """Eliminate the first pivots of a large front as long as those on the diagonal are good, in
    panels whose columns come first; how many were."""
    n = front.shape[0]
    if n < LARGE:
        return 0
    for first in range(0, n_summed, PANEL):
        end = min(first + PANEL, n_summed)
        done = end
        for j in range(first, end):
            largest = 0.0
            for i in range(j, n):
                largest = max(largest, abs(front[i, j]))
            if not abs(front[j, j]) > max(VANISHING, DIAGONAL * largest):
                done = j
                break
            for i in range(j + 1, n):
                front[i, j] /= front[j, j]
                for c in range(j + 1, end):
                    front[i, c] -= front[i, j] * front[j, c]
        for i in range(first + 1, n):  # all other columns, row by row
            for j in range(first, min(done, i)):
                multiplier = front[i, j]
                for c in range(end, n):
                    front[i, c] -= multiplier * front[j, c]
        if done < end:
            return done
    return n_summed


@inlined
def find_pivot(front, k, n_summed):
    """Row and column of the next pivot: the first good one on the diagonal, else the largest."""
    best, row, col = VANISHING, -1, -1
    for j in range(k, n_summed):
        largest = 0.0
        for i in range(k, front.shape[0]):
            largest = max(largest, abs(front[i, j]))
        if abs(front[j, j]) > max(VANISHING, DIAGONAL * largest):
            return j, j
        for i in range(k, n_summed):
            if abs(front[i, j]) > max(best, ELSEWHERE * largest):
                best, row, col = abs(front[i, j]), i, j
    return row, col


@inlined
def exchange(front, names, i, j):
    names[i], names[j] = names[j], names[i]
    for c in range(front.shape[1]):
        front[i, c], front[j, c] = front[j, c], front[i, c]
