"""The tangent of a contact's forces, column by column of the unknowns of both bodies.

Changes of δ, n and P of each point are those of contact.points; what friction makes of them is that
of contact.kernel, differentiated term by term.  On a plane of the ground, contact.ground_tangent
has it in closed form.
"""

from __future__ import annotations

from linkwork.elements.contact.layout import (
    BENT, BY_DEPTH, BY_RATE, CODES, FRICTION, LOAD, PLACE, ROLL, ROLLED, SMOOTH, SPEED,
    SPUN, TOUCHED_A, TOUCHED_B,
)  # fmt: skip
from linkwork.elements.contact.geometry.round_shapes import placed
from linkwork.elements.contact.points import point_moves, without
from linkwork.elements.contact.prediction import component
from linkwork.elements.deformable.bushing import add_column, bend, kappa
from linkwork.elements.layout import AA, AB, BA, BB, A, B
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import (
    accumulate, add, at, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)


@inlined
def velocity_at(P, ra, va, wa, rb, vb, wb):
    """Velocity of b over a at P."""
    return sub(add(vb, cross(wb, sub(P, rb))), add(va, cross(wa, sub(P, ra))))


@inlined
def projected_change(n, dn, x, dx):
    """Change of (1 − n nᵀ) x."""
    return sub(without(n, dx), add(scale(dot(n, x), dn), scale(dot(dn, x), n)))


@inlined
def along_change(n, dn, x, dx):
    """Change of n (n·x)."""
    return add(scale(dot(n, x), dn), scale(dot(dn, x) + dot(n, dx), n))


@inlined
def unit_motion(j, Ra, Rb):
    """Displacements and turns of a and b (world axes) for the unit of unknown j of 12."""
    e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    if j < 3:
        return e, ZERO, ZERO, ZERO
    if j < 6:
        return ZERO, column(Ra, j % 3), ZERO, ZERO
    if j < 9:
        return ZERO, ZERO, e, ZERO
    return ZERO, ZERO, ZERO, column(Rb, j % 3)


@inlined
def velocity_change(P, dP, ra, wa, rb, wb, ma, ta, mb, tb):
    """Change of the velocity of b over a at P: by positions, and by velocities."""
    by_place = sub(
        add(cross(cross(tb, wb), sub(P, rb)), cross(wb, sub(dP, mb))),
        add(cross(cross(ta, wa), sub(P, ra)), cross(wa, sub(dP, ma))),
    )
    by_speed = sub(add(mb, cross(tb, sub(P, rb))), add(ma, cross(ta, sub(P, ra))))
    return by_place, by_speed


@inlined
def load_change(w, count, side, n, P, N, ra, wa, rb, wb, ma, ta, mb, tb, cK, cD):
    """Changes, times cK and cD, of N, P, ρ², and of n alone (times 1)."""
    dN, dS, dP, dn = 0.0, 0.0, ZERO, ZERO
    for m in range(count):
        load = w[m, LOAD]
        if load == 0.0:
            continue
        if side > 0.0:
            depth, dn, place = point_moves(w, m, ma, ta, ra, mb, tb, rb)
        else:
            depth, dn, place = point_moves(w, m, mb, tb, rb, ma, ta, ra)
            dn = scale(-1.0, dn)
        here, V = at(w, m, PLACE), at(w, m, SPEED)
        by_place, by_speed = velocity_change(here, place, ra, wa, rb, wb, ma, ta, mb, tb)
        rate = cK * (-dot(dn, V) - dot(n, by_place)) - cD * dot(n, by_speed)
        change = cK * w[m, BY_DEPTH] * depth + w[m, BY_RATE] * rate
        dN += change
        dP = add(dP, add(scale(change, sub(here, P)), scale(cK * load, place)))
        d = sub(here, P)
        dS += change * dot(d, d) + 2.0 * cK * load * dot(d, place)
    return dN, scale(1.0 / N, dP), dS / N, dn


