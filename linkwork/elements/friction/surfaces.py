"""Dry friction of surfaces that move on each other in several directions.

With the markers S on a (axes of everything here) and P on b of a joint, x the place of P, ω the
relative angular velocity and ψ the rotation vector of the turn since the last accepted step,

    Δs = W_t Δx + W_r ψ,   v = W_t ẋ + W_r ω,   on b at P: force −N W_tᵀ c, torque −N W_rᵀ c

with the bristles' c(Δs, v) of friction.bristles_in_space, so the power −N c·v is dissipated:

    ball         W_t = 0              W_r = r (1 − (1 − q) n nᵀ), n the direction of the load
    plane        W_t = diag(1, 1, 0)  W_r = diag(0, 0, r)
    rod in bush  W_t = diag(0, 0, 1)  W_r = r in row x, column z

A ball rubs alike about all axes (q = 1: the socket fits), or less about the load's direction (q,
`spin`; with 0 it touches at a point, and turning on the spot is free).  In a plane the friction
force and the torque about the normal share one limit, F² + (M/r)² ≤ (g N)², and sliding is normal
to that surface: S. Goyal, A. Ruina, J. Papadopoulos, Wear 143 (1991); the ellipsoid in place of the
true limit surface is that of R. D. Howe, M. R. Cutkosky, Int. J. Robotics Research 15 (1996).  For
a disc of radius R under even pressure r = 2R/3 gives the right torque of spinning alone.

The bristles live in the axes of S.  N = max(N₀ + |reaction|, least) as in friction.friction, and
likewise the tangent of runs leaves ∂N/∂γ out.  With φ_a, φ_b turns of the bodies and T of
deformable.bushing: δψ = T⁻ᵀ R_Sᵀ (φ_b − φ_a), δω = R_Sᵀ ((φ_b − φ_a) × w_b), and ∂ω/∂w likewise.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from linkwork.elements.friction.bristles import (
    LEAST, LOADS, MODEL, MOTION, POINTS, PRELOAD, QA, QB, RADIUS, TABLE, TAN, UA, UB,
    friction_reals, no_path,
)  # fmt: skip
from linkwork.elements.friction.bristles_in_space import bristles_in_space
from linkwork.elements.deformable.bushing import (
    bend, kappa, moved_by, put_wrench, rotation_vector, wrench_column,
)  # fmt: skip
from linkwork.elements.friction.models import FrictionModel
from linkwork.elements.layout import (
    ACCEPT, CD, CK, OMEGA, OUT, POS, QUAT, ROT, TANGENT, VEL, A, B, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    IDENTITY, add, at, at4, at9, cross, dot, madd, mscale, mv, outer, scale, sub, tv,
)  # fmt: skip
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Memory

BALL, PLANE, BUSH = 10, 11, 12  # what moves
WEIGHTS = 18  # W_t and W_r, the last reals
# memory: x, the turn of P in S, the deflection
PLACE, TURNED, BENT, MEMORY = record(place=3, turned=4, bent=3, memory=0)
SPIN = TAN  # in the place of a thread's number
AXIS = 3  # of its own integers, after those of all friction: which axis of the joint is z here
ZERO = (0.0, 0.0, 0.0)

SURFACES = (
    Output("speed", "m/s", words="speed of the surfaces on each other"),
    Output("load", "N", words="normal load"),
    Output("coefficient", "1", words="friction coefficient"),
    Output("deflection", "m", words="deflection of the bristles"),
)
IN_SPACE = (
    *SURFACES,
    Output("force", "N", "xyz", "friction force on the second body"),
    Output("torque", "N m", "xyz", "friction torque on the second body"),
    POWER,
)


@inlined
def load_and_arms(ints, reals, i, gamma):
    """N and W_r."""
    p = ints[i, LOADS]
    F = (gamma[p], gamma[ints[i, LOADS + 1]], gamma[ints[i, LOADS + 2]])
    size = math.sqrt(dot(F, F))
    W = at9(reals, i, reals.shape[1] - 9)
    if ints[i, MOTION] == BALL and size > 0.0:
        n = scale(1.0 / size, F)
        less = mscale(-reals[i, RADIUS] * (1.0 - reals[i, SPIN]), outer(n, n))
        W = madd(W, less)
    return max(reals[i, PRELOAD] + size, reals[i, LEAST]), W


@inlined
def surface_tangent(
    vals, ints, i, Ra, Rb, S, sb, l, wa, wb, V, psi, Wt, Wr, N, cs, cv, F, G, cK, cD
):  # fmt: skip
    """Column by column: δr_a, θ_a, δr_b, θ_b."""
    nb = cross(wb, sb)
    k = kappa(dot(psi, psi))[0]
    for j in range(12):
        pa, pb, dl = moved_by(j, Ra, Rb, sb)
        turn = sub(pb, pa)
        dx, dturn = tv(S, sub(dl, cross(pa, l))), tv(S, turn)
        ds = add(mv(Wt, dx), mv(Wr, bend(-0.5, psi, k, dturn)))
        # the velocity by the positions, and by the velocities
        dV = sub(cross(pb, nb), add(cross(cross(pa, wa), l), cross(wa, dl)))
        dv = add(mv(Wt, tv(S, sub(dV, cross(pa, V)))), mv(Wr, tv(S, cross(turn, wb))))
        dv = add(scale(cK, dv), scale(cD, add(mv(Wt, dx), mv(Wr, dturn))))
        dc = scale(N, add(scale(cK, mv(cs, ds)), mv(cv, dv)))
        dF = add(mv(S, tv(Wt, dc)), scale(cK, cross(pa, F)))
        dG = add(mv(S, tv(Wr, dc)), scale(cK, cross(pa, G)))
        wrench_column(vals, ints, i, j, Ra, Rb, sb, l, pa, pb, dl, F, G, dF, dG, cK)


@inlined
def relative_motion(nodes, reals, memory, i, a, b):
    """P over S: their axes and turn, arm and place, velocities, the path since the last step."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    qS = qmul(at4(nodes, a, QUAT), at4(reals, i, QA))
    rho = qmul(qconj(qS), qmul(at4(nodes, b, QUAT), at4(reals, i, QB)))
    S = rotation_matrix(qS)
    sb = mv(Rb, at(reals, i, UB))
    l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
    x = tv(S, sub(l, mv(Ra, at(reals, i, UA))))
    wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
    V = sub(add(at(nodes, b, VEL), cross(wb, sb)), add(at(nodes, a, VEL), cross(wa, l)))
    known = abs(memory[i, PLACE]) < 1e200
    moved, psi = ZERO, ZERO
    if known:
        moved = sub(x, at(memory, i, PLACE))
        psi = rotation_vector(qmul(rho, qconj(at4(memory, i, TURNED))))
    return Ra, Rb, S, rho, sb, l, x, wa, wb, V, known, moved, psi


