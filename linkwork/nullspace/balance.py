"""Accelerations and multipliers at stored steps: those that balance the motion reached,

    [M    C_qᵀ] [v̇]   [f − f_g]
    [C_q  0   ] [γ ] = [Q_c    ]

over the rows of linkwork's own joints, so that reactions, files and results are the same for
every method.  The scheme's multipliers λ are means over a step; these are values at its end, and
as accurate as the motion, of second order.  Sensors (elements.signals.measured), nodes of order
zero, are found with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import BY_VALUE, COEFS, VALUE, VEL
from linkwork.errors import SingularError
from linkwork.integrators.explicit.augmented import MOTION, differentiate
from linkwork.math.compiled import compiled
from linkwork.math.memory.records import by_address, record_at
from linkwork.system.consistency.accelerations import accelerations, factorise
from linkwork.system.data import Data
from linkwork.system.elimination.tables import Elimination
from linkwork.system.evaluate import Tables, Work, evaluate
from linkwork.system.state import State

PIVOTS = "balance"  # how their names begin in a restart


@by_address
@compiled
def balance_rows(
    kernels, tables, lu, work, rhs, y, rate, order, scale, times, schedule, motion, acceleration,
    gamma, values, kept, mass, first,
):  # fmt: skip
    """Stored rows from `first` on; returns the first whose pivots are bad, or their number."""
    factors, work = record_at(Elimination, lu), record_at(Work, work)
    tables = record_at(Tables, tables)
    nb, nv = tables.bodies.shape[0], order.shape[0]
    placed, change = y[: MOTION * nb].reshape(nb, MOTION), rate[: MOTION * nb].reshape(nb, MOTION)
    for k in range(first, times.shape[0]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        placed[:] = motion[k]
        for i in range(nv):
            y[MOTION * nb + i] = values[k, VALUE, i]
        if not differentiate(
            kernels, tables, factors, work, rhs, y, order, scale, 0.0, times[k], 0.0, 0.0, mass,
            rate,
        ):  # fmt: skip
            return k
        acceleration[k] = change[:, VEL:]
        for i in range(nv):
            values[k, VALUE, i] = y[MOTION * nb + i]
        for e in range(kept.shape[0]):
            gamma[k, kept[e]] = work.gamma[e]
    return times.shape[0]


class Balance:
    """Solves for accelerations and multipliers with pivots that last, also over a restart (begun:
    the numbers of the earlier run)."""

    def __init__(self, data: Data, state: State, begun: dict[str, Any] | None = None) -> None:
        system = data.system
        self.data = data
        self.rhs, size = np.zeros(data.unknowns), 13 * system.bodies + 2 * system.layout.values
        self.y, self.rate = np.zeros(size), np.zeros(size)
        accelerations(data, state)  # raises where the equations are singular
        names = sorted(name for name in begun or {} if name.startswith(PIVOTS))
        self.pivot(state, tuple(np.asarray((begun or {})[name]) for name in names))

    def restart(self) -> dict[str, np.ndarray]:
        """Its pivots, with which later rows have the same digits."""
        return {f"{PIVOTS}{i}": np.array(part) for i, part in enumerate(self.lu.pivots)}

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
        evaluate(data.kernels, data.tables, data.work, state.time, 1.0 / data.system.mass)
        self.lu = factorise(data, pivots or None)

    def __call__(self, times, motion, acceleration, gamma, memory, values) -> None:
        """Fill acceleration (T, bodies, 6), gamma (T, all rows) and what sensors show in values
        (T, 3, n) of stored motions."""
        s, done = self.data, 0
        s.memory = memory
        laws = s.schedule(times)
        while done < len(times):
            before = done
            done = balance_rows(
                s.kernels, s.tables, self.lu, s.work, self.rhs, self.y, self.rate,
                s.system.layout.order, s.system.layout.value_scale, times, laws, motion,
                acceleration, gamma, values, s.kept,
                s.system.mass, done,
            )  # fmt: skip
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
