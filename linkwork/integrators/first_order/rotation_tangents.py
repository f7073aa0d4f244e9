"""Tangents of rotations and of the inertia in a stage; the equations are in `stages`.

    y = ½ (R₀ + R₁) Ĵ x           the integral of the momentum, and its derivative N
    B = (h g) ∂ω/∂θ,   N = (h g)² ∂(Ĵω̇ + ω × Ĵω)/∂θ
"""

from __future__ import annotations

from linkwork.math.compiled import inlined
from linkwork.math.rotations import inverse_tangent, rotation_matrix, tangent_slope
from linkwork.math.vectors import (
    IDENTITY, add, cm, cross, madd, mm, mscale, mv, scale, skew, sub,
)  # fmt: skip


@inlined
def chart_tangents(spin, x, rate, c, hg):
    """N = (h g)² ∂(Ĵω̇ + ω × Ĵω)/∂θ and B = (h g) ∂ω/∂θ; rate = ẋ, c = R₁ᵀc_L."""
    B = madd(IDENTITY, mscale(hg, mm(tangent_slope(x, rate), inverse_tangent(x))))
    return madd(mm(spin, B), mscale(-hg, skew(c))), B


@inlined
def integral_tangent(spin, x, g, Jx, torque, hg):
    """N where y = ½ (R₀ + R₁) Ĵ x; g = exp(x), torque = R₁ᵀL̇."""
    N, side = mm(spin, inverse_tangent(x)), sub(scale(hg * hg, torque), scale(0.5, Jx))
    back = rotation_matrix((g[0], -g[1], -g[2], -g[3]))
    return madd(mscale(0.5, madd(N, mm(back, N))), skew(side))


@inlined
def round_tangents(j, x, w, torque, hg):
    """N and B where Ĵ = j I: (I + R₁ᵀR₀) T(x)⁻¹ = T(x)⁻¹ + T(−x)⁻¹."""
    T = inverse_tangent(scale(-1.0, x))
    N = madd(mscale(j, T), mscale(hg * hg, skew(torque)))
    return N, madd(T, mscale(hg, skew(w)))


@inlined
def inertia_tangent(J, j, N, B, w, hg):
    """(h g)² ∂(J ω̇ + ω × Jω)/∂θ where Ĵ = j I."""
    G = madd(cm(w, J), mscale(-1.0, skew(mv(J, w))))
    return madd(mscale(1.0 / j, mm(J, N)), mscale(hg, mm(G, B)))


@inlined
def integral(x, g, Jx):
    """R₁ᵀy = ½ (R₁ᵀR₀ + I) Ĵx with g = exp(x)."""
    u = (g[1], g[2], g[3])
    side = cross(u, Jx)
    return add(Jx, sub(cross(u, side), scale(g[0], side)))
