"""What a run tells about one item: `run["rod"].position`, `run["pin"].force`.

A view offers named outputs; each is computed from the stored arrays when it is asked for, and
comes as an xarray DataArray over time (and components).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.body import Body
from linkwork.elements.lock import LOCK
from linkwork.math import rotations
from linkwork.model import checks
from linkwork.results.relative import (
    Motion, Relative, constraint_rate, relative_motion, rotate, rotate_back, twist, twist_rate,
    unwrap, TURN,
)  # fmt: skip
from linkwork.system.state import State
from linkwork.system.system import Element, System

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.result import Result


@dataclass(frozen=True)
class Output:
    """A named output: how to compute it, its components ("", "xyz", "wxyz"), units, in words."""

    values: Callable[[], np.ndarray]
    axis: str
    units: str
    words: str


# ---------------------------------------------------------------- stored arrays, per element


def body_motion(result: Result, b: int) -> Motion:
    """Motion of body number b (−1: the ground) over the stored times."""
    T = len(result.time)
    if b < 0:
        still = np.zeros((T, 3))
        return Motion(still, np.tile([1.0, 0.0, 0.0, 0.0], (T, 1)), still, still)
    m = result.motion[:, b]
    return Motion(m[:, :3], m[:, 3:7], m[:, 7:10], m[:, 10:13])


def element_reals(result: Result, e: Element) -> np.ndarray:
    """The numbers of an element at every stored time, (T, n)."""
    reals = np.tile(np.asarray(e.entry.reals, float), (len(result.time), 1))
    for law in e.entry.laws:
        reals[:, law.column : law.column + law.length] = law.values(result.time)
    return reals


def element_gamma(result: Result, e: Element) -> np.ndarray:
    """Multipliers over all rows its family can have, zero in those it has not, (T, rows)."""
    gamma = np.zeros((len(result.time), e.entry.family.rows))
    gamma[:, list(e.entry.rows)] = result.gamma[:, e.first_row : e.first_row + len(e.entry.rows)]
    return gamma


@dataclass(frozen=True)
class Wrench:
    """Force and torque about `point`, in the axes of `R` (world: R force)."""

    force: np.ndarray
    torque: np.ndarray
    R: np.ndarray
    point: np.ndarray

    def __add__(self, other: Wrench) -> Wrench:
        """Both together, about this one's point and in its axes."""
        force = rotate(other.R, other.force)
        torque = rotate(other.R, other.torque) + np.cross(other.point - self.point, force)
        return Wrench(
            self.force + rotate_back(self.R, force), self.torque + rotate_back(self.R, torque),
            self.R, self.point,
        )  # fmt: skip


def reaction(result: Result, elements: list[Element]) -> Wrench:
    """Reaction of a joint on its second body, about its first element's point, in its axes."""
    total = None
    for e in elements:
        a, b = (body_motion(result, end) for end in e.ends)
        part = Wrench(*e.entry.family.reaction(  # type: ignore[misc]
            element_reals(result, e), element_gamma(result, e), a.r, a.q, b.r, b.q
        ))  # fmt: skip
        total = part if total is None else total + part
    assert total is not None
    return total


# ------------------------------------------------------------------------------------- views


