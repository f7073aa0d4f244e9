"""Jacobian and tangent stiffness of the lock joint, a row of six numbers at a time.

A row of a block is [lengths | rotations] and stays in one vector of eight.  Rows of rotation
matrices stand at its rotations, A for R_a and B for R_b; with e_j the unit vectors of lengths and
X_0 X_1 X_2 the rows of a matrix, ã X = `crossed` and Rᵀ X = `turned` are a few products of vectors:

    C_q    lengths    a  R_Sᵀ (l̃ A − e),   b  R_Sᵀ (e − s̃ B)
           rotations  a  −P(ρ)ᵀ R_Sᵀ A,    b  P(ρ)ᵀ R_Sᵀ B

    K_c    r_a  F̃ A          φ_a  R_aᵀ (−F̃ e + (F̃ l̃ + H) A)   and   R_aᵀ (F̃ e − (F̃ s̃ + H) B)
           r_b  −F̃ A         φ_b  −R_bᵀ (s̃ F̃ + G̃ + H) A       and   R_bᵀ (s̃ F̃ + G̃ + H) B

with F̃ l̃ = l Fᵀ − F·l I, H = −G̃/2 − c I and s = R_b u_b (linkwork.elements.lock).
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.math.compiled import inlined, spliced
from linkwork.math.eights import load8, six8, spread8, store8, turn8
from linkwork.math.vectors import dot, scale

ZERO = (0.0, 0.0, 0.0)


@inlined
def rotation_rows(flat, p):
    """The rows of the matrix that begins at p in a flat array, at the rotations."""
    return turn8(flat, p), turn8(flat, p + 3), turn8(flat, p + 6)


@inlined
def skew_rows(a):
    """The rows of ã, at the lengths."""
    x, y, z = a
    return six8((0.0, -z, y), ZERO), six8((z, 0.0, -x), ZERO), six8((-y, x, 0.0), ZERO)


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
def put3(vals, base, X):
    """Three rows of a block."""
    store8(vals, base, X[0])
    store8(vals, base + STRIDE, X[1])
    store8(vals, base + 2 * STRIDE, X[2])


@inlined
def add3(vals, base, X):
    store8(vals, base, load8(vals, base) + X[0])
    store8(vals, base + STRIDE, load8(vals, base + STRIDE) + X[1])
    store8(vals, base + 2 * STRIDE, load8(vals, base + 2 * STRIDE) + X[2])


@spliced
def lock_rows(vals, base, slots, sign, S, s, v, arm, X):
    """Six rows of one body, sign −1 for a and 1 for b; `slots` where in the block they go."""
    e0, e1, e2 = (
        six8((sign, 0.0, 0.0), ZERO), six8((0.0, sign, 0.0), ZERO), six8((0.0, 0.0, sign), ZERO)
    )  # fmt: skip
    x, y, z = crossed(scale(sign, arm), X)
    x, y, z = turned(S, (e0 - x, e1 - y, e2 - z))
    store8(vals, base + slots[0] * STRIDE, x)
    store8(vals, base + slots[1] * STRIDE, y)
    store8(vals, base + slots[2] * STRIDE, z)
    half = 0.5 * sign
    X, w = turned(S, X), half * s
    x, y, z = crossed(scale(half, v), X)
    store8(vals, base + slots[3] * STRIDE, X[0] * w - x)
    store8(vals, base + slots[4] * STRIDE, X[1] * w - y)
    store8(vals, base + slots[5] * STRIDE, X[2] * w - z)


@spliced
def lock_stiffness(vals, aa, ab, ba, bb, own, Ra, Rb, A, B, l, sb, F, G, c, moves_a, moves_b):
    """K_c to the blocks that begin there; F, G, c times the factor of stiffness, c = γ_m·v/4.

    own: the blocks of both bodies are written, not added to.
    """
    g, kb = scale(0.5, G), dot(F, sb) + c
    if moves_b:
        x, y, z = crossed(g, B)
        moment, force = times(sb, B), times(F, B)
        add3(vals, bb + 3 * STRIDE, turned(Rb, (
            moment * F[0] - B[0] * kb + x,
            moment * F[1] - B[1] * kb + y,
            moment * F[2] - B[2] * kb + z,
        )))  # fmt: skip
    if moves_a:
        X, e = crossed(F, A), skew_rows(F)
        u, v, w = crossed(g, A)
        own_force, ka = times(F, A), dot(F, l) + c
        add3(vals, aa, X)
        add3(vals, aa + 3 * STRIDE, turned(Ra, (
            own_force * l[0] - A[0] * ka - u - e[0],
            own_force * l[1] - A[1] * ka - v - e[1],
            own_force * l[2] - A[2] * ka - w - e[2],
        )))  # fmt: skip
        if moves_b:
            Y = turned(Ra, (
                B[0] * kb - force * sb[0] + x + e[0],
                B[1] * kb - force * sb[1] + y + e[1],
                B[2] * kb - force * sb[2] + z + e[2],
            ))  # fmt: skip
            moment = times(sb, A)
            Z = turned(Rb, (
                A[0] * kb - moment * F[0] - u,
                A[1] * kb - moment * F[1] - v,
                A[2] * kb - moment * F[2] - w,
            ))  # fmt: skip
            if own != 0:
                put3(vals, ab + 3 * STRIDE, Y)
                put3(vals, ba, (-X[0], -X[1], -X[2]))
                put3(vals, ba + 3 * STRIDE, Z)
            else:
                add3(vals, ab + 3 * STRIDE, Y)
                add3(vals, ba, (-X[0], -X[1], -X[2]))
                add3(vals, ba + 3 * STRIDE, Z)


@spliced
def no_stiffness(vals, ab, ba):
    """Zeros where nobody else clears the blocks of both bodies."""
    zeros = spread8(0.0), spread8(0.0), spread8(0.0)
    put3(vals, ab + 3 * STRIDE, zeros)
    put3(vals, ba, zeros)
    put3(vals, ba + 3 * STRIDE, zeros)
