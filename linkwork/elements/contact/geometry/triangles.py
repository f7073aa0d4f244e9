"""Points of contact of balls with triangles: convex hulls, closed meshes, height fields.

The nearest point of a triangle lies within it, on an edge or in a corner, as the barycentric
coordinates of the projected centre and of its projections on the edges say (C. Ericson, Real-Time
Collision Detection, 2005, section 5.1.5).  A ball may touch a mesh in several places; element k of
a pair takes the k-th deepest among those whose normals differ.  On a height field the place found
is then that of the smooth surface through the heights (geometry.smooth_field), whose normals do not
jump: between two triangles there may be no balance of forces.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import (
    COUNT, FACE, LINE, MARGIN, MOST_POINTS, NORMAL, OWN, POINTS, RADIUS_B, SIZES, SURFACE,
)  # fmt: skip
from linkwork.elements.contact.geometry.round_shapes import deep, placed
from linkwork.elements.contact.points import put_face, put_own, put_point, put_round
from linkwork.elements.contact.geometry.smooth_field import DX, DY, FIELD, NONE, X0, Y0, Z0, foot
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, at, cross, dot, mm, mt, mv, scale, sub, tv

SURFACE_AT = 3  # of the geometry, after the centre of the ball: triangles or a height field
PLACE_AT, COLUMNS_AT, ROWS_AT = record(SIZES, place_at=1, columns_at=1, rows_at=1)
SAME = 0.94  # cosine between normals of the same place of contact


@inlined
def nearest_on_triangle(x, a, b, c):
    """Kind of the nearest place (FACE, LINE, POINTS), the place, the direction of an edge."""
    ab, ac, ax = sub(b, a), sub(c, a), sub(x, a)
    d1, d2 = dot(ab, ax), dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return POINTS, a, ab
    bx = sub(x, b)
    d3, d4 = dot(ab, bx), dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return POINTS, b, ab
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return LINE, add(a, scale(d1 / (d1 - d3), ab)), ab
    cx = sub(x, c)
    d5, d6 = dot(ab, cx), dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return POINTS, c, ac
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return LINE, add(a, scale(d2 / (d2 - d6), ac)), ac
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        bc = sub(c, b)
        return LINE, add(b, scale((d4 - d3) / ((d4 - d3) + (d5 - d6)), bc)), bc
    share = 1.0 / (va + vb + vc)
    return FACE, add(a, add(scale(vb * share, ab), scale(vc * share, ac))), ab


@inlined
def candidate(x, radius, deepest, a, b, c):
    """Depth of a ball at a triangle, the kind and the place of the nearest point, normal, edge.

    Nothing less deep than `deepest` is needed: the depth is −1e300 then.  From below only the
    inside of a triangle touches, and only as deep as the ball is large.
    """
    n = cross(sub(b, a), sub(c, a))
    size = math.sqrt(dot(n, n))
    nothing = -1e300
    if size == 0.0:
        return nothing, FACE, a, a, a
    n = scale(1.0 / size, n)
    above = dot(n, sub(x, a))
    if above > radius - deepest or above < -radius:
        return nothing, FACE, a, n, a
    kind, y, u = nearest_on_triangle(x, a, b, c)
    if kind == FACE:
        return radius - above, kind, y, n, u
    if above <= 0.0:
        return nothing, FACE, a, n, a
    gap = sub(x, y)
    far = math.sqrt(dot(gap, gap))
    return radius - far, kind, y, scale(1.0 / far, gap), scale(1.0 / math.sqrt(dot(u, u)), u)


@inlined
def known(w, found, n):
    """Whether a normal is that of a place found before."""
    for k in range(found):
        m = MOST_POINTS - 1 - k
        if dot(at(w, m, NORMAL), n) > SAME:
            return True
    return False


@inlined
def triangle_at(codes, reals, i, g, t, field):
    """Corners of triangle t; of a height field, of cell t//2."""
    if not field:
        p = g + SURFACE_AT + 9 * t
        return at(reals, i, p), at(reals, i, p + 3), at(reals, i, p + 6)
    columns, cell, p = codes[i, COLUMNS_AT], t // 2, g + SURFACE_AT
    dx, dy = reals[i, p + DX], reals[i, p + DY]
    row, col = cell // (columns - 1), cell % (columns - 1)
    x, y, base = reals[i, p + X0] + col * dx, reals[i, p + Y0] + row * dy, reals[i, p + Z0]
    h = p + FIELD + row * columns + col
    one = (x, y, base + reals[i, h])
    two = (x + dx, y, base + reals[i, h + 1])
    three = (x, y + dy, base + reals[i, h + columns])
    four = (x + dx, y + dy, base + reals[i, h + columns + 1])
    if t % 2 == 0:
        return one, two, four
    return one, four, three


