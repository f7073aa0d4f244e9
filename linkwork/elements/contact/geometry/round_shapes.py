"""Points of contact of round shapes: balls, segments with a radius, cylinders, corners on a plane.

Every function writes the points that are deeper than −margin into the table w, in world axes, and
returns how many there are.  g is where the geometry of element i begins; (Ra, ra), (Rb, rb) are the
places of the two bodies.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import (
    CIRCLE, CORNER_ONLY, COUNT, DEPTH, FLAT_ENDS, LINE, LINES, MARGIN, MOST_POINTS, OWN, POINTS,
    RADIUS_A, RADIUS_B, RIM,
)  # fmt: skip
from linkwork.elements.contact.points import put_face, put_own, put_point, put_round
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import add, at, cross, dot, mv, scale, sub, tv

FLAT = 1e-9  # sine of the tilt below which a cylinder stands flat
PARALLEL = 1e-3  # sine of the angle below which two segments are parallel


@inlined
def placed(R, r, u):
    return add(r, mv(R, u))


@inlined
def deep(w, count, margin):
    """How many points there are with the one just written, if it is deep enough."""
    return count + 1 if w[count, DEPTH] > -margin and count < MOST_POINTS - 1 else count


@inlined
def plane_points(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: n, q of the plane; then points and their radii."""
    n, q = mv(Ra, at(reals, i, g)), placed(Ra, ra, at(reals, i, g + 3))
    own, height, margin = tv(Rb, n), dot(n, sub(rb, q)), reals[i, MARGIN]
    count = 0
    for k in range(codes[i, COUNT]):
        p = g + 6 + 4 * k
        u, radius = at(reals, i, p), reals[i, p + 3]
        if height + dot(own, u) < radius + margin:
            put_face(w, count, n, q, placed(Rb, rb, u), radius)
            count = deep(w, count, margin)
    return count


