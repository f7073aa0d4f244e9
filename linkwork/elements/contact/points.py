"""How a point of contact moves with the two bodies.

A point has the depth δ, the normal n from the first shape to the second, and the place P.  With D_b
and D_a the displacements of the places X and Y as material points of the bodies, and D = D_b − D_a,
the depth changes by δ' = −n·D whatever the shapes are, since X and Y are nearest to each other.
What the kinds differ in is how n turns and how P moves along the surfaces:

    face      n is fixed to the first body, X to the second (a corner, or the centre of a ball)
    crossing  n likewise; X is where an edge of the second body (direction u) crosses a plane of the
              first (normal m):  X' = D_b + u t',  t' = −m·(D_b − D_a(X))/(m·u)
    corner    n likewise; X is where the normal through a corner of the first body meets a face of
              the second (normal k):  X' = D_a(X) + n t',  t' = −k·(D_a(X) − D_b)/(k·n)
    rim       n likewise; X is on a circle about k at an angle from its lowest point:
              X' = D_b + ψ' k × (X − c),  ψ' = −n'·(k × e)/s with n' relative to the second body
    curve     X is fixed to the second body, n is normal to a curve c(s) of the first: in its axes
              n' = −β c' s',  s' = X'·c'/(c'·c' + (c − X)·c''),  β = n·c''/c'·c'
    flat      n is fixed to the first body, X is where a curve of the second is furthest along −n:
              X' = D_b + c' s',  s' = −n'·c'/(n·c'') with n' relative to the second body
    surface   X is fixed to the second body, n is normal to a curved surface of the first: in its
              axes n' = −G X' (contact.geometry.smooth_field)
    points    X and Y are fixed:  d' = D
    line      Y slides on a line u:  d' = (1 − u uᵀ) D − u (u'·d)
    lines     both slide:  n' = (1 − n nᵀ)(u_a' × u_b + u_a × u_b')/|u_a × u_b|
    circle    Y slides on a circle: in the axes of the first body d' = D − R e'

with d = X − Y = L n; beyond the first seven the shapes have radii about X and Y, and P lies half
way between the surfaces.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import (
    ARM, CORNER, CROSSING, CURVE, DEPTH, FACE, FLAT, KIND, LINE, LINES, NORMAL, ON_A, ON_B, OWN,
    PLACE, POINTS, RIM, SURFACE,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import add, at, at9, cross, dot, mv, scale, sub

ZERO = (0.0, 0.0, 0.0)


@inlined
def carried(move, turn, origin, x):
    """Displacement of the material point at x of a body that moves and turns."""
    return add(move, cross(turn, sub(x, origin)))


@inlined
def without(u, x):
    """x less its part along the unit vector u."""
    return sub(x, scale(dot(u, x), u))


@inlined
def across_rim(w, m):
    """k × e of a point on a rim: e, the direction of the lowest one, from the radius to this point
    and its angle to e."""
    k, arm = at(w, m, OWN), at(w, m, OWN + 3)
    r = scale(1.0 / math.sqrt(dot(arm, arm)), arm)
    return add(scale(w[m, OWN + 7], cross(k, r)), scale(w[m, OWN + 8], r))


@inlined
def face_point_moves(w, m, ma, ta, ra, mb, tb, rb):
    """δ', n', P' of the kinds whose normal is fixed to the first body."""
    n, X, Y = at(w, m, NORMAL), at(w, m, ON_B), at(w, m, ON_A)
    dn = cross(ta, n)
    dX = carried(mb, tb, rb, X)
    kind = w[m, KIND]
    if kind == CROSSING:
        u, side = at(w, m, OWN), at(w, m, OWN + 3)
        t = -dot(side, sub(dX, carried(ma, ta, ra, X))) / dot(side, u)
        dX = add(dX, scale(t, u))
    elif kind == CORNER:
        k, along = at(w, m, OWN), carried(ma, ta, ra, X)
        dX = add(along, scale(-dot(k, sub(along, dX)) / dot(k, n), n))
    elif kind == CURVE:
        c = at(w, m, OWN)
        move = dot(sub(dX, carried(ma, ta, ra, X)), c) / w[m, OWN + 6]
        dn = sub(dn, scale(w[m, OWN + 7] * move, c))
    elif kind == FLAT:
        c = at(w, m, OWN)
        dX = sub(dX, scale(dot(sub(dn, cross(tb, n)), c) / w[m, OWN + 6], c))
    elif kind == SURFACE:
        dn = sub(dn, mv(at9(w, m, OWN), sub(dX, carried(ma, ta, ra, X))))
    elif kind == RIM:
        k, arm, s = at(w, m, OWN), at(w, m, OWN + 3), w[m, OWN + 6]
        if s > 0.0:
            psi = -dot(sub(dn, cross(tb, n)), across_rim(w, m)) / s
            dX = add(dX, scale(psi, cross(k, arm)))
    depth = -dot(n, sub(dX, carried(ma, ta, ra, Y)))
    return depth, dn, sub(dX, scale(w[m, ARM], dn))


