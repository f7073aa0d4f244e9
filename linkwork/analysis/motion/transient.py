"""Motion through time: the loop around a stepping method.

It assembles, steps in chunks of about a tenth of a second, stores, shows progress, finds events,
controls the step where a tolerance is given, and keeps what was computed whatever happens.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.independence import choose_rows, refuse_velocity_rows
from linkwork.analysis.motion.events import Event, as_events, crosses, first_values, locate
from linkwork.analysis.motion.growth import warn_of_growth
from linkwork.analysis.motion.storing import DiskFull, Reactions, Storage
from linkwork.analysis.motion.strategies import as_strategy
from linkwork.analysis.progress import Progress, next_chunk
from linkwork.analysis.starts import require_closed, require_state
from linkwork.elements.user_force import raise_if_failed
from linkwork.errors import ConvergenceError, Interrupted, ModelError, ResultFileError
from linkwork.integrators.implicit import ImplicitRun, make_output
from linkwork.integrators.methods import GeneralizedAlpha, LinearMethod
from linkwork.integrators.repair import StepFailure
from linkwork.integrators.stepping import Output
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.system.state import State
from linkwork.system.system import System, compile_model


def transient(
    model: Model, t: float, h: float, method: Any = None, *, start: Any = None, every: int = 1,
    progress: bool | str = True, stop: Any = None, tolerance: float | None = None,
    strategy: Any = None, file: Any = None,
) -> Result:  # fmt: skip
    """Move the model to time t with step h.

    start     : a State or Result to go on from (the model is assembled first otherwise)
    every     : store every so many steps; the start and the end are always stored
    progress  : show how far it is when it takes over a second; "always" or False
    stop      : events that end the run: functions of (time, now), lw.JointLimit, or a list of them
    tolerance : error control, position error per step in lengths over the mechanism's size and in
                radians; h is then the first step
    strategy  : another way to change the step: lw.FactorStrategy(...) by Newton's iterations,
                lw.ChangeStrategy(drive) as a function of time
    file      : a path such as "run.nc": steps are written there while the run goes on, and the
                result reads them when they are asked for.  Without it steps are kept in memory up
                to 256 MB, beyond that in a temporary file which goes when the result does

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body(1, (1, 1, 1)))
    >>> run = lw.transient(m, t=1, h=0.01, progress=False)
    >>> round(float(run["ball"].position[-1, 2]), 3)
    -4.905
    """
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    method = GeneralizedAlpha() if method is None else method
    every = checks.count(every, "every")
    strategy = as_strategy(strategy, tolerance)
    full, system, state = beginning(model, start, method)
    if t <= state.time:
        raise ModelError(
            f"t must be later than the start time {state.time:g}, but t = {t:g} was given"
        )
    run = method_run(method, full, system, state, h)
    rows = (t - state.time) / h / every + 2
    own = getattr(run, "own", {})  # names and widths of the method's own columns
    storage = Storage(full, Reactions(full, run), rows, file, own)
    apart = float(np.spacing(max(abs(t), abs(state.time))))
    if h < 16 * apart:
        raise ModelError(
            f"h = {h:g} s is too short at t = {t:g}, where neighbouring times are {apart:.2g} s "
            "apart; take longer steps, or begin nearer to t = 0"
        )
    loop = TimeLoop(full, run, method, t, h, every, as_events(stop, full), strategy, storage)
    loop.angles = start.angles() if isinstance(start, Result) else {}
    result = loop.go(progress)
    warn_of_growth(result, method, h)
    return result


def beginning(model: Model, start: Any, method: Any) -> tuple[System, System, State]:
    """The full system, the one with independent rows, and the state to start from.

    A state that comes from a run of the same method carries that run's numbers, and the new run
    goes on with the same digits.
    """
    if start is None:
        assembled = assemble_model(model)
        return assembled.full, assembled.system, assembled.state
    state = start.state() if isinstance(start, Result) else start
    full = compile_model(model)
    require_state(full, state, start, "start")
    if "keep" in state.restart and state.restart["method"].tobytes().decode() == repr(method):
        return full, full, state
    state = replace(state, restart={})
    require_closed(full, state, "start")
    return full, choose_rows(full, state)[1], state


def method_run(method: Any, full: System, system: System, state: State, h: float) -> Any:
    """The stepping object of a method."""
    kind = implicit_run(method)
    if kind is not None:
        if getattr(method, "stabilized", False):
            refuse_velocity_rows(full, "stabilized=True", "leave it out: velocities hold anyway")
        return kind(
            system, method, state, h, lambda s: choose_rows(full, s, warn=False)[1], full=full
        )
    if hasattr(method, "run"):
        return method.run(full, system, state, h)
    raise ModelError(
        f"method must be an integrator such as lw.GeneralizedAlpha(), but {method!r} was given"
    )


def implicit_run(method: Any) -> Any:
    """The kind of run of an implicit method in absolute coordinates."""
    if isinstance(method, LinearMethod):
        return ImplicitRun
    from linkwork.integrators.staged import StagedMethod  # many methods, seldom used
    from linkwork.integrators.staged_run import StagedRun

    return StagedRun if isinstance(method, StagedMethod) else None


class TimeLoop:
    """One run: where it is, what it has stored, and how it ends."""

    def __init__(
        self, full: System, run: Any, method: Any, end: float, h: float, every: int,
        events: list[Event], strategy: Any, storage: Storage,
    ) -> None:  # fmt: skip
        self.full, self.run, self.method = full, run, method
        self.begin, self.end, self.h, self.every = run.time, end, h, every
        # steps that differ by less end at the same time: as many digits as times have
        self.slack = max(1e-6, 4 * float(np.spacing(max(abs(self.begin), abs(end)))) / h)
        self.events, self.strategy = events, strategy
        self.storage = storage
        self.steps = 0
        self.ended_by: str | None = None
        self.angles: dict[str, float] = {}  # turns counted before this run
        families = {e.entry.family for e in full.elements if e.entry.family.memory}
        self.first: dict[str, np.ndarray] = {}  # what friction and signals remembered at the start
        if any(family.reads or family.signal for family in families):
            self.first["first_memory"] = run.state().memory
        self._start_clocks()
        self._store_now(0.0)

    def _start_clocks(self) -> None:
        self.started, self.started_cpu = clock.perf_counter(), clock.process_time()

    # --------------------------------------------------------------------------------- running
    def go(self, progress: bool | str) -> Result:
        with Progress(self.full.model.name, self.begin, self.end, progress) as bar:
            try:
                self._run(bar)
                raise_if_failed(self.full.model)  # the cause to report, not its consequences
                return self.result()
            except KeyboardInterrupt:
                raise self._interrupted() from None
            except DiskFull as error:
                raise self._disk_full(error) from None
            except ModelError as error:  # of a drive or a function of the user's
                error.result = self.result()  # type: ignore[attr-defined]
                raise
            except BaseException:
                self.storage.discard()
                raise

    def _run(self, bar: Progress) -> None:
        try:
            if self.strategy is not None:
                self._controlled(bar)
            elif self.events:
                self._fixed_with_events(bar)
            else:
                self._fixed(bar)
        except StepFailure as failure:
            raise_if_failed(self.full.model)
            raise ConvergenceError(
                f"model '{self.full.model.name}' {failure.what}; the results until "
                f"t = {self.run.time:.6g} are in the attribute .result of this error",
                time=failure.time, result=self.result(), state=self.run.state(),
            ) from None  # fmt: skip

    def _disk_full(self, error: DiskFull) -> ResultFileError:
        result, path = self.result(), self.storage.path
        where = f"in '{path}'; make room and go on with lw.resume('{path}', t={self.end:g})"
        told = ResultFileError(
            f"model '{self.full.model.name}' stopped at t = {self.run.time:.6g} of {self.end:g}, "
            f"{error}; the results until there are "
            + (where if path else "in the attribute .result of this error: save them elsewhere")
        )
        told.result = result  # type: ignore[attr-defined]
        return told

    def _interrupted(self) -> Interrupted:
        result = self.result()
        stored = self.storage.path
        if stored is not None:
            return Interrupted(
                f"model '{self.full.model.name}' was interrupted at t = {self.run.time:.6g} of "
                f"{self.end:g}; the results until there are in '{stored}'; go on with "
                f"lw.resume('{stored}', t={self.end:g})",
                result=result, path=Path(stored),
            )  # fmt: skip
        name = "".join(c if c.isalnum() or c in "-_" else "_" for c in self.full.model.name)
        target = Path(f"{name}-interrupted.nc")
        path: Path | None = target
        try:
            result.save(target)
            where = f"saved to '{target}'; go on with lw.resume('{target}', t={self.end:g})"
        except Exception as error:  # the run's numbers must not be lost to a failing save
            where, path = f"in the attribute .result of this error (not saved: {error})", None
        return Interrupted(
            f"model '{self.full.model.name}' was interrupted at t = {self.run.time:.6g} of "
            f"{self.end:g}; the results until there are {where}",
            result=result, path=path,
        )  # fmt: skip

    def _fixed(self, bar: Progress) -> None:
        origin, first = self._origin()
        n = max(1, math.ceil((self.end - self.begin) / self.h - self.slack))
        whole = n if abs(self.begin + n * self.h - self.end) < self.slack * self.h else n - 1
        done, chunk = 0, 1
        while done < whole:
            size = min(chunk, whole - done)
            k = np.arange(done, done + size)
            times = origin + (first + k + 1) * self.h
            began = clock.perf_counter()
            self._steps(times, (k + 1) % self.every == 0, last=done + size == n)
            spent = clock.perf_counter() - began
            if done == 0 and whole > 1:  # code may have been compiled: not the run's time
                self._start_clocks()
            done += size
            chunk = next_chunk(size, spent, min(20000, self.storage.most * self.every))
            raise_if_failed(self.full.model)
            bar.update(self.run.time, self.steps, self.run.iterations)
        if whole < n:
            self.run.set_step(self.end - self.run.time)
            self._steps(np.array([self.end]), np.array([True]), last=True)

    def _origin(self) -> tuple[float, int]:
        """Times are origin + k h, also across restarts, so that digits do not depend on them."""
        origin = getattr(self.run, "origin", self.begin)
        k = (self.begin - origin) / self.h
        if abs(k - round(k)) > self.slack:
            origin, k = self.begin, 0.0
        self.run.origin = origin
        return origin, round(k)

    def _steps(self, times: np.ndarray, store: np.ndarray, last: bool) -> None:
        """Steps at `times`; keeps those marked, and the very last one."""
        store = store.copy()
        if last:
            store[-1] = True
        saved = np.where(store, np.cumsum(store) - 1, -1).astype(np.int64)
        out = self.storage.room(int(store.sum()))
        begin, count = self.run.time, len(times)
        try:
            self.run.advance(times, self.run.system.schedule(times), saved, out)
        except BaseException:
            count = int(np.searchsorted(times, self.run.time * (1 + 1e-15), side="right"))
            raise
        finally:
            sizes = np.diff(np.concatenate([[begin], times]))[:count]
            self.storage.keep(times[:count][store[:count]], sizes[store[:count]])
            self.steps += count

    def _fixed_with_events(self, bar: Progress) -> None:
        before = first_values(self.events, self.run.time, self.run.state())
        n = max(1, math.ceil((self.end - self.begin) / self.h - self.slack))
        for k in range(n):
            target = self.end if k == n - 1 else self.begin + (k + 1) * self.h
            if k == n - 1 and abs(target - self.run.time - self.h) > 1e-9 * self.h:
                self.run.set_step(target - self.run.time)
            snapshot, begin = self.run.snapshot(), self.run.time
            self.run.advance(*self._plain(target))
            if self._keep(snapshot, begin, before, (k + 1) % self.every == 0 or k == n - 1):
                return
            bar.update(self.run.time, self.steps, self.run.iterations)

    def _keep(self, snapshot: tuple, begin: float, before: list[float], store: bool) -> bool:
        """Keep the step just taken, or end the run at an event within it (then true)."""
        target, crossed = self.run.time, []
        if self.events:
            new = self.run.state()
            after = [e.value(target, new) for e in self.events]
            changes = zip(self.events, before, after, strict=True)
            crossed = [event for event, a, b in changes if crosses(a, b)]
            before[:] = after
        if not crossed:
            self.steps += 1
            if store:
                self._store_now(target - begin)
            return False

        def state_at(time: float) -> State:
            self.run.recover(snapshot)
            if time - begin < 1e-12 * self.h:
                return self.run.state()
            self.run.set_step(time - begin)
            self.run.advance(*self._plain(time))
            return self.run.state()

        time, event = min(
            ((locate(e, begin, target, state_at), e) for e in crossed), key=lambda pair: pair[0]
        )
        self.run.recover(snapshot)
        self.run.set_step(max(time - begin, 1e-12 * self.h))
        self._steps(np.array([time]), np.array([True]), last=True)
        self.ended_by = event.label
        return True

    def _plain(self, time: float) -> tuple:
        times = np.array([time])
        out = self._output(0)
        return times, self.run.system.schedule(times), np.array([-1]), out

    def _controlled(self, bar: Progress) -> None:
        """Steps of sizes that a strategy gives; rejected ones are taken again, smaller."""
        control = self.strategy.control(self.run, self.method)
        before = first_values(self.events, self.run.time, self.run.state())
        h, stored = control.first(self.run.time, self.h), 0
        smallest = 1e-12 * max(abs(self.end), self.h)
        while self.run.time < self.end - smallest:
            left = self.end - self.run.time
            step = left if left < 1.01 * h else min(h, left / 2 if left < 2 * h else h)
            snapshot, begin = self.run.snapshot(), self.run.time
            target = begin + step if step < left else self.end
            if step != self.run.h:
                self.run.set_step(step)
            control.before(self.run)
            self.run.advance(*self._plain(target))
            kept, wanted = control.judge(self.run, step)
            if not kept and step > smallest:
                self.run.recover(snapshot)
                h = wanted
                self.run.repairs += 1
                continue
            stored += 1
            if self._keep(snapshot, begin, before, stored % self.every == 0 or target == self.end):
                return
            h = wanted or h
            bar.update(self.run.time, self.steps, self.run.iterations)

    # --------------------------------------------------------------------------------- results
    def _store_now(self, step: float) -> None:
        out = self.storage.room(1)
        state = self.run.state()
        out.motion[0], out.gamma[0] = state.motion, state.gamma
        out.acceleration[0] = state.acceleration
        out.work[0] = self.run.work_done
        out.iterations[0] = self.run.iterations
        if self.storage.own:
            out.own[0] = self.run.own_now()
        self.storage.keep(np.array([self.run.time]), np.array([step]))

    def _output(self, rows: int) -> Output:
        return make_output(self.full, rows, sum(self.storage.own.values()))

    def result(self) -> Result:
        """What was stored so far, and where the run stands."""
        if self.run.time > self.storage.last:
            self._store_now(self.run.h)
        info = {
            "model": self.full.model.name,
            "method": repr(self.method),
            "h": self.h,
            "every": self.every,
            "steps": self.steps,
            "repairs": self.run.repairs,
            "seconds": clock.perf_counter() - self.started,
            "cpu_seconds": clock.process_time() - self.started_cpu,
            "ended_by": self.ended_by or "",
            "angles": self.angles,
        }
        return self.storage.result(info, self.run.restart() | self.first)


def resume(path: Any, t: float, *, model: Model | None = None, **options: Any) -> Result:
    """Go on with a stored run to time t, with the same method, step and digits."""
    from linkwork.integrators.catalogue import method_from_text
    from linkwork.results.file import load

    stored = load(path, model=model)
    method = method_from_text(stored.info["method"])
    options.setdefault("every", int(stored.info["every"]))
    return transient(
        stored.system.model, t, float(stored.info["h"]), method, start=stored, **options
    )

