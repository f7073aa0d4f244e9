"""Starts of motions that die away, or vibrate, faster than a step resolves.

A strongly damped beam under a sudden load has accelerations at the start that are gone within a
thousandth of a step.  Methods that carry accelerations on take them, and their rate v̈, for a motion
that goes on.  So much of v̈ is left out, and where v̇ would move a body far within a step (pieces of
consistent mass with little moment of inertia turn by radians), a run starts with the v̇ of an
implicit step of its own length h, v₁ = v + h v̇, q₁ = q + h v₁, linearised about the start:

    (M + h D + h² K) v̇ + C_qᵀ γ = −r(q, v) − h K v,        C_q v̇ = Q_c

Resolved motions have v̇ + O(h) from it.  These accelerations are the first that a result holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwork.errors import SingularError
from linkwork.linear_algebra import AlongMechanism
from linkwork.system.initial_conditions.accelerations import explained
from linkwork.system.initial_conditions.consistent import unknown_scale
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.state import State
from linkwork.system.data import Data
from linkwork.system.system import System

FAR = 0.1  # h² v̇ (lengths over L, rad) that is no motion of a step


def resolved_share(
    system: System, now: State, ahead: State, further: Callable[[], State], steps: float
) -> np.ndarray:
    """Of each body, the part of v̈ that a step may carry on, from three near states.

    Where within a step (steps: how many of the short moves are in one) v̇ would change by more than
    twice its size, and v̈ too, the motion is not resolved.  further() gives the third state, which
    is needed only where v̇ changes so much.
    """
    a, b = now.acceleration, ahead.acceleration
    assert a is not None and b is not None
    unit = np.repeat([system.length, 1.0], 3)
    size, first = (np.linalg.norm(x / unit, axis=1) for x in (a, b - a))
    fast = steps * first > 2 * size
    if not fast.any():
        return np.ones(len(a))
    c = further().acceleration
    assert c is not None
    second = np.linalg.norm((c - 2 * b + a) / unit, axis=1)
    unresolved = fast & (steps * second > 2 * first)
    return np.where(unresolved, first / np.where(unresolved, steps * second, 1.0), 1.0)


def goes_far(system: System, state: State, share: np.ndarray, h: float) -> bool:
    """Whether accelerations that die away would move a body far within a step."""
    assert state.acceleration is not None
    move = h * h * state.acceleration[share < 1.0] / np.repeat([system.length, 1.0], 3)
    return not system.layout.values and float(np.abs(move).max(initial=0.0)) > FAR


def settled_accelerations(data: Data, state: State, h: float) -> np.ndarray | None:
    """v̇ (bodies, 6) of a linearised implicit step of length h; None where it has none."""
    still = replace(state, acceleration=None, gamma=None)
    p, n = data.pattern, data.system.motions
    shape = p.unknowns, p.unknowns
    moved = np.concatenate([state.velocities.ravel(), np.zeros(p.unknowns - n)])
    along = SparseRows(data.evaluate(still).values, p.indices, p.indptr, shape).times(moved)[:n]
    e = data.evaluate(still, cM=1.0, cD=h, cK=h * h, rates=True)
    D, matrix = unknown_scale(data), SparseRows(e.values, p.indices, p.indptr, shape)
    matrix.data[:] *= D[matrix.row] * D[matrix.indices]
    y = D * np.concatenate([-e.f.ravel() - h * along, e.Qc])
    try:
        with explained(data, matrix.data):
            AlongMechanism(p, data.system.length).factorise(matrix.data, y)
    except SingularError:
        return None
    return (D * y)[:n].reshape(-1, 6)
