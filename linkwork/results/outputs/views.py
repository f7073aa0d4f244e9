"""What a run tells about one item: `run["rod"].position`, `run["pin"].force`.

A view offers named outputs; each is computed from the stored arrays when it is asked for, and
comes as an xarray DataArray over time (and components).
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.flexible.parts import FloatingFrame
from linkwork.elements.forces.user_force import UserForce
from linkwork.elements.joints.driven import DrivenJoint
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.signals.sensor import StrapdownSensor
from linkwork.math import rotations
from linkwork.model import checks
from linkwork.results.outputs.deformed.flexible import deformed
from linkwork.results.outputs.relative import rotate
from linkwork.results.outputs.stored import (
    Wrench,
    body_motion,
    circuit_outputs,
    drive_power,
    family_outputs,
    lock_angle,
    lock_place,
    lock_turn,
    reaction,
)
from linkwork.results.outputs.user_force import user_wrenches
from linkwork.system.numbering import Element

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.result import Result


FAMILY_UNITS = {
    "force": "N", "torque": "N m", "length": "m", "angle": "rad", "displacement": "m",
    "rotation": "rad", "power": "W", "speed": "m/s", "velocity": "m/s", "angular_velocity": "rad/s",
    "internal_force": "N", "internal_moment": "N m", "angle_1": "rad", "angle_2": "rad",
    "rate_1": "rad/s", "rate_2": "rad/s", "contact_point": "m",
}  # fmt: skip


Axis = str | tuple[int, ...] | dict[str, Any]  # components, numbers of modes, or coordinates


@dataclass(frozen=True)
class Output:
    """A named output: how to compute it, its components ("", "xyz", "wxyz"), units, in words."""

    values: Callable[[], np.ndarray]
    axis: Axis
    units: str
    words: str


class View:
    """One item of a run; `dir(view)` and `view.names` list what it has."""

    def __init__(self, result: Result, name: str) -> None:
        self._result = result
        self._name = name
        self._item = result.system.described(name)
        self._outputs: dict[str, Output] = self._make_outputs()

    def _make_outputs(self) -> dict[str, Output]:
        return self._node_outputs()

    def _node_outputs(self) -> dict[str, Output]:
        """Values and rates of the vector nodes that the item brings."""
        outputs: dict[str, Output] = {}
        layout = self._result.system.layout
        for node in self._item.vector_nodes():
            k = [id(x) for x in layout.nodes].index(id(node))
            place = slice(int(layout.first[k]), int(layout.first[k + 1]))
            name, unit = node.kind.name.replace(" ", "_"), node.kind.units[0]
            axis = "" if node.size == 1 else tuple(range(1, node.size + 1))
            for row, (output, units) in enumerate(((name, unit), (f"{name}_rate", f"{unit}/s"))):
                outputs[output] = Output(
                    partial(self._values, row, place), axis, units, output.replace("_", " ")
                )
        return outputs

    def _values(self, row: int, place: slice) -> np.ndarray:
        found = self._result.values[:, row, place]
        return found[:, 0] if found.shape[1] == 1 else found

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs there are."""
        return tuple(self._outputs)

    def __getattr__(self, name: str) -> xr.DataArray:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._outputs:
            near = difflib.get_close_matches(name, self._outputs, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            more = ["point((x, y, z))"] if hasattr(type(self), "point") else []
            listed = ", ".join([*self._outputs, *more]) or "no results of its own"
            raise AttributeError(f"{self._item.label} has no '{name}'{hint} (it has {listed})")
        output = self._outputs[name]
        return self._array(name, output.values(), output.axis, output.units, output.words)

    def numbers(self, name: str) -> np.ndarray:
        """An output as a plain array over (time, components)."""
        return self._outputs[name].values()

    def _array(
        self, name: str, values: np.ndarray, axis: Axis, units: str, words: str
    ) -> xr.DataArray:
        array = self._result.data_array(
            f"{self._name}.{name}", values, axis, units, f"{self._item.label}: {words}"
        )
        return array.isel(time=0) if self._result.single else array

    def to_xarray(self) -> xr.Dataset:
        """All outputs of the item in one Dataset."""
        import xarray as xr

        return xr.Dataset({name: getattr(self, name) for name in self._outputs})

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._outputs})

    def __repr__(self) -> str:
        times = "one state" if self._result.single else f"{len(self._result)} times"
        return f"{self._item.label} at {times}: {', '.join(self._outputs) or 'nothing to show'}"


