"""Force and moment of the air on a body from coefficients over its angles against the air.

With the velocity of a point against the air in the axes of the craft, V = Xᵀ(v − v_air) (x to the
nose, y to the right, z down), and q = ½ ρ V²,

    f = q S c_f(α, β),   m = q S L c_m(α, β)                     at the point, in these axes
    α = atan(V₃/|V₁|),   β = −atan2(V₂, ±√(V₁² + V₃²))           the sign is that of V₁
    α = atan2(V₃, ±√(V₁² + V₂²)),   β = −atan(V₂/|V₁|)           alpha first
    α = atan(V₃/|V₁|),   β = −atan2(V₂, ±√(V₁² + V₂²))           MBDyn's, unless alpha is first

(MBDyn's input manual, generic aerodynamic force; the last β stays within 45° of the axis x).  The
coefficients are linear in both angles between entries and hold on outside.  The tangent is exact.

reals: point o and axes Q on the body, S, S L, the air (wind), and the table: n angles α, m angles
β, then six coefficients for each pair.
integers: which of these angles, n, m, place of the table, the air.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from linkwork.elements.aero.air import wind
from linkwork.elements.aero.air.wind import air_at
from linkwork.elements.aero.airfoils.tables import place_between
from linkwork.elements.layout import (
    CD, CK, OMEGA, OUT, POS, ROT, STRIDE, TANGENT, VEL, int_width, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, mm, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.outputs import POWER, Output

POINT, AXES, AREA, VOLUME, AIR = record(point=3, axes=9, area=1, volume=1, air=0)
ANGLES, N_ALPHA, N_BETA, TABLE, AIR_CODES = record(
    angles=1, n_alpha=1, n_beta=1, table=1, air_codes=0
)
OWN = int_width(1, 0)  # where the integers begin
GEOMETRIC, ALPHA_FIRST, MBDYN = range(3)  # kinds of angles
STILL = 1e-9  # m/s: below it there is no load
OUTPUTS = (
    Output("alpha", "rad", words="angle of attack"),
    Output("beta", "rad", words="sideslip angle"),
    Output("force", "N", "xyz", "force of the air (its axes)"),
    Output("torque", "N m", "xyz", "moment of the air (its axes)"),
    Output("force_world", "N", "xyz", "force of the air (world axes)"),
    Output("torque_world", "N m", "xyz", "moment of the air about its origin (world axes)"),
    Output("place", "m", "xyz", "where it acts (world axes)"),
    replace(POWER, words="power of the air on the body"),
)


@inlined
def across(a, b, c):
    """atan2(a, ±√(b² + c²)), the sign that of b, and its slopes by a, b, c."""
    m = math.sqrt(b * b + c * c)
    side = -1.0 if b < 0.0 else 1.0
    size = m * m + a * a
    by_m = -side * a / size
    if m == 0.0:
        return math.atan2(a, 0.0), 0.0, 0.0, 0.0
    return math.atan2(a, side * m), side * m / size, by_m * b / m, by_m * c / m


@inlined
def above(a, b):
    """atan(a/|b|) and its slopes by a, b."""
    size = a * a + b * b
    if size == 0.0:
        return 0.0, 0.0, 0.0
    side = -1.0 if b < 0.0 else 1.0
    return math.atan2(a, abs(b)), abs(b) / size, -side * a / size


@inlined
def angles(V, kind):
    """α, β and their slopes by V."""
    if kind == ALPHA_FIRST:
        a = across(V[2], V[0], V[1])
        b = above(V[1], V[0])
        return a[0], (a[2], a[3], a[1]), -b[0], (-b[2], -b[1], 0.0)
    a = above(V[2], V[0])
    if kind == MBDYN:
        b = across(V[1], V[0], V[1])
        return a[0], (a[2], 0.0, a[1]), -b[0], (-b[2], -b[1] - b[3], 0.0)
    b = across(V[1], V[0], V[2])
    return a[0], (a[2], 0.0, a[1]), -b[0], (-b[2], -b[1], -b[3])


@inlined
def coefficient(reals, k, p, n, m, i, s, ds, j, t, dt, c):
    """Coefficient c in the field (i, j) of the table, and its slopes by α and β."""
    base = p + 6 * (i * m + j) + c
    down, right = (6 * m if n > 1 else 0), (6 if m > 1 else 0)
    a, b = reals[k, base], reals[k, base + right]
    d, e = reals[k, base + down], reals[k, base + down + right]
    upper, lower = a + t * (b - a), d + t * (e - d)
    by_beta = dt * ((b - a) + s * ((e - d) - (b - a)))
    return upper + s * (lower - upper), ds * (lower - upper), by_beta


@inlined
def loads_at(codes, reals, k, V, rho, found):
    """α and β; six loads in the craft's axes with slopes by V in found (6 × 4), the value first."""
    size = math.sqrt(dot(V, V))
    if size < STILL or rho == 0.0:
        for i in range(24):
            found[i] = 0.0
        return 0.0, 0.0
    alpha, da, beta, db = angles(V, codes[k, ANGLES])
    n, m, p = codes[k, N_ALPHA], codes[k, N_BETA], codes[k, TABLE]
    i, s, ds = place_between(reals, k, p, n, alpha)
    j, t, dt = place_between(reals, k, p + n, m, beta)
    q = 0.5 * rho * size * size
    for c in range(6):
        x, by_a, by_b = coefficient(reals, k, p + n + m, n, m, i, s, ds, j, t, dt, c)
        scale_ = reals[k, AREA] if c < 3 else reals[k, VOLUME]
        found[4 * c] = scale_ * q * x
        for a in range(3):
            turned = by_a * da[a] + by_b * db[a]
            found[4 * c + 1 + a] = scale_ * (rho * V[a] * x + q * turned)
    return alpha, beta


