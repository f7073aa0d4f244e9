"""The elements of a model that begin to act at a corner: where their notes are, and what they say.

Elements note when they passed a corner (elements.corners); here is what a run knows of them beside
these notes: durations of their impacts, and how far they are beyond their corners.
"""

from __future__ import annotations

import numpy as np

from linkwork.analysis.motion.step_control.durations import Durations, mass_moved
from linkwork.elements.corners import KNOWN, PASSED
from linkwork.integrators.contract import Run
from linkwork.system.data import Data
from linkwork.system.state import State


class Corners:
    """Elements with corners; begins: where the notes of each begin among all memory."""

    def __init__(self, full: Data) -> None:
        system = full.system
        self.full, first = full, 0
        begins: list[int] = []
        self.numbers: list[int] = []
        for family in system.families:
            numbers = [i for i, e in enumerate(system.elements) if e.entry.family is family]
            width = family.memory.size
            if family.memory.notes:
                begins += [first + k * width for k in range(len(numbers))]
                self.numbers += numbers
            first += width * len(numbers)
        self.begins = np.array(begins, int)
        self.elements = [system.elements[i] for i in self.numbers]
        # laws between two frames; the others are contacts
        self.by_law = np.array([e.entry.family.memory.notes > KNOWN for e in self.elements], bool)
        self.gravity = float(np.linalg.norm(np.asarray(system.model.gravity, float)))
        self._known: dict[int, Durations] = {}
        self._alike: dict[tuple[float, bytes, tuple], Durations] = {}
        self._apart: Data | None = None  # for masses

    def __len__(self) -> int:
        return len(self.begins)

    def durations(self, k: int, run: Run) -> Durations:
        """Those of element k; contacts with equal masses and laws share one."""
        if k not in self._known:
            corner = self.elements[k].entry.corner
            if corner.column is None:
                alike = corner.mass, corner.numbers.tobytes(), corner.integers
                if alike not in self._alike:
                    gravity = self.gravity if self.by_law[k] else self.gravity or 1.0
                    self._alike[alike] = Durations(corner, corner.mass, gravity)
                self._known[k] = self._alike[alike]
            else:
                if self._apart is None:
                    self._apart = self.full.restricted(run.data.keep)
                mass = mass_moved(self._apart, self.numbers[k], corner)
                self._known[k] = Durations(corner, mass, self.gravity)
        return self._known[k]

    def depth(self, k: int, state: State, memory: np.ndarray) -> float:
        """How far element k is beyond its corners, negative before them."""
        e, begin = self.elements[k], self.begins[k]
        reals, width = e.entry.row, e.entry.family.memory.size
        for law in e.entry.laws:
            if law.signal is None:
                reals[law.column : law.column + law.length] = law.values(np.array([state.time]))[0]
        reals[-width:] = memory[begin : begin + width]
        still = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
        ends = [
            still if b < 0 else (state.motion[b : b + 1, :3], state.motion[b : b + 1, 3:7])
            for b in e.ends if b < self.full.system.bodies
        ]  # fmt: skip
        r, q = (list(part) for part in zip(*ends))
        return e.entry.corner.depth(e.entry.numbers_with(reals[None]), r, q)

    def acceleration(self, k: int, state: State) -> float:
        """The largest of the bodies of element k, m/s²."""
        if state.acceleration is None:
            return 0.0
        ends = [b for b in self.elements[k].ends if 0 <= b < self.full.system.bodies]
        return float(np.abs(state.acceleration[ends, :3]).max(initial=0.0))

    def passed(self, state: State, run: Run) -> np.ndarray:
        """Which corners of laws each element is beyond."""
        if not self.by_law.any():
            return np.zeros(len(self))
        run.data.evaluate(state, tangent=False)
        return np.where(self.by_law, run.data.memory[self.begins + PASSED], 0.0)
