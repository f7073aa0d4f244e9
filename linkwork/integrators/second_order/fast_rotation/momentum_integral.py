"""The integral of the angular momentum over a step, as a function of the turn x.

    y = ∫ L dt,   L = R Ĵ ω,   R₁ = R₀ exp(x̃)

By the trapezoidal rule y₀ = ½ (R₀ + R₁) Ĵ x.  What this misses of a body that spins follows from
ω̇ = Ĵ⁻¹(RᵀL̇ − ω × Ĵω) and from Magnus' expansion of x, up to terms of the fifth order in h; with
the axes R = R₀ exp(x̃/2) of the middle and G = x × Ĵx:

    y = y₀ + B (h(L₁ − L₀) − R G) − R (x × G)/12,     B = R [x̃ + ((Ĵx)~ − Ĵx̃) Ĵ⁻¹] Rᵀ/12

B and G belong to the predicted turn.  With L₁ = cv y + V of the method this is linear in y,

    y = Q (y₀ + B (h(V − L₀) − R G) − R (x × G)/12),   Q = (I − h cv B)⁻¹

and stable where velocities satisfy the joints.  Where they need not (index 3) it is not, and
formulas for first-order equations have a function of x alone,

    y = ½ (R₀ + R₁) (Ĵx − x × D(x × Ĵx)),     d_k = I_j/(12 (I_j − I_i)), d_j alike, d_i = 0

which is right for a body that spins about its axis i while this axis moves slowly: of ω⊥ across the
axis the trapezoidal rule alone misses h³n²I_j/12, n the spin.  D is zero for bodies like a ball.
"""

from __future__ import annotations

import math

from linkwork.kernels.compiled import fused_spliced, inlined
from linkwork.kernels.rotations import inverse_tangent, qexp, rotation_matrix, tangent
from linkwork.kernels.vectors import (
    IDENTITY, add, cm, cross, dot, inverse3, madd, mm, mscale, mv, nine, scale, skew, solve3, sub,
    three, transpose, tv,
)  # fmt: skip

# numbers of a body's course: Q, Q times the constant part, whether they are in use
BEND, SHIFT, BENT, COURSE = 0, 9, 12, 16
NEAR = 1e-4  # a change of x, over x, after which it is predicted well enough


@fused_spliced
def integral(g, Jx):
    """R₁ᵀy = ½ (R₁ᵀR₀ + I) Ĵx with g = exp(x)."""
    u = (g[1], g[2], g[3])
    side = cross(u, Jx)
    return add(Jx, sub(cross(u, side), scale(g[0], side)))


@fused_spliced
def half_way(g):
    """½ (R₁ᵀR₀ + I) = u uᵀ + w² I − w ũ with exp(x) = (w, u)."""
    w, x, y, z = g
    d = w * w
    return (
        x * x + d, x * y + w * z, x * z - w * y,
        x * y - w * z, y * y + d, y * z + w * x,
        x * z + w * y, y * z - w * x, z * z + d,
    )  # fmt: skip


@fused_spliced
def integral_slope(spin, chord, g, Jx, torque, square):
    """∂(R₁ᵀL̇)/∂θ over ca = 1/square where y = ½ (R₀ + R₁) Ĵ x; g = exp(x), torque = R₁ᵀL̇.

    y changes by ½ [(R₀ + R₁) Ĵ T(x)⁻¹ − R₁ (Ĵx)~] θ, and R₁ᵀL̇ by (R₁ᵀL̇)~ θ more; chord = T(x)⁻¹
    """
    N, side = mm(half_way(g), mm(spin, chord)), sub(scale(square, torque), scale(0.5, Jx))
    return madd(N, skew(side))


@fused_spliced
def bent_slope(P, spin, chord, g, Jx, torque, square):
    """The same where y = Q y₀ + …; P = R₁ᵀQR₁."""
    N = madd(mm(half_way(g), mm(spin, chord)), skew(scale(-0.5, Jx)))
    return madd(mm(P, N), skew(scale(square, torque)))


