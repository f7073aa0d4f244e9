"""A curve of one body against a roller, a pin or a flat face of another: cams and their followers.

The curve lies in the plane of a frame on body a and is a row of cubics (contact.cams.curves).  Of b
there is a roller of radius ρ about a point, or a flat face.  In the frame, with the place X of the
roller,

    roller    (X − c(s))·c'(s) = 0: Newton's method from the nearest of samples; L = |X − c|
              n = ±(X − c)/L, outwards where the curve is closed;   δ = ρ − n·(X − c)
    flat      m·c'(s) = 0 with the face's normal m (towards the curve): the highest point of the
              curve along −m;   δ = −m·(c − q)

Forces are those of contact.kernel, with the kinds of points `curve` and `flat` of contact.points.
"""

from __future__ import annotations

import math

from linkwork.elements.contact.layout import CURVE, FLAT, MARGIN, OWN, RADIUS_B, SIZES
from linkwork.elements.contact.geometry.round_shapes import deep, placed
from linkwork.elements.contact.points import put_own, put_point
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, at, at9, dot, mm, mv, scale, sub, tv

SAMPLES = 4  # of a piece, among which the nearest is where Newton's method begins
ORIGIN, FRAME, CENTRE, HEAD = record(origin=3, frame=9, centre=3, head=0)  # of the geometry


@inlined
def on_curve(reals, i, g, pieces, s):
    """c, c', c'' (x, y each) at s = piece + part."""
    piece = min(max(math.floor(s), 0), pieces - 1)
    t, p = s - piece, g + HEAD + 8 * piece
    a0, a1, a2, a3 = reals[i, p], reals[i, p + 1], reals[i, p + 2], reals[i, p + 3]
    b0, b1, b2, b3 = reals[i, p + 4], reals[i, p + 5], reals[i, p + 6], reals[i, p + 7]
    x = a0 + t * (a1 + t * (a2 + t * a3))
    y = b0 + t * (b1 + t * (b2 + t * b3))
    x1, y1 = a1 + t * (2.0 * a2 + 3.0 * t * a3), b1 + t * (2.0 * b2 + 3.0 * t * b3)
    x2, y2 = 2.0 * a2 + 6.0 * t * a3, 2.0 * b2 + 6.0 * t * b3
    return x, y, x1, y1, x2, y2


@inlined
def wrapped(s, pieces, closed):
    """s within the curve."""
    if closed:
        return s - pieces * math.floor(s / pieces)
    return min(max(s, 0.0), float(pieces))


@inlined
def nearest(codes, reals, i, g, x, y, flat, mx, my):
    """s of the point of the curve that is nearest to (x, y), or (flat) lowest along (mx, my)."""
    pieces, closed = codes[i, SIZES], codes[i, SIZES + 1] != 0
    best, s = 1e300, 0.0
    for k in range(pieces * SAMPLES):
        at_ = k / SAMPLES
        cx, cy, _, _, _, _ = on_curve(reals, i, g, pieces, at_)
        value = mx * cx + my * cy if flat else (cx - x) ** 2 + (cy - y) ** 2
        if value < best:
            best, s = value, at_
    for _ in range(30):
        cx, cy, x1, y1, x2, y2 = on_curve(reals, i, g, pieces, s)
        if flat:
            error, slope = mx * x1 + my * y1, mx * x2 + my * y2
        else:
            error = (cx - x) * x1 + (cy - y) * y1
            slope = x1 * x1 + y1 * y1 + (cx - x) * x2 + (cy - y) * y2
        if slope <= 0.0:
            slope = x1 * x1 + y1 * y1
        step = -error / slope
        step = min(max(step, -0.5), 0.5)
        s = wrapped(s + step, pieces, closed)
        if abs(step) < 1e-14 * pieces:
            break
    return s


@inlined
def cam_roller(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry: frame of the curve on a (origin, axes), centre on b; the curve; sizes: its
    pieces, whether it is closed."""
    S = mm(Ra, at9(reals, i, g + FRAME))
    origin = placed(Ra, ra, at(reals, i, g + ORIGIN))
    X = placed(Rb, rb, at(reals, i, g + CENTRE))
    x = tv(S, sub(X, origin))
    s = nearest(codes, reals, i, g, x[0], x[1], False, 0.0, 0.0)
    cx, cy, x1, y1, x2, y2 = on_curve(reals, i, g, codes[i, SIZES], s)
    square = x1 * x1 + y1 * y1
    size = math.sqrt(square)
    nx, ny = y1 / size, -x1 / size  # outwards, on the right of a curve that runs against the clock
    away = (x[0] - cx) * nx + (x[1] - cy) * ny
    if codes[i, SIZES + 1] == 0 and away < 0.0:
        nx, ny, away = -nx, -ny, -away
    n, radius = mv(S, (nx, ny, 0.0)), reals[i, RADIUS_B]
    Y = add(origin, mv(S, (cx, cy, x[2])))
    put_point(w, 0, CURVE, radius - away, n, sub(X, scale(radius, n)), X, Y, radius)
    put_own(w, 0, 0, mv(S, (x1, y1, 0.0)))
    w[0, OWN + 6] = square + (cx - x[0]) * x2 + (cy - x[1]) * y2
    w[0, OWN + 7] = (nx * x2 + ny * y2) / square
    return deep(w, 0, reals[i, MARGIN])


@inlined
def cam_flat(codes, reals, i, g, w, Ra, ra, Rb, rb):
    """geometry as above with the curve on b, a point of the face of a in place of the centre; the
    normal of the face, towards the curve, behind the curve."""
    pieces = codes[i, SIZES]
    S = mm(Rb, at9(reals, i, g + FRAME))
    origin = placed(Rb, rb, at(reals, i, g + ORIGIN))
    q = placed(Ra, ra, at(reals, i, g + CENTRE))
    n = mv(Ra, at(reals, i, g + HEAD + 8 * pieces))
    m = tv(S, n)
    s = nearest(codes, reals, i, g, 0.0, 0.0, True, m[0], m[1])
    cx, cy, x1, y1, x2, y2 = on_curve(reals, i, g, codes[i, SIZES], s)
    X = add(origin, mv(S, (cx, cy, 0.0)))
    above = dot(n, sub(X, q))
    put_point(w, 0, FLAT, -above, n, X, X, sub(X, scale(above, n)), 0.0)
    put_own(w, 0, 0, mv(S, (x1, y1, 0.0)))
    w[0, OWN + 6] = m[0] * x2 + m[1] * y2
    return deep(w, 0, reals[i, MARGIN])