@inlined
def surface_bristles(reals, memory, i, n, model, Wr, S, wa, wb, V, known, moved, psi):
    """W_t, the speeds v, and what the bristles give at them: c, z and the slopes of c."""
    Wt = at9(reals, i, reals.shape[1] - WEIGHTS)
    step = add(mv(Wt, moved), mv(Wr, psi))
    v = add(mv(Wt, tv(S, V)), mv(Wr, tv(S, sub(wb, wa))))
    c, z, cs, cv = bristles_in_space(
        reals, i, n, model, known, at(memory, i, BENT), step, v
    )
    return Wt, v, c, z, cs, cv


@inlined
def surface_accepted(memory, i, x, rho, z):
    """Put place, turn and deflection at the end of a step into the memory."""
    for j in range(3):
        memory[i, PLACE + j], memory[i, BENT + j] = x[j], z[j]
    for j in range(4):
        memory[i, TURNED + j] = rho[j]


@inlined
def joint_axes(axis, x):
    """Components along x y z of the joint, of which `axis` is z here."""
    if axis == 0:
        return x[2], x[0], x[1]
    if axis == 1:
        return x[1], x[2], x[0]
    return x


@inlined
def coefficient(reals, memory, i, n, model, Wr, S, wa, wb, V, known, moved, psi):
    """|c|, computed once more: a use of that of the forces elsewhere changes their last digits."""
    c = surface_bristles(reals, memory, i, n, model, Wr, S, wa, wb, V, known, moved, psi)[2]
    return math.sqrt(dot(c, c))


