"""Accelerations and multipliers at stored steps: those that balance the motion reached,

    [M    C_qᵀ] [v̇]   [f − f_g]
    [C_q  0   ] [γ ] = [Q_c    ]

over the rows of linkwork's own joints, so that reactions, files and results are the same for
every method.  The scheme's multipliers λ are means over a step; these are values at its end, and
as accurate as the motion, of second order.  Sensors (elements.signals.measured), nodes of order
zero, are found with them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.layout import BY_VALUE, COEFS, VALUE, VEL
from linkwork.errors import SingularError
from linkwork.integrators.contract import BEGIN, END, Steps, steps_at
from linkwork.integrators.explicit.augmented import DONE, MOTION, PIVOTS, differentiate
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, Floats2, Floats3, Ints, stored
from linkwork.linear_algebra.along_mechanism.tables import Elimination
from linkwork.system.data import Data
from linkwork.system.evaluate import Equations, evaluate
from linkwork.system.initial_conditions.accelerations import accelerations, factorise
from linkwork.system.state import State

NAMES = "balance"  # how their names begin in a restart


@stored
class Balanced(NamedTuple):
    """The numbers of a `Balance`."""

    factors: Elimination
    rhs: Floats
    y: Floats
    rate: Floats
    order: Ints
    scale: Floats
    kept: Ints
    mass: float


@stored
class StoredSteps(NamedTuple):
    """Stored motions, and what is found there."""

    motion: Floats3
    acceleration: Floats3
    gamma: Floats2
    values: Floats3


@c_function(Equations, Balanced, Steps, StoredSteps, allocates=True)
def balance_rows(equations, balance, steps, rows):
    """Stored rows in the range of steps, which ends before one whose pivots are bad."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    factors, rhs, y, rate, order, scale, kept, mass = (
        balance.factors, balance.rhs, balance.y, balance.rate, balance.order, balance.scale,
        balance.kept, balance.mass,
    )  # fmt: skip
    times, schedule = steps.times, steps.schedule
    motion, acceleration, gamma, values = (
        rows.motion, rows.acceleration, rows.gamma, rows.values
    )  # fmt: skip
    nb, nv = tables.bodies.shape[0], order.shape[0]
    placed, change = y[: MOTION * nb].reshape(nb, MOTION), rate[: MOTION * nb].reshape(nb, MOTION)
    for k in range(steps.range[BEGIN], steps.range[END]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        placed[:] = motion[k]
        for i in range(nv):
            y[MOTION * nb + i] = values[k, VALUE, i]
        if not differentiate(
            kernels, tables, factors, work, rhs, y, order, scale, 0.0, times[k], 0.0, 0.0, mass,
            rate,
        ):  # fmt: skip
            return PIVOTS
        acceleration[k] = change[:, VEL:]
        for i in range(nv):
            values[k, VALUE, i] = y[MOTION * nb + i]
        for e in range(kept.shape[0]):
            gamma[k, kept[e]] = work.gamma[e]
        steps.range[BEGIN] = k + 1
    return DONE


class Balance:
    """Solves for accelerations and multipliers with pivots that last, also over a restart (begun:
    the numbers of the earlier run)."""

    def __init__(self, data: Data, state: State, begun: dict[str, Any] | None = None) -> None:
        system = data.system
        self.data = data
        self.rhs, size = np.zeros(data.unknowns), 13 * system.bodies + 2 * system.layout.values
        self.y, self.rate = np.zeros(size), np.zeros(size)
        accelerations(data, state)  # raises where the equations are singular
        names = sorted(name for name in begun or {} if name.startswith(NAMES))
        self.pivot(state, tuple(np.asarray((begun or {})[name]) for name in names))

    def restart(self) -> dict[str, np.ndarray]:
        """Its pivots, with which later rows have the same digits."""
        return {f"{NAMES}{i}": np.array(part) for i, part in enumerate(self.lu.pivots)}

    def snapshot(self) -> tuple:
        return self.lu, [np.copy(a) for a in self.lu.chosen]

    def recover(self, snapshot: tuple) -> None:
        self.lu, chosen = snapshot
        for mine, copy in zip(self.lu.chosen, chosen, strict=True):
            mine[:] = copy

    def now(self, time: float, row: Any, memory: np.ndarray) -> None:
        """Fill one row, of which nobody knows whether it is looked at: pivots stay as they are."""
        kept = self.snapshot()
        times = np.array([time])
        self(times, row.motion, row.acceleration, row.gamma, memory, row.values)
        self.recover(kept)

    def pivot(self, state: State, pivots: tuple = ()) -> None:
        data = self.data
        data.load(state)
        data.work.coef[:COEFS] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        data.work.values[BY_VALUE:] = 0.0
        data.work.values[BY_VALUE] = 1.0 / data.system.mass
        evaluate(data.equations, state.time, 1.0 / data.system.mass)
        self.lu = factorise(data, pivots or None)

    def __call__(self, times, motion, acceleration, gamma, memory, values) -> None:
        """Fill acceleration (T, bodies, 6), gamma (T, all rows) and what sensors show in values
        (T, 3, n) of stored motions."""
        s, done = self.data, 0
        s.memory = memory
        steps = steps_at(times, s.schedule(times), np.zeros(0, np.int64))
        rows = StoredSteps(motion, acceleration, gamma, values)
        while done < len(times):
            before = done
            numbers = Balanced(
                self.lu, self.rhs, self.y, self.rate, s.system.layout.order,
                s.system.layout.value_scale, s.kept, s.system.mass,
            )  # fmt: skip
            steps.range[BEGIN] = done
            balance_rows(s.equations, numbers, steps, rows)
            done = int(steps.range[BEGIN])
            if done < len(times):
                try:
                    if done == before and done > 0:
                        raise SingularError("new pivots did not help")
                    self.pivot(
                        State(float(times[done]), s.system.names, motion[done], memory=memory,
                              values=values[done])
                    )  # fmt: skip
                    if done == before == 0:
                        before = -1
                except SingularError:  # a singular position: nothing can be said there
                    acceleration[done], gamma[done], values[done] = np.nan, np.nan, np.nan
                    done += 1
