"""Friction in statics: bristles stretched from where the search began, under the loads found.

    |c| = |σ₀ Δs| up to what they bear, g(0), then g(0) against the way Δs from the start

A rough mechanism has a whole range of equilibria.  In the one found surfaces hold where the search
began, or have slid from there one way and hold again, as after a slow motion.  So what bristles
remember stays that of the start while the search goes on; at the end they are told the position
found, and a run that begins there has them bent as they are.

Small motions about a state stretch bristles that hold like springs, N σ₀ and N σ₁; surfaces that
slide have the slope of g(v).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from linkwork.elements.contact.layout import BENT
from linkwork.elements.friction.bristles import MU, RADIUS, STATIC, TABLED
from linkwork.elements.friction.surfaces import MEMORY as IN_SPACE
from linkwork.elements.friction.surfaces import TURNED
from linkwork.elements.layout import UNKNOWN
from linkwork.system.data import Data
from linkwork.system.state import State

ANYTHING = 1e12  # coefficient of friction
MOST = 3.0  # rad that rubbing surfaces may turn from the start: beyond π their sense is not known


class Bristles:
    """Where in `State.memory` friction has its path, and what stands there at the start."""

    def __init__(self, data: Data) -> None:
        system = data.system
        self.data = data
        self.paths: list[tuple[int, int, float]] = []  # first place, how many, radius
        self.bent: list[slice] = []  # where the deflections are
        first = 0
        for family in system.families:
            for e in (x for x in system.elements if x.entry.family is family):
                n = family.memory.size
                if family.reads and n:
                    radius = e.entry.reals[family.numbers + RADIUS]
                    self.paths.append((first, n, float(radius)))
                    self.bent.append(slice(first + n - (3 if n == IN_SPACE else 1), first + n))
                elif family.memory.touches:  # a contact: what touched does not depend on turns
                    self.paths.append((first, n, 0.0))
                    self.bent.append(slice(first + BENT, first + n))
                first += n
        self.rub = np.zeros(first, bool)
        for first, n, _ in self.paths:
            self.rub[first : first + n] = True
        self.start: np.ndarray | None = None

    @property
    def loaded(self) -> bool:
        """Whether any friction depends on reactions."""
        return any(e.entry.reads and e.entry.family.memory.size for e in self.data.system.elements)

    @contextmanager
    def unlimited(self) -> Iterator[None]:
        """Bristles that bear anything, so that reactions are those of surfaces that all hold."""
        reals = self.data.tables.reals
        kept = reals.copy()
        for place, e in zip(self.data.system.places, self.data.system.elements, strict=True):
            family = e.entry.family
            if (family.reads and family.memory.size) or family.memory.touches:
                own = place.start + family.numbers
                reals[own + TABLED] = 0.0
                reals[own + MU] = reals[own + STATIC] = ANYTHING
        try:
            yield
        finally:
            reals[:] = kept

    def begin(self, state: State) -> State:
        """The state in which a search begins; paths that are not known begin there, relaxed."""
        if not self.paths:
            return state
        memory = state.memory
        if memory is None:
            memory = self.data.system.described_state().memory
        assert memory is not None
        memory = np.where(self.rub & np.isnan(memory), UNKNOWN, memory)
        state = self.data.remember(replace(state, memory=memory))
        self.start = state.memory
        return state

    def in_motion(self, state: State) -> State:
        """For small motions: surfaces that hold do so from here; those that slide have no path.

        Bristles without a path are at their limit, c = ±g(v), and change with the speed alone.
        """
        if not self.paths:
            return state
        known = self.begin(replace(state, gamma=None)).memory
        assert known is not None
        relaxed = known.copy()
        for first, _, _ in self.paths:
            relaxed[first] = UNKNOWN
        at_first = self.data.remember(replace(state, gamma=None, memory=relaxed)).memory
        assert at_first is not None
        memory = known.copy()
        for (first, _, _), bent in zip(self.paths, self.bent, strict=True):
            if at_first[bent].any():
                memory[first] = UNKNOWN
        return replace(state, memory=memory)

    def reached(self, state: State) -> State | None:
        """The state with its turns counted; None where surfaces have turned too far."""
        found = self.data.remember(state)
        if not self.paths or self.start is None:
            return found
        assert found.memory is not None
        for first, n, radius in self.paths:
            if self.turned(self.start[first : first + n], found.memory[first : first + n], radius):
                return None
        return replace(found, memory=np.where(self.rub, self.start, found.memory))

    @staticmethod
    def turned(start: np.ndarray, now: np.ndarray, radius: float) -> bool:
        """Whether rubbing surfaces have turned further than a half turn can tell."""
        if len(now) == IN_SPACE:
            q = slice(TURNED, TURNED + 4)
            angle = 2 * float(np.arccos(min(1.0, abs(start[q] @ now[q]))))
            return radius > 0 and angle > MOST
        return radius > 0 and abs(float(now[0] - start[0])) > MOST * radius
