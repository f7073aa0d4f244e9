"""Readings of joints: relative motion of their markers, made of readings of frames.

With marker A on the first body and B on the second, e a direction in the axes of A, Δ = p_B − p_A:

    angle          the twist about z of X_AᵀX_B, counted over turns;   rate   e_z·X_Aᵀ(w_B − w_A)
    displacement   e_z·X_AᵀΔ;                                          speed  its derivative
    position       e·X_AᵀΔ;         velocity    e·(X_Aᵀ Δ̇ − X_Aᵀw_A × X_AᵀΔ), its derivative
    rotation       e·φ, exp φ̃ = X_AᵀX_B;        angular velocity   e·X_Aᵀ(w_B − w_A)
    length         √(Δ·Δ);                       its rate   Δ·Δ̇/√(Δ·Δ)

The rate is that of the angle where rx and ry are held; else only rotation and angular velocity are
offered.  Of a universal joint, X_AᵀX_B = R_x(α) R_y(β): the twists about x and y are α and β, and
α̇ = x_A·w, β̇ = y_B·w with w = w_B − w_A, because the arms x_A and y_B are perpendicular; its torque
is about their normal, which turns with them.
"""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from linkwork.errors import DriveError, ModelError
from linkwork.model.drives import Drive, formula
from linkwork.model.frame import GROUND, Frame
from linkwork.model.signals.readings import AXES, Reading, reads
from linkwork.model.signals.value_readings import value_reading

ANGLES, SLIDES = ("angle", "rate"), ("displacement", "speed")
ALONG_AXES = ("position", "velocity", "rotation", "angular velocity")
REACTIONS = ("force", "torque")
X, Y, Z = AXES["x"], AXES["y"], AXES["z"]


def of_frames(
    joint: Any, quantity: str, axis: Any, ends: tuple[Frame, Frame] | None = None, axes: Any = None,
    start: float = 0.0,
) -> Reading:  # fmt: skip
    """A reading of B relative to A along an axis of A (or of `axes`)."""
    fa, fb = joint.frames if ends is None else ends
    return Reading(fb, quantity, axis, fa, fa if axes is None else axes, start=start, of=joint)


def relative_velocity(joint: Any, axis: Any) -> Drive:
    """The derivative of the position along an axis of A: the velocity as it is seen from A."""
    fa, _ = joint.frames
    seen: Drive = of_frames(joint, "velocity", axis)
    if fa.body is GROUND:
        return seen
    still = Frame(GROUND)
    spin = [Reading(fa, "angular velocity", e, still, fa, of=joint) for e in (X, Y, Z)]
    place = [of_frames(joint, "position", e) for e in (X, Y, Z)]
    for i, c in enumerate(axis):
        if c:
            j, k = (i + 1) % 3, (i + 2) % 3
            seen = seen - c * (spin[j] * place[k] - spin[k] * place[j])
    return seen


def first_angle(joint: Any) -> float:
    """The angle from which turns are counted: the joint's own, or that of its law."""
    laws = joint.laws().get("t", {})
    if "rz" in laws and not {"rx", "ry"} & set(laws):
        return float(laws["rz"].values(np.zeros(1))[0])
    return float(joint.start()[0].get("rz", 0.0))


def lock_reading(joint: Any, quantity: str, axis: Any) -> Drive:
    """What `lw.reads` gives of a joint of the lock family."""
    if joint.laws().get("a") or joint.laws().get("b"):
        raise ModelError(
            f"{joint.label} cannot be read, because its markers move on its bodies; read the "
            "bodies themselves, or use a joint without drive_a and drive_b"
        )
    bent = {"rx", "ry", "rotation"} & set(joint.laws().get("t", {}))
    straight = {3, 4} <= set(joint.active) and not bent
    offered = (*(ANGLES if straight else ()), *SLIDES, *ALONG_AXES)
    if quantity in ANGLES and not straight:
        raise DriveError(
            f"a reading of {joint.label}: it can bend, so that one angle does not describe its "
            f'turn; read "rotation" or "angular velocity" with an axis'
        )
    refuse_others(joint, quantity, (*offered, *REACTIONS, "acceleration"))
    if quantity in REACTIONS:
        if not getattr(joint, "guided", True):
            raise DriveError(
                f"a reading of {joint.label}: its {quantity} is that of a thread alone, whose axis "
                "nothing holds; give guided=True, or read the joint that guides it"
            )
        turned = bent or "rz" in joint.laws().get("t", {})
        if quantity == "torque" and turned and not {3, 4, 5} <= set(joint.active):
            raise DriveError(
                f"a reading of {joint.label}: it turns after a law and is free to turn otherwise, "
                'where its torque is not read; read its "force", or use a Motor, which holds rx '
                "and ry"
            )
        return measured(joint, quantity, three(joint, axis))
    if quantity not in ALONG_AXES and axis is not None and tuple(axis) != Z:
        other = '"rotation" or "angular velocity"' if quantity in ANGLES else '"position"'
        if quantity == "acceleration":
            other = "the accelerations of its bodies"
        raise DriveError(
            f"a reading of {joint.label}: its {quantity} is about or along its z axis; leave out "
            f"axis, or read {other}"
        )
    if quantity == "acceleration":
        return joint_acceleration(joint, straight)
    e = three(joint, axis)
    if quantity == "angle":
        return of_frames(joint, "angle", Z, start=first_angle(joint))
    if quantity == "rate":
        return of_frames(joint, "angular velocity", Z)
    if quantity == "displacement":
        return of_frames(joint, "position", Z)
    if quantity == "speed" and {0, 1} <= set(joint.active):  # Δ is along the axis
        return of_frames(joint, "velocity", Z)
    if quantity in ("speed", "velocity"):
        return relative_velocity(joint, e)
    return of_frames(joint, quantity, e)


