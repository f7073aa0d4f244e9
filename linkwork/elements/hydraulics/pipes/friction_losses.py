"""Pressure lost to friction in pipes.

    Δp = f (L/D) q|q|/(2 ρ A²),      Re = |q| D/(A μ)

    laminar     f = 64/Re                                          Re < 2000   Hagen, Poiseuille
    turbulent   f = 0.3164 Re^{−1/4}                               Re > 4000   Blasius 1913, smooth
                1/√f = −1.8 log₁₀((ε/(3.7 D))^{1.11} + 6.9/Re)     rough: Haaland 1983

Between, f goes from one to the other with S(x) = x² (3 − 2 x), x = Re/2000 − 1, so that Δp and its
slope are continuous.  D is the hydraulic diameter, ε the roughness.
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import inlined

LAMINAR, TURBULENT = 2000.0, 4000.0
LN10 = math.log(10.0)


@inlined
def turbulent_factor(re, rough):
    """f and its slope by Re; rough is (ε/(3.7 D))^1.11."""
    if rough == 0.0:
        f = 0.3164 / math.sqrt(math.sqrt(re))
        return f, -0.25 * f / re
    x = rough + 6.9 / re
    root = -1.8 * math.log(x) / LN10
    f = 1.0 / (root * root)
    return f, -2.0 * f / root * (1.8 * 6.9 / (LN10 * x * re * re))


@inlined
def pipe_loss(q, rho, mu, length, diameter, area, rough):
    """Δp and its slope by q; that by ρ is −Δp/ρ."""
    scale = length / (2.0 * diameter * rho * area * area)
    reynolds = abs(q) * diameter / (area * mu)
    linear = scale * 64.0 * area * mu / diameter
    if reynolds <= LAMINAR:
        return linear * q, linear
    f, slope = turbulent_factor(reynolds, rough)
    if reynolds < TURBULENT:
        x = reynolds / LAMINAR - 1.0
        s, ds = x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / LAMINAR
        low = 64.0 / reynolds
        slope = s * slope - (1.0 - s) * low / reynolds + ds * (f - low)
        f = s * f + (1.0 - s) * low
    by_flow = diameter / (area * mu)
    return scale * f * q * abs(q), scale * abs(q) * (2.0 * f + abs(q) * slope * by_flow)
