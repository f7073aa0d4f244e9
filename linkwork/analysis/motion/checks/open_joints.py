"""Joints that a run without constraint rows in its step has pulled open.

RK4 and ODE keep C = 0 by C¨ + 2α C˙ + β² C = 0, Recursive(correction=None) by C¨ = 0 alone.  Near a
singular position, where C_q loses rank, accelerations are not defined and C jumps; the mechanism
may go on along another branch, with nearly the same energy, and a motor that cannot be followed
simply tears joints open.  Such methods say with `drifts` how large |C| may become, in parts of the
mechanism's length or in radians, before it is told.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result

SAMPLES = 64  # stored times that are looked at


def warn_of_open_joints(result: Result, method: object, h: float) -> None:
    """Say so when a run did not keep its joints closed."""
    allowed = float(getattr(method, "drifts", np.inf))
    if np.isinf(allowed) or not result.joints:
        return
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, values = result.motion[some.tolist()], result.values[some.tolist()]
    part = Result(result.system, result.time[some], motion, stored_model="", values=values)
    off = part.violation.position.values
    row, joint = np.unravel_index(int(np.argmax(off)), off.shape)
    if off[row, joint] > allowed * max(1.0, result.system.length):
        warnings.warn(
            f"joint '{list(result.joints)[joint]}' was open by {off[row, joint]:.2g} (m, or rad/2) "
            f"at t = {part.time[row]:.4g}: {method!r} with steps of {h:g} s did not keep it "
            "closed, so that what follows may be another motion; take a "
            "smaller step, or lw.GeneralizedAlpha()",
            LinkworkWarning, stacklevel=users_line(),
        )  # fmt: skip
