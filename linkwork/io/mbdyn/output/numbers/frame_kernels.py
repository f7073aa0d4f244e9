"""Compiled rows of motion: frames of many nodes or joints at many times.

Rows are sorted by times; each time has one row for each of k frames.  What does not change with
time is given once for each frame (or once for all, or for every row) and repeated.  Sums have one
order, so that a number does not depend on how many rows are computed at once, and begin with zero,
so that nothing is −0.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.lock import QT, UA, UB
from linkwork.kernels.compiled import compiled, inlined

released = compiled(_nrt=False, nogil=True)  # other threads run meanwhile


@inlined
def times(R, v):
    """R v."""
    return (
        0.0 + R[0, 0] * v[0] + R[0, 2] * v[2] + R[0, 1] * v[1],
        0.0 + R[1, 0] * v[0] + R[1, 2] * v[2] + R[1, 1] * v[1],
        0.0 + R[2, 0] * v[0] + R[2, 2] * v[2] + R[2, 1] * v[1],
    )


@inlined
def back(R, v):
    """Rᵀ v."""
    return (
        0.0 + R[0, 0] * v[0] + R[1, 0] * v[1] + R[2, 0] * v[2],
        0.0 + R[0, 1] * v[0] + R[1, 1] * v[1] + R[2, 1] * v[2],
        0.0 + R[0, 2] * v[0] + R[1, 2] * v[1] + R[2, 2] * v[2],
    )


@inlined
def crossed(a, b):
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@inlined
def less(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def plus(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def put(out, v):
    out[0], out[1], out[2] = v


@inlined
def put_matrix(R, w, x, y, z):
    """The rotation matrix of a unit quaternion."""
    R[0, 0] = w * w + x * x - y * y - z * z
    R[0, 1] = 2 * (x * y - w * z)
    R[0, 2] = 2 * (x * z + w * y)
    R[1, 0] = 2 * (x * y + w * z)
    R[1, 1] = w * w - x * x + y * y - z * z
    R[1, 2] = 2 * (y * z - w * x)
    R[2, 0] = 2 * (x * z - w * y)
    R[2, 1] = 2 * (y * z + w * x)
    R[2, 2] = w * w - x * x - y * y + z * z


@inlined
def product(p, q):
    """Of two quaternions."""
    a, b = (p[1], p[2], p[3]), (q[1], q[2], q[3])
    c = crossed(a, b)
    return (
        p[0] * q[0] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]),
        p[0] * b[0] + q[0] * a[0] + c[0],
        p[0] * b[1] + q[0] * a[1] + c[1],
        p[0] * b[2] + q[0] * a[2] + c[2],
    )


@inlined
def conjugated(q):
    return (q[0], -q[1], -q[2], -q[3])


@released
def rotate_rows(R, v, out):
    """R v of every row."""
    n, k = len(v), 0
    for t in range(len(R)):
        put(out[t], times(R[t], v[k]))
        k = 0 if k + 1 == n else k + 1


@released
def rotate_back_rows(R, v, out):
    """Rᵀ v of every row."""
    n, k = len(v), 0
    for t in range(len(R)):
        put(out[t], back(R[t], v[k]))
        k = 0 if k + 1 == n else k + 1


@released
def body_rows(motion, acceleration, bodies, x, R, v, w, a, p):
    """World motion (x R v w v̇ ẇ) of bodies, from what a run stores of all."""
    n = len(bodies)
    for t in range(len(motion)):
        for k in range(n):
            m, m1, row = motion[t, bodies[k]], acceleration[t, bodies[k]], t * n + k
            put(x[row], (m[0], m[1], m[2]))
            put_matrix(R[row], m[3], m[4], m[5], m[6])
            put(v[row], (m[7], m[8], m[9]))
            put(w[row], times(R[row], (m[10], m[11], m[12])))
            put(a[row], (m1[0], m1[1], m1[2]))
            put(p[row], times(R[row], (m1[3], m1[4], m1[5])))


@released
def offset_rows(R, x, v, w, a, p, arms, x_out, v_out, a_out):
    """Place, velocity and acceleration at the end of an arm that is fixed in the frame."""
    n, k = len(arms), 0
    for t in range(len(x)):
        s = times(R[t], arms[k])
        put(x_out[t], plus(x[t], s))
        put(v_out[t], plus(v[t], crossed(w[t], s)))
        put(a_out[t], plus(plus(a[t], crossed(p[t], s)), crossed(w[t], crossed(w[t], s))))
        k = 0 if k + 1 == n else k + 1


@released
def marker_rows(m, of, places, arms, out):
    """Frames at the ends of arms, in the axes of the frames they are fixed in: of so many frames
    the one at a place, or the ground (−1)."""
    x, R, v, w, a, p = m
    x_out, R_out, v_out, w_out, a_out, p_out = out
    none, n = (0.0, 0.0, 0.0), len(places)
    for t in range(len(x_out) // n):
        for k in range(n):
            i, row = t * of + places[k], t * n + k
            if places[k] < 0:
                put_matrix(R_out[row], 1.0, 0.0, 0.0, 0.0)
                put(x_out[row], plus(none, times(R_out[row], arms[k])))
                put(v_out[row], none)
                put(w_out[row], none)
                put(a_out[row], none)
                put(p_out[row], none)
                continue
            for j in range(3):
                put(R_out[row, j], (R[i, j, 0], R[i, j, 1], R[i, j, 2]))
            s = times(R[i], arms[k])
            put(x_out[row], plus(x[i], s))
            put(v_out[row], plus(v[i], crossed(w[i], s)))
            put(w_out[row], (w[i, 0], w[i, 1], w[i, 2]))
            put(a_out[row], plus(plus(a[i], crossed(p[i], s)), crossed(w[i], crossed(w[i], s))))
            put(p_out[row], (p[i, 0], p[i, 1], p[i, 2]))


@released
def seen_rows(m, f, out):
    """Relative motion (x R v w a p) of frames m as observers in the frames f see it."""
    x, R, v, w, a, p = m
    fx, fR, fv, fw, fa, fp = f
    for t in range(len(x)):
        d, spin = less(x[t], fx[t]), less(w[t], fw[t])
        moves = less(less(v[t], fv[t]), crossed(fw[t], d))
        twice = crossed(fw[t], moves)
        gains = less(less(a[t], fa[t]), crossed(fp[t], d))
        gains = less(gains, crossed(fw[t], crossed(fw[t], d)))
        gains = less(gains, (2 * twice[0], 2 * twice[1], 2 * twice[2]))
        turns = less(less(p[t], fp[t]), crossed(fw[t], spin))
        put(out[0][t], back(fR[t], d))
        for i in range(3):
            put(out[1][t, i], back(R[t], fR[t, :, i]))
        put(out[2][t], back(fR[t], moves))
        put(out[3][t], back(fR[t], spin))
        put(out[4][t], back(fR[t], gains))
        put(out[5][t], back(fR[t], turns))


@released
def momentum_rows(R, J, v, w, a, p, centres, masses, out):
    """β, γ about the node, β̇, γ̇ of bodies: J about their centres of mass in world axes."""
    n, k = len(masses), 0
    for t in range(len(R)):
        b, m, W = times(R[t], centres[k]), masses[k], w[t]
        arm = crossed(W, b)
        c = plus(v[t], arm)
        g = plus(plus(a[t], crossed(p[t], b)), crossed(W, arm))
        beta, rate = (m * c[0], m * c[1], m * c[2]), (m * g[0], m * g[1], m * g[2])
        spin = times(J[t], W)
        turning = plus(times(J[t], p[t]), crossed(W, spin))
        put(out[0][t], beta)
        put(out[1][t], plus(spin, crossed(b, beta)))
        put(out[2][t], rate)
        put(out[3][t], plus(plus(turning, crossed(arm, beta)), crossed(b, rate)))
        k = 0 if k + 1 == n else k + 1


@inlined
def end_rotation(motion, t, body):
    """The quaternion of a body; of the ground (−1) one."""
    if body < 0:
        return (1.0, 0.0, 0.0, 0.0)
    return (motion[t, body, 3], motion[t, body, 4], motion[t, body, 5], motion[t, body, 6])


@released
def lock_rows(motion, gamma, ends, rows, reals, R, force, torque):
    """What lock joints do to their second bodies, at the driven marker in world axes.

    Force −γ_f and torque −P(ρ) γ_m in the main marker's axes (elements/joints/lock.py); `rows` are
    the six multipliers of each joint, −1 where it has none.  R is for the rotation of a marker.
    """
    for t in range(len(motion)):
        for k in range(len(ends)):
            x, row, g = reals[k], t * len(ends) + k, gamma[t]
            main = (x[UA + 3], x[UA + 4], x[UA + 5], x[UA + 6])
            driven = (x[UB + 3], x[UB + 4], x[UB + 5], x[UB + 6])
            first = product(end_rotation(motion, t, ends[k, 0]), main)
            second = product(end_rotation(motion, t, ends[k, 1]), driven)
            relative = product(conjugated(first), second)
            turned = (x[QT], -x[QT + 1], -x[QT + 2], -x[QT + 3])
            rho = product(relative, turned)
            i = rows[k]
            f = (0.0 if i[0] < 0 else g[i[0]], 0.0 if i[1] < 0 else g[i[1]],
                 0.0 if i[2] < 0 else g[i[2]])  # fmt: skip
            m = (0.0 if i[3] < 0 else g[i[3]], 0.0 if i[4] < 0 else g[i[4]],
                 0.0 if i[5] < 0 else g[i[5]])  # fmt: skip
            c = crossed((rho[1], rho[2], rho[3]), m)
            m = (-0.5 * (rho[0] * m[0] + c[0]), -0.5 * (rho[0] * m[1] + c[1]),
                 -0.5 * (rho[0] * m[2] + c[2]))  # fmt: skip
            put_matrix(R, first[0], first[1], first[2], first[3])
            put(force[row], times(R, (-f[0], -f[1], -f[2])))
            put(torque[row], times(R, m))


def per_frame(v: np.ndarray) -> np.ndarray:
    """Vectors in rows, for the kernels above."""
    return np.ascontiguousarray(v, float).reshape(-1, 3)
