"""The magic formula: forces and moments of a tyre over slip, camber and load.

    y = D sin(C atan(B x − E (B x − atan(B x))))

with coefficients over the load, dfz = F_z/F_z0 − 1, and the camber γ, weights for combined slip and
the pneumatic trail: MF 5.2 (H. B. Pacejka: Tyre and Vehicle Dynamics, 2nd edition 2006, section
4.3.2, equations 4.E1 to 4.E78, without turn slip), signs and names of the coefficients as in .tir
files: κ = −V_sx/|V_x|, tan α = V_sy/|V_x|, γ about the heading, forces on the wheel, z up.

MF 6.1 (3rd edition 2012) at its nominal pressure differs in the camber thrust: with CAMBER = 1

    S_Hy = (PHY1 + PHY2 dfz) + (K_yγ γ − S_Vyγ)/K_yα,   K_yγ = F_z (PKY6 + PKY7 dfz)

in the place of PHY3 γ, and K_yα has PKY4 and PKY5 of its own (2 and 0 in MF 5.2).  Scaling factors
are multiplied into the coefficients (tir.py).
"""

from __future__ import annotations

import math

from linkwork.elements.tyres.duals import (
    arctan, at_most, by, cosine, curve, exponential, line, minus, of, over, plus, sine, size, times,
)  # fmt: skip
from linkwork.kernels.compiled import inlined

COEFFICIENTS = (
    "FNOMIN", "R0", "CAMBER",
    "PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3",
    "PHX1", "PHX2", "PVX1", "PVX2",
    "RBX1", "RBX2", "RCX1", "REX1", "REX2", "RHX1",
    "PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3", "PEY4", "PKY1", "PKY2", "PKY3", "PKY4",
    "PKY5", "PKY6", "PKY7", "PHY1", "PHY2", "PHY3", "PVY1", "PVY2", "PVY3", "PVY4",
    "RBY1", "RBY2", "RBY3", "RCY1", "REY1", "REY2", "RHY1", "RHY2", "RVY1", "RVY2", "RVY3", "RVY4",
    "RVY5", "RVY6",
    "QBZ1", "QBZ2", "QBZ3", "QBZ4", "QBZ5", "QBZ9", "QBZ10", "QCZ1", "QDZ1", "QDZ2", "QDZ3",
    "QDZ4", "QDZ6", "QDZ7", "QDZ8", "QDZ9", "QEZ1", "QEZ2", "QEZ3", "QEZ4", "QEZ5", "QHZ1", "QHZ2",
    "QHZ3", "QHZ4", "SSZ1", "SSZ2", "SSZ3", "SSZ4",
    "QSX1", "QSX2", "QSX3", "QSY1", "QSY2",
)  # fmt: skip
COUNT = len(COEFFICIENTS)
(
    FNOMIN, R0, CAMBER,
    PCX1, PDX1, PDX2, PDX3, PEX1, PEX2, PEX3, PEX4, PKX1, PKX2, PKX3, PHX1, PHX2, PVX1, PVX2,
    RBX1, RBX2, RCX1, REX1, REX2, RHX1,
    PCY1, PDY1, PDY2, PDY3, PEY1, PEY2, PEY3, PEY4, PKY1, PKY2, PKY3, PKY4, PKY5, PKY6, PKY7,
    PHY1, PHY2, PHY3, PVY1, PVY2, PVY3, PVY4,
    RBY1, RBY2, RBY3, RCY1, REY1, REY2, RHY1, RHY2, RVY1, RVY2, RVY3, RVY4, RVY5, RVY6,
    QBZ1, QBZ2, QBZ3, QBZ4, QBZ5, QBZ9, QBZ10, QCZ1, QDZ1, QDZ2, QDZ3, QDZ4, QDZ6, QDZ7, QDZ8,
    QDZ9, QEZ1, QEZ2, QEZ3, QEZ4, QEZ5, QHZ1, QHZ2, QHZ3, QHZ4, SSZ1, SSZ2, SSZ3, SSZ4,
    QSX1, QSX2, QSX3, QSY1, QSY2,
) = range(COUNT)  # fmt: skip
LEAST = 1e-6  # N and N/rad: what is divided by is never smaller


