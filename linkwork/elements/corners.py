"""Corners of forces: elements that begin to act somewhere, and note when they do.

A stop, a shape that touches another or a rod that becomes taut acts beyond a corner alone, and then
for far less than a step.  Such an element says so with notes, the first numbers of its memory:

    MET      the largest speed with which it went further beyond a corner in any evaluation since a
             run has set this to zero
    MET_AT   the time of the first of these evaluations
    PASSED   which corners it is beyond, 0 for none
    KNOWN    which of these a run resolves already: going further beyond them is no news

and its entry has a `Corner`, from which a run knows how long the steps may be that resolve it
(analysis.motion.step_control.impacts).  Notes change no force.  Laws of one component say in every
call which corners they are beyond (elements.laws.base); elements of contact have their own notes,
since several points may bear (elements.contact.kernel).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.laws.base import BEYOND, FURTHER, PRESTRAIN, ConstitutiveLaw
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined

MET, MET_AT, PASSED, KNOWN, NOTES = 0, 1, 2, 3, 4


@inlined
def note_corner(memory, i, time, beyond, speed):
    """Notes of element i; beyond its corner above: 1, below: 2, none: 0."""
    memory[i, PASSED] = beyond
    if speed > 0.0 and beyond != memory[i, KNOWN]:
        if memory[i, MET] == 0.0:
            memory[i, MET_AT] = time
        memory[i, MET] = max(speed, memory[i, MET])


@inlined
def note(memory, i, time, y):
    """The same after a call of its law with the work y."""
    note_corner(memory, i, time, y[BEYOND], y[FURTHER])


@dataclass(frozen=True)
class Corner:
    """What begins to act, and on what.

    numbers, integers : of the law (elements.laws.base)
    places  : strains and sides of its corners
    column  : where the reals stand in the element, whose pre-stress is a force along its motion;
              None where `mass` is all that is known (contacts, cylinders)
    mass    : that the element moves, as far as its own bodies say (kg, kg m²)
    heavy   : the mass of these bodies (kg), whose weight may press
    length  : what a strain is of (m); 1 for displacements and angles
    strain  : (numbers, r, q) over time -> strains;  of contacts depths
    """

    numbers: np.ndarray
    integers: tuple[Any, ...]
    places: tuple[tuple[float, float], ...]
    column: int | None
    mass: float
    heavy: float
    strain: Callable[..., np.ndarray]
    length: float = 1.0

    def depth(self, numbers: tuple[np.ndarray, ...], r: Any, q: Any) -> float:
        """How far the element with these numbers (Entry.numbers) is beyond a corner, one time;
        negative: before all of them."""
        at = float(self.strain(*numbers, r, q)[0])
        if self.column is not None:
            at -= float(numbers[-1][0, self.column + PRESTRAIN])
        return max(side * (at - place) for place, side in self.places)


def reduced(parts: list[float]) -> float:
    """1/(1/a + 1/b) of masses that are positive and finite; 0 without any."""
    some = [x for x in parts if 0 < x < math.inf]
    return 1 / sum(1 / x for x in some) if some else 0.0


def corner_of(
    law: Any, numbers: np.ndarray, integers: tuple[Any, ...], column: int, frames: Any,
    strain: Callable[..., np.ndarray], turns: bool = False, length: float = 1.0,
) -> Corner | None:  # fmt: skip
    """That of a law between two frames; None where the law has no corner."""
    places = tuple(law.corners()) if isinstance(law, ConstitutiveLaw) else ()
    if not places:
        return None
    bodies = [(frame, frame.body) for frame in frames if isinstance(frame.body, Body)]
    heavy = reduced([body.mass for _, body in bodies])
    mass = reduced([inertia_about(*both) for both in bodies]) if turns else heavy
    return Corner(numbers, integers, places, column, mass, heavy, strain, length)


def inertia_about(frame: Any, body: Body) -> float:
    """Of a body about the z axis of a frame on it (kg m²)."""
    axis = rotations.matrix(frame.orientation)[:, 2]
    arm = np.asarray(frame.position, float)
    across = arm - (arm @ axis) * axis
    return float(axis @ np.asarray(body.inertia) @ axis + body.mass * (across @ across))
