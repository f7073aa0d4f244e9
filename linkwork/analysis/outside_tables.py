"""Angles and Mach numbers beyond tables, which a run must not pass over in silence."""

from __future__ import annotations

from typing import Any

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
    from linkwork.results.outputs.views.craft import craft_outside

    found = craft_outside(result, name, item)
    if found is not None:
        time, words = found
        raise ConvergenceError(f"{item.label} at t = {time:.6g}: {words}", time=time, result=result)
