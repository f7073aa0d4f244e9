"""Two-node beams along a screw: positions and turns interpolated together.

Between the ends p₁, S₁ and p₂, S₂ the section moves as a body on a screw (M. Borri, C. Bottasso:
An intrinsic beam model based on a helicoidal approximation, International Journal for Numerical
Methods in Engineering 37 (1994)), so that strains are constant along the element.  With the turn
a, exp(ã) = S₂S₁ᵀ, φ = |a|, and d = p₂ − p₁, the middle is at

    E = exp(ã/2) S₁ Q,   p = (p₁ + p₂)/2 − h a × d,   p′ = (d − g a × (a × d))/L,   k = a/L
    g = (φ/2/sin(φ/2) − 1)/φ²,   h = tan(φ/4)/(2φ);     ε = Eᵀp′ − ε0,  κ = Eᵀk − κ0

and forces act on the nodes as those of other elements do (elements.beams.kernel).  Where turns are
small it is the element with straight interpolation.  With P = T⁻¹(a), u = ω₂ − ω₁, spins φ_i of the
nodes and of the middle φ = Θ₁φ₁ + Θ₂φ₂, Θ₂ = ½ T(a/2) P = I − Θ₁,

    δa = P (φ₂ − φ₁) + φ₁ × a,    ȧ = P u + ω₁ × a,    ω = ω₁ + ½ T(a/2) P u
    L δp′ = G δd + H(d) δa,    G = I − g ãã,    H(d) = g ((a × d)~ + ã d̃) − 2 g₁ (a × (a × d)) aᵀ
    δp = ½ (δp₁ + δp₂) − h a × δd + (h d̃ − 2 h₁ (a × d) aᵀ) δa
    δk = δa/L,   φ′ = δk − φ × k,    L ṗ′ = G ḋ + H(d) ȧ,    δ(P u) = dT⁻¹[δa] u + P δu

g and h are series in p = φ², g₁ = dg/dp: Σ 2 η(2k) pᵏ⁻¹/(4π²)ᵏ with η(s) = Σ (−1)ⁿ⁻¹ n⁻ˢ, and
Σ λ(2k) pᵏ⁻¹/(4π²)ᵏ⁻¹/π² with λ(s) = Σ n⁻ˢ over odd n, of which 26 terms do up to half a turn.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.beams.kernels.kernel import (
    GIVEN_M, GIVEN_N, put_wrench, section_stress, take_nodes,
)  # fmt: skip
from linkwork.elements.beams.layout import (
    ARM, AXES, DAMPED, GIVEN, INVERSE, NODE, NODE_WORK, PLACE, SLOPE, SPEED, SPIN, STIFF,
    STRAIN0, TURN, TWIST, VISCOUS, WEIGHT,
)  # fmt: skip
from linkwork.elements.beams.kernels.outputs import write_section
from linkwork.elements.beams.kernels.tangent import ROOM
from linkwork.elements.beams.kernels.turning import (
    B_TERMS, C_TERMS, inverse_slope, series, slope, turn_map,
)  # fmt: skip
from linkwork.elements.deformable.bushing import kappa
from linkwork.elements.laws.base import WORK as LAW_WORK
from linkwork.elements.layout import CD, CK, OUT, POS, ROT, TANGENT, add33, int_width
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.rotations import qexp, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    IDENTITY, add, at, at9, cc, cm, cross, dot, four, madd, mc, mm, mscale, mt, mv, nine, outer,
    scale, skew, sub, three, tm, tv,
)  # fmt: skip

COUNT = 26


def _zeta(s: int) -> float:
    """ζ(s) = Σ n⁻ˢ of an even s."""
    known = {2: math.pi**2 / 6, 4: math.pi**4 / 90, 6: math.pi**6 / 945}
    return known.get(s) or math.fsum(n**-s for n in range(1, 200))


G_TERMS = tuple(
    2 * (1 - 2.0 ** (1 - 2 * k)) * _zeta(2 * k) / (4 * math.pi**2) ** k for k in range(1, COUNT + 1)
)
H_TERMS = tuple(
    4 * (1 - 2.0 ** (-2 * k)) * _zeta(2 * k) / (4 * math.pi**2) ** k for k in range(1, COUNT + 1)
)


@inlined
def long_series(terms, p):
    """A series in p, its first and its second derivative."""
    f, d, e = 0.0, 0.0, 0.0
    for k in range(COUNT - 1, -1, -1):
        e = e * p + d
        d = d * p + f
        f = f * p + terms[k]
    return f, d, 2.0 * e


@inlined
def turned(E, y, p):
    """E X Eᵀ of the matrix at p."""
    return mt(mm(E, nine(y, p)), E)


@inlined
def subtract33(vals, base, i, j, s, X):
    """Take s X from the 3×3 part of a block that starts at its row i and column j."""
    add33(vals, base, i, j, -s, X)


@inlined
def bend_of(a, d, g, g1):
    """H(d): how (I − g ãã) d changes with a."""
    b = cross(a, d)
    X = mscale(g, madd(skew(b), cc(a, d)))
    return madd(X, outer(scale(-2.0 * g1, cross(a, b)), a))


@inlined
def second_bend(a, d, rate, g, g1, g2):
    """∂(H(d) ȧ)/∂a and ∂(H(d) ȧ)/∂d."""
    b, along = cross(a, d), dot(a, rate)
    q = cross(a, b)
    m = add(cross(rate, b), cross(a, cross(rate, d)))
    X = outer(scale(-2.0 * g1, m), a)
    X = madd(X, mscale(g, madd(cc(rate, d), skew(cross(rate, d)))))
    X = madd(X, outer(scale(-2.0 * g1, q), rate))
    X = madd(X, outer(scale(-4.0 * g2 * along, q), a))
    X = madd(X, mscale(2.0 * g1 * along, madd(skew(b), cc(a, d))))
    Y = mscale(-g, madd(cc(rate, a), cc(a, rate)))
    return X, madd(Y, mscale(-2.0 * g1 * along, cc(a, a)))


LAW_CODES = int_width(2, 0)  # integers of the section's law


def helicoidal_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    flat, x, forces = borrow(nodes), borrow(reals), borrow(f)
    room, z = np.zeros(ROOM), np.zeros(LAW_WORK)
    y = borrow(room)
    cK, cD = coef[CK], coef[CD]
    for k in range(ints.shape[0]):
        first = k * reals.shape[1]
        q0, c = take_nodes(ints, x, flat, k, first, 2, 0, y), first + 2 * NODE
        a, N1 = three(y, NODE_WORK + TURN), x[c + SLOPE + 1]
        P, u = nine(y, NODE_WORK + INVERSE), three(y, NODE_WORK + TWIST)
        d = sub(three(y, NODE_WORK + PLACE), three(y, PLACE))
        d1 = sub(three(y, NODE_WORK + SPEED), three(y, SPEED))
        g, g1, g2 = long_series(G_TERMS, dot(a, a))
        h, h1, _ = long_series(H_TERMS, dot(a, a))
        theta, turn, w0 = scale(0.5, a), mv(P, u), three(y, SPIN)
        a1 = add(turn, cross(w0, a))
        bt, bt1, _ = series(B_TERMS, dot(theta, theta))
        ct, ct1, _ = series(C_TERMS, dot(theta, theta))
        T = turn_map(theta, bt, ct)
        G, H = madd(IDENTITY, mscale(-g, cc(a, a))), bend_of(a, d, g, g1)
        E = rotation_matrix(qmul(qmul(qexp(theta), q0), four(x, c + AXES)))
        middle = scale(0.5, add(three(y, PLACE), three(y, NODE_WORK + PLACE)))
        p, p1, k1 = sub(middle, scale(h, cross(a, d))), scale(N1, mv(G, d)), scale(N1, a)
        v1 = scale(N1, add(mv(G, d1), mv(H, a1)))
        w = add(w0, scale(0.5, mv(T, turn)))
        r1, t1 = sub(v1, cross(w, p1)), sub(scale(N1, a1), cross(w, k1))
        strain = sub(tv(E, p1), three(x, c + STRAIN0))
        bent = sub(tv(E, k1), three(x, c + STRAIN0 + 3))
        strain1, bent1 = tv(E, r1), tv(E, t1)
        ns, ms, lost, supplied = section_stress(
            reals, ints, x, c, k * ints.shape[1] + LAW_CODES, y, z, time, strain, bent, strain1,
            bent1, coef[TANGENT] != 0.0, coef[OUT],
        )
        Fw, Mw, given = mv(E, ns), mv(E, ms), 0.0
        for side in range(2):
            given += put_wrench(forces, flat, ints[k, side], 1.0 - 2.0 * side, p, Fw, Mw)
        weight = x[c + WEIGHT]
        power[0] += weight * lost
        power[1] += weight * (supplied + dot(ns, strain1) + dot(ms, bent1)) + given
        if coef[OUT] != 0.0:
            fed = weight * (dot(ns, strain1) + dot(ms, bent1)) + given
            write_section(loads.out, k, 1, 0, x, c, z, strain, bent, ns, ms, E, p, fed)
        if coef[TANGENT] == 0.0:
            continue
        damped = x[c + DAMPED] != 0.0
        if x[c + GIVEN] != 0.0:
            Fw, Mw = mv(E, three(x, c + GIVEN_N)), mv(E, three(x, c + GIVEN_M))
        nn, nm = mscale(cK, turned(E, y, STIFF)), mscale(cK, turned(E, y, STIFF + 9))
        mn, m2 = mscale(cK, turned(E, y, STIFF + 18)), mscale(cK, turned(E, y, STIFF + 27))
        dn, dnm, dmn, dm = nn, nm, mn, m2
        if damped:
            dn, dnm = turned(E, y, VISCOUS), turned(E, y, VISCOUS + 9)
            dmn, dm = turned(E, y, VISCOUS + 18), turned(E, y, VISCOUS + 27)
            nn, nm = madd(nn, mscale(cD, dn)), madd(nm, mscale(cD, dnm))
            mn, m2 = madd(mn, mscale(cD, dmn)), madd(m2, mscale(cD, dm))
        force, moment, S = scale(cK, Fw), scale(cK, Mw), inverse_map_slope(a, u)
        X2, X1 = second_bend(a, d, a1, g, g1, g2)
        Ha = madd(X2, bend_of(a, d1, g, g1))  # ∂(G ḋ + H ȧ)/∂a
        by_a = madd(mscale(h, skew(d)), outer(scale(-2.0 * h1, cross(a, d)), a))
        turn_slope = mscale(0.25, slope(theta, bt, ct, bt1, ct1, turn))
        for i in range(2):
            sign, arm = 2.0 * i - 1.0, three(y, NODE_WORK * i + ARM)
            Ri, wi = at9(nodes, ints[k, i], ROT), three(y, NODE_WORK * i + SPIN)
            own = mscale(sign, P)  # a by φ_i
            A = mscale(0.5, mm(T, own))
            if i == 0:
                own, A = madd(own, skew(scale(-1.0, a))), madd(A, IDENTITY)
            px = mscale(sign * N1, G)  # p′ by x_i
            pt = madd(mscale(N1, mm(H, own)), mscale(-1.0, mc(px, arm)))
            kt = mscale(N1, own)
            yx = madd(mscale(0.5, IDENTITY), mscale(-sign * h, skew(a)))  # p by x_i
            yt = madd(mm(by_a, own), mscale(-1.0, mc(yx, arm)))
            en, em = madd(pt, cm(p1, A)), madd(kt, cm(k1, A))  # E δε, E δκ by φ_i
            dF = madd(madd(mm(nn, en), mm(nm, em)), mscale(-1.0, cm(force, A)))
            dM = madd(madd(mm(mn, en), mm(m2, em)), mscale(-1.0, cm(moment, A)))
            dFx, dMx = mm(nn, px), mm(mn, px)
            if damped:
                Z = madd(mm(S, own), mscale(-sign, mc(P, wi)))  # P u by φ_i
                W = madd(mm(turn_slope, own), mscale(0.5, mm(T, Z)))  # ω of the middle
                Z = madd(Z, cm(w0, own))  # ȧ
                if i == 0:
                    W, Z = madd(W, mscale(-1.0, skew(wi))), madd(Z, cc(a, wi))
                vt = madd(mm(Ha, own), mm(H, Z))
                vt = madd(vt, mscale(sign, madd(mc(G, cross(arm, wi)), mscale(-1.0, mc(X1, arm)))))
                U = madd(mscale(N1, vt), madd(cm(p1, W), mscale(-1.0, cm(w, pt))))
                U = madd(U, cm(r1, A))
                V = madd(mscale(N1, Z), madd(cm(k1, W), mscale(-1.0, cm(w, kt))))
                V = madd(V, cm(t1, A))
                Ux = madd(mscale(sign * N1, X1), mscale(-1.0, cm(w, px)))
                dF = madd(dF, mscale(cK, madd(mm(dn, U), mm(dnm, V))))
                dM = madd(dM, mscale(cK, madd(mm(dmn, U), mm(dm, V))))
                dFx = madd(dFx, mscale(cK, mm(dn, Ux)))
                dMx = madd(dMx, mscale(cK, mm(dmn, Ux)))
            dF, dM, moved = mm(dF, Ri), mm(dM, Ri), mm(cm(force, yt), Ri)
            for j in range(2):
                side, body, base = 1.0 - 2.0 * j, ints[k, j], ints[k, 2 + 2 * j + i]
                Rj, l = at9(nodes, body, ROT), sub(p, at(nodes, body, POS))
                by_x = madd(madd(dMx, cm(l, dFx)), mscale(-1.0, cm(force, yx)))
                by_turn = madd(madd(dM, cm(l, dF)), mscale(-1.0, moved))
                if i == j:
                    by_x = madd(by_x, skew(force))
                    by_turn = madd(by_turn, cm(add(cross(l, force), moment), Ri))
                subtract33(vals, base, 0, 0, side, dFx)
                subtract33(vals, base, 0, 3, side, dF)
                subtract33(vals, base, 3, 0, side, tm(Rj, by_x))
                subtract33(vals, base, 3, 3, side, tm(Rj, by_turn))
    room[0] = 0.0  # it must outlive what was borrowed of it


@inlined
def inverse_map_slope(a, u):
    """∂(T⁻¹(a) u)/∂a."""
    k, dk = kappa(dot(a, a))
    return inverse_slope(a, k, dk, u)


HELICOIDAL_KERNEL = Kernel(helicoidal_kernel, allocates=True)
