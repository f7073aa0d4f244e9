"""Lifting surfaces by strip theory: sections at Gauss points along one body or along a beam.

The reference line passes through p_i = x_i + R_i f_i of the nodes with the section axes S_i =
R_i Q_i (x forward, y up, z along the span).  At a point

    p = Σ N_i p_i,   v = Σ N_i (v_i + ω_i × R_i f_i),   ω = Σ N_i ω_i,   S = exp(Σ N_i θ_i) S_r

with turns θ_i from a reference node r, as beams have them (elements.beams.kernels); the section is
turned by twist and control about its span, E = S R_z.  Against the air it moves with

    w = v − v_air(p, t) + u a₃,   (Vx, Vy) = Eᵀw,   ωz = e₃·ω

u being what a rotor induces along its axis a₃ (field).  The section gives f = (fx, fy, fz) and m
(section); F = E f and M = e₃ m − e₂ d fz, with fz at d e₁, act at p, on the node whose piece of
the beam the point belongs to, and where there is a rotor their sum over all surfaces is the rotor's
load: thrust a₃·F and moments a₁·, a₂·((p − x_hub) × F + M).

The tangent is exact (surfaces.tangent).
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.aero.air.wind import UP
from linkwork.elements.aero.surfaces.layout import (
    AIR, BODIES, CENTRE_AC, FIELD, FIRST, FIRST_CODE, INFLOW_VALUES, LOADS, NODE, PIECE, POINT,
    POINTS, POINT_CODES, RADIUS, SPANWISE, STATES, TOTAL, VALUE, WEIGHT, WORK,
)  # fmt: skip
from linkwork.elements.aero.surfaces.motion import (
    ZERO, from_axes, rotor_frame, section_at, take_nodes,
)  # fmt: skip
from linkwork.elements.aero.surfaces.rotor_columns import rotor_columns
from linkwork.elements.aero.surfaces.survey import TOLD_NUMBERS, put_point
from linkwork.elements.aero.surfaces.tangent import (
    node_columns, node_rows, own_motion, state_columns,
)  # fmt: skip
from linkwork.elements.beams.kernels.turning import B_TERMS, C_TERMS, series, turn_map
from linkwork.elements.layout import CD, CK, OMEGA, OUT, POS, ROT, STRIDE, TANGENT, VEL
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at9, cross, dot, scale, sub, three, tv,
)  # fmt: skip


def surface_kernel(ints, reals, motion, loads):
    nodes, values, time, coef = motion.nodes, motion.values, motion.time, motion.coef
    f, balance, vals, power = loads.f, loads.balance, loads.vals, loads.power
    y, given, found = np.zeros(WORK), np.zeros(3), np.zeros(3)
    tangent = coef[TANGENT] != 0.0
    cK, cD = coef[CK], coef[CD]
    for k in range(ints.shape[0]):
        codes = ints[:, ints[k, ints.shape[1] - 1] :]
        n, states, kind = codes[k, BODIES], codes[k, STATES], codes[k, FIELD]
        points, first = codes[k, POINTS], codes[k, FIRST]
        rotor = n + (1 if states > 0 else 0)
        ends = rotor + (4 if kind > 0 else 0)
        qr = take_nodes(ints, reals, nodes, k, n, first - NODE * n, y)
        A, centre, hub_arm, radius = IDENTITY, ZERO, ZERO, 1.0
        if kind > 0:
            A, centre, hub_arm = rotor_frame(ints, reals, nodes, k, rotor)
            radius = reals[k, RADIUS]
        a1, a2, a3 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
        up = at(reals, k, AIR + UP)
        wide = 8 * ((states * points + 7) // 8)
        for i in range(TOTAL, WORK):
            y[i] = 0.0
        if tangent and n > 1:
            node_rows(ints, nodes, k, n, cK, cD, y)
        for point in range(points):
            pt = first + POINT * point
            at_point = section_at(
                ints, codes, reals, k, n, states, kind, rotor, point, nodes, values, time, qr, A,
                centre, radius, y, given, found,
            )  # fmt: skip
            p, spin, theta, e1, e2, e3, w, G, away, u, ux, uy, u0, u1, u2, u3 = at_point
            if coef[OUT] != 0.0:
                put_point(
                    loads.out, reals, k, pt, n, y, p, spin, e1, e2, e3, u, TOLD_NUMBERS * point
                )  # fmt: skip
            z = 0
            if states > 0:
                z = ints[k, n] + states * point
                for j in range(states):
                    balance[z + j] += y[VALUE + 3 + j]
            length, fz = reals[k, pt + WEIGHT], y[VALUE + SPANWISE]
            F = scale(length, from_axes(y[VALUE], y[VALUE + 1], fz, e1, e2, e3))
            ac = reals[k, pt + CENTRE_AC]
            M = scale(length, from_axes(0.0, -ac * fz, y[VALUE + 2], e1, e2, e3))
            piece = codes[k, codes[k, FIRST_CODE] + POINT_CODES * point + PIECE]
            body = ints[k, piece]
            R, arm = at9(nodes, body, ROT), sub(p, at(nodes, body, POS))
            moment = add(cross(arm, F), M)
            local = tv(R, moment)
            accumulate(f, body, 0, scale(-1.0, F))
            accumulate(f, body, 3, scale(-1.0, local))
            power[1] += dot(F, at(nodes, body, VEL)) + dot(local, at(nodes, body, OMEGA))
            if kind > 0:
                total = add(cross(away, F), M)
                load = ints[k, rotor + LOADS]
                balance[load] -= dot(a3, F)
                balance[load + 1] -= dot(a1, total)
                balance[load + 2] -= dot(a2, total)
            if not tangent:
                continue
            if n == 1:
                node_rows(ints, nodes, k, n, cK, cD, y)
            T = IDENTITY
            if n > 1:
                b, _, _ = series(B_TERMS, dot(theta, theta))
                g, _, _ = series(C_TERMS, dot(theta, theta))
                T = turn_map(theta, b, g)
            for i in range(n):
                node_columns(
                    vals, ints, reals, k, n, i, ends, piece, rotor, point, pt, states, kind, T,
                    length, e1, e2, e3, w, spin, G, up, R, arm, F, M, A, away, y,
                )  # fmt: skip
            for i in range(3):
                y[TOTAL + 6 * piece + i] += F[i]
                y[TOTAL + 6 * piece + 3 + i] += local[i]
            if states > 0:
                state_columns(
                    vals, ints, values, k, n, ends, piece, rotor, point, points, states, wide,
                    length, R, arm, e1, e2, e3, A, away, kind, z, y,
                )  # fmt: skip
            if kind > 0:
                rotor_columns(
                    vals, ints, nodes, values, k, n, ends, piece, rotor, point, states, length, e1,
                    e2, e3, ac, R, arm, A, away, hub_arm, u, ux, uy, u0, u1, u2, u3, F, M, cK, y,
                )  # fmt: skip
        if tangent:
            for i in range(n):
                own_motion(
                    vals, ints[k, ends + ends * i + i], at9(nodes, ints[k, i], ROT),
                    three(y, TOTAL + 6 * i), three(y, TOTAL + 6 * i + 3), cK,
                )  # fmt: skip


SURFACE_KERNEL = Kernel(surface_kernel, allocates=True)
assert INFLOW_VALUES <= STRIDE
