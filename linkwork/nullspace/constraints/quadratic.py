"""The rows in the reduced step, compiled: residual, Jacobians at q̄ and q₁, second derivatives.

For a row with multiplier μ the residual takes μ ∇Φ(q̄), the columns of μ take P_int(q̄)ᵀ∇Φ(q̄) and
the row itself ∇Φ(q₁) P_int(q₁); the stiffness is P_int(q̄)ᵀ (μ D²Φ/2) P_int(q₁), exact because Φ is
quadratic.  s = D u arms, m = D c axes; a bar means q̄, no bar q₁; blocks in world-axis increments:

    ALONG      F_b = μ m̄;  d̄ of the axis' own body a: torque m̄ × (d̄ + s̄_a) with −F
    DISTANCE   the same with m̄ = d̄/L, without the axis' part
    AXES       torque μ ē_a × ē_b on a, the opposite on b
"""

from __future__ import annotations

from linkwork.elements import layout
from linkwork.elements.layout import POS, ROT, add33, put6
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import (
    IDENTITY,
    add,
    at,
    at9,
    cc,
    cross,
    dot,
    mc,
    mscale,
    mv,
    scale,
    skew,
    sub,
    tv,
)  # fmt: skip
from linkwork.nullspace.constraints.rows import (
    A1,
    A2,
    ALONG,
    AXES,
    B1,
    B2,
    BALL,
    DISTANCE,
    HINGE,
    KIND,
    LENGTH,
    LINE,
    OF_ELEMENT,
    ONE_PAIR,
    TWO_PAIRS,
    WAY,
    J,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)
AXIS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# where the ints of a row's element are
A, B, AA, AB, BA, BB = (OF_ELEMENT + i for i in range(6))
CA, CB = OF_ELEMENT + layout.CA, OF_ELEMENT + layout.CB
LA, LB = CB + 1, CB + 2  # where the columns are, as rows


@inlined
def add_outer(N, b, c, g, u):
    """N_D += c g uᵀ, the part of the residual that belongs to the directors (from column 3)."""
    for i in range(3):
        for j in range(3):
            N[b, 3 + 3 * i + j] += c * g[i] * u[j]


@inlined
def put_gradients(vals, x, e, mid_a, mid_b, end_a, end_b):
    """A row's wrenches at q̄ into its column, at q₁ into its line."""
    j = x[e, J]
    put6(vals, x[e, LA], j, mid_a[0], mid_a[1])
    put6(vals, x[e, LB], j, mid_b[0], mid_b[1])
    put6(vals, x[e, CA], j, end_a[0], end_a[1])
    put6(vals, x[e, CB], j, end_b[0], end_b[1])


@inlined
def axes_row(x, reals, e, pairs, end, mean, mu, N, C, vals, tangent):
    a, b = x[e, A], x[e, B]
    ta, ua = ZERO, ZERO
    Ma, Mb, Ea, Eb = at9(mean, a, 3), at9(mean, b, 3), at9(end, a, ROT), at9(end, b, ROT)
    value = 0.0
    for pair in range(pairs):
        w = 1.0 - 2.0 * pair
        ca, cb = at(reals, e, A1 + pair * (A2 - A1)), at(reals, e, B1 + pair * (B2 - B1))
        ma, mb, ea, eb = mv(Ma, ca), mv(Mb, cb), mv(Ea, ca), mv(Eb, cb)
        value += w * dot(ea, eb)
        add_outer(N, a, w * mu, mb, ca)
        add_outer(N, b, w * mu, ma, cb)
        if tangent:
            ta = add(ta, scale(w, cross(ma, mb)))
            ua = add(ua, scale(w, cross(ea, eb)))
            c = -0.5 * w * mu
            add33(vals, x[e, AB], 3, 3, c, cc(ma, eb))
            add33(vals, x[e, BA], 3, 3, c, cc(mb, ea))
    C[e] = value
    if tangent:
        put_torques(vals, x, e, ta, ua)


