"""Reactions and accelerations that samples read, in joint coordinates.

Sensors (elements.signals.measured) are nodes of order zero; the tree has none.  What they show
follows from the motion, the accelerations and the multipliers that are known at the end of a step,

    x = g(q, q̇, q̈, γ)

so a controller that reads them at samples is given them there.  Read at all times, the force that
follows them changes them: an equation that is solved with the accelerations (sweeps.sensing).
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.measured import Sensor
from linkwork.integrators.contract import StepRows
from linkwork.system.sensor_nodes import sensor_places
from linkwork.system.state import State
from linkwork.system.data import Data


class SampledSensors:
    """What the sensors of a model show at known motions."""

    def __init__(self, full: Data, followed: bool) -> None:
        """followed: loads follow them at all times, so that steps know what they show."""
        system = full.system
        self.full, self.places = full, sensor_places(system)
        if followed:  # what remembers its path cannot be asked again once a step is accepted
            remembers = {e.owner for e in system.elements if e.entry.family.memory.size}
            sensors = [x for x in system.model.items.values() if isinstance(x, Sensor)]
            self.places = self.places[[x.name not in remembers for x in sensors]]

    def fill(self, times: np.ndarray, out: StepRows, rows: int, memory: np.ndarray) -> None:
        """The sensors' values of so many stored steps, from the rest of them."""
        for k in range(rows):
            state = State(
                float(times[k]), self.full.system.names, out.motion[k], out.acceleration[k],
                out.gamma[k],
                memory, values=out.values[k],
            )  # fmt: skip
            balance = self.full.evaluate(state, tangent=False).balance  # x − g
            out.values[k, 0, self.places] -= balance[self.places]


def steps_together(due: np.ndarray, done: int) -> int:
    """How many steps to take at once: those before the next sample, or the one that ends at it."""
    ahead = np.flatnonzero(due[done:])
    return max(int(ahead[0]), 1) if len(ahead) else len(due) - done