@inlined
def craft_motion(codes, reals, k, nodes, b, time, given, answer):
    """Place and velocity of the point against the air, axes, and the state of the air there."""
    R, o = at9(nodes, b, ROT), at(reals, k, POINT)
    arm = mv(R, o)
    p = add(at(nodes, b, POS), arm)
    X = mm(R, at9(reals, k, AXES))
    v, G, rho, _, rho_h, _ = air_at(codes, reals, k, AIR_CODES, AIR, p, time, given, answer)
    swung = cross(at(nodes, b, OMEGA), o)
    w = sub(add(at(nodes, b, VEL), mv(R, swung)), v)
    return p, arm, X, w, G, rho, rho_h, swung


def craft_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    given, answer, found = np.zeros(3), np.zeros(3), np.zeros(24)
    cK, cD = coef[CK], coef[CD]
    codes = ints[:, OWN:]
    for k in range(ints.shape[0]):
        b = ints[k, 0]
        place, arm, X, w, G, rho, rho_h, swung = craft_motion(
            codes, reals, k, nodes, b, time, given, answer
        )
        alpha, beta = loads_at(codes, reals, k, tv(X, w), rho, found)
        R, o, Q = at9(nodes, b, ROT), at(reals, k, POINT), at9(reals, k, AXES)
        force, moment = (found[0], found[4], found[8]), (found[12], found[16], found[20])
        F, own = mv(X, force), mv(Q, force)
        M = add(cross(o, own), mv(Q, moment))
        accumulate(f, b, 0, scale(-1.0, F))
        accumulate(f, b, 3, scale(-1.0, M))
        gained = dot(F, at(nodes, b, VEL)) + dot(M, at(nodes, b, OMEGA))
        power[1] += gained
        if coef[OUT] != 0.0:
            world = F + mv(X, moment)
            write(loads.out, k, (alpha, beta) + force + moment + world + place + (gained,))
        if coef[TANGENT] == 0.0:
            continue
        up = at(reals, k, AIR + wind.UP)
        for j in range(6):
            e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
            turn = (0.0, 0.0, 0.0)
            moved, gained = scale(cK, e), scale(cD, e)
            if j >= 3:
                turn = scale(cK, mv(R, e))
                moved = cross(turn, arm)
                gained = add(scale(cK, mv(R, cross(e, swung))), scale(cD, mv(R, cross(e, o))))
            V = tv(X, add(sub(gained, mv(G, moved)), cross(w, turn)))
            thicker = rho_h * dot(up, moved) / rho if rho > 0.0 else 0.0
            df = (
                slope(found, 0, V, thicker), slope(found, 1, V, thicker),
                slope(found, 2, V, thicker),
            )  # fmt: skip
            dm = (
                slope(found, 3, V, thicker), slope(found, 4, V, thicker),
                slope(found, 5, V, thicker),
            )  # fmt: skip
            dF = add(mv(X, df), cross(turn, F))
            dM = add(cross(o, mv(Q, df)), mv(Q, dm))
            base = ints[k, 1] + j
            for i in range(3):
                vals[base + i * STRIDE] -= dF[i]
                vals[base + (3 + i) * STRIDE] -= dM[i]


@inlined
def slope(found, c, V, thicker):
    """The change of load c with V, and with the density."""
    p = 4 * c
    return found[p + 1] * V[0] + found[p + 2] * V[1] + found[p + 3] * V[2] + thicker * found[p]


CRAFT_KERNEL = Kernel(craft_kernel, allocates=True)
