"""The energy that a step makes or takes, for the control of its size.

Kinetic energy and power of the inertia forces belong together, dT/dt = P = Σ m v·v̇ + ω·Jω̇, so

    D = T₁ − T₀ − h/2 (P₀ + P₁)

is the method's error in energy and that of the trapezoidal rule, both of third order in h for
methods of second order.  It needs no potentials, so that it holds for forces of all kinds.  A step
passes when

    |D| ≤ 10 · tolerance · (largest T so far) + ½ m (tolerance · L / h₀)²

with the mechanism's mass m and length L and the first step h₀; the last term is for motion that
begins at rest.  Errors of positions alone do not see it: a cart of 1e-6 kg that is thrown aside
by a bob of 1 kg takes and returns all energy within a microsecond, on a path of millimetres.
"""

from __future__ import annotations

import numpy as np

from linkwork.integrators.contract import ControlledRun

SHARE = 10.0  # errors in energy that a tolerance allows, over the largest kinetic energy
HIGHEST = 2  # order of methods whose error the trapezoidal rule can tell


class EnergyError:
    """Kinetic energy and power at the beginning of a step, and the largest energy so far."""

    def __init__(self, run: ControlledRun, tolerance: float) -> None:
        data, self.allowed = run.data, SHARE * tolerance
        self.largest = 0.0
        self.floor = 0.5 * data.system.mass * (tolerance * data.system.length / run.h) ** 2

    def before(self, run: ControlledRun) -> None:
        self.energy, self.power = energy_and_power(run)

    def of_step(self, run: ControlledRun, step: float) -> float:
        """|D| over what is allowed."""
        energy, power = energy_and_power(run)
        made = abs(energy - self.energy - 0.5 * step * (power + self.power))
        bound = self.allowed * max(self.largest, energy) + self.floor
        return made / bound if made != 0 else 0.0

    def accept(self, run: ControlledRun) -> None:
        self.largest = max(self.largest, energy_and_power(run)[0])


def energy_and_power(run: ControlledRun) -> tuple[float, float]:
    """T and P of a run's last good step, with the masses that the bodies have of their own."""
    motion, rates = run.velocities_and_rates()
    table = run.data.tables.bodies
    v, w = motion[:, :3], motion[:, 3:]
    p, L = table[:, :1] * v, np.einsum("bij,bj->bi", table[:, 1:10].reshape(-1, 3, 3), w)
    energy = 0.5 * (float(np.vdot(p, v)) + float(np.vdot(L, w)))
    return energy, float(np.vdot(p, rates[:, :3])) + float(np.vdot(L, rates[:, 3:]))
