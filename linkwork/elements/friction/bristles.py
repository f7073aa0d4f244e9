"""Bristles in one direction: what a friction model makes of the path and the speed of surfaces.

    Coulomb   c = σ₀ z + σ₁ v while |c| ≤ g(v), z = z₀ + Δs;  else c = ±g, z = c/σ₀      (+ σ₂ v)
    LuGre     z = z₀ + Δs − α(z) |Δs| z/z_m,   ż = (1 − α sgn(v) z/z_m) v,   z_m = g(v)/σ₀
              c = σ₀ z + σ₁ ż + σ₂ v

with z₀ and Δs since the last accepted step (friction.friction has the rest of the story).  In
several directions they are vectors (elements.friction.bristles_in_space).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.elements.friction.models import LUGRE, FrictionModel
from linkwork.elements.layout import UNKNOWN
from linkwork.kernels.compiled import inlined
from linkwork.kernels.record import record

# reals of an element of friction: frames (axes first, as those of a torsion spring), the radius,
# the model's numbers, the load (tan and sec are a thread's), whether g(v) has a table, and its
# points: speed, value, slope; then what a family has of its own
FRICTION = record(
    qa=4, qb=4, ua=3, ub=3, radius=1, mu=1, static=1, speed=1, s0=1, s1=1, s2=1, kappa=1,
    preload=1, tan=1, sec=1, least=1, tabled=1, table=0,
)  # fmt: skip
(QA, QB, UA, UB, RADIUS, MU, STATIC, SPEED, S0, S1, S2, KAPPA, PRELOAD, TAN, SEC,
 LEAST, TABLED, TABLE) = FRICTION  # fmt: skip
# ints: where the multipliers of rows x y z and of one row more are; then its integers: how many
# points the table of g(v) has, what moves, the model
LOADS, POINTS, MOTION, MODEL = record(6, loads=4, points=1, motion=1, model=1)
SLIDING = 1e-3  # limits of bristles per second, above which a joint starts sliding


def friction_reals(
    frames: Any, model: FrictionModel, radius: float, preload: float, least: float,
    own: int = 0,
) -> np.ndarray:  # fmt: skip
    """The numbers of an element between two frames."""
    fa, fb = frames
    table = model.table()
    reals = np.zeros(TABLE + table.size + own)
    reals[QA : QA + 4], reals[QB : QB + 4] = fa.orientation, fb.orientation
    reals[UA : UA + 3], reals[UB : UB + 3] = fa.position, fb.position
    reals[RADIUS], reals[PRELOAD], reals[LEAST] = radius, preload, least
    reals[MU : KAPPA + 1] = model.numbers()
    reals[TABLED], reals[TABLE : TABLE + table.size] = len(table) > 0, table.ravel()
    return reals


def no_path(size: int) -> np.ndarray:
    """The memory of an element that has no path yet."""
    memory = np.zeros(size)
    memory[0] = UNKNOWN
    return memory


def kind_of(entry: Any) -> int:
    """What moves in an element of friction."""
    return int(entry.integers[MOTION - POINTS])


@inlined
def tabulated(reals, i, n, v):
    """Cubic between the points of the table, constant beyond the last: g and dg/dv at v ≥ 0."""
    low, high = 0, n - 1
    if v >= reals[i, TABLE + 3 * high]:
        return reals[i, TABLE + 3 * high + 1], 0.0
    while high - low > 1:
        middle = (low + high) // 2
        if v < reals[i, TABLE + 3 * middle]:
            high = middle
        else:
            low = middle
    p, q = TABLE + 3 * low, TABLE + 3 * high
    h = reals[i, q] - reals[i, p]
    x, d = (v - reals[i, p]) / h, (reals[i, q + 1] - reals[i, p + 1]) / h
    a, b = reals[i, p + 2], reals[i, q + 2]
    second, third = 3.0 * d - 2.0 * a - b, a + b - 2.0 * d
    g = reals[i, p + 1] + h * x * (a + x * (second + x * third))
    return g, a + x * (2.0 * second + 3.0 * x * third)


@inlined
def limit(reals, i, n, v):
    """g(v) and dg/dv; n: points of the table."""
    if reals[i, TABLED] != 0.0:
        g, dg = tabulated(reals, i, n, abs(v))
        return g, (dg if v >= 0.0 else -dg)
    mu, more, speed = reals[i, MU], reals[i, STATIC] - reals[i, MU], reals[i, SPEED]
    if more == 0.0 or speed == 0.0:
        return mu, 0.0
    x = v / speed
    part = more * math.exp(-x * x)
    return mu + part, -2.0 * x / speed * part


@inlined
def coulomb(reals, i, n, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1 = reals[i, S0], reals[i, S1]
    g, dg = limit(reals, i, n, v)
    z = z0 + step
    c = s0 * z + s1 * v
    if abs(c) <= g:
        return c, z, s0, s1
    sign = 1.0 if c > 0.0 else -1.0
    return sign * g, sign * g / s0, 0.0, sign * dg


@inlined
def slipping(z, v, top, kappa):
    """α, ∂α/∂z and ∂α/∂z_m."""
    size = abs(z)
    if z * v <= 0.0 or size <= kappa * top:
        return 0.0, 0.0, 0.0
    if size >= top:
        return 1.0, 0.0, 0.0
    width = (1.0 - kappa) * top
    x = math.pi * (size - 0.5 * (1.0 + kappa) * top) / width
    slope = 0.5 * math.cos(x) * math.pi / width
    sign = 1.0 if z > 0.0 else -1.0
    return 0.5 + 0.5 * math.sin(x), sign * slope, -slope * size / top


@inlined
def pulled(y, p, top, kappa):
    """ζ ≥ 0 with ζ + α(ζ) p ζ/z_m = y, for y, p ≥ 0; its derivatives by y, p and z_m.

    y is where the bristles would be if none had slipped, p how far they were pulled outwards.
    The left side grows with ζ; where α is steep, Newton's method needs the bounds around the root.
    """
    z, low, high = min(y, top), -top, y + top
    for _ in range(60):
        alpha, da, dm = slipping(z, p, top, kappa)
        error = z - y + alpha * p * z / top
        if abs(error) <= 4e-16 * (top + y):
            break
        if error > 0.0:
            high = z
        else:
            low = z
        z -= error / (1.0 + p / top * (alpha + da * z))
        if not low < z < high:
            z = 0.5 * (low + high)
    alpha, da, dm = slipping(z, p, top, kappa)
    slope = 1.0 + p / top * (alpha + da * z)
    return z, 1.0 / slope, -alpha * z / top / slope, -p * z / top * (dm - alpha / top) / slope


@inlined
def lugre(reals, i, n, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1, kappa = reals[i, S0], reals[i, S1], reals[i, KAPPA]
    g, dg = limit(reals, i, n, v)
    top, dtop = g / s0, dg / s0
    y = z0 + step
    sign = 1.0 if y >= 0.0 else -1.0
    outwards = 1.0 if sign * step > 0.0 else 0.0
    z, zy, zp, zm = pulled(abs(y), outwards * abs(step), top, kappa)
    z, zs, zv = sign * z, zy + outwards * zp, sign * zm * dtop
    # the rate, with α at this z and the sense of v
    a, az, am = slipping(z, v, top, kappa)
    turn = 1.0 if v > 0.0 else -1.0
    share = 1.0 - a * turn * z / top
    share_z = -turn * (az * z + a) / top
    share_top = -turn * z * (am - a / top) / top
    c = s0 * z + s1 * share * v
    cs = s0 * zs + s1 * share_z * zs * v
    cv = s0 * zv + s1 * (share + (share_z * zv + share_top * dtop) * v)
    return c, z, cs, cv


@inlined
def at_first(reals, i, n, v):
    """c, z, ∂c/∂s, ∂c/∂v with no path behind: bristles of a sliding joint are at their limit."""
    g, dg = limit(reals, i, n, v)
    if abs(v) > SLIDING * g / reals[i, S0]:
        sign = 1.0 if v > 0.0 else -1.0
        return sign * g, sign * g / reals[i, S0], 0.0, sign * dg
    return reals[i, S1] * v, 0.0, 0.0, reals[i, S1]


@inlined
def bristles(reals, i, n, model, known, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v from the deflection at the last step and the path since."""
    if not known:
        c, z, cs, cv = at_first(reals, i, n, v)
    elif model == LUGRE:
        c, z, cs, cv = lugre(reals, i, n, z0, step, v)
    else:
        c, z, cs, cv = coulomb(reals, i, n, z0, step, v)
    return c + reals[i, S2] * v, z, cs, cv + reals[i, S2]
