"""M⁻¹ τ for eight vectors τ at once, with what the articulated sweep has kept.

The mass matrix M of the joint coordinates is never built: each τ is carried from the tips to the
base as a wrench, and comes back as accelerations, with no velocities and no weight,

    p' = p + U D⁻¹ (τ − Sᵀp)  to the parent;      q̈ = D⁻¹ (τ − Sᵀp − Uᵀ X A_p),  A = X A_p + S q̈.

Eight of them fill the lanes of a vector.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import load8, spread8, store8
from linkwork.recursive.loops.blocks import IN_X, TREE_BODY, VELOCITY
from linkwork.recursive.tree.layout import (
    BASE, DOF, HINGE, HINGE_JOINT, INTS, IV, KIND, LANES, PARENT, RECORD, ROT, SECTION, U,
)  # fmt: skip

WIDE = 6 * LANES


@fused_inlined
def six_lanes(z, p):
    return (
        load8(z, p), load8(z, p + 8), load8(z, p + 16), load8(z, p + 24), load8(z, p + 32),
        load8(z, p + 40),
    )  # fmt: skip


@fused_inlined
def put_lanes(z, p, a):
    store8(z, p, a[0])
    store8(z, p + 8, a[1])
    store8(z, p + 16, a[2])
    store8(z, p + 24, a[3])
    store8(z, p + 32, a[4])
    store8(z, p + 40, a[5])


@fused_inlined
def times(c, p, a):
    """Six numbers from p on times six lanes."""
    return (
        a[0] * c[p] + a[1] * c[p + 1] + a[2] * c[p + 2] + a[3] * c[p + 3] + a[4] * c[p + 4]
        + a[5] * c[p + 5]
    )  # fmt: skip


@fused_inlined
def more(c, p, y, a):
    """a plus y times six numbers."""
    return (
        a[0] + y * c[p], a[1] + y * c[p + 1], a[2] + y * c[p + 2], a[3] + y * c[p + 3],
        a[4] + y * c[p + 4], a[5] + y * c[p + 5],
    )  # fmt: skip


@fused_inlined
def to_parent(z, p, w, x, a):
    """Add a wrench at distance u to the parent's."""
    u0, u1, u2 = w[x + U], w[x + U + 1], w[x + U + 2]
    store8(z, p, load8(z, p) + a[0] + a[5] * u1 - a[4] * u2)
    store8(z, p + 8, load8(z, p + 8) + a[1] + a[3] * u2 - a[5] * u0)
    store8(z, p + 16, load8(z, p + 16) + a[2] + a[4] * u0 - a[3] * u1)
    store8(z, p + 24, load8(z, p + 24) + a[3])
    store8(z, p + 32, load8(z, p + 32) + a[4])
    store8(z, p + 40, load8(z, p + 40) + a[5])


@fused_inlined
def from_parent(z, p, w, x):
    """The parent's acceleration at distance u."""
    u0, u1, u2 = w[x + U], w[x + U + 1], w[x + U + 2]
    a = six_lanes(z, p)
    return (
        a[0], a[1], a[2], a[3] + a[1] * u2 - a[2] * u1, a[4] + a[2] * u0 - a[0] * u2,
        a[5] + a[0] * u1 - a[1] * u0,
    )  # fmt: skip


def respond(tree, s, y, blocks):
    """Replace y, for every block of loops (eights of rows, velocities, 8), by M⁻¹ y."""
    table = blocks.table
    for k in range(table.shape[0] - 1):
        size = LANES * (table[k + 1, VELOCITY] - table[k, VELOCITY])
        for at in range(table[k, IN_X], table[k + 1, IN_X], max(size, 1)):
            respond_in_block(tree, s, y, at, blocks, k)


@fused_inlined
def respond_in_block(tree, s, y, at, blocks, block):
    """The same for the eight vectors that begin in y at `at`."""
    w, ints, c, z, o = (
        borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(s.lanes), borrow(y),
    )  # fmt: skip
    bodies, number, n = borrow(blocks.bodies), borrow(blocks.number), tree.ints.shape[0]
    begin, end = blocks.table[block, TREE_BODY], blocks.table[block + 1, TREE_BODY]
    nothing = spread8(0.0)
    for t in range(begin, end):
        for i in range(6):
            store8(z, WIDE * bodies[t] + 8 * i, nothing)
    for t in range(end - 1, begin - 1, -1):
        i = bodies[t]
        m, x = INTS * i, RECORD * i
        p, r = WIDE * ints[m + PARENT], at + 8 * number[ints[m + IV]]
        kind, a = ints[m + KIND], six_lanes(z, WIDE * i)
        if kind == HINGE_JOINT:
            e0, e1, e2 = w[x + ROT + 2], w[x + ROT + 5], w[x + ROT + 8]
            rest = load8(o, r) - (a[0] * e0 + a[1] * e1 + a[2] * e2)
            store8(o, r, rest)
            a = more(w, x + HINGE, rest * w[x + HINGE + 6], a)
        elif kind == SECTION:
            parent = ints[m + PARENT]
            k, r = ints[INTS * parent + DOF], at + 8 * number[ints[INTS * parent + IV]]
            for j in range(k):
                part = times(c, ints[m + BASE] + 8 * j, a)
                store8(o, r + 8 * j, load8(o, r + 8 * j) - part)
        else:
            k, S = ints[m + DOF], ints[m + BASE]
            V, D = S + 8 * k, S + 16 * k
            for j in range(k):
                rest = load8(o, r + 8 * j) - times(c, S + 8 * j, a)
                for e in range(j):
                    rest = rest - load8(o, r + 8 * e) * c[D + j * k + e]
                store8(o, r + 8 * j, rest * c[D + j * k + j])
            for j in range(k):
                a = more(c, V + 8 * j, load8(o, r + 8 * j), a)
        to_parent(z, p, w, x, a)
    for i in range(6):
        store8(z, WIDE * n + 8 * i, nothing)
    for t in range(begin, end):
        i = bodies[t]
        m, x = INTS * i, RECORD * i
        r, kind = at + 8 * number[ints[m + IV]], ints[m + KIND]
        a = from_parent(z, WIDE * ints[m + PARENT], w, x)
        if kind == HINGE_JOINT:
            g = (load8(o, r) - times(w, x + HINGE, a)) * w[x + HINGE + 6]
            store8(o, r, g)
            a = (
                a[0] + g * w[x + ROT + 2], a[1] + g * w[x + ROT + 5], a[2] + g * w[x + ROT + 8],
                a[3], a[4], a[5],
            )  # fmt: skip
        else:
            S, k = ints[m + BASE], ints[m + DOF]
            if kind == SECTION:
                parent = ints[m + PARENT]
                k, r = ints[INTS * parent + DOF], at + 8 * number[ints[INTS * parent + IV]]
            else:
                V, D = S + 8 * k, S + 16 * k
                for j in range(k):
                    store8(o, r + 8 * j, load8(o, r + 8 * j) - times(c, V + 8 * j, a))
                for j in range(k - 1, -1, -1):
                    g = load8(o, r + 8 * j)
                    for e in range(j + 1, k):
                        g = g - load8(o, r + 8 * e) * c[D + e * k + j]
                    store8(o, r + 8 * j, g * c[D + j * k + j])
            for j in range(k):
                a = more(c, S + 8 * j, load8(o, r + 8 * j), a)
        put_lanes(z, WIDE * i, a)
