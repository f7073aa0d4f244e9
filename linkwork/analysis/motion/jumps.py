"""Loads that jump at known times: steps end there, and the run begins anew behind each of them.

A step across a jump of a load errs by h ΔF, whatever the order of the method.  Hence steps are
split at the times that drives tell (drives.jump_times): the first part ends with the load before
the jump, and behind it accelerations, multipliers and rates are found anew, as at a start.  Corners
of loads are met in the same way, where they are few, and jumps of the accelerations that motion
laws impose.  Where they impose velocities that jump, no step helps (corners.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linkwork.integrators.contract import MethodLike, Run
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.model.drives import Drive
from linkwork.model.drives.jump_times import MANY, acceleration_jumps, jump_times
from linkwork.model.signals.load_readings import resolved
from linkwork.system.system import System

Anew = Callable[[Run, float, float], Run]  # run, time, step
NEAR = 1e-9  # of a step: times that are the same
FEW = 0.1  # corners, over steps, up to which they are met
GRID = 1_000_000  # times at which formulas are looked at


def drives_in(system: System) -> Iterator[tuple[Drive, bool]]:
    """The drives of all items, and whether each is a motion law."""
    laws = {e.owner for e in system.elements if e.entry.driven}
    for name, item in system.model.items.items():
        for drive in item.own_drives():
            yield resolved(drive), name in laws


def jumps_of(
    system: System, method: MethodLike, begin: float, end: float, h: float
) -> list[float]:
    """When loads jump, or accelerations of motion laws, behind `begin` and not behind `end`, in
    order; none where they are many, and for Moreau's steps."""
    drives = list(drives_in(system))
    told = [t for item in system.model.items.values() for t in getattr(item, "jumps", ())]
    if not (drives or told) or isinstance(method, Moreau):
        return []
    count = min(int(np.ceil((end - begin) / h)), GRID)
    times = np.append(begin + (end - begin) / count * np.arange(count), end)
    told += [t for drive, law in drives if law for t in acceleration_jumps(drive, times)]
    told = [t for t in told if begin < t <= end]
    loads = [drive for drive, law in drives if not law]
    for corners in (True, False):
        found = np.sort(told + [t for x in loads for t in jump_times(x, times, corners)])
        if len(found) <= (FEW * count if corners else MANY):
            break
    if not 0 < len(found) <= MANY:
        return []
    apart = np.concatenate([[True], np.diff(found) > NEAR * h])
    return [float(t) for t in found[apart] if t > begin + NEAR * h]


def just_before(time: float) -> float:
    """The last time at which loads are those before a jump; further away than round-off."""
    return time - 16 * float(np.spacing(abs(time)))
