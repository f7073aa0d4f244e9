"""Geometrically exact beams by finite volumes: strains, forces and moments on the nodes.

Node i is a body; the beam's axis passes through p_i = x_i + R_i f_i with the section axes
S_i = R_i Q_i.  Turns are measured from a reference node r (the middle one of three, the first of
two) and interpolated, positions too:

    exp(θ̃_i) = S_i S_rᵀ,   θ(s) = Σ N_i θ_i,   S(s) = exp(θ̃) S_r,   p(s) = Σ N_i p_i

which is objective, does not depend on the way here, and holds for θ_i below half a turn; with two
nodes the mid section has half the turn between them.  At a point with the section's axes E = S Q,

    ε = Eᵀ p′ − ε0,   κ = Eᵀ T(θ) θ′ − κ0,   (n, m) = law(ε, κ, ε̇, κ̇),   F = E n,  M = E m

Sections at the points cut the beam into pieces, one for each node.  Their equilibrium is

    on the node before a point   F,  (p − x_i) × F + M      and the opposite on the node behind it

(G. L. Ghiringhelli, P. Masarati, P. Mantegazza: Multibody implementation of finite volume C0
beams, AIAA Journal 38 (2000)): three nodes with points at ξ = ±1/√3, two with one in the middle.

World spins φ_i = R_i w_i of the nodes turn the section by φ = φ_r + Σ Θ_i (φ_i − φ_r),

    Θ_i = N_i T(θ) T⁻¹(θ_i),   Θ_i′ = (N_i′ T + N_i dT[θ′]) T⁻¹(θ_i),   φ′ = Σ Θ_i′ (φ_i − φ_r)
    E δε = δp′ + p′ × φ,   E δκ = φ′;    rates ε̇, κ̇ alike with the angular velocities

The forces are no gradient of the strain energy Σ weight · W(ε, κ), from which they differ by the
error of the mesh; that part of their power counts as supplied, so that the energy account of a run
shows the error of its time steps alone.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.beams.layout import (
    ARM, AXES, DAMPED, GIVEN, INVERSE, LINEAR, NODE, NODE_WORK, PLACE, SECTION, SHAPE, SLOPE,
    SPEED, SPIN, STIFF, STRAIN0, TURN, TWIST, VISCOUS, WEIGHT, F, Q,
)  # fmt: skip
from linkwork.elements.beams.layout import STRESS as GIVEN_N
from linkwork.elements.beams.kernels.outputs import write_section
from linkwork.elements.beams.kernels.tangent import (
    ROOM, point_tangent, rate_matrices, shape_matrices,
)  # fmt: skip
from linkwork.elements.beams.kernels.turning import (
    B_TERMS, C_TERMS, inverse_coefficient, inverse_map, series, turn_between, turn_map,
    turn_map_change,
)  # fmt: skip
from linkwork.elements.laws.base import (
    KD, KE, RATE, STORED, STRAIN, STRESS, SUPPLIED, WANTED, respond,
)  # fmt: skip
from linkwork.elements.laws.base import WORK as LAW_WORK
from linkwork.elements.layout import CD, CK, OMEGA, OUT, POS, QUAT, ROT, SIX, TANGENT, VEL
from linkwork.elements.layout import NODE as BODY
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_spliced, inlined, spliced
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin, shift
from linkwork.kernels.rotations import qconj, qexp, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    add, cross, dot, four, gather, mv, nine, scale, sub, three, tv,
)  # fmt: skip

MOST_TURN = 0.99 * math.pi  # between two nodes; beyond half a turn the interpolation jumps
GIVEN_M = GIVEN_N + 3
ZERO = (0.0, 0.0, 0.0)


@inlined
def put3(y, p, v):
    y[p], y[p + 1], y[p + 2] = v


@inlined
def put9(y, p, X):
    y[p], y[p + 1], y[p + 2], y[p + 3], y[p + 4], y[p + 5], y[p + 6], y[p + 7], y[p + 8] = X


@inlined
def turned_axes(q, x, at_):
    """A quaternion times the one at `at_`, which often is that of no turn."""
    own = four(x, at_)
    still = own[1] == 0.0 and own[2] == 0.0 and own[3] == 0.0
    return q if still else qmul(q, own)


@spliced
def take_nodes(ints, x, flat, k, c, n, r, y):
    """Places, arms, velocities and turns of the nodes into the work; axes of the reference node.

    The element's numbers begin at c in x."""
    b = BODY * ints[k, r]
    qr = turned_axes(four(flat, b + QUAT), x, c + NODE * r + Q)
    wr = mv(nine(flat, b + ROT), three(flat, b + OMEGA))
    for i in range(n):
        b, at_ = BODY * ints[k, i], NODE_WORK * i
        R, offset = nine(flat, b + ROT), three(x, c + NODE * i + F)
        place, speed, w = three(flat, b + POS), three(flat, b + VEL), wr
        if i != r:
            w = mv(R, three(flat, b + OMEGA))
            q = turned_axes(four(flat, b + QUAT), x, c + NODE * i + Q)
            theta = turn_between(qmul(q, qconj(qr)))
            put3(y, at_ + TURN, theta)
            put3(y, at_ + TWIST, sub(w, wr))
            put9(y, at_ + INVERSE, inverse_map(theta, inverse_coefficient(dot(theta, theta))))
        put3(y, at_ + SPIN, w)
        if dot(offset, offset) == 0.0:
            put3(y, at_ + ARM, ZERO)
        else:
            arm = mv(R, offset)
            put3(y, at_ + ARM, arm)
            place, speed = add(place, arm), add(speed, cross(w, arm))
        put3(y, at_ + PLACE, place)
        put3(y, at_ + SPEED, speed)
    return qr


