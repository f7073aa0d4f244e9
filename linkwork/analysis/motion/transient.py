"""Motion through time: what `transient` checks and prepares before the time loop runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.motion.beginning import beginning, method_run
from linkwork.analysis.motion.checks.energy_account import warn_of_energy
from linkwork.analysis.motion.checks.open_joints import warn_of_open_joints
from linkwork.analysis.motion.checks.parts.finished_run import check_parts
from linkwork.analysis.motion.checks.samples import refuse_long_steps, warn_of_late_samples
from linkwork.analysis.motion.checks.singular.singular_positions import warn_of_singular_positions
from linkwork.analysis.motion.checks.turns import TurnWatch
from linkwork.analysis.motion.continuing import Earlier
from linkwork.analysis.motion.ending import told_in_one_line
from linkwork.analysis.motion.events import StopLike, as_events
from linkwork.analysis.motion.jumps import jumps_of
from linkwork.analysis.motion.step_control.first_steps import first_piece, takes_pieces
from linkwork.analysis.motion.step_control.strategies import Strategy, as_strategy, stored_control
from linkwork.analysis.motion.storing import Plan, Reactions, Storage, require_room
from linkwork.analysis.motion.time_loop import TimeLoop
from linkwork.integrators.contract import MethodLike, Run
from linkwork.integrators.second_order.methods import default_method
from linkwork.kernels.compiling.undisturbed import without_collection
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.results.result import Result


@explained
def transient(
    model: Model, t: float, h: float, method: MethodLike | None = None, *,
    start: StateLike | None = None, every: int = 1, progress: bool | str = True,
    stop: StopLike | None = None, tolerance: float | None = None,
    strategy: Strategy | None = None, file: str | Path | None = None, flush: float | None = 1.0,
    constraint_stiffness: bool = True,
) -> Result:  # fmt: skip
    """Move the model to time t with step h.

    start     : a State, a Result or an Equilibrium to go on from (the model is assembled first
                otherwise)
    every     : store every so many steps; the start and the end are always stored
    progress  : show how far it is when it takes over a second; "always" or False
    stop      : events that end the run: functions of (time, now), lw.JointLimit, or a list of them
    tolerance : error control, position error per step in lengths over the mechanism's size and in
                radians, and for methods of first and second order energy error per step within
                ten times the tolerance of the largest kinetic energy; h is then the first step
    strategy  : another way to change the step: lw.FactorStrategy(...) by Newton's iterations,
                lw.ChangeStrategy(drive) as a function of time
    file      : a path such as "run.nc": steps are written beside it, to "run.nc.part", while the
                run goes on, and joined to that file at its end; the result reads them when they
                are asked for.  lw.load and lw.resume open what a killed run has left.  Without it
                steps are kept in memory up to 256 MB, beyond that in a temporary file which goes
                when the result does
    flush     : seconds of computing, at most, that are lost when a run with file= is killed; None
                for all of them (it then needs half of the disk)
    constraint_stiffness : False leaves K_c out of Newton's matrix, to show what it costs and saves:
                the motion is found in more iterations, and is the same within Newton's tolerance
                (with velocities in the constraints, stabilized=True, within terms of h⁴)

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body(1, (1, 1, 1)))
    >>> run = lw.transient(m, t=1, h=0.01, progress=False)
    >>> round(float(run["ball"].position[-1, 2]), 3)
    -4.905
    """
    return move(model, t, h, method, Options(
        start, every, progress, stop, tolerance, strategy, file, flush, constraint_stiffness,
    ))  # fmt: skip


@dataclass
class Options:
    """The parameters of `transient`; `earlier` is a result whose file this run goes on with."""

    start: StateLike | None = None
    every: int = 1
    progress: bool | str = True
    stop: StopLike | None = None
    tolerance: float | None = None
    strategy: Strategy | None = None
    file: str | Path | None = None
    flush: float | None = 1.0
    constraint_stiffness: bool = True
    earlier: Earlier | None = None
    meets_jumps: bool = True  # split steps where loads jump


def move(model: Model, t: float, h: float, method: MethodLike | None, o: Options) -> Result:
    """What `transient` does."""
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    method = default_method(model) if method is None else method
    every = checks.count(o.every, "every")
    flush = None if o.flush is None else checks.number(o.flush, "flush", minimum=0.0)
    strategy = as_strategy(o.strategy, o.tolerance)
    with told_in_one_line(model), without_collection():
        full, data, state, redundancy = beginning(model, o.start, method)
        checks.steps(t, h, state.time, goes_on=bool(state.restart))
        remembered = stored_control(strategy, state.restart)
        size = h if remembered is None else float(state.restart.get("h", h))
        in_pieces = o.meets_jumps and takes_pieces(method, full.system)
        if strategy is None and "first_piece" in state.restart:
            size = min(h, float(state.restart["first_piece"]))
        if in_pieces and not state.restart:
            size = first_piece(data, state, min(h, t - state.time))
        run = method_run(method, full, data, state, size, o.constraint_stiffness)
        turns = TurnWatch(run, full.system.names)
        impacts: Any = None
        if strategy is None and any(family.memory.notes for family in full.system.families):
            from linkwork.analysis.motion.step_control.impacts import resolves_impacts as impacts

            run = impacts(run, method, full, state.restart)
        if strategy is None:
            turns.require_start(state.motion, h)
            warn_of_late_samples(full.system, state.time, h)
            refuse_long_steps(full.system, h)
        plan = Plan((t - state.time) / h / every + 2, o.file, run.own, flush, {"end": t})
        if o.earlier is not None:
            plan.earlier, plan.kept = o.earlier.result, o.earlier.kept
        require_room(full, plan)
        reactions = Reactions(full, run, redundancy)
        if isinstance(o.start, Result) and state.restart:
            reactions.begin_like(o.start)
        events = as_events(o.stop, full)
        storage = Storage(full, reactions, plan)
        jumps = jumps_of(full.system, method, state.time, t, h) if o.meets_jumps else None

        def anew(before: Run, time: float, step: float) -> Run:
            now = replace(
                before.state(), time=time, restart={}, acceleration=None, gamma=None
            )
            keep = before.data.keep
            rows = full if keep.all() else full.restricted(keep)
            step = first_piece(rows, now, step) if in_pieces else step
            again = method_run(method, full, rows, now, step, o.constraint_stiffness, begins=False)
            again.follow(before)
            if impacts is None:
                return again
            around = impacts(again, method, full, before.restart())
            around.too_long = getattr(before, "too_long", None)
            return around

        loop = TimeLoop(
            full, run, method, t, h, every, events, strategy, storage, turns, jumps, anew
        )
        try:
            loop.begin_from(o.start, remembered, o.earlier)
        except BaseException:
            storage.discard()
            raise
    result = loop.go(o.progress)
    turns.warn()
    warn_of_energy(result, method, h)
    warn_of_open_joints(result, method, h)
    warn_of_singular_positions(result)
    if hasattr(loop.run, "warn_of_impacts"):
        loop.run.warn_of_impacts()
    check_parts(result)
    return result
