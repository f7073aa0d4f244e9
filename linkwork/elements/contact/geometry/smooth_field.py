"""The smooth surface through the heights of a field, and the place of it that a ball touches.

Between heights the surface is a bicubic patch with the slopes of central differences (E. Catmull,
R. Rom 1974), so that normals are continuous and paraboloids exact; flat fields stay flat.  The foot
(x, y) of the ball's centre X solves Jᵀ(S − X) = 0 with S = (x, y, z(x, y)) and J = (S_x, S_y), by
Newton's method from the deepest triangle.  With the height a of the centre over the surface and the
second form II = n·S_ij the foot moves by H⁻¹Jᵀ for a unit of X, and the normal by −G,

    H = JᵀJ − a II,        G = J (JᵀJ)⁻¹ II H⁻¹ Jᵀ
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import dot, madd, outer, scale

# spacings along x and y, the origin, the heights
DX, DY, X0, Y0, Z0, FIELD = record(dx=1, dy=1, x0=1, y0=1, z0=1, field=0)
CORRECTIONS = 12  # of the foot, at most
NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def weights(t):
    """Of four heights in a row, a part t behind the second: for the value, slope and bend."""
    s = t * t
    return (
        (-0.5 * t * s + s - 0.5 * t, 1.5 * t * s - 2.5 * s + 1.0, -1.5 * t * s + 2.0 * s + 0.5 * t,
         0.5 * (t * s - s)),
        (-1.5 * s + 2.0 * t - 0.5, 4.5 * s - 5.0 * t, -4.5 * s + 4.0 * t + 0.5, 1.5 * s - t),
        (-3.0 * t + 2.0, 9.0 * t - 5.0, -9.0 * t + 4.0, 3.0 * t - 1.0),
    )  # fmt: skip


@inlined
def height(reals, i, p, columns, rows, row, col):
    """Of a point of the grid; one step beyond the border heights go on in a straight line."""
    r, c = min(max(row, 0), rows - 1), min(max(col, 0), columns - 1)
    here = reals[i, p + r * columns + c]
    if r != row:
        inner = 1 if row < 0 else rows - 2
        here = 2.0 * here - reals[i, p + inner * columns + c]
    if c != col:
        inner = 1 if col < 0 else columns - 2
        here = 2.0 * here - reals[i, p + r * columns + inner]
    return here


@inlined
def surface(reals, i, g, columns, rows, x, y):
    """z, z_x, z_y, z_xx, z_xy, z_yy."""
    dx, dy = reals[i, g + DX], reals[i, g + DY]
    u, v = (x - reals[i, g + X0]) / dx, (y - reals[i, g + Y0]) / dy
    col = min(max(math.floor(u), 0), columns - 2)
    row = min(max(math.floor(v), 0), rows - 2)
    f, fx, fxx = weights(u - col)
    h, hy, hyy = weights(v - row)
    z, zx, zy, zxx, zxy, zyy = reals[i, g + Z0], 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(4):
        s = sx = sxx = 0.0
        for j in range(4):
            here = height(reals, i, g + FIELD, columns, rows, row - 1 + k, col - 1 + j)
            s, sx, sxx = s + f[j] * here, sx + fx[j] * here, sxx + fxx[j] * here
        z, zx, zxx = z + h[k] * s, zx + h[k] * sx, zxx + h[k] * sxx
        zy, zxy, zyy = zy + hy[k] * s, zxy + hy[k] * sx, zyy + hyy[k] * s
    return z, zx / dx, zy / dy, zxx / (dx * dx), zxy / (dx * dy), zyy / (dy * dy)


@inlined
def foot(reals, i, g, columns, rows, X, x, y):
    """The foot of X: whether there is one within the field, n, a, G; from (x, y) on."""
    low_x, low_y = reals[i, g + X0], reals[i, g + Y0]
    high_x = low_x + (columns - 1.0) * reals[i, g + DX]
    high_y = low_y + (rows - 1.0) * reals[i, g + DY]
    most = max(reals[i, g + DX], reals[i, g + DY])
    for _ in range(CORRECTIONS):
        z, zx, zy, zxx, zxy, zyy = surface(reals, i, g, columns, rows, x, y)
        over = z - X[2]
        f, h = x - X[0] + zx * over, y - X[1] + zy * over
        a, b, c = 1.0 + zx * zx + zxx * over, zx * zy + zxy * over, 1.0 + zy * zy + zyy * over
        if a <= 0.0 or a * c - b * b <= 0.0:  # a larger ball than the surface holds there
            a, b, c = 1.0 + zx * zx, zx * zy, 1.0 + zy * zy
        size = a * c - b * b
        move, side = (c * f - b * h) / size, (a * h - b * f) / size
        length = math.sqrt(move * move + side * side)
        part = min(1.0, most / length) if length > 0.0 else 1.0
        x, y = x - part * move, y - part * side
        if length < 1e-14 * most:
            break
    z, zx, zy, zxx, zxy, zyy = surface(reals, i, g, columns, rows, x, y)
    steep = 1.0 / math.sqrt(1.0 + zx * zx + zy * zy)
    n = (-zx * steep, -zy * steep, steep)
    above = dot(n, (X[0] - x, X[1] - y, X[2] - z))
    inside = low_x <= x <= high_x and low_y <= y <= high_y
    # II and H; G = J (JᵀJ)⁻¹ II H⁻¹ Jᵀ
    p, q, r = steep * zxx, steep * zxy, steep * zyy
    a, b, c = 1.0 + zx * zx, zx * zy, 1.0 + zy * zy
    A, B, C = a - above * p, b - above * q, c - above * r
    size, metric = A * C - B * B, a * c - b * b
    if not inside or A <= 0.0 or size <= 0.0:
        return False, n, above, NONE
    m11, m12 = (p * C - q * B) / size, (q * A - p * B) / size
    m21, m22 = (q * C - r * B) / size, (r * A - q * B) / size
    g11, g12 = (c * m11 - b * m21) / metric, (c * m12 - b * m22) / metric
    g21, g22 = (a * m21 - b * m11) / metric, (a * m22 - b * m12) / metric
    one, two = (1.0, 0.0, zx), (0.0, 1.0, zy)
    left = madd(outer(one, scale(g11, one)), outer(one, scale(g12, two)))
    right = madd(outer(two, scale(g21, one)), outer(two, scale(g22, two)))
    return True, n, above, madd(left, right)