@inlined
def write_space(out, i, axis, S, F, G, v, N, size, z, power):
    """Outputs of surfaces that move in several directions."""
    force, torque = joint_axes(axis, tv(S, F)), joint_axes(axis, tv(S, G))
    force, torque = scale(-1.0, force), scale(-1.0, torque)
    speed, bent = math.sqrt(dot(v, v)), math.sqrt(dot(z, z))
    write(out, i, (speed, N, size, bent) + force + torque + (-power,))


def surface_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, vals, power, memory = loads.f, loads.vals, loads.power, motion.memory
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        Ra, Rb, S, rho, sb, l, x, wa, wb, V, known, moved, psi = relative_motion(
            nodes, reals, memory, i, a, b
        )
        N, Wr = load_and_arms(ints, reals, i, gamma)
        Wt, v, c, z, cs, cv = surface_bristles(
            reals, memory, i, ints[i, POINTS], ints[i, MODEL], Wr, S, wa, wb, V, known, moved, psi
        )
        F, G = mv(S, scale(N, tv(Wt, c))), mv(S, scale(N, tv(Wr, c)))
        put_wrench(f, a, b, Ra, Rb, sb, l, F, G)
        lost = N * dot(c, v)
        power[0] += lost
        if coef[OUT] != 0.0:
            size = coefficient(
                reals, memory, i, ints[i, POINTS], ints[i, MODEL], Wr, S, wa, wb, V, known, moved,
                psi,
            )  # fmt: skip
            write_space(loads.out, i, ints[i, POINTS + AXIS], S, F, G, v, N, size, z, lost)
        if coef[ACCEPT] != 0.0:
            surface_accepted(memory, i, x, rho, z)
        if coef[TANGENT] != 0.0:
            surface_tangent(
                vals, ints, i, Ra, Rb, S, sb, l, wa, wb, V, psi, Wt, Wr, N, cs, cv, F, G,
                coef[CK], coef[CD],
            )  # fmt: skip


SURFACE_KERNEL = Kernel(surface_kernel)


@functools.cache
def surface_family(points: int) -> Family:
    """Friction in several directions; g(v) has a table of so many points; all share one kernel."""
    return Family(
        f"friction in several directions, {points}", SURFACE_KERNEL, bodies=2,
        reals=TABLE + 3 * points + WEIGHTS, integers=4, memory=Memory(path=MEMORY), reads=4,
        outputs=IN_SPACE,
    )  # fmt: skip


def surface_entry(
    frames: Any, model: FrictionModel, kind: int, radius: float, preload: float, least: float,
    reads: tuple, spin: float = 1.0, axis: int = 2,
) -> Entry:  # fmt: skip
    """The element of a friction model between two frames that move in several directions."""
    reals = friction_reals(frames, model, radius, preload, least, WEIGHTS)
    reals[SPIN] = spin
    Wt, Wr = np.zeros((2, 3, 3))
    if kind == BALL:
        Wr = radius * np.array(IDENTITY).reshape(3, 3)
    elif kind == PLANE:
        Wt[0, 0] = Wt[1, 1] = 1.0
        Wr[2, 2] = radius
    else:
        Wt[2, 2], Wr[0, 2] = 1.0, radius
    own = len(reals) - WEIGHTS
    reals[own:] = np.concatenate([Wt.ravel(), Wr.ravel()])
    fa, fb = frames
    points = (own - TABLE) // 3
    ends, integers = (fa.body, fb.body), (points, kind, model.number, axis)
    return Entry(
        surface_family(points), ends, reals, reads=reads, integers=integers, memory=no_path(MEMORY)
    )
