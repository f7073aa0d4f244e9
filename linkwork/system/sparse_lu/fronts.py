"""The fronts of given pivots, from the pattern alone: an entry that is zero now may fill later.

A front holds k pivots and the r other rows they touch, F11 = L11 U11, and leaves a remainder:

    [F11  F12]     U12 = L11⁻¹ F12,  L21 = F21 U11⁻¹,   F22 − L21 U12 → added to the parent front
    [F21  F22]

Fronts are stored by columns and padded to multiples of LANES in pivots and rows (an added pivot is
a row of the identity matrix).
"""

import bisect
from typing import Annotated, NamedTuple

import numpy as np

from linkwork.math.memory.records import Floats, Ints, Shorts, stored
from linkwork.system.sparse_lu.lanes import LANES, pad
from linkwork.system.sparse_lu.tree import (
    elimination_tree,
    fill_columns,
    lower_triangle,
    pointers,
    postorder,
)

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


@stored
class LU(NamedTuple):
    """Pivots, fronts, factors and workspace of one matrix; all arrays, for compiled loops.

    The arrays after `row_scale` are for this package.  "Slot" is the number of a pivot in the order
    of elimination; the padding of fronts uses the slot n, which always holds zero.
    """

    row_perm: Ints  # row of A that is the row i of P A Q
    col_perm: Ints  # column of A that is the column i of P A Q
    row_scale: Floats  # weight of the rows of A in the growth that refactor returns
    fronts: Annotated[np.ndarray, FRONT]  # table of FRONT, children before parents
    child: Ints  # fronts that add their remainders to this one
    slot_of: Shorts  # slot of every row of a front
    into: Ints  # for a row that is not a pivot: its number in the parent front
    weight: Floats  # row_scale of every row of a front
    source: Shorts  # number of an entry in vals ...
    target: Shorts  # ... and its place in factors
    factors: Floats  # per front: columns of [L11\U11; L21], then columns of U12
    remainders: Floats  # workspace: columns of remainders that wait for the parent fronts
    peak: Floats  # workspace: largest multipliers, per lane
    slots: Floats  # workspace: right-hand side and solution by slot
    local: Floats  # workspace: the part of `slots` of one front

    @property
    def pivots(self):
        """What `analyse(..., pivots=)` needs to reproduce this factorisation digit by digit."""
        return self.row_perm, self.col_perm, self.row_scale


def build(rows, cols, row_perm, col_perm, row_scale):
    """The LU for these pivots, renumbered so that the slots of every subtree are consecutive."""
    n = len(row_perm)
    i, j = np.argsort(row_perm)[rows], np.argsort(col_perm)[cols]
    order = postorder(elimination_tree(*lower_triangle(i, j, n)))
    row_perm, col_perm = row_perm[order], col_perm[order]
    i, j = np.argsort(row_perm)[rows], np.argsort(col_perm)[cols]
    first, rest_at, rest, parent = find_fronts(*lower_triangle(i, j, n))
    of_slot = np.repeat(np.arange(len(parent)), np.diff(first))
    of_rest = np.repeat(np.arange(len(parent)), np.diff(rest_at))
    of_entry = of_slot[np.minimum(i, j)]
    n_pivots, n_rest = pad(np.diff(first)), np.diff(rest_at)
    lead = n_pivots + pad(n_rest)
    rest_keys = of_rest * n + rest  # sorted

    def place(f, slot):
        """Number of the row (or column) of a slot in the front f."""
        below = n_pivots[f] + np.searchsorted(rest_keys, f * n + slot) - rest_at[f]
        return np.where(slot < first[f + 1], slot - first[f], below)

    fronts = front_table(first, n_pivots, n_rest, parent, of_entry)
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


def front_table(first, n_pivots, n_rest, parent, of_entry):
    """The table of FRONT; `of_entry` is the front of every entry of the matrix."""
    fronts = np.zeros(len(first), dtype=FRONT)
    fronts["slot"], fronts["pivots"][:-1], fronts["rest"][:-1] = first, n_pivots, n_rest
    fronts["child_at"] = pointers(np.bincount(parent[parent >= 0], minlength=len(parent)))
    fronts["row_at"] = pointers(n_pivots + pad(n_rest))
    fronts["entry_at"] = pointers(np.bincount(of_entry, minlength=len(parent)))
    fronts["factor_at"] = pointers(n_pivots * (n_pivots + 2 * pad(n_rest)))
    fronts["remainder_at"] = share_places(parent, n_rest * pad(n_rest))
    return fronts


def share_places(parent, sizes):
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


def find_fronts(ptr, low):
    """First slots of fronts, pointers to and slots of their other rows, and parent fronts."""
    parent = elimination_tree(ptr, low)
    none = np.full(len(parent), -1)
    count = fill_columns(ptr, low, parent, none, none)
    first = np.array([*merge(parent, count), len(parent)])
    last = first[1:] - 1
    rest_at = pointers(count[last])  # what the last pivot touches includes what the others do
    room, rest = none.copy(), np.empty(rest_at[-1], dtype=np.int64)
    room[last] = rest_at[:-1]
    fill_columns(ptr, low, parent, room, rest)
    above = np.searchsorted(first, parent[last], side="right") - 1
    return first, rest_at, rest, above


def merge(parent, count):
    """First slots of fronts: columns with equal rows, and more where larger fronts cost less."""
    n = len(parent)
    apart = (parent[:-1] != np.arange(1, n)) | (count[:-1] != count[1:] + 1)
    starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    ends = np.append(starts[1:], n)
    first = []
    for a, b, r in zip(starts.tolist(), ends.tolist(), count[ends - 1].tolist(), strict=True):
        while first and parent[a - 1] == a:
            before = cost(a - first[-1], count[a - 1]) + cost(b - a, r)
            if cost(b - first[-1], r) > before:
                break
            a = first.pop()
        first.append(a)
    return first


def cost(k, r):
    """Estimated time of a front with k pivots and r other rows; the unit is one `update`."""
    k, lead = pad(k), pad(k) + pad(r)
    updates = sum((lead - j) ** 2 for j in range(LANES, k + LANES, LANES)) / LANES
    return 100 + 3 * lead + 0.2 * lead**2 + updates
