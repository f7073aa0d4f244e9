"""A linear solver by elimination along the mechanism, whose cost is linear in its bodies."""

from __future__ import annotations

import numpy as np

from linkwork.linear_algebra.solver import LinearSolver
from linkwork.kernels.registers.eights import zeros8
from linkwork.linear_algebra import along_mechanism as elimination
from linkwork.linear_algebra.pattern import Pattern


class AlongMechanism(LinearSolver):
    """The values of C_qᵀ are those of C_q; tables: an `Elimination`.

    length    : makes displacements and rotations comparable
    two_sided : the columns of constraints are not their rows (for compiled loops)
    scaled    : the unknowns are comparable as they are; the length is tried first
    """

    def __init__(
        self, pattern: Pattern, length: float = 1.0, two_sided: bool = False, scaled: bool = False
    ) -> None:
        super().__init__(pattern)
        self.length, self.two_sided, self.scaled = length, two_sided, scaled
        self.blocks = np.zeros(0)

    def analyse(self, vals: np.ndarray, known: tuple | None = None) -> None:
        self._fill(vals)
        self.analyse_blocks(self.blocks, known)

    def analyse_blocks(self, blocks: np.ndarray, known: tuple | None = None) -> None:
        """The same for values as compiled loops have them, block by block."""
        self.tables = elimination.analyse(
            self.pattern, blocks, self.length, known, self.two_sided, self.scaled
        )

    def _fill(self, vals: np.ndarray) -> None:
        if not self.blocks.size:
            self.blocks = zeros8(self.pattern.size)
        self.blocks[:] = 0.0
        self.blocks[self.pattern.places] = vals

    def _factorise(self, vals: np.ndarray, rhs: np.ndarray | None) -> float:
        self._fill(vals)
        side = np.zeros(self.pattern.unknowns) if rhs is None else rhs
        growth = float(elimination.refactor(self.tables, self.blocks, side))
        if rhs is not None and np.isfinite(growth):
            elimination.sweep_back(self.tables, self.blocks, rhs)
        return growth

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        y = rhs.copy()
        elimination.solve(self.tables, self.blocks, y)
        return y

    def twin(self) -> AlongMechanism:
        return AlongMechanism(self.pattern, self.length, self.two_sided, self.scaled)
