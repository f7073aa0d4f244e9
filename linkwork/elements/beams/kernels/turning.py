"""Turns along a beam: the tangent map of rotation vectors, its derivatives, its inverse.

For S = exp(θ̃) S_r with a fixed S_r and world components of θ, φ = |θ|,

    S′Sᵀ = (T θ′)~,   T(θ) = I + b θ̃ + c θ̃²,   b = (1 − cos φ)/φ²,   c = (φ − sin φ)/φ³
    T⁻¹(θ) = I − θ̃/2 + κ θ̃²,                   κ = (1 − φ/2 cot φ/2)/φ²

b and c are series in p = φ², b = Σ (−p)ᵏ/(2k + 2)!, c = Σ (−p)ᵏ/(2k + 3)!, of which twelve terms
have an error below 1e-14 up to half a turn.  With b₁ = db/dp, b₂ = d²b/dp² and alike for c,

    dT[α]      = b α̃ + 2 b₁ (θ·α) θ̃ + c (α̃ θ̃ + θ̃ α̃) + 2 c₁ (θ·α) θ̃²            a matrix
    dT[δ] x    = slope(x) δ,   d²T[α, δ] x = bend(α, x) δ,   dT⁻¹[δ] x = inverse_slope(x) δ
"""

from __future__ import annotations

import math

from linkwork.elements.deformable.bushing import rotation_vector
from linkwork.math.compiled import inlined
from linkwork.math.vectors import (
    IDENTITY, add, cc, cross, dot, madd, mscale, outer, scale, skew,
)  # fmt: skip

# θ = 2 arcsin |v|, v/|v|: twice the terms of arcsin z / z in z²
ARCSINE_TERMS = tuple(
    2.0 * math.comb(2 * k, k) / (4.0**k * (2 * k + 1)) for k in range(9)
)  # error below 1e-19 for z² < 0.01
B_TERMS = tuple((-1.0) ** k / math.factorial(2 * k + 2) for k in range(12))
C_TERMS = tuple((-1.0) ** k / math.factorial(2 * k + 3) for k in range(12))


@inlined
def turn_between(rho):
    """θ of a unit quaternion, at most half a turn; a series of arcsin where it is small."""
    v = rho[1], rho[2], rho[3]
    size = dot(v, v)
    if size > 0.01 or rho[0] < 0.0:
        return rotation_vector(rho)
    factor = 0.0
    for k in range(8, -1, -1):
        factor = factor * size + ARCSINE_TERMS[k]
    return scale(factor, v)


@inlined
def series(terms, p):
    """A series in p, its first and its second derivative."""
    f, d, e = 0.0, 0.0, 0.0
    for k in range(11, -1, -1):
        e = e * p + d
        d = d * p + f
        f = f * p + terms[k]
    return f, d, 2.0 * e


@inlined
def turn_map(theta, b, c):
    """T(θ)."""
    return madd(IDENTITY, madd(mscale(b, skew(theta)), mscale(c, cc(theta, theta))))


@inlined
def turn_map_change(theta, alpha, b, c, b1, c1):
    """dT[α]."""
    along = 2.0 * dot(theta, alpha)
    linear = madd(mscale(b, skew(alpha)), mscale(along * b1, skew(theta)))
    square = madd(cc(alpha, theta), cc(theta, alpha))
    return madd(linear, madd(mscale(c, square), mscale(along * c1, cc(theta, theta))))


@inlined
def inverse_map(theta, k):
    """T⁻¹(θ) with its coefficient κ."""
    return madd(IDENTITY, madd(mscale(-0.5, skew(theta)), mscale(k, cc(theta, theta))))


@inlined
def inverse_slope(theta, k, dk, x):
    """∂(T⁻¹ x)/∂θ, with κ and dκ/dp."""
    y = cross(theta, x)
    bent = mscale(-k, madd(skew(y), cc(theta, x)))
    return madd(mscale(0.5, skew(x)), madd(bent, outer(scale(2.0 * dk, cross(theta, y)), theta)))


@inlined
def slope(theta, b, c, b1, c1, x):
    """∂(T x)/∂θ."""
    y = cross(theta, x)
    first = madd(mscale(-b, skew(x)), mscale(-c, madd(skew(y), cc(theta, x))))
    return madd(first, outer(add(scale(2.0 * b1, y), scale(2.0 * c1, cross(theta, y))), theta))


@inlined
def bend(theta, c, b1, c1, b2, c2, alpha, x):
    """∂(dT[α] x)/∂θ."""
    along = dot(theta, alpha)
    y, a = cross(theta, x), cross(alpha, x)
    z = cross(theta, y)
    both = add(cross(alpha, y), cross(theta, a))
    found = mscale(-2.0 * b1 * along, skew(x))
    found = madd(found, mscale(-c, madd(skew(a), cc(alpha, x))))
    found = madd(found, mscale(-2.0 * c1 * along, madd(skew(y), cc(theta, x))))
    found = madd(found, outer(add(scale(2.0 * b1, y), scale(2.0 * c1, z)), alpha))
    by_theta = add(scale(2.0 * b1, a), scale(4.0 * b2 * along, y))
    by_theta = add(by_theta, add(scale(2.0 * c1, both), scale(4.0 * c2 * along, z)))
    return madd(found, outer(by_theta, theta))
