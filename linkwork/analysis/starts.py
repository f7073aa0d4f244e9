"""A state the user gives (at=, start=): q, v from a State, Result or Equilibrium of this model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkwork.errors import ModelError
from linkwork.results.result import Result
from linkwork.system.state import State
from linkwork.system.system import System


def given_state(full: System, given: Any, word: str) -> State:
    """The state in a State, Result or Equilibrium, checked against the model."""
    state = given.state() if isinstance(given, Result) else getattr(given, "state", given)
    require_state(full, state, given, word)
    return replace(state, memory=full.described_state().memory) if state.memory is None else state


def require_state(full: System, state: Any, given: Any, word: str) -> None:
    """Refuse what is no state, and states of other models; `word` is the user's word for it."""
    if not isinstance(state, State):
        raise ModelError(
            f"{word} must be a State or a Result, but {type(given).__name__} was given"
        )
    if state.bodies != full.names:
        raise ModelError(
            f"{word} has the bodies {list(state.bodies)}, but model '{full.model.name}' has "
            f"{list(full.names)}"
        )
