"""Energy and momentum of beams with consistent inertia (elements.beams.inertia), over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.kernels import rotations
from linkwork.results.outputs.variable_mass import MassSums, mass_sums

if TYPE_CHECKING:
    from linkwork.results.result import Result


def beam_sums(result: Result) -> MassSums | None:
    """Of all elements with consistent inertia; None where there is none."""
    families: dict[object, list] = {}
    for e in result.system.elements:
        if e.entry.family.name.startswith("inertia of a beam"):
            families.setdefault(e.entry.family, []).append(e)
    if not families:
        return None
    from linkwork.elements.beams.inertia import EACH, places  # slow to import

    T = len(result.time)
    total = MassSums(np.zeros(T), np.zeros((T, 3)), np.zeros((T, 3)), np.zeros((T, 3)))
    motion = result.motion[:]
    for elements in families.values():
        n = elements[0].entry.family.bodies
        C = places(n)[2]
        reals = np.array([e.entry.reals for e in elements])
        mass = reals[:, C:].reshape(-1, n, n)
        ends = np.array([e.ends for e in elements])
        r, q, v, w = (motion[:, ends, a:b] for a, b in ((0, 3), (3, 7), (7, 10), (10, 13)))
        R, arms = rotations.matrix(q), reals[:, : EACH * n].reshape(-1, n, EACH)
        place = r + np.einsum("teiab,eib->teia", R, arms)
        speed = v + np.einsum("teiab,teib->teia", R, np.cross(w, arms))
        p = np.einsum("eij,teja->teia", mass, speed)
        total.kinetic[:] += 0.5 * np.einsum("teia,teia->t", p, speed)
        total.weight[:] += np.einsum("eij,teja->ta", mass, place)
        total.momentum[:] += p.sum(axis=(1, 2))
        total.angular_momentum[:] += np.cross(place, p).sum(axis=(1, 2))
    return total


def all_mass_sums(result: Result) -> MassSums | None:
    """Of masses that change, of beams and of cables; None where there are none."""
    parts = [mass_sums(result), beam_sums(result)]
    if any(e.entry.family.name == "cable point" for e in result.system.elements):
        from linkwork.results.outputs.deformed.cables import cable_sums  # slow to import

        parts.append(cable_sums(result))
    found = [part for part in parts if part is not None]
    return MassSums(*(np.sum(part, axis=0) for part in zip(*found))) if found else None
