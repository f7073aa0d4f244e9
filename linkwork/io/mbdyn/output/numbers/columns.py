"""What joints add behind their reactions in .jnt files, and what MBDyn's NetCDF calls it.

A kind of columns is a function from the tables and the joint to an array, and the names of its
parts.  `friction` behind a kind adds the moment (or force) and the coefficient of the friction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.io.mbdyn.deck.deck import JointRecord
from linkwork.io.mbdyn.output.numbers.motion import (
    Motion,
    angles,
    offset,
    rotate,
    rotate_back,
    seen,
)
from linkwork.kernels import rotations

if TYPE_CHECKING:
    from linkwork.io.mbdyn.output.numbers.tables import Tables

Parts = tuple[tuple[str, int, str], ...]  # name, columns, units
Column = Callable[["Tables", JointRecord, Motion, Motion], np.ndarray]
HINGE: Parts = (("E", 3, "deg"), ("Omega", 3, "rad/s"))
DRIVEN: Parts = (HINGE[0], ("Omega0", 1, "rad/s"), HINGE[1])


def described(tables: Tables, joint: JointRecord) -> str:
    """How the angles of a joint are written."""
    return joint.orientation or tables.deck.analysis.orientation


def hinge(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The relative rotation and angular velocity."""
    relative = seen(b, a)
    kind = "euler123" if joint.kind.endswith("pin") else described(tables, joint)
    return np.hstack([angles(relative.R, kind), relative.w])