@inlined
def hinge_rows(x, reals, e, end, mean, mu, N, C, vals, tangent):
    """e_a·e_b and e_a·e'_b with the same axis of a, in rows e and e + 1."""
    a, b = x[e, A], x[e, B]
    ca, c1, c2 = at(reals, e, A1), at(reals, e, B1), at(reals, e + 1, B1)
    cb = add(scale(mu[e], c1), scale(mu[e + 1], c2))
    Mb, Eb = at9(mean, b, 3), at9(end, b, ROT)
    ma, mb, ea = mv(at9(mean, a, 3), ca), mv(Mb, cb), mv(at9(end, a, ROT), ca)
    add_outer(N, a, 1.0, mb, ca)
    add_outer(N, b, 1.0, ma, cb)
    seen = tv(Eb, ea)
    C[e], C[e + 1] = dot(seen, c1), dot(seen, c2)
    if tangent:
        add33(vals, x[e, AB], 3, 3, -0.5, cc(ma, mv(Eb, cb)))
        add33(vals, x[e, BA], 3, 3, -0.5, cc(mb, ea))
        t, u = cross(ma, mv(Mb, c1)), cross(ea, mv(Eb, c1))
        put_torques(vals, x, e, t, u)
        t, u = cross(ma, mv(Mb, c2)), cross(ea, mv(Eb, c2))
        put_torques(vals, x, e + 1, t, u)


@inlined
def put_torques(vals, x, e, mid, end):
    """The gradients of a row with torques alone: those on a; on b the opposite."""
    back, end_back = scale(-1.0, mid), scale(-1.0, end)
    put_gradients(vals, x, e, (ZERO, mid), (ZERO, back), (ZERO, end), (ZERO, end_back))


@inlined
def ball_rows(x, reals, e, end, mean, mu, N, C, vals, tangent):
    """ε·d for the three world axes, in rows e, e + 1, e + 2."""
    a, b = x[e, A], x[e, B]
    u, w = at(reals, e, A1), at(reals, e, B1)
    F = (mu[e], mu[e + 1], mu[e + 2])
    for i in range(3):
        N[b, i] += F[i]
        N[a, i] -= F[i]
    add_outer(N, b, 1.0, F, w)
    add_outer(N, a, -1.0, F, u)
    ta, tb = mv(at9(end, a, ROT), u), mv(at9(end, b, ROT), w)
    for i in range(3):
        C[e + i] = end[b, POS + i] + tb[i] - end[a, POS + i] - ta[i]
    if tangent:
        sa, sb = mv(at9(mean, a, 3), u), mv(at9(mean, b, 3), w)
        for i in range(3):
            m = AXIS[i]
            put_gradients(
                vals, x, e + i, (scale(-1.0, m), cross(m, sa)), (m, cross(sb, m)),
                (scale(-1.0, m), cross(m, ta)), (m, cross(tb, m)),
            )  # fmt: skip


@inlined
def moved_line(vals, pa, pb, row, c, M, sa, sb):
    """c M δd with δd = δr_b + θ_b × s_b − δr_a − θ_a × s_a, into rows from `row` on of a body
    whose blocks with a and b start at pa and pb."""
    add33(vals, pb, row, 0, c, M)
    add33(vals, pa, row, 0, -c, M)
    add33(vals, pb, row, 3, -c, mc(M, sb))
    add33(vals, pa, row, 3, c, mc(M, sa))


