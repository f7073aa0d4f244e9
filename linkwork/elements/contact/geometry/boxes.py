"""Points of contact of boxes with balls and boxes, and of edges with segments.

geometry of a box: its centre, its axes (a matrix, by rows), three half edges; all in body axes.

Two boxes overlap where no axis separates them (S. Gottschalk, M. C. Lin, D. Manocha, SIGGRAPH
1996): of the six normals of faces and nine products of edges the one of least depth is the normal.
For a face the points are the corners of the part of the opposite face that lies above it: corners
of that face, crossings of its edges with the sides, and corners of the face below it.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import (
    CORNER, COUNT, CROSSING, DEPTH, FLAT_ENDS, LINE, LINES, MARGIN, ON_B, OWN, POINTS, RADIUS_B,
)  # fmt: skip
from linkwork.elements.contact.geometry.round_shapes import (
    deep,
    nearest_on_lines,
    placed,
    put_lines,
    to_end,
)
from linkwork.elements.contact.points import put_face, put_own, put_point, put_round
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import add, at, at9, column, cross, dot, mm, mv, scale, sub, tv

BOX = 15  # numbers
EDGES_LATER = 0.95  # an edge pair must be so much shallower than a face,
NEARLY = 1e-3  # and by so much of the smallest edge: faces that lie on each other have no depth
EQUAL = 1e-4  # likewise for a face of the second box
SLACK = 1e-6  # over the face: corners on its border lie above it
ALONG = 1e-6  # an edge that is so parallel to a side does not cross it


@inlined
def part(x, i):
    return x[0] if i == 0 else (x[1] if i == 1 else x[2])


@inlined
def sign(x):
    return 1.0 if x >= 0.0 else -1.0


@inlined
def box_at(reals, i, g, R, r):
    """Centre, axes (columns) and half edges in the world."""
    return placed(R, r, at(reals, i, g)), mm(R, at9(reals, i, g + 3)), at(reals, i, g + 12)


@inlined
def box_ball(reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: a box; the centre of a ball."""
    c, S, h = box_at(reals, i, g, Ra, ra)
    X = placed(Rb, rb, at(reals, i, g + BOX))
    x = tv(S, sub(X, c))
    near = (
        min(max(x[0], -h[0]), h[0]), min(max(x[1], -h[1]), h[1]), min(max(x[2], -h[2]), h[2])
    )  # fmt: skip
    beyond, free, face, least = 0, 0, 0, -1e300
    for j in range(3):
        over = abs(part(x, j)) - part(h, j)
        if over > 0.0:
            beyond += 1
        else:
            free = j
        if over > least:
            least, face = over, j
    radius = reals[i, RADIUS_B]
    if beyond <= 1:  # above a face, or inside
        n = scale(sign(part(x, face)), column(S, face))
        put_face(w, 0, n, add(c, scale(part(h, face), n)), X, radius)
    else:
        Y = add(c, mv(S, near))
        if not put_round(w, 0, LINE if beyond == 2 else POINTS, X, Y, 0.0, radius):
            return 0
        if beyond == 2:
            put_own(w, 0, 0, column(S, free))
    return deep(w, 0, reals[i, MARGIN])


