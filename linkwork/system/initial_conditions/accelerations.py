"""Accelerations and multipliers of a state (Tasora and Righettini 1999, (27)).

    [M    C_qᵀ] [v̇]   [f − f_g            ]
    [C_q  0   ] [γ ] = [Q_c − 2α Ċ − β² C ]

Friction whose load is a reaction makes f depend on γ: the same matrix then solves again for what is
left over, until nothing is (initial_conditions.agreement).

Where bodies without mass or nodes that share rates make this singular, the index is reduced
(initial_conditions.index_reduction).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from linkwork.elements.failures import raise_if_failed
from linkwork.errors import SingularError
from linkwork.linear_algebra import AlongMechanism, LinearSolver, SingularMatrix
from linkwork.linear_algebra.along_mechanism import Elimination
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.data import Data
from linkwork.system.evaluate import evaluate
from linkwork.system.initial_conditions.agreement import agreement
from linkwork.system.initial_conditions.consistent import consistent, unknown_scale
from linkwork.system.initial_conditions.index_reduction import index_reduced
from linkwork.system.state import State

GROWTH = 1e3  # of round-off with the pivots of another state, before they are chosen anew ...
WORSE = 10.0  # ... or so many times that with which they were chosen


def factorise(data: Data, pivots: tuple | None = None, two_sided: bool = False) -> Elimination:
    """Analyse the matrix now in the work arrays, which stay, for compiled steps."""
    solver = AlongMechanism(data.pattern, data.system.length, two_sided)
    with explained(data, data.work.vals):
        solver.analyse_blocks(data.work.vals, pivots)
    return solver.tables


@contextmanager
def explained(data: Data, vals: np.ndarray) -> Iterator[None]:
    """A clear error where the matrix with these values is singular."""
    try:
        yield
    except SingularMatrix as error:
        if not np.all(np.isfinite(vals)):
            raise_if_failed(data.system)
            raise SingularError(
                f"the equations of model '{data.system.model.name}' have numbers that are not "
                "finite; look for a force, a stiffness or a velocity that is far too large"
            ) from error
        raise SingularError(explain_singular(data, error.unknown)) from error


def factorise_again(data: Data, time: float, cM: float) -> Elimination:
    """New pivots for the matrix at the motion now in the work arrays, whose values are used up."""
    evaluate(data.equations, time, cM)
    return factorise(data)


def explain_singular(data: Data, unknown: int | None) -> str:
    """One sentence: which body or joint makes the equations singular."""
    n = data.system.motions
    if unknown is not None and unknown >= n:
        return (
            f"the equations are singular at {data.kept_rows[unknown - n]}: its direction is "
            "already fixed by other joints in this position; look for redundant or conflicting "
            "joints"
        )
    where = "the mechanism"
    if unknown is not None:
        where = data.system.layout.moves(unknown)
    return (
        f"the equations are singular: {where} has no inertia and no joint that gives it one; "
        "give it mass and inertia, or a joint that ties it to a body that has"
    )


def acceleration_solver(data: Data) -> LinearSolver:
    """For the matrix of `accelerations`, also at several states near by."""
    return AlongMechanism(data.pattern, data.system.length, scaled=True)


def accelerations(data: Data, state: State, solver: LinearSolver | None = None) -> State:
    """The state with its accelerations and multipliers (over all rows of the system).

    Bodies without inertia that forces alone move get the velocities that those give them.  Vector
    nodes get what their equations determine (consistent.py).  solver: its pivots, of a
    state near by, are taken where they are good enough.
    """
    try:
        if data.system.layout.values:
            return consistent(data, state)
        return of_bodies(data, state, solver)
    except SingularError:
        try:
            found = index_reduced(data, state)
        except ValueError:  # numbers that are not finite: the error says so
            found = None
        if found is None:
            raise
        return found


def of_bodies(data: Data, state: State, solver: LinearSolver | None) -> State:
    """The same of a system without vector nodes."""
    system = data.system
    still = replace(state, acceleration=None, gamma=None)
    e = data.evaluate(still, cM=1.0, cD=0.0, cK=0.0, rates=True)
    if not np.all(np.isfinite(e.f)):
        raise_if_failed(data.system)  # before a matrix looks singular
    D, p = unknown_scale(data), data.pattern
    matrix = SparseRows(e.values, p.indices, p.indptr, (p.unknowns, p.unknowns))
    matrix.data[:] *= D[matrix.row] * D[matrix.indices]
    rhs = D * np.concatenate([-e.f.ravel(), e.Qc])
    solver = solver or acceleration_solver(data)
    y, limit = rhs.copy(), max(GROWTH, WORSE * solver.growth if solver.tables is not None else 0.0)
    with explained(data, matrix.data):
        solver.factorise(matrix.data, y, limit)
    y = D * (y + solver.solve(rhs - solver.times(y)))  # one refinement
    n = system.motions
    if any(x.entry.reads for x in system.elements):
        y = with_loads(data, state, solver, D, y)
    return replace(state, acceleration=y[:n].reshape(-1, 6), gamma=data.all_gamma(y[n:]))


def with_loads(
    data: Data, state: State, solver: LinearSolver, D: np.ndarray, first: np.ndarray
) -> np.ndarray:
    """Accelerations and multipliers with friction under these multipliers; `first` without it.

    Where friction jams the mechanism there may be no such accelerations, and `first` comes back.
    """
    n = data.system.motions

    def again(scaled: np.ndarray) -> np.ndarray:
        y = D * scaled
        trial = replace(state, acceleration=y[:n].reshape(-1, 6), gamma=data.all_gamma(y[n:]))
        e = data.evaluate(trial, tangent=False)
        return scaled + solver.solve(D * np.concatenate([-e.f.ravel(), np.zeros(len(y) - n)]))

    found = agreement(again, first / D)
    return first if found is None else D * found
