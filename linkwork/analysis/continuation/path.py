"""A path of equilibria over a load factor, as the user gets it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.continuation.singular import SingularPoint
from linkwork.results.outputs.views.base import View
from linkwork.results.result import Result
from linkwork.system.state import State
from linkwork.system.system import System

if TYPE_CHECKING:
    import xarray as xr


class PathResult(Result):
    """Results over the points of a path: their arrays have the dimension `point`."""

    factor: np.ndarray
    scaled: tuple[str, ...]  # what the factor scales
    at_time: float  # of all drives

    def imposed(self, owner: str, law: Any) -> np.ndarray:
        """What a motion law says at the points, times the factor where that scales it."""
        value = float(law.values(np.array([self.at_time]))[0])
        return value * (self.factor if owner in self.scaled else np.ones(len(self.factor)))

    def data_array(
        self, name: str, values: np.ndarray, axis: str | tuple[int, ...] | dict[str, Any],
        units: str, words: str,
    ) -> xr.DataArray:  # fmt: skip
        found = super().data_array(name, values, axis, units, words).rename(time="point")
        number = np.arange(len(self.factor))
        return found.assign_coords(point=number, factor=("point", self.factor))


@dataclass(frozen=True)
class EquilibriumPath:
    """Equilibria along a path, from the first to the last point.

    factor       : (n,) the load factor λ           states : the positions, one State each
    stable       : (n,) whether each is stable      stiffness : (n,) smallest stiffness of free
                   motions, N m (displacements over L, rotations in rad)
    limit_points : where the load turns back        bifurcations : where other paths cross
    reached      : whether the path came to where it was to end (`until` or `stop`)
    path["rod"].position : outputs of items over the points, as in a result
    """

    factor: np.ndarray
    states: tuple[State, ...] = field(repr=False)
    stable: np.ndarray
    stiffness: np.ndarray
    limit_points: tuple[SingularPoint, ...]
    bifurcations: tuple[SingularPoint, ...]
    reached: bool
    loads: tuple[str, ...]
    system: System = field(repr=False)

    def __len__(self) -> int:
        return len(self.factor)

    @cached_property
    def result(self) -> PathResult:
        """The path as a result over its points, with drives frozen."""
        states = self.states
        found = PathResult(
            self.system, np.arange(float(len(states))), np.array([s.motion for s in states]),
            np.array([s.acceleration for s in states]), np.array([s.gamma for s in states]),
            values=np.array([s.values for s in states]), stored_model="",
        )  # fmt: skip
        found.factor, found.scaled = self.factor, self.loads
        found.at_time = states[0].time
        memory = [s.memory for s in states]
        if memory[0] is not None:
            found.__dict__["memory"] = np.array(memory)
        return found

    def __getitem__(self, name: str) -> View:
        return self.result[name]

    def plot(self, *names: str, ax: Any = None) -> Any:
        """The load factor over outputs, such as ``path.plot("rod.position.z")``; without names
        over the points.  Unstable parts are dashed.  Returns the axes."""
        from linkwork.analysis.continuation.plots import plot_path

        return plot_path(self, names, ax)

    def __repr__(self) -> str:
        lines = [
            f"{len(self)} equilibria of '{self.system.model.name}', factor {self.factor[0]:.6g} to "
            f"{self.factor[-1]:.6g}{'' if self.reached else ' (more steps would go on)'}, "
            f"{int(self.stable.sum())} of them stable",
            f"  scaled        {', '.join(self.loads)}",
        ]
        for words, points in (
            ("limit points", self.limit_points), ("bifurcations", self.bifurcations),
        ):  # fmt: skip
            at = ", ".join(f"{p.factor:.6g}" for p in points) or "none"
            lines.append(f"  {words:<13} {at}")
        return "\n".join(lines)
