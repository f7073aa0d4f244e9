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
   The zero block has no pivots, so a joint waits until the bodies eliminated next to it have
   enough unknowns for its rows and those of the joints eliminated among them.
2. The pivots for given values: on the diagonal where it is good enough, which survives when the
   mechanism moves; else anywhere in the front; else the unknown is delayed to the parent front.
   The matrix is judged after its rows and columns are scaled to largest entries of one.
3. The fronts of these pivots, from the pattern alone: an entry that is zero now may fill later.

Fronts are stored by columns and padded to multiples of four in pivots and rows (an added pivot is
a row of the identity matrix): all inner loops then are one operation on four numbers, `_update`.
"""

import bisect
import heapq
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

DIAGONAL = 0.01  # a diagonal pivot may be this much smaller than the largest entry of its column
ELSEWHERE = 0.1  # the same for other pivots: they are lost sooner when the mechanism moves
VANISHING = 1e-12  # a smaller pivot of the scaled matrix is noise: delayed, singular in the root
LANES = 4


class SingularMatrix(ArithmeticError):
    """The matrix has no LU factors; `unknown` is the column where no pivot was left, or None."""

    def __init__(self, message, unknown=None):
        super().__init__(message)
        self.unknown = unknown


# A row of the table of fronts; one more follows the last.  Fields "..._at" say where the part of a
# front starts in arrays of LU; except for remainders it ends where that of the next front starts.
FRONT = np.dtype(
    [
        ("slot", np.int64),  # of its first pivot
        ("pivots", np.int64),  # number of pivots, padded
        ("rest", np.int64),  # number of other rows (and columns), not padded
        ("child_at", np.int64),
        ("row_at", np.int64),  # in slot_of, into, weight
        ("entry_at", np.int64),  # in source, target
        ("factor_at", np.int64),
        ("remainder_at", np.int64),
    ]
)


class LU(NamedTuple):
    """Pivots, fronts, factors and workspace of one matrix; all arrays, for compiled loops.

    The arrays after `row_scale` are for this module.  "Slot" is the number of a pivot in the order
    of elimination; the padding of fronts uses the slot n, which always holds zero.
    """

    row_perm: np.ndarray  # row of A that is the row i of P A Q
    col_perm: np.ndarray  # column of A that is the column i of P A Q
    row_scale: np.ndarray  # weight of the rows of A in the growth that refactor returns
    fronts: np.ndarray  # table of FRONT, children before parents
    child: np.ndarray  # fronts that add their remainders to this one
    slot_of: np.ndarray  # slot of every row of a front
    into: np.ndarray  # for a row that is not a pivot: its number in the parent front
    weight: np.ndarray  # row_scale of every row of a front
    source: np.ndarray  # number of an entry in vals ...
    target: np.ndarray  # ... and its place in factors
    factors: np.ndarray  # per front: columns of [L11\U11; L21], then columns of U12
    remainders: np.ndarray  # workspace: columns of remainders that wait for the parent fronts
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
        if not np.all(np.isfinite(vals)):
            where = int(rows[np.argmin(np.isfinite(vals))])
            raise SingularMatrix(
                f"the row of unknown {where} has entries that are no numbers", where
            )
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
            np.fmax.at(largest, number, size)
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
    blocks = np.sort(number[rows] * len(start) + number[cols])
    blocks = blocks[np.diff(blocks, prepend=-1) > 0]
    neighbours = [set() for _ in start]
    for i, j in zip(*(each.tolist() for each in np.divmod(blocks, len(start))), strict=True):
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
    none = np.zeros(0, dtype=np.int64)
    rest = [np.concatenate([none, *(unknowns[j] for j in fronts[g])]) for g in range(len(start))]
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
    """The LU for these pivots, renumbered so that the slots of every subtree are consecutive."""
    n = len(row_perm)
    i, j = np.argsort(row_perm)[rows], np.argsort(col_perm)[cols]
    postorder = _postorder(_tree(*_lower(i, j, n)))
    row_perm, col_perm = row_perm[postorder], col_perm[postorder]
    i, j = np.argsort(row_perm)[rows], np.argsort(col_perm)[cols]
    first, rest_at, rest, parent = _find_fronts(*_lower(i, j, n))
    of_slot = np.repeat(np.arange(len(parent)), np.diff(first))
    of_rest = np.repeat(np.arange(len(parent)), np.diff(rest_at))
    of_entry = of_slot[np.minimum(i, j)]
    n_pivots, n_rest = _pad(np.diff(first)), np.diff(rest_at)
    lead = n_pivots + _pad(n_rest)
    rest_keys = of_rest * n + rest  # sorted

    def place(f, slot):
        """Number of the row (or column) of a slot in the front f."""
        below = n_pivots[f] + np.searchsorted(rest_keys, f * n + slot) - rest_at[f]
        return np.where(slot < first[f + 1], slot - first[f], below)

    fronts = _table(first, n_pivots, n_rest, parent, of_entry)
    index, into = np.full(np.sum(lead), n), np.zeros(np.sum(lead), dtype=np.int64)
    index[fronts["row_at"][of_slot] + place(of_slot, np.arange(n))] = np.arange(n)
    rest_rows = fronts["row_at"][of_rest] + place(of_rest, rest)
    index[rest_rows], into[rest_rows] = rest, place(parent[of_rest], rest)

    row, col, k, ld = place(of_entry, i), place(of_entry, j), n_pivots[of_entry], lead[of_entry]
    target = fronts["factor_at"][of_entry] + row
    target += np.where(col < k, col * ld, k * ld + (col - k) * k)
    source = np.argsort(of_entry, kind="stable")
    return LU(
        row_perm=row_perm,
        col_perm=col_perm,
        row_scale=row_scale,
        fronts=fronts,
        child=np.argsort(parent, kind="stable")[np.count_nonzero(parent < 0) :],
        slot_of=index.astype(np.uint32),
        into=into,
        weight=np.append(row_scale[row_perm], 1.0)[index],
        source=source.astype(np.uint32),
        target=target[source].astype(np.uint32),
        factors=np.zeros(fronts["factor_at"][-1]),
        remainders=np.zeros(fronts["remainder_at"][-1]),
        peak=np.zeros(LANES),
        slots=np.zeros(n + 1),
        local=np.zeros(np.max(lead)),
    )


def _table(first, n_pivots, n_rest, parent, of_entry):
    """The table of FRONT; `of_entry` is the front of every entry of the matrix."""
    fronts = np.zeros(len(first), dtype=FRONT)
    fronts["slot"], fronts["pivots"][:-1], fronts["rest"][:-1] = first, n_pivots, n_rest
    fronts["child_at"] = _pointers(np.bincount(parent[parent >= 0], minlength=len(parent)))
    fronts["row_at"] = _pointers(n_pivots + _pad(n_rest))
    fronts["entry_at"] = _pointers(np.bincount(of_entry, minlength=len(parent)))
    fronts["factor_at"] = _pointers(n_pivots * (n_pivots + 2 * _pad(n_rest)))
    fronts["remainder_at"] = _share(parent, n_rest * _pad(n_rest))
    return fronts


def _pad(count):
    return -(-count // LANES) * LANES


def _pointers(counts):
    return np.concatenate([[0], np.cumsum(counts)])


def _share(parent, sizes):
    """Places of remainders, used again when one has been added to its parent; the end of all."""
    place, end, unused, parts = [], 0, [], [[] for _ in sizes]
    for f, size in enumerate(sizes.tolist()):
        fit = bisect.bisect_left(unused, (size, 0))
        if size == 0:
            block = (0, 0)
        elif fit < len(unused):
            block = unused.pop(fit)
        else:
            block, end = (size, end), end + size
        place.append(block[1])
        for part in parts[f]:
            bisect.insort(unused, part)
        if size > 0:
            parts[parent[f]].append(block)
    return np.array([*place, end])


def _lower(i, j, n):
    """Pointers and columns of the lower triangle of B + Bᵀ, B having entries at i, j.

    Columns that are in both come twice.
    """
    high, low = np.divmod(np.sort(np.maximum(i, j) * n + np.minimum(i, j)), n)
    strict = low < high
    return _pointers(np.bincount(high[strict], minlength=n)), low[strict]


@njit(cache=True)
def _tree(ptr, low):
    """Parents in the elimination tree (Liu, ACM TOMS 12, 1986), -1 for roots."""
    n = len(ptr) - 1
    parent, ancestor = np.full(n, -1), np.full(n, -1)
    for i in range(n):
        for e in range(ptr[i], ptr[i + 1]):
            j = low[e]
            while ancestor[j] != i and ancestor[j] != -1:
                ancestor[j], j = i, ancestor[j]
            if ancestor[j] == -1 and j != i:
                ancestor[j] = parent[j] = i
    return parent


@njit(cache=True)
def _postorder(parent):
    """Children before parents, subtrees consecutive; the identity if that is so already."""
    n = len(parent)
    child, sibling = np.full(n + 1, -1), np.full(n, -1)  # child[-1]: roots
    for j in range(n - 1, -1, -1):
        sibling[j] = child[parent[j]]
        child[parent[j]] = j
    order, k = np.empty(n, dtype=np.int64), 0
    todo, top = np.empty(n + 1, dtype=np.int64), 0
    todo[0] = -1
    while top >= 0:
        j = child[todo[top]]
        if j >= 0:  # go down to the next child, taking it out of its parent's list
            child[todo[top]] = sibling[j]
            top += 1
            todo[top] = j
        else:
            if todo[top] >= 0:
                order[k] = todo[top]
                k += 1
            top -= 1
    return order


@njit(cache=True)
def _fill_columns(ptr, low, parent, room, members):
    """Number of entries below the diagonal in every column of L; rows of columns with room.

    The row i of L is what the paths from its entries in A to i in the tree pass; the rows of the
    column j are put into `members` from `room[j]` on, if that is not negative.
    """
    n = len(parent)
    count, seen = np.zeros(n, dtype=np.int64), np.full(n, -1)
    for i in range(n):
        seen[i] = i
        for e in range(ptr[i], ptr[i + 1]):
            j = low[e]
            while seen[j] != i:
                seen[j] = i
                if room[j] >= 0:
                    members[room[j] + count[j]] = i
                count[j] += 1
                j = parent[j]
    return count


def _find_fronts(ptr, low):
    """First slots of fronts, pointers to and slots of their other rows, and parent fronts."""
    parent = _tree(ptr, low)
    none = np.full(len(parent), -1)
    count = _fill_columns(ptr, low, parent, none, none)
    first = np.array([*_merge(parent, count), len(parent)])
    last = first[1:] - 1
    rest_at = _pointers(count[last])  # what the last pivot touches includes what the others do
    room, rest = none.copy(), np.empty(rest_at[-1], dtype=np.int64)
    room[last] = rest_at[:-1]
    _fill_columns(ptr, low, parent, room, rest)
    above = np.searchsorted(first, parent[last], side="right") - 1
    return first, rest_at, rest, above


def _merge(parent, count):
    """First slots of fronts: columns with equal rows, and more where larger fronts cost less."""
    n = len(parent)
    apart = (parent[:-1] != np.arange(1, n)) | (count[:-1] != count[1:] + 1)
    starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    ends = np.append(starts[1:], n)
    first = []
    for a, b, r in zip(starts.tolist(), ends.tolist(), count[ends - 1].tolist(), strict=True):
        while first and parent[a - 1] == a:
            before = _cost(a - first[-1], count[a - 1]) + _cost(b - a, r)
            if _cost(b - first[-1], r) > before:
                break
            a = first.pop()
        first.append(a)
    return first


def _cost(k, r):
    """Estimated time of a front with k pivots and r other rows; the unit is one `_update`."""
    k, lead = _pad(k), _pad(k) + _pad(r)
    updates = sum((lead - j) ** 2 for j in range(LANES, k + LANES, LANES)) / LANES
    return 100 + 3 * lead + 0.2 * lead**2 + updates


# ---- numbers ------------------------------------------------------------------------------------


def _update(y, i, a, j, lead, u0, u1, u2, u3, scale):
    """y = (y - a0 u0 - a1 u1 - a2 u2 - a3 u3) scale for LANES numbers of y, from i on.

    a0 starts at a[j] and a1, a2, a3 follow at distances `lead`.  This is the model, and what runs
    without compilation; compiled, it is the vector operations below, because the compiler does not
    find them (numba leaves LLVM's search for them, SLP, switched off).
    """
    columns = a[j : j + LANES], a[j + lead :][:LANES], a[j + 2 * lead :][:LANES]
    part = y[i : i + LANES] - columns[0] * u0 - columns[1] * u1 - columns[2] * u2
    y[i : i + LANES] = (part - a[j + 3 * lead :][:LANES] * u3) * scale


def _raise(peak, weight, i, a, j, lead, s0, s1, s2, s3):
    """peak = max(peak, |a0| w s0, ..., |a3| w s3), w = weight[i:], in the manner of `_update`."""
    for q, s in enumerate((s0, s1, s2, s3)):
        column = np.abs(a[j + q * lead :][:LANES])
        peak[:] = np.maximum(peak, column * weight[i : i + LANES] * s)


_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _vector_at(context, builder, array_type, array, offset):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _spread(builder, number):
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zeros)


@intrinsic
def _vector_update(typing, y, i, a, j, lead, u0, u1, u2, u3, scale):
    signature = types.void(y, types.int64, a, types.int64, types.int64, *[types.float64] * 5)

    def generate(context, builder, signature, args):
        where = _vector_at(context, builder, y, args[0], args[1])
        result, offset = builder.load(where, align=8), args[3]
        for u in args[5:9]:
            column = builder.load(_vector_at(context, builder, a, args[2], offset), align=8)
            product = builder.fmul(column, _spread(builder, u), flags=["contract"])
            result = builder.fsub(result, product, flags=["contract"])
            offset = builder.add(offset, args[4])
        builder.store(builder.fmul(result, _spread(builder, args[9])), where, align=8)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _vector_raise(typing, peak, weight, i, a, j, lead, s0, s1, s2, s3):
    integers = [types.int64] * 2
    signature = types.void(peak, weight, types.int64, a, *integers, *[types.float64] * 4)

    def generate(context, builder, signature, args):
        where = _vector_at(context, builder, peak, args[0], ir.Constant(ir.IntType(64), 0))
        result, offset = builder.load(where, align=8), args[4]
        w = builder.load(_vector_at(context, builder, weight, args[1], args[2]), align=8)
        for s in args[6:10]:
            column = builder.load(_vector_at(context, builder, a, args[3], offset), align=8)
            size = builder.fmul(builder.fmul(column, w), _spread(builder, s))
            for value in (size, builder.fneg(size)):
                result = builder.select(builder.fcmp_ordered(">", value, result), value, result)
            offset = builder.add(offset, args[5])
        builder.store(result, where, align=8)
        return context.get_dummy_value()

    return signature, generate


@overload(_update)
def _compiled_update(y, i, a, j, lead, u0, u1, u2, u3, scale):
    return lambda y, i, a, j, lead, u0, u1, u2, u3, scale: _vector_update(
        y, i, a, j, lead, u0, u1, u2, u3, scale
    )


@overload(_raise)
def _compiled_raise(peak, weight, i, a, j, lead, s0, s1, s2, s3):
    return lambda peak, weight, i, a, j, lead, s0, s1, s2, s3: _vector_raise(
        peak, weight, i, a, j, lead, s0, s1, s2, s3
    )


_compiled = njit(cache=True, error_model="numpy", fastmath={"contract"})


@_compiled
def refactor(lu, vals):
    """Factors for new values; returns the growth, infinite if a pivot vanishes.

    The growth is the largest |l_ij| of the matrix with its rows scaled by `row_scale`: about 1 to
    100 after analyse, and rounding errors grow with it, so analyse again when it is large (1e6).
    """
    lu.peak[:] = 0.0
    for f in range(len(lu.fronts) - 1):
        this, after = lu.fronts[f], lu.fronts[f + 1]
        k, r, lead = this["pivots"], this["rest"], after["row_at"] - this["row_at"]
        front = lu.factors[this["factor_at"] : after["factor_at"]]
        remainder = lu.remainders[this["remainder_at"] :][: r * (lead - k)]
        front[:] = 0.0
        remainder[:] = 0.0
        for pad in range(after["slot"] - this["slot"], k):
            front[pad * lead + pad] = 1.0
        source = lu.source[this["entry_at"] : after["entry_at"]]
        target = lu.target[this["entry_at"] : after["entry_at"]]
        for e in range(len(source)):
            lu.factors[target[e]] = vals[source[e]]
        for q in range(this["child_at"], after["child_at"]):
            child = lu.fronts[lu.child[q]]
            part = lu.remainders[child["remainder_at"] :]
            rows = lu.into[child["row_at"] + child["pivots"] : lu.fronts[lu.child[q] + 1]["row_at"]]
            _add(part, rows, child["rest"], front, remainder, k, lead)
        if not _eliminate(front, remainder, k, r, lead, lu.weight[this["row_at"] :], lu.peak):
            return np.inf
    return max(lu.peak[0], lu.peak[1], lu.peak[2], lu.peak[3])


@_compiled
def _add(part, rows, n, front, remainder, k, lead):
    """Add the remainder of a child, n columns that are `rows` here (and padding), to a front."""
    for j in range(n):
        column, c = part[j * len(rows) :], rows[j]
        for i in range(n):
            if c < k:
                front[c * lead + rows[i]] += column[i]
            elif rows[i] < k:
                front[k * lead + (c - k) * k + rows[i]] += column[i]
            else:
                remainder[(c - k) * (lead - k) + rows[i] - k] += column[i]


@_compiled
def _eliminate(front, remainder, k, r, lead, weight, peak):
    """Eliminate the k pivots of a front, four at a time; False if a pivot vanishes.

    `front` are its first k columns, where L takes the place of the lower triangle, U that of the
    upper and inverted pivots that of the diagonal, and then U12, k rows of the r other columns;
    `remainder` are the other rows of these.
    """
    for j in range(0, k, LANES):
        d0 = j * lead + j
        d1, d2, d3 = d0 + lead, d0 + 2 * lead, d0 + 3 * lead
        p0 = 1.0 / front[d0]
        l10, l20, l30 = front[d0 + 1] * p0, front[d0 + 2] * p0, front[d0 + 3] * p0
        u01, u02, u03 = front[d1], front[d2], front[d3]
        p1 = 1.0 / (front[d1 + 1] - l10 * u01)
        l21, l31 = (front[d1 + 2] - l20 * u01) * p1, (front[d1 + 3] - l30 * u01) * p1
        u12, u13 = front[d2 + 1] - l10 * u02, front[d3 + 1] - l10 * u03
        p2 = 1.0 / (front[d2 + 2] - l20 * u02 - l21 * u12)
        l32 = (front[d2 + 3] - l30 * u02 - l31 * u12) * p2
        u23 = front[d3 + 2] - l20 * u03 - l21 * u13
        p3 = 1.0 / (front[d3 + 3] - l30 * u03 - l31 * u13 - l32 * u23)
        if not 0.0 < abs(p0 * p1 * p2 * p3) < np.inf:
            return False
        front[d0], front[d0 + 1], front[d0 + 2], front[d0 + 3] = p0, l10, l20, l30
        front[d1 + 1], front[d1 + 2], front[d1 + 3] = p1, l21, l31
        front[d2 + 1], front[d2 + 2], front[d2 + 3] = u12, p2, l32
        front[d3 + 1], front[d3 + 2], front[d3 + 3] = u13, u23, p3

        w0, w1, w2, w3 = weight[j], weight[j + 1], weight[j + 2], weight[j + 3]
        s0, s1, s2, s3 = 1.0 / w0, 1.0 / w1, 1.0 / w2, 1.0 / w3
        below0 = max(abs(l10) * w1, abs(l20) * w2, abs(l30) * w3) * s0
        below1 = max(abs(l21) * w2, abs(l31) * w3) * s1
        peak[0] = max(peak[0], below0, below1, abs(l32) * w3 * s2)
        for i in range(j + LANES, lead, LANES):
            a = j * lead + i
            _update(front, a, front, a, lead, 0.0, 0.0, 0.0, 0.0, p0)
            _update(front, a + lead, front, a, lead, u01, 0.0, 0.0, 0.0, p1)
            _update(front, a + 2 * lead, front, a, lead, u02, u12, 0.0, 0.0, p2)
            _update(front, a + 3 * lead, front, a, lead, u03, u13, u23, 0.0, p3)
            _raise(peak, weight, i, front, a, lead, s0, s1, s2, s3)

        for c in range(j + LANES, k + r):
            column = c * lead if c < k else k * lead + (c - k) * k
            u = column + j
            u0 = front[u]
            u1 = front[u + 1] - l10 * u0
            u2 = front[u + 2] - l20 * u0 - l21 * u1
            u3 = front[u + 3] - l30 * u0 - l31 * u1 - l32 * u2
            front[u + 1], front[u + 2], front[u + 3] = u1, u2, u3
            for i in range(j + LANES, lead if c < k else k, LANES):
                _update(front, column + i, front, j * lead + i, lead, u0, u1, u2, u3, 1.0)
            if c >= k:
                column = (c - k) * (lead - k) - k
                for i in range(k, lead, LANES):
                    _update(remainder, column + i, front, j * lead + i, lead, u0, u1, u2, u3, 1.0)
    return True


@_compiled
def solve(lu, b):
    """Solve A x = b with the factors of the last refactor; b becomes x."""
    n = len(lu.row_perm)
    for i in range(n):
        lu.slots[i] = b[lu.row_perm[i]]
    lu.slots[n] = 0.0
    for f in range(len(lu.fronts) - 1):
        this, after = lu.fronts[f], lu.fronts[f + 1]
        index = lu.slot_of[this["row_at"] : after["row_at"]]
        for i in range(len(index)):
            lu.local[i] = lu.slots[index[i]]
        _forward(lu.factors[this["factor_at"] :], this["pivots"], len(index), lu.local)
        for i in range(len(index)):
            lu.slots[index[i]] = lu.local[i]
    for f in range(len(lu.fronts) - 2, -1, -1):
        this, after = lu.fronts[f], lu.fronts[f + 1]
        index = lu.slot_of[this["row_at"] : after["row_at"]]
        for i in range(len(index)):
            lu.local[i] = lu.slots[index[i]]
        _backward(lu.factors[this["factor_at"] :], this["pivots"], len(index), lu.local)
        for i in range(after["slot"] - this["slot"]):
            lu.slots[index[i]] = lu.local[i]
    for i in range(n):
        b[lu.col_perm[i]] = lu.slots[i]


@_compiled
def _forward(front, k, lead, x):
    """x = L⁻¹ x for one front."""
    for j in range(0, k, LANES):
        d = j * lead + j
        x0 = x[j]
        x1 = x[j + 1] - front[d + 1] * x0
        x2 = x[j + 2] - front[d + 2] * x0 - front[d + lead + 2] * x1
        x3 = x[j + 3] - front[d + 3] * x0 - front[d + lead + 3] * x1
        x3 -= front[d + 2 * lead + 3] * x2
        x[j + 1], x[j + 2], x[j + 3] = x1, x2, x3
        for i in range(j + LANES, lead, LANES):
            _update(x, i, front, j * lead + i, lead, x0, x1, x2, x3, 1.0)


@_compiled
def _backward(front, k, lead, x):
    """x1 = U11⁻¹ (x1 - U12 x2) for one front, x1 being its pivots and x2 the rest."""
    for j in range(k, lead, LANES):
        u12 = k * lead + (j - k) * k
        for i in range(0, k, LANES):
            _update(x, i, front, u12 + i, k, x[j], x[j + 1], x[j + 2], x[j + 3], 1.0)
    for j in range(k - LANES, -1, -LANES):
        d0 = j * lead + j
        d1, d2, d3 = d0 + lead, d0 + 2 * lead, d0 + 3 * lead
        x3 = x[j + 3] * front[d3 + 3]
        x2 = (x[j + 2] - front[d3 + 2] * x3) * front[d2 + 2]
        x1 = (x[j + 1] - front[d3 + 1] * x3 - front[d2 + 1] * x2) * front[d1 + 1]
        x0 = (x[j] - front[d3] * x3 - front[d2] * x2 - front[d1] * x1) * front[d0]
        x[j], x[j + 1], x[j + 2], x[j + 3] = x0, x1, x2, x3
        for i in range(0, j, LANES):
            _update(x, i, front, j * lead + i, lead, x0, x1, x2, x3, 1.0)
