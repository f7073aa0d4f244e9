"""Reactions and accelerations that samples read, in joint coordinates.

Sensors (elements.signals.measured) are nodes of order zero; the tree has none.  What they show
follows from the motion, the accelerations and the multipliers that are known at the end of a step,

    x = g(q, q̇, q̈, γ)

so a controller that reads them at samples is given them there.  Read at all times, the force that
follows them would change them: an equation that the sweeps do not solve.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.measured import Sensor
from linkwork.errors import ModelError
from linkwork.integrators.contract import StepRows
from linkwork.model.held import read_between_samples
from linkwork.system.sensor_nodes import sensor_places
from linkwork.system.state import State
from linkwork.system.system import System


def refuse_read_between_samples(full: System) -> None:
    """Loads that follow a sensor at all times."""
    for e in full.elements:
        if not e.entry.family.signal:
            continue
        for leaf in read_between_samples(e.entry.acts_on[1].signal):
            sensor = getattr(leaf, "item", None)
            if isinstance(sensor, Sensor):
                raise ModelError(
                    f"{full.model[e.owner].label} follows {sensor.label} at all times, and changes "
                    "it by what it does, which lw.Recursive cannot solve for; sample it with "
                    "lw.sample_hold or lw.Controller, or use lw.RK4() or lw.GeneralizedAlpha()"
                )


class SampledSensors:
    """What the sensors of a model show at known motions."""

    def __init__(self, full: System) -> None:
        refuse_read_between_samples(full)
        self.full, self.places = full, sensor_places(full)

    def fill(self, times: np.ndarray, out: StepRows, rows: int, memory: np.ndarray) -> None:
        """The sensors' values of so many stored steps, from the rest of them."""
        for k in range(rows):
            state = State(
                float(times[k]), self.full.names, out.motion[k], out.acceleration[k], out.gamma[k],
                memory, values=out.values[k],
            )  # fmt: skip
            balance = self.full.evaluate(state, tangent=False).balance  # x − g
            out.values[k, 0, self.places] -= balance[self.places]


def steps_together(due: np.ndarray, done: int) -> int:
    """How many steps to take at once: those before the next sample, or the one that ends at it."""
    ahead = np.flatnonzero(due[done:])
    return max(int(ahead[0]), 1) if len(ahead) else len(due) - done
