"""LU factors of the iteration matrix of a constrained system, with a pattern that does not change.

    P A Q = L U,    A = [S  Cᵀ]    S: 6×6 blocks of bodies, C: blocks of a joint's rows,
                        [C  0 ]    the pattern is fixed, the values change in every iteration

The method is multifrontal (Duff and Reid, ACM TOMS 9, 1983): every step of the elimination works on
a small dense matrix, the front, that holds a few pivots and all rows and columns they touch.  What
remains of a front after its pivots is added to the front of its parent in the elimination tree
(Liu, SIAM Review 34, 1992).  A leaf of a tree of bodies with its revolute joint is one front of
11 pivots and the 6 unknowns of the body it hangs on, so cost is linear in the number of bodies.

`analyse` (Python, once) decides; `refactor` and `solve` (compiled, often) only compute:

1. The order of groups (a body or a joint each): minimum degree on the quotient graph (George and
   Liu, SIAM Review 31, 1989; bounds of Amestoy, Davis and Duff, SIAM J. Matrix Anal. 17, 1996).
   The zero block must not supply pivots, so a joint waits until the bodies eliminated next to it
   have more unknowns than the joints eliminated among them have rows.
2. The pivots for given values: on the diagonal where it is good enough, which survives when the
   mechanism moves; else anywhere in the front; else the unknown is delayed to the parent front.
   The matrix is judged after its rows and columns are scaled to largest entries of one.
3. The fronts of these pivots, from the pattern alone: an entry that is zero now may fill later.

Fronts are stored by columns and padded to multiples of four in pivots and rows (an added pivot is
a row of the identity matrix): all inner loops then are one operation on four numbers, `_update`.
"""

import heapq
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

DIAGONAL = 0.01  # a diagonal pivot may be this much smaller than the largest entry of its column
ELSEWHERE = 0.1  # the same for other pivots: they are lost sooner when the mechanism moves
VANISHING = 1e-13  # a smaller pivot of the scaled matrix is noise: delayed, singular in the root
LANES = 4


class SingularMatrix(ArithmeticError):
    """The matrix has no LU factors; `unknown` is the column where no pivot was left, or None."""

    def __init__(self, message, unknown=None):
        super().__init__(message)
        self.unknown = unknown


class LU(NamedTuple):
    """Pivots, fronts, factors and workspace of one matrix; all arrays, for compiled loops.

    The arrays after `row_scale` are for this module.  "Slot" is the number of a pivot in the order
    of elimination; the padding of fronts uses the slot n, which always holds zero.
    """

    row_perm: np.ndarray  # row of A that is the row i of P A Q
    col_perm: np.ndarray  # column of A that is the column i of P A Q
    row_scale: np.ndarray  # weight of the rows of A in the growth that refactor returns
    first: np.ndarray  # per front: its first pivot's slot; one more at the end
    n_pivots: np.ndarray  # per front: pivots, padded
    n_rest: np.ndarray  # per front: other rows (and columns), not padded
    n_children: np.ndarray  # per front: fronts that add their remainders to it
    index_ptr: np.ndarray  # per front: where its part of the next three arrays starts
    index: np.ndarray  # slot of every row of a front
    into: np.ndarray  # for a row that is not a pivot: its number in the parent front
    weight: np.ndarray  # row_scale of every row of a front
    entry_ptr: np.ndarray  # per front: where its part of the next two arrays starts
    source: np.ndarray  # number of an entry in vals ...
    target: np.ndarray  # ... and where it goes in its front
    factor_ptr: np.ndarray  # per front: where its factors start
    factors: np.ndarray  # per front: columns of [L11\U11; L21], then columns of U12
    front: np.ndarray  # workspace: the front being eliminated
    stack: np.ndarray  # workspace: remainders of fronts not yet added to their parents
    peak: np.ndarray  # workspace: largest multipliers, per lane
    slots: np.ndarray  # workspace: right-hand side and solution by slot
    local: np.ndarray  # workspace: the part of `slots` of one front

    @property
    def pivots(self):
        """What `analyse(..., pivots=)` needs to reproduce this factorisation digit by digit."""
        return self.row_perm, self.col_perm, self.row_scale