@inlined
def place_on(codes, reals, i, g, w, x, radius, found, first, last, field, margin):
    """The deepest place of triangles `first` … `last` that is not one of those found: depth and
    triangle."""
    best, which = -margin, -1
    for t in range(first, last):
        a, b, c = triangle_at(codes, reals, i, g, t, field)
        depth, _, _, n, _ = candidate(x, radius, best, a, b, c)
        if depth > best and not known(w, found, n):
            best, which = depth, t
    return best, which


@inlined
def mesh_ball(codes, reals, i, g, w, Ra, ra, Rb, rb, field):
    """geometry: centre of the ball; triangles, or a height field; sizes: which place of contact,
    columns and rows of the field."""
    X = placed(Rb, rb, at(reals, i, g))
    x = tv(Ra, sub(X, ra))
    radius, margin = reals[i, RADIUS_B], reals[i, MARGIN]
    for found in range(codes[i, PLACE_AT] + 1):
        best, which = -margin, -1
        if field:
            columns, rows, p = codes[i, COLUMNS_AT], codes[i, ROWS_AT], g + SURFACE_AT
            reach = radius + margin
            dx, dy = reals[i, p + DX], reals[i, p + DY]
            low = max(math.floor((x[1] - reach - reals[i, p + Y0]) / dy), 0)
            high = min(math.floor((x[1] + reach - reals[i, p + Y0]) / dy), rows - 2)
            left = max(math.floor((x[0] - reach - reals[i, p + X0]) / dx), 0)
            right = min(math.floor((x[0] + reach - reals[i, p + X0]) / dx), columns - 2)
            for row in range(low, high + 1):
                first = 2 * (row * (columns - 1) + left)
                last = 2 * (row * (columns - 1) + right + 1)
                deepest, t = place_on(
                    codes, reals, i, g, w, x, radius, found, first, last, True, -best
                )
                if t >= 0:
                    best, which = deepest, t
        else:
            best, which = place_on(
                codes, reals, i, g, w, x, radius, found, 0, codes[i, COUNT], False, margin
            )
        if which < 0:
            return 0
        a, b, c = triangle_at(codes, reals, i, g, which, field)
        _, kind, y, n, u = candidate(x, radius, -margin, a, b, c)
        smooth, above, G = False, 0.0, NONE
        if field:
            smooth, even, above, G = foot(
                reals, i, g + SURFACE_AT, codes[i, COLUMNS_AT], codes[i, ROWS_AT], x, y[0], y[1]
            )
            if smooth and known(w, found, even):
                return 0
            n = even if smooth else n
        m = MOST_POINTS - 1 - found
        for k in range(3):
            w[m, NORMAL + k] = n[k]
        if found == codes[i, PLACE_AT]:
            if smooth:
                n = mv(Ra, n)
                place = sub(X, scale(radius, n))
                put_point(w, 0, SURFACE, radius - above, n, place, X, sub(X, scale(above, n)),
                          radius)  # fmt: skip
                turned = mm(Ra, mt(G, Ra))
                for k in range(9):
                    w[0, OWN + k] = turned[k]
            elif kind == FACE:
                put_face(w, 0, mv(Ra, n), placed(Ra, ra, a), X, radius)
            elif put_round(w, 0, kind, X, placed(Ra, ra, y), 0.0, radius):
                put_own(w, 0, 0, mv(Ra, u))
            else:
                return 0
            return deep(w, 0, margin)
    return 0


@inlined
def hull_ball(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry as of a mesh, of a convex one: where the centre is inside, the nearest face."""
    X = placed(Rb, rb, at(reals, i, g))
    x = tv(Ra, sub(X, ra))
    highest, which = -1e300, 0
    for t in range(codes[i, COUNT]):
        a, b, c = triangle_at(codes, reals, i, g, t, False)
        n = cross(sub(b, a), sub(c, a))
        above = dot(n, sub(x, a)) / math.sqrt(dot(n, n))
        if above > highest:
            highest, which = above, t
    if highest > 0.0:
        return mesh_ball(codes, reals, i, g, w, Ra, ra, Rb, rb, False)
    a, b, c = triangle_at(codes, reals, i, g, which, False)
    n = cross(sub(b, a), sub(c, a))
    n = mv(Ra, scale(1.0 / math.sqrt(dot(n, n)), n))
    put_face(w, 0, n, placed(Ra, ra, a), X, reals[i, RADIUS_B])
    return deep(w, 0, reals[i, MARGIN])
