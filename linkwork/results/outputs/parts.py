"""Power and energy of some items: what their bodies and elements hold, dissipate and supply.

    T, V of bodies and elements;   ∫ P dt by the trapezoidal rule over the stored times

Motion laws of joints supply γᵀ C_t.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from linkwork.model.outputs import Role
from linkwork.results.outputs import replayed, totals
from linkwork.results.outputs.stored import drive_power
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result

DISSIPATED, SUPPLIED = 0, 1


def has_power(e: Element) -> bool:
    """Whether an element can dissipate or supply energy: joints do so by motion laws alone."""
    return not e.entry.family.signal and bool(e.entry.laws or not e.entry.rows)


def power_of(result: Result, owners: Collection[str]) -> np.ndarray:
    """(T, 2): power that the elements of these items dissipate and supply."""
    elements = result.system.elements
    numbers = [i for i, e in enumerate(elements) if e.owner in owners]
    power = np.zeros((len(result.time), 2))
    if not numbers:
        return power
    _, parts = replayed.replay(result, numbers, each=True)
    for part, answer in parts:
        power[part] = answer.power.sum(axis=1)
    driven = [elements[i] for i in numbers if elements[i].rows and elements[i].entry.laws]
    if driven:
        power[:, SUPPLIED] += drive_power(result, driven)
    return power


def energies_of(result: Result, owners: Collection[str]) -> dict[str, tuple[np.ndarray, str]]:
    """Energies of these items with their names in words."""
    system = result.system
    numbers = [i for i, e in enumerate(system.elements) if e.owner in owners]
    bodies = [
        b for b, body in enumerate(system.items)
        if body.name in owners or getattr(getattr(body, "link", None), "name", None) in owners
    ]  # fmt: skip
    sums = totals.sums_of_bodies(result, bodies)
    kinetic = sums[:, 0] + replayed.totals(result, numbers)[Role.KINETIC]
    stored = sums[:, 1] + totals.stored_by(result, numbers)
    power = power_of(result, owners)
    steps = np.diff(result.time)[:, None] * (power[1:] + power[:-1]) / 2
    dissipated, supplied = np.vstack([np.zeros((1, 2)), np.cumsum(steps, axis=0)]).T
    return {
        "kinetic": (kinetic, "kinetic energy"),
        "stored": (stored, "stored energy (of gravity and of elements)"),
        "dissipated": (dissipated, "energy dissipated until then"),
        "supplied": (supplied, "energy supplied until then"),
    }
