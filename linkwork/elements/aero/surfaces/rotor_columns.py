"""Columns of the tangent of a lifting surface in a rotor: its inflow, axes and centre.

The induced velocity u lies along the rotor's axis a₃.  With a row q of its changes every output of
a section changes by (∂o/∂V · a₃) q: one row times a number for each row of the tangent.
"""

from __future__ import annotations

from linkwork.elements.aero.surfaces.layout import (
    BY_INPUT, BY_SPEED, CRAFT, HUB, INFLOW, INPUTS, LOADS, SPANWISE,
)  # fmt: skip
from linkwork.elements.aero.surfaces.motion import ZERO, from_axes
from linkwork.elements.aero.surfaces.tangent import take_row
from linkwork.elements.layout import BY_VALUE, ROT, STRIDE
from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import load8, six8, store8
from linkwork.kernels.vectors import (
    add, at9, cross, dot, madd, mm, mscale, outer, scale, skew, tv,
)  # fmt: skip


@inlined
def output_by(y, j, x, z):
    """How output j changes where Vx and Vy change by x and z."""
    p = BY_INPUT + INPUTS * j
    return y[p] * x + y[p + 1] * z


@inlined
def spread(
    vals, ints, k, n, ends, piece, rotor, end, point, states, length, e1, e2, e3, ac, R, arm, A,
    away, V, q, y,
):  # fmt: skip
    """The row q into the columns of an end, in all rows, where q changes Vx, Vy and Vz by V."""
    x, z = V[0], V[1]
    fz = output_by(y, SPANWISE, x, z) + y[BY_SPEED] * V[2]
    F = scale(length, from_axes(output_by(y, 0, x, z), output_by(y, 1, x, z), fz, e1, e2, e3))
    M = scale(length, from_axes(0.0, -ac * fz, output_by(y, 2, x, z), e1, e2, e3))
    m = tv(R, add(cross(arm, F), M))
    base = ints[k, ends + ends * piece + end]
    for i in range(3):
        take_row(vals, base + i * STRIDE, q * F[i])
        take_row(vals, base + (3 + i) * STRIDE, q * m[i])
    for j in range(states):
        row = ints[k, ends + ends * n + end] + (states * point + j) * STRIDE
        store8(vals, row, load8(vals, row) + q * output_by(y, 3 + j, x, z))
    base, total = ints[k, ends + ends * (rotor + LOADS) + end], add(cross(away, F), M)
    take_row(vals, base, q * dot((A[2], A[5], A[8]), F))
    take_row(vals, base + STRIDE, q * dot((A[0], A[3], A[6]), total))
    take_row(vals, base + 2 * STRIDE, q * dot((A[1], A[4], A[7]), total))


@inlined
def take_pair(vals, p, u, v):
    """Take two triples from a row of a block."""
    take_row(vals, p, six8(u, v))


@inlined
def craft_columns(
    vals, ints, nodes, k, n, ends, piece, rotor, point, states, length, e1, e2, e3, ac, R, arm, A,
    away, u, ux, uy, F, total, cK, y,
):  # fmt: skip
    """Columns of the body with the rotor's axes: w = … + u(a₁·d, a₂·d) a₃."""
    Rc, end = at9(nodes, ints[k, rotor + CRAFT], ROT), rotor + CRAFT
    a1, a2, a3 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    X = mscale(-u, skew(a3))
    X = madd(X, outer(a3, add(scale(ux, cross(a1, away)), scale(uy, cross(a2, away)))))
    X = mscale(cK, mm(X, Rc))
    for row in range(3):
        e, V = e1, (1.0, 0.0, 0.0)
        if row == 1:
            e, V = e2, (0.0, 1.0, 0.0)
        elif row == 2:
            e, V = e3, (0.0, 0.0, 1.0)
        spread(vals, ints, k, n, ends, piece, rotor, end, point, states, length, e1, e2, e3, ac, R,
               arm, A, away, V, six8(ZERO, tv(X, e)), y)  # fmt: skip
    base = ints[k, ends + ends * (rotor + LOADS) + end]
    take_pair(vals, base, ZERO, scale(cK, tv(Rc, cross(a3, F))))
    take_pair(vals, base + STRIDE, ZERO, scale(cK, tv(Rc, cross(a1, total))))
    take_pair(vals, base + 2 * STRIDE, ZERO, scale(cK, tv(Rc, cross(a2, total))))


@inlined
def rotor_columns(
    vals, ints, nodes, values, k, n, ends, piece, rotor, point, states, length, e1, e2, e3, ac, R,
    arm, A, away, hub_arm, u, ux, uy, u0, u1, u2, u3, F, M, cK, y,
):  # fmt: skip
    """Columns of the inflow, of the body with the rotor's axes, and of the hub."""
    a1, a2, a3 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    b, V = ints[k, rotor + INFLOW], (dot(e1, a3), dot(e2, a3), dot(e3, a3))
    q = six8(
        (u0 * values[BY_VALUE, b], u1 * values[BY_VALUE, b + 1], u2 * values[BY_VALUE, b + 2]),
        (u3 * values[BY_VALUE, b + 3], 0.0, 0.0),
    )  # fmt: skip
    spread(vals, ints, k, n, ends, piece, rotor, rotor + INFLOW, point, states, length, e1, e2, e3,
           ac, R, arm, A, away, V, q, y)  # fmt: skip
    if ints[k, rotor + CRAFT] < nodes.shape[0] - 1:  # the ground does not move
        craft_columns(
            vals, ints, nodes, k, n, ends, piece, rotor, point, states, length, e1, e2, e3, ac, R,
            arm, A, away, u, ux, uy, F, add(cross(away, F), M), cK, y,
        )  # fmt: skip
    # with the centre: d = p − centre
    Rh, g = at9(nodes, ints[k, rotor + HUB], ROT), add(scale(-cK * ux, a1), scale(-cK * uy, a2))
    end, q = rotor + HUB, six8(g, tv(Rh, cross(hub_arm, g)))
    spread(vals, ints, k, n, ends, piece, rotor, end, point, states, length, e1, e2, e3, ac, R, arm,
           A, away, V, q, y)  # fmt: skip
    base = ints[k, ends + ends * (rotor + LOADS) + end]
    b1, b2 = scale(-cK, cross(F, a1)), scale(-cK, cross(F, a2))
    take_pair(vals, base + STRIDE, b1, tv(Rh, cross(hub_arm, b1)))
    take_pair(vals, base + 2 * STRIDE, b2, tv(Rh, cross(hub_arm, b2)))
