"""From the records of the sweeps to the motion of the bodies as the elements see it, and back.

    r = P + R c,   v = v_P + ω × R c,   P = P_p + u,   v_P = v_{P_p} + ω_p × u + ṫ

with forces on bodies (world axes; moments in body axes, about the centre of mass) taken to P.
"""

from __future__ import annotations

from linkwork.elements import layout as el
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.rotations import qmul, rotation_matrix
from linkwork.kernels.vectors import add, cross, four, mv, nine, three, tv
from linkwork.recursive.tree.layout import (
    BIAS, BODY, BQ, COM, GENERAL, INTS, KIND, OMEGA, PARENT, QUAT, REALS, RECORD, ROT, SLIDE,
    WRENCH, U, add3, put3, put4, put9,
)  # fmt: skip


@fused_inlined
def fill_nodes(tree, s, nodes):
    """Motion of all bodies after `outward`."""
    K, w, ints, at, out = (
        borrow(tree.reals), borrow(s.sweep), borrow(tree.ints), borrow(s.places), borrow(nodes),
    )  # fmt: skip
    for i in range(tree.ints.shape[0]):
        n, k, x = INTS * i, REALS * i, RECORD * i
        parent = ints[n + PARENT]
        p = 8 * parent
        u, omega = three(w, x + U), three(w, x + OMEGA)
        P = add(three(at, p), u)
        V = add(three(at, p + 3), cross(three(w, RECORD * parent + OMEGA), u))
        if ints[n + KIND] >= GENERAL:
            V = add(V, three(w, x + SLIDE))
        put3(at, 8 * i, P)
        put3(at, 8 * i + 3, V)
        c = mv(nine(w, x + ROT), three(K, k + COM))
        q = qmul(four(w, x + QUAT), four(K, k + BQ))
        R = rotation_matrix(q)
        o = el.NODE * ints[n + BODY]
        put3(out, o + el.POS, add(P, c))
        put4(out, o + el.QUAT, q)
        put3(out, o + el.VEL, add(V, cross(omega, c)))
        put3(out, o + el.OMEGA, tv(R, omega))
        put9(out, o + el.ROT, R)


@fused_inlined
def fill_values(tree, values, q, v, a):
    """Amplitudes of flexible links, their rates and second derivatives into values (3, n)."""
    c = tree.amplitudes
    for k in range(c.shape[0]):
        for j in range(c[k, 3]):
            values[el.VALUE, c[k, 0] + j] = q[c[k, 1] + j]
            values[el.RATE, c[k, 0] + j] = v[c[k, 2] + j]
            values[el.SECOND, c[k, 0] + j] = a[c[k, 2] + j]


@fused_inlined
def add_forces(tree, s, nodes, f):
    """Add residuals of bodies, f (bodies, 6), to the bias wrenches."""
    K, w, ints = borrow(tree.reals), borrow(s.sweep), borrow(tree.ints)
    for i in range(tree.ints.shape[0]):
        n, x = INTS * i, RECORD * i
        b = ints[n + BODY]
        force = (f[b, 0], f[b, 1], f[b, 2])
        c = mv(nine(w, x + ROT), three(K, REALS * i + COM))
        R = nine(borrow(nodes), el.NODE * b + el.ROT)
        moment = mv(R, (f[b, 3], f[b, 4], f[b, 5]))
        add3(w, x + WRENCH, add(moment, cross(c, force)))
        add3(w, x + WRENCH + 3, force)


@fused_inlined
def body_accelerations(tree, s, nodes, out):
    """(bodies, 6) accelerations of centres (world) and angular ones (body axes)."""
    K, w, ints, N = borrow(tree.reals), borrow(s.sweep), borrow(tree.ints), borrow(nodes)
    g = tree.gravity
    for i in range(tree.ints.shape[0]):
        n, x = INTS * i, RECORD * i
        b = ints[n + BODY]
        c = mv(nine(w, x + ROT), three(K, REALS * i + COM))
        omega, alpha = three(w, x + OMEGA), three(w, x + BIAS)
        a = add(three(w, x + BIAS + 3), add(cross(alpha, c), cross(omega, cross(omega, c))))
        turned = tv(nine(N, el.NODE * b + el.ROT), alpha)
        for j in range(3):
            out[b, j] = a[j] + g[j]
            out[b, 3 + j] = turned[j]
