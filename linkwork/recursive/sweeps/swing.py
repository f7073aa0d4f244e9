"""A swing without twist: the rotation vector θ = (θ₁, θ₂, 0) of a joint that holds one part of ρ.

With φ = |θ|, k = sin(φ/2)/φ, a = (1 − cos φ)/φ² = 2 k² and b = (φ − sin φ)/φ³

    ρ = (cos φ/2, k θ)
    w = T θ̇,   T d = d − a θ × d + b θ × (θ × d)                         in the turned frame
    w' = T θ̈ + (θ·θ̇) (b₁ θ × (θ × θ̇) − a₁ θ × θ̇) + b θ̇ × (θ × θ̇)
    a₁ = (sin φ/φ − 2 a)/φ²,   b₁ = (a − 3 b)/φ²

It is regular up to a whole turn, φ = 2π.  There ρ = −1, which is where the joint began: ρ and −ρ
are the same place, and so are θ and θ' = θ (1 − 2π/φ), which is φ' = 2π − φ the other way round.
Steps that begin beyond `FAR` go on with θ', and with the rates that make the same motion.
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.vectors import add, cross, dot, scale, sub

FAR = 1.25 * math.pi  # rad
SMALL = 0.02  # φ², below which the functions of φ are their series


@fused_inlined
def functions(x):
    """cos φ/2, k, b, a₁, b₁ of x = φ²."""
    if x > SMALL:
        p = x**0.5
        k = math.sin(0.5 * p) / p
        b = (p - math.sin(p)) / (x * p)
        a1 = (math.sin(p) / p - 4.0 * k * k) / x
        return math.cos(0.5 * p), k, b, a1, (2.0 * k * k - 3.0 * b) / x
    c = 1.0 - x / 8.0 * (1.0 - x / 48.0 * (1.0 - x / 120.0 * (1.0 - x / 224.0)))
    k = 0.5 * (1.0 - x / 24.0 * (1.0 - x / 80.0 * (1.0 - x / 168.0 * (1.0 - x / 288.0))))
    b = (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0)))) / 6.0
    a1 = -(1.0 - x / 15.0 * (1.0 - 3.0 * x / 112.0 * (1.0 - 2.0 * x / 135.0))) / 12.0
    b1 = -(1.0 - x / 21.0 * (1.0 - x / 48.0 * (1.0 - 2.0 * x / 165.0))) / 60.0
    return c, k, b, a1, b1


@fused_inlined
def turn_rate(theta, k, b, d):
    """T d."""
    across = cross(theta, d)
    return add(d, sub(scale(b, cross(theta, across)), scale(2.0 * k * k, across)))


@fused_inlined
def turn_bias(theta, b, a1, b1, d):
    """What w' has besides T θ̈, with θ̇ = d."""
    across = cross(theta, d)
    along = dot(theta, d)
    more = sub(scale(b1, cross(theta, across)), scale(a1, across))
    return add(scale(along, more), scale(b, cross(d, across)))


@fused_inlined
def rates_of(theta, k, b, w):
    """The d of T d = w, for w that the joint allows."""
    e, f = turn_rate(theta, k, b, (1.0, 0.0, 0.0)), turn_rate(theta, k, b, (0.0, 1.0, 0.0))
    ee, ef, ff, ew, fw = dot(e, e), dot(e, f), dot(f, f), dot(e, w), dot(f, w)
    size = ee * ff - ef * ef
    return (ff * ew - ef * fw) / size, (ee * fw - ef * ew) / size, 0.0


def leave_whole_turns(swings, q, v, a, other):
    """Go on with θ' where swings are far; accelerations: a, and another one of a method's own."""
    for j in range(swings.shape[0]):
        i, n = swings[j, 0], swings[j, 1]
        x = q[i] * q[i] + q[i + 1] * q[i + 1]
        if x < FAR * FAR:
            continue
        theta, d = (q[i], q[i + 1], 0.0), (v[n], v[n + 1], 0.0)
        _, k, b, a1, b1 = functions(x)
        w, bias = turn_rate(theta, k, b, d), turn_bias(theta, b, a1, b1, d)
        w1 = add(turn_rate(theta, k, b, (a[n], a[n + 1], 0.0)), bias)
        w2 = add(turn_rate(theta, k, b, (other[n], other[n + 1], 0.0)), bias)
        theta = scale(1.0 - 2.0 * math.pi / x**0.5, theta)
        _, k, b, a1, b1 = functions(dot(theta, theta))
        d = rates_of(theta, k, b, w)
        bias = turn_bias(theta, b, a1, b1, d)
        d1, d2 = rates_of(theta, k, b, sub(w1, bias)), rates_of(theta, k, b, sub(w2, bias))
        for m in range(2):
            q[i + m], v[n + m] = theta[m], d[m]
            other[n + m] = d2[m]
            a[n + m] = d1[m]
