"""The elimination tree: parent(j) = min {i > j : l_ij ≠ 0}, from the pattern of B + Bᵀ alone.

The row i of L is what the paths from its entries in B to i in the tree pass (Liu, ACM TOMS 12, 1986
and SIAM Review 34, 1992), so the fill is counted and listed without computing it.
"""

import numpy as np

from linkwork.kernels.compiled import compiled


def lower_triangle(i, j, n):
    """Pointers and columns of the lower triangle of B + Bᵀ, B having entries at i, j.

    Columns that are in both come twice.
    """
    high, low = np.divmod(np.sort(np.maximum(i, j) * n + np.minimum(i, j)), n)
    strict = low < high
    return pointers(np.bincount(high[strict], minlength=n)), low[strict]


@compiled
def elimination_tree(ptr, low):
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


@compiled
def postorder(parent):
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


@compiled
def fill_columns(ptr, low, parent, room, members):
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


def pointers(counts):
    """Where parts of these sizes start, one after the other, and the end of all."""
    return np.concatenate([[0], np.cumsum(counts)])