@inlined
def line_moves(u, n, length, D, ta):
    """d' of a point beside a line."""
    du = cross(ta, u)
    return sub(without(u, D), scale(length * dot(du, n), u))


@inlined
def point_moves(w, m, ma, ta, ra, mb, tb, rb):
    """δ', n' and P' of point m of the table, when the bodies move by m and turn by t."""
    kind = w[m, KIND]
    if kind <= SURFACE:
        return face_point_moves(w, m, ma, ta, ra, mb, tb, rb)
    n, X, Y = at(w, m, NORMAL), at(w, m, ON_B), at(w, m, ON_A)
    DX, DY = carried(mb, tb, rb, X), carried(ma, ta, ra, Y)
    D = sub(DX, DY)
    gap = sub(X, Y)
    length = dot(gap, n)
    depth = -dot(n, D)
    if kind == POINTS:
        dn, dY = scale(1.0 / length, without(n, D)), DY
    elif kind == LINE:
        dd = line_moves(at(w, m, OWN), n, length, D, ta)
        dn, dY = scale(1.0 / length, without(n, dd)), sub(DX, dd)
    elif kind == LINES:
        ua, ub = at(w, m, OWN), at(w, m, OWN + 3)
        c = cross(ua, ub)
        size = w[m, OWN + 6]  # signed: the normal is c/size
        dc = add(cross(cross(ta, ua), ub), cross(ua, cross(tb, ub)))
        dn = scale(1.0 / size, without(n, dc))
        rest = sub(without(n, D), scale(length, dn))  # t_a' u_a − t_b' u_b
        along = dot(cross(rest, ub), c) / dot(c, c)
        dY = add(DY, scale(along, ua))
    else:  # CIRCLE
        k, e, far, radius = at(w, m, OWN), at(w, m, OWN + 3), w[m, OWN + 6], w[m, OWN + 7]
        seen = sub(DX, carried(ma, ta, ra, X))  # in the axes of the first body
        de = scale(radius / far, without(e, without(k, seen)))
        dY = add(DY, de)
        dn = scale(1.0 / length, without(n, add(sub(seen, de), cross(ta, sub(X, Y)))))
    arm = w[m, ARM]
    dP = add(dY, sub(scale(arm, dn), scale(0.5 * depth, n)))
    return depth, dn, dP


@inlined
def put_point(w, m, kind, depth, n, place, X, Y, arm):
    """A row of the table of points."""
    w[m, KIND], w[m, DEPTH], w[m, ARM] = kind, depth, arm
    for i in range(3):
        w[m, NORMAL + i], w[m, PLACE + i] = n[i], place[i]
        w[m, ON_B + i], w[m, ON_A + i] = X[i], Y[i]


@inlined
def put_own(w, m, first, x):
    for i in range(3):
        w[m, OWN + first + i] = x[i]


@inlined
def put_face(w, m, n, q, X, radius):
    """A ball about X of the second body on a face of the first with normal n through q."""
    above = dot(n, sub(X, q))
    Y = sub(X, scale(above, n))
    put_point(w, m, FACE, radius - above, n, sub(X, scale(radius, n)), X, Y, radius)


@inlined
def put_round(w, m, kind, X, Y, ra, rb):
    """Shapes with radii about X and Y; False where these are the same point."""
    gap = sub(X, Y)
    length = math.sqrt(dot(gap, gap))
    if length < 1e-14:
        return False
    n = scale(1.0 / length, gap)
    depth = ra + rb - length
    arm = ra - 0.5 * depth
    put_point(w, m, kind, depth, n, add(Y, scale(arm, n)), X, Y, arm)
    return True
