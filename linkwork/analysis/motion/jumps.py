"""Loads that jump at known times: steps end there, and the run begins anew behind each of them.

A step across a jump of a load errs by h ΔF, whatever the order of the method.  Hence steps are
split at the times that drives tell (drives.jump_times): the first part ends with the load before
the jump, and behind it accelerations, multipliers and rates are found anew, as at a start.  Corners
of loads are met in the same way, where they are few.  Motion laws are left alone: where the
velocities that they impose jump, no step helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linkwork.integrators.contract import MethodLike, Run
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.model.drives import Drive
from linkwork.model.drives.jump_times import MANY, jump_times
from linkwork.system.system import System

Anew = Callable[[Run, float, float], Run]  # run, time, step
NEAR = 1e-9  # of a step: times that are the same
FEW = 0.1  # corners, over steps, up to which they are met
GRID = 1_000_000  # times at which formulas are looked at


def drives_of_loads(system: System) -> Iterator[Drive]:
    """The drives of items without motion laws."""
    laws = {e.owner for e in system.elements if e.entry.driven}
    for name, item in system.model.items.items():
        if name not in laws:
            for x in item.parameters().values():
                many: Any = x.values() if isinstance(x, dict) else x
                parts = many if isinstance(x, (dict, list, tuple)) else [x]
                yield from (part for part in parts if isinstance(part, Drive))


def jumps_of(
    system: System, method: MethodLike, begin: float, end: float, h: float
) -> list[float]:
    """When loads jump behind `begin` and not behind `end`, in order; none where they are many, for
    Moreau's steps, and where contacts have steps of their own."""
    drives = list(drives_of_loads(system))
    if not drives or isinstance(method, Moreau) or any(f.rubs for f in system.families):
        return []
    count = min(int(np.ceil((end - begin) / h)), GRID)
    times = np.append(begin + (end - begin) / count * np.arange(count), end)
    for corners in (True, False):
        found = np.sort([t for drive in drives for t in jump_times(drive, times, corners)])
        if len(found) <= (FEW * count if corners else MANY):
            break
    if not 0 < len(found) <= MANY:
        return []
    apart = np.concatenate([[True], np.diff(found) > NEAR * h])
    return [float(t) for t in found[apart] if t > begin + NEAR * h]


def just_before(time: float) -> float:
    """The last time at which loads are those before a jump; further away than round-off."""
    return time - 16 * float(np.spacing(abs(time)))
