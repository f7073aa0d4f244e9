"""Forces between two shapes in contact.

Points of contact (contact.points) share the normal n.  Each bears N_i = law(δ_i, δ̇_i) ≥ 0, and all
together N = Σ N_i at the centre of pressure P = Σ N_i P_i/N, about which normal forces have no
moment.  There the surfaces rub: with T = 1 − n nᵀ, the velocity V of b over a at P and the relative
angular velocity ω,

    v = T V + ρ n (n·ω),          ρ² = Σ N_i |P_i − P|²/N + ρ₀²
    force on b   F = N (n − T c),     moment   −N ρ (n·c) n − N ρ_r T c_r

c is that of bristles (elements.friction.bristles_in_space), whose path since the last accepted step
is that of the two material points which touched then, and of the turn ψ since then: rolling is no
path.  The limit F² + (M/ρ)² ≤ (g N)² for force and moment of a patch is the ellipsoid of R. D. Howe
and M. R. Cutkosky, Int. J. Robotics Research 15 (1996).  Rolling is resisted by bristles of their
own, c_r, with the path ρ_r T ψ: the moment is g ρ_r N at most.  Bristles are carried with a, and
turned into the tangent plane where n has turned in a.

Points come from contact.narrow_phase, the tangent of all this from contact.tangent.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.contact.ground_tangent import ground_tangent
from linkwork.elements.contact.layout import (
    BENT, BY_DEPTH, BY_RATE, CODES, COLUMNS, DEPTH, FLIP, FRICTION, LAW, LAW_AT, LOAD, MET, MET_AT,
    MOST_POINTS, NORMAL, PAIR, PLACE, PLANE_CYLINDER, PLANE_POINTS, PRESSED, ROLL, ROLLED,
    SMOOTH, SPEED, SPIN, SPUN, TABLE_POINTS, TOUCHED_A, TOUCHED_B, TURNED,
)  # fmt: skip
from linkwork.elements.contact.geometry.narrow_phase import find_points
from linkwork.elements.contact.geometry.round_shapes import placed
from linkwork.elements.contact.points import without
from linkwork.elements.contact.prediction import back_to_last_depths
from linkwork.elements.contact.tangent import contact_tangent, velocity_at
from linkwork.elements.deformable.bushing import rotation_vector
from linkwork.elements.friction.bristles_in_space import bristles_in_space
from linkwork.elements.laws.base import (
    ENERGY, KD, KE, RATE, STORED, STRAIN, STRESS, WANTED, WORK, law_at, respond,
)  # fmt: skip
from linkwork.elements.layout import (
    ACCEPT, CD, CK, FIRST, OMEGA, OUT, POS, QUAT, ROT, TANGENT, UNKNOWN, VEL, A, B, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.rotations import qconj, qexp, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at4, at9, cross, dot, mm, mscale, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.outputs import POWER, STORED_ENERGY, Output

ZERO = (0.0, 0.0, 0.0)

OUTPUTS = (
    Output("gap", "m", words="gap between the surfaces (negative: depth)"),
    Output("force", "N", "xyz", "force on the second body", total=True),
    Output("moment", "N m", "xyz", "moment on the second body about the point"),
    Output("point", "m", "xyz", "centre of pressure"),
    Output("normal", "1", "xyz", "normal from the first body to the second"),
    Output("slip", "m/s", "xyz", "velocity of the second body over the first at the point"),
    Output("normal_force", "N", words="sum of normal forces", total=True),
    POWER,
    STORED_ENERGY,
)


@inlined
def press(ints, reals, i, column, time, w, y, count, side, ra, va, wa, rb, vb, wb):
    """Loads of the points by the law: N, P, ρ², dissipated power, stored energy; column: where the
    integers of the contact begin."""
    law, codes = law_at(reals, i, ints[i, column + LAW_AT]), law_at(ints, i, column + LAW)
    N, power, energy, deepest = 0.0, 0.0, 0.0, 0
    P = ZERO
    for m in range(count):
        n, place, depth = scale(side, at(w, m, NORMAL)), at(w, m, PLACE), w[m, DEPTH]
        w[m, LOAD] = w[m, BY_DEPTH] = w[m, BY_RATE] = 0.0
        if depth > w[deepest, DEPTH]:
            deepest = m
        if depth <= 0.0:
            continue
        V = velocity_at(place, ra, va, wa, rb, vb, wb)
        rate = -dot(n, V)
        w[m, SPEED], w[m, SPEED + 1], w[m, SPEED + 2] = V[0], V[1], V[2]
        y[STRAIN], y[RATE], y[WANTED] = depth, rate, 1.0
        respond(time, law, begin(y), codes)
        power += (max(y[STRESS], 0.0) - y[STORED]) * rate
        energy += y[ENERGY]
        if y[STRESS] > 0.0:
            w[m, LOAD], w[m, BY_DEPTH], w[m, BY_RATE] = y[STRESS], y[KE], y[KD]
            N += y[STRESS]
            P = add(P, scale(y[STRESS], place))
    if N > 0.0:
        P = scale(1.0 / N, P)
    else:
        P = at(w, deepest, PLACE)
    square = reals[i, SPIN] * reals[i, SPIN]
    if N > 0.0 and count > 1:
        for m in range(count):
            d = sub(at(w, m, PLACE), P)
            square += w[m, LOAD] / N * dot(d, d)
    return N, P, square, power, energy


@inlined
def bent_by(z, Ra, n, path, z0, spun):
    """Step of bristles in axes of a: the path, and what turning into the tangent plane changes."""
    y0 = add(without(n, mv(Ra, z0)), scale(spun, n))
    return sub(tv(Ra, add(path, y0)), z), y0


@inlined
def small_turn(rho):
    """The rotation vector of a unit quaternion; by the series of arcsin(x)/x where x is small."""
    x2 = rho[1] * rho[1] + rho[2] * rho[2] + rho[3] * rho[3]
    if rho[0] < 0.0 or x2 > 4e-4:
        return rotation_vector(rho)
    factor = 1.0 + x2 * (1 / 6 + x2 * (3 / 40 + x2 * (15 / 336 + x2 * (105 / 3456))))
    return scale(2.0 * factor, (rho[1], rho[2], rho[3]))


@inlined
def slip(roll, memory, i, n, rho, Ra, ra, Rb, rb, qa, qb, N, V, w):
    """Paths and speeds of sliding and rolling: Δ, ψ, s, v, s_r, v_r; whether a path is known."""
    known = abs(memory[i, TOUCHED_A]) < 1e200
    moved, psi = ZERO, ZERO
    if known:
        there = placed(Rb, rb, at(memory, i, TOUCHED_B))
        moved = sub(there, placed(Ra, ra, at(memory, i, TOUCHED_A)))
        turned = qmul(qmul(qconj(qa), qb), qconj(at4(memory, i, TURNED)))
        psi = mv(Ra, small_turn(turned))
    s = add(without(n, moved), scale(rho * dot(n, psi), n))
    v = add(without(n, V), scale(rho * dot(n, w), n))
    return known, moved, psi, s, v, scale(roll, without(n, psi)), scale(roll, without(n, w))


@inlined
def note_meeting(memory, i, time, w, count, n):
    """How many points bear a load; 0.5 for none where shapes overlap.  Where these are more than
    after the last step in any evaluation, notes when that was first, and the largest speed with
    which one of them closes."""
    bearing, speed, overlaps = 0.0, 0.0, 0.0
    for m in range(count):
        if w[m, DEPTH] > 0.0:
            overlaps = 0.5
        if w[m, LOAD] > 0.0:
            bearing += 1.0
            speed = max(speed, -dot(n, at(w, m, SPEED)))
    if bearing > memory[i, PRESSED] and speed > 0.0:
        if memory[i, MET] == 0.0:
            memory[i, MET_AT] = time
        memory[i, MET] = max(speed, memory[i, MET])
    return max(bearing, overlaps)


@inlined
def forget(memory, i):
    memory[i, TOUCHED_A] = UNKNOWN


@inlined
def remember(memory, i, Ra, ra, Rb, rb, qa, qb, P, n, z, zr, rubs):
    """What touched, how b is turned in a, and the bristles, when a step is accepted."""
    turned = qmul(qconj(qa), qb)
    ua, ub = tv(Ra, sub(P, ra)), tv(Rb, sub(P, rb))
    world = mv(Ra, z)
    tangential = tv(Ra, without(n, world))
    for j in range(3):
        memory[i, TOUCHED_A + j], memory[i, TOUCHED_B + j] = ua[j], ub[j]
        memory[i, BENT + j] = tangential[j] if rubs else 0.0
        memory[i, ROLLED + j] = zr[j] if rubs else 0.0
    for j in range(4):
        memory[i, TURNED + j] = turned[j]
    memory[i, SPUN] = dot(n, world) if rubs else 0.0


@inlined
def write_apart(out, i):
    """Outputs of shapes that are further apart than the margin: how far is not known."""
    write(out, i, (math.nan,) + ZERO + ZERO + ZERO + ZERO + ZERO + (0.0, 0.0, 0.0))


@inlined
def write_contact(out, i, w, count, flip, F, G, P, n, N, V, lost, energy):
    """Outputs of shapes that are near; flip: −1 where the user's second body is a."""
    depth = w[0, DEPTH]
    for m in range(1, count):
        depth = max(depth, w[m, DEPTH])
    slip = scale(flip, without(n, V))
    F, G, n = scale(flip, F), scale(flip, G), scale(flip, n)
    write(out, i, (-depth,) + F + G + P + n + slip + (N, -lost, energy))