@fused_spliced
def interpolate(x, c, n, field, y):
    """Σ N_i x_i and Σ N_i′ x_i of the numbers x_i at `field` of the nodes."""
    value, slope = ZERO, ZERO
    for i in range(n):
        v = three(y, NODE_WORK * i + field)
        value = add(value, scale(x[c + SHAPE + i], v))
        slope = add(slope, scale(x[c + SLOPE + i], v))
    return value, slope


@fused_spliced
def interpolate_turn(x, c, n, r, y):
    """θ, θ′, and their rates."""
    theta, theta1, rate, rate1 = ZERO, ZERO, ZERO, ZERO
    for i in range(n):
        if i != r:
            N, N1 = x[c + SHAPE + i], x[c + SLOPE + i]
            t = three(y, NODE_WORK * i + TURN)
            v = mv(nine(y, NODE_WORK * i + INVERSE), three(y, NODE_WORK * i + TWIST))
            theta, theta1 = add(theta, scale(N, t)), add(theta1, scale(N1, t))
            rate, rate1 = add(rate, scale(N, v)), add(rate1, scale(N1, v))
    return theta, theta1, rate, rate1


@spliced
def linear_stress(x, c, y, strain, bent, rate, turn, tangent):
    """Force and moment of a linear section, dissipated part of the power; for the tangent C and D
    to the work."""
    s = c + SECTION
    if tangent:
        for i in range(36):
            y[STIFF + i] = x[s + i]
    n = add(mv(nine(x, s), strain), mv(nine(x, s + 9), bent))
    m = add(mv(nine(x, s + 18), strain), mv(nine(x, s + 27), bent))
    lost = 0.0
    if x[c + DAMPED] != 0.0:
        if tangent:
            for i in range(36):
                y[VISCOUS + i] = x[s + 36 + i]
        nd = add(mv(nine(x, s + 36), rate), mv(nine(x, s + 45), turn))
        md = add(mv(nine(x, s + 54), rate), mv(nine(x, s + 63), turn))
        lost = dot(nd, rate) + dot(md, turn)
        n, m = add(n, nd), add(m, md)
    return n, m, lost


