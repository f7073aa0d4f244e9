"""Signals over the stored times of a run, from the readings of its motion.

The program of a signal is carried out once for every time, and its memory moves on as it did in the
run.  Where steps were left out in storing, what is held is known at the stored ones alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.signals.signals import (
    GRADIENT, HEAD_SIZE, REGISTERS, RESULT, carry_out, program_numbers,
)  # fmt: skip
from linkwork.kernels.compiled import compiled
from linkwork.kernels.memory.addresses import address_of
from linkwork.model.signals.programs import translate
from linkwork.model.signals.signal import Signal


@compiled
def replay(
    ints: Any, reals: Any, held: Any, columns: Any, supplied: Any, turns: Any, times: Any, x: Any,
    values: Any, memory: Any,
) -> None:  # fmt: skip
    """Values, and what is remembered behind each time; ints, reals, held: the only rows of tables.

    turns: columns of angles in the memory and their readings, which are counted already.
    """
    head, m, n = ints.shape[1] - HEAD_SIZE, x.shape[1], memory.shape[1]
    registers = ints[0, head + REGISTERS]
    for k in range(times.size):
        for i in range(m):
            reals[0, registers + (1 + m) * i] = x[k, i]
        for i in range(turns.shape[0]):
            held[0, turns[i, 0]] = x[k, turns[i, 1]]
        reals[0, registers + (1 + m) * m] = times[k]
        for i in range(columns.size):
            reals[0, columns[i]] = supplied[k, i]
        good = carry_out(ints, reals, held, 0, head, m, False, True)
        values[k] = reals[0, ints[0, head + RESULT]] if good else np.nan
        for i in range(n):
            memory[k, i] = held[0, i]


def signal_history(
    signal: Signal, times: np.ndarray, x: np.ndarray, begin: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """y (T,) and the memory (T, n) for readings x (T, m) with angles that are counted over turns.

    begin : what is remembered at first
    """
    program = translate(signal)
    if program is None or not program.memory:
        return np.array([signal.value(t, row) for t, row in zip(times, x)]), np.zeros((len(x), 0))
    reals, operations, head, laws, held = program_numbers(signal, GRADIENT, 0, np.zeros(0))
    ints = np.array([[address_of(x) for x in (*operations, *head)]], np.int64)
    if begin is not None:
        held[:] = begin
    turns = np.array(program.turns, np.int64)
    columns = np.array([law.column for law in laws], np.int64)
    supplied = np.hstack([np.zeros((len(times), 0)), *(law.values(times) for law in laws)])
    values, memory = np.empty(len(times)), np.empty((len(times), len(held)))
    x = np.ascontiguousarray(x)
    times = np.asarray(times, float)
    replay(
        ints, reals[None], held[None], columns, supplied, turns.reshape(-1, 2), times, x, values,
        memory,
    )  # fmt: skip
    wrong = ~np.isfinite(values)
    if wrong.any():
        k = int(np.argmax(wrong))
        signal.value(float(times[k]), x[k])
    return values, memory
