"""How well the constraints hold: C and C_q v + C_t of all rows, in the equations or left out.

The stored states pass through the element kernels once more, in one compiled loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.layout import ACCEPT, RATES, TANGENT
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats2, Ints, stored
from linkwork.results.files.file_array import BLOCK
from linkwork.results.files.memory import share
from linkwork.results.outputs.stored import memory_elements, memory_place
from linkwork.system.evaluate import Equations, StoredMotion, load_stored, refill, velocity_of
from linkwork.system.system import System

if TYPE_CHECKING:
    from linkwork.results.result import Result

CHUNK = 4096  # times per call: bounds the table of the motion laws


@stored
class Errors(NamedTuple):
    """C and dC/dt of every row at every stored state."""

    C: Floats2
    rate: Floats2
    places: Ints  # where in the memory elements remember turns
    memory: Floats2  # what, at the first times; from there on they count by themselves


@c_function(Equations, StoredMotion, Errors, returns=None)
def constraint_errors(equations, stored_motion, errors):
    """Fill `errors`."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    times, C, rate = stored_motion.times, errors.C, errors.rate
    places, memory = errors.places, errors.memory
    n = tables.motions[0]
    for k in range(times.shape[0]):
        load_stored(tables, work, stored_motion, k)
        if k < memory.shape[0]:
            for i in range(places.size):
                tables.memory[places[i]] = memory[k, i]
        work.Ct[:] = 0.0
        refill(kernels, tables, work, times[k], 0.0)
        for r in range(C.shape[1]):
            C[k, r] = work.C[r]
            s = work.Ct[r]
            for p in range(tables.indptr[n + r], tables.indptr[n + r + 1]):
                s += work.vals[tables.places[p]] * velocity_of(work, tables.indices[p])
            rate[k, r] = s


def worst_of_joints(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """The largest |C| and |C_q v + C_t| of each joint's rows, both (T, joints)."""
    owners = [row.owner for row in result.system.all_rows]  # rows of a joint are neighbours
    first = [k for k, owner in enumerate(owners) if k == 0 or owner != owners[k - 1]]
    worst = np.zeros((2, len(result), len(result.joints)))
    found = violations(
        result.system, result.time, result.motion, result.memory, values=result.values
    )
    for part, C, rate in found:
        for k, error in enumerate((C, rate)):
            worst[k, part] = np.maximum.reduceat(np.abs(error), first, axis=1)
    return worst[0], worst[1]


def violations(
    system: System, time: np.ndarray, motion: Any, memory: np.ndarray | None, *,
    still: bool = False, values: Any = None,
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:  # fmt: skip
    """C and C_q v + C_t at stored states, both (t, all rows), a part of the times at a time.

    memory: `State.memory` at every time, or at the first alone (1, n)
    still : as if nothing moved but the motion laws, which leaves C_t
    values : of vector nodes (T, 3, n), where there are any
    """
    rows = len(system.all_rows)
    if not rows:
        return
    alone = system.data(elements=system.holding)
    work = alone.work
    counting = [e for e in memory_elements(system) if e.entry.rows]
    columns = [np.arange(system.tables.memory.size)[memory_place(system, e)] for e in counting]
    turns, places = np.zeros((0, 0)), np.zeros(0, np.int64)
    if columns and memory is not None:
        places = np.concatenate(columns)
        turns = memory[:, places]
    work.coef[:] = 0.0
    work.coef[TANGENT] = work.coef[RATES] = work.coef[ACCEPT] = 1.0
    size = max(1, min(CHUNK, share(BLOCK) // (8 * (13 * system.bodies + 2 * rows))))
    for first in range(0, len(time), size):
        part = slice(first, min(first + size, len(time)))
        motions = np.array(motion[part]) if still else np.ascontiguousarray(motion[part])
        numbers = system.stored_values(len(motions), None if values is None else values[part])
        if still:
            numbers = numbers.copy()
            motions[:, :, 7:] = numbers[:, 1] = 0.0
        shape = len(motions), rows
        C, rate = np.zeros(shape), np.zeros(shape)
        constraint_errors(
            alone.equations, alone.stored_motion(time[part], motions, numbers),
            Errors(C, rate, places, np.ascontiguousarray(turns[part])),
        )  # fmt: skip
        yield part, C, rate
