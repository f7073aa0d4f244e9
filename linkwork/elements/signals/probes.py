"""What sensors show of loads (signals.load_sensors): which element, which end, which direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.elements.signals.joint_readings import refuse_others, three
from linkwork.errors import DriveError
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame
from linkwork.model.signals.value_readings import value_reading

FORCE, TORQUE, LINE, PULL = range(4)
WORLD = Frame(GROUND)


@dataclass(frozen=True)
class Probe:
    """What of a load's elements is shown.

    kind   : FORCE or TORQUE along an axis, LINE along the line of two points, PULL the size
    parts  : which of the load's elements, and the end of each that it acts on; their sum is shown
    point  : on that body, that the torque is about;   axes : the frame of the direction
    other  : of a line, the point on the other body;   sign : of a line, 1 where a push counts
    """

    kind: int
    parts: tuple[tuple[int, int], ...] = ((0, 1),)
    point: Any = (0.0, 0.0, 0.0)
    axes: Frame = WORLD
    other: Any = (0.0, 0.0, 0.0)
    sign: float = 1.0


def between_frames(item: Any, quantity: str) -> Probe:
    """Force or torque on b at its frame, in the axes of the frame on a."""
    fa, fb = item.frames
    return Probe(FORCE if quantity == "force" else TORQUE, point=fb.position, axes=fa)


def along_line(item: Any) -> Probe:
    """The tension of what is between two points: −F·e on b, e from b to a."""
    fa, fb = item.frames
    return Probe(LINE, point=fb.position, other=fa.position, sign=-1.0)


def measured_load(
    item: Any, quantity: str, axis: Any, offered: tuple[str, ...], *, which: int = 0,
    along: bool = True, word: str = "",
) -> Drive:  # fmt: skip
    """The value of the sensor of a load, which is made once for each quantity and axis.

    along : it has an axis;   word : how it is called where there are several
    """
    refuse_others(item, word or quantity, offered)
    if not along and axis is not None:
        raise DriveError(
            f"a reading of {item.label}: its {word or quantity} has no axis; leave it out"
        )
    from linkwork.elements.signals.load_sensors import LoadSensor

    key = (quantity, three(item, axis), which)
    sensors = item.__dict__.setdefault("sensors", {})
    if key not in sensors:
        sensors[key] = LoadSensor(item, *key)
    return value_reading(sensors[key], quantity)


def about_axis(frames: Any) -> Probe:
    """The torque on b about the z axis of its own frame."""
    return Probe(TORQUE, axes=frames[1])


def along_axis(frames: Any) -> Probe:
    """The force on b along the z axis of the frame on a."""
    return Probe(FORCE, axes=frames[0])
