"""Velocities: the least change of the given ones with C_q v + C_t = 0; those not given are free."""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.analysis.assembly.metric import Scale, listed, violations_of
from linkwork.errors import AssemblyError, VelocityWarning, users_line
from linkwork.linear_algebra import SparseFactors
from linkwork.math import sparse as sp
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.state import State

UNGIVEN = 1e-9  # weight of a velocity the user did not give,
FOLLOWS = 1e-24  # and of a rate that constraints alone say, such as that of a place on a beam
LOST = 1e-6  # of a given velocity: round-off


def solve_velocities(data: Data, scale: Scale, state: State) -> State:
    """The least change of the given velocities that satisfies C_q v + C_t = 0.

    A fixed body keeps the velocity it was given; without one it moves as the joints say.
    """
    system = data.system
    if not data.rows:
        return state
    e = data.evaluate(state, rates=True)
    if not np.any(e.Ct + e.jacobian.times(state.rates)):
        return state  # nothing to change
    row = scale.rows(data)
    words = [(b.velocity, b.angular_velocity) for b in system.items]
    known = np.array([[word is not None for word in pair] for pair in words], bool)
    given = np.ones(system.motions, bool)  # most values of vector nodes have a rate
    given[: system.layout.rigid] = np.repeat(known, 3)
    follows = np.concatenate([np.zeros(system.layout.rigid, bool), system.layout.follows])
    given[system.layout.rigid :] = system.held_values
    given &= ~follows
    free = scale.free | ~given
    if not given.any():
        given = ~follows
    weight = np.where(given, 1.0, np.where(follows, FOLLOWS, UNGIVEN))
    column = scale.velocity_columns * free
    J = sp.diags(row) @ e.Cq @ sp.diags(column)
    A = sp.bmat([[sp.diags(weight), J.T], [J, -1e-13 * sp.identity(data.rows)]])
    factors = SparseFactors(A)
    n, v = system.motions, state.rates
    anchor, multipliers = v.copy(), np.zeros(data.rows)
    for _ in range(4):
        # pull given velocities back to what was given; the others stay where they have come to
        pull = np.where(given & free, (anchor - v) / scale.velocity_columns, 0.0)
        y = factors.solve(np.concatenate([pull - J.T @ multipliers, -row * (e.Ct + e.Cq @ v)]))
        v += column * y[:n]
        multipliers += y[n:]
    error = row * (e.Ct + e.Cq @ v)
    size = 1.0 + np.abs(row * e.Ct).max() + np.abs(v / scale.velocity_columns).max()
    if np.abs(error).max() > 1e-8 * size:
        violations = violations_of(data, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_rates(v)


def warn_of_lost_velocities(data: Data, state: State) -> None:
    """Say so when joints take away more of a given velocity than round-off.

    Closing the joints moves bodies, which changes velocities to the same extent.
    """
    system = data.system
    if not data.rows:
        return
    given = system.described_state(state.time)
    words = [(b.velocity is not None, b.angular_velocity is not None) for b in system.items]
    before = given.velocities.reshape(-1, 2, 3)
    wanted = np.linalg.norm(before, axis=2) * np.array(words)
    lost = np.linalg.norm(state.velocities.reshape(-1, 2, 3) - before, axis=2)
    moved = np.abs(state.difference(given)) / np.repeat([system.length, 1.0], 3)
    share = np.divide(lost, wanted, out=np.zeros_like(lost), where=wanted > 0)
    body, part = np.unravel_index(int(np.argmax(share)), share.shape)
    if share[body, part] <= LOST + 4 * moved.max(initial=0.0):
        return
    word, units = ("velocity", "m/s") if part == 0 else ("angular_velocity", "rad/s")
    axes = "" if part == 0 else " in its own axes"
    numbers = ", ".join(f"{x:.4g}" for x in before[body, part])
    warnings.warn(
        f"{word} of Body '{system.names[body]}' was given as ({numbers}) {units}{axes}, but "
        f"{_holder(data, state, given, int(body))} does not let it move so: "
        f"{lost[body, part]:.3g} {units} of it are taken away; give {word}= along what the joints "
        "leave free, or none",
        VelocityWarning, stacklevel=users_line(),
    )  # fmt: skip


def _holder(data: Data, state: State, given: State, body: int) -> str:
    """The joint that a body's given velocity violates most, while the others move as found."""
    v = state.rates
    v[data.system.layout.group == body] = given.velocities[body]
    e = data.evaluate(state, rates=True)
    error = np.abs(e.Ct + e.Cq @ v) * row_scale(data.kept_rows, data.system.length)
    row = data.kept_rows[int(np.argmax(error))]
    return f"row {row.name} of joint '{row.owner}'"
