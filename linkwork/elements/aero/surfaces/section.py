"""Forces on an airfoil section from its velocity against the air, with all derivatives.

V = (Vx, Vy) is the velocity of the reference point against the air in section axes (x forward, y
up) and ωz the rate of the section about its span.  Lift, drag and moment per length are

    ½ ρ c U (c_l (−Vy, Vx) − c_d (Vx, Vy)),   ½ ρ c² U² c_m        about the aerodynamic centre

and along the span, where pressure cannot act, the friction of the section at no angle of attack,

    fz = −½ ρ c U c_d(0) Vz                                        at the aerodynamic centre

A tip loss multiplies the force normal to the chord; the moment, which is handed on about the
reference point, is that of the whole force (as in MBDyn).  Quasi-steady, Vy is that of the velocity
point, Vy + ωz b, α = atan(−Vy/Vx) and U² = Vx² + Vy².

Unsteady (M. Mattaboni in MBDyn's theory manual, 13.7; T. Theodorsen, NACA report 496, 1935), with
u₁ and u₂ the angles at the aerodynamic centre d₁ and the velocity point d₂, K = 2U/c, κ = K/K₀,

    z₁′ = K₀ z₂,   z₂′ = K₀ (u₂ − b₁b₂ κ² z₁ − (b₁ + b₂) κ z₂)                  circulation
    y₁ = (A₁ + A₂) b₁b₂ κ² z₁ + (A₁b₁ + A₂b₂) κ z₂ + (1 − A₁ − A₂) u₂           effective angle
    z₃′ = Ω (α_p − 2 z₃ − z₄),   z₄′ = Ω z₃,   y₂ = Ω z₃ ≈ dα_p/dt
    z₅′ = Ω (α̇ − 2 z₅ − z₆),    z₆′ = Ω z₅,   y₃ = Ω z₅ ≈ dα̇/dt
    α_p = (d₂ u₁ − d₁ u₂)/(d₂ − d₁),   α̇ = U (u₁ − u₂)/(d₂ − d₁),   a = (d₁ + d₂)/c
    c_l + a₀/2 (c/2U) (y₂ − (c a/2U) y₃)
    c_m + a₀/2 (c/2U) (−y₂/4 + (c a/8U − c/32U) y₃ − α̇/4)

the coefficients being those of the table at y₁ and a₀ its slope at no angle, all at the Mach number
of U; the states are scaled with a constant K₀ and with the filter frequency Ω, which changes
nothing but their size.
"""

from __future__ import annotations

import math

from linkwork.elements.aero.surfaces.layout import (
    A1, A2, B1, B2, BY_INPUT, BY_SPEED, BY_STATE, CENTRE_AC, CHORD, FILTER, INPUTS, MIX,
    MOST_STATES, OUTPUTS, POINT_V, RATE0, SPANWISE, TABLE, TABLE2, TIP, TOLD, VALUE,
)  # fmt: skip
from linkwork.elements.aero.airfoils.tables import AXIS, CD, MACH, SLOPES, coefficients, grid
from linkwork.elements.layout import RATE as RATE_ROW
from linkwork.elements.layout import VALUE as VALUE_ROW
from linkwork.kernels.compiled import inlined

STILL = 1e-9  # m/s: below it there is no flow


@inlined
def column_number(codes, reals, k, pt, table, rho, sound, viscosity):
    """What multiplies the speed to give the Mach or Reynolds number of a table."""
    if codes[k, table + AXIS] == MACH:
        return 1.0 / sound
    return rho * reals[k, pt + CHORD] / viscosity


