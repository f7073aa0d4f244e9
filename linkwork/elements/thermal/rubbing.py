"""Heat of dry friction: what an element of friction dissipates, as a heat flow into a place.

    q = part N c·v         into the node, beside the force −N c on the bodies

The element repeats the path and the bristles of friction.friction and friction.surfaces with a
memory of its own, so that heat and dissipated energy are the same numbers.  While bristles stick, q
is the power that bends them, which comes back.  With the slopes c_s, c_v of the bristles

    δq = part N ((c_s δs + c_v δv)·v + c·δv)

at fixed load N, as in the tangents of friction: multipliers only enter the next iteration.
"""

from __future__ import annotations

import functools

import numpy as np

from linkwork.elements.deformable.bushing import bend, kappa, moved_by
from linkwork.elements.forces.torsion_spring import twist_changes
from linkwork.elements.friction.bristles import (
    LOADS, MODEL, MOTION, POINTS, RADIUS, TABLE, bristles,
)  # fmt: skip
from linkwork.elements.friction.friction import (
    BENT, MEMORY, PATH, TURNING, load_of, path_of, shaped,
)  # fmt: skip
from linkwork.elements.friction.surfaces import (
    WEIGHTS, load_and_arms, relative_motion, surface_accepted, surface_bristles,
)  # fmt: skip
from linkwork.elements.layout import (
    ACCEPT, CD, CK, OMEGA, OUT, ROT, TANGENT, int_width, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.rotations import qmul, qscale
from linkwork.kernels.vectors import add, at, at9, cross, dot, mv, scale, sub, tv
from linkwork.model.nodes import Node
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family

# ends a, b, place: its row against both bodies; where friction's own ints would begin, so that
# places of multipliers are found as there
TA, TB, SHIFT = 9, 10, int_width(3, 0) - LOADS
ZERO = (0.0, 0.0, 0.0)
HEAT = Output("heat_flow", "W", total=True)


@inlined
def slide_change(j, nodes, a, b, e, sb, l, U):
    """δs, and δṡ by the places, of increment j of twelve."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
    pa, pb, dl = moved_by(j, Ra, Rb, sb)
    dU = sub(cross(pb, cross(wb, sb)), add(cross(cross(pa, wa), l), cross(wa, dl)))
    return dot(e, sub(dl, cross(pa, l))), dot(e, sub(dU, cross(pa, U)))


@inlined
def turn_change(j, rho, gP, gS, RA, RB, wa, wb):
    """δφ, and δφ̇ by the places, of increment j of twelve."""
    if j % 6 < 3:
        return 0.0, 0.0
    r = 3 * (j % 3)
    if j < 6:
        drho = qscale(-0.5, qmul((0.0, RA[r], RA[r + 1], RA[r + 2]), rho))
    else:
        drho = qscale(0.5, qmul(rho, (0.0, RB[r], RB[r + 1], RB[r + 2])))
    dphi, dP, dS = twist_changes(rho, gP, gS, drho)
    return dphi, dot(mv(RB, dP), wb) - dot(mv(RA, dS), wa)


def rubbing_kernel(ints, reals, motion, loads):
    """Friction in one direction (friction.friction_kernel)."""
    nodes, coef, vals = motion.nodes, motion.coef, loads.vals
    memory, last, places = motion.memory, reals.shape[1] - 1, ints[:, SHIFT:]
    for i in range(ints.shape[0]):
        a, b, place, radius = ints[i, 0], ints[i, 1], ints[i, 2], reals[i, RADIUS]
        before, z0 = memory[i, PATH], memory[i, BENT]
        turns, rho, RA, RB, gP, gS, e, sb, l, U, known, s, v = path_of(
            places[i, MOTION], nodes, reals, i, before, a, b
        )
        wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
        N, sense = load_of(places, reals, i, motion.gamma)
        c, z, cs, cv = bristles(
            reals, i, places[i, POINTS], places[i, MODEL], known, z0, s - before, v
        )
        c, slope = shaped(places[i, MOTION], reals, i, sense, c)
        cs, cv = cs * slope, cv * slope
        N *= reals[i, last]
        loads.balance[place] -= N * c * v
        if coef[OUT] != 0.0:
            write(loads.out, i, (N * c * v, s, v, radius if turns else 0.0))
        if coef[ACCEPT] != 0.0:
            memory[i, PATH], memory[i, BENT] = s, z
        if coef[TANGENT] != 0.0:
            for j in range(12):
                if turns:
                    ds, dv = turn_change(j, rho, gP, gS, RA, RB, wa, wb)
                    ds, dv = radius * ds, radius * dv
                else:
                    ds, dv = slide_change(j, nodes, a, b, e, sb, l, U)
                dv = coef[CK] * dv + coef[CD] * ds
                dq = N * (cs * coef[CK] * ds * v + (cv * v + c) * dv)
                vals[ints[i, TA if j < 6 else TB] + j % 6] -= dq


def surface_rubbing_kernel(ints, reals, motion, loads):
    """Friction in several directions (surfaces.surface_kernel)."""
    nodes, coef, vals = motion.nodes, motion.coef, loads.vals
    memory, last, places = motion.memory, reals.shape[1] - 1, ints[:, SHIFT:]
    for i in range(ints.shape[0]):
        a, b = ints[i, 0], ints[i, 1]
        Ra, Rb, S, rho, sb, l, x, wa, wb, V, known, moved, psi = relative_motion(
            nodes, reals, memory, i, a, b
        )
        N, Wr = load_and_arms(places, reals, i, motion.gamma)
        Wt, v, c, z, cs, cv = surface_bristles(
            reals, memory, i, places[i, POINTS], places[i, MODEL], Wr, S, wa, wb, V, known, moved,
            psi,
        )  # fmt: skip
        N *= reals[i, last - WEIGHTS]
        loads.balance[ints[i, 2]] -= N * dot(c, v)
        if coef[OUT] != 0.0:
            write(loads.out, i, (N * dot(c, v),))
        if coef[ACCEPT] != 0.0:
            surface_accepted(memory, i, x, rho, z)
        if coef[TANGENT] != 0.0:
            k = kappa(dot(psi, psi))[0]
            by_path, by_speed = scale(N, tv(cs, v)), scale(N, add(tv(cv, v), c))
            for j in range(12):
                pa, pb, dl = moved_by(j, Ra, Rb, sb)
                turn = sub(pb, pa)
                dx, dturn = tv(S, sub(dl, cross(pa, l))), tv(S, turn)
                ds = add(mv(Wt, dx), mv(Wr, bend(-0.5, psi, k, dturn)))
                dV = sub(cross(pb, cross(wb, sb)), add(cross(cross(pa, wa), l), cross(wa, dl)))
                dv = add(mv(Wt, tv(S, sub(dV, cross(pa, V)))), mv(Wr, tv(S, cross(turn, wb))))
                dv = add(scale(coef[CK], dv), scale(coef[CD], add(mv(Wt, dx), mv(Wr, dturn))))
                dq = coef[CK] * dot(by_path, ds) + dot(by_speed, dv)
                vals[ints[i, TA if j < 6 else TB] + j % 6] -= dq


LINE, SPACE = Kernel(rubbing_kernel), Kernel(surface_rubbing_kernel)


@functools.cache
def rubbing_family(friction: Family) -> Family:
    """What warms beside an element of friction: its numbers, and one more."""
    line = friction.memory.size == MEMORY
    return Family(
        f"heat of {friction.name}", LINE if line else SPACE, bodies=3, reals=friction.reals + 1,
        integers=friction.integers, memory=friction.memory, reads=friction.reads,
        outputs=(HEAT, *TURNING) if line else (HEAT,),
    )  # fmt: skip


def heat_of(friction: Entry, where: Node, part: float) -> Entry:
    """The element that brings a part of what an element of friction dissipates to a node."""
    points = friction.integers[0]
    reals = np.insert(friction.reals, TABLE + 3 * points, part)
    return Entry(
        rubbing_family(friction.family), (*friction.bodies, where), reals, laws=friction.laws,
        reads=friction.reads, integers=friction.integers, memory=friction.memory,
    )  # fmt: skip
