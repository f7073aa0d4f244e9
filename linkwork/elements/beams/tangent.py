"""Tangent of the finite-volume beam: exact, and unsymmetric.

With the stiffness of the section turned into world axes, C_ab = E (cK C_ab + cD D_ab) Eᵀ, arms
a_i = R_i f_i and l_j = p − x_j, the force and the moment at a point change by

    δF = Σ N_i′ C_nn δx_i + ((C_nn p̃′ − cK F̃) Θ_i + C_nm Θ_i′ − N_i′ C_nn ã_i) φ_i
    δM = Σ N_i′ C_mn δx_i + ((C_mn p̃′ − cK M̃) Θ_i + C_mm Θ_i′ − N_i′ C_mn ã_i) φ_i
    δ(R_jᵀ(l_j × F + M)) = R_jᵀ (l̃_j δF + δM − F̃ (δp − δx_j) + (l_j × F + M)~ φ_j)

with Θ_r = I − ΣΘ_i, Θ_r′ = −ΣΘ_i′ of the reference node.  Where the section is damped, the rates
ε̇, κ̇ at fixed velocities change, too.  With d_i = φ_i − φ_r, P_i = T⁻¹(θ_i), twist u_i = ω_i − ω_r,
ϑ = Σ N_i P_i u_i the rate of θ, y = v′ − ω × p′ and z = ω′,

    δ(P_i u_i) = Z_i d_i,   Z_i = dT⁻¹[·]u_i P_i − P_i ω̃_i
    δω, but for the turn of r:   Y_i d_i,    Y_i = N_i (slope(ϑ) P_i + T Z_i)
    δω′ alike:   Y_i′ = N_i slope(ϑ′) P_i + N_i′ T Z_i + N_i bend(θ′, ϑ) P_i + N_i′ slope(ϑ) P_i
                        + N_i dT[θ′] Z_i
    E δε̇ = Σ −N_i′ ω̃ δx_i + N_i′ ((a_i × ω_i)~ + ω̃ ã_i) φ_i + (p̃′ Y_i + ỹ Θ_i) d_i
           + (ṽ′ − ω̃ p̃′) φ_r
    E δκ̇ = Σ (Y_i′ + z̃ Θ_i) d_i
"""

from __future__ import annotations

from linkwork.elements.beams.layout import (
    ARM, INVERSE, NODE_WORK, RATE_M, RATE_N, SHAPE, SHAPES, SHAPE_WORK, SLOPE, SPIN, STIFF, THETA,
    THETA1, TURN, TWIST, VISCOUS,
)  # fmt: skip
from linkwork.elements.beams.turning import bend, inverse_slope, slope
from linkwork.elements.deformable.bushing import kappa
from linkwork.elements.layout import POS, ROT, STRIDE
from linkwork.math.compiled import inlined
from linkwork.math.vectors import (
    add, at, at9, cc, cm, cross, dot, madd, mc, mm, mscale, mt, nine, scale, skew, sub, three, tm,
)  # fmt: skip


@inlined
def put_nine(y, p, X):
    y[p], y[p + 1], y[p + 2], y[p + 3], y[p + 4], y[p + 5], y[p + 6], y[p + 7], y[p + 8] = X


@inlined
def rate_matrices(
    y, reals, k, c, n, r, theta, theta1, rate, rate1, T, T1, b, g, b1, g1, b2, g2, p1, v1, w, u, t
):  # fmt: skip
    """E δε̇ and E δκ̇ by the spin of every node, into the work."""
    by_rate = slope(theta, b, g, b1, g1, rate)
    by_both = madd(
        slope(theta, b, g, b1, g1, rate1), bend(theta, g, b1, g1, b2, g2, theta1, rate)
    )
    base = SHAPES + SHAPE_WORK * r
    all_n, all_m = madd(skew(v1), mscale(-1.0, cc(w, p1))), mscale(0.0, T)
    for i in range(n):
        N1, arm = reals[k, c + SLOPE + i], three(y, NODE_WORK * i + ARM)
        own = mscale(
            N1, madd(skew(cross(arm, three(y, NODE_WORK * i + SPIN))), cc(w, arm))
        )  # fmt: skip
        if i == r:
            all_n = madd(all_n, own)
            continue
        N, P = reals[k, c + SHAPE + i], nine(y, NODE_WORK * i + INVERSE)
        x = three(y, NODE_WORK * i + TURN)
        kx, dkx = kappa(dot(x, x))
        turn = inverse_slope(x, kx, dkx, three(y, NODE_WORK * i + TWIST))
        Z = madd(mm(turn, P), mscale(-1.0, mc(P, three(y, NODE_WORK * i + SPIN))))
        Y = mscale(N, madd(mm(by_rate, P), mm(T, Z)))
        Y1 = mm(madd(mscale(N, by_both), mscale(N1, by_rate)), P)
        Y1 = madd(Y1, mm(madd(mscale(N1, T), mscale(N, T1)), Z))
        A = nine(y, SHAPES + SHAPE_WORK * i + THETA)
        X, X1 = madd(cm(p1, Y), cm(u, A)), madd(Y1, cm(t, A))
        put_nine(y, SHAPES + SHAPE_WORK * i + RATE_N, madd(X, own))
        put_nine(y, SHAPES + SHAPE_WORK * i + RATE_M, X1)
        all_n, all_m = madd(all_n, mscale(-1.0, X)), madd(all_m, mscale(-1.0, X1))
    put_nine(y, base + RATE_N, all_n)
    put_nine(y, base + RATE_M, all_m)