def contact_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    w, y, memory = np.zeros((MOST_POINTS, COLUMNS)), np.zeros(WORK), motion.memory
    codes = ints[:, CODES:]
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        ra, rb = at(nodes, a, POS), at(nodes, b, POS)
        count, side = find_points(codes, reals, i, w, Ra, ra, Rb, rb)
        if count == 0:
            if coef[ACCEPT] != 0.0:
                forget(memory, i)
                memory[i, PRESSED] = 0.0
            if coef[OUT] != 0.0:
                write_apart(loads.out, i)
            continue
        va, vb = at(nodes, a, VEL), at(nodes, b, VEL)
        wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
        qa, qb = at4(nodes, a, QUAT), at4(nodes, b, QUAT)
        back = turn = ZERO
        if coef[FIRST] != 0.0 and memory[i, PRESSED] >= 1.0 and side > 0.0:
            far, back, turn = back_to_last_depths(w, count, motion.x, a, b, Ra, ra, Rb, rb)
            if far:
                cv = coef[CD] / coef[CK]
                rb, vb = add(rb, back), add(vb, scale(cv, back))
                Rb = mm(rotation_matrix(qexp(turn)), Rb)
                qb, wb = qmul(qexp(turn), qb), add(wb, scale(cv, turn))
                count, side = find_points(codes, reals, i, w, Ra, ra, Rb, rb)
                coef[FIRST] = 2.0
        N, P, square, lost, energy = press(
            ints, reals, i, CODES, time, w, y, count, side, ra, va, wa, rb, vb, wb
        )
        n, rho = scale(side, at(w, 0, NORMAL)), math.sqrt(square)
        bearing = note_meeting(memory, i, time, w, count, n)
        power[0] += lost
        F, G, c, cr = scale(N, n), ZERO, ZERO, ZERO
        model = codes[i, FRICTION]
        rubs = model != SMOOTH and N > 0.0
        moved = psi = s = v = sr = vr = y0 = y0r = z = zr = ZERO
        cs = cv = crs = crv = mscale(0.0, IDENTITY)
        if rubs:
            V, spin = velocity_at(P, ra, va, wa, rb, vb, wb), sub(wb, wa)
            table = codes[i, TABLE_POINTS]
            known, moved, psi, s, v, sr, vr = slip(
                reals[i, ROLL], memory, i, n, rho, Ra, ra, Rb, rb, qa, qb, N, V, spin
            )
            z0 = at(memory, i, BENT)
            step, y0 = bent_by(z0, Ra, n, s, z0, memory[i, SPUN])
            ca, z, cs, cv = bristles_in_space(
                reals, i, table, model, known, z0, step, tv(Ra, v)
            )
            c = mv(Ra, ca)
            power[0] += N * dot(c, v)
            F = sub(F, scale(N, without(n, c)))
            G = scale(-N * rho * dot(n, c), n)
            if reals[i, ROLL] > 0.0:
                z0 = at(memory, i, ROLLED)
                step, y0r = bent_by(z0, Ra, n, sr, z0, 0.0)
                ca, zr, crs, crv = bristles_in_space(
                    reals, i, table, model, known, z0, step, tv(Ra, vr)
                )
                cr = mv(Ra, ca)
                power[0] += N * dot(cr, vr)
                G = sub(G, scale(N * reals[i, ROLL], without(n, cr)))
        if coef[ACCEPT] != 0.0:
            remember(memory, i, Ra, ra, Rb, rb, qa, qb, P, n, z, zr, rubs)
            memory[i, PRESSED] = bearing
        if coef[OUT] != 0.0:
            V = velocity_at(P, ra, va, wa, rb, vb, wb)
            lost += N * (dot(c, v) + dot(cr, vr))
            write_contact(loads.out, i, w, count, codes[i, FLIP], F, G, P, n, N, V, lost, energy)
        if N == 0.0:
            continue
        accumulate(f, a, 0, F)
        accumulate(f, a, 3, tv(Ra, add(cross(sub(P, ra), F), G)))
        accumulate(f, b, 0, scale(-1.0, F))
        accumulate(f, b, 3, scale(-1.0, tv(Rb, add(cross(sub(P, rb), F), G))))
        if coef[TANGENT] == 0.0:
            continue
        spread = square - reals[i, SPIN] * reals[i, SPIN]
        pair = codes[i, PAIR]
        if pair in (PLANE_POINTS, PLANE_CYLINDER) and a == nodes.shape[0] - 1:
            ground_tangent(
                f, vals, ints, reals, memory, i, w, count, n, P, N, rho, spread, Rb, rb, wb, psi, c,
                cs, cv, cr, crs, crv, F, G, coef[CK], coef[CD], back, turn,
            )  # fmt: skip
        else:
            contact_tangent(
                f, vals, ints, reals, memory, i, nodes.shape[0] - 1, w, count, side, n, P, N,
                square, rho, spread, Ra, ra, va, wa, Rb, rb, vb, wb, moved, psi, s, v, sr, vr, y0,
                y0r, c, cs, cv, cr, crs, crv, F, G,
                coef[CK], coef[CD], back, turn,
            )  # fmt: skip


CONTACT_KERNEL = Kernel(contact_kernel, allocates=True)
