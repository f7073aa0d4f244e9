"""Vectors and 3×3 matrices as tuples of floats: what kernels compute with.

Numba keeps such tuples in registers, so nothing is allocated.  A matrix is nine numbers, row by
row.  `skew(a)` is ã with ã b = a × b.
"""

from __future__ import annotations

from linkwork.kernels.compiled import fused_inlined, inlined

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@fused_inlined
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@fused_inlined
def sub(a, b):
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@fused_inlined
def scale(s, a):
    """s a, a number times a vector."""
    return (s * a[0], s * a[1], s * a[2])


@fused_inlined
def dot(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """a × b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@inlined
def skew(a):
    """ã, the matrix with ã b = a × b."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@inlined
def outer(a, b):
    """a bᵀ."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@fused_inlined
def madd(A, B):
    """A + B."""
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2],
        A[3] + B[3], A[4] + B[4], A[5] + B[5],
        A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@fused_inlined
def mscale(s, A):
    """s A, a number times a matrix."""
    return (
        s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8],
    )  # fmt: skip


@inlined
def transpose(A):
    """Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@fused_inlined
def mv(A, b):
    """A b."""
    return (
        A[0] * b[0] + A[1] * b[1] + A[2] * b[2],
        A[3] * b[0] + A[4] * b[1] + A[5] * b[2],
        A[6] * b[0] + A[7] * b[1] + A[8] * b[2],
    )


@fused_inlined
def tv(A, b):
    """Aᵀ b."""
    return (
        A[0] * b[0] + A[3] * b[1] + A[6] * b[2],
        A[1] * b[0] + A[4] * b[1] + A[7] * b[2],
        A[2] * b[0] + A[5] * b[1] + A[8] * b[2],
    )


@fused_inlined
def mm(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@fused_inlined
def tm(A, B):
    """Aᵀ B."""
    return mm(transpose(A), B)


@fused_inlined
def mt(A, B):
    """A Bᵀ."""
    return mm(A, transpose(B))


@fused_inlined
def cm(a, B):
    """ã B: a × each column of B."""
    return (
        a[1] * B[6] - a[2] * B[3], a[1] * B[7] - a[2] * B[4], a[1] * B[8] - a[2] * B[5],
        a[2] * B[0] - a[0] * B[6], a[2] * B[1] - a[0] * B[7], a[2] * B[2] - a[0] * B[8],
        a[0] * B[3] - a[1] * B[0], a[0] * B[4] - a[1] * B[1], a[0] * B[5] - a[1] * B[2],
    )  # fmt: skip


@fused_inlined
def mc(A, b):
    """A b̃: each row of A × b."""
    return (
        A[1] * b[2] - A[2] * b[1], A[2] * b[0] - A[0] * b[2], A[0] * b[1] - A[1] * b[0],
        A[4] * b[2] - A[5] * b[1], A[5] * b[0] - A[3] * b[2], A[3] * b[1] - A[4] * b[0],
        A[7] * b[2] - A[8] * b[1], A[8] * b[0] - A[6] * b[2], A[6] * b[1] - A[7] * b[0],
    )  # fmt: skip


@fused_inlined
def cc(a, b):
    """ã b̃ = b aᵀ − (a·b) I."""
    d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return (
        b[0] * a[0] - d, b[0] * a[1], b[0] * a[2],
        b[1] * a[0], b[1] * a[1] - d, b[1] * a[2],
        b[2] * a[0], b[2] * a[1], b[2] * a[2] - d,
    )  # fmt: skip


@inlined
def column(A, i):
    """Column i of a matrix."""
    return (A[i], A[3 + i], A[6 + i])


@inlined
def at(array, k, c):
    """Three consecutive numbers of row k from column c."""
    return (array[k, c], array[k, c + 1], array[k, c + 2])


@inlined
def at4(array, k, c):
    """A quaternion stored in row k from column c."""
    return (array[k, c], array[k, c + 1], array[k, c + 2], array[k, c + 3])


@inlined
def at9(array, k, c):
    """A matrix stored in row k from column c, row by row."""
    return (
        array[k, c], array[k, c + 1], array[k, c + 2],
        array[k, c + 3], array[k, c + 4], array[k, c + 5],
        array[k, c + 6], array[k, c + 7], array[k, c + 8],
    )  # fmt: skip


@inlined
def three(flat, p):
    """Three numbers of a flat array from p on."""
    return (flat[p], flat[p + 1], flat[p + 2])


@inlined
def four(flat, p):
    return (flat[p], flat[p + 1], flat[p + 2], flat[p + 3])


@inlined
def nine(flat, p):
    return (
        flat[p], flat[p + 1], flat[p + 2], flat[p + 3], flat[p + 4], flat[p + 5], flat[p + 6],
        flat[p + 7], flat[p + 8],
    )  # fmt: skip


@inlined
def gather(flat, p, a, b):
    """Add two triples to six numbers of a flat array from p on."""
    flat[p] += a[0]
    flat[p + 1] += a[1]
    flat[p + 2] += a[2]
    flat[p + 3] += b[0]
    flat[p + 4] += b[1]
    flat[p + 5] += b[2]


@inlined
def accumulate(array, k, c, a):
    """Add a vector to row k of an array from column c on."""
    array[k, c] += a[0]
    array[k, c + 1] += a[1]
    array[k, c + 2] += a[2]


@inlined
def inverse3(A):
    """A⁻¹ by Cramer's rule."""
    c = cross((A[3], A[4], A[5]), (A[6], A[7], A[8]))
    d = cross((A[6], A[7], A[8]), (A[0], A[1], A[2]))
    e = cross((A[0], A[1], A[2]), (A[3], A[4], A[5]))
    whole = 1.0 / (A[0] * c[0] + A[1] * c[1] + A[2] * c[2])
    return mscale(whole, (c[0], d[0], e[0], c[1], d[1], e[1], c[2], d[2], e[2]))


@fused_inlined
def solve3(A, b):
    """A⁻¹ b by Cramer's rule."""
    c = cross((A[3], A[4], A[5]), (A[6], A[7], A[8]))
    d = cross((A[6], A[7], A[8]), (A[0], A[1], A[2]))
    e = cross((A[0], A[1], A[2]), (A[3], A[4], A[5]))
    whole = 1.0 / (A[0] * c[0] + A[1] * c[1] + A[2] * c[2])
    return (
        whole * (c[0] * b[0] + d[0] * b[1] + e[0] * b[2]),
        whole * (c[1] * b[0] + d[1] * b[1] + e[1] * b[2]),
        whole * (c[2] * b[0] + d[2] * b[1] + e[2] * b[2]),
    )
