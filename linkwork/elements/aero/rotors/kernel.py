"""The equations of a rotor's loads and inflow (linkwork.elements.aero.rotors.inflow).

The loads are values of a node of order zero: its equations say that they are the sums over all
lifting surfaces of the rotor, which subtract theirs.  The inflow is a node of order zero, or one
where it is dynamic; a steady mean inflow is then a third node.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.aero.air import wind
from linkwork.elements.aero.rotors.inflow import (
    DYNAMIC, HEIGHT, INPUTS, M0, M1, MX, MY, OMEGA as TURN, Q0, RHO, ROWS, STEADY, T, V1, V2, V3,
    inflow_rows,
)  # fmt: skip
from linkwork.elements.layout import (
    BY_RATE, BY_VALUE, CD, CK, OMEGA, POS, RATE, ROT, STRIDE, TANGENT, VALUE, VEL,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, at, at9, cross, dot, mm, mv, scale, sub, tv

# reals: radius, threshold of the speed, smallest speed squared, k_H, k_F, whether there is ground,
# a point of it and its normal, axes and place on the craft, centre on the hub; then the air
RADIUS, THRESHOLD, SMALL, KH, KF, GROUND, POINT, NORMAL, AXES, PLACE, CENTRE, AIR = record(
    radius=1, threshold=1, small=1, kh=1, kf=1, ground=1, point=3, normal=3, axes=9, place=3,
    centre=3, air=0,
)  # fmt: skip
# integers: kind and variant of the inflow, the air; last the column where these begin
KIND, VARIANT, AIR_CODES = record(kind=1, variant=1, air_codes=0)
LOADS, INFLOW = 0, 1
TINY = 1e-30


@inlined
def rotor_state(codes, reals, k, nodes, craft, hub, time, given, found):
    """Axes, the velocity of the air against the rotor, density, and what they are made of."""
    Rc, Rh = at9(nodes, craft, ROT), at9(nodes, hub, ROT)
    A, f = mm(Rc, at9(reals, k, AXES)), at(reals, k, PLACE)
    arm = mv(Rh, at(reals, k, CENTRE))
    x = add(at(nodes, hub, POS), arm)
    v, G, rho, _, rho_h, _ = wind.air_at(
        codes, reals, k, AIR_CODES, AIR, x, time, given, found
    )
    wc, wh = mv(Rc, at(nodes, craft, OMEGA)), mv(Rh, at(nodes, hub, OMEGA))
    swung = mv(Rc, cross(at(nodes, craft, OMEGA), f))
    y = sub(v, add(at(nodes, craft, VEL), swung))
    return A, Rc, Rh, f, arm, x, y, G, rho, rho_h, wc, wh, swung


@inlined
def column(reals, k, j, hub, cK, cD, A, R, f, arm, y, G, rho_h, wc, wh, swung, up, d):
    """Change of v₁ v₂ v₃, Ω, height, density with increment j of the hub or of the craft."""
    e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    a3, n = (A[2], A[5], A[8]), at(reals, k, NORMAL)
    turn = (0.0, 0.0, 0.0)
    if j >= 3:
        turn = mv(R, e)
    if hub:
        moved = scale(cK, e) if j < 3 else scale(cK, cross(turn, arm))
        dy = mv(G, moved)
        d[3] = dot(a3, add(scale(cK, cross(turn, wh)), scale(cD, turn)))
        d[4], d[5] = dot(n, moved), rho_h * dot(up, moved)
    else:
        if j < 3:
            dy = scale(-cD, e)
        else:
            dy = scale(-1.0, add(scale(cD, mv(R, cross(e, f))), scale(cK, cross(turn, swung))))
            dy = add(dy, scale(cK, cross(y, turn)))
        d[3] = dot(a3, scale(-1.0, add(scale(cK, cross(turn, wc)), scale(cD, turn))))
        d[3] += cK * dot(cross(turn, a3), sub(wh, wc))
        d[4], d[5] = 0.0, 0.0
    d[0], d[1], d[2] = tv(A, dy)


def rotor_kernel(ints, reals, motion, loads):
    nodes, values, coef, vals = motion.nodes, motion.values, motion.coef, loads.vals
    given, found, d = np.zeros(3), np.zeros(3), np.zeros(6)
    z, out = np.zeros(INPUTS, np.complex128), np.zeros(ROWS, np.complex128)
    slopes = np.zeros((ROWS, INPUTS))
    for k in range(ints.shape[0]):
        codes = ints[:, ints[k, ints.shape[1] - 1] :]
        kind, variant = codes[k, KIND], codes[k, VARIANT]
        dynamic = kind == DYNAMIC
        n = 5 if dynamic else 4
        craft, hub = ints[k, n - 2], ints[k, n - 1]
        A, Rc, Rh, f, arm, x, y, G, rho, rho_h, wc, wh, swung = rotor_state(
            codes, reals, k, nodes, craft, hub, motion.time, given, found
        )
        v = tv(A, y)
        a, b = ints[k, LOADS], ints[k, INFLOW]
        z[T], z[MX], z[MY] = values[VALUE, a], values[VALUE, a + 1], values[VALUE, a + 2]
        z[V1], z[V2], z[V3] = v
        z[TURN] = dot((A[2], A[5], A[8]), sub(wh, wc))
        z[HEIGHT] = dot(at(reals, k, NORMAL), sub(x, at(reals, k, POINT)))
        z[RHO] = rho
        for i in range(4):
            z[Q0 + i] = values[VALUE, b + i]
        z[STEADY] = values[VALUE, ints[k, 2]] if dynamic else 0.0
        turns = abs(z[TURN].real) > reals[k, THRESHOLD]
        radius, small = reals[k, RADIUS], reals[k, SMALL]
        inflow_rows(kind, variant, turns, z, radius, reals[k, KH], reals[k, KF], reals[k, GROUND],
                    small, out)  # fmt: skip
        mass = rho * math.pi * radius**3  # ρ A R
        rows = ROWS if dynamic else 4
        for i in range(3):
            loads.balance[a + i] += values[VALUE, a + i]
        for i in range(4):
            loads.balance[b + i] += out[i].real
            if dynamic:
                rate = values[RATE, b + i]
                if i < 3 and turns:
                    rate *= mass * (M0 if i == 0 else M1)
                loads.balance[b + i] += rate
        if dynamic:
            loads.balance[ints[k, 2]] += out[4].real
        if coef[TANGENT] == 0.0:
            continue
        for j in range(INPUTS):
            z[j] += 1j * TINY
            inflow_rows(kind, variant, turns, z, radius, reals[k, KH], reals[k, KF],
                        reals[k, GROUND], small, out)  # fmt: skip
            z[j] -= 1j * TINY
            for i in range(ROWS):
                slopes[i, j] = out[i].imag / TINY
        if dynamic and turns:  # the mass of air by the density
            for i in range(3):
                slopes[i, RHO] += mass / rho * (M0 if i == 0 else M1) * values[RATE, b + i]
        base = n
        for i in range(3):
            vals[ints[k, base + n * LOADS + LOADS] + STRIDE * i + i] += values[BY_VALUE, a + i]
        for row in range(rows):
            end, line = (INFLOW, row) if row < 4 else (2, 0)
            p = ints[k, base + n * end + LOADS] + STRIDE * line
            for j in range(3):
                vals[p + j] += slopes[row, T + j] * values[BY_VALUE, a + j]
            p = ints[k, base + n * end + INFLOW] + STRIDE * line
            for j in range(4):
                vals[p + j] += slopes[row, Q0 + j] * values[BY_VALUE, b + j]
                if dynamic and j == row:
                    by = 1.0
                    if j < 3 and turns:
                        by = mass * (M0 if j == 0 else M1)
                    vals[p + j] += by * values[BY_RATE, b + j]
            if dynamic:
                p = ints[k, base + n * end + 2] + STRIDE * line
                vals[p] += slopes[row, STEADY] * values[BY_VALUE, ints[k, 2]]
        up = at(reals, k, AIR + wind.UP)
        for side in range(2):
            R = Rh if side == 1 else Rc
            for j in range(6):
                column(reals, k, j, side == 1, coef[CK], coef[CD], A, R, f, arm, y, G, rho_h, wc,
                       wh, swung, up, d)  # fmt: skip
                for row in range(rows):
                    end, line = (INFLOW, row) if row < 4 else (2, 0)
                    p = ints[k, base + n * end + n - 2 + side] + STRIDE * line + j
                    for i in range(6):
                        vals[p] += slopes[row, V1 + i] * d[i]


ROTOR_KERNEL = Kernel(rotor_kernel, allocates=True)
assert tuple(range(V1, V1 + 6)) == (V1, V2, V3, TURN, HEIGHT, RHO)
