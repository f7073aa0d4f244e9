"""Motors that their mechanism cannot follow: what all methods say about them.

Which joint of a blocked loop stays open, which body becomes fast and which equation is singular
depends on the method; the cause is the prescribed motion.
"""

from __future__ import annotations

from typing import Any

COMPARE = "compare it with the range that lw.kinematics finds, or take a smaller step"
FOLLOW = "the mechanism probably locks or cannot follow the prescribed motion of"


def blocked_motion(data: Any) -> str:
    """Which prescribed motion may have become impossible; empty where there is none."""
    driven = [row for row in data.kept_rows if row.driven]
    if not driven:
        return ""
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(row.owner for row in driven))
    which = "motor" if "," not in names else "motors"
    return f"{FOLLOW} {which} {names} beyond this position"


def blames_motor(sentence: str) -> bool:
    """Whether a sentence gives this cause."""
    return FOLLOW in sentence


def no_accelerations(data: Any, time: float) -> str:
    """What to say where accelerations are not finite."""
    if blocked := blocked_motion(data):
        return f"has no finite accelerations at t = {time:.6g}: {blocked}: {COMPARE}"
    return (
        f"has no finite accelerations at t = {time:.6g}: the step may be too large for an explicit "
        "method, or the mechanism is in a singular position"
    )
