"""Impacts in runs with equal steps: the steps in which one happens are taken in pieces.

A contact that begins with the closing speed v lasts about T = 2.94 δ/v (Hertz), δ the depth at
which its law has stored m v²/2, m the reduced mass of the two bodies.  Damping alone would stop
them at the depth δ' where its coefficient c has ∫ c ds = m; T' = 2.94 min(δ, δ')/v.  A time s after
the touch pieces are no longer than

    min(max(T'/256, s/12), T/48)

so that they are short where forces rise steeply.  Where h is longer than T'/48, the step in which
the shapes met is taken once more: it is divided until the touch lies in a piece of T'/256; then
pieces grow as above until the shapes are apart again, or until 5 T have passed and they no longer
move in each other (a light body that others push on presses far longer), and afterwards by factors
of four, in which the history of the method forgets the forces of the impact.  Pieces are h/2ᵖ long
and begin at multiples of their length.  Results keep their times: pieces are not stored.

Shapes that lie in each other at the start, with the energy m v²/2 in their law, are as in the
middle of an impact with the speed v.

Implicit methods go over contacts at rest with any step, so slow touches are left to them: those
below 4 g h, or below a hundredth of the fastest so far.  Explicit ones are stable only while they
resolve the vibration of a body on its contact, T = 2π √(m/k) with the slope k of the law under the
weight: they take pieces as long as shapes press each other.

How shapes met is noted by the elements in every evaluation (elements.contact.kernel), so that a
step which passes over an impact as a whole is noticed as well.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.analysis.contacts_at_start import depth_of
from linkwork.analysis.motion.checks.turns import rounded_down
from linkwork.elements.contact.layout import GEOMETRY_AT, LAW_AT, MEMORY, MET, MET_AT, PRESSED
from linkwork.elements.laws.base import ENERGY, STRESS, over_times
from linkwork.errors import LinkworkWarning, users_line
from linkwork.integrators.contract import Run, StepFailure, StepRows
from linkwork.integrators.explicit.ode import RK4
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.system.state import State
from linkwork.system.system import System

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
NOTES = 6  # numbers that are kept of every contact
DEPTHS = np.logspace(-12, 0, 400)


def resolves_impacts(run: Run, method: Any, full: System, begun: dict[str, Any]) -> Run:
    """The run, or around it one that takes impacts in pieces where a model has contacts; begun: the
    numbers of a restart."""
    own_steps = getattr(method, "solver", None) or getattr(method, "integrator", "")
    controlled = own_steps and own_steps not in ("rk4", "implicit")
    if controlled or isinstance(method, Moreau):
        return run  # steps by its own error, or impulses
    places = places_of_contacts(full)
    if not len(places[0]):
        return run
    explicit = isinstance(method, RK4) or own_steps == "rk4"
    return ResolvedImpacts(run, full, places, explicit, begun)


def places_of_contacts(system: System) -> tuple[np.ndarray, list[Any]]:
    """Where the memory of each contact begins among all memory, and the elements."""
    first, begins, found = 0, [], []
    for family in system.families:
        elements = [e for e in system.elements if e.entry.family is family]
        width = int(family.memory)
        if family.rubs and width == MEMORY:
            begins += [first + k * width for k in range(len(elements))]
            found += elements
        first += width * len(elements)
    return np.array(begins, int), found


class Duration:
    """How long an impact of two bodies lasts, and a vibration at rest, by the law between them."""

    def __init__(self, mass: float, law: np.ndarray, weight: float) -> None:
        self.mass, numbers = mass, np.tile(law, (len(DEPTHS), 1))
        found = over_times(numbers, DEPTHS[:, None])
        self.energy, force = found[:, ENERGY], found[:, STRESS]
        k = int(np.searchsorted(force, self.mass * weight))
        slope = np.gradient(force, DEPTHS)[min(k, len(DEPTHS) - 1)]
        self.at_rest = 2 * math.pi * math.sqrt(self.mass / slope) if slope > 0 else math.inf
        damped = over_times(numbers, DEPTHS[:, None], np.ones((len(DEPTHS), 1)))
        c = np.maximum(damped[:, STRESS] - force, 0.0)  # at 1 m/s
        taken = np.concatenate([[0.0], np.cumsum(0.5 * (c[1:] + c[:-1]) * np.diff(DEPTHS))])
        k = int(np.searchsorted(taken, self.mass))
        self.stops = float(DEPTHS[k]) if k < len(DEPTHS) else math.inf  # the depth δ'

    def speed(self, depth: float) -> float:
        """With which an impact reaches a depth, m/s."""
        stored = float(np.interp(depth, DEPTHS, self.energy))
        return math.sqrt(2 * stored / self.mass) if self.mass > 0 else 0.0

    def impact(self, speed: float) -> tuple[float, float]:
        """T and T' in s; infinite where the law stores nothing or there is no mass."""
        wanted = self.mass * speed**2 / 2
        if speed <= 0 or not 0 < wanted <= self.energy[-1]:
            return math.inf, math.inf
        depth = float(DEPTHS[int(np.searchsorted(self.energy, wanted))])
        return 2.94 * depth / speed, 2.94 * min(depth, self.stops) / speed


