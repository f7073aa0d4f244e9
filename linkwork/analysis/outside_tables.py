"""Angles and Mach numbers beyond tables, which a run must not pass over in silence."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ConvergenceError
from linkwork.results.outputs.surfaces import outside_tables
from linkwork.results.result import Result


def refuse_outside_tables(result: Result) -> None:
    """An error that names the surface, the time, and what its airfoil has no data for."""
    for name, item in result.system.model.items.items():
        if item.needs_air and getattr(item, "outside", None) == "error":
            refuse_outside_coefficients(result, name, item)
        if not item.needs_air or not hasattr(item, "all_airfoils"):
            continue
        found = outside_tables(result, name, item)
        if found is not None:
            time, words = found
            raise ConvergenceError(
                f"{item.label} at t = {time:.6g}: {words}", time=time, result=result
            )


def refuse_outside_coefficients(result: Result, name: str, item: Any) -> None:
    """The same for an AerodynamicForce."""
    for word in ("alpha", "beta"):
        angles, x = getattr(item, word), result[name].numbers(word)
        far = (x < angles[0] - 1e-9) | (x > angles[-1] + 1e-9)
        if len(angles) > 1 and far.any():
            k = int(np.argmax(far))
            low, high = np.degrees(angles[[0, -1]])
            time = float(result.time[k])
            raise ConvergenceError(
                f"{item.label} at t = {time:.6g}: its coefficients have no data at {word} = "
                f"{np.degrees(x[k]):.4g}° (they reach from {low:.4g}° to {high:.4g}°); extend "
                'them, or make it with outside="hold"', time=time, result=result,
            )  # fmt: skip