def analyse(indptr, indices, vals, groups, n_body, pivots=None):
    """Order, pivots and fronts for the CSR matrix (indptr, indices, vals); call refactor next.

    `groups` is the group number of every unknown: each body is a group, each joint's multipliers
    are one, and unknowns of a group are consecutive; the first 6 `n_body` unknowns are bodies'.
    Entries of a row are distinct; entries of `vals` beyond the pattern are ignored.  `pivots` is
    `lu.pivots` of an earlier LU of the same pattern, or only its (row_perm, col_perm): the factors
    then have the same digits, and without the third item just the growth is measured differently.
    """
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(indptr))
    cols = np.asarray(indices[: len(rows)], dtype=np.int64)
    vals = np.asarray(vals[: len(rows)], dtype=float)
    if pivots is not None:
        row_perm, col_perm = pivots[:2]
        row_scale = pivots[2] if len(pivots) == 3 else _equilibrate(rows, cols, vals, n)[0]
    else:
        row_scale, col_scale = _equilibrate(rows, cols, vals, n)
        scaled = vals * row_scale[rows] * col_scale[cols]
        row_perm, col_perm = _choose_pivots(rows, cols, scaled, np.asarray(groups), 6 * n_body)
    return _build(rows, cols, np.array(row_perm), np.array(col_perm), np.array(row_scale))


def _equilibrate(rows, cols, vals, n):
    """Powers of two that scale the largest entries of rows and columns to about one (Ruiz 2001)."""
    row_scale, col_scale = np.ones(n), np.ones(n)
    for _ in range(4):
        size = np.abs(vals) * row_scale[rows] * col_scale[cols]
        for scale, number in ((row_scale, rows), (col_scale, cols)):
            largest = np.zeros(n)
            np.maximum.at(largest, number, size)
            scale /= np.sqrt(np.where((largest > 0) & (largest < np.inf), largest, 1.0))
    return np.exp2(np.rint(np.log2(row_scale))), np.exp2(np.rint(np.log2(col_scale)))


# ---- 1. order of groups -------------------------------------------------------------------------


def _order_groups(neighbours, size, is_body):
    """Minimum degree: groups in order of elimination and the set of groups in the front of each.

    `neighbours` (a list of sets, used up here) is the graph of what is not yet eliminated.  An
    eliminated group becomes an element that stands for the clique of its front; the surplus of an
    element is the number of body unknowns less that of joint rows eliminated in it.
    """
    n = len(size)
    near = [sum(size[j] for j in of) for of in neighbours]
    elements = [set() for _ in range(n)]
    fronts, extent, surplus = {}, {}, {}
    degree = [d if body else None for d, body in zip(near, is_body, strict=True)]
    heap = [(d, i) for i, d in enumerate(degree) if d is not None]
    heapq.heapify(heap)
    while len(fronts) < n:
        if not heap:  # more rows than body unknowns, singular: let the pivot search say where
            degree = near[:]
            heap = sorted((d, i) for i, d in enumerate(degree) if i not in fronts)
        d, p = heapq.heappop(heap)
        if p in fronts or d != degree[p]:
            continue
        front = neighbours[p].union(*(fronts[e] for e in elements[p])) - {p}
        fronts[p], extent[p] = front, sum(size[i] for i in front)
        surplus[p] = sum(surplus[e] for e in elements[p]) + (size[p] if is_body[p] else -size[p])
        outside = {}
        for i in front:
            covered = neighbours[i] & front | neighbours[i] & {p}
            neighbours[i] -= covered
            near[i] -= sum(size[j] for j in covered)
            elements[i] -= elements[p]
            for e in elements[i]:
                outside[e] = outside.get(e, extent[e]) - size[i]
        inside = {e for e, left in outside.items() if left == 0}
        surplus[p] += sum(surplus[e] for e in inside)
        for i in front:
            elements[i] -= inside
            free = is_body[i] or surplus[p] + sum(surplus[e] for e in elements[i]) >= size[i]
            beyond = sum(outside[e] for e in elements[i])
            degree[i] = near[i] + extent[p] - size[i] + beyond if free else None
            elements[i].add(p)
            if free:
                heapq.heappush(heap, (degree[i], i))
    return list(fronts), fronts


