"""How far positions are from others: |m(q)|² with the Jacobian J_m of the numbers m.

    bodies        Σ w (|δr|²/L² + |θ|²),                   L the extent of what constraints join
    joints        Σ |Δφ|² + Σ (Δs/L)² over the joint coordinates, L the distance to the next joint

Both with w (Δq/size)² of the values that constraints hold.  The gradient is J_mᵀ m exactly, because
a rotation vector is the axis about which its length changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.linear_algebra.sparse_rows import array_of, diagonal
from linkwork.model import checks
from linkwork.system.initial_conditions.joint_graph import JointGraph
from linkwork.system.state import State
from linkwork.system.system import System

STIFF = 1e4  # weight of the amplitudes of flexible links, where joints must bend them
FOLLOWS = 1e-3  # weight of nodes that follow the frame of a flexible link


@dataclass(frozen=True)
class Resistances:
    """Weights of bodies, those of their velocities, and bodies that must not move (names).

    straight : the amplitudes of flexible links stay as they are
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    velocity_weights: Mapping[str, float] | None = None
    straight: bool = False

    def free(self, system: System) -> np.ndarray:
        """Which motion unknowns may change."""
        free = np.ones(system.motions, bool)
        for name in self.fixed:
            free[system.layout.group == body_number(system, name)] = False
        for link in system.flexible if self.straight else ():
            free[system.layout.rigid :][link.places] = False
        return free

    def columns(self, system: System, of_velocities: bool = False) -> np.ndarray:
        """L or 1 over the root of the weight, for all motion unknowns."""
        weights = self.weights
        if of_velocities and self.velocity_weights is not None:
            weights = self.velocity_weights
        weight, values = np.ones(system.bodies), np.ones(system.layout.values)
        for link in system.flexible:
            weight[list(link.nodes)], values[link.places] = FOLLOWS, STIFF
        for name, value in weights.items():
            weight[body_number(system, name)] = checks.number(
                value, f"weight of '{name}'", positive=True
            )
        size = system.layout.scale(1.0)
        size[: system.layout.rigid].reshape(-1, 6)[:, :3] = system.extents[:, None]
        return size / np.sqrt(np.concatenate([np.repeat(weight, 6), values]))

    def metric(self, system: System, origin: State) -> BodyMetric:
        return BodyMetric(self.columns(system), self.free(system), origin)


def body_number(system: System, name: str) -> int:
    if name not in system.names:
        raise ModelError(
            f"assemble was given {checks.show(name)}, but the model has no body of that name"
        )
    return system.names.index(name)


@dataclass(frozen=True)
class BodyMetric:
    """Displacements and rotations of bodies from a state.

    column : sizes of the motion unknowns;   free : which of them may change
    """

    column: np.ndarray
    free: np.ndarray
    origin: State

    def numbers(self, state: State) -> np.ndarray:
        return self.free / self.column * state.way_from(self.origin)

    def jacobian(self, state: State, column: np.ndarray) -> Any:
        """By scaled unknowns."""
        return diagonal(self.free / self.column * column)

    def distance(self, state: State) -> float:
        return float(self.numbers(state) @ self.numbers(state))


@dataclass(frozen=True)
class JointMetric(BodyMetric):
    """Changes of the joint coordinates since a state."""

    graph: JointGraph

    @cached_property
    def before(self) -> np.ndarray:
        return self.graph.relative_poses(self.origin)

    def numbers(self, state: State) -> np.ndarray:
        change = self.graph.weights * self.graph.change(state, self.before)
        rigid, way = state.velocities.size, state.values[0] - self.origin.values[0]
        return np.concatenate([change.ravel(), (self.free / self.column)[rigid:] * way])

    def jacobian(self, state: State, column: np.ndarray) -> Any:
        entries, row, at, shape = self.graph.jacobian(state, self.graph.weights)
        values = np.arange(state.velocities.size, len(column))
        entries = np.concatenate([entries, (self.free / self.column)[values]])
        row = np.concatenate([row, shape[0] + np.arange(len(values))])
        at = np.concatenate([at, values])
        return array_of(entries * column[at], row, at, (shape[0] + len(values), shape[1]))
