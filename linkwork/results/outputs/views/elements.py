"""Views of joints, forces and all other elements."""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial

import numpy as np

from linkwork.elements.joints.driven import DrivenJoint
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.bodies.central_gravity import CentralGravity
from linkwork.elements.bodies.moving_frame import MovingFrame
from linkwork.elements.signals.sensor import StrapdownSensor
from linkwork.kernels.rotations import rotate
from linkwork.results.outputs.joint_angles import lock_angle
from linkwork.results.outputs.replayed import (
    ItemOutputs,
    Wrench,
    has_reaction,
    reaction,
)
from linkwork.results.outputs.stored import drive_power
from linkwork.results.outputs.views.base import Output, View
from linkwork.system.compilation.numbering import Element

ARMS = "ab"  # of a Universal whose pins rub


class ElementView(View):
    """A joint or force: reactions of what constrains, relative motion of what is a lock joint, and
    what a family offers by itself."""

    def _make_outputs(self) -> dict[str, Output]:
        mine = [e for e in self._result.system.elements if e.owner == self._name]
        joints = [e for e in mine if e.entry.rows]
        outputs = self._node_outputs()
        asked = ItemOutputs(self._result, self._name)
        if joints and has_reaction(joints):
            outputs |= self._reaction_outputs(joints)
        if len(joints) == 1 and joints[0].entry.family is LOCK:
            outputs |= self._lock_outputs(joints[0], asked)
        if any(e.entry.laws for e in joints):
            outputs["power"] = Output(
                lambda: drive_power(self._result, joints), "", "W", "power supplied by the drive"
            )
        outputs |= self._declared_outputs(asked)
        if any(e.entry.family.name.startswith("friction") for e in mine):
            outputs = self._friction_outputs(asked, outputs)
        if isinstance(self._item, DrivenJoint):
            outputs = self._drive_outputs(self._item, joints, outputs)
        if isinstance(self._item, StrapdownSensor):
            outputs |= self._sensor_outputs(self._item)
        return outputs

    def _drive_outputs(
        self, item: DrivenJoint, joints: list[Element], outputs: dict[str, Output]
    ) -> dict[str, Output]:
        """What the drive of a motor or an actuator does along its axis, on the second body.

        `torque` of a motor is that number, and `force` of an actuator; the vector of the reaction
        is `reaction_torque` or `reaction_force` there.
        """
        turns = item.row == "rz"
        word, units = ("torque", "N m") if turns else ("force", "N")

        def along() -> np.ndarray:
            return getattr(reaction(self._result, joints), word)[:, 2]

        words = f"{word} of the drive {'about' if turns else 'along'} its axis, on the second body"
        drive, vector = Output(along, "", units, words), outputs[word]
        return outputs | {word: drive, f"reaction_{word}": vector, f"drive_{word}": drive}

    def _sensor_outputs(self, sensor: StrapdownSensor) -> dict[str, Output]:
        result = self._result
        body = sensor.frames[0].body
        b = result.system.names.index(str(body.name))
        items = result.system.model.items.values()
        frames = [x for x in items if isinstance(x, MovingFrame)]
        frames.sort(key=lambda x: x.body is not body)  # all describe the whole model
        moving = frames[0].values(result.time) if frames else None
        centres = [x for x in items if isinstance(x, CentralGravity)]

        def measured(name: str) -> np.ndarray:
            motion, acceleration = result.motion[:, b], result.acceleration[:, b]
            gravity, place = result.system.tables.gravity, sensor.place(motion)
            for centre in centres:
                gravity = gravity + centre.field(place)
            return sensor.measured(motion, acceleration, gravity, moving)[name]

        units = {"acceleration": "m/s²", "specific_force": "m/s²", "angular_velocity": "rad/s",
                 "angular_acceleration": "rad/s²"}  # fmt: skip
        return {
            name: Output(
                lambda name=name: measured(name), "xyz", unit,  # type: ignore[misc]
                f"{name.replace('_', ' ')} (sensor's axes)",
            )
            for name, unit in units.items()
        }  # fmt: skip

    def _friction_outputs(
        self, asked: ItemOutputs, outputs: dict[str, Output]
    ) -> dict[str, Output]:
        """Force of surfaces that slide, torque of those that turn; of two pins pairs."""
        absent = {"force", "torque"} - set(self._item.offered)
        outputs = {name: x for name, x in outputs.items() if name not in absent}
        if len(asked.numbers) > 1:
            for name in outputs.keys() - {"load"}:
                pair = partial(self._pair, asked, name)
                outputs[name] = replace(outputs[name], values=pair, axis=ARMS)
        return outputs

    def _pair(self, asked: ItemOutputs, name: str) -> np.ndarray:
        return asked.every(name).T

    def _reaction_outputs(self, elements: list[Element]) -> dict[str, Output]:
        @functools.cache
        def wrench() -> Wrench:
            return reaction(self._result, elements)

        def world(part: str) -> np.ndarray:
            w = wrench()
            return rotate(w.R, getattr(w, part))

        axes = "on the second body (main marker's axes)"
        there = "on the second body (world axes)"
        return {
            "force": Output(lambda: wrench().force.copy(), "xyz", "N", f"reaction force {axes}"),
            "torque": Output(
                lambda: wrench().torque.copy(), "xyz", "N m", f"reaction torque {axes}"
            ),
            "force_world": Output(lambda: world("force"), "xyz", "N", f"reaction force {there}"),
            "torque_world": Output(
                lambda: world("torque"), "xyz", "N m", f"reaction torque {there}"
            ),
        }

    def _lock_outputs(self, e: Element, asked: ItemOutputs) -> dict[str, Output]:
        result = self._result
        return {
            "angle": Output(lambda: lock_angle(result, e), "", "rad", "angle"),
            "rate": Output(lambda: asked["_rate"], "", "rad/s", "angular rate"),
            "displacement": Output(lambda: asked["_position"][:, 2], "", "m", "displacement"),
            "speed": Output(
                lambda: asked["_velocity"][:, 2], "", "m/s", "speed of the displacement"
            ),
            "position": Output(lambda: asked["_position"], "xyz", "m", "relative position"),
            "velocity": Output(lambda: asked["_velocity"], "xyz", "m/s", "relative velocity"),
        }
