"""Where kernels find and put numbers.

nodes[b]    the motion of body b: position, quaternion, velocity (world), angular velocity (body
            axes), rotation matrix.  The last row is the ground.
f[b]        residual of body b's equations of motion, M v̇ + C_qᵀγ − f + f_g: three forces in world
            axes, three torques in body axes.  Kernels add to it.
C, Ct, Qc   constraint residual, its partial time derivative, and Q_c of C_q v̇ = Q_c
vals        the values of the iteration matrix: cK ∂f/∂q + cD ∂f/∂v + cM ∂f/∂v̇, C_q beside it
power       [dissipated, supplied] power at this motion
coef        [cK, cD, tangent wanted, rates (Ct, Qc) wanted, step accepted, K_c wanted, the
            method has written the tangent of the bodies' inertia itself], then cM, gravity and
            whether this is the first correction of a step: 1, and 2 from elements that took forces
            from elsewhere than the motion that they were given (contact.prediction); last whether
            outputs are wanted
out[k]      the outputs of element k, in the order in which its family declares them

A block of the matrix (the rows of one group of unknowns against the columns of another) starts at
`base` in `vals` and its rows are STRIDE apart, so that a row is one vector of eight numbers; the
last two stay free.  Against a vector node with n unknowns rows are `row_width(n)` apart.  Kernels
add to blocks of bodies (a family that is `whole` writes those between its bodies where it is told
so) and write the others.  Blocks of the ground are spare places.

ints of an element with n ends, bodies and vector nodes:
    [rows of bodies in nodes, first values of vector nodes, n][bases of their blocks n×n]
    [of a `whole` family that does not constrain: whether it alone writes those of two bodies]
    [of a family that `shares`: how many elements before it is one with the same reals; 0: none]
and if it constrains: [first row eq][number of rows m][bases of its rows × columns of body i, n]
    [whether it alone writes the blocks of its two bodies][active rows, padded]
    [multiplier of each row it can have; behind all of them for a row that is not active]
then places of what it reads, whether it shares numbers, and the integers of its family
"""

from __future__ import annotations

from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import six8, store8

# columns of nodes
POS, QUAT, VEL, OMEGA, ROT, NODE = 0, 3, 7, 10, 13, 24  # the last two are free

# rows of values: of vector nodes, and what they change by with the unknown of a step
VALUE, RATE, SECOND, BY_VALUE, BY_RATE, BY_SECOND = range(6)

# coef
CK, CD, TANGENT, RATES, ACCEPT, KC, WRITTEN = 0, 1, 2, 3, 4, 5, 6
COEFS = 7  # that callers set; the evaluation adds the next
CM, GRAVITY, FIRST, OUT, COEF_SIZE = 7, 8, 11, 12, 13

# ints of elements between two bodies
A, B, AA, AB, BA, BB = 0, 1, 2, 3, 4, 5
EQ, M, CA, CB, OWN, ROWS = 6, 7, 8, 9, 10, 11

SIX = 6  # unknowns of a body, the first of all: body b has SIX b … SIX b + 5 (system/layout.py)
STRIDE = 8  # between the rows of a block
UNKNOWN = 1e300  # in an element's memory: a path that no step has been accepted on


def row_width(size: int) -> int:
    """Numbers in a row of a block with so many columns: a multiple of eight."""
    return STRIDE * max(1, -(-size // STRIDE))


def int_width(bodies: int, rows: int) -> int:
    """How many ints an element of such a family has."""
    return bodies + bodies * bodies + (3 + bodies + 2 * rows if rows else 0)


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
def put6(vals, base, j, force, moment):
    """The six numbers of row j of a block."""
    store8(vals, base + j * STRIDE, six8(force, moment))


@inlined
def put_value(vals, base, j, width, i, x):
    """Number i of row j of a block against a vector node whose rows are `width` apart."""
    vals[base + j * width + i] = x


@inlined
def put36(vals, base, c, X, Y):
    """Write c [X Y] to three rows of a block from `base` on."""
    store8(vals, base, six8((X[0], X[1], X[2]), (Y[0], Y[1], Y[2])) * c)
    store8(vals, base + STRIDE, six8((X[3], X[4], X[5]), (Y[3], Y[4], Y[5])) * c)
    store8(vals, base + 2 * STRIDE, six8((X[6], X[7], X[8]), (Y[6], Y[7], Y[8])) * c)


@inlined
def put_row(vals, ints, k, j, force_a, moment_a, force_b, moment_b):
    """Constraint row j of a two-body element into C_q."""
    put6(vals, ints[k, CA], j, force_a, moment_a)
    put6(vals, ints[k, CB], j, force_b, moment_b)


@inlined
def write(out, k, numbers):
    """The outputs of element k, in the order of their declaration."""
    for i in range(len(numbers)):
        out[k, i] = numbers[i]


@inlined
def multipliers(ints, k, gamma, slot):
    """Those of three rows whose places begin at a slot in ints; zero of one that is not active."""
    return gamma[ints[k, slot]], gamma[ints[k, slot + 1]], gamma[ints[k, slot + 2]]
