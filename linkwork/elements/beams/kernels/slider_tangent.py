"""Weights of the nodes along a slider's beam, and the stiffness K_c of its rows (slider.py)."""

from __future__ import annotations

from linkwork.elements.layout import BY_VALUE, CK, ROT, STRIDE, add33
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    add, at, at9, cm, cross, dot, mc, mscale, mv, skew, tm, transpose, tv,
)  # fmt: skip

# reals: point and axes 2, 3 on the body, nodes of an element, offsets of nodes, lengths of elements
SLIDER = record(arm_a=3, second=3, third=3, offsets=0)  # the offsets are as many as the nodes
ARM_A, SECOND, THIRD, OFFSETS = SLIDER


@inlined
def weights(order, x, W, W1, W2):
    """N and its first two derivatives by σ at the part x of an element."""
    xi = 2.0 * x - 1.0
    if order == 2:
        W[0], W[1] = 1.0 - x, x
        W1[0], W1[1] = -1.0, 1.0
        W2[0], W2[1] = 0.0, 0.0
        return
    W[0], W[1], W[2] = 0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)
    W1[0], W1[1], W1[2] = 2.0 * xi - 1.0, -4.0 * xi, 2.0 * xi + 1.0
    W2[0], W2[1], W2[2] = 4.0, -8.0, 4.0


@inlined
def hold_place(part, order, x, length, W, W1, W2):
    """Weights of the place (part 0) or of the tangent over the length (1); w of the body."""
    weights(order, x, W, W1, W2)
    if part == 0:
        return 1.0
    for i in range(order):
        W[i], W1[i], W2[i] = W1[i] / length, W2[i] / length, 0.0
    return 0.0


@inlined
def add_sliding(
    vals, ints, nodes, values, reals, coef, k, n, first, order, w, W, W1, W2, Ra, g, F, y, t
):
    """K_c of one vector of multipliers."""
    cK, by = coef[CK], values[BY_VALUE, ints[k, n - 1]]
    turn = mscale(-1.0, mc(Ra, g))  # F by θ_a
    last, curve = n - 1, 0.0
    # rows of a: −w F and g × y
    aa = n
    add33(vals, ints[k, aa], 0, 3, -w * cK, turn)
    add33(vals, ints[k, aa], 3, 0, -w * cK, cm(g, transpose(Ra)))
    add33(vals, ints[k, aa], 3, 3, cK, cm(g, skew(y)))
    along = cross(g, tv(Ra, t))
    base = ints[k, aa + last]
    for j in range(3):
        vals[base + STRIDE * (3 + j)] += by * along[j]
    row = ints[k, n + n * last]  # of σ against a: t·F
    by_a = tv(turn, t)
    for j in range(3):
        vals[row + 3 + j] += cK * by_a[j]
    for i in range(order):
        e = first + i
        R, f = at9(nodes, ints[k, e], ROT), at(reals, k, OFFSETS + 3 * (e - 1))
        back, own = mscale(-1.0, mc(R, f)), tv(R, F)  # p_i by θ_i, the force in axes of the node
        # a by node i
        add33(vals, ints[k, aa + e], 3, 0, cK * W[i], cm(g, transpose(Ra)))
        add33(vals, ints[k, aa + e], 3, 3, cK * W[i], cm(g, tm(Ra, back)))
        # node i by a, by itself, by σ
        ia = ints[k, n + n * e]
        add33(vals, ia, 0, 3, cK * W[i], turn)
        add33(vals, ia, 3, 3, cK * W[i], cm(f, tm(R, turn)))
        add33(vals, ints[k, n + n * e + e], 3, 3, cK * W[i], cm(f, skew(own)))
        moment, base = cross(f, own), ints[k, n + n * e + last]
        for j in range(3):
            vals[base + STRIDE * j] += by * W1[i] * F[j]
            vals[base + STRIDE * (3 + j)] += by * W1[i] * moment[j]
        # σ by node i, by itself
        row = ints[k, n + n * last + e]
        for j in range(3):
            vals[row + j] += cK * W1[i] * F[j]
            vals[row + 3 + j] += cK * W1[i] * moment[j]
        p = add(at(nodes, ints[k, e], 0), mv(R, f))
        curve += W2[i] * dot(F, p)
    vals[ints[k, n + n * last + last]] += by * curve
