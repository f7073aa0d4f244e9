"""How well the constraints hold: C and C_q v + C_t of all rows, in the equations or left out.

The stored states pass through the element kernels once more, in one compiled loop.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import RATES, TANGENT, VEL
from linkwork.math.compiled import compiled
from linkwork.system.evaluate import evaluate, set_rotation
from linkwork.system.system import System, build

CHUNK = 4096  # times per call: bounds the table of the motion laws


@compiled
def constraint_errors(kernels, tables, work, times, motion, schedule, C, rate):
    """C and dC/dt of every row at every stored state."""
    nb = motion.shape[1]
    for k in range(times.shape[0]):
        for b in range(nb):
            for i in range(13):
                work.nodes[b, i] = motion[k, b, i]
            set_rotation(work.nodes, b)
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        work.Ct[:] = 0.0
        evaluate(kernels, tables, work, times[k], 0.0)
        for r in range(C.shape[1]):
            C[k, r] = work.C[r]
            s = work.Ct[r]
            for p in range(tables.indptr[6 * nb + r], tables.indptr[6 * nb + r + 1]):
                c = tables.indices[p]
                s += work.vals[tables.places[p]] * work.nodes[c // 6, VEL + c % 6]
            rate[k, r] = s


def constraints_alone(system: System) -> System:
    """The system without its forces: user functions are not called again to check joints."""
    elements = tuple(e for e in system.elements if e.entry.rows)
    keep = np.ones(len(system.all_rows), bool)
    return build(system.model, system.names, elements, system.all_rows, keep)


def violations(
    system: System, time: np.ndarray, motion: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """C and C_q v + C_t at stored states, both (T, all rows)."""
    shape = len(time), len(system.all_rows)
    C, rate = np.zeros(shape), np.zeros(shape)
    if not shape[1]:
        return C, rate
    alone = constraints_alone(system)
    work = alone.work
    work.coef[:] = 0.0
    work.coef[TANGENT] = work.coef[RATES] = 1.0
    for first in range(0, shape[0], CHUNK):
        part = slice(first, first + CHUNK)
        constraint_errors(
            alone.kernels, alone.tables, work, time[part], np.ascontiguousarray(motion[part]),
            alone.schedule(time[part]), C[part], rate[part],
        )  # fmt: skip
    return C, rate
