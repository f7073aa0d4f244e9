"""When functions of time jump, or have corners: from their pieces, or by bisection.

Pieces, periods, delays and tables say so themselves.  A formula that compares numbers (`step`,
`where`, `floor`, <) is looked at between neighbouring times: where it changes by more than four
times what its slope says, the interval is halved until two numbers remain, and it jumps where they
still differ.  Readings of the motion in a formula stand still meanwhile.  Eight unequal parts of
every interval are looked at, so that pulses within one step are seen.  Of a Python function the
values at the times are compared: a change that is more than four times those beside it is halved in
the same way.  So are the second derivatives of motion laws (of laws of velocities the first), whose
jumps accelerations have to follow.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, leaves_that_follow, parts_of
from linkwork.model.drives.formulas.formula import Combined, Expression, Formula
from linkwork.model.drives.function import Function
from linkwork.model.drives.jumps import JUMPING, SAME
from linkwork.model.drives.pieces import Chain, Periodic, Piecewise
from linkwork.model.drives.sampled import Stepped
from linkwork.model.drives.simple import Constant
from linkwork.model.drives.sums import Delayed
from linkwork.model.drives.table import Table

STANDS = 0.6180339887  # for a reading, which does not change meanwhile
HALVINGS = 60
MANY = 1000  # jumps of one drive: beyond, they are not told
FINER = np.array([0.0, 0.113, 0.239, 0.357, 0.482, 0.617, 0.744, 0.881])  # parts of an interval
FINEST = 2_000_000  # times at which a formula is looked at
ASKED = 100_000  # times at which a Python function is called to find its jumps


class TooManyJumps(Exception):
    """A drive jumps more often than is told."""


def jump_times(drive: Drive, times: np.ndarray, corners: bool) -> list[float]:
    """When a drive jumps behind times[0] and not behind times[-1]; corners: or its derivatives.

    Raises TooManyJumps."""
    begin, end = float(times[0]), float(times[-1])
    found: list[float] = []
    if drive.follows or drive.holds or isinstance(drive, (Stepped, Chain)):
        return found
    if isinstance(drive, Delayed):
        return [t + drive.dt for t in jump_times(drive.a, times - drive.dt, corners)]
    if isinstance(drive, Piecewise):
        sides = zip(drive.breaks, drive.parts[:-1], drive.parts[1:], strict=True)
        found += [t for t, a, b in sides if begin < t <= end and differ(a, b, t, t, corners)]
    if isinstance(drive, Periodic):
        return periodic_times(drive, begin, end, corners)
    if isinstance(drive, Table) and drive.kind == "linear" and corners:
        ends = slice(1, -1) if drive.outside == "error" else slice(None)  # nothing lies behind
        found += [t for t in drive.t[ends] if begin < t <= end]
    if isinstance(drive, Function):
        return [] if len(times) > ASKED else isolated(drive.values, times)
    if isinstance(drive, (Expression, Formula, Combined)):
        rules = {step[0] for step in drive._program if isinstance(step, tuple)}
        if rules & JUMPING:
            return bisected(standing(drive), refined(times))
    return found + [t for part in parts_of(drive) for t in jump_times(part, times, corners)]


def periodic_times(drive: Periodic, begin: float, end: float, corners: bool) -> list[float]:
    first = max(0, int((begin - drive.start) // drive.period))
    last = int((end - drive.start) // drive.period)
    if not 0 <= last - first < MANY:
        return []
    grid = np.linspace(0.0, drive.period, 257)
    inner = jump_times(drive.a, grid, corners)
    again = differ(drive.a, drive.a, drive.period, 0.0, corners)
    begins = differ(Constant(0.0), drive.a, 0.0, 0.0, corners)
    found = []
    for k in range(first, last + 1):
        at = drive.start + k * drive.period
        found += [at] if (again if k else begins) else []
        found += [at + s for s in inner if s < drive.period]
    return [t for t in found if begin < t <= end]


def differ(a: Drive, b: Drive, at: float, there: float, corners: bool) -> bool:
    """Whether two drives differ at a time each; corners: or their derivatives."""
    try:
        if corners:
            before, behind = a.jet([at])[0], b.jet([there])[0]
        else:
            before, behind = a.values([at]), b.values([there])
    except DriveError:
        return False
    return not np.allclose(before, behind, rtol=SAME, atol=SAME)


def standing(drive: Any) -> Drive:
    """A drive with a number in the place of every reading, and of what holds one."""
    if drive.follows or (drive.holds and leaves_that_follow(drive)):
        return Constant(STANDS)
    changed: dict[str, Any] = {}
    for f in fields(drive):
        value = getattr(drive, f.name)
        if isinstance(value, Drive):
            changed[f.name] = standing(value)
        elif isinstance(value, tuple) and any(isinstance(x, Drive) for x in value):
            changed[f.name] = tuple(standing(x) if isinstance(x, Drive) else x for x in value)
    return replace(drive, **changed) if changed else drive


def refined(times: np.ndarray) -> np.ndarray:
    """The times with others between them."""
    if len(times) * len(FINER) > FINEST:
        return times
    inner = times[:-1, None] + np.diff(times)[:, None] * FINER
    return np.append(inner.ravel(), times[-1])


def bisected(drive: Drive, times: np.ndarray) -> list[float]:
    """Where a drive changes between neighbouring times by jumps; what has no value has none."""
    found: list[float] = []
    a, b = times[:-1], times[1:]
    try:
        while len(a) and len(found) <= MANY:
            before, behind = drive.jet(a), drive.jet(b)
            slope = np.maximum(np.abs(before[:, 1]), np.abs(behind[:, 1]))
            change, size = np.abs(behind[:, 0] - before[:, 0]), np.abs(behind[:, 0])
            far = np.flatnonzero(change > 4 * (b - a) * slope + SAME * size)
            if len(far) > MANY:
                _, _, height = halved(drive.values, a[far[:MANY]], b[far[:MANY]])
                if np.count_nonzero(height > 1e-3 * change[far[:MANY]]) > MANY // 2:
                    raise TooManyJumps
                return []
            a, b = a[far], b[far]
            left, right, height = halved(drive.values, a, b)
            sure = height > 1e-3 * change[far]
            found += right[sure].tolist()
            # what else there is, before and behind
            a = np.concatenate([a[sure], right[sure]])
            b = np.concatenate([left[sure], b[sure]])
            a, b = a[b > a], b[b > a]
    except DriveError:
        return []
    if len(found) > MANY:
        raise TooManyJumps
    return found


def isolated(values: Any, times: np.ndarray) -> list[float]:
    """Where values (T,) of times change by jumps between two of them, and smoothly beside these."""
    try:
        change = np.abs(np.diff(values(times)))
        beside = np.maximum(np.append(change[1:], 0.0), np.insert(change[:-1], 0, 0.0))
        size = SAME * (np.abs(change).max(initial=0.0) + 1e-300)
        at = np.flatnonzero(change > 4 * beside + size)
        if not 0 < len(at) <= MANY:
            return []
        _, right, height = halved(values, times[at], times[at + 1])
        if not np.array_equal(values(right), values(right)):  # noise
            return []
    except DriveError:
        return []
    return right[height > 1e-3 * change[at]].tolist()


def acceleration_jumps(drive: Drive, times: np.ndarray, order: int) -> list[float]:
    """When the derivative of a motion law that is an acceleration jumps (the second, of a law of
    velocities the first), and those before it do not."""
    if drive.rotation:
        return []
    found = isolated(lambda t: drive.jet(t)[:, order], times)
    try:
        found += [t for t in jump_times(drive, times, True) if t not in found]
    except TooManyJumps:
        return []
    kept = []
    for t in found:
        before, behind = drive.jet([t - 16 * np.spacing(abs(t)), t])
        turn = np.abs(drive.jet(times[:: max(1, len(times) // 256)])).max(axis=0)
        rises = np.abs(behind - before) > 1e-9 * (turn + np.abs(behind)) + 1e-300
        if rises[order] and not rises[:order].any():
            kept.append(t)
    return kept


def halved(values: Any, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The halves of intervals (a, b) in which values change most, again and again; how much."""
    ya, yb = values(a), values(b)
    for _ in range(HALVINGS):
        m = 0.5 * (a + b)
        ym = values(m)
        left = np.abs(ym - ya) > np.abs(yb - ym)
        a, ya = np.where(left, a, m), np.where(left, ya, ym)
        b, yb = np.where(left, m, b), np.where(left, ym, yb)
    return a, b, np.abs(yb - ya)