@inlined
def line_row(x, reals, e, end, mean, mu, N, C, vals, tangent):
    """COINCIDE by itself, ALONG and DISTANCE."""
    a, b, kind = x[e, A], x[e, B], x[e, KIND]
    u, w, c = at(reals, e, A1), at(reals, e, B1), at(reals, e, A2)
    Ma, Ea = at9(mean, a, 3), at9(end, a, ROT)
    sa, sb = mv(Ma, u), mv(at9(mean, b, 3), w)
    ta, tb = mv(Ea, u), mv(at9(end, b, ROT), w)
    d = sub(add(at(mean, b, 0), sb), add(at(mean, a, 0), sa))
    d1 = sub(add(at(end, b, POS), tb), add(at(end, a, POS), ta))
    m, m1, L = c, c, reals[e, LENGTH]
    if kind == ALONG:
        m, m1 = mv(Ma, c), mv(Ea, c)
    elif kind == DISTANCE:
        m, m1 = scale(1.0 / L, d), scale(1.0 / L, d1)
    C[e] = 0.5 * (dot(d1, d1) - L * L) / L if kind == DISTANCE else dot(m1, d1)
    for i in range(3):
        N[b, i] += mu * m[i]
        N[a, i] -= mu * m[i]
    add_outer(N, b, mu, m, w)
    add_outer(N, a, -mu, m, u)
    if kind == ALONG:
        add_outer(N, a, mu, d, c)
    if tangent:
        back, back1 = cross(m, sa), cross(m1, ta)
        if kind == ALONG:
            back, back1 = add(back, cross(m, d)), add(back1, cross(m1, d1))
        put_gradients(
            vals, x, e, (scale(-1.0, m), back), (m, cross(sb, m)),
            (scale(-1.0, m1), back1), (m1, cross(tb, m1)),
        )  # fmt: skip
        pa, pb, qa, qb = x[e, AA], x[e, AB], x[e, BA], x[e, BB]
        if kind == ALONG:
            X = mscale(-0.5 * mu, skew(m1))  # change of μ m̄ with θ_a
            add33(vals, qa, 0, 3, 1.0, X)
            add33(vals, pa, 0, 3, -1.0, X)
            add33(vals, qa, 3, 3, -0.5 * mu, cc(sb, m1))
            add33(vals, pa, 3, 3, 0.5 * mu, cc(sa, m1))
            moved_line(vals, pa, pb, 3, 0.5 * mu, skew(m), ta, tb)
        elif kind == DISTANCE:
            k = 0.5 * mu / L
            moved_line(vals, qa, qb, 0, k, IDENTITY, ta, tb)
            moved_line(vals, pa, pb, 0, -k, IDENTITY, ta, tb)
            moved_line(vals, qa, qb, 3, k, skew(sb), ta, tb)
            moved_line(vals, pa, pb, 3, -k, skew(sa), ta, tb)


@inlined
def add_rows(rows, end, mean, mu, N, C, vals, tangent):
    """All rows: end are nodes at q₁, mean (bodies + 1, 12) is q̄, N the residual in (φ, D)."""
    x, reals = rows.ints, rows.reals
    for e in range(x.shape[0]):
        way = x[e, WAY]
        if way in (ONE_PAIR, TWO_PAIRS):
            axes_row(x, reals, e, way, end, mean, mu[e], N, C, vals, tangent)
        elif way == HINGE:
            hinge_rows(x, reals, e, end, mean, mu, N, C, vals, tangent)
        elif way == BALL:
            ball_rows(x, reals, e, end, mean, mu, N, C, vals, tangent)
        elif way == LINE:
            line_row(x, reals, e, end, mean, mu[e], N, C, vals, tangent)


@inlined
def largest_error(rows, end, length):
    """The largest |Φ(q₁)| of rows that are not in the equations, lengths over that length."""
    x, y, worst = rows.ints, rows.reals, 0.0
    for e in range(x.shape[0]):
        a, b, kind = x[e, A], x[e, B], x[e, KIND]
        Ra, Rb = at9(end, a, ROT), at9(end, b, ROT)
        u, w = mv(Ra, at(y, e, A1)), mv(Rb, at(y, e, B1))
        c = at(y, e, A2)
        if kind == AXES:
            value = dot(u, w) - dot(mv(Ra, c), mv(Rb, at(y, e, B2)))
        else:
            d = sub(add(at(end, b, POS), w), add(at(end, a, POS), u))
            if kind == DISTANCE:
                L = y[e, LENGTH]
                value = 0.5 * (dot(d, d) - L * L) / L
            else:
                value = dot(mv(Ra, c) if kind == ALONG else c, d)
            value /= length
        worst = max(worst, abs(value))
    return worst
