"""Where kernels find and put numbers.

nodes[b]    the motion of body b: position, quaternion, velocity (world), angular velocity (body
            axes), rotation matrix.  The last row is the ground.
f[b]        residual of body b's equations of motion, M v̇ + C_qᵀγ − f + f_g: three forces in world
            axes, three torques in body axes.  Kernels add to it.
C, Ct, Qc   constraint residual, its partial time derivative, and Q_c of C_q v̇ = Q_c
vals        the values of the iteration matrix: cK ∂f/∂q + cD ∂f/∂v, with C_q and C_qᵀ beside it
power       [dissipated, supplied] power at this motion
coef        [cK, cD, tangent wanted, rates (Ct, Qc) wanted, step accepted, K_c wanted]

A block of the matrix (the rows of one group of unknowns against the columns of another) starts at
`base` in `vals` and its rows are `stride` apart, so kernels need not know how the matrix is
stored; blocks of the ground point at spare places behind the matrix.

ints of an element with n bodies:
    [bodies n][strides n][bases of body blocks n×n]
and if it constrains: [first row eq][number of rows m][stride of its rows]
    [bases: rows of body i × multipliers, n][bases: constraint rows × columns of body i, n]
    [active rows, padded]
"""

from __future__ import annotations

from linkwork.math.compiled import inlined

# columns of nodes
POS, QUAT, VEL, OMEGA, ROT, NODE = 0, 3, 7, 10, 13, 22

# coef
CK, CD, TANGENT, RATES, ACCEPT, KC = 0, 1, 2, 3, 4, 5
COEFS = 6

# ints of elements between two bodies
A, B, SA, SB, AA, AB, BA, BB = 0, 1, 2, 3, 4, 5, 6, 7
EQ, M, SC, AT, BT, CA, CB, ROWS = 8, 9, 10, 11, 12, 13, 14, 15


def int_width(bodies: int, rows: int) -> int:
    """How many ints an element of such a family has."""
    return 2 * bodies + bodies * bodies + (3 + 2 * bodies + rows if rows else 0)


@inlined
def add33(vals, base, stride, i, j, c, X):
    """Add c X to the 3×3 part of a block that starts at its row i and column j."""
    p = base + i * stride + j
    vals[p] += c * X[0]
    vals[p + 1] += c * X[1]
    vals[p + 2] += c * X[2]
    p += stride
    vals[p] += c * X[3]
    vals[p + 1] += c * X[4]
    vals[p + 2] += c * X[5]
    p += stride
    vals[p] += c * X[6]
    vals[p + 1] += c * X[7]
    vals[p + 2] += c * X[8]


@inlined
def put_row(vals, ints, k, j, force_a, moment_a, force_b, moment_b):
    """Constraint row j of a two-body element into C_q and, transposed, into C_qᵀ."""
    p = ints[k, CA] + j * ints[k, SC]
    vals[p], vals[p + 1], vals[p + 2] = force_a
    vals[p + 3], vals[p + 4], vals[p + 5] = moment_a
    p = ints[k, CB] + j * ints[k, SC]
    vals[p], vals[p + 1], vals[p + 2] = force_b
    vals[p + 3], vals[p + 4], vals[p + 5] = moment_b
    s = ints[k, SA]
    p = ints[k, AT] + j
    vals[p], vals[p + s], vals[p + 2 * s] = force_a
    p += 3 * s
    vals[p], vals[p + s], vals[p + 2 * s] = moment_a
    s = ints[k, SB]
    p = ints[k, BT] + j
    vals[p], vals[p + s], vals[p + 2 * s] = force_b
    p += 3 * s
    vals[p], vals[p + s], vals[p + 2 * s] = moment_b
