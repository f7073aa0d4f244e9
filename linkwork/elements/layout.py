"""Where kernels find and put numbers.

nodes[b]    the motion of body b: position, quaternion, velocity (world), angular velocity (body
            axes), rotation matrix.  The last row is the ground.
f[b]        residual of body b's equations of motion, M v̇ + C_qᵀγ − f + f_g: three forces in world
            axes, three torques in body axes.  Kernels add to it.
C, Ct, Qc   constraint residual, its partial time derivative, and Q_c of C_q v̇ = Q_c
vals        the values of the iteration matrix: cK ∂f/∂q + cD ∂f/∂v, with C_q beside it
power       [dissipated, supplied] power at this motion
coef        [cK, cD, tangent wanted, rates (Ct, Qc) wanted, step accepted, K_c wanted]

A block of the matrix (the rows of one group of unknowns against the columns of another) starts at
`base` in `vals` and its rows are STRIDE apart, so that a row is one vector of eight numbers; the
last two stay free.  Kernels add to blocks of two bodies, which are cleared before, and write the
others.  Blocks of the ground are spare places behind the matrix.

ints of an element with n bodies:
    [bodies n][bases of body blocks n×n]
and if it constrains: [first row eq][number of rows m][bases of its rows × columns of body i, n]
    [active rows, padded]
"""

from __future__ import annotations

from linkwork.math.compiled import inlined

# columns of nodes
POS, QUAT, VEL, OMEGA, ROT, NODE = 0, 3, 7, 10, 13, 24  # the last two are free

# coef
CK, CD, TANGENT, RATES, ACCEPT, KC = 0, 1, 2, 3, 4, 5
COEFS = 6

# ints of elements between two bodies
A, B, AA, AB, BA, BB = 0, 1, 2, 3, 4, 5
EQ, M, CA, CB, ROWS = 6, 7, 8, 9, 10

STRIDE = 8  # between the rows of a block


def int_width(bodies: int, rows: int) -> int:
    """How many ints an element of such a family has."""
    return bodies + bodies * bodies + (2 + bodies + rows if rows else 0)


@inlined
def add33(vals, base, i, j, c, X):
    """Add c X to the 3×3 part of a block that starts at its row i and column j."""
    p = base + i * STRIDE + j
    vals[p] += c * X[0]
    vals[p + 1] += c * X[1]
    vals[p + 2] += c * X[2]
    p += STRIDE
    vals[p] += c * X[3]
    vals[p + 1] += c * X[4]
    vals[p + 2] += c * X[5]
    p += STRIDE
    vals[p] += c * X[6]
    vals[p + 1] += c * X[7]
    vals[p + 2] += c * X[8]


@inlined
def put_row(vals, ints, k, j, force_a, moment_a, force_b, moment_b):
    """Constraint row j of a two-body element into C_q."""
    p = ints[k, CA] + j * STRIDE
    vals[p], vals[p + 1], vals[p + 2] = force_a
    vals[p + 3], vals[p + 4], vals[p + 5] = moment_a
    p = ints[k, CB] + j * STRIDE
    vals[p], vals[p + 1], vals[p + 2] = force_b
    vals[p + 3], vals[p + 4], vals[p + 5] = moment_b
