"""3×3 matrices as three rows of four numbers, a vector each, for the tangent of beams.

    X = rows_at(a, p)    the matrix whose nine numbers begin at p      product(A, X)   A X
    crossed(a, X)        ã X                                           turned(R, X)    Rᵀ X

A is a tuple of nine numbers.  The last of the four is zero.  Two such matrices beside each other
are rows of eight, as a block of the iteration matrix has them.
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import load8, store8
from linkwork.kernels.registers.fours import pair8, row4, store4, unit4


@fused_inlined
def rows_at(flat, p):
    """The rows of the matrix whose nine numbers begin at p."""
    return row4(flat, p), row4(flat, p + 3), row4(flat, p + 6)


@fused_inlined
def rows_of_transpose(A):
    """The rows of Aᵀ."""
    x, y, z = unit4(0), unit4(1), unit4(2)
    return (
        x * A[0] + y * A[3] + z * A[6], x * A[1] + y * A[4] + z * A[7],
        x * A[2] + y * A[5] + z * A[8],
    )  # fmt: skip


@fused_inlined
def skew_rows(a):
    """The rows of ã."""
    x, y, z = unit4(0), unit4(1), unit4(2)
    return z * a[1] - y * a[2], x * a[2] - z * a[0], y * a[0] - x * a[1]


@fused_inlined
def product(A, X):
    """A X"""
    return (
        X[0] * A[0] + X[1] * A[1] + X[2] * A[2],
        X[0] * A[3] + X[1] * A[4] + X[2] * A[5],
        X[0] * A[6] + X[1] * A[7] + X[2] * A[8],
    )


@fused_inlined
def turned(R, X):
    """Rᵀ X"""
    return (
        X[0] * R[0] + X[1] * R[3] + X[2] * R[6],
        X[0] * R[1] + X[1] * R[4] + X[2] * R[7],
        X[0] * R[2] + X[1] * R[5] + X[2] * R[8],
    )


@fused_inlined
def crossed(a, X):
    """ã X"""
    return X[2] * a[1] - X[1] * a[2], X[0] * a[2] - X[2] * a[0], X[1] * a[0] - X[0] * a[1]


@fused_inlined
def plus(X, Y):
    return X[0] + Y[0], X[1] + Y[1], X[2] + Y[2]


@fused_inlined
def minus(X, Y):
    return X[0] - Y[0], X[1] - Y[1], X[2] - Y[2]


@fused_inlined
def times(X, s):
    return X[0] * s, X[1] * s, X[2] * s


@fused_inlined
def plus_times(X, Y, s):
    """X + s Y"""
    return X[0] + Y[0] * s, X[1] + Y[1] * s, X[2] + Y[2] * s


@fused_inlined
def put_nine_rows(y, p, X):
    """The nine numbers of a matrix to p and behind; the tenth is written, too."""
    store4(y, p, X[0])
    store4(y, p + 3, X[1])
    store4(y, p + 6, X[2])


@fused_inlined
def beside(X, Y):
    """[X | Y], rows of eight numbers as those of a block."""
    return pair8(X[0], Y[0]), pair8(X[1], Y[1]), pair8(X[2], Y[2])


@fused_inlined
def add_rows(vals, base, s, X):
    """Add s X to three rows of a block."""
    for i in range(3):
        store8(vals, base + i * STRIDE, load8(vals, base + i * STRIDE) + X[i] * s)


@fused_inlined
def put_rows(vals, base, s, X):
    """Write s X to three rows of a block."""
    for i in range(3):
        store8(vals, base + i * STRIDE, X[i] * s)