@inlined
def inner(b, e, x):
    """B x − E (B x − atan(B x))."""
    bx = times(b, x)
    return minus(bx, times(e, minus(bx, arctan(bx))))


@inlined
def shape(c, b, e, x):
    """C atan(B x − E (B x − atan(B x)))."""
    return by(c, arctan(inner(b, e, x)))


@inlined
def curvature(e, skew, x):
    """E (1 − skew sgn x), at most one."""
    side = 1.0 if x[0] >= 0.0 else -1.0
    return at_most(times(e, line(1.0, -side, skew)), 1.0)


@inlined
def away_from_zero(x):
    """x, moved so that it can be divided by."""
    return line(LEAST if x[0] >= 0.0 else -LEAST, 1.0, x)


@inlined
def magic_formula(reals, k, p, kappa, alpha, gamma, load):
    """Duals of F_x, F_y, M_z, M_x and M_y; p: the first column of the coefficients."""
    zero = (0.0, 0.0, 0.0, 0.0, 0.0)
    x, a, g, Fz = (
        (kappa, 1.0, 0.0, 0.0, 0.0), (alpha, 0.0, 1.0, 0.0, 0.0), (gamma, 0.0, 0.0, 1.0, 0.0),
        (load, 0.0, 0.0, 0.0, 1.0),
    )  # fmt: skip
    nominal, r0 = reals[k, p + FNOMIN], reals[k, p + R0]
    dfz = line(-1.0, 1.0 / nominal, Fz)
    gg = times(g, g)
    # along
    Cx = reals[k, p + PCX1]
    Dx = times(times(line(reals[k, p + PDX1], reals[k, p + PDX2], dfz),
                     line(1.0, -reals[k, p + PDX3], gg)), Fz)  # fmt: skip
    Kx = times(times(line(reals[k, p + PKX1], reals[k, p + PKX2], dfz),
                     exponential(by(reals[k, p + PKX3], dfz))), Fz)  # fmt: skip
    Bx = over(Kx, away_from_zero(by(Cx, Dx)))
    kx = plus(x, line(reals[k, p + PHX1], reals[k, p + PHX2], dfz))
    Ex = curvature(curve(reals[k, p + PEX1], reals[k, p + PEX2], reals[k, p + PEX3], dfz),
                   line(reals[k, p + PEX4], 0.0, zero), kx)  # fmt: skip
    SVx = times(line(reals[k, p + PVX1], reals[k, p + PVX2], dfz), Fz)
    Fx = plus(times(Dx, sine(shape(Cx, Bx, Ex, kx))), SVx)
    # across
    Cy = reals[k, p + PCY1]
    mu = times(line(reals[k, p + PDY1], reals[k, p + PDY2], dfz),
               line(1.0, -reals[k, p + PDY3], gg))  # fmt: skip
    Dy = times(mu, Fz)
    softer = line(reals[k, p + PKY2], reals[k, p + PKY5], gg)
    bent = by(reals[k, p + PKY4], arctan(over(by(1.0 / nominal, Fz), softer)))
    Ky = times(by(reals[k, p + PKY1] * nominal, sine(bent)),
               line(1.0, -reals[k, p + PKY3], size(g)))  # fmt: skip
    Kydiv = away_from_zero(Ky)
    By = over(Ky, away_from_zero(by(Cy, Dy)))
    SVg = times(times(line(reals[k, p + PVY3], reals[k, p + PVY4], dfz), g), Fz)
    SVy = plus(times(line(reals[k, p + PVY1], reals[k, p + PVY2], dfz), Fz), SVg)
    SHy = line(reals[k, p + PHY1], reals[k, p + PHY2], dfz)
    if reals[k, p + CAMBER] != 0.0:
        Kg = times(times(line(reals[k, p + PKY6], reals[k, p + PKY7], dfz), Fz), g)
        SHy = plus(SHy, over(minus(Kg, SVg), Kydiv))
    else:
        SHy = plus(SHy, by(reals[k, p + PHY3], g))
    ay = plus(a, SHy)
    Ey = curvature(line(reals[k, p + PEY1], reals[k, p + PEY2], dfz),
                   line(reals[k, p + PEY3], reals[k, p + PEY4], g), ay)  # fmt: skip
    Fy0 = plus(times(Dy, sine(shape(Cy, By, Ey, ay))), SVy)
    # combined slip
    one = line(1.0, 0.0, zero)
    Bxa = by(reals[k, p + RBX1], cosine(arctan(by(reals[k, p + RBX2], x))))
    Exa = line(reals[k, p + REX1], reals[k, p + REX2], dfz)
    shift = line(reals[k, p + RHX1], 0.0, zero)
    Cxa = reals[k, p + RCX1]
    Gx = over(cosine(shape(Cxa, Bxa, Exa, plus(a, shift))), cosine(shape(Cxa, Bxa, Exa, shift)))
    Fx = times(Gx, Fx)
    Byk = by(reals[k, p + RBY1],
             cosine(arctan(by(reals[k, p + RBY2], line(-reals[k, p + RBY3], 1.0, a)))))  # fmt: skip
    Eyk = line(reals[k, p + REY1], reals[k, p + REY2], dfz)
    shift = line(reals[k, p + RHY1], reals[k, p + RHY2], dfz)
    Cyk = reals[k, p + RCY1]
    Gy = over(cosine(shape(Cyk, Byk, Eyk, plus(x, shift))), cosine(shape(Cyk, Byk, Eyk, shift)))
    swerve = plus(line(reals[k, p + RVY1], reals[k, p + RVY2], dfz), by(reals[k, p + RVY3], g))
    SVk = times(times(times(Dy, swerve), cosine(arctan(by(reals[k, p + RVY4], a)))),
                sine(by(reals[k, p + RVY5], arctan(by(reals[k, p + RVY6], x)))))  # fmt: skip
    own = times(Gy, Fy0)
    Fy = plus(own, SVk)
    # moments
    ratio = over(Kx, Kydiv)
    SHt = plus(line(reals[k, p + QHZ1], reals[k, p + QHZ2], dfz),
               times(line(reals[k, p + QHZ3], reals[k, p + QHZ4], dfz), g))  # fmt: skip
    at = with_slip(plus(a, SHt), ratio, x)
    ar = with_slip(plus(plus(a, SHy), over(SVy, Kydiv)), ratio, x)
    Bt = times(curve(reals[k, p + QBZ1], reals[k, p + QBZ2], reals[k, p + QBZ3], dfz),
               plus(line(1.0, reals[k, p + QBZ4], g), by(reals[k, p + QBZ5], size(g))))  # fmt: skip
    Ct = reals[k, p + QCZ1]
    Et = times(curve(reals[k, p + QEZ1], reals[k, p + QEZ2], reals[k, p + QEZ3], dfz),
               plus(one, times(line(reals[k, p + QEZ4], reals[k, p + QEZ5], g),
                               by(2.0 / math.pi, arctan(by(Ct, times(Bt, at)))))))  # fmt: skip
    Et = at_most(Et, 1.0)
    Dt = by(r0 / nominal, times(times(Fz, line(reals[k, p + QDZ1], reals[k, p + QDZ2], dfz)),
                                curve(1.0, reals[k, p + QDZ3], reals[k, p + QDZ4], g)))  # fmt: skip
    trail = times(times(Dt, cosine(shape(Ct, Bt, Et, at))), cosine(a))
    Br = line(reals[k, p + QBZ9], reals[k, p + QBZ10] * Cy, By)
    of_camber = times(line(reals[k, p + QDZ8], reals[k, p + QDZ9], dfz), g)
    Dr = plus(line(reals[k, p + QDZ6], reals[k, p + QDZ7], dfz), of_camber)
    Dr = by(r0, times(Fz, Dr))
    residual = times(times(Dr, cosine(arctan(times(Br, ar)))), cosine(a))
    arm = by(r0, plus(line(reals[k, p + SSZ1], reals[k, p + SSZ2] / nominal, Fy),
                      times(line(reals[k, p + SSZ3], reals[k, p + SSZ4], dfz), g)))  # fmt: skip
    Mz = plus(minus(residual, times(trail, own)), times(arm, Fx))
    Mx = by(r0, times(Fz, plus(line(reals[k, p + QSX1], -reals[k, p + QSX2], g),
                               by(reals[k, p + QSX3] / nominal, Fy))))  # fmt: skip
    My = by(-r0, times(Fz, line(reals[k, p + QSY1], reals[k, p + QSY2] / nominal, Fx)))
    return Fx, Fy, Mz, Mx, My


