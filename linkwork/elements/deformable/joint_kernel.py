"""Deformable joints: a force, a moment or both between two frames, from a constitutive law.

Frame S on body a, frame P on body b (the manual of MBDyn, 9.2.2 to 9.2.4; tangents rederived):

    d = r_P − r_S,   exp(ψ̃) = R_Sᵀ R_P,   x = Eᵀ d,   ε = (x, ψ) or one of the two
    attached   E = R_S,                 turning by   θ_E = φ_a
    invariant  E = R_S exp(ψ̃/2),        θ_E = (φ_a + φ_b)/2 − c × (φ_b − φ_a)/2,   c = R_S τ ψ,
               τ = tan(φ/4)/φ,  φ = |ψ|:  half-way between both, so that their order is no matter

With the stress σ = (n, μ) of the law, F = E n, m = d × F, and χ = 1 for the invariant form else 0,

    residual:  body b  F, R_bᵀ(s_P × F + H);   body a  −F, −R_aᵀ(l × F + H),   l = r_P − r_a
    H = G − χ (m − m × c)/2

so that the forces do the work n·ẋ.  The moment is either the gradient of the energy in ψ,

    G = R_S T⁻¹ μ,  work μ·ψ̇,  ψ̇ = T⁻ᵀ R_Sᵀ (w_b − w_a)        (T⁻¹ as in deformable.bushing)

or as the manual has it G = E μ with the rate Eᵀ(w_b − w_a): for anisotropic stiffness that has no
potential, and running round a closed path of rotations gains or loses energy.  With gradients and
a linear law the attached form is the Bushing.  ψ stays below half a turn.

The tangent differentiates these along each of the twelve increments.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from linkwork.elements.deformable.bushing import (
    UA, UB, bend, bend_change, kappa, moved_by, put_wrench, relative_turn, wrench_column,
)  # fmt: skip
from linkwork.elements.laws.base import (
    ENERGY, KD, KE, LEVEL, RATE, STORED, STRAIN, STRESS, SUPPLIED, WANTED, WORK, law_at,
    respond,
)  # fmt: skip
from linkwork.elements.layout import (
    CD, CK, OMEGA, OUT, POS, TANGENT, VEL, A, B, int_width, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qexp, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    add, at, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Family

# reals: the frames on their bodies, as of a bushing; whether the middle frame and the gradient are
# used; the law
MIDDLE, GRADIENT, LAW = record(14, middle=1, gradient=1, law=0)
# integers: first component and number of components of the law; the law
FIRST, COUNT, LAW_CODES = record(int_width(2, 0), first=1, count=1, law_codes=0)
# work behind the law's: strain and rate of all six, change of strain and rate, change of stress
ALL, CHANGE, CHANGE_RATE, CHANGE_STRESS = LEVEL, LEVEL + 12, LEVEL + 18, LEVEL + 24
ZERO = (0.0, 0.0, 0.0)


@inlined
def half_tangent(p2):
    """τ = tan(φ/4)/φ and dτ/dφ² for φ² = p2; the series has a relative error below 1e-12."""
    if p2 < 0.25:
        u = p2 / 16.0
        t = 1.0 + u * (1 / 3.0 + u * (2 / 15.0 + u * (17 / 315.0 + u * (
            62 / 2835.0 + u * (1382 / 155925.0 + u * (21844 / 6081075.0))))))  # fmt: skip
        d = 1 / 3.0 + u * (4 / 15.0 + u * (51 / 315.0 + u * (
            248 / 2835.0 + u * (6910 / 155925.0 + u * (131064 / 6081075.0)))))  # fmt: skip
        return 0.25 * t, d / 64.0
    p = math.sqrt(p2)
    t = math.tan(0.25 * p)
    return t / p, (0.25 * (1.0 + t * t) - t / p) / (2.0 * p2)


@inlined
def put3(y, c, v):
    y[c], y[c + 1], y[c + 2] = v


@inlined
def take3(y, c):
    return (y[c], y[c + 1], y[c + 2])


@inlined
def stress_change(y, first, n):
    """CHANGE_STRESS = K CHANGE + D CHANGE_RATE, in the components that the law has."""
    for i in range(6):
        y[CHANGE_STRESS + i] = 0.0
    for i in range(n):
        for j in range(n):
            y[CHANGE_STRESS + first + i] += (
                y[KE + 6 * i + j] * y[CHANGE + first + j]
                + y[KD + 6 * i + j] * y[CHANGE_RATE + first + j]
            )


@inlined
def deformable_tangent(
    vals, ints, i, y, first, n, chi, gradient, Ra, Rb, S, E, sa, sb, l, d, wa, wb, U, spin, psi, k,
    dk, tau, dtau, c, mu, F, G, H, cK, cD,
):  # fmt: skip
    """Column by column: δr_a, θ_a, δr_b, θ_b."""
    na, nb, wr = cross(wa, sa), cross(wb, sb), sub(wb, wa)
    om, m = tv(S, wr), cross(d, F)
    for j in range(12):
        pa, pb, dl = moved_by(j, Ra, Rb, sb)
        turn, dd = sub(pb, pa), sub(dl, cross(pa, sa))
        dpsi = bend(-0.5, psi, k, tv(S, turn))
        tE = add(pa, scale(0.5 * chi, sub(turn, cross(c, turn))))
        dc = add(scale(tau, dpsi), scale(2.0 * dtau * dot(psi, dpsi), psi))
        dc = add(cross(pa, c), scale(chi, mv(S, dc)))
        # strains, and their rates by the positions at fixed velocities
        dx = tv(E, sub(dd, cross(tE, d)))
        dwr = sub(cross(pb, wb), cross(pa, wa))
        dspin = add(
            cross(pa, wa), scale(0.5 * chi, sub(sub(dwr, cross(dc, wr)), cross(c, dwr)))
        )  # fmt: skip
        dU = sub(sub(cross(pb, nb), cross(pa, na)), add(cross(dspin, d), cross(spin, dd)))
        dx1 = tv(E, sub(dU, cross(tE, U)))
        if gradient:
            dpsi1 = add(
                bend(-0.5, psi, k, tv(S, sub(dwr, cross(pa, wr)))),
                bend_change(-0.5, psi, k, dk, om, dpsi),
            )
            dturn = dpsi
        else:
            dpsi1 = tv(E, sub(dwr, cross(tE, wr)))
            dturn = tv(E, turn)
        # stresses; the rates change with velocities as the strains do with positions
        put3(y, CHANGE, scale(cK, dx))
        put3(y, CHANGE + 3, scale(cK, dpsi))
        put3(y, CHANGE_RATE, add(scale(cK, dx1), scale(cD, dx)))
        put3(y, CHANGE_RATE + 3, add(scale(cK, dpsi1), scale(cD, dturn)))
        stress_change(y, first, n)
        dn, dmu = take3(y, CHANGE_STRESS), take3(y, CHANGE_STRESS + 3)
        dF = add(mv(E, dn), scale(cK, cross(tE, F)))
        if gradient:
            dg = add(bend(0.5, psi, k, dmu), scale(cK, bend_change(0.5, psi, k, dk, mu, dpsi)))
            dH = add(mv(S, dg), scale(cK, cross(pa, G)))
        else:
            dH = add(mv(E, dmu), scale(cK, cross(tE, G)))
        dm = add(scale(cK, cross(dd, F)), cross(d, dF))
        dm = sub(sub(dm, cross(dm, c)), scale(cK, cross(m, dc)))
        dH = sub(dH, scale(0.5 * chi, dm))
        wrench_column(vals, ints, i, j, Ra, Rb, sb, l, pa, pb, dl, F, H, dF, dH, cK)


def deformable_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    y = np.zeros(WORK)
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        Ra, Rb, qS, S, psi = relative_turn(nodes, reals, i, a, b)
        k, dk = kappa(dot(psi, psi))
        tau, dtau = half_tangent(dot(psi, psi))
        chi, gradient, E = reals[i, MIDDLE], reals[i, GRADIENT] != 0.0, S
        if chi != 0.0:
            E = rotation_matrix(qmul(qS, qexp(scale(0.5, psi))))
        c = scale(chi * tau, mv(S, psi))
        sa, sb = mv(Ra, at(reals, i, UA)), mv(Rb, at(reals, i, UB))
        l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
        d = sub(l, sa)
        wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
        wr = sub(wb, wa)
        spin = add(wa, scale(0.5 * chi, sub(wr, cross(c, wr))))
        U = sub(add(at(nodes, b, VEL), cross(wb, sb)), add(at(nodes, a, VEL), cross(wa, sa)))
        U = sub(U, cross(spin, d))
        psi1 = bend(-0.5, psi, k, tv(S, wr))
        first, n = ints[i, FIRST], ints[i, COUNT]
        put3(y, ALL, tv(E, d))
        put3(y, ALL + 3, psi)
        put3(y, ALL + 6, tv(E, U))
        put3(y, ALL + 9, psi1 if gradient else tv(E, wr))
        for j in range(n):
            y[STRAIN + j], y[RATE + j] = y[ALL + first + j], y[ALL + 6 + first + j]
        given = (y[ALL + 6], y[ALL + 7], y[ALL + 8])
        y[WANTED] = coef[OUT]
        respond(time, law_at(reals, i, LAW), begin(y), law_at(ints, i, LAW_CODES))
        stress, mu = ZERO, ZERO
        stored = 0.0
        if first == 0:
            stress = take3(y, STRESS)
            stored += dot(take3(y, STORED), given)
        if first + n == 6:
            mu = take3(y, STRESS + 3 - first)
            stored += dot(take3(y, STORED + 3 - first), psi1)
        power[1] += y[SUPPLIED]
        for j in range(n):
            power[0] += y[STRESS + j] * y[RATE + j]
        power[0] -= stored
        F = mv(E, stress)
        G = mv(S, bend(0.5, psi, k, mu)) if gradient else mv(E, mu)
        m = cross(d, F)
        H = sub(G, scale(0.5 * chi, sub(m, cross(m, c))))
        put_wrench(f, a, b, Ra, Rb, sb, l, F, H)
        if coef[OUT] != 0.0:
            seen, turned = take3(y, ALL + 6), take3(y, ALL + 9)
            gained = -dot(stress, seen) - dot(mu, turned)
            write(
                loads.out, i,
                scale(-1.0, tv(S, F)) + scale(-1.0, tv(S, H)) + take3(y, ALL) + psi + seen + turned
                + stress + mu + (gained, y[ENERGY]),
            )  # fmt: skip
        if coef[TANGENT] != 0.0:
            deformable_tangent(
                vals, ints, i, y, first, n, chi, gradient, Ra, Rb, S, E, sa, sb, l, d, wa, wb, U,
                spin, psi, k, dk, tau, dtau, c, mu, F, G, H, coef[CK], coef[CD],
            )  # fmt: skip


DEFORMABLE_KERNEL = Kernel(deformable_kernel, allocates=True)


def room(numbers: np.ndarray, integers: tuple[Any, ...]) -> int:
    """Places for a law's reals, and as many for its integers: powers of two, so that few families
    serve all laws."""
    return max(64, 1 << (len(numbers) + len(integers) - 1).bit_length())


@functools.cache
def deformable_family(places: int) -> Family:
    """Deformable joints whose laws have at most so many numbers; all share one kernel."""
    return Family(
        f"deformable joint of {places}", DEFORMABLE_KERNEL, bodies=2,
        reals=LAW + places, integers=places + 2,
        outputs=(
            Output("force", "N", "xyz", "force on the second body, in the axes of the first frame"),
            Output(
                "torque", "N m", "xyz", "torque on the second body, in the axes of the first frame"
            ),
            Output("displacement", "m", "xyz"), Output("rotation", "rad", "xyz"),
            Output("velocity", "m/s", "xyz"), Output("angular_velocity", "rad/s", "xyz"),
            Output("internal_force", "N", "xyz"), Output("internal_moment", "N m", "xyz"), POWER,
            STORED_ENERGY,
        ),
    )  # fmt: skip
