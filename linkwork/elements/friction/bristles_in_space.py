"""Bristles that bend in all directions of a surface: the vectors of elements.friction.bristles.

Path Δs, velocity v and deflection z of the surfaces are vectors of up to three components; friction
is isotropic in them.  With y = z₀ + Δs, where the bristles would be if none had slipped, u = y/|y|,
(x)₊ = max(x, 0), g = g(|v|) and z_m = g/σ₀,

    Coulomb   c = σ₀ y + σ₁ v while |c| ≤ g, z = y;  else c = g c/|c|, z = c/σ₀          (+ σ₂ v)
    LuGre     z = y − α(|z|) (Δs·u)₊ z/z_m
              c = σ₀ z + σ₁ (1 − β) v + σ₂ v,   β = α(|z|) (v·u)₊ |z|/(|v| z_m)

so z has the direction u, and its size ζ satisfies the equation of one direction with the part of
the path outwards, ζ + α ζ (Δs·u)₊/z_m = |y|.  Along a line both are the scalar models.  While it
slides, z turns into the direction of the path within a way z_m, and |z| never passes z_m: bristles
lose as much as they are pulled outwards (α is that of Dupont et al. 2002; a factor |Δs| instead of
(Δs·u)₊ would pull them in too when they move sideways, and make α jump where v·z changes its sign).
ż is taken for (1 − β) v, which damps bristles as far as they do not slip; the rest of ż, with which
z turns after the path, dies out within z_m and would be found at the end of a step with an error of
the order of v h.

The direction of the path is that of the whole step, so where sliding turns it lags by half a step:
order one in the direction, two in the size.  Derivatives: with P = 1 − u uᵀ, δu = P δs/|y|, and δζ
by elements.friction.bristles.pulled.
"""

from __future__ import annotations

import math

from linkwork.elements.friction.bristles import (
    KAPPA, S0, S1, S2, SLIDING, limit, pulled, slipping,
)  # fmt: skip
from linkwork.elements.friction.models import LUGRE
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import IDENTITY, add, dot, madd, mscale, mv, outer, scale

ZERO = (0.0, 0.0, 0.0)


@inlined
def sized(x):
    """|x| and x/|x|, zero for zero."""
    size = math.sqrt(dot(x, x))
    return size, scale(1.0 / size if size > 0.0 else 0.0, x)


@inlined
def across(u):
    """1 − u uᵀ."""
    return madd(IDENTITY, mscale(-1.0, outer(u, u)))


@inlined
def coulomb_in_space(reals, i, n, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1 = reals[i, S0], reals[i, S1]
    speed, w = sized(v)
    g, dg = limit(reals, i, n, speed)
    y = add(z0, step)
    c = add(scale(s0, y), scale(s1, v))
    size, u = sized(c)
    if size <= g:
        return c, y, mscale(s0, IDENTITY), mscale(s1, IDENTITY)
    turn = mscale(g / size, across(u))
    c = scale(g, u)
    cv = madd(mscale(s1, turn), mscale(dg, outer(u, w)))
    return c, scale(1.0 / s0, c), mscale(s0, turn), cv


@inlined
def lugre_in_space(reals, i, n, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1, kappa = reals[i, S0], reals[i, S1], reals[i, KAPPA]
    speed, w = sized(v)
    g, dg = limit(reals, i, n, speed)
    top, dtop = g / s0, dg / s0
    y, u = sized(add(z0, step))
    way = dot(step, u)
    out, on = (1.0 if way > 0.0 else 0.0), (1.0 if dot(v, u) > 0.0 else 0.0)
    zeta, zy, zp, zm = pulled(y, out * way, top, kappa)
    P, over = across(u), (1.0 / y if y > 0.0 else 0.0)
    # ζ by the path, and z = ζ u
    dzeta = add(scale(zy + zp * out, u), scale(zp * out * over, mv(P, step)))
    zs = madd(outer(u, dzeta), mscale(zeta * over if y > 0.0 else 1.0, P))
    zv = mscale(zm * dtop, outer(u, w))
    # the rate: (1 − β) v, β = a q with the cosine q between v and z
    q = on * dot(w, u)
    alpha, az, am = slipping(zeta, q, top, kappa)
    a, a_z, a_m = alpha * zeta / top, (az * zeta + alpha) / top, zeta * (am - alpha / top) / top
    by_path = add(scale(q * a_z, dzeta), scale(a * on * over, mv(P, w)))
    by_speed = add(
        scale(speed * q * (a_z * zm + a_m) * dtop, w), scale(a * on, mv(across(w), u))
    )
    rs = mscale(-1.0, outer(v, by_path))
    rv = madd(mscale(1.0 - a * q, IDENTITY), mscale(-1.0, outer(w, by_speed)))
    c = add(scale(s0 * zeta, u), scale(s1 * (1.0 - a * q), v))
    cs = madd(mscale(s0, zs), mscale(s1, rs))
    return c, scale(zeta, u), cs, madd(mscale(s0, zv), mscale(s1, rv))


@inlined
def at_first_in_space(reals, i, n, v):
    """c, z, ∂c/∂s, ∂c/∂v with no path behind: bristles of a sliding joint are at their limit."""
    s0, s1 = reals[i, S0], reals[i, S1]
    speed, w = sized(v)
    g, dg = limit(reals, i, n, speed)
    none = mscale(0.0, IDENTITY)
    if speed > SLIDING * g / s0:
        cv = madd(mscale(g / speed, across(w)), mscale(dg, outer(w, w)))
        return scale(g, w), scale(g / s0, w), none, cv
    return scale(s1, v), ZERO, none, mscale(s1, IDENTITY)


@inlined
def bristles_in_space(reals, i, n, model, known, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v from the deflection at the last step and the path since."""
    if not known:
        c, z, cs, cv = at_first_in_space(reals, i, n, v)
    elif model == LUGRE:
        c, z, cs, cv = lugre_in_space(reals, i, n, z0, step, v)
    else:
        c, z, cs, cv = coulomb_in_space(reals, i, n, z0, step, v)
    s2 = reals[i, S2]
    return add(c, scale(s2, v)), z, cs, madd(cv, mscale(s2, IDENTITY))
