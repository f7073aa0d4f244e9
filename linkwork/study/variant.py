"""One variant of a study: its parameters, and what came of it.

What a variant measures is a mapping from names to numbers, arrays or xarray DataArrays.  It is kept
as plain data (lists and texts), so that it can go through a file, a process or a network.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError
from linkwork.model import checks

NO_NUMBERS = "ModelError: a variant must return"  # how failures begin that no parameters cure
Measured = dict[str, dict[str, Any]]  # name → dims, shape, values, coords


@dataclass(frozen=True)
class Outcome:
    """Number of the variant, what it measured, or why it failed."""

    number: int
    measured: Measured | None = None
    failure: str = ""


def run_variant(
    number: int, parameters: dict[str, Any], build: Callable, measure: Callable | None
) -> Outcome:
    """Build, measure, and keep whatever happens in words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinkworkWarning)  # once per variant would be a flood
            made = build(**parameters)
            found = made if measure is None else measure(made)
            return Outcome(number, as_data(found))
    except (Exception, SystemExit) as error:  # the study goes on whatever the user's function does
        text = " ".join(str(error).split())
        return Outcome(number, failure=f"{type(error).__name__}: {text}".rstrip(": "))


def as_data(found: Any) -> Measured:
    """What a variant returned, as plain data."""
    if isinstance(found, (int, float, np.number)):
        found = {"value": found}
    if hasattr(found, "data_vars"):
        found = dict(found.data_vars)
    if not isinstance(found, Mapping) or not found:
        raise ModelError(
            "a variant must return a number, or a dict from names to numbers or arrays such as "
            f"{{'travel': 0.1}}, but {checks.show(found)} was returned"
        )
    return {str(name): _one(str(name), value) for name, value in found.items()}


def _one(name: str, value: Any) -> dict[str, Any]:
    array = np.asarray(getattr(value, "values", value))
    if array.dtype.kind not in "fiub":
        raise ModelError(f"a variant must return numbers, but '{name}' is {checks.show(value)}")
    dims, coords = [f"{name}_{k}" for k in range(array.ndim)], {}
    if hasattr(value, "dims"):
        dims = [str(d) for d in value.dims]
        known = [d for d in value.dims if d in value.coords]
        coords = {str(d): np.asarray(value[d].values).tolist() for d in known}
    values = array.astype(float).ravel().tolist()
    return {"dims": dims, "shape": list(array.shape), "values": values, "coords": coords}
