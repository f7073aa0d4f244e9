"""Reactions over all rows: of all y with the same forces Cqᵀ y the one of least norm.

At one position by dense factors of each component, or those of a sparse matrix; over the stored
times of a run by `normal_equations`, which leaves the few positions to the former at which a
mechanism is singular.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SparseFactors
from linkwork.system.redundancy.blocks import Batch, batches
from linkwork.system.redundancy.full_rank import LARGE
from linkwork.system.redundancy.normal_equations import Plan, make_plan, reactions_over_time
from linkwork.system.redundancy.rows import (
    ConstraintRows,
    Floats,
    Ints,
    as_vertices,
    canonical,
    is_turn,
    row_of,
)  # fmt: skip
from linkwork.system.redundancy.selection import Redundancy, independent_rows

if TYPE_CHECKING:
    from linkwork.system.data import Data

CHUNK = 1024  # stored times per call: bounds the table of the motion laws
SETTLE = 1e-12  # ε of large components, against B of size one


class MinimumNorm:
    """Reactions over all rows: the same forces Cqᵀ y, the smallest norm.

    The norm is √Σ(w y)² over the rows of each redundant component, w = 1 for a row that
    displacements enter (y is a force) and 1/L for a row of rotations only (y is a moment, y/L a
    force), or the ``weight`` given. Multipliers outside redundant components stay as they are.

    With x = W y and B = W⁻¹ Cq, the answer is x less its part in the null space of Bᵀ. Its
    dimension is the one `Redundancy` found, so being slightly off the manifold does no harm.

    Rows that load friction stay as they are: the motion is that with this load.
    """

    def __init__(
        self, rows: ConstraintRows, redundancy: Redundancy, *, weight: Floats | None = None,
        dense: int = LARGE,
    ) -> None:  # fmt: skip
        self.fixed = np.flatnonzero(rows.pressing)
        if len(self.fixed):
            redundancy = apart_from_pressing(rows)
        self.L = rows.L
        self.weight = np.where(rows.rotation, 1 / rows.L, 1.0) if weight is None else weight
        self.last = ~redundancy.keep
        self.rank = sum(len(part.kept) for part in redundancy.components)
        self.fast: tuple[Data, Plan | None] | None = None
        self.seconds = 0.0  # that `over` has taken
        self.label = np.full(rows.Cq.shape[0], -1, np.intp)
        self.large = [part.rows for part in redundancy.components if len(part.rows) > dense]
        for number, component in enumerate(redundancy.components):
            if len(component.rows) <= dense:
                self.label[component.rows] = number
        self.indptr, self.indices = rows.Cq.indptr, rows.Cq.indices
        self.plan = self._plan(rows.Cq)

    def _plan(self, Cq: sp.csr_array) -> tuple[list[Batch], Floats]:
        """Where each nonzero goes, and its scale; valid for this sparsity pattern."""
        scale = np.where(is_turn(Cq.indices), 1 / self.L, 1.0) / self.weight[row_of(Cq)]
        return batches(Cq, self.label, last=self.last), scale

    def __call__(self, Cq: sp.csr_array, y: Floats) -> Floats:
        """Multipliers over all rows with the forces of ``y`` (which has 0 in left-out rows), or of
        its columns."""
        result = np.array(y, dtype=float)
        columns = result.reshape(len(result), -1)
        for members in self.large:
            part = sp.csr_array(Cq)[members]
            for column in columns.T:
                column[members] = self._large(part, column[members], members)
        if not self.plan[0]:
            return result
        batches, scale = self.plan
        if not same_pattern(Cq, self.indptr, self.indices):
            Cq = canonical(Cq)
            batches, scale = self._plan(Cq)
        data = Cq.data * scale
        for batch in batches:
            N = null_space(batch.dense(data), batch.last)
            weight = self.weight[batch.rows][..., None]
            x = columns[batch.rows] * weight
            columns[batch.rows] = (x - N @ (N.swapaxes(1, 2) @ x)) / weight
        return result

    def over(
        self, alone: Data, times: Floats, motion: Floats, gamma: Floats,
        values: Floats | None = None,
    ) -> None:  # fmt: skip
        """Multipliers (T, rows) at stored motions and values (T, 3, n), in place.

        alone: the constraints of the model with all of their rows, always the same system
        """
        if not (self.label >= 0).any() and not self.large:
            return
        began = clock.perf_counter()
        if self.fast is None or self.fast[0] is not alone:
            self.fast = alone, make_plan(alone, self._inverse_squares(), self.rank)
        good, y = np.zeros(len(times), np.bool_), np.zeros(gamma.shape[1])
        fixed = gamma[:, self.fixed].copy()
        gamma[:, self.fixed] = 0.0
        values = alone.system.stored_values(len(times), values)
        units = np.eye(6, STRIDE).ravel()
        for k in range(0, len(times) if self.fast[1] is not None else 0, CHUNK):
            part = slice(k, k + CHUNK)
            reactions_over_time(
                alone.kernels, alone.tables, alone.work, self.fast[1], times[part],
                np.ascontiguousarray(motion[part]), values[part], alone.schedule(times[part]),
                gamma[part], y, units, good[part],
            )  # fmt: skip
        left = np.flatnonzero(~good)
        for i, Cq in zip(left, alone.jacobians(times[left], motion[left], values[left])):
            gamma[i] = self(as_vertices(alone.system.layout, Cq, self.L)[0].csr, gamma[i])
        gamma[:, self.fixed] = fixed
        self.seconds += clock.perf_counter() - began

    def _inverse_squares(self) -> Floats:
        """w⁻² of the rows of redundant components, 0 of the others."""
        members = self.label >= 0
        for rows in self.large:
            members[rows] = True
        return np.where(members, 1 / self.weight**2, 0.0)

    def _large(self, Cq: sp.csr_array, y: Floats, members: Ints) -> Floats:
        """For many rows: the x of least norm with Bᵀx = F = Bᵀx₀ is B z with BᵀB z = F,

            [I   B ] [x ]   [0]
            [Bᵀ −ε ] [−z] = [F],     repeated for what is left of F

        where ε settles the motions that stay free and states of self-stress off the manifold.
        """
        used = np.unique(Cq.indices)
        columns = np.where(is_turn(used), 1 / self.L, 1.0)
        B = sp.diags_array(1 / self.weight[members]) @ Cq[:, used] @ sp.diags_array(columns)
        size = float(np.abs(B.data).max())
        B = B / size
        m, n = B.shape
        factors = SparseFactors(
            sp.block_array([[sp.eye_array(m), B], [B.T, -SETTLE * sp.eye_array(n)]])
        )
        x0 = y * self.weight[members]
        F = B.T @ x0
        x, enough = np.zeros(m), 1e-13 * float(np.abs(F).max(initial=0.0))
        for _ in range(20):
            rest = F - B.T @ x
            if np.abs(rest).max(initial=0.0) <= enough:
                break
            x += factors.solve(np.concatenate([np.zeros(m), rest]))[:m]
        return x / self.weight[members]


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


def same_pattern(Cq: sp.csr_array, indptr: Ints, indices: Ints) -> bool:
    return Cq.format == "csr" and all(
        a is b or np.array_equal(a, b) for a, b in ((Cq.indptr, indptr), (Cq.indices, indices))
    )


def null_space(B: Floats, k: int) -> Floats:
    """Orthonormal basis (g, m, k) of Bᵀ x = 0, the last k rows of B depending on the others."""
    g, m, _ = B.shape
    N = np.zeros((g, m, k))
    if m > k:
        Q, R = np.linalg.qr(B[:, : m - k].swapaxes(1, 2))
        # In a singular position a kept row may depend on others: any finite answer will do.
        d = np.abs(np.diagonal(R, axis1=1, axis2=2))
        floor = 1e-14 * d.max(axis=1, keepdims=True) + np.finfo(float).tiny
        i = np.arange(m - k)
        R[:, i, i] += np.where(d < floor, floor, 0.0)
        N[:, : m - k] = -np.linalg.solve(R, (B[:, m - k :] @ Q).swapaxes(1, 2))
    N[:, np.arange(m - k, m), np.arange(k)] = 1
    return np.linalg.qr(N)[0]