@inlined
def looked_up(codes, reals, k, foil, pt, alpha, U, rho, sound, viscosity):
    """Coefficients and slopes by angle and by U; then the slope a₀ of c_l at no angle, the axis of
    the table's columns, and the slope of a₀ by U."""
    table, mix = codes[k, foil + TABLE], reals[k, pt + MIX]
    y = column_number(codes, reals, k, pt, table, rho, sound, viscosity)
    c = coefficients(codes, reals, k, table, alpha, U * y)
    a = grid(codes, reals, k, table + SLOPES, 0.0, U * y)
    if mix == 0.0:
        return (c[0], c[1], c[2] * y, c[3], c[4], c[5] * y, c[6], c[7], c[8] * y, a[0],
                codes[k, table + AXIS], a[2] * y)  # fmt: skip
    other = codes[k, foil + TABLE2]
    z = column_number(codes, reals, k, pt, other, rho, sound, viscosity)
    d = coefficients(codes, reals, k, other, alpha, U * z)
    b = grid(codes, reals, k, other + SLOPES, 0.0, U * z)
    keep = 1.0 - mix
    return (
        keep * c[0] + mix * d[0], keep * c[1] + mix * d[1], keep * c[2] * y + mix * d[2] * z,
        keep * c[3] + mix * d[3], keep * c[4] + mix * d[4], keep * c[5] * y + mix * d[5] * z,
        keep * c[6] + mix * d[6], keep * c[7] + mix * d[7], keep * c[8] * y + mix * d[8] * z,
        keep * a[0] + mix * b[0], codes[k, table + AXIS], keep * a[2] * y + mix * b[2] * z,
    )  # fmt: skip


@inlined
def friction(codes, reals, k, foil, pt, U, rho, sound, viscosity):
    """c_d at no angle of attack and its slope by U."""
    table, mix = codes[k, foil + TABLE], reals[k, pt + MIX]
    y = column_number(codes, reals, k, pt, table, rho, sound, viscosity)
    a = grid(codes, reals, k, table + CD, 0.0, U * y)
    if mix == 0.0:
        return a[0], a[2] * y
    other = codes[k, foil + TABLE2]
    z = column_number(codes, reals, k, pt, other, rho, sound, viscosity)
    b = grid(codes, reals, k, other + CD, 0.0, U * z)
    return (1.0 - mix) * a[0] + mix * b[0], (1.0 - mix) * a[2] * y + mix * b[2] * z


@inlined
def put_output(y, f, value, x, z, w, h):
    """An output and its slopes by Vx, Vy, ωz and altitude."""
    y[VALUE + f] = value
    p = BY_INPUT + INPUTS * f
    y[p], y[p + 1], y[p + 2], y[p + 3] = x, z, w, h


@inlined
def told(y, alpha, U, sound, cl, cd, cm, pressure, sweep):
    p = TOLD
    y[p], y[p + 1], y[p + 2], y[p + 3], y[p + 4], y[p + 5], y[p + 6], y[p + 7] = (
        alpha, U / sound, cl, cd, cm, pressure, sweep, U
    )  # fmt: skip


@inlined
def no_flow(y):
    for i in range(TOLD):
        y[i] = 0.0


@inlined
def wind_axes(y, reals, k, pt, Vx, Vy, U, gain, cl, cd, cm, dcl, dcd, dcm, dU, drho, rho, by_h):
    """fx, fy and the moment about the reference point, with slopes by the four inputs.

    Vx, Vy: the velocity that gives the direction of lift, with slopes gain = (∂Vy/∂ωz) by ωz
    dcl … : (4) slopes of the coefficients;  dU : slopes of the speed of the dynamic pressure
    by_h  : slope of the density
    """
    c, tip, ac = reals[k, pt + CHORD], reals[k, pt + TIP], reals[k, pt + CENTRE_AC]
    size = math.sqrt(Vx * Vx + Vy * Vy)
    q = 0.5 * rho * c * U * U
    lx, ly = -Vy / size, Vx / size
    fx, fy, m = q * (cl * lx - cd * ly), q * (cl * ly + cd * lx), q * c * cm
    for j in range(4):
        vx = 1.0 if j == 0 else 0.0
        vy = 1.0 if j == 1 else (gain if j == 2 else 0.0)
        turn = (Vx * vy - Vy * vx) / (size * size)  # of the direction of flight
        dq = q * 2.0 * dU[j] / U + (q * by_h / rho if j == 3 else 0.0)
        part = dq / q
        dfx = part * fx + q * (dcl[j] * lx - dcd[j] * ly) - turn * fy
        dfy = part * fy + q * (dcl[j] * ly + dcd[j] * lx) + turn * fx
        y[BY_INPUT + j] = dfx
        y[BY_INPUT + INPUTS + j] = tip * dfy
        y[BY_INPUT + 2 * INPUTS + j] = part * m + q * c * dcm[j] + ac * dfy
    y[VALUE], y[VALUE + 1], y[VALUE + 2] = fx, tip * fy, m + ac * fy


