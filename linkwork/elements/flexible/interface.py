"""An interface node N follows the floating frame F and the amplitudes q of its link: six rows.

    C_x = R_Fᵀ (r_N − r_F) − ρ0 − Φ_u q
    C_θ = Im(ρ) − ½ Φ_θ q,   ρ = ρ_F* ρ_N           of ±ρ the one with positive real part

The section's rotation is thus the quaternion with imaginary part ½ Φ_θ q, which is a turn by Φ_θ q
as long as that is small.  F and N see the rows of a lock joint (lock.py, with its C_q and K_c); the
amplitudes, a vector node, see the constant rows −Φ_u and −½ Φ_θ.

    Q_c:  −d²/dt² at zero accelerations;   y = R_Fᵀ(r_N − r_F),  ẏ = R_Fᵀ v − ω_F × y,
          ÿ = −ω_F × (R_Fᵀ v + ẏ);   ρ̇ = ½ (ρ ω_N − ω_F ρ),  ρ̈ = ½ (ρ̇ ω_N − ω_F ρ̇)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    CK, KC, NODE, OMEGA, POS, QUAT, RATES, ROT, STRIDE, TANGENT, VALUE, VEL, put6, put_value,
)  # fmt: skip
from linkwork.elements.joints.lock_tangent import lock_stiffness, rotation_rows
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.rotations import qadd, qconj, qmul, qscale
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model.registry import Entry, Family

ROW_NAMES = ("x", "y", "z", "rx", "ry", "rz")
# reals: ρ0, then for every amplitude Φ_u (3) and ½ Φ_θ (3)
PHI, EACH = 3, 6
# ints: F, N, q; blocks of pairs; first row, number of rows, rows against F, N and q; multipliers
F, N, Q, FF, FN, NF, NN, EQ, M, CF, CN, CQ, SLOTS = 0, 1, 2, 3, 4, 6, 7, 12, 13, 14, 15, 16, 24
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
    nodes, values, gamma, coef = motion.nodes, motion.values, motion.gamma, motion.coef
    f, balance, C, Qc, vals = loads.f, loads.balance, loads.C, loads.Qc, loads.vals
    count = (reals.shape[1] - PHI) // EACH
    width = STRIDE * ((count + STRIDE - 1) // STRIDE)
    for k in range(ints.shape[0]):
        a, b, first, eq, m = ints[k, F], ints[k, N], ints[k, Q], ints[k, EQ], ints[k, M]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        rho = qmul(qconj(at4(nodes, a, QUAT)), at4(nodes, b, QUAT))
        if rho[0] < 0.0:
            rho = qscale(-1.0, rho)
        s, v = rho[0], (rho[1], rho[2], rho[3])
        l = sub(at(nodes, b, POS), at(nodes, a, POS))
        y = tv(Ra, l)
        x, t = sub(y, at(reals, k, 0)), v
        gf = (gamma[ints[k, SLOTS]], gamma[ints[k, SLOTS + 1]], gamma[ints[k, SLOTS + 2]])
        gm = (gamma[ints[k, SLOTS + 3]], gamma[ints[k, SLOTS + 4]], gamma[ints[k, SLOTS + 5]])
        for j in range(count):
            q, place = values[VALUE, first + j], PHI + EACH * j
            move, turn = at(reals, k, place), at(reals, k, place + 3)
            x, t = sub(x, scale(q, move)), sub(t, scale(q, turn))
            balance[first + j] -= dot(move, gf) + dot(turn, gm)
        for i in range(3):
            C[ints[k, SLOTS + i]], C[ints[k, SLOTS + 3 + i]] = x[i], t[i]
        force = mv(Ra, gf)
        G = mv(Ra, scale(0.5, add(scale(s, gm), cross(v, gm))))
        accumulate(f, b, 0, force)
        accumulate(f, b, 3, tv(Rb, G))
        accumulate(f, a, 0, scale(-1.0, force))
        accumulate(f, a, 3, scale(-1.0, tv(Ra, add(cross(l, force), G))))
        if coef[TANGENT] != 0.0:
            for i in range(3):
                j = min(ints[k, SLOTS + i] - eq, m)
                e = column(Ra, i)
                put6(vals, ints[k, CF], j, scale(-1.0, e), tv(Ra, cross(e, l)))
                put6(vals, ints[k, CN], j, e, ZERO)
                h = min(ints[k, SLOTS + 3 + i] - eq, m)
                g = scale(0.5, add(scale(s, e), cross(mv(Ra, v), e)))
                put6(vals, ints[k, CF], h, ZERO, scale(-1.0, tv(Ra, g)))
                put6(vals, ints[k, CN], h, ZERO, tv(Rb, g))
                for c in range(count):
                    p = PHI + EACH * c + i
                    put_value(vals, ints[k, CQ], j, width, c, -reals[k, p])
                    put_value(vals, ints[k, CQ], h, width, c, -reals[k, p + 3])
            if coef[KC] != 0.0:
                cK, flat = coef[CK], borrow(nodes)
                A_, B_ = rotation_rows(flat, NODE * a + ROT), rotation_rows(flat, NODE * b + ROT)
                lock_stiffness(
                    vals, ints[k, FF], ints[k, FN], ints[k, NF], ints[k, NN], 0, Ra, Rb,
                    A_, B_, l, ZERO, scale(cK, force), scale(cK, G), 0.25 * cK * dot(gm, v), True,
                    True,
                )  # fmt: skip
        if coef[RATES] != 0.0:
            second = interface_rates(nodes, a, b, y, rho)
            for i in range(6):
                Qc[ints[k, SLOTS + i]] = -second[i]


KERNEL = Kernel(interface_kernel)


@cache
def interface_family(amplitudes: int) -> Family:
    """The family of links with so many amplitudes; all share one kernel."""
    return Family(
        f"interface{amplitudes}", KERNEL, bodies=3, rows=6, angles=(3, 4, 5),
        reals=PHI + EACH * amplitudes,
    )  # fmt: skip


def interface_entry(
    ends: tuple[Any, Any, Any], suffix: str, place: np.ndarray, move: np.ndarray, turn: np.ndarray
) -> Entry:
    """Of frame, node and amplitudes, at ρ0 = place, with Φ_u = move and Φ_θ = turn, both (3, m)."""
    shapes = np.hstack([move.T, 0.5 * turn.T])
    reals = np.concatenate([place, shapes.ravel()])
    names = tuple(f"{row} of {suffix}" for row in ROW_NAMES)
    family = interface_family(move.shape[1])
    return Entry(family, ends, reals, rows=tuple(range(6)), row_names=names)
