"""Reactions of least norm at the stored times of a run: the least x with Bᵀx = F is B z with

    (BᵀB + ε) z = F,      B = W⁻¹ C_q      (`reactions`)

repeated for what is left of F.  The sparse core analyses this matrix once, whose factors one
compiled loop then computes at each time: it is positive definite, so the pivots of one time serve
at the others.
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
    """Which values of C_q are entries of B, which of their products are in the matrix, and arrays.

    entries  : (n, 3) which value of C_q, row and column of B;   scale, B : of these
    products : (p, 3) two entries and the place of their product, below the diagonal or on it
    mirrored : (q, 2) places below the diagonal and above it
    members  : numbers of the rows of B among all rows;   weight : w of these
    """

    entries: np.ndarray
    scale: np.ndarray
    B: np.ndarray
    products: np.ndarray
    mirrored: np.ndarray
    diagonal: np.ndarray
    members: np.ndarray
    weight: np.ndarray
    epsilon: np.ndarray
    vals: np.ndarray  # the matrix
    x0: np.ndarray
    x: np.ndarray
    added: np.ndarray  # to x, B z
    z: np.ndarray


def make_plan(
    data: Data, members: Ints, weight: Floats, column: Floats, size: float, epsilon: float
) -> tuple[Plan, Sparsity]:
    """For data with all rows in the equations; column: scales of its motions, size: that of B."""
    p, n, m = data.pattern, data.pattern.motions, len(members)
    length = np.diff(p.indptr)[n + members]
    row, begin = np.repeat(np.arange(m), length), np.concatenate([[0], np.cumsum(length)])
    entry = np.repeat(p.indptr[n + members] - begin[:-1], length) + np.arange(len(row))
    used, at = np.unique(p.indices[entry], return_inverse=True)
    pairs = [np.column_stack(np.tril_indices(k)) + i for i, k in zip(begin, length)]
    pair = np.concatenate([np.zeros((0, 2), int), *pairs])
    i, j, own = at[pair[:, 0]], at[pair[:, 1]], np.arange(len(used))
    keys, place = np.unique(
        np.concatenate([i, j, own]) * len(used) + np.concatenate([j, i, own]), return_inverse=True
    )
    low, up, diagonal = np.split(place, [len(i), 2 * len(i)])
    mirrored = np.unique(np.column_stack([low, up])[low != up], axis=0)
    counts = np.bincount(keys // len(used), minlength=len(used))
    plan = Plan(
        np.column_stack([entry - p.indptr[n], row, at]).astype(np.int64),
        column[p.indices[entry]] / (weight[row] * size), np.zeros(len(row)),
        np.column_stack([pair, low]).astype(np.int64), mirrored.astype(np.int64),
        diagonal.astype(np.int64), members.astype(np.int64), weight, np.array([epsilon]),
        np.zeros(len(keys)), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(len(used)),
    )  # fmt: skip
    _, groups = np.unique(p.groups[used], return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return plan, Sparsity(indptr, keys % len(used), groups, len(used))


class StoredTimes:
    """Reactions of one system at many motions."""

    def __init__(
        self, data: Data, members: Ints, weight: Floats, column: Floats, size: float,
        epsilon: float,
    ) -> None:  # fmt: skip
        self.data = data
        self.plan, pattern = make_plan(data, members, weight, column, size, max(epsilon, LEAST))
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
        normal_matrix(self.plan, values)
        try:
            self.solver.factorise(self.plan.vals, anew=True)
        except SingularMatrix:
            return False
        return True


@lean
def normal_matrix(plan, values):
    """B, and BᵀB + ε, from the values of C_q."""
    entries, scale, B, vals = plan.entries, plan.scale, plan.B, plan.vals
    for e in range(B.shape[0]):
        B[e] = scale[e] * values[entries[e, 0]]
    for i in range(vals.shape[0]):
        vals[i] = 0.0
    for i in range(plan.diagonal.shape[0]):
        vals[plan.diagonal[i]] = plan.epsilon[0]
    products, mirrored = plan.products, plan.mirrored
    for k in range(products.shape[0]):
        vals[products[k, 2]] += B[products[k, 0]] * B[products[k, 1]]
    for k in range(mirrored.shape[0]):
        vals[mirrored[k, 1]] = vals[mirrored[k, 0]]


@by_address
@lean
def least_norms(lu, plan, jacobians, gamma, first):
    """From the first of these times on: where it ends, and whether for other reasons than pivots"""
    lu = record_at(LU, lu)
    entries, B, x0, x, added, z = plan.entries, plan.B, plan.x0, plan.x, plan.added, plan.z
    for k in range(first, gamma.shape[0]):
        normal_matrix(plan, jacobians[k])
        if not refactor(lu, plan.vals) < GROWTH:
            return k, False
        size, before, good = 0.0, np.inf, False
        for r in range(x.shape[0]):
            x0[r] = plan.weight[r] * gamma[k, plan.members[r]]
            size = max(size, abs(x0[r]))
            x[r] = 0.0
        for _ in range(PASSES):
            for i in range(z.shape[0]):
                z[i] = 0.0
            for e in range(B.shape[0]):
                r = entries[e, 1]
                z[entries[e, 2]] += B[e] * (x0[r] - x[r])
            solve(lu, z)
            for r in range(x.shape[0]):
                added[r] = 0.0
            for e in range(B.shape[0]):
                added[entries[e, 1]] += B[e] * z[entries[e, 2]]
            change = 0.0
            for r in range(x.shape[0]):
                x[r] += added[r]
                change = max(change, abs(added[r]))
            slow = change > 0.5 * before
            good = change <= (NOISE if slow else SETTLED) * size
            if good or slow:
                break
            before = change
        if not good:
            return k, True
        for r in range(x.shape[0]):
            gamma[k, plan.members[r]] = x[r] / plan.weight[r]
    return gamma.shape[0], True
