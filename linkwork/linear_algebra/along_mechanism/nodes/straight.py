"""Rows of a node of which the first three are axes, as those of a ball are.

    C_b = [ R_Sᵀ  Y ]   three rows: R_S has the axes of the main marker as columns
          [ 0     Q ]   two or three rows of rotations

Most joints hold the three displacements of a point in the axes of a marker.  With its displacements
as pivots, G of these rows is R_S itself: Gauss-Jordan is a product with the transposed matrix, and
only Q is left to reduce.  That the axes are perpendicular and of length one, and the zeros, is part
of the verdict on the pivots (weights AXES): rows that are otherwise are reduced as in `echelon`.
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import fused_inlined, fused_spliced
from linkwork.kernels.registers.eights import high8, join8, load8, put8, six8, spread8, sum8
from linkwork.linear_algebra.along_mechanism.nodes.echelon import (
    WIDTH, cleared, less, loaded, scaled, stored, stored_five,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.nodes.rows import WEAK
from linkwork.linear_algebra.along_mechanism.tables import ROW_B, ROW_INTS, unit

AXES = 1e12  # deviations of some 1e-11 are refused
NONE = (0.0, 0.0, 0.0)


@fused_inlined
def has_displacements(e, vals, r0, i):
    """1 where row i is not one of rotations alone."""
    p = e.rows[r0 + ROW_INTS * i + ROW_B]
    return 1 if abs(vals[p]) + abs(vals[p + 1]) + abs(vals[p + 2]) > 0.0 else 0


@fused_inlined
def choose_straight(e, vals, r0, o0, k, n0):
    """Rows with displacements first, then those of rotations with their largest entries as pivots.

    False where there are not three rows with displacements, or too few pivots.
    """
    Q, first, last, moving = e.spare, 0, 3, 0
    for i in range(k):
        moving += has_displacements(e, vals, r0, i)
    if moving != 3:
        return False
    for i in range(k):
        if has_displacements(e, vals, r0, i) > 0:
            e.order[o0 + first] = i
            first += 1
            continue
        p = e.rows[r0 + ROW_INTS * i + ROW_B]
        for j in range(3):
            Q[3 * (last - 3) + j] = vals[p + 3 + j]
        e.order[o0 + last] = i
        last += 1
    for c in range(3):
        e.pivot_col[n0 + c] = c
        e.pivot_col[n0 + 3 + c] = 3 + c
    for t in range(k - 3):
        best, row, col = 0.0, -1, -1
        for r in range(t, k - 3):
            largest = max(abs(Q[3 * r]), abs(Q[3 * r + 1]), abs(Q[3 * r + 2]))
            for u in range(t, 3):
                c = e.pivot_col[n0 + 3 + u] - 3
                if abs(Q[3 * r + c]) > max(best, WEAK * largest):
                    best, row, col = abs(Q[3 * r + c]), r, u
        if row < 0:
            return False
        i, j = n0 + 3 + t, n0 + 3 + col
        e.pivot_col[i], e.pivot_col[j] = e.pivot_col[j], e.pivot_col[i]
        i, j = o0 + 3 + t, o0 + 3 + row
        e.order[i], e.order[j] = e.order[j], e.order[i]
        c = e.pivot_col[n0 + 3 + t] - 3
        for j in range(3):
            Q[3 * t + j], Q[3 * row + j] = Q[3 * row + j], Q[3 * t + j]
        for r in range(t + 1, k - 3):
            s = Q[3 * r + c] / Q[3 * t + c]
            for j in range(3):
                Q[3 * r + j] -= s * Q[3 * t + j]
    return True


@fused_inlined
def turned(a, b, c, vals, i, j, l):
    """R_S times three rows, row by row: column after column of what is stored from i, j, l on."""
    return (
        a * vals[i] + b * vals[j] + c * vals[l],
        a * vals[i + 1] + b * vals[j + 1] + c * vals[l + 1],
        a * vals[i + 2] + b * vals[j + 2] + c * vals[l + 2],
    )


@fused_spliced
def reduce_straight(e, vals, rhs, r0, o0, k, n0, at_):
    """Echelon form; the verdict, two sums of squares."""
    order, scale, store, col = e.order, e.scale, e.store, e.pivot_col
    m, n, o, here = col[n0 + 3], col[n0 + 4], col[n0 + 5], 0 * e.left
    i = r0 + ROW_INTS * order[o0]
    j = r0 + ROW_INTS * order[o0 + 1]
    l = r0 + ROW_INTS * order[o0 + 2]
    a = loaded(e, vals, rhs, i, o, k, here)
    b = loaded(e, vals, rhs, j, o, k, here)
    c = loaded(e, vals, rhs, l, o, k, here)
    d = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 3], o, k, here)
    f = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 4], o, k, here)
    i, j, l = e.rows[i + ROW_B], e.rows[j + ROW_B], e.rows[l + ROW_B]
    ex, ey, ez = unit(e.units, 0), unit(e.units, 1), unit(e.units, 2)
    x, y, z = turned(a[0], b[0], c[0], vals, i, j, l)
    p, q, r = turned(a[1], b[1], c[1], vals, i, j, l)
    weights, axes = load8(scale, 2 * STRIDE), load8(scale, 3 * STRIDE)
    u, v, w = x - ex, y - ey, z - ez
    squares = (u * u + v * v + w * w) * weights + (d[0] * d[0] + f[0] * f[0]) * axes
    verdict, w = (squares, 0.0), high8(load8(scale, 0))
    a = join8(six8((vals[i], vals[j], vals[l]), NONE), x), p
    b = join8(six8((vals[i + 1], vals[j + 1], vals[l + 1]), NONE), y), q
    c = join8(six8((vals[i + 2], vals[j + 2], vals[l + 2]), NONE), z), r
    d, verdict, w = scaled(d, m, verdict, w, scale)
    a, b, c, f = cleared(a, d, m), cleared(b, d, m), cleared(c, d, m), cleared(f, d, m)
    f, verdict, w = scaled(f, n, verdict, w, scale)
    a, b, c, d = cleared(a, f, n), cleared(b, f, n), cleared(c, f, n), cleared(d, f, n)
    if k > 5:
        last = loaded(e, vals, rhs, r0 + ROW_INTS * order[o0 + 5], o, k, here)
        given, zero = last[0], spread8(0.0)
        verdict = verdict[0] + given * given * axes, verdict[1]
        last = put8(put8(given, m, zero), n, zero), last[1]
        last = less(less(last, d, given, m), f, given, n)
        last, verdict, w = scaled(last, o, verdict, w, scale)
        a, b, c = cleared(a, last, o), cleared(b, last, o), cleared(c, last, o)
        d, f = cleared(d, last, o), cleared(f, last, o)
        stored(store, at_ + 5 * WIDTH, last)
    stored_five(store, at_, a, b, c, d, f)
    return sum8(verdict[0]), verdict[1]
