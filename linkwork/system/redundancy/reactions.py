"""Reactions over all rows: of all y with the same forces C_qᵀ y the one of least norm.

With x = W y and B = W⁻¹ C_q of size one, the x of least norm with Bᵀx = F = Bᵀx₀ is B z with
BᵀB z = F,

    [I   B ] [ x]   [0]
    [Bᵀ −ε ] [−z] = [F],      repeated for what is left of F

where ε settles the motions that stay free, and states of self-stress off the manifold.  At one
position by `Saddle`, at the stored times of a run by the sparse core (`stored_times`).
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.linear_algebra import Saddle
from linkwork.linear_algebra.sparse_rows import array_of, diagonal
from linkwork.system.redundancy.rows import ConstraintRows, Floats, as_vertices, is_turn, row_of
from linkwork.system.redundancy.selection import Redundancy, independent_rows
from linkwork.system.redundancy.stored_times import SETTLED, StoredTimes

if TYPE_CHECKING:
    from linkwork.system.data import Data

CHUNK = 2**20  # values of C_q that are looked at together
YIELD = 1e-8  # ε at most: the square of how far off the rows of loops may be
BELOW = 1e-2  # of the smallest σ of independent rows, that of rows which are off
SINGULAR = 1e-13  # ε near singular positions, where others are too large
PASSES = 20
OFF = 1e-3  # of x₀, a correction that does not shrink: of self-stress off the manifold, σ²/ε


class MinimumNorm:
    """Reactions over all rows: the same forces C_qᵀ y, the smallest norm.

    The norm is √Σ(w y)² over the rows of all redundant components, w = 1 for a row that
    displacements enter (y is a force) and 1/L for a row of rotations only (y is a moment, y/L a
    force), or the ``weight`` given.  Multipliers outside redundant components stay as they are.

    Rows that load friction stay as they are: the motion is that with this load.
    """

    def __init__(
        self, rows: ConstraintRows, redundancy: Redundancy, *, weight: Floats | None = None
    ) -> None:
        self.fixed = np.flatnonzero(rows.pressing)
        if len(self.fixed):
            redundancy = apart_from_pressing(rows)
        self.L = rows.L
        self.weight = np.where(rows.rotation, 1 / rows.L, 1.0) if weight is None else weight
        members = [part.rows for part in redundancy.components]
        self.members = np.sort(np.concatenate([np.zeros(0, np.intp), *members]))
        self.size = float(np.abs(self._scaled(rows.Cq.csr).data).max(initial=0.0)) or 1.0
        kept = min((part.smallest_kept for part in redundancy.components), default=1.0)
        self.epsilon = float(np.clip((BELOW * kept) ** 2, SINGULAR, YIELD))
        self.stored: StoredTimes | None = None
        self.seconds = 0.0  # that `over` has taken

    def _scaled(self, Cq: Any) -> Any:
        """W⁻¹ C_q of the rows of redundant components."""
        B = Cq[self.members].tocsr()
        B.data = B.data * np.where(is_turn(B.indices), 1 / self.L, 1.0)
        B.data /= self.weight[self.members][row_of(B)]
        return B

    def __call__(self, Cq: Any, y: Floats) -> Floats:
        """Multipliers over all rows with the forces of ``y`` (which has 0 in left-out rows), or of
        its columns."""
        result = np.array(y, dtype=float)
        if not len(self.members):
            return result
        B = self._scaled(Cq.tocsr())
        used, at = np.unique(B.indices, return_inverse=True)
        B = array_of(B.data / self.size, row_of(B), at, (len(self.members), len(used)))
        weight = self.weight[self.members].reshape(-1, *[1] * (result.ndim - 1))
        result[self.members] = least_norm(B, result[self.members] * weight, self.epsilon) / weight
        return result

    def over(
        self, alone: Data, times: Floats, motion: Floats, gamma: Floats,
        values: Floats | None = None,
    ) -> None:  # fmt: skip
        """Multipliers (T, rows) at stored motions and values (T, 3, n), in place.

        alone: the constraints of the model with all of their rows, always the same system
        """
        if not len(self.members):
            return
        began, system = clock.perf_counter(), alone.system
        if self.stored is None or self.stored.data is not alone:
            column = system.layout.scale(self.L) / self.L
            weight = self.weight[self.members]
            self.stored = StoredTimes(
                alone, self.members, weight, column, self.size, self.epsilon
            )
        fixed = gamma[:, self.fixed].copy()
        gamma[:, self.fixed] = 0.0
        values = system.stored_values(len(times), values)
        step = max(1, CHUNK // len(alone.pattern.indices))
        for k in range(0, len(times), step):
            part = slice(k, k + step)
            jacobians = alone.jacobian_values(times[part], motion[part], values[part])
            left = k + self.stored.least_norm(jacobians, gamma[part])
            for i, Cq in zip(left, alone.jacobians(times[left], motion[left], values[left])):
                gamma[i] = self(as_vertices(system.layout, Cq, self.L)[0].csr, gamma[i])
        gamma[:, self.fixed] = fixed
        self.seconds += clock.perf_counter() - began


def least_norm(B: Any, x0: Floats, first: float) -> Floats:
    """x with Bᵀx = Bᵀx₀ and the least norm, B of size one; also of columns."""
    size = np.abs(x0).max(axis=0)
    for epsilon in (first, SINGULAR):
        saddle, x = Saddle(diagonal(np.ones(len(x0))), B.T, epsilon), np.zeros_like(x0)
        before = np.inf
        for _ in range(PASSES):
            more = saddle.solve(np.zeros_like(x0), B.T @ (x0 - x))[0]
            x, change = x + more, np.abs(more).max(axis=0)
            slow = change > 0.5 * before
            if np.all(change <= np.where(slow, OFF, SETTLED) * size):
                return x
            before = change
    return x


def apart_from_pressing(rows: ConstraintRows) -> Redundancy:
    """What is redundant among the rows that load no friction."""
    others = np.flatnonzero(~rows.pressing)
    found = independent_rows(rows.only(~rows.pressing))
    keep = np.ones(len(rows.pressing), bool)
    keep[others] = found.keep
    parts = [
        replace(part, **{name: others[getattr(part, name)] for name in ("rows", "kept", "dropped")})
        for part in found.components
    ]
    return replace(found, keep=keep, components=parts, conflicts=others[found.conflicts])
