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
    THETA1, TURN, TWIST, VISCOUS, WORK,
)  # fmt: skip
from linkwork.elements.beams.kernels.rows import (
    add_rows, beside, crossed, minus, plus, plus_times, product, put_nine_rows, put_rows,
    rows_at, rows_of_transpose, skew_rows, times, turned,
)  # fmt: skip
from linkwork.elements.beams.kernels.turning import bend, inverse_slope, slope
from linkwork.elements.deformable.bushing import kappa
from linkwork.elements.layout import NODE, POS, ROT, STRIDE
from linkwork.kernels.compiled import fused_spliced, inlined
from linkwork.kernels.registers.fours import unit4
from linkwork.kernels.vectors import (
    add, cc, cm, cross, dot, madd, mc, mm, mscale, nine, scale, skew, sub, three,
)  # fmt: skip

# behind the work of a call: C and D of a point in world axes, each with one number more, and the
# matrices of Θ_i in δF and δM
WORLD, WORLD_RATES, BY_TURN, ROOM = WORK, WORK + 37, WORK + 74, WORK + 94


@inlined
def put_nine(y, p, X):
    y[p], y[p + 1], y[p + 2], y[p + 3], y[p + 4], y[p + 5], y[p + 6], y[p + 7], y[p + 8] = X


@inlined
def rate_matrices(
    y, x, c, n, r, theta, theta1, rate, rate1, T, T1, b, g, b1, g1, b2, g2, p1, v1, w, u, t
):  # fmt: skip
    """E δε̇ and E δκ̇ by the spin of every node, into the work."""
    by_rate = slope(theta, b, g, b1, g1, rate)
    by_both = madd(
        slope(theta, b, g, b1, g1, rate1), bend(theta, g, b1, g1, b2, g2, theta1, rate)
    )
    base = SHAPES + SHAPE_WORK * r
    all_n, all_m = madd(skew(v1), mscale(-1.0, cc(w, p1))), mscale(0.0, T)
    for i in range(n):
        N1, arm = x[c + SLOPE + i], three(y, NODE_WORK * i + ARM)
        own = mscale(
            N1, madd(skew(cross(arm, three(y, NODE_WORK * i + SPIN))), cc(w, arm))
        )  # fmt: skip
        if i == r:
            all_n = madd(all_n, own)
            continue
        N, P = x[c + SHAPE + i], nine(y, NODE_WORK * i + INVERSE)
        theta_i = three(y, NODE_WORK * i + TURN)
        kx, dkx = kappa(dot(theta_i, theta_i))
        turn = inverse_slope(theta_i, kx, dkx, three(y, NODE_WORK * i + TWIST))
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


@fused_spliced
def shape_matrices(y, x, c, n, r, T, T1):
    """Θ_i and Θ_i′ of all nodes into the work."""
    at_ = SHAPES + SHAPE_WORK * r
    e = skew_rows((0.0, 0.0, 0.0))
    A, B = e, e
    for i in range(n):
        if i != r:
            N, N1 = x[c + SHAPE + i], x[c + SLOPE + i]
            P = rows_at(y, NODE_WORK * i + INVERSE)
            X = product(T, P)
            Y = plus_times(times(X, N1), product(T1, P), N)
            X = times(X, N)
            put_nine_rows(y, SHAPES + SHAPE_WORK * i + THETA, X)
            put_nine_rows(y, SHAPES + SHAPE_WORK * i + THETA1, Y)
            A, B = minus(A, X), minus(B, Y)
    one = unit4(0), unit4(1), unit4(2)
    put_nine_rows(y, at_ + THETA, plus(one, A))
    put_nine_rows(y, at_ + THETA1, B)


@fused_spliced
def world_stiffness(y, p, E, ET, to):
    """E X Eᵀ of the four 3×3 parts of the stiffness at p; their numbers to the work, too."""
    nn, nm = product(E, product(nine(y, p), ET)), product(E, product(nine(y, p + 9), ET))
    mn, mm = product(E, product(nine(y, p + 18), ET)), product(E, product(nine(y, p + 27), ET))
    put_nine_rows(y, to, nn)
    put_nine_rows(y, to + 9, nm)
    put_nine_rows(y, to + 18, mn)
    put_nine_rows(y, to + 27, mm)
    return nn, nm, mn, mm