class BodyView(View):
    """Motion of a body: position and velocity of its centre of mass in world axes, angular
    velocity and acceleration in body axes."""

    def _make_outputs(self) -> dict[str, Output]:
        b = self._result.system.names.index(self._name)

        def motion(first: int, last: int) -> np.ndarray:
            return self._result.motion[:, b, first:last]

        def acceleration(first: int, last: int) -> np.ndarray:
            return self._result.acceleration[:, b, first:last]

        return {
            "position": Output(lambda: motion(0, 3), "xyz", "m", "position"),
            "orientation": Output(lambda: motion(3, 7), "wxyz", "1", "orientation quaternion"),
            "velocity": Output(lambda: motion(7, 10), "xyz", "m/s", "velocity"),
            "angular_velocity": Output(
                lambda: motion(10, 13), "xyz", "rad/s", "angular velocity (body axes)"
            ),
            "acceleration": Output(lambda: acceleration(0, 3), "xyz", "m/s²", "acceleration"),
            "angular_acceleration": Output(
                lambda: acceleration(3, 6), "xyz", "rad/s²", "angular acceleration (body axes)"
            ),
        }

    def point(self, place: Any) -> xr.DataArray:
        """World position of the point at `place` = (x, y, z) in body axes.

        Example: ``run["rod"].point((0, 0, 0.5))``
        """
        u = checks.vector(place, f"point of {self._item.label}")
        m = body_motion(self._result, self._result.system.names.index(self._name))
        world = m.r + rotations.matrix(m.q) @ u
        words = f"position of point ({u[0]:g}, {u[1]:g}, {u[2]:g})"
        return self._array("point", world, "xyz", "m", words)


class LinkView(BodyView):
    """Motion of a flexible link's floating frame, at its start, and its modal amplitudes."""

    def _make_outputs(self) -> dict[str, Output]:
        result = self._result
        link = next(x for x in result.system.flexible if x.item.name == self._name)
        axis = tuple(range(1, link.shapes + 1))

        def amplitudes(derivative: int) -> np.ndarray:
            return link.amplitudes(result.values[:], derivative)

        return super()._make_outputs() | {
            "amplitudes": Output(
                lambda: amplitudes(0), axis, "m", "modal amplitudes"
            ),
            "amplitude_rates": Output(
                lambda: amplitudes(1), axis, "m/s", "rates of amplitudes"
            ),
            "amplitude_accelerations": Output(
                lambda: amplitudes(2), axis, "m/s²", "accelerations of amplitudes"
            ),
        }

    def axis(self, s: Any) -> xr.DataArray:
        """World position of the deformed axis at the part s of the length, from 0 to 1.

        Example: ``run["rod"].axis(0.5)``
        """
        link = next(x for x in self._result.system.flexible if x.item.name == self._name)
        place = checks.number(s, f"place on {link.item.label}")
        world = deformed(
            link, self._result.motion[:], self._result.values[:], np.array([place])
        )[:, 0]
        return self._array("axis", world, "xyz", "m", f"position of the axis at {place:g}")


