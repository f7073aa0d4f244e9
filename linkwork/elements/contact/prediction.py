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
    DEPTH, FACE, KIND, NORMAL, ON_A, ON_B, OWN, POINTS, RIM,
)  # fmt: skip
from linkwork.math.compiled import inlined
from linkwork.math.vectors import add, at, cross, dot, mv, scale, sub

FAR = 0.03  # of the depth: predictions that differ by more are not used
SWEEPS = 3  # over the points, in each of which their depths are set one after the other


@inlined
def moved_since(x, b, R, arm):
    """By how much a point at `arm` from the origin of body b has moved in the step."""
    turn = mv(R, at(x, b, 3))
    side = cross(turn, arm)
    return add(at(x, b, 0), sub(side, scale(0.5, cross(turn, side))))


@inlined
def depth_before(w, m, n, x, a, b, Ra, ra, Rb, rb):
    """The depth of point m before the step; negative where it is not known."""
    kind = w[m, KIND]
    if kind != FACE and kind != RIM and kind != POINTS:
        return -1.0
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
    """
    n = at(w, 0, NORMAL)
    far, square, points = False, 0.0, 0
    for m in range(count):
        before = depth_before(w, m, n, x, a, b, Ra, ra, Rb, rb)
        if before > 0.0:
            far = far or abs(w[m, DEPTH] - before) > FAR * before
            lever = cross(sub(at(w, m, ON_B), rb), n)
            square += dot(lever, lever)
            points += 1
    move = turn = (0.0, 0.0, 0.0)
    if not far:
        return False, move, turn
    weight = points / square if square > 1e-24 else 0.0
    for _ in range(SWEEPS if points > 1 else 1):
        for m in range(count):
            before = depth_before(w, m, n, x, a, b, Ra, ra, Rb, rb)
            if before > 0.0:
                lever = cross(sub(at(w, m, ON_B), rb), n)
                left = before - w[m, DEPTH] + dot(n, move) + dot(lever, turn)
                left /= 1.0 + weight * dot(lever, lever)
                move = sub(move, scale(left, n))
                turn = sub(turn, scale(left * weight, lever))
    return math.isfinite(dot(move, move) + dot(turn, turn)), move, turn
