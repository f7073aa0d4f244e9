"""Friction of a joint at the stored times: load from the multipliers, force from the path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements import torsion_spring as ts
from linkwork.elements.friction import (
    LEAST, MOTION, PRELOAD, QA, RADIUS, SCREWS, SLIDES, UA, UB,
)  # fmt: skip
from linkwork.elements.friction_history import History, friction_history
from linkwork.elements.slide import travel
from linkwork.results.relative import unwrap
from linkwork.results.stored import body_motion, element_reals

if TYPE_CHECKING:
    from linkwork.results.result import Result
    from linkwork.system.system import Element


def friction_of(result: Result, e: Element) -> History:
    """Load, coefficient and force of a friction element."""
    reals = element_reals(result, e)
    kind = reals[0, MOTION]
    x, y, z, axial = reaction_read(result, e)
    size = {SLIDES: np.hypot(x, y), SCREWS: np.abs(axial)}.get(kind, np.sqrt(x**2 + y**2 + z**2))
    load = np.maximum(reals[:, PRELOAD] + size, reals[:, LEAST])
    path, speed = path_of(result, e, reals)
    return friction_history(np.asarray(e.entry.reals, float), path, speed, load, axial)


def reaction_read(result: Result, e: Element) -> list[np.ndarray]:
    """The multipliers that the element reads, zero where there is none."""
    out = [np.zeros(len(result.time)) for _ in range(4)]
    for k, (item, which, row) in enumerate(e.entry.reads):
        mine = [x for x in result.system.elements if x.owner == item.name]
        if row in mine[which].entry.rows:
            place = mine[which].first_row + mine[which].entry.rows.index(row)
            out[k] = np.asarray(result.gamma[:, place])
    return out


def path_of(result: Result, e: Element, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The path of the surfaces on each other and its speed."""
    r, q, v, omega = (list(part) for part in zip(*(body_motion(result, b) for b in e.ends)))
    if reals[0, MOTION] == SLIDES:
        frames = reals[:, QA : QA + 4], reals[:, UA : UA + 3], reals[:, UB : UB + 3]
        return travel(frames, r, q, v, omega)
    torsion = np.zeros((len(reals), ts.REALS))
    torsion[:, :8] = reals[:, :8]
    turn = ts.torsion_outputs(torsion, r, q, v, omega)
    radius = reals[:, RADIUS]
    wrapped = turn["angle"] - 2 * np.pi * np.round(turn["angle"] / (2 * np.pi))
    return radius * unwrap(result.time, wrapped, turn["rate"], wrapped[0]), radius * turn["rate"]