class ElementView(View):
    """A joint or force: reactions of what constrains, relative motion of what is a lock joint, and
    what a family offers by itself."""

    def _make_outputs(self) -> dict[str, Output]:
        mine = [e for e in self._result.system.elements if e.owner == self._name]
        joints = [e for e in mine if e.entry.rows]
        outputs = self._node_outputs()
        if joints and all(e.entry.family.reaction is not None for e in joints):
            outputs |= self._reaction_outputs(joints)
        if len(joints) == 1 and joints[0].entry.family is LOCK:
            outputs |= self._lock_outputs(joints[0])
        if any(e.entry.laws for e in joints):
            outputs["power"] = Output(
                lambda: drive_power(self._result, joints), "", "W", "power supplied by the drive"
            )
        for e in mine:
            if getattr(e.entry.family, "outputs", None) is not None:
                outputs |= self._family_outputs(e)
            if e.entry.family.circuit is not None:
                self._add_circuit_outputs(e, outputs)
        if rubbing := [e for e in mine if e.entry.family.name.startswith("friction")]:
            outputs |= self._friction_outputs(rubbing)
        if any(e.entry.family.name.startswith("heat of friction") for e in mine):
            outputs["heat_flow"] = self._heat_output(self._item, outputs["heat_flow"])
        if isinstance(self._item, UserForce):
            outputs |= self._user_outputs(self._item)
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

    def _user_outputs(self, item: UserForce) -> dict[str, Output]:
        """Forces and torques of a user's function at each of its frames, and their power."""
        outputs = {}
        for k, frame in enumerate(item.acted_on):
            end = f"_{k + 1}" if len(item.acted_on) > 1 else ""
            for column, (word, units) in enumerate((("force", "N"), ("torque", "N m"))):
                outputs[word + end] = Output(
                    partial(self._user_part, item, k, 3 * column), "xyz", units,
                    f"{word} on {frame.body!r} (world axes)",
                )  # fmt: skip
        outputs["power"] = Output(
            lambda: user_wrenches(self._result, item)[1], "", "W", "power that it supplies"
        )
        return outputs

    def _user_part(self, item: UserForce, k: int, column: int) -> np.ndarray:
        return user_wrenches(self._result, item)[0][:, k, column : column + 3]

    def _sensor_outputs(self, sensor: StrapdownSensor) -> dict[str, Output]:
        result = self._result
        b = result.system.names.index(str(sensor.frames[0].body.name))

        def measured(name: str) -> np.ndarray:
            gravity = result.system.tables.gravity
            return sensor.measured(result.motion[:, b], result.acceleration[:, b], gravity)[name]

        units = {"acceleration": "m/s²", "specific_force": "m/s²", "angular_velocity": "rad/s",
                 "angular_acceleration": "rad/s²"}  # fmt: skip
        return {
            name: Output(
                lambda name=name: measured(name), "xyz", unit,  # type: ignore[misc]
                f"{name.replace('_', ' ')} (sensor's axes)",
            )
            for name, unit in units.items()
        }  # fmt: skip

    def _family_outputs(self, e: Element) -> dict[str, Output]:
        found = family_outputs(self._result, e)
        outputs = {}
        for name, values in found.items():
            units = FAMILY_UNITS.get(name, "")
            if name == "rate":
                units = "m/s" if "length" in found else "rad/s"
            axis = "xyz" if values.ndim == 2 else ""
            outputs[name] = Output(lambda values=values: values, axis, units, name)  # type: ignore[misc]
        return outputs

    def _add_circuit_outputs(self, e: Element, outputs: dict[str, Output]) -> None:
        """Those of an element with vector nodes; what several elements store is added up."""
        for name, (values, unit) in circuit_outputs(self._result, e).items():
            if name == "stored_energy" and name in outputs:
                values = values + outputs[name].values()
            words = name.replace("_", " ")
            outputs[name] = Output(lambda values=values: values, "", unit, words)  # type: ignore[misc]

    def _friction_outputs(self, elements: list[Element]) -> dict[str, Output]:
        from linkwork.results.outputs.friction import (  # slow to import
            UNITS,
            friction_axes,
            friction_of,
        )

        def part(name: str) -> np.ndarray:
            return getattr(friction_of(self._result, elements), name)

        return {
            name: Output(lambda name=name: part(name), axis, *UNITS[name])  # type: ignore[misc]
            for name, axis in friction_axes(elements).items()
        }

    def _heat_output(self, source: Any, other: Output) -> Output:
        """The heat flow of a source with what frictions dissipate, besides its other losses."""
        from linkwork.results.outputs.friction import dissipated_by  # slow to import

        def flow() -> np.ndarray:
            rubs = sum(dissipated_by(self._result, str(x.name)) for x in source.rubbing)
            return np.asarray(other.values() + source.part * rubs)

        return Output(flow, "", "W", "heat flow")

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

    def _lock_outputs(self, e: Element) -> dict[str, Output]:
        result = self._result

        def place(level: int) -> np.ndarray:
            return lock_place(result, e)[level]

        return {
            "angle": Output(lambda: lock_angle(result, e), "", "rad", "angle"),
            "rate": Output(lambda: lock_turn(result, e)[1], "", "rad/s", "angular rate"),
            "displacement": Output(lambda: place(0)[:, 2], "", "m", "displacement"),
            "speed": Output(lambda: place(1)[:, 2], "", "m/s", "speed of the displacement"),
            "position": Output(lambda: place(0), "xyz", "m", "relative position"),
            "velocity": Output(lambda: place(1), "xyz", "m/s", "relative velocity"),
        }


def view(result: Result, name: str) -> View:
    """The view of the item of that name; a ModelError that suggests the nearest otherwise."""
    item = result.system.described(name)
    if isinstance(item, FloatingFrame):
        return LinkView(result, name)
    if any(e.owner == name and e.entry.family.slender for e in result.system.elements):
        from linkwork.results.outputs.deformed.beam_view import BeamView  # slow to import

        return BeamView(result, name)
    if any(e.owner == name and e.entry.family.name.startswith("cable segment")
           for e in result.system.elements):  # fmt: skip
        from linkwork.results.outputs.deformed.cables import CableView

        return CableView(result, name)
    if type(item).__name__ in ("Contact", "CamFollower"):
        from linkwork.results.outputs.contact import ContactView  # slow to import

        return ContactView(result, name)
    if item.needs_air and hasattr(item, "pieces"):
        from linkwork.results.outputs.surface_view import SurfaceView  # slow to import

        return SurfaceView(result, name)
    if item.needs_air and hasattr(item, "disc"):
        from linkwork.results.outputs.rotor_view import RotorView  # slow to import

        return RotorView(result, name)
    if item.needs_air and hasattr(item, "coefficients"):
        from linkwork.results.outputs.craft_view import CraftView  # slow to import

        return CraftView(result, name)
    return BodyView(result, name) if name in result.system.names else ElementView(result, name)
