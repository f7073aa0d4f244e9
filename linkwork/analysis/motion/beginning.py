"""How a run begins: the model as it is now, a state that fits it, and the stepping object."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.contacts_at_start import refuse_hard, refuse_overlaps
from linkwork.errors import LinkworkError, ModelError
from linkwork.integrators.contract import MethodLike, Run
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.integrators.second_order.methods import LinearMethod
from linkwork.integrators.second_order.run import ImplicitRun
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.files.model_file import identity
from linkwork.results.outputs.stamp import stamp
from linkwork.results.result import snapshot
from linkwork.system.data import Data
from linkwork.system.initial_conditions.consistent_start import start_at
from linkwork.system.initial_conditions.given_states import require_state, state_in
from linkwork.system.initial_conditions.independence import choose_rows
from linkwork.system.initial_conditions.velocities import warn_of_lost_velocities
from linkwork.system.redundancy import Redundancy
from linkwork.system.state import State
from linkwork.system.system import System, compile_model


def beginning(
    model: Model, start: Any, method: MethodLike
) -> tuple[Data, Data, State, Redundancy | None]:
    """The full system, the one with independent rows, the state to start from, and which rows
    repeat others, where that was looked for.

    A state that comes from a run of the same method carries that run's numbers, and the new run
    goes on with the same digits; not so when the model or the state was changed since then, whose
    accelerations and multipliers are others.
    """
    if start is None:
        assembled = assemble_model(model)
        warn_of_lost_velocities(assembled.full, assembled.state)
        return assembled.full, assembled.data, assembled.state, assembled.redundancy
    state = state_in(start)
    full = compile_model(model).data()
    require_state(full.system, state, start, "start")
    r = state.restart
    memory = state.memory
    whole = memory is None or len(memory) == len(full.system.tables.memory)  # not so of older files
    goes_on = {"keep", "method"} <= set(r) and is_of(r, method) and fits(r, full.system)
    if whole and goes_on and unchanged(state):
        return full, full, state, None
    if not whole:
        memory = full.system.described_state().memory
    begin = start_at(full, replace(state, memory=memory), "start", "refuse")
    return full, begin.data, begin.state, begin.redundancy


def is_of(restart: dict[str, Any], method: MethodLike) -> bool:
    """Whether restart numbers are of this method; older files name every parameter."""
    from linkwork.integrators.catalogue import method_from_text

    text = np.asarray(restart["method"]).tobytes().decode(errors="replace")
    try:
        return text == repr(method) or repr(method_from_text(text)) == repr(method)
    except LinkworkError:
        return False


def fits(restart: dict[str, Any], system: System) -> bool:
    """Whether restart numbers are those of this model as it is now."""
    known = restart.get("model")
    return known is None or np.asarray(known).tobytes() == identity(system.model, snapshot(system))


def unchanged(state: State) -> bool:
    """Whether a state is as its run has left it; its restart numbers are of that state alone."""
    known = state.restart.get("of")
    return known is None or np.array_equal(known, stamp(state.time, state.motion, state.values))


def method_run(
    method: MethodLike, full: Data, data: Data, state: State, h: float,
    stiffness: bool = True, begins: bool = True,
) -> Run:  # fmt: skip
    """The stepping object of a method, also from restart numbers that are not what they should be;
    stiffness=False leaves K_c out of its matrix; begins=False goes on in the middle of a run.
    """
    system = full.system
    if not state.restart:
        if begins:
            refuse_overlaps(system, state)
        return new_run(method, full, data, state, h, stiffness)
    try:
        return new_run(method, full, data, state, h, stiffness)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, LinkworkError):
            raise
        raise ModelError(
            f"start has restart numbers that do not fit model '{system.model.name}' and {method!r} "
            f"({type(error).__name__}: {checks.line(error)}); its file is damaged: start from one "
            "of its states, start=run.state(0)"
        ) from error


def new_run(
    method: Any, full: Data, data: Data, state: State, h: float, stiffness: bool
) -> Run:
    system = full.system
    kind = implicit_run(method)
    whole = data is full
    full = system.data(
        steps=True, updates=kind is not None or getattr(method, "updates", False)
    )
    data = full if whole else full.restricted(data.keep)
    if not isinstance(method, Moreau):
        refuse_hard(system, f"lw.{type(method).__name__}")
    if kind is not None:
        if method.stabilized and not isinstance(method, LinearMethod):
            what = f"{type(method).__name__} with stabilized=True"
            hint = "give stabilized=False, or take lw.GeneralizedAlpha()"
            system.refuse_velocity_rows(what, hint)
        return kind(
            data, method, state, h, lambda s: choose_rows(full, s, warn=False)[1],
            constraint_stiffness=stiffness, full=full,
        )  # fmt: skip
    if not stiffness:
        raise ModelError(
            f"constraint_stiffness=False is for implicit methods in absolute coordinates such as "
            f"lw.GeneralizedAlpha(), but method is {type(method).__name__}; leave one of them out"
        )
    if hasattr(method, "run") and not isinstance(method, type):
        return method.run(full, data, state, h)
    raise ModelError(
        f"method must be an integrator such as lw.GeneralizedAlpha(), but "
        f"{checks.show(method)} was given"
    )


def implicit_run(method: MethodLike) -> type[ImplicitRun] | None:
    """The kind of run of an implicit method in absolute coordinates."""
    if isinstance(method, LinearMethod):
        return ImplicitRun
    from linkwork.integrators.first_order.methods import StagedMethod  # many methods, seldom used
    from linkwork.integrators.first_order.run import StagedRun

    return StagedRun if isinstance(method, StagedMethod) else None
