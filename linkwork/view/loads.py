"""What a force element does to its bodies over time, for the arrows of a drawing.

The kernels are asked once more with the element alone, and once without any: the difference of the
residuals is the load, force in world axes and torque about the centre of mass in body axes.  It is
given about the marker, τ − s × F with s = R u.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.bodies.central_gravity import CentralGravity
from linkwork.elements.bodies.moving_frame import MovingFrame
from linkwork.elements.bodies.variable_mass import VariableMass
from linkwork.elements.deformable.viscous_body import ViscousBody
from linkwork.elements.failures import forget_failures
from linkwork.elements.forces.force import Load
from linkwork.elements.forces.force_pair import ForcePair
from linkwork.kernels import rotations
from linkwork.kernels.rotations import rotate
from linkwork.model.frame import Frame, as_frame, carries_frames
from linkwork.results.outputs.stored import memory_elements, memory_place
from linkwork.results.result import Result
from linkwork.system.data import Data
from linkwork.system.state import State

Loads = dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]


def applied(result: Result, item: Any, frames: np.ndarray) -> Loads:
    """Body number → point, force and torque (F, 3) in world axes, about the item's marker, at some
    of the stored times; what elements remember comes from all of them."""
    full, motion = result.system, result.motion[frames]
    elements = [
        i for i, e in enumerate(full.elements) if e.owner == item.name and not e.entry.rows
    ]
    bodies = sorted({b for i in elements for b in full.elements[i].ends if 0 <= b < full.bodies})
    if not bodies:
        return {}
    none, mine = (_residuals(full.data(elements=x), result, frames) for x in ((), elements))
    loads = none - mine
    forget_failures(full.model)
    found: Loads = {}
    for b in bodies:
        m = motion[:, b]
        R = rotations.matrix(m[:, 3:7])
        arm = rotate(R, np.broadcast_to(_marker(item, full.names[b]), (len(m), 3)))
        force = loads[:, b, :3]
        torque = rotate(R, loads[:, b, 3:]) - np.cross(arm, force)
        torque[np.abs(torque) < 1e-9 * (1 + np.abs(force).max(initial=0.0))] = 0.0
        found[b] = m[:, :3] + arm, force, torque
    return found


def _residuals(data: Data, result: Result, frames: np.ndarray) -> np.ndarray:
    """(F, bodies, 6)

    What a controller holds at a stored time acts after it: until then acted what it held before.
    """
    memory = np.array(result.memory)[frames]
    before = np.maximum(frames - 1, 0)
    for e in memory_elements(result.system) if memory.size else ():
        if e.entry.family.signal:
            place = memory_place(result.system, e)
            memory[:, place] = result.memory[before, place]
    return np.array([
        data.evaluate(
            State(float(t), result.system.names, motion, memory=remembered, values=values),
            tangent=False,
        ).f
        for t, motion, remembered, values in zip(
            result.time[frames], result.motion[frames], memory, result.values[frames]
        )
    ])  # fmt: skip


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
    elif found is None and isinstance(item, ForcePair):
        found = [as_frame(end, item.label) for end in (item.a, item.b)]
    elif found is None and isinstance(item, (MovingFrame, VariableMass)):
        found = item.body
    elif found is None and isinstance(item, CentralGravity):
        found = [Frame(body) for body in item.bodies_attracted()]
    if carries_frames(found):
        found = Frame(found)
    return [found] if isinstance(found, Frame) else list(found or ())
