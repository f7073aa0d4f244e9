"""Velocities with C_q v + C_t = 0, in two steps.

1. Without rates of joints: the least change Σ w |v − v₀|² of the velocities that bodies
   were described with; those that were not are free, and least.
2. With them: other joints keep their rates, min Σ w |v − v₀|² + ε |J_m (v − v₁)|² with the rates
   J_m v of the joint coordinates and v₁ of the first step.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import AssemblyError, VelocityWarning, users_line
from linkwork.linear_algebra import Saddle
from linkwork.linear_algebra.sparse_rows import array_of, diagonal
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.joint_graph import JointGraph
from linkwork.system.initial_conditions.metrics import Resistances
from linkwork.system.initial_conditions.open_joints import listed, violations_of
from linkwork.system.state import State
from linkwork.system.system import System

FREE = 1e-9  # weight of a velocity that was not described,
FOLLOWS = 1e-24  # of a rate that constraints alone determine, such as that of a place on a beam,
RATES = 1e-6  # of joint rates beside velocities that were described,
BASES = 1e-12  # and of bodies without a joint to the ground
ROUND_OFF = 1e-15  # of rows that are satisfied
LOST = 1e-6  # of a described velocity: round-off


def described_velocities(system: System) -> np.ndarray:
    """Which motion unknowns have a rate that the user described."""
    words = [(b.velocity, b.angular_velocity) for b in system.items]
    known = np.array([[word is not None for word in pair] for pair in words], bool)
    return np.concatenate([np.repeat(known, 3), ~system.layout.follows])


def consistent_velocities(
    data: Data, resistances: Resistances, state: State, led: np.ndarray, graph: JointGraph | None
) -> State:
    """The state with velocities that satisfy all rows; `led`: which of them hold rates of joints,
    and the graph of these.

    A fixed body keeps the velocity it was described with; without one it moves as the joints say.
    """
    system = data.system
    if not data.rows:
        return state
    e, v = data.evaluate(state, rates=True), state.rates
    if not np.any(e.Ct + e.jacobian.times(v)):
        return state  # nothing to change
    row = row_scale(data.kept_rows, system.length)
    described = described_velocities(system)
    column = resistances.columns(system, of_velocities=True)
    free = resistances.free(system) | ~described
    J = e.jacobian.scaled(row, column).array
    right = -row * e.Ct
    follows = np.concatenate([np.zeros(system.layout.rigid, bool), system.layout.follows])
    held = np.where(follows, FOLLOWS, 1.0 * described)
    problem = LeastChange(v / column, held, free.astype(float))
    weight = np.maximum(held, FREE * ~follows) if described.any() else np.ones(len(v))
    y = problem.solve(v / column, diagonal(weight), J[~led], right[~led])
    if graph is not None:
        M = joint_rates(graph, state, column * free)
        y = problem.solve(y, diagonal(np.maximum(held, ~free)) + RATES * (M.T @ M), J, right)
    v = column * y
    error = row * (e.Ct + e.jacobian.times(v))
    size = 1.0 + np.abs(row * e.Ct).max() + np.abs(v / column).max()
    if np.abs(error).max() > 1e-8 * size:
        violations = violations_of(data, error / row, rates=True)
        raise AssemblyError(
            f"model '{system.model.name}' has no velocities that satisfy all joints and drives: "
            f"these contradict each other, {listed(violations, '/s')}; check the rates and drives "
            "that act on the same loop",
            violations=violations,
        )
    return state.with_rates(v)


@dataclass(frozen=True)
class LeastChange:
    """Velocities y, scaled, nearest to an anchor by their weights; `free` (0, 1) may change."""

    anchor: np.ndarray
    weight: np.ndarray
    free: np.ndarray

    def solve(self, y: np.ndarray, W: Any, J: Any, right: np.ndarray) -> np.ndarray:
        """J y = right by changes of y that are least in W, the anchor's velocities kept first."""
        size = 1.0 + np.abs(right).max(initial=0.0) + np.abs(y).max(initial=0.0)
        if np.abs(J @ y - right).max(initial=0.0) <= ROUND_OFF * size:
            return y
        moves = J * self.free
        factors, multipliers = Saddle(W, moves, 1e-13), np.zeros(len(right))
        for _ in range(3):
            # pull described velocities back; the others stay where they have come to
            pull = self.weight * self.free * (self.anchor - y) - moves.T @ multipliers
            step, change = factors.solve(pull, right - J @ y)
            y, multipliers = y + self.free * step, multipliers + change
        return y


def joint_rates(graph: JointGraph, state: State, column: np.ndarray) -> Any:
    """J_m over the joints, by scaled velocities; that of a base counts less, as bodies on it may
    have one."""
    weight = graph.weights.copy()
    bases = [i for i, edge in enumerate(graph.edges) if not edge.owner]
    weight[bases] *= np.sqrt(BASES / RATES)
    entries, row, at, shape = graph.jacobian(state, weight)
    return array_of(entries * column[at], row, at, shape)


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
    error = np.abs(e.Ct + e.jacobian.times(v)) * row_scale(data.kept_rows, data.system.length)
    row = data.kept_rows[int(np.argmax(error))]
    return f"row {row.name} of joint '{row.owner}'"
