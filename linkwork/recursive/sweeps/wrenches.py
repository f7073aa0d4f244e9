"""Wrenches that the joints of the tree put on their bodies, I A + p, and powers in the tree."""

from __future__ import annotations

from linkwork.elements.flexible.inertia import FIRST
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.vectors import add, scale, sub, three
from linkwork.recursive.sweeps.general_joint import inertia_times, law_place, six_dot
from linkwork.recursive.tree.layout import (
    BASE, BENDING, BIAS, DOF, INTS, IV, KIND, LAW, LINK, RECORD, WRENCH, put3,
)  # fmt: skip


@fused_inlined
def wrench(w, x):
    """Moment about P and force on a body from its joint, after `accelerate`."""
    n, f = inertia_times(w, x, three(w, x + BIAS), three(w, x + BIAS + 3))
    return add(n, three(w, x + WRENCH)), add(f, three(w, x + WRENCH + 3))


@fused_inlined
def joint_wrenches(tree, s, a, out):
    """All of them, out (n, 6), at joint accelerations a.

    The record of a flexible link holds I' = I − U D⁻¹Uᵀ, in which I'S is not zero: A is taken
    without S q̈.
    """
    w, o, c, ints, y = (
        borrow(s.sweep), borrow(out), borrow(s.columns), borrow(tree.ints), borrow(a),
    )  # fmt: skip
    for i in range(tree.ints.shape[0]):
        n, f = wrench(w, RECORD * i)
        m = INTS * i
        if ints[m + KIND] == BENDING:
            for j in range(ints[m + DOF]):
                S = ints[m + BASE] + 8 * j
                dn, df = inertia_times(w, RECORD * i, three(c, S), three(c, S + 3))
                n = sub(n, scale(y[ints[m + IV] + j], dn))
                f = sub(f, scale(y[ints[m + IV] + j], df))
        put3(o, 6 * i, n)
        put3(o, 6 * i + 3, f)


@fused_inlined
def law_power(tree, s):
    """Power that motion laws of the tree's joints supply."""
    w, c, ints = borrow(s.sweep), borrow(s.columns), borrow(tree.ints)
    total = 0.0
    for i in range(tree.ints.shape[0]):
        m = INTS * i
        if ints[m + LAW] >= 0:
            n, f = wrench(w, RECORD * i)
            total += six_dot(c, law_place(ints[m + BASE], ints[m + DOF]), n, f)
    return total


@fused_inlined
def damping_power(tree, v):
    """Power that the damping of flexible links takes, q̇ᵀ D q̇."""
    c, ints, rate = borrow(tree.links), borrow(tree.ints), borrow(v)
    total = 0.0
    for i in range(tree.ints.shape[0]):
        m = INTS * i
        if ints[m + KIND] == BENDING:
            k, iv = ints[m + DOF], ints[m + IV]
            at = tree.places[ints[m + LINK], 0] + FIRST + 15 * k + 11 * k * k
            for a in range(k):
                for b in range(k):
                    total += rate[iv + a] * c[at + a * k + b] * rate[iv + b]
    return total
