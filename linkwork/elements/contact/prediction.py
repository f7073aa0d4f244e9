"""Where the first correction of a step takes the forces of a contact from.

A step is predicted with accelerations.  Bodies that rest on each other give way by a depth δ that
is far less than what an error of the accelerations moves them by in a step, so the predicted depth
may be many times δ, or the shapes apart, and Newton's method has to find its way back along the law
of the contact, by a third of the depth with each correction for Hertz's.  The best guess of the
depth is then the last one: forces f and tangent K are those of a motion that differs from the
predicted x₁ by s, with the points at the depths before the step, continued to x₁,

    f(x₁) ≈ f(x₁ + s) − K s

s is the smallest motion of the second body (lengths, and turns times ρ, the distance of the points
from the body along the surface) that takes the points back; velocities change by c_v s with it, as
they do in the step.  Such a correction is followed by another one, with the forces as they are.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import (
    BEFORE, DEPTH, FACE, KIND, NORMAL, ON_A, ON_B, OWN, POINTS, RIM,
)  # fmt: skip
from linkwork.elements.layout import UNKNOWN
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import (
    IDENTITY, add, at, cross, dot, madd, mscale, mv, outer, scale, solve3, sub,
)  # fmt: skip

FAR = 0.03  # of the depth: predictions that differ by more are not used
NEAR = 3.0  # times the depth of others: how far apart points may have been
SMALL = 1e-4  # of the least squares, where points do not determine a turn
ZERO = (0.0, 0.0, 0.0)


@inlined
def moved_since(x, b, R, arm):
    """By how much a point at `arm` from the origin of body b has moved in the step."""
    turn = mv(R, at(x, b, 3))
    side = cross(turn, arm)
    return add(at(x, b, 0), sub(side, scale(0.5, cross(turn, side))))


@inlined
def depth_before(w, m, n, x, a, b, Ra, ra, Rb, rb):
    """The depth of point m before the step; far apart where it is not known."""
    kind = w[m, KIND]
    if kind != FACE and kind != RIM and kind != POINTS:
        return -UNKNOWN
    X = at(w, m, ON_B)
    if kind == RIM and w[m, OWN + 6] > 0.0:
        X = sub(X, at(w, m, OWN + 3))  # the middle of the rim, which the lowest point runs along
    apart = sub(
        moved_since(x, b, Rb, sub(X, rb)), moved_since(x, a, Ra, sub(at(w, m, ON_A), ra))
    )
    return w[m, DEPTH] + dot(n, apart)


@inlined
def component(j, move, turn):
    """Number j of six, a displacement and a turn; 0 below."""
    if j < 0:
        return 0.0
    return move[j] if j < 3 else turn[j - 3]


@inlined
def back_to_last_depths(w, count, x, a, b, Ra, ra, Rb, rb):
    """The displacement and the turn of b (world axes) that take points back to the depths before
    the step; whether predictions are so far from these that it is worth while.

    Points that bore nothing count where they were no further away than others were deep.
    """
    n = at(w, 0, NORMAL)
    deepest = 0.0
    for m in range(count):
        w[m, BEFORE] = depth_before(w, m, n, x, a, b, Ra, ra, Rb, rb)
        deepest = max(deepest, w[m, BEFORE])
    far, square, points = False, 0.0, 0
    for m in range(count):
        before, depth = w[m, BEFORE], w[m, DEPTH]
        if before > 0.0 or (before > -NEAR * deepest and depth > 0.0):
            far = far or abs(depth - before) > FAR * deepest
            lever = cross(sub(at(w, m, ON_B), rb), n)
            square += dot(lever, lever)
            points += 1
        else:
            w[m, BEFORE] = UNKNOWN
    if not far:
        return False, ZERO, ZERO
    # δ_i − δ_i before = −(α + λ_i·t): the smallest α and t ρ by least squares
    rho = math.sqrt(square / points) if square > 0.0 else 1.0
    e = (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
    u = cross(n, e)
    u = scale(1.0 / math.sqrt(dot(u, u)), u)
    v = cross(n, u)
    A, wanted = mscale(SMALL * points, IDENTITY), ZERO
    for m in range(count):
        if w[m, BEFORE] < UNKNOWN:
            lever = cross(sub(at(w, m, ON_B), rb), n)
            row = (1.0, dot(lever, u) / rho, dot(lever, v) / rho)
            A = madd(A, outer(row, row))
            wanted = add(wanted, scale(w[m, DEPTH] - w[m, BEFORE], row))
    y = solve3(A, wanted)
    move, turn = scale(y[0], n), scale(1.0 / rho, add(scale(y[1], u), scale(y[2], v)))
    return math.isfinite(dot(move, move) + dot(turn, turn)), move, turn
