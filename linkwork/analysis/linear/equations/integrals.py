"""Integral terms of loads as states: small motions know ż = x, where a run sums x over its steps.

    ∫x dt                              z,                  ż = x
    u = k_p e + k_i ∫e dt + k_d ė      k_p e + z + k_d ė,  ż = k_i e     (within limits)
    x within a limit of its rate       x

In a copy of the model every integral that a drive has among its parts is the state of a StateSpace.
What else keeps something of the past motion is refused.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from linkwork.elements.quantities.state_space import StateSpace
from linkwork.errors import ModelError
from linkwork.model.control.blocks import RateLimit, TimeIntegral, saturate
from linkwork.model.control.pid import PIDControl
from linkwork.model.copies import Copies
from linkwork.model.drives import Constant, Drive
from linkwork.model.drives.base import held_in
from linkwork.model.drives.sampled import Switch
from linkwork.model.model import Model
from linkwork.model.signals.programs import translate
from linkwork.model.signals.readings import reads
from linkwork.model.signals.signal import Signal
from linkwork.results.outputs.stored import memory_elements, memory_place
from linkwork.system.initial_conditions.given_states import given_state
from linkwork.system.state import State
from linkwork.system.system import System, compile_model

Known = list[tuple[Drive, StateSpace]]


def has_state(drive: Drive) -> bool:
    """Whether small motions know a drive that holds something, by a state or without one."""
    if isinstance(drive, PIDControl):
        return drive.every is None
    return isinstance(drive, (TimeIntegral, RateLimit))


def with_states(model: Model, at: Any) -> tuple[Model, Any]:
    """The model with integral terms as states, and the state that belongs to `at`; the same ones
    where there are none."""
    held = [(item, part) for item in model.items.values() for drive in item.own_drives()
            for part in held_in(drive) if not isinstance(part, Switch)]  # fmt: skip
    for item, part in held:
        if not has_state(part):
            raise ModelError(
                f"{item.label} follows something sampled or delayed ({part._detail()}), whose past "
                "is no part of the state that small motions are about; take blocks with states "
                "(lw.ContinuousPID, lw.TransferFunction), judge by lw.transient, or take the load "
                "out for the plant alone"
            )
    if not held:
        return model, at
    full = compile_model(model)
    state = None if at is None else given_state(full, at, "at")
    copies = Copies()
    twin: Model = copies.of_model(model)
    twin.copies = copies
    sums = {} if state is None else sums_of(full, state)
    sums = {id(copies.known[key]): value for key, value in sums.items() if key in copies.known}
    known: Known = []
    for item in list(twin.items.values()):
        for word, value in item.parameters().items():
            changed = with_blocks(value, twin, str(item.name), sums, known)
            if changed is not value:
                setattr(item, word, changed)
    if state is None:
        return twin, None
    new = [[block.node.value[0], 0.0, 0.0] for _, block in known]
    values = np.hstack([state.values, np.reshape(new, (-1, 3)).T])
    return twin, replace(state, values=values, memory=remembered(full, state, compile_model(twin)))


def with_blocks(
    value: Any, twin: Model, name: str, sums: dict[int, float], known: Known
) -> Any:  # fmt: skip
    """A parameter of an item with states in place of integrals; the same one where it has none."""
    if isinstance(value, (list, tuple)):
        parts = [with_blocks(x, twin, name, sums, known) for x in value]
        same = all(a is b for a, b in zip(parts, value, strict=True))
        return value if same else type(value)(parts)
    if isinstance(value, dict):
        found = {k: with_blocks(x, twin, name, sums, known) for k, x in value.items()}
        return value if all(found[k] is x for k, x in value.items()) else found
    if not isinstance(value, Drive) or not held_in(value):
        return value
    changed: Any = {
        f.name: with_blocks(getattr(value, f.name), twin, name, sums, known)
        for f in fields(value) if f.init
    }  # fmt: skip
    if isinstance(value, TimeIntegral):
        return state_of(value, changed["x"], value.value, twin, name, sums, known)
    if isinstance(value, PIDControl):
        total: Drive = Constant(0.0)
        if value.ki:
            total = state_of(value, value.ki * changed["error"], 0.0, twin, name, sums, known)
        u = value.kp * changed["error"] + total
        u = u if value.rate is None else u + value.kd * changed["rate"]
        if value.low is None or value.high is None:
            return u
        return saturate(u, value.low, value.high)
    return changed["x"] if isinstance(value, RateLimit) else replace(value, **changed)


def state_of(
    drive: Drive, x: Drive, start: float, twin: Model, name: str, sums: dict[int, float],
    known: Known,
) -> Drive:  # fmt: skip
    """z with ż = x, where a drive has ∫x dt; one for all loads with equal drives."""
    block = next((block for other, block in known if other == drive), None)
    if block is None:
        own = f"integral of {name}"
        count = sum(other.startswith(own) for other in twin.items)
        block = StateSpace([[0.0]], [[1.0]], [x], start=sums.get(id(drive), start))
        twin.add(f"{own} ({count + 1})" if count else own, block)
        known.append((drive, block))
    return reads(block, "state", 0)


def sums_of(system: System, state: State) -> dict[int, float]:
    """What integrals are at a state, by the ids of their drives."""
    found: dict[int, float] = {}
    assert state.memory is not None
    for e in system.elements:
        drive = e.entry.acts_on[1].signal if e.entry.family.signal else None
        program = None if drive is None else translate(Signal(drive))
        for part, place in program.totals if program is not None else ():
            found[id(part)] = float(state.memory[memory_place(system, e)][place])
    return found


def remembered(full: System, state: State, system: System) -> np.ndarray:
    """The memory of the elements that both systems have alike."""
    memory = system.described_state().memory
    assert memory is not None and state.memory is not None
    old = {(e.owner, e.entry.family): memory_place(full, e) for e in memory_elements(full)}
    for e in memory_elements(system):
        if (e.owner, e.entry.family) in old:
            memory[memory_place(system, e)] = state.memory[old[e.owner, e.entry.family]]
    return memory
