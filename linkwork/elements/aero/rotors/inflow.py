"""Equations of the velocity that a rotor induces (MBDyn's theory manual, 13.8; J. G. Leishman:
Principles of helicopter aerodynamics, 2nd ed., 3.5; D. M. Pitt, D. A. Peters: Theoretical
prediction of dynamic-inflow derivatives, Vertica 5 (1981)).

With the thrust T along the axis, the velocity v of the air against the rotor in its axes (v₃ along
the axis, v₁₂ in the disc), A = π R²:

    mean inflow   2 ρ A u √(v₁₂² + (u − v₃)²) = T                           momentum theory
    corrected     u* = k_G u √(v₁₂² + λ²)/√((v₁₂/k_F)² + (λ/k_H²)²),  λ = u − v₃
    near ground   k_G = 1 − (R/4h)², h ≥ R/4      (I. C. Cheeseman, W. E. Bennett, R&M 3021, 1955)

    uniform       q = (u*, 0, 0)
    Glauert       q = (u*, u* k),   k = k_x n + k_y n⊥,   n the direction of the wind in the disc
    dynamic       ρ A R M q̇ + ρ A diag(V_T, V_m, V_m) L⁻¹ q = (T, M_y/R, −M_x/R)
                  M = diag(128/75π, −16/45π, −16/45π),  L = [½, k τᵀ; k τ, 4ττᵀ − 4/(1 + cos χ)]
                  τ = n tan χ/2,  k = 15π/64,  V_T² = v₁₂² + λ²,  V_m = (v₁₂² + λ (λ + u))/V_T

u in the last one is the mean inflow of momentum theory.  In terms of velocities the rotor's speed
drops out of all of them but for μ in some of Glauert's variants.  Written for complex numbers: an
imaginary part of 1e-30 of an argument gives exact derivatives (W. Squire, G. Trapp, SIAM Review 40,
1998).
"""

from __future__ import annotations

import cmath
import math

from linkwork.kernels.compiled import inlined

(T, MX, MY, V1, V2, V3, OMEGA, HEIGHT, RHO, Q0, Q1, Q2, Q3, STEADY, INPUTS) = range(15)
ROWS = 5  # of the inflow, four; of the steady inflow
NONE, UNIFORM, GLAUERT, MANGLER, DYNAMIC = range(5)
VARIANTS = (
    "glauert", "coleman leishman", "drees", "payne", "white and blake", "pitt and peters",
    "howlett", "drees 2",
)  # fmt: skip
M0, M1 = 128.0 / (75.0 * math.pi), -16.0 / (45.0 * math.pi)
COUPLING = 15.0 * math.pi / 64.0


@inlined
def mean_inflow(T_, w2, v3, flux, small):
    """u of momentum theory; T, w2 = v₁₂² and v3 real."""
    if T_ == 0.0:
        return 0.0
    u = math.sqrt(abs(T_) / flux)
    if T_ < 0.0:
        u = -u
    for _ in range(60):
        lam = u - v3
        V = math.sqrt(w2 + lam * lam + small)
        f = flux * u * V - T_
        slope = flux * (V + u * lam / V)
        if slope <= 1e-12 * flux * V:  # the vortex ring: go on from hover
            slope = flux * V
        step = f / slope
        u -= step
        if abs(step) <= 1e-14 * abs(u) + 1e-300:
            break
    return u


@inlined
def steady_inflow(z, flux_area, small):
    """u as a function of complex arguments: one of Newton's steps carries their slopes."""
    T_, v3 = z[T], z[V3]
    w2 = z[V1] * z[V1] + z[V2] * z[V2]
    flux = flux_area * z[RHO]
    u = mean_inflow(T_.real, w2.real, v3.real, flux.real, small) + 0j
    lam = u - v3
    V = cmath.sqrt(w2 + lam * lam + small)
    return u - (flux * u * V - T_) / (flux * (V + u * lam / V))


@inlined
def corrected(u, z, kh, kf, radius, ground, small):
    """u* with the corrections of hover, forward flight and ground."""
    lam = u - z[V3]
    w2 = z[V1] * z[V1] + z[V2] * z[V2]
    if kh != 1.0 or kf != 1.0:
        a = cmath.sqrt(w2 + lam * lam + small)
        b = cmath.sqrt(w2 / (kf * kf) + lam * lam / (kh * kh * kh * kh) + small)
        u = u * a / b
    if ground != 0.0:
        h = z[HEIGHT]
        if h.real < 0.25 * radius:
            h = 0.25 * radius + 0j
        u = u * (1.0 - (radius / (4.0 * h)) ** 2)
    return u