@inlined
def contact_tangent(
    f, vals, ints, reals, memory, i, ground, w, count, side, n, P, N, square, rho, spread, Ra, ra,
    va, wa, Rb, rb, vb, wb, moved, psi, s, v, sr, vr, y0, y0r, c, cs, cv, cr, crs, crv, F, G, cK,
    cD, back, turn,
):  # fmt: skip
    """Column by column: δr_a, θ_a, δr_b, θ_b, but for the ground; c, F and G in world axes."""
    rubs, own_turn = ints[i, CODES + FRICTION] != SMOOTH, tv(Rb, turn)
    V, spin = velocity_at(P, ra, va, wa, rb, vb, wb), sub(wb, wa)
    k = kappa(dot(psi, psi))[0]
    psi_a, roll = tv(Ra, psi), reals[i, ROLL]
    z0, spun = mv(Ra, at(memory, i, BENT)), memory[i, SPUN]
    zr = mv(Ra, at(memory, i, ROLLED))
    known = abs(memory[i, TOUCHED_A]) < 1e200
    Xa = placed(Ra, ra, at(memory, i, TOUCHED_A)) if known else ZERO
    Xb = placed(Rb, rb, at(memory, i, TOUCHED_B)) if known else ZERO
    for j in range(0 if ints[i, A] != ground else 6, 12 if ints[i, B] != ground else 6):
        ma, ta, mb, tb = unit_motion(j, Ra, Rb)
        dN, dP, dS, dn = load_change(
            w, count, side, n, P, N, ra, wa, rb, wb, ma, ta, mb, tb, cK, cD
        )
        dF = add(scale(dN, n), scale(cK * N, dn))
        dG = ZERO
        if rubs:
            # ρ² = spread + ρ₀²; dS has dN and dP in it, spread falls by spread dN/N
            dsquare = dS - spread * dN / N
            drho = 0.5 * dsquare / rho if rho > 0.0 else 0.0
            # V by place: P moves with cK and cD, since the loads depend on velocities
            by_place = sub(
                sub(cross(cross(tb, wb), sub(P, rb)), cross(wb, mb)),
                sub(cross(cross(ta, wa), sub(P, ra)), cross(wa, ma)),
            )
            by_speed = sub(add(mb, cross(tb, sub(P, rb))), add(ma, cross(ta, sub(P, ra))))
            dV = add(add(scale(cK, by_place), cross(spin, dP)), scale(cD, by_speed))
            dw = add(
                scale(cK, sub(cross(tb, wb), cross(ta, wa))), scale(cD, sub(tb, ta))
            )
            Kn = scale(cK, dn)
            dv = projected_change(n, Kn, V, dV)
            dv = add(dv, scale(rho, along_change(n, Kn, spin, dw)))
            dv = add(dv, scale(drho * dot(n, spin), n))
            ds, dy, dpsi = ZERO, ZERO, ZERO
            if known:
                D = sub(add(mb, cross(tb, sub(Xb, rb))), add(ma, cross(ta, sub(Xa, ra))))
                turn = tv(Ra, sub(tb, ta))
                dpsi = scale(cK, add(mv(Ra, bend(-0.5, psi_a, k, turn)), cross(ta, psi)))
                ds = projected_change(n, Kn, moved, scale(cK, D))
                ds = add(ds, scale(rho, along_change(n, Kn, psi, dpsi)))
                ds = add(ds, scale(drho * dot(n, psi), n))
                dy = projected_change(n, Kn, z0, scale(cK, cross(ta, z0)))
                dy = add(dy, scale(spun, Kn))
            back = scale(cK, ta)
            step = tv(Ra, sub(add(ds, dy), cross(back, add(s, y0))))
            speed = tv(Ra, sub(dv, cross(back, v)))
            dc = add(mv(Ra, add(mv(cs, step), mv(cv, speed))), cross(back, c))
            dF = sub(dF, add(scale(dN, without(n, c)), scale(N, projected_change(n, Kn, c, dc))))
            dG = scale(-dN * rho - N * drho, scale(dot(n, c), n))
            dG = sub(dG, scale(N * rho, along_change(n, Kn, c, dc)))
            if roll > 0.0:
                step = scale(roll, projected_change(n, Kn, psi, dpsi))
                step = add(step, projected_change(n, Kn, zr, scale(cK, cross(ta, zr))))
                step = tv(Ra, sub(step, cross(back, add(sr, y0r))))
                speed = scale(roll, projected_change(n, Kn, spin, dw))
                speed = tv(Ra, sub(speed, cross(back, vr)))
                dc = add(mv(Ra, add(mv(crs, step), mv(crv, speed))), cross(back, cr))
                dG = sub(dG, scale(dN * roll, without(n, cr)))
                dG = sub(dG, scale(N * roll, projected_change(n, Kn, cr, dc)))
        # wrenches on b (F at P, G) and their opposites on a into the residual
        sa, sb = sub(P, ra), sub(P, rb)
        da = add(add(cross(sub(dP, scale(cK, ma)), F), cross(sa, dF)), dG)
        db = add(add(cross(sub(dP, scale(cK, mb)), F), cross(sb, dF)), dG)
        da = tv(Ra, sub(da, scale(cK, cross(ta, add(cross(sa, F), G)))))
        db = tv(Rb, sub(db, scale(cK, cross(tb, add(cross(sb, F), G)))))
        base_a, base_b = ints[i, AA], ints[i, BA]
        if j >= 6:
            base_a, base_b = ints[i, AB], ints[i, BB]
        add_column(vals, base_a, j % 6, dF, da)
        add_column(vals, base_b, j % 6, scale(-1.0, dF), scale(-1.0, db))
        by = component(j - 6, back, own_turn)
        if by != 0.0:
            by /= cK
            accumulate(f, ints[i, A], 0, scale(-by, dF))
            accumulate(f, ints[i, A], 3, scale(-by, da))
            accumulate(f, ints[i, B], 0, scale(by, dF))
            accumulate(f, ints[i, B], 3, scale(by, db))
