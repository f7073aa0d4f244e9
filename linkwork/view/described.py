"""The model before any run, in its reference configuration."""

from __future__ import annotations

from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.system.system import compile_model


def described(model: Model) -> Result:
    """The reference configuration as a result of one time, joints not yet closed."""
    system = compile_model(model)
    return Result.of_state(system, system.described_state())
