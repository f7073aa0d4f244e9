"""Angles of joints, counted over turns."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import LinkworkWarning
from linkwork.results.outputs.replayed import element_outputs
from linkwork.results.outputs.turns import TURN, doubtful, unwrap
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result


def lock_angle(result: Result, e: Element) -> np.ndarray:
    """The angle about z, counted over turns; a warning where stored times do not tell how many."""
    counted, doubt = counted_angle(result, e)
    if doubt is not None:
        warnings.warn(
            f"the turns of joint '{e.owner}' {doubt}; store more steps (every=)",
            LinkworkWarning, stacklevel=2,
        )  # fmt: skip
    return counted


def counted_angle(result: Result, e: Element) -> tuple[np.ndarray, str | None]:
    """The angle about z, counted over turns, and from when on and why that is not certain.

    A driven angle takes the turn of its law; else counting starts from the angle an earlier run
    ended with (info["angles"], not a number where that was not certain) or the joint was given, or
    within half a turn of zero.
    """
    (found,) = element_outputs(result, [e])
    angle, rate, change = found["_angle"], found["_rate"], found["_rate_change"]
    item = result.system.model[e.owner]
    laws = item.laws().get("t", {}) if hasattr(item, "laws") else {}
    if 5 in e.entry.driven and "rz" in laws and not {"rx", "ry"} & set(laws):
        imposed = result.imposed(e.owner, laws["rz"])
        return angle + TURN * np.round((imposed - angle) / TURN), None
    given = item.start()[0].get("rz", 0.0) if hasattr(item, "start") else 0.0
    start, doubt = (result.info.get("angles") or {}).get(e.owner, given), None
    if np.isnan(start):
        start, doubt = given, "before this run are not certain: too few of its steps are stored"
    counted = unwrap(result.time, angle, rate, start)
    k = doubtful(result.time, counted, rate, None)
    if k is not None:  # accelerations say more than differences of rates
        counted = unwrap(result.time, angle, rate, start, change)
        k = doubtful(result.time, counted, rate, change)
    if k is not None:
        doubt = (
            f"after t = {result.time[k]:g} are not certain: it is stored only every "
            f"{result.time[k + 1] - result.time[k]:g} s there, and its rate changes too much in "
            "between to count them"
        )
    return counted, doubt
