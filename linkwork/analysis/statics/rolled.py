"""How far rows on velocities have slipped between two positions of a search for rest.

Where nothing moves, a row A(q) v = 0 says nothing; but what rolls gets from one position to the
next by rolling.  Along the shortest way from q₀ to q, q(s) = q₀ exp(s x), the slip is

    σ = ∫₀¹ A(q(s)) x ds          (Gauss's rule with five points)

and a search takes σ = 0 from each of its positions to the next as it takes C = 0.
"""

from __future__ import annotations

import numpy as np

from linkwork.system.data import Data
from linkwork.system.state import State

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(5)


class Slip:
    """σ of the rows on velocities among the rows in the equations."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.rows = np.flatnonzero(data.system.on_velocities[data.kept])

    def __bool__(self) -> bool:
        return len(self.rows) > 0

    def between(self, before: State, after: State) -> np.ndarray:
        """(rows,) zero for rows on positions."""
        way, found = after.way_from(before), np.zeros(self.data.rows)
        for point, weight in zip(POINTS, WEIGHTS):
            Cq = self.data.evaluate(before.moved(0.5 * (1 + point) * way)).Cq
            found[self.rows] += 0.5 * weight * (Cq @ way)[self.rows]
        return found
