"""The velocity that a rotor induces at a place of its disc.

Along the rotor's axis a₃, downwards, at x = a₁·d/R, y = a₂·d/R of the place d from the centre,

    linear          u = q₀ + q₁ x + q₂ y
    Mangler-Squire  u = 4 q₀ (c₀/2 − Σ cₙ cos nψ),  ψ from the wind's direction (q₁, q₂)

with the coefficients of the loading that vanishes at centre and edge (K. W. Mangler, H. B. Squire:
The induced velocity field of a rotor, ARC R&M 2642, 1950, type III, in the form of Bramwell's
Helicopter dynamics): η² = 1 − r², Q = (1 − sin α_d)/(1 + sin α_d) = q₃²,

    c₀ = 15/8 η (1 − η²),   c₁ = −15π/256 (5 − 9η²) r √Q,   c₃ = 45π/256 (r √Q)³
    cₙ = (−1)^{n/2 − 1} 15/8 ((η + n)/(n² − 1) (9η² + n² − 6)/(n² − 9) + 3η/(n² − 9))
         ((1 − η)/(1 + η) Q)^{n/2}                                             n = 2, 4, 6 …

and no inflow outside of the disc.
"""

from __future__ import annotations

import math

from linkwork.elements.aero.surfaces.layout import LINEAR_FIELD
from linkwork.elements.layout import VALUE
from linkwork.kernels.compiled import inlined

TERMS = 20  # even n up to here


@inlined
def induced(values, b, kind, x, y):
    """u, its slopes by x and y, and by the four numbers of the inflow."""
    q0, q1 = values[VALUE, b], values[VALUE, b + 1]
    q2, q3 = values[VALUE, b + 2], values[VALUE, b + 3]
    if kind == LINEAR_FIELD:
        return q0 + q1 * x + q2 * y, q1, q2, 1.0, x, y, 0.0
    return mangler(q0, q1, q2, q3, x, y)


@inlined
def mangler(q0, q1, q2, q3, x, y):
    """The field of Mangler and Squire, as `induced`."""
    r2 = x * x + y * y
    if r2 >= 1.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    e = math.sqrt(1.0 - r2)
    r, w = math.sqrt(r2), math.sqrt(q1 * q1 + q2 * q2)
    # g: the sum; its slopes by e, by the cosine and sine of ψ through powers of (X + iY), by q3
    g, ge, g3 = 0.5 * 15.0 / 8.0 * e * (1.0 - e * e), 0.5 * 15.0 / 8.0 * (1.0 - 3.0 * e * e), 0.0
    gx, gy, gq1, gq2 = 0.0, 0.0, 0.0, 0.0
    if r > 0.0 and w > 0.0:
        # X = r cos ψ, Y = r sin ψ in axes of the wind
        a, b = q1 / w, q2 / w
        X, Y = a * x + b * y, a * y - b * x
        gX, gY = 0.0, 0.0
        c1 = -15.0 * math.pi / 256.0
        g -= c1 * (5.0 - 9.0 * e * e) * q3 * X
        ge -= c1 * (-18.0 * e) * q3 * X
        gX -= c1 * (5.0 - 9.0 * e * e) * q3
        g3 -= c1 * (5.0 - 9.0 * e * e) * X
        c3 = 45.0 * math.pi / 256.0 * q3 * q3 * q3
        g -= c3 * (X * X * X - 3.0 * X * Y * Y)
        gX -= c3 * (3.0 * X * X - 3.0 * Y * Y)
        gY -= c3 * (-6.0 * X * Y)
        g3 -= 135.0 * math.pi / 256.0 * q3 * q3 * (X * X * X - 3.0 * X * Y * Y)
        # even n: ((1 − η)/(1 + η))^{n/2} cos nψ = Re((X + iY)^n)/(1 + η)^n
        s = q3 / (1.0 + e)
        pr, pi, n, sign = X * X - Y * Y, 2.0 * X * Y, 2, 1.0
        br, bi = X, Y  # (X + iY)^{n−1}
        before, sn = s, s * s  # s^{n−1}, sⁿ
        while n <= TERMS:
            m = float(n * n)
            k = (e + n) * (9.0 * e * e + m - 6.0) / ((m - 1.0) * (m - 9.0)) + 3.0 * e / (m - 9.0)
            ke = (9.0 * e * e + m - 6.0 + (e + n) * 18.0 * e) / ((m - 1.0) * (m - 9.0))
            ke += 3.0 / (m - 9.0)
            c = sign * 15.0 / 8.0
            g -= c * k * sn * pr
            ge -= c * sn * pr * (ke - k * n / (1.0 + e))
            gX -= c * k * sn * n * br
            gY -= c * k * sn * n * -bi
            g3 -= c * k * pr * n * before / (1.0 + e)
            tr, ti = pr * X - pi * Y, pr * Y + pi * X
            br, bi = tr, ti
            pr, pi = tr * X - ti * Y, tr * Y + ti * X
            before, sn = sn * s, sn * s * s
            sign = -sign
            n += 2
        gx, gy = gX * a - gY * b, gX * b + gY * a
        # turning the wind turns the field: δX = Y δβ, δY = −X δβ
        turn = gX * Y - gY * X
        gq1, gq2 = -turn * q2 / (w * w), turn * q1 / (w * w)
    gx, gy = gx - ge * x / e, gy - ge * y / e
    f = 4.0 * q0
    return f * g, f * gx, f * gy, 4.0 * g, f * gq1, f * gq2, f * g3
