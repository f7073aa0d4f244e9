"""Accelerations and multipliers at stored steps: those that balance the motion reached,

    [M    C_qᵀ] [v̇]   [f − f_g]
    [C_q  0   ] [γ ] = [Q_c    ]

over the rows of linkwork's own joints, so that reactions, files and results are the same for
every method.  The scheme's multipliers λ are means over a step; these are values at its end, and
as accurate as the motion, of second order.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import COEFS, VEL
from linkwork.errors import SingularError
from linkwork.integrators.explicit.augmented import differentiate
from linkwork.math.compiled import compiled
from linkwork.math.referred import refer
from linkwork.system.consistency.accelerations import accelerations, factorise
from linkwork.system.evaluate import evaluate
from linkwork.system.state import State
from linkwork.system.system import System


@compiled
def balance_rows(
    kernels, tables, lu, work, rhs, rate, times, schedule, motion, acceleration, gamma, kept, mass,
    first,
):  # fmt: skip
    """Stored rows from `first` on; returns the first whose pivots are bad, or their number."""
    change, nodes = rate.reshape(rate.size), tables.targets[:0]  # there are no vector nodes
    factors, tables, work = refer(lu), refer(tables), refer(work)
    for k in range(first, times.shape[0]):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        if not differentiate(
            kernels, tables, factors, work, rhs, motion[k].reshape(change.size), nodes, rhs[:0],
            times[k], 0.0, 0.0, mass, change,
        ):  # fmt: skip
            return k
        acceleration[k] = rate[:, VEL:]
        for e in range(kept.shape[0]):
            gamma[k, kept[e]] = work.gamma[e]
    return times.shape[0]


class Balance:
    """Solves for accelerations and multipliers with pivots that last."""

    def __init__(self, system: System, state: State) -> None:
        self.system = system
        self.rhs, self.rate = np.zeros(system.unknowns), np.zeros((system.bodies, 13))
        accelerations(system, state)  # raises where the equations are singular
        self.pivot(state)

    def pivot(self, state: State) -> None:
        system = self.system
        system.load(state)
        system.work.coef[:COEFS] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        evaluate(system.kernels, system.tables, system.work, state.time, 1.0 / system.mass)
        self.lu = factorise(system)

    def __call__(self, times, motion, acceleration, gamma, memory) -> None:
        """Fill acceleration (T, bodies, 6) and gamma (T, all rows) of stored motions."""
        s, done = self.system, 0
        s.tables.reals[s.memory_places] = memory
        laws = s.schedule(times)
        while done < len(times):
            before = done
            done = balance_rows(
                s.kernels, s.tables, self.lu, s.work, self.rhs, self.rate, times, laws, motion,
                acceleration, gamma, s.kept, s.mass, done,
            )  # fmt: skip
            if done < len(times):
                try:
                    if done == before and done > 0:
                        raise SingularError("new pivots did not help")
                    self.pivot(State(float(times[done]), s.names, motion[done], memory=memory))
                    if done == before == 0:
                        before = -1
                except SingularError:  # a singular position: nothing can be said there
                    acceleration[done], gamma[done] = np.nan, np.nan
                    done += 1
