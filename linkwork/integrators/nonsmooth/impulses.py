"""Impulses of hard contacts by Gauss-Seidel iteration.

Per point, with the relative velocity u after the step and u⁻ before it,

    0 ≤ r_n − l ⟂ u_n + b ≥ 0,     r_t = −μ r_n u_t/|u_t| or |r_t| ≤ μ r_n where u_t = 0

b = e u_n⁻ is Newton's rule of restitution; Poisson's has a second pass with b = 0 and the least
impulse l = e r_n of the first.  A sweep solves point after point with the others held (M. Jean,
J. J. Moreau: Unilaterality and dry friction in the dynamics of rigid body collections, 1992); the
impulses of the step before are where it begins.  Bodies carry their velocities along, so that a
sweep costs as much as there are points; where joints hold them, the velocities are those of the
points, tied by the matrix W = H A⁻¹ Hᵀ of the whole mechanism.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.layout import POS, ROT, SIX
from linkwork.integrators.nonsmooth.collide import BODY_I, BODY_J, KEY, SIDE, WAY, WHERE
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.vectors import add, at, at9, cross, dot, mm, mt, mv, scale, sub

# columns of the numbers of a point in the iteration: 1/w_nn, 1/w_tt, least impulse, b, μ
WNN, WTT, LEAST, BOUNCE, FRICTION, SOLVE = 0, 1, 2, 3, 4, 5


@compiled
def warm_start(ints, r, count, old_keys, old_r, old_count):
    """Impulses of the same points in the step before; keys are in increasing order."""
    order = np.argsort(ints[:count, KEY])
    p = 0
    for q in range(count):
        k = order[q]
        while p < old_count and old_keys[p] < ints[k, KEY]:
            p += 1
        for c in range(3):
            r[k, c] = old_r[p, c] if p < old_count and old_keys[p] == ints[k, KEY] else 0.0
    return order


@compiled
def inverse_inertias(bodies, nodes, inverse):
    """1/m and R J⁻¹ Rᵀ of all bodies, (bodies + 1, 10); the ground has zeros."""
    for b in range(bodies.shape[0]):
        J, R = at9(bodies, b, 1), at9(nodes, b, ROT)
        x, y, z = (J[0], J[3], J[6]), (J[1], J[4], J[7]), (J[2], J[5], J[8])
        p, q, s = cross(y, z), cross(z, x), cross(x, y)
        d = 1.0 / dot(x, p)
        inner = (
            d * p[0], d * p[1], d * p[2], d * q[0], d * q[1], d * q[2], d * s[0], d * s[1], d * s[2]
        )  # fmt: skip
        X = mt(mm(R, inner), R)
        inverse[b, 0] = 1.0 / bodies[b, 0]
        for k in range(9):
            inverse[b, 1 + k] = X[k]


@inlined
def answer(inverse, b, s, x):
    """Velocity along x at the arm s of body b under a unit impulse along x."""
    turn = cross(s, x)
    return inverse[b, 0] + dot(turn, mv(at9(inverse, b, 1), turn))


@inlined
def relative(nodes, v, reals, k, i, j):
    """u of point k from the velocities v (bodies + 1, 6), all in world axes."""
    P = at(reals, k, WHERE)
    si, sj = sub(P, at(nodes, i, POS)), sub(P, at(nodes, j, POS))
    vi = add(at(v, i, 0), cross(at(v, i, 3), si))
    return sub(add(at(v, j, 0), cross(at(v, j, 3), sj)), vi)


@inlined
def push(nodes, inverse, v, reals, k, i, j, r):
    """Velocities after an impulse r on j and −r on i at point k."""
    P = at(reals, k, WHERE)
    for b, sign in ((i, -1.0), (j, 1.0)):
        if inverse[b, 0] == 0.0:
            continue
        s = sub(P, at(nodes, b, POS))
        turn = mv(at9(inverse, b, 1), cross(s, r))
        for c in range(3):
            v[b, c] += sign * inverse[b, 0] * r[c]
            v[b, 3 + c] += sign * turn[c]


@compiled
def prepare(ints, reals, count, nodes, inverse, own):
    """1/w of all points, for bodies without joints."""
    for k in range(count):
        i, j = ints[k, BODY_I], ints[k, BODY_J]
        P, n, t = at(reals, k, WHERE), at(reals, k, WAY), at(reals, k, SIDE)
        si, sj = sub(P, at(nodes, i, POS)), sub(P, at(nodes, j, POS))
        b = cross(n, t)
        wn = answer(inverse, i, si, n) + answer(inverse, j, sj, n)
        w1 = answer(inverse, i, si, t) + answer(inverse, j, sj, t)
        w2 = answer(inverse, i, si, b) + answer(inverse, j, sj, b)
        own[k, WNN], own[k, WTT] = 1.0 / wn, 1.0 / max(w1, w2)


@inlined
def tangential(u1, u2, r1, r2, wtt, most):
    """New tangential impulse, within the disc of radius `most`."""
    x, y = r1 - wtt * u1, r2 - wtt * u2
    size = math.sqrt(x * x + y * y)
    if size > most:
        x, y = x * most / size, y * most / size
    return x, y


@compiled
def sweep_bodies(ints, reals, count, nodes, inverse, own, v, r, rounds, tolerance):
    """Gauss-Seidel over the points, v being that of all bodies; sweeps made, and the last change.

    v has the impulses r in it already.
    """
    change = 0.0
    for sweep in range(rounds):
        change = 0.0
        for turn in range(count):
            k = turn if sweep % 2 == 0 else count - 1 - turn  # forwards and backwards
            i, j = ints[k, BODY_I], ints[k, BODY_J]
            n, t = at(reals, k, WAY), at(reals, k, SIDE)
            u = relative(nodes, v, reals, k, i, j)
            rn = max(own[k, LEAST], r[k, 0] - own[k, WNN] * (dot(n, u) + own[k, BOUNCE]))
            step = rn - r[k, 0]
            r[k, 0] = rn
            if step != 0.0:
                push(nodes, inverse, v, reals, k, i, j, scale(step, n))
                change = max(change, abs(step) / own[k, WNN])
            if own[k, FRICTION] > 0.0:
                b = cross(n, t)
                u = relative(nodes, v, reals, k, i, j)
                x, y = tangential(
                    dot(u, t), dot(u, b), r[k, 1], r[k, 2], own[k, WTT], own[k, FRICTION] * rn
                )
                dx, dy = x - r[k, 1], y - r[k, 2]
                r[k, 1], r[k, 2] = x, y
                push(nodes, inverse, v, reals, k, i, j, add(scale(dx, t), scale(dy, b)))
                change = max(change, (abs(dx) + abs(dy)) / own[k, WTT])
        if change <= tolerance:
            return sweep + 1, change
    return rounds, change


@compiled
def start_bodies(ints, reals, count, nodes, inverse, v, r):
    """Add the impulses r to the velocities."""
    for k in range(count):
        n, t = at(reals, k, WAY), at(reals, k, SIDE)
        b = cross(n, t)
        whole = add(scale(r[k, 0], n), add(scale(r[k, 1], t), scale(r[k, 2], b)))
        push(nodes, inverse, v, reals, k, ints[k, BODY_I], ints[k, BODY_J], whole)


@compiled
def relative_all(ints, reals, count, nodes, v, u):
    """u (count, 3) in the frames of the points."""
    for k in range(count):
        n, t = at(reals, k, WAY), at(reals, k, SIDE)
        x = relative(nodes, v, reals, k, ints[k, BODY_I], ints[k, BODY_J])
        u[k, 0], u[k, 1], u[k, 2] = dot(n, x), dot(t, x), dot(cross(n, t), x)


@compiled
def sweep_matrix(W, u, own, r, count, rounds, tolerance):
    """The same with u (3 count,) and its matrix W, which has the impulses r in it already."""
    change = 0.0
    for sweep in range(rounds):
        change = 0.0
        for turn in range(count):
            k = turn if sweep % 2 == 0 else count - 1 - turn
            p = 3 * k
            rn = max(own[k, LEAST], r[k, 0] - own[k, WNN] * (u[p] + own[k, BOUNCE]))
            step = rn - r[k, 0]
            r[k, 0] = rn
            for q in range(3 * count):
                u[q] += W[q, p] * step
            x, y = tangential(
                u[p + 1], u[p + 2], r[k, 1], r[k, 2], own[k, WTT], own[k, FRICTION] * rn
            )
            dx, dy = x - r[k, 1], y - r[k, 2]
            r[k, 1], r[k, 2] = x, y
            for q in range(3 * count):
                u[q] += W[q, p + 1] * dx + W[q, p + 2] * dy
            change = max(change, abs(step) / own[k, WNN], (abs(dx) + abs(dy)) / own[k, WTT])
        if change <= tolerance:
            return sweep + 1, change
    return rounds, change


@compiled
def columns_of_points(ints, reals, count, nodes, H):
    """H (3 count, 6 bodies) for velocities in world axes and angular velocities in body axes."""
    fill_columns(ints, reals, count, nodes, H, True)


@compiled
def columns_in_world(ints, reals, count, nodes, H):
    """The same for angular velocities in world axes."""
    fill_columns(ints, reals, count, nodes, H, False)


@inlined
def fill_columns(ints, reals, count, nodes, H, body_axes):
    bodies = H.shape[1] // SIX
    for k in range(count):
        n, t = at(reals, k, WAY), at(reals, k, SIDE)
        P = at(reals, k, WHERE)
        for c in range(3):
            x = n
            if c == 1:
                x = t
            elif c == 2:
                x = cross(n, t)
            for b, sign in ((ints[k, BODY_I], -1.0), (ints[k, BODY_J], 1.0)):
                if b == bodies:
                    continue
                turn = cross(sub(P, at(nodes, b, POS)), x)
                R = at9(nodes, b, ROT)
                for d in range(3):
                    H[3 * k + c, SIX * b + d] += sign * x[d]
                    own = turn[d]
                    if body_axes:
                        own = R[d] * turn[0] + R[3 + d] * turn[1] + R[6 + d] * turn[2]
                    H[3 * k + c, SIX * b + 3 + d] += sign * own
