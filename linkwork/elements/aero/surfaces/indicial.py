"""Sections whose circulation lags behind the angle of attack: two states; with stall, four.

Wagner's function in states as in section.unsteady, u the angle at the velocity point, T = c/2U,

    α_E = (A₁ + A₂) b₁b₂ κ² z₁ + (A₁b₁ + A₂b₂) κ z₂ + (1 − A₁ − A₂) u          effective angle
    c_l = c_l(α_E) + n,   c_m = c_m(α_E) − n/2,   n = a₀/2 T ωz                  two states

with the slope a₀ of c_l at no angle and this Mach (or Reynolds) number.

Of the apparent mass these are the terms of the pitch rate alone: those of accelerations, which
MBDyn's form with two states takes from differences over its steps (theory manual, 13.7.4), are left
out.  That is meant for wings much heavier than the air in a cylinder about their chord.

Dynamic stall adds the lift c_p that the pressure has reached, and the attached part f_d of the
chord (M. H. Hansen, M. Gaunaa, H. A. Madsen, Risø-R-1354, 2004, after J. G. Leishman and T. S.
Beddoes: A semi-empirical model for dynamic stall, Journal of the American Helicopter Society 34,
1989):

    T_p T ċ_p = a₀ (α_E − α₀) + n − c_p,   T_f T ḟ_d = f(c_p/a₀ + α₀) − f_d
    c_l = c_l(α_E) + (f_d − f(α_E)) D(α_E) + n
    c_d = c_d(α_E) + (u − α_E) c_l + (c_d(α_E) − c_d0) S,  S = (√f − √f_d)/2 − (f − f_d)/4
    c_m = c_m(α_E) + (c_l − n) (x(f_d) − x(f(α_E))) − n/2,  x(f) = −0.135 (1 − f) + 0.04 sin πf²

with f, D and a₀ of the static lift in the first column (airfoils.separation), f = f(α_E) in S, and
x the centre of pressure of the NACA 0012 of Leishman and Beddoes.  At rest all of it is the static
table; vortices that leave the leading edge are not part of it.
"""

from __future__ import annotations

import math

from linkwork.elements.aero.airfoils.tables import (
    DRAG0, GAIN, MACH, REALS, SEPARATION, SLOPE, ZERO, grid,
)  # fmt: skip
from linkwork.elements.aero.surfaces.layout import (
    A1, A2, B1, B2, BY_STATE, CENTRE_AC, CHORD, MIX, MOST_STATES, OUTPUTS, POINT_V, PRESSURE_LAG,
    RATE0, SEPARATION_LAG, STALL, TABLE, TABLE2, TIP,
)  # fmt: skip
from linkwork.elements.aero.surfaces.section import (
    STILL, angle, looked_up, no_spanwise, put_by_state, put_output, put_spanwise, told, wind_axes,
)  # fmt: skip
from linkwork.elements.layout import VALUE as VALUE_ROW
from linkwork.kernels.compiled import inlined

K1, K2 = -0.135, 0.04
LEAST = 1e-4  # attached part below which its root does not change


@inlined
def of_tables(codes, reals, k, foil, pt, column):
    """A number of the airfoils of a point."""
    a = reals[k, codes[k, codes[k, foil + TABLE] + REALS] + column]
    mix = reals[k, pt + MIX]
    if mix == 0.0:
        return a
    b = reals[k, codes[k, codes[k, foil + TABLE2] + REALS] + column]
    return (1.0 - mix) * a + mix * b


@inlined
def of_grids(codes, reals, k, foil, pt, place, alpha):
    """A quantity of the airfoils of a point over the angle, and its slope."""
    table, mix = codes[k, foil + TABLE], reals[k, pt + MIX]
    a = grid(codes, reals, k, table + place, alpha, 0.0)
    if mix == 0.0:
        return a[0], a[1]
    other = codes[k, foil + TABLE2]
    b = grid(codes, reals, k, other + place, alpha, 0.0)
    return (1.0 - mix) * a[0] + mix * b[0], (1.0 - mix) * a[1] + mix * b[1]


@inlined
def root(f):
    """√f and its slope."""
    if f < LEAST:
        return math.sqrt(LEAST), 0.0
    s = math.sqrt(f)
    return s, 0.5 / s


@inlined
def centre(f):
    """x(f) and its slope."""
    turn = math.pi * f * f
    return K1 * (1.0 - f) + K2 * math.sin(turn), -K1 + 2.0 * K2 * math.pi * f * math.cos(turn)


