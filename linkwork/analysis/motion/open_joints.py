"""Joints that an explicit run has pulled open: |C| beyond what Baumgarte's terms can leave.

RK4 and ODE keep C = 0 by C¨ + 2α C˙ + β² C = 0 (such methods have the attribute `drifts`).  Near a
singular position, where C_q loses rank, accelerations are not defined and C jumps; the mechanism
may go on along another branch, with nearly the same energy.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result

SAMPLES = 64  # stored times that are looked at
OPEN = 1e-4  # of the mechanism's length, or radians


def warn_of_open_joints(result: Result, method: object, h: float) -> None:
    """Say so when an explicit run did not keep its joints closed."""
    if not getattr(method, "drifts", False) or not result.joints:
        return
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, values = result.motion[some.tolist()], result.values[some.tolist()]
    part = Result(result.system, result.time[some], motion, stored_model="", values=values)
    off = part.violation.position.values
    row, joint = np.unravel_index(int(np.argmax(off)), off.shape)
    if off[row, joint] > OPEN * max(1.0, result.system.length):
        warnings.warn(
            f"joint '{list(result.joints)[joint]}' was open by {off[row, joint]:.2g} (m, or rad/2) "
            f"at t = {part.time[row]:.4g}: {method!r} with steps of {h:g} s did not keep it "
            "closed, so that what follows may be another motion; take a "
            "smaller step, or lw.GeneralizedAlpha()",
            LinkworkWarning, stacklevel=users_line(),
        )  # fmt: skip
