"""Motion laws of the lock joint: r_t and ρ_t of the relative motion, and of each marker.

Laws on displacement rows are components of r_t.  The rotation is either given as laws on rows,
turns about x, then y, then z of the moving axes,

    ρ_t = ρ_x(α) ρ_y(β) ρ_z(γ)

or as a whole, under the word "rotation" (model.drives.rotations); with time derivatives by the
product rule.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive, as_rotation
from linkwork.model.drives.rotations.rotation import RotationLaw, axis_turn, quaternion_product

ROW_NAMES = ("x", "y", "z", "rx", "ry", "rz")
ROTATION = "rotation"  # the word for all three rotation rows together


@dataclass
class MotionFactor:
    """What the motion laws of joints are multiplied with while a path scales them
    (analysis.continuation)."""

    value: float = 1.0


def row_laws(
    laws: Any, active: Iterable[int], word: str, what: str, whole: bool = False
) -> dict[str, Drive] | None:
    """Drives of rows from the user's dict, whose keys must be among the active rows.

    whole: "rotation" may stand for the rotation rows.
    """
    if laws is None:
        return None
    rows = [ROW_NAMES[i] for i in active]
    whole = whole and any(row.startswith("r") for row in rows)
    if not isinstance(laws, dict):
        raise ModelError(
            f"{word} of {what} must be a dict from rows to functions of time, such as "
            f'{{"{rows[0]}": lw.ramp(1.0)}}, but {checks.show(laws)} was given'
        )
    for row in laws:
        if row not in rows and not (whole and row == ROTATION):
            more = f" (or '{ROTATION}' for its rotation rows together)" if whole else ""
            raise ModelError(
                f"{word} of {what} names {checks.show(row)}, which is not one of its rows "
                f"'{' '.join(rows)}'{more}"
            )
    turns = [row for row in laws if row in ROW_NAMES[3:]]
    if ROTATION in laws and turns:
        raise ModelError(
            f"{word} of {what} gives '{ROTATION}', the whole rotation, and '{turns[0]}' as well; "
            "give one of the two (rotation laws are multiplied with *)"
        )
    return {r: _law(r, d, f"{word} {r!r} of {what}") for r, d in laws.items()} or None


def _law(row: str, law: Any, what: str) -> Drive:
    return as_rotation(law, what) if row == ROTATION else as_drive(law, what=what)


def driven_rows(laws: dict[str, Drive], active: Iterable[int]) -> tuple[int, ...]:
    """Those of the active rows that follow a law of the relative motion."""
    return tuple(r for r in active if ROW_NAMES[r] in laws or (r > 2 and ROTATION in laws))


def motion_jets(
    laws: dict[str, Drive], times: np.ndarray, factor: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Translation (T, 3 levels, 3) and quaternion (T, 3 levels, 4) of laws on x … rz.

    factor : what the laws on rows are multiplied with
    """
    n = len(times)
    move = np.zeros((n, 3, 3))
    for i, row in enumerate("xyz"):
        if row in laws:
            move[:, :, i] = factor * laws[row].jet(times)
    whole = laws.get(ROTATION)
    if isinstance(whole, RotationLaw):
        return move, whole.jets(times)
    turns = [axis_turn(i, factor * laws[row].jet(times))
             for i, row in enumerate(("rx", "ry", "rz")) if row in laws]  # fmt: skip
    if turns:
        return move, functools.reduce(quaternion_product, turns)
    q = np.zeros((n, 3, 4))
    q[:, 0, 0] = 1.0
    return move, q


def frozen(laws: dict[str, Drive], time: float, along: str | None = None) -> dict[str, Drive]:
    """Laws that stay where these are at a time; that of row `along` goes on by 1 per second."""
    from linkwork.model.drives import polynomial

    at = np.array([time])
    return {
        row: law.at(time) if isinstance(law, RotationLaw)
        else polynomial([law.values(at)[0], float(row == along)])
        for row, law in laws.items()
    }  # fmt: skip
