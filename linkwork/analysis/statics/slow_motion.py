"""Slow motion: all forces balance at every time, inertia left out, and the past is remembered.

    C_qᵀγ = f(q, v, t),   C(q, t) = 0,   v = (c₁ x₁ − c₀ x₀)/h,    q₁ = q exp(x₁),  q = q₀ exp(x₀)

with BDF(2), c = 3/2, 1/2, or implicit Euler, c = 1, 0, as in the first step; rates of values of
vector nodes likewise, and their second derivatives from the rates.  So dampers, viscous laws,
creep and states of first order act as in a run over time.  Each step is a search for an
equilibrium with K + c₁/h D in place of K; memories move on when it has been found.

At the start dampers hold, and what none of them holds takes its equilibrium at once: the limit of
a step of implicit Euler whose length goes to zero.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.analysis.contacts_at_start import refuse_hard
from linkwork.analysis.motion.checks.lowest_values import LowestValues
from linkwork.analysis.progress import Progress
from linkwork.analysis.statics.balance import Point
from linkwork.analysis.statics.bristles_at_rest import Bristles
from linkwork.analysis.statics.equilibrium import state_of
from linkwork.analysis.statics.search import NEWTON, ProgressLog, Search
from linkwork.analysis.statics.static import attempt
from linkwork.elements.bodies.body import INERTIA
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import ConvergenceError
from linkwork.results.result import Result
from linkwork.system.data import Data
from linkwork.system.initial_conditions.consistent_start import Start
from linkwork.system.matrices import Evaluation
from linkwork.system.state import State

INSTANT = float(np.sqrt(np.finfo(float).eps))  # of a step: what it moves is what round-off hides


class SlowSteps(Search):
    """Searches for the balance at the end of a step from `past` (the last state first)."""

    past: list[State]
    h: float
    first: float
    second: float
    rate: float

    def __init__(self, full: Data, data: Data) -> None:
        for each in (full, data):
            each.tables.bodies[:, INERTIA:] = 0.0  # weights stay
        super().__init__(full, data, 1e-10, 60, True, True, ProgressLog("", False))
        self.friction = Remembered(data)

    def begin_step(self, past: list[State], h: float) -> None:
        self.method, self.past, self.h = NEWTON, past, h
        self.first, self.second = (1.5, 0.5) if len(past) > 1 else (1.0, 0.0)
        self.rate = self.first / h

    def rates(self, state: State) -> np.ndarray:
        found = self.rate * state.way_from(self.past[0])
        if self.second:
            found -= self.second / self.h * self.past[0].way_from(self.past[1])
        return found

    def moving(self, state: State) -> State:
        now = state.with_rates(self.rates(state))
        change = now.values[1] - self.past[0].values[1]
        now.values[2] = self.rate * change
        if self.second:
            before = self.past[0].values[1] - self.past[1].values[1]
            now.values[2] -= self.second / self.h * before
        return replace(now, acceleration=None)

    def gap(self, e: Evaluation, state: State, since: State | None) -> np.ndarray:
        if not self.slip:
            return self.row * e.C
        now = self.moving(state)  # with as much D as K rows on velocities are not divided
        C = self.data.evaluate(now, cK=1.0, cD=1.0, tangent=False, rates=True).C
        C[self.slip.rows] /= self.rate
        return self.row * C

    def tangent_of(self, state: State, exact: bool) -> Evaluation:
        count = self.data.system.layout.values
        by = np.outer([1.0, self.rate, self.rate**2], np.ones(count))
        return self.data.evaluate(
            state, cD=self.rate, by=by, constraint_stiffness=exact or self.constraint_stiffness
        )


class Remembered(Bristles):
    """All memories stay those of the last step while a search goes on."""

    def begin(self, state: State) -> State:
        return state

    def reached(self, state: State) -> State:
        return state


def slow_motion(
    assembled: Start, end: float, h: float, order: int = 2, progress: bool | str = True
) -> Result:
    """Balanced states from the assembled one to `end`, at every step h; order: of the BDF."""
    full, data, state = assembled.full, assembled.data, assembled.state
    name, begin, search = full.system.model.name, state.time, SlowSteps(full, data)
    refuse_hard(full.system, "model: static")
    lowest = LowestValues(full.system)
    n = max(1, round((end - begin) / h))
    states: list[State] = []
    try:
        with Progress(name, begin, begin + n * h, progress) as bar:
            for k in range(n + 1):
                past = [state, *states[-2:-1]] if k > 1 and order > 1 else [state]
                search.begin_step(past, h if k else INSTANT * h)
                state, search = balanced(search, begin + k * h)
                if not k:  # what jumps to its equilibrium has no velocity
                    state = state.with_rates(assembled.state.rates)
                lowest.require_equilibrium(state.values, name)
                states.append(state)
                bar.update(begin + k * h, k)
    finally:
        raise_if_failed(full.system.model)
    result = Result(
        full.system, np.array([s.time for s in states]), np.array([s.motion for s in states]),
        np.zeros((n + 1, full.system.bodies, 6)), np.array([s.gamma for s in states]),
        info={"method": "static", "h": h}, values=np.array([s.values for s in states]),
    )  # fmt: skip
    if any(item.needs_air for item in full.system.model.items.values()):
        from linkwork.analysis.outside_tables import refuse_outside_tables  # slow

        refuse_outside_tables(result)
    return result


def balanced(search: SlowSteps, time: float) -> tuple[State, SlowSteps]:
    """The state at `time`, and a search with the rows that were independent there."""
    state = replace(search.past[0], time=time, acceleration=None, gamma=None, restart={})
    for _ in range(4):
        point: Point | None
        point, data, state = attempt(search, state, 1)
        if point is not None:
            return state_of(search, point), search
        other = SlowSteps(search.full, data)
        other.begin_step(search.past, search.h)
        search = other
    raise ConvergenceError(
        f"the equilibrium of '{search.full.system.model.name}' at t = {time:g} lies "
        "where the number of "
        "independent joint rows changes; remove redundant rows", time=time, state=state,
    )  # fmt: skip
