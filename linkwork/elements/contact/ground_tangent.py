"""The tangent of contact with a plane of the ground, in closed form.

The normal n does not move, and the points X = r + x of the body move with it.  With the load L of a
point, its slopes k by depth and d by rate (times the coefficients c_K and c_D of the step),
κ = c_K k + c_D d and h = x × n, its load changes for a displacement m and a turn t of the body by

    L' = −κ n·m + g·t,      g = −κ h − c_K d (ω × h + x × (n × ω))

so sums over the points are made once, and columns are short:

    N' = Σ L',    N P' = Σ (P_i − P) L' + c_K Σ L (m + t × x)
    N (ρ²)' = Σ |P_i − P|² L' + 2 c_K Σ L (x × (P_i − P))·t − (ρ² − ρ₀²) N'

A point on the rim of a cylinder also runs along it, by u (p·t) with u = k × (X − c), the direction
along the rim, and p = n × (k × e)/s (contact.points): m + t × x is longer by that, and g by
−c_K (k n·u + d n·(ω × u)) p.

Forces, bristles and moments are those of contact.kernel.
"""

from __future__ import annotations

from linkwork.elements.contact.layout import (
    BY_DEPTH, BY_RATE, KIND, LOAD, ON_B, OWN, PLACE, RIM, ROLL, RUBS, TOUCHED_A, TOUCHED_B,
)  # fmt: skip
from linkwork.elements.contact.points import across_rim, without
from linkwork.elements.deformable.bushing import add_column, bend, kappa
from linkwork.elements.layout import BB
from linkwork.math.compiled import inlined
from linkwork.math.vectors import (
    IDENTITY, add, at, column, cross, dot, madd, mscale, mv, outer, scale, sub, tv,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)


@inlined
def sums_of_points(w, count, n, P, rb, wb, cK, cD):
    """Σ κ, Σ κ d, Σ κ d², Σ g, Σ d gᵀ, Σ d² g + 2 c_K L x × d and Σ L x, with d = P_i − P."""
    k1, k3 = 0.0, 0.0
    kd, g1, g3, load_x = ZERO, ZERO, ZERO, ZERO
    G = mscale(0.0, IDENTITY)
    for m in range(count):
        load = w[m, LOAD]
        if load == 0.0:
            continue
        x, d = sub(at(w, m, ON_B), rb), sub(at(w, m, PLACE), P)
        k = cK * w[m, BY_DEPTH] + cD * w[m, BY_RATE]
        h = cross(x, n)
        turned = add(cross(wb, h), cross(x, cross(n, wb)))
        g = add(scale(-k, h), scale(-cK * w[m, BY_RATE], turned))
        square = dot(d, d)
        if w[m, KIND] == RIM and w[m, OWN + 6] > 0.0:
            u = cross(at(w, m, OWN), at(w, m, OWN + 3))
            p = scale(1.0 / w[m, OWN + 6], cross(n, across_rim(w, m)))
            less = w[m, BY_DEPTH] * dot(n, u) + w[m, BY_RATE] * dot(n, cross(wb, u))
            g = sub(g, scale(cK * less, p))
            G = madd(G, mscale(cK * load, outer(u, p)))
            g3 = add(g3, scale(2.0 * cK * load * dot(d, u), p))
        k1 += k
        k3 += k * square
        kd, g1, G = add(kd, scale(k, d)), add(g1, g), madd(G, outer(d, g))
        g3 = add(g3, add(scale(square, g), scale(2.0 * cK * load, cross(x, d))))
        load_x = add(load_x, scale(load, x))
    return k1, kd, k3, g1, G, g3, load_x


@inlined
def ground_tangent(
    vals, ints, reals, i, w, count, n, P, N, rho, spread, Rb, rb, wb, psi, c, cs, cv, cr, crs, crv,
    F, G, cK, cD,
):  # fmt: skip
    """Columns of the body's displacements and turns; the axes of the ground are those of the world.
    """
    k1, kd, k3, g1, by_turn, g3, load_x = sums_of_points(w, count, n, P, rb, wb, cK, cD)
    over, s, last = 1.0 / N, sub(P, rb), reals.shape[1]
    rubs, roll = reals[i, RUBS] != 0.0, reals[i, ROLL]
    known = abs(reals[i, last - TOUCHED_A]) < 1e200
    arm = mv(Rb, at(reals, i, last - TOUCHED_B)) if known else ZERO
    bending = kappa(dot(psi, psi))[0]
    moment = add(cross(s, F), G)
    pull, n_c, n_w, n_psi = sub(n, without(n, c)), dot(n, c), dot(n, wb), dot(n, psi)
    for j in range(6):
        e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
        slides = j < 3
        t = ZERO if slides else column(Rb, j % 3)
        if slides:
            dN, dS = -k1 * dot(n, e), -k3 * dot(n, e)
            dP = sub(scale(cK, e), scale(over * dot(n, e), kd))
            at_P, at_first, by_place = e, e, scale(-1.0, cross(wb, e))
        else:
            dN, dS = dot(g1, t), dot(g3, t)
            dP = scale(over, add(mv(by_turn, t), scale(cK, cross(t, load_x))))
            at_P, at_first = cross(t, s), cross(t, arm)
            by_place = cross(cross(t, wb), s)
        dF, dG = scale(dN, n), ZERO
        if rubs:
            drho = 0.5 * over * (dS - spread * dN) / rho if rho > 0.0 else 0.0
            dV = add(add(scale(cK, by_place), scale(cD, at_P)), cross(wb, dP))
            spin, dpsi, ds = ZERO, ZERO, ZERO
            if not slides:
                spin = add(scale(cK, cross(t, wb)), scale(cD, t))
            if known:
                ds = scale(cK, without(n, at_first))
                if not slides:
                    dpsi = scale(cK, bend(-0.5, psi, bending, t))
                ds = add(ds, scale(rho * dot(n, dpsi) + drho * n_psi, n))
            dv = add(without(n, dV), scale(rho * dot(n, spin) + drho * n_w, n))
            dc = add(mv(cs, ds), mv(cv, dv))
            dF = sub(scale(dN, pull), scale(N, without(n, dc)))
            dG = scale(-(dN * rho + N * drho) * n_c - N * rho * dot(n, dc), n)
            if roll > 0.0:
                dc = mv(crs, scale(roll, without(n, dpsi)))
                dc = add(dc, mv(crv, scale(roll, without(n, spin))))
                dG = sub(dG, scale(dN * roll, without(n, cr)))
                dG = sub(dG, scale(N * roll, without(n, dc)))
        lever = sub(dP, scale(cK, e)) if slides else dP
        db = add(add(cross(lever, F), cross(s, dF)), dG)
        if not slides:
            db = sub(db, scale(cK, cross(t, moment)))
        add_column(vals, ints[i, BB], j, scale(-1.0, dF), scale(-1.0, tv(Rb, db)))