@inlined
def plane_cylinder(reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: n, q of the plane; centre, axis and a direction across it of the cylinder; radius
    and half length.  Four points on each rim, from its lowest one on."""
    n, q = mv(Ra, at(reals, i, g)), placed(Ra, ra, at(reals, i, g + 3))
    c, k = placed(Rb, rb, at(reals, i, g + 6)), mv(Rb, at(reals, i, g + 9))
    radius, half = reals[i, g + 15], reals[i, g + 16]
    e = sub(scale(dot(n, k), k), n)
    s = math.sqrt(dot(e, e))
    if s > FLAT:
        e = scale(1.0 / s, e)
    else:
        e, s = mv(Rb, at(reals, i, g + 12)), 0.0
    b = cross(k, e)
    count = 0
    for end in range(2):
        middle = add(c, scale(half if end == 0 else -half, k))
        for quarter in range(4):
            cosine = 1.0 if quarter == 0 else (-1.0 if quarter == 2 else 0.0)
            sine = 1.0 if quarter == 1 else (-1.0 if quarter == 3 else 0.0)
            arm = scale(radius, add(scale(cosine, e), scale(sine, b)))
            X = add(middle, arm)
            above = dot(n, sub(X, q))
            put_point(w, count, RIM, -above, n, X, X, sub(X, scale(above, n)), 0.0)
            put_own(w, count, 0, k)
            put_own(w, count, 3, arm)
            w[count, OWN + 6], w[count, OWN + 7], w[count, OWN + 8] = s, cosine, sine
            count = deep(w, count, reals[i, MARGIN])
    return count


@inlined
def ball_ball(reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: two centres."""
    Y, X = placed(Ra, ra, at(reals, i, g)), placed(Rb, rb, at(reals, i, g + 3))
    if not put_round(w, 0, POINTS, X, Y, reals[i, RADIUS_A], reals[i, RADIUS_B]):
        return 0
    return deep(w, 0, reals[i, MARGIN])


@inlined
def segment_ball(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: ends of the segment, centre of the ball; of a corner, directions along which the
    gap is positive where it is nearest."""
    p, q = placed(Ra, ra, at(reals, i, g)), placed(Ra, ra, at(reals, i, g + 3))
    X = placed(Rb, rb, at(reals, i, g + 6))
    d = sub(q, p)
    length = math.sqrt(dot(d, d))
    u = scale(1.0 / length, d)
    t = dot(u, sub(X, p))
    ends = codes[i, COUNT] == 0
    if t <= 0.0 or t >= length:
        if not ends:
            return 0
        Y = p if t <= 0.0 else q
        if not put_round(w, 0, POINTS, X, Y, reals[i, RADIUS_A], reals[i, RADIUS_B]):
            return 0
        return deep(w, 0, reals[i, MARGIN])
    Y = add(p, scale(t, u))
    if codes[i, COUNT] == CORNER_ONLY:
        gap = tv(Rb, sub(Y, X))
        for j in range(3):
            if dot(gap, at(reals, i, g + 9 + 3 * j)) < 0.0:
                return 0
    if not put_round(w, 0, LINE, X, Y, reals[i, RADIUS_A], reals[i, RADIUS_B]):
        return 0
    put_own(w, 0, 0, u)
    return deep(w, 0, reals[i, MARGIN])


@inlined
def nearest_on_lines(pa, ua, la, pb, ub, lb):
    """Whether two segments are nearest within both; the points there, and the sine between them."""
    c = cross(ua, ub)
    square = dot(c, c)
    if square < PARALLEL * PARALLEL:
        return False, pa, pb, c, 0.0
    d = sub(pb, pa)
    s = dot(cross(d, ub), c) / square
    t = dot(cross(d, ua), c) / square
    inside = 0.0 < s < la and 0.0 < t < lb
    return inside, add(pa, scale(s, ua)), add(pb, scale(t, ub)), c, math.sqrt(square)


@inlined
def to_end(X, p, u, length):
    """How far a point of a segment is from the nearer end; where a cylinder is deeper than that in
    another shape, this has come through its end."""
    t = dot(u, sub(X, p))
    return min(t, length - t)


@inlined
def put_lines(w, m, X, Y, ua, ub, c, size, ra, rb):
    """Two segments with radii that cross."""
    if not put_round(w, m, LINES, X, Y, ra, rb):
        return False
    put_own(w, m, 0, ua)
    put_own(w, m, 3, ub)
    w[m, OWN + 6] = size if dot(c, sub(X, Y)) > 0.0 else -size
    return True


@inlined
def segment_segment(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: ends of both; only where they cross, ends are balls of their own."""
    radius_a, radius_b, flat = reals[i, RADIUS_A], reals[i, RADIUS_B], codes[i, COUNT] == FLAT_ENDS
    pa, qa = placed(Ra, ra, at(reals, i, g)), placed(Ra, ra, at(reals, i, g + 3))
    pb, qb = placed(Rb, rb, at(reals, i, g + 6)), placed(Rb, rb, at(reals, i, g + 9))
    da, db = sub(qa, pa), sub(qb, pb)
    la, lb = math.sqrt(dot(da, da)), math.sqrt(dot(db, db))
    ua, ub = scale(1.0 / la, da), scale(1.0 / lb, db)
    inside, Y, X, c, size = nearest_on_lines(pa, ua, la, pb, ub, lb)
    if not inside:
        return 0
    if not put_lines(w, 0, X, Y, ua, ub, c, size, radius_a, radius_b):
        return 0
    nearer = to_end(Y, pa, ua, la) < w[0, DEPTH] or to_end(X, pb, ub, lb) < w[0, DEPTH]
    if flat and nearer:
        return 0
    return deep(w, 0, reals[i, MARGIN])


@inlined
def cylinder_ball(reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: centre and axis of the cylinder, its radius and half length; centre of the ball."""
    c, k = placed(Ra, ra, at(reals, i, g)), mv(Ra, at(reals, i, g + 3))
    radius, half = reals[i, g + 6], reals[i, g + 7]
    X = placed(Rb, rb, at(reals, i, g + 8))
    d = sub(X, c)
    z = dot(d, k)
    across = sub(d, scale(z, k))
    far = math.sqrt(dot(across, across))
    end = 1.0 if z >= 0.0 else -1.0
    over, out = abs(z) - half, far - radius
    if over > 0.0 and out > 0.0 and far > 0.0:
        e = scale(1.0 / far, across)
        Y = add(c, add(scale(end * half, k), scale(radius, e)))
        if not put_round(w, 0, CIRCLE, X, Y, 0.0, reals[i, RADIUS_B]):
            return 0
        put_own(w, 0, 0, k)
        put_own(w, 0, 3, e)
        w[0, OWN + 6], w[0, OWN + 7] = far, radius
    elif over > out or far == 0.0:  # above an end, or inside and nearer to it
        n = scale(end, k)
        put_face(w, 0, n, add(c, scale(half, n)), X, reals[i, RADIUS_B])
    else:
        if not put_round(w, 0, LINE, X, add(c, scale(z, k)), radius, reals[i, RADIUS_B]):
            return 0
        put_own(w, 0, 0, k)
    return deep(w, 0, reals[i, MARGIN])