@inlined
def integral_tangent(spin, x, g, Jx, torque, square):
    """`integral_slope` of a turn x."""
    return integral_slope(spin, inverse_tangent(x), g, Jx, torque, square)


@fused_spliced
def missed_by_trapezoids(J, inverse, R0, x, change):
    """B and B (c − R G) − R (x × G)/12 of a turn x, with c = h(V − L₀), in world axes."""
    R, Jx = mm(R0, rotation_matrix(qexp(scale(0.5, x)))), mv(J, x)
    G = cross(x, Jx)
    own = madd(skew(x), mm(madd(skew(Jx), mscale(-1.0, mm(J, skew(x)))), inverse))
    side = sub(mv(own, sub(tv(R, change), G)), cross(x, G))
    B = mscale(1.0 / 12.0, mm(mm(R, own), transpose(R)))
    return B, scale(1.0 / 12.0, mv(R, side))


@fused_spliced
def bend(course, c, cv, h, B, shift):
    """Keep Q and Q times the constant part of a body whose numbers begin at c; that product."""
    Q = inverse3(madd(IDENTITY, mscale(-h * cv, B)))
    shift = mv(Q, shift)
    for i in range(9):
        course[c + BEND + i] = Q[i]
    for i in range(3):
        course[c + SHIFT + i] = shift[i]
    return shift


@fused_spliced
def shift_of(course, b):
    """The constant part of y in a step of body b."""
    c = COURSE * b
    return three(course, c + SHIFT) if course[c + BENT] != 0.0 else (0.0, 0.0, 0.0)


@fused_spliced
def spun(course, b, J, x):
    """Ĵx − x × D(x × Ĵx) of body b."""
    c, Jx = COURSE * b, mv(J, x)
    if course[c + BENT] == 0.0:
        return Jx
    return sub(Jx, cross(x, mv(nine(course, c + BEND), cross(x, Jx))))


@fused_spliced
def spun_slope(course, b, J, x):
    """Its derivative by x."""
    c = COURSE * b
    if course[c + BENT] == 0.0:
        return J
    D, Jx = nine(course, c + BEND), mv(J, x)
    turned = madd(cm(x, J), mscale(-1.0, skew(Jx)))
    return madd(J, madd(skew(mv(D, cross(x, Jx))), mscale(-1.0, cm(x, mm(D, turned)))))


@fused_spliced
def bent(course, b, R):
    """R₁ᵀQR₁ of body b."""
    return mm(transpose(R), mm(nine(course, COURSE * b + BEND), R))


@fused_spliced
def tangent_of_half(p2):
    """tan(φ/2)/φ for φ² = p2."""
    if p2 < 1e-2:  # series: relative error below 1e-12
        return 0.5 + p2 * (1.0 / 24.0 + p2 * (1.0 / 240.0 + p2 * (17.0 / 40320.0)))
    p = math.sqrt(p2)
    return math.tan(0.5 * p) / p


@fused_spliced
def turn_with_momentum(J, inverse, R0, x, y):
    """x with ½ (R₀ + R₀ exp(x̃)) Ĵ x = y from a guess: by iteration, else by Newton's method."""
    wanted = tv(R0, y)
    for _ in range(3):
        # 2 (I + exp(x̃))⁻¹ = I − tan(φ/2)/φ x̃
        before, half = x, tangent_of_half(dot(x, x))
        x = mv(inverse, sub(wanted, scale(half, cross(x, wanted))))
        change = sub(x, before)
        if dot(change, change) <= NEAR * NEAR * dot(x, x):
            return x
    wanted = scale(2.0, wanted)
    for _ in range(4):
        E, Jx = rotation_matrix(qexp(x)), mv(J, x)
        rest = sub(wanted, add(Jx, mv(E, Jx)))
        slope = madd(J, mm(E, madd(J, mscale(-1.0, cm(Jx, tangent(x))))))
        change = solve3(slope, rest)
        x = add(x, change)
        if dot(change, change) <= NEAR * NEAR * dot(x, x):
            break
    return x
