"""Rows that a run leaves out because others impose the same: they must hold as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwork.integrators.contract import StepFailure
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.state import State
from linkwork.system.data import Data

LEFT_OUT = 1e-4  # violation of a left-out row (length over L or quaternion part) that ends a run


def watch_left_out_rows(full: Data | None, data: Data, state: Callable[[], State]) -> None:
    """Redundant rows are not solved for, so make sure that they still hold."""
    if full is None or data.keep.all():
        return
    now = state()
    C = np.abs(full.evaluate(replace(now, acceleration=None), tangent=False).C)
    C[data.kept] = 0.0
    size = C * row_scale(full.system.all_rows, data.system.length)
    worst = int(np.argmax(size))
    if size[worst] > LEFT_OUT:
        row = full.system.all_rows[worst]
        raise StepFailure(
            now.time, 0, float(C[worst]), str(row),
            f"came to a position at t = {now.time:.6g} where {row}, left out because other "
            f"joints imposed the same, is violated by {C[worst]:.2g}: the joints contradict "
            "each other there, or the mechanism changed its branch in a singular position; "
            "try a smaller step",
        )  # fmt: skip