class Touch(NamedTuple):
    """A contact that met: its number, when, with which speed; the longest pieces as it begins and
    later, and the end of the impact."""

    number: int
    time: float
    speed: float
    first: float
    longest: float
    until: float


class ResolvedImpacts:
    """A run whose steps are taken in pieces while shapes hit each other."""

    def __init__(
        self, run: Run, full: System, places: tuple[np.ndarray, list[Any]], explicit: bool,
        begun: dict[str, Any],
    ) -> None:  # fmt: skip
        self._run, self._full, self._explicit = run, full, explicit
        self._begins, self._elements = places
        self._h = run.h
        gravity = np.asarray(full.model.gravity, float)
        self._weight = float(np.linalg.norm(gravity)) or 1.0
        self._known: dict[int, Duration] = {}
        self._alike: dict[tuple[float, bytes], Duration] = {}
        self.too_long: tuple[int, float] | None = None  # a contact whose impacts need more pieces
        n = len(self._begins)
        known = np.asarray(begun.get("impacts", ()), float)
        if len(known) != 2 + NOTES * n:
            known = np.zeros(2 + NOTES * n)
        # the fastest touch; how often the next piece halves a step; of every contact: when it met,
        # the longest pieces as it began and later (0: no impact), the end of the impact; when the
        # depth was looked at, and the depth
        self._fastest, self._level = float(known[0]), int(known[1])
        self._times = known[2:].reshape(NOTES, n).copy()
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
        if self.too_long is None:
            return
        k, longest = self.too_long
        e, system = self._elements[k], self._full
        one, two = (f"body '{system.names[b]}'" if b >= 0 else "the ground" for b in e.ends)
        warnings.warn(
            f"{system.model[e.owner].label}: an impact of {one} and {two} needs steps of "
            f"{rounded_down(longest):g} s, which a step of {self._h:g} s is not divided into; take "
            f"h = {rounded_down(longest * 2**MOST):g} or less, tolerance=1e-6, a softer law, or "
            "hard=True with method=lw.Moreau()",
            LinkworkWarning, stacklevel=users_line(),
        )  # fmt: skip

    def _begin_pressed(self) -> None:
        """Shapes that lie in each other at the start."""
        state = self._run.state()
        for k, e in enumerate(self._elements):
            depth = depth_of(e, state)
            speed = self._duration(k).speed(depth) if depth > 0 else 0.0
            if speed > self._weight * self._h:
                touch = self._touch(k, state.time, speed)
                if touch is not None:
                    longest = touch.longest
                    self._times[:, k] = (
                        touch.time, longest, longest, touch.until, touch.time, depth
                    )  # fmt: skip
        self._level = self._needed()

    # ------------------------------------------------------------------------- what has happened
    def _column(self, memory: np.ndarray, column: int) -> np.ndarray:
        return memory[self._begins + MEMORY - column]

    def _duration(self, k: int) -> Duration:
        """That of contact k; contacts with equal masses and laws share one."""
        if k not in self._known:
            e, items = self._elements[k], self._full.items
            masses = [items[b].mass for b in e.ends if b >= 0 and items[b].mass > 0]
            mass, reals = 1 / sum(1 / m for m in masses) if masses else 0.0, e.entry.reals
            law = reals[int(reals[LAW_AT]) : int(reals[GEOMETRY_AT])]
            alike = mass, law.tobytes()
            if alike not in self._alike:
                self._alike[alike] = Duration(mass, law, self._weight)
            self._known[k] = self._alike[alike]
        return self._known[k]

    def _touch(self, k: int, time: float, speed: float) -> Touch | None:
        """What a touch of contact k needs; None where whole steps resolve it."""
        duration, h = self._duration(k), self._h
        T, begins = duration.impact(speed)
        longest, enough = T / PIECES, begins / PIECES
        if self._explicit:
            longest = min(longest, duration.at_rest / PIECES_AT_REST)
            enough = min(enough, longest)
        if not math.isfinite(longest) or enough >= h:
            return None
        return Touch(k, time, speed, min(begins / FIRST, longest), longest, time + LASTS * T)

    def _met(self) -> list[Touch]:
        """Contacts that met in the last call of the run."""
        memory, found = self._run.memory, []
        speeds, times = self._column(memory, MET), self._column(memory, MET_AT)
        slow = 0.0 if self._explicit else max(SLOW * self._weight * self._h, SLOWER * self._fastest)
        met = speeds > slow
        if self._explicit:  # whatever presses, however slowly it met
            rests = (self._column(memory, PRESSED) > 0) & (self._times[2] == 0) & ~met
            times = np.where(rests, self._run.time, times)
            met |= rests
        for k in np.flatnonzero(met):
            touch = self._touch(int(k), float(times[k]), float(speeds[k]))
            if touch is not None:
                found.append(touch)
        return found

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
        met, first, longest, until, *_ = self._times
        under_way = np.flatnonzero(longest)
        if not len(under_way):
            return 0
        now = self._run.time
        pressing = self._column(self._run.memory, PRESSED)[under_way] > 0
        pressing |= now <= met[under_way]  # at the start
        if not self._explicit:
            for k in under_way[pressing & (now >= until[under_way])]:
                if self._moves(int(k), now):
                    until[k] = now + PIECES * longest[k]
        goes_on = pressing & (self._explicit | (now < until[under_way]))
        longest[under_way[~goes_on]] = 0.0
        k = under_way[goes_on]
        if not len(k):
            return 0
        allowed = np.minimum(np.maximum(first[k], GROWS * (now - met[k])), longest[k])
        return self._halvings(float(allowed.min()))

    def _moves(self, k: int, now: float) -> bool:
        """Whether the depth of a contact has changed as in an impact since it was looked at."""
        depth = depth_of(self._elements[k], self._run.state())
        seen, before = self._times[4:, k]
        self._times[4:, k] = now, depth
        return abs(depth - before) > SLOW * self._weight * self._h * (now - seen)

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
            self._rows(times, self._run.system.schedule(times), rows, out)
        except StepFailure as failure:
            return failure
        return None

    def _note(self, met: list[Touch]) -> None:
        for touch in met:
            self._fastest = max(self._fastest, touch.speed)
            self._times[:, touch.number] = (
                touch.time, touch.first, touch.longest, touch.until, touch.time, 0.0
            )  # fmt: skip
            shortest = self._h / 2**MOST
            if touch.first < shortest and (
                self.too_long is None or touch.first < self.too_long[1]
            ):
                self.too_long = touch.number, touch.first

    def _rows(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """Steps whose first stored one goes to the row that `saved` says."""
        first = int(saved[saved >= 0].min(initial=len(out.motion)))
        rows = np.where(saved >= 0, saved - first, -1)
        memory = self._run.memory
        memory[self._begins + MEMORY - MET] = 0.0
        self._run.memory = memory
        self._run.advance(times, schedule, rows, StepRows(*(part[first:] for part in out)))


def first_time(met: list[Touch]) -> float:
    return min(touch.time for touch in met)
