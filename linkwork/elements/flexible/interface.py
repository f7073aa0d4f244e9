"""An interface node N follows the floating frame F and the amplitudes q of its link: six rows.

    C_x = R_Fᵀ (r_N − r_F) − ρ0 − Φ_u q
    C_θ = Im(ρ) − ½ Φ_θ q,   ρ = ρ_F* ρ_N           of ±ρ the one with positive real part

The section's rotation is thus the quaternion with imaginary part ½ Φ_θ q, which is a turn by Φ_θ q
as long as that is small.  F and N see the rows of a lock joint (lock.py, with its C_q and K_c); the
carriers, whose positions are q, see the constant rows −Φ_u and −½ Φ_θ.

    Q_c:  −d²/dt² at zero accelerations;   y = R_Fᵀ(r_N − r_F),  ẏ = R_Fᵀ v − ω_F × y,
          ÿ = −ω_F × (R_Fᵀ v + ẏ);   ρ̇ = ½ (ρ ω_N − ω_F ρ),  ρ̈ = ½ (ρ̇ ω_N − ω_F ρ̇)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linkwork.elements.flexible.inertia import MOST_CARRIERS
from linkwork.elements.flexible.parts import AMPLITUDES
from linkwork.elements.layout import (
    CK, KC, NODE, OMEGA, POS, QUAT, RATES, ROT, TANGENT, VEL, put6,
)  # fmt: skip
from linkwork.elements.joints.lock_tangent import lock_stiffness, rotation_rows
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined
from linkwork.math.kernel import Kernel
from linkwork.math.rotations import qadd, qconj, qmul, qscale
from linkwork.math.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.registry import Entry, Family

ROW_NAMES = ("x", "y", "z", "rx", "ry", "rz")
# reals: ρ0, then for every amplitude Φ_u (3) and ½ Φ_θ (3)
PHI, EACH = 3, 6
ZERO = (0.0, 0.0, 0.0)


@inlined
def interface_rates(nodes, a, b, y, rho):
    """d²C/dt² of the six rows at zero accelerations."""
    Ra, wa, wb = at9(nodes, a, ROT), at(nodes, a, OMEGA), at(nodes, b, OMEGA)
    v = tv(Ra, sub(at(nodes, b, VEL), at(nodes, a, VEL)))
    y1 = sub(v, cross(wa, y))
    y2 = scale(-1.0, cross(wa, add(v, y1)))
    pa, pb = (0.0, wa[0], wa[1], wa[2]), (0.0, wb[0], wb[1], wb[2])
    d1 = qscale(0.5, qadd(qmul(rho, pb), qscale(-1.0, qmul(pa, rho))))
    d2 = qscale(0.5, qadd(qmul(d1, pb), qscale(-1.0, qmul(pa, d1))))
    return y2[0], y2[1], y2[2], d2[1], d2[2], d2[3]


def interface_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals = loads.f, loads.C, loads.Qc, loads.vals
    carriers = (reals.shape[1] - PHI) // (3 * EACH)
    n = 2 + carriers
    first = n + n * n  # of the ints that say where its rows are
    for k in range(ints.shape[0]):
        a, b, eq, m = ints[k, 0], ints[k, 1], ints[k, first], ints[k, first + 1]
        slots = first + 3 + n + 6
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        rho = qmul(qconj(at4(nodes, a, QUAT)), at4(nodes, b, QUAT))
        if rho[0] < 0.0:
            rho = qscale(-1.0, rho)
        s, v = rho[0], (rho[1], rho[2], rho[3])
        l = sub(at(nodes, b, POS), at(nodes, a, POS))
        y = tv(Ra, l)
        x, t = sub(y, at(reals, k, 0)), v
        gf = (gamma[ints[k, slots]], gamma[ints[k, slots + 1]], gamma[ints[k, slots + 2]])
        gm = (gamma[ints[k, slots + 3]], gamma[ints[k, slots + 4]], gamma[ints[k, slots + 5]])
        for j in range(3 * carriers):
            body, place = ints[k, 2 + j // 3], PHI + EACH * j
            q = nodes[body, POS + j % 3]
            move, turn = at(reals, k, place), at(reals, k, place + 3)
            x, t = sub(x, scale(q, move)), sub(t, scale(q, turn))
            f[body, j % 3] -= dot(move, gf) + dot(turn, gm)
        for i in range(3):
            C[ints[k, slots + i]], C[ints[k, slots + 3 + i]] = x[i], t[i]
        force = mv(Ra, gf)
        G = mv(Ra, scale(0.5, add(scale(s, gm), cross(v, gm))))
        accumulate(f, b, 0, force)
        accumulate(f, b, 3, tv(Rb, G))
        accumulate(f, a, 0, scale(-1.0, force))
        accumulate(f, a, 3, scale(-1.0, tv(Ra, add(cross(l, force), G))))
        if coef[TANGENT] != 0.0:
            rows = first + 2
            for i in range(3):
                j = min(ints[k, slots + i] - eq, m)
                e = column(Ra, i)
                put6(vals, ints[k, rows], j, scale(-1.0, e), tv(Ra, cross(e, l)))
                put6(vals, ints[k, rows + 1], j, e, ZERO)
                h = min(ints[k, slots + 3 + i] - eq, m)
                g = scale(0.5, add(scale(s, e), cross(mv(Ra, v), e)))
                put6(vals, ints[k, rows], h, ZERO, scale(-1.0, tv(Ra, g)))
                put6(vals, ints[k, rows + 1], h, ZERO, tv(Rb, g))
                for c in range(carriers):
                    p = PHI + 3 * EACH * c + i
                    move = (-reals[k, p], -reals[k, p + EACH], -reals[k, p + 2 * EACH])
                    p += 3
                    turn = (-reals[k, p], -reals[k, p + EACH], -reals[k, p + 2 * EACH])
                    put6(vals, ints[k, rows + 2 + c], j, move, ZERO)
                    put6(vals, ints[k, rows + 2 + c], h, turn, ZERO)
            if coef[KC] != 0.0:
                cK, flat = coef[CK], borrow(nodes)
                A_, B_ = rotation_rows(flat, NODE * a + ROT), rotation_rows(flat, NODE * b + ROT)
                lock_stiffness(
                    vals, ints[k, n], ints[k, n + 1], ints[k, 2 * n], ints[k, 2 * n + 1], 0, Ra, Rb,
                    A_, B_, l, ZERO, scale(cK, force), scale(cK, G), 0.25 * cK * dot(gm, v), True,
                    True,
                )  # fmt: skip
        if coef[RATES] != 0.0:
            second = interface_rates(nodes, a, b, y, rho)
            for i in range(6):
                Qc[ints[k, slots + i]] = -second[i]


KERNEL = Kernel(interface_kernel)


@cache
def interface_family(carriers: int) -> Family:
    """The family of links with this many carriers; all share one kernel."""
    if not 1 <= carriers <= MOST_CARRIERS:
        raise ValueError(f"a link has 1 to {MOST_CARRIERS} carriers, not {carriers}")
    return Family(
        f"interface{carriers}", KERNEL, bodies=2 + carriers, rows=6, angles=(3, 4, 5),
        reals=PHI + AMPLITUDES * EACH * carriers,
    )  # fmt: skip


def interface_entry(
    bodies: tuple[Any, ...], suffix: str, place: np.ndarray, move: np.ndarray, turn: np.ndarray
) -> Entry:
    """Of the node (bodies[1]) at ρ0 = place, with Φ_u = move and Φ_θ = turn, both (3, m)."""
    family = interface_family(len(bodies) - 2)
    reals = np.zeros(family.reals)
    reals[:PHI] = place
    shapes = reals[PHI:].reshape(-1, EACH)
    shapes[: move.shape[1], :3], shapes[: move.shape[1], 3:] = move.T, 0.5 * turn.T
    names = tuple(f"{row} of {suffix}" for row in ROW_NAMES)
    return Entry(family, bodies, reals, rows=tuple(range(6)), row_names=names)