@inlined
def law_stress(reals, ints, c, q, y, z, time, strain, bent, rate, turn, energy):
    """The same of a law, whose work is z; what time supplies beside it."""
    put3(z, STRAIN, strain)
    put3(z, STRAIN + 3, bent)
    put3(z, RATE, rate)
    put3(z, RATE + 3, turn)
    z[WANTED] = energy
    respond(time, shift(begin(reals), c + SECTION), begin(z), shift(begin(ints), q))
    lost = 0.0
    for i in range(6):
        lost += (z[STRESS + i] - z[STORED + i]) * z[RATE + i]
        for j in range(6):
            place = 18 * (i // 3) + 9 * (j // 3) + 3 * (i % 3) + j % 3
            y[STIFF + place] = z[KE + 6 * i + j]
            y[VISCOUS + place] = z[KD + 6 * i + j]
    return three(z, STRESS), three(z, STRESS + 3), lost, z[SUPPLIED]


@spliced
def section_stress(reals, ints, x, c, q, y, z, time, strain, bent, rate, turn, tangent, energy):
    """Force and moment of a section with its reals at c, and those of its law with its integers at
    q; power lost, and supplied by time.  Where `energy` is set, z has that of a law."""
    supplied = 0.0
    if x[c + LINEAR] != 0.0:
        n, m, lost = linear_stress(x, c, y, strain, bent, rate, turn, tangent)
    else:
        n, m, lost, supplied = law_stress(
            reals, ints, c, q, y, z, time, strain, bent, rate, turn, energy
        )
    return n, m, lost, supplied


@spliced
def section_motion(x, c, n, r, qr, y):
    """Turn, axes E, place p and slope p' of the axis at c, with their rates and maps of turns.

    u = v' − w × p' and t, the rate of the curvature, are in world axes."""
    theta, theta1, rate, rate1 = interpolate_turn(x, c, n, r, y)
    b, b1, b2 = series(B_TERMS, dot(theta, theta))
    g, g1, g2 = series(C_TERMS, dot(theta, theta))
    T, T1 = turn_map(theta, b, g), turn_map_change(theta, theta1, b, g, b1, g1)
    E = rotation_matrix(turned_axes(qmul(qexp(theta), qr), x, c + AXES))
    p, p1 = interpolate(x, c, n, PLACE, y)
    _, v1 = interpolate(x, c, n, SPEED, y)
    w = add(three(y, NODE_WORK * r + SPIN), mv(T, rate))
    u, t = sub(v1, cross(w, p1)), add(mv(T, rate1), mv(T1, rate))
    return theta, theta1, rate, rate1, b, g, b1, g1, b2, g2, T, T1, E, p, p1, v1, w, u, t


@spliced
def put_wrench(f, flat, b, sign, p, Fw, Mw):
    """A section's force and moment on the body of a node; returns their power."""
    at_ = BODY * b
    local = tv(nine(flat, at_ + ROT), add(cross(sub(p, three(flat, at_ + POS)), Fw), Mw))
    gather(f, SIX * b, scale(-sign, Fw), scale(-sign, local))
    return sign * (dot(Fw, three(flat, at_ + VEL)) + dot(local, three(flat, at_ + OMEGA)))


def beam_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    last = ints.shape[1] - 1
    n = 3 if ints.shape[0] > 0 and ints[0, last] == 3 else 2
    shared = n + n * n + 1  # where it stands how far back the same numbers are
    r, points = n - 2, n - 1
    width, codes = (reals.shape[1] - n * NODE) // points, (last - shared - 1) // points
    flat, x, forces, values = borrow(nodes), borrow(reals), borrow(f), borrow(vals)
    room, z = np.zeros(ROOM), np.zeros(LAW_WORK)
    y, tangent = borrow(room), coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        first = (k - ints[k, shared]) * reals.shape[1]
        qr = take_nodes(ints, x, flat, k, first, n, r, y)
        for point in range(points):
            c = first + n * NODE + point * width
            q = k * ints.shape[1] + shared + 1 + point * codes
            theta, theta1, rate, rate1, b, g, b1, g1, b2, g2, T, T1, E, p, p1, v1, w, u, t = (
                section_motion(x, c, n, r, qr, y)
            )
            strain = sub(tv(E, p1), three(x, c + STRAIN0))
            bent = sub(tv(E, mv(T, theta1)), three(x, c + STRAIN0 + 3))
            strain1, bent1 = tv(E, u), tv(E, t)
            ns, ms, lost, supplied = section_stress(
                reals, ints, x, c, q, y, z, time, strain, bent, strain1, bent1, tangent, coef[OUT]
            )
            Fw, Mw = mv(E, ns), mv(E, ms)
            given = 0.0
            for side in range(2):
                given += put_wrench(
                    forces, flat, ints[k, point + side], 1.0 - 2.0 * side, p, Fw, Mw
                )
            weight = x[c + WEIGHT]
            power[0] += weight * lost
            power[1] += weight * (supplied + dot(ns, strain1) + dot(ms, bent1)) + given
            if coef[OUT] != 0.0:
                fed = weight * (dot(ns, strain1) + dot(ms, bent1)) + given
                write_section(
                    loads.out, k, points, point, x, c, z, strain, bent, ns, ms, E, p, fed
                )
            if tangent:
                shape_matrices(y, x, c, n, r, T, T1)
                damped = x[c + DAMPED] != 0.0
                if damped:
                    rate_matrices(
                        y, x, c, n, r, theta, theta1, rate, rate1, T, T1, b, g, b1, g1, b2,
                        g2, p1, v1, w, u, t,
                    )  # fmt: skip
                if x[c + GIVEN] != 0.0:
                    Fw, Mw = mv(E, three(x, c + GIVEN_N)), mv(E, three(x, c + GIVEN_M))
                point_tangent(
                    values, ints, flat, x, k, c, n, point, y, E, p, p1, w, Fw, Mw, damped,
                    coef[CK], coef[CD],
                )  # fmt: skip
    room[0] = 0.0  # it must outlive what was borrowed of it


BEAM_KERNEL = Kernel(beam_kernel, allocates=True)
