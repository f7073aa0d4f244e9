"""States from users (at=, start=): a State, Result or Equilibrium, checked against the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

OPEN = 1e-3  # a larger error of a joint (length over size, quaternion part) is no beginning


def state_in(given: Any) -> Any:
    """The state in a State, Result or Equilibrium; anything else as it is."""
    if not hasattr(given, "state"):
        return given
    return given.state() if callable(given.state) else given.state


def given_state(system: System, given: Any, word: str) -> State:
    """The state in a State, Result or Equilibrium, checked against the model."""
    state = state_in(given)
    require_state(system, state, given, word)
    return replace(state, memory=system.described_state().memory) if state.memory is None else state


def require_state(system: System, state: Any, given: Any, word: str) -> None:
    """Refuse what is no state, and states of other models; `word` is the user's word for it."""
    if not isinstance(state, State):
        raise ModelError(
            f"{word} must be a State, a Result or an Equilibrium, but {type(given).__name__} was "
            f"given; write for example {word}=lw.assemble(model)"
        )
    if state.bodies != system.names:
        raise ModelError(
            f"{word} has the bodies {list(state.bodies)}, but model '{system.model.name}' has "
            f"{list(system.names)}; give a state of this model"
        )
    if state.motion.shape != (system.bodies, 13) or not np.all(np.isfinite(state.motion)):
        raise ModelError(f"{word} must hold 13 finite numbers for every body, and does not")
    if state.values.shape != (3, system.layout.values) or not np.all(np.isfinite(state.values)):
        raise ModelError(
            f"{word} must hold {system.layout.values} finite values of scalar and "
            "vector nodes, with "
            "rates and second derivatives, and does not; give a state of this model"
        )
    if np.abs(np.linalg.norm(state.orientations, axis=1) - 1).max(initial=0.0) > 1e-6:
        raise ModelError(f"{word} has orientations that are no unit quaternions; normalise them")


def require_closed(full: Data, state: State, word: str) -> None:
    """Refuse a state whose joints are open: a run would start from the wrong place."""
    system = full.system
    if not full.rows:
        return
    error = np.abs(full.evaluate(replace(state, acceleration=None, gamma=None)).C)
    error *= row_scale(system.all_rows, system.length)
    worst = int(np.argmax(error))
    if error[worst] > OPEN:
        raise ModelError(
            f"{word} violates {system.all_rows[worst]} by {error[worst]:.3g} (lengths over the "
            f"mechanism's size {system.length:.3g}); start from lw.assemble(model) or from a run"
        )
