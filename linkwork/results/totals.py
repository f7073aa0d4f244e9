"""Energy and momentum of all bodies together.

    T = Σ ½ m v² + ½ ωᵀJω,   V = −Σ m g·r + potentials of springs
    p = Σ m v,   L = Σ r × m v + R J ω      (about the origin, world axes)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.math import rotations
from linkwork.results.file_array import blocks
from linkwork.results.stored import potential_energy

if TYPE_CHECKING:
    from linkwork.results.result import Result


def masses(result: Result) -> tuple[np.ndarray, np.ndarray]:
    table = result.system.tables.bodies
    return table[:, 0], table[:, 1:].reshape(-1, 3, 3)


def over_times(result: Result, values: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """A function of the motion (t, bodies, 13), block by block where the steps are in a file."""
    return np.concatenate([values(result.motion[part]) for part in blocks(result.motion)])


def kinetic_energy(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it, since these may not be rigid."""
    if "kinetic_energy" in result.arrays:
        return result.arrays["kinetic_energy"]
    m, J = masses(result)

    def energy(motion: np.ndarray) -> np.ndarray:
        v, w = motion[:, :, 7:10], motion[:, :, 10:13]
        spin = np.einsum("tbi,bij,tbj->t", w, J, w, optimize=True)
        return 0.5 * (np.einsum("b,tbi,tbi->t", m, v, v, optimize=True) + spin)

    return over_times(result, energy)


def all_potential_energy(result: Result) -> np.ndarray:
    m, g = masses(result)[0], result.system.tables.gravity
    energy = over_times(
        result, lambda motion: -np.einsum("b,tbi,i->t", m, motion[:, :, :3], g, optimize=True)
    )
    for e in result.system.elements:
        if e.entry.family.potential is not None:
            energy = energy + potential_energy(result, e)
    return energy


def momentum(result: Result) -> np.ndarray:
    m, _ = masses(result)
    return over_times(result, lambda motion: np.einsum("b,tbi->ti", m, motion[:, :, 7:10]))


def angular_momentum(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it."""
    if "angular_momentum" in result.arrays:
        return result.arrays["angular_momentum"]
    m, J = masses(result)

    def about_origin(motion: np.ndarray) -> np.ndarray:
        r, v, w = (motion[:, :, i : i + 3] for i in (0, 7, 10))
        R = rotations.matrix(motion[:, :, 3:7])
        L = np.einsum("b,tbi->ti", m, np.cross(r, v))
        return L + np.einsum("tbij,bjk,tbk->ti", R, J, w, optimize=True)

    return over_times(result, about_origin)
