"""What springs, laws, stops and friction on a joint refuse alike, each in its own words."""

from __future__ import annotations

from typing import Any

from linkwork.elements.joints.joints import Joint
from linkwork.errors import ModelError
from linkwork.model import checks


def refuse_other_items(joint: Any, what: str, such: str) -> None:
    """An error where no joint was given; `such` is one that would do."""
    if not isinstance(joint, Joint):
        raise ModelError(
            f"{what} needs a joint such as {such}, but {checks.show(joint)} was given; pass the "
            "item that model.add returned"
        )


def refuse_moving_markers(joint: Joint, what: str) -> None:
    """An error where the joint's markers move on its bodies: no body-fixed axis to act about."""
    if joint.laws().get("a") or joint.laws().get("b"):
        raise ModelError(
            f"{what} cannot act on {joint.label}, whose markers move on its bodies; use a joint "
            "without drive_a and drive_b"
        )
