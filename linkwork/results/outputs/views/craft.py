"""What a run tells about the air on a craft: `run["air"].alpha`, its force and moment."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.aero.craft import kernel as told
from linkwork.elements.aero.surfaces.survey import body_rows
from linkwork.results.outputs.stored import element_reals
from linkwork.results.outputs.views.base import Output, View

if TYPE_CHECKING:
    from linkwork.results.result import Result

VECTORS = (
    ("force", told.FORCE, "N", "force of the air (its axes)"),
    ("torque", told.MOMENT, "N m", "moment of the air (its axes)"),
    ("force_world", told.WORLD, "N", "force of the air (world axes)"),
    ("torque_world", told.ABOUT, "N m", "moment of the air about its origin (world axes)"),
    ("place", told.PLACE, "m", "where it acts (world axes)"),
)


def craft_numbers(result: Result, name: str) -> np.ndarray:
    """(T, numbers) of an AerodynamicForce at the stored times."""
    e = next(e for e in result.system.elements if e.owner == name)
    times = np.ascontiguousarray(result.time, float)
    out = np.zeros((len(times), told.TOLD))
    motion = np.asarray(result.motion[:, e.ends[0]])[:, None]
    reals = np.ascontiguousarray(element_reals(result, e))
    told.survey_craft(e.entry.integer_row[None], reals, body_rows(motion), times, out)
    return out


def craft_outside(result: Result, name: str, item: Any) -> tuple[float, str] | None:
    """The first time at which an angle leaves the table, and a sentence about it."""
    found = craft_numbers(result, name)
    for word, column in (("alpha", told.ALPHA), ("beta", told.BETA)):
        angles = getattr(item, word)
        x = found[:, column]
        far = (x < angles[0] - 1e-9) | (x > angles[-1] + 1e-9)
        if len(angles) > 1 and far.any():
            k = int(np.argmax(far))
            low, high = np.degrees(angles[[0, -1]])
            return float(result.time[k]), (
                f"its coefficients have no data at {word} = {np.degrees(x[k]):.4g}° (they reach "
                f'from {low:.4g}° to {high:.4g}°); extend them, or make it with outside="hold"'
            )
    return None


class CraftView(View):
    """Angles against the air, force and moment over time."""

    def _make_outputs(self) -> dict[str, Output]:
        outputs = {
            name: Output(partial(self._column, column), "", units, words)
            for name, column, units, words in (
                ("alpha", told.ALPHA, "rad", "angle of attack"),
                ("beta", told.BETA, "rad", "sideslip angle"),
                ("power", told.POWER, "W", "power of the air on the body"),
            )
        }
        return outputs | {
            name: Output(partial(self._vector, column), "xyz", units, words)
            for name, column, units, words in VECTORS
        }

    @cached_property
    def _told(self) -> np.ndarray:
        return craft_numbers(self._result, self._name)

    def _column(self, column: int) -> np.ndarray:
        return self._told[:, column]

    def _vector(self, column: int) -> np.ndarray:
        return self._told[:, column : column + 3]