@inlined
def put_spanwise(y, codes, reals, k, foil, pt, U, dU, same, sweep, rho, by_h, sound, viscosity):
    """fz and its slopes; dU : (3) of the speed,  same : of the table's column by the altitude, as
    if it were that of the speed."""
    cd, by_U = friction(codes, reals, k, foil, pt, U, rho, sound, viscosity)
    half = 0.5 * rho * reals[k, pt + CHORD]
    f, f_U = -half * U * cd, -half * (cd + U * by_U) * sweep
    by_height = (f * by_h / rho - half * U * by_U * same) * sweep
    put_output(y, SPANWISE, f * sweep, f_U * dU[0], f_U * dU[1], f_U * dU[2], by_height)
    y[BY_SPEED] = f


@inlined
def no_spanwise(y):
    put_output(y, SPANWISE, 0.0, 0.0, 0.0, 0.0, 0.0)
    y[BY_SPEED] = 0.0


@inlined
def put_by_state(y, j, q, lx, ly, tip, c, d1, dl, dd, dm):
    """Slopes of force and moment by state j, with which c_l, c_d and c_m change by dl, dd and dm;
    (lx, ly) is the direction of lift."""
    y[BY_STATE + j] = q * (dl * lx - dd * ly)
    normal = q * (dl * ly + dd * lx)
    y[BY_STATE + MOST_STATES + j] = tip * normal
    y[BY_STATE + 2 * MOST_STATES + j] = q * c * dm + d1 * normal


