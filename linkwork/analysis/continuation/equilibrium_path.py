"""Equilibria over a load factor λ: C_qᵀγ = f₀(q) + λ p(q), followed by arc length (arc.py).

Motors among the loads have their motion laws times λ: an imposed displacement or rotation.

A step is as long as the load, rotations and displacements allow, is halved where its correction
fails or the path bends too much, and grows again.  At every point NᵀKN tells stability; a change
between two points is located (singular.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.continuation.arc import Arc, Direction, OnPath, turn
from linkwork.analysis.continuation.loads import Loads, chosen_loads, scaled_motions
from linkwork.analysis.continuation.path import EquilibriumPath
from linkwork.analysis.continuation.singular import (
    DENSE,
    SingularPoint,
    bifurcation,
    limit_point,
)
from linkwork.analysis.linear.equations.pencil import frozen_laws
from linkwork.analysis.statics.balance import Lost
from linkwork.analysis.statics.equilibrium import state_of
from linkwork.analysis.statics.search import ProgressLog, Search
from linkwork.analysis.statics.stability import Stability
from linkwork.analysis.statics.static import beginning, left_out_rows_hold
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import ConvergenceError, ModelError, SingularError
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model, private_copy
from linkwork.model.registry import Item
from linkwork.system.state import State

TURNS, MOVES = 0.15, 0.1  # most in one step, in radians and in sizes of the mechanism
BEND = 0.8  # least cosine between the directions of neighbours
SHORTEST = 1e-7  # step
QUICK = 5  # iterations below which the next step may be longer


@explained
def equilibrium_path(
    model: Model, *, until: float = 1.0, steps: int = 200, step: float = 0.05,
    loads: str | Item | Sequence[str | Item] | None = None, start: float = 0.0,
    at: StateLike | SingularPoint | None = None, branch: int = 1, time: float | None = None,
    stop: Callable[[float, State], bool] | None = None, tolerance: float = 1e-10,
    progress: bool = True,
) -> EquilibriumPath:  # fmt: skip
    """Equilibria over a load factor, past limit points, until it reaches `until`.

    until : the factor to come to; its sign is where the path goes first
    steps : most steps;   step : largest change of the factor in a step, as a part of `until`
    loads : items (or names, or "gravity") that the factor scales; None: gravity and all loads.
            A Motor, an Actuator or another joint with motion laws has its imposed motion scaled.
            Everything else acts in full
    start : the factor to begin with, where an equilibrium is looked for from the described
            position (or from `at`)
    at    : a State, Result or Equilibrium to begin from; or one of `path.bifurcations`, to follow
            the path that crosses there, to the side branch=1 or branch=-1
    time  : at which drives are frozen
    stop  : stop(factor, state) ends the path where it is true

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> bar = m.add("bar", lw.Body.link((0, 0, 0), (0, 0, 1), radius=0.01, density=1000))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> spring = m.add("spring", lw.TorsionSpring(pin, stiffness=100))
    >>> load = m.add("load", lw.Force(lw.Frame(bar, (0, 0, 0.5)), (0, 0, -1)))
    >>> path = lw.equilibrium_path(m, until=150, progress=False)
    >>> [round(p.factor, 6) for p in path.bifurcations]                 # k / L
    [100.0]
    """
    until, start = checks.number(until, "until"), checks.number(start, "start")
    step = checks.number(step, "step", positive=True)
    tolerance = checks.number(tolerance, "tolerance", positive=True)
    checks.count(steps, "steps")
    crossing = at if isinstance(at, SingularPoint) else None
    if crossing is not None:
        start = crossing.factor
        if branch not in (1, -1):
            raise ModelError(f"branch must be 1 or -1, but {checks.show(branch)} was given")
    if not until or (until == start and crossing is None):
        raise ModelError(
            f"until must be a factor other than 0 and other than start = {start:g}, but {until:g} "
            "was given"
        )
    model = private_copy(model)
    try:
        search, scaled, state = begin(
            model, crossing.state if crossing else at, time, loads, start, tolerance, progress
        )
        trace = Trace(Arc(search, scaled, abs(until)), until, start, step, stop)
        trace.begin(state, crossing, branch)
        for _ in range(steps):
            if trace.reached:
                break
            trace.advance()
    finally:
        raise_if_failed(model)
    return trace.path()


def begin(
    model: Model, at: Any, time: float | None, loads: Any, start: float, tolerance: float,
    progress: bool, what: str = "equilibrium_path",
) -> tuple[Search, Loads, State]:  # fmt: skip
    """The search of statics, what the factor scales in its system, and where to begin."""
    if time is not None:
        time = checks.number(time, "time")
    if not (loads is None or isinstance(loads, (str, Item, list, tuple))):
        raise ModelError(
            f"loads of {what} must be a list of items, names, or \"gravity\", but "
            f"{checks.show(loads)} was given"
        )
    with scaled_motions(model, loads, start) as motions:
        full, data, state = beginning(model, at, time)
    names = chosen_loads(model, full.system, loads, what)
    search = Search(
        full, data, tolerance, 60, True, True, ProgressLog(f"{what} of '{model.name}'", progress)
    )
    if search.friction.paths:
        owner = next(e.owner for e in data.system.elements if e.entry.family.reads)
        raise ModelError(
            f"{what} cannot treat {model[owner].label}: with friction positions balance over a "
            "whole range; leave it out"
        )
    if search.senses_reactions:
        owner = next(e.owner for e in data.system.elements if e.entry.family.answers >= 0)
        raise ModelError(
            f"{what} cannot treat loads that follow reactions, and here some follow the {owner}; "
            "give them as functions of the motion, or use lw.static at single loads"
        )
    return search, Loads(data, names, motions), state


@dataclass
class Trace:
    """A path as it grows."""

    arc: Arc
    until: float
    start: float
    step: float
    stop: Callable[[float, State], bool] | None
    points: list[OnPath] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    found: list[Stability] = field(default_factory=list)
    limits: list[SingularPoint] = field(default_factory=list)
    crossings: list[SingularPoint] = field(default_factory=list)
    length: float = 0.0
    reached: bool = False

    @property
    def end(self) -> float:
        return self.until / self.arc.reference

    def begin(self, state: State, crossing: SingularPoint | None, branch: int) -> None:
        """The first point, and the direction in which the path goes from it."""
        arc, search = self.arc, self.arc.search
        load = self.start / arc.reference
        arc.loads.set(self.start)
        point = search.find(state, 1)
        if crossing is None:
            border = Direction(np.zeros(arc.n), float(np.sign(self.end - load)))
            direction = arc.direction(point, border)
            if direction is None or np.abs(direction.motion).max(initial=0.0) > 1e6:
                raise self.loose()
        else:
            motion = branch * crossing.motion
            size = np.sqrt(arc.weight * float(motion @ motion))
            direction = Direction(motion / size, 0.0)
        self.accept(OnPath(point, load, direction))
        self.length = 0.1 * self.longest(direction) if crossing else self.longest(direction)

    def loose(self) -> SingularError:
        name = self.arc.search.data.system.model.name
        return SingularError(
            f"the path of '{name}' cannot begin at the factor {self.start:g}: some motion has no "
            "stiffness there, so its direction is not known; begin where loads hold the mechanism "
            "(start=), or add springs"
        )

    def longest(self, d: Direction) -> float:
        """How long a step may be in a direction."""
        s = self.arc.search
        moves = float(np.abs(d.motion[~s.data.system.layout.is_angle]).max(initial=0.0))
        limits = (
            self.step / max(abs(d.load), 1e-300),
            TURNS / max(turn(s, d.motion), 1e-300),
            MOVES / max(moves, 1e-300),
        )
        return min(limits)

    def advance(self) -> None:
        """The next point: a step that is halved until its correction succeeds."""
        arc, before = self.arc, self.points[-1]
        length = min(2 * self.length, self.longest(before.direction))
        while True:
            if length < SHORTEST:
                raise self.failure()
            try:
                after, taken = arc.step(before, length)
                if arc.along(before.direction, after.direction) >= BEND:
                    break
            except Lost:
                pass
            length /= 2
        arc.search.talk.tell(f"{len(self.points)} points, factor {after.load * arc.reference:.4g}")
        self.length = length if taken < QUICK else length / 2
        self.locate(before, after, length)
        if (self.end - before.load) * (self.end - after.load) <= 0 and before.load != self.end:
            after = self.last(before, after)
            self.reached = True
        self.accept(after)

    def last(self, before: OnPath, after: OnPath) -> OnPath:
        """The point between two neighbours at which the factor is `until`."""
        arc = self.arc
        border = Direction(np.zeros(arc.n), 1.0)
        near = min((before, after), key=lambda p: abs(p.load - self.end))
        guess = arc.settle(near.point, np.zeros(arc.n), near.load)
        try:
            assert guess is not None
            point, load, _ = arc.correct(guess, near.load, border, self.end)
        except Lost:
            return after
        direction = arc.direction(point, after.direction)
        return OnPath(point, load, direction or after.direction)

    def accept(self, at: OnPath) -> None:
        """Keep a point with its state and stability."""
        search = self.arc.search
        self.arc.loads.set(at.load * self.arc.reference)
        if not left_out_rows_hold(search.full, search.data, at.point.state):
            raise ConvergenceError(
                f"the path of '{search.data.system.model.name}' comes to a position "
                "where the number of "
                "independent joint rows changes; remove redundant rows", state=at.point.state,
            )  # fmt: skip
        self.points.append(at)
        self.states.append(state_of(search, at.point))
        self.found.append(search.stability(at.point))
        if self.stop is not None and self.stop(at.load * self.arc.reference, self.states[-1]):
            self.reached = True

    def locate(self, before: OnPath, after: OnPath, length: float) -> None:
        """Limit points and bifurcations between two neighbours."""
        arc = self.arc
        turned = before.direction.load * after.direction.load < 0
        if turned:
            self.limits.append(limit_point(arc, before, after, length))
        arc.loads.set(after.load * arc.reference)
        new, old = arc.search.stability(after.point), self.found[-1]
        free = arc.n - arc.rows
        conservative = new.direction is not None and old.direction is not None
        if not conservative or free > DENSE or new.falling == old.falling:
            return
        low, high = sorted((new.falling, old.falling))
        if turned and high - low == 1:  # that of the limit point
            return
        points = [bifurcation(arc, before, after, length, k) for k in range(low, high)]
        if turned:  # one of them is the limit point itself
            limit = self.limits[-1].factor
            points.remove(min(points, key=lambda p: abs(p.factor - limit)))
        self.crossings += points

    def failure(self) -> ConvergenceError:
        arc, last = self.arc, self.points[-1]
        return ConvergenceError(
            f"the path of '{arc.search.data.system.model.name}' did not converge beyond the factor "
            f"{last.load * arc.reference:.6g}, after {len(self.points)} points; it may end there "
            "(a stop, a spring without length), or cross another path: try a smaller step or a "
            "small imperfection", state=last.point.state,
        )  # fmt: skip

    def path(self) -> EquilibriumPath:
        search = self.arc.search
        self.arc.loads.set(1.0)
        return EquilibriumPath(
            np.array([p.load for p in self.points]) * self.arc.reference, tuple(self.states),
            np.array([f.stable for f in self.found]), np.array([f.smallest for f in self.found]),
            tuple(self.limits), tuple(self.crossings), self.reached, self.arc.loads.names,
            replace(search.full.system, laws=frozen_laws(search.full.system, self.states[0].time)),
        )  # fmt: skip
