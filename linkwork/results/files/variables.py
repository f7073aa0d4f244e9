"""The variables of a result file and of `to_xarray`: what every stored number means.

    motion (T, bodies, 13) = position, orientation, velocity, angular velocity side by side,
    acceleration (T, bodies, 6) = acceleration, angular acceleration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.results.outputs import replayed
from linkwork.system.system import System

if TYPE_CHECKING:
    from linkwork.results.result import Result


class Part(NamedTuple):
    """A variable over (time, body, components): columns `first` to `last` of a stored array."""

    name: str
    first: int
    last: int
    axis: str
    words: str
    units: str


MOTION = (
    Part("position", 0, 3, "xyz", "centre of mass, world axes", "m"),
    Part("orientation", 3, 7, "wxyz", "quaternion, body to world", "1"),
    Part("velocity", 7, 10, "xyz", "velocity, world axes", "m/s"),
    Part("angular_velocity", 10, 13, "xyz", "angular velocity, body axes", "rad/s"),
)
ACCELERATION = (
    Part("acceleration", 0, 3, "xyz", "acceleration, world axes", "m/s²"),
    Part("angular_acceleration", 3, 6, "xyz", "angular acceleration, body axes", "rad/s²"),
)
VALUES = (  # of vector nodes: rows of values (T, 3, n)
    ("value", "values of scalar and vector nodes"),
    ("value_rate", "their rates"),
    ("value_second", "their second derivatives"),
)
WORK = ("dissipated", "supplied")
MULTIPLIER = "multipliers of all rows"


def joints_of(system: System) -> tuple[str, ...]:
    """Names of the items that constrain."""
    return tuple(dict.fromkeys(row.owner for row in system.all_rows))


def coordinates(system: System) -> dict[str, list[str]]:
    """The axes but time."""
    axes: dict[str, list[str]] = {}
    if system.bodies:
        axes = {"body": list(system.names), "xyz": list("xyz"), "wxyz": list("wxyz")}
    if system.layout.values:
        rigid = system.layout.rigid
        axes["number"] = [system.layout.describe(rigid + i) for i in range(system.layout.values)]
    if system.all_rows:
        axes["joint"] = list(joints_of(system))
        axes["row"] = [f"{row.owner}.{row.name}" for row in system.all_rows]
    return axes


def units_of_values(system: System) -> tuple:
    """The units of all values of vector nodes, as a variable over their axis."""
    units = [unit for node in system.layout.nodes for unit in node.kind.units]
    return ("number",), units, {"long_name": "units of values; rates have them per second"}


def time_variable(time: np.ndarray) -> Any:
    return (("time",), time.copy(), time_attributes())


def time_attributes() -> dict[str, str]:
    return {"long_name": "time", "units": "s"}


def work_words(name: str) -> str:
    return f"energy {name} until then"


def flat_variables(result: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coordinates and variables of `to_xarray` and of files: motion, multipliers, reactions."""
    coords: dict[str, Any] = {"time": time_variable(result.time), **coordinates(result.system)}

    def named(values: np.ndarray, dims: tuple[str, ...], words: str, units: str) -> tuple:
        return dims, np.ascontiguousarray(values), {"long_name": words, "units": units}

    variables = {
        p.name: named(
            array[:, :, p.first : p.last], ("time", "body", p.axis), p.words, p.units
        )
        for array, parts in ((result.motion, MOTION), (result.acceleration, ACCELERATION))
        for p in parts
        if result.system.bodies
    }
    if result.system.layout.values:
        coords["unit"] = units_of_values(result.system)
        for k, (name, words) in enumerate(VALUES):
            variables[name] = named(result.values[:, k], ("time", "number"), words, "")
    if result.joints:
        force, torque = reactions(result)
        joint = ("time", "joint", "xyz")
        words = "on the second body, main marker's axes"
        variables |= {
            "multiplier": named(np.asarray(result.gamma), ("time", "row"), MULTIPLIER, ""),
            "force": named(force, joint, f"reaction force {words}", "N"),
            "torque": named(torque, joint, f"reaction torque {words}", "N m"),
        }
    if result.work is not None:
        for i, name in enumerate(WORK):
            variables[name] = named(result.work[:, i], ("time",), work_words(name), "J")
    return coords, variables


def reactions(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Reaction forces and torques of all joints, (T, joints, 3); NaN where a family gives none."""
    force = np.full((len(result), len(result.joints), 3), np.nan)
    torque = force.copy()
    owned: dict[str, list[Any]] = {joint: [] for joint in result.joints}
    for e in result.system.elements:
        if e.entry.rows:
            owned[e.owner].append(e)
    known = [j for j, elements in enumerate(owned.values()) if replayed.has_reaction(elements)]
    joints = list(owned.values())
    for j, wrench in zip(known, replayed.reactions(result, [joints[j] for j in known])):
        force[:, j], torque[:, j] = wrench.force, wrench.torque
    return force, torque


def diagnostic_dims(name: str, array: np.ndarray, times: int) -> tuple[str, ...]:
    """Names of the axes of a diagnostic: time where the length fits, else step."""
    if array.ndim == 0:
        return ()
    n = array.shape[0]
    first = "time" if n == times else f"step_{n}"
    return (first, *(f"{name}_{i}" for i in range(1, array.ndim)))
