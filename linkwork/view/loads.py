"""What a force element does to its bodies over time, for the arrows of a drawing.

A replay (system.replay) gives the load: force in world axes and torque about the centre of mass in
body axes, here about the marker, τ − s × F with s = R u.  Inertial elements act without the
accelerations of their bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.bodies.central_gravity import CentralGravity
from linkwork.elements.bodies.moving_frame import MovingFrame
from linkwork.elements.bodies.variable_mass import VariableMass
from linkwork.elements.deformable.viscous_body import ViscousBody
from linkwork.elements.forces.force import Load
from linkwork.elements.forces.force_pair import ForcePair
from linkwork.elements.forces.gear_teeth import GearTeeth
from linkwork.elements.forces.joint_load import JointLoad
from linkwork.kernels import rotations
from linkwork.kernels.rotations import rotate
from linkwork.model.frame import Frame, as_frame, carries_frames
from linkwork.results.outputs.replayed import replay
from linkwork.results.result import Result

Loads = dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]


def applied(result: Result, item: Any, frames: np.ndarray) -> Loads:
    """Body number → point, force and torque (F, 3) in world axes, about the item's marker, at some
    of the stored times; what elements remember comes from all of them."""
    full, motion, rows = result.system, result.motion[frames], frames
    elements = [
        i for i, e in enumerate(full.elements) if e.owner == item.name and not e.entry.rows
    ]
    if any(full.elements[i].entry.family.memory.size for i in elements):
        rows = np.arange(len(result))
    asked, parts = replay(result, elements, forces=True, rows=rows, accelerated=False)
    loads = {int(b): np.zeros((len(rows), 6)) for b in np.unique(asked.ends[asked.ends >= 0])}
    for part, answer in parts:
        for (k, j), b in np.ndenumerate(asked.ends):
            if b >= 0:
                loads[b][part] -= answer.wrenches[:, k, j]
    found: Loads = {}
    for b, load in loads.items():
        m, on_body = motion[:, b], load if rows is frames else load[frames]
        R = rotations.matrix(m[:, 3:7])
        arm = rotate(R, np.broadcast_to(_marker(item, full.names[b]), (len(m), 3)))
        force = on_body[:, :3]
        torque = rotate(R, on_body[:, 3:]) - np.cross(arm, force)
        torque[np.abs(torque) < 1e-9 * (1 + np.abs(force).max(initial=0.0))] = 0.0
        found[b] = m[:, :3] + arm, force, torque
    return found


def _marker(item: Any, body: str) -> np.ndarray:
    for frame in frames_of(item):
        if frame.body.name == body:
            return np.asarray(frame.position)
    return np.zeros(3)


def frames_of(item: Any) -> list[Frame]:
    """The markers that an item has on bodies."""
    found = getattr(item, "frames", None)
    if found is None and isinstance(item, (Load, ViscousBody)):
        found = item.frame
    elif found is None and isinstance(item, JointLoad):
        found = item.joint.frames
    elif found is None and isinstance(item, GearTeeth):
        found = [item.first.frames[1], item.second.frames[1]]
    elif found is None and isinstance(item, ForcePair):
        found = [as_frame(end, item.label) for end in (item.a, item.b)]
    elif found is None and isinstance(item, VariableMass):
        found = item.body
    elif found is None and isinstance(item, (MovingFrame, CentralGravity)):
        found = [Frame(x.end, x.start.centre) for x in item.masses() if carries_frames(x.end)]
    if carries_frames(found):
        found = Frame(found)
    return [found] if isinstance(found, Frame) else list(found or ())
