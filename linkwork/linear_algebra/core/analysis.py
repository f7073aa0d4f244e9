"""analyse: A → order, pivots and fronts of P A Q = L U, decided once for a pattern and its values.

The matrix is judged after scaling, R A S with R and S powers of two, so that the largest entries of
rows and columns are about one; the factors are those of the matrix as it is.
"""

import numpy as np

from linkwork.kernels.compiled import announce
from linkwork.linear_algebra.core.fronts import build
from linkwork.linear_algebra.core.numeric import refactor
from linkwork.linear_algebra.core.pivots import SingularMatrix, choose_pivots


def analyse(indptr, indices, vals, groups, motions, pivots=None):
    """Order, pivots and fronts for the CSR matrix (indptr, indices, vals); call refactor next.

    `groups` is the group number of every unknown: each body is a group, each joint's multipliers
    are one, and unknowns of a group are consecutive; the first `motions` unknowns are of bodies and
    vector nodes.
    Entries of a row are distinct; entries of `vals` beyond the pattern are ignored.  `pivots` is
    `lu.pivots` of an earlier LU of the same pattern, or only its (row_perm, col_perm): the factors
    then have the same digits, and without the third item just the growth is measured differently.
    """
    announce(refactor, "the sparse LU factorisation", 4)
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(indptr))
    cols = np.asarray(indices[: len(rows)], dtype=np.int64)
    vals = np.asarray(vals[: len(rows)], dtype=float)
    if pivots is not None:
        row_perm, col_perm = pivots[:2]
        row_scale = pivots[2] if len(pivots) == 3 else equilibrate(rows, cols, vals, n)[0]
    else:
        if not np.all(np.isfinite(vals)):
            where = int(rows[np.argmin(np.isfinite(vals))])
            raise SingularMatrix(
                f"the row of unknown {where} has entries that are no numbers", where
            )
        row_scale, col_scale = equilibrate(rows, cols, vals, n)
        scaled = vals * row_scale[rows] * col_scale[cols]
        row_perm, col_perm = choose_pivots(rows, cols, scaled, np.asarray(groups), motions)
    return build(rows, cols, np.array(row_perm), np.array(col_perm), np.array(row_scale))


def equilibrate(rows, cols, vals, n):
    """Powers of two that scale the largest entries of rows and columns to about one (Ruiz 2001)."""
    row_scale, col_scale = np.ones(n), np.ones(n)
    for _ in range(4):
        size = np.abs(vals) * row_scale[rows] * col_scale[cols]
        for scale, number in ((row_scale, rows), (col_scale, cols)):
            largest = np.zeros(n)
            np.fmax.at(largest, number, size)
            scale /= np.sqrt(np.where((largest > 0) & (largest < np.inf), largest, 1.0))
    return np.exp2(np.rint(np.log2(row_scale))), np.exp2(np.rint(np.log2(col_scale)))