class View:
    """One item of a run; `dir(view)` and `view.names` list what it has."""

    def __init__(self, result: Result, name: str) -> None:
        self._result = result
        self._name = name
        self._item = result.system.model[name]
        self._outputs: dict[str, Output] = self._make_outputs()

    def _make_outputs(self) -> dict[str, Output]:
        return {}

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
            listed = ", ".join(self._outputs) or "no results of its own"
            raise AttributeError(f"{self._item.label} has no '{name}'{hint} (it has {listed})")
        output = self._outputs[name]
        return self._array(name, output.values(), output.axis, output.units, output.words)

    def _array(
        self, name: str, values: np.ndarray, axis: str, units: str, words: str
    ) -> xr.DataArray:
        array = self._result.data_array(
            f"{self._name}.{name}", values, axis, units, f"{words} of {self._item.label}"
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
        motion, acceleration = self._result.motion[:, b], self._result.acceleration[:, b]
        return {
            "position": Output(lambda: motion[:, :3], "xyz", "m", "position"),
            "orientation": Output(lambda: motion[:, 3:7], "wxyz", "1", "orientation quaternion"),
            "velocity": Output(lambda: motion[:, 7:10], "xyz", "m/s", "velocity"),
            "angular_velocity": Output(
                lambda: motion[:, 10:13], "xyz", "rad/s", "angular velocity (body axes)"
            ),
            "acceleration": Output(lambda: acceleration[:, :3], "xyz", "m/s²", "acceleration"),
            "angular_acceleration": Output(
                lambda: acceleration[:, 3:], "xyz", "rad/s²", "angular acceleration (body axes)"
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


class ElementView(View):
    """A joint or force: reactions of what constrains, relative motion of what is a lock joint."""

    def _make_outputs(self) -> dict[str, Output]:
        mine = [e for e in self._result.system.elements if e.owner == self._name]
        outputs: dict[str, Output] = {}
        constraints = [e for e in mine if e.entry.rows and e.entry.family.reaction is not None]
        if constraints:
            outputs |= self._reaction_outputs(constraints)
        locks = [e for e in mine if e.entry.family is LOCK]
        if locks:
            outputs |= self._lock_outputs(locks[0])
        return outputs

    def _reaction_outputs(self, elements: list[Element]) -> dict[str, Output]:
        def wrench() -> Wrench:
            return reaction(self._result, elements)

        def world(part: str) -> np.ndarray:
            w = wrench()
            return rotate(w.R, getattr(w, part))

        axes = "on the second body (main marker's axes)"
        there = "on the second body (world axes)"
        return {
            "force": Output(lambda: wrench().force, "xyz", "N", f"reaction force {axes}"),
            "torque": Output(lambda: wrench().torque, "xyz", "N m", f"reaction torque {axes}"),
            "force_world": Output(lambda: world("force"), "xyz", "N", f"reaction force {there}"),
            "torque_world": Output(
                lambda: world("torque"), "xyz", "N m", f"reaction torque {there}"
            ),
        }

    def _lock_outputs(self, e: Element) -> dict[str, Output]:
        result = self._result

        def relative() -> Relative:
            a, b = (body_motion(result, end) for end in e.ends)
            return relative_motion(element_reals(result, e), a, b)

        def rate() -> np.ndarray:
            moved = relative()
            return twist_rate(moved.rho, moved.rho1)

        outputs = {
            "angle": Output(lambda: lock_angle(result, e), "", "rad", "angle"),
            "rate": Output(rate, "", "rad/s", "angular rate"),
            "displacement": Output(lambda: relative().x[:, 2], "", "m", "displacement"),
            "speed": Output(lambda: relative().x1[:, 2], "", "m/s", "speed of the displacement"),
            "position": Output(lambda: relative().x, "xyz", "m", "relative position"),
            "velocity": Output(lambda: relative().x1, "xyz", "m/s", "relative velocity"),
        }
        if e.entry.laws:
            outputs["power"] = Output(
                lambda: lock_power(result, e), "", "W", "power supplied by the drive"
            )
        return outputs


def lock_angle(result: Result, e: Element) -> np.ndarray:
    """The angle about z, counted over turns.

    A driven angle takes the turn of its law; else counting starts from the angle an earlier run
    ended with (info["angles"]) or the joint was given, or within half a turn of zero.
    """
    a, b = (body_motion(result, end) for end in e.ends)
    moved = relative_motion(element_reals(result, e), a, b)
    angle = twist(moved.rho)
    item = result.system.model[e.owner]
    laws = item.laws().get("t", {}) if hasattr(item, "laws") else {}
    if 5 in e.entry.driven and not {"rx", "ry"} & set(laws):
        return angle + TURN * np.round((laws["rz"].values(result.time) - angle) / TURN)
    given = item.start()[0].get("rz", 0.0) if hasattr(item, "start") else 0.0
    start = (result.info.get("angles") or {}).get(e.owner, given)
    return unwrap(result.time, angle, twist_rate(moved.rho, moved.rho1), start)


def lock_power(result: Result, e: Element) -> np.ndarray:
    """γᵀ C_t: the power that the motion laws of a joint supply."""
    a, b = (body_motion(result, end) for end in e.ends)
    rate = constraint_rate(element_reals(result, e), a, b)
    return np.einsum("ti,ti->t", element_gamma(result, e), rate)


def view(result: Result, name: str) -> View:
    """The view of the item of that name; a ModelError that suggests the nearest otherwise."""
    item = result.system.model[name]
    return BodyView(result, name) if isinstance(item, Body) else ElementView(result, name)


def at_state(system: System, state: State, name: str) -> View:
    """The view of an item in a single state: `.force` has shape (3,), `.angle` is a number.

    Example: ``at_state(system, lw.static(m).state, "pin").force``
    """
    from linkwork.results.result import Result

    return Result.of_state(system, state)[name]
