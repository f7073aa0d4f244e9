"""The tangent of a lifting surface, rows of eight numbers at a time.

With the increments of node i, its reference point moves by N_i P̄_i, gains the velocity N_i V̄_i and
the section the angular velocity N_i W̄_i; P̄, V̄, W̄ are three rows each, and the same for all points
of an element.  The section turns by Φ_i = Θ_i R_i, of node_turn.  What a section depends on changes
by

    δVx = N e₁·V̄ − N (Gᵀe₁)·P̄ + (e₁ × w)·Φ,   δVy: e₂ in place of e₁
    δVz: e₃,   δωz = N e₃·W̄ + (e₃ × ω)·Φ,    δh = N up·P̄

and every output by these with its four slopes; fz by Vz, too.
"""

from __future__ import annotations

from linkwork.elements.aero.surfaces.layout import (
    ARM, BY_INPUT, BY_SPEED, BY_STATE, CENTRE_AC, CROSSED, GAINED, INPUTS, INVERSE, LOADS,
    MOST_STATES, MOVED, NODE_ROWS, NODE_WORK, OWN, PLACES, ROW, ROWS, SHAPE, SPANWISE, SPIN, SPUN,
)  # fmt: skip
from linkwork.elements.layout import BY_RATE, BY_VALUE, ROT, STRIDE
from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import load8, six8, store8
from linkwork.kernels.vectors import (
    IDENTITY, at9, cm, cross, dot, madd, mm, mscale, nine, skew, three, tm, tv,
)  # fmt: skip

NONE9 = (0.0,) * 9


@inlined
def put_rows(y, p, X, Y):
    """Three rows: a matrix for the displacements, and one for the turns."""
    store8(y, p, six8((X[0], X[1], X[2]), (Y[0], Y[1], Y[2])))
    store8(y, p + ROW, six8((X[3], X[4], X[5]), (Y[3], Y[4], Y[5])))
    store8(y, p + 2 * ROW, six8((X[6], X[7], X[8]), (Y[6], Y[7], Y[8])))


@inlined
def node_rows(ints, nodes, k, n, cK, cD, y):
    """P̄, V̄, W̄ of the nodes, and what their turns Φ are made of."""
    r = max(n - 2, 0)
    Rr = at9(nodes, ints[k, r], ROT)
    for i in range(n):
        p, q = PLACES + NODE_WORK * i, ROWS + NODE_ROWS * i
        R, o, w = at9(nodes, ints[k, i], ROT), three(y, p + ARM), three(y, p + SPIN)
        swung = cm(o, R)
        put_rows(y, q + MOVED, mscale(cK, IDENTITY), mscale(-cK, swung))
        turned = madd(mscale(-cD, swung), mscale(-cK, cm(cross(w, o), R)))
        put_rows(y, q + GAINED, mscale(cD, IDENTITY), turned)
        put_rows(y, q + SPUN, NONE9, madd(mscale(cD, R), mscale(-cK, cm(w, R))))
        if i == r:
            put_rows(y, q + OWN, NONE9, mscale(cK, R))
        else:
            V = mscale(cK, nine(y, p + INVERSE))
            put_rows(y, q + OWN, NONE9, mm(V, R))
            put_rows(y, q + CROSSED, NONE9, mm(V, Rr))


@inlined
def three8(y, p):
    return load8(y, p), load8(y, p + ROW), load8(y, p + 2 * ROW)


@inlined
def dot8(a, X):
    """a·X of three numbers and three rows."""
    return X[0] * a[0] + X[1] * a[1] + X[2] * a[2]


@inlined
def cross8(a, X):
    """a × X of three numbers and three rows."""
    return (
        X[2] * a[1] - X[1] * a[2], X[0] * a[2] - X[2] * a[0], X[1] * a[0] - X[0] * a[1]
    )  # fmt: skip


@inlined
def add8(X, Y):
    return X[0] + Y[0], X[1] + Y[1], X[2] + Y[2]


@inlined
def section_turn(reals, k, pt, n, i, T, y):
    """Φ_i: how the section turns with node i, from the turns of all but the reference node."""
    q = ROWS + NODE_ROWS * i
    own = three8(y, q + OWN)
    if n == 1:
        return own
    r = n - 2
    if i != r:
        N = reals[k, pt + SHAPE + i]
        x = (own[0] * N, own[1] * N, own[2] * N)
        return (
            dot8((T[0], T[1], T[2]), x), dot8((T[3], T[4], T[5]), x), dot8((T[6], T[7], T[8]), x)
        )  # fmt: skip
    a, b, c = own
    for j in range(n):
        if j != r:
            N = reals[k, pt + SHAPE + j]
            x = three8(y, ROWS + NODE_ROWS * j + CROSSED)
            a = a - dot8((T[0], T[1], T[2]), x) * N
            b = b - dot8((T[3], T[4], T[5]), x) * N
            c = c - dot8((T[6], T[7], T[8]), x) * N
    return a, b, c


@inlined
def take_row(vals, p, x):
    """Take eight numbers from a row of a block."""
    store8(vals, p, load8(vals, p) - x)


@inlined
def subtract33(vals, base, i, j, X):
    p = base + i * STRIDE + j
    for a in range(3):
        vals[p] -= X[3 * a]
        vals[p + 1] -= X[3 * a + 1]
        vals[p + 2] -= X[3 * a + 2]
        p += STRIDE


