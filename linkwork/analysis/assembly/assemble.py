"""Assembly: a consistent start and independent rows; lw.assemble."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.analysis.independence import choose_rows
from linkwork.analysis.motion.ending import interruptible
from linkwork.elements.failures import forget_failures
from linkwork.elements.layout import UNKNOWN
from linkwork.errors import AssemblyError, ModelError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.initial_conditions.consistent_start import consistent_start, held_data
from linkwork.system.initial_conditions.metrics import Resistances
from linkwork.system.initial_conditions.velocities import warn_of_lost_velocities
from linkwork.system.redundancy import Redundancy
from linkwork.system.state import State
from linkwork.system.system import compile_model


@dataclass(frozen=True)
class Assembled:
    """An assembled model: all rows (`full`), independent rows (`system`), and the state.

    history: the largest constraint error before each Newton step of the positions.
    moved  : joints that start values and drives of others have moved, by how many mm and degrees
    """

    full: Data
    data: Data
    state: State
    redundancy: Redundancy
    history: list[float]
    moved: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


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
) -> Assembled:  # fmt: skip
    """Assemble, and choose independent rows; warns about redundant ones."""
    full = compile_model(model).data()
    time = checks.number(time, "time of assemble")
    slow = None if velocity_weights is None else checked(velocity_weights, fixed)[0]
    resistances = Resistances(*checked(weights, fixed), slow)
    held = held_data(full.system)
    try:  # flexible links stay straight, unless the joints must bend them
        start = consistent_start(held, replace(resistances, straight=True), time)
    except AssemblyError:
        if not full.system.flexible:
            raise
        start = consistent_start(held, resistances, time)
    state = start.state
    # forces do not matter here, and positions were not yet possible ones
    forget_failures(full.system)
    redundancy, data = choose_rows(full, state, warn=warn)
    if state.memory is not None and np.abs(state.memory).max(initial=0.0) > UNKNOWN / 2:
        known = state  # paths of friction begin here
        if full.system.sample_times and (full.system.layout.order == 0).any():
            known = accelerations(data, state)  # readings without rates follow from equations
        state = replace(state, memory=full.remember(known).memory)
    return Assembled(full, data, state, redundancy, start.history, start.moved)


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