@fused_spliced
def point_tangent(
    vals, ints, flat, x, k, c, n, point, y, E, p, p1, w, Fw, Mw, damped, cK, cD
):
    """What one point adds to the blocks of all nodes, in the rows of the two beside it.

    Where the element alone writes the blocks of two nodes, the first to do so does not add.

    flat : the nodes, one behind the other;  x : the numbers of the elements
    """
    alone, ET = ints[k, n + n * n] != 0, rows_of_transpose(E)
    nn, nm, mn, mm = world_stiffness(y, STIFF, E, times(ET, cK), WORLD)
    if damped:
        dn, dnm, dmn, dm = world_stiffness(y, VISCOUS, E, ET, WORLD_RATES)
        nn, nm = plus_times(nn, dn, cD), plus_times(nm, dnm, cD)
        mn, mm = plus_times(mn, dmn, cD), plus_times(mm, dm, cD)
        put_nine_rows(y, WORLD, nn)
        put_nine_rows(y, WORLD + 9, nm)
        put_nine_rows(y, WORLD + 18, mn)
        put_nine_rows(y, WORLD + 27, mm)
    force, moment, P = scale(cK, Fw), scale(cK, Mw), skew_rows(p1)
    F = skew_rows(force)
    put_nine_rows(y, BY_TURN, minus(product(nine(y, WORLD), P), F))
    put_nine_rows(y, BY_TURN + 10, minus(product(nine(y, WORLD + 18), P), skew_rows(moment)))
    for i in range(n):
        N, N1, arm = x[c + SHAPE + i], x[c + SLOPE + i], three(y, NODE_WORK * i + ARM)
        R = rows_at(flat, NODE * ints[k, i] + ROT)
        a = product(nine(y, SHAPES + SHAPE_WORK * i + THETA), R)
        b = product(nine(y, SHAPES + SHAPE_WORK * i + THETA1), R)
        dF = plus(product(nine(y, BY_TURN), a), product(nine(y, WORLD + 9), b))
        dM = plus(product(nine(y, BY_TURN + 10), a), product(nine(y, WORLD + 27), b))
        dFx, dMx = times(nn, N1), plus_times(times(mn, N1), F, -N)
        if damped:
            U = times(product(nine(y, SHAPES + SHAPE_WORK * i + RATE_N), R), cK)
            V = times(product(nine(y, SHAPES + SHAPE_WORK * i + RATE_M), R), cK)
            still = skew_rows(scale(-N1 * cK, w))
            Dn, Dnm = nine(y, WORLD_RATES), nine(y, WORLD_RATES + 9)
            dF = plus(dF, plus(product(Dn, U), product(Dnm, V)))
            dFx = plus(dFx, product(Dn, still))
            Dn, Dnm = nine(y, WORLD_RATES + 18), nine(y, WORLD_RATES + 27)
            dM = plus(dM, plus(product(Dn, U), product(Dnm, V)))
            dMx = plus(dMx, product(Dn, still))
        if dot(arm, arm) > 0.0:
            lever = crossed(arm, R)
            dF = plus_times(dF, product(nine(y, WORLD), lever), -N1)
            dM = plus_times(dM, product(nine(y, WORLD + 18), lever), -N1)
            dM = plus_times(dM, crossed(force, lever), N)
        by_force, by_moment = beside(dFx, dF), beside(dMx, dM)
        for side in range(2):
            j = point + side
            sign, at_, base = 2.0 * side - 1.0, NODE * ints[k, j], ints[k, n + n * j + i]
            l = sub(p, three(flat, at_ + POS))
            change = plus(by_moment, crossed(l, by_force))
            if i == j:
                own = crossed(add(cross(l, force), moment), R)
                change = plus(change, beside(F, own))
            change = turned(nine(flat, at_ + ROT), change)
            if alone and i != j and (point == 0 or side == 1):
                put_rows(vals, base, sign, by_force)
                put_rows(vals, base + 3 * STRIDE, sign, change)
            else:
                add_rows(vals, base, sign, by_force)
                add_rows(vals, base + 3 * STRIDE, sign, change)