def measured(joint: Any, quantity: str, axis: tuple[float, ...]) -> Drive:
    """The value of the sensor of a joint, which is made once for each quantity and axis."""
    from linkwork.elements.signals.measured import JointSensor

    sensors = joint.__dict__.setdefault("sensors", {})
    if (quantity, axis) not in sensors:
        sensors[quantity, axis] = JointSensor(joint, quantity, axis)
    return value_reading(sensors[quantity, axis], quantity.replace(" ", "_"))


def joint_acceleration(joint: Any, straight: bool) -> Drive:
    """The second derivative of the angle of a joint that turns, of the displacement of a slide."""
    if straight and 5 not in joint.active:
        return measured(joint, "angular acceleration", Z)
    fa, fb = joint.frames
    if 2 not in joint.active and fa.body is GROUND:
        return reads(fb, "acceleration", "z", axes=fa)
    raise DriveError(
        f"a reading of {joint.label}: its acceleration is known where it turns about its axis, or "
        "slides along it on the ground; read the accelerations of its bodies"
    )


def universal_reading(joint: Any, quantity: str, axis: Any) -> Drive:
    """What `lw.reads` gives of a universal joint: the angles of its arms, x in a and y in b."""
    if quantity in REACTIONS:
        return measured(joint, quantity, three(joint, axis))
    if quantity not in ANGLES:
        refuse_others(joint, quantity, (*ANGLES, *ALONG_AXES, *REACTIONS))
        return of_frames(joint, quantity, three(joint, axis))
    if axis is None or tuple(axis) not in (X, Y):
        raise DriveError(
            f'a reading of {joint.label}: expected axis "x", the arm that turns in its first body, '
            f'or "y", the one in its second, found {"none" if axis is None else tuple(axis)}'
        )
    if quantity == "angle":
        return of_frames(joint, "angle", tuple(axis))
    return of_frames(joint, "angular velocity", tuple(axis),
                     axes=joint.frames[0 if tuple(axis) == X else 1])  # fmt: skip


def line_reading(item: Any, quantity: str, axis: Any) -> Drive:
    """What `lw.reads` gives of an item between two points."""
    held = hasattr(item, "lengths")  # a Distance, and not a spring
    refuse_others(item, quantity, ("length", "rate", *(("force",) if held else ())))
    if axis is not None:
        raise DriveError(f"a reading of {item.label}: its {quantity} has no axis; leave it out")
    if quantity == "force":
        return measured(item, quantity, X)
    world = Frame(GROUND)
    d = [of_frames(item, "position", e, axes=world) for e in (X, Y, Z)]
    if quantity == "length":
        return formula("sqrt(x*x + y*y + z*z)", x=d[0], y=d[1], z=d[2])
    v = [of_frames(item, "velocity", e, axes=world) for e in (X, Y, Z)]
    return formula(
        "(x*u + y*v + z*w)/sqrt(x*x + y*y + z*z)", x=d[0], y=d[1], z=d[2], u=v[0], v=v[1], w=v[2],
    )  # fmt: skip


def gear_reading(gear: Any, quantity: str, axis: Any) -> Drive:
    """What `lw.reads` gives of a gear: angle_1, rate_1, angle_2 and rate_2 of its joints."""
    refuse_others(gear, quantity, ("angle_1", "rate_1", "angle_2", "rate_2"))
    name, which = quantity.split("_")
    return (gear.first if which == "1" else gear.second).reading(name, axis)


def three(joint: Any, axis: Any) -> tuple[float, ...]:
    """Three numbers of an axis; z where none is given."""
    return Z if axis is None else tuple(float(x) for x in np.asarray(axis, float).ravel())


def refuse_others(item: Any, quantity: Any, offered: tuple[str, ...]) -> None:
    """An error where an item has no such quantity."""
    if quantity in offered:
        return
    near = difflib.get_close_matches(str(quantity), offered, n=1)
    raise DriveError(
        f"a reading of {item.label}: expected one of {', '.join(offered)}, found {quantity!r}"
        + (f"; did you mean {near[0]!r}?" if near else "")
    )
