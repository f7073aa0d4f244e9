"""One thread that steps, and a second one that takes part where there is a processor for it.

The second thread waits in a pool of one; a call of the compiled loop asks for it, does not wait for
it to come, and lets it go at the end.  Where it was dismissed, because other programs need the
processors, the next calls do without: one at first, twice as many every time, at most MOST_ALONE.
`LINKWORK_THREADS=1` does without at all.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from linkwork.integrators.second_order.tiled.step import ASSISTS, STEPS, advance_tiles
from linkwork.math.atomic import LINE
from linkwork.math.compiled import announce
from linkwork.math.threads import thread_count
from linkwork.system.tiles.tables import CALL, Tiled

MOST_ALONE = 32
LEAST = 20_000  # bodies times steps of a call that a second thread is worth asking for
_alone = {"calls": 0, "next": 1}  # calls to come without it, and how many the next time
_pools: dict[int, ThreadPoolExecutor] = {}  # by process: threads do not live on in a fork


def _pool() -> ThreadPoolExecutor:
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(1, thread_name_prefix="linkwork")
    return _pools[process]


def _wants_second(size: int) -> bool:
    """Whether a call with so many bodies times steps asks for the second thread."""
    if thread_count() == 1 or size < LEAST:
        return False
    if not advance_tiles.signatures:  # this call compiles it
        return False
    _alone["calls"] -= 1
    return _alone["calls"] < 0


def _remember(dismissed: bool) -> None:
    """Do without the second thread for a while where it was dismissed."""
    _alone["calls"] = _alone["next"] if dismissed else 0
    _alone["next"] = min(2 * _alone["next"], MOST_ALONE) if dismissed else 1


def advance_tiled(
    kernels: Any, tiled: Tiled, stepper: Any, times: Any, schedule: Any, saved: Any, out: Any,
    first: int, last: int,
) -> tuple[int, int]:  # fmt: skip
    """Compiled steps as `stepping.advance` takes them; status and how many are done."""
    announce(advance_tiles, "implicit steps of large models", 5)
    shared = tiled.tiles.shared
    shared[LINE * CALL] += 1
    parts: Any = (
        int(shared[LINE * CALL]), kernels, tiled.tables, tiled.factors, tiled.work, stepper,
        tiled.tiles, times, schedule, saved, out, first, last,
    )  # fmt: skip
    if not _wants_second((last - first) * len(stepper.p)):
        return advance_tiles(STEPS, *parts)
    second = _pool().submit(advance_tiles, ASSISTS, *parts)
    try:
        return advance_tiles(STEPS, *parts)
    finally:
        _remember(shared[LINE * CALL] != parts[0])
        shared[LINE * CALL] += 1
        if not second.cancel():
            second.result()