def _group_tree(rows, cols, groups, n_dof):
    """Groups in postorder, children of each, unknowns of each, and unknowns in the front of each.

    Groups are numbered anew in the order of their unknowns.
    """
    n = len(groups)
    start = np.flatnonzero(np.r_[True, np.diff(groups) != 0])
    number = np.repeat(np.arange(len(start)), np.diff(np.r_[start, n]))
    unknowns = np.split(np.arange(n), start[1:])
    a, b = np.divmod(np.unique(number[rows] * len(start) + number[cols]), len(start))
    neighbours = [set() for _ in start]
    for i, j in zip(a.tolist(), b.tolist(), strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    order, fronts = _order_groups(neighbours, [len(u) for u in unknowns], (start < n_dof).tolist())
    turn = {g: k for k, g in enumerate(order)}
    children, roots = [[] for _ in start], []
    for g in order:
        home = children[min(fronts[g], key=turn.get)] if fronts[g] else roots
        home.append(g)
    postorder, todo = [], roots
    while todo:  # parents before children, then turned round
        g = todo.pop()
        postorder.append(g)
        todo.extend(children[g])
    rest = [np.concatenate([unknowns[j] for j in sorted(fronts[g])] or [[]]) for g in range(len(start))]
    return postorder[::-1], children, unknowns, rest, number


# ---- 2. pivots ----------------------------------------------------------------------------------


def _choose_pivots(rows, cols, vals, groups, n_dof):
    """Row and column permutation: eliminate group by group, delaying what has no good pivot."""
    postorder, children, unknowns, rest, number = _group_tree(rows, cols, groups, n_dof)
    turn = np.argsort(postorder)
    front_of = np.minimum(turn[number[rows]], turn[number[cols]])
    by_front = np.argsort(front_of, kind="stable")
    entries = np.split(by_front, np.searchsorted(front_of[by_front], np.arange(1, len(turn))))
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
        k = _eliminate_pivoting(front, n_summed, front_rows, front_cols)
        row_perm.append(front_rows[:k])
        col_perm.append(front_cols[:k])
        if k < n_summed and len(rest[g]) == 0:
            where = int(front_cols[k])
            raise SingularMatrix(f"the matrix is singular: no pivot for unknown {where}", where)
        remainders[g] = front_rows[k:], front_cols[k:], n_summed - k, front[k:, k:].copy()
    return np.concatenate(row_perm), np.concatenate(col_perm)


@njit(cache=True, error_model="numpy")
def _eliminate_pivoting(front, n_summed, rows, cols):
    """Eliminate what has good pivots among the first `n_summed` rows and columns; how many had.

    Rows and columns are exchanged, in `rows` and `cols` too, so that the pivots come first.
    """
    for k in range(n_summed):
        i, j = _find_pivot(front, k, n_summed)
        if i < 0:
            return k
        # A row exchange after a symmetric one leaves the transposed entry on the diagonal:
        # in a saddle point matrix that is the natural next pivot.
        _exchange(front, rows, k, j)
        _exchange(front.T, cols, k, j)
        _exchange(front, rows, k, j if i == k else k if i == j else i)
        for r in range(k + 1, front.shape[0]):
            multiplier = front[r, k] / front[k, k]
            for c in range(k + 1, front.shape[0]):
                front[r, c] -= multiplier * front[k, c]
    return n_summed


@njit(cache=True)
def _find_pivot(front, k, n_summed):
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


@njit(cache=True)
def _exchange(front, names, i, j):
    names[i], names[j] = names[j], names[i]
    for c in range(front.shape[1]):
        front[i, c], front[j, c] = front[j, c], front[i, c]


# ---- 3. fronts ----------------------------------------------------------------------------------


def _build(rows, cols, row_perm, col_perm, row_scale):
    """The LU for these pivots, renumbered so that every subtree of fronts is consecutive."""
    n = len(row_perm)
    row_slot, col_slot = np.argsort(row_perm), np.argsort(col_perm)
    postorder = _postorder(_tree(*_lower(row_slot[rows], col_slot[cols], n)))
    row_perm, col_perm = row_perm[postorder], col_perm[postorder]
    i, j = np.argsort(row_perm)[rows], np.argsort(col_perm)[cols]
    ptr, lower = _lower(i, j, n)
    parent = _tree(ptr, lower)
    count = np.bincount(_row_subtrees(ptr, lower, parent, np.arange(n), np.zeros(0, int)), minlength=n)
    return None