@inlined
def lagging(
    y, codes, reals, k, foil, pt, values, z, states, Vx, Vy, wz, sweep, rho, sound, by_h, sound_h,
    viscosity,
):  # fmt: skip
    """Outputs of a section with two or four states from z on; their equations are ż + rates = 0."""
    for i in range(BY_STATE, BY_STATE + OUTPUTS * MOST_STATES):
        y[i] = 0.0
    stall = states == STALL
    c, d1, d2 = reals[k, pt + CHORD], reals[k, pt + CENTRE_AC], reals[k, pt + POINT_V]
    a1, a2, b1, b2 = reals[k, A1], reals[k, A2], reals[k, B1], reals[k, B2]
    K0 = reals[k, pt + RATE0]
    z1, z2 = values[VALUE_ROW, z], values[VALUE_ROW, z + 1]
    cp, fd = 0.0, 0.0
    if stall:
        cp, fd = values[VALUE_ROW, z + 2], values[VALUE_ROW, z + 3]
    U = math.sqrt(Vx * Vx + Vy * Vy)
    flows = U >= STILL and rho > 0.0
    u2, dU = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if flows:
        u2, dU = angle(Vx, Vy, wz, d2), (Vx / U, Vy / U, 0.0)
    kap, k1 = 2.0 * U / (c * K0), 2.0 / (c * K0)
    bb, bs, ab, as_ = b1 * b2, b1 + b2, (a1 + a2) * b1 * b2, a1 * b1 + a2 * b2
    by_U = K0 * k1 * (2.0 * bb * kap * z1 + bs * z2)
    put_output(y, 3, -K0 * z2, 0.0, 0.0, 0.0, 0.0)
    put_output(y, 4, -K0 * (u2[0] - bb * kap * kap * z1 - bs * kap * z2),
               by_U * dU[0] - K0 * u2[1], by_U * dU[1] - K0 * u2[2], by_U * dU[2] - K0 * u2[3],
               0.0)  # fmt: skip
    s = BY_STATE + 3 * MOST_STATES
    y[s + 1] = -K0
    y[s + MOST_STATES], y[s + MOST_STATES + 1] = K0 * bb * kap * kap, K0 * bs * kap
    if not flows:
        for f in range(3):
            put_output(y, f, 0.0, 0.0, 0.0, 0.0, 0.0)
        if stall:
            put_output(y, 5, 0.0, 0.0, 0.0, 0.0, 0.0)
            put_output(y, 6, 0.0, 0.0, 0.0, 0.0, 0.0)
        no_spanwise(y)
        told(y, 0.0, 0.0, sound, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    # effective angle E and its slopes, by the inputs and by the states of the circulation
    direct = 1.0 - a1 - a2
    E = ab * kap * kap * z1 + as_ * kap * z2 + direct * u2[0]
    E_U = k1 * (2.0 * ab * kap * z1 + as_ * z2)
    dE = (E_U * dU[0] + direct * u2[1], E_U * dU[1] + direct * u2[2],
          E_U * dU[2] + direct * u2[3], 0.0)  # fmt: skip
    du = (u2[1], u2[2], u2[3], 0.0)
    l = looked_up(codes, reals, k, foil, pt, E, U, rho, sound, viscosity)
    same = U * (-sound_h / sound if l[10] == MACH else by_h / rho)
    speeds = (dU[0], dU[1], dU[2], 0.0)
    columns = (dU[0], dU[1], dU[2], same)
    T = c / (2.0 * U)
    n, by_column = 0.5 * l[9] * T * wz, 0.5 * l[11] * T * wz
    n_U = by_column - n / U
    dn = (n_U * dU[0], n_U * dU[1], n_U * dU[2] + 0.5 * l[9] * T, by_column * same)
    f, f_E, D, D_E, zero, drag0 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if stall:
        f, f_E = of_grids(codes, reals, k, foil, pt, SEPARATION, E)
        D, D_E = of_grids(codes, reals, k, foil, pt, GAIN, E)
        zero = of_tables(codes, reals, k, foil, pt, ZERO)
        drag0 = of_tables(codes, reals, k, foil, pt, DRAG0)
    lift = l[0] + (fd - f) * D  # of the circulation
    lift_E = l[1] + (fd - f) * D_E - f_E * D
    cl = lift + n
    rf, rf_f = root(f)
    rd, rd_f = root(fd)
    S = 0.5 * (rf - rd) - 0.25 * (f - fd)
    S_f, S_d = 0.5 * rf_f - 0.25, 0.25 - 0.5 * rd_f
    xf, xf_f = centre(f)
    xd, xd_f = centre(fd)
    cd, cm = l[3], l[6] - 0.5 * n
    if stall:
        cd = l[3] + (u2[0] - E) * cl + (l[3] - drag0) * S
        cm = l[6] + lift * (xd - xf) - 0.5 * n
    dcl = (lift_E * dE[0] + l[2] * columns[0] + dn[0], lift_E * dE[1] + l[2] * columns[1] + dn[1],
           lift_E * dE[2] + l[2] * columns[2] + dn[2], l[2] * columns[3] + dn[3])  # fmt: skip
    cd_E, cd_y = l[4], l[5]
    cm_E, by_lift = l[7], 0.0
    if stall:
        cd_E = l[4] * (1.0 + S) + (l[3] - drag0) * S_f * f_E - cl
        cd_y = l[5] * (1.0 + S)
        cm_E, by_lift = l[7] - lift * xf_f * f_E, xd - xf
    lag = (u2[0] - E) if stall else 0.0
    along = cl if stall else 0.0
    dcd = (cd_E * dE[0] + cd_y * columns[0] + along * du[0] + lag * dcl[0],
           cd_E * dE[1] + cd_y * columns[1] + along * du[1] + lag * dcl[1],
           cd_E * dE[2] + cd_y * columns[2] + along * du[2] + lag * dcl[2],
           cd_y * columns[3] + lag * dcl[3])  # fmt: skip
    dcm = (
        cm_E * dE[0] + l[8] * columns[0] + by_lift * (dcl[0] - dn[0]) - 0.5 * dn[0],
        cm_E * dE[1] + l[8] * columns[1] + by_lift * (dcl[1] - dn[1]) - 0.5 * dn[1],
        cm_E * dE[2] + l[8] * columns[2] + by_lift * (dcl[2] - dn[2]) - 0.5 * dn[2],
        l[8] * columns[3] + by_lift * (dcl[3] - dn[3]) - 0.5 * dn[3],
    )  # fmt: skip
    wx, wy = Vx, Vy + wz * d2
    wind_axes(y, reals, k, pt, wx, wy, U, d2, cl, cd, cm, dcl, dcd, dcm, speeds, 0.0, rho, by_h)
    put_spanwise(y, codes, reals, k, foil, pt, U, dU, same, sweep, rho, by_h, sound, viscosity)
    # by the states: the coefficients change alone
    size, tip = math.sqrt(wx * wx + wy * wy), reals[k, pt + TIP]
    q, lx, ly = 0.5 * rho * c * U * U, -wy / size, wx / size
    for j in range(states):
        e = 0.0
        if j == 0:
            e = ab * kap * kap
        elif j == 1:
            e = as_ * kap
        dl = lift_E * e
        dd = cd_E * e
        dm = cm_E * e
        if j == 3:
            dl, dd, dm = D, (l[3] - drag0) * S_d, lift * xd_f
        dd += lag * dl
        dm += by_lift * dl
        put_by_state(y, j, q, lx, ly, tip, c, d1, dl, dd, dm)
    if stall:
        slope = of_tables(codes, reals, k, foil, pt, SLOPE)
        rates(
            y, codes, reals, k, foil, pt, U, c, slope, zero, E, dE, n, dn, cp, fd, dU, ab, as_, kap
        )
    told(y, E, U, sound, cl, cd, cm, 0.5 * rho * U * U, sweep)


@inlined
def rates(y, codes, reals, k, foil, pt, U, c, slope, zero, E, dE, n, dn, cp, fd, dU, ab, as_, kap):
    """Equations of the lift that pressure has reached, and of the attached part."""
    P, Q = 2.0 / (c * reals[k, PRESSURE_LAG]), 2.0 / (c * reals[k, SEPARATION_LAG])
    short = slope * (E - zero) + n - cp
    put_output(y, 5, -P * U * short, -P * (dU[0] * short + U * (slope * dE[0] + dn[0])),
               -P * (dU[1] * short + U * (slope * dE[1] + dn[1])),
               -P * (dU[2] * short + U * (slope * dE[2] + dn[2])), -P * U * dn[3])  # fmt: skip
    f, by_angle = of_grids(codes, reals, k, foil, pt, SEPARATION, cp / slope + zero)
    left = f - fd
    put_output(y, 6, -Q * U * left, -Q * dU[0] * left, -Q * dU[1] * left, -Q * dU[2] * left, 0.0)
    s = BY_STATE + 5 * MOST_STATES
    y[s], y[s + 1] = -P * U * slope * ab * kap * kap, -P * U * slope * as_ * kap
    y[s + 2] = P * U
    s += MOST_STATES
    y[s + 2], y[s + 3] = -Q * U * by_angle / slope, Q * U
