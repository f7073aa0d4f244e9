"""What elements remembered at the stored times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.results.outputs.replayed import element_outputs
from linkwork.results.outputs.stored import memory_elements, signal_over_time
from linkwork.results.outputs.turns import TURN, unwrap
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result


def all_memory(result: Result) -> np.ndarray:
    """(T, n): `State.memory` at every stored time."""
    columns, end, first = [], result.restart.get("memory"), 0
    elements = memory_elements(result.system)
    if end is not None and len(end) != len(result.system.tables.memory):
        end = None  # of another version
    for e in elements:
        n = e.entry.family.memory.size
        mine = None if end is None else np.asarray(end)[first : first + n]
        columns.append(memory_over_time(result, e, mine))
        first += n
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(result), 0))


def memory_over_time(result: Result, e: Element, end: np.ndarray | None) -> np.ndarray:
    """What an element remembered at every stored time, (T, n).

    Angles are counted over turns from where the element was described, or to arrive at `end` where
    that is known.  Of signals the stored motion says them; notes of corners are known at the
    end of a run alone, else none, and what else is remembered likewise, else not a number.
    """
    family, memory = e.entry.family, e.entry.family.memory
    if family.signal:
        known = signal_over_time(result, e.entry.acts_on[1].signal)[1]
        if end is not None:
            known[-1] = end
        return known
    if memory.path:
        known = np.full((len(result.time), memory.size), np.nan)
        if end is not None:
            known[-1] = end
        return known
    noted = np.zeros((len(result.time), memory.notes))
    if end is not None:
        noted[-1] = end[: memory.notes]
    if not memory.turns:
        return noted
    (found,) = element_outputs(result, [e], turns=False)
    columns = [noted]
    for k, name in enumerate(memory.turns, memory.notes):
        angle = found[name] - TURN * np.round(found[name] / TURN)
        rate = found[name.replace("angle", "rate")]
        counted = unwrap(result.time, angle, rate, e.entry.memory[k])
        if end is not None:
            counted += TURN * np.round((end[k] - counted[-1]) / TURN)
        columns.append(counted[:, None])
    return np.concatenate(columns, axis=1)
