"""Failures of functions and drives that the user wrote: the first one is kept, and reported.

Compiled loops cannot raise what a function of the user raises: the element keeps it, goes on with
numbers that are not finite, and the analysis asks afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model.model import Model
from linkwork.model.registry import Item


@dataclass
class Failure:
    """The first error of a user's function or drive: when it happened and what it was, and whether
    the error's own words say it all."""

    time: float
    error: BaseException | None
    message: str
    part: str = "function"
    whole: bool = False


def failed_items(model: Any) -> Iterator[tuple[Item, Failure]]:
    """Items of a model (or its System or Data) whose functions failed; failures are cleared."""
    system = getattr(model, "system", model)
    owner = getattr(system, "model", system)
    for item in owner.items.values() if isinstance(owner, Model) else ():
        failure = getattr(item, "failure", None)
        if isinstance(failure, Failure):
            item.failure = None
            if failure.error is not None and not isinstance(failure.error, Exception):
                raise failure.error  # the user pressed Ctrl-C in there
            yield item, failure


def raise_if_failed(model: Any) -> None:
    """Raise the first failure of a function in a model (or its System or Data), and clear it."""
    for item, failure in failed_items(model):
        if failure.whole:
            raise ModelError(str(failure.error)) from None
        wanted = "returns force and torque" if failure.part == "function" else "has a value"
        raise ModelError(
            f"{failure.part} of {item.label} {failure.message}, at t = {failure.time:g}; correct "
            f"it so that it {wanted} for every motion in the run"
        ) from failure.error


def forget_failures(model: Any) -> None:
    """Forget what user's functions could not answer where it does not matter."""
    for _ in failed_items(model):
        pass
