"""The loop around a stepping method: one run from its first step to its result.

It steps in chunks of about a tenth of a second, stores, shows progress, finds events, controls the
step where a strategy is given, and keeps what was computed whatever happens.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator

import numpy as np

from linkwork.analysis.motion.checks.energy_account import energy_trouble
from linkwork.analysis.motion.checks.explicit_steps import beyond_stability
from linkwork.analysis.motion.checks.samples import next_sample
from linkwork.analysis.motion.ending import disk_full, interrupted
from linkwork.analysis.motion.events import crosses, first_values, locate
from linkwork.analysis.motion.jumps import NEAR, just_before
from linkwork.analysis.motion.run_record import RunRecord
from linkwork.analysis.motion.step_control.first_steps import Pieces
from linkwork.analysis.motion.storing import DiskFull
from linkwork.analysis.progress import Progress, next_chunk
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import ConvergenceError, ModelError, SingularError
from linkwork.integrators.blocked import COMPARE, blames_motor, blocked_motion
from linkwork.integrators.contract import StepFailure, StepRows
from linkwork.integrators.second_order.recovery import probable_cause
from linkwork.results.result import Result
from linkwork.system.state import State

MOST_FORCED = 20  # smallest steps in a row whose errors are too large


class TimeLoop(RunRecord):
    """One run: how it is stepped, and how it ends."""

    def go(self, progress: bool | str) -> Result:
        system = self.full.system
        with (
            Progress(system.model.name, self.begin, self.end, progress) as bar,
            self.signals.handled(),
        ):
            try:
                with self.signals.during_steps():
                    self._run(bar)
                raise_if_failed(system.model)  # the cause to report, not its consequences
                return self.result()
            except KeyboardInterrupt:
                raise interrupted(system.model.name, self.storage.path, self.end,
                                  self.result(torn=self.signals.torn)) from None  # fmt: skip
            except DiskFull as error:
                raise disk_full(system.model.name, self.storage.path, self.run.time,
                                self.end, self.result(), error) from None  # fmt: skip
            except ModelError as error:  # of a drive or a function of the user's
                error.result = self.result()  # type: ignore[attr-defined]
                raise
            except BaseException:
                self.storage.discard()
                raise

    def _run(self, bar: Progress) -> None:
        self._tell_next_jump()
        try:
            if self.strategy is not None:
                self._controlled(bar)
            elif self.events:
                self._fixed_with_events(bar)
            else:
                self._fixed(bar)
        except SingularError as error:
            if self.run.time == self.begin:  # the model itself is singular
                raise
            what = f"could not go on: {error}"
            if blocked := blocked_motion(self.run.data):
                what = f"could not go on at t = {self.run.time:.6g}: {blocked}: {COMPARE} ({error})"
            raise self._failed(self.run.time, what) from None
        except StepFailure as failure:
            raise self._failed(failure.time, failure.what) from None

    def _failed(self, time: float, what: str) -> ConvergenceError:
        """The error of a step that could not be taken, with the results until then."""
        system = self.full.system
        raise_if_failed(system.model)
        result = self.result()
        before = energy_trouble(result, self.method, self.h)
        if blames_motor(what) and not beyond_stability(result, self.method, self.h):
            before = ""  # the energy beside a blocked position follows from it
        what = f"{what}; " + (f"before that, {before}; " if before else "")
        if before and beyond_stability(result, self.method, self.h):  # the rest follows from it
            what = f"could not go on at t = {time:.6g}: {before}; "
        if any(item.has_range for item in system.model.items.values()):
            from linkwork.analysis.motion.checks.parts.small_deflections import deflection_trouble

            if beyond := deflection_trouble(result):
                what = f"could not go on at t = {time:.6g}: {beyond}; "
        return ConvergenceError(
            f"model '{system.model.name}' {what}the results until t = {self.run.time:.6g} are "
            "in the attribute .result of this error",
            time=time, result=result, state=self.run.state(),
        )  # fmt: skip

    def _fixed(self, bar: Progress) -> None:
        origin, first = self._origin()
        n = max(1, math.ceil((self.end - self.begin) / self.h - self.slack))
        whole = n if abs(self.begin + n * self.h - self.end) < self.slack * self.h else n - 1
        done, chunk = 0, 1
        while done < whole:
            size = min(chunk, whole - done)
            if self.jumps or self._begins_short:
                size = min(size, self._steps_before_jump(origin + (first + done) * self.h))
                if size == 0:
                    number = first + done + 1
                    store = number % self.every == 0 or done + 1 == n
                    self._step_over(origin + number * self.h, store)
                    done += 1
                    continue
            k = np.arange(done, done + size)
            times = origin + (first + k + 1) * self.h
            began = clock.perf_counter()
            self._steps(times, (first + k + 1) % self.every == 0, last=done + size == n)
            spent = clock.perf_counter() - began
            if done == 0 and whole > 1:  # code may have been compiled: not the run's time
                self._start_clocks()
            done += size
            most = self.storage.most * (1 if self.lowest else self.every)
            chunk = next_chunk(size, spent, min(20000, most))
            raise_if_failed(self.full.system.model)
            self._update(bar)
        if whole < n and (self.jumps or self._begins_short):
            self._step_over(self.end, True)
        elif whole < n:
            self.run.set_step(self.end - self.run.time)
            self._steps(np.array([self.end]), np.array([True]), last=True)

    def _steps_before_jump(self, time: float) -> int:
        """How many steps from `time` on end before the next jump of a load; none where the next
        one begins with a shorter piece."""
        if self._begins_short:
            return 0
        free = (self.jumps[0] - time) / self.h - (self.run.reach - 1.0)
        return max(0, math.ceil(free - self.slack) - 1)

    def _pieces(self, target: float, h: float) -> Iterator[tuple[float, float | None]]:
        """Where the parts of a step to `target` end, each with the jump that lies there."""
        while self.jumps and self.jumps[0] <= target + self.slack * h:
            time = self.jumps.pop(0)
            if abs(time - target) <= self.slack * h:  # as late: t > 0.1 does not yet hold at 0.1
                time = time if 0 < time - target <= 16 * np.spacing(target) else target
            self.run.end_before(just_before(time))
            yield just_before(time), time
        if target - self.run.time > NEAR * h:
            yield target, None

    def _step_over(self, target: float, store: bool) -> None:
        """A step within which loads jump, in parts that end at the jumps; the next one is whole."""
        begin = self.run.time
        for end, jump in self._pieces(target, self.h):
            for time in self._ends_of_pieces(end, jump):
                self.run.set_step(time - self.run.time)
                self.run.advance(*self._plain(time))
            if jump is not None:
                self._begin_anew(jump, self.h)
        self._set_whole_step(jump)
        self.steps += 1
        self.turns.require(self.run.state().motion[None], self.h, self.run.time)
        if self.lowest:
            self.lowest.require(self.run.state().values[None], np.array([target]))
        if store:
            self._store_now(target - begin)

    def _ends_of_pieces(self, end: float, jump: float | None) -> Iterator[float]:
        """Where the parts of a step that goes on to `end`, or to the jump there, are to end: first
        pieces may be shorter, and no stage lies behind a jump."""
        pieces = Pieces(self.run) if self._begins_short else None
        barrier = just_before(self._next_jump if jump is None else jump)
        while end - self.run.time > NEAR * self.h:
            begin, reach = self.run.time, self.run.reach
            time = end if pieces is None else pieces.next_end(begin, end)
            if reach > 1.0:
                time = min(time, begin + (barrier - begin) / (reach * (1 + NEAR)))
            yield time
            if pieces is not None:
                pieces.note(self.run, time - begin)

    @property
    def _next_jump(self) -> float:
        return self.jumps[0] if self.jumps else math.inf

    def _begin_anew(self, time: float, h: float) -> None:
        """Go on with the loads behind a jump: what they change at once is found as at a start."""
        self.run = self.storage.reactions.run = self.anew(self.run, time, h)
        self._tell_next_jump()

    def _tell_next_jump(self) -> None:
        if self.jumps:
            self.run.end_before(just_before(self.jumps[0]))

    def _set_whole_step(self, jump: float | None) -> None:
        """Go on with the step of the run; behind a jump at the end of the last part the run has
        begun anew, with a first piece of its own."""
        if jump is None:
            self.run.set_step(self.h)

    def _origin(self) -> tuple[float, int]:
        """Times are origin + k h, also across restarts, so that digits do not depend on them."""
        origin = self.run.origin
        k = (self.begin - origin) / self.h
        if abs(k - round(k)) > self.slack:
            origin, k = self.begin, 0.0
        self.run.count_from(origin)
        return origin, round(k)

    def _steps(self, times: np.ndarray, store: np.ndarray, last: bool) -> None:
        """Steps at `times`; keeps those marked, and the very last one.

        Where they end the run, they are taken once more one by one, so that it ends with the
        first step that must not be taken, whichever steps the clock has put into one call.
        """
        store = store.copy()
        if last:
            store[-1] = True
        if len(times) > 1:
            snapshot, turns = self.run.snapshot(), self.turns.copy()
            try:
                self._call(times, store)
                return
            except (StepFailure, SingularError):
                self.run.recover(snapshot)
                self.turns.go_back(turns)
        for k in range(len(times)):
            self._call(times[k : k + 1], store[k : k + 1])

    def _call(self, times: np.ndarray, store: np.ndarray) -> None:
        """Steps in one call; of several that fail none is kept."""
        saved = np.where(store, np.cumsum(store) - 1, -1).astype(np.int64)
        out = self.storage.room(int(store.sum()))
        begin, count = self.run.time, len(times)
        seen = out
        if self.lowest and not store.all():  # values of steps that are not kept count, too
            seen, saved = self._output(count), np.arange(count)
        try:
            self.run.advance(times, self.run.data.schedule(times), saved, seen)
            if count > 1:
                self._check(times, seen, store)
        except (KeyboardInterrupt, StepFailure, SingularError):  # in the middle of a step
            count = 0
            raise
        except BaseException:
            count = int(np.searchsorted(times, self.run.time * (1 + 1e-15), side="right"))
            raise
        finally:
            if seen is not out:
                for kept, all_steps in zip(out, seen):
                    kept[:] = all_steps[store]
            sizes = np.diff(np.concatenate([[begin], times]))[:count]
            self.storage.keep(times[:count][store[:count]], sizes[store[:count]])
            self.steps += count
        if count == 1:
            self._check(times, seen, store)

    def _check(self, times: np.ndarray, seen: StepRows, store: np.ndarray) -> None:
        """End a run that has become too fast, or whose values no longer make sense."""
        kept = seen.motion if len(seen.motion) < len(store) else seen.motion[store]
        self.turns.require(kept, self.run.h, self.run.time)
        if self.lowest:
            self.lowest.require(seen.values, times)

    def _fixed_with_events(self, bar: Progress) -> None:
        before = first_values(self.events, self.run.time, self.run.state())
        origin, first = self._origin()
        n = max(1, math.ceil((self.end - self.begin) / self.h - self.slack))
        for k in range(n):
            target = self.end if k == n - 1 else origin + (first + k + 1) * self.h
            store = (first + k + 1) % self.every == 0 or k == n - 1
            behind = target + (self.run.reach - 1.0 + self.slack) * self.h
            if self._next_jump <= behind or self._begins_short:
                if self._parts_with_events(target, before, store):
                    return
                continue
            if k == n - 1 and abs(target - self.run.time - self.h) > 1e-9 * self.h:
                self.run.set_step(target - self.run.time)
            snapshot, begin = self.run.snapshot(), self.run.time
            self.run.advance(*self._plain(target))
            if self._keep(snapshot, begin, before, store):
                return
            self._update(bar)

    def _parts_with_events(self, target: float, before: list[float], store: bool) -> bool:
        """`_step_over` with events; whether one of them ends the run."""
        for end, jump in self._pieces(target, self.h):
            for time in self._ends_of_pieces(end, jump):
                snapshot, begin = self.run.snapshot(), self.run.time
                self.run.set_step(time - begin)
                self.run.advance(*self._plain(time))
                if self._keep(snapshot, begin, before, store and time == target):
                    return True
            if jump is not None:
                self._begin_anew(jump, self.h)
        self._set_whole_step(jump)
        if store and self.storage.last < target:
            self._store_now(self.h)
        return False

    def _keep(self, snapshot: tuple, begin: float, before: list[float], store: bool) -> bool:
        """Keep the step just taken, or end the run at an event within it (then true)."""
        target, crossed = self.run.time, []
        if self.lowest:
            self.lowest.require(self.run.state().values[None], np.array([target]))
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
        return times, self.run.data.schedule(times), np.array([-1]), out

    def _controlled(self, bar: Progress) -> None:
        """Steps of sizes that a strategy gives; rejected ones are taken again, smaller."""
        assert self.strategy is not None
        control = self.control = self.strategy.control(self.run, self.method)
        before = first_values(self.events, self.run.time, self.run.state())
        if self.remembered is None:
            control.next = control.first(self.run.time, min(self.h, self.run.h))
        else:
            control.remember(self.remembered)
        smallest, forced = 1e-12 * max(abs(self.end), self.h), 0
        while self.run.time < self.end - smallest:
            goal = min(self.end, next_sample(self.full.system, self.run.time))
            jump = self.jumps[0] if self.jumps and just_before(self.jumps[0]) <= goal else None
            goal = goal if jump is None else just_before(jump)
            left, h = goal - self.run.time, control.next
            step = left if left < 1.01 * h else min(h, left / 2 if left < 2 * h else h)
            snapshot, begin = self.run.snapshot(), self.run.time
            target = begin + step if step < left else goal
            if jump is not None and left > 1e-6 * h:  # no stage lies behind it
                target = min(target, begin + left / (self.run.reach * (1 + NEAR)))
                step = target - begin
            if step != self.run.h:
                self.run.set_step(step)
            control.before(self.run)
            self.run.advance(*self._plain(target))
            kept, wanted = control.judge(self.run, step)
            if not kept and step > smallest:
                self.run.recover(snapshot)
                control.next = wanted
                self.rejected += 1
                continue
            forced = 0 if kept else forced + 1  # the smallest steps are taken as they are: a jump?
            if forced > MOST_FORCED:
                self.run.recover(snapshot)
                raise StepFailure(begin, 0, 0.0, "", self._no_step(begin, step))
            if not control.limits_turns:
                self.turns.require(self.run.state().motion[None], step, self.run.time)
            control.steps += 1
            control.next = max(wanted or h, 0.0 if kept else smallest)
            store = control.steps % self.every == 0 or target == self.end
            store = store or (jump == self.end and target == goal)
            if self._keep(snapshot, begin, before, store):
                return
            if jump is not None and target == goal:
                self.jumps.pop(0)
                self._begin_anew(jump, control.next)
            self._update(bar)

    def _no_step(self, time: float, step: float) -> str:
        cause = probable_cause(self.run.data, self.run.state(), step)
        return (
            f"could not keep its errors within the tolerance at t = {time:.6g}, also with steps of "
            f"{step:.1g} s; {cause}"
        )

    def _update(self, bar: Progress) -> None:
        """Show how far the run is, and flush its file when it is time to, or end at a signal."""
        self.signals.look()
        bar.update(self.run.time, self.steps, self.run.iterations)
        if self.storage.due:
            self.storage.flush(*self._here())