@inlined
def quasi_steady(
    y, codes, reals, k, foil, pt, Vx, Vy0, wz, sweep, rho, sound, by_h, sound_h, viscosity
):
    """Outputs of a section without states."""
    b = reals[k, pt + POINT_V]
    Vy = Vy0 + wz * b
    U = math.sqrt(Vx * Vx + Vy * Vy)
    if U < STILL or rho == 0.0:
        no_flow(y)
        told(y, 0.0, 0.0, sound, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    alpha = math.atan2(-Vy, Vx)
    c = looked_up(codes, reals, k, foil, pt, alpha, U, rho, sound, viscosity)
    ax, ay = Vy / (U * U), -Vx / (U * U)
    ux, uy = Vx / U, Vy / U
    # the column is U/a or ρ U c/μ: with the altitude it changes as if U did
    same = U * (-sound_h / sound if c[10] == MACH else by_h / rho)
    dU = (ux, uy, uy * b, 0.0)
    da = (ax, ay, ay * b, 0.0)
    dy = (ux, uy, uy * b, same)
    dcl = (c[1] * da[0] + c[2] * dy[0], c[1] * da[1] + c[2] * dy[1],
           c[1] * da[2] + c[2] * dy[2], c[2] * dy[3])  # fmt: skip
    dcd = (c[4] * da[0] + c[5] * dy[0], c[4] * da[1] + c[5] * dy[1],
           c[4] * da[2] + c[5] * dy[2], c[5] * dy[3])  # fmt: skip
    dcm = (c[7] * da[0] + c[8] * dy[0], c[7] * da[1] + c[8] * dy[1],
           c[7] * da[2] + c[8] * dy[2], c[8] * dy[3])  # fmt: skip
    wind_axes(y, reals, k, pt, Vx, Vy, U, b, c[0], c[3], c[6], dcl, dcd, dcm, dU, 0.0, rho, by_h)
    put_spanwise(y, codes, reals, k, foil, pt, U, dU, same, sweep, rho, by_h, sound, viscosity)
    told(y, alpha, U, sound, c[0], c[3], c[6], 0.5 * rho * U * U, sweep)


@inlined
def angle(Vx, Vy, wz, d):
    """The angle at a point d forward of the reference, and its slopes."""
    v = Vy + wz * d
    size = Vx * Vx + v * v
    return math.atan2(-v, Vx), v / size, -Vx / size, -Vx * d / size


@inlined
def mixed(a, b, p, q):
    """a p + b q of the slopes by Vx, Vy, ωz."""
    return (a * p[1] + b * q[1], a * p[2] + b * q[2], a * p[3] + b * q[3])


@inlined
def unsteady(
    y, codes, reals, k, foil, pt, values, z, Vx, Vy, wz, sweep, rho, sound, by_h, sound_h,
    viscosity,
):  # fmt: skip
    """Outputs of a section with six states from z on; their equations are ż + rates = 0."""
    for i in range(BY_STATE, BY_STATE + OUTPUTS * MOST_STATES):
        y[i] = 0.0
    c, d1, d2 = reals[k, pt + CHORD], reals[k, pt + CENTRE_AC], reals[k, pt + POINT_V]
    a1, a2, b1, b2 = reals[k, A1], reals[k, A2], reals[k, B1], reals[k, B2]
    K0, Om = reals[k, pt + RATE0], reals[k, FILTER]
    z1, z2, z3 = values[VALUE_ROW, z], values[VALUE_ROW, z + 1], values[VALUE_ROW, z + 2]
    z4, z5, z6 = values[VALUE_ROW, z + 3], values[VALUE_ROW, z + 4], values[VALUE_ROW, z + 5]
    U = math.sqrt(Vx * Vx + Vy * Vy)
    u1, u2 = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    dU, flows = (0.0, 0.0, 0.0), U >= STILL and rho > 0.0
    if flows:
        u1, u2 = angle(Vx, Vy, wz, d1), angle(Vx, Vy, wz, d2)
        dU = (Vx / U, Vy / U, 0.0)
    kap = 2.0 * U / (c * K0)
    g = 1.0 / (d2 - d1)
    pivot, spin = g * (d2 * u1[0] - d1 * u2[0]), g * U * (u1[0] - u2[0])
    dpivot, turned = mixed(g * d2, -g * d1, u1, u2), mixed(g * U, -g * U, u1, u2)
    k1 = 2.0 / (c * K0)
    bb, bs = b1 * b2, b1 + b2
    ab, as_ = (a1 + a2) * bb, a1 * b1 + a2 * b2
    # the states
    rate2 = -K0 * (u2[0] - bb * kap * kap * z1 - bs * kap * z2)
    by_U = K0 * k1 * (2.0 * bb * kap * z1 + bs * z2)
    by_spin = g * (u1[0] - u2[0])
    put_output(y, 3, -K0 * z2, 0.0, 0.0, 0.0, 0.0)
    put_output(y, 4, rate2, by_U * dU[0] - K0 * u2[1], by_U * dU[1] - K0 * u2[2],
               by_U * dU[2] - K0 * u2[3], 0.0)  # fmt: skip
    put_output(y, 5, Om * (2.0 * z3 + z4 - pivot), -Om * dpivot[0], -Om * dpivot[1],
               -Om * dpivot[2], 0.0)  # fmt: skip
    put_output(y, 6, -Om * z3, 0.0, 0.0, 0.0, 0.0)
    put_output(y, 7, Om * (2.0 * z5 + z6 - spin), -Om * (turned[0] + by_spin * dU[0]),
               -Om * (turned[1] + by_spin * dU[1]), -Om * (turned[2] + by_spin * dU[2]),
               0.0)  # fmt: skip
    put_output(y, 8, -Om * z5, 0.0, 0.0, 0.0, 0.0)
    s = BY_STATE + 3 * MOST_STATES
    y[s + 1] = -K0
    y[s + 6], y[s + 7] = K0 * bb * kap * kap, K0 * bs * kap
    y[s + 14], y[s + 15] = 2.0 * Om, Om
    y[s + 20] = -Om
    y[s + 28], y[s + 29] = 2.0 * Om, Om
    y[s + 34] = -Om
    if not flows:
        for f in range(3):
            put_output(y, f, 0.0, 0.0, 0.0, 0.0, 0.0)
        no_spanwise(y)
        told(y, 0.0, 0.0, sound, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    # effective angle and coefficients
    direct = 1.0 - a1 - a2
    y1 = ab * kap * kap * z1 + as_ * kap * z2 + direct * u2[0]
    y1_U = k1 * (2.0 * ab * kap * z1 + as_ * z2)
    l = looked_up(codes, reals, k, foil, pt, y1, U, rho, sound, viscosity)
    slope, a = 0.5 * l[9], (d1 + d2) / c
    t = c / (2.0 * U)
    y2, y3 = Om * z3, Om * z5
    m3 = (a / 8.0 - 1.0 / 32.0) * c / U
    mass_l, mass_m = t * (y2 - t * a * y3), t * (-0.25 * y2 + m3 * y3 - 0.25 * spin)
    more_l, more_m = slope * mass_l, slope * mass_m
    by_Ul, by_Um = l[2] + 0.5 * l[11] * mass_l, l[8] + 0.5 * l[11] * mass_m
    dl_U = slope * (-t / U) * (y2 - 2.0 * t * a * y3)
    dm_U = -more_m / U + slope * t * (-m3 / U * y3 - 0.25 * by_spin)
    same = U * (-sound_h / sound if l[10] == MACH else by_h / rho)
    cl, cd, cm = l[0] + more_l, l[3], l[6] + more_m
    by_y1 = (
        y1_U * dU[0] + direct * u2[1], y1_U * dU[1] + direct * u2[2],
        y1_U * dU[2] + direct * u2[3],
    )  # fmt: skip
    spins = slope * t * -0.25
    dcl = (l[1] * by_y1[0] + (by_Ul + dl_U) * dU[0], l[1] * by_y1[1] + (by_Ul + dl_U) * dU[1],
           l[1] * by_y1[2] + (by_Ul + dl_U) * dU[2], by_Ul * same)  # fmt: skip
    dcd = (l[4] * by_y1[0] + l[5] * dU[0], l[4] * by_y1[1] + l[5] * dU[1],
           l[4] * by_y1[2] + l[5] * dU[2], l[5] * same)  # fmt: skip
    dcm = (l[7] * by_y1[0] + (by_Um + dm_U) * dU[0] + spins * turned[0],
           l[7] * by_y1[1] + (by_Um + dm_U) * dU[1] + spins * turned[1],
           l[7] * by_y1[2] + (by_Um + dm_U) * dU[2] + spins * turned[2], by_Um * same)  # fmt: skip
    wx, wy = Vx, Vy + wz * d2
    speeds = (dU[0], dU[1], dU[2], 0.0)
    wind_axes(y, reals, k, pt, wx, wy, U, d2, cl, cd, cm, dcl, dcd, dcm, speeds, 0.0, rho, by_h)
    put_spanwise(y, codes, reals, k, foil, pt, U, dU, same, sweep, rho, by_h, sound, viscosity)
    # by the states: the coefficients change alone
    size, tip = math.sqrt(wx * wx + wy * wy), reals[k, pt + TIP]
    q, lx, ly = 0.5 * rho * c * U * U, -wy / size, wx / size
    for j in range(MOST_STATES):
        e = 0.0
        if j == 0:
            e = ab * kap * kap
        elif j == 1:
            e = as_ * kap
        dl, dd, dm = l[1] * e, l[4] * e, l[7] * e
        if j == 2:
            dl, dm = slope * t * Om, -0.25 * slope * t * Om
        elif j == 4:
            dl, dm = -slope * t * t * a * Om, slope * t * m3 * Om
        put_by_state(y, j, q, lx, ly, tip, c, d1, dl, dd, dm)
    told(y, y1, U, sound, cl, cd, cm, 0.5 * rho * U * U, sweep)


@inlined
def add_rates(y, values, z, states):
    """The rates of the states to their equations."""
    for j in range(states):
        y[VALUE + 3 + j] += values[RATE_ROW, z + j]
