"""What loads can be read as: formulas of readings of their frames and of their own drives.

    component of a vector F that follows a body or not:   y F·e,   or   y e·(R F)
    its power, with v the velocity of the point that it acts at, less that of b there for a pair:
        dead  y F·v,   follower  y F·(Rᵀv)

Vectors are read along an axis of the world, or without one as the number y |F| along themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.signals.joint_readings import refuse_others, three
from linkwork.errors import DriveError
from linkwork.model.drives import Constant, Drive
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.signals.load_readings import LoadReading
from linkwork.model.signals.readings import AXES, Reading

X, Y, Z = AXES["x"], AXES["y"], AXES["z"]
WORLD = Frame(GROUND)


def load_reading(
    item: Any, quantity: str, axis: Any, scalars: tuple[str, ...], vectors: tuple[str, ...] = ()
) -> LoadReading:
    """A reading of a load that has these numbers, and vectors with components in world axes."""
    refuse_others(item, quantity, (*vectors, *scalars))
    if axis is not None and quantity in scalars:
        raise DriveError(f"a reading of {item.label}: its {quantity} has no axis; leave it out")
    found = LoadReading(item, quantity, None if axis is None else three(item, axis))
    found.worked_out()  # what cannot be read is said here
    return found


def own_factor(item: Any) -> Drive:
    """The drive of a load that may have none."""
    return Constant(1.0) if item.drive is None else item.drive


def component(item: Any, vector: np.ndarray, axis: Any, body: Any) -> Drive:
    """A vector of a load along an axis of the world, or its size along itself."""
    y = own_factor(item)
    if axis is None:
        return y * float(np.linalg.norm(vector))
    if not item.follower:
        return y * float(np.dot(vector, axis))
    return y * Reading(Frame(body), "cosine", axis, WORLD, WORLD, tuple(vector), of=body_of(body))


def body_of(body: Any) -> Any:
    return None if body is GROUND else body


def work_rate(vector: np.ndarray, frame: Frame, quantity: str, follower: bool) -> Drive:
    """F·v of a frame's origin, or T·w, with F in world axes or in those of the frame's body."""
    axes = Frame(frame.body) if follower else WORLD
    total: Drive = Constant(0.0)
    for c, e in zip(vector, (X, Y, Z)):
        if c:
            total = total + float(c) * Reading(frame, quantity, e, WORLD, axes)
    return total


def power_of_load(item: Any, force: np.ndarray, torque: np.ndarray) -> Drive:
    """Of a force or a torque on one body."""
    frame = as_frame(item.frame, item.label)
    work = work_rate(force, frame, "velocity", item.follower)
    return own_factor(item) * (work + work_rate(torque, frame, "angular velocity", item.follower))


def power_of_pair(item: Any) -> Drive:
    """Of a force and a torque on a and their opposites on b.

    Where both act at a's point, b moves there with v_b + w_b × (p_a − p_b).
    """
    fa, fb = as_frame(item.a, item.label), as_frame(item.b, item.label)
    axes = Frame(fa.body) if item.follower else WORLD
    total: Drive = Constant(0.0)
    turn = [Reading(fb, "angular velocity", e, WORLD, axes) for e in (X, Y, Z)]
    arm = [Reading(fa, "position", e, fb, axes) for e in (X, Y, Z)]
    for i, e in enumerate((X, Y, Z)):
        j, k = (i + 1) % 3, (i + 2) % 3
        if item.force[i]:
            speed: Drive = Reading(fa, "velocity", e, fb, axes)
            if not item.apart:
                speed = speed - (turn[j] * arm[k] - turn[k] * arm[j])
            total = total + float(item.force[i]) * speed
        if item.torque[i]:
            total = total + float(item.torque[i]) * Reading(fa, "angular velocity", e, fb, axes)
    return own_factor(item) * total