@inlined
def glauert_slopes(variant, z, u, radius, small):
    """k of the linear inflow, in the rotor's axes."""
    lam = u - z[V3]
    a, b = z[V1], z[V2]
    w2 = a * a + b * b
    V = cmath.sqrt(w2 + lam * lam + small)
    tip = z[OMEGA] * radius
    if tip.real < 0.0:
        tip = -tip
    turn = 1.0 if z[OMEGA].real >= 0.0 else -1.0
    mu2 = w2 / (tip * tip)
    t = 1.0 / (V + lam)  # τ = v t
    if lam.real < 0.0:
        t = 1.0 / (V - lam)
    side = 0.0j
    if variant == 0:
        along = 4.0 / 3.0 * (1.0 - 1.8 * mu2) * t
    elif variant == 1:
        along = t
    elif variant == 2:
        along = 4.0 / 3.0 * (t - 1.8 * V / (tip * tip))
        side = -2.0 / tip
    elif variant == 3:
        w = cmath.sqrt(w2 + small)
        along = 4.0 / 3.0 / (1.2 * lam + w)
    elif variant == 4:
        along = math.sqrt(2.0) / V
    elif variant == 5:
        along = 15.0 * math.pi / 23.0 * t
    elif variant == 6:
        along = cmath.sqrt(w2 + small) / (V * V)
    else:
        w = cmath.sqrt(w2 + small)
        along = 4.0 / 3.0 * (1.0 - 1.8 * mu2) * cmath.sqrt(1.0 - lam / w + lam * lam / (w * w)) / w
        side = -2.0 / tip
    side = side * turn
    return along * a - side * b, along * b + side * a


@inlined
def disc_parameter(z, small):
    """√Q of Mangler and Squire, Q = (1 − sin α_d)/(1 + sin α_d)."""
    v2 = z[V1] * z[V1] + z[V2] * z[V2] + z[V3] * z[V3]
    if v2.real <= small:
        return 0.0j
    s = -z[V3] / cmath.sqrt(v2)
    rest = 1.0 - s
    if rest.real <= 0.0 or (1.0 + s).real <= 0.0:  # along the axis
        return 0.0j
    return cmath.sqrt(rest / (1.0 + s))


@inlined
def dynamic_rows(z, u, radius, area, small, out):
    """ρ A diag(V) L⁻¹ q less the loads."""
    lam = u - z[V3]
    a, b = z[V1], z[V2]
    w2 = a * a + b * b
    V = cmath.sqrt(w2 + lam * lam + small)
    Vm = (w2 + lam * (lam + u)) / V
    c = lam / V
    if c.real < 0.0:
        c = -c
    tx, ty = a / (V * (1.0 + c)), b / (V * (1.0 + c))
    k, d = COUPLING, -4.0 / (1.0 + c)
    # L = [[½, k tx, k ty], [k tx, d + 4 tx², 4 tx ty], [k ty, 4 tx ty, d + 4 ty²]]
    m11, m12, m22 = d + 4.0 * tx * tx, 4.0 * tx * ty, d + 4.0 * ty * ty
    l01, l02 = k * tx, k * ty
    c00 = m11 * m22 - m12 * m12
    c01 = l02 * m12 - l01 * m22
    c02 = l01 * m12 - l02 * m11
    det = 0.5 * c00 + l01 * c01 + l02 * c02
    c11, c12, c22 = 0.5 * m22 - l02 * l02, l01 * l02 - 0.5 * m12, 0.5 * m11 - l01 * l01
    g = z[RHO] * area / det
    q0, q1, q2 = z[Q0], z[Q1], z[Q2]
    out[0] = g * V * (c00 * q0 + c01 * q1 + c02 * q2) - z[T]
    out[1] = g * Vm * (c01 * q0 + c11 * q1 + c12 * q2) - z[MY] / radius
    out[2] = g * Vm * (c02 * q0 + c12 * q1 + c22 * q2) + z[MX] / radius
    out[3] = z[Q3]


@inlined
def inflow_rows(kind, variant, turns, z, radius, kh, kf, ground, small, out):
    """Equations of the inflow (four) and of its steady mean, but for the rates."""
    area = math.pi * radius * radius
    for i in range(ROWS):
        out[i] = z[Q0 + i]
    if kind == NONE or not turns:
        return
    u = steady_inflow(z, 2.0 * area, small)
    mean = corrected(u, z, kh, kf, radius, ground, small)
    out[4] = z[STEADY] - mean
    if kind == DYNAMIC:
        dynamic_rows(z, z[STEADY], radius, area, small, out)
        return
    out[0] = z[Q0] - mean
    if kind == GLAUERT:
        kx, ky = glauert_slopes(variant, z, u, radius, small)
        out[1], out[2] = z[Q1] - mean * kx, z[Q2] - mean * ky
    elif kind == MANGLER:
        w = cmath.sqrt(z[V1] * z[V1] + z[V2] * z[V2] + small)
        out[1], out[2] = z[Q1] - z[V1] / w, z[Q2] - z[V2] / w
        out[3] = z[Q3] - disc_parameter(z, small)
