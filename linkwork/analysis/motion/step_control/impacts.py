"""Impacts in runs with equal steps: the steps in which one happens are taken in pieces.

A contact that begins with the closing speed v lasts about T = 2.94 δ/v (Hertz), δ the depth at
which its law has stored m v²/2, m the reduced mass of the two bodies.  Where h is longer than T/48
(for implicit methods T/8), the step in which the shapes met is taken once more in 2ᵖ pieces, and so
are those that follow until the shapes are apart again or 5 T have passed, and one more, in which
the history of the method forgets the forces of the impact.  Results keep their times: pieces are
not stored.

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
from typing import Any

import numpy as np

from linkwork.analysis.motion.checks.turns import rounded_down
from linkwork.elements.contact.layout import GEOMETRY_AT, LAW_AT, MEMORY, MET, MET_AT, PRESSED
from linkwork.elements.laws.base import ENERGY, STRESS, over_times
from linkwork.errors import LinkworkWarning, users_line
from linkwork.integrators.contract import Run, StepFailure, StepRows
from linkwork.integrators.explicit.ode import RK4
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.system.state import State
from linkwork.system.system import System

PIECES = 48  # of an impact,
ENOUGH = 8  # unless implicit methods have so many steps for it
PIECES_AT_REST = 12  # of a vibration, for explicit methods
MOST = 14  # times a step is halved
LASTS = 5  # times T, at most, until an impact is over
SLOW = 4.0  # times g h: touches that implicit methods need not resolve
SLOWER = 0.01  # of the fastest so far, likewise
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
        self.mass, numbers = mass, law
        found = over_times(np.tile(numbers, (len(DEPTHS), 1)), DEPTHS[:, None])
        self.energy, force = found[:, ENERGY], found[:, STRESS]
        k = int(np.searchsorted(force, self.mass * weight))
        slope = np.gradient(force, DEPTHS)[min(k, len(DEPTHS) - 1)]
        self.at_rest = 2 * math.pi * math.sqrt(self.mass / slope) if slope > 0 else math.inf

    def impact(self, speed: float) -> float:
        """T in s; infinite where the law stores nothing or there is no mass."""
        wanted = self.mass * speed**2 / 2
        if speed <= 0 or not 0 < wanted <= self.energy[-1]:
            return math.inf
        return 2.94 * DEPTHS[int(np.searchsorted(self.energy, wanted))] / speed


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
        known = np.asarray(begun.get("impacts", np.zeros(1 + 3 * n)), float)
        self._fastest, self._until = float(known[0]), known[1 : n + 1].copy()
        self._halved = known[n + 1 : 2 * n + 1].astype(int)  # what an impact that goes on needs
        self._lately = known[2 * n + 1 :] != 0  # whether it went on before the last step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def set_step(self, h: float) -> None:
        self._h = h
        self._run.set_step(h)

    def restart(self) -> dict[str, Any]:
        own = np.concatenate([[self._fastest], self._until, self._halved, self._lately])
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

    # ------------------------------------------------------------------------- what has happened
    def _memory(self) -> np.ndarray:
        memory = self._run.state().memory
        assert memory is not None
        return memory

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

    def _needs(self, k: int, speed: float, h: float) -> tuple[int, float]:
        """How often a step must be halved for a touch of contact k, and how long that lasts."""
        duration = self._duration(k)
        T = duration.impact(speed)
        longest = T / PIECES
        if not self._explicit and ENOUGH * h <= T:
            return 0, 0.0
        if self._explicit:
            longest = min(longest, duration.at_rest / PIECES_AT_REST)
        if not math.isfinite(longest) or longest >= h:
            return 0, 0.0
        halved = math.ceil(math.log2(h / longest))
        if halved > MOST and (self.too_long is None or longest < self.too_long[1]):
            self.too_long = k, longest
        return min(MOST, halved), LASTS * T

    def _met(self, begin: float, h: float) -> list[tuple[int, float, int, float]]:
        """Contacts that met since `begin`: number, time, how often to halve h, end of the impact.
        """
        memory = self._memory()
        speeds, times = self._column(memory, MET), self._column(memory, MET_AT)
        slow = 0.0 if self._explicit else max(SLOW * self._weight * self._h, SLOWER * self._fastest)
        later = times > begin + 1e-9 * h
        found = []
        for k in np.flatnonzero(later & ((speeds > slow) | self._explicit)):
            halved, lasts = self._needs(int(k), float(speeds[k]), h)
            if halved:
                found.append((int(k), float(times[k]), halved, float(times[k]) + lasts))
        return found

    def _pieces(self) -> int:
        """How often the next step is halved by impacts that go on."""
        if not self._halved.any():
            return 0
        pressing = self._column(self._memory(), PRESSED) > 0
        goes_on = pressing & (self._explicit | (self._run.time < self._until))
        self._halved[~goes_on & ~self._lately] = 0
        self._lately = goes_on
        return int(self._halved.max(initial=0))

    # ------------------------------------------------------------------------------------- steps
    def advance(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        done, size = 0, len(times)
        while done < len(times):
            pieces = self._pieces()
            if pieces:
                self._in_pieces(times[done], saved[done], out, pieces)
                done, size = done + 1, 1
                continue
            part = slice(done, done + size)
            snapshot, begin = self._run.snapshot(), self._run.time
            failed = None
            try:
                self._rows(times[part], schedule[part], saved[part], out)
            except StepFailure as failure:  # of an impact, or for another reason
                failed = failure
            met = self._met(begin, self._h)
            if failed is not None and not met:
                raise failed
            if not met:
                done += len(times[part])
                size = min(2 * size, len(times))
                continue
            self._run.recover(snapshot)
            first = min(time for _, time, _, _ in met)
            before = int(np.searchsorted(times[part], first - 1e-9 * self._h))
            if before:
                size = min(before, max(1, len(times[part]) // 2))
            else:
                self._in_pieces(times[done], saved[done], out, max(p for _, _, p, _ in met))
                done, size = done + 1, 1

    def _in_pieces(self, time: float, saved: int, out: StepRows, halved: int) -> None:
        """The step to `time`, halved so often, or more where its impacts turn out to need that."""
        snapshot, begin, h = self._run.snapshot(), self._run.time, self._h
        while True:
            n = 2**halved
            piece = (time - begin) / n
            self._run.set_step(piece)
            times = begin + piece * np.arange(1, n + 1)
            times[-1] = time
            rows = np.full(n, -1)
            rows[-1] = saved
            self._rows(times, self._run.system.schedule(times), rows, out)
            met = self._met(begin, h)
            most = max((p for _, _, p, _ in met), default=halved)
            if most <= halved:
                break
            self._run.recover(snapshot)
            halved = most
        for k, _, p, until in met:
            speed = float(self._column(self._memory(), MET)[k])
            self._fastest = max(self._fastest, speed)
            self._halved[k], self._until[k], self._lately[k] = p, until, True
        self._run.set_step(h)

    def _rows(
        self, times: np.ndarray, schedule: np.ndarray, saved: np.ndarray, out: StepRows
    ) -> None:
        """Steps whose first stored one goes to the row that `saved` says."""
        first = int(saved[saved >= 0].min(initial=len(out.motion)))
        rows = np.where(saved >= 0, saved - first, -1)
        self._run.advance(times, schedule, rows, StepRows(*(part[first:] for part in out)))
