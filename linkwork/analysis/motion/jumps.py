"""Loads that jump at known times: steps end there, and the run begins anew behind each of them.

A step across a jump of a load errs by h ΔF, whatever the order of the method.  Hence steps are
split at the times that drives tell (drives.jump_times): the first part ends with the load before
the jump, and behind it accelerations, multipliers and rates are found anew, as at a start.  Corners
of loads are met in the same way, where they are few, and jumps of the accelerations that motion
laws impose.  Where they impose velocities that jump, no step helps (corners.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.integrators.contract import MethodLike, Run
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.model.drives import Drive
from linkwork.model.drives.jump_times import (
    MANY,
    TooManyJumps,
    acceleration_jumps,
    jump_times,
)  # fmt: skip
from linkwork.model.signals.load_readings import resolved
from linkwork.system.system import System

Anew = Callable[[Run, float, float], Run]  # run, time, step
NEAR = 1e-9  # of a step: times that are the same
OFTEN = 3  # jumps in a step, on average, from which on some may have been missed
FEW = 0.1  # corners, over steps, up to which they are met
GRID = 1_000_000  # times at which formulas are looked at


def drives_in(system: System) -> Iterator[tuple[Drive, int]]:
    """The drives of all items, and which derivative is an acceleration: 2 of motion laws, 1 of laws
    of velocities, 0 of loads."""
    laws = {e.owner: 1 if e.entry.family.velocity else 2 for e in system.elements if e.entry.driven}
    for name, item in system.model.items.items():
        for drive in item.own_drives():
            yield resolved(drive), laws.get(name, 0)


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
    told += [t for drive, n in drives if n for t in acceleration_jumps(drive, times, n)]
    told = [t for t in told if begin < t <= end]
    loads = [drive for drive, n in drives if not n]
    for corners in (True, False):
        each = [times_of(x, times, corners) for x in loads]
        found = np.sort(told + [t for ts in each for t in ts or ()])
        if len(found) <= (FEW * count if corners else MANY):
            break
    if len(found) > MANY or any(ts is None for ts in each):
        warn_of_many_jumps(system, h)
    elif len(found) > OFTEN * count:
        warn_of_frequent_jumps(system, len(found) / count, h)
    if not 0 < len(found) <= MANY:
        return []
    apart = np.concatenate([[True], np.diff(found) > NEAR * h])
    return [float(t) for t in found[apart] if t > begin + NEAR * h]


def times_of(drive: Drive, times: np.ndarray, corners: bool) -> list[float] | None:
    """When a drive jumps; None where that is too often."""
    try:
        return jump_times(drive, times, corners)
    except TooManyJumps:
        return None


def warn_of_many_jumps(system: System, h: float) -> None:
    warnings.warn(
        f"loads of '{system.model.name}' jump more than {MANY} times in this run, and steps are "
        f"not split there: every jump errs by its height times up to a step of {h:g} s; take steps "
        "that are far shorter than the time between two jumps, or simulate a shorter time",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def warn_of_frequent_jumps(system: System, often: float, h: float) -> None:
    warnings.warn(
        f"loads of '{system.model.name}' jump {often:.2g} times or more within a step of {h:g} s, "
        "and jumps between two that were found may have been missed; take a step that is no longer "
        "than the time between two jumps", LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def just_before(time: float) -> float:
    """The last time at which loads are those before a jump; further away than round-off."""
    return time - 16 * float(np.spacing(abs(time)))
