"""Residual and tangent of a compiled system: bodies first, then every family through its kernel.

    r = M v̇ + f_g + C_qᵀγ − f,   C(q, t);   matrix [[cM M + cD D + cK K, C_qᵀ], [C_q, 0]]

Flexible links come after the bodies, through the table of kernels too, so that models without them
compile nothing for them; their kernel is told accelerations, step and gravity in place of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.body import body_terms
from linkwork.elements.layout import NODE, QUAT, ROT, STRIDE, TANGENT
from linkwork.math.compiled import compiled, inlined, lean, spliced
from linkwork.math.eights import zeros8
from linkwork.math.rotations import rotation_matrix
from linkwork.math.vectors import at4
from linkwork.system.pattern import Pattern

SLOTS = 24  # families in one model; fixed so that the compiled loops keep their types
FLEXIBLE_SLOT = SLOTS  # behind them: flexible links


class Tables(NamedTuple):
    """The frozen numbers of a system (`reals` changes with time where laws say so).

    directory rows: [slot, elements, first int, ints each, first real, reals each]
    """

    directory: np.ndarray
    ints: np.ndarray
    reals: np.ndarray
    bodies: np.ndarray
    blocks: np.ndarray
    flexible: np.ndarray  # ints and
    flexible_reals: np.ndarray  # constants of flexible links (elements.flexible.inertia)
    gravity: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    places: np.ndarray  # of the CSR entries in Work.vals
    targets: np.ndarray  # flat places in reals that laws write


class Work(NamedTuple):
    """What an evaluation fills in; made once, used again and again."""

    nodes: np.ndarray
    vdot: np.ndarray
    x: np.ndarray
    gamma: np.ndarray
    coef: np.ndarray
    f: np.ndarray
    C: np.ndarray
    Ct: np.ndarray
    Qc: np.ndarray
    vals: np.ndarray
    sums: np.ndarray  # the part of vals that is cleared before elements add to it
    power: np.ndarray
    scratch: np.ndarray  # of flexible links


def make_work(bodies: int, rows: int, pattern: Pattern, scratch: int = 0) -> Work:
    vals = zeros8(pattern.size)
    nodes = zeros8(NODE * (bodies + 1)).reshape(-1, NODE)
    nodes[:, QUAT] = 1.0
    nodes[:, [ROT, ROT + 4, ROT + 8]] = 1.0
    return Work(
        nodes=nodes,
        vdot=zeros8(STRIDE * (bodies + 1)).reshape(-1, STRIDE),
        x=zeros8(STRIDE * (bodies + 1)).reshape(-1, STRIDE),
        gamma=np.zeros(rows + 1),
        coef=np.zeros(6),
        f=np.zeros((bodies + 1, 6)),
        C=np.zeros(rows + 1),
        Ct=np.zeros(rows + 1),
        Qc=np.zeros(rows + 1),
        vals=vals,
        sums=vals[pattern.sums],
        power=np.zeros(2),
        scratch=np.zeros(scratch),
    )


@inlined
def set_rotation(nodes, b):
    R = rotation_matrix(at4(nodes, b, QUAT))
    for i in range(9):
        nodes[b, ROT + i] = R[i]


@compiled
def set_rotations(nodes):
    for b in range(nodes.shape[0]):
        set_rotation(nodes, b)


@inlined
def call_families(kernels, tables, work, time):
    """Every family's kernel, on the part of the tables that is its own."""
    for m in range(tables.directory.shape[0]):
        n = tables.directory[m, 1]
        i, wi = tables.directory[m, 2], tables.directory[m, 3]
        r, wr = tables.directory[m, 4], tables.directory[m, 5]
        kernels[tables.directory[m, 0]](
            tables.ints[i : i + n * wi].reshape(n, wi),
            tables.reals[r : r + n * wr].reshape(n, wr),
            work.nodes, work.gamma, time, work.coef,
            work.f, work.C, work.Ct, work.Qc, work.vals, work.power,
        )  # fmt: skip


@spliced
def fill(kernels, tables, work, time, cM):
    """`evaluate`, as part of the function that calls it."""
    work.f[:] = 0.0
    work.power[:] = 0.0
    if work.coef[TANGENT] != 0.0:
        work.sums[:] = 0.0
    body_terms(
        tables.bodies, tables.blocks, work.nodes, work.vdot, work.x, tables.gravity, cM,
        work.coef, work.f, work.vals,
    )  # fmt: skip
    if tables.flexible.shape[0] > 0:
        kernels[FLEXIBLE_SLOT](
            tables.flexible, tables.flexible_reals, work.nodes, tables.gravity, cM, work.coef,
            work.f, work.vdot.reshape(work.vdot.size), work.x.reshape(work.x.size), work.scratch,
            work.vals, work.power,
        )  # fmt: skip
    call_families(kernels, tables, work, time)


@lean
def evaluate(kernels, tables, work, time, cM):
    """Fill work.f, C, (Ct, Qc,) vals and power from work.nodes, vdot, x and gamma."""
    fill(kernels, tables, work, time, cM)


@compiled
def jacobian_values(kernels, tables, work, times, motion, schedule, values):
    """The values of C_q at stored motions, one row of `values` each."""
    begin = tables.indptr[6 * motion.shape[1]]
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    work.gamma[:] = 0.0
    for k in range(times.shape[0]):
        for b in range(motion.shape[1]):
            for i in range(13):
                work.nodes[b, i] = motion[k, b, i]
            set_rotation(work.nodes, b)
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        evaluate(kernels, tables, work, times[k], 0.0)
        for p in range(values.shape[1]):
            values[k, p] = work.vals[tables.places[begin + p]]
