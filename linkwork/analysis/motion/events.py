"""Events that end a run: a function of time and motion that crosses zero, or a joint's limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from linkwork.analysis.coordinates import joint_coordinates, twist_angle
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.motion_laws import driven_rows
from linkwork.errors import LinkworkError, ModelError
from linkwork.model import checks
from linkwork.system.data import Data
from linkwork.system.state import State


@dataclass(frozen=True)
class JointLimit:
    """Ends a run when a joint's coordinate leaves a range: JointLimit("pin", angle=(-1, 1)).

    angle is the rotation about the joint's z axis from −π to π, displacement the way along it.
    """

    joint: str
    angle: tuple[float, float] | None = None
    displacement: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        given = [r for r in (self.angle, self.displacement) if r is not None]
        limits = checks.array(given[0]) if len(given) == 1 else None
        if limits is None or limits.shape != (2,) or not limits[0] < limits[1]:
            raise ModelError(
                f"JointLimit of {checks.show(self.joint)} needs angle=(low, high) or "
                "displacement=(low, high) with low < high"
            )
        finite = limits[np.isfinite(limits)]
        if self.angle is not None and np.any(np.abs(finite) > np.pi):
            raise ModelError(
                f"angle of JointLimit of {checks.show(self.joint)} must lie between -π and π, but "
                f"{checks.show(self.angle)} was given; use a stop function to count turns"
            )


@dataclass(frozen=True)
class JointMotion:
    """Coordinates of a lock joint at one time."""

    angle: float
    displacement: float
    position: np.ndarray


class Now:
    """The motion at one time, for event functions: now["rod"].position, now["pin"].angle."""

    def __init__(self, data: Data, state: State) -> None:
        self.data, self.state, self.time = data, state, state.time

    def __getitem__(self, name: str) -> Any:
        system = self.data.system
        if name in self.state.bodies:
            return self.state[name]
        if not isinstance(system.model[name], Joint):
            raise ModelError(f"an event asks for '{name}', which is neither a body nor a joint")
        number = next(i for i, e in enumerate(system.elements) if e.owner == name)
        element = system.elements[number]
        self.data.set_time(self.time)
        reals = self.data.tables.reals[system.places[number]]
        x, q = joint_coordinates(reals, self.state, element.ends)
        angle = (twist_angle(q) + np.pi) % (2 * np.pi) - np.pi
        return JointMotion(angle, float(x[2]), x)


@dataclass(frozen=True)
class Event:
    """A number whose change of sign ends the run."""

    label: str
    function: Callable[[float, Now], float]
    data: Data
    inside: int = 0  # sign of the value where a limit is kept; 0 where both signs are fine

    def value(self, time: float, state: State) -> float:
        try:
            found = self.function(time, Now(self.data, state))
        except LinkworkError:
            raise
        except Exception as error:
            raise ModelError(
                f"{self.label} raised {type(error).__name__} at t = {time:g}: "
                f"{checks.line(error)}; correct it so that it returns a number for every motion"
            ) from error
        number = checks.array(found)
        if number is None or number.size != 1 or not np.all(np.isfinite(number)):
            raise ModelError(
                f"{self.label} must return one finite number, whose change of sign ends the run, "
                f"but found {checks.show(found)} at t = {time:g}"
            )
        return float(number.ravel()[0])


StopFunction: TypeAlias = Callable[[float, Now], float]
StopLike: TypeAlias = StopFunction | JointLimit | Sequence[StopFunction | JointLimit]


def as_events(stop: Any, data: Data) -> list[Event]:
    """Events from a function, a JointLimit, or a list of them."""
    if stop is None:
        return []
    listed = stop if isinstance(stop, (list, tuple)) else [stop]
    events: list[Event] = []
    for item in listed:
        if isinstance(item, JointLimit):
            _check_limit(item, data.system.model[item.joint])
            events += _limit_events(item, data)
        elif callable(item):
            label = f"stop event '{getattr(item, '__name__', 'function')}'"
            events.append(Event(label, item, data))
        else:
            raise ModelError(
                "stop must be a function of (time, now) or a JointLimit, but "
                f"{checks.show(item)} was given"
            )
    return events


def _check_limit(limit: JointLimit, joint: Any) -> None:
    """A limit needs a joint whose coordinate can change."""
    if not isinstance(joint, Joint):
        raise ModelError(f"JointLimit needs a joint, but {checks.show(joint)} is none")
    word, row = ("angle", 5) if limit.angle is not None else ("displacement", 2)
    laws = joint.laws()
    driven = driven_rows(laws.get("t", {}), [row]) or laws.get("a") or laws.get("b")
    if row in joint.active and not driven:
        raise ModelError(f"JointLimit limits the {word} of {joint.label}, which is held")


def _limit_events(limit: JointLimit, data: Data) -> list[Event]:
    word = "angle" if limit.angle is not None else "displacement"
    bounds: Any = limit.angle if limit.angle is not None else limit.displacement

    def event(bound: float, inside: int) -> Event:
        def excess(time: float, now: Now) -> float:
            return getattr(now[limit.joint], word) - bound

        return Event(f"{word} of joint '{limit.joint}' at {bound:g}", excess, data, inside)

    pairs = zip(bounds, (1, -1), strict=True)
    return [event(float(bound), inside) for bound, inside in pairs if np.isfinite(bound)]


def first_values(events: list[Event], time: float, state: State) -> list[float]:
    """Values of the events where a run starts; a limit must be kept there."""
    values = [event.value(time, state) for event in events]
    for event, value in zip(events, values, strict=True):
        if event.inside * value < 0:
            raise ModelError(
                f"the run starts beyond a limit, {event.label}, by {abs(value):.3g}; widen the "
                "JointLimit or start inside of it"
            )
    return values


def crosses(before: float, after: float) -> bool:
    """Whether a value has come to zero or changed its sign; leaving zero does not count."""
    return before != 0 and (after == 0 or (before < 0) != (after < 0))


def locate(event: Event, begin: float, end: float, state_at: Callable[[float], State]) -> float:
    """Time of the event between begin and end, taking the step anew with trial sizes."""
    from scipy.optimize import brentq  # slow to import, rarely used

    return float(
        brentq(lambda t: event.value(t, state_at(t)), begin, end, xtol=1e-12 * max(1.0, abs(end)))
    )
