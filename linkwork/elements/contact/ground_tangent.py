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
    BY_DEPTH, BY_RATE, CODES, FRICTION, KIND, LOAD, ON_B, OWN, PLACE, RIM, ROLL, SMOOTH,
    TOUCHED_A, TOUCHED_B,
)  # fmt: skip
from linkwork.elements.contact.points import across_rim, without
from linkwork.elements.deformable.bushing import bend, kappa
from linkwork.elements.layout import BB, STRIDE, B
from linkwork.kernels.compiled import inlined
from linkwork.kernels.registers.eights import any8, load8, six8, spread8, store8, sum8
from linkwork.kernels.vectors import (
    IDENTITY, add, at, cross, dot, madd, mscale, mv, outer, scale, sub, tv,
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
    f, vals, ints, reals, memory, i, w, count, n, P, N, rho, spread, Rb, rb, wb, psi, c, cs, cv, cr,
    crs, crv, F, G, cK, cD, back, turn,
):  # fmt: skip
    """All six columns at a time, of the body's displacements m and turns t, in the lanes of
    vectors of eight; the axes of the ground are those of the world."""
    k1, kd, k3, g1, by_turn, g3, load_x = sums_of_points(w, count, n, P, rb, wb, cK, cD)
    over, s = 1.0 / N, sub(P, rb)
    rubs, roll = ints[i, CODES + FRICTION] != SMOOTH, reals[i, ROLL]
    m = six8((1.0, 0.0, 0.0), ZERO), six8((0.0, 1.0, 0.0), ZERO), six8((0.0, 0.0, 1.0), ZERO)
    t = (
        six8(ZERO, (Rb[0], Rb[1], Rb[2])), six8(ZERO, (Rb[3], Rb[4], Rb[5])),
        six8(ZERO, (Rb[6], Rb[7], Rb[8])),
    )  # fmt: skip
    sinks = dot(n, m)
    dN = dot(g1, t) - k1 * sinks
    lever = scale(over, sub(add(mv(by_turn, t), scale(cK, cross(t, load_x))), scale(sinks, kd)))
    dP, dF, dG = add(lever, scale(cK, m)), scale(dN, n), scale(spread8(0.0), n)
    if rubs:
        dS = dot(g3, t) - k3 * sinks
        drho = (dS - spread * dN) * (0.5 * over / rho if rho > 0.0 else 0.0)
        by_place = sub(cross(cross(t, wb), s), cross(wb, m))
        dV = add(add(scale(cK, by_place), scale(cD, add(m, cross(t, s)))), cross(wb, dP))
        spin = add(scale(cK, cross(t, wb)), scale(cD, t))
        n_c, n_w, n_psi = dot(n, c), dot(n, wb), dot(n, psi)
        dv = add(without(n, dV), scale(rho * dot(n, spin) + drho * n_w, n))
        dc = mv(cv, dv)
        known = abs(memory[i, TOUCHED_A]) < 1e200
        if known:
            arm = mv(Rb, at(memory, i, TOUCHED_B))
            dpsi = scale(cK, bend(-0.5, psi, kappa(dot(psi, psi))[0], t))
            ds = scale(cK, without(n, add(m, cross(t, arm))))
            ds = add(ds, scale(rho * dot(n, dpsi) + drho * n_psi, n))
            dc = add(mv(cs, ds), dc)
        dF = sub(scale(dN, sub(n, without(n, c))), scale(N, without(n, dc)))
        dG = scale((dN * rho + N * drho) * (-n_c) - (N * rho) * dot(n, dc), n)
        if roll > 0.0:
            dc = mv(crv, scale(roll, without(n, spin)))
            if known:
                dc = add(mv(crs, scale(roll, without(n, dpsi))), dc)
            dG = sub(dG, scale(dN * roll, without(n, cr)))
            dG = sub(dG, scale(N * roll, without(n, dc)))
    db = add(add(cross(lever, F), cross(s, dF)), dG)
    db = tv(Rb, sub(db, scale(cK, cross(t, add(cross(s, F), G)))))
    b, base, by = ints[i, B], ints[i, BB], six8(back, tv(Rb, turn))
    for row in range(3):
        force, moment = dF[row], db[row]
        p, q = base + row * STRIDE, base + (3 + row) * STRIDE
        store8(vals, p, load8(vals, p) - force)
        store8(vals, q, load8(vals, q) - moment)
        if any8(by):
            f[b, row] += sum8(force * by) / cK
            f[b, 3 + row] += sum8(moment * by) / cK
