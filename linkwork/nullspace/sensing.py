"""Reactions and accelerations that loads follow, in energy-momentum steps.

Sensors (elements.signals.measured) show x = g(q, v, v̇, γ).  A load that follows x acts in the
middle of the step, hence with what belongs to the motion there, whose accelerations and
multipliers balance it together with the loads that follow x (nullspace.balance):

    x = X(q̄, v̄),      q₁ = Q(x) the step under these loads

The scheme's own multipliers λ are of no use: velocities satisfy G(q̄) v̄ = 0, so that those at the
ends of steps err by turns by +c h² and −c h², and λ by 2 c h, of first order; X is of second order.
F(x) = x − X(Q(x)) depends on x through the step alone, by some h ∂X/∂v ∂f/∂x, and a few steps of
Broyden's method (recursive.sweeps.sensing) from the values continued from the last two steps solve
it.  Energy and momenta do not depend on how well: the work of loads is that of those which acted.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import BY_VALUE, VALUE
from linkwork.kernels.compiled import lean
from linkwork.nullspace.assembly import put_middle
from linkwork.nullspace.balance import Balance
from linkwork.system.data import Data
from linkwork.system.evaluate import Work
from linkwork.system.sensor_nodes import sensor_places, sensor_units
from linkwork.system.state import State

ROUNDS = 40  # steps of Broyden's method
CLOSE, ENOUGH = 1e-12, 1e-9  # F over its size; the same where it no longer falls


@lean
def middle(base, end, h, motion):
    """The bodies' motion in the middle of a step."""
    for b in range(motion.shape[0]):
        put_middle(base, end, h, b, motion)


class Sensing:
    """What sensors show in the middle of steps."""

    def __init__(self, full: Data, state: State) -> None:
        system = full.system
        n, places = system.bodies, sensor_places(system)
        self.places, self.units = places, sensor_units(full)
        self.x = state.values[VALUE, places].copy()  # of this step, and of the last two
        self.past = np.array([self.x, self.x])
        self.H = np.eye(len(places))
        self.motion, self.acceleration = np.zeros((1, n, 13)), np.zeros((1, n, 6))
        self.gamma, self.values = np.zeros((1, len(system.all_rows))), state.values[None].copy()
        self.left, self.change = np.zeros(len(places)), np.zeros(len(places))

    def begin(self) -> None:
        """Values to begin a step with."""
        self.x = 2 * self.past[0] - self.past[1]

    def put(self, work: Work) -> None:
        """The values where loads read them; they have no slopes."""
        work.values[BY_VALUE:] = 0.0
        work.values[VALUE, self.places] = self.x

    def shown(
        self, balance: Balance, base: np.ndarray, end: np.ndarray, h: float, time: float,
        memory: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """X: what the sensors show in the middle of the step from base to end."""
        middle(base, end, h, self.motion[0])
        self.values[0, VALUE, self.places] = self.x
        balance(
            np.array([time]), self.motion, self.acceleration, self.gamma, memory, self.values
        )
        return self.values[0, VALUE, self.places]

    def agrees(self, shown: np.ndarray, number: int) -> bool | None:
        """Whether x is what is shown; else x is moved on, and None where there is no way."""
        size = self.units + np.abs(shown) + np.abs(self.x)
        left, before = self.x - shown, np.abs(self.left / size).max()
        now = float(np.abs(left / size).max())
        if not np.isfinite(now):
            return None
        if now <= CLOSE or (number > 0 and now <= ENOUGH and now > 0.5 * before):
            return True
        if number > 0:
            along = self.H @ (left - self.left)
            bottom = self.change @ along
            if bottom != 0.0:
                self.H += np.outer((self.change - along) / bottom, self.change @ self.H)
        self.left, self.change = left, -self.H @ left
        self.x = self.x + self.change
        return False

    def accept(self) -> None:
        self.past = np.array([self.x, self.past[0]])

    def restart(self) -> dict[str, np.ndarray]:
        """What goes on after a restart."""
        return {"sensor_past": self.past.copy(), "sensor_slopes": self.H.copy()}

    def recover(self, numbers: dict[str, np.ndarray]) -> None:
        self.past, self.H = numbers["sensor_past"].copy(), numbers["sensor_slopes"].copy()
