"""Corners of forces in runs with equal steps: the steps in which one is passed are taken in pieces.

Shapes that meet, a joint that comes to its limits, a rod that becomes taut: forces begin to act at
a corner, and stop what moves within a time T that steps need not resolve.  Such elements
note in every evaluation when they passed a corner, and how fast (elements.corners), so that a step
which passes over an impact as a whole is noticed as well; how long T is, and T' of its beginning,
says step_control.durations.  A time s after the touch pieces are no longer than

    min(max(T'/256, s/12), T/48)

so that they are short where forces rise steeply.  Where h is longer than T'/48, the step in which
the corner was passed is taken once more: it is divided until the touch lies in a piece of T'/256;
then pieces grow as above until the element is before its corner again, or until 5 T have passed and
nothing moves beyond it (a light body that others push on presses far longer), and afterwards by
factors of four, in which the history of the method forgets the forces of the impact; where a force
has jumped as the body left, 32 pieces later.  Pieces are
h/2ᵖ long and begin at multiples of their length.  Results keep their times: pieces are not stored.
Where T'/256 is shorter than the shortest piece the impact is not resolved, which is told; pieces of
a law on a joint then grow with s alone.  A run ends where such impacts throw bodies ever faster.

What is beyond a corner at the start, with the energy m v²/2 in its law, is as in the middle of an
impact with the speed v.

Implicit methods go over contacts at rest with any step, so slow touches are left to them: those
below 4 g h, or below a hundredth of the fastest so far.  Shapes: 4 g h, but no more than a quarter
of the fastest, and what is laid down rather than hit, below g √(m/k).  Explicit methods are stable
only while they resolve the vibration of a body on its contact, T = 2π √(m/k) with the slope k of
the law under the weight: they take pieces as long as shapes press, and pieces of T/12 while a stop
at rest does.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.analysis.motion.checks.turns import rounded_down
from linkwork.analysis.motion.step_control.corners import Corners
from linkwork.analysis.motion.step_control.durations import Durations
from linkwork.elements.corners import KNOWN, MET, MET_AT, PASSED
from linkwork.errors import LinkworkWarning, users_line
from linkwork.integrators.contract import Run, StepFailure, StepRows
from linkwork.integrators.explicit.ode import RK4
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.system.data import Data
from linkwork.system.state import State

FIRST = 256  # pieces of an impact that begins,
PIECES = 48  # that is under way; steps that are shorter are not divided
GROWS = 1 / 12  # of the time since the touch: how long a piece may be
PIECES_AT_REST = 12  # of a vibration, for explicit methods
MOST = 18  # times a step is halved
FINER = 2  # times a piece is halved in the search for the touch; also how pieces grow afterwards
AT_ONCE = 16  # pieces of an impact in one call
LASTS = 5  # times T, at most, until an impact is over
SLOW = 4.0  # times g h: touches that implicit methods need not resolve
SLOWER = 0.01  # of the fastest so far, likewise
COUNTS = 0.25  # of the fastest so far: touches of shapes that are resolved though they are slow
PUSHED = 0.5  # of gravity: acceleration of a body that its contacts do not hold at the start
THROWN = 10.0  # times the speed of an impact that is not resolved: those that end the run
CALMS = 32  # pieces after a force has jumped, in which the history of a method forgets it
KEPT = 7  # numbers that are kept of every element


def resolves_impacts(run: Run, method: Any, full: Data, begun: dict[str, Any]) -> Run:
    """The run, or around it one that takes impacts in pieces where elements have corners; begun:
    the numbers of a restart."""
    own_steps = getattr(method, "solver", None) or getattr(method, "integrator", "")
    controlled = own_steps and own_steps not in ("rk4", "implicit")
    if controlled or isinstance(method, Moreau):
        return run  # steps by its own error, or impulses
    corners = Corners(full)
    if not len(corners):
        return run
    explicit = isinstance(method, RK4) or own_steps == "rk4"
    return ResolvedImpacts(run, corners, explicit, begun)


class Touch(NamedTuple):
    """An element that passed a corner: which, when, with which speed (m/s); the longest pieces as
    it begins and later, and the end of the impact."""

    number: int
    time: float
    speed: float
    first: float
    longest: float
    until: float


class ResolvedImpacts:
    """A run whose steps are taken in pieces while something hits."""

    def __init__(
        self, run: Run, corners: Corners, explicit: bool, begun: dict[str, Any]
    ) -> None:
        self._run, self._corners, self._explicit = run, corners, explicit
        self._begins, self._by_law = corners.begins, corners.by_law
        self._h, self._gravity = run.h, corners.gravity
        self._weight = self._gravity or 1.0
        self.too_long: tuple[int, float] | None = None  # an element whose impacts need more pieces
        self._thrown = math.inf  # the speed (m/s) of impacts that ends a run then
        n = len(self._begins)
        known = np.asarray(begun.get("impacts", ()), float)
        if len(known) != 2 + KEPT * n:
            known = np.zeros(2 + KEPT * n)
        # the fastest touch; how often the next piece halves a step; of every element: when it
        # met, the longest pieces as it began and later (0: no impact), the end of the impact;
        # when the depth was looked at, and the depth; until when pieces stay short behind a jump
        self._fastest, self._level = float(known[0]), int(known[1])
        self._times = known[2:].reshape(KEPT, n).copy()
        if not begun:
            self._begin_pressed()
        run.ask_before_repair(self._needs_finer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def set_step(self, h: float) -> None:
        self._h = h
        self._run.set_step(h)

    def restart(self) -> dict[str, Any]:
        own = np.concatenate([[self._fastest, self._level], self._times.ravel()])
        return self._run.restart() | {"impacts": own}

    def state(self) -> State:
        return replace(self._run.state(), restart=self.restart())

    def warn_of_impacts(self) -> None:
        """Say so where steps are so long that their pieces did not resolve an impact."""
        if self.too_long is not None:
            warnings.warn(self._unresolved(), LinkworkWarning, stacklevel=users_line())

    def _unresolved(self) -> str:
        """Which impact pieces did not resolve, and what to do."""
        assert self.too_long is not None
        k, longest = self.too_long
        e, system = self._corners.elements[k], self._corners.full.system
        one, two = (f"body '{system.names[b]}'" if b >= 0 else "the ground" for b in e.ends[:2])
        other = "" if self._by_law[k] else ", or hard=True with method=lw.Moreau()"
        softer = " or a softer law" if self._by_law[k] else " a softer law"
        return (
            f"{system.model[e.owner].label}: an impact of {one} and {two} needs steps of "
            f"{rounded_down(longest):g} s, which a step of {self._h:g} s is not divided into; take "
            f"h = {rounded_down(longest * 2**MOST):g} or less, tolerance=1e-6,{softer}{other}"
        )

    def _begin_pressed(self) -> None:
        """What is beyond a corner at the start."""
        state = self._run.state()
        memory, passed = self._run.memory, self._corners.passed(state, self._run)
        for k in np.flatnonzero((passed > 0) | ~self._by_law):
            depth = self._corners.depth(int(k), state, memory)
            if depth <= 0:
                continue
            touch = self._touch(int(k), state.time, self._durations(int(k)).speed(depth))
            pushed = self._corners.acceleration(int(k), state) > PUSHED * self._weight
            if touch is not None and (touch.speed > self._weight * self._h or pushed):
                self._fastest = max(self._fastest, touch.speed)
                longest = touch.longest
                self._times[:6, k] = touch.time, longest, longest, touch.until, touch.time, depth
                if self._by_law[k]:
                    memory[self._begins[k] + KNOWN] = passed[k]
        self._run.memory = memory
        self._level = self._needed()

    # ------------------------------------------------------------------------- what has happened
    def _column(self, memory: np.ndarray, column: int) -> np.ndarray:
        return memory[self._begins + column]

    def _durations(self, k: int) -> Durations:
        return self._corners.durations(k, self._run)

    def _at_rest(self, k: int) -> float:
        """Pieces that explicit methods need as long as element k presses."""
        return self._durations(k).at_rest / PIECES_AT_REST

    def _touch(self, k: int, time: float, speed: float) -> Touch | None:
        """What a touch of element k needs; None where whole steps resolve it."""
        durations, h = self._durations(k), self._h
        T, begins = durations.impact(speed)
        longest = durations.longest(T, PIECES)
        if self._explicit:
            longest = min(longest, self._at_rest(k))
        enough = min(begins / PIECES, longest)
        if not math.isfinite(longest) or enough >= h:
            return None
        speed /= durations.per_metre
        return Touch(k, time, speed, min(begins / FIRST, longest), longest, time + LASTS * T)

    def _met(self) -> list[Touch]:
        """Elements that passed corners in the last call of the run."""
        memory, found = self._run.memory, []
        speeds, times = self._column(memory, MET), self._column(memory, MET_AT)
        slow = 0.0 if self._explicit else self._too_slow()
        met = speeds > np.where(self._by_law, 0.0, slow)
        if self._explicit:  # whatever presses, however slowly it met
            rests = (self._column(memory, PASSED) > 0) & (self._times[2] == 0) & ~met
            times = np.where(rests, self._run.time, times)
            met |= rests
        for k in np.flatnonzero(met):
            touch = self._touch(int(k), float(times[k]), float(speeds[k]))
            if touch is not None and not self._slow(touch):
                found.append(touch)
        return found

    def _too_slow(self) -> float:
        """Touches of shapes below this speed are left to the steps."""
        slow = min(SLOW * self._weight * self._h, COUNTS * self._fastest)
        return max(slow, SLOWER * self._fastest)

    def _slow(self, touch: Touch) -> bool:
        """Whether a touch is left to the steps: of shapes one that only lays them down."""
        if not self._by_law[touch.number]:
            laid = self._weight * self._durations(touch.number).at_rest / (2 * math.pi)
            return not self._explicit and touch.speed <= laid
        if self._explicit and self._at_rest(touch.number) < self._h:
            return False
        return touch.speed <= max(SLOW * self._gravity * self._h, SLOWER * self._fastest)

    def _halvings(self, longest: float) -> int:
        """How often a step must be halved for pieces of this length."""
        return min(MOST, max(0, math.ceil(math.log2(self._h / longest) - 1e-9)))

    def _finest(self, met: list[Touch]) -> int:
        """How often a step must be halved for these touches."""
        return max((self._halvings(touch.first) for touch in met), default=0)

    def _needs_finer(self) -> bool:
        """Whether pieces that fail pass over an impact, so that shorter ones are taken anyway."""
        return self._finest(self._met()) > self._level

    def _needed(self) -> int:
        """How often the next piece halves a step, for the impacts that go on."""
        met, first, longest, until, _, _, calm = self._times
        under_way = np.flatnonzero(longest)
        if not len(under_way):
            return 0
        now = self._run.time
        pressing = self._column(self._run.memory, PASSED)[under_way] > 0
        pressing |= now <= met[under_way]  # at the start
        stays = self._explicit & ~self._by_law[under_way]
        for k in under_way[pressing & ~stays & (now >= until[under_way])]:
            if self._moves(int(k), now):
                until[k] = now + PIECES * longest[k]
            elif self._explicit and (rest := self._at_rest(int(k))) < self._h:
                first[k] = longest[k] = rest
                until[k] = math.inf
        goes_on = pressing & (stays | (now < until[under_way]))
        calm[under_way[pressing]] = 0.0
        for i in np.flatnonzero(~pressing & self._by_law[under_way]):
            n = int(under_way[i])
            if calm[n] == 0.0 and math.isfinite(self._durations(n).leaves):
                calm[n] = now + CALMS * longest[n]
            goes_on[i] = now < calm[n]
        self._tell(under_way[~pressing | ~goes_on], False)
        longest[under_way[~goes_on]] = 0.0
        k = under_way[goes_on]
        if not len(k):
            return 0
        allowed = np.minimum(np.maximum(first[k], GROWS * (now - met[k])), longest[k])
        return self._halvings(float(allowed.min()))

    def _tell(self, elements: np.ndarray, known: bool) -> None:
        """Laws whose corners are resolved now, or no longer, do not note them, or do."""
        mine = self._begins[elements[self._by_law[elements]]]
        if len(mine):
            memory = self._run.memory
            memory[mine + KNOWN] = memory[mine + PASSED] if known else 0.0
            self._run.memory = memory

    def _moves(self, k: int, now: float) -> bool:
        """Whether the depth of an element has changed as in an impact since it was looked at."""
        depth = self._corners.depth(k, self._run.state(), self._run.memory)
        seen, before = self._times[4:6, k]
        self._times[4:6, k] = now, depth
        slow = SLOW * self._weight * self._h
        if self._by_law[k]:
            slow = max(SLOW * self._gravity * self._h, SLOWER * self._fastest)
            slow *= self._durations(k).per_metre
        return abs(depth - before) > slow * (now - seen)

    # ------------------------------------------------------------------------------------- steps
    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        done, size = 0, len(times)
        while done < len(times):
            if self._level:
                self._in_pieces(times[done], saved[done], out)
                done, size = done + 1, 1
                continue
            part = slice(done, done + size)
            snapshot, failed = self._run.snapshot(), None
            try:
                self._rows(times[part], schedule[part], saved[part], out)
            except StepFailure as failure:  # of an impact, or for another reason
                failed = failure
            met = self._met()
            if failed is not None and not met:
                raise failed
            if not met:
                done += len(times[part])
                size = min(2 * size, len(times))
                continue
            self._run.recover(snapshot)
            if len(times[part]) > 1:  # how many steps a call takes must not change the motion
                before = int(np.searchsorted(times[part], first_time(met) - 1e-9 * self._h))
                size = max(1, min(before, len(times[part]) // 2))
                continue
            self._level = min(FINER, self._finest(met))
            self._in_pieces(times[done], saved[done], out)
            done, size = done + 1, 1

    def _in_pieces(self, time: float, saved: int, out: StepRows) -> None:
        """The step to `time`; done: of 2**MOST parts."""
        begin, h, whole, done = self._run.time, self._h, 2**MOST, 0
        while done < whole:
            length = whole >> self._level
            wider = min(length << FINER, whole)
            needed = self._needed()
            if needed >= self._level:
                self._level, length = needed, whole >> needed
                count = min(AT_ONCE, (whole - done) // length)
            else:
                count = (wider - done % wider) // length  # until a longer piece may begin
            snapshot, last = self._run.snapshot(), self._run.time
            ends = done + length * np.arange(1, count + 1)
            failed = self._try_pieces(begin, time, ends, saved, out)
            met = self._met()
            finer = self._finest(met)
            if finer <= self._level:
                if failed is not None:
                    raise failed
                self._note(met)
                done += count * length
                needed = self._needed()
                if needed < self._level and done % wider == 0:
                    self._level = max(needed, self._level - FINER, 0)
                continue
            self._run.recover(snapshot)
            piece = (time - begin) * length / whole
            before = int((first_time(met) - last) / piece - 0.5)
            if before > 0:
                failed = self._try_pieces(begin, time, ends[:before], saved, out)
                if failed is not None:
                    raise failed
                done += before * length
            self._level = min(finer, self._level + FINER)
        self._run.set_step(h)

    def _try_pieces(
        self, begin: float, time: float, ends: np.ndarray, saved: int, out: StepRows
    ) -> StepFailure | None:
        """Pieces of the step that end at these parts of 2**MOST; why they fail, where they do."""
        whole = 2**MOST
        times = begin + (time - begin) / whole * ends
        rows = np.full(len(ends), -1)
        if ends[-1] == whole:
            times[-1], rows[-1] = time, saved
        self._run.set_step((time - begin) * float(whole >> self._level) / whole)
        try:
            self._rows(times, self._run.data.schedule(times), rows, out)
        except StepFailure as failure:
            return failure
        return None

    def _note(self, met: list[Touch]) -> None:
        shortest = self._h / 2**MOST
        for touch in met:
            self._fastest = max(self._fastest, touch.speed)
            longest, speed = touch.longest, touch.speed
            if touch.first < shortest:
                if self._by_law[touch.number]:  # they press on: pieces grow without end
                    longest = self._h
                if self.too_long is None:
                    self._thrown = THROWN * max(self._fastest, speed)
                if self.too_long is None or touch.first < self.too_long[1]:
                    self.too_long = touch.number, touch.first
                if speed > self._thrown:  # energy out of nothing, faster with every impact
                    what = f"could not go on at t = {touch.time:.6g}: {self._unresolved()}"
                    raise StepFailure(touch.time, 0, speed, "", what)
            self._times[:, touch.number] = (
                touch.time, touch.first, longest, touch.until, touch.time, 0.0, 0.0
            )  # fmt: skip
        self._tell(np.array([touch.number for touch in met], int), True)

    def _rows(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """Steps whose first stored one goes to the row that `saved` says."""
        first = int(saved[saved >= 0].min(initial=len(out.motion)))
        rows = np.where(saved >= 0, saved - first, -1)
        memory = self._run.memory
        memory[self._begins + MET] = 0.0
        self._run.memory = memory
        self._run.advance(times, schedule, rows, StepRows(*(part[first:] for part in out)))


def first_time(met: list[Touch]) -> float:
    return min(touch.time for touch in met)
