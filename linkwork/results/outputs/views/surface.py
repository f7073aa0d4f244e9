"""What a run tells about a lifting surface: `run["wing"].lift`, over (time, s)."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from linkwork.elements.aero.surfaces import survey as told
from linkwork.results.outputs.surfaces import surveyed
from linkwork.results.outputs.views.base import Output, View

SCALARS = (
    ("alpha", told.ALPHA, "rad", "angle of attack"),
    ("mach", told.MACH, "1", "Mach number"),
    ("speed", told.SPEED, "m/s", "speed against the air in the section's plane"),
    ("cl", told.CL, "1", "coefficient of lift"),
    ("cd", told.CD, "1", "coefficient of drag"),
    ("cm", told.CM, "1", "coefficient of moment about the aerodynamic centre"),
    ("dynamic_pressure", told.PRESSURE, "Pa", "dynamic pressure"),
    ("lift", told.LIFT, "N/m", "lift per length"),
    ("drag", told.DRAG, "N/m", "drag per length"),
    ("moment", told.MOMENT, "N", "moment per length about the aerodynamic centre"),
    ("induced_velocity", told.INDUCED, "m/s", "velocity induced by the rotor"),
)
VECTORS = (
    ("place", told.PLACE, "m", "aerodynamic centre (world axes)"),
    ("force", told.FORCE, "N/m", "force per length (world axes)"),
    ("torque", told.TORQUE, "N", "moment per length about the aerodynamic centre (world axes)"),
)


class SurfaceView(View):
    """Loads along a lifting surface over (time, s) and their sums; world axes."""

    def _make_outputs(self) -> dict[str, Output]:
        s = self._item.s
        axis, vectors = {"s": s}, {"s": s, "xyz": list("xyz")}
        outputs = {
            name: Output(partial(self._column, column), axis, units, words)
            for name, column, units, words in SCALARS
        }
        outputs |= {
            name: Output(partial(self._vector, column), vectors, units, words)
            for name, column, units, words in VECTORS
        }
        outputs["force_total"] = Output(
            lambda: self._sum(told.FORCE), "xyz", "N", "force of the air (world axes)"
        )
        outputs["torque_total"] = Output(
            self._torque, "xyz", "N m", "moment of the air about the origin (world axes)"
        )
        outputs["power"] = Output(
            lambda: np.sum(self._told[..., told.POWER] * self._told[..., told.LENGTH], axis=1), "",
            "W", "power of the air on the structure",
        )  # fmt: skip
        return outputs | self._node_outputs()

    @cached_property
    def _told(self) -> np.ndarray:
        return surveyed(self._result, self._name)

    def _column(self, column: int) -> np.ndarray:
        return self._told[..., column]

    def _vector(self, column: int) -> np.ndarray:
        return self._told[..., column : column + 3]

    def _sum(self, column: int) -> np.ndarray:
        values = self._told[..., column : column + 3]
        return np.sum(values * self._told[..., told.LENGTH, None], axis=1)

    def _torque(self) -> np.ndarray:
        F, x = self._vector(told.FORCE), self._vector(told.PLACE)
        total = np.cross(x, F) + self._vector(told.TORQUE)
        return np.sum(total * self._told[..., told.LENGTH, None], axis=1)
