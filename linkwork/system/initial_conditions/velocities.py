"""Velocities with C_q v + C_t = 0: the least change of those described, then least joint rates.

    min Σ w |v − v_described|² + ε |J_m v|²,      J_m v: the rates of the joint coordinates

over the velocities that bodies were described with, and over all joints: bodies without a velocity
of their own move as if joints without a rate were locked.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linkwork.errors import AssemblyError, VelocityWarning, users_line
from linkwork.math import sparse as sp
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.initial_conditions.joint_graph import JointGraph
from linkwork.system.initial_conditions.metrics import Resistances
from linkwork.system.initial_conditions.open_joints import listed, violations_of
from linkwork.system.state import State
from linkwork.system.system import System

RATES = 1e-6  # weight of joint rates beside velocities that bodies were described with,
BASES = 1e-12  # of the velocities of bodies without a joint to the ground,
FOLLOWS = 1e-24  # and of rates that constraints alone determine, such as those of places on a beam
LOST = 1e-6  # of a described velocity: round-off


def described_velocities(system: System) -> np.ndarray:
    """Which motion unknowns have a rate that the user described."""
    words = [(b.velocity, b.angular_velocity) for b in system.items]
    known = np.array([[word is not None for word in pair] for pair in words], bool)
    return np.concatenate([np.repeat(known, 3), ~system.layout.follows])


def consistent_velocities(system: System, resistances: Resistances, state: State) -> State:
    """The state with velocities that satisfy all rows.

    A fixed body keeps the velocity it was described with; without one it moves as the joints say.
    """
    if not system.rows:
        return state
    e, v = system.evaluate(state, rates=True), state.rates
    described = described_velocities(system)
    at_rest = not np.any(v) or described[: system.layout.rigid].all()
    if at_rest and not np.any(e.Ct + e.jacobian.times(v)):
        return state  # nothing to change
    row, n = row_scale(system.kept_rows, system.length), system.motions
    column, free = resistances.columns(system, of_velocities=True), resistances.free(system)
    free |= ~described
    D = sp.diags_array(column * free)
    J = sp.diags_array(row) @ e.Cq @ D
    M = joint_rates(system, state) @ D
    weight = np.where(described | ~free, 1.0, 0.0)
    weight[system.layout.rigid :][system.layout.follows] = FOLLOWS
    W = sp.diags_array(weight) + RATES * (M.T @ M)
    A = sp.block_array([[W, J.T], [J, -1e-13 * sp.eye_array(system.rows)]])
    lu = sp.splu(A.tocsc())
    anchor, multipliers = v.copy(), np.zeros(system.rows)
    pull = -RATES * (M.T @ (M @ np.where(free, v / column, 0.0)))
    for _ in range(4):
        # pull described velocities back; the others stay where they have come to
        pull = pull + weight * np.where(free & described, (anchor - v) / column, 0.0)
        y = lu.solve(np.concatenate([pull - J.T @ multipliers, -row * (e.Ct + e.Cq @ v)]))
        v = v + column * free * y[:n]
        multipliers, pull = multipliers + y[n:], np.zeros(n)
    error = row * (e.Ct + e.Cq @ v)
    size = 1.0 + np.abs(row * e.Ct).max() + np.abs(v / column).max()
    if np.abs(error).max() > 1e-8 * size:
        violations = violations_of(system, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_rates(v)


def joint_rates(system: System, state: State) -> Any:
    """J_m over the joints; the velocity of a base counts less, as bodies on it may have one."""
    graph = JointGraph(system, state)
    weight = graph.weights.copy()
    bases = [i for i, edge in enumerate(graph.edges) if not edge.owner]
    weight[bases] *= np.sqrt(BASES / RATES)
    return sp.diags_array(weight.ravel()) @ graph.jacobian(state)


def warn_of_lost_velocities(system: System, state: State) -> None:
    """Say so when joints take away more of a given velocity than round-off.

    Closing the joints moves bodies, which changes velocities to the same extent.
    """
    if not system.rows:
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
        f"{_holder(system, state, given, int(body))} does not let it move so: "
        f"{lost[body, part]:.3g} {units} of it are taken away; give {word}= along what the joints "
        "leave free, or none",
        VelocityWarning, stacklevel=users_line(),
    )  # fmt: skip


def _holder(system: System, state: State, given: State, body: int) -> str:
    """The joint that a body's given velocity violates most, while the others move as found."""
    v = state.rates
    v[system.layout.group == body] = given.velocities[body]
    e = system.evaluate(state, rates=True)
    error = np.abs(e.Ct + e.Cq @ v) * row_scale(system.kept_rows, system.length)
    row = system.kept_rows[int(np.argmax(error))]
    return f"row {row.name} of joint '{row.owner}'"
