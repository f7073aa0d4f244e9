"""Reactions of least norm at the stored times of a run: one analysis of the saddle matrix

    [I   B ] [ x]   [0]
    [Bᵀ −ε ] [−z] = [F],      B = W⁻¹ C_q      (`reactions`)

by the sparse core, whose factors one compiled loop then computes at each time.  The matrix is
quasidefinite, so the pivots of one time serve at the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.kernels.compiled import lean
from linkwork.kernels.memory.records import by_address, record_at
from linkwork.linear_algebra import SingularMatrix, SparseCore
from linkwork.linear_algebra.core import LU, refactor, solve
from linkwork.linear_algebra.pattern import Sparsity
from linkwork.linear_algebra.solver import GROWTH
from linkwork.system.redundancy.rows import Floats, Ints

if TYPE_CHECKING:
    from linkwork.system.data import Data

LEAST = 1e-11  # ε, below which the core takes pivots for none
PASSES = 8  # corrections for what is left of F, each ε/(σ² + ε) of the one before it
SETTLED = 1e-12  # a correction over the largest x₀ ...
NOISE = 1e-9  # ... and one that does not shrink: of self-stress off the manifold, σ²/ε


class Plan(NamedTuple):
    """Which values of C_q are entries of B, where these are in the matrix, and work arrays."""

    entries: np.ndarray  # (n, 5): which value of C_q, row and column of B, places of B and Bᵀ
    scale: np.ndarray  # of the entries
    members: np.ndarray  # numbers of the rows of B among all rows
    weight: np.ndarray  # w of these rows
    vals: np.ndarray  # the matrix, with its diagonal
    x0: np.ndarray
    x: np.ndarray
    rest: np.ndarray  # of F
    rhs: np.ndarray


def make_plan(
    data: Data, members: Ints, weight: Floats, column: Floats, size: float
) -> tuple[Plan, Sparsity]:
    """For data with all rows in the equations; column: scales of its motions, size: that of B."""
    p, n, m = data.pattern, data.pattern.motions, len(members)
    length = np.diff(p.indptr)[n + members]
    row = np.repeat(np.arange(m), length)
    first = np.repeat(p.indptr[n + members] - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
    entry = first + np.arange(len(row))
    used, at = np.unique(p.indices[entry], return_inverse=True)
    unknowns = m + len(used)
    own = np.arange(unknowns)
    i, j = np.concatenate([row, m + at, own]), np.concatenate([m + at, row, own])
    order = np.lexsort((j, i))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    up, low, diagonal = np.split(place, [len(row), 2 * len(row)])
    vals = np.zeros(len(order))
    vals[diagonal] = np.where(own < m, 1.0, -1.0)
    _, groups = np.unique(p.groups[np.concatenate([n + members, used])], return_inverse=True)
    groups = np.where(own < m, groups, groups + unknowns)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=unknowns))])
    entries = np.column_stack([entry - p.indptr[n], row, at, up, low]).astype(np.int64)
    plan = Plan(
        entries, column[p.indices[entry]] / (weight[row] * size), members.astype(np.int64), weight,
        vals, np.zeros(m), np.zeros(m), np.zeros(len(used)), np.zeros(unknowns),
    )  # fmt: skip
    return plan, Sparsity(indptr, j[order], groups, m)


class StoredTimes:
    """Reactions of one system at many motions."""

    def __init__(
        self, data: Data, members: Ints, weight: Floats, column: Floats, size: float,
        epsilon: float,
    ) -> None:  # fmt: skip
        self.data = data
        self.plan, pattern = make_plan(data, members, weight, column, size)
        diagonal = self.plan.vals < 0.0
        self.plan.vals[diagonal] = -max(epsilon, LEAST)
        self.solver = SparseCore(pattern)

    def least_norm(self, jacobians: Floats, gamma: Floats) -> Ints:
        """Multipliers `gamma` (T, rows) become those of least norm, in place, at these C_q (values
        by times); the times at which that is not certain."""
        left, done, tried = [], 0, -1
        while done < len(gamma):
            if self.solver.tables is not None:
                done, sure = least_norms(self.solver.tables, self.plan, jacobians, gamma, done)
                if done == len(gamma):
                    break
                if sure:  # the pivots serve, but the mechanism is singular
                    left.append(done)
                    done += 1
                    continue
            if tried == done or not self.analysed(jacobians[done]):
                left.append(done)
                done += 1
            tried = done
        return np.array(left, np.intp)

    def analysed(self, values: Floats) -> bool:
        """Whether there are pivots for these values of C_q."""
        entries, vals = self.plan.entries, self.plan.vals
        vals[entries[:, 3]] = vals[entries[:, 4]] = self.plan.scale * values[entries[:, 0]]
        try:
            self.solver.factorise(vals, anew=True)
        except SingularMatrix:
            return False
        return True


@by_address
@lean
def least_norms(lu, plan, jacobians, gamma, first):
    """From the first of these times on: where it ends, and whether for other reasons than pivots"""
    lu = record_at(LU, lu)
    entries, scale, vals, x, rest = plan.entries, plan.scale, plan.vals, plan.x, plan.rest
    m = x.shape[0]
    for k in range(first, gamma.shape[0]):
        for e in range(entries.shape[0]):
            v = scale[e] * jacobians[k, entries[e, 0]]
            vals[entries[e, 3]] = v
            vals[entries[e, 4]] = v
        if not refactor(lu, vals) < GROWTH:
            return k, False
        rest[:] = 0.0
        size, before, good = 0.0, np.inf, False
        for r in range(m):
            plan.x0[r] = plan.weight[r] * gamma[k, plan.members[r]]
            size = max(size, abs(plan.x0[r]))
            x[r] = 0.0
        for e in range(entries.shape[0]):
            rest[entries[e, 2]] += vals[entries[e, 3]] * plan.x0[entries[e, 1]]
        for _ in range(PASSES):
            plan.rhs[:m] = 0.0
            for i in range(rest.shape[0]):
                plan.rhs[m + i] = rest[i]
            solve(lu, plan.rhs)
            change = 0.0
            for r in range(m):
                x[r] += plan.rhs[r]
                change = max(change, abs(plan.rhs[r]))
            slow = change > 0.5 * before
            good = change <= (NOISE if slow else SETTLED) * size
            if good or slow:
                break
            before = change
            rest[:] = 0.0
            for e in range(entries.shape[0]):
                r = entries[e, 1]
                rest[entries[e, 2]] += vals[entries[e, 3]] * (plan.x0[r] - x[r])
        if not good:
            return k, True
        for r in range(m):
            gamma[k, plan.members[r]] = x[r] / plan.weight[r]
    return gamma.shape[0], True