def driven_hinge(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The relative rotation, the angular velocity that is imposed, and the one there is."""
    from linkwork.io.mbdyn.drives.callers import TIME

    rate = joint.about["rate"](TIME).values(tables.time)[:, None]
    columns = hinge(tables, joint, a, b)
    return np.hstack([columns[:, :-3], rate, columns[:, -3:]])


def ball(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The relative rotation; of pins the orientation of the node."""
    if joint.nodes[0] is None:
        return angles(tables.motion(joint.nodes[1]).R, "euler123")
    return angles(seen(b, a).R, described(tables, joint))


def crossed(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The rotation of the first node relative to the second; of pins that of the node."""
    R = seen(b, a).R
    return angles(R if joint.nodes[0] is None else np.swapaxes(R, 1, 2), "euler123")


def gap(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The vector between the points, in the world."""
    return b.x - a.x


def turn(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The relative rotation by angles and as a vector."""
    R = seen(b, a).R
    return np.hstack([angles(R, "euler123"), angles(R, "orientation vector")])


def total(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """Relative position, rotation vector, velocity and angular velocity."""
    place = seen(b, a)
    assert joint.rotation_axes is not None
    ends = [offset(tables.motion(n), np.zeros(3), R)
            for n, R in zip(joint.nodes, joint.rotation_axes)]  # fmt: skip
    turn = seen(ends[1], ends[0])
    return np.hstack([place.x, angles(turn.R, "orientation vector"), place.v, turn.w])


def imposed(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The value that is imposed."""
    from linkwork.io.mbdyn.drives.callers import TIME

    return joint.imposed[1](TIME).values(tables.time)[:, None]


def along(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The direction in the world and the value along it."""
    n = np.tile(joint.imposed[0], (len(tables.rows), 1))
    if joint.columns == "spin":
        n = rotate(tables.motion(joint.nodes[1]).R, joint.imposed[0])
    return np.hstack([n, imposed(tables, joint, a, b)])


def gimbal(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The angles ϑ and φ of its two arms (rad), and the relative rotation."""
    R = seen(b, a).R
    w, x, y, _ = rotations.from_matrices(R).T
    sign = np.where(w < 0, -1.0, 1.0)
    two = np.stack([np.arctan2(sign * y, sign * w), 2 * np.arcsin(np.clip(sign * x, -1, 1))], 1)
    return np.hstack([two, angles(R, described(tables, joint))])


def screw(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """Turn (deg) and travel, the rotation vector of the second node, the vector to its point."""
    turn = np.degrees(tables.output(joint.items[0], "angle"))
    d = b.x - a.x
    travel = np.sum(a.R[:, :, 2] * d, axis=1)
    nodes = [tables.motion(n) for n in joint.nodes]
    vector = angles(seen(nodes[1], nodes[0]).R, "orientation vector")
    return np.hstack([turn[:, None], travel[:, None], vector, d])


def sensor(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """Acceleration of the point and angular velocity, in the axes of the sensor."""
    return np.hstack([rotate_back(b.R, b.a), rotate_back(b.R, b.w)])


def friction(tables: Tables, joint: JointRecord) -> np.ndarray:
    """Moment or force of the friction on the second node, and the coefficient with its sign."""
    name = "force" if joint.columns.startswith("line") else "torque"
    value, c = (tables.output(joint.friction, x) for x in (name, "coefficient"))
    return np.stack([value, -c], axis=1)


def ball_friction(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """… and moment of the friction on the second node in the world, size of the coefficient."""
    moment = rotate(a.R, tables.output(joint.friction, "torque"))
    c = tables.output(joint.friction, "coefficient")
    return np.hstack([ball(tables, joint, a, b), moment, c[:, None]])


def rubbing(own: Column | None) -> Column:
    """A kind of columns, and those of the friction."""

    def both(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
        mine = own(tables, joint, a, b) if own else np.zeros((len(tables.rows), 0))
        return np.hstack([mine, friction(tables, joint)])

    return both


def screw_friction(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """… and slip speed, coefficient, moment of the friction on the second node in the world."""
    torque, c = friction(tables, joint).T
    axial = np.sum(tables.reaction(joint)[0] * a.R[:, :, 2], axis=1)
    c = np.where(axial > 0, c, -c)  # MBDyn's slip speed has the sign of the axial force
    speed = tables.output(joint.friction, "speed")
    item: Any = tables.deck.model[joint.friction]
    lead = np.arctan2(item.joint.pitch, 2 * np.pi * item.radius)
    return np.hstack([
        screw(tables, joint, a, b), (np.cos(lead) * speed)[:, None], c[:, None],
        torque[:, None] * a.R[:, :, 2],
    ])  # fmt: skip


def brake(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """Relative rotation and angular velocity, coefficient, normal force."""
    c, load = (tables.output(joint.friction, name) for name in ("coefficient", "load"))
    return np.hstack([hinge(tables, joint, a, b), np.stack([-c, load], axis=1)])


FRICTION: Parts = (("MFR", 1, "Nm"), ("fc", 1, "-"))
SCREW: Parts = (("dTheta", 1, "deg"), ("dD", 1, "m"), ("Theta", 3, "rad"), ("D", 3, "m"))
def slider(tables: Tables, joint: JointRecord, a: Motion, b: Motion) -> np.ndarray:
    """The beam that the node is on, and where: from −1 at its first node to 1 at its last."""
    labels = np.array(joint.about["beams"])
    place = tables.output(joint.items[0], "place")
    e = np.clip(np.floor(place).astype(int), 0, len(labels) - 1)
    return np.column_stack([labels[e], 2 * (place - e) - 1])


COLUMNS: dict[str, tuple[Column, Parts]] = {
    "hinge": (hinge, HINGE),
    "hinge friction": (rubbing(hinge), HINGE + FRICTION),
    "driven hinge": (driven_hinge, DRIVEN),
    "driven hinge friction": (rubbing(driven_hinge), DRIVEN + FRICTION),
    "ball": (ball, (("E", 3, "deg"),)),
    "ball friction": (ball_friction, (("E", 3, "deg"), ("MFR", 3, "Nm"), ("fc", 1, "-"))),
    "crossed": (crossed, (("E", 3, "deg"),)),
    "gap": (gap, (("d", 3, "m"),)),
    "turn": (turn, (("E", 3, "deg"), ("Theta", 3, "rad"))),
    "line friction": (rubbing(None), (("FF", 1, "N"), ("fc", 1, "-"))),
    "total": (total, (("X", 3, "m"), ("Phi", 3, "rad"), ("V", 3, "m/s"), ("Omega", 3, "rad/s"))),
    "velocity": (along, (("dv", 3, "-"), ("v", 1, "m/s"))),
    "spin": (along, (("w", 3, "-"), ("dOmega", 1, "rad/s"))),
    "acceleration": (imposed, (("a", 1, "m/s^2"),)),
    "spin rate": (imposed, (("wp", 1, "rad/s^2"),)),
    "gimbal": (gimbal, (("Theta", 1, "rad"), ("Phi", 1, "rad"), ("E", 3, "deg"))),
    "screw": (screw, SCREW),
    "screw friction": (
        screw_friction, (*SCREW, ("vRel", 1, "m/s"), ("fc", 1, "-"), ("MFR", 3, "Nm")),
    ),
    "brake": (brake, (*HINGE, ("fc", 1, "-"), ("Fb", 1, "N"))),
    "slider": (slider, (("beam", 1, "-"), ("s", 1, "-"))),
    "sensor": (sensor, (("XPP", 3, "m/s^2"), ("Omega", 3, "rad/s"))),
}  # fmt: skip
