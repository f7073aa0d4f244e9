"""Where analyses start: lw.assemble, or the state that a user gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from linkwork.analysis.motion.ending import interruptible
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.system.initial_conditions.consistent_start import (
    Joints,
    Start,
    consistent_start,
    start_at,
)  # fmt: skip
from linkwork.system.initial_conditions.given_states import given_state
from linkwork.system.initial_conditions.metrics import Resistances
from linkwork.system.initial_conditions.velocities import warn_of_lost_velocities
from linkwork.system.state import State
from linkwork.system.system import compile_model


class Stationary(Protocol):
    """An equilibrium, which has the state in which all forces balance."""

    @property
    def state(self) -> State: ...


StateLike: TypeAlias = State | Result | Stationary


@interruptible
def assemble(
    model: Model, *, time: float = 0.0, weights: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (), velocity_weights: Mapping[str, float] | None = None,
) -> State:  # fmt: skip
    """Positions and velocities that satisfy joints, drives and start values of joints.

    Parts that do not fit are put together by the least Σ w (|δr|²/L² + |θ|²) over the bodies:
    displacements over the extent L of what joints connect, rotations in radians.  Then start
    values and drives carry along the bodies beyond their joints, and in loops the joint
    coordinates change as little as they can; with weights both are one step.

    weights : w, a body's resistance to being moved (default 1)
    fixed   : bodies that stay where they are described
    velocity_weights : likewise of changing its velocity (default: the weights)

    Without weights, a given velocity that joints take away more of than round-off is warned of.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(0.9, 0, 0)))
    >>> hinge = m.add("hinge", lw.Distance(lw.GROUND, rod, length=1.0))
    >>> bool(abs(lw.assemble(m)["rod"].position[0] - 1) < 1e-12)
    True
    """
    found = assemble_model(
        model, time=time, weights=weights, fixed=fixed, velocity_weights=velocity_weights
    )
    if weights is None and velocity_weights is None:  # else the user has said what gives way
        warn_of_lost_velocities(found.full, found.state)
    return found.state


def assemble_model(
    model: Model, *, time: float = 0.0, weights: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (), warn: bool = True,
    velocity_weights: Mapping[str, float] | None = None,
) -> Start:  # fmt: skip
    """Assemble, and choose independent rows; warns about redundant ones."""
    full = compile_model(model).data()
    time = checks.number(time, "time of assemble")
    slow = None if velocity_weights is None else checked(velocity_weights, fixed)[0]
    return consistent_start(full, Resistances(*checked(weights, fixed), slow), time, warn=warn)


def start_of(
    model: Model, given: StateLike | None, word: str, joints: Joints = "close", *,
    time: float | None = None, rest: bool = False, warn: bool = True,
) -> Start:  # fmt: skip
    """Where an analysis starts: the assembled model, or the state that a user gives it.

    word, joints : as in `start_at`
    time         : of the state, where it is another one;   rest : without velocities
    warn         : of rows that repeat others, at a state from a user
    """
    if given is None:
        start = assemble_model(model, time=0.0 if time is None else time)
        return replace(start, state=start.state.at_rest()) if rest else start
    full = compile_model(model).data()
    state = given_state(full.system, given, word)
    if rest:
        state = state.at_rest()
    if time is not None:
        state = replace(state, time=time)
    return start_at(full, state, word, joints, warn)


def checked(weights: Any, fixed: Any) -> tuple[dict[str, float], tuple[str, ...]]:
    """Weights and names of fixed bodies, as the user gave them, as a dict and a tuple."""
    if weights is not None and not isinstance(weights, Mapping):
        raise ModelError(
            'weights of assemble must be a dict such as {"rod": 10.0}, but '
            f"{checks.show(weights)} was given"
        )
    names = [fixed] if isinstance(fixed, str) else fixed
    if not isinstance(names, Iterable):
        raise ModelError(
            'fixed of assemble must be a list of names such as ["rod"], but '
            f"{checks.show(fixed)} was given"
        )
    return dict(weights or {}), tuple(names)
