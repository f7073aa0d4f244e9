"""The contract of linear solvers, and what they share.

A solver belongs to one pattern; the values of the matrix come with every factorisation, by rows as
in the pattern.

1. `analyse` chooses an order and pivots for values; `known` are `tables.pivots` of an earlier
   analysis, which are then taken as they are.
2. `factorise` computes factors of other values with them, and chooses anew where round-off grows
   too much, or where there are none yet.  A right-hand side that is handed on becomes the solution.
3. `solve` gives solutions, also with Aᵀ; each refinement corrects one by its residual.
4. `update` adds u wᵀ to the factorised matrix (`LowRank`), until the next factorisation.
5. `tables` are the arrays of the analysis, the addresses of its code among them: compiled loops
   factorise and solve with these themselves.

What a solver of its own brings is `analyse`, `_factorise`, `_solve` and `twin`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwork.linear_algebra.core import SingularMatrix
from linkwork.linear_algebra.pattern import Pattern

GROWTH = 1e6  # of round-off in the elimination, before pivots are chosen anew


class Quality(NamedTuple):
    """What factors say of their matrix; one that has none raises SingularMatrix (`unknown`)."""

    growth: float  # of round-off in the elimination


class LowRank:
    """Solutions with A + Σ u wᵀ from those with A, one update after the other (Sherman, Morrison).

    y ← y − z (w·y)/(1 + w·z),      z = (the matrix so far)⁻¹ u
    """

    def __init__(self, solve: Callable[[np.ndarray], np.ndarray]) -> None:
        self.solve_alone = solve
        self.parts: list[tuple[np.ndarray, np.ndarray, float]] = []

    def add(self, u: np.ndarray, w: np.ndarray) -> float:
        """1 + w·z over the sum of its terms' sizes: near zero the matrix is singular now."""
        z = self.solve(u)
        left = float(1.0 + w @ z)
        self.parts.append((z, w, left))
        return left / float(1.0 + np.abs(w) @ np.abs(z))

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        return self.corrected(self.solve_alone(rhs))

    def corrected(self, y: np.ndarray) -> np.ndarray:
        """The solution, from that with A."""
        for z, w, left in self.parts:
            y = y - z * (w @ y) / left
        return y


class LinearSolver(ABC):
    """Solves A x = b for matrices of one pattern, which is that of its transpose, too."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.tables: Any = None
        self.growth = np.inf  # of round-off where the pivots were chosen
        self.vals = np.zeros(0)
        self.updates: list[tuple[np.ndarray, np.ndarray]] = []
        self.low_rank = LowRank(self._solve)
        self.transposed: LowRank | None = None  # of Aᵀ, where it was asked for

    @abstractmethod
    def analyse(self, vals: np.ndarray, known: tuple | None = None) -> None:
        """Order and pivots for these values, as `tables`.  Raises SingularMatrix."""

    @abstractmethod
    def _factorise(self, vals: np.ndarray, rhs: np.ndarray | None) -> float:
        """Factors with the known pivots, and the solution in place of a right-hand side; growth."""

    @abstractmethod
    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        """One solution with the factors."""

    @abstractmethod
    def twin(self) -> LinearSolver:
        """Another solver of its kind for the same pattern."""

    def factorise(
        self, vals: np.ndarray, rhs: np.ndarray | None = None, limit: float = GROWTH,
        anew: bool = False,
    ) -> Quality:  # fmt: skip
        """Factors of these values, which must stay; anew: with pivots chosen for them.

        Raises SingularMatrix; the tables are then those of before.
        """
        self.vals, self.updates = vals, []
        self.low_rank, self.transposed = LowRank(self._solve), None
        before, side, growth = self.tables, None if rhs is None else rhs.copy(), np.inf
        if before is not None and not anew:
            growth = self._factorise(vals, rhs)
        if growth < limit:
            return Quality(growth)
        try:
            self.analyse(vals)
            if rhs is not None:
                rhs[:] = side
            self.growth = self._factorise(vals, rhs)
            if not np.isfinite(self.growth):
                raise SingularMatrix("a pivot vanishes")
        except SingularMatrix:
            self.tables = before
            raise
        return Quality(self.growth)

    def solve(self, rhs: np.ndarray, transposed: bool = False, refined: int = 0) -> np.ndarray:
        """The solution, with so many corrections by its residual."""
        inverse = self._transposed() if transposed else self.low_rank
        y = inverse.solve(rhs)
        for _ in range(refined):
            y += inverse.solve(rhs - self.times(y, transposed))
        return y

    def update(self, u: np.ndarray, w: np.ndarray) -> float:
        """The matrix is A + u wᵀ from now on; near zero: it is singular (`LowRank.add`)."""
        self.updates.append((u, w))
        self.transposed = None
        return self.low_rank.add(u, w)

    def times(self, x: np.ndarray, transposed: bool = False) -> np.ndarray:
        """The product of the matrix, or its transpose, and a vector."""
        rows, columns = self.row, self.pattern.indices
        if transposed:
            rows, columns = columns, rows
        out = np.bincount(rows, self.vals * x[columns], minlength=self.pattern.unknowns)
        for u, w in self.updates:
            out += w * (u @ x) if transposed else u * (w @ x)
        return out

    @cached_property
    def row(self) -> np.ndarray:
        """The row of every value."""
        return np.repeat(np.arange(self.pattern.unknowns), np.diff(self.pattern.indptr))

    def _transposed(self) -> LowRank:
        """Solutions with Aᵀ, which has the same pattern: by factors of its own."""
        if self.transposed is None:
            other = self.twin()
            other.factorise(self.vals[np.lexsort((self.row, self.pattern.indices))])
            self.transposed = LowRank(other._solve)
            for u, w in self.updates:
                self.transposed.add(w, u)
        return self.transposed
