"""Accelerations and multipliers of a state (Tasora and Righettini 1999, (27)).

    [M    C_qᵀ] [v̇]   [f − f_g            ]
    [C_q  0   ] [γ ] = [Q_c − 2α Ċ − β² C ]

A body without inertia that springs hold (z with M z = 0 and C_q z = 0) has a position, but no
acceleration of its own: there v̇ along z is zero, the solution of least norm.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.user_force import raise_if_failed
from linkwork.errors import SingularError
from linkwork.system.elimination import (
    Elimination,
    SingularMatrix,
    analyse,
    refactor,
    solve,
    sweep_back,
)  # fmt: skip
from linkwork.system.evaluate import evaluate
from linkwork.system.state import State
from linkwork.system.system import System

LARGEST = 1200  # unknowns of bodies for which singular equations are looked into


def factorise(
    system: System, pivots: tuple | None = None, two_sided: bool = False
) -> Elimination:
    """Analyse the matrix now in the work arrays, which stay; a clear error where it is singular."""
    try:
        return analyse(system.pattern, system.work.vals, system.length, pivots, two_sided)
    except SingularMatrix as error:
        if not np.all(np.isfinite(system.work.vals)):
            raise_if_failed(system)
            raise SingularError(
                f"the equations of model '{system.model.name}' have numbers that are not finite; "
                "look for a force, a stiffness or a velocity that is far too large"
            ) from error
        raise SingularError(explain_singular(system, error.unknown)) from error


def factorise_again(system: System, time: float, cM: float) -> Elimination:
    """New pivots for the matrix at the motion now in the work arrays, whose values are used up."""
    evaluate(system.kernels, system.tables, system.work, time, cM)
    return factorise(system)


def explain_singular(system: System, unknown: int | None) -> str:
    """One sentence: which body or joint makes the equations singular."""
    n = 6 * system.bodies
    if unknown is not None and unknown >= n:
        return (
            f"the equations are singular at {system.kept_rows[unknown - n]}: its direction is "
            "already fixed by other joints in this position; look for redundant or conflicting "
            "joints"
        )
    where = "the mechanism"
    if unknown is not None:
        b, i = divmod(unknown, 6)
        motion = ("moving along", "turning about")[i // 3]
        where = f"body '{system.names[b]}' ({motion} {'xyz'[i % 3]})"
    return (
        f"the equations are singular: {where} has no inertia and no joint that gives it one; "
        "give it mass and inertia, or a joint that ties it to a body that has"
    )


def accelerations(system: System, state: State) -> State:
    """The state with its accelerations and multipliers (over all rows of the system)."""
    still = replace(state, acceleration=None, gamma=None)
    e = system.evaluate(still, cM=1.0, cD=0.0, cK=0.0, rates=True)
    if not np.all(np.isfinite(e.f)):
        raise_if_failed(system)  # a function of the user: say so, before a matrix looks singular
    D, matrix = unknown_scale(system), e.matrix
    assert matrix is not None
    matrix.data *= np.repeat(D, np.diff(matrix.indptr)) * D[matrix.indices]
    system.work.vals[system.pattern.places] = matrix.data
    rhs = D * np.concatenate([-e.f.ravel(), e.Qc])
    n = 6 * system.bodies
    try:
        lu = factorise(system)
    except SingularError as error:
        y = least_norm(system, state, D, matrix, rhs, error)
        return replace(
            state, acceleration=(D * y)[:n].reshape(-1, 6), gamma=system.all_gamma((D * y)[n:])
        )
    y = rhs.copy()
    if not np.isfinite(refactor(lu, system.work.vals, y)):
        raise SingularError(explain_singular(system, None))
    sweep_back(lu, y)
    correction = rhs - matrix @ y  # one refinement
    solve(lu, system.work.vals, correction)
    y = D * (y + correction)
    return replace(
        state, acceleration=y[:n].reshape(-1, 6), gamma=system.all_gamma(y[n:])
    )


def least_norm(
    system: System, state: State, D: np.ndarray, matrix: Any, rhs: np.ndarray, error: SingularError
) -> np.ndarray:
    """The solution of least norm, where springs or dampers hold all bodies that have no inertia.

    Along the directions Z that make the matrix singular, Zᵀ (∂f/∂q + ∂f/∂v) Z must be regular, and
    the rows of joints must have no part in them; else the error is raised.
    """
    n = 6 * system.bodies
    if n > LARGEST:
        raise error
    A = matrix.toarray()
    values, Z = np.linalg.eigh((A + A.T) / 2)
    free = np.abs(values) < 1e-10 * np.abs(values).max()
    loose = D[:n, None] * Z[:n, free]
    if not np.any(free) or np.abs(Z[n:, free]).max(initial=0.0) > 1e-6:
        raise error
    e = system.evaluate(state, cM=0.0, cD=1.0, cK=1.0, rates=True)
    assert e.matrix is not None
    T = loose.T @ e.matrix.toarray()[:n, :n] @ loose
    sizes = np.linalg.svd(T, compute_uv=False)
    if not np.all(np.isfinite(sizes)) or sizes[-1] <= 1e-12 * sizes[0]:
        raise error
    kept = ~free
    return np.asarray(Z[:, kept] @ ((Z[:, kept].T @ rhs) / values[kept]))


def unknown_scale(system: System) -> np.ndarray:
    """Makes M and C_q of size one in any units: D A D with these on the diagonal of D."""
    m, L = math.sqrt(system.mass), system.length
    bodies = np.tile(np.repeat([1 / m, 1 / (m * L)], 3), system.bodies)
    rows = [m * L if row.is_angle else m for row in system.kept_rows]
    return np.concatenate([bodies, rows])