@inlined
def edge_segment(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: ends of an edge, normals of its faces; ends of a segment with a radius that crosses
    it, and is not inside both faces there."""
    start, end = placed(Ra, ra, at(reals, i, g)), placed(Ra, ra, at(reals, i, g + 3))
    p, q = placed(Rb, rb, at(reals, i, g + 12)), placed(Rb, rb, at(reals, i, g + 15))
    along, d = sub(end, start), sub(q, p)
    long, length = math.sqrt(dot(along, along)), math.sqrt(dot(d, d))
    along, u = scale(1.0 / long, along), scale(1.0 / length, d)
    inside, Y, X, c, size = nearest_on_lines(start, along, long, p, u, length)
    gap = tv(Ra, sub(X, Y))
    if not inside or (dot(gap, at(reals, i, g + 6)) < 0.0 and dot(gap, at(reals, i, g + 9)) < 0.0):
        return 0
    if not put_lines(w, 0, X, Y, along, u, c, size, 0.0, reals[i, RADIUS_B]):
        return 0
    if codes[i, COUNT] == FLAT_ENDS and to_end(X, p, u, length) < w[0, DEPTH]:
        return 0
    return deep(w, 0, reals[i, MARGIN])


@inlined
def face_overlap(t, axis, own, S, h):
    """How far a box (axes S, half edges h) at t is beyond a face at `own` along an axis."""
    reach = own
    for j in range(3):
        reach += part(h, j) * abs(dot(axis, column(S, j)))
    return abs(dot(t, axis)) - reach


@inlined
def clip_faces(w, count, margin, n, ca, Sa, ha, face, cb, Sb, hb):
    """Points on face `face` of the first box, whose normal is n, of the opposite face of the other.
    """
    j1, j2 = (face + 1) % 3, (face + 2) % 3
    e1, e2, h1, h2 = column(Sa, j1), column(Sa, j2), part(ha, j1), part(ha, j2)
    q = add(ca, scale(part(ha, face), n))
    # the opposite face: its normal is most against n
    other, most = 0, -1.0
    for j in range(3):
        if abs(dot(n, column(Sb, j))) > most:
            other, most = j, abs(dot(n, column(Sb, j)))
    k = scale(-sign(dot(n, column(Sb, other))), column(Sb, other))
    f1, f2 = column(Sb, (other + 1) % 3), column(Sb, (other + 2) % 3)
    g1, g2 = part(hb, (other + 1) % 3), part(hb, (other + 2) % 3)
    middle = add(cb, scale(part(hb, other), k))
    slack, begun = SLACK * (h1 + h2), count
    for corner in range(4):  # corners of the opposite face, and the edges that begin there
        s1 = 1.0 if corner == 0 or corner == 3 else -1.0
        s2 = 1.0 if corner < 2 else -1.0
        X = add(middle, add(scale(s1 * g1, f1), scale(s2 * g2, f2)))
        d = sub(X, q)
        x, y = dot(d, e1), dot(d, e2)
        if abs(x) <= h1 + slack and abs(y) <= h2 + slack:
            put_face(w, count, n, q, X, 0.0)
            count = deep(w, count, margin)
        # the next corner: along −f1 from 0 and 2 …, round the face
        u = scale(-s1, f1) if corner % 2 == 0 else scale(-s2, f2)
        length = 2.0 * (g1 if corner % 2 == 0 else g2)
        ux, uy = dot(u, e1), dot(u, e2)
        for side in range(4):
            lies_x = side < 2
            way = ux if lies_x else uy
            if abs(way) < ALONG:
                continue
            level = (h1 if lies_x else h2) * (1.0 if side % 2 == 0 else -1.0)
            s = (level - (x if lies_x else y)) / way
            beside = y + s * uy if lies_x else x + s * ux
            if slack < s < length - slack and abs(beside) < (h2 if lies_x else h1) - slack:
                Z = add(X, scale(s, u))
                above = dot(n, sub(Z, q))
                put_point(w, count, CROSSING, -above, n, Z, Z, sub(Z, scale(above, n)), 0.0)
                put_own(w, count, 0, u)
                put_own(w, count, 3, e1 if lies_x else e2)
                count = deep(w, count, margin)
    corners = count
    for corner in range(4):  # corners of this face below the opposite one
        s1, s2 = (1.0 if corner % 2 == 0 else -1.0), (1.0 if corner < 2 else -1.0)
        v = add(q, add(scale(s1 * h1, e1), scale(s2 * h2, e2)))
        height = dot(k, sub(middle, v)) / dot(k, n)
        Z = add(v, scale(height, n))
        d = sub(Z, middle)
        if abs(dot(d, f1)) > g1 + slack or abs(dot(d, f2)) > g2 + slack:
            continue
        new = True
        for m in range(begun, corners):  # not one of the corners above once more
            apart = sub(at(w, m, ON_B), Z)
            new = new and dot(apart, apart) > 4.0 * slack * slack
        if new:
            put_point(w, count, CORNER, -height, n, Z, Z, v, 0.0)
            put_own(w, count, 0, k)
            count = deep(w, count, margin)
    return count


@inlined
def touching_edge(c, S, h, j, way):
    """The edge along axis j that is furthest along `way`: its beginning, direction, length."""
    p = c
    for i in range(3):
        half = part(h, i)
        s = -half if i == j else half * sign(dot(way, column(S, i)))
        p = add(p, scale(s, column(S, i)))
    return p, column(S, j), 2.0 * part(h, j)


@inlined
def box_box(reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: two boxes.  Points, and whether the face belongs to the second box (−1), for which
    the roles of the boxes are exchanged."""
    ca, Sa, ha = box_at(reals, i, g, Ra, ra)
    cb, Sb, hb = box_at(reals, i, g + BOX, Rb, rb)
    margin, t = reals[i, MARGIN], sub(cb, ca)
    best, face, least = -1e300, 0, 0.0
    small = min(min(min(ha[0], ha[1]), ha[2]), min(min(hb[0], hb[1]), hb[2]))
    for j in range(3):
        over = face_overlap(t, column(Sa, j), part(ha, j), Sb, hb)
        if over > best:
            best, face = over, j
    for j in range(3):
        over = face_overlap(t, column(Sb, j), part(hb, j), Sa, ha)
        if over > best + (EQUAL * small if face < 3 else 0.0):
            best, face = over, 3 + j
    if best > margin:
        return 0, 1.0
    least, axis = best, -1
    bound = (EDGES_LATER * best if best < 0.0 else best) + NEARLY * small
    for j in range(9):
        a, b = column(Sa, j // 3), column(Sb, j % 3)
        c = cross(a, b)
        size = math.sqrt(dot(c, c))
        if size < 1e-3:
            continue
        n = scale(1.0 / size, c)
        reach = 0.0
        for k in range(3):
            reach += part(ha, k) * abs(dot(n, column(Sa, k)))
            reach += part(hb, k) * abs(dot(n, column(Sb, k)))
        over = abs(dot(t, n)) - reach
        if over > margin:
            return 0, 1.0
        if over > bound and over > least:
            least, axis = over, j
    if axis >= 0:
        c = cross(column(Sa, axis // 3), column(Sb, axis % 3))
        size = math.sqrt(dot(c, c))
        n = scale(sign(dot(t, c)) / size, c)
        pa, ua, la = touching_edge(ca, Sa, ha, axis // 3, n)
        pb, ub, lb = touching_edge(cb, Sb, hb, axis % 3, scale(-1.0, n))
        inside, Y, X, c, size = nearest_on_lines(pa, ua, la, pb, ub, lb)
        if inside and put_lines(w, 0, X, Y, ua, ub, c, size, 0.0, 0.0):
            if dot(c, n) < 0.0:
                size = -size
            put_point(w, 0, LINES, -least, n, add(Y, scale(0.5 * least, n)), X, Y, 0.5 * least)
            w[0, OWN + 6] = size
            return deep(w, 0, margin), 1.0
    if face < 3:
        n = scale(sign(dot(t, column(Sa, face))), column(Sa, face))
        return clip_faces(w, 0, margin, n, ca, Sa, ha, face, cb, Sb, hb), 1.0
    n = scale(-sign(dot(t, column(Sb, face - 3))), column(Sb, face - 3))
    return clip_faces(w, 0, margin, n, cb, Sb, hb, face - 3, ca, Sa, ha), -1.0
