"""Turns along a beam: the tangent map of rotation vectors, its derivatives, its inverse.

For S = exp(θ̃) S_r with a fixed S_r and world components of θ, φ = |θ|,

    S′Sᵀ = (T θ′)~,   T(θ) = I + b θ̃ + c θ̃²,   b = (1 − cos φ)/φ²,   c = (φ − sin φ)/φ³
    T⁻¹(θ) = I − θ̃/2 + κ θ̃²,                   κ = (1 − φ/2 cot φ/2)/φ²

b and c are series in p = φ², b = Σ (−p)ᵏ/(2k + 2)!, c = Σ (−p)ᵏ/(2k + 3)!, of which twelve terms
have an error below 1e-14 up to half a turn; up to p = 0.1 eight are enough, summed in pairs, which
a processor does at the same time.  κ = Σ |B₂ₖ₊₂| pᵏ/(2k + 2)! with Bernoulli's numbers.  With
b₁ = db/dp, b₂ = d²b/dp² and alike for c,

    dT[α]      = b α̃ + 2 b₁ (θ·α) θ̃ + c (α̃ θ̃ + θ̃ α̃) + 2 c₁ (θ·α) θ̃²            a matrix
    dT[δ] x    = slope(x) δ,   d²T[α, δ] x = bend(α, x) δ,   dT⁻¹[δ] x = inverse_slope(x) δ
"""

from __future__ import annotations

import math

from linkwork.elements.deformable.bushing import kappa, rotation_vector
from linkwork.kernels.compiled import fused_inlined, inlined
from linkwork.kernels.vectors import (
    add, cc, cross, dot, madd, mscale, outer, scale, skew,
)  # fmt: skip

# θ = 2 arcsin |v|, v/|v|: twice the terms of arcsin z / z in z²
ARCSINE_TERMS = tuple(
    2.0 * math.comb(2 * k, k) / (4.0**k * (2 * k + 1)) for k in range(8)
)  # error below 4e-18 for z² < 0.01
BERNOULLI = (1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510)
INVERSE_TERMS = tuple(
    B / math.factorial(2 * k + 2) for k, B in enumerate(BERNOULLI)
)  # of κ; error below 2e-16 for p < 0.25
B_TERMS = tuple((-1.0) ** k / math.factorial(2 * k + 2) for k in range(12))
C_TERMS = tuple((-1.0) ** k / math.factorial(2 * k + 3) for k in range(12))
SMALL = 0.1  # p up to which eight terms are enough


@fused_inlined
def eight_terms(a, z):
    """a₀ + a₁ z + … + a₇ z⁷ by pairs."""
    z2 = z * z
    low = (a[0] + a[1] * z) + (a[2] + a[3] * z) * z2
    high = (a[4] + a[5] * z) + (a[6] + a[7] * z) * z2
    return low + high * (z2 * z2)


@inlined
def turn_between(rho):
    """θ of a unit quaternion, at most half a turn; a series of arcsin where it is small."""
    v = rho[1], rho[2], rho[3]
    size = dot(v, v)
    if size > 0.01 or rho[0] < 0.0:
        return rotation_vector(rho)
    return scale(eight_terms(ARCSINE_TERMS, size), v)


@inlined
def inverse_coefficient(p):
    """κ of T⁻¹."""
    return eight_terms(INVERSE_TERMS, p) if p < 0.25 else kappa(p)[0]


@fused_inlined
def series(terms, p):
    """A series in p, its first and its second derivative."""
    t = terms
    if p < SMALL:
        slopes = (
            t[1], 2.0 * t[2], 3.0 * t[3], 4.0 * t[4], 5.0 * t[5], 6.0 * t[6], 7.0 * t[7],
            8.0 * t[8],
        )  # fmt: skip
        bends = (
            2.0 * t[2], 6.0 * t[3], 12.0 * t[4], 20.0 * t[5], 30.0 * t[6], 42.0 * t[7],
            56.0 * t[8], 72.0 * t[9],
        )  # fmt: skip
        return eight_terms(t, p), eight_terms(slopes, p), eight_terms(bends, p)
    f, d, e = 0.0, 0.0, 0.0
    for k in range(11, -1, -1):
        e = e * p + d
        d = d * p + f
        f = f * p + t[k]
    return f, d, 2.0 * e


@fused_inlined
def with_skew(a, b, d, v):
    """a bᵀ + b aᵀ + d I + ṽ."""
    xy, xz, yz = a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0], a[1] * b[2] + a[2] * b[1]
    return (
        d + 2.0 * a[0] * b[0], xy - v[2], xz + v[1], xy + v[2], d + 2.0 * a[1] * b[1], yz - v[0],
        xz - v[1], yz + v[0], d + 2.0 * a[2] * b[2],
    )  # fmt: skip


@fused_inlined
def turn_map(theta, b, c):
    """T(θ), with θ̃² = θ θᵀ − φ² I."""
    return with_skew(theta, scale(0.5 * c, theta), 1.0 - c * dot(theta, theta), scale(b, theta))


@fused_inlined
def turn_map_change(theta, alpha, b, c, b1, c1):
    """dT[α], with α̃ θ̃ + θ̃ α̃ = α θᵀ + θ αᵀ − 2 (θ·α) I."""
    along = 2.0 * dot(theta, alpha)
    both = add(scale(c, alpha), scale(0.5 * along * c1, theta))
    turn = add(scale(b, alpha), scale(along * b1, theta))
    return with_skew(theta, both, -along * (c + c1 * dot(theta, theta)), turn)


@inlined
def inverse_map(theta, k):
    """T⁻¹(θ) with its coefficient κ."""
    return turn_map(theta, -0.5, k)


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
