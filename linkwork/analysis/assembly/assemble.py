"""Assembly: positions, then velocities, that satisfy the joints, nearest to the given ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analysis.assembly.metric import Scale, resistances
from linkwork.analysis.assembly.nearest import nearest_position
from linkwork.analysis.assembly.positions import find_positions
from linkwork.analysis.assembly.start_rows import current, start_entries, start_rows
from linkwork.analysis.assembly.velocities import solve_velocities, warn_of_lost_velocities
from linkwork.analysis.independence import choose_rows
from linkwork.analysis.motion.ending import interruptible
from linkwork.elements.failures import forget_failures
from linkwork.elements.layout import UNKNOWN
from linkwork.errors import AssemblyError
from linkwork.model import checks
from linkwork.model.drives import Drive, polynomial
from linkwork.model.model import Model
from linkwork.system.consistency.accelerations import accelerations
from linkwork.system.data import Data
from linkwork.system.redundancy import Redundancy
from linkwork.system.state import State
from linkwork.system.system import System, compile_model


@dataclass(frozen=True)
class Assembled:
    """An assembled model: all rows (`full`), independent rows (`system`), and the state.

    history: the largest constraint error before each Newton step of the positions.
    """

    full: Data
    data: Data
    state: State
    redundancy: Redundancy
    history: list[float]


@interruptible
def assemble(
    model: Model, *, time: float = 0.0, weights: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (), velocity_weights: Mapping[str, float] | None = None,
) -> State:  # fmt: skip
    """Positions and velocities that satisfy all joints, nearest to what was given.

    "Nearest" is the least Σ w (|δr|²/L² + |θ|²) over the bodies: displacements over the extent L
    of the mechanism, rotations in radians.

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
    resistance, still = resistances(weights, fixed)
    slow = None if velocity_weights is None else resistances(velocity_weights, fixed)[0]
    held = full.system.data(elements=elements_on_held(full.system))
    try:  # flexible links stay straight, unless the joints must bend them
        straight = Scale(held.system, resistance, still, slow, straight=True)
        state, history = closed(held, straight, time)
    except AssemblyError:
        if not full.system.flexible:
            raise
        state, history = closed(held, Scale(held.system, resistance, still, slow), time)
    # forces do not matter here, and positions were not yet possible ones
    forget_failures(full.system)
    redundancy, data = choose_rows(full, state, warn=warn)
    if state.memory is not None and np.abs(state.memory).max(initial=0.0) > UNKNOWN / 2:
        known = state  # paths of friction begin here
        if full.system.sample_times and (full.system.layout.order == 0).any():
            known = accelerations(data, state)  # readings without rates follow from equations
        state = replace(state, memory=full.remember(known).memory)
    return Assembled(full, data, state, redundancy, history)


def closed(
    full: Data, scale: Scale, time: float, loose: Collection[str] = ()
) -> tuple[State, list[float]]:
    """Positions, then velocities, that satisfy all joints and where they are said to start.

    loose : items whose rows do not hold
    """
    system = full.system
    model, given = system.model, system.described_state(time)
    places, rates = start_rows(model)
    with_places = full
    if places:
        with_places = with_rows_of(model, places)
    holds = ~with_places.system.on_velocities
    if loose:
        holds &= [row.owner not in loose for row in with_places.system.all_rows]
        held = [row.owner not in loose for row in system.all_rows]
        full = full.restricted(np.array(held, bool))
    if not holds.all():
        with_places = with_places.restricted(holds)
    state, history = find_positions(with_places, scale, given)
    state = nearest_position(with_places, scale, given, state)
    if rates:
        now = {name: current(full, state, name) for name in rates}
        laws = {
            name: {row: polynomial([now[name][row] - time * v, v]) for row, v in wanted.items()}
            for name, wanted in rates.items()
        }
        return solve_velocities(
            with_rows_of(model, laws), scale, state
        ), history
    return solve_velocities(full, scale, state), history


def with_rows_of(model: Model, laws: Mapping[str, Mapping[str, Drive]]) -> Data:
    """A model in which free rows of joints follow laws."""
    system = compile_model(model, start_entries(model, laws))
    return system.data(elements=elements_on_held(system))


def elements_on_held(system: System) -> list[int]:
    """Elements that act on bodies and on nodes that constraints hold: the others, and what they
    act on, stay as they are described."""
    held = {g for e in system.elements if e.entry.rows for g in e.ends}
    return [
        i for i, e in enumerate(system.elements)
        if all(g < system.bodies or g in held for g in e.ends)
    ]  # fmt: skip