@inlined
def turned(E, y, p):
    """E X Eᵀ of the matrix at p."""
    return mt(mm(E, nine(y, p)), E)


@inlined
def subtract33(vals, base, i, j, s, X):
    """Take s X from the 3×3 part of a block that starts at its row i and column j."""
    p = base + i * STRIDE + j
    vals[p] -= s * X[0]
    vals[p + 1] -= s * X[1]
    vals[p + 2] -= s * X[2]
    p += STRIDE
    vals[p] -= s * X[3]
    vals[p + 1] -= s * X[4]
    vals[p + 2] -= s * X[5]
    p += STRIDE
    vals[p] -= s * X[6]
    vals[p + 1] -= s * X[7]
    vals[p + 2] -= s * X[8]


@inlined
def point_tangent(
    vals, ints, nodes, reals, k, c, n, point, y, E, p, p1, w, Fw, Mw, damped, cK, cD
):
    """What one point adds to the blocks of all nodes, in the rows of the two beside it."""
    nn, nm = mscale(cK, turned(E, y, STIFF)), mscale(cK, turned(E, y, STIFF + 9))
    mn, m2 = mscale(cK, turned(E, y, STIFF + 18)), mscale(cK, turned(E, y, STIFF + 27))
    dn, dnm, dmn, dm = nn, nm, mn, m2
    if damped:
        dn, dnm = turned(E, y, VISCOUS), turned(E, y, VISCOUS + 9)
        dmn, dm = turned(E, y, VISCOUS + 18), turned(E, y, VISCOUS + 27)
        nn, nm = madd(nn, mscale(cD, dn)), madd(nm, mscale(cD, dnm))
        mn, m2 = madd(mn, mscale(cD, dmn)), madd(m2, mscale(cD, dm))
    force, moment = scale(cK, Fw), scale(cK, Mw)
    Xn = madd(mc(nn, p1), skew(scale(-1.0, force)))
    Xm = madd(mc(mn, p1), skew(scale(-1.0, moment)))
    none = skew(force)
    for i in range(n):
        N, N1, arm = reals[k, c + SHAPE + i], reals[k, c + SLOPE + i], three(y, NODE_WORK * i + ARM)
        A = nine(y, SHAPES + SHAPE_WORK * i + THETA)
        B = nine(y, SHAPES + SHAPE_WORK * i + THETA1)
        back = scale(-N1, arm)
        dF = madd(madd(mm(Xn, A), mm(nm, B)), mc(nn, back))
        dM = madd(madd(mm(Xm, A), mm(m2, B)), mc(mn, back))
        dFx, dMx = mscale(N1, nn), mscale(N1, mn)
        if damped:
            U = nine(y, SHAPES + SHAPE_WORK * i + RATE_N)
            V = nine(y, SHAPES + SHAPE_WORK * i + RATE_M)
            dF = madd(dF, mscale(cK, madd(mm(dn, U), mm(dnm, V))))
            dM = madd(dM, mscale(cK, madd(mm(dmn, U), mm(dm, V))))
            still = scale(-N1 * cK, w)
            dFx, dMx = madd(dFx, mc(dn, still)), madd(dMx, mc(dmn, still))
        Ri = at9(nodes, ints[k, i], ROT)
        dF, dM = mm(dF, Ri), mm(dM, Ri)
        moved = mscale(N, mm(cc(force, arm), Ri))
        for side in range(2):
            j = point + side
            sign, body, base = 1.0 - 2.0 * side, ints[k, j], ints[k, n + n * j + i]
            Rj, l = at9(nodes, body, ROT), sub(p, at(nodes, body, POS))
            here = N - 1.0 if i == j else N
            by_x = madd(madd(dMx, cm(l, dFx)), mscale(-here, none))
            by_turn = madd(madd(dM, cm(l, dF)), moved)
            if i == j:
                by_turn = madd(by_turn, cm(add(cross(l, force), moment), Ri))
            subtract33(vals, base, 0, 0, sign, dFx)
            subtract33(vals, base, 0, 3, sign, dF)
            subtract33(vals, base, 3, 0, sign, tm(Rj, by_x))
            subtract33(vals, base, 3, 3, sign, tm(Rj, by_turn))
