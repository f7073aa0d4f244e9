"""Jacobian and tangent stiffness of the lock joint, a row of three numbers at a time.

A row of a block is [lengths | rotations], two vectors of four that overlap in one number; the one
at the rotations is stored last.  With A and B the rows of R_a and R_b, E = F̃ at the lengths, and
X_0 X_1 X_2 the rows of a matrix, ã X = `crossed` and Rᵀ X = `turned` are a few products of vectors:

    C_q    lengths    a  R_Sᵀ (−1 | l̃ A),     b  R_Sᵀ (1 | −s̃ B)
           rotations  a  −P(ρ)ᵀ R_Sᵀ A,       b  P(ρ)ᵀ R_Sᵀ B

    K_c    r_a  F̃ A          φ_a  R_aᵀ (−E | (F̃ l̃ + H) A)   and   R_aᵀ (E | −(F̃ s̃ + H) B)
           r_b  −F̃ A         φ_b  −R_bᵀ (s̃ F̃ + G̃ + H) A     and   R_bᵀ (s̃ F̃ + G̃ + H) B

with F̃ l̃ = l Fᵀ − F·l I, H = −G̃/2 − c I and s = R_b u_b (linkwork.elements.joints.lock).
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import inlined, spliced
from linkwork.kernels.registers.fours import load4, row4, store4, unit4, zeros4
from linkwork.kernels.vectors import dot, scale

TURN = 3  # where rotations begin in a row


@inlined
def rotation_rows(flat, p):
    """The rows of the matrix that begins at p in a flat array."""
    return row4(flat, p), row4(flat, p + 3), row4(flat, p + 6)


@inlined
def skew_rows(a):
    """The rows of ã."""
    ex, ey, ez = unit4(0), unit4(1), unit4(2)
    return ez * a[1] - ey * a[2], ex * a[2] - ez * a[0], ey * a[0] - ex * a[1]


@inlined
def times(a, X):
    """aᵀ X"""
    return X[0] * a[0] + X[1] * a[1] + X[2] * a[2]


@inlined
def turned(R, X):
    """Rᵀ X"""
    return (
        X[0] * R[0] + X[1] * R[3] + X[2] * R[6],
        X[0] * R[1] + X[1] * R[4] + X[2] * R[7],
        X[0] * R[2] + X[1] * R[5] + X[2] * R[8],
    )


@inlined
def crossed(a, X):
    """ã X"""
    return X[2] * a[1] - X[1] * a[2], X[0] * a[2] - X[2] * a[0], X[1] * a[0] - X[0] * a[1]


@inlined
def put(vals, base, lengths, rotations):
    """A row of a block."""
    store4(vals, base, lengths)
    store4(vals, base + TURN, rotations)


@inlined
def put3(vals, base, L, X):
    """Three rows of a block."""
    put(vals, base, L[0], X[0])
    put(vals, base + STRIDE, L[1], X[1])
    put(vals, base + 2 * STRIDE, L[2], X[2])


@inlined
def add_turn(vals, base, X):
    """Add to the rotations of a row."""
    store4(vals, base + TURN, load4(vals, base + TURN) + X)


@inlined
def add_turns(vals, base, X):
    add_turn(vals, base, X[0])
    add_turn(vals, base + STRIDE, X[1])
    add_turn(vals, base + 2 * STRIDE, X[2])


@inlined
def add(vals, base, lengths, rotations):
    """Add to a row; both parts are read before one is written, as they overlap."""
    put(vals, base, load4(vals, base) + lengths, load4(vals, base + TURN) + rotations)


@inlined
def add3(vals, base, L, X):
    add(vals, base, L[0], X[0])
    add(vals, base + STRIDE, L[1], X[1])
    add(vals, base + 2 * STRIDE, L[2], X[2])


@spliced
def lock_rows(vals, base, slots, sign, S, s, v, arm, X):
    """Six rows of one body, sign −1 for a and 1 for b; `slots` where in the block they go."""
    e = unit4(0) * sign, unit4(1) * sign, unit4(2) * sign
    x, y, z = turned(S, e)
    u, v_, w = turned(S, crossed(scale(-sign, arm), X))
    put(vals, base + slots[0] * STRIDE, x, u)
    put(vals, base + slots[1] * STRIDE, y, v_)
    put(vals, base + slots[2] * STRIDE, z, w)
    half = 0.5 * sign
    X, along, none = turned(S, X), half * s, zeros4()
    x, y, z = crossed(scale(half, v), X)
    put(vals, base + slots[3] * STRIDE, none, X[0] * along - x)
    put(vals, base + slots[4] * STRIDE, none, X[1] * along - y)
    put(vals, base + slots[5] * STRIDE, none, X[2] * along - z)


@spliced
def lock_stiffness(vals, aa, ab, ba, bb, own, Ra, Rb, A, B, l, sb, F, G, c, moves_a, moves_b):
    """K_c to the blocks that begin there; F, G, c times the factor of stiffness, c = γ_m·v/4.

    own: the blocks of both bodies are written, not added to.
    """
    g, kb = scale(0.5, G), dot(F, sb) + c
    if moves_b:
        x, y, z = crossed(g, B)
        moment, force = times(sb, B), times(F, B)
        add_turns(vals, bb + 3 * STRIDE, turned(Rb, (
            moment * F[0] - B[0] * kb + x,
            moment * F[1] - B[1] * kb + y,
            moment * F[2] - B[2] * kb + z,
        )))  # fmt: skip
    if moves_a:
        X, E = crossed(F, A), turned(Ra, skew_rows(F))
        u, v, w = crossed(g, A)
        own_force, ka = times(F, A), dot(F, l) + c
        add_turns(vals, aa, X)
        add3(vals, aa + 3 * STRIDE, (-E[0], -E[1], -E[2]), turned(Ra, (
            own_force * l[0] - A[0] * ka - u,
            own_force * l[1] - A[1] * ka - v,
            own_force * l[2] - A[2] * ka - w,
        )))  # fmt: skip
        if moves_b:
            Y = turned(Ra, (
                B[0] * kb - force * sb[0] + x,
                B[1] * kb - force * sb[1] + y,
                B[2] * kb - force * sb[2] + z,
            ))  # fmt: skip
            moment = times(sb, A)
            Z = turned(Rb, (
                A[0] * kb - moment * F[0] - u,
                A[1] * kb - moment * F[1] - v,
                A[2] * kb - moment * F[2] - w,
            ))  # fmt: skip
            if own != 0:
                none = zeros4(), zeros4(), zeros4()
                put3(vals, ab + 3 * STRIDE, E, Y)
                put3(vals, ba, none, (-X[0], -X[1], -X[2]))
                put3(vals, ba + 3 * STRIDE, none, Z)
            else:
                add3(vals, ab + 3 * STRIDE, E, Y)
                add_turns(vals, ba, (-X[0], -X[1], -X[2]))
                add_turns(vals, ba + 3 * STRIDE, Z)


@spliced
def no_stiffness(vals, ab, ba):
    """Zeros where nobody else clears the blocks of both bodies."""
    none = zeros4(), zeros4(), zeros4()
    put3(vals, ab + 3 * STRIDE, none, none)
    put3(vals, ba, none, none)
    put3(vals, ba + 3 * STRIDE, none, none)
