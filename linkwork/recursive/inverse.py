"""Inverse dynamics, recursive Newton-Euler: the joints' forces for given accelerations.

Outwards A = X A_p + c + S q̈, inwards the wrench w = I A + p + Σ Xᵀ w of the children, τ = Sᵀ w; for
the amplitudes of a flexible link also τ = Cᵀ A + E q̈ + r + Σ Φᵀ w of its ends, and w grows by C q̈.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.vectors import add, cross, scale, three
from linkwork.recursive.sweeps.general_joint import inertia_times, six_dot
from linkwork.recursive.tree.layout import (
    BASE, BENDING, BIAS, DOF, HINGE_JOINT, INTS, IV, KIND, PARENT, RECORD, ROT, SECTION, WRENCH,
    U, add3, put3,
)  # fmt: skip


@fused_inlined
def move_with(tree, s, a, gravity):
    """(α, a) of every P in place of the bias, at joint accelerations a."""
    w, ints, c, y = borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(a)
    z = RECORD * tree.ints.shape[0] + BIAS
    put3(w, z, (0.0, 0.0, 0.0))
    put3(w, z + 3, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(tree.ints.shape[0]):
        n, x = INTS * i, RECORD * i
        parent = ints[n + PARENT]
        p = RECORD * parent + BIAS
        e = three(w, p)
        l = add(add(three(w, p + 3), cross(e, three(w, x + U))), three(w, x + BIAS + 3))
        e = add(e, three(w, x + BIAS))
        if ints[n + KIND] == HINGE_JOINT:
            axis = (w[x + ROT + 2], w[x + ROT + 5], w[x + ROT + 8])
            e = add(e, scale(y[ints[n + IV]], axis))
        else:
            own = INTS * parent if ints[n + KIND] == SECTION else n
            for j in range(ints[own + DOF]):
                S = ints[n + BASE] + 8 * j
                e = add(e, scale(y[ints[own + IV] + j], three(c, S)))
                l = add(l, scale(y[ints[own + IV] + j], three(c, S + 3)))
        put3(w, x + BIAS, e)
        put3(w, x + BIAS + 3, l)


@fused_inlined
def forces_needed(tree, s, a, gravity, tau):
    """τ of joint accelerations a; after `outward` (and the forces of elements)."""
    move_with(tree, s, a, gravity)
    w, ints, c, y, t = (
        borrow(s.sweep), borrow(tree.ints), borrow(s.columns), borrow(a), borrow(tau),
    )  # fmt: skip
    for i in range(tree.ints.shape[0]):
        n, x = INTS * i, RECORD * i
        e, l = three(w, x + BIAS), three(w, x + BIAS + 3)
        mo, fo = inertia_times(w, x, e, l)
        add3(w, x + WRENCH, mo)
        add3(w, x + WRENCH + 3, fo)
        if ints[n + KIND] == BENDING:
            k, iv = ints[n + DOF], ints[n + IV]
            C = ints[n + BASE] + 17 * k + k * k
            E, r = C + 8 * k, C + 8 * k + k * k
            for j in range(k):
                t[iv + j] = c[r + j] + six_dot(c, C + 8 * j, e, l)
                for m in range(k):
                    t[iv + j] += c[E + j * k + m] * y[iv + m]
                add3(w, x + WRENCH, scale(y[iv + j], three(c, C + 8 * j)))
                add3(w, x + WRENCH + 3, scale(y[iv + j], three(c, C + 8 * j + 3)))
        elif ints[n + KIND] != SECTION:
            for j in range(ints[n + DOF]):
                t[ints[n + IV] + j] = 0.0
    for i in range(tree.ints.shape[0] - 1, -1, -1):
        n, x = INTS * i, RECORD * i
        p = RECORD * ints[n + PARENT] + WRENCH
        mo, fo = three(w, x + WRENCH), three(w, x + WRENCH + 3)
        if ints[n + KIND] == HINGE_JOINT:
            t[ints[n + IV]] += (
                mo[0] * w[x + ROT + 2] + mo[1] * w[x + ROT + 5] + mo[2] * w[x + ROT + 8]
            )
        else:
            own = INTS * ints[n + PARENT] if ints[n + KIND] == SECTION else n
            for j in range(ints[own + DOF]):
                t[ints[own + IV] + j] += six_dot(c, ints[n + BASE] + 8 * j, mo, fo)
        add3(w, p, add(mo, cross(three(w, x + U), fo)))
        add3(w, p + 3, fo)
    for i in range(tau.shape[0]):
        t[i] += tree.rotors[i] * y[i]