@inlined
def with_slip(a, ratio, x):
    """The slip angle that has the effect of a and κ together: √(a² + (K_x/K_y κ)²) sgn a."""
    other = times(ratio, x)
    square = a[0] * a[0] + other[0] * other[0]
    if square <= 1e-24:
        return a
    root = math.sqrt(square)
    side = 1.0 if a[0] >= 0.0 else -1.0
    u, v = side * a[0] / root, side * other[0] / root
    return (
        side * root, u * a[1] + v * other[1], u * a[2] + v * other[2], u * a[3] + v * other[3],
        u * a[4] + v * other[4],
    )  # fmt: skip


@inlined
def brush(reals, k, p, kappa, alpha, gamma, load):
    """The brush model (Pacejka, section 3.2): F = μ F_z (1 − (1 − θ σ)³) against the slip, with

        σ_x = κ/(1 + κ), σ_y = tan α/(1 + κ), θ = C F_z/F_z0/(3 μ F_z),  M_z = −trail F_y

    C the stiffness at the nominal load, which grows with the load; columns: μ PDX1, C PKX1 (N),
    half the length of the patch QDZ1 (m).
    """
    zero = (0.0, 0.0, 0.0, 0.0, 0.0)
    mu, stiff = reals[k, p + PDX1], reals[k, p + PKX1] / reals[k, p + FNOMIN]
    t, half = math.tan(alpha), reals[k, p + QDZ1]
    below = max(1.0 + kappa, 0.05)
    slope = 1.0 if 1.0 + kappa > 0.05 else 0.0
    sx = (kappa / below, (1.0 - slope * kappa / below) / below, 0.0, 0.0, 0.0)
    sy = (t / below, -slope * t / (below * below), (1.0 + t * t) / below, 0.0, 0.0)
    total = math.sqrt(sx[0] * sx[0] + sy[0] * sy[0])
    theta = stiff / (3.0 * mu)
    Fz = (load, 0.0, 0.0, 0.0, 1.0)
    z = theta * total
    if z >= 1.0:
        s = of(total, 1.0, slide_change(sx, sy, total))
        force = over(by(mu, Fz), s)
        return times(force, sx), by(-1.0, times(force, sy)), zero, zero, zero
    # (1 − (1 − z)³)/σ = θ (3 − 3 z + z²), smooth at no slip
    s2 = plus(times(sx, sx), times(sy, sy))
    zd = by(theta, of(total, 1.0, slide_change(sx, sy, max(total, 1e-12))))
    part = plus(line(3.0, -3.0, zd), by(theta * theta, s2))
    force = times(by(mu * theta, Fz), part)
    Fx, Fy = times(force, sx), by(-1.0, times(force, sy))
    left = line(1.0, -1.0, zd)
    trail = over(by(half, times(left, times(left, left))), part)
    return Fx, Fy, by(-1.0, times(trail, Fy)), zero, zero


@inlined
def slide_change(sx, sy, total):
    """√(σ_x² + σ_y²) and its slopes."""
    u, v = sx[0] / total, sy[0] / total
    return (
        total, u * sx[1] + v * sy[1], u * sx[2] + v * sy[2], u * sx[3] + v * sy[3],
        u * sx[4] + v * sy[4],
    )  # fmt: skip
