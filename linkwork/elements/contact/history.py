"""Contact over the stored times: depth, forces, places; bristles follow the path as in the run.

Where steps were left out in storing, sliding friction is still right, and that of sticking
approximate.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.elements.contact.kernel import bent_by, forget, press, remember, slip
from linkwork.elements.contact.layout import (
    BENT, COLUMNS, DEPTH, FRICTION, MEMORY, MOST_POINTS,
    NORMAL, ROLL, ROLLED, SMOOTH, SPUN, TABLE_POINTS,
)  # fmt: skip
from linkwork.elements.contact.geometry.narrow_phase import find_points
from linkwork.elements.contact.points import without
from linkwork.elements.contact.tangent import velocity_at
from linkwork.elements.friction.bristles_in_space import bristles_in_space
from linkwork.elements.laws.base import WORK
from linkwork.elements.layout import OMEGA, POS, QUAT, ROT, VEL
from linkwork.kernels.compiled import compiled
from linkwork.kernels.record import record
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import at, at4, at9, dot, mv, scale, sub, tv

# columns of a row of the history
GAP, FORCE, MOMENT, WHERE, WAY, SLIPS, ENERGY_AT, LOST, ROW = record(
    gap=1, force=3, moment=3, where=3, way=3, slips=3, energy_at=1, lost=1, row=0
)
APART = 1e30  # gap of shapes that are further apart than the margin
NODE_ROW = 22


@compiled
def replay(codes: Any, reals: Any, memory: Any, motion: Any, times: Any) -> Any:
    """(T, ROW) from the motion (T, 2, 22) of a and b, as rows of `nodes`; memory (1, n) is used up.
    """
    out = np.zeros((times.size, ROW))
    w, y = np.zeros((MOST_POINTS, COLUMNS)), np.zeros(WORK)
    table, model = codes[0, TABLE_POINTS], codes[0, FRICTION]
    for t in range(times.size):
        nodes = motion[t]
        Ra, Rb = at9(nodes, 0, ROT), at9(nodes, 1, ROT)
        ra, rb = at(nodes, 0, POS), at(nodes, 1, POS)
        out[t, GAP] = APART
        count, side = find_points(codes, reals, 0, w, Ra, ra, Rb, rb)
        if count == 0:
            forget(memory, 0)
            continue
        va, vb = at(nodes, 0, VEL), at(nodes, 1, VEL)
        wa, wb = mv(Ra, at(nodes, 0, OMEGA)), mv(Rb, at(nodes, 1, OMEGA))
        qa, qb = at4(nodes, 0, QUAT), at4(nodes, 1, QUAT)
        N, P, square, lost, energy = press(
            codes, reals, 0, 0, times[t], w, y, count, side, ra, va, wa, rb, vb, wb
        )
        for m in range(count):
            out[t, GAP] = min(out[t, GAP], -w[m, DEPTH])
        n, rho = scale(side, at(w, 0, NORMAL)), math.sqrt(square)
        V, spin = velocity_at(P, ra, va, wa, rb, vb, wb), sub(wb, wa)
        F, G = scale(N, n), (0.0, 0.0, 0.0)
        z = zr = (0.0, 0.0, 0.0)
        rubs = model != SMOOTH and N > 0.0
        if rubs:
            known, _, _, s, v, sr, vr = slip(
                reals[0, ROLL], memory, 0, n, rho, Ra, ra, Rb, rb, qa, qb, N, V, spin
            )
            z0 = at(memory, 0, BENT)
            step, _ = bent_by(z0, Ra, n, s, z0, memory[0, SPUN])
            ca, z, _, _ = bristles_in_space(
                reals, 0, table, model, known, z0, step, tv(Ra, v)
            )
            c = mv(Ra, ca)
            F = sub(F, scale(N, without(n, c)))
            G = scale(-N * rho * dot(n, c), n)
            lost += N * dot(c, v)
            if reals[0, ROLL] > 0.0:
                z0 = at(memory, 0, ROLLED)
                step, _ = bent_by(z0, Ra, n, sr, z0, 0.0)
                ca, zr, _, _ = bristles_in_space(
                    reals, 0, table, model, known, z0, step, tv(Ra, vr)
                )
                cr = mv(Ra, ca)
                lost += N * dot(cr, vr)
                G = sub(G, scale(N * reals[0, ROLL], without(n, cr)))
        remember(memory, 0, Ra, ra, Rb, rb, qa, qb, P, n, z, zr, rubs)
        V = without(n, V)
        for j in range(3):
            out[t, FORCE + j], out[t, MOMENT + j], out[t, WHERE + j] = F[j], G[j], P[j]
            out[t, WAY + j], out[t, SLIPS + j] = n[j], V[j]
        out[t, ENERGY_AT], out[t, LOST] = energy, lost
    return out


@compiled
def set_axes(motion: Any) -> None:
    """Rotation matrices of rows of `nodes`."""
    for t in range(motion.shape[0]):
        for b in range(2):
            R = rotation_matrix(at4(motion[t], b, QUAT))
            for i in range(9):
                motion[t, b, ROT + i] = R[i]


def as_nodes(r: Any, q: Any, v: Any = None, omega: Any = None) -> np.ndarray:
    """Rows of `nodes` (T, 2, 22) from the motion of two bodies over time."""
    motion = np.zeros((len(r[0]), 2, NODE_ROW))
    for b in range(2):
        motion[:, b, POS : POS + 3], motion[:, b, QUAT : QUAT + 4] = r[b], q[b]
        if v is not None:
            motion[:, b, VEL : VEL + 3], motion[:, b, OMEGA : OMEGA + 3] = v[b], omega[b]
    set_axes(motion)
    return motion


def contact_history(
    integers: np.ndarray, row: np.ndarray, times: np.ndarray, r: Any, q: Any, v: Any = None,
    omega: Any = None,
) -> np.ndarray:  # fmt: skip
    """(T, ROW) of one element; row (n,): its reals and the memory that it began with."""
    reals, memory = np.array(row[:-MEMORY])[None], np.array(row[-MEMORY:])[None]
    times = np.ascontiguousarray(times, float)
    return replay(integers[None], reals, memory, as_nodes(r, q, v, omega), times)


def contact_depth(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    """How deep the shapes lie in each other, m; negative where they are apart."""
    return -contact_history(integers, reals[0], np.zeros(len(r[0])), r, q)[:, GAP]


def contact_potential(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    """Energy that the laws of the points store."""
    return contact_history(integers, reals[0], np.zeros(len(r[0])), r, q)[:, ENERGY_AT]
