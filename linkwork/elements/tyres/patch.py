"""The contact of a tyre: where it touches the road, its load, and the slips of its forces.

Symbols and equations are those of tyre.py; here is what its kernel and its outputs share, with the
columns of its table.
"""

from __future__ import annotations

import math

from linkwork.elements.layout import int_width
from linkwork.elements.tyres.magic_formula import COUNT, brush, magic_formula
from linkwork.elements.tyres.road import ROAD, ROAD_INTEGERS, height
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record
from linkwork.kernels.vectors import cross, dot, scale, sub

TYRE_REALS = record(
    centre=3, axis=3, radius=1, stiffness=1, damping=1, sigma_x=1, sigma_y=1, low=1, gx=1, gy=1,
    on=ROAD.width, formula=COUNT,
)  # fmt: skip
(
    CENTRE, AXIS, RADIUS, STIFFNESS, DAMPING, SIGMA_X, SIGMA_Y, LOW, GX, GY, ON, FORMULA,
) = TYRE_REALS  # fmt: skip
# integers: those of the road, and whether the tyre is a brush
TYRE_INTEGERS = record(road=ROAD_INTEGERS.width, brush=1)
_, BRUSH = TYRE_INTEGERS
ROAD_AT = int_width(3, 0)
FLAT = 1e-6
SOON = 1e-3  # m of deflection within which damping fades in


@inlined
def contact_of(ints, reals, k, i, P, s, vP, w):
    """Height and normal of the road, and what follows from them; i: its first integer."""
    h, hx, hy, hxx, hxy, hyy = height(ints, reals, k, i, ON, P[0], P[1])
    L = math.sqrt(1.0 + hx * hx + hy * hy)
    n = (-hx / L, -hy / L, 1.0 / L)
    d = (P[2] - h) / L
    sigma = dot(n, s)
    root = max(math.sqrt(max(1.0 - sigma * sigma, 0.0)), FLAT)
    m = scale(1.0 / root, sub(n, scale(sigma, s)))
    l = scale(1.0 / root, cross(s, n))
    return L, n, d, sigma, root, m, l, cross(n, l), (hxx, hxy, hyy)


@inlined
def radial(reals, k, deflection, rate):
    """F_z and its slopes by δ and δ̇."""
    if deflection <= 0.0:
        return 0.0, 0.0, 0.0
    stiff, damping = reals[k, STIFFNESS], reals[k, DAMPING]
    part, slope = 1.0, 0.0
    if deflection < SOON:
        part, slope = deflection / SOON, 1.0 / SOON
    force = stiff * deflection + damping * part * rate
    if force <= 0.0:
        return 0.0, 0.0, 0.0
    return force, stiff + damping * slope * rate, damping * part


@inlined
def low_part(vx, low):
    """1 − χ and its slope by V_x."""
    width = 0.25 * low
    t = math.tanh((abs(vx) - low) / width)
    side = 1.0 if vx >= 0.0 else -1.0
    return 0.5 * (1.0 - t), -0.5 * (1.0 - t * t) * side / width


@inlined
def forces_of(is_brush, reals, k, kappa, alpha, gamma, load):
    if is_brush:
        return brush(reals, k, FORMULA, kappa, alpha, gamma, load)
    return magic_formula(reals, k, FORMULA, kappa, alpha, gamma, load)


@inlined
def slips(reals, k, u, v, vsx, vsy, low):
    """κ and α of the forces."""
    tangent = v / reals[k, SIGMA_Y] + low * reals[k, GY] * vsy
    return u / reals[k, SIGMA_X] - low * reals[k, GX] * vsx, math.atan(tangent), tangent


@inlined
def turned_normal(n, L, hess, moved):
    """δn where the centre moves."""
    x = -(hess[0] * moved[0] + hess[1] * moved[1]) / L
    y = -(hess[1] * moved[0] + hess[2] * moved[1]) / L
    part = n[0] * x + n[1] * y
    return (x - part * n[0], y - part * n[1], -part * n[2])


@inlined
def bent(n, L, hess, moved):
    """δ√(1 + h_x² + h_y²)/√(…) where the centre moves."""
    x = -(hess[0] * moved[0] + hess[1] * moved[1]) / L
    y = -(hess[1] * moved[0] + hess[2] * moved[1]) / L
    return n[0] * x + n[1] * y
