"""Velocities: the least change of the given ones with C_q v + C_t = 0; those not given are free."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.assembly.metric import Scale, listed, violations_of
from linkwork.errors import AssemblyError
from linkwork.math import sparse as sp
from linkwork.system.state import State
from linkwork.system.system import System

UNGIVEN = 1e-9  # weight of a velocity the user did not give


def solve_velocities(system: System, scale: Scale, state: State) -> State:
    """The least change of the given velocities that satisfies C_q v + C_t = 0.

    A fixed body keeps the velocity it was given; without one it moves as the joints say.
    """
    if not system.rows:
        return state
    e = system.evaluate(state, rates=True)
    if not np.any(e.Ct + e.jacobian.times(state.velocities.ravel())):
        return state  # nothing to change
    row = scale.rows(system)
    words = [(b.velocity, b.angular_velocity) for b in system.items]
    given = np.repeat([[word is not None for word in pair] for pair in words], 3)
    free = scale.free | ~given
    if not given.any():
        given[:] = True
    weight = np.where(given, 1.0, UNGIVEN)
    column = scale.velocity_columns * free
    J = sp.diags(row) @ e.Cq @ sp.diags(column)
    A = sp.bmat([[sp.diags(weight), J.T], [J, -1e-13 * sp.identity(system.rows)]])
    lu = sp.splu(A.tocsc())
    n = 6 * system.bodies
    v = state.velocities.ravel().copy()
    anchor, multipliers = v.copy(), np.zeros(system.rows)
    for _ in range(4):
        # pull given velocities back to what was given; the others stay where they have come to
        pull = np.where(given & free, (anchor - v) / scale.velocity_columns, 0.0)
        y = lu.solve(np.concatenate([pull - J.T @ multipliers, -row * (e.Ct + e.Cq @ v)]))
        v += column * y[:n]
        multipliers += y[n:]
    error = row * (e.Ct + e.Cq @ v)
    size = 1.0 + np.abs(row * e.Ct).max() + np.abs(v / scale.velocity_columns).max()
    if np.abs(error).max() > 1e-8 * size:
        violations = violations_of(system, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_velocities(v)
