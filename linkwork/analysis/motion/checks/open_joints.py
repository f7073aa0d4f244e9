"""Joints that a run without constraint rows in its step has pulled open.

RK4 and ODE keep C = 0 by C¨ + 2α C˙ + β² C = 0, Recursive(correction=None) by C¨ = 0 alone, and
Recursive leaves rows out that repeat others at the start, which may be a singular position.  Near a
singular position, where C_q loses rank, accelerations are not defined and C jumps; the mechanism
may go on along another branch, with nearly the same energy, and a motor that cannot be followed
simply tears joints open.  Such methods say with `drifts` how large |C| may become, in parts of the
mechanism's length or in radians, before it is told.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.outputs.violation import violations
from linkwork.results.result import Result
from linkwork.system.compilation.numbering import row_scale

SAMPLES = 64  # stored times that are looked at


def warn_of_open_joints(result: Result, method: object, h: float) -> None:
    """Say so when a run did not keep its joints closed."""
    allowed = float(getattr(method, "drifts", np.inf))
    if np.isinf(allowed) or not result.joints:
        return
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, values = result.motion[some.tolist()], result.values[some.tolist()]
    found = violations(result.system, result.time[some], motion, None, values=values)
    C = np.abs(np.concatenate([part for _, part, _ in found]))
    rows = result.system.all_rows
    size = C * row_scale(rows, result.system.length)
    time, worst = np.unravel_index(int(np.argmax(size)), size.shape)
    if size[time, worst] > allowed:
        unit = "rad/2" if rows[worst].is_angle else "m"
        warnings.warn(
            f"joint '{rows[worst].owner}' was open by {C[time, worst]:.2g} {unit} at "
            f"t = {result.time[some[time]]:.4g}: {method!r} with steps of {h:g} s did not keep it "
            "closed, so that what follows may be another motion; take a "
            "smaller step, or lw.GeneralizedAlpha()",
            LinkworkWarning, stacklevel=users_line(),
        )  # fmt: skip
