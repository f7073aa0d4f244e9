"""An equilibrium, C_qᵀγ = f(q), as the user gets it: state, reactions, stability, and how found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analysis.loaded_links import warn_of_rest
from linkwork.analysis.statics.balance import Point
from linkwork.analysis.statics.search import Search
from linkwork.model import html
from linkwork.results.outputs.views.base import View
from linkwork.results.result import Result
from linkwork.system.initial_conditions.independence import constraint_rows
from linkwork.system.redundancy import MinimumNorm, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System


@dataclass(frozen=True)
class Equilibrium:
    """A position in which all forces balance.

    state : positions, velocities (zero, or those of a steady rotation), multipliers of all rows;
    stable : whether it returns to it after a small push (a free motion without stiffness does not
    count as unstable);
    eq["pin"].force : what a result has, for the one position;   report : how it was found.
    residual : largest unbalanced force, N (torques over L);   stiffness : the smallest eigenvalue
    of the stiffness of free motions, N m (displacements over L, rotations in rad)
    """

    state: State
    stable: bool
    report: str
    system: System = field(repr=False)
    method: str = "newton"
    iterations: int = 0
    residual: float = 0.0
    stiffness: float = np.inf

    @cached_property
    def result(self) -> Result:
        """The equilibrium as a result of one time."""
        return Result.of_state(self.system, self.state)

    def __getitem__(self, name: str) -> View:
        return self.result[name]

    def show(
        self, *, port: int | None = None, browser: bool = True, block: bool | None = None
    ) -> Any:
        """Open a page with the equilibrium: positions, forces and reactions."""
        return self.result.show(port=port, browser=browser, block=block)

    def animate(self, path: Any = None) -> Any:
        """Write an .html file with the equilibrium, its forces and reactions."""
        return self.result.animate(path, reactions=True)

    def __repr__(self) -> str:
        return self.report

    def _repr_html_(self) -> str:
        """The report, and the reactions of all joints."""
        first, *lines = self.report.splitlines()
        words = [(line.split(maxsplit=1) + [""])[:2] for line in lines]
        parts = [html.title(first), html.pairs((word, text) for word, text in words)]
        views = {name: self[name] for name in self.result.joints}
        known = {name: v for name, v in views.items() if "force" in v.names and "torque" in v.names}
        if known:
            head = ["reaction", *(f"{q} {a}" for q in ("force (N)", "torque (N m)") for a in "xyz")]
            parts.append(html.table(head, [
                [name, *(f"{x:.5g}" for x in [*v.force.values, *v.torque.values])]
                for name, v in known.items()
            ]))  # fmt: skip
        return "".join(parts)


def state_of(search: Search, point: Point) -> State:
    """The state at a point, at rest, with multipliers of all rows."""
    gamma = search.data.all_gamma(point.gamma)
    if not search.data.keep.all():
        rows = constraint_rows(search.full, point.state)
        gamma = MinimumNorm(rows, independent_rows(rows))(rows.Cq.csr, gamma)
    state = replace(
        search.data.remember(search.moving(point.state)), gamma=gamma,
        acceleration=np.zeros((search.data.system.bodies, 6)), restart={},
    )  # fmt: skip
    return search.moving(state)


def equilibrium(search: Search, point: Point) -> Equilibrium:
    """The state with multipliers of all rows, its stability, and the report."""
    system = search.data.system
    state = state_of(search, point)
    found = search.stability(point)
    if system.flexible:
        rate = None if search.rotation is None else search.rotation.rate
        warn_of_rest(system, state, rate)
    residual = point.largest / search.L
    lines = [
        f"equilibrium of '{system.model.name}' at t = {state.time:g}: "
        f"{'stable' if found.stable else 'UNSTABLE'}{found.words}",
        f"  method      {search.method}, {search.iterations} iterations",
        f"  residual    {residual:.2g} N, against forces of {point.scale / search.L:.3g} N",
        f"  stability   {found.report}",
    ]
    if search.rotation is not None:
        w = ", ".join(f"{x:.6g}" for x in search.rotation.rate + 0.0)
        lines.insert(1, f"  rotation    everything turns with ({w}) rad/s")
    if search.friction.paths:
        lines.append(
            "  friction    holds, or slid here from the start; other positions balance as well"
        )
    return Equilibrium(
        state, found.stable, "\n".join(lines), search.full.system, search.method, search.iterations,
        residual, found.smallest,
    )  # fmt: skip
