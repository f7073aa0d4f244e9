"""From the base to the tips: orientations, angular velocities, bias accelerations, inertia.

A hinge with angle q about the third axis of its marker, S on the parent p, u = R_p a:

    ρ = ρ_p ρ_S (cos q/2, 0, 0, sin q/2),   ω = ω_p + e q̇,   P = P_p + u
    bias:  ω_p × e q̇  and  ω_p × (ω_p × u)

A body's inertia about P, in world axes:  n = J α + m c̃ a + ω × Jω,  f = m a − m c̃ α + m ω × (ω × c)
with a the acceleration of P and c the arm to the centre of mass.
"""

from __future__ import annotations

from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.rotations import qmul
from linkwork.kernels.vectors import add, cross, dot, four, mv, nine, three
from linkwork.recursive.sweeps import slots
from linkwork.recursive.tree.layout import (
    BENDING, BIAS, CA, CQ, GENERAL, HINGE_JOINT, INERTIA, INTS, IQ, IV, KIND, MASS, MD, OMEGA,
    PARENT, QUAT, REALS, RECORD, ROT, WRENCH, B, J, M, U, put3, put4, put9,
)  # fmt: skip

ROUND = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer
PI_HIGH, PI_MIDDLE, PI_LOW = 3.1415926516056061, 1.9841871479187034e-09, 1.1442377452219664e-17
LARGE = 1e6  # beyond this many half turns a reduced angle loses digits


@fused_inlined
def half_turns(q, halves):
    """cos and sin of q/2, all at once: q/2 is reduced to |y| ≤ π/2, and sin and cos of y/2 come
    from their series.  (A loop without branches and calls: eight at a time.)
    """
    a, o = borrow(q), borrow(halves)
    for i in range(q.shape[0]):
        y = 0.5 * a[i]
        k = (y * (1.0 / 3.141592653589793) + ROUND) - ROUND
        y = ((y - k * PI_HIGH) - k * PI_MIDDLE) - k * PI_LOW
        odd = k - 2.0 * ((0.5 * k + ROUND) - ROUND)
        sign = 1.0 - 2.0 * odd * odd
        x = 0.5 * y
        z = x * x
        s = 1.0 / 6227020800 - z * (1.0 / 1307674368000)
        s = 1.0 / 362880 + z * (-1.0 / 39916800 + z * s)
        s = x * (1.0 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * s))))
        c = -1.0 / 87178291200 + z * (1.0 / 20922789888000)
        c = 1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * c))
        c = 1.0 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * c)))
        o[2 * i] = sign * (1.0 - 2.0 * s * s)
        o[2 * i + 1] = sign * (2.0 * s * c)


@fused_inlined
def rotation(q):
    """Rotation matrix of a unit quaternion."""
    x, y, z = q[1] + q[1], q[2] + q[2], q[3] + q[3]
    xx, yy, zz = q[1] * x, q[2] * y, q[3] * z
    xy, xz, yz = q[1] * y, q[1] * z, q[2] * z
    wx, wy, wz = q[0] * x, q[0] * y, q[0] * z
    return (
        1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx,
        1.0 - xx - yy,
    )  # fmt: skip


@fused_inlined
def spin(o, d):
    """ω × (ω × d)."""
    od, oo = dot(o, d), dot(o, o)
    return o[0] * od - d[0] * oo, o[1] * od - d[1] * oo, o[2] * od - d[2] * oo


@fused_inlined
def put_inertia(K, k, w, x, R, o):
    """The body's own inertia and bias wrench in its record."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = R
    k += INERTIA
    a, b, c, d, e, f = K[k], K[k + 1], K[k + 2], K[k + 3], K[k + 4], K[k + 5]
    k -= INERTIA
    x0, x1, x2 = r0 * a + r1 * b + r2 * c, r0 * b + r1 * d + r2 * e, r0 * c + r1 * e + r2 * f
    y0, y1, y2 = r3 * a + r4 * b + r5 * c, r3 * b + r4 * d + r5 * e, r3 * c + r4 * e + r5 * f
    z0, z1, z2 = r6 * a + r7 * b + r8 * c, r6 * b + r7 * d + r8 * e, r6 * c + r7 * e + r8 * f
    xx, xy, xz = (
        x0 * r0 + x1 * r1 + x2 * r2, x0 * r3 + x1 * r4 + x2 * r5, x0 * r6 + x1 * r7 + x2 * r8,
    )  # fmt: skip
    yy, yz = y0 * r3 + y1 * r4 + y2 * r5, y0 * r6 + y1 * r7 + y2 * r8
    zz = z0 * r6 + z1 * r7 + z2 * r8
    d = mv(R, three(K, k + MD))
    m = K[k + MASS]
    put3(w, x + J, (xx, xy, xz))
    put3(w, x + J + 3, (yy, yz, zz))
    put9(w, x + B, (0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0))
    put3(w, x + M, (m, 0.0, 0.0))
    put3(w, x + M + 3, (m, 0.0, m))
    h = (
        xx * o[0] + xy * o[1] + xz * o[2], xy * o[0] + yy * o[1] + yz * o[2],
        xz * o[0] + yz * o[1] + zz * o[2],
    )  # fmt: skip
    put3(w, x + WRENCH, cross(o, h))
    put3(w, x + WRENCH + 3, spin(o, d))


@fused_inlined
def place_hinge(K, k, w, x, p, c, s, rate, tidy):
    """Orientation, angular velocity and bias of a body behind a hinge."""
    a = qmul(four(w, p + QUAT), four(K, k + CQ))
    q = (a[0] * c - a[3] * s, a[1] * c + a[2] * s, a[2] * c - a[1] * s, a[3] * c + a[0] * s)
    if tidy:  # the size's error would grow along a chain
        size = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        q = (q[0] * size, q[1] * size, q[2] * size, q[3] * size)
    R = rotation(q)
    put4(w, x + QUAT, q)
    put9(w, x + ROT, R)
    u = mv(nine(w, p + ROT), three(K, k + CA))
    put3(w, x + U, u)
    o = three(w, p + OMEGA)
    e = (R[2] * rate, R[5] * rate, R[8] * rate)
    put3(w, x + BIAS, cross(o, e))
    put3(w, x + BIAS + 3, spin(o, u))
    o = add(o, e)
    put3(w, x + OMEGA, o)
    put_inertia(K, k, w, x, R, o)


def outward(sweeps, tree, s, q, v):
    """Fill the records from joint coordinates q and velocities v; sweeps: for joints, no hinges."""
    half_turns(q, s.halves)
    K, w, ints = borrow(tree.reals), borrow(s.sweep), borrow(tree.ints)
    cs, rate = borrow(s.halves), borrow(v)
    for i in range(tree.ints.shape[0]):
        n, k, x = INTS * i, REALS * i, RECORD * i
        p = RECORD * ints[n + PARENT]
        kind = ints[n + KIND]
        if kind == HINGE_JOINT:
            h = 2 * ints[n + IQ]
            place_hinge(K, k, w, x, p, cs[h], cs[h + 1], rate[ints[n + IV]], i & 7 == 0)
        elif kind == GENERAL:
            slots.place(sweeps, tree, s, i, q, v)
            put_inertia(K, k, w, x, nine(w, x + ROT), three(w, x + OMEGA))
        elif kind == BENDING:
            slots.enter(sweeps, tree, s, i, q, v)
        else:
            slots.leave(sweeps, tree, s, i, q, v)
            put_inertia(K, k, w, x, nine(w, x + ROT), three(w, x + OMEGA))
