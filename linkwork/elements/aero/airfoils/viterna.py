"""Airfoil data extended to all angles (Viterna and Corrigan)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

DEGREES = 5.0
MIRRORED = 0.7  # of the lift beyond 90° and at negative angles


def extended(foil: Any, aspect_ratio: float) -> Any:
    """The airfoil with tables from −180° to 180°."""
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    if foil.limits is None:
        return foil
    low, high = foil.limits
    columns = foil.lift.columns
    angles: list[float] = []
    lift: list[list[float]] = []
    drag: list[list[float]] = []
    moment: list[list[float]] = []
    inside = np.unique(np.concatenate([g.alpha for g in (foil.lift, foil.drag, foil.moment)
                                       if len(g.alpha) > 1]))  # fmt: skip
    inside = inside[(inside >= low - 1e-12) & (inside <= high + 1e-12)]
    wide = np.radians(np.arange(-180.0, 181.0, DEGREES))  # ±90° among them
    above, below = wide[wide > high + 1e-6], wide[wide < low - 1e-6]
    most = 1.11 + 0.018 * aspect_ratio
    for a in (*below, *inside, *above):
        angles.append(a)
        rows: tuple[list[float], ...] = ([], [], [])
        for column in columns:
            edge = high if a > 0 else low
            at = min(max(a, low), high)
            cl, cd = foil.cl(at, column), foil.cd(at, column)
            if a > high or a < low:
                cl, cd = flat_plate(a, edge, cl, cd, most)
            for row, value in zip(rows, (cl, cd, foil.cm(at, column))):
                row.append(value)
        for table, row in zip((lift, drag, moment), rows):
            table.append(row)
    x = np.array(angles)
    x[0], x[-1] = -math.pi, math.pi
    return Airfoil(
        (x, columns, lift), (x, columns, drag), (x, columns, moment), title=foil.title,
        axis=foil.axis, outside=foil.outside,
    )  # fmt: skip


def flat_plate(a: float, edge: float, cl: float, cd: float, most: float) -> tuple[float, float]:
    """c_l and c_d at a, beyond the last entry at `edge` with c_l and c_d."""
    sign = 1.0 if a > 0 else -1.0
    x, s = abs(a), max(abs(edge), 1e-3)
    lift = sign * cl
    A = (lift - most * math.sin(s) * math.cos(s)) * math.sin(s) / math.cos(s) ** 2
    B = (cd - most * math.sin(s) ** 2) / math.cos(s)

    def first(y: float) -> tuple[float, float]:
        up = most / 2 * math.sin(2 * y) + A * math.cos(y) ** 2 / math.sin(y)
        return up, most * math.sin(y) ** 2 + B * math.cos(y)

    if x <= math.pi / 2:
        up, drag = first(x)
        return sign * up, max(drag, 0.0)
    back = math.pi - x
    if back <= s:
        up = -MIRRORED * first(s)[0] * back / s
        return sign * up, max(first(s)[1] * back / s + 0.01, 0.01)
    up, drag = first(back)
    return -sign * MIRRORED * up, max(drag, 0.01)
