"""Running a deck as it asks: over time, through equilibria, or inverse dynamics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.motion.ending import interruptible
from linkwork.errors import MbdynError, ModelError
from linkwork.integrators.contract import MethodLike
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.problem.inverse import COLLOCATED, FULL, KINDS, UNDER, Metric
from linkwork.io.mbdyn.problem.methods import default_method
from linkwork.io.mbdyn.problem.steps import made_strategy
from linkwork.io.mbdyn.syntax.wording import words_of_decks
from linkwork.model import checks
from linkwork.model.model import Model, private_copy
from linkwork.results.result import Result

if TYPE_CHECKING:
    from linkwork.system.initial_conditions.consistent_start import Start


def run_deck(
    deck: Deck, *, progress: bool = True, t: float | None = None, h: float | None = None,
    method: MethodLike | None = None,
) -> Result:  # fmt: skip
    """The result of the deck; t, h and method replace what it says (h its strategy, too)."""
    from linkwork.analysis.motion.transient import Options, move

    require_deck(deck, "run_deck")
    a = deck.analysis
    if not a.moves:
        return run_still(deck, progress=progress, t=t, h=h)
    end, step = times(deck, t, h)
    if method is None:
        method = chosen_method(deck)
    model = private_copy(deck.model)  # of which assembly and run warn once
    with words_of_decks(model):
        options = Options(  # MBDyn's steps are what a deck says, across jumps of loads, too
            start=assembled(deck, model).state, every=stored_every(deck), progress=progress,
            strategy=None if h is not None else made_strategy(a), meets_jumps=False,
        )  # fmt: skip
        return move(model, end, step, method, options)


def require_deck(deck: Any, function: str) -> None:
    """Refuse what lw.read_deck has not given."""
    if not isinstance(deck, Deck):
        do = "; a Model moves with lw.transient" if isinstance(deck, Model) else ""
        raise ModelError(
            f"lw.{function} needs the deck that lw.read_deck(path) gives, but "
            f"{checks.show(deck)} was given{do}"
        )


def run_still(
    deck: Deck, *, progress: bool = True, t: float | None = None, h: float | None = None
) -> Result:
    """A deck without integration: one phase of the start, equilibria, or inverse dynamics."""
    a = deck.analysis
    with words_of_decks(deck.model):
        if a.abort_after:
            return phase(deck)
        end, step = times(deck, t, h)
        made = equilibria if a.static else inverse_run

        @interruptible
        def run_deck() -> Result:
            return made(deck, end, step, progress)

        return run_deck()


def times(deck: Deck, t: float | None, h: float | None) -> tuple[float, float]:
    a = deck.analysis
    end, step = a.final_time if t is None else t, a.step if h is None else h
    if step is None:
        raise missing_time(deck, "time step")
    if a.last_step is not None and t is None:
        last = a.initial_time + (a.last_step + a.startup) * step
        end = last if end is None else min(end, last)
    if end is None:
        raise missing_time(deck, "final time")
    if end <= a.initial_time:
        raise MbdynError(
            f"the final time {end:g} is not after the initial time {a.initial_time:g}; nothing "
            "would move (abort after: derivatives; gives the first instant)", str(deck.path),
        )  # fmt: skip
    return end, min(step, end - a.initial_time)


def missing_time(deck: Deck, word: str) -> MbdynError:
    """What to do about a deck that does not say until when, or in which steps, it is run."""
    a = deck.analysis
    block = "initial value" if a.inverse is None else "inverse dynamics"
    if block not in deck.blocks:
        return MbdynError(
            f"the problem block is missing, which says until when and in which steps the deck is "
            f"run; write begin: {block}; initial time: 0.; final time: 10.; time step: 1e-3; end: "
            f"{block}; after the block 'data', or say it where the deck is run: -t 10 -s 1e-3 on "
            "the command line, t=10, h=1e-3 of run_deck", str(deck.path),
        )  # fmt: skip
    what, ends = f"the {block} block gives no {word}", word == "final time"
    if ends and a.forever:
        what = "the deck goes on forever (final time: forever;)"
    said = ("final time: 10.", "-t 10", "t=10")
    if not ends:
        said = ("time step: 1e-3", "-s 1e-3", "h=1e-3")
    return MbdynError(
        f"{what}; write {said[0]}; into that block, or say it where the deck is run: {said[1]} on "
        f"the command line, {said[2]} of run_deck", str(deck.path),
    )  # fmt: skip


def stored_every(deck: Deck) -> int:
    """Every step where output, modes or steps of other sizes need them, else what is written."""
    a = deck.analysis
    rubs = any(joint.friction for joint in deck.joints.values())  # known from all steps alone
    all_of_them = a.meter is not None or a.eigen is not None or a.change or a.factor or rubs
    return 1 if all_of_them else a.every


def chosen_method(deck: Deck) -> Any:
    import linkwork

    made = deck.analysis.method
    method = default_method(deck) if made is None else made()
    speeds = [x for x in deck.model.items.values() if isinstance(x, linkwork.VelocityLock)]
    if speeds and getattr(method, "stabilized", False):
        deck.note(f"{type(method).__name__} steps without stabilisation, for joints that hold "
                  "velocities")  # fmt: skip
        method = replace(method, stabilized=False)
    return method


# ------------------------------------------------------------------------------------ the start


def assembled(deck: Deck, model: Model, *, warn: bool = True) -> Start:
    """The start, where joints are closed; nodes resist by their stiffnesses in the assembly."""
    from linkwork.analysis.assembly.assemble import assemble_model

    a = deck.analysis
    weights: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for node in deck.nodes.values():
        if node.body is not None:
            for k in range(2):
                weights[k][node.body.name] = (node.stiffness or a.stiffness)[k]
    found = assemble_model(
        model, time=a.initial_time, warn=warn, weights=weights[0], velocity_weights=weights[1]
    )
    if a.skip_assembly:
        note_open_joints(deck, found)
    return found


def note_open_joints(deck: Deck, found: Start) -> None:
    from linkwork.system.initial_conditions.open_joints import listed, violations_of

    full = found.full
    C = full.evaluate(full.system.described_state(deck.analysis.initial_time)).C
    where = listed(violations_of(full, np.where(np.abs(C) > 1e-6 * full.system.length, C, 0.0)))
    if where:
        deck.note(f"skip initial joint assembly: joints are open as described, {where}; they are "
                  "closed all the same, as every step needs")  # fmt: skip


def phase(deck: Deck) -> Result:
    """abort after: the model as described, assembled, or with its accelerations and reactions."""
    from linkwork.system.initial_conditions.accelerations import accelerations
    from linkwork.system.system import compile_model

    word, system = deck.analysis.abort_after, compile_model(deck.model)
    if word == "input":
        state = system.described_state(deck.analysis.initial_time)
    else:
        found = assembled(deck, system.model)
        state = found.state
        if word != "assembly":
            state = accelerations(found.data, state)
    a = np.zeros((system.bodies, 6)) if state.acceleration is None else state.acceleration
    gamma = np.zeros(len(system.all_rows)) if state.gamma is None else state.gamma
    info = {"method": f"until {word}"}
    return Result(
        system, [state.time], state.motion[None], a[None], gamma[None], info=info,
        values=state.values[None],
    )  # fmt: skip


# ------------------------------------------------------------------- equilibria, inverse dynamics


def equilibria(deck: Deck, end: float, step: float, progress: bool) -> Result:
    """model: static: dynamics without inertia, where dampers and what remembers stay."""
    import linkwork
    from linkwork.analysis.statics.slow_motion import slow_motion

    made = deck.analysis.method
    method = default_method(deck) if made is None else made()
    first = isinstance(method, linkwork.ImplicitEuler) or getattr(method, "order", 2) == 1
    if not (first or isinstance(method, linkwork.BDF)):
        deck.note(f"model: static steps with lw.BDF(order=2) in place of {type(method).__name__}")
    return slow_motion(assembled(deck, deck.model), end, step, 1 if first else 2, progress)


def inverse_run(deck: Deck, end: float, step: float, progress: bool) -> Result:
    """problem: inverse dynamics; reactions of the result are what actuators and joints give."""
    from linkwork.analysis.inverse import Nearness, inverse_near

    problem = deck.analysis.inverse
    assert problem is not None
    collocated = problem.kind in (COLLOCATED, UNDER)
    pushing: list[str] = []
    for label, role in deck.roles.items():
        if role.torque and not role.prescribed:
            pushing += deck.joints[label].items
        if role.torque and role.prescribed and not collocated:
            raise MbdynError(
                f"joint {label} prescribes its motion and pushes, which joints of the problem type "
                f"'{problem.kind}' do not both do", str(deck.path),
            )  # fmt: skip
    if bool(pushing) == collocated:
        raise MbdynError(
            f"the problem type '{problem.kind}' " + (
                f"has no joints that push alone, but '{pushing[0]}' does" if pushing else
                "needs joints that push alone (inverse dynamics, torque, yes, prescribed motion, "
                "no)"), str(deck.path),
        )  # fmt: skip
    near = Nearness(metric=Metric(deck, problem.weights) if problem.kind in (UNDER, FULL) else None)
    found = inverse_near(
        deck.model, end, step, near, None, pushing, deck.analysis.initial_time, progress
    )
    if found.problem != KINDS[problem.kind]:
        raise MbdynError(
            f"the deck calls its problem '{problem.kind}', but its joints make it "
            f"'{next(k for k, v in KINDS.items() if v == found.problem)}'", str(deck.path),
        )  # fmt: skip
    return found.run
