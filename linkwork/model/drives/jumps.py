"""Drives that jump, as far as their parts tell: there the rate says nothing of the change."""

from __future__ import annotations

import math

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, parts_of
from linkwork.model.drives.formulas.formula import Combined, Expression, Formula
from linkwork.model.drives.integral import Integral
from linkwork.model.drives.pieces import Periodic, Piecewise
from linkwork.model.drives.sampled import Stepped

JUMPING = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "sign", "floor", "ceil", "mod",
           "step", "where"}  # fmt: skip
SAME = 1e-9  # of values at both sides of a break: round-off


def jumps(drive: Drive) -> bool:
    """Whether a drive may jump: it counts steps, compares numbers, or has pieces that do not meet.

    A Python function is taken to be smooth.
    """
    if isinstance(drive, Stepped):
        return True
    if isinstance(drive, Integral):
        return False
    if isinstance(drive, (Expression, Formula, Combined)):
        rules = {step[0] for step in drive._program if isinstance(step, tuple)}
        if rules & JUMPING:
            return True
    sides: list[tuple[float, float]] = []
    if isinstance(drive, Piecewise):
        meet = zip(drive.breaks, drive.parts[:-1], drive.parts[1:], strict=True)
        sides = [(value(a, t), value(b, t)) for t, a, b in meet]
    elif isinstance(drive, Periodic):
        begin, end = (value(drive.a, t) for t in (0.0, drive.period))
        sides = [(0.0, begin), (begin, end)]
    if any(not np.isclose(a, b, rtol=SAME, atol=SAME) for a, b in sides):
        return True
    return any(jumps(part) for part in parts_of(drive))


def value(drive: Drive, t: float) -> float:
    """A drive at a time; not a number where it has none."""
    try:
        return float(drive.values(np.array([t]))[0])
    except DriveError:
        return math.nan
