"""Do the rows left out still hold, C_d = 0?  Where they do not, the choice must be made again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.system.redundancy.rows import ConstraintRows, Floats, Ints
from linkwork.system.redundancy.selection import Redundancy


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Left-out rows that are violated, with their error as a length; true when there is none."""

    rows: Ints
    error: Floats
    messages: list[str]

    def __bool__(self) -> bool:
        return self.rows.size == 0


def consistent(
    rows: ConstraintRows, redundancy: Redundancy, C: Floats, *, tolerance: float = 1e-6
) -> LeftOut:
    """Do the rows left out still hold? The tolerance is a length; rotation rows count L times."""
    dropped = redundancy.dropped
    error = np.abs(np.asarray(C)[dropped]) * np.where(rows.rotation[dropped], rows.L, 1.0)
    bad = ~(error <= tolerance)  # so that nan is bad
    messages = [
        f"joint '{rows.joint_names[rows.owner[i]]}', row {rows.row_name[i]}: left out as "
        f"redundant but violated by {abs(C[i]):.2g}; the independent rows must be chosen again"
        for i in dropped[bad]
    ]
    return LeftOut(dropped[bad], error[bad], messages)
