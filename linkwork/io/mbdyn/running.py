"""Running a deck as it asks: over time, or through equilibria where its model is static."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, MbdynError
from linkwork.io.mbdyn.deck import Deck
from linkwork.results.result import Result


def run_deck(
    deck: Deck, *, progress: bool = True, t: float | None = None, h: float | None = None,
    method: Any = None,
) -> Result:  # fmt: skip
    """The result of the deck; t, h and method replace what it says."""
    import linkwork

    a = deck.analysis
    end, step = a.final_time if t is None else t, a.step if h is None else h
    if a.abort_after:
        return described(deck)
    for word, value in (("final time", end), ("time step", step)):
        if value is None:
            raise MbdynError(f"the initial value block gives no {word}", str(deck.path))
    assert end is not None and step is not None
    if a.static:
        return equilibria(deck, end, step, progress)
    if method is None:
        method = default_method(deck)
    start = linkwork.assemble(deck.model, time=a.initial_time)
    rubs = any(joint.friction for joint in deck.joints.values())  # known from all steps alone
    every = 1 if a.meter is not None or rubs else a.every
    return linkwork.transient(
        deck.model, end, step, method, start=start, every=every, progress=progress
    )


def default_method(deck: Deck) -> Any:
    import linkwork

    made = deck.analysis.method
    if made is None:
        deck.note("the deck names no method; lw.GeneralizedAlpha(rho=0.6) is used")
        return linkwork.GeneralizedAlpha(rho=0.6)
    method = made()
    speeds = [x for x in deck.model.items.values() if isinstance(x, linkwork.VelocityLock)]
    if speeds and getattr(method, "stabilized", False):
        deck.note(f"{type(method).__name__} steps without stabilisation, for joints that hold "
                  "velocities")  # fmt: skip
        method = replace(method, stabilized=False)
    return method


def described(deck: Deck) -> Result:
    """abort after: the assembled model, at its first instant."""
    import linkwork

    state = linkwork.assemble(deck.model, time=deck.analysis.initial_time)
    system = linkwork.compile_model(deck.model)
    rows = len(system.all_rows)
    return Result(system, [state.time], state.motion[None], np.zeros((1, system.bodies, 6)),
                  np.zeros((1, rows)), info={"method": "assembly"})  # fmt: skip


def equilibria(deck: Deck, end: float, step: float, progress: bool) -> Result:
    """model: static, the time a parameter of the load: every step goes on from the one before."""
    import linkwork

    n = max(1, round((end - deck.analysis.initial_time) / step))
    at, states = None, []
    for k in range(n + 1):
        time = deck.analysis.initial_time + k * step
        at = linkwork.static(deck.model, at=at, time=time, progress=progress)
        states.append(at.state)
    assert at is not None
    times = np.array([s.time for s in states])
    motion = np.array([s.motion for s in states])
    gamma = np.array([s.gamma for s in states])
    still = np.zeros((len(states), at.system.bodies, 6))
    return Result(at.system, times, motion, still, gamma, info={"method": "static", "h": step})


def eigenvalues(deck: Deck, run: Result) -> list[tuple[float, Any]]:
    """Time and modes of every eigenanalysis the deck asks for; a sentence where there are none."""
    import linkwork

    found = []
    for when in deck.analysis.eigen_times:
        later = np.flatnonzero(run.time >= when - 1e-9 * max(1.0, abs(when)))
        if not later.size:
            continue
        state = run.state(int(later[0]))
        try:
            found.append((state.time, linkwork.eigen(deck.model, at=state)))
        except LinkworkError as error:
            found.append((state.time, str(error)))
    return found