@inlined
def output_row(y, j, x, z, w, h):
    """The change of output j with those of Vx, Vy, ωz and the altitude."""
    p = BY_INPUT + INPUTS * j
    return x * y[p] + z * y[p + 1] + w * y[p + 2] + h * y[p + 3]


@inlined
def node_columns(
    vals, ints, reals, k, n, i, ends, piece, rotor, point, pt, states, kind, T, length, e1, e2, e3,
    w, spin, G, up, R, arm, F, M, A, away, y,
):  # fmt: skip
    """Columns of node i: in the rows of the body, of the states and of the rotor's loads."""
    N, q = reals[k, pt + SHAPE + i], ROWS + NODE_ROWS * i
    P, V, W = three8(y, q + MOVED), three8(y, q + GAINED), three8(y, q + SPUN)
    turn = section_turn(reals, k, pt, n, i, T, y)
    x = (dot8(e1, V) - dot8(tv(G, e1), P)) * N + dot8(cross(e1, w), turn)
    z = (dot8(e2, V) - dot8(tv(G, e2), P)) * N + dot8(cross(e2, w), turn)
    s = dot8(e3, W) * N + dot8(cross(e3, spin), turn)
    along = (dot8(e3, V) - dot8(tv(G, e3), P)) * N + dot8(cross(e3, w), turn)
    h = dot8(up, P) * N
    fx = output_row(y, 0, x, z, s, h) * length
    fy = output_row(y, 1, x, z, s, h) * length
    fz = (output_row(y, SPANWISE, x, z, s, h) + along * y[BY_SPEED]) * length
    m, n2 = output_row(y, 2, x, z, s, h) * length, fz * -reals[k, pt + CENTRE_AC]
    # δF and δM + δp × F: the force turns with the section, and its point moves
    a, b, c = cross8(F, turn)
    dF = (
        fx * e1[0] + fy * e2[0] + fz * e3[0] - a, fx * e1[1] + fy * e2[1] + fz * e3[1] - b,
        fx * e1[2] + fy * e2[2] + fz * e3[2] - c,
    )  # fmt: skip
    a, b, c = cross8(M, turn)
    d, e, f = cross8(F, P)
    dM = (
        m * e3[0] + n2 * e2[0] - a - d * N, m * e3[1] + n2 * e2[1] - b - e * N,
        m * e3[2] + n2 * e2[2] - c - f * N,
    )  # fmt: skip
    moment = add8(cross8(arm, dF), dM)
    base = ints[k, ends + ends * piece + i]
    take_row(vals, base, dF[0])
    take_row(vals, base + STRIDE, dF[1])
    take_row(vals, base + 2 * STRIDE, dF[2])
    take_row(vals, base + 3 * STRIDE, dot8((R[0], R[3], R[6]), moment))
    take_row(vals, base + 4 * STRIDE, dot8((R[1], R[4], R[7]), moment))
    take_row(vals, base + 5 * STRIDE, dot8((R[2], R[5], R[8]), moment))
    for j in range(states):
        row = ints[k, ends + ends * n + i] + (states * point + j) * STRIDE
        store8(vals, row, load8(vals, row) + output_row(y, 3 + j, x, z, s, h))
    if kind > 0.0:
        base = ints[k, ends + ends * (rotor + LOADS) + i]
        total = add8(cross8(away, dF), dM)
        take_row(vals, base, dot8((A[2], A[5], A[8]), dF))
        take_row(vals, base + STRIDE, dot8((A[0], A[3], A[6]), total))
        take_row(vals, base + 2 * STRIDE, dot8((A[1], A[4], A[7]), total))


@inlined
def state_columns(
    vals, ints, values, k, n, ends, piece, rotor, point, points, states, wide, length, R, arm, e1,
    e2, e3, A, away, kind, z, y,
):  # fmt: skip
    """Columns of the states: in the rows of the body, of the states, of the rotor's loads."""
    body, own = ints[k, ends + ends * piece + n], ints[k, ends + ends * n + n]
    l1, l2, l3 = tv(R, cross(arm, e1)), tv(R, cross(arm, e2)), tv(R, e3)
    a1, a2, a3 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    c1, c2 = cross(away, e1), cross(away, e2)
    for j in range(states):
        by = values[BY_VALUE, z + j]
        x = y[BY_STATE + j] * by * length
        s = y[BY_STATE + MOST_STATES + j] * by * length
        m = y[BY_STATE + 2 * MOST_STATES + j] * by * length
        q = states * point + j
        for i in range(3):
            vals[body + wide * i + q] -= e1[i] * x + e2[i] * s
            vals[body + wide * (3 + i) + q] -= l1[i] * x + l2[i] * s + l3[i] * m
        for i in range(states):
            here = y[BY_STATE + MOST_STATES * (3 + i) + j] * by
            if i == j:
                here += values[BY_RATE, z + j]
            vals[own + wide * (states * point + i) + q] += here
        if kind > 0.0:
            base = ints[k, ends + ends * (rotor + LOADS) + n]
            vals[base + q] -= dot(a3, e1) * x + dot(a3, e2) * s
            vals[base + wide + q] -= dot(a1, c1) * x + dot(a1, c2) * s + dot(a1, e3) * m
            vals[base + 2 * wide + q] -= dot(a2, c1) * x + dot(a2, c2) * s + dot(a2, e3) * m


@inlined
def own_motion(vals, base, R, F, local, cK):
    """How moments about a body change as the body itself moves under the forces on it."""
    subtract33(vals, base, 3, 0, mscale(cK, tm(R, skew(F))))
    subtract33(vals, base, 3, 3, mscale(cK, skew(local)))
