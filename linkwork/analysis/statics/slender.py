"""Slender parts in statics: tangents with predicted stresses.

A Newton step bends a beam along straight lines, which stretches it by δ²/2: with EA ≫ EI/L² the
stress σ of that stretch is far from any that the equilibrium has, and its geometric stiffness
spoils the next step.  With the stresses of the evaluation points as unknowns of their own, of
which Newton's method would make

    σ₊ = σ(q) + dσ/dq · δ

and which leave the equations again (condensed), the residual is the same, and the tangent has σ₊ in
its geometric stiffness in place of σ(q + δ) (D. Magisano, L. Leonetti, G. Garcea: How to improve
efficiency and robustness of the Newton method in geometrically non-linear structural problem
discretized via displacement-based finite elements, Computer Methods in Applied Mechanics and
Engineering 313 (2017)).  dσ/dq · δ is a central difference of strains along the step.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from linkwork.elements.beams.kernels.strains import evaluation_points, law_codes, section_stress
from linkwork.elements.beams.layout import GIVEN, SHAPE, STRESS, WEIGHT, point_at
from linkwork.system.compilation.numbering import Element
from linkwork.system.data import Data
from linkwork.system.state import State

SMALL = 1e-5  # rad, or of the model's length: of the step in differences


class SlenderParts:
    """The elements of a system that are far stiffer along their axis than across it."""

    def __init__(self, data: Data) -> None:
        self.data = data
        found: dict[object, list[int]] = {}
        for i, e in enumerate(data.system.elements):
            if e.entry.family.slender:
                found.setdefault(e.entry.family, []).append(i)
        self.families = [self._places(numbers) for numbers in found.values()]

    def _places(self, numbers: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Bodies (elements, n), integers of laws (elements, points, …), places in all reals
        (elements, reals), numbers of a section."""
        elements: list[Element] = [self.data.system.elements[i] for i in numbers]
        first = np.array([self.data.system.places[i].start for i in numbers])
        family = elements[0].entry.family
        if family.shares:  # stresses differ from element to element
            self.data.separate_numbers(family)
        ends = np.array([e.ends for e in elements])
        points = family.bodies - 1
        section = (family.reals - point_at(family.bodies, 0, 0)) // points - point_at(0, 0, 1)
        codes = np.array([law_codes(e.entry.integer_row, family.bodies) for e in elements])
        return ends, codes, first[:, None] + np.arange(family.reals), section

    def __bool__(self) -> bool:
        return bool(self.families)

    def clear(self) -> None:
        """Tangents have the stresses of the strains."""
        self._set(None)

    def predict(self, state: State, step: np.ndarray) -> None:
        """σ₊ for a step (motion unknowns) from a state."""
        size = float(np.abs(step).max(initial=0.0))
        if size == 0.0:
            self.clear()
            return
        t = SMALL * max(1.0, self.data.system.length) / size
        here, ahead, behind = (
            self._stresses(x) for x in (state, state.moved(t * step), state.moved(-t * step))
        )
        self._set([a + (b - c) / (2 * t) for a, b, c in zip(here, ahead, behind)])

    @contextlib.contextmanager
    def absent(self) -> Iterator[None]:
        """Tangents without them, as long as it lasts."""
        reals, before = self.data.tables.reals, self.data.tables.reals.copy()
        self._set([np.zeros((ends.shape[1] - 1, len(ends), 6)) for ends, *_ in self.families])
        for ends, _, places, section in self.families:
            for k in range(ends.shape[1] - 1):
                c = point_at(ends.shape[1], section, k)
                reals[places[:, c + SHAPE : c + WEIGHT]] = 0.0
        try:
            yield
        finally:
            reals[:] = before

    def _stresses(self, state: State) -> list[np.ndarray]:
        """(points, elements, 6) of every family."""
        ground = [[0, 0, 0, 1, 0, 0, 0, *np.zeros(6)]]
        motion = np.concatenate([state.motion, ground])
        found = []
        for ends, codes, places, _ in self.families:
            reals = self.data.tables.reals[places]
            r = [motion[b, :3] for b in ends.T]
            q = [motion[b, 3:7] for b in ends.T]
            points = evaluation_points(reals, r, q)
            found.append(np.array([
                section_stress(codes, reals, len(r), k, point) for k, point in enumerate(points)
            ]))  # fmt: skip
        return found

    def _set(self, stresses: list[np.ndarray] | None) -> None:
        for number, (ends, _, places, section) in enumerate(self.families):
            n = ends.shape[1]
            for k in range(n - 1):
                c = point_at(n, section, k)
                self.data.tables.reals[places[:, c + GIVEN]] = stresses is not None
                if stresses is not None:
                    self.data.tables.reals[places[:, c + STRESS : c + STRESS + 6]] = stresses[
                        number
                    ][k]
