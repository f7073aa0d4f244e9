"""The numbers: A = L U and L U x = b by fronts, compiled; they follow the plan and decide nothing.

Per front, four pivots at a time, with inverted pivots on the diagonal of U11:

    [F11  F12]   [L11   ] [U11  U12]
    [F21  F22] = [L21  I] [     R  ],    R = F22 − L21 U12, added to the parent front
"""

import numpy as np

from linkwork.kernels.compiled import far, fused_inlined
from linkwork.linear_algebra.core.blocks import PANEL, update_others
from linkwork.linear_algebra.core.lanes import LANES, raise_peak, update

LARGE = 160  # rows from which a front is eliminated by panels


@far
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
            add_remainder(part, rows, child["rest"], front, remainder, k, lead)
        if not eliminate(front, remainder, k, r, lead, lu.weight[this["row_at"] :], lu.peak):
            return np.inf
    return max(lu.peak[0], lu.peak[1], lu.peak[2], lu.peak[3])


@fused_inlined
def add_remainder(part, rows, n, front, remainder, k, lead):
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


@fused_inlined
def eliminate(front, remainder, k, r, lead, weight, peak):
    """Eliminate the k pivots of a front; False if a pivot vanishes.

    `front` are its first k columns, where L takes the place of the lower triangle, U that of the
    upper and inverted pivots that of the diagonal, and then U12, k rows of the r other columns;
    `remainder` are the other rows of these.  A large front does not fit into the caches: PANEL
    columns are eliminated, and then all others at once (`blocks`), with the same operations.
    """
    if lead < LARGE:
        return eliminate_columns(front, remainder, 0 * k, k, k + r, k, r, lead, weight, peak)
    for first in range(0, k, PANEL):
        end = min(first + PANEL, k)
        if not eliminate_columns(
            front, remainder, first, end, end, k, r, lead, weight, peak
        ):
            return False
        update_others(front, remainder, first, end, k, r, lead)
    return True


@fused_inlined
def eliminate_columns(front, remainder, first, end, last, k, r, lead, weight, peak):
    """The pivots from `first` to `end`, four at a time, in the columns before `last`."""
    for j in range(first, end, LANES):
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
            update(front, a, front, a, lead, 0.0, 0.0, 0.0, 0.0, p0)
            update(front, a + lead, front, a, lead, u01, 0.0, 0.0, 0.0, p1)
            update(front, a + 2 * lead, front, a, lead, u02, u12, 0.0, 0.0, p2)
            update(front, a + 3 * lead, front, a, lead, u03, u13, u23, 0.0, p3)
            raise_peak(peak, weight, i, front, a, lead, s0, s1, s2, s3)

        for c in range(j + LANES, last):
            column = c * lead if c < k else k * lead + (c - k) * k
            u = column + j
            u0 = front[u]
            u1 = front[u + 1] - l10 * u0
            u2 = front[u + 2] - l20 * u0 - l21 * u1
            u3 = front[u + 3] - l30 * u0 - l31 * u1 - l32 * u2
            front[u + 1], front[u + 2], front[u + 3] = u1, u2, u3
            for i in range(j + LANES, lead if c < k else k, LANES):
                update(front, column + i, front, j * lead + i, lead, u0, u1, u2, u3, 1.0)
            if c >= k:
                column = (c - k) * (lead - k) - k
                for i in range(k, lead, LANES):
                    update(remainder, column + i, front, j * lead + i, lead, u0, u1, u2, u3, 1.0)
    return True


@far
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
        forward(lu.factors[this["factor_at"] :], this["pivots"], len(index), lu.local)
        for i in range(len(index)):
            lu.slots[index[i]] = lu.local[i]
    for f in range(len(lu.fronts) - 2, -1, -1):
        this, after = lu.fronts[f], lu.fronts[f + 1]
        index = lu.slot_of[this["row_at"] : after["row_at"]]
        for i in range(len(index)):
            lu.local[i] = lu.slots[index[i]]
        backward(lu.factors[this["factor_at"] :], this["pivots"], len(index), lu.local)
        for i in range(after["slot"] - this["slot"]):
            lu.slots[index[i]] = lu.local[i]
    for i in range(n):
        b[lu.col_perm[i]] = lu.slots[i]


@far
def determinant_sign(lu):
    """The sign of det A of the last refactor, times one that its pivots' order alone decides."""
    sign = 1.0
    for f in range(len(lu.fronts) - 1):
        this, after = lu.fronts[f], lu.fronts[f + 1]
        lead, at = after["row_at"] - this["row_at"], this["factor_at"]
        for i in range(this["pivots"]):
            if lu.factors[at + i * lead + i] < 0.0:
                sign = -sign
    return sign


@fused_inlined
def forward(front, k, lead, x):
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
            update(x, i, front, j * lead + i, lead, x0, x1, x2, x3, 1.0)


@fused_inlined
def backward(front, k, lead, x):
    """x1 = U11⁻¹ (x1 - U12 x2) for one front, x1 being its pivots and x2 the rest."""
    for j in range(k, lead, LANES):
        u12 = k * lead + (j - k) * k
        for i in range(0, k, LANES):
            update(x, i, front, u12 + i, k, x[j], x[j + 1], x[j + 2], x[j + 3], 1.0)
    for j in range(k - LANES, -1, -LANES):
        d0 = j * lead + j
        d1, d2, d3 = d0 + lead, d0 + 2 * lead, d0 + 3 * lead
        x3 = x[j + 3] * front[d3 + 3]
        x2 = (x[j + 2] - front[d3 + 2] * x3) * front[d2 + 2]
        x1 = (x[j + 1] - front[d3 + 1] * x3 - front[d2 + 1] * x2) * front[d1 + 1]
        x0 = (x[j] - front[d3] * x3 - front[d2] * x2 - front[d1] * x1) * front[d0]
        x[j], x[j + 1], x[j + 2], x[j + 3] = x0, x1, x2, x3
        for i in range(0, j, LANES):
            update(x, i, front, j * lead + i, lead, x0, x1, x2, x3, 1.0)
