"""The table of sensors that loads follow at all times (sweeps.sensing), from a model's items."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.joints.distance import DISTANCE
from linkwork.elements.joints.lock import LOCK, UB
from linkwork.elements.joints.orthogonal import ORTHOGONAL
from linkwork.elements.signals import measured as me
from linkwork.elements.signals.load_sensors import LoadSensor
from linkwork.elements.signals.measured import FrameSensor, JointSensor, Sensor
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.recursive.sweeps import sensing as se
from linkwork.recursive.tree.tables import markers
from linkwork.recursive.tree.topology import Topology
from linkwork.system.sensor_nodes import sensor_places, sensor_units
from linkwork.system.data import Data
from linkwork.system.system import System


def sensor_table(full: Data, outer: Data, topology: Topology) -> tuple[np.ndarray, np.ndarray]:
    """Integers (sensors, CODES) and reals (sensors, COLUMNS) over all sensors of the model, in the
    order of their values."""
    system = full.system
    sensors: list[Any] = [x for x in system.model.items.values() if isinstance(x, Sensor)]
    number = {name: i for i, name in enumerate(system.names)}
    codes = np.zeros((len(sensors), se.CODES), np.int64)
    out = np.zeros((len(sensors), se.COLUMNS))
    codes[:, se.X], out[:, se.UNIT] = sensor_places(system), sensor_units(full)
    for code, row, item in zip(codes, out, sensors, strict=True):
        if isinstance(item, LoadSensor):
            code[se.KIND] = se.LOAD
            continue
        at: Any = item  # a sensor of a joint or of a frame
        frames = at.joint.frames if isinstance(item, JointSensor) else (at.axes, at.frame)
        code[[se.A, se.B]] = [number.get(f.body.name, system.bodies) for f in frames]
        if isinstance(item, FrameSensor):
            spins = item.quantity == "angular acceleration"
            code[se.KIND] = se.SPIN if spins else se.ACCELERATION
            direction = rotations.matrix(item.axes.orientation) @ np.array(item.axis)
            row[se.E : se.E + 3], row[se.DRIVEN : se.DRIVEN + 3] = direction, item.frame.position
        elif item.quantity == "angular acceleration":
            code[se.KIND] = se.ANGLE
            row[se.E : se.E + 3] = rotations.matrix(frames[1].orientation)[:, 2]
        else:
            turns = item.quantity == "torque"
            row[se.E : se.E + 3] = item.axis
            row[se.QA : se.QA + 4], row[se.QB : se.QB + 4] = (f.orientation for f in frames)
            of_reaction(code, row, system, outer, topology, item, turns)
    return codes, out


def of_reaction(
    code: np.ndarray, row: np.ndarray, system: System, outer: Data, topology: Topology, item: Any,
    turns: bool,
) -> None:  # fmt: skip
    """The columns of a reaction: of a joint of the tree, or of one that is cut."""
    name, active = item.joint.name, getattr(item.joint, "active", ())
    mine = next(i for i, e in enumerate(system.elements) if e.owner == name and e.entry.rows)
    kind = item.entries()[0].integers[0]
    of_cross = kind == me.CROSS
    code[se.FREE_Z] = se.OF_CROSS if of_cross else kind == me.FREE_TORQUE
    for i, step in enumerate(topology.steps):
        if step.edge is not None and mine in step.edge.elements:
            whole = len(item.entries()) == 1
            if system.elements[mine].entry.family is not LOCK or step.link is not None or not whole:
                break
            code[se.KIND] = se.TORQUE if turns else se.FORCE
            code[se.PLACE], row[se.SIGN] = i, -1.0 if step.turned else 1.0
            row[se.POINT : se.POINT + 3] = markers(step, step.motion)[1].position
            row[se.DRIVEN : se.DRIVEN + 3] = system.elements[mine].entry.reals[UB : UB + 3]
            # forces of joint loads along the freedom are in the wrench, not in the reaction
            code[se.WITHOUT_Z] = (5 if turns else 2) not in active and not of_cross
            return
    mine_now = [e for e in outer.part.elements if e.owner == name and e.entry.rows]
    cut = mine_now[-1 if of_cross else 0] if mine_now else None
    known = (ORTHOGONAL,) if of_cross else (LOCK, DISTANCE)
    if cut is None or cut.entry.family not in known or len(item.entries()) > 1:
        raise ModelError(
            f"lw.Recursive cannot follow {item.label} at all times, because {item.joint.label} is "
            "no plain joint of its tree; sample it with lw.sample_hold or "
            "lw.Controller, or use lw.RK4() or lw.GeneralizedAlpha()"
        )
    code[se.KIND] = se.CUT_TORQUE if turns else se.CUT_FORCE
    kept = {int(r): k for k, r in enumerate(outer.kept)}
    rows = {axis: cut.first_row + k for k, axis in enumerate(cut.entry.rows)}
    for j in range(3):
        code[se.GAMMA + j] = kept.get(rows.get(j + 3 * (turns and not of_cross), -1), outer.rows)
