"""Tangents of rotations and of the inertia in a stage; the equations are in `stages`.

    B = (h g) ∂ω/∂θ,   N = (h g)² ∂(Ĵω̇ + ω × Ĵω)/∂θ
"""

from __future__ import annotations

from linkwork.integrators.second_order.fast_rotation.momenta import gyroscopic
from linkwork.kernels.compiled import inlined
from linkwork.kernels.rotations import inverse_tangent, tangent_slope
from linkwork.kernels.vectors import IDENTITY, madd, mm, mscale, scale, skew


@inlined
def chart_tangents(spin, x, rate, c, hg):
    """N = (h g)² ∂(Ĵω̇ + ω × Ĵω)/∂θ and B = (h g) ∂ω/∂θ; rate = ẋ, c = R₁ᵀc_L."""
    B = madd(IDENTITY, mscale(hg, mm(tangent_slope(x, rate), inverse_tangent(x))))
    return madd(mm(spin, B), mscale(-hg, skew(c))), B


@inlined
def round_tangents(j, x, w, torque, hg):
    """N and B where Ĵ = j I: (I + R₁ᵀR₀) T(x)⁻¹ = T(x)⁻¹ + T(−x)⁻¹."""
    T = inverse_tangent(scale(-1.0, x))
    N = madd(mscale(j, T), mscale(hg * hg, skew(torque)))
    return N, madd(T, mscale(hg, skew(w)))


@inlined
def inertia_tangent(J, j, N, B, w, hg):
    """(h g)² ∂(J ω̇ + ω × Jω)/∂θ where Ĵ = j I."""
    return madd(mscale(1.0 / j, mm(J, N)), mscale(hg, mm(gyroscopic(J, w), B)))
